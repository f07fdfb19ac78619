// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/target/nvidia/tcgen05/zero_columns.hpp>
#include <tests/turns.hpp>
#include <tests/unit/sim/kernels/trial.hpp>
#include <tests/unit/target/nvidia/tensor_products.hpp>

#include <map>
#include <set>

using namespace axe;
using enum DType;

/// Products with `.ws` that take columns of B as zeros.
namespace {

const Axis zclane{"tlane"}, zccol{"tcol"}, zcwarp{"warp"}, zcthread{"lane"}, zcreg{"reg"};
using Words = std::vector<std::uint32_t>;

bool has(const Words& words, std::int64_t j)
{
    return static_cast<std::size_t>(j / 32) < words.size() && (words[static_cast<std::size_t>(j / 32)] >> j % 32 & 1) != 0;
}

struct ZeroedProduct {
    std::int64_t m = 32, n = 64;
    DType type = f16, sums = f32;
    Scope::Gemm form{};
    bool a_in_tensors = false;
    const char* schedule = "tcgen05_ws";
    Machine machine = machines::sm100;
};
Program zeroed(const ZeroedProduct& f)
{
    const std::int64_t parts = 128 / f.m, step = f.sums == f16 ? 2 : 1, warps = f.m / 32, k = 128 / storage_bytes(f.type);
    Kernel kernel("zeroed", f.machine);
    const auto A = kernel.input("A", {f.m, k}, f.type), B = kernel.input("B", {f.n, k}, f.type);
    const auto D = kernel.output("D", {f.m, f.n}, f.sums);
    kernel.cta(
        tiles(1, 1),
        [&](Scope cta, const Tile&) {
            const int bytes = storage_bytes(f.type);
            const auto a = cta.alloc(Role::shared, {f.m, k}, f.type,
                                     tensor_products::in_patterns(f.m, k, f.a_in_tensors ? 0 : 128, bytes), "a");
            const auto b = cta.alloc(Role::shared, {f.n, k}, f.type, tensor_products::in_patterns(f.n, k, 128, bytes), "b");
            const Layout lanes{{{f.m, 1, zclane}, {parts, f.m, zclane}, {f.n / parts, step, zccol}}};
            const Layout held{{{warps, 1, zcwarp}, {32, 1, zcthread}, {parts, warps, zcwarp}, {f.n / parts, 1, zcreg}}};
            const auto d = cta.alloc("tmem", {f.m, f.n}, f.sums, lanes, "d");
            const auto r = cta.alloc(Role::registers, {f.m, f.n}, f.sums, held, "r");
            cta.copy(a, A).copy(b, B).fill(r, 2).copy(d, r);
            Scope::Gemm form = f.form;
            form.transpose_b = true;
            Options options;
            options.schedule = f.schedule;
            if (f.a_in_tensors) {
                Layout rows{{{f.m, 1, zclane}, {k, 1, zccol}}};
                if (parts > 1) rows.replica.push_back({parts, f.m, zclane});
                const auto at = cta.alloc("tmem", {f.m, k}, f.type, rows, "at");
                cta.copy(at, a).gemm(d, at, b, form, options);
            } else
                cta.gemm(d, a, b, form, options);
            cta.copy(r, d).copy(D, r);
        },
        4);
    return trial::written(kernel);
}
Bindings zeroed_inputs(const ZeroedProduct& f)
{
    Bindings out;
    const std::int64_t k = 128 / storage_bytes(f.type);
    Array a = Array::make({f.m, k}, f.type).value(), b = Array::make({f.n, k}, f.type).value();
    for (std::int64_t i = 0; i < a.size(); ++i) a.set(i, static_cast<double>(i * 7 % 11 - 5));
    for (std::int64_t i = 0; i < b.size(); ++i) b.set(i, static_cast<double>(i * 5 % 13 - 6));
    out.set("A", std::move(a));
    out.set("B", std::move(b));
    return out;
}
std::string problem_of(const ZeroedProduct& f)
{
    const auto lowered = lower(zeroed(f));
    return lowered ? std::string() : lowered.error().text;
}
/// The mask of one part, the first column last, as PTX writes it.
std::string mask_text(const ZeroColumns& z, std::int64_t part, std::int64_t columns)
{
    std::string out;
    for (std::int64_t j = columns - 1; j >= 0; --j) out += z.is_zero(part, j) ? '1' : '0';
    return out;
}

} // namespace

