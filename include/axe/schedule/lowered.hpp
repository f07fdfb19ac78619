// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_LOWERED_HPP
#define AXE_SCHEDULE_LOWERED_HPP

#include <axe/program/program.hpp>

namespace axe {
inline namespace v0 {

/// Which schedule an operator got, and why not the others.
struct Choice {
    int statement = -1;
    std::string schedule{};
    std::string detail{};                                        ///< what it decided: "16 bytes a lane, swizzle<3,4,3>"
    std::vector<std::pair<std::string, std::string>> declined{}; ///< name, reason
};

/// A program of instructions, and why it is as it is.
struct Lowered {
    Program program{};
    std::vector<Choice> choices{};
};

} // namespace v0
} // namespace axe

#endif
