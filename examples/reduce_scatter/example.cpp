// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sum of what devices hold, of which each keeps a part: a reduction into a sharded tensor, and nothing else.      [Axe figure 8]
// On several nodes it is done within each of them first, and then between them.                                     [TLE cookbook 07]
#include "../common/nodes.hpp"

namespace examples {
namespace {

using namespace axe;
using enum axe::DType;

Result<Program, axe::Problem> reduce_scatter_program(const Setting& setting)
{
    const auto found = nodes(setting);
    if (!found) return found.error();
    const Nodes& n = *found;
    const bool direct = setting.word("form") == "direct", apart = n.nodes > 1;
    std::string schedule = setting.word("schedule");
    if (direct && apart && schedule == "in_network") // it is the network of a node that adds
        return Problem(errc::bad_argument, "schedule in_network adds within a node; on several nodes that is form=two_levels");
    if (schedule == "any") schedule = direct && apart ? "one_shot" : "";
    Kernel k("reduce_scatter", setting.machine);
    const Layout everywhere{{{n.devices(), 1, "gpuid"}, {n.M * n.N, 1}}, {}, {}};
    const auto sum = k.output("sum", {n.M, n.N}, f32, n.shares());
    if (direct) {
        const auto terms = k.input("terms", {n.devices(), n.M, n.N}, f32, everywhere);
        k.computes(sum, axe::sum(terms, 0)).sum(sum, terms, 0, {.schedule = schedule});
        return k.program();
    }
    const auto terms = k.input("terms", {n.nodes, n.per, n.M, n.N}, f32, everywhere);
    k.computes(sum, axe::sum(axe::sum(terms, 1), 0));
    // Of the sum of its node, each device has the rows that the devices of its rank are to have.
    Layout of_node = n.rows_of_rank();
    of_node.shard.insert(0, {n.nodes, n.per, "gpuid"});
    const auto node_sum = k.alloc(Role::global, {n.nodes, n.M, n.N}, f32, of_node, "node_sum");
    k.sum(node_sum, terms, 1, {.schedule = schedule});
    k.sync();
    k.sum(sum, node_sum, 0, {.schedule = "one_shot"});
    return k.program();
}

/// Each device gets its rows of a sum from every other node; directly, those of each device there; around one ring, over all links but one.
Result<Conclusion, axe::Problem> reduce_scatter_bytes(const Setting& setting, const Ending& ending)
{
    const auto n = nodes(setting);
    if (!n) return n.error();
    const bool direct = setting.word("form") == "direct";
    if (last_schedule(ending.lowered) == "in_network") return Conclusion{}; // the sums are on no link between two devices
    if (direct && last_schedule(ending.lowered) == "ring") return between_nodes(*n, ending.total, n->around_one_ring());
    return between_nodes(*n, ending.total, 4 * n->M * n->N * (n->nodes - 1) * (direct ? n->per : 1));
}

} // namespace

const Example reduce_scatter{
    "reduce_scatter",
    "a sum over devices of which each keeps a share of the rows",
    {{"M", "40", "rows, a multiple of the devices", 1 << 14},
     {"N", "33", "columns", 1 << 14},
     {"nodes", "1", "nodes, each with as many devices", 8},
     {"form", "direct", "in one step; or within each node first, then between them", 0, {"direct", "two_levels"}},
     {"schedule", "any", "how the devices do it", 0, {"any", "one_shot", "ring", "in_network"}}},
    {"sm90", "sm80", "trn1", "cpu"},
    {8, 2, 3, 4, 5, 6, 7},
    reduce_scatter_program,
    made_inputs,
    reduce_scatter_bytes};

} // namespace examples
