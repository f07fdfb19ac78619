// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/target/nvidia/atoms/tcgen05.hpp>
#include <axe/target/nvidia/schedules/tcgen05_hints.hpp>
#include <axe/target/nvidia/tcgen05/instruction_descriptor.hpp>
#include <tests/one_block.hpp>
#include <tests/required.hpp>
#include <tests/turns.hpp>
#include <tests/unit/sim/kernels/trial.hpp>
#include <tests/unit/target/nvidia/tensor_products.hpp>

using namespace axe;
using enum DType;

/// Products with `.ws`: tiles of 32, 64 and 128 rows whose sums have all lanes of tensor memory.
namespace {

const Axis wstlane{"tlane"}, wstcol{"tcol"}, wswarp{"warp"}, wslane{"lane"}, wsreg{"reg"};

struct WsProduct {
    DType a = f16, b = f16, sums = f32;
    std::int64_t m = 32, n = 64, k = 64;
    Scope::Gemm form{};
    bool hinted = false;                ///< `accumulator`, or by a layout
    std::int64_t copies = 0, apart = 0; ///< of A in tensor memory; 0: it is in shared memory
    bool twice = false;                 ///< and the other sums of `tcgen05` between, or the same again
    const char* schedule = "tcgen05_ws";
    const char* other = "tcgen05_ws";
    enum class Touch { no, unwritten, in_flight } touches_a = Touch::no;
};

/// Row r of part p of the columns is in lane r + m·p.
Layout ws_sums(const WsProduct& f)
{
    const std::int64_t parts = 128 / f.m, step = f.sums == f16 ? 2 : 1;
    return Layout{{{f.m, 1, wstlane}, {parts, f.m, wstlane}, {f.n / parts, step, wstcol}}};
}
Layout ws_registers(const WsProduct& f)
{
    const std::int64_t parts = 128 / f.m, warps = f.m / 32;
    return Layout{{{warps, 1, wswarp}, {32, 1, wslane}, {parts, warps, wswarp}, {f.n / parts, 1, wsreg}}};
}

/// A in tensor memory, with a copy for each part of D's columns.
WsProduct with_a_in_tensors(WsProduct f)
{
    f.copies = 128 / f.m, f.apart = f.m;
    return f;
}

Program ws_program(const WsProduct& f)
{
    const int bytes = storage_bytes(f.a);
    Kernel k("ws", machines::sm100);
    const auto A = k.input("A", {f.m, f.k}, f.a), B = k.input("B", {f.n, f.k}, f.b), D = k.output("D", {f.m, f.n}, f.sums);
    one_block(k, 4, [&](Scope cta) {
        const auto a =
            cta.alloc(Role::shared, {f.m, f.k}, f.a, tensor_products::in_patterns(f.m, f.k, f.copies > 0 ? 0 : 128, bytes), "a");
        const auto b = cta.alloc(Role::shared, {f.n, f.k}, f.b, tensor_products::in_patterns(f.n, f.k, 128, bytes), "b");
        const auto d = f.hinted ? cta.alloc("tmem", {f.m, f.n}, f.sums, accumulator, "d")
                                : cta.alloc("tmem", {f.m, f.n}, f.sums, ws_sums(f), "d");
        const auto r = f.hinted ? cta.alloc(Role::registers, {f.m, f.n}, f.sums, accumulator, "r")
                                : cta.alloc(Role::registers, {f.m, f.n}, f.sums, ws_registers(f), "r");
        cta.copy(a, A).copy(b, B).fill(r, 2).copy(d, r);
        std::optional<TensorRef> at;
        if (f.copies > 0) {
            Layout rows{{{f.m, 1, wstlane}, {f.k, 1, wstcol}}};
            if (f.copies > 1) rows.replica.push_back({f.copies, f.apart, wstlane});
            at = cta.alloc("tmem", {f.m, f.k}, f.a, rows, "at");
            if (f.touches_a != WsProduct::Touch::unwritten) cta.copy(*at, a);
        }
        const ViewRef left = at ? ViewRef(*at) : ViewRef(a);
        Scope::Gemm form = f.form;
        form.transpose_b = true;
        Options options;
        if (!f.hinted) options.schedule = f.schedule;
        if (!f.twice) {
            cta.gemm(d, left, b, form, options).copy(r, d).copy(D, r);
            return;
        }
        options.async = true;
        cta.warps(0, 1, [](Scope w) { w.mbarrier({Mbarrier::Action::init, 0, 1, {}}); });
        cta.tensor_fence_before().proxy_fence().sync().tensor_fence_after();
        cta.gemm(d, left, b, form, options);
        options.schedule = f.other;
        if (f.touches_a == WsProduct::Touch::in_flight) cta.copy(*at, a);
        cta.gemm(d, left, b, form, options);
        cta.warps(0, 1, [](Scope w) { w.mbarrier({Mbarrier::Action::commit, 0, 0, {}}); });
        cta.mbarrier({Mbarrier::Action::wait, 0, 0, 0}).tensor_fence_after().copy(r, d).copy(D, r);
    });
    return trial::written(k);
}

double ws_left(std::int64_t i) { return static_cast<double>(i * 7 % 11 - 5); }
double ws_right(std::int64_t i) { return static_cast<double>(i * 5 % 13 - 6); }
Bindings ws_inputs(const WsProduct& f)
{
    Bindings out;
    Array a = Array::make({f.m, f.k}, f.a).value(), b = Array::make({f.n, f.k}, f.b).value();
    for (std::int64_t i = 0; i < a.size(); ++i) a.set(i, f.a == u8 ? ws_left(i) + 5 : ws_left(i));
    for (std::int64_t i = 0; i < b.size(); ++i) b.set(i, ws_right(i));
    out.set("A", std::move(a));
    out.set("B", std::move(b));
    return out;
}
double ws_sum(const WsProduct& f, const Bindings& in, std::int64_t i, std::int64_t j)
{
    const Array &a = *in.find("A"), &b = *in.find("B");
    double sum = 0;
    for (std::int64_t l = 0; l < f.k; ++l) sum += a.at(i * f.k + l) * b.at(j * f.k + l);
    return sum;
}
std::string ws_problem(const WsProduct& f)
{
    const auto lowered = lower(ws_program(f));
    return lowered ? std::string() : lowered.error().text;
}

} // namespace

