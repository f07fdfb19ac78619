// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_FUNCTION_HPP
#define AXE_PROGRAM_FUNCTION_HPP

#include <axe/support/config.hpp>

namespace axe {
inline namespace v0 {

struct FunctionRow;

/// A function of one to three elements, or the operation of a reduction: a handle on the row that says what it computes (functions.hpp).
///
/// Two are equal when they are of one row. A function of a user's own is a row of the user's: `Function(my_row)`; the row must outlive
/// every program that names it.
class Function {
  public:
    /// @pre `row` outlives the handle
    constexpr explicit Function(const FunctionRow& row) noexcept : row_(&row) {}
    [[nodiscard]] constexpr const FunctionRow& row() const noexcept { return *row_; }
    friend constexpr bool operator==(const Function&, const Function&) = default;

    // The library's own, defined in functions.hpp.
    static const Function identity, neg, abs, relu, exp, exp2, log, sqrt, rsqrt, reciprocal, tanh; // of one element
    /// Of two: a ∘ b; comparisons give 0 or 1.
    static const Function add, sub, mul, div, min, max, bit_and, bit_or, bit_xor, equal, less, less_equal;
    static const Function fma, select;                                 ///< of three: a·b + c;  a ≠ 0 ? b : c
    static const Function sigmoid, log2, sin, cos, floor, ceil, round; // of one element
    static const Function bit_cast;                                    ///< of one: the bits of a, as an element of D's type
    static const Function shift_left, shift_right;                     ///< of two: a·2^b, ⌊a/2^b⌋
    /// Of two, unsigned: a ≥ b ? 0 : a + 1;  a = 0 or a > b ? b : a − 1.
    static const Function inc, dec;

  private:
    const FunctionRow* row_;
};

} // namespace v0
} // namespace axe

#endif
