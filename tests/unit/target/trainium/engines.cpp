// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/text/literals.hpp>
#include <tests/targets.hpp>
#include <tests/unit/target/trainium/simulation.hpp>

using namespace trn_test;
using namespace axe::literals;
using catch_texts::Contains;

namespace {

/// The value that element x of operand o has at the start: whole numbers, other ones for each operand.
double initial(std::size_t o, Int index) { return static_cast<double>((index * 7 + static_cast<Int>(o) * 5) % 23 - 11); }

/// Runs what a schedule makes of an operator, every operand filled before; the core afterwards.
Core ran(Bench& bench, Result<Body, axe::Problem> (*schedule)(Request&), int* instructions = nullptr)
{
    const auto body = bench.emit(schedule);
    INFO((body ? std::string() : body.error().text));
    REQUIRE(body.has_value());
    if (instructions != nullptr) *instructions = static_cast<int>(body->size());
    Core core = bench.core();
    for (std::size_t o = 0; o < bench.program.tensors.size(); ++o) {
        const View v = core.whole(static_cast<int>(o));
        Int index = 0;
        Core::each(v.extents, [&](const Coord& x) { core.write(v, x, initial(o, index++)); });
    }
    core.run(*body);
    CHECK(core.broken == "");
    return core;
}

/// Does the view show these numbers, in row-major order?
template <class F>
void shows(const Core& core, const View& v, const F& expected)
{
    Int index = 0, wrong = 0;
    Core::each(v.extents, [&](const Coord& x) { wrong += core.read(v, x) != expected(index++); });
    CHECK(wrong == 0);
}

Bench copy(const Layout& d, const char* d_memory, const Layout& a, const char* a_memory, const Shape& shape, DType dt = DType::f32,
           DType at = DType::f32)
{
    Bench bench;
    const int x = bench.tensor("d", d_memory, shape, d, dt), y = bench.tensor("a", a_memory, shape, a, at);
    bench.on({x, y});
    return bench;
}

const Instruction& at(const Body& body, std::size_t i) { return std::get<Instruction>(body[i].what); }

} // namespace

TEST_CASE("engine_copy: between SBUF and PSUM, on the same partitions or others")
{
    int n = 0;
    Bench plain = copy("(128,512):(1@P,1@F)"_axe, "sbuf", "(128,512):(1@P,1@F)"_axe, "psum", {128, 512}, DType::bf16);
    shows(ran(plain, emit_engine_copy, &n), plain.whole(0), [](Int i) { return initial(1, i); });
    CHECK(n == 1);
    const auto body = plain.emit(emit_engine_copy);
    CHECK(at(*body, 0).opcode == "engine_map");
    CHECK(at(*body, 0).text == "tensor_copy");
    CHECK(at(*body, 0).first_agent == 1);

    // Partitions 0 to 31 to partitions 32 to 63.
    Bench shifted = copy("(32,5):(1@P,1@F) + 32@P"_axe, "sbuf", "(32,5):(1@P,2@F)"_axe, "sbuf", {32, 5});
    shows(ran(shifted, emit_engine_copy, &n), shifted.whole(0), [](Int i) { return initial(1, i); });
    CHECK(n == 1);
    // 33 of them need two: from 32 on there may be 32.
    Bench two = copy("(33,5):(1@P,1@F) + 32@P"_axe, "sbuf", "(33,5):(1@P,2@F)"_axe, "sbuf", {33, 5});
    // The second run starts at partition 64 of D, and at 32 of A.
    shows(ran(two, emit_engine_copy, &n), two.whole(0), [](Int i) { return initial(1, i); });
    CHECK(n == 2);

    // The limit of PSUM: 4096 elements of a partition.
    Bench most = copy("(2,4096):(1@P,1@F)"_axe, "sbuf", "(2,4096):(1@P,1@F)"_axe, "psum", {2, 4096});
    shows(ran(most, emit_engine_copy, &n), most.whole(0), [](Int i) { return initial(1, i); });
    CHECK(n == 1);
    // Of SBUF: 65536 by the engine, 65535 along one dimension.
    Bench wide = copy("(2,65535):(1@P,1@F)"_axe, "sbuf", "(2,65535):(1@P,1@F)"_axe, "sbuf", {2, 65535}, DType::i8, DType::i8);
    CHECK(wide.emit(emit_engine_copy)->size() == 1);
    Bench wider = copy("(2,65536):(1@P,1@F)"_axe, "sbuf", "(2,65536):(1@P,1@F)"_axe, "sbuf", {2, 65536}, DType::i8, DType::i8);
    CHECK(wider.emit(emit_engine_copy)->size() == 2);

    // 4 dimensions of a pattern, and a fifth that is a loop.
    Bench deep = copy("(2,2,2,2,2,2):(1@P,100@F,30@F,9@F,3@F,1@F)"_axe, "sbuf", "(2,32):(1@P,1@F)"_axe, "sbuf", {2, 32});
    shows(ran(deep, emit_engine_copy, &n), deep.whole(0), [](Int i) { return initial(1, i); });
    CHECK(n == 2);
}

