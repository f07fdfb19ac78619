// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_LINEAR_REGISTER_PERMUTATION_HPP
#define AXE_INTEROP_LINEAR_REGISTER_PERMUTATION_HPP

#include <axe/interop/linear/thread_bases.hpp>

namespace axe {
inline namespace v0 {
namespace linear {

/// A conversion in which every thread keeps what it has.
struct RegisterPermutation {
    LinearLayout source{}; ///< (register of `to`, lane, warp) → register of `from`
    bool uniform = true;   ///< the same in all threads: nothing but a renaming; else a thread chooses by its number
};

/// Where each register of `to` comes from when no thread needs what another has:
///
///   to(r, l, w) = from(source(r, l, w), l, w)
///
/// It exists iff every thread has under `from` what it is to have under `to`, which needs the bases only:  to_r ∈ span(from_r),
/// to_l − from_l ∈ span(from_r),  to_w − from_w ∈ span(from_r). Of registers that repeat others, those of the lowest bits are taken.
/// @returns else `errc::no_layout` with the bit; `errc::size_mismatch` when tensors or threads are not the same, `errc::unknown_axis`
/// and `errc::bad_argument` for other inputs than register, lane and warp. Cost: quadratic in the bits.
/// [Zhou et al., Linear Layouts, 2025]
constexpr Result<RegisterPermutation> register_permutation(const LinearLayout& from, const LinearLayout& to) noexcept
{
    detail::ThreadBases a, b;
    if (const Status e = detail::read_pair(from, to, a, b); !e.ok()) return e;
    detail::Echelon mine;
    detail::insert_all(mine, a.registers);
    Result<RegisterPermutation> result;
    LinearLayout& source = result->source;
    source.in = {{"register", b.registers.size()}, {"lane", b.lanes.size()}, {"warp", b.warps.size()}};
    source.out = {{"register", a.registers.size()}};
    for (int i = 0; i < b.registers.size(); ++i) {
        std::uint64_t of = 0;
        if (mine.reduce(b.registers[i], of) != 0)
            return Error(errc::no_layout, i, "the element that register bit {0} selects is held by another thread", i);
        source.bases.push_back(of);
    }
    for (const bool warps : {false, true}) {
        const detail::Words &had = warps ? a.warps : a.lanes, &wanted = warps ? b.warps : b.lanes;
        for (int i = 0; i < had.size(); ++i) {
            std::uint64_t of = 0;
            if (mine.reduce(had[i] ^ wanted[i], of) != 0)
                return warps ? Error(errc::no_layout, i, "the element that warp bit {0} selects is held by another thread", i)
                             : Error(errc::no_layout, i, "the element that lane bit {0} selects is held by another thread", i);
            source.bases.push_back(of);
            result->uniform = result->uniform && of == 0;
        }
    }
    return result;
}

/// The layout without the bits of `register` whose bases depend on those of lower bits: each thread keeps one copy of each element.
///
/// Errors: those of `check`. Cost: quadratic in the bits.      [Triton, actionRemoveBroadcastedRegs]
constexpr Result<LinearLayout> distinct_registers(const LinearLayout& layout) noexcept
{
    if (const Status e = check(layout); !e.ok()) return e;
    LinearLayout out;
    out.out = layout.out;
    detail::Echelon seen;
    for (int i = 0, j = 0; i < layout.in.size(); ++i) {
        Dim in = layout.in[i];
        for (int bit = 0; bit < layout.in[i].bits; ++bit, ++j) {
            if (in.name == Axis{"register"} && !seen.add(layout.bases[j], bit))
                --in.bits;
            else
                out.bases.push_back(layout.bases[j]);
        }
        out.in.push_back(in);
    }
    return out;
}

} // namespace linear
} // namespace v0
} // namespace axe

#endif
