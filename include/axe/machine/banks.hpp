// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MACHINE_BANKS_HPP
#define AXE_MACHINE_BANKS_HPP

#include <axe/support/errors.hpp>
#include <axe/support/integer.hpp>
#include <axe/support/result.hpp>

/// Bank conflicts of shared memory: 32 banks of 4 bytes, one word a bank at a time.
namespace axe {
inline namespace v0 {

inline constexpr int warp_lanes = 32;      ///< of most machines
inline constexpr int most_warp_lanes = 64; ///< of any
inline constexpr int bank_count = 32;
inline constexpr int bank_bytes = 4;

/// The bank of the word that holds a byte.
constexpr int bank_of(std::int64_t byte) noexcept
{
    return static_cast<int>(detail::floor_mod<std::int64_t>(detail::floor_div<std::int64_t>(byte, bank_bytes), bank_count));
}

/// The lanes that are served together: 32 with up to 4 bytes each, 16 with 8, 8 with 16. Of a load twice as many with 8 or 16 bytes, where for
/// k = 1 or for k = 2 all lanes l and l xor k that take part want equal addresses; never more than 128 different bytes.
///
/// @param differ differ(l, m): lanes l and m take part, and want different addresses
template <class Differ>
constexpr int lanes_at_once(int lanes, int bytes, bool loads, const Differ& differ) noexcept
{
    const int alone = bytes <= 4 ? 32 : bytes <= 8 ? 16 : 8;
    if (!loads || alone == 32) return alone;
    for (int k = 1; k <= 2; ++k) {
        bool pairs = true;
        for (int lane = 0; pairs && lane < lanes; ++lane) pairs = (lane & k) != 0 || (lane ^ k) >= lanes || !differ(lane, lane ^ k);
        if (pairs) return 2 * alone;
    }
    return alone;
}

/// One load or store of a warp: lane i moves the `bytes` bytes from byte `address[i]` on.
struct WarpAccess {
    int lanes = 0;
    int bytes = 0;
    std::int64_t address[most_warp_lanes]{};
    bool loads = false; ///< a load, of which more lanes may be served together than of a store

    /// The lanes that are served together: 32 with up to 4 bytes each, 16 with 8, 8 with 16; of a load twice as many with 8 or 16 bytes, where
    /// for k = 1 or for k = 2 all lanes l and l xor k have equal addresses. Always 128 bytes at most.
    [[nodiscard]] constexpr int lanes_at_once() const noexcept
    {
        return axe::lanes_at_once(lanes, bytes, loads, [this](int l, int m) { return address[l] != address[m]; });
    }
    [[nodiscard]] constexpr int phases() const noexcept { return (lanes + lanes_at_once() - 1) / lanes_at_once(); }
};

/// 1 to 64 lanes, of 1, 2, 4, 8 or 16 bytes, each aligned to its size: else `errc::bad_argument`.
constexpr Status check(const WarpAccess& access) noexcept
{
    const int bytes = access.bytes;
    if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8 && bytes != 16)
        return Error(errc::bad_argument, -1, "a lane moves 1, 2, 4, 8 or 16 bytes, got {0}", bytes);
    if (access.lanes < 1 || access.lanes > most_warp_lanes) return detail::lanes_of_a_warp(access.lanes);
    for (int lane = 0; lane < access.lanes; ++lane)
        if (access.address[lane] % bytes != 0)
            return Error(errc::bad_argument, lane, "lane {0} is at byte {1}, which is not a multiple of its {2} bytes", lane,
                         access.address[lane], bytes);
    return {};
}

/// How often a warp's access goes to memory.
struct BankConflicts {
    int phases = 0;     ///< the lanes are served in this many parts, each on its own
    int degree[8] = {}; ///< of each phase: how often it goes to memory; 1 is free of conflicts

    /// The worst of the phases.
    [[nodiscard]] constexpr int worst() const noexcept
    {
        int most = 0;
        for (int p = 0; p < phases; ++p) most = degree[p] > most ? degree[p] : most;
        return most;
    }
    /// All phases together.
    [[nodiscard]] constexpr int passes() const noexcept
    {
        int sum = 0;
        for (int p = 0; p < phases; ++p) sum += degree[p];
        return sum;
    }
    friend constexpr bool operator==(const BankConflicts&, const BankConflicts&) = default;
};

/// The distinct words that the lanes of one phase want from each bank: lanes that want one word share it.
struct BankLoad {
    int words[bank_count] = {};
    [[nodiscard]] constexpr int degree() const noexcept
    {
        int most = 0;
        for (const int n : words) most = n > most ? n : most;
        return most;
    }
};

/// @pre check(access) passes, 0 ≤ phase < access.phases()
constexpr BankLoad bank_load(const WarpAccess& access, int phase) noexcept
{
    BankLoad load;
    std::int64_t seen[bank_count]{}; // 128 bytes a phase: at most 32 words
    int count = 0;
    const int first = phase * access.lanes_at_once();
    for (int lane = first; lane < access.lanes && lane < first + access.lanes_at_once(); ++lane)
        for (int byte = 0; byte < access.bytes; byte += bank_bytes) {
            const std::int64_t word = detail::floor_div<std::int64_t>(access.address[lane] + byte, bank_bytes);
            bool shared = false;
            for (int i = 0; i < count; ++i) shared = shared || seen[i] == word;
            if (shared) continue;
            seen[count++] = word;
            ++load.words[bank_of(word * bank_bytes)];
        }
    return load;
}

/// degree(phase) = max over the banks of the distinct words that the lanes of the phase want from it
///
/// Lanes that want one word share it. Accesses of 8 bytes a lane are served 16 lanes at a time, those of 16 bytes 8, but for loads whose lanes
/// want the same in pairs: see `WarpAccess::lanes_at_once`.
/// Errors: those of `check`. Cost: a thousand comparisons.      [CUDA C++ Programming Guide, shared memory, compute capability 5.0
/// and later; its developer forum, topic 77228, on 128-bit loads; cycles of an H200, tests/silicon/banks.cpp]
constexpr Result<BankConflicts> bank_conflicts(const WarpAccess& access) noexcept
{
    if (const Status e = check(access); !e.ok()) return e;
    BankConflicts conflicts;
    conflicts.phases = access.phases();
    for (int p = 0; p < conflicts.phases; ++p) conflicts.degree[p] = bank_load(access, p).degree();
    return conflicts;
}

} // namespace v0
} // namespace axe

#endif
