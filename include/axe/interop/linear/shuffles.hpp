// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_LINEAR_SHUFFLES_HPP
#define AXE_INTEROP_LINEAR_SHUFFLES_HPP

#include <axe/interop/linear/errors.hpp>
#include <axe/interop/linear/thread_bases.hpp>

namespace axe {
inline namespace v0 {
namespace linear {

/// A conversion by exchange within warps, in rounds: each lane gives one word of 4 bytes and takes the word of one lane.
///
///   moves: (round, element, lane, warp) → (to, register, lane):  in this round this lane puts into its register `to` what is in
///   `register` of `lane`;  a word has several elements when they are small
struct Shuffles {
    LinearLayout moves{};
    std::int64_t rounds = 0;
    std::int64_t own_rounds = 0; ///< the first of them, in which all lanes take from themselves: moves, not shuffles
    int words = 1;               ///< shuffles that a round takes: 2 and 4 with elements of 8 and 16 bytes

    /// Shuffles that each warp issues.
    [[nodiscard]] constexpr std::int64_t count() const noexcept { return (rounds - own_rounds) * words; }
};

namespace detail {

/// Finds for each lane bit which register it takes first, and from which lane, so that in each round no lane is asked for two words.
class ShuffleSearch {
  public:
    constexpr ShuffleSearch(const ThreadBases& from, const ThreadBases& to) noexcept : a(from), b(to)
    {
        insert_all(mine, a.registers);
        insert_all(warp, a.registers);
        insert_all(warp, a.lanes, a.registers.size());
        near = mine;
        for (std::uint64_t& sum : near.sum) sum = 0;
        for (int i = 0; i < b.registers.size(); ++i) {
            std::uint64_t of = std::uint64_t{1} << i;
            insert(near, b.registers[i], of) == 0 ? kernel.push_back(of) : outside.push_back(std::uint64_t{1} << i);
        }
    }

    const ThreadBases &a, &b;
    Echelon mine{};  ///< what a thread's registers reach, by registers of `from`
    Echelon warp{};  ///< and what a warp's do, by registers and lanes
    Echelon near{};  ///< what registers of `from` and of `to` reach, by registers of `to`
    Words kernel{};  ///< sums of registers of `to` that one lane has
    Words outside{}; ///< and those of other lanes
    Words first{}, lane{},
        warp_first{}; ///< of each lane bit: the register taken first, and from where; of each warp bit: the register

    /// Does every lane have one of the classes it needs? Then it takes that one from itself.
    constexpr bool each_has_some() noexcept
    {
        Words of_lanes, of_warps;
        for (const bool warps : {false, true}) {
            const Words &had = warps ? a.warps : a.lanes, &wanted = warps ? b.warps : b.lanes;
            for (int i = 0; i < had.size(); ++i) {
                std::uint64_t of = 0;
                if (near.reduce(had[i] ^ wanted[i], of) != 0) return false;
                (warps ? of_warps : of_lanes).push_back(of);
            }
        }
        first = of_lanes;
        warp_first = of_warps;
        for (int i = 0; i < a.lanes.size(); ++i) lane.push_back(std::uint64_t{1} << i);
        return true;
    }

    /// Source lanes read by one lane each, or by lanes that need the same word. −1, or the lane bit for which no choice exists.
    constexpr int choose_lanes() noexcept
    {
        // Lanes that have something a lane wants in some round, beside those it wants first: with the register that selects it.
        Words free_lanes, free_registers;
        Echelon footprint = near;
        for (std::uint64_t& sum : footprint.sum) sum = 0;
        for (int i = 0; i < a.lanes.size(); ++i) {
            std::uint64_t of = std::uint64_t{1} << i;
            if (insert(footprint, a.lanes[i], of) == 0) {
                std::uint64_t registers = 0;
                near.reduce(sum_of(a.lanes, of), registers);
                free_lanes.push_back(of);
                free_registers.push_back(registers);
            }
        }
        Echelon held, distinct, asked;
        insert_all(held, b.registers);
        insert_all(distinct, b.registers, -1);
        for (int i = 0; i < b.lanes.size(); ++i) {
            std::uint64_t at = 0, registers = 0, of = std::uint64_t{1} << i;
            if (insert(distinct, b.lanes[i], of) == 0) { // has what others have: asks with them
                const std::uint64_t others = of & ~(std::uint64_t{1} << i);
                held.reduce(sum_of(b.lanes, of), registers);
                first.push_back(registers ^ sum_of(first, others));
                lane.push_back(sum_of(lane, others));
                continue;
            }
            footprint.reduce(b.lanes[i], at); // a lane that has it, up to registers
            near.reduce(b.lanes[i] ^ sum_of(a.lanes, at), registers);
            std::uint64_t none = 0;
            bool fresh = insert(asked, at, none) != 0;
            for (int f = 0; f < free_lanes.size() && !fresh; ++f) {
                fresh = insert(asked, at ^ free_lanes[f], none) != 0;
                if (fresh) at ^= free_lanes[f], registers ^= free_registers[f];
            }
            if (!fresh) return i;
            first.push_back(registers);
            lane.push_back(at);
        }
        return -1;
    }
};

} // namespace detail

/// The shortest exchange within warps that turns one register layout into another:
///
///   to(moves_to, l, w) = from(moves_register, moves_lane, w)   for every round, element, lane l and warp w, and every register of `to` once
///
/// It exists iff every warp has under `from` what it is to have under `to`. With k = rank of `to`'s registers modulo those of `from`,
/// a lane's 2^R elements are of 2^k lanes, 2^(R−k) of each, and a word has at most 2^q of them, q = min(R − k, log2 of 4 bytes):
///
///   rounds that are shuffles = (2^k − own)·2^(R−k−q),   own = 1 iff every lane has some of its elements itself
///
/// which is the least: a lane takes one word a round, of one lane. `errc::no_layout` with the bit when another warp has something, or when
/// lanes would have to ask one lane for different words (only where a warp has elements under `from` that it has not under `to`);
/// `errc::bad_argument` when registers of `to` repeat others (`distinct_registers`) or elements have not 1, 2, 4, 8 or 16 bytes. Other
/// errors: those of `register_permutation`. Cost: cubic in the bits.
constexpr Result<Shuffles> shuffles(const LinearLayout& from, const LinearLayout& to, int element_bytes) noexcept
{
    detail::ThreadBases a, b;
    if (const Status e = detail::read_pair(from, to, a, b); !e.ok()) return e;
    if (element_bytes < 1 || element_bytes > 16 || (element_bytes & (element_bytes - 1)) != 0)
        return detail::element_bytes_problem(element_bytes);
    const int inputs = b.registers.size() + a.lanes.size() + a.warps.size(),
              outputs = b.registers.size() + a.registers.size() + a.lanes.size();
    if (const int bits = inputs > outputs ? inputs : outputs; bits > LinearLayout::max_bits)
        return Error(errc::capacity, -1, "{0} bits of registers and threads are more than the {1} of a linear layout", bits,
                     LinearLayout::max_bits);
    detail::Echelon repeated;
    for (int i = 0; i < b.registers.size(); ++i)
        if (!repeated.add(b.registers[i], i))
            return Error(errc::bad_argument, i, "the basis of register bit {0} depends on those before it", i)
                .with_hint("remove the repeated registers");

    detail::ShuffleSearch search(a, b);
    for (int i = 0; i < b.registers.size(); ++i)
        if (!detail::contains(search.warp, b.registers[i]))
            return Error(errc::no_layout, i, "the element that register bit {0} selects is held by another warp", i);
    for (int i = 0; i < b.lanes.size(); ++i)
        if (!detail::contains(search.warp, b.lanes[i]))
            return Error(errc::no_layout, i, "the element that lane bit {0} selects is held by another warp", i);
    for (int i = 0; i < b.warps.size(); ++i)
        if (!detail::contains(search.warp, a.warps[i] ^ b.warps[i]))
            return Error(errc::no_layout, i, "the element that warp bit {0} selects is held by another warp", i);

    const bool own = search.each_has_some();
    if (!own)
        if (const int bit = search.choose_lanes(); bit >= 0)
            return Error(errc::no_layout, bit, "lanes that differ in bit {0} would read different words from one lane", bit);

    int packed = element_bytes == 1 ? 2 : element_bytes == 2 ? 1 : 0;
    if (packed > search.kernel.size()) packed = search.kernel.size();
    const int kept = search.kernel.size() - packed, others = search.outside.size();
    Result<Shuffles> result;
    LinearLayout& moves = result->moves;
    result->rounds = std::int64_t{1} << (kept + others);
    result->own_rounds = own ? std::int64_t{1} << kept : 0;
    result->words = element_bytes > 4 ? element_bytes / 4 : 1;
    moves.in = {{"round", kept + others}, {"element", packed}, {"lane", a.lanes.size()}, {"warp", a.warps.size()}};
    moves.out = {{"to", b.registers.size()}, {"register", a.registers.size()}, {"lane", a.lanes.size()}};

    // A register `to`, and the element that is wanted from a lane known but for the registers: where it is.
    const auto put = [&](std::uint64_t to_register, std::uint64_t wanted, std::uint64_t lane, const detail::Echelon& where) {
        std::uint64_t at = 0;
        where.reduce(wanted ^ detail::sum_of(a.lanes, lane), at);
        at ^= lane << a.registers.size();
        moves.bases.push_back(to_register | at << b.registers.size());
    };
    for (int i = packed; i < search.kernel.size(); ++i)
        put(search.kernel[i], detail::sum_of(b.registers, search.kernel[i]), 0, search.mine);
    for (const std::uint64_t r : search.outside) put(r, detail::sum_of(b.registers, r), 0, search.warp);
    for (int i = 0; i < packed; ++i) put(search.kernel[i], detail::sum_of(b.registers, search.kernel[i]), 0, search.mine);
    for (int i = 0; i < b.lanes.size(); ++i)
        put(search.first[i], b.lanes[i] ^ detail::sum_of(b.registers, search.first[i]), search.lane[i], search.mine);
    for (int i = 0; i < b.warps.size(); ++i) {
        const std::uint64_t first = own ? search.warp_first[i] : 0;
        put(first, a.warps[i] ^ b.warps[i] ^ detail::sum_of(b.registers, first), 0, own ? search.mine : search.warp);
    }
    return result;
}

} // namespace linear
} // namespace v0
} // namespace axe

#endif
