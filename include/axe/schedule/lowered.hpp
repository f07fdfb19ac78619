// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_LOWERED_HPP
#define AXE_SCHEDULE_LOWERED_HPP

#include <axe/program/target.hpp>

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

/// The program with each operator replaced by the instructions of a schedule, layouts chosen where the program gave hints, and `Each`
/// taken away. The statements of an operator keep its number, and its temporaries are allocated where it stood.
///
/// @param target whose machine has the name of the program's: the program's own may differ from it in its numbers, a mesh of devices
///        among them
///
/// The problem lists, for an operator that no schedule does, every schedule of the target with its reason.
Outcome<Lowered> lower(const Program& program, const Target& target);

} // namespace v0
} // namespace axe

#endif
