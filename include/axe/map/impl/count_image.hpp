// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_IMPL_COUNT_IMAGE_HPP
#define AXE_MAP_IMPL_COUNT_IMAGE_HPP

#include <axe/map/count.hpp>
#include <axe/map/count_image.hpp>
#include <axe/map/empty.hpp>
#include <axe/map/presburger/counting.hpp>
#include <axe/map/presburger/domain_system.hpp>
#include <axe/map/presburger/projection.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// Counts the different values of all goals together, over the points that hold the constraints.
class ImageCounter {
  public:
    Error error{};

    WideInt run(BasicSet s)
    {
        reduce(s);
        shrink_to_image(s);
        if (s.is_unsound) error = map_form_overflow();
        if (s.is_unsound || s.is_empty) return 0;
        // Variables that share neither a result nor a constraint multiply.
        const Components parts(s, s.goal_row(0));
        WideInt out = 1;
        for (int k = 0; k < s.dim_count() && error.ok(); ++k) {
            if (!parts.begins_at(k)) continue;
            // The domain is not empty: what has no goal at all makes no difference.
            bool has_goal = false;
            BasicSet own = parts.of(s, k, has_goal);
            if (!has_goal) continue;
            out = saturated_product(out, connected(std::move(own)));
        }
        return out;
    }

