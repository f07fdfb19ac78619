// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_PROGRAMS_RANDOM_PROGRAMS_HPP
#define AXE_TESTS_PROGRAMS_RANDOM_PROGRAMS_HPP

#include <axe/machine/machines.hpp>
#include <axe/machine/mesh.hpp>
#include <axe/program/operators.hpp>
#include <tests/programs/writer.hpp>

/// Small programs around one operator each, for every machine.
namespace programs {

struct Subject {
    const char* name;
    void (*write)(Writer&);
};

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

inline void write_fill(Writer& w)
{
    const DType type = any_type(w);
    const double number = type == DType::b1 || type == DType::e8m0 ? 1 : type == DType::u8 ? 7 : static_cast<double>(w.r.in(-8, 7));
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
    const auto f = static_cast<axe::Function>(r.in(0, axe::function_count - 1));
    const axe::FunctionRow& row = function_row(f);
    const auto type = [&] {
        if (row.domain == axe::Domain::bits) return one_of(r, {DType::i32, DType::i16, DType::i8, DType::u8, DType::i4, DType::b1});
        if (row.domain == axe::Domain::fractions && !asks_much(w)) return one_of(r, {DType::f32, DType::f16, DType::bf16});
        if (row.domain == axe::Domain::fractions)
            return one_of(r, {DType::f32, DType::f16, DType::bf16, DType::f64, DType::e4m3, DType::tf32});
        return any_type(w);
    };
    const DType of_a = type(), of_d = r.one_in(4) ? type() : of_a;
    over_tiles(w, random_shape(r, 1, 3, 120), [&](Scope cta, const std::vector<Dim>& dims, Form form) {
        const auto d = w.taken(cta, w.somewhere(), dims, of_d, false);
        std::vector<ViewRef> operands;
        std::vector<int> along;
        for (int i = 0; i < row.arity; ++i) {
            std::vector<Dim> own = dims;
            const int repeats = dims.size() > 1 && r.one_in(4) ? static_cast<int>(r.in(0, static_cast<Int>(dims.size()) - 1)) : -1;
            if (repeats >= 0) own.erase(own.begin() + repeats);
            ViewRef a = w.given(cta, w.somewhere(), own, r.one_in(5) ? type() : of_a, std::string(1, static_cast<char>('A' + i)));
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

inline axe::Function random_reduction(Random& r, bool usual = false)
{
    constexpr axe::Function four[] = {axe::Function::add, axe::Function::mul, axe::Function::min, axe::Function::max};
    if (usual) return four[r.in(0, 3)];
    while (true)
        if (const auto f = static_cast<axe::Function>(r.in(0, axe::function_count - 1)); function_row(f).reduces) return f;
}

inline void write_reduce(Writer& w)
{
    Random& r = w.r;
    const axe::Function f = random_reduction(r, !asks_much(w));
    const bool bits = function_row(f).domain == axe::Domain::bits;
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
    const axe::GemmTypes types = axe::detail::gemm_types[!asks_much(w) ? 2 * r.in(0, 1)
                                                         : r.one_in(2) ? r.in(0, 2)
                                                                       : r.in(0, kinds - 1)];
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
    const DType type = function_row(f).domain == axe::Domain::bits
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

// ---- between devices -------------------------------------------------------------------------------------------------------------

inline void write_device_copy(Writer& w)
{
    Random& r = w.r;
    const DType type = usual_type(w);
    Shape shape = random_shape(r, 1, 3, 64);
    for (Int& n : shape)
        if (r.one_in(2)) n *= w.devices;
    const auto a = w.k.input("A", shape, type, random_sharding(r, shape, w.devices));
    const auto d = w.k.output("D", shape, r.one_in(6) ? usual_type(w) : type, random_sharding(r, shape, w.devices));
    constexpr const char* forced[] = {"", "", "", "local", "peer", "ring", "push"};
    axe::Options options;
    options.schedule = forced[r.in(0, 6)];
    const auto copy = [&](const ViewRef& to, const ViewRef& from) {
        if (options.schedule != "ring" && r.one_in(3))
            w.k.copy_async(to, from, options).commit().wait(0);
        else
            w.k.copy(to, from, options);
    };
    if (r.one_in(3)) {
        const auto between = w.k.alloc(Role::global, shape, type, random_sharding(r, shape, w.devices), "between");
        w.k.copy(between, a).sync();
        copy(d, between);
    } else if (shape[0] % 2 == 0 && r.one_in(4)) {
        w.k.loop(0, shape[0], shape[0] / 2, [&](const Affine& i) {
            const Interval rows(i, shape[0] / 2);
            copy(Writer::part(d, 0, rows), Writer::part(a, w.along, rows));
        });
    } else {
        copy(d, a);
    }
}

inline void write_device_reduce(Writer& w)
{
    Random& r = w.r;
    const axe::Function f = r.one_in(2) ? axe::Function::add : random_reduction(r);
    const bool bits = function_row(f).domain == axe::Domain::bits;
    const DType type = bits ? DType::i32 : one_of(r, {DType::f32, DType::f16, DType::bf16, DType::i32});
    Shape left = random_shape(r, 1, 2, 32);
    for (Int& n : left)
        if (r.one_in(2)) n *= w.devices;
    Shape shape = left;
    const int at = static_cast<int>(r.in(0, left.size()));
    shape.insert(at, r.one_in(4) ? random_extent(r, 5) : w.devices);
    const auto from = [&]() -> axe::Layout {
        if (shape[at] != w.devices || r.one_in(4)) return random_sharding(r, shape, w.devices);
        axe::Layout out; // each device has its term
        for (const Int n : shape) out.shard.push_back({n, 0, "m"});
        Int next = 1;
        for (int i = out.shard.size(); i-- > 0;)
            if (i != at) out.shard[i].stride = next, next *= out.shard[i].extent;
        out.shard[at] = {w.devices, 1, "gpuid"};
        return out;
    };
    const bool accumulate = r.one_in(4);
    const auto a = w.k.input("A", shape, type, from());
    const axe::Layout to = random_sharding(r, left, w.devices);
    const auto d = accumulate ? w.k.inout("D", left, type, to) : w.k.output("D", left, type, to);
    constexpr const char* forced[] = {"", "", "", "in_network", "one_shot", "ring"};
    axe::Options options;
    options.schedule = forced[r.in(0, 5)];
    options.async = options.schedule != "ring" && r.one_in(4);
    w.k.reduce(f, d, a, {at}, accumulate, options);
    if (options.async) w.k.commit().wait(0);
}

inline constexpr Subject subjects[] = {
    {"fill", write_fill},
    {"copy", write_copy},
    {"copy_async", write_copy_async},
    {"cast", write_cast},
    {"map", write_map},
    {"reduce", write_reduce},
    {"gemm", write_gemm},
    {"gather", write_gather},
    {"scatter", write_scatter},
    {"atomic", write_atomic},
    {"chain", write_chain},
    {"device_copy", write_device_copy},
    {"device_reduce", write_device_reduce},
};
inline constexpr int subject_count = sizeof subjects / sizeof subjects[0];
inline constexpr int first_device_subject = 11;

struct Stage {
    const char* name;
    axe::Machine machine;
};
inline const std::vector<Stage>& stages()
{
    static const std::vector<Stage> out = {
        {"cpu", axe::machines::cpu},
        {"sm80", axe::machines::sm80},
        {"sm90", axe::machines::sm90},
        {"trn1", axe::machines::trn1},
        {"trn2", axe::machines::trn2},
        {"2 sm80", mesh(axe::machines::sm80, {2}).value()},
        {"4 sm90", mesh(axe::machines::sm90, {4}).value()},
        {"2x2 sm90", mesh(axe::machines::sm90, {2, 2}).value()},
        {"4 cpu", mesh(axe::machines::cpu, {4}).value()},
    };
    return out;
}

/// Program number `number` of an operator on a machine: the same on every computer.
inline axe::Outcome<axe::Program> random_program(int subject, int stage, Int number, Random& r)
{
    const Stage& where = stages()[static_cast<std::size_t>(stage)];
    constexpr int warps[] = {1, 1, 2, 3, 4, 4, 8};
    const bool engines = has_instruction(where.machine, "nc_matmul");
    Writer w(r, where.machine, std::string(subjects[subject].name) + " " + where.name + " " + std::to_string(number),
             engines ? 4 : warps[r.in(0, 6)]);
    subjects[subject].write(w);
    return w.k.program();
}
inline Random random_of(int subject, int stage, Int number)
{
    return Random(static_cast<std::uint64_t>(subject * 1'000'003 + stage * 10'007) * 0x9e3779b97f4a7c15u +
                  static_cast<std::uint64_t>(number));
}

} // namespace programs

#endif
