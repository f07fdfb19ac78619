// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_FUZZ_QUESTION_HPP
#define AXE_TESTS_FUZZ_QUESTION_HPP

#include <axe/axe.hpp>
#include <tests/fuzz/bytes.hpp>

#include <string>
#include <string_view>

namespace fuzz {

/// What an operation may be asked with: every one takes the parts that it knows. Nothing is promised about the numbers unless said.
struct Question {
    axe::Layout a, b;
    axe::Shape a_shape, b_shape;
    axe::Shape other_shape; ///< of a, too
    axe::Region region;
    axe::Order order;
    axe::Point point;
    axe::Layout::Axes axes;
    axe::Axis axis{}, new_axis{};
    axe::Swizzle swizzle, other_swizzle;
    Int width = 1, new_width = 1;
    Int n = 1, index = 0;
    int dim = 0;
};

/// Small layouts on the axes m, lane and warp, with shapes that they admit and regions within; most of them related to one another or
/// to themselves, so that the answer exists or nearly does.
Question small_question(Bytes& bytes);

/// Numbers of any size, at the edges of 64 bits above all; many are not layouts, shapes or regions.
Question wild_question(Bytes& bytes);

/// The fields of a request, `(5,2):(1@P,5@P); (10); [3:7]`, in their order: layouts, shapes, and one of each other text. A shape of one
/// number is `n` too, and the second one the order of dimensions. A field that cannot be read is left out.
Question written_question(std::string_view fields);

/// The question in the notation, to be read and typed again.
std::string text(const Question& q);

/// Every axis of the question named m, lane or warp; says whether three are enough.
bool on_three_axes(Question& q);

} // namespace fuzz

#endif
