// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/defects/harness.hpp>
#include <tests/defects/phases.hpp>

/// Products of two blocks of a cluster into the tensor memory of both, of tiles that each brings for itself.
namespace {

using namespace defects;

enum class PairSlip {
    no_first_cluster_barrier,
    no_full_wait,
    bytes_of_one_block,
    own_mbarrier,
    released_early,
    released_for_one,
    no_empty_wait,
    no_sums_wait,
    no_fence_after_sums_wait,
    no_loads_wait,
    no_fence_before_arrival,
    no_empty_sums_wait,
    no_fence_after_empty_wait,
    sums_for_one,
    first_accumulates,
    second_block_issues,
    no_last_cluster_barrier,
    ends_before_products,
    none
};

constexpr int pair_depth = 3, pair_slots = 2, pair_k = 16, pair_n = 16, pair_tiles = 2, block_rows = 64;
constexpr int pair_full = 0, pair_empty = pair_slots, pair_sums_full = 2 * pair_slots, pair_sums_empty = 2 * pair_slots + 1;
constexpr int block_bytes = (block_rows + pair_n / 2) * pair_k * 2;
double pair_left(std::int64_t i) { return static_cast<double>(i * 7 % 11 - 5); }
double pair_right(std::int64_t i) { return static_cast<double>(i * 5 % 13 - 6); }
double pair_product(std::int64_t at)
{
    double sum = 0;
    for (int k = 0; k < pair_depth * pair_k; ++k)
        sum += pair_left(at / pair_n * (pair_depth * pair_k) + k) * pair_right(at % pair_n * (pair_depth * pair_k) + k);
    return sum;
}

/// C = A·Bᵀ, 256 × 16 × 48, in f16 and f32, 128 rows after the other. Of each block warp 5 brings its 64 rows of A and its 8 rows of B;
/// warp 4 of the first one multiplies for both; warps 0 to 3 take the sums of their rows.
Pair pair_ring(PairSlip slip)
{
    Pair p{machines::sm100, {}, {{"A", pair_left}, {"B", pair_right}}, {{"C", pair_product}}};
    p.write = [slip](Kernel& k, bool defect, Marks& marks) {
        using Action = Mbarrier::Action;
        const auto is = [&](PairSlip s) { return defect && s == slip; };
        const auto A = k.input("A", {pair_tiles * 2 * block_rows, pair_depth * pair_k}, f16),
                   B = k.input("B", {pair_n, pair_depth * pair_k}, f16),
                   C = k.output("C", {pair_tiles * 2 * block_rows, pair_n}, f32);
        k.cta(
            tiles(Shape{2}, Shape{1}), {{2}},
            [&](Scope cta, const Tile& t) {
                const auto a = cta.alloc(Role::shared, {pair_slots, block_rows, pair_k}, f16,
                                         "swizzle<1,4,3>/2((2,64,16):(1024,16,1))"_swizzled, "a");
                const auto b = cta.alloc(Role::shared, {pair_slots, pair_n / 2, pair_k}, f16,
                                         "swizzle<1,4,3>/2((2,8,16):(128,16,1))"_swizzled, "b");
                const auto sums = cta.alloc("tmem", {block_rows, pair_n}, f32, "(64,2,8):(1@tlane,64@tlane,1@tcol)"_axe, "sums");
                const auto d =
                    cta.alloc(Role::registers, {block_rows, pair_n}, f32, "(2,32,2,8):(1@warp,1@lane,2@warp,1@reg)"_axe, "d");
                cta.warps(0, 1, [&](Scope w) {
                    for (int s = 0; s < pair_slots; ++s) w.mbarrier(init(pair_full + s, 1)).mbarrier(init(pair_empty + s, 1));
                    w.mbarrier(init(pair_sums_full, 1)).mbarrier(init(pair_sums_empty, 8));
                });
                if (is(PairSlip::no_first_cluster_barrier))
                    cta.sync();
                else
                    cta.cluster_sync();
                std::vector<int> copies, products, loads;
                int first_copy = -1, first_wait = -1;
                cta.warps(5, 1, "producer", [&](Scope w) {
                    for (int i = 0; i < pair_tiles * pair_depth; ++i) {
                        const int s = i % pair_slots;
                        if (!(is(PairSlip::no_empty_wait) && i == 2))
                            w.mbarrier(wait_for(pair_empty + s, (i / pair_slots + 1) % 2));
                        w.when(equals(t.rank, 0), [&] {
                            w.mbarrier(expect(pair_full + s, is(PairSlip::bytes_of_one_block) ? block_bytes : 2 * block_bytes));
                        });
                        const Interval at(pair_k * (i % pair_depth), pair_k);
                        Options how = completes_on(pair_full + s);
                        how.pair = !is(PairSlip::own_mbarrier);
                        copies.push_back(next(k));
                        w.copy_async(a(s, all, all),
                                     A(Interval(t.rank * block_rows + i / pair_depth * (2 * block_rows), block_rows), at), how);
                        w.copy_async(b(s, all, all), B(Interval(t.rank * (pair_n / 2), pair_n / 2), at), how);
                    }
                });
                first_copy = copies[0];
                const auto multiply = [&](Scope w) {
                    for (int i = 0; i < pair_tiles; ++i) {
                        if (!(is(PairSlip::no_empty_sums_wait) && i == 1)) w.mbarrier(wait_for(pair_sums_empty, (i + 1) % 2));
                        if (!(is(PairSlip::no_fence_after_empty_wait) && i == 1)) w.tensor_fence_after();
                        for (int x = 0; x < pair_depth; ++x) {
                            const int n = i * pair_depth + x, s = n % pair_slots;
                            const Mbarrier release{Action::commit,
                                                   pair_empty + s,
                                                   0,
                                                   {},
                                                   {},
                                                   static_cast<std::uint16_t>(is(PairSlip::released_for_one) ? 1 : 3)};
                            if (!(is(PairSlip::no_full_wait) && n == 1)) w.mbarrier(wait_for(pair_full + s, n / pair_slots % 2));
                            if (is(PairSlip::released_early)) w.mbarrier(release);
                            Options how = asynchronous();
                            how.pair = true;
                            products.push_back(next(k));
                            w.gemm(sums, a(s, all, all), b(s, all, all),
                                   {.accumulate = x > 0 || is(PairSlip::first_accumulates), .transpose_b = true}, how);
                            if (!is(PairSlip::released_early)) w.mbarrier(release);
                        }
                        w.mbarrier({Action::commit,
                                    pair_sums_full,
                                    0,
                                    {},
                                    {},
                                    static_cast<std::uint16_t>(is(PairSlip::sums_for_one) ? 1 : 3)});
                    }
                };
                cta.warps(4, 1, "products", [&](Scope w) {
                    if (is(PairSlip::second_block_issues))
                        w.when(equals(t.rank, 1), [&] {
                            Options how = asynchronous();
                            how.pair = true;
                            marks.at = next(k);
                            w.gemm(sums, a(0, all, all), b(0, all, all), {.accumulate = false, .transpose_b = true}, how);
                        });
                    w.when(equals(t.rank, 0), [&] { multiply(w); });
                });
                cta.warps(0, 4, "epilogue", [&](Scope w) {
                    const auto take = [&](int i) {
                        if (first_wait < 0) first_wait = next(k);
                        if (!(is(PairSlip::no_sums_wait) && i == 0)) w.mbarrier(wait_for(pair_sums_full, i % 2));
                        if (!(is(PairSlip::no_fence_after_sums_wait) && i == 0)) w.tensor_fence_after();
                        loads.push_back(next(k));
                        w.copy_async(d, sums);
                        if (!is(PairSlip::no_loads_wait)) w.wait_tensor_loads();
                        if (!is(PairSlip::no_fence_before_arrival)) w.tensor_fence_before();
                        w.mbarrier({Action::arrive, pair_sums_empty, 0, {}, Affine(0)});
                        w.copy(C(Interval(t.rank * block_rows + i * (2 * block_rows), block_rows), all), d);
                    };
                    take(0);
                    if (is(PairSlip::ends_before_products))
                        w.when(equals(t.rank, 0), [&] { take(1); });
                    else
                        take(1);
                });
                if (!is(PairSlip::no_last_cluster_barrier) && !is(PairSlip::ends_before_products)) cta.cluster_sync();
                switch (slip) {
                case PairSlip::no_first_cluster_barrier: marks.at = first_copy; break;
                case PairSlip::no_full_wait: marks = {products[1], copies[1]}; break;
                case PairSlip::released_early:
                case PairSlip::no_empty_wait: marks.at = copies[2]; break;
                case PairSlip::no_sums_wait: marks = {products[0], loads[0]}; break;
                case PairSlip::no_empty_sums_wait: marks = {loads[0], products[3]}; break;
                case PairSlip::no_fence_after_sums_wait: marks = {loads[0], products[2]}; break;
                case PairSlip::no_loads_wait:
                case PairSlip::no_fence_before_arrival:
                case PairSlip::no_fence_after_empty_wait: marks = {products[3], loads[0]}; break;
                case PairSlip::first_accumulates:
                case PairSlip::bytes_of_one_block: marks.at = products[0]; break;
                case PairSlip::own_mbarrier: marks.at = first_wait; break;
                default: break;
                }
            },
            6);
    };
    return p;
}

/// Found in each order of the run, as the first kind in the order of issue, at the marked statement and in these words; in another order
/// as one of the kinds: which of two accesses comes first depends on it.
void check_pair_fault(PairSlip slip, const std::vector<FaultKind>& kinds, const std::vector<std::string>& words = {})
{
    Marks marks;
    const Ready defective = ready(pair_ring(slip), true, marks);
    for (const sim::RunOrder order : sim::all_run_orders)
        for (const std::int64_t quantum : {0, 1, 3}) {
            sim::RunOptions options;
            options.order = order;
            options.quantum = quantum;
            const Found f = defective.run(options);
            INFO(f.text);
            CHECK(f.refused == errc::ok);
            REQUIRE(f.fault.found());
            INFO(sim::name(f.fault.kind));
            CHECK(std::find(kinds.begin(), kinds.end(), f.fault.kind) != kinds.end());
            if (order != sim::RunOrder::issue || quantum != 0) continue;
            CHECK(f.fault.kind == kinds[0]);
            if (marks.at >= 0) CHECK(f.fault.statement == marks.at);
            if (marks.other >= 0) CHECK(f.fault.other_statement == marks.other);
            CHECK(missing(f.text, words) == std::vector<std::string>{});
        }
}

} // namespace

