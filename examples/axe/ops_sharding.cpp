// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shardings of other frameworks, to layouts and back.
#include "operation.hpp"
#include "sharding_answers.hpp"

#include <axe/interop/sharding.hpp>
#include <axe/interop/sharding/place_placements.hpp>

namespace axe_cli {
namespace {

using axe::Layout, axe::Result, axe::Shape;
namespace sh = axe::sharding;
using Mesh = Parsed<sh::parse_mesh>;
using Hlo = Parsed<sh::parse_hlo>;

} // namespace

/// The layout, and what of it are terms: `, reduced by sum along [2:4@gpuid]`.
static void give(Reply& reply, const sh::Placed& placed)
{
    give(reply, placed.layout);
    for (const sh::Term& term : placed.terms) {
        reply.text.append(", reduced by ").append(name(term.reduction)).append(" along [").append(std::to_string(term.extent));
        reply.text.append(":").append(std::to_string(term.stride)).append("@gpuid]");
    }
    if (!reply.json() || placed.terms.empty()) return;
    reply.fields.key("terms").open('[');
    for (const sh::Term& term : placed.terms) {
        reply.fields.open('{').key("extent").number(term.extent).key("stride").number(term.stride);
        reply.fields.key("reduction").string(name(term.reduction)).close('}');
    }
    reply.fields.close(']');
}

static void give(Reply& reply, const sh::SpecText& text) { give_text(reply, text.c_str()); }

namespace {
namespace sharding_table {

/// The layout of a spec, read from this text with what else it needs.
void give_read(Reply& reply, const Text& text, const Result<sh::Spec>& spec, const Shape& shape)
{
    if (!spec) return reply.misread(text.argument, text.words, spec.error());
    give(reply, sh::place(*spec, shape));
}

/// The layout of placements over a mesh.
Result<sh::Placed> placed(const sh::Placements& words, const sh::Mesh& mesh, const Shape& shape)
{
    const auto spec = sh::to_spec(words, mesh, shape.size());
    if (!spec) return spec.error();
    return sh::place(*spec, shape);
}

/// The spec of a layout over a mesh, written by `print`.
template <class Print>
Result<sh::SpecText> written(const Layout& layout, const Shape& shape, const Mesh& mesh, Print print)
{
    sh::Placed placed;
    placed.layout = layout;
    const auto spec = sh::find_spec(placed, shape, *mesh);
    if (!spec) return spec.error();
    return print(*spec);
}
/// The same for what prints placements.
template <class Print>
Result<sh::SpecText> written_as_placements(const Layout& layout, const Shape& shape, const Mesh& mesh, Print print)
{
    return written(layout, shape, mesh, [&](const sh::Spec& spec) -> Result<sh::SpecText> {
        const auto words = sh::to_placements(spec);
        if (!words) return words.error();
        return print(*words);
    });
}

Result<sh::SpecText> to_hlo(const Layout& layout, const Shape& shape)
{
    sh::Placed placed;
    placed.layout = layout;
    const auto hlo = sh::find_hlo(placed, shape);
    if (!hlo) return hlo.error();
    return sh::print_hlo(*hlo);
}

constexpr std::string_view refusals =
    "none: a dimension does not divide into its parts, or the order of the devices splits elsewhere\n"
    "bad_syntax, unknown_axis, bad_argument, rank_mismatch";
constexpr std::string_view uneven_refusals =
    "none: the parts of a dimension are not a layout; `axe sharding boxes` lists them\n"
    "bad_syntax, bad_argument, rank_mismatch, too_hard (a dimension is cut into more than 2^20 intervals)";
constexpr std::string_view found_refusals = "none: the framework cannot express it; the message names the part\n"
                                            "bad_syntax, size_mismatch";

constexpr std::string_view box_refusals = "bad_syntax, bad_argument, rank_mismatch, out_of_domain, "
                                          "too_hard (a dimension is cut into more than 2^20 intervals)";
constexpr std::string_view collective_refusals =
    "none: a sharding is not a layout\n"
    "bad_argument: the target has terms that the source does not have; bad_syntax, unknown_axis, rank_mismatch, "
    "too_hard (more than 2^22 combinations of devices)";

constexpr Operation rows[] = {
    operation("sharding sdy", "TEXT MESH S", "the layout of a sharding of Shardy",
              "gpuid is the device, m the index in its part, row-major; MESH is <[\"x\"=2]>, Mesh('x': 2) or (2,4)", refusals,
              "sharding sdy; <@mesh, [{\"x\"}, {\"y\":(1)2}]>; <[\"x\"=2, \"y\"=4]>; (64,128)",
              "ok: (2,32,2,64):(4@gpuid,64,2@gpuid,1) + [2:1@gpuid]",
              [](Reply& reply, const Text& text, const Mesh& mesh, const Shape& shape) {
                  give_read(reply, text, sh::parse_sdy(text, *mesh), shape);
              }),
    operation("sharding to-sdy", "L S MESH", "a layout as a sharding of Shardy", "sub-axes where whole axes do not do",
              found_refusals, "sharding to-sdy; (2,32,2,64):(4@gpuid,64,2@gpuid,1) + [2:1@gpuid]; (64,128); <[\"x\"=2, \"y\"=4]>",
              "ok: #sdy.sharding<@mesh, [{\"x\"}, {\"y\":(1)2}]>",
              [](const Layout& l, const Shape& s, const Mesh& mesh) {
                  return written(l, s, mesh, [](const sh::Spec& spec) { return sh::print_sdy(spec); });
              }),
    operation("sharding hlo", "TEXT S [N]", "the layout of an HLO sharding",
              "N: the number of devices, which {replicated} does not contain", refusals,
              "sharding hlo; {devices=[2,1,4]<=[4,2]T(1,0) last_tile_dim_replicate}; (8,8)",
              "ok: (2,4,8):(1@gpuid,8,1) + [4:2@gpuid]",
              [](const Hlo& hlo, const Shape& shape, const std::optional<std::int64_t>& devices) {
                  return sh::place(*hlo, shape, devices.value_or(0));
              }),
    operation("sharding to-hlo", "L S", "a layout as an HLO sharding", "in XLA's canonical form", found_refusals,
              "sharding to-hlo; (2,4,8):(1@gpuid,8,1) + [4:2@gpuid]; (8,8)",
              "ok: {devices=[2,1,4]<=[4,2]T(1,0) last_tile_dim_replicate}",
              [](const Layout& l, const Shape& s) { return to_hlo(l, s); }),
    operation("sharding jax", "SPEC MESH S", "the layout of a PartitionSpec", "", refusals,
              "sharding jax; P('x', ('y', 'z')); Mesh('x': 2, 'y': 4, 'z': 2); (4,16)",
              "ok: (2,2,4,2,2):(8@gpuid,2,2@gpuid,1@gpuid,1)",
              [](Reply& reply, const Text& text, const Mesh& mesh, const Shape& shape) {
                  give_read(reply, text, sh::parse_jax(text, *mesh, shape.size()), shape);
              }),
    operation("sharding to-jax", "L S MESH", "a layout as a PartitionSpec", "", found_refusals,
              "sharding to-jax; (2,2,8,2):(8@gpuid,2,1@gpuid,1); (4,16); Mesh('x': 2, 'y': 4, 'z': 2)", "ok: P('x', ('y', 'z'))",
              [](const Layout& l, const Shape& s, const Mesh& mesh) {
                  return written(l, s, mesh, [](const sh::Spec& spec) { return sh::print_jax(spec); });
              }),
    operation("sharding dtensor", "TEXT MESH S", "the layout of DTensor's placements",
              "_StridedShard(dim, split_factor=k) too; a dimension that does not divide goes by PyTorch's rule, where its parts "
              "are a layout:\n"
              "6 elements over 4 devices are, 2 on each of 3, and 7 are not; `axe sharding boxes` lists any",
              uneven_refusals, "sharding dtensor; [_StridedShard(0, split_factor=2), Shard(0)]; (2,2); (8,8)",
              "ok: (2,2,2,8):(1@gpuid,2@gpuid,8,1)",
              [](const Parsed<sh::parse_dtensor>& words, const Mesh& mesh, const Shape& shape) {
                  return sh::place(*words, *mesh, shape);
              }),
    operation(
        "sharding to-dtensor", "L S MESH", "a layout as DTensor's placements", "", found_refusals,
        "sharding to-dtensor; (2,2,2,8):(1@gpuid,2@gpuid,8,1); (8,8); (2,2)", "ok: [_StridedShard(0, split_factor=2), Shard(0)]",
        [](const Layout& l, const Shape& s, const Mesh& mesh) { return written_as_placements(l, s, mesh, sh::print_dtensor); }),
    operation(
        "sharding sbp", "TEXT MESH S", "the layout of OneFlow's nd-SBP", "", refusals, "sharding sbp; (S(0), P(sum)); (2,2); (8,8)",
        "ok: (2,4,8):(2@gpuid,8,1) + [2:1@gpuid], reduced by sum along [2:1@gpuid]",
        [](const Parsed<sh::parse_sbp>& words, const Mesh& mesh, const Shape& shape) { return placed(*words, *mesh, shape); }),
    operation("sharding to-sbp", "L S MESH", "a layout as OneFlow's nd-SBP", "", found_refusals,
              "sharding to-sbp; (2,4,8):(2@gpuid,8,1) + [2:1@gpuid]; (8,8); (2,2)", "ok: (S(0), B)",
              [](const Layout& l, const Shape& s, const Mesh& mesh) { return written_as_placements(l, s, mesh, sh::print_sbp); }),
    operation("sharding alpa", "TEXT MESH S", "the layout of a spec of Alpa", "", refusals, "sharding alpa; S01R; (2,4); (8,4)",
              "ok: (2,4,4):(4@gpuid,1@gpuid,1)",
              [](Reply& reply, const Text& text, const Mesh& mesh, const Shape& shape) {
                  give_read(reply, text, sh::parse_alpa(text, *mesh), shape);
              }),
    operation("sharding to-alpa", "L S MESH", "a layout as a spec of Alpa", "", found_refusals,
              "sharding to-alpa; (8,4):(1@gpuid,1); (8,4); (2,4)", "ok: S01R",
              [](const Layout& l, const Shape& s, const Mesh& mesh) {
                  return written(l, s, mesh, [](const sh::Spec& spec) { return sh::print_alpa(spec); });
              }),
    operation("sharding boxes", "TEXT MESH S [DEVICE]", "what each device holds under DTensor's placements",
              "boxes, in the order in which they are stored, also where a dimension does not divide into its parts\n"
              "TEXT is of DTensor: the other notations divide into equal parts, and have layouts instead",
              box_refusals, "sharding boxes; [_StridedShard(0, split_factor=2)]; (2); (5)", "ok: 0 [0:2] [3:4]; 1 [2:3] [4:5]",
              [](Reply& reply, const Parsed<sh::parse_dtensor>& words, const Mesh& mesh, const Shape& shape,
                 const std::optional<std::int64_t>& device) { give_boxes(reply, *words, *mesh, shape, device); }),
    operation(
        "sharding collective", "FROM TO MESH S [BITS]", "the collective from one sharding to another",
        "FROM and TO are of Shardy <…>, JAX P(…), XLA {…}, DTensor […] or SBP (…); none where they are alike, slice where each "
        "device\n"
        "has what it needs, reshard where it takes several; elements that devices lack, and bytes of BITS an element\n"
        "both are layouts: parts of unequal size have no answer here, and `axe sharding boxes` lists what a device holds",
        collective_refusals, "sharding collective; [Shard(0), Partial(sum)]; [Shard(0), Shard(1)]; (2,2); (8,8); 16",
        "ok: reduce_scatter by sum in 2 groups of 2 devices: a device receives 16 elements, 32 bytes; all together 64 elements, "
        "128 bytes",
        [](Reply& reply, const Text& from, const Text& to, const Mesh& mesh, const Shape& shape,
           const std::optional<std::int64_t>& bits) { give_collective(reply, from, to, *mesh, shape, bits); }),
};

} // namespace sharding_table
} // namespace

constinit const std::span<const Operation> sharding_operations = sharding_table::rows;

} // namespace axe_cli