TEST_CASE("engine_copy: reasons to decline")
{
    const auto why = [](const Layout& d, const Layout& a) {
        Bench bench = copy(d, "sbuf", a, "psum", {4, 6});
        return bench.reason(emit_engine_copy);
    };
    CHECK_THAT(why("(4,6):(1@P,1@F)"_axe, "(4,6):(1@F,1@P)"_axe),
               Contains("dimension 0: 4 values have the strides 1@P in D = d and 0@P in A = a; engines cannot cross partitions"));
    CHECK_THAT(why("(4,6):(1@P,1@F)"_axe, "(4,6):(2@P,1@F)"_axe), Contains("1@P in D = d and 2@P in A = a"));
    CHECK_THAT(why("(4,6):(2@P,1@F)"_axe, "(4,6):(2@P,1@F)"_axe), Contains("from partition 2 on"));
    CHECK_THAT(why("(4,6):(1@P,1@F) + 1@P"_axe, "(4,6):(1@P,1@F)"_axe), Contains("D = d would be accessed from partition 1 on"));
    CHECK_THAT(why("(4,6):(1@P,0)"_axe, "(4,6):(1@P,1@F)"_axe),
               Contains("D = d: an iter of 6 values of dimension 1 is at one place"));
    Bench far = copy("24:1"_axe, "hbm", "(4,6):(1@P,1@F)"_axe, "sbuf", {4, 6});
    CHECK_THAT(far.reason(emit_engine_copy), Contains("D = d is in hbm; engines work on sbuf and psum"));
    Bench f64 = copy("(4,6):(1@P,1@F)"_axe, "sbuf", "(4,6):(1@P,1@F)"_axe, "sbuf", {4, 6}, DType::f64, DType::f64);
    CHECK_THAT(f64.reason(emit_engine_copy), Contains("D = d is f64; no engine computes with that type"));
    f64.place = {true, 3, 1, 1, 1};
    CHECK_THAT(f64.reason(emit_engine_copy), Contains("it needs one of: vector (1), scalar (2)"));
    Bench shape = copy("(4,6):(1@P,1@F)"_axe, "sbuf", "(4,6):(1@P,1@F)"_axe, "sbuf", {4, 6});
    shape.operation.operands[1].extents[1] = 5;
    CHECK_THAT(shape.reason(emit_engine_copy), Contains("the shape of A = a differs from that of the first operand"));
    Bench many = copy("(1,70000):(1@P,40000@F)"_axe, "sbuf", "(1,70000):(1@P,40000@F)"_axe, "sbuf", {1, 70000});
    CHECK_THAT(many.reason(emit_engine_copy), Contains("it would need more than 65536 instructions"));
}

