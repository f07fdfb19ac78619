// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/target/nvidia/wgmma/forms.hpp>
#include <tests/one_block.hpp>
#include <tests/required.hpp>
#include <tests/unit/sim/kernels/trial.hpp>

/// Products of warpgroups with sums of f16.
namespace {

using namespace axe;
using enum DType;

struct HalfProduct {
    DType a = f16, b = f16;
    std::int64_t m = 64, n = 32, k = 64;
    int warpgroups = 1;
    bool transpose_a = false, transpose_b = true, in_registers = false, accumulate = true, negate = false;
    const char* schedule = "wgmma";
    bool async = false;
};
constexpr double half_before = 1.5; ///< what D is, where a product adds to it

Program half_program(const HalfProduct& c)
{
    const Shape a_shape = c.transpose_a ? Shape{c.k, c.m} : Shape{c.m, c.k},
                b_shape = c.transpose_b ? Shape{c.n, c.k} : Shape{c.k, c.n};
    Kernel k("halves", machines::sm90);
    const auto A = k.input("A", a_shape, c.a), B = k.input("B", b_shape, c.b), D = k.output("D", {c.m, c.n}, f16);
    one_block(k, 4 * c.warpgroups, [&](Scope cta) {
        const auto a = c.in_registers ? cta.alloc(Role::registers, a_shape, c.a, LayoutHint::operand_a, "a")
                                      : cta.alloc(Role::shared, a_shape, c.a, conflict_free, "a");
        const auto b = cta.alloc(Role::shared, b_shape, c.b, conflict_free, "b");
        const auto d = cta.alloc(Role::accumulator, {c.m, c.n}, f16, accumulator, "d");
        cta.copy(a, A).copy(b, B).proxy_fence().sync().fill(d, half_before);
        Scope::Gemm form;
        form.accumulate = c.accumulate;
        form.transpose_a = c.transpose_a;
        form.transpose_b = c.transpose_b;
        form.negate_b = c.negate;
        Options options;
        options.schedule = c.schedule;
        options.async = c.async;
        cta.gemm(d, a, b, form, options);
        if (c.async) cta.wait_products();
        cta.copy(D, d);
    });
    return trial::written(k);
}

Array half_numbers(const Shape& shape, DType type, int seed)
{
    laws::Random r(static_cast<unsigned>(seed));
    Array out = Array::make(shape, type).value();
    for (std::int64_t i = 0; i < out.size(); ++i) out.set(i, static_cast<double>(r.in(-1023, 1023)) / 256);
    return out;
}

/// What the equation says, in f64, where 33 such terms are exact.
double wanted_half(const HalfProduct& c, const Array& a, const Array& b, std::int64_t i, std::int64_t j)
{
    const std::int64_t step = 32 / storage_bytes(c.a);
    double d = c.accumulate ? half_before : 0;
    for (std::int64_t first = 0; first < c.k; first += step) {
        for (std::int64_t l = first; l < first + step; ++l)
            d += (c.negate ? -1 : 1) * a.at(c.transpose_a ? l * c.m + i : i * c.k + l) *
                 b.at(c.transpose_b ? j * c.k + l : l * c.n + j);
        d = decode(f16, encode(f16, d));
    }
    return d;
}

/// Runs it at both levels and in all orders, and compares each element.
void check_halves(const HalfProduct& c)
{
    const Program program = half_program(c);
    const auto lowered = required(lower(program));
    CHECK(print(lowered->program).find("wgmma.mma_async.m64n" + std::to_string(c.n) + ".f16") != std::string::npos);
    Array a = half_numbers(program.tensors[0].shape, c.a, 91), b = half_numbers(program.tensors[1].shape, c.b, 92);
    std::vector<double> wanted;
    for (std::int64_t i = 0; i < c.m; ++i)
        for (std::int64_t j = 0; j < c.n; ++j) wanted.push_back(wanted_half(c, a, b, i, j));
    const Bindings in = trial::given({{"A", &a}, {"B", &b}});
    const auto wrong = [&](const Bindings& outputs) {
        int count = 0;
        for (std::size_t i = 0; i < wanted.size(); ++i)
            count += outputs.find("D")->at(static_cast<std::int64_t>(i)) != wanted[i] ? 1 : 0;
        return count;
    };
    const Bindings outputs = trial::ran(program, in);
    CHECK(wrong(outputs) == 0);
    CHECK(std::string(trial::verified(program, in, outputs, Against::program).word()) == "consistent");
    sim::RunOptions fast;
    fast.level = sim::Level::fast;
    fast.counters = false;
    const auto report = sim::run(lowered->program, in, fast);
    REQUIRE((report && report->ok()));
    CHECK(wrong(report->outputs) == 0);
}

} // namespace

