// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_MEMORY_BOX_WALK_HPP
#define AXE_SIM_MEMORY_BOX_WALK_HPP

#include <axe/sim/memory/box.hpp>
#include <axe/sim/memory/shadow.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

namespace detail_box {

class Walk {
  public:
    Walk(const Shape& extents, const BoxSide* sides, int count) : extents_(extents), sides_(sides), count_(count)
    {
        line_from_ = extents.size();
        if (line_from_ > 0) {
            plain_ = even_in(--line_from_);
            line_ = extents[line_from_];
        }
        for (int s = 0; s < count_; ++s) step_[s] = plain_ && line_ > 1 ? part(s, line_from_).place.stride : 0;
        while (plain_ && line_from_ > 0 && continues(line_from_ - 1)) {
            --line_from_;
            for (int s = 0; s < count_ && line_ == 1; ++s)
                step_[s] = extents_[line_from_] > 1 ? part(s, line_from_).place.stride : 0;
            line_ *= extents_[line_from_];
        }
        if (plain_) return;
        in_sections_ = line_from_ < extents_.size();
        for (int s = 0; s < count_; ++s) in_sections_ = in_sections_ && sides_[s].separable && sides_[s].plan->swizzle.bits == 0;
        if (in_sections_)
            cut(
                0, [&](int s, std::int64_t x) { return in_dimension(s, x); },
                [&](const Stretch& section) { return sections_.push_back(section), true; });
        else
            for (int s = 0; s < count_; ++s) row_[s].resize(static_cast<std::size_t>(line_));
    }

    template <class Visit>
    bool run(Visit& visit)
    {
        std::int64_t x[max_rank]{};
        std::int64_t lines = 1;
        for (int k = 0; k < line_from_; ++k) lines *= extents_[k];
        for (std::int64_t i = 0; i < lines; ++i) {
            if (!(plain_         ? whole_line(i * line_, x, visit)
                  : in_sections_ ? sections(i * line_, x, visit)
                                 : broken_line(i * line_, x, visit)))
                return false;
            for (int k = line_from_ - 1; k >= 0 && ++x[k] == extents_[k]; --k) x[k] = 0;
        }
        return true;
    }

  private:
    [[nodiscard]] const BoxSide::Part& part(int s, int k) const { return sides_[s].parts[static_cast<std::size_t>(k)]; }

    /// Do all operands go on evenly along the dimension?
    [[nodiscard]] bool even_in(int k) const
    {
        for (int s = 0; s < count_; ++s) {
            if (!sides_[s].separable || sides_[s].never || sides_[s].plan->swizzle.bits > 0) return false;
            const BoxSide::Part& p = part(s, k);
            if (!p.inside.empty() || !p.place.is_linear() || !p.device.is_linear() || p.device.stride != 0) return false;
        }
        return true;
    }
    /// Is a step in the dimension what follows the end of the line?
    [[nodiscard]] bool continues(int k) const
    {
        if (!even_in(k)) return false;
        for (int s = 0; s < count_; ++s)
            if (extents_[k] > 1 && line_ > 1 && part(s, k).place.stride != step_[s] * line_) return false;
        return true;
    }

    template <class Visit>
    bool whole_line(std::int64_t index, const std::int64_t* x, Visit& visit)
    {
        Stretch out;
        out.index = index;
        out.n = line_;
        for (int s = 0; s < count_; ++s) out.at[s] = head(s, x, step_[s]);
        return visit(static_cast<const Stretch&>(out));
    }

    [[nodiscard]] Stretch::At head(int s, const std::int64_t* x, std::int64_t step) const
    {
        Stretch::At at{sides_[s].place, step, sides_[s].device, true};
        for (int k = 0; k < line_from_; ++k) {
            const BoxSide::Part& p = part(s, k);
            at.place += p.place(x[k]);
            at.device += p.device(x[k]);
            at.inside = at.inside && (p.inside.empty() || p.inside[static_cast<std::size_t>(x[k])] != 0);
        }
        return at;
    }

    /// Stretches of the last dimension are the same in each line, but for where the line begins.
    template <class Visit>
    bool sections(std::int64_t index, const std::int64_t* x, Visit& visit)
    {
        Stretch::At from[max_box_sides];
        for (int s = 0; s < count_; ++s) from[s] = head(s, x, 0);
        for (const Stretch& section : sections_) {
            Stretch out = section;
            out.index += index;
            for (int s = 0; s < count_; ++s) {
                out.at[s].place += from[s].place;
                out.at[s].device += from[s].device;
                out.at[s].inside = out.at[s].inside && from[s].inside;
            }
            if (!visit(static_cast<const Stretch&>(out))) return false;
        }
        return true;
    }
    [[nodiscard]] Stretch::At in_dimension(int s, std::int64_t x) const
    {
        if (sides_[s].never) return {0, 0, 0, false};
        const BoxSide::Part& p = part(s, line_from_);
        return {p.place(x), 0, p.device(x), p.inside.empty() || p.inside[static_cast<std::size_t>(x)] != 0};
    }

    template <class Visit>
    bool broken_line(std::int64_t index, const std::int64_t* x, Visit& visit)
    {
        for (int s = 0; s < count_; ++s) fill(s, x, index);
        return cut(index, [&](int s, std::int64_t i) { return row_[s][static_cast<std::size_t>(i)]; }, visit);
    }