TEST_CASE("products with ws: sizes and lanes of D as in PTX's layouts D, E and G", "[nvidia][ws]")
{
    std::int64_t sizes = 0;
    for (std::int64_t m = 0; m <= 256; ++m)
        for (std::int64_t n = 0; n <= 512; ++n) sizes += is_tcgen05_ws_tile(m, n) ? 1 : 0;
    CHECK(sizes == 9);
    struct Named {
        const AtomHead& head;
        std::int64_t m;
    };
    for (const Named& named : {Named{atoms::nvidia_tcgen05::layout_d, 128},
                               {atoms::nvidia_tcgen05::layout_e, 64},
                               {atoms::nvidia_tcgen05::layout_g, 32}}) {
        int found = 0;
        for (const Atom& atom : atoms::nvidia_tcgen05::rows) {
            if (std::string(atom.name) != named.head.name) continue;
            ++found;
            for (std::int64_t i = 0; i < named.m; ++i)
                for (std::int64_t j = 0; j < 64; ++j) {
                    const auto at = evaluate(atom.layout(), i * 64 + j);
                    const std::int64_t wide = 64 / tcgen05_ws_parts(named.m);
                    REQUIRE((*at)[Axis{"tlane"}] == tcgen05_ws_lane(named.m, i, j / wide));
                    REQUIRE((*at)[Axis{"tcol"}] == j % wide);
                }
        }
        CHECK(found == 1);
    }
    const Tcgen05Descriptor least{f32, f16, f16, 32, 64};
    CHECK(least.exists());
    CHECK((least.bits() >> 24 & 31) == 2);
    CHECK_FALSE(Tcgen05Descriptor{f32, f16, f16, 32, 72}.exists());
}

TEST_CASE("products with ws: all sizes, of all kinds, in all orders", "[nvidia][ws]")
{
    struct Types {
        DType a, b, sums;
    };
    for (const Types& t : {Types{f16, f16, f32},
                           {bf16, bf16, f32},
                           {tf32, tf32, f32},
                           {e4m3, e4m3, f32},
                           {e5m2, e2m1, f32},
                           {f16, f16, f16},
                           {i8, i8, i32},
                           {u8, i8, i32}})
        for (const std::int64_t m : {32, 64, 128})
            for (const std::int64_t n : {64, 128, 256}) {
                if ((n > 64 && t.a != f16) || m * n > 128 * 128) continue; // registers of four warps hold no more
                WsProduct f;
                f.a = t.a, f.b = t.b, f.sums = t.sums, f.m = m, f.n = n, f.k = 128 / storage_bytes(t.a);
                f.form.accumulate = n != 128;
                CAPTURE(name(t.a), name(t.sums), m, n);
                const Program lowered = lower(ws_program(f)).value().program;
                CHECK(print(lowered).find("tcgen05.mma.ws.cta_group::1.kind::") != std::string::npos);
                const Bindings in = ws_inputs(f);
                tensor_products::check_in_orders(
                    lowered, in, m, n,
                    [&](std::int64_t i, std::int64_t j) { return (f.form.accumulate ? 2 : 0) + ws_sum(f, in, i, j); },
                    m == 32 && n == 64);
            }
}

