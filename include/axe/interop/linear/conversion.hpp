// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_LINEAR_CONVERSION_HPP
#define AXE_INTEROP_LINEAR_CONVERSION_HPP

#include <axe/interop/linear/optimal_swizzle.hpp>
#include <axe/interop/linear/register_permutation.hpp>
#include <axe/interop/linear/shuffles.hpp>

namespace axe {
inline namespace v0 {
namespace linear {

/// How far elements go from one register layout to another.
enum class Reach : std::uint8_t {
    nowhere,   ///< every register keeps what it has
    registers, ///< to other registers of the thread
    lanes,     ///< to other lanes of the warp
    warps,     ///< to other warps: through shared memory
};

/// The nearest of the ways that there is: `nowhere` and `registers` iff `register_permutation` has a result (for each register itself,
/// and any other), `lanes` iff `shuffles` has one and that has none, else `warps`.
///
/// Errors: those of the arguments of both; registers of `to` that repeat others are not an error, one of each decides.
constexpr Result<Reach> reach_of(const LinearLayout& from, const LinearLayout& to) noexcept
{
    const auto permutation = register_permutation(from, to);
    if (permutation) {
        detail::ThreadBases a, b; // of sources there may be several: what registers have decides
        if (const Status e = detail::read_pair(from, to, a, b); !e.ok()) return e;
        const bool same = a.registers == b.registers && a.lanes == b.lanes && a.warps == b.warps;
        return same ? Reach::nowhere : Reach::registers;
    }
    if (permutation.code() != errc::no_layout) return permutation.error();
    const auto distinct = distinct_registers(to);
    if (!distinct) return distinct.error();
    const auto exchange = shuffles(from, *distinct, 4);
    if (exchange) return Reach::lanes;
    if (exchange.code() != errc::no_layout) return exchange.error();
    return Reach::warps;
}

} // namespace linear
} // namespace v0
} // namespace axe

#endif
