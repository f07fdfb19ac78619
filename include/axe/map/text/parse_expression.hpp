// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_TEXT_PARSE_EXPRESSION_HPP
#define AXE_MAP_TEXT_PARSE_EXPRESSION_HPP

#include <axe/map/text/names.hpp>
#include <axe/text/common/reader.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// `[low, high]`
constexpr bool read_index_interval(Reader& in, IndexInterval& out) noexcept
{
    return in.expect('[', "expected '[' before the interval at character {0}") &&
           in.integer(out.low, "expected the least value at character {0}") &&
           in.expect(',', "expected ',' after the least value at character {0}") &&
           in.integer(out.high, "expected the greatest value at character {0}") &&
           in.expect(']', "expected ']' after the interval at character {0}");
}

/// Reads tokens of maps: those of the other texts, and names.
struct MapReader : Reader {
    explicit MapReader(TextView view) noexcept : Reader(view) {}

    /// The name or keyword that comes next, read over; empty when none does.
    std::string_view take_word() noexcept
    {
        const std::string_view word = peek_word();
        at += static_cast<int>(word.size());
        return word;
    }
    std::string_view peek_word() noexcept
    {
        if (!error.ok() || !begins_name(peek())) return {};
        int end = at + 1;
        while (end < length && continues_name(text[end])) ++end;
        return {text + at, static_cast<std::size_t>(end - at)};
    }
    bool accept_word(std::string_view word) noexcept
    {
        if (peek_word() != word) return false;
        at += static_cast<int>(word.size());
        return true;
    }
};

/// Reads expressions into a pool. Open expressions are kept in lists, not on the call stack: any depth is allowed.
///
///   expression := term { ("+" | "-") term }
///   term       := factor { ("*" | "floordiv" | "/" | "mod" | "%") factor }
///   factor     := integer | name | "-" factor | "(" expression ")" | ( "min" | "max" ) "(" expression { "," expression } ")"
///
/// Divisions and remainders are those of floor. `min` and `max` are names of variables where no parenthesis follows.
class ExpressionReader {
  public:
    ExpressionReader(MapReader& in, IndexPool& pool, const std::map<std::string_view, int>& numbers)
        : in_(in), pool_(pool), numbers_(numbers)
    {
    }

    /// @returns an expression that means nothing when `in.error` is set.
    IndexExpr read()
    {
        values_.clear();
        open_.clear();
        while (read_operand() && read_operator()) {}
        return in_.error.ok() ? values_[0] : IndexExpr{};
    }

  private:
    /// In the order of how tightly they bind.
    enum class Kind : std::uint8_t { parenthesis, min, max, add, sub, mul, floor_div, mod, negate };
    struct Operator {
        Kind kind;
        int at;
        int operand;               ///< position of its right operand
        bool has_operands = false; ///< of `min` and `max`: is one read, and on the list of values?
    };
    static int tightness(Kind kind) noexcept
    {
        if (kind < Kind::add) return 0;
        return kind < Kind::mul ? 1 : kind < Kind::negate ? 2 : 3;
    }

    /// An operand, with the signs and parentheses that open before it.
    bool read_operand()
    {
        while (in_.error.ok()) {
            const char next = in_.peek();
            const int start = in_.at;
            const bool is_sign = next == '-' && !(start + 1 < in_.length && Reader::is_digit(in_.text[start + 1]));
            if (!open_.empty() && open_.back().operand < 0) open_.back().operand = start;
            if (is_sign || next == '(') {
                ++in_.at;
                open_.push_back({is_sign ? Kind::negate : Kind::parenthesis, start, -1});
            } else if (begins_name(next)) {
                if (read_extremum(start)) continue;
                return read_variable(start);
            } else {
                std::int64_t value = 0;
                if (!in_.integer(value, "expected a number, a variable, '-' or '(' at character {0}")) return false;
                values_.push_back(pool_.constant(value));
                return true;
            }
        }
        return false;
    }

