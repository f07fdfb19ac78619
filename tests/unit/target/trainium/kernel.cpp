// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/kernels.hpp>
#include <axe/program/walk.hpp>
#include <axe/target/trainium/layouts.hpp>
#include <axe/target/trainium/order_engines.hpp>
#include <axe/text/literals.hpp>
#include <tests/required.hpp>
#include <tests/unit/target/trainium/simulation.hpp>

#include <cstring>

using namespace trn_test;
using namespace axe::literals;
using catch_texts::Contains;
using enum axe::DType;

namespace {

/// The kernel of a matrix product that names no machine's instruction or lane.
Result<Program, axe::Problem> gemm(const Machine& machine, Int m, Int n, Int k, const Shape& tile, Int step)
{
    Kernel kernel("gemm", machine);
    auto a = kernel.input("A", {m, k}, f16), b = kernel.input("B", {k, n}, f16), c = kernel.output("C", {m, n}, f32);
    kernel.cta(tiles(c, tile), [&](Scope cta, const Tile& t) {
        auto sa = cta.alloc(Role::shared, {tile[0], step}, f16, conflict_free, "sa");
        auto sb = cta.alloc(Role::shared, {step, tile[1]}, f16, conflict_free, "sb");
        auto acc = cta.alloc(Role::accumulator, tile, f32, accumulator, "acc");
        cta.fill(acc, 0);
        cta.loop(tiles(k, step), [&](const Interval& s) {
            cta.copy(sa, a(t.rows, s));
            cta.copy(sb, b(s, t.cols));
            cta.sync();
            cta.gemm(acc, sa, sb);
            cta.sync();
        });
        cta.copy(c(t), acc);
    });
    return kernel.program();
}

Lowered lowered(const Result<Program, axe::Problem>& program)
{
    INFO((program ? std::string() : program.error().text));
    REQUIRE(program.has_value());
    return *required(lower(*program));
}

/// Runs a lowered program from inputs of small whole numbers.
Core ran(const Program& program)
{
    Core core;
    core.program = &program;
    core.variables.assign(program.variables.size(), 0);
    for (std::size_t t = 0; t < program.tensors.size(); ++t) {
        if (program.tensors[t].binding != Binding::input) continue;
        Int i = 0;
        const View v = core.whole(static_cast<int>(t));
        Core::each(v.extents, [&](const Coord& x) { core.write(v, x, static_cast<double>(i++ * 5 % 13 - 6)); });
    }
    core.run(program.body);
    return core;
}

} // namespace

TEST_CASE("trainium: the portable product, as instructions")
{
    const Lowered out = lowered(gemm(machines::trn1, 100, 70, 50, {128, 128}, 32));
    const std::string text = print(out.program);
    INFO(text);
    const char* lines[] = {
        "alloc sa: f16[128,32] in sbuf, (128,32):(1@F,1@P)",
        "alloc sb: f16[32,128] in sbuf, (32,128):(1@P,1@F)",
        "alloc acc: f32[128,128] in psum, (128,128):(1@P,1@F)",
        "engine_fill \"memset\" acc; 0",
        "dma sa, A[128*block0 : +128, 32*i2 : +32]?",
        "dma sb, B[32*i2 : +32, 128*block1 : +128]?",
        "barrier",
        "nc_matmul acc, ",
        "barrier",
        "alloc acc.staged: f32[128,128] in sbuf, (128,128):(1@P,1@F)",
        "engine_map \"tensor_copy\" acc.staged, acc",
        "dma C[128*block0 : +128, 128*block1 : +128]?, acc.staged",
    };
    std::size_t at = 0;
    for (const char* line : lines) {
        INFO(line);
        at = text.find(line, at);
        REQUIRE(at != std::string::npos);
        at += std::strlen(line);
    }
    CHECK(text.find("barrier", at) == std::string::npos);
}

