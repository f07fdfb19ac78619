// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/defects/harness.hpp>
#include <tests/defects/phases.hpp>

/// Columns of tensor memory that a block asks for and gives back.
namespace {

using namespace defects;

enum class ColumnsSlip {
    asked_for_late,
    asked_for_without_barrier,
    not_in_columns,
    given_back_early,
    given_back_in_flight,
    accessed_after,
    not_given_back,
    given_back_twice,
    given_back_unasked,
    asked_after_relinquished,
    relinquished_beside,
    asked_twice,
    more_than_before,
    more_than_there_are,
    stale_sums,
    none
};

constexpr std::int64_t columns_depth = 64, columns_n = 16, columns_rows = 128;
double columns_left(std::int64_t i) { return static_cast<double>(i * 7 % 11 - 5); }
double columns_right(std::int64_t i) { return static_cast<double>(i * 5 % 13 - 6); }
double columns_product(std::int64_t at)
{
    double sum = 0;
    for (std::int64_t k = 0; k < columns_depth; ++k)
        sum += columns_left(at / columns_n * columns_depth + k) * columns_right(at % columns_n * columns_depth + k);
    return sum;
}

/// C = A·Bᵀ, 128 × 16 × 64: warp 4 asks for the columns of the sums, multiplies, and gives them back when warps 0 to 3 have taken the sums.
Pair columns_kernel(ColumnsSlip slip)
{
    Pair p{machines::sm100, {}, {{"A", columns_left}, {"B", columns_right}}, {{"C", columns_product}}};
    p.write = [slip](Kernel& k, bool defect, Marks& marks) {
        const auto is = [&](ColumnsSlip s) { return defect && s == slip; };
        const auto A = k.input("A", {columns_rows, columns_depth}, f16), B = k.input("B", {columns_n, columns_depth}, f16),
                   C = k.output("C", {columns_rows, columns_n}, f32);
        one_block(k, 5, [&](Scope cta) {
            const auto address = cta.alloc(Role::shared, {2}, i32, {}, "address");
            const auto a =
                cta.alloc(Role::shared, {columns_rows, columns_depth}, f16, "swizzle<3,4,3>/2((128,64):(64,1))"_swizzled, "a");
            const auto b =
                cta.alloc(Role::shared, {columns_n, columns_depth}, f16, "swizzle<3,4,3>/2((16,64):(64,1))"_swizzled, "b");
            const auto sums = cta.alloc("tmem", {columns_rows, columns_n}, f32, "(128,16):(1@tlane,1@tcol)"_axe, "sums");
            const auto more = cta.alloc("tmem", {columns_rows, columns_n}, f32, "(128,16):(1@tlane,1@tcol)"_axe, "more");
            const auto d = cta.alloc(Role::registers, {columns_rows, columns_n}, f32, "(4,32,16):(1@warp,1@lane,1@reg)"_axe, "d");
            const ViewRef here = address(Interval(0, 1)), there = address(Interval(1, 1));
            int asked = -1, product = -1, load = -1;
            const auto ask = [&](Scope w) {
                asked = next(k);
                const bool all = slip == ColumnsSlip::more_than_there_are;
                w.allocate_columns(0, all ? 512 : 32, here,
                                   is(ColumnsSlip::not_in_columns) ? std::vector<ViewRef>{more} : std::vector<ViewRef>{sums});
            };
            cta.copy(a, A).copy(b, B);
            cta.warps(4, 1, [&](Scope w) {
                w.mbarrier(init(0, 1));
                if (!is(ColumnsSlip::asked_for_late) && slip != ColumnsSlip::asked_for_without_barrier) ask(w);
                if (is(ColumnsSlip::asked_twice)) {
                    marks = {next(k), asked};
                    w.allocate_columns(0, 32, there, {sums});
                }
                if (slip == ColumnsSlip::more_than_before) {
                    marks = {next(k), asked};
                    w.allocate_columns(1, defect ? 64 : 32, there, {more}).give_back_columns(1);
                }
                if (slip == ColumnsSlip::more_than_there_are) {
                    if (!defect) w.give_back_columns(0);
                    marks.at = next(k);
                    w.allocate_columns(1, 32, there, {more}).give_back_columns(1);
                    if (!defect) w.allocate_columns(0, 32, here, {sums});
                }
                if (slip == ColumnsSlip::asked_after_relinquished) {
                    const int said = next(k);
                    if (defect) w.relinquish_columns();
                    marks = {next(k), said};
                    w.allocate_columns(1, 32, there, {more}).give_back_columns(1);
                }
                if (slip == ColumnsSlip::none) w.relinquish_columns();
            });
            if (slip == ColumnsSlip::relinquished_beside) {
                if (!defect) cta.sync();
                cta.warps(3, 1, [&](Scope w) {
                    const int said = next(k);
                    w.relinquish_columns();
                    marks = {asked, said};
                });
            }
            // Another warp asks, and the barrier that tells it comes before the product or after it.
            if (slip == ColumnsSlip::asked_for_without_barrier && !defect) cta.warps(0, 1, ask);
            cta.proxy_fence().sync();
            if (slip == ColumnsSlip::asked_for_without_barrier && defect) cta.warps(0, 1, ask);
            cta.warps(4, 1, [&](Scope w) {
                product = next(k);
                w.gemm(sums, a, b, {.accumulate = false, .transpose_b = true}, completes_on(0));
                if (is(ColumnsSlip::asked_for_late)) ask(w);
                if (is(ColumnsSlip::given_back_in_flight)) {
                    marks = {next(k), product};
                    w.give_back_columns(0);
                }
                if (slip == ColumnsSlip::stale_sums) {
                    w.mbarrier(wait_for(0, 0));
                    if (defect) w.give_back_columns(0).allocate_columns(0, 32, here, {sums});
                }
            });
            if (slip == ColumnsSlip::stale_sums) cta.sync();
            cta.warps(0, 4, [&](Scope w) {
                w.mbarrier(wait_for(0, 0)).tensor_fence_after();
                load = next(k);
                w.copy_async(d, sums).wait_tensor_loads();
            });
            if (is(ColumnsSlip::given_back_unasked)) {
                marks.at = next(k);
                cta.warps(4, 1, [&](Scope w) {
                    marks.at = next(k);
                    w.give_back_columns(7);
                });
            }
            if (!is(ColumnsSlip::given_back_early)) cta.sync();
            int back = -1;
            if (!is(ColumnsSlip::not_given_back) && !is(ColumnsSlip::given_back_in_flight) && !is(ColumnsSlip::asked_twice))
                cta.warps(4, 1, [&](Scope w) {
                    if (slip == ColumnsSlip::given_back_early) w.mbarrier(wait_for(0, 0));
                    back = next(k);
                    w.give_back_columns(0);
                });
            if (is(ColumnsSlip::given_back_twice)) {
                marks.other = back;
                cta.warps(4, 1, [&](Scope w) {
                    marks.at = next(k);
                    w.give_back_columns(0);
                });
            }
            if (slip == ColumnsSlip::accessed_after) {
                if (defect) cta.sync();
                if (defect) marks = {next(k) + 1, back};
                if (defect) cta.warps(0, 4, [&](Scope w) { w.copy_async(d, sums).wait_tensor_loads(); });
            }
            if (slip == ColumnsSlip::given_back_early) marks = {load, back};
            if (slip == ColumnsSlip::asked_for_late || slip == ColumnsSlip::not_in_columns) marks.at = product;
            if (slip == ColumnsSlip::asked_for_without_barrier) marks = {product, asked};
            if (slip == ColumnsSlip::not_given_back) marks.at = asked;
            if (slip == ColumnsSlip::stale_sums) marks.at = load;
            cta.warps(0, 4, [&](Scope w) { w.copy(C, d); });
        });
    };
    return p;
}

enum class ColumnsPairSlip { not_together, given_back_early, none };

/// The same by a pair of blocks, each of which asks for the columns of its half of the sums.
Pair columns_of_pair(ColumnsPairSlip slip)
{
    Pair p{machines::sm100, {}, {{"A", columns_left}, {"B", columns_right}}, {{"C", columns_product}}};
    p.write = [slip](Kernel& k, bool defect, Marks& marks) {
        const auto is = [&](ColumnsPairSlip s) { return defect && s == slip; };
        const std::int64_t rows = columns_rows, half = columns_n / 2;
        const auto A = k.input("A", {2 * rows, columns_depth}, f16), B = k.input("B", {columns_n, columns_depth}, f16),
                   C = k.output("C", {2 * rows, columns_n}, f32);
        k.cta(
            tiles(Shape{2}, Shape{1}), {{2}},
            [&](Scope cta, const Tile& t) {
                const auto address = cta.alloc(Role::shared, {1}, i32, {}, "address");
                const auto a =
                    cta.alloc(Role::shared, {rows, columns_depth}, f16, "swizzle<3,4,3>/2((128,64):(64,1))"_swizzled, "a");
                const auto b = cta.alloc(Role::shared, {half, columns_depth}, f16, "swizzle<3,4,3>/2((8,64):(64,1))"_swizzled, "b");
                const auto sums = cta.alloc("tmem", {rows, columns_n}, f32, "(128,16):(1@tlane,1@tcol)"_axe, "sums");
                const auto d = cta.alloc(Role::registers, {rows, columns_n}, f32, "(4,32,16):(1@warp,1@lane,1@reg)"_axe, "d");
                int asked = -1, product = -1, back = -1;
                const auto ask = [&] {
                    cta.warps(4, 1, [&](Scope w) {
                        asked = next(k);
                        w.allocate_columns(0, 32, address, {sums}, true);
                    });
                };
                cta.copy(a, A(Interval(t.rank * rows, rows), all)).copy(b, B(Interval(t.rank * half, half), all));
                cta.warps(4, 1, [&](Scope w) { w.mbarrier(init(0, 1)); });
                if (!is(ColumnsPairSlip::not_together)) ask();
                cta.proxy_fence().cluster_sync();
                if (is(ColumnsPairSlip::not_together)) ask();
                if (is(ColumnsPairSlip::not_together)) cta.sync();
                cta.when(equals(t.rank, 0), [&] {
                    cta.warps(4, 1, [&](Scope w) {
                        Options how = completes_on(0);
                        how.pair = true, how.multicast = 3;
                        product = next(k);
                        w.gemm(sums, a, b, {.accumulate = false, .transpose_b = true}, how);
                    });
                });
                if (is(ColumnsPairSlip::given_back_early))
                    cta.warps(4, 1, [&](Scope w) {
                        back = next(k);
                        w.give_back_columns(0, true);
                    });
                cta.warps(0, 4, [&](Scope w) {
                    w.mbarrier(wait_for(0, 0)).tensor_fence_after();
                    w.copy_async(d, sums).wait_tensor_loads();
                });
                cta.cluster_sync();
                if (!is(ColumnsPairSlip::given_back_early)) cta.warps(4, 1, [&](Scope w) { w.give_back_columns(0, true); });
                cta.copy(C(Interval(t.rank * rows, rows), all), d);
                if (slip == ColumnsPairSlip::not_together) marks = {product, asked};
                if (slip == ColumnsPairSlip::given_back_early) marks = {product, back};
            },
            5);
    };
    return p;
}

} // namespace