    /// Cuts a line, whose element i is at(s, i) for operand s, where one of the operands does not go on evenly.
    template <class At, class Visit>
    bool cut(std::int64_t index, const At& at, Visit&& visit) const
    {
        Stretch out;
        for (std::int64_t from = 0; from < line_; from += out.n) {
            out.index = index + from;
            out.n = 1;
            for (int s = 0; s < std::min(count_, max_box_sides); ++s) out.at[s] = at(s, from); // g++ 12 sees no bound in count_
            while (from + out.n < line_ && goes_on(out, from + out.n, at)) ++out.n;
            if (!visit(static_cast<const Stretch&>(out))) return false;
        }
        return true;
    }
    template <class At>
    bool goes_on(Stretch& out, std::int64_t next, const At& at) const
    {
        Stretch::At to[max_box_sides];
        for (int s = 0; s < count_; ++s) {
            to[s] = at(s, next);
            if (to[s].inside != out.at[s].inside) return false;
            if (to[s].inside && (to[s].device != out.at[s].device || (out.n > 1 && to[s].place != out.at[s](out.n)))) return false;
        }
        for (int s = 0; s < count_ && out.n == 1; ++s)
            if (out.at[s].inside) out.at[s].step = to[s].place - out.at[s].place;
        return true;
    }

    void fill(int s, const std::int64_t* x, std::int64_t index)
    {
        const BoxSide& side = sides_[s];
        auto& row = row_[s];
        const Swizzle& swizzle = side.plan->swizzle;
        if (side.never) {
            std::fill(row.begin(), row.end(), Stretch::At{0, 0, 0, false});
            return;
        }
        if (!side.separable) {
            std::int64_t coord[max_rank];
            for (std::size_t i = 0; i < row.size(); ++i) {
                side.coordinate(index + static_cast<std::int64_t>(i), coord);
                row[i] = {0, 0, 0, is_inside(side.plan->tensor->shape, coord)};
                if (!row[i].inside) continue;
                row[i].place = side.plan->address(coord) - side.plan->low;
                row[i].device = side.plan->device(coord);
                if (swizzle.bits > 0) row[i].place = swizzle(row[i].place);
            }
            return;
        }
        const Stretch::At from = head(s, x, 0);
        const bool has_line = line_from_ < extents_.size(); // else a view without dimensions
        for (std::size_t i = 0; i < row.size(); ++i) {
            row[i] = from;
            if (!has_line) break;
            const BoxSide::Part& p = part(s, line_from_);
            const auto at = static_cast<std::int64_t>(i);
            row[i].inside = from.inside && (p.inside.empty() || p.inside[i] != 0);
            row[i].place += p.place(at);
            row[i].device += p.device(at);
        }
        if (swizzle.bits > 0)
            for (auto& at : row)
                if (at.inside) at.place = swizzle(at.place);
    }

    Shape extents_;
    const BoxSide* sides_;
    int count_;
    int line_from_ = 0; ///< dimensions from here on are one line
    bool plain_ = false, in_sections_ = false;
    std::int64_t line_ = 1;
    std::int64_t step_[max_box_sides]{};
    std::vector<Stretch> sections_{};
    std::vector<Stretch::At> row_[max_box_sides]{};
};

} // namespace detail_box

/// Calls visit(stretch) for all elements of views of one shape, in row-major order, until it says false.
///
/// Cost: that of the stretches; of elements one by one where a swizzle, an edge or a table of addresses is in the way.
template <class Visit>
bool walk(const Shape& extents, const BoxSide* sides, int count, Visit visit)
{
    return detail_box::Walk(extents, sides, count).run(visit);
}

/// Checks and notes that elements of a buffer are read or written; a conflict goes to fail(i, conflict), i counting from 0.
template <class Fail>
bool touch_all(Shadow& shadow, const TensorPlan& plan, const Stretch::At& at, std::int64_t n, bool writing, const Actor& actor,
               bool own_run, Fail fail, int lane = 0)
{
    if (!shadow.exists()) return true;
    Past past(actor);
    const auto touch = [&](std::size_t cell) {
        return writing ? shadow.write(cell, past, lane, own_run) : shadow.read(cell, past, lane, own_run);
    };
    if (at.step != 1 || shadow.granule() > plan.width) {
        for (std::int64_t i = 0; i < n; ++i) {
            const std::int64_t byte = at(i) * plan.width;
            const std::size_t last = shadow.granule_of(byte + plan.width - 1);
            for (std::size_t c = shadow.granule_of(byte); c <= last; ++c)
                if (const Conflict found = touch(c); found.found()) return fail(i, found);
        }
        return true;
    }
    // Neighbors: run by run of cells, of which no two elements share one.
    constexpr Lanes each = 0x0101010101010101u;
    const std::int64_t begin = at.place * plan.width;
    const std::size_t end = shadow.granule_of(begin + n * plan.width - 1) + 1;
    for (std::size_t c = shadow.granule_of(begin); c < end;) {
        const std::size_t run = c / run_cells, first = c % run_cells, stop = std::min(end, (run + 1) * run_cells);
        const auto mask = static_cast<CellMask>((0xffu << first & 0xffu) & (0xffu >> ((run + 1) * run_cells - stop)));
        const Lanes lanes = each * static_cast<Lanes>(lane);
        const bool done = writing ? mask == every_cell && shadow.write_run(run, lanes, past, own_run)
                                  : shadow.read_run(run, mask, lanes & lane_mask(mask), past, own_run);
        for (; !done && c < stop; ++c)
            if (const Conflict found = touch(c); found.found())
                return fail(std::max<std::int64_t>(shadow.byte_of(c) - begin, 0) / plan.width, found);
        c = stop;
    }
    return true;
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
