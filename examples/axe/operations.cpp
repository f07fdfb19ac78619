// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of all operations, family by family.
#include "operation.hpp"

#include <axe/text/nearest_word.hpp>

#include <vector>

namespace axe_cli {

std::span<const Family> families()
{
    static const Family all[] = {
        {"Look", look_operations},         {"Compare", compare_operations}, {"On a shape", shape_operations},
        {"Combine", combine_operations},   {"Invert", invert_operations},   {"Axes", axis_operations},
        {"Hardware", hardware_operations}, {"Programs", run_operations},    {"Draw", picture_operations},
    };
    return all;
}

const Operation* find(std::string_view name)
{
    for (const Family& family : families())
        for (const Operation& op : family.operations)
            if (op.name == name) return &op;
    return nullptr;
}

std::span<const Command> commands()
{
    static constexpr Command all[] = {
        {"batch", "", "answer requests from standard input, one a line: eval; 64:1; (8,8); (1,2)"},
        {"run", "[STORY ...]", "run an example on simulated machines, checked and verified; alone, list them"},
        {"help", "[OPERATION]", "this page; or one operation with its equation and an example"},
        {"completion", "bash|zsh", "print a completion script for the shell: source <(axe completion bash)"},
    };
    return all;
}

std::string_view nearest_name(std::string_view name)
{
    static const std::vector<const char*> names = [] {
        std::vector<const char*> all; // of literals, which end in a zero
        for (const Family& family : families())
            for (const Operation& op : family.operations) all.push_back(op.name.data());
        for (const Command& command : commands()) all.push_back(command.name.data());
        return all;
    }();
    const int at = axe::nearest_word(name.data(), static_cast<int>(name.size()), names.data(), static_cast<int>(names.size()));
    return at < 0 ? std::string_view() : names[static_cast<std::size_t>(at)];
}

} // namespace axe_cli
