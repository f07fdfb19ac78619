// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_TCGEN05_FORMS_HPP
#define AXE_TARGET_NVIDIA_TCGEN05_FORMS_HPP

#include <axe/tensor/dtype.hpp>

#include <cstdint>
#include <vector>

/// What `tcgen05.mma` and `tcgen05.cp` take: types, sizes, and which lanes of tensor memory the rows of a tile are in.
namespace axe {
inline namespace v0 {

/// Is it a float of 8, 6 or 4 bits, of kind f8f6f4? In shared memory those of less than 8 bits take 16 bytes for 16 of them, as the simulator
/// has them, each in its byte, and are K-major.      [PTX ISA, tcgen05, Packing formats]
constexpr bool is_small_float(DType t) noexcept
{
    return t == DType::e4m3 || t == DType::e5m2 || t == DType::e3m2 || t == DType::e2m3 || t == DType::e2m1;
}
/// The number of such a type in an instruction descriptor.      [PTX ISA, tcgen05, Instruction descriptor; CUTLASS 7107b055, cute/arch/mma_sm100_desc.hpp]
constexpr std::int64_t small_float_number(DType t) noexcept
{
    switch (t) {
    case DType::e5m2: return 1;
    case DType::e2m3: return 3;
    case DType::e3m2: return 4;
    case DType::e2m1: return 5;
    default: return 0; // e4m3
    }
}

/// The kind of `tcgen05.mma` that multiplies elements of these types into D's, for one CTA without scales; null: none does.
/// [PTX ISA, tcgen05.mma, Kind]
constexpr const char* tcgen05_kind(DType d, DType a, DType b) noexcept
{
    const auto is = [](DType t, DType x, DType y) { return t == x || t == y; };
    if (d == DType::f16 && a == DType::f16) return b == a ? "f16" : nullptr;
    if (is(a, DType::f16, DType::bf16) && b == a) return d == DType::f32 ? "f16" : nullptr;
    if (a == DType::tf32 && b == DType::tf32) return d == DType::f32 ? "tf32" : nullptr;
    if (is_small_float(a) && is_small_float(b)) return is(d, DType::f32, DType::f16) ? "f8f6f4" : nullptr;
    if (is(a, DType::i8, DType::u8) && is(b, DType::i8, DType::u8)) return d == DType::i32 ? "i8" : nullptr;
    return nullptr;
}

/// Does the kind that multiplies such elements add to D·2^−n, with n from 0 to 15? f16 and tf32 do.      [PTX ISA, tcgen05.mma, scale-input-d]
constexpr bool scales_tcgen05_sums(DType a) noexcept { return a == DType::f16 || a == DType::bf16 || a == DType::tf32; }
inline constexpr std::int64_t most_tcgen05_scale = 15;

/// Has the instruction a tile of this size? M is 64 or 128; N a multiple of 8 up to 256, of integers above 32 and with A in tensor memory
/// and M = 128 of 16.      [PTX ISA, tcgen05.mma, Matrix shape; CUTLASS 7107b055, cute/atom/mma_traits_sm100.hpp]
constexpr bool is_tcgen05_tile(std::int64_t m, std::int64_t n, bool integers, bool a_in_tensor_memory) noexcept
{
    if ((m != 64 && m != 128) || n < 8 || n > 256 || n % 8 != 0) return false;
    return n % 16 == 0 || !((integers && n > 32) || (a_in_tensor_memory && m == 128));
}

/// Has the instruction with `.ws`, of one CTA, a tile of this size? M is 32, 64 or 128, N 64, 128 or 256.      [PTX ISA, tcgen05.mma.ws, Matrix shape]
constexpr bool is_tcgen05_ws_tile(std::int64_t m, std::int64_t n) noexcept
{
    return (m == 32 || m == 64 || m == 128) && (n == 64 || n == 128 || n == 256);
}
/// In how many parts of its columns D of `.ws` is, one after the other in lanes: of all 128 lanes each has a row of a part.
/// [PTX ISA, Data Path Layout D, E and G]
constexpr std::int64_t tcgen05_ws_parts(std::int64_t rows) noexcept { return 128 / rows; }
/// The lane of a row of part `part`, of a tile of so many rows.
constexpr std::int64_t tcgen05_ws_lane(std::int64_t rows, std::int64_t row, std::int64_t part) noexcept
{
    return row + rows * part;
}

/// Elements from one sum to the next of its row: an f16 has a column of 32 bits, its lower half.      [PTX ISA, Packing formats]
constexpr std::int64_t tcgen05_sum_step(DType d) noexcept { return d == DType::f16 ? 2 : 1; }

/// The lane of row `row` of a tile of `m` rows whose first row is in lane `first`: all lanes in order, or, of 64 rows, 16 of each 32.
/// [PTX ISA, Data Path Layout D and F]
constexpr std::int64_t tcgen05_lane(std::int64_t m, std::int64_t first, std::int64_t row) noexcept
{
    return m == 64 ? first + row / 16 * 32 + row % 16 : first + row;
}

/// Has a pair of CTAs a product of this size?  M is 128 or 256; N a multiple of 16 up to 256, of 32 with integers or A in tensor memory.
/// [PTX ISA, tcgen05.mma, Matrix shape; CUTLASS 7107b055, cute/atom/mma_traits_sm100.hpp]
constexpr bool is_tcgen05_pair_tile(std::int64_t m, std::int64_t n, bool integers, bool a_in_tensor_memory) noexcept
{
    const std::int64_t step = integers || a_in_tensor_memory ? 32 : 16;
    return (m == 128 || m == 256) && n >= step && n <= 256 && n % step == 0;
}

/// In how many parts of its columns D is, one after the other in lanes: two, 64 lanes apart, in each CTA of a pair that has 64 rows.
/// [PTX ISA, Data Path Layout B]
constexpr std::int64_t tcgen05_parts(bool pair, std::int64_t rows) noexcept { return pair && rows == 64 ? 2 : 1; }
/// The lane of a row of part `part`, of a pair; A in tensor memory is as part 0, and again 64 lanes on where it has 64 rows.
/// [PTX ISA, Data Path Layout A and B]
constexpr std::int64_t tcgen05_pair_lane(std::int64_t row, std::int64_t part) noexcept { return row + 64 * part; }

/// Where A of `rows` rows has its copies in tensor memory, in units of `lane`: one for each part of D's columns, which is multiplied by what
/// is in its own lanes.      [CUTLASS 7107b055, cute/atom/mma_traits_sm100_frag.hpp, Duplicated; of .ws deepseek-ai/FlashMLA cefe0f4a,
/// csrc/kerutils/include/kerutils/device/sm100/gemm.cuh]
inline std::vector<std::int64_t> tcgen05_operand_copies(std::int64_t rows, std::int64_t parts, std::int64_t lane = 1)
{
    std::vector<std::int64_t> out;
    for (std::int64_t part = 0; part < parts; ++part) out.push_back(part * rows * lane);
    return out;
}

/// May the first row be in that lane?
constexpr bool is_first_tcgen05_lane(std::int64_t m, std::int64_t lane) noexcept { return lane == 0 || (m == 64 && lane == 16); }

/// What one `tcgen05.shift` moves: the 32 lanes of a warp, of 8 columns.      [PTX ISA, tcgen05.shift; Data Movement Shape 31x256b]
inline constexpr std::int64_t tensor_shift_rows = 32, tensor_shift_bytes = 32;

/// A shape of `tcgen05.cp`: rows of so many bytes, in pieces of consecutive lanes that begin `apart` lanes from each other, all of them in
/// `copies` copies, so many lanes apart.      [PTX ISA, tcgen05.cp; tvm 5d4dc872, tile_primitive/copy_async/tcgen05_cp.py]
struct TensorCopyShape {
    const char* name;
    std::int64_t rows, bytes;
    std::int64_t piece = 128, apart = 0; ///< rows of a piece
    std::int64_t copies = 1, copies_apart = 0;

    /// The lane of the first copy of a row.
    [[nodiscard]] constexpr std::int64_t lane(std::int64_t row) const noexcept { return row / piece * apart + row % piece; }
};
inline constexpr TensorCopyShape tensor_copy_shapes[] = {
    {"128x256b", 128, 32},
    {"128x128b", 128, 16},
    {"4x256b", 4, 32, 1, 32},
    {"64x128b.warpx2::02_13", 64, 16, 64, 0, 2, 64},
    {"64x128b.warpx2::01_23", 64, 16, 32, 64, 2, 32},
    {"32x128b.warpx4", 32, 16, 32, 0, 4, 32},
};

} // namespace v0
} // namespace axe

#endif