TEST_CASE("a block asks for columns of tensor memory, uses them, and gives them back, in every order")
{
    check_sound(columns_kernel(ColumnsSlip::none));
    check_sound(columns_of_pair(ColumnsPairSlip::none));
}

TEST_CASE("columns of tensor memory are used before they are there")
{
    check_fault(columns_kernel(ColumnsSlip::asked_for_late), FaultKind::lifetime,
                {"agent 4 accesses sums, whose columns 0 no agent has asked for yet"});
    check_fault(columns_kernel(ColumnsSlip::asked_for_without_barrier), FaultKind::lifetime,
                {"agent 4 accesses sums; nothing orders this after agent 0 asks for columns 0"});
    check_fault(columns_kernel(ColumnsSlip::not_in_columns), FaultKind::lifetime,
                {"sums is in tensor memory, and the grid asks for columns without it"});
}

TEST_CASE("columns of tensor memory are given back while they are in use")
{
    check_fault(columns_kernel(ColumnsSlip::given_back_early), FaultKind::lifetime,
                {"agent 0 accesses sums, whose columns 0 agent 4 has given back"}, {}, {FaultKind::race});
    check_fault(columns_kernel(ColumnsSlip::given_back_in_flight), FaultKind::race,
                {"whose columns agent 4 gives back, is written here and by an operation of tensor memory of agent 4"});
    check_fault(columns_kernel(ColumnsSlip::accessed_after), FaultKind::lifetime,
                {"accesses sums, whose columns 0 agent 4 has given back"});
    check_fault(columns_kernel(ColumnsSlip::stale_sums), FaultKind::uninitialized, {"of sums"});
}

