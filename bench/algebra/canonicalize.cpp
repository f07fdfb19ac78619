// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// canonicalize, equal and group: what every other operation starts with.
#include "layouts.hpp"

namespace {

using namespace bench;

[[maybe_unused]] const bool registered = [] {
    const auto canonicalize = [](const Layout& l) { return axe::canonicalize(l); };
    const auto equal = [](const Layout& l, const Layout& m) { return axe::equal(l, m); };
    const auto group = [](const Layout& l, const Shape& s) { return axe::group(l, s); };
    const auto with = [&](const std::string& name, Shaped (*shaped)(Factors), Layout (*split)(Factors)) {
        add("canonicalize/" + name, [=](Factors f) { return std::tuple(split(f)); }, canonicalize);
        add("equal/" + name, [=](Factors f) { return std::tuple(shaped(f).layout, split(f)); }, equal);
        add("group/" + name, [=](Factors f) { return std::tuple(split(f), shaped(f).shape); }, group);
        if (!axe::equal(shaped(small).layout, split(small)) || !axe::equal(shaped(large).layout, split(large))) {
            std::fprintf(stderr, "%s: the two spellings differ\n", name.c_str());
            std::exit(1);
        }
    };
    with("fragment", fragment, fragment_split);
    with("mesh", mesh, mesh_split);
    with("scratchpad", scratchpad, scratchpad_split);
    with("interleaved", interleaved, interleaved_same);
    with("replicated", replicated, replicated_split);

    // A no: the innermost digits are alike, the outermost differ.
    add(
        "equal/different",
        [](Factors f) {
            Layout other = interleaved(f).layout;
            other.shard[0].stride = 9;
            return std::tuple(interleaved(f).layout, other);
        },
        equal);
    // Every dimension cuts a digit.
    add("group/cut_digits", [](Factors f) { return std::tuple(scratchpad(f).layout, Shape{2, 4 * f.a, 4, 8, 4 * f.b}); }, group);
    return true;
}();

} // namespace
