// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows that devices have a share of each, for all: in one step, or first between the nodes and then within each.      [TLE cookbook 05, 06]
#include "../common/nodes.hpp"

namespace examples {
namespace {

using namespace axe;
using enum axe::DType;

Result<Program, axe::Problem> all_gather_program(const Setting& setting)
{
    const auto found = nodes(setting);
    if (!found) return found.error();
    const Nodes& n = *found;
    const Iter everywhere{n.devices(), 1, "gpuid"};
    Kernel k("all_gather", setting.machine);
    const auto X = k.input("X", {n.M, n.N}, f32, n.shares());
    const auto Y = k.output("Y", {n.M, n.N}, f32, Layout{{{n.M, n.N}, {n.N, 1}}, {everywhere}, {}});
    k.computes(Y, Formula(X));
    if (setting.word("form") == "direct") {
        k.copy(Y, X);
        return k.program();
    }

    // Each device fetches from the devices of its rank what their nodes have, and the others of its node fetch it there.
    Layout of_rank = n.rows_of_rank();
    of_rank.replica.push_back({n.nodes, n.per, "gpuid"});
    const auto rank = k.alloc(Role::global, {n.M, n.N}, f32, of_rank, "rank");
    k.copy(rank, X);
    k.sync();
    k.copy(Y, rank);
    return k.program();
}

/// Each number goes to every other node once; directly, to every device there; around one ring, over all its links but one.
Result<Conclusion, axe::Problem> all_gather_bytes(const Setting& setting, const Ending& ending)
{
    const auto n = nodes(setting);
    if (!n) return n.error();
    const bool direct = setting.word("form") == "direct";
    if (direct && last_schedule(ending.lowered) == "ring") return between_nodes(*n, ending.total, n->around_one_ring());
    return between_nodes(*n, ending.total, 4 * n->M * n->N * (n->nodes - 1) * (direct ? n->per : 1));
}

} // namespace

const Example all_gather{
    "all_gather",
    "rows of which each device has a share, for all devices of several nodes",
    {{"M", "40", "rows, a multiple of the devices", 1 << 14},
     {"N", "33", "columns", 1 << 14},
     {"nodes", "2", "nodes, each with as many devices", 8},
     {"form", "two_levels", "between nodes first, then within each; or in one step", 0, {"two_levels", "direct"}}},
    {"sm90", "sm80", "trn1", "cpu"},
    {8, 2, 4, 6},
    all_gather_program,
    made_inputs,
    all_gather_bytes};

} // namespace examples
