// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_JSON_FORM_HPP
#define AXE_MAP_JSON_FORM_HPP

#include <axe/map/print.hpp>
#include <axe/map/text/names.hpp>

/// What indexing maps are as JSON, for any writer of it, as <axe/text/json_form.hpp> is for layouts.
///
///   an interval   {"low":0,"high":7}
///   a map         {"dimensions":[{"name":"d0","low":0,"high":7}],"ranges":[],"runtimes":[],"results":["d0 mod 2"],
///                  "constraints":[{"expression":"d0 mod 2","low":0,"high":0}]}, or {"undefined":true}
namespace axe {
inline namespace v0 {

/// Writes the members of the object that an interval is.
template <class Writer>
void write_json_members(Writer& out, const IndexInterval& interval)
{
    out.key("low").number(interval.low).key("high").number(interval.high);
}
template <class Writer>
void write_json(Writer& out, const IndexInterval& interval)
{
    out.open('{');
    write_json_members(out, interval);
    out.close('}');
}

/// Writes a list of conditions on the variables of a map.
template <class Writer>
void write_json(Writer& out, const IndexingMap& map, const std::vector<IndexConstraint>& constraints,
                const MapSpelling& spelling = {})
{
    out.open('[');
    for (const IndexConstraint& c : constraints) {
        out.open('{').key("expression").string(print(map, c.expression, spelling));
        write_json_members(out, c.interval);
        out.close('}');
    }
    out.close(']');
}

/// Writes the members of the object that a map is. The names are those of its text (`print`), and expressions are texts, whose length
/// `printed_nodes` tells before. Cost: linear in the text.
template <class Writer>
void write_json_members(Writer& out, const IndexingMap& map, const MapSpelling& spelling = {})
{
    if (map.is_undefined) {
        out.key("undefined").boolean(true);
        return;
    }
    const auto names = detail::variable_names(map, spelling);
    const auto variables = [&](const char* key, int first, int last) {
        out.key(key).open('[');
        for (int v = first; v < last; ++v) {
            out.open('{').key("name").string(names[static_cast<std::size_t>(v)]);
            write_json_members(out, map.variables[static_cast<std::size_t>(v)].bounds);
            out.close('}');
        }
        out.close(']');
    };
    variables("dimensions", 0, map.dimensions);
    variables("ranges", map.first_range(), map.first_runtime());
    variables("runtimes", map.first_runtime(), static_cast<int>(map.variables.size()));
    out.key("results").open('[');
    for (const IndexExpr e : map.results) out.string(print(map, e, spelling));
    out.close(']').key("constraints");
    write_json(out, map, map.constraints, spelling);
}
template <class Writer>
void write_json(Writer& out, const IndexingMap& map)
{
    out.open('{');
    write_json_members(out, map);
    out.close('}');
}

} // namespace v0
} // namespace axe

#endif
