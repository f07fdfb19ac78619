// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_PROGRAMS_DRAWS_HPP
#define AXE_TESTS_PROGRAMS_DRAWS_HPP

#include <axe/program/operators.hpp>
#include <tests/programs/writer.hpp>

/// Types, extents, functions and grids, drawn.
namespace programs {

inline DType one_of(Random& r, std::initializer_list<DType> types)
{
    return types.begin()[r.in(0, static_cast<Int>(types.size()) - 1)];
}
/// Engines compute with fewer types than lanes: others are asked of them now and then.
inline bool asks_much(Writer& w) { return !w.engines || w.once_in(12); }
inline DType engine_type(Random& r)
{
    return one_of(r, {DType::f32, DType::f32, DType::f16, DType::bf16, DType::i32, DType::i16, DType::i8, DType::u8});
}
inline DType any_type(Writer& w) { return asks_much(w) ? static_cast<DType>(w.r.in(0, axe::dtype_count - 1)) : engine_type(w.r); }
inline DType usual_type(Writer& w)
{
    if (!asks_much(w)) return engine_type(w.r);
    return one_of(w.r, {DType::f32, DType::f32, DType::f16, DType::bf16, DType::f64, DType::i32, DType::i8});
}

/// Mostly odd extents, powers of two, and 1.
inline Int random_extent(Random& r, Int most)
{
    constexpr Int some[] = {1, 2, 3, 4, 5, 7, 8, 11, 13, 16, 17, 24, 31, 32, 33, 37, 64};
    while (true)
        if (const Int n = some[r.in(0, 16)]; n <= most) return n;
}

inline Shape random_shape(Random& r, int least, int most, Int elements)
{
    Shape out;
    const int rank = static_cast<int>(r.in(least, most));
    for (int d = 0; d < rank; ++d) {
        const Int n = random_extent(r, elements);
        out.push_back(n);
        elements /= n;
    }
    return out;
}

/// A grid over a shape, in tiles that often do not divide it; `body` is given D's dimensions and the form that was drawn. Where
/// `alone`, the operator may be one agent's or one lane's.
inline void over_tiles(Writer& w, Shape shape, const std::function<void(Scope, const std::vector<Dim>&, Form)>& body,
                       bool alone = true)
{
    Random& r = w.r;
    auto form = static_cast<Form>(r.in(0, w.engines ? 2 : 7) % (alone ? 6 : 4));
    if (w.devices > 1 && r.one_in(2)) form = Form::plain;
    // Engines begin at partition 0, 32, …: pieces are of what lies along the partitions.
    if (w.engines) {
        w.plain = !r.one_in(3);
        w.along = shape.size() - 1;
        if (shape.size() == 1) form = Form::plain;
    }
    const Int threads = w.agents * w.lanes;
    Shape tile = shape;
    for (int d = 0; d < shape.size(); ++d)
        if (d < w.multiples.size()) {
            tile[d] = (tile[d] + w.multiples[d] - 1) / w.multiples[d] * w.multiples[d];
            if (r.one_in(2)) tile[d] = w.multiples[d] * r.in(1, 2);
            if (form == Form::loop && r.one_in(2)) form = Form::plain;
        } else if (r.one_in(3))
            tile[d] = std::max(r.in(1, shape[d]), (shape[d] + 1) / 2);
    if (form == Form::each_agent || form == Form::each_thread) {
        w.uniform = true;
        const Int group = form == Form::each_agent ? w.agents : threads;
        tile[0] = group * (form == Form::each_agent ? r.in(1, 3) : 1);
        shape[0] = r.one_in(2) ? tile[0] + r.in(1, tile[0]) : tile[0];
    }
    w.k.cta(
        axe::tiles(shape, tile),
        [&](Scope cta, const Tile& t) {
            std::vector<Dim> dims;
            for (int d = 0; d < shape.size(); ++d) dims.push_back({shape[d], t.intervals[static_cast<std::size_t>(d)]});
            body(cta, dims, form);
        },
        w.agents);
}

inline axe::Function random_reduction(Random& r, bool usual = false)
{
    constexpr axe::Function four[] = {axe::Function::add, axe::Function::mul, axe::Function::min, axe::Function::max};
    if (usual) return four[r.in(0, 3)];
    while (true)
        if (const auto f = axe::Function(axe::function_rows[r.in(0, static_cast<int>(std::size(axe::function_rows)) - 1)]);
            f.row().reduces)
            return f;
}

} // namespace programs

#endif
