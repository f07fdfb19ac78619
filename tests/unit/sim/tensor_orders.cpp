// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/catch.hpp>
#include <tests/required.hpp>

#include <axe/kernels.hpp>
#include <axe/text/literals.hpp>
#include <set>

using namespace axe;
using namespace axe::literals;
using enum axe::DType;
using sim::RunOrder;

/// Orders of a run with operations on tensor memory, and with copies whose bytes another block counts. What tells orders apart are programs
/// that lack a wait, run without checks.
namespace {

using Act = Mbarrier::Action;

Program lowered_program(const Kernel& k)
{
    auto lowered = required(lower(k.program().value()));
    return std::move(lowered->program);
}

sim::Report report_in_order(const Program& program, const Bindings& inputs, RunOrder order, sim::Level level = sim::Level::fast,
                            std::uint64_t seed = 0)
{
    sim::RunOptions options;
    options.level = level;
    options.order = order;
    options.seed = seed;
    auto report = sim::run(program, inputs, options);
    INFO((report ? report->fault.text : report.error().text));
    REQUIRE(report.has_value());
    return std::move(*report);
}

/// Small numbers: of A, 128 x 64, and of B, 16 x 64, of which the products are exact.
Bindings factors()
{
    Bindings out;
    for (const auto& [name, rows] : {std::pair{"A", 128}, {"B", 16}}) {
        Array a = Array::make({rows, 64}, f16).value();
        for (std::int64_t i = 0; i < a.size(); ++i) a.set(i, static_cast<double>(i * 7 % 11 - 5));
        out.set(name, std::move(a));
    }
    return out;
}
double product_at(const Bindings& in, std::int64_t i, std::int64_t j)
{
    double sum = 0;
    for (std::int64_t k = 0; k < 64; ++k) sum += in.find("A")->at(i * 64 + k) * in.find("B")->at(j * 64 + k);
    return sum;
}

/// Four warps with the factors in shared memory and sums in tensor memory that are −1; `body` gets them, and what takes the sums to a slice
/// of D, [2, 128, 16].
using Take = std::function<void(int)>;
Program with_sums(const std::function<void(Scope, const TensorRef&, const TensorRef&, const TensorRef&, const Take&)>& body)
{
    Kernel k("tensor_orders", machines::sm100);
    const auto A = k.input("A", {128, 64}, f16), B = k.input("B", {16, 64}, f16);
    const auto D = k.output("D", {2, 128, 16}, f32);
    k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
        const auto a = cta.alloc(Role::shared, {128, 64}, f16, conflict_free, "a"),
                   b = cta.alloc(Role::shared, {16, 64}, f16, conflict_free, "b");
        const auto sums = cta.alloc("tmem", {128, 16}, f32, accumulator, "sums");
        const auto r = cta.alloc(Role::registers, {128, 16}, f32, accumulator, "r");
        cta.warps(0, 1, [&](Scope w) { w.mbarrier({Act::init, 0, 1, {}}); });
        cta.copy(a, A).copy(b, B).fill(r, -1).copy(sums, r).proxy_fence().tensor_fence_before().sync().tensor_fence_after();
        body(cta, a, b, sums, [&](int slice) { cta.copy(r, sums).copy(D(slice, all, all), r); });
    });
    return lowered_program(k);
}

/// D(0) before a wait and D(1) after it, in each order: the latter is the product, the former that, too, or −1 in `late` and `reversed`.
void check_moves(const Program& program)
{
    const Bindings in = factors();
    for (const RunOrder order : sim::all_run_orders) {
        CAPTURE(name(order));
        const sim::Report moved = report_in_order(program, in, order);
        const Array& D = *moved.outputs.find("D");
        for (const auto& [i, j] : {std::pair{0, 0}, {77, 3}, {127, 15}}) {
            const double early = D.at(i * 16 + j), right = product_at(in, i, j);
            CHECK(D.at(128 * 16 + i * 16 + j) == right);
            if (order == RunOrder::random) continue; // it may be between products, too
            CHECK(early == (order == RunOrder::late || order == RunOrder::reversed ? -1 : right));
        }
    }
    std::set<double> found;
    for (std::uint64_t seed = 0; seed < 16; ++seed)
        found.insert(report_in_order(program, in, RunOrder::random, sim::Level::fast, seed).outputs.find("D")->at(0));
    CHECK(found.count(-1) + found.count(product_at(in, 0, 0)) == 2);
    // With checks each order finds the race.
    for (const RunOrder order : sim::all_run_orders) {
        const sim::Report report = report_in_order(program, in, order, sim::Level::full);
        INFO(report.fault.text);
        CHECK(report.fault.kind == sim::FaultKind::race);
    }
}

} // namespace

