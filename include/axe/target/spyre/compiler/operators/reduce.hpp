// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_SPYRE_COMPILER_OPERATORS_REDUCE_HPP
#define AXE_TARGET_SPYRE_COMPILER_OPERATORS_REDUCE_HPP

#include <axe/target/spyre/compiler/operators/operator.hpp>
#include <axe/target/spyre/rules/reduce.hpp>

#include <array>

namespace axe {
inline namespace v0 {
namespace spyre {

/// A reduction over some dimensions, which stay with size 1 or go.
///
/// Sticks: `reduced_stick`. Padding within sticks that are reduced must hold the neutral element.
///
/// Errors: `errc::out_of_domain` and `errc::bad_argument` with the dimension that does not exist, or that is named twice.
inline Result<Operator> reduce(const Value& operand, const std::vector<int>& dims, bool keep, DataFormat format)
{
    if (const Status e = detail::check_operands({operand}, 1); !e.ok()) return e;
    const int rank = operand.sizes.size();
    bool reduced[max_rank]{};
    for (const int d : dims) {
        if (d < 0 || d >= rank) return Error(errc::out_of_domain, d, "dimension {0} cannot be reduced; there are {1}", d, rank);
        if (reduced[d]) return Error(errc::bad_argument, d, "dimension {0} is reduced twice", d);
        reduced[d] = true;
    }
    Result<Operator> made{Operator{}};
    Operator& out = *made;
    out.name = "reduce";
    out.operands = {operand};
    out.result.format = format;
    for (int d = 0; d < rank; ++d)
        if (keep || !reduced[d]) out.result.sizes.push_back(reduced[d] ? 1 : operand.sizes[d]);
    for (const Stick stick : sticks_of(operand)) out.rules.push_back({{stick}, reduced_stick(stick, dims, keep)});
    return made;
}

/// The mean of squares along the last dimension, which runs within sticks; a stick of the result has two values.
inline Result<Operator> exx2(const Value& operand, DataFormat format)
{
    if (const Status e = detail::check_operands({operand}, 1); !e.ok()) return e;
    const int last = operand.sizes.size() - 1;
    if (last < 0) return Error(errc::bad_argument, 0, "a tensor without dimensions has none to reduce");
    auto out = reduce(operand, {last}, true, format);
    if (!out) return out;
    out->name = "exx2";
    const Stick stick = normalized_stick(operand.sizes);
    out->rules = {{{stick}, reduced_stick(stick, std::array{last}, true)}};
    return out;
}

/// x normalized along its last dimension, which runs within sticks, by statistics of one element a stick; weights along it.
///
/// Errors: `errc::size_mismatch` with the operand: statistics have x's sizes but 1 in the last dimension.
inline Result<Operator> layer_norm(const Value& x, const Value& statistics)
{
    if (const Status e = detail::check_operands({x, statistics}, 2); !e.ok()) return e;
    const int rank = x.sizes.size();
    if (rank == 0) return Error(errc::bad_argument, 0, "a tensor without dimensions has none to normalize");
    Shape expected = x.sizes;
    expected[rank - 1] = 1;
    if (!(statistics.sizes == expected))
        return Error(errc::size_mismatch, 1, "the statistics must have one value where x has {0}, and the sizes of x elsewhere",
                     x.sizes[rank - 1]);
    Result<Operator> made{Operator{}};
    made->name = "layer_norm";
    made->operands = {x, statistics};
    made->result = x;
    const Stick stick = normalized_stick(x.sizes);
    made->rules = {{{stick, sparse}, stick}};
    return made;
}

} // namespace spyre
} // namespace v0
} // namespace axe

#endif
