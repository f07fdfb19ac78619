// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What programs run on, and what their operators may become.
#include "columns.hpp"
#include "operation.hpp"

#include <axe/kernels.hpp>
#include <axe/text/nearest_word.hpp>

#include <algorithm>

namespace axe_cli {
namespace {

using axe::Machine;

template <class List>
std::vector<std::string> words_of(const List& list)
{
    std::vector<std::string> out;
    for (const auto& item : list)
        if constexpr (requires { item.name().c_str(); })
            out.emplace_back(item.name().c_str());
        else
            out.emplace_back(item);
    return out;
}

std::string count_text(const axe::ScopeLevel& scope)
{
    return axe::is_grid(scope) ? "as many as a program asks" : std::to_string(scope.count);
}

std::string bytes_text(std::int64_t bytes) { return bytes == 0 ? "not limited" : grouped_digits(bytes); }

std::vector<std::string> roles_of(const axe::Memory& memory)
{
    std::vector<std::string> out;
    for (const axe::Role role : {axe::Role::global, axe::Role::shared, axe::Role::registers, axe::Role::accumulator})
        if (memory.roles.has(role)) out.emplace_back(axe::name(role));
    return out;
}

/// All that is known of a machine, in sections.
void describe(std::string& out, const Machine& machine)
{
    out.append(machine.name).append(", ").append(machine.what);
    std::vector<Row> rows{{"scope", "axis", "members"}};
    for (const axe::ScopeLevel& scope : machine.scopes) rows.push_back({scope.name, scope.axis.name().c_str(), count_text(scope)});
    out += table_of(rows);
    for (const axe::AxisSplit& split : machine.splits)
        out.append("\n")
            .append(split.whole.name().c_str())
            .append(" = ")
            .append(std::to_string(split.extent))
            .append(" ")
            .append(split.outer.name().c_str())
            .append(" + ")
            .append(split.inner.name().c_str());
    rows = {{"memory", "of a", "axes", "bytes", "banks", "aligned to", "is for", "source"}};
    for (const axe::Memory& m : machine.memories)
        rows.push_back({m.name, m.owner, listed(words_of(m.axes)), bytes_text(m.capacity),
                        m.banks == 0 ? "none" : std::to_string(m.banks) + " of " + std::to_string(m.word) + " bytes",
                        std::to_string(m.alignment), listed(roles_of(m)), m.source});
    out.append("\n").append(table_of(rows));
    if (!machine.links.empty()) {
        rows = {{"link", "between", "reaches", "by", "source"}};
        for (const axe::Link& link : machine.links)
            rows.push_back(
                {link.name, std::string(link.scope) + "s", link.memory, listed(words_of(link.instructions)), link.source});
        out.append("\n").append(table_of(rows));
    }
    if (!machine.limits.empty()) {
        rows = {{"limit", "value", "source"}};
        for (const axe::Limit& limit : machine.limits) rows.push_back({limit.name, std::to_string(limit.value), limit.source});
        out.append("\n").append(table_of(rows));
    }
    out.append("\n\ninstructions");
    for (const char* word : machine.instructions) out.append("\n").append(word);
}

std::string scopes_text(const Machine& machine)
{
    std::string out;
    for (const axe::ScopeLevel& scope : machine.scopes)
        out.append(out.empty() ? "" : " > ")
            .append(scope.name)
            .append(axe::is_grid(scope) ? "" : " " + std::to_string(scope.count));
    return out;
}

std::vector<std::string> memories_of(const Machine& machine)
{
    std::vector<std::string> out;
    for (const axe::Memory& memory : machine.memories) out.emplace_back(memory.name);
    return out;
}

void write_machine(JsonWriter& json, const Machine& machine)
{
    json.open('{').key("name").string(machine.name).key("what").string(machine.what).key("scopes").open('[');
    for (const axe::ScopeLevel& scope : machine.scopes)
        json.open('{')
            .key("name")
            .string(scope.name)
            .key("axis")
            .string(scope.axis.name().c_str())
            .key("count")
            .number(scope.count)
            .close('}');
    json.close(']').key("splits").open('[');
    for (const axe::AxisSplit& split : machine.splits)
        json.open('{')
            .key("whole")
            .string(split.whole.name().c_str())
            .key("outer")
            .string(split.outer.name().c_str())
            .key("inner")
            .string(split.inner.name().c_str())
            .key("extent")
            .number(split.extent)
            .close('}');
    const auto strings = [&](const char* key, const std::vector<std::string>& words) {
        json.key(key).open('[');
        for (const std::string& word : words) json.string(word);
        json.close(']');
    };
    json.close(']').key("memories").open('[');
    for (const axe::Memory& m : machine.memories) {
        json.open('{').key("name").string(m.name).key("owner").string(m.owner);
        strings("roles", roles_of(m));
        strings("axes", words_of(m.axes));
        json.key("capacity").number(m.capacity).key("word").number(m.word).key("banks").number(m.banks);
        json.key("alignment").number(m.alignment).key("source").string(m.source).close('}');
    }
    json.close(']').key("links").open('[');
    for (const axe::Link& link : machine.links) {
        json.open('{').key("name").string(link.name).key("scope").string(link.scope).key("memory").string(link.memory);
        strings("instructions", words_of(link.instructions));
        json.key("source").string(link.source).close('}');
    }
    json.close(']').key("limits").open('[');
    for (const axe::Limit& limit : machine.limits)
        json.open('{')
            .key("name")
            .string(limit.name)
            .key("value")
            .number(limit.value)
            .key("source")
            .string(limit.source)
            .close('}');
    json.close(']');
    strings("instructions", words_of(machine.instructions));
    json.close('}');
}

void machines(Reply& reply, const std::optional<std::string_view>& name)
{
    std::vector<const Machine*> chosen;
    std::vector<const char*> names;
    for (const Machine* machine : axe::machines::all()) {
        names.push_back(machine->name);
        if (!name || *name == machine->name) chosen.push_back(machine);
    }
    if (chosen.empty()) {
        std::string sentence = "no machine is called " + quoted(*name) + "; there are " + listed(words_of(names));
        return reply.fail("unknown_machine", sentence);
    }
    if (reply.form == Form::page && name) {
        describe(reply.text, *chosen.front());
    } else if (reply.form == Form::page) {
        reply.text = std::to_string(chosen.size()) + " machines; `axe machines NAME` tells more of one";
        std::vector<Row> rows;
        for (const Machine* m : chosen) rows.push_back({m->name, m->what, scopes_text(*m), listed(memories_of(*m))});
        reply.text += table_of(rows);
    } else {
        for (const Machine* m : chosen)
            reply.text.append(reply.text.empty() ? "" : "; ")
                .append(m->name)
                .append(": ")
                .append(scopes_text(*m))
                .append("; ")
                .append(listed(memories_of(*m)));
    }
    if (!reply.json()) return;
    reply.fields.key("machines").open('[');
    for (const Machine* machine : chosen) write_machine(reply.fields, *machine);
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
