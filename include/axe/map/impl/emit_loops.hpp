// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_IMPL_EMIT_LOOPS_HPP
#define AXE_MAP_IMPL_EMIT_LOOPS_HPP

#include <axe/map/codegen/expression_writer.hpp>
#include <axe/map/codegen/loop_nest.hpp>
#include <axe/map/emit_loops.hpp>
#include <axe/map/errors.hpp>
#include <axe/map/impl/peel.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// Writes the loops of one part of a nest's domain.
class LoopWriter {
  public:
    LoopWriter(const IndexingMap& part, const LoopNest& nest, const LoopOptions& options, std::string& out)
        : map_(part),
          operands_(nest.sizes.size()),
          options_(options),
          out_(out),
          nodes_(map_, variable_names(part, {.generic = true}), "t"),
          loops_(static_cast<int>(part.variables.size()))
    {
        find_vectors();
        map_.results.push_back(row_major(map_.pool, map_.pool.variables(nest.shape.size()), nest.shape));
    }

    Status write()
    {
        if (const Status e = nodes_.prepare(); !e.ok()) return e;
        const std::vector<LoopGuard> guards = loop_guards(map_);
        line("{"); // names of one part are not those of the next
        for (int depth = 0; depth <= loops_; ++depth) {
            for (const LoopGuard& g : guards) {
                if (g.depth != depth) continue;
                const std::string value = nodes_.named(g.constraint.expression);
                flush();
                line("if (" + nodes_.outside(value, g.constraint.interval) + ") continue;");
            }
            if (depth == map_.dimensions) begin_element();
            if (depth == loops_ - 1) read_vectors();
            if (depth < loops_) open(depth);
        }
        combine();
        for (int depth = loops_; depth > 0; --depth) {
            if (depth == map_.dimensions) store();
            close();
        }
        if (map_.dimensions == 0) store();
        close();
        return {};
    }

  private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    [[nodiscard]] std::string name(int v) const { return place_name(map_, v); }
    [[nodiscard]] const IndexInterval& bounds(int v) const { return map_.variables[static_cast<std::size_t>(v)].bounds; }

    void line(const std::string& text)
    {
        if (text[0] == '}') --indent_;
        out_ += std::string(static_cast<std::size_t>(indent_) * 4, ' ') + text + "\n";
        if (text.back() == '{') ++indent_;
    }
    void flush()
    {
        for (const std::string& d : nodes_.take_declarations()) line(d);
    }
    void open(int v)
    {
        const std::string i = name(v);
        line("for (" + nodes_.type() + " " + i + " = " + NodeWriter::number(bounds(v).low) + "; " + i +
             " <= " + NodeWriter::number(bounds(v).high) + "; ++" + i + ") {");
    }
    void close() { line("}"); }

    /// Operands that the innermost loop, of 2, 4, 8 or 16 iterations without a guard, walks along: they are read in one access before it.
    void find_vectors()
    {
        base_.assign(operands_, none);
        if (map_.ranges == 0) return;
        const int v = loops_ - 1;
        const std::int64_t extent = bounds(v).high - bounds(v).low + 1;
        if (extent != 2 && extent != 4 && extent != 8 && extent != 16) return;
        for (const IndexConstraint& c : map_.constraints)
            if (loop_depth(map_, c.expression) == loops_) return;
        for (std::size_t i = 0; i < operands_; ++i) {
            if (slope(map_, map_.results[i], v) != 1) continue;
            base_[i] = map_.results.size();
            map_.results.push_back(replaced(map_, map_.results[i], v, map_.pool.constant(bounds(v).low)));
        }
    }
    void read_vectors()
    {
        for (std::size_t i = 0; i < operands_; ++i) {
            if (base_[i] == none) continue;
            const std::string base = nodes_.named(map_.results[base_[i]]), n = std::to_string(i);
            const std::string width = std::to_string(bounds(loops_ - 1).high - bounds(loops_ - 1).low + 1);
            flush();
            line(options_.type + " v" + n + "[" + width + "];");
            line("for (int k = 0; k < " + width + "; ++k) v" + n + "[k] = a" + n + "[" + base + " + k];");
        }
    }
    void combine()
    {
        for (std::size_t i = 0; i < operands_; ++i) {
            const std::string n = std::to_string(i);
            std::string element;
            if (base_[i] != none) {
                const std::int64_t low = bounds(loops_ - 1).low;
                element = "v" + n + "[" + name(loops_ - 1) +
                          (low == 0  ? ""
                           : low < 0 ? " + " + NodeWriter::number(-low)
                                     : " - " + NodeWriter::number(low)) +
                          "]";
            } else {
                element = "a" + n + "[" + nodes_.text(map_.results[i]) + "]";
                flush();
            }
            line("const " + options_.type + " x" + n + " = " + element + ";");
        }
        line("acc = " + options_.combine + ";");
    }
    void begin_element()
    {
        element_ = nodes_.text(map_.results.back()); // what it declares is seen here and within, so not only where it is used
        flush();
        line(options_.type + " acc = " + options_.initial + ";");
    }
    void store() { line("r[" + element_ + "] = acc;"); }

    IndexingMap map_; ///< results: the operands' addresses, bases of vectors, the address in the result
    std::size_t operands_;
    const LoopOptions& options_;
    std::string& out_;
    NodeWriter nodes_;
    int loops_;
    std::string element_{};           ///< where the result's element is
    std::vector<std::size_t> base_{}; ///< of each operand, the result that is its vector's first address
    int indent_ = 1;
};

} // namespace detail

AXE_DECL Result<std::string> emit_loops(const LoopNest& nest, const LoopOptions& options)
{
    if (!detail::is_identifier(options.name)) return detail::no_identifier();
    std::string out = "static inline void " + options.name + "(";
    for (std::size_t i = 0; i < nest.sizes.size(); ++i) out += "const " + options.type + "* a" + std::to_string(i) + ", ";
    out += options.type + "* r)\n{\n";
    std::int64_t elements = 0;
    detail::elements_of(nest.shape, elements);
    out += "    for (long long i = 0; i < " + std::to_string(elements) + "; ++i) r[i] = " + options.initial + ";\n";

    std::vector<IndexingMap> parts;
    if (!nest.map.has_empty_interval()) parts.push_back(nest.map);
    constexpr std::size_t most_parts = 27; // three of each of three dimensions
    for (int d = 0; d < nest.map.dimensions && options.peel; ++d) {
        auto peeled = detail::peel_each(parts, d);
        if (!peeled) return peeled.error();
        if (peeled->size() > most_parts) break;
        parts = std::move(*peeled);
    }
    for (std::size_t i = 0; i < nest.sizes.size() && parts.empty(); ++i) out += "    (void)a" + std::to_string(i) + ";\n";
    for (const IndexingMap& part : parts)
        if (const Status e = detail::LoopWriter(part, nest, options, out).write(); !e.ok()) return e;
    return out + "}\n";
}

} // namespace v0
} // namespace axe

#endif
