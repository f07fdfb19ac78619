// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_PROGRAMS_RANDOM_ELEMENTS_HPP
#define AXE_TESTS_PROGRAMS_RANDOM_ELEMENTS_HPP

#include <tests/programs/draws.hpp>

/// Operators that do each element for itself.
namespace programs {

inline void write_fill(Writer& w)
{
    const DType type = any_type(w);
    const double number = type == DType::b1 || type == DType::e8m0                             ? 1
                          : type == DType::u8                                                  ? 7
                          : type == DType::ue4m3 || type == DType::e2m3 || type == DType::e2m1 ? static_cast<double>(w.r.in(0, 4))
                                                                                               : static_cast<double>(w.r.in(-8, 7));
    over_tiles(w, random_shape(w.r, 1, 3, 200), [&](Scope cta, const std::vector<Dim>& dims, Form form) {
        const auto d = w.taken(cta, w.somewhere(), dims, type, false);
        write(w, cta, form, w.along_extent(dims),
              [&](Scope s, const Interval& rows) { s.fill(Writer::part(d.view, w.along, rows), number); });
        w.give_back(cta, d);
    });
}

inline void copy_between(Writer& w, DType to, DType from)
{
    over_tiles(w, random_shape(w.r, 1, 3, 200), [&](Scope cta, const std::vector<Dim>& dims, Form form) {
        const auto d = w.taken(cta, w.somewhere(), dims, to, false);
        const ViewRef a = w.given(cta, w.somewhere(), dims, from, "A");
        write(w, cta, form, w.along_extent(dims),
              [&](Scope s, const Interval& rows) { s.copy(Writer::part(d.view, w.along, rows), Writer::part(a, w.along, rows)); });
        w.give_back(cta, d);
    });
}
inline void write_copy(Writer& w)
{
    const DType type = any_type(w);
    copy_between(w, type, type);
}
inline void write_cast(Writer& w)
{
    const DType to = any_type(w), from = any_type(w);
    copy_between(w, to, from);
}

inline void write_copy_async(Writer& w)
{
    const DType type = one_of(w.r, {DType::f32, DType::f16, DType::f64, DType::i32, DType::bf16, DType::f32});
    over_tiles(w, random_shape(w.r, 1, 3, 200), [&](Scope cta, const std::vector<Dim>& dims, Form form) {
        // Only this direction goes on by itself; vectors of 4 bytes and more need rows that lie together.
        w.plain = w.plain || w.once_in(2);
        const auto d = w.taken(cta, Writer::Kept::shared, dims, type, false);
        const ViewRef a = w.given(cta, Writer::Kept::outside, dims, type, "A");
        write(w, cta, form, w.along_extent(dims), [&](Scope s, const Interval& rows) {
            s.copy_async(Writer::part(d.view, w.along, rows), Writer::part(a, w.along, rows)).commit();
            if (w.once_in(2)) s.wait(0);
        });
        cta.wait(0);
        w.give_back(cta, d);
    });
}

inline void write_map(Writer& w)
{
    Random& r = w.r;
    const axe::Function f(axe::function_rows[r.in(0, static_cast<int>(std::size(axe::function_rows)) - 1)]);
    const axe::FunctionRow& row = f.row();
    const auto type = [&] {
        if (row.domain == axe::Domain::bits) return one_of(r, {DType::i32, DType::i16, DType::i8, DType::u8, DType::i4, DType::b1});
        if (row.domain == axe::Domain::fractions && !asks_much(w)) return one_of(r, {DType::f32, DType::f16, DType::bf16});
        if (row.domain == axe::Domain::fractions)
            return one_of(r, {DType::f32, DType::f16, DType::bf16, DType::f64, DType::e4m3, DType::tf32});
        return any_type(w);
    };
    const DType of_a = type();
    DType of_d = r.one_in(4) ? type() : of_a;
    const bool keeps_bits = f == axe::Function::bit_cast; // of as many
    if (keeps_bits && axe::bits(of_d) != axe::bits(of_a)) of_d = of_a;
    over_tiles(w, random_shape(r, 1, 3, 120), [&](Scope cta, const std::vector<Dim>& dims, Form form) {
        const auto d = w.taken(cta, w.somewhere(), dims, of_d, false);
        std::vector<ViewRef> operands;
        std::vector<int> along;
        for (int i = 0; i < row.arity; ++i) {
            std::vector<Dim> own = dims;
            const int repeats = dims.size() > 1 && r.one_in(4) ? static_cast<int>(r.in(0, static_cast<Int>(dims.size()) - 1)) : -1;
            if (repeats >= 0) own.erase(own.begin() + repeats);
            const DType of_this = r.one_in(5) && !keeps_bits ? type() : of_a;
            ViewRef a = w.given(cta, w.somewhere(), own, of_this, std::string(1, static_cast<char>('A' + i)));
            if (repeats >= 0) a = a.repeated(repeats, dims[static_cast<std::size_t>(repeats)].here());
            operands.push_back(a);
        }
        write(w, cta, form, w.along_extent(dims), [&](Scope s, const Interval& rows) {
            std::vector<ViewRef> parts;
            for (const ViewRef& a : operands) parts.push_back(Writer::part(a, w.along, rows));
            s.map(f, Writer::part(d.view, w.along, rows), parts);
        });
        w.give_back(cta, d);
    });
}

/// Some operators after each other on the same few tensors, in loops that count or wait for a scalar.
inline void write_chain(Writer& w)
{
    Random& r = w.r;
    const DType type = one_of(r, {DType::f32, DType::f32, DType::f16, DType::i32});
    const Shape shape = random_shape(r, 1, 2, 90);
    w.k.cta(
        axe::tiles(shape, shape),
        [&](Scope cta, const Tile& t) {
            std::vector<Dim> dims;
            for (int d = 0; d < shape.size(); ++d) dims.push_back({shape[d], t.intervals[static_cast<std::size_t>(d)]});
            w.plain = w.engines || w.plain;
            const auto d = w.taken(cta, Writer::Kept::shared, dims, type, true);
            std::vector<ViewRef> tensors{d.view};
            for (const char* called : {"A", "B"}) {
                Writer::Kept kept = w.somewhere();
                if (kept == Writer::Kept::outside) kept = Writer::Kept::shared; // inputs are not written
                tensors.push_back(w.given(cta, kept, dims, type, called));
            }
            const auto any = [&]() -> const ViewRef& { return tensors[static_cast<std::size_t>(r.in(0, 2))]; };
            const auto steps = [&] {
                for (Int i = r.in(1, 4); i > 0; --i) {
                    constexpr axe::Function functions[] = {axe::Function::add, axe::Function::sub, axe::Function::max,
                                                           axe::Function::min};
                    const ViewRef &to = any(), &a = any(), &b = any();
                    switch (r.in(0, 4)) {
                    case 0: cta.fill(to, static_cast<double>(r.in(-3, 3))); break;
                    case 1: cta.copy(to, a); break;
                    case 2: cta.unary(axe::Function::neg, to, a); break;
                    default: cta.binary(functions[r.in(0, 3)], to, a, b);
                    }
                    cta.sync();
                }
            };
            steps();
            if (r.one_in(2)) {
                cta.loop(0, r.in(1, 3), 1, [&](const Affine& i) {
                    if (r.one_in(2))
                        cta.when(axe::Expression(i) < 1, steps, steps);
                    else
                        steps();
                });
            } else if (r.one_in(2)) {
                const axe::ScalarRef n = cta.scalar("n", 0);
                const double times = static_cast<double>(r.in(1, 3));
                cta.loop_while(axe::Expression(n) < times, [&] {
                    steps();
                    cta.assign(n, axe::Expression(n) + 1);
                });
            }
            w.give_back(cta, d);
        },
        w.agents);
}

} // namespace programs

#endif