TEST_CASE("products of warpgroups with sums of f16: which types they multiply", "[target][nvidia]")
{
    // PTX ISA, wgmma.mma_async, the forms of its syntax, D first.
    const std::vector<std::vector<DType>> forms = {{f16, f16, f16},   {f32, f16, f16},   {f32, bf16, bf16}, {f32, tf32, tf32},
                                                   {f16, e4m3, e4m3}, {f16, e4m3, e5m2}, {f16, e5m2, e4m3}, {f16, e5m2, e5m2},
                                                   {f32, e4m3, e4m3}, {f32, e4m3, e5m2}, {f32, e5m2, e4m3}, {f32, e5m2, e5m2},
                                                   {i32, i8, i8},     {i32, i8, u8},     {i32, u8, i8},     {i32, u8, u8}};
    std::vector<DType> types;
    for (int t = 0; t < dtype_count; ++t) types.push_back(static_cast<DType>(t));
    for (const DType d : types)
        for (const DType a : types)
            for (const DType b : types) {
                CAPTURE(name(d), name(a), name(b));
                const bool exists = std::find(forms.begin(), forms.end(), std::vector<DType>{d, a, b}) != forms.end();
                CHECK(is_wgmma_product(d, a, b) == exists);
            }
}

TEST_CASE("products of warpgroups with sums of f16: exact products, rounded once with each instruction", "[target][nvidia]")
{
    for (const bool accumulate : {false, true}) {
        HalfProduct c;
        c.accumulate = accumulate;
        c.n = accumulate ? 8 : 24;
        check_halves(c);
    }
    for (const int majors : {1, 2, 3}) {
        HalfProduct c;
        c.n = 64;
        c.transpose_a = (majors & 1) != 0;
        c.transpose_b = (majors & 2) == 0;
        c.negate = majors == 2;
        check_halves(c);
    }
    for (const auto& [a, b] : {std::pair{e4m3, e4m3}, {e4m3, e5m2}, {e5m2, e4m3}, {e5m2, e5m2}}) {
        HalfProduct c;
        c.a = a, c.b = b;
        c.in_registers = a == b;
        check_halves(c);
    }
    HalfProduct tiles;
    tiles.m = 256, tiles.n = 16, tiles.k = 32;
    tiles.warpgroups = 2;
    tiles.async = true;
    tiles.schedule = "";
    check_halves(tiles);
    tiles.in_registers = true;
    check_halves(tiles);
}

TEST_CASE("products of warpgroups with sums of f16: beyond all f16, and no numbers", "[target][nvidia]")
{
    HalfProduct c;
    c.n = 8, c.k = 32;
    const Program program = half_program(c);
    Array a = Array::make({64, 32}, f16).value(), b = Array::make({8, 32}, f16).value();
    for (std::int64_t i = 0; i < a.size(); ++i) a.set(i, 0);
    for (std::int64_t i = 0; i < b.size(); ++i) b.set(i, 1);
    const double inf = std::numeric_limits<double>::infinity();
    a.set(0, 65504), a.set(1, 32), a.set(16, -65504);   // row 0: the first instruction leaves f16, the second one cannot come back
    a.set(32, 65504), a.set(33, 32), a.set(34, -65504); // row 1: one instruction comes back
    a.set(64, inf), a.set(65, -inf);
    const Bindings in = trial::given({{"A", &a}, {"B", &b}});
    const Bindings out = trial::ran(program, in);
    CHECK(out.find("D")->at(0) == inf);
    CHECK(out.find("D")->at(8) == 33.5);
    CHECK(std::isnan(out.find("D")->at(16)));
    CHECK(out.find("D")->at(24) == half_before);
}

