// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "atom_picture.hpp"

#include "answers.hpp"

#include <axe/picture/svg.hpp>

namespace axe_cli {
namespace {

using axe::Atom;
using Operands = std::vector<const Atom*>;

/// The first axis, owners of values before places, on which every operand lies.
axe::Result<axe::Axis> common_axis(const Operands& operands)
{
    for (const axe::Axis& axis : axe::moving_axes(operands.front()->layout())) {
        bool everywhere = true;
        for (const Atom* atom : operands) everywhere = everywhere && axe::detail::occurs(atom->layout(), axis);
        if (everywhere) return axis;
    }
    return axe::Error(axe::errc::bad_argument, -1, "the operands have no axis in common to be coloured by");
}

bool same(const Operands& operands, const char* Atom::* text)
{
    for (const Atom* atom : operands)
        if (std::string_view(atom->*text) != operands.front()->*text) return false;
    return true;
}

std::string title_of(const Atom& atom, bool with_arch)
{
    return (with_arch ? std::string(atom.arch) + " " : std::string()) + atom.operand + " " + atom.element + " " +
           text_of(atom.shape()) + "  " + text_of(atom.swizzled());
}

} // namespace

axe::Result<std::string> draw_atoms(const Operands& operands)
{
    const auto colour = common_axis(operands);
    if (!colour) return colour.error();
    axe::PictureOptions options;
    options.colour = *colour;
    const bool one_arch = same(operands, &Atom::arch);
    axe::Picture all;
    std::vector<std::string> keys;
    for (const Atom* atom : operands) {
        auto one = axe::picture(atom->swizzled(), atom->shape(), options);
        if (!one) return one.error();
        for (axe::PicturePanel& panel : one->panels) {
            panel.title = title_of(*atom, !one_arch);
            all.panels.push_back(std::move(panel));
        }
        keys.push_back(one->cell_key);
        if (!one->corner.empty() && !all.corner.empty() && one->corner != all.corner)
            all.corner = "an element with several points, coloured by the first";
        else if (!one->corner.empty())
            all.corner = one->corner;
        all.cell_key = one->cell_key;
    }
    for (std::size_t i = 0; i < keys.size(); ++i) // an axis on which one operand does not move is not in its cells
        if (keys[i] != all.cell_key) {
            all.notes.push_back("In the cells of the operands, from the top:");
            for (std::size_t k = 0; k < keys.size(); ++k)
                all.notes.back().append(k > 0 ? "; " : " ").append(operands[k]->operand).append(": ").append(keys[k]);
            all.cell_key = "where the element lives";
            break;
        }
    const Atom& first = *operands.front();
    all.title = std::string(first.name) + (one_arch ? std::string(" on ") + first.arch : std::string()) + ", per " + first.scope;
    all.layout = all.title; // there is one for each panel
    all.colour = text_of(*colour);
    all.value_leads = true;
    all.subtitle = "each operand as the tensor, coloured by " + all.colour;
    for (std::size_t i = 0; i < operands.size(); ++i) { // neighbours share theirs
        const std::string source = std::string("Source: ") + operands[i]->source;
        if (all.notes.empty() || all.notes.back() != source) all.notes.push_back(source);
    }
    axe::detail::collect_values(all);
    return axe::draw(all);
}

} // namespace axe_cli
