// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/target/nvidia/schedules/wgmma_hints.hpp>
#include <tests/one_block.hpp>
#include <tests/required.hpp>
#include <tests/unit/sim/kernels/trial.hpp>

/// Products of warpgroups with A in registers.
namespace {

using namespace axe;
using enum DType;

struct RegisterProduct {
    DType a = f16, b = f16;
    std::int64_t m = 64, n = 32, k = 64;
    int warpgroups = 1;
    bool transpose_a = false, transpose_b = true;
};

Program register_product(const RegisterProduct& c)
{
    const DType sum = is_float(c.a) ? f32 : i32;
    const Shape a_shape = c.transpose_a ? Shape{c.k, c.m} : Shape{c.m, c.k},
                b_shape = c.transpose_b ? Shape{c.n, c.k} : Shape{c.k, c.n};
    Kernel k("register_product", machines::sm90);
    const auto A = k.input("A", a_shape, c.a), B = k.input("B", b_shape, c.b), D = k.output("D", {c.m, c.n}, sum);
    k.computes(D, matmul(A, B, {.transpose_a = c.transpose_a, .transpose_b = c.transpose_b}));
    one_block(k, 4 * c.warpgroups, [&](Scope cta) {
        const auto a = cta.alloc(Role::registers, a_shape, c.a, LayoutHint::operand_a, "a");
        const auto b = cta.alloc(Role::shared, b_shape, c.b, conflict_free, "b");
        const auto d = cta.alloc(Role::accumulator, {c.m, c.n}, sum, accumulator, "d");
        cta.copy(a, A).copy(b, B).sync();
        cta.gemm(d, a, b, {.accumulate = false, .transpose_a = c.transpose_a, .transpose_b = c.transpose_b});
        cta.copy(D, d);
    });
    return trial::written(k);
}

Bindings register_inputs(const Program& program)
{
    laws::Random r(83);
    return arrays::inputs_of(program,
                             [&](const ProgramTensor& t, std::int64_t) { return t.dtype == u8 ? r.in(0, 8) : r.in(-8, 8); });
}

/// D = A·B + A·C with A in registers: what an asynchronous kernel does before, between and after the two products.
struct Steps {
    bool write_first = true;        ///< A is written before the first product
    bool touch_between = false;     ///< A is written while the products may still read it
    bool read_between = false;      ///< or read
    bool wait = true, fence = true; ///< before A is written again; and of the registers, before the second product
    bool write_after = false;       ///< A is written after the first product, and after the wait
    bool second = true;
};

Lowered stepped(const Steps& s)
{
    Kernel k("stepped", machines::sm90);
    const auto A = k.input("A", {64, 16}, f16), B = k.input("B", {32, 16}, f16), C = k.input("C", {32, 16}, f16);
    const auto D = k.output("D", {64, 32}, f32);
    one_block(k, 4, [&](Scope cta) {
        const auto a = cta.alloc(Role::registers, {64, 16}, f16, LayoutHint::operand_a, "a");
        const Axis warp{"warp"}, lane{"lane"}, reg{"reg"};
        const Layout fragments{{{4, 1, warp}, {2, 2, reg}, {8, 4, lane}, {2, 4, reg}, {4, 1, lane}, {2, 1, reg}}};
        const auto copy_of_a = cta.alloc(Role::registers, {64, 16}, f16, fragments, "copy_of_a");
        const auto b = cta.alloc(Role::shared, {32, 16}, f16, conflict_free, "b");
        const auto c = cta.alloc(Role::shared, {32, 16}, f16, conflict_free, "c");
        const auto d = cta.alloc(Role::accumulator, {64, 32}, f32, accumulator, "d");
        cta.copy(b, B).copy(c, C).proxy_fence().sync();
        if (s.write_first) cta.copy(a, A);
        cta.gemm(d, a, b, {.accumulate = false, .transpose_b = true}, {.async = true});
        if (s.touch_between) cta.fill(a, 1);
        if (s.read_between) cta.unary(Function::neg, copy_of_a, a);
        if (s.wait) cta.wait_products();
        if (s.write_after) cta.copy(a, A);
        if (s.second) cta.gemm(d, a, c, {.transpose_b = true}, {.async = true});
        cta.wait_products();
        cta.copy(D, d);
    });
    const Program p = trial::written(k);
    auto lowered = required(lower(p));
    if (!s.fence) { // the second product without its fence of registers, as if by hand
        Instruction* last = nullptr;
        for_each_statement(lowered->program.body, [&](Statement& st) {
            if (auto* i = std::get_if<Instruction>(&st.what); i != nullptr && i->opcode == "wgmma") last = i;
        });
        REQUIRE(last != nullptr);
        last->parameters[1] = 0;
    }
    return std::move(*lowered);
}

std::vector<std::string> in_all_orders(const Lowered& lowered)
{
    laws::Random r(84);
    const Bindings in = arrays::inputs_of(lowered.program, [&](const ProgramTensor&, std::int64_t) { return r.in(-8, 8); });
    std::vector<std::string> out;
    for (const sim::RunOrder order : sim::all_run_orders) {
        sim::RunOptions options;
        options.order = order;
        options.seed = 3;
        const auto report = required(sim::run(lowered.program, in, options));
        out.push_back(report->ok() ? "sound" : std::string(name(report->fault.kind)) + ": " + report->fault.text);
    }
    return out;
}

void all_say(const Steps& s, const char* kind, const char* words)
{
    for (const std::string& said : in_all_orders(stepped(s))) {
        INFO(said);
        CHECK(said.starts_with(kind));
        CHECK(said.find(words) != std::string::npos);
    }
}

} // namespace

