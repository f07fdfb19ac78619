// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_SPYRE_COMPILER_IMPL_RESTICKIFY_HPP
#define AXE_TARGET_SPYRE_COMPILER_IMPL_RESTICKIFY_HPP

#include <axe/interop/spyre/make.hpp>
#include <axe/support/errors.hpp>
#include <axe/target/spyre/compiler/impl/transfer.hpp>
#include <axe/target/spyre/compiler/restickify.hpp>

namespace axe {
inline namespace v0 {
namespace spyre {
namespace detail {

inline Result<void, Problem> check_move(const Tensor& to, const SpyreLayout& from, const RelayoutOptions& options)
{
    if (!is_in_order(to.device.arrangement) || !is_in_order(from.arrangement)) return Problem(sticks_rearranged());
    if (to.device.format != from.format && !options.from_type && !options.to_type)
        return Problem(errc::bad_argument, "the formats of the two layouts differ: a conversion needs the types of both");
    return {};
}

} // namespace detail

AXE_DECL Result<Transfer, Problem> plan_restickify(const Tensor& to, const View& from, const RelayoutOptions& options)
{
    if (auto p = detail::check_move(to, from.base.device, options); !p.ok()) return p;
    const auto sizes = detail::counted(to, from.torch);
    if (!sizes) return sizes.error();
    const auto side = side_of(from);
    if (!side) return Problem(side.error());
    return detail::plan_pieces(*sizes, side_of(to), *side, &to, detail::with_format(options, to.device.format));
}

AXE_DECL Result<Transfer, Problem> plan_restickify(const Tensor& to, const Tensor& from, const RelayoutOptions& options)
{
    if (auto p = detail::check_move(to, from.device, options); !p.ok()) return p;
    const auto n = element_count(to.torch), m = element_count(from.torch);
    if (!n || !m) return Problem(n ? m.error() : n.error());
    if (*n != *m) return Problem(axe::detail::sizes_differ(*m, *n));
    const bool is_reshape = !(to.torch.shape == from.torch.shape);
    const auto sizes = is_reshape ? Result<Shape, Problem>(Shape{*n}) : detail::counted(to, from.torch);
    if (!sizes) return sizes.error();
    Side out = side_of(to), in = side_of(from);
    if (is_reshape) out.steps = in.steps = {1}; // both count elements in row-major order
    return detail::plan_pieces(*sizes, out, in, &to, detail::with_format(options, to.device.format));
}

namespace detail {

/// A copy between a view and an array of its sizes on the host.
inline Result<Transfer, Problem> plan_view(const View& view, const Strided& host, bool to_device, const RelayoutOptions& options)
{
    if (const Status e = check_host(host); !e.ok()) return Problem(e.error());
    if (!(host.shape == view.torch.shape)) return Problem(host_differs());
    if (!is_in_order(view.base.device.arrangement)) return Problem(sticks_rearranged());
    const auto side = side_of(view);
    if (!side) return Problem(side.error());
    const RelayoutOptions copy = with_format(options, view.base.device.format);
    return to_device ? plan_pieces(host.shape, *side, side_of(host), nullptr, copy)
                     : plan_pieces(host.shape, side_of(host), *side, nullptr, copy);
}

} // namespace detail

AXE_DECL Result<Transfer, Problem> plan_to_host(const View& view, const Strided& host, const RelayoutOptions& options)
{
    return detail::plan_view(view, host, false, options);
}

AXE_DECL Result<Transfer, Problem> plan_to_device(const View& view, const Strided& host, const RelayoutOptions& options)
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
