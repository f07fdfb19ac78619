// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_IMPL_MEMORY_PLACEMENT_HPP
#define AXE_PROGRAM_IMPL_MEMORY_PLACEMENT_HPP

#include <axe/program/impl/validate_tensors.hpp>
#include <axe/program/impl/validate_views.hpp>
#include <axe/program/limits.hpp>
#include <axe/program/live_ranges.hpp>
#include <axe/program/register_rows.hpp>
#include <axe/support/sort.hpp>

#include <algorithm>
#include <numeric>

/// Where the tensors of one memory are placed. Nothing here is for users.
namespace axe {
inline namespace v0 {
namespace detail {

/// Bytes of a tensor with a hint, as if spread evenly over all that may hold it: less will not do. In registers of lanes, those of the
/// layout that the hint will have at least. −1: more than any memory has.
inline std::int64_t least_bytes(const Program& p, const LiveRange& r, const Memory& memory, const std::vector<RowUse>& rows)
{
    const ProgramTensor& t = p.tensors[static_cast<std::size_t>(r.tensor)];
    const Levels levels = levels_of(p.machine);
    const int owner = scope_index(p.machine, memory.owner);
    std::int64_t holders = 1, bytes = 0;
    if (owner > r.level && levels.agent >= 0 && owner >= levels.agent) holders *= r.agents;
    if (owner > r.level && levels.agent >= 0 && owner > levels.agent) holders *= r.lanes;
    for (int k = 0; k + 1 < memory.extents.size(); ++k) holders *= std::max<std::int64_t>(1, memory.extents[k]);
    const auto elements = volume(t.shape);
    if (!elements || !mul(*elements, std::int64_t{storage_bytes(t.dtype)}, bytes)) return -1;
    const bool by_lanes = levels.agent >= 0 && owner > levels.agent && memory.extents.size() == 1;
    if (by_lanes && t.hint == LayoutHint::registers && !t.shape.empty() && holders > 1 &&
        holders <= std::int64_t{most_agents} * most_lanes && holders % r.lanes == 0)
        return least_spread(t.shape, rows[static_cast<std::size_t>(r.tensor)], holders, r.lanes) * storage_bytes(t.dtype);
    holders = std::max<std::int64_t>(1, holders);
    return bytes / holders + (bytes % holders != 0 ? 1 : 0);
}

/// The byte after the last one of a tensor that has a base.
template <class Based>
std::int64_t end_of(const Based& x)
{
    return counted(WideIndex{x.base} + x.bytes);
}

/// Places the tensors of one memory.
class MemoryPlacement {
  public:
    struct Item {
        const LiveRange* range;
        std::int64_t bytes, alignment, base; ///< the base, once it is placed; −1 before
        bool named;
    };
    enum class Sharing : std::uint8_t { none, ordered, all };

    MemoryPlacement(const LiveRanges& ranges, bool is_private) : ranges_(&ranges), is_private_(is_private) {}

    std::vector<Item> items{};

    /// Bases for all that name none, and the bytes that all of them take.
    std::int64_t place(Sharing sharing, bool by_size)
    {
        std::vector<std::size_t> order(items.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        const auto before = [&](std::size_t a, std::size_t b) {
            if (items[a].named != items[b].named) return items[a].named;
            return by_size && !items[a].named && items[a].bytes > items[b].bytes;
        };
        sort_stably(order, before);
        std::int64_t end = 0;
        std::vector<std::size_t> placed;
        for (const std::size_t i : order) {
            Item& item = items[i];
            if (!item.named) item.base = sharing == Sharing::none ? up(end, item.alignment) : gap(item, placed, sharing);
            end = std::max(end, end_of(item));
            if (sharing == Sharing::none) continue;
            // What has been used for the last time is in the way of no tensor that is allocated later.
            if (is_private_ && !by_size && !item.named)
                placed.erase(std::remove_if(placed.begin(), placed.end(),
                                            [&](std::size_t k) { return items[k].range->end < item.range->alloc; }),
                             placed.end());
            placed.push_back(i);
        }
        return end;
    }

    /// May two tensors have the same bytes?
    [[nodiscard]] bool may_share(const Item& x, const Item& y, Sharing sharing) const
    {
        const LiveRange &a = x.range->begin <= y.range->begin ? *x.range : *y.range, &b = &a == x.range ? *y.range : *x.range;
        if (sharing == Sharing::none || a.end >= b.begin) return false;
        if (is_private_) return true; // each agent goes through the text in its order
        if (ranges_->ordered(a, b)) return true;
        if (sharing == Sharing::ordered) return false;
        for (std::size_t i = 0; i < std::min(a.users.size(), b.users.size()); ++i)
            if (a.users[i] && b.users[i]) return true;
        return a.users.empty() || b.users.empty();
    }

  private:
    static std::int64_t up(std::int64_t n, std::int64_t to) { return counted((WideIndex{n} + to - 1) / to * to); }

    /// The smallest gap that is large enough between what the item may not share bytes with; behind all of it without one.
    [[nodiscard]] std::int64_t gap(const Item& item, const std::vector<std::size_t>& placed, Sharing sharing) const
    {
        std::vector<std::pair<std::int64_t, std::int64_t>> taken;
        for (const std::size_t i : placed)
            if (!may_share(item, items[i], sharing)) taken.emplace_back(items[i].base, end_of(items[i]));
        std::sort(taken.begin(), taken.end());
        std::int64_t from = 0, best = -1, best_room = 0;
        for (const auto& [first, end] : taken) {
            const std::int64_t at = up(from, item.alignment), room = first - at;
            if (sharing != Sharing::none && room >= item.bytes && (best < 0 || room < best_room)) best = at, best_room = room;
            from = std::max(from, end);
        }
        return best >= 0 ? best : up(from, item.alignment);
    }

    const LiveRanges* ranges_;
    bool is_private_;
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
