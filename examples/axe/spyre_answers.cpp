// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is asked of one tensor on Spyre.
#include "spyre_answers.hpp"

#include "map_text.hpp"

#include <axe/interop/spyre/coordinates.hpp>
#include <axe/interop/spyre/device_view.hpp>
#include <axe/interop/spyre/equal.hpp>
#include <axe/interop/spyre/text.hpp>
#include <axe/interop/spyre/view_axe.hpp>
#include <axe/map/simplify.hpp>
#include <axe/target/spyre/compiler/dma_json.hpp>
#include <axe/text/common/words.hpp>

namespace axe_cli {
namespace {

using axe::detail::count_words;
using axe::spyre::Digit, axe::spyre::Tensor;

/// How many places of the device hold an element, or a copy of one.
std::int64_t held_places(const Tensor& tensor)
{
    std::int64_t held = 0;
    for (std::int64_t i = 0; i < axe::spyre::valid_box_count(tensor); ++i) {
        std::int64_t volume = 1;
        for (const axe::Range& r : axe::spyre::valid_box(tensor, i)) volume *= r.hi - r.lo;
        held += volume;
    }
    return held;
}

/// `(4,1024,64)`, of strides as well.
template <class List>
std::string tuple_of(const List& list)
{
    std::string out = "(";
    for (int i = 0; i < list.size(); ++i) out.append(i > 0 ? "," : "").append(std::to_string(list[i]));
    return out + ")";
}
template <class List>
void write_list(JsonWriter& json, const char* key, const List& list)
{
    json.key(key).open('[');
    for (const std::int64_t n : list) json.number(n);
    json.close(']');
}

/// The coordinates of every element; copies by a range variable each.
axe::IndexingMap map_of(const Tensor& tensor)
{
    std::vector<std::int64_t> sizes(tensor.torch.shape.begin(), tensor.torch.shape.end()), copies;
    for (int j = 0; j < tensor.digits.size(); ++j)
        if (tensor.digits[j].dim == Digit::copies) copies.push_back(tensor.device.device_size[j]);
    axe::IndexingMap map = axe::IndexingMap::over(sizes, copies);
    auto& pool = map.pool;
    std::vector<axe::IndexExpr> index(static_cast<std::size_t>(tensor.host.shape.size()), pool.constant(0));
    for (int i = 0; i < tensor.parts.size(); ++i) {
        auto& whole = index[static_cast<std::size_t>(tensor.parts[i].dim)];
        whole = pool.add(whole, pool.mul(map.dimension(i), tensor.parts[i].weight));
    }
    int copy = 0;
    for (int j = 0; j < tensor.digits.size(); ++j) {
        const Digit& digit = tensor.digits[j];
        axe::IndexExpr value = digit.dim == Digit::copies ? map.range(copy++) : pool.constant(0);
        if (digit.dim >= 0) {
            std::vector<std::int64_t> outer; // weights of the digits outside, the nearest first
            for (int k = digit.outer; k >= 0; k = tensor.digits[k].outer) outer.push_back(tensor.digits[k].weight);
            value = index[static_cast<std::size_t>(digit.dim)];
            for (std::size_t k = outer.size(); k-- > 0;) value = pool.mod(value, outer[k]);
            value = pool.floor_div(value, digit.weight);
        }
        map.results.push_back(value);
    }
    return map;
}

/// A map, and where its results are on the device.
void give_coordinates(Reply& reply, const axe::Result<axe::IndexingMap>& map, const Tensor& tensor)
{
    if (!map) return reply.refuse(map.error());
    give(reply, *map);
    if (reply.status == Exit::ok) add_axe(reply, tensor);
}

} // namespace

void answer_storage(Reply& reply, const SpyreWords& words)
{
    const auto tensor = read_tensor(reply, words);
    if (!tensor) return;
    const std::int64_t bytes = *axe::spyre::storage_bytes(tensor->device), sticks = *axe::spyre::stick_count(tensor->device);
    const auto places = axe::spyre::device_elements(tensor->device);
    if (!places) return reply.refuse(places.error());
    const std::int64_t held = held_places(*tensor), each = *axe::spyre::elements_per_stick(tensor->device.format);
    reply.text = count_words(bytes, "byte") + "; " + count_words(sticks, "stick") + " of " + std::to_string(each) + "; " +
                 std::to_string(held) + (held == 1 ? " holds an element; " : " hold elements; ") + std::to_string(*places - held) +
                 (*places - held == 1 ? " is padding" : " are padding");
    if (reply.json()) {
        reply.fields.key("bytes").number(bytes).key("sticks").number(sticks).key("per_stick").number(each);
        reply.fields.key("held").number(held).key("padding").number(*places - held);
        write_members(reply.fields, tensor->device);
    }
    add_axe(reply, *tensor);
}

void answer_place(Reply& reply, const SpyreWords& words)
{
    if (const auto tensor = read_tensor(reply, words)) give_coordinates(reply, axe::simplify(map_of(*tensor)), *tensor);
}

void answer_eval(Reply& reply, const SpyreWords& words, const Index& at)
{
    const auto tensor = read_tensor(reply, words);
    if (!tensor) return;
    const auto d = axe::spyre::device_coordinate(*tensor, at.coord);
    if (!d) return reply.refuse(d.error());
    const auto view = axe::spyre::over_device(*tensor);
    if (!view) return reply.refuse(view.error());
    const auto point = axe::evaluate(view->address, view->shape, *d);
    if (!point) return reply.refuse(point.error());
    const std::int64_t address = (*point)[axe::Axis{}], each = *axe::spyre::elements_per_stick(tensor->device.format);
    reply.text = tuple_of(*d) + "; stick " + std::to_string(address / each) + ", element " + std::to_string(address % each) +
                 "; address " + std::to_string(address);
    if (reply.json()) {
        write(reply.fields.key("coordinate"), *d);
        reply.fields.key("stick").number(address / each).key("element").number(address % each).key("address").number(address);
    }
    add_axe(reply, *tensor);
}

void answer_equal(Reply& reply, const SpyreWords& a, const SpyreWords& b)
{
    const auto x = read_tensor(reply, a);
    const auto y = x ? read_tensor(reply, b) : std::nullopt;
    if (!y) return;
    const axe::Decision same = axe::spyre::same_placement(*x, *y);
    if (!same.error().ok()) return reply.refuse(same.error());
    if (same) {
        give_decision(reply, true);
        return add_axe_aside(reply, *x);
    }
    std::int64_t rest = same.witness();
    if (rest < 0) return give_decision(reply, false, "sizes, sticks, copies or arrangement differ");
    axe::Coord c = x->torch.shape;
    for (int d = c.size() - 1; d >= 0; --d) {
        c[d] = rest % x->torch.shape[d];
        rest /= x->torch.shape[d];
    }
    const auto left = axe::spyre::device_coordinate(*x, c), right = axe::spyre::device_coordinate(*y, c);
    if (!left || !right) return reply.refuse(left ? right.error() : left.error());
    give_decision(reply, false,
                  "element " + tuple_of(c) + " is at address " + std::to_string(axe::spyre::device_offset(x->device, *left)) +
                      " and " + std::to_string(axe::spyre::device_offset(y->device, *right)));
    if (reply.json()) write(reply.fields.key("element"), c);
}

void answer_arrange(Reply& reply, const SpyreWords& words, axe::spyre::Arrangement arrangement)
{
    const auto tensor = read_tensor(reply, words);
    if (!tensor) return;
    const auto arranged = axe::spyre::arrange(*tensor, arrangement);
    if (!arranged) return reply.refuse(arranged.error());
    reply.text = axe::spyre::print(arranged->device).c_str();
    if (reply.json()) write_members(reply.fields, arranged->device);
    add_axe(reply, *arranged);
}

void answer_coordinates(Reply& reply, const SpyreWords& words, const axe::IndexingMap& index)
{
    if (const auto tensor = read_tensor(reply, words))
        give_coordinates(reply, axe::spyre::device_coordinates(*tensor, index), *tensor);
}

void answer_dma(Reply& reply, const SpyreWords& words)
{
    const auto tensor = read_tensor(reply, words);
    if (!tensor) return;
    const auto dma = axe::spyre::dma(*tensor);
    if (!dma) return reply.refuse(dma.error());
    if (reply.json()) {
        write_list(reply.fields, "host_strides", dma->host_strides);
        write_list(reply.fields, "device_strides", dma->device_strides);
        reply.fields.key("nests").open('[');
    }
    for (const axe::spyre::DmaNest& nest : dma->nests) {
        std::string part =
            "(" + tuple_of(nest.ranges) + ", " + tuple_of(dma->host_strides) + ", " + tuple_of(dma->device_strides) + ")";
        if (nest.host_offset != 0 || nest.device_offset != 0)
            part += " from host " + std::to_string(nest.host_offset) + ", device " + std::to_string(nest.device_offset);
        add_part(reply, part);
        if (!reply.json()) continue;
        write_list(reply.fields.open('{'), "ranges", nest.ranges);
        reply.fields.key("host_offset").number(nest.host_offset).key("device_offset").number(nest.device_offset).close('}');
    }
    if (dma->nests.empty()) add_part(reply, "no loops: the tensor has no elements");
    if (reply.json()) reply.fields.close(']');
    add_axe(reply, *tensor);
}

void answer_dci(Reply& reply, const SpyreWords& words, bool to_device)
{
    const auto tensor = read_tensor(reply, words);
    if (!tensor) return;
    const auto dci = axe::spyre::dci(*tensor, tensor->torch, *words.type, to_device);
    if (!dci) return reply.refuse(dci.error());
    give_text(reply, axe::spyre::to_json(*dci));
    add_axe_aside(reply, *tensor);
}

void answer_restickify(Reply& reply, const SpyreWords& words, int dim)
{
    const auto from = read_tensor(reply, words);
    const auto order = from ? read_order(reply, words) : std::nullopt;
    if (!order) return;
    const auto changed = axe::spyre::with_stick(*order, dim);
    if (!changed) return reply.refuse(changed.error());
    const auto to = axe::spyre::make_tensor(from->torch, from->device.format, *changed);
    if (!to) return reply.refuse(to.error());
    const auto plan = axe::spyre::plan_restickify(*to, *from);
    if (!plan) return reply.fail(axe::name(plan.error().code), plan.error().text);
    const std::int64_t before = *axe::spyre::stick_count(from->device), after = *axe::spyre::stick_count(to->device);
    const auto nests = static_cast<std::int64_t>(plan->plans().size());
    reply.text = axe::spyre::print(to->device).c_str();
    if (bool(axe::spyre::same_placement(*to, *from)))
        add_part(reply, "order " + tuple_of(*changed) + "; nothing moves");
    else
        add_part(reply, "order " + tuple_of(*changed) + "; " + count_words(plan->elements(), "element") +
                            (plan->elements() == 1 ? " moves, from " : " move, from ") + count_words(before, "stick") + " to " +
                            std::to_string(after) + ", in " + count_words(nests, "nest"));
    if (reply.json()) {
        write_members(reply.fields, to->device);
        write_list(reply.fields, "order", *changed);
        reply.fields.key("elements").number(plan->elements()).key("sticks_before").number(before).key("sticks").number(after);
        reply.fields.key("nests").number(nests);
    }
    add_axe(reply, *to);
}

void answer_view(Reply& reply, const SpyreWords& words, const Index& size, const Text& strides)
{
    const auto base = read_tensor(reply, words);
    const auto host = base ? read_host(reply, size, strides) : std::nullopt;
    if (!host) return;
    const auto view = axe::spyre::as_strided(axe::spyre::view_of(*base), *host);
    if (!view) return reply.refuse(view.error());
    const auto dim = axe::spyre::stick_dimension(*view);
    if (!dim) return reply.refuse(dim.error());
    reply.text = *dim < 0 ? "one element a stick" : "dimension " + std::to_string(*dim) + " is in sticks";
    if (reply.json()) reply.fields.key("stick").number(*dim);
    if (const auto placed = axe::spyre::to_axe(*view)) add_axe(reply, *placed);
}

} // namespace axe_cli
