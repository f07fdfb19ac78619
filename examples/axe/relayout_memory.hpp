// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_CLI_RELAYOUT_MEMORY_HPP
#define AXE_CLI_RELAYOUT_MEMORY_HPP

#include <cstdint>

namespace axe_cli {

/// How many bytes this process may have in memory, pages of files with them: the machine's, or less where a control group says so.
std::int64_t memory_here();

} // namespace axe_cli

#endif