TEST_CASE("dma: any layouts, guarded views, asynchronous or not")
{
    int n = 0;
    // Row-major to [K on P, M on F] of the transpose: neighbors nowhere.
    Bench turned = copy("(6,10):(1@F,1@P)"_axe, "sbuf", "60:1"_axe, "hbm", {6, 10}, DType::f16, DType::f16);
    shows(ran(turned, emit_dma, &n), turned.whole(0), [](Int i) { return initial(1, i); });
    CHECK(n == 1);
    CHECK(turned.decision == "runs of 2 bytes");
    Bench rows = copy("(6,10):(1@P,1@F)"_axe, "sbuf", "60:1"_axe, "hbm", {6, 10}, DType::f16, DType::f16);
    shows(ran(rows, emit_dma), rows.whole(0), [](Int i) { return initial(1, i); });
    CHECK(rows.decision == "runs of 20 bytes");
    Bench back = copy("60:1"_axe, "hbm", "60:1"_axe, "hbm", {6, 10});
    shows(ran(back, emit_dma), back.whole(0), [](Int i) { return initial(1, i); });
    CHECK(back.decision == "runs of 240 bytes");

    // A tile that stands over: what is not there is 0 in SBUF, and is not written in HBM.
    Bench tile;
    const int s = tile.tensor("s", "sbuf", {4, 8}, "(4,8):(1@P,1@F)"_axe), h = tile.tensor("h", "hbm", {6, 10}, "60:1"_axe);
    tile.on({s, h});
    tile.operation.operands[1].origin = {4, 8};
    tile.operation.operands[1].extents = {4, 8};
    tile.operation.operands[1].guarded = true;
    shows(ran(tile, emit_dma), tile.whole(s),
          [](Int i) { return i / 8 < 2 && i % 8 < 2 ? initial(1, (i / 8 + 4) * 10 + i % 8 + 8) : 0; });
    std::swap(tile.operation.operands[0], tile.operation.operands[1]);
    shows(ran(tile, emit_dma), tile.whole(h),
          [](Int i) { return i / 10 >= 4 && i % 10 >= 8 ? initial(0, (i / 10 - 4) * 8 + i % 10 - 8) : initial(1, i); });

    rows.operation.op = Op::copy_async;
    auto body = rows.emit(emit_dma);
    REQUIRE(body.has_value());
    CHECK(at(*body, 0).async);
    CHECK(at(*body, 0).first_agent == 3);
    rows.place = {true, 0, 1, 1, 1};
    CHECK(at(*rows.emit(emit_dma), 0).first_agent == 0);

    Bench types = copy("(6,10):(1@P,1@F)"_axe, "sbuf", "60:1"_axe, "hbm", {6, 10}, DType::f32, DType::f16);
    CHECK_THAT(types.reason(emit_dma), Contains("D is f32 and A is f16; a DMA does not convert"));
    Bench psum = copy("60:1"_axe, "hbm", "(6,10):(1@P,1@F)"_axe, "psum", {6, 10});
    CHECK_THAT(psum.reason(emit_dma), Contains("A = a is in psum; a DMA moves between hbm and sbuf"));
    rows.operation.options.vector_bytes = 8;
    CHECK_THAT(rows.reason(emit_dma), Contains("vector_bytes is 8"));
}

TEST_CASE("through_sbuf: PSUM to HBM and back, and types")
{
    int n = 0;
    Bench out = copy("60:1"_axe, "hbm", "(6,2,5):(1@P,512@F,1@F)"_axe, "psum", {6, 10}, DType::bf16);
    shows(ran(out, emit_through_sbuf, &n), out.whole(0), [](Int i) { return initial(1, i); });
    CHECK(n == 2);
    REQUIRE(out.temporaries.size() == 1);
    CHECK(out.temporaries[0].dtype == DType::bf16);
    CHECK(out.temporaries[0].memory == "sbuf");
    CHECK(equal(out.temporaries[0].layout.layout, "(6,10):(1@P,1@F)"_axe));
    auto body = out.emit(emit_through_sbuf);
    CHECK(at(*body, 0).opcode == "engine_map");
    CHECK(at(*body, 1).opcode == "dma");
    CHECK(at(*body, 0).first_agent == at(*body, 1).first_agent); // so that the one waits for the other

    Bench in = copy("(6,10):(1@P,1@F) + 32@P"_axe, "psum", "60:1"_axe, "hbm", {6, 10}, DType::f32, DType::f16);
    shows(ran(in, emit_through_sbuf, &n), in.whole(0), [](Int i) { return initial(1, i); });
    CHECK(n == 2);
    Bench cast = copy("60:1"_axe, "hbm", "(6,10):(1@P,1@F)"_axe, "sbuf", {6, 10}, DType::f16);
    cast.operation.op = Op::copy_async;
    shows(ran(cast, emit_through_sbuf, &n), cast.whole(0), [](Int i) { return initial(1, i); });
    body = cast.emit(emit_through_sbuf);
    CHECK_FALSE(at(*body, 0).async);
    CHECK_FALSE(at(*body, 1).async); // it would leave the staging tensor in use

    // On other partitions, with another type: the engine converts, the DMA turns.
    Bench turned = copy("(6,10):(1@F,1@P)"_axe, "sbuf", "(6,10):(1@P,1@F)"_axe, "psum", {6, 10}, DType::f16);
    shows(ran(turned, emit_through_sbuf, &n), turned.whole(0), [](Int i) { return initial(1, i); });
    CHECK(n == 2);
    Bench into = copy("(6,10):(1@F,1@P)"_axe, "psum", "(6,10):(1@P,1@F)"_axe, "sbuf", {6, 10}, DType::f32, DType::f16);
    shows(ran(into, emit_through_sbuf, &n), into.whole(0), [](Int i) { return initial(1, i); });
    CHECK(n == 2);

    Bench banks = copy("(6,10):(1@P,1@F)"_axe, "psum", "(6,10):(1@P,1@F)"_axe, "psum", {6, 10});
    CHECK_THAT(banks.reason(emit_through_sbuf), Contains("D is in psum and A in psum; no engine or DMA copies between them"));
    Bench both = copy("60:1"_axe, "hbm", "60:1"_axe, "hbm", {6, 10});
    CHECK_THAT(both.reason(emit_through_sbuf), Contains("D is in hbm and A in hbm"));
}