TEST_CASE("trainium: the portable product is right, on both generations, for tiles beyond one instruction")
{
    struct Case {
        Int m, n, k;
        Shape tile;
        Int step;
    };
    for (const Case& c : {Case{100, 70, 50, {128, 128}, 32}, Case{130, 40, 65, {128, 64}, 33}, Case{40, 600, 20, {32, 600}, 20},
                          Case{200, 30, 260, {200, 30}, 256}, Case{33, 31, 37, {11, 31}, 37}, Case{150, 130, 10, {150, 130}, 10}})
        for (const Machine& machine : {machines::trn1, machines::trn2}) {
            const Lowered out = lowered(gemm(machine, c.m, c.n, c.k, c.tile, c.step));
            const Core core = ran(out.program);
            CHECK(core.broken == "");
            std::vector<double> a, b;
            Core::each({c.m, c.k}, [&](const Coord& x) { a.push_back(core.read(core.whole(0), x)); });
            Core::each({c.k, c.n}, [&](const Coord& x) { b.push_back(core.read(core.whole(1), x)); });
            int wrong = 0;
            for (Int i = 0; i < c.m; ++i)
                for (Int j = 0; j < c.n; ++j) {
                    double sum = 0;
                    for (Int k = 0; k < c.k; ++k)
                        sum += a[static_cast<std::size_t>(i * c.k + k)] * b[static_cast<std::size_t>(k * c.n + j)];
                    wrong += core.read(core.whole(2), {i, j}) != sum;
                }
            CHECK(wrong == 0);
        }
}

TEST_CASE("trainium: rows normalized, by engines that wait for each other")
{
    Kernel kernel("rows", machines::trn1);
    auto x = kernel.input("X", {200, 48}, f32), y = kernel.output("Y", {200, 48}, f32);
    kernel.cta(tiles(Shape{200}, Shape{100}), [&](Scope cta, const Tile& t) {
        auto v = cta.alloc(Role::registers, {100, 48}, f32, LayoutHint::registers, "v");
        auto row = cta.alloc(Role::registers, {100}, f32, LayoutHint::registers, "row");
        cta.copy(v, x(t.rows, all));
        cta.reduce(Function::max, row, v, {1});
        cta.binary(Function::sub, v, v, row.repeated(1, 48));
        cta.unary(Function::exp, v, v);
        cta.sum(row, v, 1);
        cta.binary(Function::mul, v, v, row.repeated(1, 48));
        cta.copy(y(t.rows, all), v);
    });
    const Lowered out = lowered(kernel.program());
    const Core core = ran(out.program);
    CHECK(core.broken == "");
    for (Int i = 0; i < 200; ++i) {
        double most = -1e9, sum = 0;
        for (Int j = 0; j < 48; ++j) most = std::max(most, core.read(core.whole(0), {i, j}));
        for (Int j = 0; j < 48; ++j) sum += std::exp(core.read(core.whole(0), {i, j}) - most);
        for (Int j = 0; j < 48; j += 7)
            REQUIRE(core.read(core.whole(1), {i, j}) == std::exp(core.read(core.whole(0), {i, j}) - most) * sum);
    }
}

TEST_CASE("trainium: a product of a function of a product, turned on the way")
{
    const Int rows = 40, cols = 48, depth = 24;
    Kernel kernel("attention", machines::trn1);
    auto q = kernel.input("Q", {rows, depth}, f16), kk = kernel.input("K", {cols, depth}, f16),
         v = kernel.input("V", {cols, depth}, f16);
    auto o = kernel.output("O", {rows, depth}, f32);
    kernel.cta(tiles(o, {rows, depth}), [&](Scope cta, const Tile&) {
        auto sq = cta.alloc(Role::shared, {rows, depth}, f16, conflict_free),
             sk = cta.alloc(Role::shared, {cols, depth}, f16, conflict_free),
             sv = cta.alloc(Role::shared, {cols, depth}, f16, conflict_free),
             p = cta.alloc(Role::shared, {rows, cols}, f16, conflict_free);
        auto s = cta.alloc(Role::accumulator, {rows, cols}, f32, accumulator),
             acc = cta.alloc(Role::accumulator, {rows, depth}, f32, accumulator);
        auto r = cta.alloc(Role::registers, {rows, cols}, f32, LayoutHint::registers),
             most = cta.alloc(Role::registers, {rows}, f32, LayoutHint::registers);
        cta.copy(sq, q).copy(sk, kk).copy(sv, v).sync();
        cta.gemm(s, sq, sk, {.accumulate = false, .transpose_b = true});
        cta.copy(r, s);
        cta.reduce(Function::max, most, r, {1});
        cta.binary(Function::sub, r, r, most.repeated(1, cols));
        cta.copy(p, r);
        cta.gemm(acc, p, sv, {.accumulate = false});
        cta.copy(o, acc);
    });
    const Lowered out = lowered(kernel.program());
    const Core core = ran(out.program);
    CHECK(core.broken == "");
    int wrong = 0;
    const auto at = [&](int t, Int i, Int j) { return core.read(core.whole(t), {i, j}); };
    for (Int i = 0; i < rows; ++i) {
        std::vector<double> s;
        for (Int j = 0; j < cols; ++j) {
            s.push_back(0);
            for (Int k = 0; k < depth; ++k) s.back() += at(0, i, k) * at(1, j, k);
        }
        const double most = *std::max_element(s.begin(), s.end());
        for (Int j = 0; j < depth; ++j) {
            double sum = 0;
            for (Int k = 0; k < cols; ++k) sum += (s[static_cast<std::size_t>(k)] - most) * at(2, k, j);
            wrong += at(3, i, j) != sum;
        }
    }
    CHECK(wrong == 0);
}

