// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXTEND_SOFTSIGN_HPP
#define EXTEND_SOFTSIGN_HPP

#include <axe/program/functions.hpp>
#include <axe/sim/reference/bounds_functions.hpp>

#include <cmath>

namespace brook {

/// softsign(x) = x / (1 + |x|): a function of elements that the library does not have. What it computes, in f64 and in f32; what an
/// application counts as; and what a correct run may give: the function rises, so that the ends of an interval bound its values, and
/// `rising` adds the rounding of a function in the type it is computed in.
inline constexpr axe::FunctionRow softsign_row{
    .name = "softsign",
    .arity = 1,
    .domain = axe::Domain::fractions,
    .apply = [](double x, double, double) { return x / (1 + std::fabs(x)); },
    .apply_f32 = [](float x, float, float) { return x / (1 + std::fabs(x)); },
    .apply_integer = nullptr,
    .operations = 3,
    .bounds =
        [](const axe::Bounded* a, axe::DType computed) {
            return axe::ref::rising(
                a[0], [](double x) { return std::isinf(x) ? std::copysign(1.0, x) : x / (1 + std::fabs(x)); }, computed);
        },
};
inline constexpr axe::Function softsign{softsign_row};

} // namespace brook

#endif
