// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_PROGRAMS_RANDOM_SUMS_HPP
#define AXE_TESTS_PROGRAMS_RANDOM_SUMS_HPP

#include <tests/programs/draws.hpp>

/// Operators that add up, and those whose places data give.
namespace programs {

inline void write_reduce(Writer& w)
{
    Random& r = w.r;
    const axe::Function f = random_reduction(r, !asks_much(w));
    const bool bits = f.row().domain == axe::Domain::bits;
    const DType type = bits ? one_of(r, {DType::i32, DType::i8, DType::b1}) : usual_type(w);
    const DType sum = !bits && is_float(type) && r.one_in(2) ? DType::f32 : type;
    const bool accumulate = r.one_in(4);
    over_tiles(w, random_shape(r, 1, 2, 40), [&](Scope cta, const std::vector<Dim>& dims, Form form) {
        const auto d = w.taken(cta, w.somewhere(), dims, sum, accumulate);
        std::vector<Dim> all = dims;
        axe::InlineVector<int, axe::max_rank> axes;
        std::vector<char> reduced(dims.size(), 0);
        Int room = 600;
        for (const Dim& n : dims) room /= n.here();
        for (Int i = r.in(1, 2); i > 0; --i) {
            const auto at = r.in(w.engines && !r.one_in(8) ? 1 : 0, static_cast<Int>(all.size()));
            const Int n = random_extent(r, std::max<Int>(1, std::min<Int>(33, room)));
            room /= n;
            all.insert(all.begin() + at, whole(n));
            reduced.insert(reduced.begin() + at, 1);
        }
        int pieces = -1, kept = 0;
        for (int k = 0; k < static_cast<int>(all.size()); ++k) {
            if (reduced[static_cast<std::size_t>(k)] != 0)
                axes.push_back(k);
            else if (kept++ == w.along)
                pieces = k;
        }
        const ViewRef a = w.given(cta, w.somewhere(), all, type, "A");
        write(w, cta, form, w.along_extent(dims), [&](Scope s, const Interval& rows) {
            s.reduce(f, Writer::part(d.view, w.along, rows), Writer::part(a, pieces, rows), axes, accumulate);
        });
        w.give_back(cta, d);
    });
}

inline void write_gemm(Writer& w)
{
    Random& r = w.r;
    constexpr Int kinds = sizeof axe::detail::gemm_types / sizeof axe::detail::gemm_types[0];
    const Int kind = !asks_much(w) ? 2 * r.in(0, 1) : r.one_in(2) ? r.in(0, 2) : r.in(0, kinds - 1);
    const axe::GemmTypes types = axe::detail::gemm_types[static_cast<std::size_t>(kind)];
    const Scope::Gemm how{r.one_in(2), r.one_in(3), r.one_in(3)};
    const Int K = random_extent(r, 33), step = r.one_in(2) ? random_extent(r, 17) : K;
    const bool steps = step < K;
    const Shape shape = {random_extent(r, 37), random_extent(r, 33)};
    if (!w.engines && r.one_in(2)) w.multiples = {16, 8}; // what matrix instructions write
    over_tiles(
        w, shape,
        [&](Scope cta, const std::vector<Dim>& dims, Form form) {
            const bool accumulates = how.accumulate || steps;
            const Int draw = r.in(0, 9);
            w.plain = w.plain || r.one_in(2);
            Writer::Result d = [&] {
                if (w.uniform || (!w.engines && draw < 3)) return w.taken(cta, w.somewhere(), dims, types.d, accumulates);
                const ViewRef out = w.outside(accumulates ? axe::Binding::inout : axe::Binding::output, dims, types.d, "D");
                const ViewRef acc = cta.alloc(Role::accumulator, here(dims), types.d, axe::accumulator, "acc");
                if (accumulates) cta.copy(acc, out).sync();
                return Writer::Result{acc, out, true};
            }();
            const auto kept = [&] { return w.engines || !r.one_in(4) ? Writer::Kept::shared : Writer::Kept::outside; };
            const auto product = [&](const Dim& k) {
                const std::vector<Dim> mk{dims[0], k}, km{k, dims[0]}, kn{k, dims[1]}, nk{dims[1], k};
                const ViewRef a = w.given(cta, kept(), how.transpose_a ? km : mk, types.a, "A");
                const ViewRef b = w.given(cta, kept(), how.transpose_b ? nk : kn, types.b, "B");
                Scope::Gemm one = how;
                one.accumulate = accumulates;
                write(w, cta, form, w.along_extent(dims), [&](Scope s, const Interval& rows) {
                    const bool of_a = w.along == 0;
                    s.gemm(Writer::part(d.view, w.along, rows), of_a ? Writer::part(a, how.transpose_a ? 1 : 0, rows) : a,
                           of_a ? b : Writer::part(b, how.transpose_b ? 0 : 1, rows), one);
                });
                cta.sync();
            };
            if (steps)
                cta.loop(axe::tiles(K, step), [&](const Interval& s) { product({K, s}); });
            else
                product(whole(K));
            w.give_back(cta, d);
        },
        false);
}

inline constexpr Int table_rows = 13; ///< of what is gathered from, and scattered to

inline void write_gather(Writer& w)
{
    Random& r = w.r;
    const DType type = usual_type(w);
    over_tiles(
        w, random_shape(r, 1, 2, 90),
        [&](Scope cta, const std::vector<Dim>& dims, Form form) {
            w.along = 0;
            const auto d = w.taken(cta, w.somewhere(), dims, type, false);
            std::vector<Dim> table = dims;
            table[0] = whole(table_rows);
            const ViewRef a = w.given(cta, r.one_in(2) ? Writer::Kept::shared : Writer::Kept::outside, table, type, "A");
            const ViewRef at = w.given(cta,
                                       r.one_in(8)   ? w.somewhere()
                                       : r.one_in(2) ? Writer::Kept::shared
                                                     : Writer::Kept::outside,
                                       {dims[0]}, DType::i32, "index");
            write(w, cta, form, w.along_extent(dims), [&](Scope s, const Interval& rows) {
                s.gather(Writer::part(d.view, w.along, rows), a, Writer::part(at, 0, rows));
            });
            w.give_back(cta, d);
        },
        false);
}

inline void write_scatter(Writer& w)
{
    Random& r = w.r;
    const DType type = usual_type(w);
    Shape shape = random_shape(r, 1, 2, 90);
    if (shape[0] > table_rows) shape[0] = r.in(1, table_rows);
    // A row for each index, once: whoever wrote a row twice would race.
    w.k.cta(
        axe::tiles(Shape{1}, Shape{1}),
        [&](Scope cta, const Tile&) {
            std::vector<Dim> dims;
            for (const Int n : shape) dims.push_back(whole(n));
            std::vector<Dim> table = dims;
            table[0] = whole(table_rows);
            const auto d = w.taken(cta, r.one_in(2) ? Writer::Kept::shared : Writer::Kept::outside, table, type, true);
            const ViewRef a = w.given(cta, w.somewhere(), dims, type, "A");
            const ViewRef at = w.given(cta,
                                       r.one_in(8)   ? w.somewhere()
                                       : r.one_in(2) ? Writer::Kept::shared
                                                     : Writer::Kept::outside,
                                       {dims[0]}, DType::i32, "index");
            write(w, cta, static_cast<Form>(r.in(0, w.engines ? 1 : 3)), w.along_extent(dims), [&](Scope s, const Interval& rows) {
                s.scatter(d.view, Writer::part(at, 0, rows), Writer::part(a, w.along, rows));
            });
            w.give_back(cta, d);
        },
        w.agents);
}

inline void write_atomic(Writer& w)
{
    Random& r = w.r;
    constexpr axe::Function functions[] = {axe::Function::add,     axe::Function::min,    axe::Function::max,
                                           axe::Function::bit_and, axe::Function::bit_or, axe::Function::bit_xor,
                                           axe::Function::identity};
    const axe::Function f = functions[r.in(0, 6)];
    const DType type = f.row().domain == axe::Domain::bits
                           ? one_of(r, {DType::i32, DType::i16})
                           : one_of(r, {DType::f32, DType::f16, DType::bf16, DType::i32, DType::f64});
    over_tiles(w, random_shape(r, 1, 2, 90), [&](Scope cta, const std::vector<Dim>& dims, Form form) {
        // Many into one, where the order does not matter but to the last bit.
        const bool many = f != axe::Function::identity && dims.size() > 1 && r.one_in(2);
        std::vector<Dim> own = dims;
        if (many) own.pop_back();
        const auto d = w.taken(cta, many || r.one_in(2) ? Writer::Kept::outside : Writer::Kept::shared, own, type, true);
        const ViewRef a = w.given(cta, w.somewhere(), dims, type, "A");
        const ViewRef to = many ? d.view.repeated(static_cast<int>(own.size()), dims.back().here()) : d.view;
        write(w, cta, form, w.along_extent(dims),
              [&](Scope s, const Interval& rows) { s.atomic(f, Writer::part(to, w.along, rows), Writer::part(a, w.along, rows)); });
        w.give_back(cta, d);
    });
}

} // namespace programs

#endif
