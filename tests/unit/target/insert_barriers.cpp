// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <catch.hpp>
#include <tests/one_block.hpp>
#include <tests/required.hpp>

#include <axe/kernels.hpp>
#include <axe/program/walk.hpp>

#include <functional>

using namespace axe;
using enum axe::DType;

/// Barriers that a block lacks: the result runs without a fault, and no barrier of it is one too many.

namespace {

Array barrier_numbers(const Shape& shape, DType type)
{
    Array out = Array::make(shape, type).value();
    for (std::int64_t i = 0; i < out.size(); ++i) out.set(i, static_cast<double>(i % 97));
    return out;
}
Bindings barrier_inputs(const Program& p)
{
    Bindings in;
    for (const ProgramTensor& t : p.tensors)
        if (t.binding == Binding::input || t.binding == Binding::inout) in.set(t.name, barrier_numbers(t.shape, t.dtype));
    return in;
}
sim::Fault barrier_fault(const Program& p)
{
    const auto lowered = required(lower(p));
    return sim::run(lowered->program, barrier_inputs(p)).value().fault;
}
Program without_barrier(Program p, int id)
{
    const std::function<void(Body&)> walk = [&](Body& body) {
        rewrite(body, [&](Statement& s, Body& out) {
            for_each_body(s, walk);
            if (!std::holds_alternative<Barrier>(s.what) || (id >= 0 && s.id != id)) out.push_back(std::move(s));
        });
    };
    walk(p.body);
    return p;
}
int number_of_barriers(const Program& p)
{
    int n = 0;
    for_each_statement(p.body, [&](const Statement& s) { n += std::holds_alternative<Barrier>(s.what) ? 1 : 0; });
    return n;
}

/// The barriers of a program are taken out and found again.
void check_found_again(const Program& p, int at_most)
{
    const Bindings in = barrier_inputs(p);
    REQUIRE(!barrier_fault(p).found());
    const Program bare = without_barrier(p, -1);
    REQUIRE(number_of_barriers(bare) == 0);
    const auto with = insert_barriers(bare, targets::sm80, in);
    INFO((with ? "" : with.error().text));
    REQUIRE(with.has_value());
    INFO(print(with->program));
    CHECK(number_of_barriers(with->program) == static_cast<int>(with->inserted.size()));
    CHECK(static_cast<int>(with->inserted.size()) <= at_most);
    CHECK(!with->inserted.empty());
    CHECK(!barrier_fault(with->program).found());
    const auto report = sim::run(lower(with->program)->program, in).value();
    CHECK(verify(with->program, in, report.outputs)->ok());
    for (const int id : with->inserted) CHECK(barrier_fault(without_barrier(with->program, id)).kind == sim::FaultKind::race);
}

} // namespace

TEST_CASE("insert_barriers: a load after a store, a store after the load, one after the other", "[barriers]")
{
    Kernel k("exchange", machines::sm80);
    const auto A = k.input("A", {4, 128}, i32), D = k.output("D", {4, 128}, i32);
    k.cta(tiles(1, 1), [&](Scope c, const Tile&) {
        const auto s = c.alloc(Role::shared, {128}, i32, {}, "s");
        const auto reg = [&](const char* name) { return c.alloc(Role::registers, {128}, i32, LayoutHint::registers, name); };
        const auto i = reg("i"), j = reg("j"), last = reg("last"), v = reg("v");
        c.iota(i, 0).fill(last, 127).binary(Function::sub, j, last, i);
        for (int r = 0; r < 4; ++r) {
            c.copy(v, A(r, all)).store(c.local_ptr(s, {i}), v).sync();
            c.load(v, c.local_ptr(s, {j})).copy(D(r, all), v).sync();
        }
    });
    check_found_again(k.program().value(), 7);
}

TEST_CASE("insert_barriers: stages of a product in a loop", "[barriers]")
{
    Kernel k("gemm", machines::sm80);
    const auto A = k.input("A", {64, 64}, f16), B = k.input("B", {64, 64}, f16), C = k.output("C", {64, 64}, f32);
    k.cta(tiles(C, {64, 64}), [&](Scope c, const Tile& t) {
        const auto a = c.alloc(Role::shared, {64, 32}, f16, conflict_free, "a"),
                   b = c.alloc(Role::shared, {32, 64}, f16, conflict_free, "b");
        const auto acc = c.alloc(Role::accumulator, {64, 64}, f32, accumulator, "acc");
        c.fill(acc, 0);
        c.loop(tiles(64, 32), [&](Interval s) { c.copy(a, A(t.rows, s)).copy(b, B(s, t.cols)).sync().gemm(acc, a, b).sync(); });
        c.copy(C(t), acc);
    });
    check_found_again(k.program().value(), 3);
}

