// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_TCGEN05_SHAPES_HPP
#define AXE_TARGET_NVIDIA_TCGEN05_SHAPES_HPP

#include <axe/machine/find_row.hpp>
#include <axe/support/config.hpp>

#include <cstdint>
#include <string>
#include <string_view>

/// What `tcgen05.ld` and `tcgen05.st` move: boxes of tensor memory, in shapes that say which lane of the warp has what.
namespace axe {
inline namespace v0 {

/// A place in a box of tensor memory: rows are its lanes, columns have 32 bits.
struct TensorBoxPlace {
    int row = 0, column = 0;
    friend constexpr bool operator==(const TensorBoxPlace&, const TensorBoxPlace&) = default;
};

/// A shape of `tcgen05.ld` and `tcgen05.st`, and how much of it `.x1` is; `.xn` is n times as many columns and registers.
struct TensorShape {
    const char* name;
    int rows, columns; ///< of .x1
    int registers;     ///< of each lane, for .x1
    int most;          ///< the greatest n, a power of two
};

/// The shapes, the one with most rows first.      [PTX ISA, tcgen05.ld; CUTLASS 7107b055, cute/atom/copy_traits_sm100.hpp]
inline constexpr TensorShape tensor_shapes[] = {
    {"32x32b", 32, 1, 1, 128},
    {"16x256b", 16, 8, 4, 32},
    {"16x128b", 16, 4, 2, 64},
    {"16x64b", 16, 2, 1, 128},
};

/// What register r of a lane has, of `.xn` for any n.
constexpr TensorBoxPlace tensor_place(const TensorShape& shape, int lane, int r) noexcept
{
    switch (shape.columns) {
    case 1: return {lane, r};
    case 2: return {(lane & 1) * 8 + lane / 4, (lane >> 1 & 1) + 2 * r};
    case 4: return {(r & 1) * 8 + lane / 4, lane % 4 + 4 * (r / 2)};
    default: return {(r >> 1 & 1) * 8 + lane / 4, lane % 4 * 2 + (r & 1) + 8 * (r / 4)};
    }
}

/// The shape and n that the text of an instruction names, as in `tcgen05.ld.32x32b.x4`; a null shape: none.
struct NamedTensorShape {
    const TensorShape* shape = nullptr;
    int n = 0;
};
inline NamedTensorShape tensor_shape_of(std::string_view text)
{
    for (const TensorShape& shape : tensor_shapes) {
        const std::string name = std::string(".") + shape.name + ".x";
        const std::size_t at = text.find(name);
        if (at == std::string_view::npos) continue;
        int n = 0;
        for (const char c : text.substr(at + name.size())) {
            if (c < '0' || c > '9' || n > shape.most) break;
            n = 10 * n + (c - '0');
        }
        if (n >= 1 && n <= shape.most && (n & (n - 1)) == 0) return {&shape, n};
    }
    return {};
}

} // namespace v0
} // namespace axe

#endif
