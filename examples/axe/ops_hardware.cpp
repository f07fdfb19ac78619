// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the library knows of hardware.
#include "atom_picture.hpp"
#include "columns.hpp"
#include "drawing_file.hpp"
#include "operation.hpp"
#include "synonyms.hpp"

#include <axe/target/atoms.hpp>
#include <axe/text/nearest_word.hpp>

#include <algorithm>
#include <vector>

namespace axe_cli {
namespace {
namespace hardware_table {

using axe::Atom;

void write_atom(JsonWriter& json, const Atom& atom)
{
    json.open('{').key("name").string(atom.name).key("arch").string(atom.arch).key("scope").string(atom.scope);
    json.key("operand").string(atom.operand).key("element").string(atom.element).key("shape");
    write(json, atom.shape());
    json.key("layout").string(text_of(atom.swizzled()));
    json.key("evidence").string(atom.evidence == axe::Evidence::executed ? "executed" : "documents");
    json.key("source").string(atom.source).key("note").string(atom.note).close('}');
}

const char* words_of(axe::Evidence evidence)
{
    return evidence == axe::Evidence::executed ? "by running it, or the vendor's own code, and comparing each element"
                                               : "from the source alone";
}

/// All that is known of the operands of one instruction.
void describe(Reply& reply, const std::vector<const Atom*>& operands)
{
    if (reply.form != Form::page) {
        for (const Atom* atom : operands) {
            reply.text.append(reply.text.empty() ? "" : "; ").append(atom->arch).append(" ").append(atom->operand).append(" ");
            reply.text.append(atom->element).append(" ");
            append(reply.text, atom->shape());
            append(reply.text += ' ', atom->swizzled());
        }
        return;
    }
    reply.text.append(operands.front()->name).append(", per ").append(operands.front()->scope);
    std::vector<Row> rows{{"arch", "operand", "element", "shape", "layout"}};
    for (const Atom* atom : operands)
        rows.push_back({atom->arch, atom->operand, atom->element, text_of(atom->shape()), text_of(atom->swizzled())});
    reply.text += table_of(rows);
    const Atom* before = nullptr; // what neighbors share is said once
    for (const Atom* atom : operands) {
        const auto changes = [&](const char* Atom::* text) {
            return before == nullptr || std::string_view(before->*text) != atom->*text;
        };
        if (changes(&Atom::source)) reply.text.append("\nsource  ").append(atom->source);
        if (before == nullptr || before->evidence != atom->evidence)
            reply.text.append("\nknown   ").append(words_of(atom->evidence));
        if (*atom->note != '\0' && changes(&Atom::note)) reply.text.append("\nnote    ").append(atom->note);
        before = atom;
    }
}

/// A row for each operand.
void enumerate(Reply& reply, const std::vector<const Atom*>& atoms)
{
    std::vector<Row> rows{{"name", "arch", "operand", "element", "shape", "layout"}};
    std::vector<std::string> names;
    for (const Atom* atom : atoms) {
        rows.push_back({atom->name, atom->arch, atom->operand, atom->element, text_of(atom->shape()), text_of(atom->swizzled())});
        if (std::find(names.begin(), names.end(), atom->name) == names.end()) names.emplace_back(atom->name);
    }
    if (reply.form == Form::page) {
        reply.text = (atoms.size() == 1 ? "one operand" : std::to_string(atoms.size()) + " operands") + " of " +
                     (names.size() == 1 ? "one instruction or form of memory"
                                        : std::to_string(names.size()) + " instructions and forms of memory") +
                     "; `axe atoms NAME` tells more of one" + table_of(rows);
        return;
    }
    for (std::size_t r = 1; r < rows.size(); ++r) {
        if (r > 1) reply.text += "; ";
        for (std::size_t c = 0; c < rows[r].size(); ++c) reply.text.append(c > 0 ? " " : "").append(rows[r][c]);
    }
}

/// The name or architecture that was probably meant: at most three edits away, and fewer than a third of the characters. Names are
/// long and alike, so that what is compared is what two of them do not share at both ends.
std::string_view nearest_atom(std::string_view word)
{
    if (const std::string_view meant = synonym(machine_synonyms(), word); !meant.empty())
        for (const Atom& atom : axe::atoms::all)
            if (std::string_view(atom.arch).find(meant) != std::string_view::npos) return meant;
    std::string_view nearest;
    int least = std::min(4, static_cast<int>(word.size() + 2) / 3);
    const auto consider = [&](std::string_view known) {
        std::string_view a = word, b = known;
        while (!a.empty() && !b.empty() && a.front() == b.front()) a.remove_prefix(1), b.remove_prefix(1);
        while (!a.empty() && !b.empty() && a.back() == b.back()) a.remove_suffix(1), b.remove_suffix(1);
        if (a.size() > axe::detail::longest_word || b.size() > axe::detail::longest_word) return;
        const int edits = axe::detail::edits(a.data(), static_cast<int>(a.size()), b.data(), static_cast<int>(b.size()));
        if (edits < least) least = edits, nearest = known;
    };
    for (const Atom& atom : axe::atoms::all) {
        const std::string_view name = atom.name;
        consider(name);
        consider(name.substr(0, name.find('.')));
        consider(atom.arch);
    }
    return nearest;
}

/// `--draw FILE.svg`.
void draw(Reply& reply, const std::vector<const Atom*>& operands, std::string_view file)
{
    if (!is_drawing_name(reply, 3, file, false)) return;
    const auto content = draw_atoms(operands);
    if (!content) return reply.refuse(content.error());
    give_drawing(reply, file, *content);
}

void atoms(Reply& reply, const std::optional<std::string_view>& name, const std::vector<std::string_view>& drawing)
{
    if (name && name->starts_with("--"))
        return reply.fail("bad_argument", "argument 1: expected the name of an instruction or a form of memory");
    if (!drawing.empty() && (drawing.size() != 2 || drawing[0] != "--draw"))
        return reply.fail("bad_argument", "argument 2: expected --draw FILE.svg, and no more");
    std::vector<const Atom*> exact, near;
    for (const Atom& atom : axe::atoms::all) {
        if (name && *name == atom.name) exact.push_back(&atom);
        if (!name || std::string_view(atom.name).find(*name) != std::string_view::npos ||
            std::string_view(atom.arch).find(*name) != std::string_view::npos)
            near.push_back(&atom);
    }
    if (near.empty()) {
        const std::string message = "no instruction, form of memory or architecture has " + quoted(*name) + " in its name";
        return reply.fail("unknown_atom", message, nearest_atom(*name));
    }
    if (!drawing.empty()) {
        if (exact.empty()) return reply.fail("unknown_atom", "several have " + quoted(*name) + " in their names; --draw takes one");
        return draw(reply, exact, drawing[1]);
    }
    if (exact.empty())
        enumerate(reply, near);
    else
        describe(reply, exact);
    if (!reply.json()) return;
    reply.fields.key("atoms").open('[');
    for (const Atom* atom : exact.empty() ? near : exact) write_atom(reply.fields, *atom);
    reply.fields.close(']');
}

constexpr Operation rows[] = {
    operation("atoms", "[NAME] [--draw FILE.svg]", "instructions and forms of memory: the layouts of their operands",
              "NAME is the name of one, or a part of the names or architectures of several\n"
              "--draw FILE.svg  the operands of the one as drawings, in each cell the location of that element",
              "unknown_atom (nothing has NAME in its name or architecture), cannot_write", "atoms; v_mfma_f32_16x16x16_f16",
              "ok: v_mfma_f32_16x16x16_f16, per wave\n"
              "arch    operand  element  shape    layout\n"
              "gfx942  A        f16      (16,16)  (16,4,4):(1@lane,16@lane,1@reg)\n"
              "gfx942  B        f16      (16,16)  (4,4,16):(16@lane,1@reg,1@lane)\n"
              "gfx942  D        f32      (16,16)  (4,4,16):(16@lane,1@reg,1@lane)\n"
              "source  ROCm/amd_matrix_instruction_calculator 2ef91896, version 1.3.2\n"
              "known   by running it, or the vendor's own code, and comparing each element",
              [](Reply& reply, const std::optional<std::string_view>& name, const std::vector<std::string_view>& drawing) {
                  atoms(reply, name, drawing);
              }),
};

} // namespace hardware_table
} // namespace

constinit const std::span<const Operation> hardware_operations = hardware_table::rows;

} // namespace axe_cli
