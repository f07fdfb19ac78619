// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_MIXED_RADIX_WRITER_HPP
#define AXE_MAP_MIXED_RADIX_WRITER_HPP

#include <axe/map/errors.hpp>
#include <axe/map/mixed_radix/reader.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// Expressions of digit forms, in a pool that has the variables.
///
/// The flat index is written dimension by dimension wherever the ends of the dimensions are among the steps of its digits, or cut one
/// without a rest; dimensions between two such ends are written as one row-major index. In each part a digit costs a division, a
/// mod, or both; where that is less, each change of the stride is written with one of the two, as long as no factor has another sign
/// than all strides: 7 and 9 over an extent of 3 are 3·d + 4·(d mod 3).
class DigitWriter {
  public:
    /// @param is_shortest  with the fewest divisions, whatever the signs of the factors, and then the fewest nodes
    DigitWriter(const DigitVariables& variables, IndexPool& pool, bool is_shortest = false) noexcept
        : variables_(&variables), pool_(&pool), is_shortest_(is_shortest)
    {
    }

    /// The expression; id −1 when the form is not known. What overflows is in the pool's error.
    IndexExpr operator()(const DigitForm& f)
    {
        Total total;
        joint_digits_ = 0;
        write(f, 1, total);
        if (is_shortest_) total.take_constant_in(*pool_);
        const Part sum = total.sum(*pool_);
        return sum.e.id < 0 ? pool_->constant(sum.constant) : pool_->add(sum.e, sum.constant);
    }

    /// How many digits of several dimensions as one index the last expression has.
    [[nodiscard]] int joint_digits() const noexcept { return joint_digits_; }

  private:
    /// Digits of one index from the inside out: step[0] = 1, each step divides the next.
    struct Chain {
        std::int64_t step[FloorDigits::capacity + 2], stride[FloorDigits::capacity + 2];
        int count = 0;
        std::int64_t shift = 0;
        bool may_turn = false; ///< factors may be of either sign

        void push(std::int64_t at, std::int64_t s) noexcept
        {
            step[count] = at;
            stride[count++] = s;
        }
    };
    struct Part {
        IndexExpr e{};
        std::int64_t constant = 0;
    };
    /// Σ factor·part, equal parts together. With a period, all numbers are remainders by it, of their own sign.
    struct Total {
        std::vector<std::pair<IndexExpr, std::int64_t>> parts{};
        std::int64_t constant = 0, period = 0;

        void put(IndexPool& pool, const Part& part, std::int64_t factor)
        {
            if (!add_product(factor, part.constant, constant)) return pool.fail(constant_overflows());
            if (part.e.id < 0) return;
            const auto same = std::find_if(parts.begin(), parts.end(), [&](const auto& p) { return p.first == part.e; });
            if (same == parts.end())
                parts.emplace_back(part.e, factor);
            else if (!add(same->second, factor, same->second))
                pool.fail(constant_overflows());
        }
        /// f·⌊(x + c)/k⌋ + f·n  as  f·⌊(x + c + n·k)/k⌋
        void take_constant_in(IndexPool& pool)
        {
            for (auto& [e, factor] : parts) {
                const IndexNode n = pool[e];
                std::int64_t inner = 0;
                if (constant == 0 || n.op != IndexOp::floor_div || pool[n.left].op != IndexOp::add || constant % factor != 0)
                    continue;
                const IndexNode sum = pool[n.left];
                if (!pool.is_constant(sum.right) || !mul(constant / factor, n.value, inner) ||
                    !add(inner, pool[sum.right].value, inner))
                    continue;
                e = pool.floor_div(pool.add(sum.left, inner), n.value);
                constant = 0;
            }
        }
        [[nodiscard]] Part sum(IndexPool& pool) const
        {
            Part out{{}, period == 0 ? constant : constant % period};
            for (const auto& [e, factor] : parts) {
                const std::int64_t times = period == 0 ? factor : factor % period;
                if (times == 0) continue;
                const IndexExpr part = pool.mul(e, times);
                out.e = out.e.id < 0 ? part : pool.add(out.e, part);
            }
            return out;
        }
    };

