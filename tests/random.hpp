// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_RANDOM_HPP
#define AXE_TESTS_RANDOM_HPP

#include <tests/oracle.hpp>

#include <algorithm>
#include <cstdlib>

/// Layouts for the laws: all small ones, and seeded random ones. The numbers repeat on every machine.
namespace laws {

using Int = std::int64_t;

/// SplitMix64: short, and the same everywhere (the distributions of <random> are not).
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next()
    {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    /// In [lo, hi].
    Int in(Int lo, Int hi) { return lo + static_cast<Int>(next() % static_cast<std::uint64_t>(hi - lo + 1)); }
    /// True once in n times.
    bool one_in(Int n) { return in(1, n) == 1; }

  private:
    std::uint64_t state_;
};

/// AXE_LAW_SCALE: how many times the usual number of cases is tried.
inline double scale()
{
    static const double value = [] {
        const char* text = std::getenv("AXE_LAW_SCALE");
        return text != nullptr ? std::atof(text) : 1.0;
    }();
    return value;
}
/// How many random cases to try. A share leaves 4000, or all where they are fewer: such tests take no time, and count what they met.
inline Int cases(Int count)
{
    const Int scaled = static_cast<Int>(static_cast<double>(count) * scale());
    return std::max(scaled, std::min(count, Int{4000}));
}

struct Kind {
    Int largest_size = 400;
    int iters = 4;
    int axes = 1;
    Int extent = 8;
    bool extent_one = false;
    bool replicas = false;
    bool offset = false;
};

inline axe::Axis random_axis(Random& r, int axes) { return oracle::axes[r.in(0, axes - 1)]; }

/// D with strides made so that carries cancel: with δ_k = s_k − Σ_{i>k}(n_i−1)·s_i the step into level k and g_k = s_k −
/// n_{k+1}·s_{k+1} the weight of a floor, a level repeats or undoes what another one has.
inline axe::Layout::Shard random_shard(Random& r, const Kind& kind)
{
    while (true) {
        axe::Layout::Shard shard;
        const int count = static_cast<int>(r.in(kind.iters > 1 ? 1 : 0, kind.iters));
        Int size = 1;
        for (int i = 0; i < count; ++i) {
            const Int n = r.in(kind.extent_one ? 1 : 2, kind.extent);
            shard.push_back({n, 0});
            size *= n;
        }
        if (size > kind.largest_size) continue;
        const Int mode = r.in(0, 5);
        Int used[16]{}, reach = 0;
        int uses = 0;
        bool fits = true;
        for (int k = count - 1; k >= 0; --k) {
            axe::Iter& it = shard[k];
            Int d = uses > 0 && !r.one_in(3) ? used[r.in(0, uses - 1)] : r.in(-3, 3);
            if (r.one_in(6)) d = -d;
            used[uses++] = d;
            if (mode == 0)
                it.stride = r.in(-8, 8);
            else if (mode == 1)
                it.stride = k + 1 < count ? shard[k + 1].extent * shard[k + 1].stride + d : d; // g repeats
            else if (mode == 2)
                it.stride = reach + d; // δ repeats
            else if (mode == 3)
                it.stride = r.one_in(2) ? reach + d : r.in(-2, 2);
            else if (mode == 4)
                it.stride = k + 1 < count
                                ? shard[k + 1].extent * shard[k + 1].stride * (r.one_in(4) ? -1 : 1) + (r.one_in(2) ? d : 0)
                                : r.in(-2, 2);
            else
                it.stride = r.one_in(3) ? 0 : r.in(-4, 4);
            if (r.one_in(12)) it.stride = 0;
            it.axis = random_axis(r, kind.axes);
            reach += (it.extent - 1) * it.stride;
            fits = fits && it.stride < 4000 && it.stride > -4000;
        }
        if (fits) return shard;
    }
}

inline axe::Layout random_layout(Random& r, const Kind& kind)
{
    axe::Layout l;
    l.shard = random_shard(r, kind);
    if (kind.replicas)
        for (Int i = r.in(0, 3); i > 0; --i) l.replica.push_back({r.in(1, 4), r.in(-6, 6), random_axis(r, kind.axes)});
    if (kind.offset && r.one_in(2))
        if (Int* entry = l.offset.entry(random_axis(r, kind.axes))) *entry = r.in(-20, 20);
    return l;
}

/// A shape of the given size and rank ≤ `rank`, from random factors.
inline axe::Shape random_shape(Random& r, Int size, int rank)
{
    axe::Shape shape;
    const Int want = r.in(1, rank);
    for (Int d = 0; d + 1 < want; ++d) {
        Int divisors[64];
        int count = 0;
        for (Int f = 1; f <= size && count < 64; ++f)
            if (size % f == 0) divisors[count++] = f;
        const Int f = divisors[r.in(0, count - 1)];
        shape.insert(static_cast<int>(r.in(0, shape.size())), f);
        size /= f;
    }
    shape.insert(static_cast<int>(r.in(0, shape.size())), size);
    return shape;
}

inline axe::Region random_region(Random& r, const axe::Shape& shape)
{
    axe::Region region;
    for (Int n : shape) {
        const Int lo = r.in(0, n - 1);
        region.push_back(r.one_in(4) ? axe::Range{0, n} : axe::Range{lo, r.in(lo + 1, n)});
    }
    return region;
}

/// Calls `f` with every shard of up to `iters` iters, extents 1 or 2 … `extent`, |strides| ≤ `stride`, over `axes` axes. Strides on
/// another axis than the first are tried from 1 up: the sign is symmetric there.
/// @param share  how many of them: where less than the usual number of cases is asked for, others each time
template <class F>
void all_shards(int iters, Int extent, Int stride, int axes, F&& f, double share = scale())
{
    static Random chosen(7);
    const auto go = [&](const auto& self, axe::Layout& l) -> void {
        if (share >= 1 || l.shard.empty() || static_cast<double>(chosen.in(1, 1 << 20)) <= share * (1 << 20))
            f(static_cast<const axe::Layout&>(l));
        if (l.shard.size() == iters) return;
        for (Int n = 2; n <= extent; ++n)
            for (int a = 0; a < axes; ++a)
                for (Int s = a == 0 ? -stride : 1; s <= stride; ++s) {
                    l.shard.push_back({n, s, oracle::axes[a]});
                    self(self, l);
                    l.shard.pop_back();
                }
    };
    axe::Layout l;
    go(go, l);
}

} // namespace laws

#endif