TEST_CASE("trainium: what a layout hint comes to")
{
    const auto layout_of = [](const char* memory, const Shape& shape, int operand, const std::vector<Int>& taken,
                              DType type = f16) {
        Bench bench(Op::gemm);
        const int t = bench.tensor("t", memory, shape, Layout{}, type), other = bench.tensor("o", "sbuf", {1, 1}, Layout{});
        if (operand >= 0) {
            View v = bench.whole(t), o = bench.whole(other);
            for (int k = 0; k < v.rank(); ++k)
                if (k < static_cast<int>(taken.size())) v.extents[k] = taken[static_cast<std::size_t>(k)];
            bench.operation.operands = {o, o, o};
            bench.operation.operands[static_cast<std::size_t>(operand)] = v;
            bench.program.body.push_back({0, bench.operation});
        }
        const auto out = trainium_layout(bench.program, t);
        return out ? std::string(axe::print(*out).c_str()) : out.error().text;
    };
    const auto canonical = [](const Layout& l) { return std::string(axe::print(canonicalize(l).value()).c_str()); };
    // A is [M, K], B is [K, N]: K on P.
    CHECK(layout_of("sbuf", {128, 32}, 1, {}) == canonical("(128,32):(1@F,1@P)"_axe));
    CHECK(layout_of("sbuf", {32, 128}, 2, {}) == canonical("(32,128):(1@P,1@F)"_axe));
    CHECK(layout_of("sbuf", {64, 256}, 1, {}) == canonical("(64,2,128):(1@F,64@F,1@P)"_axe));
    CHECK(layout_of("sbuf", {256, 64}, 2, {}) == canonical("(2,128,64):(64@F,1@P,1@F)"_axe));
    CHECK(layout_of("sbuf", {192, 5}, 2, {}) == canonical("(2,96,5):(5@F,1@P,1@F)"_axe));
    CHECK(layout_of("sbuf", {131, 5}, 2, {}) == canonical("(131,5):(5@F,1@F)"_axe)); // a prime: one partition
    // Operators take 48 of 144 values of K at once.
    CHECK(layout_of("sbuf", {144, 5}, 2, {48, 5}) == canonical("(3,48,5):(5@F,1@P,1@F)"_axe));
    // The result: M on P; rows stay within banks of 512.
    CHECK(layout_of("psum", {128, 512}, 0, {}, f32) == canonical("(128,512):(1@P,1@F)"_axe));
    CHECK(layout_of("psum", {256, 128}, 0, {}, f32) == canonical("(2,128,128):(128@F,1@P,1@F)"_axe));
    CHECK(layout_of("psum", {256, 200}, 0, {}, f32) == canonical("(2,128,200):(200@F,1@P,1@F)"_axe)); // both in one bank
    CHECK(layout_of("psum", {256, 300}, 0, {}, f32) == canonical("(2,128,300):(512@F,1@P,1@F)"_axe));
    CHECK(layout_of("psum", {512, 200}, 0, {}, f32) == canonical("(4,128,200):(256@F,1@P,1@F)"_axe));
    CHECK(layout_of("psum", {256, 600}, 0, {}, f32) == canonical("(2,128,600):(1024@F,1@P,1@F)"_axe));
    // Without a product: the first dimension.
    CHECK(layout_of("sbuf", {100, 48}, -1, {}) == canonical("(100,48):(1@P,1@F)"_axe));
    CHECK(layout_of("sbuf", {256}, -1, {}) == canonical("(2,128):(1@F,1@P)"_axe));
    CHECK(layout_of("sbuf", {}, -1, {}) == "1:1@F");
    CHECK(layout_of("hbm", {4}, -1, {}) == "t is in hbm; a layout hint is for tensors in sbuf and psum");
}