TEST_CASE("products of warpgroups with sums of f16: taken where the program asks for them", "[target][nvidia]")
{
    HalfProduct c;
    c.schedule = "";
    const auto is_wgmma = [&] {
        return print(lower(half_program(c)).value().program).find("wgmma.mma_async") != std::string::npos;
    };
    CHECK_FALSE(is_wgmma());
    c.schedule = "wgmma";
    CHECK(is_wgmma());
    c.schedule = "";
    c.async = true;
    CHECK(is_wgmma());
    // The layout alone, without the schedule's name.
    Kernel k("unnamed", machines::sm90);
    one_block(k, 4, [&](Scope cta) {
        const auto a = cta.alloc(Role::shared, {64, 16}, f16, conflict_free, "a"),
                   b = cta.alloc(Role::shared, {16, 16}, f16, conflict_free, "b");
        const Axis warp{"warp"}, lane{"lane"}, reg{"reg"};
        const auto d = cta.alloc(Role::registers, {64, 16}, f16,
                                 Layout{{{4, 1, warp}, {2, 2, reg}, {8, 4, lane}, {2, 4, reg}, {4, 1, lane}, {2, 1, reg}}}, "d");
        cta.fill(a, 0).fill(b, 0).sync().gemm(d, a, b, {.accumulate = false});
    });
    const auto lowered = required(lower(trial::written(k)));
    std::string declined;
    for (const Choice& choice : lowered->choices)
        for (const auto& [schedule, why] : choice.declined)
            if (schedule == "wgmma") declined = why;
    CHECK(declined.find("d is of f16, which wgmma rounds with each instruction") != std::string::npos);
}

TEST_CASE("products of warpgroups with sums of f16: instructions written by hand", "[target][nvidia]")
{
    const auto said = [](const char* text, DType sums) {
        HalfProduct c;
        Program program = lower(half_program(c)).value().program;
        for_each_statement(program.body, [&](Statement& s) {
            if (auto* i = std::get_if<Instruction>(&s.what); i != nullptr && i->opcode == "wgmma") i->text = text;
        });
        if (sums != f16) program.tensors[1].dtype = sums;
        Bindings in;
        in.set("A", Array::make({64, 64}, f16).value());
        in.set("B", Array::make({32, 64}, program.tensors[1].dtype).value());
        const auto report = sim::run(program, in);
        return report ? report->fault.text : report.error().text;
    };
    CHECK(said("wgmma.mma_async.m64n32.f16", f16).empty());
    CHECK(said("wgmma.mma_async.m64n32", f16).find("no atom wgmma.mma_async.m64n32 with an operand D exists") != std::string::npos);
}

TEST_CASE("products of warpgroups with sums of f16: their registers are the product's until a wait", "[target][nvidia]")
{
    for (const bool wait : {true, false}) {
        HalfProduct c;
        c.async = true;
        Program program = half_program(c);
        if (!wait)
            for_each_statement(program.body, [&](Statement& s) {
                if (auto* w = std::get_if<Wait>(&s.what); w != nullptr) w->pending = 1;
            });
        const auto lowered = required(lower(program));
        Bindings in;
        in.set("A", half_numbers({64, 64}, f16, 1));
        in.set("B", half_numbers({32, 64}, f16, 2));
        const auto report = required(sim::run(lowered->program, in));
        INFO(report->fault.text);
        CHECK(report->ok() == wait);
        if (!wait) CHECK(report->fault.text.find("which the asynchronous product of statement") != std::string::npos);
    }
}
