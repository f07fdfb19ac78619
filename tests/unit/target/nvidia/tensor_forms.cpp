// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/target/nvidia/opcodes/tcgen05_sums.hpp>
#include <axe/target/nvidia/tcgen05/forms.hpp>
#include <tests/one_block.hpp>
#include <tests/required.hpp>
#include <tests/turns.hpp>
#include <tests/unit/sim/kernels/trial.hpp>

using namespace axe;
using enum DType;

/// What products into tensor memory do besides A·B: signs, rows that stay, sums of f16, and what the run decides.
namespace {

const Axis formed_m{"m"}, ftlane{"tlane"}, ftcol{"tcol"}, fwarp{"warp"}, flane{"lane"}, freg{"reg"};

struct FormedProduct {
    DType type = f16, sums = f32;
    std::int64_t m = 128, n = 16, k = 64;
    Scope::Gemm form{};
    bool a_in_tensors = false;
    double before = 3;  ///< what D has before
    int times = 1;      ///< products, of the same operands
    bool filled = true; ///< has D a value before?
};

Swizzled<Layout> formed_patterns(std::int64_t rows, std::int64_t cols, int bytes)
{
    const std::int64_t c = std::min<std::int64_t>(cols, 128 / bytes);
    const int digits = c * bytes == 128 ? 3 : c * bytes == 64 ? 2 : 1;
    return {Swizzle{digits, 4, 3}, formed_m, bytes,
            Layout{{{rows, c, formed_m}, {cols / c, rows * c, formed_m}, {c, 1, formed_m}}}};
}
Layout formed_sums_layout(const FormedProduct& f)
{
    const std::int64_t step = f.sums == f16 ? 2 : 1;
    if (f.m == 64) return Layout{{{4, 32, ftlane}, {16, 1, ftlane}, {f.n, step, ftcol}}};
    return Layout{{{f.m, 1, ftlane}, {f.n, step, ftcol}}};
}
/// In the shape 32x32b, of 64 rows in 16x256b, where two f16 are in a register.
Layout formed_registers(const FormedProduct& f)
{
    if (f.m == 128) return Layout{{{4, 1, fwarp}, {32, 1, flane}, {f.n, 1, freg}}};
    if (f.sums != f16) return Layout{{{4, 1, fwarp}, {2, 2, freg}, {8, 4, flane}, {f.n / 8, 4, freg}, {4, 1, flane}, {2, 1, freg}}};
    return Layout{{{4, 1, fwarp}, {2, 4, freg}, {8, 4, flane}, {f.n / 16, 8, freg}, {4, 1, flane}, {2, 2, freg}, {2, 1, freg}}};
}

Program formed_program(const FormedProduct& f)
{
    const int bytes = storage_bytes(f.type);
    Kernel k("formed", machines::sm100);
    const auto A = k.input("A", {f.m, f.k}, f.type), B = k.input("B", {f.n, f.k}, f.type), C = k.output("C", {f.m, f.n}, f.sums);
    one_block(k, 4, [&](Scope cta) {
        const auto a = cta.alloc(Role::shared, {f.m, f.k}, f.type, formed_patterns(f.m, f.k, bytes), "a");
        const auto b = cta.alloc(Role::shared, {f.n, f.k}, f.type, formed_patterns(f.n, f.k, bytes), "b");
        const auto d = cta.alloc("tmem", {f.m, f.n}, f.sums, formed_sums_layout(f), "d");
        const auto r = cta.alloc(Role::registers, {f.m, f.n}, f.sums, formed_registers(f), "r");
        cta.copy(a, A).copy(b, B);
        if (f.filled) cta.fill(r, f.before).copy(d, r);
        Scope::Gemm form = f.form;
        form.transpose_b = true;
        Options options;
        options.schedule = "tcgen05";
        if (f.a_in_tensors) {
            const auto at = cta.alloc("tmem", {f.m, f.k}, f.type, Layout{{{f.m, 1, ftlane}, {f.k, 1, ftcol}}}, "at");
            const auto ar =
                cta.alloc(Role::registers, {f.m, f.k}, f.type, Layout{{{4, 1, fwarp}, {32, 1, flane}, {f.k, 1, freg}}}, "ar");
            cta.copy(ar, A).copy(at, ar).gemm(d, at, b, form, options);
        } else
            for (int i = 0; i < f.times; ++i) cta.gemm(d, a, b, form, options);
        cta.copy(r, d).copy(C, r);
    });
    return trial::written(k);
}

/// Element i of A, and of B.
double formed_left(std::int64_t i) { return static_cast<double>(i * 7 % 11 - 5); }
double formed_right(std::int64_t i) { return static_cast<double>(i * 5 % 13 - 6); }

Bindings formed_inputs(const FormedProduct& f, double (*left)(std::int64_t) = formed_left,
                       double (*right)(std::int64_t) = formed_right)
{
    Bindings out;
    Array a = Array::make({f.m, f.k}, f.type).value(), b = Array::make({f.n, f.k}, f.type).value();
    for (std::int64_t i = 0; i < a.size(); ++i) a.set(i, left(i));
    for (std::int64_t i = 0; i < b.size(); ++i) b.set(i, right(i));
    out.set("A", std::move(a));
    out.set("B", std::move(b));
    return out;
}

/// In all orders, with checks and without: each element of C is what `wanted` says.
void check_formed(const FormedProduct& f, const Bindings& in, const std::function<double(std::int64_t, std::int64_t)>& wanted)
{
    const Program p = formed_program(f);
    const auto outputs = trial::ran(p, in);
    CHECK(std::string(trial::verified(p, in, outputs, Against::program).word()) == "consistent");
    const Program lowered = lower(p).value().program;
    INFO(print(lowered));
    for (const sim::Level level : {sim::Level::full, sim::Level::fast})
        turns::each([&](sim::RunOptions options) {
            options.level = level;
            const auto report = without_fault(sim::run(lowered, in, options));
            const Array& c = *report->outputs.find("C");
            std::int64_t wrong = 0;
            for (std::int64_t i = 0; i < f.m; ++i)
                for (std::int64_t j = 0; j < f.n; ++j)
                    if (c.at(i * f.n + j) != wanted(i, j) && ++wrong == 1) {
                        INFO(i << ", " << j << ": " << c.at(i * f.n + j) << ", not " << wanted(i, j));
                        CHECK(false);
                    }
            CHECK(wrong == 0);
        });
}
double formed_sum(const FormedProduct& f, std::int64_t i, std::int64_t j)
{
    double sum = 0;
    for (std::int64_t l = 0; l < f.k; ++l) sum += formed_left(i * f.k + l) * formed_right(j * f.k + l);
    return sum;
}

std::string formed_text(const Program& p)
{
    const auto lowered = lower(p);
    return lowered ? print(lowered->program) : lowered.error().text;
}

} // namespace

