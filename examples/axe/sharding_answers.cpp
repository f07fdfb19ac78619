// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sharding_answers.hpp"

#include <axe/interop/sharding/collective.hpp>
#include <axe/interop/sharding/place_placements.hpp>

namespace axe_cli {
namespace {

namespace sh = axe::sharding;

/// `[0:2] [3:4]`, or `nothing`.
void write_boxes(Reply& reply, const std::vector<axe::Region>& boxes)
{
    if (boxes.empty()) reply.text.append("nothing");
    if (reply.json()) reply.fields.open('{').key("count").number(static_cast<std::int64_t>(boxes.size())).key("boxes").open('[');
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        if (i == most_listed) {
            reply.text.append(" ... ").append(std::to_string(boxes.size())).append(" boxes");
            break;
        }
        reply.text.append(i > 0 ? " " : "").append(axe::print(boxes[i]).c_str());
        if (!reply.json()) continue;
        reply.fields.open('[');
        for (const axe::Range& range : boxes[i]) reply.fields.open('[').number(range.lo).number(range.hi).close(']');
        reply.fields.close(']');
    }
    if (reply.json()) reply.fields.close(']').close('}');
}

/// Does the text, but for blanks, begin so?
bool begins(std::string_view text, std::string_view with)
{
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    return text.substr(0, with.size()) == with;
}

template <class T>
bool is_read(Reply& reply, const Text& text, const axe::Result<T>& result)
{
    if (!result) reply.misread(text.argument, text.words, result.error());
    return result.has_value();
}

/// Where a sharding places a tensor; nothing when it cannot be read, or is not a layout: that is the reply then.
std::optional<sh::Placed> read_placed(Reply& reply, const Text& text, const sh::Mesh& mesh, const axe::Shape& shape)
{
    axe::Result<sh::Placed> placed;
    if (begins(text.words, "<") || begins(text.words, "#sdy")) {
        auto spec = sh::parse_sdy(text, mesh);
        if (!is_read(reply, text, spec)) return {};
        placed = sh::place(*spec, shape);
    } else if (begins(text.words, "P(") || begins(text.words, "PartitionSpec")) {
        const auto spec = sh::parse_jax(text, mesh, shape.size());
        if (!is_read(reply, text, spec)) return {};
        placed = sh::place(*spec, shape);
    } else if (begins(text.words, "{")) {
        const auto hlo = sh::parse_hlo(text);
        if (!is_read(reply, text, hlo)) return {};
        placed = sh::place(*hlo, shape, sh::device_count(mesh));
    } else {
        const auto words = sh::parse_dtensor(text), nd = sh::parse_sbp(text);
        if (!nd && !is_read(reply, text, words)) return {};
        const auto spec = words ? axe::Result<sh::Spec>() : sh::to_spec(*nd, mesh, shape.size());
        placed = words ? sh::place(*words, mesh, shape) : spec ? sh::place(*spec, shape) : axe::Result<sh::Placed>(spec.error());
    }
    if (placed) return *placed;
    reply.refuse(placed.error());
    return {};
}

void count(std::string& text, std::int64_t n, const char* noun)
{
    text.append(std::to_string(n)).append(" ").append(noun).append(n == 1 ? "" : "s");
}

} // namespace

void give_boxes(Reply& reply, const sh::Placements& placements, const sh::Mesh& mesh, const axe::Shape& shape,
                const std::optional<std::int64_t>& device)
{
    std::int64_t low = mesh.first; // the least device
    for (const sh::DeviceDigit& digit : mesh.digits) low += digit.stride < 0 ? (digit.extent - 1) * digit.stride : 0;
    const std::int64_t first = device.value_or(low), devices = device ? 1 : sh::device_count(mesh);
    if (reply.json()) reply.fields.key("devices").open('[');
    for (std::int64_t i = 0; i < devices; ++i) {
        if (i == most_listed) {
            reply.text.append("; ... ").append(std::to_string(devices)).append(" devices");
            break;
        }
        const auto boxes = sh::boxes_of(placements, mesh, shape, first + i);
        if (!boxes) return reply.refuse(boxes.error());
        if (!device) reply.text.append(i > 0 ? "; " : "").append(std::to_string(first + i)).append(" ");
        write_boxes(reply, *boxes);
    }
    if (reply.json()) reply.fields.close(']');
}

void give_collective(Reply& reply, const Text& from, const Text& to, const sh::Mesh& mesh, const axe::Shape& shape,
                     const std::optional<std::int64_t>& bits)
{
    if (bits && *bits < 1) return reply.fail("bad_argument", "an element has at least 1 bit, got " + std::to_string(*bits));
    const auto before = read_placed(reply, from, mesh, shape);
    if (!before) return;
    const auto after = read_placed(reply, to, mesh, shape);
    if (!after) return;
    const auto made = sh::collective_of(*before, *after, shape);
    if (!made) {
        reply.fail(axe::name(made.error().code), made.error().text);
        if (made.error().code == axe::errc::too_hard) reply.status = Exit::undecided;
        return;
    }
    using Kind = axe::CollectiveKind;
    const Kind kind = made->collective.kind;
    const auto& groups = made->collective.groups;
    const bool reduces = kind == Kind::reduce || kind == Kind::all_reduce || kind == Kind::reduce_scatter;
    const char* word = made->same ? "none" : kind == Kind::local ? "slice" : name(kind);
    const auto bytes = [&](std::int64_t elements) { // ⌈elements·bits / 8⌉, if it fits
        const axe::wider<std::int64_t>::type all = axe::wider<std::int64_t>::type{elements} * bits.value_or(0);
        return all / 8 + (all % 8 != 0);
    };
    if (bytes(made->traffic.total) > INT64_MAX)
        return reply.fail("overflow", "the number of bytes that all devices receive overflows");
    reply.text.append(word);
    if (reduces) reply.text.append(" by ").append(name(made->reduction));
    if (!groups.empty()) {
        reply.text.append(" in ");
        count(reply.text, static_cast<std::int64_t>(groups.size()), "group");
        reply.text.append(" of ");
        count(reply.text, static_cast<std::int64_t>(groups[0].size()), "device");
    }
    const axe::Traffic& traffic = made->traffic;
    if (kind != Kind::local) {
        reply.text.append(": a device receives ");
        count(reply.text, traffic.most, "element");
        if (bits) reply.text.append(", "), count(reply.text, static_cast<std::int64_t>(bytes(traffic.most)), "byte");
        reply.text.append("; all together ");
        count(reply.text, traffic.total, "element");
        if (bits) reply.text.append(", "), count(reply.text, static_cast<std::int64_t>(bytes(traffic.total)), "byte");
    }
    if (!reply.json()) return;
    reply.fields.key("collective").string(word);
    if (reduces) reply.fields.key("reduction").string(name(made->reduction));
    reply.fields.key("groups").open('[');
    for (const auto& group : groups) {
        reply.fields.open('[');
        for (const std::int64_t d : group) reply.fields.number(d);
        reply.fields.close(']');
    }
    reply.fields.close(']').key("most").number(traffic.most).key("total").number(traffic.total);
    if (bits) reply.fields.key("bytes").number(static_cast<std::int64_t>(bytes(traffic.most)));
    if (bits) reply.fields.key("total_bytes").number(static_cast<std::int64_t>(bytes(traffic.total)));
}

} // namespace axe_cli
