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

using axe::Machine;

void machines(Reply& reply, const std::optional<std::string_view>& name)
{
    std::vector<const Machine*> chosen;
    std::vector<std::string> names;
    for (const Machine* machine : axe::machines::all()) {
        names.emplace_back(machine->name);
        if (!name || *name == machine->name) chosen.push_back(machine);
    }
    if (chosen.empty()) {
        std::string sentence = "no machine is called " + quoted(*name) + "; there are " + listed(names);
        return reply.fail("unknown_machine", sentence);
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

void schedules(Reply& reply, const std::optional<std::string_view>& op)
{
    // By operator in the order of the language, then as they are tried.
    std::vector<const axe::Schedule*> rows;
    std::vector<std::string> operators;
    for (const axe::Schedule* row : axe::schedules()) {
        if (std::find(operators.begin(), operators.end(), axe::name(row->op)) == operators.end())
            operators.emplace_back(axe::name(row->op));
        if (!op || *op == axe::name(row->op)) rows.push_back(row);
    }
    if (rows.empty())
        return reply.fail("unknown_operator",
                          "no schedule is of an operator " + quoted(*op) + "; they are of " + listed(operators));
    // Rows of one operator and priority stay as the table has them; they are few.
    const auto goes_first = [](const axe::Schedule* a, const axe::Schedule* b) {
        return a->op != b->op ? a->op < b->op : a->priority > b->priority;
    };
    std::vector<const axe::Schedule*> sorted;
    for (const axe::Schedule* row : rows) sorted.insert(std::upper_bound(sorted.begin(), sorted.end(), row, goes_first), row);
    rows = std::move(sorted);
    if (reply.form == Form::page) {
        reply.text = op ? std::to_string(rows.size()) + " of " + std::string(*op)
                        : std::to_string(rows.size()) + " schedules; of an operator the first that applies is taken, by priority";
        std::vector<Row> lines{{"operator", "schedule", "priority", "asks of the machine", "what it does"}};
        for (const axe::Schedule* row : rows)
            lines.push_back({axe::name(row->op), row->name, std::to_string(row->priority), row->asks, row->what});
        reply.text += table_of(lines);
    } else {
        for (const axe::Schedule* row : rows)
            reply.text.append(reply.text.empty() ? "" : "; ")
                .append(axe::name(row->op))
                .append(" ")
                .append(row->name)
                .append(" ")
                .append(std::to_string(row->priority));
    }
    if (!reply.json()) return;
    reply.fields.key("schedules").open('[');
    for (const axe::Schedule* row : rows)
        reply.fields.open('{')
            .key("operator")
            .string(axe::name(row->op))
            .key("name")
            .string(row->name)
            .key("priority")
            .number(row->priority)
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
              "schedules; gather",
              "ok: 1 of gather\n"
              "operator  schedule  priority  asks of the machine  what it does\n"
              "gather    lanes     20        ld                   each lane loads the index of its element, then the element",
              [](Reply& reply, const std::optional<std::string_view>& op) { schedules(reply, op); }),
};

} // namespace

constinit const std::span<const Operation> run_operations = rows;

} // namespace axe_cli
