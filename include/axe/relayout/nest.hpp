// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_RELAYOUT_NEST_HPP
#define AXE_RELAYOUT_NEST_HPP

#include <axe/relayout/side.hpp>

#include <algorithm>

namespace axe {
inline namespace v0 {
/// A loop of a copy: how often, and how far each side moves.
struct CopyLoop {
    std::int64_t extent, to, from;
};

/// Copies one element for each choice of the loops' counters z:  to + Σ z_k·to_k  gets  from + Σ z_k·from_k.
struct CopyNest {
    static constexpr int max_loops = 2 * Layout::max_shard + Layout::max_replica + max_rank;

    std::int64_t to, from;
    InlineVector<CopyLoop, max_loops> loops{};

    [[nodiscard]] std::int64_t elements() const noexcept
    {
        std::int64_t n = 1;
        for (const CopyLoop& l : loops) n *= l.extent;
        return n;
    }
};

/// The same copy with the fewest loops: none of extent 1, each forward in the destination (in the source, where that does not move),
/// those that go on where another ends merged with it; the widest step in the destination first.
inline void simplify(CopyNest& nest) noexcept
{
    auto& loops = nest.loops;
    int kept = 0;
    for (CopyLoop l : loops) {
        if (l.extent == 1) continue;
        if (l.to < 0 || (l.to == 0 && l.from < 0)) {
            nest.to += (l.extent - 1) * l.to;
            nest.from += (l.extent - 1) * l.from;
            l.to = -l.to;
            l.from = -l.from;
        }
        loops[kept++] = l;
    }
    loops.count = kept;
    const auto wider = [](const CopyLoop& a, const CopyLoop& b) {
        return a.to != b.to ? a.to > b.to : (a.from < 0 ? -a.from : a.from) > (b.from < 0 ? -b.from : b.from);
    };
    for (int i = 1; i < kept; ++i) // few, and mostly in order
        for (int k = i; k > 0 && wider(loops[k], loops[k - 1]); --k) std::swap(loops[k], loops[k - 1]);
    kept = 0;
    for (int i = 0; i < loops.size(); ++i) {
        const CopyLoop l = loops[i];
        if (kept > 0) {
            CopyLoop& outer = loops[kept - 1];
            std::int64_t to = 0, from = 0;
            if (detail::mul(l.to, l.extent, to) && detail::mul(l.from, l.extent, from) && outer.to == to && outer.from == from) {
                outer = {outer.extent * l.extent, l.to, l.from};
                continue;
            }
        }
        loops[kept++] = l;
    }
    loops.count = kept;
}

} // namespace v0
} // namespace axe

#endif
