// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is said of a run: schedules, faults, verification, counts.
#include "run_text.hpp"

#include "columns.hpp"
#include "json.hpp"
#include "run_example.hpp"

#include <algorithm>
#include <charconv>

namespace axe_cli {
namespace {

using examples::Performance;

std::string decimal(const char* format, double number)
{
    char text[48];
    std::snprintf(text, sizeof text, format, number);
    return text;
}

/// "A line of text per statement, by number", from the printed program.
std::map<int, std::string> statements_of(const axe::Program& program)
{
    std::map<int, std::string> out;
    const std::string text = axe::print(program);
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::size_t number = text.find_first_not_of(' ', at);
        int id = -1;
        const auto read = number < end ? std::from_chars(text.data() + number, text.data() + end, id).ptr : text.data();
        if (id >= 0) {
            const std::size_t words = text.find_first_not_of(' ', static_cast<std::size_t>(read - text.data()));
            if (words < end) out[id] = text.substr(words, end - words);
        }
        at = end + 1;
    }
    return out;
}

/// As the statements stand: layouts are chosen before anything else.
std::vector<axe::Choice> in_order(std::vector<axe::Choice> choices)
{
    std::sort(choices.begin(), choices.end(), [](const axe::Choice& a, const axe::Choice& b) {
        return a.statement != b.statement ? a.statement < b.statement : a.detail < b.detail;
    });
    return choices;
}

std::string where(const RunRequest& request)
{
    const axe::Machine& machine = request.setting.machine;
    std::string out = std::string(machine.name) + " (" + machine.what + ")";
    if (request.setting.devices > 1) out += ", " + std::to_string(request.setting.devices) + " devices";
    for (const examples::Parameter& p : request.example->parameters)
        out += std::string(", ") + p.name + " = " + request.setting.word(p.name);
    return out;
}

std::string checks(const RunRequest& request) { return request.level == axe::sim::Level::full ? "all checks" : "no checks"; }

/// A line a memory: bytes, sectors, passes over banks.
void append_memories(std::vector<Row>& rows, const axe::sim::Counters& total)
{
    for (const auto& [name, m] : total.memories) {
        std::string words = grouped_digits(m.bytes_read) + " bytes read, " + grouped_digits(m.bytes_written) + " written";
        if (m.sectors > 0)
            words +=
                "; " + grouped_digits(m.sectors) + " sectors of 32 bytes, " + grouped_digits(m.ideal_sectors) + " would hold them";
        if (m.wavefronts > 0)
            words += "; " + grouped_digits(m.wavefronts) + " passes over the banks, " + grouped_digits(m.ideal_wavefronts) +
                     " without conflicts";
        rows.push_back({name, words});
    }
}

std::string counters_text(const axe::sim::Counters& total)
{
    std::vector<Row> rows;
    append_memories(rows, total);
    if (total.link_bytes > 0) rows.push_back({"links", grouped_digits(total.link_bytes) + " bytes between devices"});
    rows.push_back({"arithmetic", grouped_digits(total.flops) + " floating-point operations" +
                                      (total.integer_ops > 0 ? ", " + grouped_digits(total.integer_ops) + " of integers" : "")});
    if (total.barriers > 0) rows.push_back({"barriers", grouped_digits(total.barriers) + " arrivals"});
    const double active = total.lanes > 0 ? 100.0 * static_cast<double>(total.lanes_active) / static_cast<double>(total.lanes) : 0;
    std::string issues = grouped_digits(total.instructions) + " issues";
    if (total.lanes > 0) issues += ", " + decimal("%.1f", active) + " % of the lanes active";
    rows.push_back({"instructions", issues});
    std::string out = "counters" + table_of(rows, 2);
    rows.clear();
    for (const auto& [text, n] : total.by_text) rows.push_back({grouped_digits(n), text});
    std::size_t widest = 0;
    for (const Row& row : rows) widest = std::max(widest, row[0].size());
    for (Row& row : rows) row[0].insert(0, widest - row[0].size(), ' ');
    return out + table_of(rows, 4) + "\n";
}

std::string watched_element(const RunRequest& request)
{
    std::string out = request.watch_tensor + "[";
    for (int d = 0; d < request.watch.size(); ++d) out += (d > 0 ? "," : "") + std::to_string(request.watch[d]);
    return out + "]";
}

/// An access a line, after the number and the text of its statement.
std::string watched_lines(const RunRequest& request, const Watched& watched, const std::map<int, std::string>& statements)
{
    std::string out = "accesses of " + watched_element(request) + ": " + grouped_digits(watched.all);
    std::vector<Row> rows;
    for (const axe::sim::WatchedAccess& a : watched.first) {
        const auto at = statements.find(a.statement);
        std::string number = std::to_string(a.statement);
        number.insert(0, number.size() < 3 ? 3 - number.size() : 0, ' ');
        rows.push_back({number, at == statements.end() ? "" : at->second, axe::sim::watched_text(a, request.setting.devices > 1)});
    }
    out += table_of(rows, 0) + "\n";
    const std::int64_t rest = watched.all - static_cast<std::int64_t>(watched.first.size());
    return rest > 0 ? out + "and " + grouped_digits(rest) + " more\n" : out;
}

std::string allocation_of(const axe::Program& program)
{
    const auto report = axe::allocate(program);
    return report ? axe::allocation_text(program, *report) : report.error().text + "\n";
}

} // namespace

