// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "atom_picture.hpp"

#include "answers.hpp"

#include <axe/layout/slice.hpp>
#include <axe/picture/svg.hpp>

#include <algorithm>

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
    return axe::Error(axe::errc::bad_argument, -1, "the operands have no axis in common to be colored by");
}

bool same(const Operands& operands, const char* Atom::* text)
{
    for (const Atom* atom : operands)
        if (std::string_view(atom->*text) != operands.front()->*text) return false;
    return true;
}

/// What a picture has room for: the whole operand, or its first elements, the longest dimension halved as often as need be.
axe::Shape drawn_part(const Atom& atom)
{
    axe::Shape part = atom.shape();
    const auto cells = [&part] {
        std::int64_t product = 1;
        for (const std::int64_t extent : part) product *= extent;
        return product;
    };
    while (cells() > axe::max_picture_cells) {
        int longest = 0;
        for (int d = 1; d < part.size(); ++d)
            if (part[d] > part[longest]) longest = d;
        part[longest] /= 2;
    }
    return part;
}

std::string title_of(const Atom& atom, bool with_arch, const axe::Region& part)
{
    return (with_arch ? std::string(atom.arch) + " " : std::string()) + atom.operand + " " + atom.element + " " +
           text_of(atom.shape()) + (drawn_part(atom) == atom.shape() ? std::string() : ", of it " + text_of(part)) + "  " +
           text_of(atom.swizzled());
}

/// `A: what its note says`, operands with one note together; nothing for those without.
std::vector<std::string> notes_of(const Operands& operands, bool with_arch)
{
    std::vector<std::string> notes;
    std::vector<std::string_view> said;
    for (const Atom* atom : operands) {
        const std::string_view note = atom->note;
        if (note.empty() || std::find(said.begin(), said.end(), note) != said.end()) continue;
        said.push_back(note);
        std::string line;
        for (const Atom* other : operands)
            if (other->note == note)
                line += (line.empty() ? "" : ", ") + (with_arch ? std::string(other->arch) + " " : std::string()) + other->operand;
        notes.push_back(line + ": " + std::string(note));
    }
    return notes;
}

} // namespace

axe::Result<std::string> draw_atoms(const Operands& operands)
{
    const auto color = common_axis(operands);
    if (!color) return color.error();
    axe::PictureOptions options;
    options.color = *color;
    const bool one_arch = same(operands, &Atom::arch);
    axe::Picture all;
    std::vector<std::string> keys;
    for (const Atom* atom : operands) {
        const axe::Shape drawn = drawn_part(*atom);
        axe::Region region;
        for (const std::int64_t extent : drawn) region.push_back({0, extent});
        const auto part = axe::slice(atom->swizzled(), atom->shape(), region);
        if (!part) return part.error();
        auto one = axe::picture(*part, drawn, options);
        if (!one) return one.error();
        for (axe::PicturePanel& panel : one->panels) {
            panel.title = title_of(*atom, !one_arch, region);
            all.panels.push_back(std::move(panel));
        }
        keys.push_back(one->cell_key);
        if (!one->corner.empty() && !all.corner.empty() && one->corner != all.corner)
            all.corner = "an element with several points, colored by the first";
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
    all.color = text_of(*color);
    all.value_leads = true;
    all.subtitle = "each operand as the tensor, colored by " + all.color;
    for (std::string& note : notes_of(operands, !one_arch)) all.notes.push_back(std::move(note));
    for (std::size_t i = 0; i < operands.size(); ++i) { // neighbors share theirs
        const std::string source = std::string("Source: ") + operands[i]->source;
        if (all.notes.empty() || all.notes.back() != source) all.notes.push_back(source);
    }
    axe::detail::collect_values(all);
    return axe::draw(all);
}

} // namespace axe_cli