TEST_CASE("forms of products into tensor memory: negated operands", "[nvidia]")
{
    for (const DType type : {f16, bf16, tf32, e4m3})
        for (int negated = 0; negated < 4; ++negated)
            for (const bool in_tensors : {false, true}) {
                FormedProduct f;
                f.type = type;
                f.k = 128 / storage_bytes(type);
                f.form.negate_a = (negated & 1) != 0;
                f.form.negate_b = (negated & 2) != 0;
                f.form.accumulate = in_tensors;
                f.a_in_tensors = in_tensors;
                CAPTURE(name(type), negated, in_tensors);
                const double sign = negated == 1 || negated == 2 ? -1 : 1;
                check_formed(f, formed_inputs(f), [&](std::int64_t i, std::int64_t j) {
                    return (in_tensors ? f.before : 0) + sign * formed_sum(f, i, j);
                });
            }
    FormedProduct f;
    f.form.negate_b = true;
    CHECK(formed_text(formed_program(f)).find("; (1, 0, 1)") != std::string::npos);
    f.form.negate_b = false;
    CHECK(formed_text(formed_program(f)).find("; (1)") != std::string::npos);
}

TEST_CASE("forms of products into tensor memory: D is divided by a power of two", "[nvidia]")
{
    for (const DType type : {f16, bf16, tf32})
        for (const int scale : {1, 4, 15})
            for (const bool in_tensors : {false, true}) {
                FormedProduct f;
                f.type = type;
                f.k = 128 / storage_bytes(type);
                f.a_in_tensors = in_tensors;
                f.times = 2; // each divides what is there then
                f.form.scale_d = scale;
                if (in_tensors) f.form.negate_a = true, f.form.kept_rows = {0x00ff00ff};
                CAPTURE(name(type), scale, in_tensors);
                check_formed(f, formed_inputs(f), [&](std::int64_t i, std::int64_t j) {
                    if (in_tensors && i < 32 && i % 16 < 8) return f.before; // a row that stays is not divided
                    float d = static_cast<float>(f.before);                  // a chain, each step rounded
                    for (int time = 0; time < (in_tensors ? 1 : 2); ++time) {
                        d = std::ldexp(d, -scale);
                        for (std::int64_t l = 0; l < f.k; ++l)
                            d += static_cast<float>((in_tensors ? -1 : 1) * formed_left(i * f.k + l) * formed_right(j * f.k + l));
                    }
                    return static_cast<double>(d);
                });
            }
    FormedProduct f;
    f.form.scale_d = 3;
    const std::string text = formed_text(formed_program(f));
    CHECK(text.find("; (1, 0, 0, 3)") != std::string::npos);
    CHECK(print(formed_program(f)).find("gemm d += a * b^T; D by 2^-3") != std::string::npos);
    f.form.scale_d = 16;
    CHECK(validate(formed_program(f)).front().text.find("it divides D by 2^16; the exponent is from 0 to 15") != std::string::npos);
    f.form = {.accumulate = false, .scale_d = 1};
    CHECK(validate(formed_program(f)).front().text.find("only a gemm that accumulates scales D") != std::string::npos);
    f.form = {.scale_d = 1};
    f.type = e4m3;
    CHECK(formed_text(formed_program(f)).find("kind f8f6f4 does not scale D; f16 and tf32 do") != std::string::npos);
    f.type = i8, f.sums = i32;
    CHECK(validate(formed_program(f)).front().text.find("D `d` is of i32; a gemm scales floating-point sums") != std::string::npos);
}

