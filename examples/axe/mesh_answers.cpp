// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mesh_answers.hpp"

#include <axe/schedule/collective/reshard.hpp>

namespace axe_cli {
namespace {

using axe::CollectiveKind, axe::Mesh, axe::Result, axe::Sharding;

std::string name_of(const Mesh& mesh, int axis) { return mesh.names[axis].name().c_str(); }

/// `S0`, `B`, `P` or `U`.
std::string state_text(const Sharding& sharding, int axis)
{
    const axe::AxisState state = axe::state_of(sharding, axis);
    return std::string(1, axe::letter(state.state)) + (state.dim < 0 ? "" : std::to_string(state.dim));
}

/// The sharding of a text; the reply is why it is none, if it is none.
std::optional<Sharding> read_sharding(Reply& reply, const Text& text, const Mesh& mesh)
{
    const auto sharding = axe::parse_mesh_sharding(text, mesh);
    if (sharding) return *sharding;
    if (sharding.error().code == axe::errc::bad_syntax)
        reply.misread(text.argument, text.words, sharding.error());
    else
        reply.refuse(sharding.error());
    return {};
}

/// A mesh after a key, `flat` or a shape.
std::optional<Mesh> changed(Reply& reply, const Mesh& mesh, const Text& part)
{
    Result<Mesh> out;
    if (trimmed(part.words) == "flat") {
        out = axe::flatten(mesh);
    } else if (trimmed(part.words).starts_with('[')) {
        const auto key = axe::parse_mesh_key(part);
        if (!key) return reply.misread(part.argument, part.words, key.error()), std::nullopt;
        out = axe::sub_mesh(mesh, *key);
    } else {
        const auto shape = axe::parse_shape(part);
        if (!shape) return reply.misread(part.argument, part.words, shape.error()), std::nullopt;
        out = axe::reshape(mesh, *shape);
    }
    if (out) return *out;
    reply.refuse(out.error());
    return {};
}

void write_numbers(JsonWriter& json, std::string_view key, const auto& numbers)
{
    json.key(key).open('[');
    for (const auto n : numbers) json.number(n);
    json.close(']');
}

void append_count(std::string& text, std::int64_t n, const char* noun)
{
    text.append(std::to_string(n)).append(" ").append(noun).append(n == 1 ? "" : "s");
}

/// ⌈elements·bits / 8⌉; nothing where it does not fit.
std::optional<std::int64_t> bytes_of(std::int64_t elements, std::int64_t bits)
{
    const axe::wider<std::int64_t>::type all = axe::wider<std::int64_t>::type{elements} * bits;
    const auto bytes = all / 8 + (all % 8 != 0);
    if (bytes > INT64_MAX) return {};
    return static_cast<std::int64_t>(bytes);
}

} // namespace

void give_mesh(Reply& reply, const Mesh& mesh, const std::vector<Text>& parts)
{
    Mesh now = mesh;
    for (const Text& part : parts) {
        const auto next = changed(reply, now, part);
        if (!next) return;
        now = *next;
    }
    reply.text.append(axe::print(now).c_str());
    reply.text.append(": ids");
    if (reply.json()) {
        reply.fields.key("names").open('[');
        for (int d = 0; d < now.rank(); ++d) reply.fields.string(name_of(now, d));
        reply.fields.close(']');
        write_numbers(reply.fields, "shape", now.shape);
        write_numbers(reply.fields, "launch_shape", axe::launch_shape(now));
        reply.fields.key("launch").string(axe::print_launch(now).c_str());
        reply.fields.key("count").number(size(now)).key("ids").open('[');
    }
    const std::int64_t listed = std::min<std::int64_t>(size(now), most_listed);
    for (std::int64_t i = 0; i < listed; ++i) {
        const std::int64_t id = axe::id_at(now, axe::coordinate(now.shape, i)).value();
        reply.text.append(" ").append(std::to_string(id));
        if (reply.json()) reply.fields.number(id);
    }
    if (listed < size(now)) reply.text.append(" ... ").append(std::to_string(size(now))).append(" ids");
    if (!reply.json()) return;
    reply.fields.close(']').key("layout").string(text_of(axe::layout_of(now)));
    if (const auto hardware = axe::hardware_layout(now)) reply.fields.key("hardware").string(text_of(*hardware));
    if (const auto group = axe::barrier_group(now)) {
        reply.fields.key("barrier").open('{');
        write_numbers(reply.fields, "shape", group->shape);
        write_numbers(reply.fields, "axes", group->axes);
        write_numbers(reply.fields, "ranks", group->ranks);
        reply.fields.close('}');
    }
}

void give_shard(Reply& reply, const Mesh& mesh, const Text& text, const axe::Shape& shape, const std::optional<std::int64_t>& id)
{
    const auto sharding = read_sharding(reply, text, mesh);
    if (!sharding) return;
    if (id) {
        const auto at = axe::launch_coordinate(mesh, *id);
        if (!at) return reply.refuse(at.error());
        const auto region = axe::shard_region(*sharding, shape, *at);
        if (!region) return reply.refuse(region.error());
        append(reply.text, *region);
        if (!reply.json()) return;
        reply.fields.key("region").open('[');
        for (const axe::Range& range : *region) reply.fields.open('[').number(range.lo).number(range.hi).close(']');
        reply.fields.close(']');
        return;
    }
    const auto placed = axe::placement(*sharding, shape);
    if (!placed) return reply.refuse(placed.error());
    const axe::Shape local = axe::local_shape(*sharding, shape).value();
    give(reply, placed->layout);
    reply.text.append(" on ");
    append(reply.text, placed->shape);
    if (placed->terms > 0) {
        reply.text.append(", ");
        append_count(reply.text, placed->terms, "dimension");
        reply.text.append(" of terms");
    }
    reply.text.append("; a member has ");
    append(reply.text, local);
    for (int axis = 0; axis < mesh.rank(); ++axis)
        reply.text.append(axis > 0 ? ", " : "; ").append(name_of(mesh, axis)).append(" ").append(state_text(*sharding, axis));
    if (!reply.json()) return;
    write_numbers(reply.fields, "shape", placed->shape);
    reply.fields.key("terms").number(placed->terms);
    write_numbers(reply.fields, "local", local);
    reply.fields.key("states").open('{');
    for (int axis = 0; axis < mesh.rank(); ++axis) reply.fields.key(name_of(mesh, axis)).string(state_text(*sharding, axis));
    reply.fields.close('}');
}

void give_reshard(Reply& reply, const Mesh& mesh, const Text& from, const Text& to, const axe::Shape& shape,
                  const std::optional<std::int64_t>& bits)
{
    if (bits && *bits < 1) return reply.fail("bad_argument", "an element has at least 1 bit, got " + std::to_string(*bits));
    const auto before = read_sharding(reply, from, mesh);
    if (!before) return;
    const auto after = read_sharding(reply, to, mesh);
    if (!after) return;
    const auto steps = axe::reshard(*before, *after);
    if (!steps) return reply.refuse(steps.error());
    // A shape that does not divide is refused where nothing is to be done, too.
    for (const Sharding* side : {&*before, &*after})
        if (const auto local = axe::local_shape(*side, shape); !local) return reply.refuse(local.error());
    axe::Traffic all;
    Sharding now = *before;
    if (reply.json()) reply.fields.key("steps").open('[');
    for (const axe::ReshardStep& step : *steps) {
        const auto traffic = axe::traffic_of_reshard(now, step.after, shape);
        const auto groups = axe::classify_reshard(now, step.after, shape);
        if (!traffic || !groups) {
            const axe::Problem& problem = traffic ? groups.error() : traffic.error();
            reply.fail(axe::name(problem.code), problem.text);
            if (problem.code == axe::errc::too_hard) reply.status = Exit::undecided;
            return;
        }
        all.most += traffic->most;
        all.total += traffic->total;
        const char* kind = step.kind == CollectiveKind::local ? "slice" : axe::name(step.kind);
        reply.text.append(reply.text.empty() ? "" : ", ").append(kind).append("(");
        for (int i = 0; i < step.axes.size(); ++i) reply.text.append(i > 0 ? "," : "").append(name_of(mesh, step.axes[i]));
        reply.text.append(")");
        if (step.kind != CollectiveKind::local) reply.text.append(" ").append(std::to_string(traffic->most));
        now = step.after;
        if (!reply.json()) continue;
        reply.fields.open('{').key("collective").string(kind).key("axes").open('[');
        for (const int axis : step.axes) reply.fields.string(name_of(mesh, axis));
        reply.fields.close(']').key("after").string(axe::print(step.after).c_str()).key("groups").open('[');
        for (const auto& group : groups->groups) {
            reply.fields.open('[');
            for (const std::int64_t member : group) reply.fields.number(member);
            reply.fields.close(']');
        }
        reply.fields.close(']').key("most").number(traffic->most).key("total").number(traffic->total).close('}');
    }
    const auto most = bytes_of(all.most, bits.value_or(1)), total = bytes_of(all.total, bits.value_or(1));
    if (!most || !total) return reply.fail("overflow", "the number of bytes that all members receive overflows");
    if (steps->empty()) reply.text.append("none");
    if (all.total > 0) {
        reply.text.append(": a member receives ");
        append_count(reply.text, all.most, "element");
        if (bits) reply.text.append(", "), append_count(reply.text, *most, "byte");
        reply.text.append("; all together ");
        append_count(reply.text, all.total, "element");
        if (bits) reply.text.append(", "), append_count(reply.text, *total, "byte");
    }
    if (!reply.json()) return;
    reply.fields.close(']').key("most").number(all.most).key("total").number(all.total);
    if (bits) reply.fields.key("bytes").number(*most).key("total_bytes").number(*total);
}

} // namespace axe_cli
