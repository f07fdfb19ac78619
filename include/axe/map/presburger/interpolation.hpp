// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_PRESBURGER_INTERPOLATION_HPP
#define AXE_MAP_PRESBURGER_INTERPOLATION_HPP

#include <axe/map/indexing_map.hpp>

#include <optional>

/// Expressions for functions that are given by their values.
namespace axe {
inline namespace v0 {
namespace detail {

/// Writes a function of one expression, from its values at some places; elsewhere the expression is whatever it is.
class Interpolation {
  public:
    /// What a function is known by: places below 2^60, in rising order and each once, and the value at each; the values are near each
    /// other, as those of a box of 2^20 points are.
    using Values = std::vector<std::pair<std::int64_t, std::int64_t>>;
    static constexpr std::size_t most_steps = std::size_t{1} << 16;

    explicit Interpolation(IndexPool& pool) : pool_(&pool) {}
    std::size_t steps = 0; ///< written until now

    /// Digits of the expression, residues of a multiple of it, or a line and steps beside it; an invalid expression when the steps are too many, or numbers
    /// too large.
    IndexExpr interpolate(IndexExpr e, Values values)
    {
        const std::int64_t at_first = values[0].second;
        for (auto& [place, value] : values) value -= at_first;
        IndexExpr out = digits(e, values);
        if (out.id < 0) out = residues(e, values);
        if (out.id < 0) out = line_and_steps(e, values);
        return out.id < 0 ? out : pool_->add(out, at_first);
    }
    /// Σ over k of  add_k  where place_k ≤ e, for an expression that stays in the interval.
    IndexExpr stairs(IndexExpr e, const IndexInterval& interval, const Values& jumps)
    {
        steps += jumps.size();
        if (steps > most_steps) return {};
        // ⌊(e − place)/size⌋ is −1 below the place, and 0 from there.
        const std::int64_t size = interval.high - interval.low + 1;
        IndexExpr sum = pool_->constant(0);
        std::int64_t total = 0;
        for (const auto& [place, jump] : jumps) {
            sum = pool_->add(sum, pool_->mul(pool_->floor_div(moved(e, -place), size), jump));
            total += jump;
        }
        return pool_->add(sum, total);
    }

  private:
    using Wide = wider_t<std::int64_t>;
    IndexPool* pool_;

    /// e + by, where what e itself adds is taken along.
    IndexExpr moved(IndexExpr e, std::int64_t by)
    {
        const IndexNode n = (*pool_)[e];
        std::int64_t both = 0;
        if (n.op != IndexOp::add || !pool_->is_constant(n.right) || !detail::add((*pool_)[n.right].value, by, both))
            return pool_->add(e, by);
        return pool_->add(n.left, both);
    }

    struct Digit {
        std::int64_t step, extent, factor;
    };
    /// e = first + Σ step·digit: each digit adds so much.
    IndexExpr digits(IndexExpr e, const Values& values)
    {
        const auto n = static_cast<std::int64_t>(values.size());
        const std::int64_t first = values[0].first;
        if (values.back().first - first != n - 1) return {};
        const auto at = [&](std::int64_t i) { return values[static_cast<std::size_t>(i)].second; };
        std::vector<Digit> found;
        for (std::int64_t step = 1; step < n;) {
            const std::int64_t factor = at(step);
            std::int64_t extent = 2;
            while (extent * step < n && at(extent * step) == extent * factor) ++extent;
            if (found.size() == 12) return {};
            found.push_back({step, extent, factor});
            step *= extent;
        }
        for (std::int64_t i = 0; i < n; ++i) {
            std::int64_t sum = 0;
            for (const Digit& d : found) sum += i / d.step % d.extent * d.factor;
            if (sum != at(i)) return {};
        }
        IndexExpr out = pool_->constant(0);
        for (const Digit& d : found) {
            if (d.factor == 0) continue;
            IndexExpr digit = pool_->floor_div(moved(e, -first), d.step);
            if (d.step * d.extent < n) digit = pool_->mod(digit, d.extent);
            out = pool_->add(pool_->mul(digit, d.factor), out);
        }
        return out;
    }
    /// (rise·(e − first) + start) mod modulus, whose differences are the rise or the rise without the modulus.
    IndexExpr residues(IndexExpr e, const Values& values)
    {
        const auto n = static_cast<std::int64_t>(values.size());
        const std::int64_t first = values[0].first;
        if (values.back().first - first != n - 1) return {};
        std::int64_t low = 0, rise = 0, fall = 0;
        for (std::size_t i = 1; i < values.size(); ++i) {
            low = std::min(low, values[i].second);
            const std::int64_t difference = values[i].second - values[i - 1].second;
            rise = std::max(rise, difference);
            fall = std::min(fall, difference);
        }
        const std::int64_t modulus = rise - fall;
        for (std::int64_t i = 0; i < n; ++i)
            if (values[static_cast<std::size_t>(i)].second != low + floor_remainder(rise * i - low, modulus)) return {};
        return pool_->add(pool_->mod(pool_->add(pool_->mul(moved(e, -first), rise), -low), modulus), low);
    }
    /// What a line ⌊rise·(place − first)/run⌋ leaves of a value.
    struct Line {
        std::int64_t rise = 0, run = 1;
        [[nodiscard]] std::int64_t rest(const std::pair<std::int64_t, std::int64_t>& v, std::int64_t first) const
        {
            return static_cast<std::int64_t>(v.second - floor_div(Wide(rise) * (v.first - first), Wide(run)));
        }
    };
    static std::size_t jumps_beside(const Line& line, const Values& values)
    {
        std::size_t out = 0;
        for (std::size_t i = 1; i < values.size(); ++i)
            out += line.rest(values[i], values[0].first) != line.rest(values[i - 1], values[0].first) ? 1 : 0;
        return out;
    }
    /// The slope from one place to the next that is met most often; no slope, where that is as good.
    static Line best_line(const Values& values)
    {
        std::vector<std::pair<std::int64_t, std::int64_t>> slopes;
        for (std::size_t i = 1; i < values.size(); ++i) {
            const std::int64_t run = values[i].first - values[i - 1].first, rise = values[i].second - values[i - 1].second;
            const std::int64_t common = gcd(run, rise);
            slopes.emplace_back(rise / common, run / common);
        }
        std::sort(slopes.begin(), slopes.end());
        Line out;
        std::size_t fewest = jumps_beside(out, values), most = 0;
        for (std::size_t begin = 0, end = 0; begin < slopes.size(); begin = end) {
            while (end < slopes.size() && slopes[end] == slopes[begin]) ++end;
            // Slopes that are met ever more often: few, of all there are.
            if (end - begin <= most) continue;
            most = end - begin;
            const Line line{slopes[begin].first, slopes[begin].second};
            if (const std::size_t jumps = jumps_beside(line, values); jumps < fewest) {
                fewest = jumps;
                out = line;
            }
        }
        return out;
    }
    IndexExpr line_and_steps(IndexExpr e, const Values& values)
    {
        const std::int64_t first = values[0].first;
        const Line line = best_line(values);
        std::int64_t rise = 0;
        if (!mul(line.rise, values.back().first - first, rise)) return {};
        Values jumps;
        for (std::size_t i = 1; i < values.size(); ++i) {
            const std::int64_t jump = line.rest(values[i], first) - line.rest(values[i - 1], first);
            if (jump != 0) jumps.emplace_back(values[i].first, jump);
        }
        const IndexExpr beside = stairs(e, {first, values.back().first}, jumps);
        if (beside.id < 0) return {};
        const IndexExpr along = pool_->floor_div(pool_->mul(moved(e, -first), line.rise), line.run);
        return pool_->add(along, beside);
    }
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
