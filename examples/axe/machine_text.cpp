// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine_text.hpp"

#include "columns.hpp"
#include "synonyms.hpp"

#include <axe/kernels.hpp>
#include <axe/text/nearest_word.hpp>

#include <vector>

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

} // namespace

std::string describe(const Machine& machine)
{
    std::string out = std::string(machine.name) + ", " + machine.what;
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
    return out;
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

std::string memories_text(const Machine& machine)
{
    std::vector<std::string> out;
    for (const axe::Memory& memory : machine.memories) out.emplace_back(memory.name);
    return listed(out);
}

void write(JsonWriter& json, const Machine& machine)
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

std::string_view meant_machine(std::string_view name)
{
    std::vector<const char*> names;
    const std::string_view meant = synonym(machine_synonyms(), name);
    for (const axe::Target* target : axe::targets::all()) {
        if (name == target->machine.name) return {};
        if (meant == target->machine.name) return meant;
        names.push_back(target->machine.name);
    }
    const int at = axe::nearest_word(name.data(), static_cast<int>(name.size()), names.data(), static_cast<int>(names.size()));
    return at < 0 ? std::string_view() : names[static_cast<std::size_t>(at)];
}

} // namespace axe_cli