TEST_CASE("engine_fill")
{
    Bench bench(Op::fill);
    const int d = bench.tensor("d", "psum", {100, 300}, "(100,300):(1@P,1@F)"_axe);
    bench.on({d});
    bench.operation.number = 2.5;
    int n = 0;
    shows(ran(bench, emit_engine_fill, &n), bench.whole(d), [](Int) { return 2.5; });
    CHECK(n == 1);
    CHECK(at(*bench.emit(emit_engine_fill), 0).text == "memset");
    bench.operation.operands[0].guarded = true;
    CHECK_THAT(bench.reason(emit_engine_fill), Contains("D = d has a guarded view"));
}

TEST_CASE("engine_map: each function on its engine, rows repeated along F")
{
    Bench bench(Op::map);
    const Layout rows = "(40,6):(1@P,1@F)"_axe;
    const int d = bench.tensor("d", "sbuf", {40, 6}, rows), a = bench.tensor("a", "psum", {40, 6}, "(40,6):(1@P,2@F)"_axe),
              b = bench.tensor("b", "sbuf", {40}, "40:1@P"_axe), c = bench.tensor("c", "sbuf", {40, 6}, rows, DType::f16);
    bench.on({d, a, b});
    bench.operation.operands[2].extents.push_back(6); // b, repeated
    bench.operation.operands[2].dims.push_back(-1);
    bench.operation.operands[2].steps.push_back(1);
    bench.operation.function = Function::sub;
    shows(ran(bench, emit_engine_map), bench.whole(d), [](Int i) { return initial(1, i) - initial(2, i / 6); });
    CHECK(at(*bench.emit(emit_engine_map), 0).first_agent == 1);

    bench.operation.operands.push_back(bench.whole(c));
    bench.operation.function = Function::fma;
    int n = 0;
    shows(ran(bench, emit_engine_map, &n), bench.whole(d), [](Int i) { return initial(1, i) * initial(2, i / 6) + initial(3, i); });
    CHECK(n == 2);
    bench.operation.function = Function::select;
    shows(ran(bench, emit_engine_map), bench.whole(d),
          [](Int i) { return initial(1, i) != 0 ? initial(2, i / 6) : initial(3, i); });

    bench.operation.operands = {bench.whole(d), bench.whole(c)};
    bench.operation.function = Function::exp;
    shows(ran(bench, emit_engine_map), bench.whole(d), [](Int i) { return std::exp(initial(3, i)); });
    CHECK(at(*bench.emit(emit_engine_map), 0).first_agent == 2);
    CHECK(at(*bench.emit(emit_engine_map), 0).text == "activation exp");
    bench.place = {true, 0, 2, 1, 1};
    CHECK_THAT(bench.reason(emit_engine_map), Contains("it needs one of: scalar (2)"));

    // A row for all partitions: no engine spreads it.
    Bench row(Op::map);
    const int x = row.tensor("x", "sbuf", {40, 6}, rows), bias = row.tensor("bias", "sbuf", {6}, "6:1@F"_axe);
    row.on({x, x, bias});
    row.operation.operands[2].extents.insert(0, 40);
    row.operation.operands[2].dims.insert(0, -1);
    row.operation.operands[2].steps.insert(0, 1);
    row.operation.function = Function::add;
    CHECK_THAT(row.reason(emit_engine_map), Contains("1@P in D = x and 0@P in B = bias"));
}