    /// `min(` or `max(`, whose operands come next.
    bool read_extremum(int start)
    {
        const std::string_view word = in_.peek_word();
        if (word != "min" && word != "max") return false;
        in_.take_word();
        if (in_.peek() != '(') {
            in_.at = start;
            return false;
        }
        ++in_.at;
        open_.push_back({word == "min" ? Kind::min : Kind::max, start, -1});
        return true;
    }
    /// Before a comma or a closing parenthesis: takes what was read as an operand of `min` or `max`. False where it is not.
    bool close_operand()
    {
        if (!reduce(1) || open_.empty() || open_.back().kind == Kind::parenthesis) return false;
        Operator& call = open_.back();
        if (call.has_operands) {
            const IndexExpr right = values_.back();
            values_.pop_back();
            values_.back() = call.kind == Kind::min ? pool_.min(values_.back(), right) : pool_.max(values_.back(), right);
        }
        call.has_operands = true;
        return true;
    }

    bool read_variable(int start)
    {
        const std::string_view word = in_.take_word();
        const auto found = numbers_.find(word);
        if (found == numbers_.end())
            return is_map_keyword(word)
                       ? in_.fail(errc::bad_syntax, start, "expected a variable at character {0}, found a keyword")
                       : in_.fail(errc::bad_argument, start, "the map has no variable of the name at character {0}");
        values_.push_back(pool_.variable(found->second));
        return true;
    }

    /// What follows an operand: parentheses that close, then an operator. False at the end of the expression.
    bool read_operator()
    {
        while (in_.peek() == ')') {
            if (!close_operand() && !in_.error.ok()) return false;
            if (open_.empty()) return false; // it closes what surrounds the expression
            open_.pop_back();
            ++in_.at;
        }
        if (in_.peek() == ',' && close_operand()) {
            ++in_.at;
            return true;
        }
        const int start = in_.at;
        const Kind kind = take_operator();
        if (kind == Kind::parenthesis) {
            if (reduce(1) && !open_.empty()) in_.expected("expected an operator or ')' at character {0}");
            return false;
        }
        if (!reduce(tightness(kind))) return false;
        open_.push_back({kind, start, -1});
        return true;
    }

    /// `parenthesis` when no operator comes next.
    Kind take_operator()
    {
        if (in_.accept('+')) return Kind::add;
        if (in_.accept('-')) return Kind::sub;
        if (in_.accept('*')) return Kind::mul;
        if (in_.accept('/') || in_.accept_word("floordiv")) return Kind::floor_div;
        if (in_.accept('%') || in_.accept_word("mod")) return Kind::mod;
        return Kind::parenthesis;
    }

    /// Applies what is open and binds as tightly or more.
    bool reduce(int least)
    {
        while (!open_.empty() && tightness(open_.back().kind) >= least) {
            const Operator op = open_.back();
            open_.pop_back();
            if (!apply(op)) return false;
        }
        return true;
    }

    bool apply(const Operator& op)
    {
        const IndexExpr right = values_.back();
        values_.pop_back();
        if (op.kind == Kind::negate) {
            values_.push_back(opposite(right));
        } else {
            IndexExpr& left = values_.back();
            switch (op.kind) {
            case Kind::add: left = pool_.add(left, right); break;
            case Kind::sub: left = pool_.add(left, opposite(right)); break;
            case Kind::mul: left = pool_.mul(left, right); break;
            default:
                if (pool_.is_constant(right, 0))
                    return in_.fail(errc::bad_argument, op.operand, "the divisor at character {0} is 0");
                left = op.kind == Kind::mod ? pool_.mod(left, right) : pool_.floor_div(left, right);
            }
        }
        return pool_.error().ok() || in_.fail(errc::overflow, op.at, "the constant that the sign at character {0} makes overflows");
    }

    /// −e, as x · (−c) where e is x · c: so `a - b * 4` is what was printed for a + b · (−4).
    IndexExpr opposite(IndexExpr e)
    {
        const IndexNode n = pool_[e];
        std::int64_t factor = 0;
        if (n.op == IndexOp::mul && pool_.is_constant(n.right) && sub(std::int64_t{0}, pool_[n.right].value, factor))
            return pool_.mul(n.left, factor);
        return pool_.mul(e, -1);
    }

    MapReader& in_;
    IndexPool& pool_;
    const std::map<std::string_view, int>& numbers_;
    std::vector<IndexExpr> values_{};
    std::vector<Operator> open_{};
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
