// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_CLI_DRAWING_FILE_HPP
#define AXE_CLI_DRAWING_FILE_HPP

#include "reply.hpp"

#include <string>
#include <string_view>

namespace axe_cli {

/// Can a drawing be in a file of this name: does it end in .svg, or in .html where `page` may be one, and is it one line, as the answer
/// must be? If not, that is the reply.
bool is_drawing_name(Reply& reply, int argument, std::string_view file, bool page);

/// Writes a drawing, whole or not at all; the answer is the name of its file.
void give_drawing(Reply& reply, std::string_view file, const std::string& content);

} // namespace axe_cli

#endif