std::string examples_page()
{
    std::string out = "axe run EXAMPLE runs an example on simulated machines, checks every access, and compares the result with\n"
                      "plain loops.\n\nexamples\n";
    for (const examples::Example& example : examples::table()) {
        std::vector<std::string> machines, devices;
        for (const char* m : example.machines) machines.emplace_back(m);
        for (const int n : example.devices) devices.push_back(std::to_string(n));
        out += std::string("  ") + example.name + ": " + example.what + "\n      on " + listed(machines);
        if (devices.size() > 1) out += "; devices " + listed(devices);
        out += "\n";
        for (const examples::Parameter& p : example.parameters) {
            std::string words;
            for (const std::string& word : p.words) words += (words.empty() ? " (" : ", ") + word;
            out +=
                std::string("      --set ") + p.name + "=" + p.standard + "  " + p.what + words + (words.empty() ? "" : ")") + "\n";
        }
    }
    out += "\noptions";
    std::vector<Row> rows;
    for (const Option& o : run_options())
        rows.push_back({std::string(o.name) + (o.value.empty() ? "" : " ") + std::string(o.value), std::string(o.what)});
    return out + table_of(rows, 2) +
           "\n\nThe exit status is 0 when nothing is wrong, 1 after a fault or a wrong number, 2 for a request that cannot be "
           "run.\n";
}

std::string examples_json()
{
    JsonWriter json;
    json.open('{').key("status").string("ok").key("examples").open('[');
    for (const examples::Example& example : examples::table()) {
        json.open('{').key("name").string(example.name).key("what").string(example.what).key("machines").open('[');
        for (const char* m : example.machines) json.string(m);
        json.close(']').key("devices").open('[');
        for (const int n : example.devices) json.number(n);
        json.close(']').key("parameters").open('[');
        for (const examples::Parameter& p : example.parameters) {
            json.open('{').key("name").string(p.name).key("standard").string(p.standard).key("what").string(p.what);
            json.key("most").number(p.most).key("words").open('[');
            for (const std::string& word : p.words) json.string(word);
            json.close(']').close('}');
        }
        json.close(']').close('}');
    }
    return json.close(']').close('}').text() + "\n";
}

std::string run_text(const RunRequest& request, const Performance& p, const Watched& watched)
{
    const examples::Example& example = *request.example;
    std::string out = std::string(example.name) + ": " + example.what + "\n" + where(request) + "\n\n";
    if (request.memory) out += allocation_of(p.lowered.program) + "\n";
    if (request.show) out += axe::print(p.program) + "\nlowered\n" + axe::print(p.lowered.program) + "\n";
    const auto statements = statements_of(p.program);
    out += "schedules";
    std::vector<Row> rows;
    for (const axe::Choice& c : in_order(p.lowered.choices)) {
        const auto at = statements.find(c.statement);
        std::string number = std::to_string(c.statement);
        number.insert(0, number.size() < 3 ? 3 - number.size() : 0, ' ');
        rows.push_back({number, at == statements.end() ? "" : at->second, c.schedule, c.detail});
    }
    out += table_of(rows, 0) + "\n\n";
    if (!request.watch_tensor.empty()) out += watched_lines(request, watched, statements) + "\n";
    const std::string seconds = decimal("%.2f", p.run_seconds) + " s with " + checks(request);
    if (!p.report.ok())
        return out + "FAULT (" + axe::sim::name(p.report.fault.kind) + ") after " + seconds + "\n" + p.report.fault.message() +
               "\n" + (p.hint.empty() ? "" : p.hint + "\n");
    out += "run in " + seconds + ": 0 faults\n";
    // Only what a specification has is verified; a comparison with the kernel's own operators tells no more than that.
    const std::string word = p.verification.word();
    const std::string lead = word == "right" ? "verified: " : word == "wrong" ? "WRONG: " : "consistent: ";
    out += lead;
    std::string lines = p.verification.text();
    while (!lines.empty() && lines.back() == '\n') lines.pop_back();
    for (std::size_t at = 0; (at = lines.find('\n', at)) != std::string::npos; ++at)
        lines.insert(at + 1, std::string(lead.size(), ' '));
    out += lines + "\n";
    for (const std::string& line : p.conclusion.lines) out += line + "\n";
    if (!p.conclusion.ok) out += "NOT AS IT SHOULD BE\n";
    if (request.level == axe::sim::Level::full) out += "\n" + counters_text(p.report.total);
    return out;
}