TEST_CASE("engine_map: every function that the library has, or a reason")
{
    for (const auto& row : axe::function_rows) {
        Bench bench(Op::map);
        const Layout layout = "(4,6):(1@P,1@F)"_axe;
        std::vector<int> t;
        for (int i = 0; i <= row.arity; ++i) t.push_back(bench.tensor("t", "sbuf", {4, 6}, layout));
        bench.on({t[0]});
        for (int i = 1; i <= row.arity; ++i) bench.operation.operands.push_back(bench.whole(t[static_cast<std::size_t>(i)]));
        bench.operation.function = Function(row);
        INFO(row.name);
        constexpr std::string_view declined[] = {"sigmoid", "log2",     "sin",        "cos",         "floor", "ceil",
                                                 "round",   "bit_cast", "shift_left", "shift_right", "inc",   "dec"};
        if (std::find(std::begin(declined), std::end(declined), row.name) != std::end(declined)) {
            CHECK_THAT(bench.reason(emit_engine_map), Contains(std::string("no engine has function ") + row.name));
            continue;
        }
        CHECK(bench.emit(emit_engine_map).has_value());
        const auto* known = detail::trainium::find_engine_function(Function(row));
        if (Function(row) != Function::fma) {
            REQUIRE(known != nullptr);
            CHECK(known->arguments == row.arity);
        }
    }
}

