// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_CLI_HELP_HPP
#define AXE_CLI_HELP_HPP

#include "operation.hpp"

#include <string>
#include <string_view>

namespace axe_cli {

/// Three lines for a user who typed `axe` alone.
std::string short_usage();

/// The one page a new user reads.
std::string help_page();

/// One operation: usage, meaning, an example with its answer, when it refuses.
std::string help_of(const Operation& op);

/// The operations of a group.
std::string help_of(const Family& group);

/// `usage: axe slice L S REGION` and the example, after a wrong number of arguments.
std::string usage_of(const Operation& op);

/// `S is a shape: (8,16), or 64`, after an argument that could not be read, counted from 1; empty where there is nothing to say.
std::string form_of(const Operation& op, int argument);

/// All pages of the help as one page for man(1), in roff; `version` stands at its foot.
std::string manual_page(std::string_view version);

/// The script that completes commands of the shell, `bash`, `fish` or `zsh`; empty for another shell.
std::string completion(std::string_view shell);

} // namespace axe_cli

#endif
