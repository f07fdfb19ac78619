// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_SIMPLIFY_PRINTER_HPP
#define AXE_MAP_SIMPLIFY_PRINTER_HPP

#include <axe/map/simplify/printing_plan.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// Prints forms into a pool, and copies parts of the input.
class FormPrinter {
  public:
    FormPrinter(FormPlanner& planner, IndexPool& out, const IndexPool& input, std::size_t variables)
        : planner_(&planner), out_(&out), input_(&input), variable_count_(variables)
    {
    }

    /// The expression; of constants as well, if wanted.
    IndexExpr print(const QuasiAffine& form, bool with_constant = true)
    {
        if (with_constant && form.expression >= 0) return {form.expression};
        const FormPlan& p = planner_->plan(form);
        IndexExpr sum{};
        for (int i = 0; i < p.count; ++i) {
            const FormPiece& piece = p.pieces[i];
            IndexExpr e{};
            switch (piece.kind) {
            case FormPiece::Kind::atom: e = print(*piece.atom); break;
            case FormPiece::Kind::division: e = out_->floor_div(print(*piece.base), piece.value); break;
            case FormPiece::Kind::remainder: e = out_->mod(print(*piece.base), piece.value); break;
            }
            e = out_->mul(e, piece.coefficient);
            sum = sum.id < 0 ? e : out_->add(sum, e);
        }
        if (sum.id < 0) return out_->constant(with_constant ? p.constant : 0);
        if (!with_constant) return sum;
        sum = out_->add(sum, p.constant);
        form.expression = sum.id;
        return sum;
    }

    /// The expression of the input as it is.
    IndexExpr copy(IndexExpr e)
    {
        if (variables_.empty())
            for (std::size_t v = 0; v < variable_count_; ++v) variables_.push_back(out_->variable(static_cast<int>(v)));
        return out_->substitute(*input_, e, variables_, copies_);
    }

  private:
    IndexExpr print(const FormAtom& atom)
    {
        switch (atom.kind) {
        case AtomKind::variable: return out_->variable(static_cast<int>(atom.value));
        case AtomKind::floor: return out_->floor_div(print(*atom.left), atom.value);
        case AtomKind::product: return out_->mul(print(*atom.left), print(*atom.right));
        case AtomKind::minimum: return out_->min(print(*atom.left), print(*atom.right));
        case AtomKind::maximum: return out_->max(print(*atom.left), print(*atom.right));
        case AtomKind::quotient: return out_->floor_div(print(*atom.left), print(*atom.right));
        case AtomKind::remainder: return out_->mod(print(*atom.left), print(*atom.right));
        case AtomKind::opaque: break;
        }
        return copy({static_cast<std::int32_t>(atom.value)});
    }

    FormPlanner* planner_;
    IndexPool* out_;
    const IndexPool* input_;
    std::size_t variable_count_;
    std::vector<IndexExpr> variables_{}, copies_{};
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