TEST_CASE("products with ws: A in tensor memory, with a copy for each part of the columns", "[nvidia][ws]")
{
    // Each copy of A is one of a data path: of 64 rows two, of 32 rows four, which tcgen05.cp writes at once.
    for (const std::int64_t m : {32, 64, 128})
        for (const std::int64_t parts = tcgen05_ws_parts(m); const std::int64_t lane : {1, 512}) {
            const std::vector<std::int64_t> copies = tcgen05_operand_copies(m, parts, lane);
            REQUIRE(static_cast<std::int64_t>(copies.size()) == parts);
            for (std::int64_t part = 0; part < parts; ++part)
                CHECK(copies[static_cast<std::size_t>(part)] == (tcgen05_ws_lane(m, 0, part) - tcgen05_ws_lane(m, 0, 0)) * lane);
        }
    struct Types {
        DType a, b, sums;
    };
    for (const Types& t :
         {Types{f16, f16, f32}, {tf32, tf32, f32}, {e4m3, e5m2, f32}, {bf16, bf16, f32}, {f16, f16, f16}, {u8, i8, i32}})
        for (const std::int64_t m : {32, 64, 128})
            for (const std::int64_t n : {64, 128}) {
                if (n > 64 && (t.a != f16 || m == 128)) continue;
                WsProduct f;
                f.a = t.a, f.b = t.b, f.sums = t.sums, f.m = m, f.n = n, f.k = 128 / storage_bytes(t.a);
                f.form.negate_a = n == 128;
                f = with_a_in_tensors(f);
                CAPTURE(name(t.a), name(t.sums), m, n);
                const Program lowered = lower(ws_program(f)).value().program;
                const std::string text = print(lowered);
                CHECK(text.find("tcgen05.mma.ws.cta_group::1.kind::") != std::string::npos);
                CHECK(text.find(m == 64   ? "tcgen05.cp.cta_group::1.64x128b.warpx2::02_13"
                                : m == 32 ? "tcgen05.cp.cta_group::1.32x128b.warpx4"
                                          : "tcgen05.cp.cta_group::1.128x") != std::string::npos);
                const Bindings in = ws_inputs(f);
                tensor_products::check_in_orders(
                    lowered, in, m, n,
                    [&](std::int64_t i, std::int64_t j) { return 2 + (f.form.negate_a ? -1 : 1) * ws_sum(f, in, i, j); },
                    m == 32 && n == 64);
            }
}

TEST_CASE("products with ws: each copy of A in tensor memory is read until the product is complete", "[nvidia][ws]")
{
    using Touch = WsProduct::Touch;
    for (const std::int64_t m : {32, 64})
        for (const Touch touch : {Touch::no, Touch::unwritten, Touch::in_flight}) {
            WsProduct f;
            f.m = m, f.twice = true, f.touches_a = touch;
            f = with_a_in_tensors(f);
            const Program lowered = lower(ws_program(f)).value().program;
            const Bindings in = ws_inputs(f);
            turns::each([&](const sim::RunOptions& options) {
                const auto report = required(sim::run(lowered, in, options));
                CAPTURE(m, static_cast<int>(touch), report->fault.text);
                CHECK(report->fault.kind == (touch == Touch::no          ? sim::FaultKind::none
                                             : touch == Touch::unwritten ? sim::FaultKind::uninitialized
                                                                         : sim::FaultKind::race));
            });
        }
    // By hand: an instruction whose A has other copies than the parts of D.
    WsProduct f;
    f.touches_a = Touch::unwritten;
    f = with_a_in_tensors(f);
    Program p = lower(ws_program(f)).value().program;
    for (ProgramTensor& t : p.tensors)
        if (t.name == "at") t.layout.layout.replica = {{2, 64, wstlane}};
    const auto report = sim::run(p, ws_inputs(f));
    const std::string said = report ? report->fault.text : report.error().text;
    CHECK_THAT(said, Catch::Contains("at does not have"));
}

TEST_CASE("products with ws: accumulators of 32 and 96 rows are laid out for them, and registers for their loads", "[nvidia][ws]")
{
    for (const std::int64_t m : {32, 96})
        for (const std::int64_t n : {64, 128, 192, 512}) {
            WsProduct f;
            f.m = m, f.n = n, f.k = 64, f.hinted = true;
            CAPTURE(m, n);
            if (m * n > 128 * 200) continue; // registers of four warps hold no more
            const Bindings in = ws_inputs(f);
            const Program lowered = lower(ws_program(f)).value().program;
            CHECK(print(lowered).find("tcgen05.mma.ws.") != std::string::npos);
            CHECK(print(lowered).find("tcgen05.ld.sync.aligned.32x32b.x") != std::string::npos);
            tensor_products::check_in_orders(
                lowered, in, m, n, [&](std::int64_t i, std::int64_t j) { return 2 + ws_sum(f, in, i, j); }, false);
        }
}