TEST_CASE("forms of products into tensor memory: rows that stay as they are", "[nvidia]")
{
    for (const std::int64_t m : {64, 128})
        for (const std::vector<std::uint32_t>& rows :
             {std::vector<std::uint32_t>{0x80000001}, {0, 0xffffffff}, {0x00ff00ff, 0x0f0f0f0f}, {0xffffffff, 0xffffffff}}) {
            FormedProduct f;
            f.m = m;
            f.form.accumulate = m == 64;
            f.form.kept_rows = rows;
            const auto keeps = [&](std::int64_t i) {
                const auto word = static_cast<std::size_t>(i / 32);
                return word < rows.size() && (rows[word] >> i % 32 & 1) != 0;
            };
            CAPTURE(m, rows);
            check_formed(f, formed_inputs(f), [&](std::int64_t i, std::int64_t j) {
                return keeps(i) ? f.before : (m == 64 ? f.before : 0) + formed_sum(f, i, j);
            });
        }
    FormedProduct f;
    f.form.kept_rows = {0, 3};
    CHECK(formed_text(formed_program(f)).find("; (1, 0, 0, 0, 3, 0, 0)") != std::string::npos);
    f.m = 64; // rows 32 and 33 are in lanes 64 and 65
    CHECK(formed_text(formed_program(f)).find("; (1, 0, 0, 0, 0, 3, 0)") != std::string::npos);
    f.form.kept_rows = {0, 0, 1};
    CHECK(validate(formed_program(f)).front().text.find("it keeps row 64 of D `d`, which has 64") != std::string::npos);
}

