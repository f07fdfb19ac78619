// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_EMIT_C_HPP
#define AXE_MAP_EMIT_C_HPP

#include <axe/map/codegen/expression_writer.hpp>

namespace axe {
inline namespace v0 {

/// The function that `emit_c` writes.
struct EmitOptions {
    std::string name = "map";
    bool checks = true; ///< does it answer whether the point is in the domain? Else the caller knows
};

/// A map as a function in C++20 (and CUDA C++), variables in their order and an array for the results:
///
///   static inline bool map(long long d0, long long d1, long long* r)     true, and r[i] = result i, in the domain; false elsewhere
///
/// The integer is `int` where all that is computed in the variables' intervals fits, `long long` otherwise. Divisions by powers of two
/// are shifts and their remainders masks, as both round down for negative numbers too; other divisions are the language's where the
/// dividend cannot be negative, and corrected by one where it can. What occurs more than once is computed once.
///
/// @returns `errc::overflow` when a value may leave 64 bits; `errc::bad_argument` for an undefined map, or a name that is no identifier.
/// Cost: linear in the nodes and in the text.
inline Result<std::string> emit_c(const IndexingMap& map, const EmitOptions& options = {})
{
    if (map.is_undefined) return Error(errc::bad_argument, -1, "an undefined map has no code");
    if (!detail::is_identifier(options.name)) return Error(errc::bad_argument, -1, "the name of the function is no identifier");
    std::vector<std::string> names;
    for (std::size_t v = 0; v < map.variables.size(); ++v) names.push_back(detail::place_name(map, static_cast<int>(v)));
    detail::NodeWriter nodes(map, names, "t");
    if (const Error e = nodes.prepare()) return e;

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
