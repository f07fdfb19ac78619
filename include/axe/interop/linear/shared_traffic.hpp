// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_LINEAR_SHARED_TRAFFIC_HPP
#define AXE_INTEROP_LINEAR_SHARED_TRAFFIC_HPP

#include <axe/interop/linear/errors.hpp>
#include <axe/interop/linear/thread_bases.hpp>

namespace axe {
inline namespace v0 {
namespace linear {

/// What a store or load of a whole tensor between registers and shared memory comes to, all warps together.
struct SharedTraffic {
    std::int64_t requests = 0;   ///< instructions
    std::int64_t phases = 0;     ///< and the parts they are served in, of at most 128 bytes each
    std::int64_t wavefronts = 0; ///< how often memory is gone to; at least `phases`
    friend constexpr bool operator==(const SharedTraffic&, const SharedTraffic&) = default;
};

namespace detail {

/// Bits of lanes that are served together when each moves 2^bytes_bits bytes: 32, 16 or 8 lanes.
constexpr int lanes_together(int lane_bits, int bytes_bits) noexcept
{
    const int most = bytes_bits <= 2 ? 5 : 7 - bytes_bits;
    return lane_bits < most ? lane_bits : most;
}

constexpr Status check_element(int bytes) noexcept
{
    if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8 && bytes != 16) return element_bytes_problem(bytes);
    return {};
}

/// Lanes beyond a warp of 32 have other rules.
constexpr Status check_lanes(const ThreadBases& t) noexcept
{
    if (t.lanes.size() > 5)
        return Error(errc::bad_argument, -1, "the bank rules cover warps of at most 32 lanes, got 2^{0}", t.lanes.size());
    return {};
}

} // namespace detail

/// log2 of the elements that every thread can move in one access: the most v such that the first 2^v offsets are registers of one thread, and
/// have 16 bytes at most. By linearity the same then holds for every 2^v offsets that follow a multiple of it.
constexpr Result<int> vector_bits(const LinearLayout& registers, const LinearLayout& shared, int element_bytes) noexcept
{
    detail::ThreadBases t;
    if (const Status e = detail::read_threads(registers, t); !e.ok()) return e;
    if (const Status e = check(shared); !e.ok()) return e;
    for (int i = 0; i < shared.in.size(); ++i)
        if (shared.in[i].bits > 0 && !(shared.in[i].name == Axis{"offset"}))
            return Error(errc::unknown_axis, i, "dimension {0} of shared memory is not the offset dimension", i);
    if (const Status e = detail::check_element(element_bytes); !e.ok()) return e;
    detail::Echelon mine;
    detail::insert_all(mine, t.registers);
    int v = 0;
    while (v < shared.bases.size() && (element_bytes << v) < 16 && detail::contains(mine, shared.bases[v])) ++v;
    return v;
}

/// The traffic of all threads moving their registers, 2^vector_bits elements per access, to or from shared memory (offset → tensor, in
/// elements). Bits of byte addresses 2 … 6 are the bank, those above the segment; with M = shared⁻¹, for the lanes of a phase
///
///   words = span { M(lane bases of the phase), offsets of the vector } without the bits within a word
///   wavefronts = phases · 2^(dim words − dim words|bank)
///
/// because lanes that want one word share it, and each bank that is asked at all is asked for equally many.
/// Registers that repeat others are moved once; lanes and warps that do, move again. Errors: `errc::size_mismatch` unless `shared` is a
/// bijection onto the same tensor, `errc::bad_argument` for vectors a thread does not have, elements that are not of 1, 2, 4, 8 or 16
/// bytes, more than 32 lanes, or an input that is not of one block. Cost: quadratic in the bits.
/// [CUDA C++ Programming Guide, shared memory; machine/banks.hpp]
constexpr Result<SharedTraffic> shared_traffic(const LinearLayout& registers, const LinearLayout& shared, int element_bytes,
                                               int vector_bits) noexcept
{
    detail::ThreadBases t;
    if (const Status e = detail::read_threads(registers, t); !e.ok()) return e;
    if (const Status e = detail::check_lanes(t); !e.ok()) return e;
    const auto most = linear::vector_bits(registers, shared, element_bytes);
    if (!most) return most.error();
    detail::Echelon inverse;
    for (int i = 0; i < shared.bases.size(); ++i)
        if (!inverse.add(shared.bases[i], i))
            return Error(errc::size_mismatch, i,
                         "the basis of offset bit {0} depends on those before it: the layout is not a bijection", i);
    if (!(registers.out == shared.out) || shared.bases.size() != bits_of(shared.out))
        return Error(errc::size_mismatch, -1, "shared memory has 2^{0} elements, but the tensor in registers has 2^{1}",
                     shared.bases.size(), bits_of(registers.out));
    if (vector_bits < 0 || vector_bits > *most)
        return Error(errc::bad_argument, -1, "threads have vectors of at most 2^{0} elements, not 2^{1}", *most, vector_bits);

    const int e = __builtin_ctz(static_cast<unsigned>(element_bytes));
    const int together = detail::lanes_together(t.lanes.size(), e + vector_bits);
    detail::Echelon words, banks, mine;
    // By word addresses; the further words of a large element are in separate banks.
    const auto ask = [&](std::uint64_t offset) {
        const std::uint64_t word = e <= 2 ? offset >> (2 - e) : offset << (e - 2);
        words.add(word, 0);
        banks.add(word & 31, 0);
    };
    for (int i = 0; i < together; ++i) {
        std::uint64_t offset = 0;
        inverse.reduce(t.lanes[i], offset);
        ask(offset);
    }
    for (int i = 0; i < vector_bits; ++i) ask(std::uint64_t{1} << i);
    detail::insert_all(mine, t.registers);
    const int requests = t.warps.size() + detail::size_of(mine) - vector_bits;
    const int phases = requests + t.lanes.size() - together, wavefronts = phases + detail::size_of(words) - detail::size_of(banks);
    // A wavefront takes a register of a thread at least, so that no count has more bits than the input.
    return SharedTraffic{std::int64_t{1} << requests, std::int64_t{1} << phases, std::int64_t{1} << wavefronts};
}

} // namespace linear
} // namespace v0
} // namespace axe

#endif
