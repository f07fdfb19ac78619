// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_ELEMENT_PLACEMENT_HPP
#define AXE_SCHEDULE_ELEMENT_PLACEMENT_HPP

#include <axe/layout/group.hpp>
#include <axe/schedule/block_scopes.hpp>

#include <algorithm>
#include <map>

namespace axe {
inline namespace v0 {
namespace detail {

/// What `element_placement` gathers before it goes through the elements.
class PlacementFinder {
  public:
    /// @param chosen the first so many dimensions of the view may have any of their indices; element 0 has the first
    PlacementFinder(const Request& request, const View& view, int chosen = 0)
        : request_(&request),
          view_(view),
          tensor_(&request.tensor(view)),
          memory_(&request.memory(view)),
          scopes_(block_scopes(request.machine()))
    {
        for (int k = 0; k < chosen; ++k) {
            ways_.push_back((view.extents[k] - 1) * view.steps[k]);
            view_.extents[k] = 1;
        }
    }

    Result<ElementPlacement, Problem> find()
    {
        out_.name = tensor_->name;
        out_.bytes = storage_bytes(tensor_->dtype);
        out_.is_private = axe::is_private(request_->machine(), *memory_);
        out_.partitioned = is_partitioned(*memory_);
        out_.base = std::max<std::int64_t>(0, tensor_->base);
        out_.alignment = tensor_->base < 0 ? memory_->alignment : 0;
        const auto n = volume(view_.extents);
        if (!n) return Problem(n.error(), worded("{0}: ", {out_.name}));
        if (*n > most_view_elements) return too_many_elements(out_.name, *n);
        out_.count = *n;
        for (const Affine& o : view_.origin) out_.origin.push_back(values_of(*request_, o));
        for (std::size_t k = 0; k < ways_.size(); ++k) {
            const int d = view_.dims[static_cast<int>(k)];
            if (d < 0 || ways_[k] == 0) continue;
            Values& o = out_.origin[at(d)];
            (ways_[k] < 0 ? o.least : o.greatest) += ways_[k];
            o.step = std::gcd(o.step, view_.steps[static_cast<int>(k)]);
        }
        out_.shape = tensor_->shape;
        if (const auto p = prepare_layout(); !p.ok()) return p;
        if (const auto p = prepare_dimensions(); !p.ok()) return p;
        if (const auto p = judge_moves(); !p.ok()) return p;
        if (const auto p = place_elements(); !p.ok()) return p;
        if (const auto p = check_lists(); !p.ok()) return p;
        return std::move(out_);
    }

  private:
    int number_of(const Axis& axis)
    {
        for (std::size_t i = 0; i < axes_.size(); ++i)
            if (axes_[i] == axis) return static_cast<int>(i);
        axes_.push_back(axis);
        return static_cast<int>(axes_.size()) - 1;
    }
    static std::size_t at(int i) { return static_cast<std::size_t>(i); }

    /// The layout on the owners' axes, its axes numbered, and the displacements of its replicas.
    Result<void, Problem> prepare_layout()
    {
        layout_ = tensor_->layout.layout;
        const std::string where = layout_of(*tensor_);
        if (const Status e = check(tensor_->layout); !e.ok()) return Problem(e.error(), where);
        const Axis address = memory_->axes[memory_->axes.size() - 1];
        if (out_.is_private) {
            Layout::Axes wanted;
            if (scopes_.agent != nullptr) wanted.push_back(scopes_.agent->axis);
            if (scopes_.lane != nullptr) wanted.push_back(scopes_.lane->axis);
            const auto known = [&](const Axis& a) {
                if (a == address) return true;
                for (const Axis& w : wanted)
                    if (a == w) return true;
                return false;
            };
            bool plain = true;
            for (const auto& it : layout_.shard) plain = plain && (it.stride == 0 || it.extent == 1 || known(it.axis));
            for (const auto& it : layout_.replica) plain = plain && (it.stride == 0 || it.extent == 1 || known(it.axis));
            for (const auto& e : layout_.offset) plain = plain && (e.value == 0 || known(e.axis));
            if (!plain) {
                const auto converted = convert_axes(request_->machine(), layout_, wanted);
                if (!converted) return Problem(converted.error(), where);
                layout_ = *converted;
            }
        }
        address_ = number_of(address);
        if (out_.is_private && scopes_.agent != nullptr) agent_ = number_of(scopes_.agent->axis);
        if (out_.is_private && scopes_.lane != nullptr) lane_ = number_of(scopes_.lane->axis);
        const auto moves = [](const auto& it) { return it.stride != 0 && it.extent > 1; };
        for (const auto& it : layout_.shard)
            if (moves(it)) number_of(it.axis);
        for (const auto& it : layout_.replica)
            if (moves(it)) number_of(it.axis);
        for (const auto& e : layout_.offset) number_of(e.axis);
        if (tensor_->layout.swizzle.bits > 0) swizzled_ = number_of(tensor_->layout.axis);
        swizzle_ = in_elements(tensor_->layout);
        if (static_cast<int>(axes_.size()) > Layout::max_axes)
            return Problem(errc::capacity, "{0}with the axes of its owners it has more than {1} axes", {where, Layout::max_axes});
        Layout copies; // of an element whose digits are all 0
        copies.replica = layout_.replica;
        copies.offset = layout_.offset;
        const auto range = points(copies, 0);
        if (!range.error().ok()) return Problem(range.error(), where);
        const auto how_many = range.count();
        if (!how_many || *how_many * out_.count > most_view_elements)
            return Problem(errc::too_hard, "{0}the view has more than 2^22 copies of its elements", {where});
        for (const auto& p : range) {
            Coordinates c{};
            for (const auto& e : p) c[at(number_of(e.axis))] = e.value;
            copies_.push_back(c);
        }
        if (out_.is_private) // as owners are listed: where nothing is swizzled, those of each element are in order then
            std::sort(copies_.begin(), copies_.end(), [this](const Coordinates& a, const Coordinates& b) {
                for (const int axis : {agent_, lane_, address_})
                    if (axis >= 0 && a[at(axis)] != b[at(axis)]) return a[at(axis)] < b[at(axis)];
                return false;
            });
        return {};
    }

    /// Digits for each dimension, where the shape groups the layout, and how far the view reaches.
    Result<void, Problem> prepare_dimensions()
    {
        const int rank = out_.shape.size();
        low_.assign(at(rank), 0), high_.assign(at(rank), 0);
        for (int k = 0; k < view_.rank(); ++k) {
            if (view_.dims[k] < 0) continue;
            const std::int64_t footprint = view_.steps[k] * (view_.extents[k] - 1);
            (footprint < 0 ? low_ : high_)[at(view_.dims[k])] += footprint;
        }
        const auto grouped = group(layout_, out_.shape);
        if (!grouped) {
            if (grouped.code() != errc::not_grouped) return Problem(grouped.error(), layout_of(*tensor_));
            return {};
        }
        grouped_ = true;
        for (int d = 0; d < rank; ++d) {
            DimensionDigits digits;
            for (int k = grouped->begin(d); k < grouped->end(d); ++k) {
                const auto& it = grouped->layout.shard[k];
                if (const Status e = digits.radix.push(it.extent, 0); !e.ok()) return Problem(e.error(), layout_of(*tensor_));
                digits.moves.push_back({it.stride, it.stride == 0 ? address_ : number_of(it.axis)});
            }
            digits_.push_back(std::move(digits));
        }
        return {};
    }

    void one_by_one(std::string why)
    {
        out_.widest = 1;
        if (out_.reason.empty()) out_.reason = std::move(why);
    }

    /// What moves with the origin?
    Result<void, Problem> judge_moves()
    {
        Coordinates step{};
        std::string why;
        for (int d = 0; d < out_.shape.size(); ++d) {
            const Values& o = out_.origin[at(d)];
            if (o.step == 0) continue;
            if (!grouped_) {
                why = worded("the layout of {0} has digits that cross its dimensions, and the view starts at run-time places",
                             {out_.name});
                break;
            }
            const TileMoves moves = tile_moves(digits_[at(d)], o, low_[at(d)], high_[at(d)]);
            for (std::size_t a = 0; a < step.size(); ++a) step[a] = std::gcd(step[a], moves.step[a]);
            if (moves.block != 0)
                why = worded(
                    "tiles of {0} cross the blocks of {1} indices of its layout in dimension {2}, at places known only at run time",
                    {out_.name, moves.block, d});
        }
        if (out_.is_private) {
            if (!why.empty()) return {errc::bad_argument, why};
            for (const int a : {agent_, lane_})
                if (a >= 0 && step[at(a)] != 0) return lanes_vary();
        }
        out_.step = step[at(address_)];
        if (!why.empty()) one_by_one(why);
        if (swizzled_ < 0) return {};
        if (step[at(swizzled_)] % swizzle_.period() == 0) return {};
        if (out_.is_private && swizzled_ != address_) return lanes_vary();
        out_.widest = std::min(out_.widest, 1 << std::min(swizzle_.base, 30));
        if (out_.reason.empty()) out_.reason = worded("the swizzle of {0} moves runs of that many elements", {out_.name});
        return {};
    }

    [[nodiscard]] Problem lanes_vary() const
    {
        return Problem(errc::bad_argument, "the lanes that hold the view of {0} change at run time", {out_.name});
    }

    [[nodiscard]] Coordinates ungrouped(std::int64_t index) const
    {
        Coordinates c{};
        for (int k = layout_.shard.size() - 1; k >= 0; --k) {
            const auto& it = layout_.shard[k];
            for (std::size_t a = 0; a < axes_.size(); ++a)
                if (axes_[a] == it.axis) c[a] += index % it.extent * it.stride;
            index /= it.extent;
        }
        return c;
    }

    Result<void, Problem> place_elements()
    {
        const int rank = out_.shape.size();
        std::vector<std::vector<Coordinates>> table(
            at(rank)); // of each dimension with fewer indices than elements, from its lowest
        for (int d = 0; grouped_ && d < rank; ++d)
            if (high_[at(d)] - low_[at(d)] < out_.count)
                for (std::int64_t t = low_[at(d)]; t <= high_[at(d)]; ++t)
                    table[at(d)].push_back(digits_[at(d)](out_.origin[at(d)].first + t));
        std::vector<std::int64_t> past(at(rank), 0); // indices past the origin
        std::vector<std::int64_t> x(at(view_.rank()), 0);
        if (out_.is_private) {
            out_.begin.reserve(static_cast<std::size_t>(out_.count) + 1);
            out_.begin.push_back(0);
            out_.owner.reserve(static_cast<std::size_t>(out_.count) * copies_.size());
        } else {
            out_.address.reserve(static_cast<std::size_t>(out_.count));
        }
        if (view_.guarded) out_.offset.reserve(static_cast<std::size_t>(out_.count) * at(rank));
        for (std::int64_t e = 0; e < out_.count; ++e) {
            Coordinates c{};
            bool there = true; // may it be inside, at some time?
            for (int d = 0; d < rank; ++d) {
                const Values& o = out_.origin[at(d)];
                there = there && o.greatest + past[at(d)] >= 0 && o.least + past[at(d)] < out_.shape[d];
                if (!grouped_) continue;
                if (table[at(d)].empty()) {
                    digits_[at(d)].add(o.first + past[at(d)], c);
                    continue;
                }
                const Coordinates& add = table[at(d)][static_cast<std::size_t>(past[at(d)] - low_[at(d)])];
                for (std::size_t a = 0; a < axes_.size(); ++a) c[a] = limited_sum(c[a], add[a]);
            }
            if (!grouped_) {
                std::int64_t index = 0;
                bool inside = true;
                for (int d = 0; d < rank; ++d) {
                    const std::int64_t i = out_.origin[at(d)].first + past[at(d)];
                    inside = inside && i >= 0 && i < out_.shape[d];
                    index = index * out_.shape[d] + i;
                }
                if (inside)
                    c = ungrouped(index);
                else
                    one_by_one(worded("the view of {0} crosses its edge, and its layout has digits that cross its dimensions",
                                      {out_.name}));
            }
            if (view_.guarded)
                for (int d = 0; d < rank; ++d) out_.offset.push_back(static_cast<std::int32_t>(past[at(d)]));
            if (const auto p = out_.is_private ? hold(e, c, there) : store(c); !p.ok()) return p;
            for (int k = view_.rank() - 1; k >= 0; --k) { // the next element
                const int d = view_.dims[k];
                if (d >= 0) past[at(d)] += view_.steps[k];
                if (++x[at(k)] < view_.extents[k]) break;
                if (d >= 0) past[at(d)] -= view_.steps[k] * view_.extents[k];
                x[at(k)] = 0;
            }
        }
        return {};
    }

    /// An instruction lists what each lane does, as many elements for all lanes as the busiest has.
    [[nodiscard]] Result<void, Problem> check_lists() const
    {
        if (!out_.is_private) return {};
        const ExecutionScope& place = request_->execution_scope();
        const auto lanes = static_cast<std::size_t>(scopes_.lanes());
        std::vector<std::int64_t> held(static_cast<std::size_t>(place.count) * lanes, 0);
        std::int64_t most = 0;
        for (const Owner& o : out_.owner)
            if (const int agent = place.index_of(o.agent); agent >= 0)
                most = std::max(most, ++held[at(agent) * lanes + at(o.lane)]);
        const auto threads = static_cast<std::int64_t>(held.size());
        if (most * threads <= most_listed) return {};
        return too_many_held(out_.name, most, threads);
    }

    /// Where a copy of an element is, on an axis.
    [[nodiscard]] std::int64_t coordinate(const Coordinates& place, const Coordinates& copy, int axis) const
    {
        const std::int64_t c = limited_sum(place[at(axis)], copy[at(axis)]);
        return axis == swizzled_ ? swizzle_(c) : c;
    }

    Result<void, Problem> hold(std::int64_t element, const Coordinates& place, bool there)
    {
        for (const Coordinates& copy : copies_) {
            if (!there) break;
            for (int a = 0; a < static_cast<int>(axes_.size()); ++a)
                if (a != agent_ && a != lane_ && a != address_ && coordinate(place, copy, a) != 0)
                    return Problem(errc::bad_argument,
                                   "the layout of {0} puts element {1} of the view at {2}@{3}; a block has no owners on that axis",
                                   {out_.name, element, coordinate(place, copy, a), axes_[at(a)].name().c_str()});
            const std::int64_t agent = agent_ < 0 ? 0 : coordinate(place, copy, agent_),
                               lane = lane_ < 0 ? 0 : coordinate(place, copy, lane_);
            const std::int64_t agents = scopes_.agent == nullptr  ? 1
                                        : is_grid(*scopes_.agent) ? most_view_elements
                                                                  : scopes_.agent->count;
            if (agent < 0 || agent >= agents || lane < 0 || lane >= scopes_.lanes())
                return Problem(
                    errc::out_of_domain,
                    "element {0} of the view of {1} is in agent {2}, lane {3}; a block has at most {4} agents of {5} lanes",
                    {element, out_.name, agent, lane, agents, scopes_.lanes()});
            out_.owner.push_back({static_cast<int>(agent), static_cast<int>(lane), coordinate(place, copy, address_)});
        }
        const auto first = out_.owner.begin() + out_.begin.back();
        if (!std::is_sorted(first, out_.owner.end())) std::sort(first, out_.owner.end());
        out_.begin.push_back(static_cast<std::int32_t>(out_.owner.size()));
        return {};
    }

    Result<void, Problem> store(const Coordinates& place)
    {
        Coordinates c{};
        for (int a = 0; a < static_cast<int>(axes_.size()); ++a) c[at(a)] = coordinate(place, copies_.front(), a);
        for (std::size_t i = 1; i < copies_.size() && out_.widest > 1; ++i)
            if (copies_[i][at(address_)] != copies_[0][at(address_)])
                one_by_one(worded("{0} has several copies of its elements in one memory", {out_.name}));
        out_.address.push_back(c[at(address_)]);
        // Most elements differ from the one before in their address alone.
        bool moves = places_.empty();
        for (std::size_t a = 0; a < axes_.size(); ++a) moves = moves || (a != at(address_) && c[a] != last_[a]);
        if (moves) {
            for (std::size_t a = 0; a < axes_.size(); ++a) last_[a] = a == at(address_) ? 0 : c[a];
            last_number_ = places_.emplace(last_, static_cast<std::int32_t>(places_.size())).first->second;
        }
        const std::int32_t number = last_number_; // of the coordinates on the other axes
        if (number > 0 && out_.place.empty()) out_.place.assign(out_.address.size() - 1, 0);
        if (!out_.place.empty() || number > 0) out_.place.push_back(number);
        return {};
    }

    const Request* request_;
    View view_;
    std::vector<std::int64_t> ways_{}; ///< of the dimensions that are chosen, from the first index to the last
    const ProgramTensor* tensor_;
    const Memory* memory_;
    BlockScopes scopes_;
    ElementPlacement out_{};

    Layout layout_{};
    std::vector<Axis> axes_{};
    int address_ = 0, agent_ = -1, lane_ = -1, swizzled_ = -1;
    Swizzle swizzle_{}; ///< of the coordinate on that axis
    std::vector<Coordinates> copies_{};
    bool grouped_ = false;
    std::vector<DimensionDigits> digits_{};
    std::vector<std::int64_t> low_{}, high_{};
    std::map<Coordinates, std::int32_t> places_{};
    Coordinates last_{};
    std::int32_t last_number_ = 0;
};

} // namespace detail

/// Where the elements of a view are.
///
/// `errc::out_of_domain` when a private tensor has elements in agents or lanes that no block of the machine has; `errc::bad_argument` when its
/// owners change at run time, or when it names axes that are not an owner's within the block; `errc::too_hard` for more than 2^22
/// elements; the errors of `convert_axes`. Cost: linear in elements times replicas; a copy, where a schedule of the operator has asked before.
///
/// @param chosen in the first so many dimensions the indices are chosen in a run: what is told are the elements at the first ones, and
/// what holds for all of them
inline Result<ElementPlacement, Problem> element_placement(const Request& request, const View& view, int chosen = 0)
{
    detail::KnownPlacements* const known = request.known_placements();
    // A temporary is of one schedule; the next one gives its number to another.
    if (known == nullptr || view.tensor < 0 || static_cast<std::size_t>(view.tensor) >= request.program().tensors.size())
        return detail::PlacementFinder(request, view, chosen).find();
    for (const auto& one : known->list)
        if (one.chosen == chosen && one.place == request.execution_scope() && one.view == view) return one.found;
    constexpr std::int64_t most_kept = 1 << 18; // elements of a view: some megabytes
    auto found = detail::PlacementFinder(request, view, chosen).find();
    if (!found || found->count <= most_kept) known->list.push_back({view, chosen, request.execution_scope(), found});
    return found;
}

} // namespace v0
} // namespace axe

#endif
