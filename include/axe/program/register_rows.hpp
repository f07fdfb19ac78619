// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_REGISTER_ROWS_HPP
#define AXE_PROGRAM_REGISTER_ROWS_HPP

#include <axe/layout/group.hpp>
#include <axe/program/operators.hpp>
#include <axe/program/walk.hpp>

#include <numeric>

/// How rows of a tensor are spread over lanes, a layout of which the program leaves to the schedules: what `validate` asks the room for,
/// and the schedules of machines with lanes choose.
namespace axe {
inline namespace v0 {

/// What the operators of a program do with the last dimension of a tensor.
struct RowUse {
    bool may_be_padded = true; ///< they take element by element, or reduce whole rows, and no guarded view asks for the edge
    bool is_reduced = false;   ///< some reduce whole rows
};

/// The reduction reads all of the tensor's last dimension, and reduces over it: `row` elements, which more may follow.
inline bool reduces_rows(const Program& program, const Operation& o, int tensor, std::int64_t row)
{
    if (!(o.op == Op::reduce) || o.operands.size() != 2 || o.operands[1].tensor != tensor || o.operands[0].tensor == tensor)
        return false;
    const View& a = o.operands[1];
    const DType type = tensor_of(program, a).dtype;
    if (!o.function.row().reduces || (!is_float(type) && storage_bytes(type) > 4)) return false;
    const int last = tensor_of(program, a).shape.size() - 1;
    int over = -1, views = 0;
    for (int k = 0; k < a.rank(); ++k)
        if (a.dims[k] == last) over = k, ++views;
    return views == 1 && a.extents[over] == row && a.steps[over] == 1 && a.origin[static_cast<std::size_t>(last)] == Affine(0) &&
           std::find(o.axes.begin(), o.axes.end(), over) != o.axes.end();
}

/// Does a tensor have the hint for registers?
inline bool spreads_rows(const Program& program)
{
    return std::any_of(program.tensors.begin(), program.tensors.end(),
                       [](const ProgramTensor& t) { return t.hint == LayoutHint::registers; });
}

/// Of all tensors, by number. The program's views need not be sound. Cost: one walk over the program.
inline std::vector<RowUse> row_uses(const Program& program)
{
    std::vector<RowUse> out(program.tensors.size());
    for_each_statement(program.body, [&](const Statement& s) {
        const auto* o = std::get_if<Operation>(&s.what);
        if (o == nullptr) return;
        const bool by_element = o->op == Op::fill || o->op == Op::copy || o->op == Op::map;
        for (const View& v : o->operands) {
            if (v.tensor < 0 || static_cast<std::size_t>(v.tensor) >= out.size()) continue;
            const ProgramTensor& t = program.tensors[static_cast<std::size_t>(v.tensor)];
            const bool sound = !t.shape.empty() && static_cast<int>(v.origin.size()) == t.shape.size() &&
                               v.dims.size() == v.rank() && v.steps.size() == v.rank();
            const bool reduces = sound && reduces_rows(program, *o, v.tensor, t.shape.back());
            RowUse& use = out[static_cast<std::size_t>(v.tensor)];
            use.is_reduced = use.is_reduced || reduces;
            use.may_be_padded = use.may_be_padded && !v.guarded && (by_element || reduces);
        }
    });
    return out;
}

/// The most of `threads` lanes, whole agents if it is more than one, that have as many of `vectors` each.
constexpr std::int64_t even_threads(std::int64_t vectors, std::int64_t threads, std::int64_t lanes)
{
    while (vectors % threads != 0 || (threads > lanes && threads % lanes != 0)) --threads;
    return threads;
}

/// The row that a row becomes so that all lanes have whole vectors of `v`: of all rows together, or (`each`) of each row.
constexpr std::int64_t padded_row(std::int64_t rows, std::int64_t row, std::int64_t v, std::int64_t threads, bool each)
{
    const std::int64_t unit = v * (each ? threads : threads / std::gcd(rows, threads));
    return (row + unit - 1) / unit * unit;
}

/// Are rows digits of the layout that spreads a tensor of this shape over lanes, as reductions over lanes ask?
inline bool has_rows(const Shape& shape, std::int64_t v, std::int64_t threads, std::int64_t lanes)
{
    const std::int64_t vectors = volume(shape).value_or(0) / v, width = std::min(threads, lanes);
    Layout out;
    out.shard = {
        {vectors / threads, v, Axis{"reg"}}, {threads / width, 1, Axis{"agent"}}, {width, 1, Axis{"lane"}}, {v, 1, Axis{"reg"}}};
    return group(out, shape).has_value();
}

/// The fewest elements of a lane: those of its shape, which is not empty, or of longer rows. Cost: linear in the lanes.
inline std::int64_t least_spread(const Shape& shape, const RowUse& use, std::int64_t threads, std::int64_t lanes)
{
    const std::int64_t n = volume(shape).value_or(0), row = shape.back(), rows = n / row, even = even_threads(n, threads, lanes);
    const bool fits = !use.is_reduced || has_rows(shape, 1, even, lanes);
    std::int64_t least = fits ? n / even : 0;
    for (const bool each : {false, true}) {
        if (!use.may_be_padded) break;
        Shape padded = shape;
        padded[shape.size() - 1] = padded_row(rows, row, 1, threads, each);
        std::int64_t elements = 0;
        if (!detail::mul(rows, padded.back(), elements) || (use.is_reduced && !has_rows(padded, 1, threads, lanes))) continue;
        if (least == 0 || elements / threads < least) least = elements / threads;
    }
    return least == 0 ? n / even : least;
}

} // namespace v0
} // namespace axe

#endif