    // ---- Floors and remainders of a sum -----------------------------------------------------------------------------------------
    Part floor_of(const Part& s, std::int64_t k) const
    {
        const std::int64_t rest = s.constant % k;
        if (s.e.id < 0) return {{}, axe::detail::floor_div(s.constant, k)};
        return {pool_->floor_div(pool_->add(s.e, rest), k), s.constant / k};
    }
    Part digit_of(Part s, std::int64_t step, std::int64_t extent) const
    {
        if (step != 1) s = floor_of(s, step);
        if (extent == 0) return s;
        if (s.e.id < 0) return {{}, floor_mod(s.constant, extent)};
        return {pool_->mod(pool_->add(s.e, s.constant % extent), extent), 0};
    }

    /// Adds Σ stride·digit, the digits made by piece(step, extent), the outermost of extent 0; whole(factor) adds the index itself.
    template <class Piece, class Whole>
    void write_chain(const Chain& chain, const Piece& piece, const Whole& whole, Total& total) const
    {
        int in_digits = 0, in_changes = 0, sign = 0;
        std::int64_t base = chain.stride[0];
        bool fits = true, keeps_sign = true, may_turn = chain.may_turn || is_shortest_;
        // By how much more than the digit inside it each digit counts: the factor of its floor.
        std::int64_t changes[FloorDigits::capacity + 2] = {};
        for (int i = 0; i < chain.count; ++i) {
            if (chain.stride[i] != 0) in_digits += (chain.step[i] != 1) + (i + 1 != chain.count);
            std::int64_t& change = changes[i];
            fits = fits && (i == 0 || (mul(chain.stride[i - 1], chain.step[i] / chain.step[i - 1], change) &&
                                       sub(chain.stride[i], change, change)));
            const int own = chain.stride[i] < 0 ? -1 : chain.stride[i] > 0;
            may_turn = may_turn || own * sign < 0;
            if (sign == 0) sign = own;
            if (change == 0) continue;
            ++in_changes;
            if (!is_prefix(change, sign))
                keeps_sign = keeps_sign && change % chain.step[i] == 0 && add(base, change / chain.step[i], base);
        }
        keeps_sign = keeps_sign && (sign < 0 ? base <= 0 : base >= 0);
        if (fits && (keeps_sign || may_turn) && (in_changes < in_digits || in_digits == 0)) {
            if (!keeps_sign) base = chain.stride[0];
            for (int i = chain.count - 1; i > 0; --i)
                if (const std::int64_t change = changes[i]; change != 0 && (!keeps_sign || is_prefix(change, sign)))
                    total.put(*pool_, piece(chain.step[i], std::int64_t{0}), change);
            if (base != 0) whole(base);
            for (int i = chain.count - 1; i > 0 && keeps_sign; --i)
                if (const std::int64_t change = changes[i]; change != 0 && !is_prefix(change, sign))
                    total.put(*pool_, piece(std::int64_t{1}, chain.step[i]), -(change / chain.step[i]));
            return;
        }
        for (int i = chain.count - 1; i >= 0; --i)
            if (chain.stride[i] != 0)
                total.put(*pool_, piece(chain.step[i], i + 1 == chain.count ? std::int64_t{0} : chain.step[i + 1] / chain.step[i]),
                          chain.stride[i]);
    }
    static bool is_prefix(std::int64_t change, int sign) noexcept { return sign < 0 ? change < 0 : change > 0; }