TEST_CASE("a ring of products of two blocks is right in every order") { check_sound(pair_ring(PairSlip::none)); }

TEST_CASE("blocks of a pair do not meet before they use each other's memory")
{
    check_pair_fault(PairSlip::no_first_cluster_barrier, {FaultKind::lifetime, FaultKind::transaction}, {});
}

TEST_CASE("a product of a pair reads a slot that is not full") { check_pair_fault(PairSlip::no_full_wait, {FaultKind::race}, {}); }

TEST_CASE("copies of a pair complete on another mbarrier than the first block's, or are not all counted")
{
    check_pair_fault(PairSlip::own_mbarrier, {FaultKind::deadlock}, {});
    check_pair_fault(PairSlip::bytes_of_one_block, {FaultKind::race, FaultKind::uninitialized, FaultKind::deadlock}, {});
}

TEST_CASE("slots of a pair are filled again before the product has read them")
{
    check_pair_fault(PairSlip::released_early, {FaultKind::race, FaultKind::transaction}, {"of a (smem byte 0)"});
    check_pair_fault(PairSlip::no_empty_wait, {FaultKind::race, FaultKind::transaction}, {"of a (smem byte 0)"});
}

TEST_CASE("a commit of a pair arrives in one block alone")
{
    check_pair_fault(PairSlip::released_for_one, {FaultKind::deadlock}, {"for phase 0 of mbarrier"});
    check_pair_fault(PairSlip::sums_for_one, {FaultKind::deadlock},
                     {"agent 4 (products) waits in statement", "which lacks 4 of 8 arrivals"});
}

