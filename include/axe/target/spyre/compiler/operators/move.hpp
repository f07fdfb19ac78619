// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_SPYRE_COMPILER_OPERATORS_MOVE_HPP
#define AXE_TARGET_SPYRE_COMPILER_OPERATORS_MOVE_HPP

#include <axe/target/spyre/compiler/operators/operator.hpp>
#include <axe/target/spyre/rules/move.hpp>
#include <axe/target/spyre/rules/pointwise.hpp>
#include <axe/target/spyre/rules/reduce.hpp>

#include <array>

namespace axe {
inline namespace v0 {
namespace spyre {

/// A copy in the default layout, the last dimension within sticks, from any dimension within sticks: the copy is the restickify.
///
/// Sticks: `cloned_stick`.
inline Result<Operator> clone(const Value& operand)
{
    if (const Status e = detail::check_operands({operand}, 1); !e.ok()) return e;
    Result<Operator> made{Operator{}};
    made->name = "clone";
    made->operands = {operand};
    made->result = operand;
    for (const Stick stick : sticks_of(operand)) made->rules.push_back({{stick}, cloned_stick(operand.sizes, stick)});
    return made;
}

/// Tensors one behind the other along a dimension.
///
/// Sticks: `pointwise_stick`; the dimension along which they are put together only where each part `begins_stick`.
///
/// Errors: `errc::out_of_domain` with the dimension, `errc::rank_mismatch`, `errc::size_mismatch` with the operand; `errc::overflow`;
/// those of the format.
inline Result<Operator> concatenate(const std::vector<Value>& operands, int dim)
{
    if (const Status e = detail::check_operands(operands, 1); !e.ok()) return e;
    const Value& first = operands.front();
    const auto per_stick = elements_per_stick(first.format);
    if (!per_stick) return per_stick.error();
    if (dim < 0 || dim >= first.sizes.size())
        return Error(errc::out_of_domain, dim, "tensors cannot be concatenated along dimension {0}; there are {1}", dim,
                     first.sizes.size());
    Result<Operator> made{Operator{}};
    Operator& out = *made;
    out.name = "concatenate";
    out.operands = operands;
    out.result = first;
    bool aligned = true;
    for (std::size_t i = 1; i < operands.size(); ++i) {
        const Shape& sizes = operands[i].sizes;
        const int at = static_cast<int>(i);
        if (sizes.size() != first.sizes.size())
            return Error(errc::rank_mismatch, at, "operand {0} has {1} dimensions, the first {2}", at, sizes.size(),
                         first.sizes.size());
        for (int d = 0; d < sizes.size(); ++d)
            if (d != dim && sizes[d] != first.sizes[d])
                return Error(errc::size_mismatch, at, "operand {0} has {1} elements where the first has {2}", at, sizes[d],
                             first.sizes[d]);
        aligned = aligned && begins_stick(dim, dim, out.result.sizes[dim], *per_stick);
        if (!axe::detail::add(out.result.sizes[dim], sizes[dim], out.result.sizes[dim]))
            return Error(errc::overflow, at, "the sizes overflow at operand {0}", at);
    }
    for (const Stick stick : sticks_of(out.result)) {
        StickRule rule{{}, stick};
        for (const Value& v : operands) rule.operands.push_back(pointwise_stick(v.sizes, first.sizes.size(), stick));
        if (stick != dim || aligned) out.rules.push_back(rule);
    }
    return made;
}

/// The k largest along a dimension.
///
/// Sticks: `reduced_stick` of the dimension that is searched.
/// Errors: `errc::out_of_domain` with the dimension; `errc::bad_argument` for a k below 1 or beyond the size.
inline Result<Operator> top_k(const Value& operand, int dim, std::int64_t k)
{
    if (const Status e = detail::check_operands({operand}, 1); !e.ok()) return e;
    if (dim < 0 || dim >= operand.sizes.size())
        return Error(errc::out_of_domain, dim, "dimension {0} cannot be searched; there are {1}", dim, operand.sizes.size());
    if (k < 1 || k > operand.sizes[dim])
        return Error(errc::bad_argument, dim, "{0} elements are requested of {1}", k, operand.sizes[dim]);
    Result<Operator> made{Operator{}};
    Operator& out = *made;
    out.name = "top_k";
    out.operands = {operand};
    out.result = operand;
    out.result.sizes[dim] = k;
    for (const Stick stick : sticks_of(operand)) out.rules.push_back({{stick}, reduced_stick(stick, std::array{dim}, true)});
    return made;
}

} // namespace spyre
} // namespace v0
} // namespace axe

#endif