    // ---- The flat index ---------------------------------------------------------------------------------------------------------
    /// Is the weight of a dimension a step of the chain, or may it become one?
    static bool may_cut(const Chain& chain, std::int64_t weight) noexcept
    {
        int i = chain.count - 1;
        while (chain.step[i] > weight) --i;
        return weight % chain.step[i] == 0 && (i + 1 == chain.count || chain.step[i + 1] % weight == 0);
    }
    void write_flat(const Chain& chain, Total& total)
    {
        const FlatDimensions& dims = variables_->dimensions;
        for (std::size_t first = 0; first < dims.size();) {
            std::size_t last = first;
            while (last + 1 < dims.size() && (chain.shift != 0 || !may_cut(chain, dims[last].weight))) ++last;
            const std::int64_t weight = dims[last].weight, size = dims[first].weight * dims[first].extent / weight;
            int i = chain.count - 1;
            while (chain.step[i] > weight) --i;
            Chain part;
            part.push(1, 0);
            if (!mul(chain.stride[i], weight / chain.step[i], part.stride[0])) return pool_->fail(constant_overflows());
            for (++i; i < chain.count && (chain.shift != 0 || chain.step[i] / weight < size); ++i)
                part.push(chain.step[i] / weight, chain.stride[i]);
            const auto piece = [&](std::int64_t step, std::int64_t extent) {
                return digit_of_flat(first, last, chain.shift, step, extent);
            };
            const auto whole = [&](std::int64_t times) { total.put(*pool_, piece(1, 0), times); };
            if (size > 1) write_chain(part, piece, whole, total);
            first = last + 1;
        }
    }
    /// ⌊(x + shift)/step⌋ mod extent of the dimensions first … last as one index x, of those only that it depends on.
    Part digit_of_flat(std::size_t first, std::size_t last, std::int64_t shift, std::int64_t step, std::int64_t extent)
    {
        const FlatDimensions& dims = variables_->dimensions;
        for (; last > first && step % dims[last].extent == 0 && shift % dims[last].extent == 0; --last) {
            step /= dims[last].extent;
            shift /= dims[last].extent;
        }
        const std::int64_t weight = dims[last].weight;
        std::int64_t period = 0;
        if (extent != 0 && mul(step, extent, period)) {
            while (first < last && dims[first].weight / weight % period == 0) ++first;
            if (shift == 0 && dims[first].weight * dims[first].extent / weight <= period) extent = 0;
        }
        Total x;
        x.constant = shift;
        if (extent != 0 && is_shortest_) x.period = period;
        int occur = 0;
        for (std::size_t j = first; j <= last; ++j) {
            if (dims[j].extent == 1) continue;
            joint_digits_ += ++occur == 2;
            std::int64_t down = 0;
            if (!sub(std::int64_t{0}, dims[j].low, down)) pool_->fail(constant_overflows());
            x.put(*pool_, {pool_->variable(static_cast<int>(j)), down}, dims[j].weight / weight);
        }
        return digit_of(x.sum(*pool_), step, extent);
    }

    // ---- Whole forms ------------------------------------------------------------------------------------------------------------
    /// total += factor·f
    void write(const DigitForm& f, std::int64_t factor, Total& total)
    {
        FloorDigits d;
        if (!digits_of(variables_->forms, f, d, true)) return pool_->fail(constant_overflows());
        total.put(*pool_, {{}, d.constant}, factor);
        for (int i = 0; i < d.count;) {
            const std::int32_t index = d.items[i].index;
            Chain chain;
            chain.shift = d.items[i].shift;
            std::int64_t end = 1; // where the digit before ends, 0 for nowhere
            do {
                const DigitItem& z = d.items[i++];
                if (chain.count == 0 ? z.step != 1 : z.step != end) chain.push(end, 0);
                chain.push(z.step, z.factor);
                if (!mul(z.factor, factor, chain.stride[chain.count - 1])) return pool_->fail(constant_overflows());
                end = z.extent == 0 ? 0 : z.step * z.extent;
            } while (i < d.count && d.items[i].index == index && d.items[i].shift == chain.shift && end != 0 &&
                     d.items[i].step % end == 0);
            if (end != 0) chain.push(end, 0);
            if (index == 0 && variables_->is_flat) {
                write_flat(chain, total);
                continue;
            }
            const DigitForm& sum = variables_->forms.index(index).form;
            const auto piece = [&](std::int64_t step, std::int64_t extent) {
                std::int64_t period = 0; // of the digit, where it is not the outermost
                if (!mul(step, extent, period)) period = 0;
                Part u = index_of(index, period);
                if (!add(u.constant, chain.shift, u.constant)) pool_->fail(constant_overflows());
                return digit_of(u, step, extent);
            };
            const auto whole = [&](std::int64_t times) {
                if (sum.is_known())
                    write(sum, times, total);
                else
                    total.put(*pool_, index_of(index, 0), times);
                total.put(*pool_, {{}, chain.shift}, times);
            };
            chain.may_turn = sum.is_known();
            write_chain(chain, piece, whole, total);
        }
    }

    /// A variable, or a sum that was divided, whole or up to multiples of the period.
    Part index_of(std::int32_t index, std::int64_t period)
    {
        const DigitForm& form = variables_->forms.index(index).form;
        if (!form.is_known()) return {pool_->variable(variables_->variable_of(index)), 0};
        for (const Written& w : written_)
            if (w.index == index && w.period == period) return w.is;
        Total total;
        total.period = period;
        write(form, 1, total); // indices inside this one
        written_.push_back({index, period, total.sum(*pool_)});
        return written_.back().is;
    }

    struct Written {
        std::int32_t index;
        std::int64_t period;
        Part is;
    };
    const DigitVariables* variables_;
    IndexPool* pool_;
    bool is_shortest_;
    int joint_digits_ = 0;
    std::vector<Written> written_{}; ///< of the divided sums
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
