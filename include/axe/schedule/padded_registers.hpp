// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_PADDED_REGISTERS_HPP
#define AXE_SCHEDULE_PADDED_REGISTERS_HPP

#include <axe/program/register_rows.hpp>
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

/// The hint for registers: as `register_layout` says, or, where lanes then have fewer registers, with longer rows. Rows that are reduced
/// are to be digits of the layout, as reductions over lanes ask. Vectors are as wide as the rows allow; where the request asks for the
/// least registers, as wide as that leaves them.
inline Result<HintedLayout, Problem> choose_registers(const HintRequest& r)
{
    const ProgramTensor& t = r.tensor();
    const Machine& machine = r.program.machine;
    const auto n = volume(t.shape);
    if (!n) return Problem(n.error(), t.name + ": ");
    const BlockScopes scopes = block_scopes(machine);
    const std::int64_t lanes = scopes.lanes(), threads = lanes * (scopes.agent == nullptr ? 1 : r.place.count);
    const RowUse use =
        r.rows != nullptr ? (*r.rows)[static_cast<std::size_t>(r.id)] : row_uses(r.program)[static_cast<std::size_t>(r.id)];
    const auto spread = [&](std::int64_t v) {
        HintedLayout out;
        out.layout.layout = register_layout(machine, r.place, *n, v);
        out.detail = "vectors distributed to the lanes";
        if (t.shape.empty() || !use.may_be_padded) return out;
        const std::int64_t row = t.shape.back(), rows = *n / row;
        const auto fits = [&](const Layout& layout, const Shape& shape) {
            return !use.is_reduced || group(layout, shape).has_value();
        };
        std::int64_t registers = fits(out.layout.layout, t.shape) ? registers_of(machine, out.layout.layout) : 0;
        for (const bool each : {false, true}) {
            Shape padded = t.shape;
            std::int64_t elements = 0;
            padded[t.shape.size() - 1] = padded_row(rows, row, v, threads, each);
            if (!mul(rows, padded.back(), elements) || (registers > 0 && elements / threads >= registers)) continue;
            const Layout layout = register_layout(machine, r.place, elements, v);
            if (!fits(layout, padded)) continue;
            registers = elements / threads;
            out.layout.layout = layout;
            out.padded = padded;
        }
        if (!out.padded.empty()) out.detail += worded(", rows of {0} padded to {1}", {row, out.padded.back()});
        return out;
    };
    HintedLayout out = spread(row_vector(t));
    if (!r.least_registers || t.shape.empty()) return out;
    const std::int64_t least = least_spread(t.shape, use, threads, lanes);
    for (std::int64_t v = row_vector(t); v > 1 && registers_of(machine, out.layout.layout) > least;) out = spread(v /= 2);
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
