// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_SPYRE_COMPILER_OPERATORS_POINTWISE_HPP
#define AXE_TARGET_SPYRE_COMPILER_OPERATORS_POINTWISE_HPP

#include <axe/target/spyre/compiler/operators/operator.hpp>
#include <axe/target/spyre/rules/pointwise.hpp>

namespace axe {
inline namespace v0 {
namespace spyre {

/// An operator element by element, with PyTorch's broadcasting: dimensions meet from the last one on, size 1 stretches.
///
/// Sticks: `pointwise_stick`, for each stick of the result.
///
/// Errors: `errc::size_mismatch` with the operand whose sizes do not meet those of the others; `errc::capacity`, `errc::bad_argument`.
inline Result<Operator> pointwise(const std::vector<Value>& operands, DataFormat format)
{
    if (const Status e = detail::check_operands(operands, 1); !e.ok()) return e;
    int rank = 0;
    for (const Value& v : operands) rank = v.sizes.size() > rank ? v.sizes.size() : rank;
    Result<Operator> made{Operator{}};
    Operator& out = *made;
    out.name = "pointwise";
    out.operands = operands;
    out.result.format = format;
    for (int d = 0; d < rank; ++d) out.result.sizes.push_back(1);
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const Shape& sizes = operands[i].sizes;
        for (int d = 0; d < sizes.size(); ++d) {
            std::int64_t& whole = out.result.sizes[rank - sizes.size() + d];
            if (sizes[d] == 1 || sizes[d] == whole) continue;
            if (whole != 1)
                return Error(errc::size_mismatch, static_cast<int>(i),
                             "operand {0} has {1} elements in a dimension where others have {2}", static_cast<std::int64_t>(i),
                             sizes[d], whole);
            whole = sizes[d];
        }
    }
    for (const Stick stick : sticks_of(out.result)) {
        StickRule rule{{}, stick};
        for (const Value& v : operands) rule.operands.push_back(pointwise_stick(v.sizes, rank, stick));
        out.rules.push_back(rule);
    }
    return made;
}

/// A conversion of type: the sizes and the dimension within sticks stay; how many sticks there are follows from the sizes, not from
/// the sticks before (`rescale`).
inline Result<Operator> convert(const Value& operand, DataFormat format)
{
    auto out = pointwise({operand}, format);
    if (out) out->name = "convert";
    return out;
}

} // namespace spyre
} // namespace v0
} // namespace axe

#endif
