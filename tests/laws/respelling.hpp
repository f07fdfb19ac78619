// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_LAWS_RESPELLING_HPP
#define AXE_TESTS_LAWS_RESPELLING_HPP

#include <axe/axe.hpp>
#include <tests/laws/report.hpp>

#include <type_traits>
#include <vector>

namespace laws {

/// The same map in another spelling: iters split, iters of extent 1 and iters of stride 0 with any axis, replicas split, reversed and
/// in another order, an offset of 0 on an axis that is not used.
inline axe::Layout respelled(Random& r, const axe::Layout& l)
{
    axe::Layout out;
    for (axe::Iter it : l.shard) {
        if (out.shard.size() < 12 && r.one_in(4)) out.shard.push_back({1, r.in(-9, 9), random_axis(r, 3)});
        if (it.stride == 0) it.axis = random_axis(r, 3);
        Int k = 1;
        for (Int f = 2; f < it.extent; ++f)
            if (it.extent % f == 0 && r.one_in(2)) k = f;
        if (k > 1 && out.shard.size() < 12) {
            out.shard.push_back({it.extent / k, it.stride * k, it.axis});
            out.shard.push_back({k, it.stride, it.axis});
        } else {
            out.shard.push_back(it);
        }
    }
    out.offset = l.offset;
    for (const auto& it : l.replica) {
        axe::Iter turned = it;
        if (r.one_in(2) && it.stride != 0 && it.extent > 1) {
            turned.stride = -it.stride;
            *out.offset.entry(it.axis) += (it.extent - 1) * it.stride;
        }
        out.replica.insert(static_cast<int>(r.in(0, out.replica.size())), turned);
    }
    if (out.replica.size() < 6 && r.one_in(4)) out.replica.push_back({1, r.in(-9, 9), random_axis(r, 3)});
    return out;
}

/// Do two answers say the same: layouts of one map, or values that are equal, or the same code?
inline bool same(const axe::Layout& a, const axe::Layout& b) { return axe::equal(a, b).yes(); }
inline bool same(const axe::Grouped<axe::Layout>& a, const axe::Grouped<axe::Layout>& b)
{
    return a.ends == b.ends && same(a.layout, b.layout);
}
template <int N>
bool same(const axe::GroupedMany<axe::Layout, N>& a, const axe::GroupedMany<axe::Layout, N>& b)
{
    for (int i = 0; i < N; ++i)
        if (!(a.ends[i] == b.ends[i])) return false;
    return same(a.layout, b.layout);
}
inline bool same(const axe::Swizzled<axe::Layout>& a, const axe::Swizzled<axe::Layout>& b) { return axe::equal(a, b).yes(); }
template <class T>
bool same(const T& a, const T& b)
{
    return a == b;
}
template <class T>
bool same(const axe::Result<T>& a, const axe::Result<T>& b)
{
    return a.code() == b.code() && (!a || same(*a, *b));
}
inline bool same(const axe::Status& a, const axe::Status& b) { return a.code() == b.code(); }
inline bool same(const axe::Decision& a, const axe::Decision& b)
{
    return a.code() == b.code() && a.yes() == b.yes() && a.witness() == b.witness();
}

/// What a range of points or coordinates has, in order; empty where there are none.
template <class Range>
auto listed(const Range& range)
{
    std::vector<std::remove_cvref_t<decltype(*range.begin())>> out;
    if (range.error().ok())
        for (const auto& item : range) out.push_back(item);
    return out;
}

} // namespace laws

#endif
