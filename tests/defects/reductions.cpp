// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/defects/harness.hpp>

/// Bulk reductions: a tile of shared memory is added to global memory by one agent, asynchronously.
namespace {

using namespace defects;

enum class Slip { none, no_fence, overwritten, not_read, no_wait, read_back };

/// Three blocks, each of two warps; in each, warp 0 fills a slot twice and adds it to S. `read_back`: a block reads what it has added to.
Pair sums(Slip slip)
{
    Pair p{machines::sm90, {}, {{"S", counted}}, {{"S", [](std::int64_t i) { return double(i) + 3 * (1 + 2); }}}};
    p.write = [slip](Kernel& k, bool defect, Marks& marks) {
        const auto is = [&](Slip s) { return defect && s == slip; };
        const auto S = k.inout("S", {64}, i32), C = k.output("C", {3, 64}, i32);
        k.cta(
            tiles(3, 1),
            [&](Scope cta, const Tile& t) {
                const auto s = cta.alloc(Role::shared, {64}, i32, {}, "s");
                cta.warps(0, 1, [&](Scope w) {
                    int added = -1, first = -1;
                    for (int i = 1; i < 3; ++i) {
                        const int filled = next(k);
                        w.fill(s, i);
                        if (!is(Slip::no_fence)) w.proxy_fence();
                        added = next(k);
                        if (i == 1) first = added;
                        w.atomic(Function::add, S, s, {.async = true}).commit();
                        if (is(Slip::no_fence) && i == 1) marks = {added, filled};
                        if (is(Slip::overwritten) && i == 2) marks = {filled, added - 4};
                        if (!(is(Slip::overwritten) && i == 1) && !(is(Slip::not_read) && i == 2)) w.wait_sources();
                    }
                    if (is(Slip::not_read)) marks.at = added;
                    if (slip == Slip::read_back) {
                        // Other blocks add while this one reads, whatever it has waited for.
                        w.wait();
                        if (defect) marks = {first, next(k)};
                        if (defect) w.copy(C(t.index[0], all), S);
                    }
                });
                if (slip == Slip::no_wait && defect)
                    cta.warps(0, 1, [&](Scope w) {
                        marks.at = next(k);
                        w.copy(C(t.index[0], all), S);
                    });
                else if (!(slip == Slip::read_back && defect))
                    cta.fill(C(t.index[0], all), 0);
            },
            2);
    };
    return p;
}

} // namespace

TEST_CASE("bulk reductions of several blocks add up") { check_sound(sums(Slip::none)); }

TEST_CASE("a bulk reduction of what ordinary writes have left, without a proxy fence")
{
    check_fault(sums(Slip::no_fence), FaultKind::proxy, {"without a proxy fence between"});
}

TEST_CASE("the source of a bulk reduction is written before it is read")
{
    check_fault(sums(Slip::overwritten), FaultKind::race, {"is written here and read by an asynchronous copy of agent 0"});
}

TEST_CASE("a block ends before its bulk reduction has read its source")
{
    check_fault(sums(Slip::not_read), FaultKind::async_unfinished, {"ends without a wait for the asynchronous copies"});
}

TEST_CASE("what a bulk reduction adds to is read before it is complete")
{
    check_fault(sums(Slip::no_wait), FaultKind::race, {"is read here and written by an asynchronous copy of agent 0"});
}

TEST_CASE("what a bulk reduction has added to is read, while other blocks may add")
{
    check_fault(sums(Slip::read_back), FaultKind::race, {"is written here and read by", "of block"});
}

