// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PICTURE_PAGE_HPP
#define AXE_PICTURE_PAGE_HPP

#include <axe/picture/svg.hpp>

namespace axe {
inline namespace v0 {

/// An interactive picture as one file of HTML that needs no network: the logical and the hardware view, that of the banks where
/// there is an access, and fields that edit the layout, the shape and the choices.
///
/// The script evaluates layouts by itself, exactly. `options.view` only decides whether an access that is not given is to be made up
/// (`PictureView::banks`: lane i takes vector number i). Readers without scripts get the text, and the logical view as SVG if it is small.
/// Errors: those of `picture` for the logical view and of `grid_axes`; with an access those of `warp_access`.
/// Cost: that of `svg`. About 70 KB, at most 300 KB.
AXE_DECL Result<std::string> page(const Swizzled<Layout>& tile, const Shape& shape, const PictureOptions& options = {});
AXE_DECL Result<std::string> page(const Layout& layout, const Shape& shape, const PictureOptions& options = {});

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/picture/impl/page.hpp>
#endif

#endif
