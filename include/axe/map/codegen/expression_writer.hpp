// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_CODEGEN_EXPRESSION_WRITER_HPP
#define AXE_MAP_CODEGEN_EXPRESSION_WRITER_HPP

#include <axe/map/errors.hpp>
#include <axe/map/range/expression_ranges.hpp>
#include <axe/map/text/names.hpp>

#include <algorithm>
#include <bit>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Expressions as C++ text.
namespace axe {
inline namespace v0 {
namespace detail {

inline bool is_identifier(std::string_view text) noexcept
{
    return !text.empty() && begins_name(text[0]) &&
           std::all_of(text.begin(), text.end(), [](char c) { return continues_name(c) && c != '.'; });
}

/// Writes the expressions of a map as C++, each node once: what is used more than once is declared, and then called by its name.
class NodeWriter {
  public:
    /// @param names      of the variables
    /// @param temporary  what the names of declared values begin with
    NodeWriter(const IndexingMap& map, std::vector<std::string> names, std::string temporary)
        : map_(map), names_(std::move(names)), temporary_(std::move(temporary))
    {
    }

    /// Finds what is used how often, and between which bounds each node is. `errc::overflow` when one may overflow 64 bits.
    Status prepare()
    {
        const auto n = static_cast<std::size_t>(map_.pool.size());
        uses_.assign(n, 0);
        written_.resize(n);
        ranges_.resize(n);
        for (const IndexExpr e : map_.results) ++uses_[index(e)];
        for (const IndexConstraint& c : map_.constraints) ++uses_[index(c.expression)];
        for (std::size_t i = n; i-- > 0;) {
            if (uses_[i] == 0) continue;
            const IndexNode& node = map_.pool[{static_cast<std::int32_t>(i)}];
            if (node.left.id >= 0) ++uses_[index(node.left)];
            if (node.right.id >= 0) ++uses_[index(node.right)];
        }
        IndexInterval seen{0, 0};
        for (const IndexVariable& v : map_.variables)
            if (!v.bounds.is_empty()) seen = {std::min(seen.low, v.bounds.low), std::max(seen.high, v.bounds.high)};
        for (std::size_t i = 0; i < n; ++i) {
            if (uses_[i] == 0) continue;
            const IndexNode& by = map_.pool[{static_cast<std::int32_t>(i)}];
            if ((by.op == IndexOp::floor_div_by || by.op == IndexOp::mod_by) && ranges_[index(by.right)].contains(0))
                return divisor_may_be_zero();
            if (!find_range(i))
                return Error(errc::overflow, -1,
                             "a value of the map may overflow 64 bits, and code that computes it would be wrong");
            seen = {std::min(seen.low, ranges_[i].low), std::max(seen.high, ranges_[i].high)};
        }
        // Room for a divisor's correction, and for the negative of each.
        constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max() / 2;
        is_narrow_ = seen.low >= -most && seen.high <= most;
        return {};
    }

    [[nodiscard]] std::string type() const { return is_narrow_ ? "int" : "long long"; }

    /// An expression's text; what it needs is declared by `take_declarations`, which must come before it.
    std::string text(IndexExpr e) { return of(e).text; }
    /// The same as a name, a number or something in parentheses.
    std::string named(IndexExpr e)
    {
        of(e);
        return repeatable(e);
    }
    std::vector<std::string> take_declarations() { return std::exchange(declarations_, {}); }

    /// "x < 0 || x > 7"; empty when every value of the type is inside, "true" when no value is inside.
    [[nodiscard]] std::string outside(const std::string& name, const IndexInterval& interval) const
    {
        if (interval.is_empty()) return "true";
        if (interval.is_point()) return name + " != " + number(interval.low);
        std::string out;
        if (interval.low != every_integer.low) out = name + " < " + number(interval.low);
        if (interval.high != every_integer.high) out += (out.empty() ? "" : " || ") + name + " > " + number(interval.high);
        return out;
    }

    [[nodiscard]] static std::string number(std::int64_t n)
    {
        if (n == std::numeric_limits<std::int64_t>::min()) return "(-9223372036854775807 - 1)"; // there is no such literal
        return std::to_string(n);
    }

  private:
    /// 0: may appear anywhere, 1: a product, 2: a sum.
    struct Written {
        std::string text{};
        int level = 0;
        bool is_done = false;
    };

    static std::size_t index(IndexExpr e) noexcept { return static_cast<std::size_t>(e.id); }

    /// The node and what it needs, operands first, without recursion: an expression may be deep.
    Written& of(IndexExpr e)
    {
        open_.push_back(e);
        while (!open_.empty()) {
            const IndexExpr x = open_.back();
            const IndexNode& n = map_.pool[x];
            const auto is_missing = [&](IndexExpr y) { return y.id >= 0 && !written_[index(y)].is_done; };
            if (is_missing(n.left)) {
                open_.push_back(n.left);
            } else if (is_missing(n.right)) {
                open_.push_back(n.right);
            } else {
                open_.pop_back();
                if (is_missing(x)) write(x.id);
            }
        }
        return written_[index(e)];
    }

    void declare(Written& w)
    {
        const std::string name = temporary_ + std::to_string(count_++);
        declarations_.push_back("const " + type() + " " + name + " = " + w.text + ";");
        w.text = name;
        w.level = 0;
    }
    [[nodiscard]] std::string at_level(IndexExpr e, int most) const
    {
        const Written& w = written_[index(e)];
        return w.level <= most ? w.text : "(" + w.text + ")";
    }

    void write(std::int32_t id)
    {
        const IndexNode& n = map_.pool[{id}];
        Written& w = written_[static_cast<std::size_t>(id)];
        switch (n.op) {
        case IndexOp::constant: w = {number(n.value), n.value < 0 ? 1 : 0, true}; return;
        case IndexOp::variable: w = {names_[static_cast<std::size_t>(n.value)], 0, true}; return;
        case IndexOp::add: w = sum(n); break;
        case IndexOp::mul: w = product(n); break;
        case IndexOp::floor_div:
        case IndexOp::mod: w = divided(n); break;
        case IndexOp::min: w = extremum(n, " < "); break;
        case IndexOp::max: w = extremum(n, " > "); break;
        case IndexOp::floor_div_by:
        case IndexOp::mod_by: w = divided_by(n); break;
        }
        constexpr std::size_t long_text = 96; // a line's worth, and what keeps the whole text linear in the nodes
        if (uses_[static_cast<std::size_t>(id)] > 1 || w.text.size() > long_text) declare(w);
    }

    Written sum(const IndexNode& n)
    {
        const std::string left = at_level(n.left, 2), right = at_level(n.right, 1);
        if (right[0] == '-') return {left + " - " + right.substr(1), 2, true};
        if (left[0] == '-' && written_[index(n.left)].level < 2) return {right + " - " + left.substr(1), 2, true};
        return {left + " + " + right, 2, true};
    }
    Written product(const IndexNode& n)
    {
        if (map_.pool.is_constant(n.right)) { // the minus goes to the front, where a sum finds it
            const std::int64_t factor = map_.pool[n.right].value;
            const std::string left = at_level(n.left, 0);
            if (factor < 0 && factor != every_integer.low && left[0] != '-')
                return {"-" + left + (factor == -1 ? "" : " * " + number(-factor)), 1, true};
            return {left + " * " + number(factor), 1, true};
        }
        return {at_level(n.left, 0) + " * " + at_level(n.right, 0), 1, true};
    }

    /// The operand as something that can be written more than once.
    std::string repeatable(IndexExpr e)
    {
        Written& w = written_[index(e)];
        if (w.level > 0) declare(w);
        return w.text;
    }
    Written extremum(const IndexNode& n, const char* comparison)
    {
        const std::string x = repeatable(n.left), y = repeatable(n.right);
        return {"(" + x + comparison + y + " ? " + x + " : " + y + ")", 0, true};
    }
    /// The quotient of C++ is towards 0: one less, and the remainder y more, where the condition holds (empty: nowhere).
    static Written floored(const std::string& x, bool is_quotient, const std::string& y, const std::string& condition)
    {
        const std::string plain = x + (is_quotient ? " / " : " % ") + y;
        if (condition.empty()) return {plain, 1, true};
        return {"(" + plain + (is_quotient ? " - (" + condition : " + (" + condition + " ? " + y + " : 0") + "))", 0, true};
    }
    /// By an expression: where there is a remainder whose sign is not the divisor's.
    Written divided_by(const IndexNode& n)
    {
        const std::string x = repeatable(n.left), y = repeatable(n.right);
        const bool is_plain = ranges_[index(n.left)].low >= 0 && ranges_[index(n.right)].low > 0;
        return floored(x, n.op == IndexOp::floor_div_by, y,
                       is_plain ? "" : x + " % " + y + " != 0 && (" + x + " < 0) != (" + y + " < 0)");
    }
    /// The dividend of a division by k > 0: of one by −k its negative. Named, when it is needed more than once.
    std::string dividend(const IndexNode& n, bool is_once, bool& may_be_negative)
    {
        Written& w = written_[index(n.left)];
        const IndexInterval r = ranges_[index(n.left)];
        may_be_negative = n.value > 0 ? r.low < 0 : r.high > 0;
        const bool is_used_again = !is_once && may_be_negative;
        if (w.level > 0 && is_used_again) declare(w);
        if (n.value > 0) return at_level(n.left, 0);
        Written negative{"-" + at_level(n.left, 0), 1, true};
        if (is_used_again) declare(negative);
        return negative.level == 0 ? negative.text : "(" + negative.text + ")";
    }
    Written divided(const IndexNode& n)
    {
        const std::int64_t k = magnitude(n.value);
        const bool is_quotient = n.op == IndexOp::floor_div, is_power = std::has_single_bit(static_cast<std::uint64_t>(k));
        bool may_be_negative = false;
        const std::string x = dividend(n, is_power, may_be_negative);
        if (is_quotient && k == 1) return {x, x[0] == '-' ? 1 : 0, true};
        const int log = std::countr_zero(static_cast<std::uint64_t>(k));
        const Written w =
            is_power ? Written{"(" + x + (is_quotient ? " >> " + std::to_string(log) : " & " + number(k - 1)) + ")", 0, true}
                     : floored(x, is_quotient, number(k), may_be_negative ? x + " % " + number(k) + " < 0" : "");
        if (is_quotient || n.value > 0) return w;
        return {"-" + (w.level == 0 ? w.text : "(" + w.text + ")"), 1, true};
    }
    /// Of a node from those of its operands; false where it, or the negative of what is divided or multiplied, may overflow 64 bits.
    bool find_range(std::size_t i)
    {
        constexpr std::int64_t least = every_integer.low;
        const IndexNode& n = map_.pool[{static_cast<std::int32_t>(i)}];
        const IndexInterval x = n.left.id >= 0 ? ranges_[index(n.left)] : IndexInterval{0, 0};
        const IndexInterval y = n.right.id >= 0 ? ranges_[index(n.right)] : IndexInterval{0, 0};
        IndexInterval& r = ranges_[i];
        r = range_of_node(n, map_.variables, x, y);
        if (n.op == IndexOp::constant) return true;
        if (n.op == IndexOp::variable) {
            if (r.is_empty()) r = {0, 0}; // nothing is computed there
            return true;
        }
        return is_bounded(r) && (n.op != IndexOp::mul || (x.low != least && y.low != least)) && n.value != least &&
               !(n.value < 0 && x.low == least);
    }

    const IndexingMap& map_;
    std::vector<std::string> names_;
    std::string temporary_;
    std::vector<int> uses_{};
    std::vector<Written> written_{};
    std::vector<IndexInterval> ranges_{};
    std::vector<std::string> declarations_{};
    bool is_narrow_ = false;
    int count_ = 0;
    std::vector<IndexExpr> open_{};
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
