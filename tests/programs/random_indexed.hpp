// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_PROGRAMS_RANDOM_INDEXED_HPP
#define AXE_TESTS_PROGRAMS_RANDOM_INDEXED_HPP

#include <tests/programs/random_sums.hpp>

/// Operators of rows: places that data give in several dimensions, prefixes, indices as numbers, votes of lanes.
namespace programs {

/// An index or mask for a gather or scatter, in registers now and then.
inline ViewRef random_index(Writer& w, Scope cta, const std::vector<Dim>& dims, DType type, const std::string& called)
{
    return w.given(cta,
                   w.r.one_in(8)   ? w.somewhere()
                   : w.r.one_in(2) ? Writer::Kept::shared
                                   : Writer::Kept::outside,
                   dims, type, called);
}
inline std::vector<ViewRef> first_rows(const std::vector<ViewRef>& views, const Interval& rows)
{
    std::vector<ViewRef> out;
    for (const ViewRef& v : views) out.push_back(Writer::part(v, 0, rows));
    return out;
}

inline void write_gather_at(Writer& w)
{
    Random& r = w.r;
    const DType type = usual_type(w);
    const bool masked = r.one_in(2);
    const Int count = r.in(1, 3);
    over_tiles(
        w, random_shape(r, 1, 3, 60),
        [&](Scope cta, const std::vector<Dim>& dims, Form form) {
            w.along = 0;
            const auto d = w.taken(cta, w.somewhere(), dims, type, false);
            // The first dimensions of D are the indices', the others those of a row; all may be the indices'.
            const auto behind = dims.begin() + r.in(1, static_cast<Int>(dims.size()));
            const std::vector<Dim> of_index(dims.begin(), behind);
            std::vector<Dim> table(static_cast<std::size_t>(count), whole(table_rows));
            table.insert(table.end(), behind, dims.end());
            const ViewRef a = w.given(cta, r.one_in(2) ? Writer::Kept::shared : Writer::Kept::outside, table, type, "A");
            std::vector<ViewRef> indices;
            for (Int i = 0; i < count; ++i)
                indices.push_back(random_index(w, cta, of_index, DType::i32, "index" + std::to_string(i)));
            const ViewRef mask =
                masked ? random_index(w, cta, of_index, one_of(r, {DType::i32, DType::b1, DType::u8}), "M") : indices[0];
            write(w, cta, form, w.along_extent(dims), [&](Scope s, const Interval& rows) {
                axe::Masked where;
                if (masked) where = {Writer::part(mask, 0, rows), static_cast<double>(r.in(0, 1))};
                s.gather_at(Writer::part(d.view, 0, rows), a, first_rows(indices, rows), where);
            });
            w.give_back(cta, d);
        },
        false);
}

/// Each place is written once: an index is 0, 1, … in some order, less than 13 of them.
inline void write_scatter_at(Writer& w)
{
    Random& r = w.r;
    const DType type = usual_type(w);
    Shape shape = random_shape(r, 1, 2, 60);
    if (shape[0] > table_rows) shape[0] = r.in(1, table_rows);
    const bool masked = r.one_in(2);
    const Int count = r.in(1, 3);
    w.k.cta(
        axe::tiles(Shape{1}, Shape{1}),
        [&](Scope cta, const Tile&) {
            std::vector<Dim> dims;
            for (const Int n : shape) dims.push_back(whole(n));
            const std::vector<Dim> of_index{dims[0]};
            std::vector<Dim> table(static_cast<std::size_t>(count), whole(table_rows));
            table.insert(table.end(), dims.begin() + 1, dims.end());
            const auto d = w.taken(cta, r.one_in(2) ? Writer::Kept::shared : Writer::Kept::outside, table, type, true);
            const ViewRef a = w.given(cta, w.somewhere(), dims, type, "A");
            std::vector<ViewRef> indices;
            for (Int i = 0; i < count; ++i)
                indices.push_back(random_index(w, cta, of_index, DType::i32, "index" + std::to_string(i)));
            const ViewRef mask = masked ? random_index(w, cta, of_index, DType::i32, "M") : indices[0];
            write(w, cta, static_cast<Form>(r.in(0, w.engines ? 1 : 3)), dims[0].here(), [&](Scope s, const Interval& rows) {
                std::optional<ViewRef> where;
                if (masked) where = Writer::part(mask, 0, rows);
                s.scatter_at(d.view, first_rows(indices, rows), Writer::part(a, 0, rows), where);
            });
            w.give_back(cta, d);
        },
        w.agents);
}

/// Rows of their own, so that what was there before does not depend on who comes first; or any rows, without what was there.
inline void write_atomic_rows(Writer& w)
{
    Random& r = w.r;
    constexpr axe::Function functions[] = {axe::Function::add,     axe::Function::min,    axe::Function::max,
                                           axe::Function::bit_and, axe::Function::bit_or, axe::Function::bit_xor};
    const bool exchanges = r.one_in(3), gives = exchanges || r.one_in(2), masked = r.one_in(3);
    const axe::Function f = functions[r.in(0, 5)];
    const DType type = f.row().domain == axe::Domain::bits ? DType::i32 : one_of(r, {DType::f32, DType::i32});
    Shape shape = random_shape(r, 1, 2, 60);
    if (gives && shape[0] > table_rows) shape[0] = r.in(1, table_rows);
    w.k.cta(
        axe::tiles(Shape{1}, Shape{1}),
        [&](Scope cta, const Tile&) {
            std::vector<Dim> dims;
            for (const Int n : shape) dims.push_back(whole(n));
            std::vector<Dim> table = dims;
            table[0] = whole(table_rows);
            const auto d = w.taken(cta, r.one_in(2) ? Writer::Kept::shared : Writer::Kept::outside, table, type, true);
            const ViewRef a = w.given(cta, w.somewhere(), dims, type, "A");
            const ViewRef at = random_index(w, cta, {dims[0]}, DType::i32, "index");
            std::optional<ViewRef> where;
            if (masked) where = random_index(w, cta, {dims[0]}, one_of(r, {DType::i32, DType::b1, DType::u8}), "M");
            if (gives) {
                const ViewRef old = cta.alloc(Role::registers, shape, type, axe::LayoutHint::registers, "old");
                const ViewRef out = w.outside(axe::Binding::inout, dims, type, "before");
                cta.copy(old, out);
                if (exchanges)
                    cta.compare_exchange_at(d.view, {at}, a, old, where);
                else
                    cta.atomic_at(f, d.view, {at}, a, old, where);
                cta.copy(out, old);
            } else {
                write(w, cta, static_cast<Form>(r.in(0, w.engines ? 1 : 3)), dims[0].here(), [&](Scope s, const Interval& rows) {
                    std::optional<ViewRef> part;
                    if (where) part = Writer::part(*where, 0, rows);
                    s.atomic_at(f, d.view, {Writer::part(at, 0, rows)}, Writer::part(a, 0, rows), {}, part);
                });
            }
            w.give_back(cta, d);
        },
        w.agents);
}

/// Scans, in place now and then, and the index of each element.
inline void write_scan(Writer& w)
{
    Random& r = w.r;
    constexpr axe::Function functions[] = {axe::Function::add, axe::Function::max, axe::Function::min, axe::Function::mul};
    const axe::Function f = functions[r.in(0, r.one_in(6) ? 3 : 2)];
    const DType type = one_of(r, {DType::f32, DType::f32, DType::f16, DType::i32});
    const DType sum = type == DType::f16 && r.one_in(2) ? DType::f32 : type;
    const bool exclusive = r.one_in(3), indices = r.one_in(4), in_place = sum == type && !indices && r.one_in(4);
    over_tiles(
        w, random_shape(r, 1, 3, f == axe::Function::mul ? 8 : 200),
        [&](Scope cta, const std::vector<Dim>& dims, Form form) {
            const auto d = w.taken(cta, w.somewhere(), dims, sum, in_place);
            const ViewRef a = in_place || indices ? d.view : w.given(cta, w.somewhere(), dims, type, "A");
            const int axis = static_cast<int>(r.in(0, static_cast<Int>(dims.size()) - 1));
            write(w, cta, form, w.along_extent(dims), [&](Scope s, const Interval& rows) {
                const ViewRef to = Writer::part(d.view, w.along, rows);
                if (indices)
                    s.iota(to, axis, axis == w.along ? rows.begin : dims[static_cast<std::size_t>(axis)].part.begin);
                else
                    s.scan(f, to, Writer::part(a, w.along, rows), axis, exclusive);
            });
            w.give_back(cta, d);
        },
        false);
}

/// The lanes of each warp vote; one warp does something only where its vote says so.
inline void write_vote(Writer& w)
{
    Random& r = w.r;
    if (w.engines || w.lanes == 1) return write_reduce(w);
    constexpr axe::Function votes[] = {axe::Function::max, axe::Function::min, axe::Function::bit_or};
    const axe::Function f = votes[r.in(0, 2)];
    const std::vector<Dim> dims{whole(w.agents), whole(w.lanes)};
    const axe::Layout each{{{w.agents, 1, "warp"}, {w.lanes, 1, "lane"}}},
        of_warps{{{w.agents, 1, "warp"}}, {{w.lanes, 1, "lane"}}, {}};
    w.k.cta(
        axe::tiles(Shape{1}, Shape{1}),
        [&](Scope cta, const Tile&) {
            const auto d = w.taken(cta, r.one_in(2) ? Writer::Kept::shared : Writer::Kept::outside, {dims[0]}, DType::i32, true);
            const ViewRef a = w.outside(axe::Binding::input, dims, r.one_in(2) ? DType::b1 : DType::i32, "A");
            const auto x = cta.alloc(Role::registers, {w.agents, w.lanes}, DType::i32, each, "x");
            const auto vote = cta.alloc(Role::registers, {w.agents}, DType::i32, of_warps, "vote");
            cta.copy(x, a).reduce(f, vote, x, {1});
            const auto one = static_cast<int>(r.in(0, w.agents - 1));
            cta.sync();
            if (r.one_in(2))
                cta.copy(d.view, vote);
            else
                cta.warps(one, 1, [&](Scope warp) {
                    warp.when(
                        axe::Expression(0.0) < load(vote(one)), [&] { warp.fill(d.view, 3); },
                        [&] {
                            if (r.one_in(2)) warp.copy(Writer::part(d.view, 0, Interval(one, 1)), vote(Interval(one, 1)));
                        });
                });
            w.give_back(cta, d);
        },
        w.agents);
}

/// Products with scales, in steps of K or at once.
inline void write_scaled_gemm(Writer& w)
{
    Random& r = w.r;
    const DType type = one_of(r, {DType::f16, DType::f16, DType::bf16, DType::e4m3, DType::f32});
    const Int depth = 16 * r.in(1, 4), part = r.one_in(3) ? depth : r.one_in(2) ? 16 : depth / (depth % 32 == 0 ? 2 : 1);
    const Shape shape = {random_extent(r, 37), random_extent(r, 33)};
    const Scope::Gemm how{r.one_in(2), r.one_in(3), r.one_in(3)};
    const auto divisor = [&](Int n) { return r.one_in(2) ? Int{1} : n; }; // one scale for all rows, or for each
    if (!w.engines && !r.one_in(4)) w.multiples = {16, 8};
    over_tiles(
        w, shape,
        [&](Scope cta, const std::vector<Dim>& dims, Form) {
            w.plain = true;
            const ViewRef out = w.outside(how.accumulate ? axe::Binding::inout : axe::Binding::output, dims, DType::f32, "D");
            const ViewRef acc = cta.alloc(Role::accumulator, here(dims), DType::f32, axe::accumulator, "acc");
            if (how.accumulate) cta.copy(acc, out).sync();
            const auto kept = [&] { return r.one_in(4) ? Writer::Kept::outside : Writer::Kept::shared; };
            const auto operand = [&](const Dim& rows, Int k, bool swapped, DType of, const char* called) {
                return w.given(cta, kept(), swapped ? std::vector<Dim>{whole(k), rows} : std::vector<Dim>{rows, whole(k)}, of,
                               called);
            };
            const DType of_scales = one_of(r, {DType::f32, DType::e8m0});
            const Int m = divisor(dims[0].here()), n = divisor(dims[1].here());
            const auto scales_of = [&](Int rows, const Dim& like) { return rows == 1 ? whole(1) : like; };
            const ViewRef a = operand(dims[0], depth, how.transpose_a, type, "A");
            const ViewRef b = operand(dims[1], depth, !how.transpose_b, type, "B");
            const ViewRef sfa = operand(scales_of(m, dims[0]), depth / part, how.transpose_a, of_scales, "SFA");
            const ViewRef sfb = operand(scales_of(n, dims[1]), r.one_in(2) ? 1 : depth / part, !how.transpose_b, of_scales, "SFB");
            cta.scaled_gemm(acc, a, b, sfa, sfb, how).sync().copy(out, acc);
        },
        false);
}

} // namespace programs

#endif