TEST_CASE("columns of B as zeros: the examples of PTX", "[nvidia][ws][zeros]")
{
    // Examples 2 to 4: skip span 2, use span 3, non-zero mask 1.
    const auto spans = std::uint64_t{1} << 39 | std::uint64_t{2} << 40 | std::uint64_t{3} << 48;
    const ZeroColumns of128 = zero_columns_of(spans, 1).value();
    CHECK(mask_text(of128, 0, 14) == "11100001110000");
    CHECK(of128.bits() == spans);
    const ZeroColumns of64 = zero_columns_of(spans | std::uint64_t{1} << 32, 2).value();
    CHECK(mask_text(of64, 0, 17) == "11100001110000111");
    CHECK(mask_text(of64, 1, 14) == "11100001110000");
    const std::uint64_t starts = 0 | 1 << 8 | 2 << 16 | 1 << 24;
    const ZeroColumns of32 = zero_columns_of(spans | starts | std::uint64_t{3} << 32, 4).value();
    CHECK(mask_text(of32, 0, 14) == "00001110000111");
    CHECK(mask_text(of32, 1, 13) == "0000111000011");
    CHECK(mask_text(of32, 2, 12) == "111000011100");
    CHECK(mask_text(of32, 3, 13) == "1110000111000");
    // Example 1: no mask, whatever the spans are.
    CHECK(mask_text(zero_columns_of(std::uint64_t{4} << 40 | std::uint64_t{3} << 48, 1).value(), 0, 256) == std::string(256, '0'));
}

TEST_CASE("columns of B as zeros: which have a descriptor, of all sets of a few columns", "[nvidia][ws][zeros]")
{
    for (const std::int64_t parts : {1, 2, 4}) {
        const std::int64_t each = parts == 1 ? 9 : parts == 2 ? 5 : 3, n = parts * each;
        // All that descriptors say: of each pair of spans, the masks of a part that it has.
        std::set<std::uint32_t> all;
        for (std::int64_t used = 1; used <= each + 1; ++used)
            for (std::int64_t zeros = 1; zeros <= each + 1; ++zeros) {
                std::set<std::uint32_t> of_part;
                for (const bool first : {false, true})
                    for (std::int64_t start = 0; start < (first ? zeros : used); ++start) {
                        ZeroColumns z;
                        z.used = used, z.zeros = zeros, z.start[0] = start, z.zeros_first[0] = first;
                        std::uint32_t mask = 0;
                        for (std::int64_t j = 0; j < each; ++j) mask |= z.is_zero(0, j) ? 1u << j : 0u;
                        of_part.insert(mask);
                    }
                std::set<std::uint32_t> made{0};
                for (std::int64_t part = 0; part < parts; ++part) {
                    std::set<std::uint32_t> longer;
                    for (const std::uint32_t low : made)
                        for (const std::uint32_t mask : of_part) longer.insert(low | mask << part * each);
                    made = std::move(longer);
                }
                all.insert(made.begin(), made.end());
            }
        std::int64_t wrong = 0;
        for (std::uint32_t mask = 0; mask < 1u << n; ++mask) {
            const auto found = zero_columns(n, parts, [&](std::int64_t j) { return (mask >> j & 1) != 0; });
            if (found.has_value() != all.contains(mask)) ++wrong;
            if (!found) continue;
            const auto again = zero_columns_of(found->bits(), parts);
            for (std::int64_t j = 0; j < n; ++j)
                if (!again || again->is_zero(j / each, j % each) != ((mask >> j & 1) != 0)) ++wrong;
        }
        CHECK(wrong == 0);
        CHECK(all.size() > 20);
        CHECK(all.size() < std::size_t{1} << n);
    }
}

TEST_CASE("columns of B as zeros: products of all sizes, in all orders", "[nvidia][ws][zeros]")
{
    struct Types {
        DType type, sums;
    };
    const std::vector<Words> masks = {{1}, {0, ~0u}, {0xf0f0f0f0, 0xf0f0f0f0}, {0xffffffff, 0xffffffff}, {0x30c, 0x30c00000 >> 16}};
    for (const Types& t : {Types{f16, f32}, {f16, f16}, {e4m3, f32}, {i8, i32}})
        for (const std::int64_t m : {32, 64, 128})
            for (const Words& zero : masks) {
                ZeroedProduct f;
                f.m = m, f.type = t.type, f.sums = t.sums;
                f.form.zero_columns = zero;
                f.form.accumulate = zero.size() > 1;
                f.form.negate_a = t.type == f16 && m == 64;
                f.a_in_tensors = t.sums == f32 && m == 32;
                CAPTURE(name(t.type), name(t.sums), m, zero[0]);
                const std::int64_t parts = 128 / m;
                const bool exists = zero_columns(f.n, parts, [&](std::int64_t j) { return has(zero, j); }).has_value();
                const auto lowered = lower(zeroed(f));
                REQUIRE(lowered.has_value() == exists);
                if (!exists) {
                    CHECK_THAT(lowered.error().text, Catch::Contains("the columns of B that are zeros, of part "));
                    continue;
                }
                const Bindings in = zeroed_inputs(f);
                const Array &a = *in.find("A"), &b = *in.find("B");
                const std::int64_t k = 128 / storage_bytes(t.type);
                tensor_products::check_in_orders(
                    lowered->program, in, m, f.n,
                    [&](std::int64_t i, std::int64_t j) {
                        double sum = 0;
                        for (std::int64_t l = 0; l < k && !has(zero, j); ++l) sum += a.at(i * k + l) * b.at(j * k + l);
                        return (f.form.accumulate ? 2 : 0) + (f.form.negate_a ? -sum : sum);
                    },
                    m == 32);
                // The reference computes the same, of the operators.
                const auto report = sim::run(lowered->program, in);
                REQUIRE(report);
                CHECK(verify(zeroed(f), in, report->outputs)->ok());
            }
}

