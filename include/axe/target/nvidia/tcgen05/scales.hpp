// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_TCGEN05_SCALES_HPP
#define AXE_TARGET_NVIDIA_TCGEN05_SCALES_HPP

#include <axe/layout/layout.hpp>
#include <axe/layout/shape.hpp>
#include <axe/target/nvidia/tcgen05/forms.hpp>
#include <axe/tensor/problem.hpp>

#include <cstdint>
#include <vector>

/// Products with block scales, `tcgen05.mma` with `.block_scale`: their kinds, and where scales are in tensor memory.
namespace axe {
inline namespace v0 {

/// A kind of `tcgen05.mma` with `.block_scale`: one scale for `block` elements of k of each row of A, and of each column of B.
struct ScaledKind {
    const char* name;
    const char* vector;  ///< `.scale_vec`: how many scales of a row one product reads
    std::int64_t k;      ///< of a product, in elements
    std::int64_t scales; ///< of a row, for one product

    [[nodiscard]] constexpr std::int64_t block() const noexcept { return k / scales; }
};
inline constexpr ScaledKind scaled_kinds[] = {
    {"mxf8f6f4", "1X", 32, 1},
    {"mxf4", "2X", 64, 2},
    {"mxf4nvf4", "4X", 64, 4},
    {"mxf4nvf4", "2X", 64, 2}, // what mxf4 does, by another name
};

/// The kind that multiplies elements of these types into f32 with scales of these types, one for `block` elements; null: none does.
///
/// @param packed A and B are e2m1, two to a byte of shared memory. With e8m0 for 32 of them it is mxf4; mxf4nvf4.scale_vec::2X does the same.
/// [PTX ISA, tcgen05.mma, Block scaling]
constexpr const ScaledKind* scaled_kind(DType a, DType b, DType scales_a, DType scales_b, std::int64_t block,
                                        bool packed = false) noexcept
{
    if (scales_a != scales_b || !is_small_float(a) || !is_small_float(b)) return nullptr;
    if (!packed) return scales_a == DType::e8m0 && block == 32 ? &scaled_kinds[0] : nullptr;
    if (a != DType::e2m1 || b != DType::e2m1) return nullptr;
    if (scales_a == DType::e8m0 && block == 32) return &scaled_kinds[1];
    return (scales_a == DType::ue4m3 || scales_a == DType::e8m0) && block == 16 ? &scaled_kinds[2] : nullptr;
}

/// Has a product with scales a tile of this size, of one CTA?  M is 128, N a multiple of 8, or with A in tensor memory of 16, up to 256.
/// [PTX ISA, tcgen05.mma, Matrix shape]
constexpr bool is_scaled_tile(std::int64_t m, std::int64_t n, bool a_in_tensor_memory = false) noexcept
{
    return m == 128 && is_tcgen05_tile(m, n, false, a_in_tensor_memory);
}
/// Has a pair of CTAs one?  M is 256, with N as of products without scales, or M is 128 and N is 128 or 256: of other N no document says in
/// which lanes the scales of B are (CUTLASS rounds N up to a multiple of 128 before it halves it).
constexpr bool is_scaled_pair_tile(std::int64_t m, std::int64_t n, bool a_in_tensor_memory = false) noexcept
{
    return is_tcgen05_pair_tile(m, n, false, a_in_tensor_memory) && (m == 256 || (m == 128 && n % 128 == 0));
}
/// In how many parts of B's columns, 64 lanes apart, its scales are, of a CTA that has `rows` rows of D: as many as D's columns.
constexpr std::int64_t scale_parts(bool pair, std::int64_t rows) noexcept { return tcgen05_parts(pair, rows); }

/// Where a product reads the scale of a row of A, or column of B: lane row mod 32, and 32 bits further for each 32 rows; there are
/// copies 32, 64 and 96 lanes on. Of two parts of `part` rows the second is 64 lanes on, and there is one copy of each, 32 lanes on.
/// [PTX ISA, tcgen05, Scale factor layouts; CUTLASS 0d2b201e, cutlass/detail/sm100_blockscaled_layout.hpp; of two parts
/// CUTLASS 7107b055, cute/atom/mma_traits_sm100_frag.hpp, ScaleFactorDuplicated2by2]
inline constexpr std::int64_t one_scale_part = std::int64_t{1} << 32;
constexpr std::int64_t scale_lane(std::int64_t row, std::int64_t part = one_scale_part) noexcept
{
    return row / part * 64 + row % part % 32;
}
constexpr std::int64_t scale_byte(std::int64_t row, std::int64_t scale, std::int64_t part = one_scale_part) noexcept
{
    return row % part / 32 * 4 + scale;
}
/// The lanes in which the copies of scales in so many parts begin, in units of `lane`.
inline std::vector<std::int64_t> scale_copies(std::int64_t parts, std::int64_t lane = 1)
{
    std::vector<std::int64_t> out;
    for (std::int64_t copy = 0; copy < 4 / parts; ++copy) out.push_back(32 * copy * lane);
    return out;
}
/// What one copy of scales to tensor memory takes: of one part 128 rows and 4 scales, of two parts all of 128 or 256 rows and 8 or 4: 32 or 64
/// rows of 16 bytes, in each of which are 4 scales of so many groups of 32 rows. 0 scales: there is no such copy.
/// [PTX ISA, tcgen05.cp, 32x128b.warpx4 and 64x128b.warpx2::01_23]
struct ScaleCopy {
    std::int64_t rows = 128, scales = 4, parts = 1;

    [[nodiscard]] constexpr std::int64_t groups() const noexcept { return rows / (32 * parts); }
    /// Row and scale of byte l of row i.
    [[nodiscard]] constexpr std::int64_t row(std::int64_t i, std::int64_t l) const noexcept
    {
        return i / 32 * (rows / parts) + l / 4 % groups() * 32 + i % 32;
    }
    [[nodiscard]] constexpr std::int64_t scale(std::int64_t l) const noexcept { return l / 4 / groups() * 4 + l % 4; }
};
constexpr ScaleCopy scale_copy(std::int64_t parts, std::int64_t rows) noexcept
{
    if (parts == 1) return {};
    return {rows, rows == 128 || rows == 256 ? 1024 / rows : 0, 2};
}
/// May the scales of a product begin at this byte of 32 bits?  It is the instruction's scale factor ID: 0 to 3, 0 and 2, or 0.
constexpr bool is_scale_id(const ScaledKind& kind, std::int64_t byte) noexcept { return byte % 4 % kind.scales == 0; }

/// The layout of scales [.., R, S] in tensor memory: four scales of a row in 32 bits, the next four R/32 columns on, and one such tensor after
/// another. In two parts, of the columns of B of a pair with 128 rows: each part so, the second 64 lanes on.
/// `errc::size_mismatch` unless R is a multiple of 128 and S of 4; of two parts, R is 128 and S a multiple of 8, or R is 256.
inline Result<Layout, Problem> tensor_scale_layout(const Shape& shape, std::int64_t parts = 1);
/// The layout in shared memory of what `tcgen05.cp.32x128b.warpx4` brings there: for each 128 rows and 4 scales 512 bytes, in which 16 are of
/// rows r, r + 32, r + 64 and r + 96. Of two parts, by `tcgen05.cp.64x128b.warpx2::01_23`, 1024 bytes for all rows, the second part behind the
/// first. Errors as of `tensor_scale_layout`.
inline Result<Layout, Problem> shared_scale_layout(const Shape& shape, std::int64_t parts = 1);

/// What a product with block scales is told of its operands besides where they are.
struct ScaledDescriptor {
    DType a = DType::e4m3, b = DType::e4m3, scales = DType::e8m0;
    std::int64_t m = 128, n = 8; ///< m of all CTAs
    int a_scale_id = 0, b_scale_id = 0;
    bool a_mn_major = false, b_mn_major = false;
    bool negate_a = false, negate_b = false;
    std::int64_t block = 32;
    bool packed = false; ///< of A and B, in shared memory

    /// Does an instruction have it?
    [[nodiscard]] constexpr bool exists() const noexcept
    {
        const ScaledKind* kind = scaled_kind(a, b, scales, scales, block, packed);
        if ((a_mn_major && axe::bits(a) < 8) || (b_mn_major && axe::bits(b) < 8)) return false;
        return kind != nullptr && (is_scaled_tile(m, n) || is_scaled_pair_tile(m, n)) && is_id(*kind, a_scale_id) &&
               is_id(*kind, b_scale_id);
    }
    /// The 32 bits:   ID of B's scales at bit 4, type of A at 7, of B at 10, negate at 13 and 14, MN-major at 15 and 16, N/8 at 17, type of
    /// scales at 23, M/16 at 24, ID of A's scales at 29.      [PTX ISA, tcgen05, Instruction descriptor; CUTLASS 0d2b201e, cute/arch/mma_sm100_desc.hpp]
    ///
    /// @pre exists()
    [[nodiscard]] constexpr std::uint32_t bits() const noexcept
    {
        const auto field = [](std::int64_t value, int at) { return static_cast<std::uint32_t>(value) << at; };
        return field(b_scale_id, 4) | field(packed ? 1 : small_float_number(a), 7) | field(packed ? 1 : small_float_number(b), 10) |
               field(negate_a, 13) | field(negate_b, 14) | field(a_mn_major, 15) | field(b_mn_major, 16) | field(n / 8, 17) |
               field(scales == DType::e8m0, 23) | field(m / 16, 24) | field(a_scale_id, 29);
    }
    friend constexpr bool operator==(const ScaledDescriptor&, const ScaledDescriptor&) = default;

  private:
    [[nodiscard]] static constexpr bool is_id(const ScaledKind& kind, int id) noexcept
    {
        return id >= 0 && id < 4 && is_scale_id(kind, id);
    }
};

namespace detail {

inline std::string no_scaled_kind_text(DType a, DType b, DType scales_a, DType scales_b, std::int64_t of_a, std::int64_t of_b)
{
    return worded("no kind multiplies {0} and {1} with scales of {2} and {3}, one for {4} of A and one for {5} of B",
                  {name(a), name(b), name(scales_a), name(scales_b), of_a, of_b});
}
inline std::string misplaced_scale_text(std::int64_t row, std::int64_t scale, const std::string& name, std::int64_t lane,
                                        std::int64_t byte, std::int64_t asked_lane, std::int64_t asked_byte)
{
    return worded("scale {1} of row {0} of {2} is in lane {3}, byte {4}; products read it in lane {5}, byte {6}",
                  {row, scale, name, lane, byte, asked_lane, asked_byte});
}
inline std::string scale_id_text(const std::string& name, std::int64_t scale, std::int64_t byte, const char* vector)
{
    return worded("scale {1} of {0} begins at byte {2} of its 32 bits; scale_vec::{3} begins at a multiple of its bytes",
                  {name, scale, byte, vector});
}
inline std::string scaled_depth_text(std::int64_t depth, std::int64_t k)
{
    return worded("K is {0}; products with scales of this kind have multiples of {1}", {depth, k});
}
/// A place, for a message.
inline std::string in_scales_text(std::int64_t row, std::int64_t scale, const std::string& name)
{
    return worded("row, scale ({0},{1}) of {2}", {row, scale, name});
}
inline std::string scale_copies_text(const std::string& name, std::int64_t parts)
{
    return worded("{0} does not have {1} copies of its scales, 32 lanes apart", {name, 4 / parts});
}

inline std::string no_scaled_pair_tile_text(std::int64_t m, std::int64_t n)
{
    return worded("{0} x {1} is no tile with scales of a pair: 256 rows, a multiple of 16 columns, or 128 rows, 128 or 256 columns",
                  {m, n});
}
inline std::string no_parted_scales_text(std::int64_t rows, std::int64_t scales)
{
    return worded("{0} rows of {1} elements are not scales of a byte in two parts: 128 rows, 8 for each, or 256 rows, 4 for each",
                  {rows, scales});
}
inline std::string no_parted_copy_text(const std::string& shape, int bytes)
{
    return worded("it copies {0} scales of {1} bytes in two parts; they must be 128 x 8 or 256 x 4, of a byte", {shape, bytes});
}

/// The sizes of scales [.., R, S], or why they have no layout.
struct ScaleSizes {
    std::int64_t count = 1, rows = 0, scales = 0;
};
inline Result<ScaleSizes, Problem> scale_sizes(const Shape& shape, std::int64_t parts)
{
    ScaleSizes out;
    for (int d = 0; d < shape.size() - 2; ++d) out.count *= shape[d];
    if (shape.size() >= 2) out.rows = shape[shape.size() - 2], out.scales = shape[shape.size() - 1];
    const std::int64_t scales = scale_copy(parts, out.rows).scales;
    if (parts == 2 && (scales == 0 || out.scales <= 0 || out.scales % scales != 0))
        return Problem(errc::size_mismatch,
                       "scales of {0} rows, {1} for each, in two parts; they must be of 128 rows, a multiple of 8, or of 256, of 4",
                       {out.rows, out.scales});
    if (parts == 2 || (out.rows > 0 && out.rows % 128 == 0 && out.scales > 0 && out.scales % 4 == 0)) return out;
    return Problem(errc::size_mismatch, "scales of {0} rows, {1} for each; they must be multiples of 128 and of 4",
                   {out.rows, out.scales});
}

} // namespace detail

inline Result<Layout, Problem> tensor_scale_layout(const Shape& shape, std::int64_t parts)
{
    const auto z = detail::scale_sizes(shape, parts);
    if (!z) return z.error();
    const Axis lane{"tlane"}, column{"tcol"};
    if (parts == 2) {
        const std::int64_t groups = z->rows / 64;
        return Layout{{{z->count, groups * z->scales, column},
                       {2, 64, lane},
                       {groups, 4, column},
                       {32, 1, lane},
                       {z->scales / 4, groups * 4, column},
                       {4, 1, column}},
                      {{2, 32, lane}}};
    }
    return Layout{{{z->count, z->rows / 32 * z->scales, column},
                   {z->rows / 32, 4, column},
                   {32, 1, lane},
                   {z->scales / 4, z->rows / 32 * 4, column},
                   {4, 1, column}},
                  {{4, 32, lane}}};
}

inline Result<Layout, Problem> shared_scale_layout(const Shape& shape, std::int64_t parts)
{
    const auto z = detail::scale_sizes(shape, parts);
    if (!z) return z.error();
    const Axis m{"m"};
    if (parts == 2) {
        const std::int64_t groups = z->rows / 64, beside = 4 / groups; // fours of scales in a row of 16 bytes
        return Layout{{{z->count, z->rows * z->scales, m},
                       {2, 512, m},
                       {groups, 4, m},
                       {32, 16, m},
                       {z->scales / 4 / beside, 1024, m},
                       {beside, groups * 4, m},
                       {4, 1, m}}};
    }
    return Layout{{{z->count, z->rows * z->scales, m},
                   {z->rows / 128, 128 * z->scales, m},
                   {4, 4, m},
                   {32, 16, m},
                   {z->scales / 4, 512, m},
                   {4, 1, m}}};
}

} // namespace v0
} // namespace axe

#endif