TEST_CASE("order_engines: barriers where engines depend on each other, and nowhere else")
{
    const auto touch = [](int engine, int writes, int reads = -1) {
        Instruction i;
        i.opcode = "engine_map";
        i.first_agent = engine;
        for (const int t : {writes, reads})
            if (t >= 0) {
                i.operands.emplace_back();
                i.operands.back().view.tensor = t;
            }
        return Statement{0, i};
    };
    Program program;
    program.machine = machines::trn1;
    for (const char* name : {"t0", "t1", "t2", "t3"}) {
        program.tensors.emplace_back();
        program.tensors.back().name = name;
        program.tensors.back().memory = "sbuf";
    }
    const auto barriers = [&](Body body) {
        Grid grid;
        grid.agents = 4;
        grid.body = std::move(body);
        program.body = {{0, std::move(grid)}};
        order_engines(program);
        const std::string once = print(program);
        order_engines(program);
        CHECK(print(program) == once);
        std::string out;
        const std::function<void(const Body&)> walk = [&](const Body& b) {
            for (const Statement& s : b) {
                if (std::holds_alternative<Barrier>(s.what)) out += '|';
                if (const auto* i = std::get_if<Instruction>(&s.what)) out += std::to_string(i->first_agent);
                const bool loop = std::holds_alternative<For>(s.what), slice = std::holds_alternative<Slice>(s.what);
                const char* marks = loop ? "()" : slice ? "[]" : "{}";
                bool inside = false;
                for_each_body(s, [&](const Body& inner) {
                    out += inside ? ',' : marks[0];
                    inside = true;
                    walk(inner);
                });
                if (inside) out += marks[1];
            }
        };
        walk(std::get<Grid>(program.body[0].what).body);
        return out;
    };
    const auto loop = [](Body body, Affine end = 3) {
        For out;
        out.end = std::move(end);
        out.body = std::move(body);
        return Statement{0, std::move(out)};
    };
    CHECK(barriers({touch(1, 0), touch(1, 0)}) == "11");
    CHECK(barriers({touch(1, 0), touch(2, 1, 0)}) == "1|2");   // read after write
    CHECK(barriers({touch(1, 1, 0), touch(2, 0)}) == "1|2");   // write after read
    CHECK(barriers({touch(1, 0), touch(2, 0)}) == "1|2");      // write after write
    CHECK(barriers({touch(1, 1, 0), touch(2, 3, 0)}) == "12"); // both read
    CHECK(barriers({touch(1, 0), touch(2, 1)}) == "12");
    CHECK(barriers({touch(1, 0), {0, Barrier{}}, touch(2, 1, 0)}) == "1|2");
    CHECK(barriers({loop({touch(1, 0), touch(2, 1, 0)})}) == "(|1|2)"); // the next round overwrites what is read
    CHECK(barriers({touch(1, 0), loop({{0, Barrier{}}, touch(2, 1, 0)}), touch(2, 0)}) == "1(|2)2");
    CHECK(barriers({touch(1, 0), loop({{0, Barrier{}}, touch(2, 1, 0)}, Var{0}), touch(2, 0)}) ==
          "1(|2)|2"); // it may not run at all
    CHECK(barriers({touch(1, 0), {0, If{1, {touch(2, 1, 0)}, {}}}, touch(3, 3, 1)}) == "1{|2,}|3");
    CHECK(barriers({loop({touch(1, 0), {0, If{1, {{0, Break{}}}, {}}}, {0, Barrier{}}}), touch(2, 1, 0)}) == "(1{,}|)|2");
    CHECK(barriers({loop({touch(2, 1, 0), {0, If{1, {{0, Continue{}}}, {}}}, {0, Barrier{}}, touch(1, 0), {0, Barrier{}}})}) ==
          "(2{,}|1|)");
    // A slice waits for others as the program says; before it, engines may meet.
    CHECK(barriers({touch(1, 0), {0, Slice{Slice::Of::agents, 2, 2, 1, {touch(2, 1, 0), touch(3, 1)}}}, touch(1, 1)}) ==
          "1|[2|3]1");
}
