// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_SPYRE_COMPILER_OPERATORS_VALUE_HPP
#define AXE_TARGET_SPYRE_COMPILER_OPERATORS_VALUE_HPP

#include <axe/interop/spyre/make.hpp>
#include <axe/target/spyre/rules/stick.hpp>

#include <vector>

namespace axe {
inline namespace v0 {
namespace spyre {

/// What an operator knows of a tensor when sticks are chosen: PyTorch's sizes and the format.
struct Value {
    Shape sizes{};
    DataFormat format = DataFormat::sen169_fp16;

    friend constexpr bool operator==(const Value&, const Value&) = default;
};

static_assert(sparse == synthetic, "an order of dimensions ends with the stick, and a sparse one with the synthetic dimension");

/// The stick of a tensor that has `dim` within sticks.
constexpr Stick stick_within(const Value& value, int dim) noexcept { return stick_within(value.sizes, dim); }

/// All sticks that a tensor can have: dimensions of other sizes than 1, and sparse.
inline std::vector<Stick> sticks_of(const Value& value)
{
    std::vector<Stick> out;
    for (int d = 0; d < value.sizes.size(); ++d)
        if (value.sizes[d] != 1) out.push_back(d);
    out.push_back(sparse);
    return out;
}

/// One way to run an operator: the stick of each operand and of the result.
struct StickRule {
    std::vector<Stick> operands{};
    Stick result = sparse;

    friend bool operator==(const StickRule&, const StickRule&) = default;
};

/// The order of dimensions that puts a stick last and leaves the others as they are; the layout is `make_tensor`'s of it.
constexpr DimOrder order_for(const Value& value, Stick stick) noexcept
{
    DimOrder order;
    for (int d = 0; d < value.sizes.size(); ++d)
        if (d != stick) order.push_back(d);
    order.push_back(stick); // a dimension, or −1: sparse
    return order;
}

} // namespace spyre
} // namespace v0
} // namespace axe

#endif
