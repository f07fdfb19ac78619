// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_SPYRE_COMPILER_RESTICKIFY_HPP
#define AXE_TARGET_SPYRE_COMPILER_RESTICKIFY_HPP

#include <axe/interop/spyre/sticks.hpp>
#include <axe/target/spyre/compiler/transfer.hpp>

namespace axe {
inline namespace v0 {
namespace spyre {

/// The order of dimensions with another one in sticks: the two change places.      [torch-spyre, restickify in pass_utils.py]
///
/// A layout made from the answer is the restickified one. `errc::bad_argument` when the order is sparse, or does not name the dimension.
constexpr Result<DimOrder> with_stick(const DimOrder& order, int dim) noexcept
{
    if (order.empty() || order.overfull() || order.back() == synthetic)
        return Error(errc::bad_argument, -1, "the order has no stick dimension to exchange");
    Result<DimOrder> result(order);
    for (int i = 0; i < order.size(); ++i) {
        if (order[i] != dim) continue;
        (*result)[i] = order.back();
        result->back() = dim;
        return result;
    }
    return Error(errc::bad_argument, dim, "the order does not name dimension {0}", dim);
}

/// The copy of a view of a tensor on the device into another of the same sizes: slices, permutations and other sticks become one.
///
/// Padding is left alone, or gets the options' bits. `errc::size_mismatch`, `errc::bad_argument` of formats that differ without types,
/// the errors of `as_strided`, `errc::capacity` of more than 4096 nests, those of `plan_relayout`.
AXE_DECL Result<Transfer, Problem> plan_restickify(const Tensor& to, const View& from, const RelayoutOptions& options = {});

/// The same of a whole tensor, on sizes of which the row-major order is the same: [64,4] to [256,1] moves elements, as each row has
/// sticks of its own.
AXE_DECL Result<Transfer, Problem> plan_restickify(const Tensor& to, const Tensor& from, const RelayoutOptions& options = {});

/// The copy of a view on the device to an array on the host.  Errors: as `plan_restickify`.
AXE_DECL Result<Transfer, Problem> plan_to_host(const View& view, const Strided& host, const RelayoutOptions& options = {});

/// The copy of an array on the host into a view on the device; all else stays, padding too.
///
/// `errc::bad_argument` where the base holds an element several times, or the view repeats one. Otherwise as `plan_restickify`.
AXE_DECL Result<Transfer, Problem> plan_to_device(const View& view, const Strided& host, const RelayoutOptions& options = {});

} // namespace spyre
} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/target/spyre/compiler/impl/restickify.hpp>
#endif

#endif