TEST_CASE("sums of a pair are loaded too early")
{
    check_pair_fault(PairSlip::no_sums_wait, {FaultKind::race}, {"of sums"});
    check_pair_fault(PairSlip::no_fence_after_sums_wait, {FaultKind::proxy}, {"without the fences of tensor memory between"});
}

TEST_CASE("sums of a pair are overwritten too early")
{
    check_pair_fault(PairSlip::no_loads_wait, {FaultKind::race}, {"read by an operation of tensor memory of agent"});
    check_pair_fault(PairSlip::no_empty_sums_wait, {FaultKind::race}, {"of sums"});
    check_pair_fault(PairSlip::no_fence_before_arrival, {FaultKind::proxy}, {"without the fences of tensor memory between"});
    check_pair_fault(PairSlip::no_fence_after_empty_wait, {FaultKind::proxy}, {"without the fences of tensor memory between"});
}

TEST_CASE("a product of a pair adds to sums that have no value")
{
    check_pair_fault(PairSlip::first_accumulates, {FaultKind::uninitialized}, {"of sums"});
}

TEST_CASE("the second block of a pair starts its product")
{
    check_pair_fault(PairSlip::second_block_issues, {FaultKind::wrong_owner},
                     {"agent 4 of the block of rank 1 starts an operation of a pair of blocks; the one of rank 0 is to start it"});
}

TEST_CASE("a block of a pair ends while the other one may access its memory")
{
    check_pair_fault(PairSlip::no_last_cluster_barrier, {FaultKind::lifetime}, {});
    check_pair_fault(PairSlip::ends_before_products, {FaultKind::lifetime}, {});
}
