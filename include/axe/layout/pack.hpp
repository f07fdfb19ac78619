// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_PACK_HPP
#define AXE_LAYOUT_PACK_HPP

#include <axe/layout/canonicalize.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

constexpr Error no_parts(std::int64_t parts) noexcept
{
    return Error(errc::bad_extent, -1, "{0} parts per element; at least 1 is needed", parts);
}

} // namespace detail

/// Elements become n neighbors each:  unpack(L, n, a)(x·n + i) = (L(x) with its coordinate on a times n) + i@a  for 0 ≤ i < n.
///
/// From addresses of packed words to addresses of their parts. `errc::bad_extent` for n < 1, `errc::overflow`, `errc::capacity`.
template <AnyLayout L>
constexpr Result<L> unpack(const L& layout, typename L::integer n, const Axis& axis) noexcept
{
    using namespace detail;
    if (const Status e = check(layout); !e.ok()) return e;
    if (n < 1) return detail::no_parts(n);
    typename L::integer size;
    if (!mul(product(layout.shard), n, size)) return Error(errc::overflow, -1, "the number of parts overflows");
    L parts;
    if (const Status e = canonicalize_into(layout, parts); !e.ok()) return e;
    for (auto& it : parts.shard)
        if (it.axis == axis && !mul(it.stride, n, it.stride)) return result_overflow();
    for (auto& it : parts.replica)
        if (it.axis == axis && !mul(it.stride, n, it.stride)) return result_overflow();
    for (auto& e : parts.offset.entries)
        if (e.axis == axis && !mul(e.value, n, e.value)) return result_overflow();
    if (!append(parts.shard, n, typename L::integer{1}, axis)) return shard_capacity<L>();
    return canonicalize(parts);
}

/// n neighbors become one element:  the M with unpack(M, n, a) = L.
///
/// Exists iff n neighbors are always adjacent on the axis, starting at a multiple of n: the canonical D ends in n:1@a, and every
/// other stride, replica stride and offset on the axis is a multiple of n (`errc::no_layout` otherwise). `errc::bad_extent` for n < 1.
template <AnyLayout L>
constexpr Result<L> pack(const L& layout, typename L::integer n, const Axis& axis) noexcept
{
    using namespace detail;
    if (const Status e = check(layout); !e.ok()) return e;
    if (n < 1) return detail::no_parts(n);
    L whole;
    if (const Status e = canonicalize_into(layout, whole); !e.ok()) return e;
    if (n == 1) return Result<L>(whole);
    if (whole.shard.empty() || !(whole.shard.back().axis == axis) || whole.shard.back().stride != 1 ||
        !divides(n, whole.shard.back().extent))
        return Error(errc::no_layout, -1, "{0} consecutive elements are not always adjacent on the axis", n);
    auto& last = whole.shard.back();
    last.extent = quotient(last.extent, n);
    last.stride = n;
    const Error apart(errc::no_layout, -1, "the groups of {0} elements do not always start at a multiple of {0} on the axis", n);
    if (last.extent == 1) whole.shard.pop_back();
    for (auto& it : whole.shard) {
        if (!(it.axis == axis)) continue;
        if (!divides(n, it.stride)) return apart;
        it.stride /= n;
    }
    for (auto& it : whole.replica) {
        if (!(it.axis == axis)) continue;
        if (!divides(n, it.stride)) return apart;
        it.stride /= n;
    }
    for (auto& e : whole.offset.entries) {
        if (!(e.axis == axis)) continue;
        if (!divides(n, e.value)) return apart;
        e.value /= n;
    }
    return canonicalize(whole);
}

} // namespace v0
} // namespace axe

#endif
