// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_IMPL_COALESCING_HPP
#define AXE_MAP_IMPL_COALESCING_HPP

#include <axe/map/coalescing.hpp>
#include <axe/map/empty.hpp>
#include <axe/map/evaluate.hpp>
#include <axe/map/impl/peel.hpp>
#include <axe/map/variables_of.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace axe {
inline namespace v0 {
namespace detail {

/// The number of the variable with this kind, −1 if none exists.
inline int variable_of(const IndexingMap& map, IndexKind kind)
{
    for (std::size_t v = 0; v < map.variables.size(); ++v)
        if (map.variables[v].kind == kind) return static_cast<int>(v);
    return -1;
}

/// The expression with variable v moved by `by`.
inline IndexExpr moved(IndexingMap& map, IndexExpr e, int v, std::int64_t by)
{
    return replaced(map, e, v, map.pool.add(map.pool.variable(v), by));
}

/// Are groups of `width` values of variable v, from multiples of it on, adjacent, do they begin at a multiple of it, and is each in
/// the domain as a whole or not at all?
inline Decision moves_as_vectors(const IndexingMap& map, int v, std::int64_t width)
{
    const IndexInterval bounds = map.variables[static_cast<std::size_t>(v)].bounds;
    if (floor_remainder(bounds.low, width) != 0 || floor_remainder(bounds.high, width) != width - 1) return Decision(false);
    const auto at_places = [&](const IndexInterval& places) {
        IndexingMap out = map;
        out.constraints.push_back({out.pool.mod(out.variable(v), width), places});
        return out;
    };
    // The elements but the first imply the one before, all but the last the next.
    IndexingMap later = at_places({1, width - 1}), earlier = at_places({0, width - 2}), first = at_places({0, 0});
    const IndexExpr step = later.pool.sub(later.results[0], moved(later, later.results[0], v, -1));
    if (const auto holds = is_always(later, {step, {1, 1}}); !holds.yes()) return holds;
    for (IndexingMap* const group : {&later, &earlier})
        for (const IndexConstraint& c : map.constraints) {
            const IndexConstraint neighbor{moved(*group, c.expression, v, group == &later ? -1 : 1), c.interval};
            if (const auto holds = is_always(*group, neighbor); !holds.yes()) return holds;
        }
    return is_always(first, {first.pool.mod(first.results[0], width), {0, 0}});
}

inline Status check_access(const IndexingMap& map, std::int64_t bytes)
{
    if (map.is_undefined || map.results.size() != 1)
        return Error(errc::rank_mismatch, -1, "a map to addresses has one result, not {0}",
                     static_cast<std::int64_t>(map.results.size()));
    if (bytes < 1 || bytes > 16 || (bytes & (bytes - 1)) != 0)
        return Error(errc::bad_argument, -1, "one instruction cannot read an element of {0} bytes; 1, 2, 4, 8 and 16 are possible",
                     bytes);
    if (variable_of(map, IndexKind::thread_x) < 0)
        return Error(errc::bad_argument, -1, "no variable of the map is the thread, th_x");
    return {};
}

constexpr Error requests_overflow() noexcept { return Error(errc::overflow, -1, "the number of requests overflows"); }

/// Counts the requests of a part of a launch.
class RequestCounter {
  public:
    RequestCounter(const IndexingMap& part, const IndexingMap& whole, std::int64_t bytes, std::int64_t width)
        : map_(part), bytes_(bytes), width_(width)
    {
        for (const IndexKind kind : {IndexKind::thread_x, IndexKind::thread_y, IndexKind::thread_z})
            if (const int v = variable_of(whole, kind); v >= 0) threads_.push_back({v, bounds(whole, v)});
    }

    Status run(Coalescing& out)
    {
        std::int64_t repeats = 1, threads = 1, rest = 1;
        for (const Counter& c : threads_)
            if (!grow(threads, c.bounds)) return too_many();
        for (int v = 0; v < static_cast<int>(map_.variables.size()); ++v) {
            if (std::any_of(threads_.begin(), threads_.end(), [&](const Counter& c) { return c.variable == v; })) continue;
            const IndexInterval& b = bounds(map_, v);
            if (b.low < b.high && moves_by_lines(v)) {
                if (!grow(repeats, b, every_integer.high)) return requests_overflow();
                rest_.push_back({v, {b.low, b.low}});
            } else {
                rest_.push_back({v, b});
                if (!grow(rest, b)) return too_many();
            }
        }
        if (threads * rest > most) return too_many();

        const int vector = variable_of(map_, IndexKind::vector);
        std::vector<std::int64_t> at(map_.variables.size());
        IndexEvaluator evaluate(map_.pool, at.data());
        Coalescing sum;
        for (std::int64_t r = 0; r < rest; ++r) {
            place(rest_, r, at);
            if (vector >= 0 && floor_remainder(at[static_cast<std::size_t>(vector)], width_) != 0) continue; // moved with the first
            for (std::int64_t t = 0; t < threads; ++t) {
                place(threads_, t, at);
                evaluate.at(at.data());
                std::int64_t address = 0;
                if (is_inside(at, evaluate)) {
                    std::int64_t end = 0;
                    if (!evaluate(map_.results[0], address) || !mul(address, bytes_, address) ||
                        !add(address, width_ * bytes_, end))
                        return Error(errc::overflow, -1, "an address overflows");
                    begins_.push_back(address);
                }
                if (t % 32 == 31 || t + 1 == threads) finish_request(sum);
            }
        }
        for (const auto n :
             {&Coalescing::requests, &Coalescing::elements, &Coalescing::sectors, &Coalescing::lines, &Coalescing::ideal_sectors}) {
            if (!mul(sum.*n, repeats, sum.*n)) return requests_overflow();
            out.*n += sum.*n;
        }
        out.most_sectors = std::max(out.most_sectors, sum.most_sectors);
        out.most_lines = std::max(out.most_lines, sum.most_lines);
        return {};
    }

  private:
    static constexpr std::int64_t most = std::int64_t{1} << 20;
    struct Counter {
        int variable;
        IndexInterval bounds;
    };

    static const IndexInterval& bounds(const IndexingMap& map, int v) { return map.variables[static_cast<std::size_t>(v)].bounds; }
    static Error too_many() { return Error(errc::too_hard, -1, "more than {0} elements would have to be examined", most); }
    static bool grow(std::int64_t& n, const IndexInterval& b, std::int64_t limit = most) noexcept
    {
        std::int64_t extent = 0;
        return sub(b.high, b.low, extent) && add(extent, std::int64_t{1}, extent) && mul(n, extent, n) && n <= limit;
    }
    /// The n-th choice, the first counter fastest.
    static void place(const std::vector<Counter>& counters, std::int64_t n, std::vector<std::int64_t>& at)
    {
        for (const Counter& c : counters) {
            const std::int64_t extent = c.bounds.high - c.bounds.low + 1;
            at[static_cast<std::size_t>(c.variable)] = c.bounds.low + n % extent;
            n /= extent;
        }
    }
    /// Does each step of the variable move addresses by whole lines, and decide no constraint?
    [[nodiscard]] bool moves_by_lines(int v) const
    {
        if (map_.variables[static_cast<std::size_t>(v)].kind == IndexKind::vector) return false;
        for (const IndexConstraint& c : map_.constraints)
            if (variables_of(map_, c.expression)[static_cast<std::size_t>(v)]) return false;
        IndexingMap steps = map_;
        steps.variables[static_cast<std::size_t>(v)].bounds.low += 1;
        const IndexExpr step = steps.pool.sub(steps.results[0], moved(steps, steps.results[0], v, -1));
        const auto whole = is_always(steps, {steps.pool.mod(steps.pool.mul(step, bytes_), 128), {0, 0}});
        return whole.yes();
    }
    [[nodiscard]] bool is_inside(const std::vector<std::int64_t>& at, IndexEvaluator& evaluate) const
    {
        for (const Counter& c : threads_) // a part may have fewer than the block
            if (!bounds(map_, c.variable).contains(at[static_cast<std::size_t>(c.variable)])) return false;
        for (const IndexConstraint& c : map_.constraints) {
            std::int64_t value = 0;
            if (!evaluate(c.expression, value) || !c.interval.contains(value)) return false;
        }
        return true;
    }

    void finish_request(Coalescing& out)
    {
        if (begins_.empty()) return;
        std::sort(begins_.begin(), begins_.end());
        std::int64_t sectors = 0, lines = 0, distinct = 0, next_sector = every_integer.low, next_line = every_integer.low,
                     end = every_integer.low;
        for (const std::int64_t begin : begins_) {
            const std::int64_t stop = begin + width_ * bytes_;
            const auto touch = [&](std::int64_t piece, std::int64_t& next, std::int64_t& sum) {
                const std::int64_t from = std::max(next, floor_div(begin, piece)), to = floor_div(stop - 1, piece);
                sum += std::max<std::int64_t>(0, to - from + 1);
                next = std::max(next, to + 1);
            };
            touch(32, next_sector, sectors);
            touch(128, next_line, lines);
            distinct += std::max<std::int64_t>(0, stop - std::max(begin, end));
            end = std::max(end, stop);
        }
        out.requests += 1;
        out.elements += static_cast<std::int64_t>(begins_.size()) * width_;
        out.sectors += sectors;
        out.lines += lines;
        out.ideal_sectors += (distinct + 31) / 32;
        out.most_sectors = std::max(out.most_sectors, sectors);
        out.most_lines = std::max(out.most_lines, lines);
        begins_.clear();
    }

    const IndexingMap& map_;
    std::int64_t bytes_, width_;
    std::vector<Counter> threads_{}, rest_{};
    std::vector<std::int64_t> begins_{}; ///< of what the lanes of one request read, in bytes
};

} // namespace detail

AXE_DECL Result<std::int64_t> vector_width(const IndexingMap& map, std::int64_t bytes)
{
    if (const Status e = detail::check_access(map, bytes); !e.ok()) return e;
    const int v = detail::variable_of(map, IndexKind::vector);
    if (v < 0) return std::int64_t{1};
    for (std::int64_t width = 16 / bytes; width > 1; width /= 2) {
        const auto fits = detail::moves_as_vectors(map, v, width);
        if (fits.undecided()) return fits.error();
        if (fits) return width;
    }
    return std::int64_t{1};
}

AXE_DECL Result<Coalescing> coalescing(const IndexingMap& map, std::int64_t bytes, std::int64_t width)
{
    if (const Status e = detail::check_access(map, bytes); !e.ok()) return e;
    if (width != 1) {
        const auto legal = vector_width(map, bytes);
        if (!legal) return legal.error();
        if (width < 1 || *legal % width != 0)
            return Error(errc::bad_argument, -1, "{0} elements cannot be moved by one access; the map allows {1}", width, *legal);
    }
    std::vector<IndexingMap> parts{map};
    for (const IndexKind kind : {IndexKind::block_x, IndexKind::block_y, IndexKind::block_z}) {
        const int v = detail::variable_of(map, kind);
        if (v < 0) continue;
        auto peeled = detail::peel_each(parts, v);
        if (!peeled) return peeled.error();
        parts = std::move(*peeled);
    }
    Coalescing out;
    for (const IndexingMap& part : parts)
        if (!part.has_empty_interval())
            if (const Status e = detail::RequestCounter(part, map, bytes, width).run(out); !e.ok()) return e;
    return out;
}

} // namespace v0
} // namespace axe

#endif
