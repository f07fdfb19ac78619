// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_CLI_COLUMNS_HPP
#define AXE_CLI_COLUMNS_HPP

#include <string>
#include <vector>

namespace axe_cli {

using Row = std::vector<std::string>;

/// Lines of aligned columns, each after a newline and `indent` spaces. The last column may be as long as it is.
std::string table_of(const std::vector<Row>& rows, std::size_t indent = 0);

/// The words with commas between them.
std::string listed(const std::vector<std::string>& words);

/// 1,234,567
std::string grouped_digits(long long n);

} // namespace axe_cli

#endif
