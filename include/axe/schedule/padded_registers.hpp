// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_PADDED_REGISTERS_HPP
#define AXE_SCHEDULE_PADDED_REGISTERS_HPP

#include <axe/layout/group.hpp>
#include <axe/program/operators.hpp>
#include <axe/program/walk.hpp>
#include <axe/schedule/hint.hpp>
#include <axe/schedule/register_layout.hpp>

/// Tensors in registers whose rows do not divide evenly among the lanes: rows get longer, so that all lanes have a part.
namespace axe {
inline namespace v0 {
namespace detail {

inline Result<HintedLayout, Problem> with_words(const Result<Layout, Problem>& layout, const char* words)
{
    if (!layout) return layout.error();
    HintedLayout out;
    out.layout.layout = *layout;
    out.detail = words;
    return out;
}

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

/// May the tensor's rows be longer than the program says? Where operators take element by element, and where whole rows are reduced;
/// not where a guarded view asks for the edge.
inline bool may_be_padded(const Program& program, int tensor, bool& is_reduced)
{
    const std::int64_t row = program.tensors[static_cast<std::size_t>(tensor)].shape.back();
    bool out = true;
    for_each_statement(program.body, [&](const Statement& s) {
        const auto* o = std::get_if<Operation>(&s.what);
        if (o == nullptr) return;
        const auto is_it = [&](const View& v) { return v.tensor == tensor; };
        if (std::none_of(o->operands.begin(), o->operands.end(), is_it)) return;
        for (const View& v : o->operands) out = out && !(is_it(v) && v.guarded);
        const bool by_element = o->op == Op::fill || o->op == Op::copy || o->op == Op::map;
        const bool reduces = reduces_rows(program, *o, tensor, row);
        is_reduced = is_reduced || reduces;
        out = out && (by_element || reduces);
    });
    return out;
}

/// The hint for registers: as `hinted_register_layout` says, or, where lanes then have fewer registers, with longer rows. Rows that are
/// reduced are to be digits of the layout, as reductions over lanes ask.
inline Result<HintedLayout, Problem> choose_registers(const HintRequest& r)
{
    const ProgramTensor& t = r.tensor();
    const Machine& machine = r.program.machine;
    auto out = with_words(hinted_register_layout(machine, r.place, t), "vectors distributed to the lanes");
    bool is_reduced = false;
    if (!out || t.shape.empty() || !may_be_padded(r.program, r.id, is_reduced)) return out;
    const BlockScopes scopes = block_scopes(machine);
    const std::int64_t row = t.shape.back(), rows = volume(t.shape).value() / row, vector = row_vector(t),
                       threads = scopes.lanes() * (scopes.agent == nullptr ? 1 : r.place.count);
    const auto has_rows = [&](const Layout& layout, const Shape& shape) { return !is_reduced || group(layout, shape).has_value(); };
    std::int64_t registers = has_rows(out->layout.layout, t.shape) ? registers_of(machine, out->layout.layout) : 0;
    // All lanes together have whole vectors of all rows; or of each row.
    for (const std::int64_t unit : {vector * (threads / std::gcd(rows, threads)), vector * threads}) {
        Shape padded = t.shape;
        std::int64_t elements = 0;
        padded[t.shape.size() - 1] = (row + unit - 1) / unit * unit;
        if (!mul(rows, padded.back(), elements) || (registers > 0 && elements / threads >= registers)) continue;
        const Layout layout = register_layout(machine, r.place, elements, vector);
        if (!has_rows(layout, padded)) continue;
        registers = elements / threads;
        out->layout.layout = layout;
        out->padded = padded;
    }
    if (!out->padded.empty()) out->detail += worded(", rows of {0} padded to {1}", {row, out->padded.back()});
    return out;
}

/// Each reduction over rows of the tensor, which had `row` elements, takes the padding too, after it is filled with what changes no sum.
inline void fill_padding(Program& program, int tensor, std::int64_t row, Body& body)
{
    (void)rewrite(body, [&](Statement& s, Body& out) {
        (void)for_each_body(s, [&](Body& inner) { fill_padding(program, tensor, row, inner); });
        auto* o = std::get_if<Operation>(&s.what);
        if (o == nullptr || !reduces_rows(program, *o, tensor, row)) return out.push_back(std::move(s));
        View& a = o->operands[1];
        const ProgramTensor& t = tensor_of(program, a);
        const int last = t.shape.size() - 1;
        Operation fill;
        fill.op = Op::fill;
        fill.operands = {a};
        fill.number = is_float(t.dtype) ? o->function.row().neutral : static_cast<double>(o->function.row().neutral_integer);
        for (int k = 0; k < a.rank(); ++k)
            if (a.dims[k] == last) {
                fill.operands[0].origin[static_cast<std::size_t>(last)] = Affine(row);
                fill.operands[0].extents[k] = t.shape[last] - row;
                a.extents[k] = t.shape[last];
            }
        out.push_back({s.id, std::move(fill)});
        out.push_back(std::move(s));
    });
}
inline void fill_padding(Program& program, int tensor, std::int64_t row) { fill_padding(program, tensor, row, program.body); }

} // namespace detail
} // namespace v0
} // namespace axe

#endif