TEST_CASE("orders: a product into tensor memory adds at its start, or when a wait for its phase needs it", "[sim][orders]")
{
    check_moves(with_sums([](Scope cta, const TensorRef& a, const TensorRef& b, const TensorRef& sums, const Take& take) {
        cta.warps(0, 1, [&](Scope w) { w.gemm(sums, a, b, {.accumulate = false, .transpose_b = true}, {.completes_on = 0}); });
        take(0);
        cta.sync().mbarrier({Act::wait, 0, 0, 0}).tensor_fence_after();
        take(1);
    }));
}

TEST_CASE("orders: products that follow each other are done in order, at a commit that comes after them", "[sim][orders]")
{
    check_moves(with_sums([](Scope cta, const TensorRef& a, const TensorRef& b, const TensorRef& sums, const Take& take) {
        cta.warps(0, 1, [&](Scope w) {
            const auto part = [&](int first, bool onto) {
                const Interval s(first, 16);
                w.gemm(sums, a(all, s), b(all, s), {.accumulate = onto, .transpose_b = true}, {.async = true});
            };
            part(0, false);
            for (int first = 16; first < 64; first += 16) part(first, true);
            w.mbarrier({Act::commit, 0, 0, {}});
        });
        take(0);
        cta.sync().mbarrier({Act::wait, 0, 0, 0}).tensor_fence_after();
        take(1);
    }));
}

TEST_CASE("orders: a product into tensor memory is done at the latest at a wait for products", "[sim][orders]")
{
    check_moves(with_sums([](Scope cta, const TensorRef& a, const TensorRef& b, const TensorRef& sums, const Take& take) {
        cta.warps(0, 1, [&](Scope w) { w.gemm(sums, a, b, {.accumulate = false, .transpose_b = true}, {.async = true}); });
        take(0);
        cta.sync().warps(0, 1, [&](Scope w) { w.wait_products().tensor_fence_before(); });
        cta.sync().tensor_fence_after();
        take(1);
    }));
}

TEST_CASE("orders: a store to tensor memory has read its registers when it starts, and writes at its wait at the latest",
          "[sim][orders]")
{
    Kernel k("store", machines::sm100);
    const auto D = k.output("D", {2, 128, 16}, f32);
    k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
        const auto t = cta.alloc("tmem", {128, 16}, f32, accumulator, "t");
        const auto r = cta.alloc(Role::registers, {128, 16}, f32, accumulator, "r"),
                   seen = cta.alloc(Role::registers, {128, 16}, f32, accumulator, "seen");
        cta.fill(r, 1).copy(t, r).fill(r, 2).copy_async(t, r).fill(r, 3);
        cta.copy_async(seen, t).wait_tensor_loads().copy(D(0, all, all), seen);
        cta.wait_tensor_stores().copy(seen, t).copy(D(1, all, all), seen);
    });
    const Program program = lowered_program(k);
    for (const RunOrder order : sim::all_run_orders) {
        CAPTURE(name(order));
        const sim::Report moved = report_in_order(program, {}, order);
        const Array& D2 = *moved.outputs.find("D");
        for (const int i : {0, 500, 2047}) {
            CHECK(D2.at(2048 + i) == 2);
            if (order != RunOrder::random) CHECK(D2.at(i) == (order == RunOrder::late || order == RunOrder::reversed ? 1 : 2));
        }
        CHECK(report_in_order(program, {}, order, sim::Level::full).fault.kind == sim::FaultKind::race);
    }
}

