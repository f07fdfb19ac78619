// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_MATRIX_HINTS_HPP
#define AXE_SCHEDULE_MATRIX_HINTS_HPP

#include <axe/schedule/matrix_layouts.hpp>
#include <axe/schedule/uses.hpp>

namespace axe {
inline namespace v0 {

inline Result<Layout, Problem> hinted_matrix_layout(const Program& program, int tensor);

namespace detail {

/// An accumulator is what the first gemm into it asks; without one, what any matrix instruction that writes its type would write.
inline Result<Layout, Problem> hinted_accumulator(const Program& program, int tensor)
{
    const ProgramTensor& t = program.tensors[static_cast<std::size_t>(tensor)];
    const std::vector<Use> uses = uses_of(program, tensor);
    const Use* gemm = nullptr;
    for (const Use& use : uses)
        if (gemm == nullptr && use.operation->op == Op::gemm && use.operation->operands[0].tensor == tensor) gemm = &use;
    const ExecutionScope place = gemm != nullptr ? gemm->place : uses.empty() ? ExecutionScope{} : uses[0].place;
    std::vector<MatrixAtom> known;
    if (gemm != nullptr) {
        const auto type = [&](std::size_t operand) {
            return program.tensors[static_cast<std::size_t>(gemm->operation->operands[operand].tensor)].dtype;
        };
        known = matrix_atoms(program.machine, t.dtype, type(1), type(2));
    } else {
        known = matrix_atoms(program.machine, t.dtype);
    }
    for (const MatrixAtom& atom : known)
        if (auto layout = accumulator_layout(program.machine, place, t.shape, atom)) return layout;
    if (known.empty() || gemm == nullptr) return spread_layout(program.machine, place, t.shape);
    const Problem problem = accumulator_layout(program.machine, place, t.shape, known.back()).error();
    return Problem(problem.code, worded("{0}: {1}", {t.name, problem.text}));
}

/// An operand in registers is what the first gemm that reads it asks: the fragments of its instruction, or copies for the lanes of D.
inline Result<Layout, Problem> hinted_operand(const Program& program, int tensor, MatrixSide side)
{
    const ProgramTensor& t = program.tensors[static_cast<std::size_t>(tensor)];
    const std::size_t at = side == MatrixSide::a ? 1 : 2;
    for (const Use& use : uses_of(program, tensor)) {
        const Operation& gemm = *use.operation;
        if (gemm.op != Op::gemm || gemm.operands[at].tensor != tensor) continue;
        const int d_id = gemm.operands[0].tensor;
        const ProgramTensor& d = program.tensors[static_cast<std::size_t>(d_id)];
        const auto other = program.tensors[static_cast<std::size_t>(gemm.operands[3 - at].tensor)].dtype;
        Result<Layout, Problem> d_layout = d.layout.layout;
        if (d.hint == LayoutHint::accumulator) d_layout = hinted_matrix_layout(program, d_id);
        if (!d_layout) return d_layout;
        const Shape cells = as_matrices(d.shape);
        Shape shape = as_matrices(t.shape);
        const bool transposed = side == MatrixSide::a ? gemm.transpose_a : gemm.transpose_b;
        if (transposed && !shape.empty()) std::swap(shape[1], shape[2]);
        const int kept = side == MatrixSide::a ? 1 : 2, summed = 3 - kept;
        if (cells.empty() || shape.empty() || shape[0] != cells[0] || shape[kept] != cells[kept])
            return Problem(errc::size_mismatch, "{0}: its rows, columns or batch differ from those of {1}", {t.name, d.name});
        const std::int64_t depth = shape[summed];
        const Axis reg = BlockAxes(program.machine).reg;
        Result<Layout> out = operand_layout(*d_layout, cells, side, depth, (side == MatrixSide::a) != transposed, reg);
        for (const MatrixAtom& atom : side == MatrixSide::a ? matrix_atoms(program.machine, d.dtype, t.dtype, other)
                                                            : matrix_atoms(program.machine, d.dtype, other, t.dtype)) {
            if (depth % atom.k() != 0) continue;
            const auto grid = grid_of_tiles(*d_layout, cells, atom);
            if (!grid) continue;
            out = fragment_layout(*grid, Shape{cells[0], cells[1] / atom.m(), cells[2] / atom.n()}, side, depth, atom, reg);
            break;
        }
        if (out && transposed) out = permute(*out, shape, Order{0, 2, 1});
        if (!out) return Problem(out.error(), t.name + ": ");
        return *out;
    }
    return Problem(errc::no_layout, "{0}: no gemm reads it as that operand, so the layout of its fragments is not determined",
                   {t.name});
}

} // namespace detail

/// The layout of a tensor in registers with the hint `accumulator`, `operand_a` or `operand_b`, as its gemms ask.
///
/// `errc::size_mismatch` when an accumulator's extents are not multiples of what the matrix instruction writes, or an operand's are not
/// those of the product; `errc::no_layout` when nothing reads the operand; `errc::bad_argument` for another hint; the errors of the
/// algebra. Cost: a walk over the program, and that of `accumulator_layout`.
inline Result<Layout, Problem> hinted_matrix_layout(const Program& program, int tensor)
{
    const ProgramTensor& t = program.tensors[static_cast<std::size_t>(tensor)];
    switch (t.hint) {
    case LayoutHint::accumulator: return detail::hinted_accumulator(program, tensor);
    case LayoutHint::operand_a: return detail::hinted_operand(program, tensor, MatrixSide::a);
    case LayoutHint::operand_b: return detail::hinted_operand(program, tensor, MatrixSide::b);
    default: return Problem(errc::bad_argument, "{0}: its hint is not for a matrix product", {t.name});
    }
}

} // namespace v0
} // namespace axe

#endif
