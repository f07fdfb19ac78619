// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_LINEAR_THREAD_BASES_HPP
#define AXE_INTEROP_LINEAR_THREAD_BASES_HPP

#include <axe/interop/linear/echelon.hpp>

/// What the conversions between register layouts share.
namespace axe {
inline namespace v0 {
namespace linear {
namespace detail {

using Words = InlineVector<std::uint64_t, LinearLayout::max_bits>;

/// The bases of a register layout, by who has them.
struct ThreadBases {
    Words registers{}, lanes{}, warps{};
};

/// A layout of one block in registers: inputs `register`, `lane`, `warp`, and a `block` of one.
constexpr Status read_threads(const LinearLayout& layout, ThreadBases& bases) noexcept
{
    if (const Status e = check(layout); !e.ok()) return e;
    for (int i = 0, j = 0; i < layout.in.size(); ++i) {
        const Dim& in = layout.in[i];
        Words* to = in.name == Axis{"register"} ? &bases.registers
                    : in.name == Axis{"lane"}   ? &bases.lanes
                    : in.name == Axis{"warp"}   ? &bases.warps
                                                : nullptr;
        if (to == nullptr && !(in.name == Axis{"block"}))
            return Error(errc::unknown_axis, i, "input dimension {0} is not register, lane, warp or block", i);
        if (to == nullptr && in.bits > 0)
            return Error(errc::bad_argument, i, "elements move within a block; the layout has {0} block bits", in.bits);
        for (int bit = 0; bit < in.bits; ++bit, ++j) to->push_back(layout.bases[j]);
    }
    return {};
}

/// Two of them over one tensor and the same threads.
constexpr Status read_pair(const LinearLayout& from, const LinearLayout& to, ThreadBases& a, ThreadBases& b) noexcept
{
    if (const Status e = read_threads(from, a); !e.ok()) return e;
    if (const Status e = read_threads(to, b); !e.ok()) return e;
    if (!(from.out == to.out)) return Error(errc::size_mismatch, -1, "the layouts are of different tensors");
    if (a.lanes.size() != b.lanes.size() || a.warps.size() != b.warps.size())
        return Error(errc::size_mismatch, -1, "the layouts have 2^{0} and 2^{1} threads, or split them into different warps",
                     a.lanes.size() + a.warps.size(), b.lanes.size() + b.warps.size());
    return {};
}

/// Adds a word that stands for `of`; what is left of it is returned: 0 when it was there, and then `of` is a sum that gives 0.
constexpr std::uint64_t insert(Echelon& e, std::uint64_t word, std::uint64_t& of) noexcept
{
    word = e.reduce(word, of);
    if (word == 0) return 0;
    const int p = highest_bit(word);
    e.row[p] = word;
    e.sum[p] = of;
    e.pivots |= std::uint64_t{1} << p;
    return word;
}
constexpr void insert_all(Echelon& e, const Words& words, int first_tag = 0) noexcept
{
    for (int i = 0; i < words.size(); ++i) {
        std::uint64_t of = first_tag < 0 ? 0 : std::uint64_t{1} << (first_tag + i);
        insert(e, words[i], of);
    }
}
constexpr bool contains(const Echelon& e, std::uint64_t word) noexcept
{
    std::uint64_t of = 0;
    return e.reduce(word, of) == 0;
}
constexpr int size_of(const Echelon& e) noexcept { return __builtin_popcountll(e.pivots); }

/// The sum of those words whose bits are set.
constexpr std::uint64_t sum_of(const Words& words, std::uint64_t which) noexcept
{
    std::uint64_t sum = 0;
    for (; which != 0; which &= which - 1) sum ^= words[__builtin_ctzll(which)];
    return sum;
}

} // namespace detail
} // namespace linear
} // namespace v0
} // namespace axe

#endif