TEST_CASE("engine_reduce: along F, in one piece or in parts")
{
    const auto bench_of = [](const Layout& d, const Layout& a, const Shape& kept, const Shape& whole,
                             std::initializer_list<int> axes) {
        Bench bench(Op::reduce);
        const int x = bench.tensor("d", "sbuf", kept, d), y = bench.tensor("a", "sbuf", whole, a);
        bench.on({x, y});
        for (const int k : axes) bench.operation.axes.push_back(k);
        bench.operation.function = Function::add;
        return bench;
    };
    const auto row_sum = [](Int row, Int cols) {
        double sum = 0;
        for (Int j = 0; j < cols; ++j) sum += initial(1, row * cols + j);
        return sum;
    };
    int n = 0;
    Bench rows = bench_of("70:1@P"_axe, "(70,9):(1@P,1@F)"_axe, {70}, {70, 9}, {1});
    shows(ran(rows, emit_engine_reduce, &n), rows.whole(0), [&](Int i) { return row_sum(i, 9); });
    CHECK(n == 1);
    CHECK(at(*rows.emit(emit_engine_reduce), 0).parameters == std::vector<Int>{1});
    rows.operation.function = Function::max;
    shows(ran(rows, emit_engine_reduce), rows.whole(0), [&](Int i) {
        double most = initial(1, i * 9);
        for (Int j = 1; j < 9; ++j) most = std::max(most, initial(1, i * 9 + j));
        return most;
    });
    rows.operation.function = Function::add;
    rows.operation.accumulate = true;
    shows(ran(rows, emit_engine_reduce, &n), rows.whole(0), [&](Int i) { return initial(0, i) + row_sum(i, 9); });
    CHECK(n == 2);
    CHECK(rows.temporaries.size() == 2);

    // The first and the last dimension, and the middle one is kept.
    Bench outer = bench_of("(5,1):(1@P,0)"_axe, "(3,5,4):(4@F,1@P,1@F)"_axe, {5}, {3, 5, 4}, {0, 2});
    shows(ran(outer, emit_engine_reduce, &n), outer.whole(0), [](Int i) {
        double sum = 0;
        for (Int x = 0; x < 3; ++x)
            for (Int y = 0; y < 4; ++y) sum += initial(1, (x * 5 + i) * 4 + y);
        return sum;
    });
    CHECK(n == 1);
    CHECK(at(*outer.emit(emit_engine_reduce), 0).parameters == std::vector<Int>{0, 2});

    // Five dimensions of a pattern: in parts.
    Bench parts = bench_of("2:1@P"_axe, "(2,2,2,2,2,2):(1@P,100@F,30@F,9@F,3@F,1@F)"_axe, {2}, {2, 32}, {1});
    shows(ran(parts, emit_engine_reduce, &n), parts.whole(0), [&](Int i) { return row_sum(i, 32); });
    CHECK(n == 4); // two parts, their sum, and its rounding to D
    parts.operation.accumulate = true;
    shows(ran(parts, emit_engine_reduce, &n), parts.whole(0), [&](Int i) { return initial(0, i) + row_sum(i, 32); });

    // A row to one number.
    Bench row = bench_of("1:1@F"_axe, "9:1@F"_axe, {}, {9}, {0});
    shows(ran(row, emit_engine_reduce, &n), row.whole(0), [&](Int) { return row_sum(0, 9); });
    CHECK(n == 1);

    Bench across = bench_of("9:1@F"_axe, "(70,9):(1@P,1@F)"_axe, {9}, {70, 9}, {0});
    CHECK_THAT(across.reason(emit_engine_reduce),
               Contains("A = a: dimension 0 has the iter 70:1@P; engines reduce along F\nhint: multiply by ones to reduce P"));
    Bench shape = bench_of("70:1@P"_axe, "(70,9):(1@P,1@F)"_axe, {70}, {70, 9}, {0});
    CHECK_THAT(shape.reason(emit_engine_reduce), Contains("D = d does not have the shape of A without the reduced dimensions"));
    rows.operation.function = Function::bit_xor;
    CHECK_THAT(rows.reason(emit_engine_reduce),
               Contains("the vector engine reduces by add, mul, min and max, not by function bit_xor"));
    Bench apart = bench_of("70:1@F"_axe, "(70,9):(1@P,1@F)"_axe, {70}, {70, 9}, {1});
    CHECK_THAT(apart.reason(emit_engine_reduce), Contains("partition"));
    Bench once = bench_of("70:0"_axe, "(70,9):(1@F,70@F)"_axe, {70}, {70, 9}, {1});
    CHECK_THAT(once.reason(emit_engine_reduce), Contains("D = d: an iter of 70 values of dimension 0 is at one place"));
}

TEST_CASE("engines: random layouts, against the definition: what applies obeys the hardware")
{
    laws::Random random(11);
    const Axis P{"P"}, F{"F"};
    int applied[2] = {0, 0};
    const Int tries = laws::cases(600);
    for (Int t = 0; t < tries; ++t) {
        // Digits of two dimensions; some on P in both operands, mostly with the same strides.
        Shape digits;
        for (int i = 0; i < 5; ++i) digits.push_back(random.in(1, 5));
        std::vector<bool> on_p;
        for (int i = 0; i < 5; ++i) on_p.push_back(random.one_in(3));
        const Shape shape{digits[0] * digits[1], digits[2] * digits[3] * digits[4]};
        const auto lay = [&](Int start, const std::vector<bool>& there) {
            Layout out;
            Int p = 1, f = 1;
            for (int i = 4; i >= 0; --i) {
                if (!there[static_cast<std::size_t>(i)]) continue;
                Int& stride = on_p[static_cast<std::size_t>(i)] ? p : f;
                out.shard.insert(0, {digits[i], stride, on_p[static_cast<std::size_t>(i)] ? P : F});
                stride *= digits[i];
                if (!on_p[static_cast<std::size_t>(i)] && random.one_in(3)) stride += random.in(1, 5);
            }
            if (p > 128) return Layout{};
            if (start + p <= 128 && start != 0) *out.offset.entry(P) = start;
            return out;
        };
        const std::vector<bool> every(5, true);
        std::vector<bool> first(5, true);
        first[2] = first[3] = first[4] = false;
        const Layout d = lay(32 * random.in(0, 3), every), a = lay(32 * random.in(0, 3), every),
                     s = lay(32 * random.in(0, 1), first);
        if (d.shard.size() == 0 || a.shard.size() == 0) continue;
        Bench bench = copy(d, random.one_in(2) ? "sbuf" : "psum", a, "sbuf", shape);
        if (bench.emit(emit_engine_copy)) {
            ++applied[0];
            shows(ran(bench, emit_engine_copy), bench.whole(0), [](Int i) { return initial(1, i); });
        }
        Bench sum(Op::reduce);
        const int x = sum.tensor("d", "sbuf", {shape[0]}, s), y = sum.tensor("a", "sbuf", shape, a);
        sum.on({x, y});
        sum.operation.function = Function::add;
        sum.operation.axes.push_back(1);
        sum.operation.accumulate = random.one_in(3);
        if (s.shard.size() > 0 && sum.emit(emit_engine_reduce)) {
            ++applied[1];
            shows(ran(sum, emit_engine_reduce), sum.whole(0), [&](Int i) {
                double total = sum.operation.accumulate ? initial(0, i) : 0;
                for (Int j = 0; j < shape[1]; ++j) total += initial(1, i * shape[1] + j);
                return total;
            });
        }
    }
    CHECK(applied[0] > tries / 4);
    CHECK(applied[1] > tries / 20);
}