TEST_CASE("products of warpgroups take A from registers, exactly for integers, in each type", "[target][nvidia]")
{
    struct Types {
        DType a, b;
    };
    int tried = 0, products = 0;
    for (const Types t : {Types{f16, f16}, Types{bf16, bf16}, Types{tf32, tf32}, Types{e4m3, e5m2}, Types{e5m2, e4m3},
                          Types{i8, u8}, Types{u8, i8}})
        for (const std::int64_t rows : {64, 128})
            for (const int warpgroups : {1, 2}) {
                if (rows == 64 && warpgroups == 2) continue;
                RegisterProduct c;
                c.a = t.a;
                c.b = t.b;
                c.m = rows;
                c.warpgroups = warpgroups;
                c.k = 64 / storage_bytes(t.a);
                c.n = std::vector<std::int64_t>{8, 16, 32, 24}[static_cast<std::size_t>(tried % 4)];
                if (storage_bytes(t.a) == 2) c.transpose_b = tried % 2 == 0 || c.n % 16 != 0;
                c.transpose_a = tried % 3 == 0;
                INFO(name(t.a) << " x " << name(t.b) << ", m " << c.m << ", n " << c.n << ", warpgroups " << warpgroups
                               << (c.transpose_a ? ", A transposed" : ""));
                const Program p = register_product(c);
                trial::check_right(p, register_inputs(p));
                const auto lowered = required(lower(p));
                int found = 0;
                for (const Choice& choice : lowered->choices)
                    if (choice.schedule == "wgmma" && choice.detail.find("; a is in registers") != std::string::npos) ++found;
                CHECK(found == 1);
                products += found;
                ++tried;
            }
    CHECK(tried == 7 * 3);
    CHECK(products == tried);
}