TEST_CASE("forms of products into tensor memory: rows that stay need no value", "[nvidia]")
{
    // Rows 0 to 31 are written by one product, the others by the next one.
    Kernel k("halves", machines::sm100);
    const auto A = k.input("A", {128, 32}, f16), B = k.input("B", {16, 32}, f16), C = k.output("C", {128, 16}, f32);
    k.computes(C, matmul(A, B, {.transpose_b = true}));
    one_block(k, 4, [&](Scope cta) {
        const auto a = cta.alloc(Role::shared, {128, 32}, f16, formed_patterns(128, 32, 2), "a");
        const auto b = cta.alloc(Role::shared, {16, 32}, f16, formed_patterns(16, 32, 2), "b");
        const auto d = cta.alloc("tmem", {128, 16}, f32, Layout{{{128, 1, ftlane}, {16, 1, ftcol}}}, "d");
        const auto r = cta.alloc(Role::registers, {128, 16}, f32, Layout{{{4, 1, fwarp}, {32, 1, flane}, {16, 1, freg}}}, "r");
        cta.copy(a, A).copy(b, B);
        cta.gemm(d, a, b, {.accumulate = false, .transpose_b = true, .kept_rows = {0, ~0u, ~0u, ~0u}});
        cta.gemm(d, a, b, {.accumulate = false, .transpose_b = true, .kept_rows = {~0u}});
        cta.copy(r, d).copy(C, r);
    });
    FormedProduct f;
    f.k = 32;
    trial::check_right(trial::written(k), formed_inputs(f));
}

TEST_CASE("forms of products into tensor memory: the run decides whether a product adds", "[nvidia]")
{
    // D has no value before the first step, which overwrites.
    for (const bool by_pairs : {false, true}) {
        Kernel k("decided", machines::sm100);
        const auto A = k.input("A", {128, 96}, f16), B = k.input("B", {16, 96}, f16), C = k.output("C", {128, 16}, f32);
        k.computes(C, matmul(A, B, {.transpose_b = true}));
        one_block(k, 4, [&](Scope cta) {
            const auto a = cta.alloc(Role::shared, {128, 32}, f16, formed_patterns(128, 32, 2), "a");
            const auto b = cta.alloc(Role::shared, {16, 32}, f16, formed_patterns(16, 32, 2), "b");
            const auto d = cta.alloc("tmem", {128, 16}, f32, Layout{{{128, 1, ftlane}, {16, 1, ftcol}}}, "d");
            const auto r = cta.alloc(Role::registers, {128, 16}, f32, Layout{{{4, 1, fwarp}, {32, 1, flane}, {16, 1, freg}}}, "r");
            cta.loop(0, 3, 1, [&](const Affine& i) {
                cta.copy(a, A(all, Interval(32 * i, 32))).copy(b, B(all, Interval(32 * i, 32)));
                const Affine decides = by_pairs ? 5 * i : i;
                cta.gemm(d, a, b, {.transpose_b = true, .unless_zero = decides}).sync();
            });
            cta.copy(r, d).copy(C, r);
        });
        const Program p = trial::written(k);
        INFO(print(p));
        CHECK(print(p).find(by_pairs ? "unless 5*i1 is 0" : "unless i1 is 0") != std::string::npos);
        FormedProduct f;
        f.k = 96;
        trial::check_right(p, formed_inputs(f));
    }
}

