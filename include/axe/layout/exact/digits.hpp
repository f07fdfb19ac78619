// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_EXACT_DIGITS_HPP
#define AXE_LAYOUT_EXACT_DIGITS_HPP

#include <axe/layout/layout.hpp>
#include <axe/support/errors.hpp>

/// Working lists of iters, outermost first, that are canonical at every moment.
namespace axe {
inline namespace v0 {
namespace detail {

/// The most digits that a list under construction can have: each but one has an extent of at least 2, and the size fits the integer.
inline constexpr int most_digits = 64;

/// A list of iters in working memory: never initialized beyond `count`, and no value type.
template <class Int, int Capacity = most_digits>
struct Digits {
    BasicIter<Int> items[Capacity];
    int count = 0;

    static constexpr int capacity = Capacity;
    [[nodiscard]] constexpr int size() const noexcept { return count; }
    constexpr BasicIter<Int>& operator[](int i) noexcept { return items[i]; }
    constexpr const BasicIter<Int>& operator[](int i) const noexcept { return items[i]; }
    constexpr const BasicIter<Int>* begin() const noexcept { return items; }
    constexpr const BasicIter<Int>* end() const noexcept { return items + count; }
    constexpr BasicIter<Int>& back() noexcept { return items[count - 1]; }
    constexpr bool push_back(const BasicIter<Int>& it) noexcept
    {
        if (count >= Capacity) return false;
        items[count++] = it;
        return true;
    }
};

/// Appends an iter as the new innermost one and keeps the list canonical: no extent 1, no chain
/// (n₁, n₂·s₂),(n₂, s₂) on one axis, stride 0 on `m`.      [Axe App. A, D0 and D1]
///
/// One merge is enough: whether the outer neighbor chains with (n, s) does not depend on n.
/// Returns whether there was room.
template <class List, class Int>
constexpr bool append(List& list, Int extent, Int stride, Axis axis) noexcept
{
    if (extent == 1) return true;
    if (stride == 0) axis = Axis{};
    if (list.count > 0) {
        auto& outer = list.back();
        Int chained; // a product that overflows is not a stride
        if (outer.axis == axis && mul(extent, stride, chained) && outer.stride == chained) {
            outer.extent *= extent;
            outer.stride = stride;
            return true;
        }
    }
    return list.push_back(BasicIter<Int>{extent, stride, axis});
}
template <class List, class Int>
constexpr bool append(List& list, const BasicIter<Int>& it) noexcept
{
    return append(list, it.extent, it.stride, it.axis);
}

/// The canonical D of a list of iters, read one iter at a time from the outside in.
template <class Int>
class CanonicalReader {
  public:
    constexpr CanonicalReader(const BasicIter<Int>* first, const BasicIter<Int>* last) noexcept : at_(first), end_(last) {}

    /// The next iter; there must be one.
    constexpr BasicIter<Int> next() noexcept
    {
        while (at_->extent == 1) ++at_;
        BasicIter<Int> it = *at_++;
        if (it.stride == 0) it.axis = Axis{};
        for (; at_ != end_; ++at_) {
            if (at_->extent == 1) continue;
            Int chained;
            if (!mul(at_->extent, at_->stride, chained) || chained != it.stride) break;
            if (chained != 0 && !(at_->axis == it.axis)) break;
            it.extent *= at_->extent;
            it.stride = at_->stride;
        }
        return it;
    }

  private:
    const BasicIter<Int>* at_;
    const BasicIter<Int>* end_;
};

/// The iters of a list as they are, for lists that have been cut already.
template <class Int>
class PlainReader {
  public:
    constexpr PlainReader(const BasicIter<Int>* first, const BasicIter<Int>*) noexcept : at_(first) {}
    constexpr const BasicIter<Int>& next() noexcept { return *at_++; }

  private:
    const BasicIter<Int>* at_;
};

template <class L>
constexpr Error shard_capacity() noexcept
{
    return Error(errc::capacity, L::max_shard, "the result needs more than {0} shard iters", L::max_shard);
}
template <class L>
constexpr Error replica_capacity() noexcept
{
    return Error(errc::capacity, L::max_replica, "the result needs more than {0} replica iters", L::max_replica);
}
constexpr Error axes_capacity(int most) noexcept
{
    return Error(errc::capacity, most, "the result needs more than {0} axes", most);
}
template <class L>
constexpr Error axes_capacity() noexcept
{
    return axes_capacity(L::max_axes);
}

/// The size of a layout that has been checked.
template <class List>
constexpr auto product(const List& list) noexcept
{
    decltype(list.items[0].extent) p = 1;
    for (const auto& it : list) p *= it.extent;
    return p;
}

/// `span` of a layout that has been checked.
template <class L>
constexpr typename L::integer span_of(const L& layout, const Axis& axis) noexcept
{
    typename L::integer span = 1;
    for (const auto& it : layout.shard)
        if (it.extent > 1 && it.axis == axis) span += (it.extent - 1) * magnitude(it.stride);
    for (const auto& it : layout.replica)
        if (it.extent > 1 && it.axis == axis) span += (it.extent - 1) * magnitude(it.stride);
    return span;
}

/// Appends the items of one list to another; returns whether there was room. (A list assigned whole is copied with all its unused places.)
template <class From, class To>
constexpr bool append_all(const From& from, To& to) noexcept
{
    for (const auto& item : from)
        if (!to.push_back(item)) return false;
    return true;
}

/// An offset without its zeros, into an empty one.
template <class P>
constexpr void copy_offset(const P& from, P& to) noexcept
{
    for (const auto& e : from)
        if (e.value != 0) to.entries.push_back(e);
}

/// The weight of each digit in the logical index: the product of the extents inside it. Returns that of all.
template <class List, class Int>
constexpr Int digit_weights(const List& list, Int* weight) noexcept
{
    Int size = 1;
    for (int k = list.size() - 1; k >= 0; --k) {
        weight[k] = size;
        size *= list[k].extent;
    }
    return size;
}

/// The numbers of the iters in increasing order of |stride|; those of one size stay in order.
template <class List>
constexpr void order_by_stride(const List& list, int* order) noexcept
{
    for (int i = 0; i < list.size(); ++i) {
        int k = i;
        for (; k > 0 && magnitude(list[order[k - 1]].stride) > magnitude(list[i].stride); --k) order[k] = order[k - 1];
        order[k] = i;
    }
}

/// offset[axis] += value
template <class P, class Int>
AXE_NOINLINE constexpr Status add_offset(P& offset, const Axis& axis, Int value) noexcept
{
    if (value == 0) return {};
    Int* entry = offset.entry(axis);
    if (entry == nullptr) return axes_capacity(P{}.entries.capacity);
    if (!add(*entry, value, *entry)) return result_overflow();
    return {};
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
