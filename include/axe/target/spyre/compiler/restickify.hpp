// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_SPYRE_COMPILER_RESTICKIFY_HPP
#define AXE_TARGET_SPYRE_COMPILER_RESTICKIFY_HPP

#include <axe/interop/spyre/make.hpp>
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
        return Error(errc::bad_argument, -1, "the order has no dimension in sticks that could change places");
    Result<DimOrder> result(order);
    for (int i = 0; i < order.size(); ++i) {
        if (order[i] != dim) continue;
        (*result)[i] = order.back();
        result->back() = dim;
        return result;
    }
    return Error(errc::bad_argument, dim, "the order does not name dimension {0}", dim);
}

namespace detail {

inline Problem check_move(const Tensor& to, const SpyreLayout& from, const RelayoutOptions& options)
{
    if (!is_in_order(to.device.arrangement) || !is_in_order(from.arrangement))
        return Problem(errc::no_layout, "elements are rearranged inside sticks: a nest of loops moves them in order");
    if (to.device.format != from.format && !options.from_type && !options.to_type)
        return Problem(errc::bad_argument, "the formats of the two layouts differ: a conversion needs the types of both");
    return {};
}

} // namespace detail

/// The copy of a view of a tensor on the device into another of the same sizes: slices, permutations and other sticks become one.
///
/// Padding is left alone, or gets the options' bits. `errc::size_mismatch`, `errc::bad_argument` of formats that differ without types,
/// the errors of `as_strided`, `errc::capacity` of more than 4096 nests, those of `plan_relayout`.
inline Outcome<Transfer> plan_restickify(const Tensor& to, const View& from, const RelayoutOptions& options = {})
{
    if (Problem p = detail::check_move(to, from.base.device, options)) return p;
    const auto sizes = detail::counted(to, from.torch);
    if (!sizes) return sizes.error();
    const auto side = side_of(from);
    if (!side) return Problem(side.error());
    return detail::plan_pieces(*sizes, side_of(to), *side, &to, detail::with_format(options, to.device.format));
}

/// The same of a whole tensor, on sizes of which the row-major order is the same: [64,4] to [256,1] moves elements, as each row has
/// sticks of its own.
inline Outcome<Transfer> plan_restickify(const Tensor& to, const Tensor& from, const RelayoutOptions& options = {})
{
    if (Problem p = detail::check_move(to, from.device, options)) return p;
    const auto n = element_count(to.torch), m = element_count(from.torch);
    if (!n || !m) return Problem(n ? m.error() : n.error());
    if (*n != *m) return Problem(Error(errc::size_mismatch, -1, "{0} elements cannot be viewed as {1}", *m, *n));
    const bool is_reshape = !(to.torch.shape == from.torch.shape);
    const auto sizes = is_reshape ? Outcome<Shape>(Shape{*n}) : detail::counted(to, from.torch);
    if (!sizes) return sizes.error();
    Side out = side_of(to), in = side_of(from);
    if (is_reshape) out.steps = in.steps = {1}; // both count elements in row-major order
    return detail::plan_pieces(*sizes, out, in, &to, detail::with_format(options, to.device.format));
}

namespace detail {

/// A copy between a view and an array of its sizes on the host.
inline Outcome<Transfer> plan_view(const View& view, const Strided& host, bool to_device, const RelayoutOptions& options)
{
    if (const Error e = check_host(host)) return Problem(e);
    if (!(host.shape == view.torch.shape))
        return Problem(errc::size_mismatch, "the array on the host has other sizes than the tensor on the device");
    if (!is_in_order(view.base.device.arrangement))
        return Problem(errc::no_layout, "elements are rearranged inside sticks: a nest of loops moves them in order");
    const auto side = side_of(view);
    if (!side) return Problem(side.error());
    const RelayoutOptions copy = with_format(options, view.base.device.format);
    return to_device ? plan_pieces(host.shape, *side, side_of(host), nullptr, copy)
                     : plan_pieces(host.shape, side_of(host), *side, nullptr, copy);
}

} // namespace detail

/// The copy of a view on the device to an array on the host.  Errors: as `plan_restickify`.
inline Outcome<Transfer> plan_to_host(const View& view, const Strided& host, const RelayoutOptions& options = {})
{
    return detail::plan_view(view, host, false, options);
}

/// The copy of an array on the host into a view on the device; all else stays, padding too.
///
/// `errc::bad_argument` where the base holds an element several times, or the view repeats one. Otherwise as `plan_restickify`.
inline Outcome<Transfer> plan_to_device(const View& view, const Strided& host, const RelayoutOptions& options = {})
{
    const Tensor& base = view.base;
    for (int j = 0; j < base.digits.size(); ++j) {
        const Digit& digit = base.digits[j];
        if (digit.dim == Digit::copies || (digit.dim >= 0 && base.host.strides[digit.dim] == 0))
            return Problem(Error(errc::bad_argument, j, "device dimension {0} holds copies, which a view writes only one of", j));
    }
    return detail::plan_view(view, host, true, options);
}

} // namespace spyre
} // namespace v0
} // namespace axe

#endif
