// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Yes or no, and what shows it. The library names the least witness as a number; a person wants to see the points.
#include "facts.hpp"

#include "answers.hpp"

namespace axe_cli {
namespace {

/// The point of an index when the replicas are left at their start: what replicas add is the same for every index.
axe::Point start_of(axe::Layout layout, std::int64_t index)
{
    layout.replica = {};
    return axe::evaluate(layout, index).value_or({});
}

std::string at(std::int64_t index, const axe::Point& point)
{
    return "index " + std::to_string(index) + " is at " + text_of(point);
}

/// The other index that shares a point with this one, and the point.
Fact collision(const axe::Layout& layout, std::int64_t index)
{
    constexpr int most_tried = 64;
    const axe::Shape flat{*axe::size(layout)};
    int tried = 0;
    for (const axe::Point& point : axe::points(layout, index)) {
        const auto found = axe::preimage(layout, flat, point);
        if (!found.count()) break; // the strides overlap so much that the search could take for ever
        for (const axe::Coord& other : found) {
            if (other[0] == index) continue;
            const std::int64_t least = index < other[0] ? index : other[0], most = index < other[0] ? other[0] : index;
            return {.witness = "indices " + std::to_string(least) + " and " + std::to_string(most) + " share " + text_of(point),
                    .indices = {least, most},
                    .point = point};
        }
        if (++tried == most_tried) break;
    }
    return {.witness = "index " + std::to_string(index) + " shares a point with another", .indices = {index}};
}

/// The point of a box at a row-major position, axes in alphabetical order.
axe::Point point_of_box(axe::Point box, std::int64_t position)
{
    for (int i = box.size() - 1; i >= 0; --i) {
        const std::int64_t side = box.entries[i].value;
        box.entries[i].value = position % side;
        position /= side;
    }
    return box;
}

} // namespace

Fact is_injective(const axe::Layout& layout)
{
    const axe::Decision decision = axe::is_injective(layout);
    if (decision.undecided()) return {.undecided = decision.error()};
    if (decision) return {.yes = true};
    return collision(layout, decision.witness());
}

Fact is_injective(const axe::Swizzled<axe::Layout>& layout)
{
    Fact fact = is_injective(layout.layout);
    if (!fact.point || is_plain(layout) || !axe::swizzle_point(layout, *fact.point).ok()) return fact;
    fact.witness = fact.witness.substr(0, fact.witness.find('{')) + text_of(*fact.point);
    return fact;
}

Fact is_surjective(const axe::Layout& layout, const axe::Point& box)
{
    const axe::Decision decision = axe::is_surjective(layout, box);
    if (decision.undecided()) return {.undecided = decision.error()};
    if (decision) return {.yes = true};
    const axe::Point missed = point_of_box(box, decision.witness());
    return {.witness = "nothing is at " + text_of(missed), .point = missed};
}

Fact is_bijective(const axe::Layout& layout, const axe::Point& box)
{
    Fact fact = is_injective(layout);
    if (!fact.undecided.ok() || !fact.yes) return fact;
    fact = is_surjective(layout, box);
    if (!fact.undecided.ok() || !fact.yes) return fact;
    const axe::Decision decision = axe::is_bijective(layout, box);
    if (decision.undecided()) return {.undecided = decision.error()};
    if (decision) return {.yes = true};
    const axe::Point outside = start_of(layout, decision.witness());
    return {.witness = at(decision.witness(), outside) + ", outside the box", .indices = {decision.witness()}, .point = outside};
}

Fact is_contiguous(const axe::Layout& layout)
{
    const axe::Decision decision = axe::is_contiguous(layout);
    if (decision.undecided()) return {.undecided = decision.error()};
    if (decision) return {.yes = true};
    const std::int64_t index = decision.witness();
    const axe::Point point = start_of(layout, index);
    return {.witness = at(index - 1, start_of(layout, index - 1)) + ", " + at(index, point), .indices = {index}, .point = point};
}

Fact is_contiguous(const axe::Swizzled<axe::Layout>& layout)
{
    if (is_plain(layout)) return is_contiguous(layout.layout);
    const axe::Decision decision = axe::is_contiguous(layout);
    if (decision.undecided()) return {.undecided = decision.error()};
    if (decision) return {.yes = true};
    const std::int64_t index = decision.witness(); // of a layout without replicas
    const axe::Point point = *axe::evaluate(layout, index);
    return {
        .witness = at(index - 1, *axe::evaluate(layout, index - 1)) + ", " + at(index, point), .indices = {index}, .point = point};
}

void give(Reply& reply, const Fact& fact)
{
    if (!fact.undecided.ok()) return reply.refuse(fact.undecided);
    give_decision(reply, fact.yes, fact.witness);
    if (!reply.json()) return;
    if (!fact.indices.empty()) {
        reply.fields.key("indices").open('[');
        for (const std::int64_t index : fact.indices) reply.fields.number(index);
        reply.fields.close(']');
    }
    if (fact.point) {
        reply.fields.key("point");
        write(reply.fields, *fact.point);
    }
}

axe::Point spans_of(const axe::Layout& layout)
{
    axe::Point spans;
    const auto add = [&](const axe::Iter& it) {
        if (it.extent == 1 || it.stride == 0) return;
        if (auto* entry = spans.entry(it.axis)) *entry = axe::span(layout, it.axis).value_or(1);
    };
    for (const axe::Iter& it : layout.shard) add(it);
    for (const axe::Iter& it : layout.replica) add(it);
    return spans;
}

} // namespace axe_cli
