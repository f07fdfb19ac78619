// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_LINEAR_ENCODINGS_TENSOR_MEMORY_HPP
#define AXE_INTEROP_LINEAR_ENCODINGS_TENSOR_MEMORY_HPP

#include <axe/interop/linear/encodings/builder.hpp>
#include <axe/interop/linear/errors.hpp>

namespace axe {
inline namespace v0 {
namespace linear {

/// A matrix in Blackwell's tensor memory (128 rows), in pieces of block_m × block_n; an element takes `column_stride` columns.
struct TensorMemoryEncoding {
    int block_m = 128, block_n = 128, column_stride = 1;
};
/// The scales of block-scaled products there: 32 rows, the same for each of 4 warps.
struct TensorMemoryScalesEncoding {};

namespace detail {

struct TensorMemoryBits {
    InlineVector<std::uint64_t, LinearLayout::max_bits> row{}, column{};
    int m, n; ///< log2 of the matrix
    constexpr std::uint64_t at(int d, int bit) const noexcept
    {
        return bit >= (d == 0 ? m : n) ? 0 : std::uint64_t{1} << (d == 0 ? bit : m + bit);
    }
    constexpr Result<LinearLayout> layout() const noexcept
    {
        LinearLayout out;
        out.in = {{"row", row.size()}, {"col", column.size()}};
        out.out = {{tensor_dim(0), m}, {tensor_dim(1), n}};
        bool room = true;
        for (const auto* list : {&row, &column})
            for (const std::uint64_t basis : *list) room = out.bases.push_back(basis) && room;
        if (!room) return bits_capacity();
        return out;
    }
};

constexpr Status read_matrix(const Shape& tensor, TensorMemoryBits& bits) noexcept
{
    if (tensor.size() != 2)
        return Error(errc::rank_mismatch, -1, "tensor memory holds matrices; this tensor has {0} dimensions", tensor.size());
    for (int d = 0; d < 2; ++d)
        if (exponent(tensor[d]) < 0) return no_power_of_two(d, tensor[d]);
    bits.m = exponent(tensor[0]);
    bits.n = exponent(tensor[1]);
    if (bits.m + bits.n > LinearLayout::max_bits) return tensor_capacity(bits.m + bits.n);
    return {};
}

} // namespace detail

/// (row, col) → matrix. Rows of a piece of 128 are rows; of a piece of 64, rows 0–15 and 32–47, … with the next piece in between:
///
///   block_m = 64:  row bits 0–3 → rows 1–8;  bit 4 → the next 64 rows, else the next block_n columns, else nowhere;  bits 5, 6 → rows 16, 32
///
/// Columns are those of the piece, `column_stride` apart, then of the other pieces, by rows first. Errors: `errc::bad_argument` for other
/// pieces; `errc::bad_extent` for a matrix that is smaller than one. Cost: linear in the bits.      [Triton, TensorMemoryEncodingAttr;
/// PTX ISA, tcgen05 data path layouts]
constexpr Result<LinearLayout> to_linear_layout(const TensorMemoryEncoding& encoding, const Shape& tensor) noexcept
{
    detail::TensorMemoryBits bits;
    if (const Status e = detail::read_matrix(tensor, bits); !e.ok()) return e;
    const int stride = detail::exponent(encoding.column_stride), wide = detail::exponent(encoding.block_n);
    if (encoding.block_m != 64 && encoding.block_m != 128)
        return Error(errc::bad_argument, -1, "a piece of tensor memory has 64 or 128 rows, got {0}", encoding.block_m);
    if (stride < 0 || wide < 0)
        return Error(errc::bad_extent, -1, "columns and their stride must be powers of two, got {0} and {1}", encoding.block_n,
                     encoding.column_stride);
    if (tensor[0] < encoding.block_m)
        return Error(errc::bad_extent, 0, "a matrix of {0} rows is smaller than a piece of {1}", tensor[0], encoding.block_m);
    int n = wide < bits.n ? wide : bits.n, m = encoding.block_m == 64 ? 6 : 7;
    for (int i = 0; i < stride; ++i) bits.column.push_back(0);
    for (int i = 0; i < n; ++i) bits.column.push_back(bits.at(1, i));
    if (m == 7) {
        for (int i = 0; i < 7; ++i) bits.row.push_back(bits.at(0, i));
    } else {
        for (int i = 0; i < 4; ++i) bits.row.push_back(bits.at(0, i));
        if (bits.m > 6)
            bits.row.push_back(bits.at(0, m++));
        else
            bits.row.push_back(bits.at(1, n < bits.n ? n++ : bits.n));
        bits.row.push_back(bits.at(0, 4));
        bits.row.push_back(bits.at(0, 5));
    }
    for (; m < bits.m; ++m) bits.column.push_back(bits.at(0, m));
    for (; n < bits.n; ++n) bits.column.push_back(bits.at(1, n));
    return bits.layout();
}

/// (row, col) → matrix: rows 0–31, the same for each of 4 warps; 4 columns, then two of 32 rows, then what is left, by rows first; what
/// the matrix does not have goes nowhere.      [Triton, TensorMemoryScalesEncodingAttr; PTX ISA, tcgen05 scale factors]
constexpr Result<LinearLayout> to_linear_layout(const TensorMemoryScalesEncoding&, const Shape& tensor) noexcept
{
    detail::TensorMemoryBits bits;
    if (const Status e = detail::read_matrix(tensor, bits); !e.ok()) return e;
    for (int i = 0; i < 5; ++i) bits.row.push_back(bits.at(0, i));
    for (int i = 0; i < 2; ++i) bits.row.push_back(0);
    for (int i = 0; i < 2; ++i) bits.column.push_back(bits.at(1, i));
    bits.column.push_back(bits.at(0, 5));
    for (int i = 6; i < bits.m; ++i) bits.column.push_back(bits.at(0, i));
    for (int i = 2; i < bits.n; ++i) bits.column.push_back(bits.at(1, i));
    return bits.layout();
}

} // namespace linear
} // namespace v0
} // namespace axe

#endif
