// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TEXT_PRETTY_HPP
#define AXE_TEXT_PRETTY_HPP

#include <axe/text/print.hpp>

/// The form for people: extents over strides, in aligned columns.
///
///   ( 8       2       4       2     ) [ 2      ]
///   ( 4@lane  1@warp  1@lane  1@reg ) [ 4@warp ] + 5@warp
namespace axe {
inline namespace v0 {
namespace detail {

/// An upper and a lower line that grow column by column.
template <int Width>
struct TwoLines {
    Text<Width> upper{};
    Text<Width> lower{};

    constexpr void put(const char* s) noexcept
    {
        upper.put(s);
        lower.put(s);
    }
    constexpr void align() noexcept
    {
        upper.pad_to(lower.size);
        lower.pad_to(upper.size);
    }
    /// The iters between brackets, with `|` where a dimension group other than the last ends.
    template <class List>
    constexpr void put_iters(const char* open, const List& list, const char* close,
                             const InlineVector<int, max_rank>& ends = {}) noexcept
    {
        put(open);
        const int count = list.held();
        for (int i = 0, d = 0, first = 0;; ++i) {
            for (; d + 1 < ends.held() && ends[d] == i; ++d, first = i) put(" |");
            if (i == count) break;
            put(i == first ? " " : "  ");
            upper.put_number(list[i].extent);
            put_stride(lower, list[i].stride, list[i].axis);
            align();
        }
        put(close);
    }
    template <class L>
    constexpr void put_layout(const L& layout, const InlineVector<int, max_rank>& ends = {}) noexcept
    {
        put_iters("(", layout.shard, " )", ends);
        if (!layout.replica.empty()) put_iters(" [", layout.replica, " ]");
        put_offset(lower, layout);
    }
    constexpr Text<2 * Width + 1> joined() const noexcept
    {
        Text<2 * Width + 1> out;
        out.put(upper.c_str());
        out.put('\n');
        out.put(lower.c_str());
        return out;
    }
};

/// Room for a line: every number and every name at its longest.
template <AnyLayout L>
inline constexpr int pretty_width = swizzle_width + 1 + (L::max_shard + L::max_replica) * (number_width + axis_width + 3) +
                                    2 * max_rank + 7 + L::max_axes * (number_width + axis_width + 4);

} // namespace detail

/// Two lines with no newline at the end: extents over strides, then replicas in brackets, then the offset on the lower one.
/// No iter is `( )`.
template <AnyLayout L>
constexpr auto pretty(const L& layout) noexcept
{
    detail::TwoLines<detail::pretty_width<L>> lines;
    lines.put_layout(layout);
    return lines.joined();
}

/// The same with ` | ` between the dimension groups; an empty group has nothing between its bars.
template <AnyLayout L>
constexpr auto pretty(const Grouped<L>& grouped) noexcept
{
    detail::TwoLines<detail::pretty_width<L>> lines;
    lines.put_layout(grouped.layout, grouped.ends);
    return lines.joined();
}

/// The same behind the swizzle, which is on the upper line.
template <AnyLayout L>
constexpr auto pretty(const Swizzled<L>& s) noexcept
{
    detail::TwoLines<detail::pretty_width<L>> lines;
    detail::put_swizzle(lines.upper, s);
    lines.upper.put(' ');
    lines.align();
    lines.put_layout(s.layout);
    return lines.joined();
}

} // namespace v0
} // namespace axe

#endif