TEST_CASE("forms of products into tensor memory: who has none of them", "[nvidia]")
{
    const auto words = [](const Machine& machine, const Scope::Gemm& form) {
        Kernel k("none", machine);
        const auto A = k.input("A", {32, 32}, f32), C = k.output("C", {32, 32}, f32);
        one_block(k, 1, [&](Scope cta) { cta.fill(C, 0).gemm(C, A, A, form); });
        const Program p = trial::written(k);
        for (const Problem& problem : validate(p)) return problem.text;
        return formed_text(p);
    };
    using trial::has;
    has(words(machines::sm80, {.unless_zero = Affine(1)}), "fma does not find in the run whether it accumulates");
    has(words(machines::sm80, {.kept_rows = {1}}), "fma keeps no rows of D");
    has(words(machines::sm80, {.scale_d = 1}), "fma does not scale D");
    has(words(machines::sm80, {.accumulate = false, .unless_zero = Affine(1)}),
        "it overwrites where a number is 0, and does not accumulate elsewhere");
    has(words(machines::sm80, {.kept_rows = {0, 1}}), "it keeps row 32 of D `C`, which has 32");
    // The reference does both.
    Kernel k("other", machines::sm80);
    const auto A = k.input("A", {16, 16}, f16);
    one_block(k, 1, [&](Scope cta) { cta.copy(k.output("C", {16, 16}, f16), A); });
    Program other = trial::written(k);
    for_each_statement(other.body, [](const Statement& s) {
        if (auto* o = const_cast<Operation*>(std::get_if<Operation>(&s.what)); o != nullptr) o->kept_rows = {1};
    });
    has(validate(other).front().text, "only a gemm keeps rows, or overwrites where a number is 0");
}

TEST_CASE("forms of products into tensor memory: instructions written by hand", "[nvidia]")
{
    const auto changed = [](const FormedProduct& f, const std::vector<std::int64_t>& parameters) {
        Program program = lower(formed_program(f)).value().program;
        for_each_statement(program.body, [&](const Statement& s) {
            auto* i = const_cast<Instruction*>(std::get_if<Instruction>(&s.what));
            if (i != nullptr && i->opcode == "tcgen05_mma") i->parameters = parameters;
        });
        const auto report = sim::run(program, formed_inputs(f));
        return report ? report->fault.text : report.error().text;
    };
    FormedProduct f, integers;
    integers.type = i8, integers.sums = i32;
    for (const std::vector<std::int64_t>& wrong :
         {std::vector<std::int64_t>{}, {3}, {-1}, {1, 0}, {1, 0, 0, 0, 0}, {1, 0, 0, 0, 0, 0, 0, 0, 0}})
        CHECK(changed(f, wrong).find("its parameters are accumulate, 0 to 2, then which of A and B are negated") !=
              std::string::npos);
    CHECK(changed(f, {1, 2, 0}).find("a parameter is 2; it must be 0 or 1") != std::string::npos);
    CHECK(changed(f, {1, 0, 0, -1, 0, 0, 0}).find("32 lanes that are kept are a number of 32 bits, got -1") != std::string::npos);
    CHECK(changed(integers, {1, 0, 1}).find("products of integers are not negated") != std::string::npos);
    CHECK(changed(integers, {1, 0, 0, 1, 0, 0, 0}).empty());
    CHECK(changed(f, {1, 0, 0, 15}).empty());
    CHECK(changed(f, {1, 0, 0, 15, 1, 0, 0, 0}).empty());
    CHECK(changed(f, {1, 0, 0, 16}).find("it divides D by 2^16; the exponent is from 0 to 15") != std::string::npos);
    CHECK(changed(f, {1, 0, 0, -1, 0, 0, 0, 0}).find("it divides D by 2^-1; the exponent is from 0 to 15") != std::string::npos);
    CHECK(changed(integers, {1, 0, 0, 1}).find("kind i8 does not scale D; f16 and tf32 do") != std::string::npos);
}

