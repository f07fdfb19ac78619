// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the library knows of hardware.
#include "columns.hpp"
#include "operation.hpp"

#include <axe/machine/atoms.hpp>

#include <algorithm>
#include <vector>

namespace axe_cli {
namespace {

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
    const Atom* before = nullptr; // what neighbours share is said once
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

/// The names, with the architecture and the operands of each.
void enumerate(Reply& reply, const std::vector<const Atom*>& atoms)
{
    std::vector<Row> rows;
    for (const Atom* atom : atoms) {
        const auto same = [&](const Row& row) { return row[0] == atom->name && row[1] == atom->arch; };
        auto row = std::find_if(rows.begin(), rows.end(), same);
        if (row == rows.end()) row = rows.insert(row, {atom->name, atom->arch, ""});
        row->back().append(row->back().empty() ? "" : " ").append(atom->operand).append(text_of(atom->shape()));
    }
    if (reply.form == Form::page) {
        reply.text =
            std::to_string(rows.size()) + " instructions and forms of memory; `axe atoms NAME` tells more of one" + table_of(rows);
        return;
    }
    for (const Row& row : rows) reply.text.append(reply.text.empty() ? "" : "; ").append(row[0]).append(" ").append(row[1]);
}

void atoms(Reply& reply, const std::optional<std::string_view>& name)
{
    std::vector<const Atom*> exact, near;
    for (const Atom& atom : axe::atoms::all) {
        if (name && *name == atom.name) exact.push_back(&atom);
        if (!name || std::string_view(atom.name).find(*name) != std::string_view::npos ||
            std::string_view(atom.arch).find(*name) != std::string_view::npos)
            near.push_back(&atom);
    }
    if (near.empty())
        return reply.fail("unknown_atom", "no instruction, form of memory or architecture has " + quoted(*name) + " in its name");
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
    operation("atoms", "[NAME]", "instructions and forms of memory: the layouts of their operands",
              "NAME is the name of one, or a part of the names or architectures of several",
              "unknown_atom (nothing has NAME in its name or architecture)", "atoms; v_mfma_f32_16x16x16_f16",
              "ok: v_mfma_f32_16x16x16_f16, per wave\n"
              "arch    operand  element  shape    layout\n"
              "gfx942  A        f16      (16,16)  (16,4,4):(1@lane,16@lane,1@reg)\n"
              "gfx942  B        f16      (16,16)  (4,4,16):(16@lane,1@reg,1@lane)\n"
              "gfx942  D        f32      (16,16)  (4,4,16):(16@lane,1@reg,1@lane)\n"
              "source  ROCm/amd_matrix_instruction_calculator 2ef91896, version 1.3.2\n"
              "known   by running it, or the vendor's own code, and comparing each element",
              [](Reply& reply, const std::optional<std::string_view>& name) { atoms(reply, name); }),
};

} // namespace

constinit const std::span<const Operation> hardware_operations = rows;

} // namespace axe_cli
