// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors of Spyre, from arguments and into answers.
#include "spyre_text.hpp"

#include <axe/interop/spyre/device_view.hpp>
#include <axe/interop/spyre/place.hpp>
#include <axe/interop/spyre/text.hpp>

namespace axe_cli {
namespace {

using axe::spyre::Tensor, axe::spyre::TorchType, axe::spyre::DimOrder, axe::spyre::Arrangement;

std::string_view words_of(const char* text, int length) { return {text, static_cast<std::size_t>(length)}; }

/// Is something said there?
bool is_given(const std::optional<Text>& text) { return text && text->words != "-"; }
bool is_layout(const std::optional<Text>& text) { return is_given(text) && !text->words.starts_with('('); }

template <class T>
std::optional<T> read(Reply& reply, const Text& text, axe::Result<T> (*parser)(axe::TextView))
{
    const auto value = parser(text);
    if (value) return *value;
    reply.misread(text.argument, text.words, value.error());
    return std::nullopt;
}
template <class T>
std::optional<T> given(Reply& reply, const axe::Result<T>& result)
{
    if (result) return *result;
    reply.refuse(result.error());
    return std::nullopt;
}

} // namespace

axe::Result<TorchType> parse_spyre_type(axe::TextView given)
{
    const auto [text, length] = given;
    std::string_view name = words_of(text, length);
    if (name.starts_with("torch.")) name.remove_prefix(6);
    const auto type = axe::spyre::torch_type(name);
    const auto format = axe::spyre::parse_format(name);
    if (type || !format) return type;
    return TorchType{axe::spyre::name(*format), axe::spyre::bits(*format) / 8, *format};
}

axe::Result<Arrangement> parse_spyre_arrangement(axe::TextView given)
{
    const auto [text, length] = given;
    for (int i = 0; i < axe::spyre::arrangement_count; ++i)
        if (words_of(text, length) == axe::spyre::name(static_cast<Arrangement>(i))) return static_cast<Arrangement>(i);
    return axe::Error(axe::errc::bad_syntax, 0, "expected STANDARD, DL16_TO_FP32, FP32_TO_DL16, QFP8CH, QFP8WT or EXX2");
}

axe::Result<axe::Strided> parse_spyre_strides(axe::TextView given)
{
    const auto [text, length] = given;
    axe::detail::Reader in(text, length);
    axe::Result<axe::Strided> out{axe::Strided{}};
    const auto item = [&] {
        std::int64_t n = 0;
        return in.integer(n, "expected a number or ')' at character {0}") && axe::detail::read_item(out->strides, n);
    };
    if (in.expect('(', "expected strides, (150,1), or - at character {0}"))
        axe::detail::read_list(in, ')', "expected ',' or ')' at character {0}", item);
    if (in.accept('+')) in.integer(out->offset, "expected the offset of the first element at character {0}");
    if (!in.finish("expected '+' and an offset, or the end of the text, at character {0}")) return in.error;
    return out;
}

axe::Result<DimOrder> parse_spyre_order(axe::TextView given)
{
    const auto [text, length] = given;
    const auto numbers = axe::parse_coord({text, length});
    if (!numbers) return numbers.error();
    axe::Result<DimOrder> order{DimOrder{}};
    for (const std::int64_t n : *numbers) {
        if (n < -1 || n >= axe::max_rank)
            return axe::Error(axe::errc::bad_argument, -1,
                              "{0} is not a dimension: they count from 0 to at most {1}, and -1 as the last is for sparse tensors",
                              n, axe::max_rank - 1);
        order->push_back(static_cast<int>(n));
    }
    return order;
}

std::optional<axe::Strided> read_host(Reply& reply, const Index& size, const std::optional<Text>& strides)
{
    axe::Shape shape, counted; // a negative size is refused later, as a size
    for (const std::int64_t n : size.coord) {
        shape.push_back(n);
        counted.push_back(n < 0 ? 0 : n);
    }
    if (!is_given(strides)) {
        axe::Strided host = axe::spyre::contiguous(counted);
        host.shape = shape;
        return host;
    }
    auto host = read(reply, *strides, parse_spyre_strides);
    if (host) host->shape = shape;
    return host;
}

std::optional<DimOrder> read_order(Reply& reply, const SpyreWords& words)
{
    if (!is_given(words.order) || is_layout(words.order)) return axe::spyre::default_order(words.size.coord.size());
    return read(reply, *words.order, parse_spyre_order);
}

std::optional<Tensor> read_tensor(Reply& reply, const SpyreWords& words)
{
    const auto host = read_host(reply, words.size, words.strides);
    if (!host) return std::nullopt;
    if (!is_layout(words.order)) {
        const auto order = read_order(reply, words);
        return order ? given(reply, axe::spyre::make_tensor(*host, words.type->format, *order)) : std::nullopt;
    }
    const auto layout = axe::spyre::parse_layout(words.order->words, words.type->format);
    if (layout) return given(reply, axe::spyre::place(*host, *layout));
    reply.misread(words.order->argument, words.order->words, layout.error());
    return std::nullopt;
}

void add_part(Reply& reply, std::string_view part)
{
    if (!reply.text.empty()) reply.text += reply.form == Form::page ? "\n" : "; ";
    reply.text += part;
}

std::string text_of(const axe::Padded& padded)
{
    std::string out = text_of(padded.layout);
    append(out += " on ", padded.shape);
    bool all = true;
    for (int d = 0; d < padded.shape.size(); ++d) all = all && padded.valid[d].hi == padded.shape[d];
    if (!all) append(out += "; of which ", padded.valid);
    return out;
}

void add_axe(Reply& reply, const axe::Padded& padded, std::string_view indices)
{
    add_part(reply, std::string("axe: ").append(text_of(padded)).append(indices.empty() ? "" : ", ").append(indices));
    if (!reply.json()) return;
    reply.fields.key("axe").open('{');
    write_members(reply.fields, padded.layout);
    write(reply.fields.key("shape"), padded.shape);
    axe::Coord valid;
    for (const axe::Range& r : padded.valid) valid.push_back(r.hi);
    write(reply.fields.key("valid"), valid);
    reply.fields.key("elements").number(padded.elements).close('}');
}

void add_axe(Reply& reply, const Tensor& tensor)
{
    if (const auto padded = axe::spyre::to_axe(tensor)) return add_axe(reply, *padded);
    if (const auto merged = axe::spyre::to_axe_merged(tensor))
        return add_axe(reply, *merged, "dimensions merged that lie like one");
    add_device_axe(reply, tensor);
}

void add_device_axe(Reply& reply, const Tensor& tensor)
{
    const auto device = axe::spyre::over_device(tensor);
    if (!device) return add_part(reply, "axe: no layout, as there is no element");
    std::string out = "axe: " + text_of(device->address) + " on the device's coordinates ";
    append(out, device->shape);
    append(out += ", host elements ", device->host);
    add_part(reply, out);
    if (!reply.json()) return;
    reply.fields.key("axe").open('{');
    write_members(reply.fields, device->address);
    write(reply.fields.key("shape"), device->shape);
    write_members(reply.fields.key("host").open('{'), device->host);
    reply.fields.close('}').key("elements").number(device->elements).close('}');
}

void write_members(JsonWriter& json, const axe::SpyreLayout& layout)
{
    write(json.key("device_size"), layout.device_size);
    json.key("stride_map").open('[');
    for (const std::int64_t n : layout.stride_map) json.number(n);
    json.close(']').key("format").string(axe::spyre::name(layout.format));
    json.key("arrangement").string(axe::spyre::name(layout.arrangement));
}

void give(Reply& reply, const Tensor& tensor)
{
    reply.text = axe::spyre::print(tensor.device).c_str();
    if (reply.json()) write_members(reply.fields, tensor.device);
    add_axe_aside(reply, tensor);
}

} // namespace axe_cli