TEST_CASE("products with ws: two into the same sums are in order, one with ws and one without are not", "[nvidia][ws]")
{
    for (const bool mixed : {false, true}) {
        WsProduct f;
        f.m = 128, f.twice = true, f.other = mixed ? "tcgen05" : "tcgen05_ws";
        const Bindings in = ws_inputs(f);
        const Program lowered = lower(ws_program(f)).value().program;
        turns::each([&](const sim::RunOptions& options) {
            const auto report = required(sim::run(lowered, in, options));
            INFO(report->fault.text);
            CHECK(report->fault.kind == (mixed ? sim::FaultKind::race : sim::FaultKind::none));
            if (!mixed) CHECK(report->outputs.find("D")->at(65) == 2 + 2 * ws_sum(f, in, 1, 1));
        });
    }
}

TEST_CASE("products with ws: what is not there", "[nvidia][ws]")
{
    WsProduct narrow;
    narrow.n = 32;
    CHECK_THAT(ws_problem(narrow), Catch::Contains("32 x 32 is not made of tiles of 32 rows"));
    WsProduct without;
    without.schedule = "tcgen05";
    CHECK_THAT(ws_problem(without), Catch::Contains("tcgen05: 32 x 64 is not made of tiles of 128 rows"));
    WsProduct kept;
    kept.form.kept_rows = {1};
    CHECK_THAT(ws_problem(kept), Catch::Contains("tcgen05_ws keeps no rows of D"));
    WsProduct scaled;
    scaled.form.scale_d = 1;
    CHECK_THAT(ws_problem(scaled), Catch::Contains("tcgen05_ws does not scale D"));
    CHECK(tensor_accumulator_layout(*find_memory(machines::sm100, "tmem"), {32, 32}).error().text ==
          "products into tensor memory have multiples of 64 rows, or of 32 rows and 64 columns; 32 x 32 elements are not such");
    WsProduct few;
    few.touches_a = WsProduct::Touch::unwritten;
    few = with_a_in_tensors(few);
    few.copies = 1;
    CHECK_THAT(ws_problem(few),
               Catch::Contains("at does not have its rows as often as the product reads them, which is 4 times, 32 lanes apart"));
    const auto left_said = [](const char* memory, const Layout& rows) {
        Kernel k("left", machines::sm100);
        one_block(k, 4, [&](Scope cta) {
            const auto a = cta.alloc(memory, {64, 16}, f16, rows, "a");
            const auto b = cta.alloc(Role::shared, {64, 16}, f16, tensor_products::in_patterns(64, 16, 0, 2), "b");
            const Layout half{{{4, 32, wstlane}, {16, 1, wstlane}, {64, 1, wstcol}}};
            Options options;
            options.schedule = "tcgen05";
            cta.gemm(cta.alloc("tmem", {64, 64}, f32, half, "d"), a, b, {.accumulate = false, .transpose_b = true}, options);
        });
        return lower(trial::written(k)).error().text;
    };
    Layout once{{{4, 32, wstlane}, {16, 1, wstlane}, {16, 1, wstcol}}};
    once.replica.push_back({2, 16, wstlane});
    CHECK_THAT(left_said("tmem", once), Catch::Contains("a has several copies of its rows; the product reads one"));
    CHECK_THAT(left_said("reg", Layout{{{2, 1, wswarp}, {32, 1, wslane}, {16, 1, wsreg}}}),
               Catch::Contains("A must be in shared memory or in tensor memory, without a guard"));
    // Instructions by hand: more parameters, and of a pair.
    const auto changed = [](auto change) {
        WsProduct f;
        Program p = lower(ws_program(f)).value().program;
        for_each_statement(p.body, [&](Statement& s) {
            if (auto* i = std::get_if<Instruction>(&s.what); i != nullptr && i->opcode == std::string("tcgen05_mma_ws")) change(*i);
        });
        const auto report = sim::run(p, ws_inputs(f));
        return report ? report->fault.text : report.error().text;
    };
    CHECK(changed([](Instruction&) {}).empty());
    CHECK_THAT(changed([](Instruction& i) { i.parameters = {1, 0, 0, 1, 0, 0, 0}; }),
               Catch::Contains("products with .ws neither scale D nor keep lanes"));
    CHECK_THAT(changed([](Instruction& i) { i.pair = true; }), Catch::Contains("of one block"));
    CHECK_THAT(changed([](Instruction& i) { i.opcode = "tcgen05_mma"; }), Catch::Contains("no product has a tile of 32 x 64"));
}
