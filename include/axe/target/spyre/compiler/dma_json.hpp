// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_SPYRE_COMPILER_DMA_JSON_HPP
#define AXE_TARGET_SPYRE_COMPILER_DMA_JSON_HPP

#include <axe/target/spyre/compiler/dma.hpp>
#include <axe/target/spyre/compiler/json.hpp>

namespace axe {
inline namespace v0 {
namespace spyre {

/// A word of a description: of letters, digits and what else needs no escape.
using Word = InlineVector<char, 31>;

constexpr Word word(std::string_view text) noexcept
{
    Word out;
    for (const char c : text) out.push_back(c);
    return out;
}
constexpr std::string_view text(const Word& w) noexcept
{
    return {w.items, static_cast<std::size_t>(w.count < Word::capacity ? w.count : Word::capacity)};
}

/// One nest of a description, outermost loop first.
struct StrideInfo {
    Shape size{};
    Strides from{}, to{};
    std::int64_t from_offset = 0, to_offset = 0;

    friend constexpr bool operator==(const StrideInfo&, const StrideInfo&) = default;
};

/// Data Conversion Information: how the host describes a transfer to the DMA engine, dimensions outermost first.
///                                                                                      [torch-spyre, generate_dci in spyre_mem.cpp]
struct Dci {
    Word name{};
    bool to_device = true;
    Word from_format{}, to_format{};
    Shape from_shape{}, to_shape{};
    InlineVector<StrideInfo, Dma::max_nests> nests{};

    friend constexpr bool operator==(const Dci&, const Dci&) = default;
};

/// What the DMA engine calls elements of a type of PyTorch on the host.                    [torch-spyre, types_mapping.h]
constexpr const char* host_format(const TorchType& type) noexcept
{
    constexpr const char* names[][2] = {{"float16", "IEEE_FP16"}, {"int64", "IEEE_INT64"}, {"bool", "SENINT8"}};
    for (const auto& row : names)
        if (std::string_view(row[0]) == type.name) return row[1];
    return name(type.format); // the same on both sides
}

/// The description of a tensor's transfer between an array on the host and the device.
///
/// A tensor without dimensions has one of size 1 for the engine. `errc::bad_argument` when the device's format is not what the type
/// becomes (a truth value may come back as IEEE_FP32 from a comparison, but not go there); otherwise as `dma`.
constexpr Result<Dci> dci(const Tensor& tensor, const Strided& host, const TorchType& type, bool to_device,
                          std::int64_t device_storage_offset = 0) noexcept
{
    const DataFormat format = tensor.device.format;
    const bool is_compared = std::string_view(type.name) == "bool" && format == DataFormat::ieee_fp32 && !to_device;
    if (format != type.format && !is_compared)
        return Error(errc::bad_argument, -1, "the format of the tensor on the device is not the format of its type");
    const auto d = dma(tensor, host, device_storage_offset);
    if (!d) return d.error();
    Result<Dci> result;
    Dci& out = *result;
    out.name = word("DCI-Tensor-0");
    out.to_device = to_device;
    out.from_format = word(to_device ? host_format(type) : name(format));
    out.to_format = word(to_device ? name(format) : host_format(type));
    Shape sizes = host.shape;
    if (sizes.empty()) sizes.push_back(1);
    out.from_shape = to_device ? sizes : tensor.device.device_size;
    out.to_shape = to_device ? tensor.device.device_size : sizes;
    for (const DmaNest& nest : d->nests)
        out.nests.push_back(
            to_device ? StrideInfo{nest.ranges, d->host_strides, d->device_strides, nest.host_offset, nest.device_offset}
                      : StrideInfo{nest.ranges, d->device_strides, d->host_strides, nest.device_offset, nest.host_offset});
    return result;
}

namespace detail {

inline constexpr std::string_view dci_keys[] = {
    "dci_dsName_", "isHostToSen_", "dataformat_src_", "dataformat_dst_", "input_shape_", "output_shape_", "dcsi_"};
inline constexpr std::string_view stride_info_keys[] = {"size_", "stride_src_", "stride_dst_", "offset_src_", "offset_dst_"};

template <class List>
constexpr List reversed(const List& list) noexcept
{
    List out;
    for (int i = list.size() - 1; i >= 0; --i) out.push_back(list[i]);
    return out;
}

constexpr bool read_word(Reader& in, Word& out) noexcept
{
    in.peek();
    const int at = in.at;
    std::string_view s;
    if (!read_string(in, s)) return false;
    out = word(s);
    return !out.overfull() ||
           in.fail(errc::capacity, at, "the string at character {0} has more than {1} characters", Word::capacity);
}

/// Integers, innermost first.
template <class List>
constexpr bool read_reversed(Reader& in, List& out) noexcept
{
    if (!read_integers(in, out)) return false;
    out = reversed(out);
    return true;
}

constexpr bool read_stride_info(Reader& in, StrideInfo& out) noexcept
{
    in.peek();
    const int at = in.at;
    const auto member = [&](int i) {
        switch (i) {
        case 0: return read_reversed(in, out.size);
        case 1: return read_reversed(in, out.from);
        case 2: return read_reversed(in, out.to);
        default: return in.integer(i == 3 ? out.from_offset : out.to_offset, "expected a number at character {0}");
        }
    };
    if (!read_object(in, stride_info_keys, member)) return false;
    return (out.size.size() == out.from.size() && out.size.size() == out.to.size()) ||
           in.fail(errc::rank_mismatch, at, "the nest at character {0} has lists of different lengths");
}

} // namespace detail

/// The description as JSON: keys are the members of upstream's struct, dimensions innermost first, as its exportJson has them.
AXE_DECL std::string to_json(const Dci& dci);

/// Reads a description, its keys in any order, each once.  parse_dci(to_json(d)) = d
///
/// `errc::bad_syntax`, `errc::capacity`, `errc::overflow`, `errc::rank_mismatch` with the character.
constexpr Result<Dci> parse_dci(std::string_view json) noexcept
{
    detail::Reader in(json);
    Result<Dci> result;
    Dci& out = *result;
    const auto nest = [&] {
        in.peek();
        const int at = in.at;
        StrideInfo info;
        if (!detail::read_stride_info(in, info)) return false;
        return out.nests.push_back(info) ||
               in.fail(errc::capacity, at, "the nest at character {0} is one too many; at most {1} fit", Dma::max_nests);
    };
    const auto member = [&](int i) {
        switch (i) {
        case 0: return detail::read_word(in, out.name);
        case 1: return detail::read_truth(in, out.to_device);
        case 2: return detail::read_word(in, out.from_format);
        case 3: return detail::read_word(in, out.to_format);
        case 4: return detail::read_reversed(in, out.from_shape);
        case 5: return detail::read_reversed(in, out.to_shape);
        default: return detail::read_array(in, nest);
        }
    };
    if (!detail::read_object(in, detail::dci_keys, member) || !in.finish()) return in.error;
    return result;
}

} // namespace spyre
} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/target/spyre/compiler/impl/dma_json.hpp>
#endif

#endif
