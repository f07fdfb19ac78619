// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shardings of other frameworks, to layouts and back.
#include "operation.hpp"

#include <axe/interop/sharding.hpp>

namespace axe_cli {
namespace {

using axe::Error, axe::Layout, axe::Result, axe::Shape;
namespace sh = axe::sharding;

int length(std::string_view text) { return static_cast<int>(text.size()); }

/// What a reader says of the text of an argument, from 1: a text that cannot be read, or one that says what no layout is.
void unread(Reply& reply, int argument, std::string_view text, const Error& error)
{
    if (error.is_none())
        reply.refuse(error);
    else
        reply.misread(argument, text, error);
}

/// The mesh of an argument, if it is one; else the reply.
bool read_mesh(Reply& reply, int argument, std::string_view text, sh::Mesh& out)
{
    const auto mesh = sh::parse_mesh(text.data(), length(text));
    if (!mesh) return unread(reply, argument, text, mesh.error()), false;
    out = *mesh;
    return true;
}

/// The layout, and what of it are terms: `, reduced by sum along [2:4@gpuid]`.
void give_placed(Reply& reply, const Result<sh::Placed>& placed)
{
    if (!placed) return reply.refuse(placed.error());
    give(reply, placed->layout);
    for (const sh::Term& term : placed->terms)
        reply.text.append(", reduced by ")
            .append(name(term.reduction))
            .append(" along [")
            .append(std::to_string(term.extent))
            .append(":")
            .append(std::to_string(term.stride))
            .append("@gpuid]");
    if (!reply.json() || placed->terms.empty()) return;
    reply.fields.key("terms").open('[');
    for (const sh::Term& term : placed->terms)
        reply.fields.open('{')
            .key("extent")
            .number(term.extent)
            .key("stride")
            .number(term.stride)
            .key("reduction")
            .string(name(term.reduction))
            .close('}');
    reply.fields.close(']');
}

void give_spec(Reply& reply, int argument, std::string_view text, const Result<sh::Spec>& spec, const Shape& shape)
{
    if (!spec) return unread(reply, argument, text, spec.error());
    give_placed(reply, sh::place(*spec, shape));
}

void give_text(Reply& reply, const Result<sh::SpecText>& text)
{
    if (text)
        reply.text.append(text->begin(), static_cast<std::size_t>(text->size));
    else
        reply.refuse(text.error());
}

/// The spec of a layout over a mesh, written by `print`.
template <class Print>
void give_found(Reply& reply, const Layout& layout, const Shape& shape, std::string_view mesh_text, Print print)
{
    sh::Mesh mesh;
    if (!read_mesh(reply, 3, mesh_text, mesh)) return;
    sh::Placed placed;
    placed.layout = layout;
    const auto spec = sh::find_spec(placed, shape, mesh);
    if (spec)
        give_text(reply, print(*spec));
    else
        reply.refuse(spec.error());
}

Result<sh::SpecText> dtensor_text(const sh::Spec& spec)
{
    const auto words = sh::to_placements(spec);
    if (!words) return words.error();
    return sh::print_dtensor(*words);
}
Result<sh::SpecText> sbp_text(const sh::Spec& spec)
{
    const auto words = sh::to_placements(spec);
    if (!words) return words.error();
    return sh::print_sbp(*words);
}

using Words = Result<sh::Placements> (*)(const char*, int);

/// Placements, over the mesh of the second argument.
void give_words(Reply& reply, std::string_view text, Words parse, std::string_view mesh_text, const Shape& shape)
{
    const auto words = parse(text.data(), length(text));
    if (!words) return unread(reply, 1, text, words.error());
    sh::Mesh mesh;
    if (!read_mesh(reply, 2, mesh_text, mesh)) return;
    const auto spec = sh::to_spec(*words, mesh, shape.size());
    if (!spec) return reply.refuse(spec.error());
    give_placed(reply, sh::place(*spec, shape));
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
              [](Reply& reply, std::string_view text, std::string_view mesh_text, const Shape& shape) {
                  sh::Mesh mesh;
                  if (!read_mesh(reply, 2, mesh_text, mesh)) return;
                  give_spec(reply, 1, text, sh::parse_sdy(text.data(), length(text), mesh), shape);
              }),
    operation("sharding to-sdy", "L S MESH", "a layout as a sharding of Shardy", "sub-axes where whole axes do not do",
              found_refusals, "sharding to-sdy; (2,32,2,64):(4@gpuid,64,2@gpuid,1) + [2:1@gpuid]; (64,128); <[\"x\"=2, \"y\"=4]>",
              "ok: #sdy.sharding<@mesh, [{\"x\"}, {\"y\":(1)2}]>",
              [](Reply& reply, const Layout& layout, const Shape& shape, std::string_view mesh) {
                  give_found(reply, layout, shape, mesh, [](const sh::Spec& spec) { return sh::print_sdy(spec); });
              }),
    operation("sharding hlo", "TEXT S [N]", "the layout of an HLO sharding",
              "N: how many devices there are, which {replicated} does not say", refusals,
              "sharding hlo; {devices=[2,1,4]<=[4,2]T(1,0) last_tile_dim_replicate}; (8,8)",
              "ok: (2,4,8):(1@gpuid,8,1) + [4:2@gpuid]",
              [](Reply& reply, std::string_view text, const Shape& shape, const std::optional<std::int64_t>& devices) {
                  const auto hlo = sh::parse_hlo(text.data(), length(text));
                  if (!hlo) return unread(reply, 1, text, hlo.error());
                  give_placed(reply, sh::place(*hlo, shape, devices.value_or(0)));
              }),
    operation("sharding to-hlo", "L S", "a layout as an HLO sharding", "in XLA's canonical form", found_refusals,
              "sharding to-hlo; (2,4,8):(1@gpuid,8,1) + [4:2@gpuid]; (8,8)",
              "ok: {devices=[2,1,4]<=[4,2]T(1,0) last_tile_dim_replicate}",
              [](Reply& reply, const Layout& layout, const Shape& shape) {
                  sh::Placed placed;
                  placed.layout = layout;
                  const auto hlo = sh::find_hlo(placed, shape);
                  if (hlo)
                      give_text(reply, sh::print_hlo(*hlo));
                  else
                      reply.refuse(hlo.error());
              }),
    operation("sharding jax", "SPEC MESH S", "the layout of a PartitionSpec", "", refusals,
              "sharding jax; P('x', ('y', 'z')); Mesh('x': 2, 'y': 4, 'z': 2); (4,16)",
              "ok: (2,2,4,2,2):(8@gpuid,2,2@gpuid,1@gpuid,1)",
              [](Reply& reply, std::string_view text, std::string_view mesh_text, const Shape& shape) {
                  sh::Mesh mesh;
                  if (!read_mesh(reply, 2, mesh_text, mesh)) return;
                  give_spec(reply, 1, text, sh::parse_jax(text.data(), length(text), mesh, shape.size()), shape);
              }),
    operation("sharding to-jax", "L S MESH", "a layout as a PartitionSpec", "", found_refusals,
              "sharding to-jax; (2,2,8,2):(8@gpuid,2,1@gpuid,1); (4,16); Mesh('x': 2, 'y': 4, 'z': 2)", "ok: P('x', ('y', 'z'))",
              [](Reply& reply, const Layout& layout, const Shape& shape, std::string_view mesh) {
                  give_found(reply, layout, shape, mesh, [](const sh::Spec& spec) { return sh::print_jax(spec); });
              }),
    operation("sharding dtensor", "TEXT MESH S", "the layout of DTensor's placements", "_StridedShard(dim, split_factor=k) too",
              refusals, "sharding dtensor; [_StridedShard(0, split_factor=2), Shard(0)]; (2,2); (8,8)",
              "ok: (2,2,2,8):(1@gpuid,2@gpuid,8,1)",
              [](Reply& reply, std::string_view text, std::string_view mesh, const Shape& shape) {
                  give_words(reply, text, sh::parse_dtensor, mesh, shape);
              }),
    operation("sharding to-dtensor", "L S MESH", "a layout as DTensor's placements", "", found_refusals,
              "sharding to-dtensor; (2,2,2,8):(1@gpuid,2@gpuid,8,1); (8,8); (2,2)",
              "ok: [_StridedShard(0, split_factor=2), Shard(0)]",
              [](Reply& reply, const Layout& layout, const Shape& shape, std::string_view mesh) {
                  give_found(reply, layout, shape, mesh, dtensor_text);
              }),
    operation("sharding sbp", "TEXT MESH S", "the layout of OneFlow's nd-SBP", "", refusals,
              "sharding sbp; (S(0), P(sum)); (2,2); (8,8)",
              "ok: (2,4,8):(2@gpuid,8,1) + [2:1@gpuid], reduced by sum along [2:1@gpuid]",
              [](Reply& reply, std::string_view text, std::string_view mesh, const Shape& shape) {
                  give_words(reply, text, sh::parse_sbp, mesh, shape);
              }),
    operation("sharding to-sbp", "L S MESH", "a layout as OneFlow's nd-SBP", "", found_refusals,
              "sharding to-sbp; (2,4,8):(2@gpuid,8,1) + [2:1@gpuid]; (8,8); (2,2)", "ok: (S(0), B)",
              [](Reply& reply, const Layout& layout, const Shape& shape, std::string_view mesh) {
                  give_found(reply, layout, shape, mesh, sbp_text);
              }),
    operation("sharding alpa", "TEXT MESH S", "the layout of a spec of Alpa", "", refusals, "sharding alpa; S01R; (2,4); (8,4)",
              "ok: (2,4,4):(4@gpuid,1@gpuid,1)",
              [](Reply& reply, std::string_view text, std::string_view mesh_text, const Shape& shape) {
                  sh::Mesh mesh;
                  if (!read_mesh(reply, 2, mesh_text, mesh)) return;
                  give_spec(reply, 1, text, sh::parse_alpa(text.data(), length(text), mesh), shape);
              }),
    operation("sharding to-alpa", "L S MESH", "a layout as a spec of Alpa", "", found_refusals,
              "sharding to-alpa; (8,4):(1@gpuid,1); (8,4); (2,4)", "ok: S01R",
              [](Reply& reply, const Layout& layout, const Shape& shape, std::string_view mesh) {
                  give_found(reply, layout, shape, mesh, [](const sh::Spec& spec) { return sh::print_alpa(spec); });
              }),
};

} // namespace

constinit const std::span<const Operation> sharding_operations = rows;

} // namespace axe_cli
