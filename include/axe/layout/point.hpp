// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_POINT_HPP
#define AXE_LAYOUT_POINT_HPP

#include <axe/layout/axis.hpp>
#include <axe/support/inline_vector.hpp>
#include <axe/support/integer.hpp>

namespace axe {
inline namespace v0 {

template <class Int, int MaxAxes = 8>
struct BasicPoint;
template <class Int, int MaxAxes>
constexpr bool before(const BasicPoint<Int, MaxAxes>& a, const BasicPoint<Int, MaxAxes>& b) noexcept;

/// A place in hardware: an integer for each axis, 0 for every axis that is not named. Entries are ordered by axis, each axis once.
template <class Int, int MaxAxes>
struct BasicPoint {
    struct Entry {
        Axis axis;
        Int value;
        friend constexpr bool operator==(const Entry&, const Entry&) = default;
        friend constexpr std::strong_ordering operator<=>(const Entry&, const Entry&) = default;
    };
    InlineVector<Entry, MaxAxes> entries{};

    constexpr BasicPoint() = default;
    /// `Point{{"lane", 8}, {"warp", 6}}`; an axis named twice is kept twice, and rejected by every operation.
    constexpr BasicPoint(std::initializer_list<Entry> list) : entries(list)
    {
        for (int i = 1; i < entries.size() && i < MaxAxes; ++i)
            for (int k = i; k > 0 && entries[k].axis < entries[k - 1].axis; --k) {
                const Entry moved = entries[k];
                entries[k] = entries[k - 1];
                entries[k - 1] = moved;
            }
    }

    /// The coordinate on an axis.
    constexpr Int operator[](const Axis& axis) const noexcept
    {
        for (const Entry& e : entries)
            if (e.axis == axis) return e.value;
        return 0;
    }
    [[nodiscard]] constexpr int size() const noexcept { return entries.size(); }
    [[nodiscard]] constexpr bool empty() const noexcept { return entries.empty(); }
    constexpr const Entry* begin() const noexcept { return entries.begin(); }
    constexpr const Entry* end() const noexcept { return entries.end(); }

    /// The coordinate on an axis, entered as 0 if it has none yet; null when there is no room for one more axis.
    constexpr Int* entry(const Axis& axis) noexcept
    {
        int i = 0;
        while (i < entries.held() && entries[i].axis < axis) ++i;
        if (i < entries.held() && entries[i].axis == axis) return &entries[i].value;
        return !entries.full() && entries.insert(i, Entry{axis, 0}) ? &entries[i].value : nullptr;
    }
    /// Drops the coordinates that are 0.
    constexpr void drop_zeros() noexcept
    {
        for (int i = entries.held() - 1; i >= 0; --i)
            if (entries[i].value == 0) entries.erase(i);
    }

    /// Equality as points: an axis that is not named counts as 0.
    friend constexpr bool operator==(const BasicPoint& a, const BasicPoint& b) noexcept
    {
        for (const Entry& e : a.entries)
            if (e.value != b[e.axis]) return false;
        for (const Entry& e : b.entries)
            if (e.value != a[e.axis]) return false;
        return true;
    }
    /// Axis by axis in alphabetical order, an axis that is not named counting as 0: that of `points`.
    friend constexpr std::strong_ordering operator<=>(const BasicPoint& a, const BasicPoint& b) noexcept
    {
        if (before(a, b)) return std::strong_ordering::less;
        return before(b, a) ? std::strong_ordering::greater : std::strong_ordering::equal;
    }
};
using Point = BasicPoint<std::int64_t>;

/// Does a come before b: axis by axis in alphabetical order, an axis that is not named counting as 0? The order of `points`.
template <class Int, int MaxAxes>
constexpr bool before(const BasicPoint<Int, MaxAxes>& a, const BasicPoint<Int, MaxAxes>& b) noexcept
{
    for (int i = 0, k = 0; i < a.entries.held() || k < b.entries.held();) {
        const auto* p = i < a.entries.held() ? &a.entries[i] : nullptr;
        const auto* q = k < b.entries.held() ? &b.entries[k] : nullptr;
        if (p != nullptr && q != nullptr && p->axis < q->axis) q = nullptr;
        if (p != nullptr && q != nullptr && q->axis < p->axis) p = nullptr;
        const Int x = p != nullptr ? p->value : 0, y = q != nullptr ? q->value : 0;
        if (x != y) return x < y;
        i += p != nullptr;
        k += q != nullptr;
    }
    return false;
}

} // namespace v0
} // namespace axe

#endif
