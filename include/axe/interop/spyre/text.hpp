// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_SPYRE_TEXT_HPP
#define AXE_INTEROP_SPYRE_TEXT_HPP

#include <axe/interop/spyre/layout.hpp>
#include <axe/text/common/reader.hpp>
#include <axe/text/text.hpp>

namespace axe {
inline namespace v0 {
namespace spyre {

/// Room for the text of any layout.
using LayoutText = Text<2 * max_rank * 22 + 160>;

namespace detail {

template <class Out, class List>
constexpr void put_list(Out& out, const List& list, const char* between) noexcept
{
    out.put('[');
    for (int i = 0; i < list.size() && i < max_rank; ++i) {
        if (i > 0) out.put(between);
        out.put_number(list[i]);
    }
    out.put(']');
}

/// `[1, 2]`
template <class List>
constexpr bool read_list(axe::detail::Reader& in, List& list) noexcept
{
    if (!in.open_bracket()) return false;
    const int start = in.at;
    const auto item = [&] {
        std::int64_t n = 0;
        return in.integer(n, "expected a number or ']' at character {0}") && axe::detail::read_item(list, n);
    };
    if (!axe::detail::read_list(in, ']', "expected ',' or ']' at character {0}", item)) return false;
    return !list.overfull() ||
           in.fail(errc::capacity, start, "the list at character {0} has {1} numbers; at most 16 fit", list.count);
}

/// The word at the reader: letters, digits and `_`.
constexpr std::string_view read_name(axe::detail::Reader& in) noexcept
{
    in.peek();
    const int start = in.at;
    while (in.at < in.length && (in.is_letter(in.text[in.at]) || in.is_digit(in.text[in.at]) || in.text[in.at] == '_')) ++in.at;
    return {in.text + start, static_cast<std::size_t>(in.at - start)};
}

/// `DataFormats.SEN169_FP16` or `SEN169_FP16`, of any of two such lists of names.
template <class Find>
constexpr bool read_member(axe::detail::Reader& in, std::string_view type, const char* words, Find find) noexcept
{
    if (!in.error.ok()) return false;
    in.peek();
    int at = in.at;
    std::string_view name = read_name(in);
    if (name == type && in.accept('.')) {
        in.peek();
        at = in.at;
        name = read_name(in);
    }
    return find(name) || in.fail(errc::bad_syntax, at, words);
}

/// `name =`, which must be next.
constexpr bool read_key(axe::detail::Reader& in, const char* key, const char* words) noexcept
{
    return in.word(key, words) && in.expect('=', "expected '=' at character {0}");
}

} // namespace detail

/// The text of a layout:  `device_size=[5,3,100,64] stride_map=[15000,64,150,1]`, with ` arrangement=QFP8WT` unless it is standard.
constexpr LayoutText print(const SpyreLayout& layout) noexcept
{
    LayoutText out;
    out.put("device_size=");
    detail::put_list(out, layout.device_size, ",");
    out.put(" stride_map=");
    detail::put_list(out, layout.stride_map, ",");
    if (layout.arrangement != Arrangement::standard) {
        out.put(" arrangement=");
        out.put(name(layout.arrangement));
    }
    return out;
}

/// The text as upstream prints it, space for space:
///   `SpyreTensorLayout(device_size=[100, 3, 5, 64], stride_map =[150, 64, 15000, 1], device_dtype=DataFormats.SEN169_FP16)`
///
/// with `, element_arrangement=ElementArrangement.QFP8WT` unless it is standard.
constexpr LayoutText print_upstream(const SpyreLayout& layout) noexcept
{
    LayoutText out;
    out.put("SpyreTensorLayout(device_size=");
    detail::put_list(out, layout.device_size, ", ");
    out.put(", stride_map =");
    detail::put_list(out, layout.stride_map, ", ");
    out.put(", device_dtype=DataFormats.");
    out.put(name(layout.format));
    if (layout.arrangement != Arrangement::standard) {
        out.put(", element_arrangement=ElementArrangement.");
        out.put(name(layout.arrangement));
    }
    out.put(')');
    return out;
}

/// Reads either text:
///
///   layout := fields | "SpyreTensorLayout" "(" fields ")"
///   fields := "device_size" "=" list [","] "stride_map" "=" list [ [","] "device_dtype" "=" format ] [ [","] arrangement ]
///   arrangement := ( "element_arrangement" | "arrangement" ) "=" name
///
/// @param format  where the text names none
/// @returns `errc::bad_syntax`, `errc::overflow` and `errc::capacity` with the character; the errors of `check`.
constexpr Result<SpyreLayout> parse_layout(std::string_view text, DataFormat format = DataFormat::sen169_fp16) noexcept
{
    axe::detail::Reader in(text);
    Result<SpyreLayout> result;
    SpyreLayout& out = *result;
    out.format = format;
    const bool upstream = in.peek() == 'S';
    if (upstream && in.word("SpyreTensorLayout", "expected SpyreTensorLayout or device_size at character {0}"))
        in.expect('(', "expected '(' at character {0}");
    if (detail::read_key(in, "device_size", "expected device_size at character {0}")) detail::read_list(in, out.device_size);
    in.accept(',');
    if (detail::read_key(in, "stride_map", "expected stride_map at character {0}")) detail::read_list(in, out.stride_map);
    in.accept(',');
    if (in.peek() == 'd' && detail::read_key(in, "device_dtype", "expected device_dtype at character {0}")) {
        detail::read_member(in, "DataFormats", "no format of the device has the name at character {0}", [&](std::string_view word) {
            const auto found = parse_format(word);
            out.format = found.value_or(out.format);
            return found.has_value();
        });
        in.accept(',');
    }
    if (in.peek() == 'e' || in.peek() == 'a') {
        const char* key = in.peek() == 'e' ? "element_arrangement" : "arrangement";
        if (detail::read_key(in, key, "expected element_arrangement or arrangement at character {0}"))
            detail::read_member(in, "ElementArrangement", "there is no arrangement of the name at character {0}",
                                [&](std::string_view word) {
                                    for (int i = 0; i < arrangement_count; ++i) {
                                        if (word != name(static_cast<Arrangement>(i))) continue;
                                        out.arrangement = static_cast<Arrangement>(i);
                                        return true;
                                    }
                                    return false;
                                });
    }
    if (upstream) in.close_parenthesis();
    if (!in.finish()) return in.error;
    if (const Status e = check(out); !e.ok()) return e;
    return result;
}

} // namespace spyre
} // namespace v0
} // namespace axe

#endif
