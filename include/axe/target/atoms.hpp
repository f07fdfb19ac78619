// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_ATOMS_HPP
#define AXE_TARGET_ATOMS_HPP

#include <axe/target/amd/atoms/mfma.hpp>
#include <axe/target/amd/atoms/wmma.hpp>
#include <axe/target/apple/atoms.hpp>
#include <axe/target/ascend/atoms.hpp>
#include <axe/target/intel/atoms.hpp>
#include <axe/target/nvidia/atoms/ldmatrix.hpp>
#include <axe/target/nvidia/atoms/mma.hpp>
#include <axe/target/nvidia/atoms/tcgen05.hpp>
#include <axe/target/nvidia/atoms/wgmma.hpp>
#include <axe/target/spyre/atoms.hpp>
#include <axe/target/tpu/atoms.hpp>
#include <axe/target/trainium/atoms.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

template <int... N>
constexpr auto joined(const Atom (&... lists)[N]) noexcept
{
    InlineVector<Atom, (N + ...)> all;
    const auto append = [&all](const auto& list) {
        for (const Atom& atom : list) all.push_back(atom);
    };
    (append(lists), ...);
    return all;
}

constexpr bool same_word(const char* a, const char* b) noexcept
{
    while (*a != '\0' && *a == *b) ++a, ++b;
    return *a == *b;
}

} // namespace detail

namespace atoms {

/// Every atom of the library, family by family. A header of rows joins with a line here.
inline constexpr auto all =
    detail::joined(nvidia_mma::rows, nvidia_ldmatrix::rows, nvidia_wgmma::rows, nvidia_tcgen05::rows, amd_mfma::rows,
                   amd_wmma::rows, intel::rows, apple::rows, trainium::rows, ascend::rows, spyre::rows, tpu::rows);

/// The row of an operand, by its exact words: no two rows have all three alike.
///
/// `errc::bad_argument` if none exists. Cost: linear in the number of rows.
constexpr Result<Atom> find(const char* name, const char* arch, const char* operand) noexcept
{
    using detail::same_word;
    for (const Atom& atom : all)
        if (same_word(atom.name, name) && same_word(atom.arch, arch) && same_word(atom.operand, operand)) return atom;
    return Error(errc::bad_argument, -1, "no atom has this name, architecture and operand");
}

} // namespace atoms
} // namespace v0
} // namespace axe

#endif
