// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_CUTE_ORACLE_HPP
#define AXE_TESTS_CUTE_ORACLE_HPP

#include <axe/interop/cute/text.hpp>
#include <tests/oracle.hpp>
#include <tests/random.hpp>

#include <set>
#include <string>

/// The truth about small CuTe layouts, by enumeration: nothing here calls an operation of the library.
namespace cute_oracle {

using oracle::Int;
using Values = std::vector<oracle::Value>;
using axe::cute::Layout;
using axe::cute::Node;

/// (extent, stride), fastest first.
inline std::vector<std::pair<Int, Int>> digits(const Layout& l)
{
    std::vector<std::pair<Int, Int>> out;
    for (const Node& node : l.nodes)
        if (node.children < 0) out.emplace_back(node.leaf.extent, node.leaf.stride);
    return out;
}
inline Int elements(const Layout& l)
{
    Int n = 1;
    for (const auto& [extent, stride] : digits(l)) n *= extent;
    return n;
}
inline Int floored(Int a, Int b) { return a / b - (a % b != 0 && a < 0 ? 1 : 0); }

/// L(x); the last leaf runs on in both directions.
inline Int at(const Layout& l, Int x)
{
    const auto list = digits(l);
    Int sum = 0;
    for (std::size_t k = 0; k < list.size(); ++k) {
        const Int q = k + 1 == list.size() ? 0 : floored(x, list[k].first);
        sum += (x - q * list[k].first) * list[k].second;
        x = q;
    }
    return sum;
}
inline Values values(const Layout& l)
{
    Values out;
    for (Int x = 0, n = elements(l); x < n; ++x) out.push_back(at(l, x));
    return out;
}
inline Values composed(const Layout& a, const Layout& b)
{
    Values out;
    for (const Int x : values(b)) out.push_back(at(a, x));
    return out;
}

/// The flat layout of a table, or nothing: what coalescing any layout of it must give.
inline bool is_layout(const Values& table) { return oracle::recover_d(table).has_value(); }
inline std::string coalesced(const Values& table)
{
    const auto d = oracle::recover_d(table);
    if (!d) return "none";
    if (d->empty()) return "1:0";
    std::string shape, stride;
    for (std::size_t i = d->size(); i-- > 0;) {
        shape += (shape.empty() ? "" : ",") + std::to_string((*d)[i].extent);
        stride += (stride.empty() ? "" : ",") + std::to_string((*d)[i].stride);
    }
    return d->size() == 1 ? shape + ":" + stride : "(" + shape + "):(" + stride + ")";
}

/// Does the tree of `fine` refine that of `coarse`: a tuple where it has one, and as many elements where it has a leaf?
inline bool compatible(const Layout& coarse, int& c, const Layout& fine, int& f)
{
    const Node& node = coarse.nodes[c];
    if (node.children < 0) {
        Int n = 1;
        const int end = axe::cute::end_of(fine, f);
        for (; f < end; ++f)
            if (fine.nodes[f].children < 0) n *= fine.nodes[f].leaf.extent;
        ++c;
        return n == node.leaf.extent;
    }
    if (fine.nodes[f].children != node.children) return false;
    ++c;
    ++f;
    for (int i = 0; i < node.children; ++i)
        if (!compatible(coarse, c, fine, f)) return false;
    return true;
}
inline bool compatible(const Layout& coarse, const Layout& fine)
{
    int c = 0, f = 0;
    return compatible(coarse, c, fine, f);
}

inline std::string text(const Layout& l) { return axe::cute::print(l).c_str(); }

/// What copies of T begin at so that each value of [0, N) is in one copy, N ≥ n the least; nothing when there is no such list.
/// The least value that is not covered begins a copy.
inline std::optional<Values> copies(const Layout& t, Int n)
{
    std::vector<Int> moving{0};
    for (const auto& [extent, stride] : digits(t)) {
        if (stride == 0) continue;
        std::vector<Int> next;
        for (const Int v : moving)
            for (Int i = 0; i < extent; ++i) next.push_back(v + i * stride);
        moving.swap(next);
    }
    std::set<Int> covered;
    Int end = 0;
    Values out;
    while (end < n || static_cast<Int>(covered.size()) > end) {
        if (out.size() > 4096) return std::nullopt;
        out.push_back(end);
        for (const Int v : moving)
            if (end + v < 0 || !covered.insert(end + v).second) return std::nullopt;
        while (covered.count(end) != 0) ++end;
    }
    return out;
}

/// A random layout: nested, of compact, gapped, permuted or arbitrary strides.
inline Layout random_layout(laws::Random& r, int most, Int extent, Int largest_size, bool zeros = true, bool negative = false)
{
    while (true) {
        Layout l;
        const int count = static_cast<int>(r.in(1, most));
        std::vector<Int> extents, strides(static_cast<std::size_t>(count));
        Int size = 1;
        for (int i = 0; i < count; ++i) {
            extents.push_back(r.in(1, extent));
            size *= extents.back();
        }
        if (size > largest_size) continue;
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < extents.size(); ++i)
            order.insert(order.begin() + static_cast<std::ptrdiff_t>(r.in(0, static_cast<Int>(i))), i);
        Int next = 1;
        const Int mode = r.in(0, 3);
        for (const std::size_t i : order) {
            if (mode != 0 && r.one_in(3)) next *= r.in(1, 3);
            if (mode == 2 && r.one_in(3)) next += r.in(0, 3);
            strides[i] = mode == 3 ? r.in(0, 12) : next;
            next = extents[i] * strides[i];
            if (next < 1) next = 1;
            if (zeros && r.one_in(8)) strides[i] = 0;
            if (negative && r.one_in(4)) strides[i] = -strides[i];
        }
        // Some brackets: (a,(b,c),d).
        const int open = count > 2 && r.one_in(2) ? static_cast<int>(r.in(0, count - 2)) : -1;
        if (count > 1 || r.one_in(2)) l.nodes.push_back(Node{open < 0 ? count : count - 1, {}, false, false});
        for (int i = 0; i < count; ++i) {
            if (i == open) l.nodes.push_back(Node{2, {}, false, false});
            const auto k = static_cast<std::size_t>(i);
            l.nodes.push_back(Node{-1, {extents[k], strides[k], {}}, false, false});
        }
        return l;
    }
}

} // namespace cute_oracle

#endif