namespace {

/// S = f(S, A) by one block.
Pair reduced(Function f, DType type, Numbers given, Numbers added, Numbers wanted)
{
    Pair p{machines::sm90, {}, {{"S", std::move(given)}, {"A", std::move(added)}}, {{"S", std::move(wanted)}}};
    p.write = [f, type](Kernel& k, bool, Marks&) {
        const auto S = k.inout("S", {32}, type);
        const auto A = k.input("A", {32}, type);
        k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
            const auto s = cta.alloc(Role::shared, {32}, type, {}, "s");
            cta.copy(s, A).proxy_fence().atomic(f, S, s, {.async = true}).commit().wait_sources();
        });
    };
    return p;
}
Numbers times(double x)
{
    return [x](std::int64_t i) { return x * static_cast<double>(i); };
}

} // namespace

TEST_CASE("bulk reductions by each function")
{
    const auto whole = [](auto f) {
        return [f](std::int64_t i) { return static_cast<double>(f(static_cast<int>(i), static_cast<int>(3 * i - 20))); };
    };
    const Numbers a = [](std::int64_t i) { return static_cast<double>(3 * i - 20); };
    check_sound(reduced(Function::add, i32, counted, a, whole([](int x, int y) { return x + y; })));
    check_sound(reduced(Function::min, i32, counted, a, whole([](int x, int y) { return std::min(x, y); })));
    check_sound(reduced(Function::max, i32, counted, a, whole([](int x, int y) { return std::max(x, y); })));
    check_sound(reduced(Function::bit_and, i32, counted, a, whole([](int x, int y) { return x & y; })));
    check_sound(reduced(Function::bit_or, i32, counted, a, whole([](int x, int y) { return x | y; })));
    check_sound(reduced(Function::bit_xor, i32, counted, a, whole([](int x, int y) { return x ^ y; })));
    check_sound(reduced(Function::add, f16, counted, times(2), times(3)));
    check_sound(reduced(Function::max, bf16, counted, times(2), times(2)));
    check_sound(reduced(Function::min, f16, counted, times(2), counted));
    check_sound(reduced(Function::add, f32, counted, times(0.5), times(1.5)));
}

TEST_CASE("a bulk reduction adds subnormal numbers of f32 as zeros")
{
    constexpr double normal = 1.1754943508222875e-38, half = normal / 2;
    const auto always = [](double x) { return [x](std::int64_t) { return x; }; };
    check_sound(reduced(Function::add, f32, always(half), always(half), always(0)));
    check_sound(reduced(Function::add, f32, always(normal), always(half), always(normal)));
    check_sound(reduced(Function::add, f32, always(-1.5 * normal), always(normal), always(0)));
    check_sound(reduced(Function::add, f32, always(normal), always(normal), always(2 * normal)));
}

TEST_CASE("a bulk reduction counts the elements that it reads and writes, and its copies")
{
    Kernel k("counted", machines::sm90);
    const auto S = k.inout("S", {64, 96}, i32);
    k.cta(tiles({64, 96}, {32, 32}), [&](Scope cta, const Tile& t) {
        const auto s = cta.alloc(Role::shared, {32, 32}, i32, {}, "s");
        cta.fill(s, 1).proxy_fence().sync().atomic(Function::add, S(t), s, {.async = true}).commit().wait_sources();
    });
    const Program program = k.program().value();
    const Found f = find(program, inputs_of(program, {{"S", counted}}));
    INFO(f.text);
    REQUIRE(f.ended());
    const sim::Counters& reduce = f.statements.at(5);
    constexpr std::int64_t tiles = 2 * 3, bytes = 32 * 32 * 4;
    CHECK(reduce.instructions == tiles); // one box each
    CHECK(reduce.by_text.count("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group") == 1);
    CHECK(reduce.memories.at("gmem").bytes_read == tiles * bytes);
    CHECK(reduce.memories.at("gmem").bytes_written == tiles * bytes);
    CHECK(reduce.memories.at("gmem").sectors == tiles * bytes / 32);
    CHECK(reduce.memories.at("smem").bytes_read == tiles * bytes);
    CHECK(reduce.integer_ops == tiles * 32 * 32);
    CHECK(verified(program, inputs_of(program, {{"S", counted}}), f.outputs).empty());
}
