// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shardings of other frameworks, to layouts and back.
#include "operation.hpp"

#include <axe/interop/sharding.hpp>

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
constexpr std::string_view found_refusals = "none: the framework has no word for it: the sentence says for what\n"
                                            "bad_syntax, size_mismatch";

constexpr Operation rows[] = {
    operation("sharding sdy", "TEXT MESH S", "the layout of a sharding of Shardy",
              "gpuid is the device, m the place in its part, row-major; MESH is <[\"x\"=2]>, Mesh('x': 2) or (2,4)", refusals,
              "sharding sdy; <@mesh, [{\"x\"}, {\"y\":(1)2}]>; <[\"x\"=2, \"y\"=4]>; (64,128)",
              "ok: (2,32,2,64):(4@gpuid,64,2@gpuid,1) + [2:1@gpuid]",
              [](Reply& reply, const Text& text, const Mesh& mesh, const Shape& shape) {
                  give_read(reply, text, sh::parse_sdy(text.data(), text.length(), *mesh), shape);
              }),
    operation("sharding to-sdy", "L S MESH", "a layout as a sharding of Shardy", "sub-axes where whole axes do not do",
              found_refusals, "sharding to-sdy; (2,32,2,64):(4@gpuid,64,2@gpuid,1) + [2:1@gpuid]; (64,128); <[\"x\"=2, \"y\"=4]>",
              "ok: #sdy.sharding<@mesh, [{\"x\"}, {\"y\":(1)2}]>",
              [](const Layout& l, const Shape& s, const Mesh& mesh) {
                  return written(l, s, mesh, [](const sh::Spec& spec) { return sh::print_sdy(spec); });
              }),
    operation("sharding hlo", "TEXT S [N]", "the layout of an HLO sharding",
              "N: how many devices there are, which {replicated} does not say", refusals,
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
                  give_read(reply, text, sh::parse_jax(text.data(), text.length(), *mesh, shape.size()), shape);
              }),
    operation("sharding to-jax", "L S MESH", "a layout as a PartitionSpec", "", found_refusals,
              "sharding to-jax; (2,2,8,2):(8@gpuid,2,1@gpuid,1); (4,16); Mesh('x': 2, 'y': 4, 'z': 2)", "ok: P('x', ('y', 'z'))",
              [](const Layout& l, const Shape& s, const Mesh& mesh) {
                  return written(l, s, mesh, [](const sh::Spec& spec) { return sh::print_jax(spec); });
              }),
    operation(
        "sharding dtensor", "TEXT MESH S", "the layout of DTensor's placements", "_StridedShard(dim, split_factor=k) too", refusals,
        "sharding dtensor; [_StridedShard(0, split_factor=2), Shard(0)]; (2,2); (8,8)", "ok: (2,2,2,8):(1@gpuid,2@gpuid,8,1)",
        [](const Parsed<sh::parse_dtensor>& words, const Mesh& mesh, const Shape& shape) { return placed(*words, *mesh, shape); }),
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
                  give_read(reply, text, sh::parse_alpa(text.data(), text.length(), *mesh), shape);
              }),
    operation("sharding to-alpa", "L S MESH", "a layout as a spec of Alpa", "", found_refusals,
              "sharding to-alpa; (8,4):(1@gpuid,1); (8,4); (2,4)", "ok: S01R",
              [](const Layout& l, const Shape& s, const Mesh& mesh) {
                  return written(l, s, mesh, [](const sh::Spec& spec) { return sh::print_alpa(spec); });
              }),
};

} // namespace

constinit const std::span<const Operation> sharding_operations = rows;

} // namespace axe_cli
