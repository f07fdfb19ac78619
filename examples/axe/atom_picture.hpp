// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_CLI_ATOM_PICTURE_HPP
#define AXE_CLI_ATOM_PICTURE_HPP

#include <axe/machine/atom.hpp>

#include <string>
#include <vector>

namespace axe_cli {

/// The operands of one instruction side by side, in each cell where that element lives, in one set of colors: SVG.
///
/// Errors: those of `axe::picture`; `bad_argument` where the operands have no axis in common that could color them.
axe::Result<std::string> draw_atoms(const std::vector<const axe::Atom*>& operands);

} // namespace axe_cli

#endif
