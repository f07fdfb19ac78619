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
    std::vector<std::pair<std::string, std::string>> declined{}; ///< name, reason; without those that the machine cannot have
    /// Of the declined ones, those whose instructions are of a faster class, which the machine has for these types. `detail` ends with
    /// the first and its reason.
    std::vector<std::pair<std::string, std::string>> faster{};
};

/// What a lowering is asked beside the program.
struct LowerOptions {
    /// As `Options::only_fastest`, of all operators but those with a forced schedule.
    bool only_fastest = false;
};

/// A program of instructions, and why it is as it is.
struct Lowered {
    Program program{};
    std::vector<Choice> choices{};
};

} // namespace v0
} // namespace axe

#endif