TEST_CASE("address patterns: each limit at its edge")
{
    namespace trn = axe::detail::trainium;
    const auto fault = [](const Layout& layout, const Shape& shape) {
        Bench bench(Op::fill);
        bench.on({bench.tensor("d", "sbuf", shape, layout, DType::i8)});
        Request request(bench.program, target_of(bench.program), bench.operation, bench.place);
        const auto nest = trn::elementwise_nest(request, {{request.view(0), "D"}});
        REQUIRE(nest.has_value());
        std::vector<int> order;
        std::vector<Int> extents;
        for (int d = 0; d < nest->count(); ++d) {
            order.push_back(d);
            extents.push_back(nest->at(d).extent);
        }
        return trn::check_pattern(machines::trn1, *nest, 0, trn::pattern(*nest, 0, order, extents)).error().text;
    };
    CHECK(fault("(2,2,2,2):(100@F,30@F,9@F,3@F)"_axe, {16}) == "");
    CHECK(fault("(2,2,2,2,2):(300@F,100@F,30@F,9@F,3@F)"_axe, {32}) ==
          "D = d needs 5 dimensions of an address pattern; there are 4");
    CHECK(fault("(2,2,2,2,2):(300@F,100@F,30@F,9@F,3@F)"_axe, {2, 2, 2, 2, 2}) ==
          "D = d needs 5 dimensions of an address pattern; there are 4");
    CHECK(fault("(2,2,2,2,2):(16@F,8@F,4@F,2@F,1@F)"_axe, {2, 2, 2, 2, 2}) == ""); // one run
    CHECK(fault("65535:1@F"_axe, {65535}) == "");
    CHECK(fault("65536:1@F"_axe, {65536}) == "D = d: 65536 elements along one dimension of an address pattern exceed 65535");
    CHECK(fault("2:32767@F"_axe, {2}) == "");
    CHECK(fault("2:32768@F"_axe, {2}) == "D = d: a stride of 32768 elements exceeds 32767");
    CHECK(fault("2:-32768@F"_axe, {2}) == "");
    CHECK(fault("2:-32769@F"_axe, {2}) == "D = d: a stride of -32769 elements exceeds 32767");

    CHECK(trn::most_partitions(0) == 128);
    CHECK(trn::most_partitions(32) == 32);
    CHECK(trn::most_partitions(64) == 64);
    CHECK(trn::most_partitions(96) == 32);
    for (const Int start : {-32, 1, 31, 33, 63, 65, 128}) CHECK(trn::most_partitions(start) == 0);
}

