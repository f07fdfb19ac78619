// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_RELAYOUT_KERNELS_TABLE_HPP
#define AXE_RELAYOUT_KERNELS_TABLE_HPP

#include <cstddef>
#include <cstdint>

/// May kernels for x86-64 be compiled? Their functions name the instruction set they are for, so that no option of the compiler is needed.
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#  define AXE_RELAYOUT_X86 1
#else
#  define AXE_RELAYOUT_X86 0
#endif
/// And those for AArch64, little-endian?
#if defined(__aarch64__) && defined(__ARM_NEON) && !defined(__AARCH64EB__) && (defined(__GNUC__) || defined(__clang__))
#  define AXE_RELAYOUT_NEON 1
#else
#  define AXE_RELAYOUT_NEON 0
#endif

namespace axe {
inline namespace v0 {
namespace detail {

/// The vectors a processor may have. `sse2` and `neon` are those of every x86-64 and every AArch64; `avx512` needs F, BW, DQ and VL.
enum class InstructionSet : std::uint8_t { portable, sse2, avx2, avx512, neon };

/// How one instruction set moves bytes. Arrays go by log2 of an element's width in bytes: 1, 2, 4, 8, 16.
///
/// Nothing is assumed of a pointer's alignment, but for `stream`. What is written never overlaps what is read. No byte is written that
/// an equation does not name, and no such register is read.
struct RelayoutKernels {
    const char* name;
    /// Of a full block. Its rows in the target are whole lines of 64 bytes.
    int block_rows[5], block_columns[5];

    /// Transposes a block; offsets are in bytes:  to[to_rows[j] + i·width] = from[from_rows[i] + j·width],  i < rows, j < columns.
    using Block = void (*)(std::byte* to, const std::ptrdiff_t* to_rows, const std::byte* from, const std::ptrdiff_t* from_rows);
    /// The same with 0 < rows ≤ block_rows and 0 < columns ≤ block_columns.
    using Part = void (*)(std::byte* to, const std::ptrdiff_t* to_rows, const std::byte* from, const std::ptrdiff_t* from_rows,
                          int rows, int columns);
    /// to[i] = from[i],  i < bytes.
    using Copy = void (*)(std::byte* to, const std::byte* from, std::size_t bytes);
    /// to[i·to_step] = from[i·from_step],  i < count, an element each; steps in bytes, of any sign, 0 too where only the source has it.
    using Strided = void (*)(std::byte* to, std::ptrdiff_t to_step, const std::byte* from, std::ptrdiff_t from_step,
                             std::int64_t count);
    /// to[i·width] = *element,  i < count.
    using Fill = void (*)(std::byte* to, std::int64_t count, const std::byte* element);

    /// Interleaves rows:  to[(i·rows + r)·width] = from[from_rows[r] + i·width],  i < count, r < rows, 0 < rows.
    using Zip = void (*)(std::byte* to, const std::byte* from, const std::ptrdiff_t* from_rows, int rows, std::int64_t count);
    /// Takes them apart:  to[to_rows[r] + i·width] = from[(i·rows + r)·width].
    using Unzip = void (*)(std::byte* to, const std::ptrdiff_t* to_rows, const std::byte* from, int rows, std::int64_t count);

    Block block[5];
    /// Past the caches; every to + to_rows[j] is a multiple of 64. Null where the set has no such stores.
    Block stream[5];
    Part part[5];
    /// Past the caches, but for the ends of a run that are not a whole lines.
    Copy copy_stream;
    /// For runs of up to a few KiB; beyond, std::memcpy.
    Copy copy;
    Strided strided[5];
    Fill fill[5];
    /// By vectors where rows are 2, 4, 8 or 16, an element at a time else: for rows too few to fill a block.
    Zip zip[5];
    Unzip unzip[5];
    /// To be called after the last of a thread's `stream` and `copy_stream`, before another thread may read.
    void (*fence)();
    /// Does a part cost no more than a block?
    bool has_masks = false;
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
