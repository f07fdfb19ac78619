// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_CLI_TOPICS_HPP
#define AXE_CLI_TOPICS_HPP

#include <span>
#include <string>
#include <string_view>

namespace axe_cli {

/// A page of the help about what all operations share: `axe help notation`.
struct Topic {
    std::string_view name, meaning;
    std::string_view page; ///< below the heading; an example is a line `  $ axe …` and the lines of its answer, up to an empty one
};
std::span<const Topic> topics();

/// The topic of this name, null when there is none.
const Topic* find_topic(std::string_view name);

/// The page with its heading.
std::string help_of(const Topic& topic);

} // namespace axe_cli

#endif
