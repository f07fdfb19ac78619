// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_IMPL_EMIT_C_HPP
#define AXE_MAP_IMPL_EMIT_C_HPP

#include <axe/map/codegen/expression_writer.hpp>
#include <axe/map/emit_c.hpp>
#include <axe/map/errors.hpp>

namespace axe {
inline namespace v0 {

AXE_DECL Result<std::string> emit_c(const IndexingMap& map, const EmitOptions& options)
{
    if (map.is_undefined) return Error(errc::bad_argument, -1, "an undefined map has no code");
    if (!detail::is_identifier(options.name)) return detail::no_identifier();
    const std::vector<std::string> names = detail::variable_names(map, {.generic = true});
    detail::NodeWriter nodes(map, names, "t");
    if (const Status e = nodes.prepare(); !e.ok()) return e;

    const std::string type = nodes.type();
    std::string out = std::string("static inline ") + (options.checks ? "bool " : "void ") + options.name + "(";
    for (const std::string& n : names) out += type + " " + n + ", ";
    out += type + "* r)\n{\n";
    const auto flush = [&] {
        for (const std::string& line : nodes.take_declarations()) out += "    " + line + "\n";
    };
    if (options.checks) {
        for (std::size_t v = 0; v < names.size(); ++v)
            if (const std::string outside = nodes.outside(names[v], map.variables[v].bounds); !outside.empty())
                out += "    if (" + outside + ") return false;\n";
        for (const IndexConstraint& c : map.constraints) {
            const std::string value = nodes.named(c.expression);
            flush();
            if (const std::string outside = nodes.outside(value, c.interval); !outside.empty())
                out += "    if (" + outside + ") return false;\n";
        }
    }
    for (std::size_t i = 0; i < map.results.size(); ++i) {
        const std::string value = nodes.text(map.results[i]);
        flush();
        out += "    r[" + std::to_string(i) + "] = " + value + ";\n";
    }
    if (map.results.empty()) out += "    (void)r;\n";
    if (options.checks) out += "    return true;\n";
    return out + "}\n";
}

} // namespace v0
} // namespace axe

#endif
