// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What programs run on, and what their operators may become.
#include "columns.hpp"
#include "machine_text.hpp"
#include "operation.hpp"

#include <axe/kernels.hpp>

#include <algorithm>

namespace axe_cli {
namespace {
namespace run_table {

using axe::Machine;

void machines(Reply& reply, const std::optional<std::string_view>& name)
{
    std::vector<const Machine*> chosen;
    std::vector<std::string> names;
    for (const axe::Target* target : axe::targets::all()) {
        names.emplace_back(target->machine.name);
        if (!name || *name == target->machine.name) chosen.push_back(&target->machine);
    }
    if (chosen.empty()) {
        std::string message = "no machine is called " + quoted(*name) + "; there are " + listed(names);
        return reply.fail("unknown_machine", message, meant_machine(*name));
    }
    if (reply.form == Form::page && name) {
        reply.text = describe(*chosen.front());
    } else if (reply.form == Form::page) {
        reply.text = std::to_string(chosen.size()) + " machines; `axe machines NAME` tells more of one";
        std::vector<Row> rows;
        for (const Machine* m : chosen) rows.push_back({m->name, m->what, scopes_text(*m), memories_text(*m)});
        reply.text += table_of(rows);
    } else {
        for (const Machine* m : chosen)
            reply.text.append(reply.text.empty() ? "" : "; ")
                .append(m->name)
                .append(": ")
                .append(scopes_text(*m))
                .append("; ")
                .append(memories_text(*m));
    }
    if (!reply.json()) return;
    reply.fields.key("machines").open('[');
    for (const Machine* machine : chosen) write(reply.fields, *machine);
    reply.fields.close(']');
}

/// A schedule, and the targets that have it, as in "cpu, sm80, sm90".
struct ListedSchedule {
    const axe::Schedule* row;
    std::string targets;
};

/// The schedules of all targets: by operator in the order of the language, then as they are tried.
std::vector<ListedSchedule> all_schedules()
{
    const auto place = [](axe::Op op) { return std::distance(&axe::operator_rows[0], &op.row()); };
    const auto before = [&](const axe::Schedule* a, const ListedSchedule& b) {
        return a->op != b.row->op ? place(a->op) < place(b.row->op) : a->priority > b.row->priority;
    };
    std::vector<ListedSchedule> out;
    for (const axe::Target* target : axe::targets::all())
        for (const axe::Schedule& row : target->schedules) {
            const auto known = std::find_if(out.begin(), out.end(), [&](const ListedSchedule& s) { return s.row == &row; });
            if (known == out.end())
                out.insert(std::upper_bound(out.begin(), out.end(), &row, before), {&row, target->machine.name});
            else
                known->targets += std::string(", ") + target->machine.name;
        }
    return out;
}

void schedules(Reply& reply, const std::optional<std::string_view>& op)
{
    std::vector<ListedSchedule> rows;
    std::vector<std::string> operators;
    for (const ListedSchedule& s : all_schedules()) {
        const char* name = axe::name(s.row->op);
        if (std::find(operators.begin(), operators.end(), name) == operators.end()) operators.emplace_back(name);
        if (!op || *op == name) rows.push_back(s);
    }
    if (rows.empty())
        return reply.fail("unknown_operator",
                          "no schedule is of an operator " + quoted(*op) + "; they are of " + listed(operators));
    if (reply.form == Form::page) {
        reply.text = op ? std::to_string(rows.size()) + " of " + std::string(*op)
                        : std::to_string(rows.size()) + " schedules; of an operator the first that applies is taken, by priority";
        std::vector<Row> lines{{"operator", "schedule", "priority", "targets", "asks of the machine", "what it does"}};
        for (const auto& [row, targets] : rows)
            lines.push_back({axe::name(row->op), row->name, std::to_string(row->priority), targets, row->asks, row->what});
        reply.text += table_of(lines);
    } else {
        for (const auto& [row, targets] : rows)
            reply.text.append(reply.text.empty() ? "" : "; ")
                .append(axe::name(row->op))
                .append(" ")
                .append(row->name)
                .append(" ")
                .append(std::to_string(row->priority));
    }
    if (!reply.json()) return;
    reply.fields.key("schedules").open('[');
    for (const auto& [row, targets] : rows)
        reply.fields.open('{')
            .key("operator")
            .string(axe::name(row->op))
            .key("name")
            .string(row->name)
            .key("priority")
            .number(row->priority)
            .key("class")
            .number(row->instruction_class)
            .key("targets")
            .string(targets)
            .key("asks")
            .string(row->asks)
            .key("what")
            .string(row->what)
            .close('}');
    reply.fields.close(']');
}

constexpr Operation rows[] = {
    operation("machines", "[NAME]",
              "the machines that programs run on: scopes, memories, links, instructions, limits, with sources",
              "NAME is the name of one; without it all are listed", "unknown_machine (none is called NAME)", "machines; cpu",
              "ok: cpu, portable\n"
              "scope   axis    members\n"
              "device  gpuid   1\n"
              "core    core    as many as a program asks\n"
              "thread  thread  32\n"
              "\n"
              "memory   of a    axes  bytes        banks  aligned to  is for                  source\n"
              "ram      device  m     not limited  none   64          global\n"
              "scratch  core    m     not limited  none   64          shared\n"
              "reg      thread  reg   not limited  none   1           registers, accumulator\n"
              "\n"
              "link  between  reaches  by      source\n"
              "peer  devices  ram      ld, st\n"
              "\n"
              "instructions\n"
              "ld.*\nst.*\nfma.*\natom.*\nbarrier",
              [](Reply& reply, const std::optional<std::string_view>& name) { machines(reply, name); }),
    operation("schedules", "[OP]", "how operators become instructions: each schedule, what it asks of the machine, what it does",
              "OP is an operator: copy, gemm, reduce, ...; without it all are listed", "unknown_operator (no schedule is of OP)",
              "schedules; iota",
              "ok: 1 of iota\n"
              "operator  schedule  priority  targets                 asks of the machine  what it does\n"
              "iota      vector    20        cpu, sm80, sm90, sm100  st                   each lane writes the indices of what it "
              "holds, or "
              "up to 16 bytes of memory at once",
              [](Reply& reply, const std::optional<std::string_view>& op) { schedules(reply, op); }),
};

} // namespace run_table
} // namespace

constinit const std::span<const Operation> run_operations = run_table::rows;

} // namespace axe_cli
