// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/defects/harness.hpp>

/// Atomic operations of the elements of a mask, and elements that share a byte.
namespace {

using namespace defects;

/// One of warps 0 and 1 writes the even elements of C, or of a tensor in shared memory that becomes C, the other one the odd ones.
Pair halves_of_bytes(DType type, bool is_shared = false)
{
    Pair p{machines::sm100, {}, {}, {{"C", [](std::int64_t i) { return i % 2 == 0 ? 1.0 : 2.0; }}}};
    p.write = [type, is_shared](Kernel& k, bool defect, Marks& marks) {
        const auto C = k.output("C", {8}, type);
        one_block(k, 2, [&](Scope cta) {
            const TensorRef to = is_shared ? cta.alloc(Role::shared, {8}, type, {}, "s") : C;
            for (int warp = 0; warp < 2; ++warp) {
                cta.warps(warp, 1, [&](Scope w) {
                    (warp == 0 ? marks.other : marks.at) = next(k);
                    for (int i = warp; i < 8; i += 2) w.fill(to(Interval(i, 1)), 1 + warp);
                });
                if (warp == 0 && !defect) cta.sync();
            }
            if (is_shared) cta.sync().copy(C, to);
        });
    };
    return p;
}

} // namespace

TEST_CASE("two warps write parts of one byte of 4-bit elements without a barrier between")
{
    check_fault(halves_of_bytes(e2m1), FaultKind::race, {"of C (gmem byte", "of 4 bits in one byte with what is at gmem byte"});
    check_fault(halves_of_bytes(i4), FaultKind::race, {"of 4 bits in one byte with what is at gmem byte"});
}

TEST_CASE("two warps write parts of one byte of 6-bit elements without a barrier between")
{
    check_fault(halves_of_bytes(e3m2), FaultKind::race, {"of 6 bits in one byte with what is at gmem byte"});
}

TEST_CASE("two warps write parts of one byte of 4- or 6-bit elements of shared memory without a barrier between")
{
    for (const DType type : {e2m1, e3m2})
        check_fault(halves_of_bytes(type, true), FaultKind::race,
                    {"of s (smem byte", "bits in one byte with what is at smem byte"});
}

TEST_CASE("rows of an odd number of 4-bit elements are written by two blocks")
{
    Pair p{machines::sm100, {}, {}, {{"C", [](std::int64_t) { return 1.0; }}}};
    p.write = [](Kernel& k, bool defect, Marks& marks) {
        const auto C = k.output("C", {2, defect ? 33 : 34}, e2m1);
        k.cta(
            tiles(2, 1),
            [&](Scope cta, const Tile& t) {
                marks.at = next(k);
                cta.fill(C(t.index[0], all), 1);
            },
            1);
    };
    check_fault(p, FaultKind::race, {"of 4 bits in one byte with what is at gmem byte"});
}

TEST_CASE("a mask of an atomic operation chooses an element that another warp stores")
{
    Pair p{machines::sm80,
           {},
           {{"M", [](std::int64_t i) { return i < 16 ? 0.0 : 1.0; }}, {"C", [](std::int64_t) { return 4.0; }}},
           {{"C", [](std::int64_t i) { return i < 16 ? 7.0 : 5.0; }}}};
    p.write = [](Kernel& k, bool defect, Marks& marks) {
        const auto M = k.input("M", {32}, i32), C = k.inout("C", {32}, i32);
        one_block(k, 2, [&](Scope cta) {
            const auto s = cta.alloc(Role::shared, {32}, i32, {}, "s");
            cta.copy(s, C).sync();
            cta.warps(0, 1, [&](Scope w) {
                marks.other = next(k);
                w.fill(s(Interval(0, defect ? 17 : 16)), 7);
            });
            cta.warps(1, 1, [&](Scope w) {
                const auto one = w.alloc(Role::registers, {32}, i32, LayoutHint::registers, "one");
                w.fill(one, 1);
                marks.at = next(k) + 2; // behind the tensor of indices, and its numbers
                w.atomic(Function::add, s, one, {}, M);
            });
            cta.sync().copy(C, s);
        });
    };
    check_fault(p, FaultKind::race, {"s (smem byte 64)"});
}