TEST_CASE("insert_barriers: between roles, in a branch, and around a function of C++", "[barriers]")
{
    constexpr RawFunction twice{"twice", {{"D", RawAccess::write}, {"A"}}, [](const RawOperand* o) {
                                    for (std::int64_t i = 0; i < o[0].sizes[0]; ++i)
                                        o[0].at<std::int32_t>(i) = 2 * o[1].at<std::int32_t>(i);
                                }};
    Kernel k("roles", machines::sm80);
    const auto A = k.input("A", {64}, i32), D = k.output("D", {64}, i32);
    one_block(k, 2, [&](Scope c) {
        const auto s = c.alloc(Role::shared, {64}, i32, {}, "s"), u = c.alloc(Role::shared, {64}, i32, {}, "u");
        c.warps(0, 1, [&](Scope w) { w.copy(s, A); });
        c.sync();
        c.when(equals(load(A(1)), 1), [&] {
            c.raw(twice, {u, s}).sync();
            c.copy(s, u);
        });
        c.sync();
        c.warps(1, 1, [&](Scope w) { w.copy(D, s); });
    });
    check_found_again(k.program().value(), 3);
}

TEST_CASE("insert_barriers: none where none is missing, and a message where none helps", "[barriers]")
{
    // Lanes read what they have written themselves.
    Kernel own("own", machines::sm80);
    const auto A = own.input("A", {128}, i32), D = own.output("D", {128}, i32);
    own.cta(tiles(1, 1), [&](Scope c, const Tile&) {
        const auto s = c.alloc(Role::shared, {128}, i32, {}, "s");
        c.copy(s, A).copy(D, s);
    });
    const Program good = own.program().value();
    const auto same = insert_barriers(good, targets::sm80, barrier_inputs(good));
    REQUIRE(same.has_value());
    CHECK(same->inserted.empty());
    CHECK(same->runs == 1);
    CHECK(print(same->program) == print(good));

    const auto problem = [](const std::function<void(Kernel&)>& write, const BarrierOptions& options = {}) {
        Kernel k("wrong", machines::sm80);
        write(k);
        const Program p = k.program().value();
        const auto found = insert_barriers(p, targets::sm80, barrier_inputs(p), options);
        return found ? std::string() : found.error().text;
    };
    // Blocks that write one element; an asynchronous copy that nothing waits for in time; an index that is outside.
    CHECK_THAT(problem([](Kernel& k) {
                   const auto X = k.inout("X", {32}, i32);
                   k.cta(tiles(2, 1),
                         [&](Scope c, const Tile& t) { c.fill(X, 1).when(t.index[0] < Affine(1), [&] { c.fill(X, 2); }); });
               }),
               Catch::Contains("no barrier repairs it: wrong, statement "));
    CHECK_THAT(problem([](Kernel& k) {
                   const auto X = k.input("X", {128}, i32), Y = k.output("Y", {128}, i32);
                   k.cta(tiles(1, 1), [&](Scope c, const Tile&) {
                       const auto s = c.alloc(Role::shared, {128}, i32, {}, "s");
                       c.copy_async(s, X).commit().copy(Y, s).wait(0);
                   });
               }),
               Catch::Contains("no barrier repairs it"));
    CHECK_THAT(problem([](Kernel& k) {
                   const auto X = k.inout("X", {8}, i32);
                   k.cta(tiles(1, 1), [&](Scope c, const Tile&) { (void)c.index(load(X(7)), 0, 7); });
               }),
               Catch::Contains("no barrier repairs it: wrong, statement 1, block (0): index"));
    const auto lacking = [](Kernel& k) {
        const auto X = k.input("X", {64, 64}, i32), Y = k.output("Y", {64, 64}, i32);
        k.cta(tiles(1, 1), [&](Scope c, const Tile&) {
            const auto s = c.alloc(Role::shared, {64, 64}, i32, {}, "s");
            for (int i = 0; i < 3; ++i) c.copy(s, X).copy(Y, s.permuted({1, 0}));
        });
    };
    CHECK(problem(lacking).empty());
    CHECK_THAT(problem(lacking, {.most_runs = 2}),
               Catch::Contains("barriers are looked for in 2 runs, and some are still missing"));
}
