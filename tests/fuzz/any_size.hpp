// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_FUZZ_ANY_SIZE_HPP
#define AXE_TESTS_FUZZ_ANY_SIZE_HPP

#include <tests/fuzz/question.hpp>

#include <algorithm>

/// One operation put to the question, whatever its numbers: the answer must be well-formed, canonical, and the map of the defining
/// equation at the sampled indices; a refusal must have its reason. Whether there might have been an answer is asked in exact.hpp.
namespace fuzz::any_size {

/// Does the map move on the axis? Iters of extent 1 and of stride 0 do not.
inline bool moves_on(const axe::Layout& l, const axe::Axis& axis)
{
    const auto moves = [&](const auto& it) { return it.axis == axis && it.extent > 1 && it.stride != 0; };
    return std::any_of(l.shard.begin(), l.shard.end(), moves) || std::any_of(l.replica.begin(), l.replica.end(), moves) ||
           l.offset[axis] != 0;
}

void canonicalize(const Question&), group(const Question&), group_many(const Question&), tile(const Question&),
    sum(const Question&), untile(const Question&), untile_outer(const Question&), unsum(const Question&), slice(const Question&),
    compose(const Question&), inverse(const Question&), left_inverse(const Question&), right_inverse(const Question&),
    complement(const Question&), permute(const Question&), reshape(const Question&), broadcast(const Question&),
    project(const Question&), local(const Question&), rename(const Question&), shift(const Question&), pack(const Question&),
    unpack(const Question&);

void equal(const Question&), points(const Question&), preimage(const Question&), properties(const Question&),
    contiguous(const Question&), max_vector(const Question&), intersect(const Question&), span(const Question&),
    swizzle(const Question&);

} // namespace fuzz::any_size

#endif
