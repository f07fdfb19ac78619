// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_EXAMPLES_ONLINE_SOFTMAX_HPP
#define AXE_EXAMPLES_ONLINE_SOFTMAX_HPP

#include <axe/kernels.hpp>

#include <limits>
#include <numbers>

namespace examples {

/// A softmax of rows that come in parts, with what the parts so far come to: the greatest score, and the sum of powers below it.
///
///   m' = max(m, max s),  p = 2^(c·s − c·m'),  l' = l·2^(c·(m − m')) + Σ p,  where m' = −∞ counts as 0;   c = scale·log2 e
///
/// A row without a score above −∞ has l = 0. What was added up with weights p before is to be multiplied by `ratio` after each step. With a
/// `growth` m stays what it was while c·(max s − m) is no more than that, so that most ratios are 1, and p is up to 2^growth.
class OnlineSoftmax {
  public:
    /// @param column the layout of one number a row, in each lane that has scores of the row
    OnlineSoftmax(axe::Scope w, std::int64_t rows, const axe::Layout& column, double scale, double growth = 0)
        : scale_(scale),
          growth_(growth),
          most_(registers(w, rows, column, "most")),
          total_(registers(w, rows, column, "total")),
          ratio_(registers(w, rows, column, "ratio")),
          next_(registers(w, rows, column, "next")),
          part_(registers(w, rows, column, "part")),
          zero_(registers(w, rows, column, "zero")),
          low_(registers(w, rows, column, "low")),
          factor_(registers(w, rows, column, "factor"))
    {
        w.fill(zero_, 0).fill(low_, -std::numeric_limits<double>::infinity()).fill(factor_, scale * std::numbers::log2e);
        w.fill(total_, 0).copy(most_, low_);
    }

    /// Scores become powers; the sum is of these, before any rounding.
    void step(axe::Scope w, const axe::ViewRef& scores) const
    {
        find_ratio(w, scores);
        find_powers(w, scores);
    }
    /// The first half of a step: m' and the ratio.
    void find_ratio(axe::Scope w, const axe::ViewRef& scores) const
    {
        using axe::Function;
        w.reduce(Function::max, next_, scores, {1});
        w.binary(Function::max, next_, next_, most_);
        if (growth_ > 0) { // of −∞ the difference is ∞ or NaN, which are not less
            w.binary(Function::sub, part_, next_, most_).binary(Function::mul, part_, part_, factor_);
            w.fill(ratio_, growth_).binary(Function::less_equal, part_, part_, ratio_).select(next_, part_, most_, next_);
        }
        w.binary(Function::equal, part_, next_, low_).select(part_, part_, zero_, next_); // m', or 0
        w.binary(Function::sub, ratio_, most_, part_).binary(Function::mul, ratio_, ratio_, factor_);
        w.unary(Function::exp2, ratio_, ratio_).copy(most_, next_);
    }
    /// The second half: scores become powers, and their sum.
    void find_powers(axe::Scope w, const axe::ViewRef& scores) const
    {
        using axe::Function;
        const std::int64_t columns = scores.shape()[1];
        w.binary(Function::mul, part_, part_, factor_).unary(Function::neg, part_, part_);
        w.fma(scores, scores, factor_.repeated(1, columns), part_.repeated(1, columns));
        w.unary(Function::exp2, scores, scores);
        w.sum(part_, scores, 1);
        w.fma(total_, total_, ratio_, part_);
    }
    /// What was added up, by what the weights so far have shrunk.
    void rescale(axe::Scope w, const axe::ViewRef& sums) const
    {
        w.binary(axe::Function::mul, sums, sums, ratio_.repeated(1, sums.shape()[1]));
    }
    /// sums / l, and log Σ exp of the row; 0 and −∞ where l is 0 or NaN.
    void finish(axe::Scope w, const axe::ViewRef& sums, const axe::ViewRef& log_sum) const
    {
        using axe::Function;
        const std::int64_t columns = sums.shape()[1];
        find_logarithm(w, log_sum);
        w.binary(Function::div, sums, sums, total_.repeated(1, columns));
        w.select(sums, part_.repeated(1, columns), sums, zero_.repeated(1, columns));
    }
    /// The second of these alone.
    void find_logarithm(axe::Scope w, const axe::ViewRef& log_sum) const
    {
        using axe::Function;
        w.binary(Function::less, part_, zero_, total_);
        w.fill(ratio_, scale_).binary(Function::mul, most_, most_, ratio_);
        w.unary(Function::log, next_, total_).binary(Function::add, next_, next_, most_);
        w.select(log_sum, part_, next_, low_);
    }
    [[nodiscard]] const axe::TensorRef& low() const { return low_; }
    [[nodiscard]] const axe::TensorRef& ratio() const { return ratio_; }
    [[nodiscard]] const axe::TensorRef& total() const { return total_; }

  private:
    static axe::TensorRef registers(axe::Scope w, std::int64_t rows, const axe::Layout& column, const char* name)
    {
        return w.alloc(axe::Role::registers, {rows}, axe::DType::f32, column, name);
    }
    double scale_, growth_;
    axe::TensorRef most_, total_, ratio_, next_, part_, zero_, low_, factor_;
};

/// Which keys a query sees, as a predicate on the two coordinates: key j of Sk, query i of Sq.
///
///   j < Sk,   causal: j ≤ i + Sk − Sq,   window > 0: j > i + Sk − Sq − window
struct KeyMask {
    std::int64_t queries, keys;
    bool causal = false;
    std::int64_t window = 0;

    [[nodiscard]] std::int64_t shift() const { return keys - queries; }
    /// The same on whole matrices [queries, keys], for a specification.
    [[nodiscard]] axe::Formula formula() const
    {
        const axe::Formula i = axe::iota({queries, 1}, 0) + static_cast<int>(shift()), j = axe::iota({1, keys}, 1);
        axe::Formula out = j < static_cast<int>(keys);
        if (causal) out = min(out, j <= i);
        if (window > 0) out = min(out, j > i - static_cast<int>(window));
        return out;
    }
    /// How many blocks of keys from the first on rows [begin, begin + count) see.
    [[nodiscard]] axe::Expression blocks(const axe::Affine& begin, std::int64_t count, std::int64_t block) const
    {
        const auto all = static_cast<double>((keys + block - 1) / block);
        if (!causal) return all;
        const axe::Expression end = begin + (count + shift() + block - 1);
        return min(max(floor_div(end, static_cast<double>(block)), 0.0), all);
    }
    /// May a row from `begin` on not see a key of the block from `first` on?
    [[nodiscard]] axe::Expression cuts(const axe::Affine& begin, std::int64_t count, const axe::Affine& first,
                                       std::int64_t block) const
    {
        const axe::Expression last = first + (block - 1);
        axe::Expression out = axe::Expression(static_cast<double>(keys - 1)) < last;
        if (causal) out = either(out, axe::Expression(begin + shift()) < last);
        if (window > 0) out = either(out, axe::Expression(first) <= axe::Expression(begin + (count - 1 + shift() - window)));
        return out;
    }
};

} // namespace examples

#endif
