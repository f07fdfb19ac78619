// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_SPYRE_FORMAT_HPP
#define AXE_INTEROP_SPYRE_FORMAT_HPP

#include <axe/support/result.hpp>

#include <string_view>

namespace axe {
inline namespace v0 {
namespace spyre {

/// A stick: so many bytes, at a multiple of as many.                                  [torch-spyre, BYTES_IN_STICK]
inline constexpr std::int64_t stick_bytes = 128;

/// How the device holds an element.                                                   [torch-spyre, DataFormats]
///
/// sen169_fp16 is DL16: a sign, 6 bits of exponent, 9 of fraction; the others are what their names say, sen143 with 4 and 3 bits.
enum class DataFormat : std::uint8_t {
    sen169_fp16,
    bfloat16,
    ieee_fp32,
    ieee_int32,
    ieee_int64,
    boolean,
    sen143_fp8,
    sen152_fp8,
    senint8,
    senint4,
    senint2,
    senuint32,
    // What no stick is known of.
    sen153_fp9,
    senint24,
    sen18f_fp24,
    invalid,
};

inline constexpr int format_count = 16;

namespace detail {

struct FormatRow {
    const char* name;
    int per_stick; ///< 0: no stick is known
    int bits;
};

inline constexpr FormatRow format_rows[format_count] = {
    {"SEN169_FP16", 64, 16}, {"BFLOAT16", 64, 16}, {"IEEE_FP32", 32, 32},  {"IEEE_INT32", 32, 32},
    {"IEEE_INT64", 16, 64},  {"BOOL", 128, 8},     {"SEN143_FP8", 128, 8}, {"SEN152_FP8", 128, 8},
    {"SENINT8", 128, 8},     {"SENINT4", 256, 4},  {"SENINT2", 512, 2},    {"SENUINT32", 32, 32},
    {"SEN153_FP9", 0, 9},    {"SENINT24", 0, 24},  {"SEN18F_FP24", 0, 24}, {"INVALID", 0, 0},
};

/// A type of PyTorch and what it becomes on the device.
struct TorchRow {
    const char* name;
    int bytes; ///< of an element on the host
    DataFormat format;
};

inline constexpr TorchRow torch_rows[] = {
    {"float16", 2, DataFormat::sen169_fp16},
    {"bfloat16", 2, DataFormat::bfloat16},
    {"float32", 4, DataFormat::ieee_fp32},
    {"int32", 4, DataFormat::ieee_int32},
    {"int64", 8, DataFormat::ieee_int32}, // narrowed
    {"bool", 1, DataFormat::sen169_fp16},
    {"int8", 1, DataFormat::senint8},
    {"uint8", 1, DataFormat::senuint32},
    {"float8_e4m3fn", 1, DataFormat::sen143_fp8},
    {"float8_e5m2fnuz", 1, DataFormat::sen152_fp8},
};

} // namespace detail

/// The name of a format, as upstream spells it.
constexpr const char* name(DataFormat format) noexcept { return detail::format_rows[static_cast<int>(format)].name; }

/// The bits of an element on the device.
constexpr int bits(DataFormat format) noexcept { return detail::format_rows[static_cast<int>(format)].bits; }

/// How many elements a stick has; `errc::bad_argument` for the formats of which no stick is known.
constexpr Result<std::int64_t> elements_per_stick(DataFormat format) noexcept
{
    const std::int64_t n = detail::format_rows[static_cast<int>(format)].per_stick;
    if (n == 0)
        return Error(errc::bad_argument, -1,
                     "the stick size of this format is not known: its elements have no place on the device");
    return n;
}

/// The format of that name; `errc::bad_syntax` if none exists.
constexpr Result<DataFormat> parse_format(std::string_view text) noexcept
{
    for (int f = 0; f < format_count; ++f)
        if (text == detail::format_rows[f].name) return static_cast<DataFormat>(f);
    return Error(errc::bad_syntax, 0, "no format of the device has this name");
}

/// A type of PyTorch: its name, the bytes of an element on the host, and the format that it gets on the device.
struct TorchType {
    const char* name = "";
    int bytes = 0;
    DataFormat format = DataFormat::invalid;
};

/// The type of PyTorch with that name, without `torch.`.
///
/// int64 is narrowed to 32 bits, a truth value takes 16, uint8 takes 32: what a stick holds follows from the format, not from the
/// bytes on the host. `errc::bad_syntax` when the device has no format for it.      [torch-spyre, types_mapping.h and its tests]
constexpr Result<TorchType> torch_type(std::string_view text) noexcept
{
    for (const detail::TorchRow& row : detail::torch_rows)
        if (text == row.name) return TorchType{row.name, row.bytes, row.format};
    return Error(errc::bad_syntax, 0, "the device has no format for a type of this name");
}

} // namespace spyre
} // namespace v0
} // namespace axe

#endif
