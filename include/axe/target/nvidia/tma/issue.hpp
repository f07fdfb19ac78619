// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_TMA_ISSUE_HPP
#define AXE_TARGET_NVIDIA_TMA_ISSUE_HPP

#include <axe/target/nvidia/tma/tensor_map.hpp>

namespace axe {
inline namespace v0 {

/// How the coordinates of a copy are read: as the corner of a box, or as a column and four rows (gather4 of a load, scatter4 of a store).
enum class TmaMode : std::uint8_t { tile, rows4 };

/// One copy by a tensor map: one `cp.async.bulk.tensor`.
struct TmaIssue {
    TmaNumbers coords{};     ///< innermost first; of four rows: column, row 0, …, row 3
    std::int64_t shared = 0; ///< byte of shared memory at which it begins, from an address that is aligned
    TmaMode mode = TmaMode::tile;
    std::uint16_t multicast = 0; ///< bit r: also to the CTA of rank r of the cluster, at the same place; 0: to the issuer alone
    int cta_group = 1;           ///< 2: the mbarrier may be the peer's of a pair of CTAs

    friend constexpr bool operator==(const TmaIssue&, const TmaIssue&) = default;
};

/// The least alignment of a box in shared memory, bytes.
inline constexpr std::int64_t tma_shared_alignment = 128;

/// The elements that a copy moves: those of the box, or four rows of it.
constexpr std::int64_t issue_elements(const TensorMap& map, const TmaIssue& issue) noexcept
{
    return issue.mode == TmaMode::rows4 ? 4 * box_elements(map, 0) : box_elements(map);
}

/// The bytes that a copy brings to each of its destinations, and that the mbarrier there is to expect: those of global memory, what is
/// outside the tensor included, so that the gaps of padded types do not count.
///      [DeepGEMM, sm100_fp8_gemm_1d1d.cuh, num_arrival_bytes; CUTLASS, TmaTransactionBytes of unpacksmem types]
constexpr std::int64_t issue_bytes(const TensorMap& map, const TmaIssue& issue) noexcept
{
    return issue_elements(map, issue) * row(map.type).bits / 8;
}

/// The destinations: the CTAs of the mask, or one.
constexpr int destinations(const TmaIssue& issue) noexcept
{
    return issue.multicast == 0 ? 1 : __builtin_popcount(issue.multicast);
}

/// The rank of the CTA whose mbarrier learns of the bytes that arrive at `destination`:  itself, or for a pair of CTAs the one of the two
/// whose parity is that of the CTA of the mbarrier.      [PTX ISA 9.1, 9.7.9.25.5.2]
constexpr int signaled_rank(const TmaIssue& issue, int destination, int mbarrier_rank) noexcept
{
    return issue.cta_group == 2 ? (destination & ~1) | (mbarrier_rank & 1) : destination;
}

/// Where an element of a copy is. One of less than 8 bits begins at a bit of its byte, and one of 6 may go on in the next.
struct TmaElement {
    std::int64_t shared = 0; ///< byte address in shared memory, after the swizzle
    std::int64_t global = 0; ///< byte from the tensor's address
    bool inside = false;     ///< of the global tensor; outside, loads fill
    bool stored =
        false; ///< by stores and reductions: inside, or outside in the same 16 bytes as the last element of a row that is inside
    int shared_bit = 0, global_bit = 0;
};

/// Element `index` of a copy into shared memory at the absolute byte `address`:
///   shared = swizzle(address + w·i_0 + row_pitch·⌊index/n_0⌋),  index = Σ_d i_d·Π_{e<d} n_e,  n_d = ⌈box_d/es_d⌉,  global element coords + i·es
///
/// Padded types: each 16 elements begin at a multiple of 16 bytes, one after the other there. The global byte is modulo 2^64, as outside the
/// tensor it may be anywhere. For a map and an issue that `check` takes, without interleave, and an index within `issue_elements`.
/// Constant cost.      [PTX ISA 9.1, 5.5.1.1 and 5.5.7; CUDA 13.0, cuda.h, tensorDataType and elementStrides; bytes of an H200: tests/silicon;
/// what stores write at the end of a row: Triton, issue 11583]
constexpr TmaElement issue_element(const TensorMap& map, const TmaIssue& issue, std::int64_t address, std::int64_t index) noexcept
{
    const TmaTypeRow& type = row(map.type);
    const std::int64_t length = box_elements(map, 0), column = index % length;
    const std::int64_t group = type.bits == type.shared_bits ? 0 : column / 16; // of padded elements
    const std::int64_t bit = (column - 16 * group) * type.bits;
    TmaElement e{row(map.swizzle).swizzle(address + index / length * row_pitch(map) + 16 * group + bit / 8),
                 map.offset,
                 true,
                 true,
                 static_cast<int>(bit % 8),
                 0};
    for (int d = 0; d < map.rank(); ++d) {
        const std::int64_t n = d == 1 && issue.mode == TmaMode::rows4 ? 4 : box_elements(map, d);
        const std::int64_t i = index % n;
        index /= n;
        const std::int64_t at = d == 1 && issue.mode == TmaMode::rows4 ? issue.coords[1 + static_cast<int>(i)]
                                                                       : issue.coords[d] + i * map.element_stride(d);
        e.inside = e.inside && at >= 0 && at < map.dims[d];
        // A row ends at whole pieces of 16 bytes.
        e.stored = e.stored && at >= 0 && (d > 0 ? at < map.dims[d] : at * type.bits < (map.dims[0] * type.bits + 127) / 128 * 128);
        const std::int64_t bits = d == 0 ? at * type.bits : 0; // coordinates have 32 bits
        if (d == 0) e.global_bit = static_cast<int>(detail::floor_mod(bits, std::int64_t{8}));
        const std::uint64_t bytes = d == 0 ? static_cast<std::uint64_t>(detail::floor_div(bits, std::int64_t{8}))
                                           : static_cast<std::uint64_t>(at) * static_cast<std::uint64_t>(map.strides[d - 1]);
        e.global = static_cast<std::int64_t>(static_cast<std::uint64_t>(e.global) + bytes);
    }
    return e;
}

namespace detail {

/// The last architecture with pairs of CTAs, and with scatter4.      [ptxas 13.0: not sm120 and sm121]
inline constexpr int last_pair_arch = 110;

constexpr Status check_tma_coords(const TensorMap& map, const TmaIssue& issue, const TmaRules& rules) noexcept
{
    constexpr std::int64_t least = -(std::int64_t{1} << 31), end = std::int64_t{1} << 31;
    for (int i = 0; i < issue.coords.size(); ++i) {
        if (issue.coords[i] < least || issue.coords[i] >= end)
            return Error(errc::out_of_domain, i, "coordinate {0} of a TMA copy is {1}; coordinates have 32 bits", i,
                         issue.coords[i]);
        if (rules.use != TmaUse::load && issue.coords[i] < 0)
            return Error(errc::out_of_domain, i, "coordinate {0} of a TMA store is {1}; those of stores are at least 0", i,
                         issue.coords[i]);
    }
    if (row(map.type).box != 0 && issue.coords[0] % row(map.type).box != 0)
        return Error(errc::bad_argument, 0, "coordinate 0 of a TMA copy of padded elements is {0}; it must be a multiple of {1}",
                     issue.coords[0], row(map.type).box);
    if (const int bits = row(map.type).bits; map.interleave == TmaInterleave::none && issue.coords[0] * bits % 128 != 0)
        return Error(errc::bad_argument, 0,
                     "coordinate 0 of a TMA copy is {0} elements of {1} bits; it must be a multiple of 16 bytes", issue.coords[0],
                     bits);
    return {};
}

constexpr Status check_tma_rows(const TensorMap& map, const TmaRules& rules) noexcept
{
    if (map.rank() != 2)
        return Error(errc::rank_mismatch, -1, "gather4 and scatter4 take tensor maps of 2 dimensions, got {0}", map.rank());
    if (map.box[1] != 1) return Error(errc::bad_extent, 1, "gather4 and scatter4 take boxes of 1 row, got {0}", map.box[1]);
    if (rules.arch < 100)
        return Error(errc::bad_argument, -1, "gather4 and scatter4 are of sm100 and later, got sm{0}", rules.arch);
    if (rules.use == TmaUse::store && rules.arch > last_pair_arch)
        return Error(errc::bad_argument, -1, "scatter4 is of sm100 to sm{0}, got sm{1}", last_pair_arch, rules.arch);
    if (rules.use == TmaUse::reduce) return Error(errc::bad_argument, -1, "gather4 and scatter4 do not reduce");
    return {};
}

} // namespace detail

/// May a map that `check` takes be used for this copy, in a cluster of that many CTAs?
///
/// Each rule has its own message. Constant cost.      [PTX ISA 9.1, 9.7.9.25.5; coordinate 0: Triton, tutorial 04-tma of Gluon, and an H200]
constexpr Status check(const TensorMap& map, const TmaIssue& issue, const TmaRules& rules = {}, int cluster = 1) noexcept
{
    const bool rows = issue.mode == TmaMode::rows4;
    if (rows)
        if (const Status e = detail::check_tma_rows(map, rules); !e.ok()) return e;
    if (issue.coords.size() != (rows ? 5 : map.rank()))
        return Error(errc::rank_mismatch, -1, "this TMA copy takes {0} coordinates, got {1}", rows ? 5 : map.rank(),
                     issue.coords.size());
    if (const Status e = detail::check_tma_coords(map, issue, rules); !e.ok()) return e;
    if (issue.shared % tma_shared_alignment != 0)
        return Error(errc::bad_argument, -1, "a TMA copy begins at byte {0} of shared memory, which must be a multiple of {1}",
                     issue.shared, tma_shared_alignment);
    if (issue.multicast != 0 && rules.use != TmaUse::load) return Error(errc::bad_argument, -1, "only loads by TMA multicast");
    if (issue.multicast != 0 && row(map.type).bits < 8 && rules.arch > detail::last_pair_arch)
        return Error(errc::bad_argument, -1, "elements of {0} bits go to the issuer's shared memory alone on sm{1}",
                     row(map.type).bits, rules.arch);
    if (issue.multicast >> (cluster < 16 ? cluster : 16) != 0)
        return Error(errc::out_of_domain, -1, "the multicast mask {0} names a CTA beyond the {1} of the cluster", issue.multicast,
                     cluster);
    if (issue.cta_group != 1 && issue.cta_group != 2)
        return Error(errc::bad_argument, -1, "a group of CTAs is 1 or 2, got {0}", issue.cta_group);
    if (issue.cta_group == 2 && rules.use != TmaUse::load)
        return Error(errc::bad_argument, -1, "only loads by TMA signal a pair of CTAs");
    if (issue.cta_group == 2 && (rules.arch < 100 || rules.arch > detail::last_pair_arch))
        return Error(errc::bad_argument, -1, "pairs of CTAs are of sm100 to sm{0}, got sm{1}", detail::last_pair_arch, rules.arch);
    if (issue.cta_group == 2 && cluster % 2 != 0)
        return Error(errc::bad_argument, -1, "pairs of CTAs need a cluster of an even number, got {0}", cluster);
    return {};
}

} // namespace v0
} // namespace axe

#endif
