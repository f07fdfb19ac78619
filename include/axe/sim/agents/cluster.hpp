// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_AGENTS_CLUSTER_HPP
#define AXE_SIM_AGENTS_CLUSTER_HPP

#include <axe/program/program.hpp>
#include <axe/sim/memory/order.hpp>

#include <map>

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
};

/// What releases of a flag have told, and whom they cover: the release sequence of the last store.      [PTX, release patterns]
struct FlagReleases {
    struct Release {
        std::uint64_t run = 0, cluster = 0;
        Within within = Within::device;
        OtherRuns told{};
        TensorOrder tensors{};
    };
    std::vector<Release> list{}; ///< one for each run and each set of agents that it covers
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
