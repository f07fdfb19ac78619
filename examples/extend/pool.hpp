// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXTEND_POOL_HPP
#define EXTEND_POOL_HPP

#include <axe/program/operators.hpp>
#include <axe/sim/reference/operators.hpp>

namespace brook {

/// pool D, A:  D[i, j] = max(A[2i, 2j], A[2i, 2j + 1], A[2i + 1, 2j], A[2i + 1, 2j + 1]): an operator that the library does not have.
inline axe::Result<void, axe::Problem> check_pool(const axe::Program& program, const axe::Operation& operation)
{
    if (operation.operands.size() != 2) return {axe::errc::bad_argument, "pool takes D and A"};
    const axe::View &d = operation.operands[0], &a = operation.operands[1];
    if (d.rank() != 2 || a.rank() != 2 || a.extents[0] != 2 * d.extents[0] || a.extents[1] != 2 * d.extents[1])
        return {axe::errc::size_mismatch, "A must have twice the rows and twice the columns of D"};
    const auto type = [&](const axe::View& v) { return program.tensors[static_cast<std::size_t>(v.tensor)].dtype; };
    if (type(d) != type(a)) return {axe::errc::bad_argument, "D and A must have one type"};
    return {};
}

/// What it computes, on what the elements of A may be. A maximum rounds nothing, so that exact elements have an exact result.
inline axe::Result<void, axe::Problem> reference_pool(const axe::ref::Operands& o)
{
    const auto a = axe::ref::read(o.box(1));
    if (!a) return a.error();
    const std::int64_t rows = o.box(0).extents[0], columns = o.box(0).extents[1];
    axe::ref::Values out(o.box(0).size());
    for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < columns; ++j) {
            axe::Bounded most = a->at(2 * i * 2 * columns + 2 * j);
            for (const std::int64_t at :
                 {2 * i * 2 * columns + 2 * j + 1, (2 * i + 1) * 2 * columns + 2 * j, (2 * i + 1) * 2 * columns + 2 * j + 1})
                most = axe::ref::greater(most, a->at(at));
            out.set(i * columns + j, most);
        }
    return axe::ref::write(o.box(0), out);
}

inline constexpr axe::Operator pool_row{.name = "pool",
                                        .operands = {"D", "A"},
                                        .meaning = "D[i, j] = max of A[2i…2i+1, 2j…2j+1]",
                                        .check = check_pool,
                                        .reference = reference_pool};
inline constexpr axe::Op pool{pool_row};

} // namespace brook

#endif
