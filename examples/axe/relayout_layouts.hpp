// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_CLI_RELAYOUT_LAYOUTS_HPP
#define AXE_CLI_RELAYOUT_LAYOUTS_HPP

#include "relayout_options.hpp"

#include <axe/relayout/side.hpp>

namespace axe_cli {

/// x ↦ x
axe::Layout in_order(std::int64_t elements);

/// Where a file in Fortran order has the elements, which are numbered row-major: the first dimension is the fastest.
axe::Layout first_fastest(const axe::Shape& shape);

/// Is each axis that was given a pitch one of a layout's?
axe::Result<void, axe::Problem> check_pitches(const RelayoutRequest& request, const axe::Layout& from, const axe::Layout& to);

/// The pitches that were given, to a side that has one of their axes; a plain address, on m, has pitch 1 unless said.
axe::Result<void, axe::Problem> add_pitches(const RelayoutRequest& request, axe::RelayoutSide& side);

/// The same side in elements that are a k-th as wide: the tensor has one dimension more, of k. `option` is what made the side.
axe::Result<void, axe::Problem> split(axe::RelayoutSide& side, const std::string& option, std::int64_t k);

} // namespace axe_cli

#endif
