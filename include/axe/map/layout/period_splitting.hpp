// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_LAYOUT_PERIOD_SPLITTING_HPP
#define AXE_MAP_LAYOUT_PERIOD_SPLITTING_HPP

#include <axe/map/evaluate.hpp>
#include <axe/map/layout/range_elimination.hpp>

/// Variables cut into digits, most of which are then separate summands.
namespace axe {
inline namespace v0 {
namespace detail {

/// A sum of floors moves by a constant when a variable does by a period P. Cut at P, the digit outside counts nothing but those
/// constants, and only the one inside is entangled with others. Variables that move nothing after a whole period keep one period.
class PeriodSplitter {
  public:
    explicit PeriodSplitter(SplitMap& cut) : cut_(&cut) {}

    /// Cuts until nothing is left to cut: dimensions last, since what a range variable takes up may have been entangled with them.
    void run()
    {
        RangeElimination elimination(*cut_);
        bool all = false;
        for (int round = 0; round < most_rounds && cut_->map.pool.error().ok(); ++round) {
            do {
                elimination.run(round == 0);
            } while (turn() || keep_residue());
            if (cut_once(all)) continue;
            if (all) return;
            all = true;
        }
    }

  private:
    using Wide = DigitForms::Wide;
    static constexpr int most_rounds = 12, most_turns = 4;
    static constexpr std::size_t most_digits_of_map = 64;
    static constexpr std::int64_t longest_residue = 1 << 12;

    /// The form changes by `drift` when the variable does by `length`; length 0 when that is longer than the variable's extent.
    struct Period {
        Wide length = 1, drift = 0;
    };
    SplitMap* cut_;

    bool cut_once(bool dimensions_too)
    {
        IndexPool pool;
        std::vector<SplitVariable> finer;
        std::vector<IndexExpr> replacement;
        const std::vector<bool> is_opaque = cut_->opaque_variables();
        bool is_cut = false;
        for (std::size_t v = 0; v < cut_->digits.size(); ++v) {
            SplitVariable whole = cut_->digits[v];
            std::vector<std::int64_t> ends{1};
            if (!is_opaque[v]) is_cut = keep_period(static_cast<std::int32_t>(v), whole) || is_cut;
            const bool is_next = dimensions_too || whole.kind != SplitVariable::Kind::dimension;
            if (is_next && !is_opaque[v] && cut_->digits.size() < most_digits_of_map)
                find_cuts(static_cast<std::int32_t>(v), whole, ends);
            is_cut = is_cut || ends.size() > 1;
            IndexExpr sum = pool.constant(0);
            for (std::size_t k = 0; k < ends.size(); ++k) {
                SplitVariable digit = whole;
                digit.weight *= ends[k];
                digit.extent = (k + 1 < ends.size() ? ends[k + 1] : whole.extent) / ends[k];
                sum = pool.add(sum, pool.mul(pool.variable(static_cast<int>(finer.size())), ends[k]));
                finer.push_back(digit);
            }
            replacement.push_back(sum);
        }
        if (is_cut) cut_->replace(std::move(pool), std::move(finer), replacement);
        return is_cut;
    }

    [[nodiscard]] Period period_of(const DigitTerm& t, std::int32_t v, Wide longest) const
    {
        if (cut_->is_variable(t.index)) return t.index == v ? Period{t.step, 1} : Period{};
        const Period inner = period_of(cut_->read_as.forms.index(t.index).form, v, longest);
        if (inner.drift == 0) return inner;
        const Wide factor = t.step / gcd<Wide>(t.step, inner.drift);
        Period out;
        if (!mul(inner.length, factor, out.length) || out.length > longest || !mul(inner.drift, factor, out.drift)) return {0, 0};
        out.drift /= t.step;
        return out;
    }
    [[nodiscard]] Period period_of(const DigitForm& f, std::int32_t v, Wide longest) const
    {
        Period out;
        for (const DigitTerm* t = cut_->read_as.forms.begin(f); t != cut_->read_as.forms.end(f); ++t) {
            const Period p = period_of(*t, v, longest);
            if (p.length == 0) return p;
            const Wide times = p.length / gcd<Wide>(out.length, p.length);
            Wide part = 0;
            if (!mul(out.length, times, out.length) || out.length > longest || !mul(out.drift, times, out.drift) ||
                !mul(Wide(t->factor), p.drift, part) || !mul(part, out.length / p.length, part) || !add(out.drift, part, out.drift))
                return {0, 0};
        }
        return out;
    }
    /// The period after which nothing has moved, 0 for none; of forms that are known.
    [[nodiscard]] std::int64_t whole_period(std::int32_t v) const
    {
        const SplitVariable& digit = cut_->digits[static_cast<std::size_t>(v)];
        if (digit.kind == SplitVariable::Kind::dimension) return 0;
        Wide all = 1;
        for (const auto* forms : {&cut_->results, &cut_->constraints})
            for (const DigitForm& f : *forms) {
                if (!f.is_known()) continue; // it does not have the variable
                const Period p = period_of(f, v, digit.extent);
                if (p.length == 0 || p.drift != 0) return 0;
                if (!mul(all, Wide(p.length / gcd<Wide>(all, p.length)), all) || all > digit.extent) return 0;
            }
        return static_cast<std::int64_t>(all);
    }
    /// One period of a range or run-time variable is as good as all, where nothing drifts.
    bool keep_period(std::int32_t v, SplitVariable& digit) const
    {
        const std::int64_t period = whole_period(v);
        if (period == 0 || period == digit.extent) return false;
        digit.extent = period;
        return true;
    }

    /// A range variable u of which a constraint alone keeps one residue r of a period P counts those:  u = P·t + r.
    bool keep_residue()
    {
        for (std::size_t c = 0; c < cut_->constraints.size(); ++c) {
            const DigitForm& f = cut_->constraints[c];
            if (!f.is_known()) continue;
            std::int32_t v = -1;
            bool is_one = true;
            for (const DigitTerm* t = cut_->read_as.forms.begin(f); t != cut_->read_as.forms.end(f); ++t)
                cut_->for_each_variable(*t, [&](std::int32_t u) {
                    is_one = is_one && (v < 0 || v == u);
                    v = u;
                });
            if (v < 0 || !is_one || cut_->digits[static_cast<std::size_t>(v)].kind != SplitVariable::Kind::range) continue;
            const Period p = period_of(f, v, std::min(cut_->digits[static_cast<std::size_t>(v)].extent, longest_residue));
            if (p.length < 2 || p.drift != 0) continue;
            std::vector<std::int64_t> at(cut_->digits.size());
            IndexEvaluator evaluate(cut_->map.pool, at.data());
            std::int64_t residue = -1, kept = 0, value = 0;
            for (std::int64_t& u = at[static_cast<std::size_t>(v)]; u < p.length; ++u) {
                evaluate.at(at.data());
                if (!evaluate(cut_->map.constraints[c].expression, value)) return false;
                if (!cut_->map.constraints[c].interval.contains(value)) continue;
                residue = u;
                ++kept;
            }
            const auto period = static_cast<std::int64_t>(p.length);
            std::int64_t& extent = cut_->digits[static_cast<std::size_t>(v)].extent;
            if (kept != 1 || residue >= extent) continue;
            cut_->drop_constraint(c);
            extent = (extent - 1 - residue) / period + 1;
            IndexPool pool;
            const IndexExpr u = pool.add(pool.mul(pool.variable(v), period), residue);
            cut_->replace(std::move(pool), v, u);
            return true;
        }
        return false;
    }

    /// A range variable u that goes through whole periods may count from anywhere: u − g for u, where ⌊(u + g)/k⌋ occurs.
    bool turn()
    {
        const std::vector<bool> is_opaque = cut_->opaque_variables();
        for (std::int32_t v = 0; cut_->is_variable(v); ++v) {
            SplitVariable& digit = cut_->digits[static_cast<std::size_t>(v)];
            if (digit.kind != SplitVariable::Kind::range || digit.turns == most_turns || is_opaque[static_cast<std::size_t>(v)])
                continue;
            const std::int64_t period = whole_period(v);
            if (period == 0 || digit.extent % period != 0) continue;
            std::int64_t shift = 0;
            std::int32_t at = -1;
            for (const auto* forms : {&cut_->results, &cut_->constraints})
                for (const DigitForm& f : *forms) find_turn(f, v, at, shift);
            if (at < 0 && shift == 0) continue;
            ++digit.turns;
            IndexPool pool;
            IndexExpr u = pool.variable(v);
            if (at < 0) {
                u = pool.add(u, -shift);
            } else {
                const DigitForm f = cut_->read_as.forms.index(at).form;
                u = pool.sub(u, pool.mul(cut_->written(pool, f, v), cut_->sign_in(f, v)));
            }
            cut_->replace(std::move(pool), v, u);
            return true;
        }
        return false;
    }
    /// A divided sum  ±v + g  in the form, or a shift of v itself.
    void find_turn(const DigitForm& f, std::int32_t v, std::int32_t& at, std::int64_t& shift) const
    {
        for (std::int32_t k = 0; k < f.count && at < 0; ++k) {
            const DigitTerm& t = cut_->read_as.forms.begin(f)[k];
            if (t.index == v && t.shift != 0) shift = t.shift;
            if (cut_->is_variable(t.index)) continue;
            const DigitForm& inner = cut_->read_as.forms.index(t.index).form;
            if (inner.count > 1 && cut_->sign_in(inner, v) != 0)
                at = t.index;
            else
                find_turn(inner, v, at, shift);
        }
    }
    void find_cuts(std::int32_t v, const SplitVariable& digit, std::vector<std::int64_t>& ends) const
    {
        std::vector<Wide> at;
        for (const auto* forms : {&cut_->results, &cut_->constraints})
            for (const DigitForm& f : *forms)
                if (f.is_known()) collect(f, v, digit.extent, at);
        std::sort(at.begin(), at.end());
        for (const Wide p : at)
            if (p > ends.back() && p < digit.extent && p % ends.back() == 0 && digit.extent % p == 0)
                ends.push_back(static_cast<std::int64_t>(p));
    }
    void collect(const DigitForm& f, std::int32_t v, Wide longest, std::vector<Wide>& at) const
    {
        for (const DigitTerm* t = cut_->read_as.forms.begin(f); t != cut_->read_as.forms.end(f); ++t) {
            if (const Period p = period_of(*t, v, longest); p.length > 1) at.push_back(p.length);
            if (!cut_->is_variable(t->index)) collect(cut_->read_as.forms.index(t->index).form, v, longest, at);
        }
    }
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