TEST_CASE("nests: digits that one operand has in one piece step as parts of it")
{
    namespace trn = axe::detail::trainium;
    Bench bench = copy("(4,6,5):(5@F,1@P,1@F)"_axe, "sbuf", "(24,5):(1@P,100@F)"_axe, "sbuf", {24, 5});
    Request request(bench.program, target_of(bench.program), bench.operation, bench.place);
    const auto nest = trn::elementwise_nest(request, {{request.view(0), "D"}, {request.view(1), "A"}});
    REQUIRE(nest.has_value());
    REQUIRE(nest->count() == 3);
    const auto is = [&](int digit, Int extent, Int weight, const std::vector<Int>& p, const std::vector<Int>& f) {
        const auto& d = nest->at(digit);
        return d.extent == extent && d.weight == weight && d.p == p && d.f == f;
    };
    CHECK(is(0, 4, 6, {0, 6}, {5, 0}));
    CHECK(is(1, 6, 1, {1, 1}, {0, 0}));
    CHECK(is(2, 5, 1, {0, 0}, {1, 100}));
    Bench free = copy("(2,40):(1@P,1@F)"_axe, "sbuf", "(2,5,8):(1@P,1@F,7@F)"_axe, "sbuf", {2, 40});
    Request other(free.program, target_of(free.program), free.operation, free.place);
    const auto split = trn::elementwise_nest(other, {{other.view(0), "D"}, {other.view(1), "A"}});
    REQUIRE(split.has_value());
    CHECK(split->at(1).f == std::vector<Int>{8, 1});
    CHECK(split->at(2).f == std::vector<Int>{1, 7});
}

TEST_CASE("views: parts that begin anywhere, steps, and dimensions that share one")
{
    namespace trn = axe::detail::trainium;
    Bench bench(Op::fill);
    const int t = bench.tensor("t", "sbuf", {4, 12}, "(4,3,4):(1@P,20@F,1@F)"_axe);
    bench.program.variables.push_back({"v", 0, 9});
    const auto digits = [&](const View& v) {
        bench.operation.operands = {v};
        Request request(bench.program, target_of(bench.program), bench.operation, bench.place);
        const auto placed = trn::place(request, v, "D");
        if (!placed) return placed.error().text;
        std::string out = std::to_string(placed->start_p) + " ";
        for (const Int f : placed->starts_f) out += std::to_string(f) + ",";
        for (const auto& dim : placed->dims) {
            out += " [";
            for (const auto& d : dim)
                out += std::to_string(d.extent) + ":" + std::to_string(d.p != 0 ? d.p : d.f) + (d.p != 0 ? "P" : "F") + " ";
            out += "]";
        }
        return out;
    };
    const auto view = [&](const Affine& col, Int extent, Int step) {
        View v = bench.whole(t);
        v.origin = {1, col};
        v.extents = {3, extent};
        v.steps[1] = step;
        return v;
    };
    CHECK(digits(bench.whole(t)) == "0 0, [4:1P ] [3:20F 4:1F ]");
    CHECK(digits(view(4, 8, 1)) == "1 20, [3:1P ] [2:20F 4:1F ]");
    CHECK(digits(view(3, 2, 1)) == "1 3, [3:1P ] [2:17F ]"); // from one run to the next
    CHECK(digits(view(1, 3, 4)) == "1 1, [3:1P ] [3:20F ]");
    CHECK(digits(view(0, 6, 2)) == "1 0, [3:1P ] [3:20F 2:2F ]");
    CHECK(digits(view(11, 12, -1)) == "1 43, [3:1P ] [3:-20F 4:-1F ]");
    CHECK(digits(view(Affine(Var{0}), 3, 4)) == "1 0,1,2,3, [3:1P ] [3:20F ]"); // where there is room for it
    CHECK_THAT(digits(view(Affine(Var{0}), 4, 1)),
               Contains("D = t: its view is not a sum of iters that is the same wherever the view begins"));
    CHECK_THAT(digits(view(3, 4, 1)), Contains("D = t: its view is not a sum of iters"));
    View shared = bench.whole(t); // (rows, thirds, quarters), both of the columns
    shared.extents = {4, 3, 4};
    shared.dims = {0, 1, 1};
    shared.steps = {1, 4, 1};
    CHECK(digits(shared) == "0 0, [4:1P ] [3:20F ] [4:1F ]");
    shared.extents = {4, 3, 3};
    shared.steps = {1, 2, 1}; // 0, 1, 2; 2, 3, 4; 4, 5, 6: not independent where the runs end
    CHECK_THAT(digits(shared), Contains("D = t: its view is not a sum of iters"));
}
