// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/target/spyre/rules/matmul.hpp>
#include <axe/target/spyre/rules/move.hpp>
#include <axe/target/spyre/rules/pointwise.hpp>
#include <axe/target/spyre/rules/reduce.hpp>
#include <catch.hpp>

#include <vector>

using namespace axe;
using namespace axe::spyre;

namespace {

const std::vector<Shape> shapes = {{}, {1}, {64}, {1, 70}, {128, 1}, {70, 128}, {3, 1, 64}, {3, 70, 64}};

/// Every stick that a tensor of these extents can have.
std::vector<Stick> sticks_of(const Shape& extents)
{
    std::vector<Stick> out{sparse};
    for (int d = 0; d < extents.size(); ++d)
        if (extents[d] != 1) out.push_back(d);
    return out;
}

} // namespace

TEST_CASE("stick_within: a dimension of another extent than 1")
{
    static_assert(stick_within(Shape{3, 1, 64}, 0) == 0);
    static_assert(stick_within(Shape{3, 1, 64}, 1) == sparse);
    static_assert(stick_within(Shape{3, 1, 64}, 3) == sparse);
    static_assert(stick_within(Shape{3, 1, 64}, -1) == sparse);
    static_assert(stick_within(Shape{}, 0) == sparse);
    static_assert(stick_within(Shape{0}, 0) == 0);
}

TEST_CASE("pointwise_stick: the result's where the operand has that dimension, sparse where it repeats")
{
    for (const Shape& operand : shapes)
        for (int rank = operand.size(); rank < 4; ++rank)
            for (Stick result = sparse; result < rank; ++result) {
                const Stick stick = pointwise_stick(operand, rank, result);
                const int own = result - rank + operand.size(); // dimensions meet from the last one on
                const bool has_it = result != sparse && own >= 0 && operand[own] != 1;
                CHECK(stick == (has_it ? own : sparse));
            }
    static_assert(pointwise_stick(Shape{64}, 2, 1) == 0);
    static_assert(pointwise_stick(Shape{64}, 2, 0) == sparse);
    static_assert(pointwise_stick(Shape{70, 1}, 2, 1) == sparse);
    static_assert(pointwise_stick(Shape{70, 64}, 2, sparse) == sparse);
}

TEST_CASE("reduced_stick: the dimension where it is in the result, sparse where it is reduced")
{
    for (const Shape& shape : shapes)
        for (unsigned mask = 0; mask < 1U << shape.size(); ++mask) {
            std::vector<int> up, down, places; // the dimensions reduced, in two orders, and those that stay
            for (int d = 0; d < shape.size(); ++d) {
                if ((mask >> d & 1U) == 0) places.push_back(d);
                if ((mask >> d & 1U) != 0) up.push_back(d), down.insert(down.begin(), d);
            }
            for (const Stick stick : sticks_of(shape)) {
                const bool is_reduced = stick != sparse && (mask >> stick & 1U) != 0;
                CHECK(reduced_stick(stick, up, true) == (is_reduced ? sparse : stick));
                const Stick moved = reduced_stick(stick, up, false);
                CHECK(moved == reduced_stick(stick, down, false));
                if (stick == sparse || is_reduced)
                    CHECK(moved == sparse);
                else
                    CHECK(places[static_cast<std::size_t>(moved)] == stick);
            }
        }
    CHECK(normalized_stick({70, 128}) == 1);
    CHECK(normalized_stick({70, 1}) == sparse);
    CHECK(normalized_stick({}) == sparse);
}

TEST_CASE("matmul_sticks: k of A, n of B and of the result")
{
    static_assert(matmul_sticks(Shape{70, 128}, Shape{128, 200}, Shape{70, 200}) == MatmulSticks{1, 1, 1});
    static_assert(matmul_sticks(Shape{5, 70, 128}, Shape{128, 200}, Shape{5, 70, 200}) == MatmulSticks{2, 1, 2});
    static_assert(matmul_sticks(Shape{70, 1}, Shape{1, 200}, Shape{70, 200}) == MatmulSticks{sparse, 1, 1});
    static_assert(matmul_sticks(Shape{70, 128}, Shape{128, 1}, Shape{70, 1}) == MatmulSticks{1, sparse, sparse});
}

TEST_CASE("copies: between dense sticks or sparse ones: clones: parts that begin a stick")
{
    for (const Shape& shape : shapes)
        for (const Stick from : sticks_of(shape)) {
            CHECK(cloned_stick(shape, from) == (from == sparse ? sparse : stick_within(shape, shape.size() - 1)));
            for (const Stick to : sticks_of(shape)) CHECK(can_restickify(from, to) == ((from == sparse) == (to == sparse)));
        }
    static_assert(begins_stick(1, 1, 128, 64) && !begins_stick(1, 1, 70, 64));
    static_assert(begins_stick(0, 1, 70, 64) && begins_stick(sparse, 1, 70, 64));
}
