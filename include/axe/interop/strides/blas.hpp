// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_STRIDES_BLAS_HPP
#define AXE_INTEROP_STRIDES_BLAS_HPP

#include <axe/interop/strides/strided.hpp>

namespace axe {
inline namespace v0 {

/// Dense matrices and vectors as BLAS and LAPACK take them. Packed, banded and triangular storage are not covered.
namespace blas {

enum class Order : std::uint8_t { column_major, row_major }; ///< Fortran's, and CBLAS's other one
enum class Transpose : std::uint8_t { no, yes };             ///< 'N' and 'T'

/// An operand op(A) of a product, of `rows` × `columns` after the transposition:
///
///   op(A)(i, j) is at  offset + i + j·ld   (column-major, no; row-major, yes)
///                      offset + j + i·ld   (column-major, yes; row-major, no)
struct Matrix {
    std::int64_t rows = 1, columns = 1;
    Order order = Order::column_major;
    Transpose transpose = Transpose::no;
    std::int64_t ld = 1;
    std::int64_t offset = 0; ///< of the pointer that is passed, from address 0

    friend constexpr bool operator==(const Matrix&, const Matrix&) = default;
};

/// A vector: element i is at  start + i·inc  with inc > 0, and at  start + (i−n+1)·inc  with inc < 0: a routine is given the least
/// address, `start`, either way.
struct Vector {
    std::int64_t size = 1;
    std::int64_t inc = 1;
    std::int64_t start = 0;

    friend constexpr bool operator==(const Vector&, const Vector&) = default;
};

/// The greatest leading dimension and increment of a library whose integers have 32 bits (LP64); pass 2^63−1 for ILP64.
inline constexpr std::int64_t lp64 = 2147483647;

namespace detail {

/// Does the first index of op(A) run fastest?
constexpr bool rows_fastest(const Matrix& m) noexcept { return (m.order == Order::column_major) == (m.transpose == Transpose::no); }

} // namespace detail

/// The layout of op(A) on the shape (rows, columns).
///
/// `errc::bad_argument` when the leading dimension is less than max(1, the fast extent), which is what a BLAS rejects;
/// `errc::bad_extent` for an empty matrix, `errc::overflow`.      [BLAS: DGEMM, argument LDA]
constexpr Result<Layout> to_axe(const Matrix& m, const Axis& axis = {}) noexcept
{
    const bool down = detail::rows_fastest(m);
    const std::int64_t fast = down ? m.rows : m.columns;
    if (m.ld < 1 || m.ld < fast)
        return Error(errc::bad_argument, -1, "the leading dimension is {0}; it must be at least {1}", m.ld, fast < 1 ? 1 : fast);
    return axe::to_axe(Strided{{m.rows, m.columns},
                               down ? InlineVector<std::int64_t, max_rank>{1, m.ld} : InlineVector<std::int64_t, max_rank>{m.ld, 1},
                               m.offset},
                       axis);
}

/// How a routine is told of an operand: the transposition and the leading dimension of a layout on (rows, columns).
///
/// Exists iff one of the strides is 1 (or its extent is 1) and the other is a leading dimension: at least the fast extent, and not
/// beyond `most`. Where both ways will do, no transposition. `errc::no_layout` says which of these fails; `errc::rank_mismatch`
/// for a shape that is not a matrix; else as `to_strided`.
constexpr Result<Matrix> matrix(const Layout& layout, const Shape& shape, Order order = Order::column_major,
                                std::int64_t most = lp64, const Axis& axis = {}) noexcept
{
    if (shape.size() != 2) return Error(errc::rank_mismatch, -1, "a matrix has 2 dimensions, the shape {0}", shape.size());
    const auto array = to_strided(layout, shape, axis);
    if (!array) return array.error();
    Result<Matrix> result(Matrix{shape[0], shape[1], order, Transpose::no, 1, array->offset});
    Error why;
    for (const Transpose t : {Transpose::no, Transpose::yes}) {
        result->transpose = t;
        const int fast = detail::rows_fastest(*result) ? 0 : 1;
        const std::int64_t extent = shape[fast], step = array->strides[1 - fast];
        if (extent > 1 && array->strides[fast] != 1) continue;
        result->ld = shape[1 - fast] > 1 ? step : extent;
        if (result->ld < extent) {
            if (why.ok())
                why = Error(errc::no_layout, 1 - fast,
                            "the stride {0} of dimension {1} is not a leading dimension; it must be at least {2}", step, 1 - fast,
                            extent);
        } else if (result->ld > most) {
            if (why.ok())
                why = Error(errc::no_layout, 1 - fast, "the leading dimension {0} exceeds {1}, the largest integer of the routine",
                            result->ld, most);
        } else {
            return result;
        }
    }
    if (!why.ok()) return why;
    return Error(errc::no_layout, -1, "neither stride is 1: they are {0} and {1}", array->strides[0], array->strides[1]);
}

/// The layout of a vector. `errc::bad_argument` for an increment of 0, `errc::bad_extent`, `errc::overflow`.
constexpr Result<Layout> to_axe(const Vector& v, const Axis& axis = {}) noexcept
{
    if (v.inc == 0) return Error(errc::bad_argument, -1, "the increment of the vector is 0; it must not be 0");
    Strided array{{v.size}, {v.inc}, v.start};
    std::int64_t footprint = 0;
    if (v.size >= 1 && v.inc < 0 &&
        (!axe::detail::mul(v.size - 1, v.inc, footprint) || !axe::detail::sub(v.start, footprint, array.offset)))
        return Error(errc::overflow, -1, "the addresses of the vector overflow");
    return axe::to_axe(array, axis);
}

/// The increment and the pointer of a layout on (n).
///
/// Exists iff it moves with one stride other than 0, within ±`most` (`errc::no_layout`); `errc::rank_mismatch`; else as `to_strided`.
constexpr Result<Vector> vector(const Layout& layout, const Shape& shape, std::int64_t most = lp64, const Axis& axis = {}) noexcept
{
    if (shape.size() != 1) return Error(errc::rank_mismatch, -1, "a vector has 1 dimension, the shape {0}", shape.size());
    const auto array = to_strided(layout, shape, axis);
    if (!array) return array.error();
    const std::int64_t inc = array->strides[0];
    if (inc == 0) return Error(errc::no_layout, 0, "a vector that repeats one element has no increment");
    if (inc > most || inc < -most)
        return Error(errc::no_layout, 0, "the increment {0} exceeds {1}, the largest integer of the routine", inc, most);
    // The footprint of a checked layout fits.
    return Vector{shape[0], inc, inc < 0 ? array->offset + (shape[0] - 1) * inc : array->offset};
}

} // namespace blas
} // namespace v0
} // namespace axe

#endif
