// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_TMA_MODES_HPP
#define AXE_TARGET_NVIDIA_TMA_MODES_HPP

#include <axe/layout/swizzle.hpp>

/// What the fields of a tensor map may be, each as rows of data.      [CUDA 13.0, cuda.h, cuTensorMapEncodeTiled; PTX ISA 9.1, 5.5.7]
namespace axe {
inline namespace v0 {

/// The type of an element of a tensor map.
///
/// 16 values of `u4_align8` take 8 bytes; those of `u4_align16` and `u6_align16` take 8 and 12 bytes of global memory and 16 of shared
/// memory, the rest a gap.
enum class TmaType : std::uint8_t {
    u8,
    u16,
    u32,
    i32,
    u64,
    i64,
    f16,
    f32,
    f64,
    bf16,
    f32_ftz,
    tf32,
    tf32_ftz,
    u4_align8,
    u4_align16,
    u6_align16
};

/// How the global tensor interleaves channels: not, or in slices of 16 or 32 bytes.
enum class TmaInterleave : std::uint8_t { none, b16, b32 };

/// How chunks of shared memory are exchanged. `b96` exists in PTX only: the CUDA call has no such value.
enum class TmaSwizzle : std::uint8_t { none, b32, b64, b128, b128_atom32, b128_atom32_flip8, b128_atom64, b96 };

/// The bytes that L2 fetches together.
enum class TmaPromotion : std::uint8_t { none, b64, b128, b256 };

/// What a load puts where the box is outside the tensor.
enum class TmaFill : std::uint8_t { zero, nan };

/// What a map is used for.
enum class TmaUse : std::uint8_t { load, store, reduce };

/// A type as a row of data.
struct TmaTypeRow {
    const char* name;
    const char* cuda; ///< after CU_TENSOR_MAP_DATA_TYPE_
    int bits;         ///< of an element in global memory
    int shared_bits;  ///< of an element in shared memory, its part of the gap included
    bool is_float;
    int arch;      ///< the first that has it
    int alignment; ///< of the global address and of strides, bytes
    int multiple;  ///< of the innermost dimension
    int box;       ///< the one extent of the innermost dimension of the box; 0: not prescribed
};

/// A swizzle as a row of data.
struct TmaSwizzleRow {
    const char* name;
    const char* cuda; ///< after CU_TENSOR_MAP_SWIZZLE_; "" where the CUDA call has none
    Swizzle swizzle;  ///< of the byte address, where `is_xor`
    int span;         ///< the most bytes of a row of the box; 0: any
    int arch;         ///< the first that has it
    bool is_xor;      ///< whether `swizzle` says all of it
};

/// An interleave, a promotion or a fill as a row of data.
struct TmaModeRow {
    const char* name;
    const char* cuda; ///< the end of the enumerator's name
    int bytes;
};

inline constexpr int tma_type_count = 16;
inline constexpr TmaTypeRow tma_types[tma_type_count] = {
    {"u8", "UINT8", 8, 8, false, 90, 16, 1, 0},
    {"u16", "UINT16", 16, 16, false, 90, 16, 1, 0},
    {"u32", "UINT32", 32, 32, false, 90, 16, 1, 0},
    {"i32", "INT32", 32, 32, false, 90, 16, 1, 0},
    {"u64", "UINT64", 64, 64, false, 90, 16, 1, 0},
    {"i64", "INT64", 64, 64, false, 90, 16, 1, 0},
    {"f16", "FLOAT16", 16, 16, true, 90, 16, 1, 0},
    {"f32", "FLOAT32", 32, 32, true, 90, 16, 1, 0},
    {"f64", "FLOAT64", 64, 64, true, 90, 16, 1, 0},
    {"bf16", "BFLOAT16", 16, 16, true, 90, 16, 1, 0},
    {"f32_ftz", "FLOAT32_FTZ", 32, 32, true, 90, 16, 1, 0},
    {"tf32", "TFLOAT32", 32, 32, true, 90, 16, 1, 0},
    {"tf32_ftz", "TFLOAT32_FTZ", 32, 32, true, 90, 16, 1, 0},
    {"u4_align8", "16U4_ALIGN8B", 4, 4, false, 100, 16, 2, 0},
    {"u4_align16", "16U4_ALIGN16B", 4, 8, false, 100, 32, 128, 128},
    {"u6_align16", "16U6_ALIGN16B", 6, 8, false, 100, 32, 128, 128},
};
constexpr const TmaTypeRow& row(TmaType type) noexcept { return tma_types[static_cast<int>(type)]; }

inline constexpr int tma_swizzle_count = 8;
/// What flips 8 bytes "for every alternate row" is said in words only, and the order of chunks in 96 bytes is no exchange of bits.
inline constexpr TmaSwizzleRow tma_swizzles[tma_swizzle_count] = {
    {"none", "NONE", {0, 0, 0}, 0, 90, true},
    {"32B", "32B", {1, 4, 3}, 32, 90, true},
    {"64B", "64B", {2, 4, 3}, 64, 90, true},
    {"128B", "128B", {3, 4, 3}, 128, 90, true},
    {"128B_atom_32B", "128B_ATOM_32B", {2, 5, 2}, 128, 100, true},
    {"128B_atom_32B_flip_8B", "128B_ATOM_32B_FLIP_8B", {2, 5, 2}, 128, 100, false},
    {"128B_atom_64B", "128B_ATOM_64B", {1, 6, 1}, 128, 100, true},
    {"96B", "", {0, 0, 0}, 96, 103, false},
};
constexpr const TmaSwizzleRow& row(TmaSwizzle swizzle) noexcept { return tma_swizzles[static_cast<int>(swizzle)]; }

inline constexpr TmaModeRow tma_interleaves[] = {{"none", "NONE", 0}, {"16B", "16B", 16}, {"32B", "32B", 32}};
constexpr const TmaModeRow& row(TmaInterleave interleave) noexcept { return tma_interleaves[static_cast<int>(interleave)]; }
inline constexpr TmaModeRow tma_promotions[] = {
    {"none", "NONE", 0}, {"64B", "L2_64B", 64}, {"128B", "L2_128B", 128}, {"256B", "L2_256B", 256}};
constexpr const TmaModeRow& row(TmaPromotion promotion) noexcept { return tma_promotions[static_cast<int>(promotion)]; }
inline constexpr TmaModeRow tma_fills[] = {{"zero", "NONE", 0}, {"nan", "NAN_REQUEST_ZERO_FMA", 0}};
constexpr const TmaModeRow& row(TmaFill fill) noexcept { return tma_fills[static_cast<int>(fill)]; }

constexpr const char* name(TmaType type) noexcept { return row(type).name; }
constexpr const char* name(TmaSwizzle swizzle) noexcept { return row(swizzle).name; }

/// Does a padded type go with a swizzle?      [cuda.h: the lists of 16U6_ALIGN16B and 16U4_ALIGN16B; PTX ISA 9.1, 9.7.9.25.5.1]
constexpr bool admits(TmaType type, TmaSwizzle swizzle, TmaUse use) noexcept
{
    if (row(type).box == 0) return true;
    if (swizzle == TmaSwizzle::none || swizzle == TmaSwizzle::b128 || swizzle == TmaSwizzle::b128_atom32) return true;
    return swizzle == TmaSwizzle::b128_atom64 && type == TmaType::u6_align16 && use == TmaUse::store;
}

/// The mode whose exchange of address bits is this one; `none` for a swizzle of no bits. `errc::no_layout` where no mode has it.
constexpr Result<TmaSwizzle> tma_swizzle(const Swizzle& swizzle) noexcept
{
    if (swizzle.bits == 0) return TmaSwizzle::none;
    for (int i = 1; i < tma_swizzle_count; ++i)
        if (tma_swizzles[i].is_xor && tma_swizzles[i].swizzle == swizzle) return static_cast<TmaSwizzle>(i);
    return Error(
        errc::no_layout, -1,
        "swizzle<{0},{1},{2}> is not one of a tensor map: they are <1,4,3>, <2,4,3>, <3,4,3>, and from sm100 <2,5,2> and <1,6,1>",
        swizzle.bits, swizzle.base, swizzle.shift);
}

} // namespace v0
} // namespace axe

#endif
