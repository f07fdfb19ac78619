// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_EXAMPLES_NODES_HPP
#define AXE_EXAMPLES_NODES_HPP

#include "example.hpp"

#include <axe/sim/report/format.hpp>

namespace examples {

/// M × N numbers on devices of several nodes. Device g is the (g mod per)-th of node ⌊g / per⌋.
struct Nodes {
    std::int64_t nodes, per, M, N; ///< `per`: devices of a node

    std::int64_t devices() const { return nodes * per; }

    /// Bytes from node to node where each device passes f32 on to the next one, the share of each but one over each link.
    std::int64_t around_one_ring() const { return nodes * (devices() - 1) * (M / devices() * N) * 4; }

    /// A share of the rows on each device.
    axe::Layout shares() const { return {{{devices(), 1, "gpuid"}, {M / devices() * N, 1}}, {}, {}}; }

    /// The rows that the devices of one rank have, on each of them: a share of each node's.
    axe::Layout rows_of_rank() const
    {
        const std::int64_t share = M / devices();
        return {{{nodes, share * N}, {per, 1, "gpuid"}, {share, N}, {N, 1}}, {}, {}};
    }
};

inline axe::Result<Nodes, axe::Problem> nodes(const Setting& setting)
{
    const Nodes out{setting.number("nodes"), setting.devices / setting.number("nodes"), setting.number("M"), setting.number("N")};
    if (setting.devices % out.nodes != 0)
        return axe::Problem(axe::errc::bad_argument, "nodes is " + std::to_string(out.nodes) + "; each node has as many of the " +
                                                         std::to_string(setting.devices) +
                                                         " devices, which must be a multiple of that");
    if (out.M % setting.devices != 0)
        return axe::Problem(axe::errc::bad_argument, "M is " + std::to_string(out.M) + "; each of the " +
                                                         std::to_string(setting.devices) +
                                                         " devices has as many rows, so it must be a multiple of that");
    return out;
}

/// The schedule of the program's last step.
inline std::string last_schedule(const axe::Lowered& lowered) { return lowered.choices.back().schedule; }

/// What went from one node to another, in a line; no line where there is one node. Is it as much as the equation says?
inline Conclusion between_nodes(const Nodes& n, const axe::sim::Counters& total, std::int64_t expected)
{
    Conclusion out;
    std::int64_t bytes = 0;
    for (const auto& [link, moved] : total.links)
        if (link.first / n.per != link.second / n.per) bytes += moved;
    if (n.nodes == 1 || total.instructions == 0) return out;
    out.ok = bytes == expected;
    out.lines.push_back("between nodes: " + axe::sim::format::grouped(bytes) + " bytes; the equation says " +
                        axe::sim::format::grouped(expected));
    return out;
}

} // namespace examples

#endif
