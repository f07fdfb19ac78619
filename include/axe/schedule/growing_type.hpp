// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_GROWING_TYPE_HPP
#define AXE_SCHEDULE_GROWING_TYPE_HPP

#include <axe/program/functions.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// The type that a reduction between two types grows in: what the simulator computes in, so that only the result is rounded.
constexpr DType growing_type(DType a, DType d) noexcept
{
    if (a == DType::f64 || d == DType::f64) return DType::f64;
    return is_whole(a) && is_whole(d) ? DType::i32 : DType::f32;
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
