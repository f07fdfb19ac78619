// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/fuzz/sampled.hpp>

#include <algorithm>
#include <tests/random.hpp>

namespace fuzz {

Map::Map(const axe::Layout& l)
{
    for (const auto& it : l.shard)
        if (it.extent > 1 && it.stride != 0) // others move nothing, but count in the index
            shard.push_back({it.extent, it.stride, it.axis});
        else
            shard.push_back({it.extent, 0, axe::Axis{}});
    for (const auto& e : l.offset) origin.add(e.axis, e.value);
    for (const auto& it : l.replica) {
        if (it.extent == 1 || it.stride == 0) continue;
        if (it.stride < 0) origin.add(it.axis, Wide(it.extent - 1) * it.stride);
        replica.push_back({it.extent, magnitude(it.stride), it.axis});
    }
}

Place Map::operator()(Int x) const
{
    Place p = origin;
    for (std::size_t k = shard.size(); k-- > 0;) {
        if (const Int digit = x % shard[k].extent; digit != 0 && shard[k].stride != 0)
            p.add(shard[k].axis, Wide(digit) * shard[k].stride);
        x /= shard[k].extent;
    }
    return p;
}

Wide span(const axe::Layout& l, const axe::Axis& axis)
{
    Wide out = 1;
    const auto grow = [&](const axe::Iter& it) {
        if (it.axis == axis) out += Wide(it.extent - 1) * magnitude(it.stride);
    };
    for (const auto& it : l.shard) grow(it);
    for (const auto& it : l.replica) grow(it);
    return out;
}

std::optional<Sets> sets(const std::vector<Term>& replica)
{
    constexpr std::size_t most = 1 << 12;
    Sets out;
    for (const Term& t : replica) {
        auto at = std::find_if(out.begin(), out.end(), [&](const auto& s) { return s.first == t.axis; });
        if (at == out.end()) at = out.insert(out.end(), {t.axis, {0}});
        auto& sums = at->second;
        if (t.extent > static_cast<Int>(most / sums.size())) return std::nullopt;
        const std::size_t count = sums.size();
        for (Int i = 1; i < t.extent; ++i)
            for (std::size_t k = 0; k < count; ++k) sums.push_back(sums[k] + i * t.stride);
        std::sort(sums.begin(), sums.end());
        sums.erase(std::unique(sums.begin(), sums.end()), sums.end());
    }
    std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    return out;
}

std::vector<Int> samples(Int n, const axe::Layout& l)
{
    std::vector<Int> out;
    constexpr Int all = 512;
    if (n <= all) {
        for (Int x = 0; x < n; ++x) out.push_back(x);
        return out;
    }
    const auto take = [&](Wide x) {
        if (x >= 0 && x < n) out.push_back(static_cast<Int>(x));
    };
    Int inside = 1;
    for (int k = l.shard.size() - 1; k >= 0 && inside < n; --k) {
        const Int extent = l.shard[k].extent;
        for (Int digits : {Int{1}, extent / 2, extent - 1, extent})
            for (int x : {-1, 0, 1}) take(Wide(digits) * inside + x);
        if (extent > n / inside) break;
        inside *= extent;
    }
    laws::Random r(7);
    for (int i = 0; i < 32; ++i) take(static_cast<Int>(r.next() % static_cast<std::uint64_t>(n)));
    for (Int x : {Int{0}, Int{1}, n / 2, n - 2, n - 1}) take(x);
    return out;
}

} // namespace fuzz
