// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_AGENTS_CLUSTER_HPP
#define AXE_SIM_AGENTS_CLUSTER_HPP

#include <axe/program/program.hpp>
#include <axe/sim/memory/order.hpp>

#include <map>
#include <memory>

/// What blocks of a grid do together: clusters, and flags in global memory.
namespace axe {
inline namespace v0 {
namespace sim {

class Block;

/// Blocks that run together, and their barrier.
struct Cluster {
    std::vector<Block*> blocks{}; ///< by rank
    std::uint64_t first = 0;      ///< the run of the first; those of the others follow
    std::int64_t phases = 0;      ///< of the barrier, complete
    OtherRuns told{}, complete{}; ///< what those knew who have arrived in this phase; in the last one that is complete
    TensorOrder tensors_told{}, tensors_complete{}; ///< the same of tensor memory
    std::vector<std::int64_t> sum_shapes{};         ///< of products there, by number

    /// Before its blocks start; `run` is that of the first.
    void start(std::uint64_t run)
    {
        first = run;
        phases = 0;
        told.clear(), complete.clear();
        tensors_told = tensors_complete = {};
        sum_shapes.clear();
    }
};

/// What releases of a flag have told, and whom they cover: the release sequence of the last store.      [PTX, release patterns]
struct FlagReleases {
    struct Release {
        std::uint64_t run = 0, cluster = 0;
        Within within = Within::device;
        OtherRuns told{};
        TensorOrder tensors{};
    };
    using Sequence = std::vector<std::shared_ptr<const Release>>;
    Sequence list{}; ///< one for each run and each set of agents that it covers
    /// What the element has been, oldest first, from before the first write that is kept; with the releases that each value has with it.
    struct Value {
        double value = 0;
        Event by = given;
        Sequence list{};
    };
    static constexpr std::size_t most_values = 64;
    std::vector<Value> past{};

    /// A write of the event `by` has made `after` of `before`. Where an ordinary access has written since, what was before that is left out.
    void note(double before, double after, Event by)
    {
        if (!past.empty() && past.back().value != before) past.clear();
        if (past.empty()) past.push_back({before, given, {}});
        past.push_back({after, by, list});
        if (past.size() > most_values) past.erase(past.begin());
    }
    /// With which releases may a wait have gone on that goes on now: those of the first value that it may have seen, which is none before a
    /// write that the agent knows of. So the verdict does not depend on how far the element is when the agent looks.
    template <class Test>
    const Sequence& seen_by(const Actor& actor, double now, Test ends) const
    {
        if (past.empty() || past.back().value != now) return list;
        std::size_t first = 0;
        for (std::size_t i = 1; i < past.size(); ++i)
            if (actor.after(past[i].by, 0)) first = i;
        for (std::size_t i = first; i < past.size(); ++i)
            if (ends(past[i].value)) return past[i].list;
        return list;
    }
    /// The last accesses of each agent, of each kind.
    struct Seen {
        Event by = 0;
        std::uint64_t cluster = 0;
        Within within = Within::device;
        bool writes = false;
        int statement = -1;
    };
    std::vector<Seen> seen{};

    static bool covers(Within within, bool same_block, bool same_cluster, bool same_device) noexcept
    {
        return within == Within::system || (within == Within::device && same_device) || same_block ||
               (within == Within::cluster && same_cluster);
    }
};

/// By tensor and place.
using Flags = std::map<std::pair<int, std::int64_t>, FlagReleases>;

/// The place in the grid of the block of that number: blocks of one cluster, row-major, follow each other.
inline Coord block_at(const Grid& grid, std::int64_t number)
{
    if (grid.cluster.empty()) return coordinate(grid.counts, number);
    const std::int64_t size = *volume(grid.cluster);
    Shape clusters = grid.counts;
    for (int d = 0; d < clusters.size(); ++d) clusters[d] /= grid.cluster[d];
    Coord out = coordinate(clusters, number / size);
    const Coord within = coordinate(grid.cluster, number % size);
    for (int d = 0; d < clusters.size(); ++d) out[d] = out[d] * grid.cluster[d] + within[d];
    return out;
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
