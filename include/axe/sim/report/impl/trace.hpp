// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_REPORT_IMPL_TRACE_HPP
#define AXE_SIM_REPORT_IMPL_TRACE_HPP

#include <axe/program/levels.hpp>
#include <axe/sim/report/statement_lines.hpp>
#include <axe/sim/report/trace.hpp>
#include <axe/text/common/json_text.hpp>

#include <map>

namespace axe {
inline namespace v0 {
namespace sim {

AXE_DECL std::string Trace::json(const Program& program) const
{
    using detail::json_text;
    const auto number = [](std::int64_t n) { return std::to_string(n); };
    const Levels levels = levels_of(program.machine);
    const bool has_agents = levels.block >= 0 && levels.agent >= 0 && levels.agent < program.machine.scopes.size();
    const std::string agent_word = has_agents ? program.machine.scopes[levels.agent].name : "agent";

    std::int64_t kept = 0;
    for (const Track& t : tracks_) kept += static_cast<std::int64_t>(t.events.size());
    std::string out = "{\"displayTimeUnit\":\"ms\",\n\"otherData\":{\"kernel\":" + json_text(program.name) +
                      ",\"machine\":" + json_text(program.machine.name) +
                      ",\n\"time\":\"logical: a microsecond shown is one issue of the agent; no duration of hardware is meant\"" +
                      ",\n\"events\":" + number(kept) + ",\"left_out\":" + number(left_out()) + ",\n\"statements\":{";
    // Several statements of a lowered program may share a number.
    std::map<int, std::string> statements;
    for (const StatementLine& s : statement_lines(program))
        if (s.statement >= 0) {
            std::string& all = statements[s.statement];
            all += (all.empty() ? "" : "\n") + s.text;
        }
    bool first = true;
    for (const auto& [id, text] : statements) {
        out += (first ? "\n\"" : ",\n\"") + number(id) + "\":" + json_text(text);
        first = false;
    }
    out += "}},\n\"traceEvents\":[";
    first = true;
    const auto event = [&](const std::string& fields) {
        out += (first ? "\n{" : ",\n{") + fields + "}";
        first = false;
    };
    for (int d = 0; d < devices(); ++d) {
        const std::string pid = ",\"pid\":" + number(d);
        event("\"ph\":\"M\",\"name\":\"process_name\"" + pid + ",\"args\":{\"name\":\"device " + number(d) + "\"}");
        int agents = 0, slots = 1; // of events that were kept
        for (const Event& e : events(d)) {
            agents = std::max(agents, e.agent + 1);
            slots = std::max(slots, e.slot + 1);
        }
        for (int row = 0; row <= slots * agents; ++row) {
            std::string name = "stream";
            if (row > 0) name = agent_word + " " + number((row - 1) % agents);
            if (row > 0 && slots > 1) name = "slot " + number((row - 1) / agents) + ", " + name;
            event("\"ph\":\"M\",\"name\":\"thread_name\"" + pid + ",\"tid\":" + number(row) +
                  ",\"args\":{\"name\":" + json_text(name) + "}");
            event("\"ph\":\"M\",\"name\":\"thread_sort_index\"" + pid + ",\"tid\":" + number(row) +
                  ",\"args\":{\"sort_index\":" + number(row) + "}");
        }
        for (const Event& e : events(d)) {
            const Item* item = e.kind == Kind::instruction ? &items_[static_cast<std::size_t>(e.item)] : nullptr;
            const std::string what = e.kind == Kind::grid ? "grid" : item == nullptr ? "wait" : item->opcode;
            std::string fields =
                "\"ph\":\"X\",\"name\":" + json_text(item != nullptr && !item->text.empty() ? item->text : what) +
                ",\"cat\":" + json_text(what) + pid + ",\"tid\":" + number(e.agent < 0 ? 0 : 1 + e.slot * agents + e.agent) +
                ",\"ts\":" + number(e.begin) + ",\"dur\":" + number(e.length) + ",\"args\":{\"statement\":" + number(e.statement);
            if (item != nullptr) fields += ",\"opcode\":" + json_text(item->opcode) + ",\"issues\":" + number(item->issues);
            if (e.block >= 0) fields += ",\"block\":" + number(e.block);
            event(fields + "}");
        }
    }
    return out + "\n]}\n";
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