TEST_CASE("the layout of A in registers is that of the fragments of each tile of 64 rows", "[target][nvidia]")
{
    const Layout d = warpgroup_accumulator_layout(machines::sm90, ExecutionScope{true, 0, 8, 1, 32}, {128, 64}, f32).value();
    for (const DType type : {f16, tf32, e4m3}) {
        const std::int64_t k = 32 / storage_bytes(type), depth = 3 * k;
        const Layout a = warpgroup_operand_layout(machines::sm90, d, f32, {128, 64}, depth, type).value();
        std::vector<Atom> of_a;
        for (const Atom& atom : machines::sm90.atoms)
            if (std::string(atom.operand) == "A" && std::string(atom.scope) == "warpgroup" && atom.dims[1] == k)
                of_a.push_back(atom);
        REQUIRE(of_a.size() == 1);
        for (std::int64_t i = 0; i < 128; ++i)
            for (std::int64_t l = 0; l < depth; ++l) {
                const Point here = evaluate(a, i * depth + l).value(), in = evaluate(of_a[0].layout(), i % 64 * k + l % k).value();
                REQUIRE(here["warp"] == i / 64 * 4 + in["warp"]);
                REQUIRE(here["lane"] == in["lane"]);
                REQUIRE(here["reg"] == l / k * (k / 2) + in["reg"]);
            }
    }
    CHECK(warpgroup_operand_layout(machines::sm90, d, f32, {128, 64}, 40, f16).error().text.find("K is 40, not a multiple of 16") !=
          std::string::npos);
    CHECK_FALSE(warpgroup_operand_layout(machines::sm80, d, f32, {128, 64}, 16, f16));
}

TEST_CASE("probabilities are in place for the next product where scores were", "[target][nvidia]")
{
    // What one product has written, rounded to f16, is A of the next one, without a move between lanes.
    const ExecutionScope group{true, 0, 4, 1, 32};
    const Layout s = warpgroup_accumulator_layout(machines::sm90, group, {64, 128}, f32).value(),
                 o = warpgroup_accumulator_layout(machines::sm90, group, {64, 64}, f32).value();
    CHECK(equal(s, warpgroup_operand_layout(machines::sm90, o, f32, {64, 64}, 128, f16).value()).yes());
}

TEST_CASE("registers of A are the product's until a wait, for reads too", "[target][nvidia]")
{
    Steps s;
    all_say(s, "sound", "");
    s.read_between = true;
    all_say(s, "race", "which the asynchronous product of statement");
    s.read_between = false;
    s.touch_between = true;
    all_say(s, "race", "which the asynchronous product of statement");
    s = {};
    s.write_after = true;
    all_say(s, "sound", "");
    s.wait = false;
    all_say(s, "race", "which the asynchronous product of statement");
    s = {};
    s.write_first = false;
    all_say(s, "uninitialized", "of a");
}

TEST_CASE("a product reads registers of A that were written behind the last fence of registers: a race", "[target][nvidia]")
{
    Steps s;
    s.write_after = true;
    s.fence = false;
    all_say(s, "race", "multiplies register 0 of a, without a fence of registers since its last access");
    s.write_after = false; // neither D nor A has been touched since the last fence
    s.wait = false;
    all_say(s, "sound", "");
    s = {};
    s.second = false;
    s.fence = false; // of the only product
    all_say(s, "race", "without a fence of registers since its last access");
}

TEST_CASE("A in registers in another layout is declined, with a reason", "[target][nvidia]")
{
    Kernel k("other", machines::sm90);
    const auto A = k.input("A", {64, 16}, f16), B = k.input("B", {32, 16}, f16), D = k.output("D", {64, 32}, f32);
    one_block(k, 4, [&](Scope cta) {
        const Axis warp{"warp"}, lane{"lane"}, reg{"reg"};
        const auto a =
            cta.alloc(Role::registers, {64, 16}, f16, Layout{{{4, 1, warp}, {16, 2, lane}, {2, 1, lane}, {8, 1, reg}}}, "a");
        const auto b = cta.alloc(Role::shared, {32, 16}, f16, conflict_free, "b");
        const auto d = cta.alloc(Role::accumulator, {64, 32}, f32,
                                 Layout{{{4, 1, warp}, {2, 2, reg}, {8, 4, lane}, {4, 4, reg}, {4, 1, lane}, {2, 1, reg}}}, "d");
        cta.copy(a, A).copy(b, B).sync();
        Options form;
        form.schedule = "wgmma";
        cta.gemm(d, a, b, {.accumulate = false, .transpose_b = true}, form);
        cta.copy(D, d);
    });
    const auto lowered = lower(trial::written(k));
    REQUIRE_FALSE(lowered);
    CHECK(lowered.error().text.find("a is in registers, and not as wgmma.mma_async.m64k16.A_reg takes it") != std::string::npos);
}