  private:
    WideInt connected(BasicSet s)
    {
        const bool is_bound = s.constraint_count() > 0;
        std::vector<bool> known(static_cast<std::size_t>(s.columns()));
        WideInt out = 1;
        determine(s, known);
        bool is_one_to_one = true;
        for (int j = 0; j < s.dim_count(); ++j)
            if (s.dim(j).last > 0) {
                if (known[static_cast<std::size_t>(s.of_dim(j))])
                    out = saturated_product(out, s.dim(j).last + 1);
                else
                    is_one_to_one = false;
            }
        if (is_one_to_one && !is_bound) return out;
        if (is_one_to_one) return count_domain(std::move(s));
        if (!is_bound && s.used_locals() == 0) {
            // What is known of a point can be taken off the other results.
            int moving = 0, last = 0;
            for (int g = 0; g < s.goal_count(); ++g) {
                WideInt* form = s.row(s.goal_row(g));
                bool moves = false;
                for (int j = 0; j < s.dim_count(); ++j) {
                    if (known[static_cast<std::size_t>(s.of_dim(j))]) form[s.of_dim(j)] = 0;
                    moves = moves || form[s.of_dim(j)] != 0;
                }
                if (!moves) continue;
                ++moving;
                last = g;
            }
            if (moving == 0) return out;
            if (WideInt one = 0; moving == 1 && sum_values(s, s.row(s.goal_row(last)), one)) return saturated_product(out, one);
            for (int j = 0; j < s.dim_count(); ++j)
                if (known[static_cast<std::size_t>(s.of_dim(j))]) s.dim(j).last = 0;
            return saturated_product(out, enumerate(s));
        }
        return enumerate(s);
    }
    WideInt count_domain(BasicSet s)
    {
        for (int g = 0; g < s.goal_count(); ++g) std::fill_n(s.row(s.goal_row(g)), s.columns(), WideInt{0});
        PointCounter counter;
        const WideInt out = counter.run(s);
        if (counter.is_unsound) error = map_form_overflow();
        if (!counter.is_decided) error = map_too_hard();
        return out;
    }
    /// The columns whose values the goals' values give away: those of a sum in which each weighs more than all before it.
    static void determine(const BasicSet& s, std::vector<bool>& known)
    {
        struct Digit {
            WideInt weight, last;
            int column;
        };
        for (bool again = true; again;) {
            again = false;
            for (int g = 0; g < s.goal_count(); ++g) {
                const WideInt* form = s.row(s.goal_row(g));
                std::vector<Digit> digits;
                for (int c = 1; c < s.used_columns(); ++c) {
                    if (form[c] == 0 || known[static_cast<std::size_t>(c)]) continue;
                    const WideInterval r = s.values_of(c);
                    digits.push_back({magnitude(form[c]), r.high - r.low, c});
                }
                std::sort(digits.begin(), digits.end(), [](const Digit& x, const Digit& y) { return x.weight < y.weight; });
                WideInt footprint = 0;
                bool is_unique = !digits.empty();
                for (const Digit& d : digits) {
                    is_unique = is_unique && d.weight > footprint;
                    footprint = within_limits(footprint + saturated_product(d.weight, d.last));
                }
                if (!is_unique) continue;
                for (const Digit& d : digits) known[static_cast<std::size_t>(d.column)] = true;
                again = true;
            }
        }
    }
    /// The number of values of Σ a_j·u_j: of strides that fill a progression, or that are apart.
    static bool sum_values(const BasicSet& s, const WideInt* form, WideInt& out)
    {
        std::vector<std::pair<WideInt, WideInt>> digits;
        for (int j = 0; j < s.dim_count(); ++j)
            if (form[s.of_dim(j)] != 0) digits.emplace_back(magnitude(form[s.of_dim(j)]), s.dim(j).last);
        std::sort(digits.begin(), digits.end());
        const WideInt step = digits[0].first;
        WideInt footprint = 0;
        bool fills = true; // 0, step, 2·step, …, reach
        out = 1;
        for (const auto& [weight, last] : digits) {
            if (fills && weight <= footprint + step && floor_of(weight, step) * step == weight)
                out += saturated_product(floor_of(weight, step), last);
            else if (weight > footprint) {
                fills = false;
                out = saturated_product(out, last + 1);
            } else {
                return false;
            }
            footprint = within_limits(footprint + saturated_product(weight, last));
        }
        return true;
    }
    WideInt enumerate(const BasicSet& s)
    {
        if (s.volume() > most_points) {
            error = map_too_hard();
            return 0;
        }
        // Rows of the goals' values, the different ones, found by their hash: open addressing, at most half full.
        const auto width = static_cast<std::size_t>(s.goal_count());
        std::vector<WideInt> rows;
        std::vector<std::int32_t> slots(64, -1);
        std::int32_t count = 0;
        const auto place_of = [&](std::size_t begin) -> std::int32_t& {
            std::uint64_t h = 0;
            for (std::size_t g = 0; g < width; ++g) {
                h = (h ^ static_cast<std::uint64_t>(rows[begin + g])) * 0x9E3779B97F4A7C15u;
                h ^= h >> 29;
            }
            for (auto at = static_cast<std::size_t>(h) & (slots.size() - 1);; at = (at + 1) & (slots.size() - 1))
                if (slots[at] < 0 || std::equal(rows.begin() + static_cast<std::ptrdiff_t>(begin),
                                                rows.begin() + static_cast<std::ptrdiff_t>(begin + width),
                                                rows.begin() + slots[at] * static_cast<std::ptrdiff_t>(width)))
                    return slots[at];
        };
        for_each_point(s, [&](const WideInt* at) {
            if (!s.holds(at)) return true;
            const std::size_t begin = rows.size();
            for (int g = 0; g < s.goal_count(); ++g) rows.push_back(s.value(s.row(s.goal_row(g)), at));
            std::int32_t& place = place_of(begin);
            if (place >= 0) {
                rows.resize(begin);
                return true;
            }
            place = count++;
            if (2 * static_cast<std::size_t>(count) <= slots.size()) return true;
            slots.assign(2 * slots.size(), -1);
            for (std::int32_t i = 0; i < count; ++i) place_of(static_cast<std::size_t>(i) * width) = i;
            return true;
        });
        return count;
    }
};

} // namespace detail

AXE_DECL Result<std::int64_t> count_image(const IndexingMap& map)
{
    if (const Status e = detail::map_is_decidable(map); !e.ok()) return e;
    const auto empty = is_empty(map);
    if (empty.undecided()) return empty.error();
    if (empty) return std::int64_t{0};
    detail::ImageCounter counter;
    const detail::WideInt count = counter.run(detail::domain_system(map, map.results));
    if (!counter.error.ok()) return counter.error;
    if (!detail::is_short(count)) return Error(errc::overflow, -1, "the number of results of the map overflows");
    return static_cast<std::int64_t>(count);
}

} // namespace v0
} // namespace axe

#endif
