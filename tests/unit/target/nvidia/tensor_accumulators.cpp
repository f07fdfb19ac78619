// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <axe/target/nvidia/tensor_accumulators.hpp>
#include <set>
#include <tests/one_block.hpp>
#include <tests/required.hpp>
#include <tests/unit/sim/kernels/trial.hpp>

/// Accumulators in tensor memory that a program says nothing of: where they are, and what becomes of their other uses.
namespace {

using namespace axe;
using enum DType;

/// What a kernel does with its sums besides multiplying into them.
using Finish = std::function<void(Scope, const TensorRef& sums, const TensorRef& c)>;

Program with_sums(std::int64_t m, std::int64_t n, int warps, const Finish& finish, bool async = false, DType out = f32)
{
    Kernel k("sums", machines::sm100);
    const auto A = k.input("A", {m, 64}, f16), B = k.input("B", {n, 64}, f16);
    const auto C = k.output("C", {m, n}, out);
    one_block(k, warps, [&](Scope cta) {
        const auto a = cta.alloc(Role::shared, {m, 64}, f16, conflict_free, "a");
        const auto b = cta.alloc(Role::shared, {n, 64}, f16, conflict_free, "b");
        const auto sums = cta.alloc(Role::accumulator, {m, n}, f32, accumulator, "sums");
        cta.copy(a, A).copy(b, B);
        if (async) cta.proxy_fence();
        cta.sync();
        cta.gemm(sums, a, b, {.accumulate = false, .transpose_b = true}, {.async = async});
        if (async) cta.wait_products();
        finish(cta, sums, C);
    });
    return trial::written(k);
}

Bindings small_numbers(std::int64_t m, std::int64_t n)
{
    Array a = Array::make({m, 64}, f16).value(), b = Array::make({n, 64}, f16).value();
    for (std::int64_t i = 0; i < a.size(); ++i) a.set(i, static_cast<double>(i * 5 % 9 - 4));
    for (std::int64_t i = 0; i < b.size(); ++i) b.set(i, static_cast<double>(i * 3 % 7 - 3));
    return trial::given({{"A", &a}, {"B", &b}});
}

/// The schedule of the product, and the first reason why it is not of tensor memory.
std::pair<std::string, std::string> product_of(const Program& p)
{
    const auto lowered = required(lower(p));
    for (const Choice& c : lowered->choices)
        if (c.schedule == "tcgen05" || c.schedule == "mma_sync" || c.schedule == "fma")
            return {c.schedule, c.declined.empty() ? "" : c.declined.front().second};
    return {};
}

} // namespace

TEST_CASE("accumulators in tensor memory are where products write them, and each warp loads lanes that it has", "[tensor_memory]")
{
    const Memory& memory = *find_memory(machines::sm100, "tmem");
    for (const auto& [first, count, lead, m, n] : {std::array<int, 5>{0, 4, 1, 128, 64},
                                                   {4, 4, 1, 256, 24},
                                                   {0, 8, 1, 128, 32},
                                                   {0, 4, 2, 128, 48},
                                                   {0, 4, 1, 64, 8},
                                                   {8, 8, 1, 192, 16},
                                                   {0, 4, 3, 64, 24},
                                                   {0, 12, 1, 384, 48}}) {
        INFO(first << " " << count << " " << lead << " " << m << " " << n);
        const Shape shape = lead == 1 ? Shape{m, n} : Shape{lead, m, n};
        const auto sums = tensor_accumulator_layout(memory, shape);
        const auto registers = tensor_register_layout(machines::sm100, ExecutionScope{true, first, count, 1, 32}, shape, f32);
        REQUIRE(sums);
        REQUIRE(registers);
        const std::int64_t rows = m % 128 == 0 ? 128 : 64;
        std::set<std::array<std::int64_t, 2>> places;
        std::set<std::array<std::int64_t, 3>> held;
        std::int64_t misplaced = 0;
        for (std::int64_t i = 0; i < lead * m; ++i)
            for (std::int64_t j = 0; j < n; ++j) {
                const auto at = evaluate(*sums, i * n + j), owner = evaluate(*registers, i * n + j);
                const std::int64_t lane = (*at)[Axis{"tlane"}], column = (*at)[Axis{"tcol"}], warp = (*owner)[Axis{"warp"}];
                misplaced += lane == tcgen05_lane(rows, 0, i % rows) && column == i / rows * n + j ? 0 : 1;
                misplaced += warp >= first && warp < first + count && warp % 4 == lane / 32 ? 0 : 1;
                places.insert({lane, column});
                held.insert({warp, (*owner)[Axis{"lane"}], (*owner)[Axis{"reg"}]});
            }
        CHECK(misplaced == 0);
        CHECK(static_cast<std::int64_t>(places.size()) == lead * m * n);
        CHECK(static_cast<std::int64_t>(held.size()) == lead * m * n);
    }
    CHECK(tensor_accumulator_layout(memory, {96, 8}).error().text ==
          "products into tensor memory have multiples of 64 rows, or of 32 rows and 64 columns; 96 x 8 elements are not such");
    const auto refused = [](int first, int count, const Shape& shape, DType type) {
        return tensor_register_layout(machines::sm100, ExecutionScope{true, first, count, 1, 32}, shape, type).error().text;
    };
    CHECK(refused(2, 4, {128, 8}, f32) ==
          "4 agents from 2 in steps of 1 run it; warpgroups are 4 neighbors, the first a multiple of 4");
    CHECK(refused(0, 8, {128, 9}, f32) == "warps take no equal parts of 128 x 9 elements from tensor memory");
    CHECK(refused(0, 4, {64, 8}, f16) == "warps take no equal parts of 64 x 8 elements from tensor memory");
}

