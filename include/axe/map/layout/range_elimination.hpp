// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_LAYOUT_RANGE_ELIMINATION_HPP
#define AXE_MAP_LAYOUT_RANGE_ELIMINATION_HPP

#include <axe/map/layout/split_map.hpp>
#include <axe/map/mixed_radix/box.hpp>

/// Range variables that constraints or sums tie together.
namespace axe {
inline namespace v0 {
namespace detail {

class RangeElimination {
  public:
    explicit RangeElimination(SplitMap& cut) : cut_(&cut) {}

    void run(bool may_join)
    {
        do {
            remove_redundant();
        } while (cut_->map.pool.error().ok() && (narrow_one() || (may_join && join()) || eliminate()));
    }

  private:
    using Wide = DigitForms::Wide;
    SplitMap* cut_;

    [[nodiscard]] bool is_range(std::int32_t v) const
    {
        return cut_->digits[static_cast<std::size_t>(v)].kind == SplitVariable::Kind::range;
    }
    [[nodiscard]] std::int64_t extent(std::int32_t v) const { return cut_->digits[static_cast<std::size_t>(v)].extent; }

    void remove_redundant()
    {
        for (std::size_t c = cut_->constraints.size(); c-- > 0;)
            if (holds(cut_->read_as.forms, cut_->constraints[c], cut_->map.constraints[c].interval)) cut_->drop_constraint(c);
    }

    /// A constraint on one range variable is its interval.
    bool narrow_one()
    {
        for (std::size_t c = 0; c < cut_->constraints.size(); ++c) {
            const DigitForm& f = cut_->constraints[c];
            if (f.count != 1) continue;
            const DigitTerm t = *cut_->read_as.forms.begin(f);
            if (!cut_->is_variable(t.index) || t.step != 1 || !is_range(t.index)) continue;
            const IndexInterval left =
                intersection({0, extent(t.index) - 1}, solved_for(t.factor, f.constant, cut_->map.constraints[c].interval));
            if (left.is_empty()) continue; // the parts find that
            cut_->drop_constraint(c);
            cut_->digits[static_cast<std::size_t>(t.index)].extent = left.high - left.low + 1;
            IndexPool pool;
            const IndexExpr from_low = pool.add(pool.variable(t.index), left.low);
            cut_->replace(std::move(pool), t.index, from_low);
            return true;
        }
        return false;
    }

    /// A range variable s that an equation  sign·s + rest = c  gives is replaced by  sign·(c − rest), which has its interval. Best one
    /// that cannot leave the interval, else the one of most values.
    bool eliminate()
    {
        std::size_t equation = 0;
        std::int32_t best = -1;
        std::int64_t most = 0;
        for (std::size_t c = 0; c < cut_->constraints.size(); ++c) {
            const DigitForm& f = cut_->constraints[c];
            const IndexInterval& bounds = cut_->map.constraints[c].interval;
            if (!f.is_known() || !bounds.is_point()) continue;
            for (std::int32_t v = 0; cut_->is_variable(v); ++v) {
                if (!is_range(v) || extent(v) < 2 || cut_->sign_in(f, v) == 0) continue;
                const std::int64_t gain = stays(f, v, bounds.low) ? every_integer.high : extent(v);
                if (gain <= most) continue;
                most = gain;
                best = v;
                equation = c;
            }
        }
        if (best < 0) return false;
        IndexPool pool;
        const DigitForm f = cut_->constraints[equation];
        const std::int64_t sign = cut_->sign_in(f, best);
        const IndexExpr rest = cut_->written(pool, f, best), right = pool.constant(cut_->map.constraints[equation].interval.low);
        const IndexExpr value = pool.mul(pool.sub(right, rest), sign);
        // The equation makes room for the interval: of s itself, before it is replaced.
        cut_->map.constraints[equation] = {cut_->map.pool.variable(best), {0, extent(best) - 1}};
        cut_->digits[static_cast<std::size_t>(best)].extent = 1;
        cut_->replace(std::move(pool), best, value);
        return true;
    }
    /// Is the value that the equation gives v one of v's, whatever the others are?
    [[nodiscard]] bool stays(const DigitForm& f, std::int32_t v, std::int64_t right) const
    {
        FloorDigits d;
        if (!digits_of(cut_->read_as.forms, f, d)) return false;
        Wide low = d.constant, high = d.constant;
        std::int64_t sign = 0;
        for (const DigitItem& z : d) {
            if (z.index == v)
                sign = z.factor;
            else if (!widen(low, high, z.factor, z.low, z.high))
                return false;
        }
        const Wide from = sign > 0 ? right - high : low - right, to = sign > 0 ? right - low : high - right;
        return from >= 0 && to < extent(v);
    }

    /// Where a sum has  c·n·s + c·t  with t of n values, n·s + t is one variable.
    bool join()
    {
        const DigitForms& forms = cut_->read_as.forms;
        for (const DigitForm& f : cut_->constraints)
            if (join_in(f)) return true;
        for (auto i = static_cast<std::int32_t>(cut_->digits.size()); i < forms.size(); ++i)
            if (join_in(forms.index(i).form)) return true;
        return false;
    }
    bool join_in(const DigitForm& f)
    {
        const DigitTerm* begin = cut_->read_as.forms.begin(f);
        const auto is_whole = [&](const DigitTerm& t) {
            return cut_->is_variable(t.index) && t.step == 1 && is_range(t.index) && extent(t.index) > 1;
        };
        for (std::int32_t a = 0; a < f.count; ++a)
            for (std::int32_t b = 0; b < f.count; ++b) {
                const DigitTerm s = begin[a], t = begin[b];
                std::int64_t outer = 0, all = 0;
                if (a == b || !is_whole(s) || !is_whole(t) || !mul(t.factor, extent(t.index), outer)) continue;
                if ((s.factor != outer && s.factor != -outer) || !mul(extent(s.index), extent(t.index), all)) continue;
                const std::int64_t n = extent(t.index);
                std::vector<SplitVariable> digits = cut_->digits;
                digits[static_cast<std::size_t>(s.index)].extent = all;
                digits[static_cast<std::size_t>(t.index)].extent = 1;
                IndexPool pool;
                std::vector<IndexExpr> replacement;
                for (std::int32_t u = 0; cut_->is_variable(u); ++u) replacement.push_back(pool.variable(u));
                const IndexExpr whole = pool.variable(s.index), inner = pool.mod(whole, n);
                replacement[static_cast<std::size_t>(s.index)] = pool.floor_div(whole, n);
                replacement[static_cast<std::size_t>(t.index)] =
                    s.factor == outer ? inner : pool.add(pool.mul(inner, -1), n - 1); // against each other: t from its other end
                cut_->replace(std::move(pool), std::move(digits), replacement);
                return true;
            }
        return false;
    }
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
