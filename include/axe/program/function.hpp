// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_FUNCTION_HPP
#define AXE_PROGRAM_FUNCTION_HPP

#include <cstdint>

namespace axe {
inline namespace v0 {

/// A function of one to three elements, or the operation of a reduction. What each computes stands in functions.hpp, a row each.
enum class Function : std::uint8_t {
    identity,
    neg,
    abs,
    relu,
    exp,
    exp2,
    log,
    sqrt,
    rsqrt,
    reciprocal,
    tanh, // one element
    add,
    sub,
    mul,
    div,
    min,
    max,
    bit_and,
    bit_or,
    bit_xor,
    equal,
    less,
    less_equal, // two: a ∘ b; comparisons give 0 or 1
    fma,
    select, // three: a·b + c; a ≠ 0 ? b : c
};

} // namespace v0
} // namespace axe

#endif