TEST_CASE("columns of B as zeros: what is there does not count, what A has does", "[nvidia][ws][zeros]")
{
    for (const bool in_b : {false, true}) {
        ZeroedProduct f;
        f.form.zero_columns = {1};
        f.form.accumulate = false;
        const Bindings in = [&] {
            Bindings out = zeroed_inputs(f);
            Array changed = Array::make({in_b ? f.n : f.m, 64}, f16).value();
            for (std::int64_t i = 0; i < changed.size(); ++i) changed.set(i, i == 0 ? std::numeric_limits<double>::infinity() : 1);
            out.set(in_b ? "B" : "A", std::move(changed));
            return out;
        }();
        const auto report = sim::run(lower(zeroed(f))->program, in);
        REQUIRE(report);
        const double first = report->outputs.find("D")->at(0); // row 0, column 0: of zeros
        CHECK((in_b ? first == 0 : std::isnan(first)));
        CHECK(verify(zeroed(f), in, report->outputs)->ok());
    }
}

TEST_CASE("columns of B as zeros: what is not there", "[nvidia][ws][zeros]")
{
    ZeroedProduct f;
    f.form.zero_columns = {0x2d};
    CHECK_THAT(problem_of(f), Catch::Contains("the columns of B that are zeros, of part 0, are not spans of one length"));
    f.form.zero_columns = {1};
    f.schedule = "tcgen05";
    CHECK_THAT(problem_of(f), Catch::Contains("tcgen05 takes no columns of B as zeros"));
    f.schedule = "";
    f.form.zero_columns = {0, 0, 1};
    CHECK_THAT(validate(zeroed(f)).front().text, Catch::Contains("it takes column 64 of B as zeros, which has 64"));
    CHECK_THAT(print(zeroed(f)), Catch::Contains("; zero columns 0, 0, 1"));

    Program other = zeroed({});
    for_each_statement(other.body, [](Statement& s) {
        if (auto* o = std::get_if<Operation>(&s.what); o != nullptr && o->op == Op::fill) o->zero_columns = {1};
    });
    CHECK_THAT(validate(other).front().text, Catch::Contains("only a gemm takes columns as zeros"));

    // Instructions by hand.
    const auto said = [](std::uint64_t bits) {
        ZeroedProduct by_hand;
        by_hand.form.zero_columns = {1};
        Program p = lower(zeroed(by_hand)).value().program;
        for_each_statement(p.body, [&](Statement& s) {
            if (auto* i = std::get_if<Instruction>(&s.what); i != nullptr && i->opcode == std::string("tcgen05_mma_ws"))
                i->parameters = {1, 0, 0, static_cast<std::int64_t>(bits)};
        });
        const auto report = sim::run(p, zeroed_inputs(by_hand));
        return report ? report->fault.text : report.error().text;
    };
    CHECK(said(0).empty());
    CHECK(said(std::uint64_t{1} << 39).empty());
    CHECK_THAT(said(std::uint64_t{1} << 36), Catch::Contains("bits 36 to 38 and 62 to 63 of the mask of columns must be 0"));
    CHECK_THAT(said(std::uint64_t{1} << 63), Catch::Contains("bits 36 to 38 and 62 to 63 of the mask of columns must be 0"));
    CHECK_THAT(said(std::uint64_t{2} << 56), Catch::Contains("columns are shifted by 2; only 0 is simulated"));
    CHECK_THAT(said(std::uint64_t{1} << 39 | 1), Catch::Contains("a part of the mask of columns starts at 1 of a span of 1"));
}