TEST_CASE("orders: a copy from shared to tensor memory is before the product that reads it, and after what comes before",
          "[sim][orders]")
{
    // The sums are brought by a copy; the product adds to them without a wait between; then shared memory is written again.
    Kernel k("copy", machines::sm100);
    const auto A = k.input("A", {128, 64}, f16), B = k.input("B", {16, 64}, f16);
    const auto D = k.output("D", {128, 16}, f32);
    k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
        const auto a = cta.alloc(Role::shared, {128, 64}, f16, conflict_free, "a"),
                   b = cta.alloc(Role::shared, {16, 64}, f16, conflict_free, "b");
        const auto s = cta.alloc(Role::shared, {128, 8}, f32, "swizzle<1,4,3>/4((128,8):(8,1))"_swizzled, "s");
        const auto sums = cta.alloc("tmem", {128, 16}, f32, accumulator, "sums");
        const auto r = cta.alloc(Role::registers, {128, 16}, f32, accumulator, "r");
        cta.warps(0, 1, [&](Scope w) { w.mbarrier({Act::init, 0, 1, {}}); });
        cta.copy(a, A).copy(b, B).fill(s, 1000).proxy_fence().sync();
        cta.warps(0, 1, [&](Scope w) {
            for (const int first : {0, 8}) w.copy_async(sums(all, Interval(first, 8)), s);
            w.gemm(sums, a, b, {.transpose_b = true}, {.completes_on = 0});
        });
        cta.mbarrier({Act::wait, 0, 0, 0}).tensor_fence_after();
        cta.fill(s, 7).copy(r, sums).copy(D, r);
    });
    const Program program = lowered_program(k);
    const Bindings in = factors();
    for (const sim::Level level : {sim::Level::fast, sim::Level::full})
        for (const RunOrder order : sim::all_run_orders)
            for (std::uint64_t seed = 0; seed < (order == RunOrder::random ? 10 : 1); ++seed) {
                const sim::Report report = report_in_order(program, in, order, level, seed);
                INFO(name(order) << ": " << report.fault.text);
                REQUIRE(report.ok());
                for (const auto& [i, j] : {std::pair{0, 0}, {77, 3}, {127, 15}})
                    CHECK(report.outputs.find("D")->at(i * 16 + j) == 1000 + product_at(in, i, j));
            }
}

TEST_CASE("orders: a copy whose bytes another block counts arrives at its start, or when a wait there needs it", "[sim][orders]")
{
    // The second block brings a tile; the first one waits for it, and tells.
    Kernel k("pair", machines::sm100);
    const auto A = k.input("A", {2, 32}, f32), D = k.output("D", {2, 2, 32}, f32);
    k.cta(
        tiles(Shape{2}, Shape{1}), {{2}},
        [&](Scope cta, const Tile& t) {
            const auto s = cta.alloc(Role::shared, {32}, f32, {}, "s");
            cta.fill(s, -1).proxy_fence().mbarrier({Act::init, 0, 1, {}}).cluster_sync();
            cta.copy_async(s, A(t.rank, all), {.completes_on = 0, .pair = true});
            cta.copy(D(0, t.rank, all), s).cluster_sync();
            cta.when(equals(t.rank, 0), [&] { cta.mbarrier({Act::expect_bytes, 0, 256, {}}).mbarrier({Act::wait, 0, 0, 0}); });
            cta.cluster_sync().copy(D(1, t.rank, all), s);
        },
        1);
    const Program program = lowered_program(k);
    Bindings in;
    Array a = Array::make({2, 32}, f32).value();
    for (std::int64_t i = 0; i < 64; ++i) a.set(i, static_cast<double>(i));
    in.set("A", std::move(a));
    for (const RunOrder order : sim::all_run_orders) {
        CAPTURE(name(order));
        const sim::Report moved = report_in_order(program, in, order);
        const Array& D2 = *moved.outputs.find("D");
        for (int i = 0; i < 64; ++i) {
            CHECK(D2.at(64 + i) == i);
            if (order != RunOrder::random) CHECK(D2.at(i) == (order == RunOrder::late || order == RunOrder::reversed ? -1 : i));
        }
        CHECK(report_in_order(program, in, order, sim::Level::full).fault.kind == sim::FaultKind::race);
    }
}
