// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TENSOR_LOCAL_HPP
#define AXE_TENSOR_LOCAL_HPP

#include <axe/tensor/tensor.hpp>

namespace axe {
inline namespace v0 {

/// What one owner holds of a tensor, as a separate tensor.
struct LocalView {
    Tensor tensor{};  ///< the owner's part; the axes that name the owner are gone from its layout
    Layout logical{}; ///< element x of the part, row-major, is element logical(x) of the whole, row-major, on m
};

/// The part of a tensor that the owner with these coordinates holds: a device `{{"gpuid", 2}}`, a warp `{{"warp", 1}}`, one lane of it
/// `{{"warp", 1}, {"lane", 5}}`.
///
///   part(x) = whole(logical(x)),   owner ∈ whole's layout on the owner's axes
///
/// Replicas: each owner of a copy holds the same part. `errc::no_layout` when the owner holds nothing, when what it holds of a dimension
/// is no choice of one digit for each of the owner's iters, or when the shape does not group the layout; `errc::too_hard` beyond 2^20
/// owners. Cost: linear in iters, and in the number of owners.
AXE_DECL Result<LocalView, Problem> local(const Tensor& whole, const Point& owner);

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/tensor/impl/local.hpp>
#endif

#endif
