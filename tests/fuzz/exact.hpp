// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_FUZZ_EXACT_HPP
#define AXE_TESTS_FUZZ_EXACT_HPP

#include <tests/fuzz/question.hpp>
#include <tests/laws/report.hpp>

/// The checks of tests/laws, put to the question where it is one that they can enumerate: a well-formed one on the axes m, lane and
/// warp, with few elements and points. They decide whether there is an answer, and compare it index by index.
///
/// A file here includes the file of that name in tests/laws whole. Its test cases are not called (see catch.hpp).
namespace fuzz::exact {

using laws::Report;

void canonicalize(Report&, const Question&), equal(Report&, const Question&), group(Report&, const Question&),
    group_many(Report&, const Question&), tile(Report&, const Question&), untile(Report&, const Question&),
    untile_outer(Report&, const Question&), unsum(Report&, const Question&), slice(Report&, const Question&),
    compose(Report&, const Question&), inverse(Report&, const Question&), left_inverse(Report&, const Question&),
    right_inverse(Report&, const Question&), complement(Report&, const Question&), permute(Report&, const Question&),
    broadcast(Report&, const Question&), pack(Report&, const Question&), points(Report&, const Question&),
    preimage(Report&, const Question&), properties(Report&, const Question&), contiguous(Report&, const Question&),
    max_vector(Report&, const Question&);

/// A layout of at most so many elements, and points in a replica set, with coordinates that the numbers of oracle.hpp can hold.
bool small(const axe::Layout& l, Int elements, Int points);
/// Does all of it lie on this axis?
bool on_axis(const axe::Layout& l, const axe::Axis& axis);
/// The largest coordinate, either way.
Int reach(const axe::Layout& l);
/// Two layouts with shapes of one rank that they admit.
bool pair_admitted(const Question& q);
/// Replicas so few and so near that every sum of progressions among them can be tried.
bool few_replicas(const axe::Layout& l);

} // namespace fuzz::exact

#endif
