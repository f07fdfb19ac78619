// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_SIMPLIFY_MIXED_RADIX_HPP
#define AXE_MAP_SIMPLIFY_MIXED_RADIX_HPP

#include <axe/map/mixed_radix/writer.hpp>
#include <axe/map/range/expression_ranges.hpp>
#include <axe/map/simplify/cost.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// Results that are sums of floors of single variables, or of the row-major index of the dimensions, written in the one form that
/// such a function has: that of every map which a layout describes.
class VariableSums {
  public:
    /// @param out  has the variables with the intervals on which the map is to be kept, none of them empty, and takes the results
    VariableSums(const IndexingMap& map, IndexingMap& out)
        : out_(&out),
          variables_(out.variables, out.dimensions),
          read_(variables_, map.pool),
          write_(variables_, out.pool, true),
          costs_(out.pool),
          ranges_(out)
    {
        variables_.forms.only_variables = true;
    }

    /// Is the expression such a sum?
    bool read(IndexExpr e)
    {
        form_ = read_(e);
        return form_.is_known();
    }
    /// What was read last, in the pool of the output; id −1 when it would cost more than `most`, when a number might overflow,
    /// when what is written does not read as the same form again, and for two digits of several dimensions each: what these share is
    /// taken out of them elsewhere.
    IndexExpr write(const ExpressionCost& most)
    {
        const IndexExpr written = write_(form_);
        if (write_.joint_digits() > 1 || !out_->pool.error().ok() || most < costs_(written) || !stays_within(written)) return {};
        return reads_again(written) ? written : IndexExpr{};
    }

  private:
    /// Digits of a layout do; others may be digits of digits, with shifts, that are not taken apart again.
    [[nodiscard]] bool reads_again(IndexExpr written)
    {
        const DigitTerm* const terms = variables_.forms.begin(form_);
        bool is_plain = true;
        for (int i = 0; i < form_.count; ++i)
            is_plain = is_plain && terms[i].shift == 0 &&
                       (i == 0 || terms[i].index != terms[i - 1].index || terms[i].step % terms[i - 1].step == 0);
        if (is_plain) return true;
        const DigitForm again = DigitReader(variables_, out_->pool)(written);
        return again.is_known() && again.constant == form_.constant && variables_.forms.same_terms(again, form_);
    }
    /// Do all nodes up to this one stay within the integer?
    bool stays_within(IndexExpr e)
    {
        for (; fits_ && checked_ <= e.id; ++checked_) fits_ = is_bounded(ranges_({checked_}));
        return fits_;
    }

    IndexingMap* out_;
    DigitVariables variables_;
    DigitReader read_;
    DigitWriter write_;
    ExpressionCosts costs_;
    DigitForm form_{};
    ExpressionRanges ranges_;
    std::int32_t checked_ = 0;
    bool fits_ = true;
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
