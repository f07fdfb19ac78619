// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_LINEAR_OPTIMAL_SWIZZLE_HPP
#define AXE_INTEROP_LINEAR_OPTIMAL_SWIZZLE_HPP

#include <axe/interop/linear/shared_traffic.hpp>

namespace axe {
inline namespace v0 {
namespace linear {

/// A way through shared memory from one register layout to another.
struct OptimalSwizzle {
    LinearLayout shared{}; ///< offset (in elements) → tensor, a bijection
    int vector = 1;        ///< elements that each lane stores, and loads, in one access
    SharedTraffic store{}, load{};
};

namespace detail {

/// The subspace that two lists span in common: first those of `a` that are in it, as they are.
constexpr Words common(const Words& a, const Words& b) noexcept
{
    Echelon of_a, of_b, taken;
    insert_all(of_a, a, -1);
    insert_all(of_b, b, -1);
    Words out;
    for (const std::uint64_t word : a)
        if (contains(of_b, word) && taken.add(word, 0)) out.push_back(word);
    for (int i = 0; i < b.size(); ++i) { // sums of `b` that sums of `a` and of those before are
        std::uint64_t of = std::uint64_t{1} << i;
        if (insert(of_a, b[i], of) != 0) continue;
        const std::uint64_t word = sum_of(b, of);
        if (word != 0 && taken.add(word, 0)) out.push_back(word);
    }
    return out;
}

/// A word outside of two proper subspaces: there is one, for no space over any field is the union of two.
constexpr std::uint64_t outside_both(const Echelon& a, const Echelon& b, int bits) noexcept
{
    std::uint64_t beside_a = 0, beside_b = 0;
    for (int i = 0; i < bits; ++i) {
        const std::uint64_t unit = std::uint64_t{1} << i;
        const bool in_a = contains(a, unit), in_b = contains(b, unit);
        if (!in_a && !in_b) return unit;
        if (!in_a && beside_a == 0) beside_a = unit;
        if (!in_b && beside_b == 0) beside_b = unit;
    }
    return beside_a ^ beside_b; // one is in b, the other in a
}

} // namespace detail

/// A shared layout that stores and loads with the widest vectors both sides have, and without bank conflicts:
///
///   V ⊂ span(from_r) ∩ span(to_r),  dim V = v greatest with 2^v elements in 16 bytes
///   W = V, filled up to a word of 4 bytes;   segment = what is beyond 128 bytes, with
///   segment ∩ (W + lanes of a phase of from) = 0 = segment ∩ (W + lanes of a phase of to)
///   wavefronts = phases, of the store and of the load
///
/// No bijection has fewer: a phase takes one wavefront. Such a segment exists always, because W and the lanes of a phase span at most 128
/// bytes, and while there is room for another segment bit neither W + lanes + segment is the whole space: their union is not, either.
/// The vectors are of the same elements on both sides; a side that alone has wider ones is not given them.
/// Errors: those of `register_permutation`'s arguments and of `shared_traffic`; `errc::no_layout` with the side (0: from, 1: to) that does
/// not have the whole tensor. Cost: cubic in the bits.      [Zhou et al., Linear Layouts, 2025, section 5; the proof is ours]
constexpr Result<OptimalSwizzle> optimal_swizzle(const LinearLayout& from, const LinearLayout& to, int element_bytes) noexcept
{
    detail::ThreadBases side[2];
    if (const Status e = detail::read_pair(from, to, side[0], side[1]); !e.ok()) return e;
    if (const Status e = detail::check_element(element_bytes); !e.ok()) return e;
    if (const Status e = detail::check_lanes(side[0]); !e.ok()) return e;
    const int d = bits_of(from.out), e = __builtin_ctz(static_cast<unsigned>(element_bytes));
    for (int s = 0; s < 2; ++s) {
        detail::Echelon all;
        for (const detail::Words* words : {&side[s].registers, &side[s].lanes, &side[s].warps}) detail::insert_all(all, *words, -1);
        if (detail::size_of(all) != d)
            return Error(errc::no_layout, s, "the threads have 2^{0} of the tensor's 2^{1} elements", detail::size_of(all), d);
    }

    const detail::Words both = detail::common(side[0].registers, side[1].registers);
    const int v = both.size() < 4 - e ? both.size() : 4 - e;
    detail::Words low; // the vector, then what fills a word
    detail::Echelon taken, footprint[2];
    const auto take = [&](std::uint64_t word) {
        low.push_back(word);
        for (detail::Echelon* echelon : {&taken, &footprint[0], &footprint[1]}) echelon->add(word, 0);
    };
    for (int i = 0; i < v; ++i) take(both[i]);
    for (int i = 0; i < d && low.size() < 2 - e; ++i)
        if (const std::uint64_t unit = std::uint64_t{1} << i; !detail::contains(taken, unit)) take(unit);
    for (int s = 0; s < 2; ++s)
        for (int i = 0; i < detail::lanes_together(side[s].lanes.size(), e + v); ++i) footprint[s].add(side[s].lanes[i], 0);

    detail::Words segment;
    for (int i = 7 - e; i < d; ++i) {
        const std::uint64_t word = detail::outside_both(footprint[0], footprint[1], d);
        segment.push_back(word);
        for (detail::Echelon* echelon : {&taken, &footprint[0], &footprint[1]}) echelon->add(word, 0);
    }

    Result<OptimalSwizzle> result;
    LinearLayout& shared = result->shared;
    shared.in = {{"offset", d}};
    shared.out = from.out;
    for (const std::uint64_t word : low) shared.bases.push_back(word);
    for (int i = 0; i < d; ++i) // the banks: what is left, in order
        if (const std::uint64_t unit = std::uint64_t{1} << i; taken.add(unit, 0)) shared.bases.push_back(unit);
    for (const std::uint64_t word : segment) shared.bases.push_back(word);

    const auto store = shared_traffic(from, shared, element_bytes, v), load = shared_traffic(to, shared, element_bytes, v);
    if (!store) return store.error();
    if (!load) return load.error();
    result->vector = 1 << v;
    result->store = *store;
    result->load = *load;
    return result;
}

} // namespace linear
} // namespace v0
} // namespace axe

#endif