TEST_CASE("sums of f16 in tensor memory: exact products, rounded once for 16 of k", "[nvidia]")
{
    // Each sum of 16 products and D is exact in f64: numbers are multiples of 2^-8 below 8.
    const auto left = [](std::int64_t i) { return static_cast<double>(i * 7919 % 4093 - 2046) / 256; };
    const auto right = [](std::int64_t i) { return static_cast<double>(i * 6007 % 2039 - 1019) / 256; };
    for (const std::int64_t m : {64, 128})
        for (const bool accumulate : {false, true}) {
            FormedProduct f;
            f.sums = f16, f.m = m, f.times = accumulate ? 2 : 1;
            f.before = 1.5;
            f.form.accumulate = accumulate;
            f.form.scale_d = accumulate && m == 64 ? 2 : 0;
            CAPTURE(m, accumulate);
            Array rounded = Array::make({1}, f16).value(), in_a = Array::make({1}, f16).value(),
                  in_b = Array::make({1}, f16).value();
            const auto wanted = [&](std::int64_t i, std::int64_t j) {
                rounded.set(0, accumulate ? f.before : 0);
                for (int time = 0; time < f.times; ++time)
                    for (std::int64_t first = 0; first < f.k; first += 16) {
                        double sum = first == 0 ? std::ldexp(rounded.at(0), -f.form.scale_d) : rounded.at(0);
                        for (std::int64_t l = first; l < first + 16; ++l) {
                            in_a.set(0, left(i * f.k + l));
                            in_b.set(0, right(j * f.k + l));
                            sum += in_a.at(0) * in_b.at(0);
                        }
                        rounded.set(0, sum);
                    }
                return rounded.at(0);
            };
            const std::string text = formed_text(formed_program(f));
            INFO(text);
            CHECK(text.find("pack::16b.b32") != std::string::npos);
            CHECK(text.find(".unpack::16b.b32") != std::string::npos);
            check_formed(f, formed_inputs(f, +left, +right), wanted);
        }
}

TEST_CASE("sums of f16 in tensor memory: of floats of 8, 6 and 4 bits, rounded once for 32 of k", "[nvidia]")
{
    const auto left = [](std::int64_t i) {
        return std::ldexp(static_cast<double>(i * 7919 % 15 - 7), static_cast<int>(i % 5) - 3);
    };
    const auto right = [](std::int64_t i) {
        return std::ldexp(static_cast<double>(i * 6007 % 13 - 6), static_cast<int>(i % 3) - 4);
    };
    for (const DType type : {e4m3, e5m2, e3m2, e2m3, e2m1})
        for (const bool in_tensors : {false, true}) {
            FormedProduct f;
            f.type = type, f.sums = f16, f.k = 128, f.before = 1.5, f.a_in_tensors = in_tensors;
            CAPTURE(name(type), in_tensors);
            Array rounded = Array::make({1}, f16).value(), in_a = Array::make({1}, type).value(),
                  in_b = Array::make({1}, type).value();
            const auto wanted = [&](std::int64_t i, std::int64_t j) {
                rounded.set(0, f.before);
                for (std::int64_t first = 0; first < f.k; first += 32) {
                    double sum = rounded.at(0); // exact in f64
                    for (std::int64_t l = first; l < first + 32; ++l) {
                        in_a.set(0, left(i * f.k + l));
                        in_b.set(0, right(j * f.k + l));
                        sum += in_a.at(0) * in_b.at(0);
                    }
                    rounded.set(0, sum);
                }
                return rounded.at(0);
            };
            CHECK(formed_text(formed_program(f)).find("kind::f8f6f4") != std::string::npos);
            check_formed(f, formed_inputs(f, +left, +right), wanted);
        }
    CHECK(std::string(tcgen05_kind(f16, e4m3, e2m1)) == "f8f6f4");
    CHECK(tcgen05_kind(f16, e4m3, f16) == nullptr);
    CHECK(tcgen05_kind(f16, bf16, bf16) == nullptr);
}

