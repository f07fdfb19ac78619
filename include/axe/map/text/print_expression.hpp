// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_TEXT_PRINT_EXPRESSION_HPP
#define AXE_MAP_TEXT_PRINT_EXPRESSION_HPP

#include <axe/map/text/names.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

inline std::string interval_text(const IndexInterval& interval)
{
    return "[" + std::to_string(interval.low) + ", " + std::to_string(interval.high) + "]";
}

/// Writes expressions with a list of what is still to be written: no depth is too much for it.
class ExpressionWriter {
  public:
    ExpressionWriter(const IndexPool& pool, const std::vector<std::string>& names, const MapSpelling& spelling, std::string& out)
        : pool_(pool), names_(names), divided_by_(spelling.slash ? " / " : " floordiv "), out_(out)
    {
    }

    void write(IndexExpr e)
    {
        put(e, false);
        while (!rest_.empty()) {
            const Piece piece = rest_.back();
            rest_.pop_back();
            if (piece.expression.id >= 0)
                expand(piece.expression, piece.as_operand);
            else
                out_ += piece.words;
        }
    }

  private:
    /// An expression still to be written, or text.
    struct Piece {
        IndexExpr expression{};
        bool as_operand = false; ///< of a product, a division or a sign: all but names are in parentheses
        std::string words{};
    };

    void put(IndexExpr e, bool as_operand) { rest_.push_back({e, as_operand, {}}); }
    void put(std::string words) { rest_.push_back({{}, false, std::move(words)}); }

    /// Puts what an expression consists of: last things first, as they are taken from the end.
    void expand(IndexExpr e, bool as_operand)
    {
        const IndexNode& n = pool_[e];
        if (n.op == IndexOp::constant || n.op == IndexOp::variable) {
            out_ += n.op == IndexOp::constant ? std::to_string(n.value) : names_[static_cast<std::size_t>(n.value)];
            return;
        }
        const bool is_extremum = n.op == IndexOp::min || n.op == IndexOp::max;
        if (is_extremum) out_ += n.op == IndexOp::min ? "min" : "max";
        if (is_extremum || as_operand) {
            out_ += '(';
            put(")");
        }
        if (n.op == IndexOp::add) return expand_sum(n);
        if (n.op == IndexOp::mul && is_negated(n)) {
            out_ += '-';
        } else {
            const bool is_mod = n.op == IndexOp::mod || n.op == IndexOp::mod_by;
            const std::string words = is_extremum ? ", " : n.op == IndexOp::mul ? " * " : is_mod ? " mod " : divided_by_;
            if (n.right.id >= 0) put(n.right, !is_extremum);
            put(n.right.id >= 0 ? words : words + std::to_string(n.value));
        }
        put(n.left, !is_extremum);
    }

    /// a + b; a - b where b is negative by a constant, which reading turns back.
    void expand_sum(const IndexNode& n)
    {
        constexpr std::int64_t least = every_integer.low; // has no opposite
        const IndexNode& right = pool_[n.right];
        const bool is_product = right.op == IndexOp::mul && pool_.is_constant(right.right);
        const std::int64_t factor = is_product ? pool_[right.right].value : right.op == IndexOp::constant ? right.value : 0;
        const bool is_difference = factor < 0 && factor != least && !(is_product && factor == -1 && !is_negated(right));
        if (!is_difference) {
            put(n.right, right.op == IndexOp::add);
            put(" + ");
        } else if (!is_product) {
            put(" - " + std::to_string(-factor));
        } else if (factor == -1) {
            put(right.left, pool_[right.left].op == IndexOp::add);
            put(" - ");
        } else {
            put(" * " + std::to_string(-factor));
            put(right.left, true);
            put(" - ");
        }
        put(n.left, false);
    }

    /// Is it written with a sign? x · −1, unless x is itself a multiple: reading would join the two constants.
    [[nodiscard]] bool is_negated(const IndexNode& product) const
    {
        const IndexNode& left = pool_[product.left];
        const bool is_multiple = left.op == IndexOp::mul && pool_.is_constant(left.right);
        return pool_.is_constant(product.right, -1) && !is_multiple;
    }

    const IndexPool& pool_;
    const std::vector<std::string>& names_;
    const char* divided_by_;
    std::string& out_;
    std::vector<Piece> rest_{};
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
