// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of all operations, family by family.
#include "operation.hpp"

#include "synonyms.hpp"
#include "topics.hpp"

#include <axe/kernels.hpp>
#include <axe/target/atoms.hpp>
#include <axe/text/nearest_word.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace axe_cli {

std::span<const Family> families()
{
    static const Family all[] = {
        {"Look", look_operations},
        {"Compare", compare_operations},
        {"On a shape", shape_operations},
        {"Combine", combine_operations},
        {"Invert", invert_operations},
        {"Axes", axis_operations},
        {"Hardware", hardware_operations},
        {"Tensor maps", tma_operations},
        {"Meshes", mesh_operations},
        {"Programs", run_operations},
        {"Draw", picture_operations},
        {"Indexing maps", map_operations, "map", "XLA's indexing maps: simplify, compose, compare, invert; to and from layouts"},
        {"CuTe", cute_operations, "cute", "the layouts of CuTe, by its own operations; to and from layouts"},
        {"Linear layouts", linear_operations, "linear", "the linear layouts of Triton, by its own operations; to and from layouts"},
        {"Strides", strides_operations, "strides",
         "arrays as NumPy, PyTorch, DLPack, oneDNN, XLA and BLAS describe them; to and from layouts"},
        {"Sharding", sharding_operations, "sharding",
         "arrays over devices as Shardy, XLA, JAX, DTensor, nd-SBP and Alpa write them; to and from layouts"},
        {"Spyre", spyre_operations, "spyre",
         "tensors on Spyre: layouts, transfers, sticks, the work of cores; to and from layouts"},
    };
    return all;
}

Named find(Fields request)
{
    if (request.empty()) return {nullptr, 0};
    const Family* group = find_group(request.front());
    if (group == nullptr) {
        for (const Family& family : families())
            for (const Operation& op : family.operations)
                if (op.name == request.front()) return {&op, 1};
    } else if (request.size() > 1) {
        for (const Operation& op : group->operations)
            if (last_word(op) == request[1]) return {&op, 2};
    }
    return {nullptr, 0};
}

const Family* find_group(std::string_view group)
{
    for (const Family& family : families())
        if (!family.group.empty() && family.group == group) return &family;
    return nullptr;
}

std::string_view last_word(const Operation& op) { return op.name.substr(op.name.find(' ') + 1); }

std::span<const Command> commands()
{
    static constexpr Command all[] = {
        {"batch", "", "answer requests from standard input, one a line: eval; 64:1; (8,8); (1,2)"},
        {"run", "[EXAMPLE ...]", "run an example on simulated machines, checked and verified; alone, list them"},
        {"relayout", "IN OUT ...", "copy the tensor of a .npy file into another layout; `axe help relayout` tells how"},
        {"help", "[WORD]", "this page; or one operation with its equation and an example; a group of them; a topic"},
        {"completion", "bash|fish|zsh", "print a completion script for the shell: source <(axe completion bash)"},
    };
    return all;
}

namespace {

using Words = std::vector<const char*>; // parts of literals, each to its end: they end in a zero

std::string_view nearest(std::string_view word, const Words& known)
{
    const int at = axe::nearest_word(word.data(), static_cast<int>(word.size()), known.data(), static_cast<int>(known.size()));
    return at < 0 ? std::string_view() : known[static_cast<std::size_t>(at)];
}

/// `machines sm90` of `H100`, or of the machine itself; `atoms gfx942` of an architecture that is no machine here.
std::string about_hardware(std::string_view name)
{
    const std::string_view meant = synonym(machine_synonyms(), name), known = meant.empty() ? name : meant;
    for (const axe::Target* target : axe::targets::all())
        if (known == target->machine.name) return "machines " + std::string(known);
    for (const axe::Atom& atom : axe::atoms::all)
        if (known == atom.arch) return "atoms " + std::string(known);
    return {};
}

} // namespace

std::string nearest_name(std::string_view name)
{
    if (const std::string_view meant = synonym(operation_synonyms(), name); !meant.empty()) return std::string(meant);
    if (const std::string request = about_hardware(name); !request.empty()) return request;
    static const Words names = [] {
        Words all;
        for (const Family& family : families()) {
            if (!family.group.empty()) all.push_back(family.group.data());
            for (const Operation& op : family.operations)
                if (family.group.empty()) all.push_back(op.name.data());
        }
        for (const Command& command : commands()) all.push_back(command.name.data());
        for (const Topic& topic : topics()) all.push_back(topic.name.data());
        return all;
    }();
    // `is_injective`, and the word of a group without the group: `logical_divide`
    std::string word(name);
    std::replace(word.begin(), word.end(), '_', '-');
    const std::string_view bare = word.starts_with("is-") ? std::string_view(word).substr(3) : word;
    for (const Family& family : families())
        for (const Operation& op : family.operations)
            if (last_word(op) == bare) return std::string(op.name);
    return std::string(nearest(name, names));
}

std::string_view nearest_name(const Family& group, std::string_view word)
{
    if (const std::string_view meant = synonym(group.group, word); !meant.empty()) return meant;
    Words words;
    for (const Operation& op : group.operations) words.push_back(last_word(op).data());
    return nearest(word, words);
}

} // namespace axe_cli