TEST_CASE("columns of tensor memory are not given back, or not as they were asked for")
{
    check_fault(columns_kernel(ColumnsSlip::not_given_back), FaultKind::lifetime,
                {"the block ends and has not given columns 0 back, which agent 4 asks for here"});
    check_fault(columns_kernel(ColumnsSlip::given_back_twice), FaultKind::lifetime,
                {"agent 4 gives columns 0 back, as agent 4 has in statement"});
    check_fault(columns_kernel(ColumnsSlip::given_back_unasked), FaultKind::lifetime,
                {"agent 4 gives columns 7 back, which no agent has asked for"});
}

TEST_CASE("a block asks for columns of tensor memory that it cannot have")
{
    check_fault(columns_kernel(ColumnsSlip::asked_after_relinquished), FaultKind::lifetime,
                {"agent 4 asks for columns 1; agent 4 has said in statement"});
    check_fault(columns_kernel(ColumnsSlip::relinquished_beside), FaultKind::lifetime,
                {"agent 4 asks for columns 0; agent 3 has said in statement"});
    check_fault(columns_kernel(ColumnsSlip::asked_twice), FaultKind::lifetime,
                {"agent 4 asks for columns 0, which agent 4 has asked for in statement"});
    check_fault(columns_kernel(ColumnsSlip::more_than_before), FaultKind::lifetime,
                {"agent 4 asks for 64 columns, after 32 in statement"});
    check_fault(columns_kernel(ColumnsSlip::more_than_there_are), FaultKind::deadlock,
                {"for 32 columns of tensor memory; 512 of 512 are taken, 512 of them by its block"});
}

TEST_CASE("a pair of blocks uses columns of tensor memory that one of them does not have")
{
    check_fault(columns_of_pair(ColumnsPairSlip::not_together), FaultKind::lifetime, {"agent 4 accesses sums"});
    check_fault(columns_of_pair(ColumnsPairSlip::given_back_early), FaultKind::lifetime,
                {"agent 4 accesses sums, whose columns 0 agent 4 has given back"}, {}, {FaultKind::race});
}