TEST_CASE("sums of f16 in tensor memory: ties, what is lost, and what is beyond all f16", "[nvidia]")
{
    const auto sum = [](std::initializer_list<double> terms) {
        sim::HalfSum out;
        for (const double t : terms) out.add(t);
        return decode(f16, out.bits());
    };
    const double inf = std::numeric_limits<double>::infinity();
    CHECK(sum({}) == 0);
    CHECK(sum({1, 0x1p-11}) == 1);                    // a tie goes to the even one
    CHECK(sum({1, 0x1p-11, 0x1p-48}) == 1 + 0x1p-10); // the least product decides it
    CHECK(sum({1, 0x1p-11, -0x1p-48}) == 1);
    CHECK(sum({1 + 0x1p-10, 0x1p-11}) == 1 + 0x1p-9);
    CHECK(sum({0x1p31, -0x1p31, 0x1p-24}) == 0x1p-24);          // nothing is lost between
    CHECK(sum({0x1p31, 0x1p-48, -0x1p31, 0x1p-25}) == 0x1p-24); // above the middle of 0 and the least f16
    CHECK(sum({0x1p-25}) == 0);
    CHECK(sum({65504, 15.99}) == 65504);
    CHECK(sum({65504, 16}) == inf);
    CHECK(sum({-65504, -16}) == -inf);
    CHECK(sum({inf, 1}) == inf);
    CHECK(std::isnan(sum({inf, -inf})));
    CHECK(std::isnan(sum({0, std::numeric_limits<double>::quiet_NaN()})));
}

TEST_CASE("sums of f16 in tensor memory: where they begin, and of what", "[nvidia]")
{
    const auto words = [](DType type, std::int64_t first, std::int64_t step) {
        Kernel k("placed", machines::sm100);
        one_block(k, 4, [&](Scope cta) {
            const auto a = cta.alloc(Role::shared, {128, 32}, type, formed_patterns(128, 32, 2), "a");
            const auto b = cta.alloc(Role::shared, {16, 32}, type, formed_patterns(16, 32, 2), "b");
            const auto d =
                cta.alloc("tmem", {128, 16}, f16, Layout{{{128, 1, ftlane}, {16, step, ftcol}}, {}, {{ftcol, first}}}, "d");
            Options options;
            options.schedule = "tcgen05";
            cta.fill(a, 0).fill(b, 0).gemm(d, a, b, {.accumulate = false, .transpose_b = true}, options);
        });
        const Program p = trial::written(k);
        for (const Problem& problem : validate(p)) return problem.text;
        return formed_text(p);
    };
    CHECK(words(f16, 0, 2).find("tcgen05.mma.cta_group::1.kind::f16") != std::string::npos);
    CHECK(words(f16, 2, 2).find("tcgen05.mma.cta_group::1.kind::f16") != std::string::npos);
    INFO(words(f16, 1, 2));
    INFO(words(f16, 0, 1));
    CHECK(words(f16, 1, 2).find("(0,0) of d is in lane 0, element 1; a tile of 64 rows has it in lane 0, element 2") !=
          std::string::npos);
    CHECK(words(f16, 0, 1).find("(0,1) of d is in lane 0, element 1; a tile of 64 rows has it in lane 0, element 2") !=
          std::string::npos);
}

TEST_CASE("sums of f16 in tensor memory: the hints lay them out, a column each", "[nvidia]")
{
    Kernel k("hinted", machines::sm100);
    const auto A = k.input("A", {128, 64}, f16), B = k.input("B", {32, 64}, f16), C = k.output("C", {128, 32}, f16);
    k.computes(C, matmul(A, B, {.transpose_b = true}));
    one_block(k, 4, [&](Scope cta) {
        const auto a = cta.alloc(Role::shared, {128, 64}, f16, conflict_free, "a");
        const auto b = cta.alloc(Role::shared, {32, 64}, f16, conflict_free, "b");
        const auto d = cta.alloc("tmem", {128, 32}, f16, accumulator, "d");
        const auto r = cta.alloc(Role::registers, {128, 32}, f16, LayoutHint::registers, "r");
        cta.copy(a, A).copy(b, B).gemm(d, a, b, {.accumulate = false, .transpose_b = true});
        cta.copy(r, d).copy(C, r);
    });
    const Program p = trial::written(k);
    INFO(formed_text(p));
    CHECK(formed_text(p).find("(1,128,32):(64@tcol,1@tlane,2@tcol)") != std::string::npos);
    FormedProduct f;
    f.n = 32;
    trial::check_right(p, formed_inputs(f));
}
