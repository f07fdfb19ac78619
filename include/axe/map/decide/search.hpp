// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_DECIDE_SEARCH_HPP
#define AXE_MAP_DECIDE_SEARCH_HPP

#include <axe/map/decide/build.hpp>
#include <axe/map/decide/cut.hpp>
#include <axe/map/decide/normal.hpp>
#include <axe/map/decide/period.hpp>
#include <axe/map/decide/straighten.hpp>

#include <deque>

namespace axe {
inline namespace v0 {
namespace detail {

/// How often a search may cut a part in two or more before it falls back to going through the points.
inline constexpr std::int64_t map_splits = std::int64_t{1} << 16;
/// How many points are gone through, one by one.
inline constexpr std::int64_t map_points = std::int64_t{1} << 20;

inline Error map_too_hard()
{
    return Error(errc::too_hard, -1, "not decided within {0} splits of the domain, which has more than {1} points", map_splits,
                 map_points);
}

/// Calls f(u, atoms' values) with every point of the part, in lexicographic order, until f says to stop.
template <class F>
void for_each_point(const MapSystem& s, F&& f)
{
    const auto n = static_cast<std::size_t>(s.variable_count());
    std::vector<MapInt> u(n), values(static_cast<std::size_t>(s.atom_count()));
    while (true) {
        s.evaluate_atoms(u.data(), values.data());
        if (!f(u.data(), values.data())) return;
        std::size_t j = n;
        while (j > 0 && u[j - 1] == s.axes[j - 1].last) u[--j] = 0;
        if (j == 0) return;
        ++u[j - 1];
    }
}

enum class MapAim : std::uint8_t {
    any,   ///< some point that holds all conditions
    first, ///< the first of them in lexicographic order
    goal,  ///< one where goal 0 is least
};

/// Looks for a point of a system's part that holds all its conditions, by cutting the part until each piece is decided.
///
/// On a piece the system is brought to its simplest form, so that most conditions are implied or impossible. What is left is cut where a
/// floor wraps most (see `MapCutter`). Where all conditions repeat with a period, the first periods stand for all.
class MapSearch {
  public:
    explicit MapSearch(MapAim aim, std::int64_t splits = map_splits) : aim_(aim), left_(splits) {}

    bool is_found = false;
    bool is_decided = true; ///< otherwise what was found, if anything, need not be the first, or the least
    bool is_unsound = false;
    std::vector<std::int64_t> point{}; ///< the variables' values, for a system that has its coordinates
    MapInt goal = 0;

    /// Only a point before this one, which is known, is of use; `point` stays it where there is none.
    void look_before(const std::vector<std::int64_t>& known)
    {
        is_found = true;
        point = known;
    }
    void run(MapSystem s)
    {
        if (!simplify(s)) return;
        s.compact();
        is_small_ = s.volume() <= map_points;
        if (is_small_) small_ = s;
        pieces_.push_back(std::move(s));
        search(0);
        // What ran out of splits is gone through, where that is affordable.
        if (left_ >= 0 || is_unsound) return;
        is_decided = is_small_;
        if (is_small_) enumerate();
    }
    /// What kept it from an answer, if anything did.
    [[nodiscard]] Error error() const
    {
        if (is_unsound) return map_form_overflow();
        if (!is_decided && (aim_ != MapAim::any || !is_found)) return map_too_hard();
        return {};
    }

  private:
    MapAim aim_;
    std::int64_t left_;
    bool is_small_ = false;
    MapSystem small_{}; ///< the whole, when its points can be gone through
    std::deque<MapSystem> pieces_{};
    std::vector<MapInt> corner_{}, values_{};

    /// False when there is nothing in the piece, or nothing is known of it.
    bool simplify(MapSystem& s)
    {
        for (bool again = true; again;) {
            normalize(s);
            is_unsound = is_unsound || s.is_unsound;
            if (s.is_empty || s.is_unsound) return false;
            const MapInt before = s.volume();
            keep_periods(s, aim_ == MapAim::goal);
            again = s.volume() != before || straighten(s);
        }
        return true;
    }
    /// Has a point as good as the best of the piece been found?
    [[nodiscard]] bool is_beaten(const MapSystem& s) const
    {
        if (!is_found) return false;
        if (aim_ == MapAim::any) return true;
        if (aim_ == MapAim::goal) return s.range_of(s.row(s.goal_row(0))).low >= goal;
        for (int j = 0; j < s.coordinate_count(); ++j)
            if (const MapInt v = s.range_of(s.row(s.coordinate_row(j))).low; v != point[static_cast<std::size_t>(j)])
                return v > point[static_cast<std::size_t>(j)];
        return true;
    }
    void take(const MapSystem& s, const MapInt* u, MapInt value)
    {
        std::vector<std::int64_t> here;
        for (int j = 0; j < s.coordinate_count(); ++j)
            here.push_back(static_cast<std::int64_t>(s.value(s.row(s.coordinate_row(j)), u, nullptr)));
        if (is_found && aim_ == MapAim::first && !(here < point)) return;
        is_found = true;
        goal = value;
        point = std::move(here);
    }
    /// Tries the piece's most promising corner. True when nothing better is in the piece.
    bool try_corner(const MapSystem& s)
    {
        corner_.assign(s.axes.size(), 0);
        values_.resize(s.atoms.size());
        const MapInt* form = aim_ == MapAim::goal ? s.row(s.goal_row(0)) : nullptr;
        for (std::size_t j = 0; j < corner_.size(); ++j)
            if (form != nullptr ? form[1 + j] < 0 : is_late(s, static_cast<int>(j))) corner_[j] = s.axes[j].last;
        s.evaluate_atoms(corner_.data(), values_.data());
        if (!s.holds(corner_.data(), values_.data())) return false;
        const MapInt value = form == nullptr ? 0 : s.value(form, corner_.data(), values_.data());
        if (form == nullptr || !is_found || value < goal) take(s, corner_.data(), value);
        return form == nullptr || s.range_of(form).low >= value;
    }
    /// Do points with a greater u_j come first, all else the same?
    [[nodiscard]] static bool is_late(const MapSystem& s, int j)
    {
        for (int v = 0; v < s.coordinate_count(); ++v)
            if (const MapInt a = s.row(s.coordinate_row(v))[s.of_variable(j)]; a != 0) return a < 0;
        return false;
    }
    void search(std::size_t depth)
    {
        if (is_beaten(pieces_[depth]) || try_corner(pieces_[depth])) return;
        const MapCut cut = MapCutter(pieces_[depth]).choose();
        if (cut.kind == MapCut::none) return; // its best corner was taken
        if (pieces_.size() == depth + 1) pieces_.emplace_back();
        const bool is_turned = prefers_upper(pieces_[depth], cut);
        for (MapInt i = 0; i < cut.parts(); ++i) {
            if (--left_ < 0 || is_unsound) return;
            MapSystem& part = pieces_[depth + 1];
            part = pieces_[depth];
            take_part(part, cut, is_turned ? cut.parts() - 1 - i : i);
            // Only less than the best is of use.
            if (const int r = part.goal_row(0); aim_ == MapAim::goal && is_found && part.is_linear(part.row(r)))
                part.add_condition(part.row(r), {-map_limit, goal - 1});
            if (simplify(part)) search(depth + 1);
        }
    }
    [[nodiscard]] bool prefers_upper(const MapSystem& s, const MapCut& cut) const
    {
        if (aim_ != MapAim::goal) return cut.kind == MapCut::halves && is_late(s, cut.index);
        const MapInt* form = s.row(s.goal_row(0));
        if (cut.kind == MapCut::halves) return form[s.of_variable(cut.index)] < 0;
        return cut.kind == MapCut::values && form[s.of_atom(cut.index)] < 0;
    }
    void enumerate()
    {
        const MapSystem& s = small_;
        is_found = false;
        for_each_point(s, [&](const MapInt* u, const MapInt* values) {
            if (!s.holds(u, values)) return true;
            const MapInt value = aim_ == MapAim::goal ? s.value(s.row(s.goal_row(0)), u, values) : 0;
            if (!is_found || value < goal || aim_ == MapAim::first) take(s, u, value);
            return aim_ != MapAim::any;
        });
    }
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