TEST_CASE("what is filled, copied and mapped besides products goes through registers, exactly", "[tensor_memory]")
{
    const Finish store = [](Scope w, const TensorRef& sums, const TensorRef& c) { w.copy(c, sums); };
    const Finish halved = [](Scope w, const TensorRef& sums, const TensorRef& c) {
        w.unary(Function::neg, sums, sums).copy(c, sums);
    };
    const Finish again = [](Scope w, const TensorRef& sums, const TensorRef& c) { w.copy(c, sums).fill(sums, 3).copy(c, sums); };
    for (const auto& [m, n, warps] : {std::array<int, 3>{128, 32, 4}, {256, 16, 8}, {64, 24, 4}})
        for (const Finish& finish : {store, halved, again})
            for (const bool async : {false, true}) {
                INFO(m << " x " << n << (async ? ", asynchronous" : ""));
                const Program p = with_sums(m, n, warps, finish, async);
                CHECK(product_of(p).first == "tcgen05");
                const Bindings in = small_numbers(m, n), out = trial::ran(p, in);
                const Verification v = trial::verified(p, in, out, Against::program);
                INFO(v.text());
                CHECK(v.ok());
            }
    const Program rounded = with_sums(128, 32, 4, store, false, f16);
    CHECK(product_of(rounded).first == "tcgen05");
    const Bindings in = small_numbers(128, 32);
    CHECK(trial::verified(rounded, in, trial::ran(rounded, in), Against::program).ok());
}

TEST_CASE("accumulators with other uses stay in registers, and the product says why", "[tensor_memory]")
{
    const Finish part = [](Scope w, const TensorRef& sums, const TensorRef& c) {
        w.copy(c(Interval(0, 64), all), sums(Interval(0, 64), all)).copy(c(Interval(64, 64), all), sums(Interval(64, 64), all));
    };
    const Finish with_another = [](Scope w, const TensorRef& sums, const TensorRef& c) {
        const auto more = w.alloc(Role::accumulator, {128, 32}, f32, accumulator, "more");
        w.fill(more, 1).binary(Function::add, sums, sums, more).copy(c, sums);
    };
    for (const Finish& finish : {part, with_another}) {
        const Program p = with_sums(128, 32, 4, finish);
        const auto [schedule, why] = product_of(p);
        CHECK(schedule == "mma_sync");
        CHECK(why == "sums is in reg; D must be in tensor memory, without a guard");
        const Bindings in = small_numbers(128, 32);
        CHECK(trial::verified(p, in, trial::ran(p, in), Against::program).ok());
    }
}

TEST_CASE("only as many accumulators move to tensor memory as have room there", "[tensor_memory]")
{
    Kernel k("many", machines::sm100);
    const auto A = k.input("A", {128, 64}, f16), B = k.input("B", {256, 64}, f16), C = k.output("C", {3, 128, 256}, f32);
    one_block(k, 8, [&](Scope cta) {
        const auto a = cta.alloc(Role::shared, {128, 64}, f16, conflict_free, "a");
        const auto b = cta.alloc(Role::shared, {256, 64}, f16, conflict_free, "b");
        cta.copy(a, A).copy(b, B).sync();
        for (int i = 0; i < 3; ++i)
            cta.warps(0, 8, [&](Scope w) {
                const auto sums = w.alloc(Role::accumulator, {128, 256}, f32, accumulator, "sums" + std::to_string(i));
                w.gemm(sums, a, b, {.accumulate = false, .transpose_b = true}).copy(C(i, all, all), sums);
            });
    });
    const Program p = trial::written(k);
    const auto lowered = required(lower(p));
    std::string products;
    for (const Choice& c : lowered->choices)
        if (c.schedule == "tcgen05" || c.schedule == "mma_sync") products += c.schedule + " ";
    CHECK(products == "tcgen05 tcgen05 mma_sync ");
}
