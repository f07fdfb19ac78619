// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_RELAYOUT_SIDES_HPP
#define AXE_TESTS_RELAYOUT_SIDES_HPP

#include <axe/relayout/relayout.hpp>
#include <tests/random.hpp>

#include <sys/mman.h>

#include <numeric>
#include <vector>

/// Random sides of copies, the addresses that they mean by definition, and buffers that end where memory ends.
namespace relayouts {

using laws::Int;
using laws::Random;

/// Bytes whose last is the last of a page, after which nothing may be touched; the page before the first one, neither.
class GuardedBytes {
  public:
    explicit GuardedBytes(std::size_t bytes) : bytes_(bytes), pages_((bytes + page - 1) / page + 2)
    {
        base_ = static_cast<std::byte*>(mmap(nullptr, pages_ * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        mprotect(base_, page, PROT_NONE);
        mprotect(base_ + (pages_ - 1) * page, page, PROT_NONE);
    }
    GuardedBytes(const GuardedBytes&) = delete;
    GuardedBytes& operator=(const GuardedBytes&) = delete;
    ~GuardedBytes() { munmap(base_, pages_ * page); }

    [[nodiscard]] std::byte* data() const { return base_ + (pages_ - 1) * page - bytes_; }
    [[nodiscard]] std::size_t size() const { return bytes_; }

  private:
    static constexpr std::size_t page = 4096;
    std::size_t bytes_, pages_;
    std::byte* base_;
};

/// The element addresses of a coordinate by definition: of every copy, the source's first.
inline std::vector<Int> addresses(const axe::RelayoutSide& side, const axe::Shape& shape, const axe::Coord& coord, Int width)
{
    const axe::Shape& outer = side.shape.empty() ? shape : side.shape;
    Int x = 0;
    for (int d = 0; d < shape.size(); ++d) x = x * outer[d] + coord[d];
    const axe::Layout& layout = side.layout.layout;
    const auto pitch = [&](const axe::Axis& axis) {
        for (const axe::AxisPitch& p : side.pitches)
            if (p.axis == axis) return p.pitch;
        return Int{1};
    };
    Int at = 0;
    for (int k = layout.shard.size() - 1; k >= 0; --k) {
        const axe::Iter& it = layout.shard[k];
        at += x % it.extent * it.stride * pitch(it.axis);
        x /= it.extent;
    }
    for (const auto& e : layout.offset) at += e.value * pitch(e.axis);
    std::vector<Int> all{at};
    for (const axe::Iter& it : layout.replica) {
        const std::size_t so_far = all.size();
        for (Int r = 1; r < it.extent; ++r)
            for (std::size_t i = 0; i < so_far; ++i) all.push_back(all[i] + r * it.stride * pitch(it.axis));
    }
    for (Int& a : all) a = side.layout.swizzle(a * width) / width;
    return all;
}

/// Calls f with every coordinate of the shape, the last dimension running fastest.
template <class F>
void for_each_coord(const axe::Shape& shape, F f)
{
    axe::Coord c = shape;
    for (Int& i : c) i = 0;
    while (true) {
        f(c);
        int d = shape.size() - 1;
        for (; d >= 0; --d) {
            if (++c[d] < shape[d]) break;
            c[d] = 0;
        }
        if (d < 0) return;
    }
}

/// A shape of at most `most` elements: small and odd numbers, primes, ones.
inline axe::Shape random_shape(Random& r, Int most)
{
    axe::Shape shape;
    Int left = most;
    const int rank = static_cast<int>(r.in(0, 8));
    for (int d = 0; d < rank; ++d) {
        static constexpr Int liked[] = {1, 2, 2, 3, 4, 5, 7, 8, 13, 16, 17, 31, 32, 37, 64, 97};
        const Int n = liked[r.in(0, 15)];
        if (n > left) continue;
        shape.push_back(n);
        left /= n;
    }
    return shape;
}

/// Cuts an extent into iters, sometimes.
inline void random_cut(Random& r, Int n, std::vector<Int>& extents)
{
    for (Int f = 2; f < n && f < 40; ++f)
        if (n % f == 0 && r.one_in(3)) {
            extents.push_back(f);
            return random_cut(r, n / f, extents);
        }
    extents.push_back(n);
}

struct SideKind {
    bool is_destination = true;
    Int width = 4;
    bool may_pad = true;
    bool may_swizzle = true;
};

/// A side for the shape: iters in any order, gaps, negative strides, offsets; padded, swizzled, replicated, of two axes, or broadcast.
inline axe::RelayoutSide random_side(Random& r, const axe::Shape& shape, const SideKind& kind)
{
    axe::RelayoutSide side;
    axe::Shape outer = shape;
    if (kind.may_pad && shape.size() > 0 && r.one_in(4)) {
        for (Int& n : outer)
            if (r.one_in(2)) n = (n + 15) / 16 * 16 == n || r.one_in(2) ? n + r.in(0, 3) : (n + 3) / 4 * 4;
        side.shape = outer;
    }
    std::vector<Int> extents;
    if (side.shape.empty() && r.one_in(4)) { // of the whole index, across dimensions
        Int n = 1;
        for (const Int e : outer) n *= e;
        random_cut(r, n, extents);
    } else {
        for (const Int n : outer) random_cut(r, n, extents);
    }
    if (extents.size() > 14)
        extents = {std::accumulate(extents.begin(), extents.end(), Int{1}, [](Int a, Int b) { return a * b; })};
    const auto count = static_cast<Int>(extents.size());
    std::vector<Int> order(extents.size()), stride(extents.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Int>(i);
    const Int shuffles = r.one_in(3) ? 0 : r.in(0, 2 * count);
    for (Int s = 0; s < shuffles && count > 1; ++s)
        std::swap(order[static_cast<std::size_t>(r.in(0, count - 1))], order[static_cast<std::size_t>(r.in(0, count - 1))]);
    Int next = kind.is_destination || r.one_in(3) ? 1 : r.in(1, 2), least = 0;
    const bool is_gappy = r.one_in(4);
    for (std::size_t k = order.size(); k-- > 0;) {
        const auto i = static_cast<std::size_t>(order[k]);
        stride[i] = next;
        next *= extents[i];
        if (is_gappy && r.one_in(2)) next += r.in(0, 5);
        if (r.one_in(8)) stride[i] = -stride[i];
        if (!kind.is_destination && r.one_in(8)) stride[i] = 0;
        if (stride[i] < 0) least += (extents[i] - 1) * stride[i];
    }
    axe::Layout layout;
    for (std::size_t i = 0; i < extents.size(); ++i) layout.shard.push_back({extents[i], stride[i]});
    if (r.one_in(6)) {
        const Int copies = r.in(2, 3);
        layout.replica.push_back({copies, next + r.in(0, 3)});
    }
    const Int offset = -least + (r.one_in(3) ? r.in(0, 20) : 0);
    if (offset != 0) *layout.offset.entry({}) = offset;
    side.layout.layout = layout;
    if (kind.may_swizzle && r.one_in(6)) {
        const int base = static_cast<int>(r.in(0, 2));
        axe::Swizzle s{static_cast<int>(r.in(1, 2)), base, static_cast<int>(r.in(2, 3))};
        if (r.one_in(4)) s.shift = -s.shift;
        for (Int w = kind.width; w > 1; w /= 2) ++s.base;
        side.layout.swizzle = s;
        side.layout.width = kind.width;
    } else if (r.one_in(6)) { // two axes: the offset and some iters on F, others on P, which may have any pitch
        for (axe::Iter& it : side.layout.layout.shard)
            if (r.one_in(2) && it.stride % 3 == 0) {
                it.axis = "P";
                it.stride /= 3;
            }
        side.pitches = {{"P", 3}, {{}, 1}};
    }
    return side;
}

} // namespace relayouts

#endif
