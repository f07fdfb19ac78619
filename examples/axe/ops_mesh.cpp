// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Meshes of nodes, devices, clusters and blocks; shardings over them, and the collectives between two shardings.
#include "mesh_answers.hpp"
#include "operation.hpp"

namespace axe_cli {
namespace {
namespace mesh_table {

using Mesh = Parsed<axe::parse_device_mesh>;

constexpr std::string_view mesh_refusals =
    "none: the members of a slice, or of the new shape, are not a layout\n"
    "bad_syntax, bad_extent, bad_axis, bad_argument, out_of_domain, rank_mismatch, size_mismatch";
constexpr std::string_view shard_refusals = "none: a dimension does not divide over the members; the member holds nothing\n"
                                            "bad_syntax, unknown_axis, bad_axis, rank_mismatch, out_of_domain";
constexpr std::string_view reshard_refusals =
    "none: a dimension does not divide over the members\n"
    "bad_argument: a mesh axis is partial in the target alone; bad_syntax, unknown_axis, bad_axis, rank_mismatch, too_hard";

constexpr Operation rows[] = {
    operation("mesh", "MESH [PART ...]", "a mesh of nodes, devices, clusters and blocks: its layout, and its ids",
              "ids are row-major over the axes, the last one fastest; PART after PART is a key, `flat`, or another shape",
              mesh_refusals, "mesh; node(node_x=2,node_y=2),device=4; [1,:,2]", "ok: (node_y=2) -> 2:4@id + 10@id: ids 10 14",
              [](Reply& reply, const Mesh& mesh, const std::vector<Text>& parts) { give_mesh(reply, *mesh, parts); }),
    operation("shard", "MESH SHARDING S [ID]", "where a sharding places a tensor; with ID the range of one member",
              "on gpuid the devices, on cta the blocks of each, on m the place in the part; the first dimensions of a partial sum "
              "are its\n"
              "terms, and each axis is B, S, P or U",
              shard_refusals, "shard; node=2,device=2; [device] P(node); (8,8)",
              "ok: (4,32):(1@gpuid,1) on (2,8,8), 1 dimension of terms; a member has (4,8); node P, device S0",
              [](Reply& reply, const Mesh& mesh, const Text& sharding, const axe::Shape& shape,
                 const std::optional<std::int64_t>& id) { give_shard(reply, *mesh, sharding, shape, id); }),
    operation(
        "reshard", "MESH FROM TO S [BITS]", "the collectives from one sharding to another",
        "in order, each with its mesh axes and the elements that a member receives at most; slice where it has what it needs\n"
        "with BITS an element the bytes",
        reshard_refusals, "reshard; node=2,device=4; [node] P(device); [[],device]; (8,8); 16",
        "ok: reduce_scatter(device) 8, all_gather(node) 8: a member receives 16 elements, 32 bytes; all together 128 elements, "
        "256 bytes",
        [](Reply& reply, const Mesh& mesh, const Text& from, const Text& to, const axe::Shape& shape,
           const std::optional<std::int64_t>& bits) { give_reshard(reply, *mesh, from, to, shape, bits); }),
};

} // namespace mesh_table
} // namespace

constinit const std::span<const Operation> mesh_operations = mesh_table::rows;

} // namespace axe_cli