std::string run_json(const RunRequest& request, const Performance& p, const Watched& watched)
{
    JsonWriter json;
    const char* verdict = p.ok() ? "ok" : p.report.ok() ? "wrong" : "fault";
    json.open('{').key("status").string(verdict).key("example").string(request.example->name);
    json.key("machine").string(request.setting.machine.name).key("devices").number(request.setting.devices);
    json.key("parameters").open('{');
    for (const auto& [name, value] : request.setting.values) json.key(name).string(value);
    json.close('}').key("checks").string(request.level == axe::sim::Level::full ? "full" : "fast");
    if (request.memory) json.key("memory").string(allocation_of(p.lowered.program));
    if (request.show) json.key("program").string(axe::print(p.program)).key("lowered").string(axe::print(p.lowered.program));
    json.key("schedules").open('[');
    const auto statements = statements_of(p.program);
    for (const axe::Choice& c : in_order(p.lowered.choices)) {
        const auto at = statements.find(c.statement);
        json.open('{').key("statement").number(c.statement).key("text").string(at == statements.end() ? "" : at->second);
        json.key("schedule").string(c.schedule).key("detail").string(c.detail).close('}');
    }
    json.close(']').key("faults").number(p.report.ok() ? 0 : 1);
    if (!p.report.ok()) {
        json.key("fault")
            .open('{')
            .key("kind")
            .string(axe::sim::name(p.report.fault.kind))
            .key("statement")
            .number(p.report.fault.statement)
            .key("text")
            .string(p.report.fault.text)
            .key("lines")
            .open('[');
        for (const std::string& line : p.report.fault.lines) json.string(line);
        json.close(']').key("hint").string(p.hint).close('}');
    }
    if (!request.watch_tensor.empty()) {
        json.key("watch").open('{').key("element").string(watched_element(request)).key("accesses").number(watched.all);
        json.key("first").open('[');
        for (const axe::sim::WatchedAccess& a : watched.first) {
            const auto at = statements.find(a.statement);
            json.open('{').key("access").string(a.writing ? "write" : "read").key("statement").number(a.statement);
            json.key("text").string(at == statements.end() ? "" : at->second).key("instruction").string(a.instruction);
            json.key("device").number(a.device).key("memory").number(a.memory).key("block").open('[');
            for (const std::int64_t index : a.block) json.number(index);
            json.close(']').key("agent").number(a.agent).key("lane").number(a.lane).key("times").number(a.times);
            json.key("value").string(decimal("%.17g", a.value)).close('}');
        }
        json.close(']').close('}');
    }
    json.key("outputs").open('[');
    for (const axe::TensorCheck& t : p.verification.tensors)
        json.open('{')
            .key("name")
            .string(t.name)
            .key("compared_with")
            .string(t.specified ? "specification" : "operators")
            .key("elements")
            .number(t.elements)
            .key("wrong")
            .number(t.wrong)
            .close('}');
    json.close(']').key("conclusion").open('[');
    for (const std::string& line : p.conclusion.lines) json.string(line);
    json.close(']');
    if (request.level == axe::sim::Level::full) {
        const axe::sim::Counters& total = p.report.total;
        json.key("counters").open('{').key("instructions").number(total.instructions).key("flops").number(total.flops);
        json.key("integer_ops")
            .number(total.integer_ops)
            .key("barriers")
            .number(total.barriers)
            .key("link_bytes")
            .number(total.link_bytes);
        json.key("lanes").number(total.lanes).key("lanes_active").number(total.lanes_active).key("by_text").open('{');
        for (const auto& [text, n] : total.by_text) json.key(text).number(n);
        json.close('}').key("memories").open('{');
        for (const auto& [name, m] : total.memories)
            json.key(name)
                .open('{')
                .key("bytes_read")
                .number(m.bytes_read)
                .key("bytes_written")
                .number(m.bytes_written)
                .key("requests")
                .number(m.requests)
                .key("wavefronts")
                .number(m.wavefronts)
                .key("ideal_wavefronts")
                .number(m.ideal_wavefronts)
                .key("sectors")
                .number(m.sectors)
                .key("ideal_sectors")
                .number(m.ideal_sectors)
                .close('}');
        json.close('}').close('}');
    }
    json.close('}');
    return json.text() + "\n";
}

} // namespace axe_cli
