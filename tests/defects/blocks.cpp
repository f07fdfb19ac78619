// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/defects/harness.hpp>

/// Blocks that are in flight together and wait for each other, by flags in global memory.
namespace {

using namespace defects;

double zero(std::int64_t) { return 0; }

/// Orders in which as many blocks are in flight as the machine holds.
template <class Act>
void each_order(Act act)
{
    for (const std::int64_t quantum : {0, 1, 3})
        for (const int threads : {1, 2}) {
            sim::RunOptions options;
            options.quantum = quantum;
            options.threads = threads;
            INFO("turns of " << quantum << " steps");
            act(options);
        }
}

void sound(const Pair& pair)
{
    Marks marks;
    const Ready twin = ready(pair, false, marks);
    for (const sim::Level level : {sim::Level::full, sim::Level::fast})
        each_order([&](sim::RunOptions options) {
            options.level = level;
            const Found f = twin.run(options);
            INFO(f.text);
            CHECK(f.malformed == std::vector<std::string>{});
            REQUIRE(f.ended());
            CHECK(wrong(pair, f.outputs) == 0);
        });
}

Found faulty(const Pair& pair, FaultKind kind, const std::vector<std::string>& words)
{
    sound(pair);
    Found last;
    Marks marks;
    const Ready defective = ready(pair, true, marks);
    each_order([&](const sim::RunOptions& options) {
        last = defective.run(options);
        INFO(last.text);
        CHECK(last.refused == errc::ok);
        REQUIRE(std::string(name(last.fault.kind)) == name(kind));
        CHECK(((last.fault.statement == marks.at && (marks.other < 0 || last.fault.other_statement == marks.other)) ||
               (last.fault.statement == marks.other && last.fault.other_statement == marks.at)));
        CHECK(missing(last.text, words) == std::vector<std::string>{});
    });
    return last;
}

} // namespace

TEST_CASE("a barrier of all blocks of a grid, of a counter")
{
    // Each block writes a tile, and reads that of the next one after the barrier.
    const auto pair = [](int count) {
        Pair p{machines::sm90, {}, {{"f", zero}}, {}};
        p.wanted["C"] = [count](std::int64_t i) { return double((i / 32 + 1) % count); };
        p.write = [count](Kernel& k, bool defect, Marks& marks) {
            const auto f = k.inout("f", {1}, i32);
            const auto T = k.output("T", {count, 32}, f32), C = k.output("C", {count, 32}, f32);
            k.cta(
                tiles(count, 1),
                [&](Scope cta, const Tile& t) {
                    const auto r = cta.alloc(Role::registers, {32}, f32, lanes, "r");
                    for (int i = 0; i < count; ++i) cta.when(equals(Expression(t.index[0]), i), [&] { cta.fill(r, i); });
                    marks.at = next(k);
                    cta.copy(T(t.index[0], all), r);
                    if (defect)
                        cta.add_to_flag(f, 1, MemoryOrder::relaxed);
                    else
                        cta.add_to_flag(f, 1);
                    cta.wait_at_least(f, count);
                    marks.other = next(k);
                    cta.when(
                        Expression(t.index[0]) < count - 1, [&] { cta.copy(C(t.index[0], all), T(t.index[0] + 1, all).guarded()); },
                        [&] { cta.copy(C(t.index[0], all), T(0, all)); });
                    ++marks.other;
                },
                1);
        };
        return p;
    };
    sound(pair(5));
    Marks marks;
    const Found f = find(pair(5), true, marks);
    INFO(f.text);
    CHECK(f.fault.kind == FaultKind::race);
    CHECK(missing(f.text, {"race", "T", "of block ("}) == std::vector<std::string>{});
}

TEST_CASE("as many blocks are in flight as the machine's multiprocessors hold, or as the run says")
{
    // Block 0 waits for all others. sm90 has 132 multiprocessors; a block with 200 KiB of shared memory has one of them for itself.
    const auto pair = [](int count, int bytes) {
        Pair p{machines::sm90, {}, {{"f", zero}}, {}};
        p.write = [=](Kernel& k, bool, Marks& marks) {
            const auto f = k.inout("f", {1}, i32);
            k.cta(
                tiles(count, 1),
                [&](Scope cta, const Tile&) {
                    const auto s = cta.alloc(Role::shared, {bytes}, u8, {}, "s");
                    cta.fill(s(Interval(0, 16)), 0).add_to_flag(f, 1);
                    marks.at = next(k);
                    cta.wait_at_least(f, count);
                },
                1);
        };
        return p;
    };
    Marks marks;
    CHECK(find(pair(132, 200 * 1024), false, marks).ended());
    const Found more = find(pair(133, 200 * 1024), false, marks);
    INFO(more.text);
    CHECK(more.fault.kind == FaultKind::deadlock);
    CHECK(more.fault.statement == marks.at);
    CHECK(missing(more.text, {"until element (0) of f is at least 133; it is 132",
                              "blocks of the grid that have not started: 1; 132 are resident, and none of them ends"}) ==
          std::vector<std::string>{});
    CHECK(find(pair(264, 100 * 1024), false, marks).ended());
    CHECK(find(pair(265, 100 * 1024), false, marks).fault.kind == FaultKind::deadlock);
    sim::RunOptions options;
    for (const int resident : {1, 2, 3}) {
        options.resident = resident;
        CHECK(find(pair(3, 1024), false, marks, options).ended() == (resident == 3));
    }
    options.resident = 133;
    CHECK(find(pair(133, 200 * 1024), false, marks, options).ended());
}

TEST_CASE("the last block to come adds up what the others have left")
{
    constexpr int count = 6;
    Pair p{machines::sm90, {}, {{"f", zero}}, {{"C", [](std::int64_t) { return 15.0; }}}};
    p.write = [](Kernel& k, bool defect, Marks& marks) {
        const auto f = k.inout("f", {1}, i32);
        const auto T = k.output("T", {count, 32}, f32), C = k.output("C", {32}, f32);
        const auto before = k.scalar("before");
        k.cta(
            tiles(count, 1),
            [&](Scope cta, const Tile& t) {
                const auto r = cta.alloc(Role::registers, {32}, f32, lanes, "r"),
                           sum = cta.alloc(Role::registers, {32}, f32, lanes, "sum");
                for (int i = 0; i < count; ++i) cta.when(equals(Expression(t.index[0]), i), [&] { cta.fill(r, i); });
                marks.at = next(k);
                cta.copy(T(t.index[0], all), r);
                cta.add_to_flag(f, 1, defect ? MemoryOrder::release : MemoryOrder::acquire_release, Within::device, before);
                cta.when(equals(before, count - 1), [&] {
                    cta.fill(sum, 0);
                    cta.loop(0, count, 1, [&](const Affine& i) {
                        marks.other = next(k);
                        cta.copy(r, T(i, all)).binary(Function::add, sum, sum, r);
                    });
                    cta.copy(C, sum);
                });
            },
            1);
    };
    faulty(p, FaultKind::race, {"race", "of block ("});
}

TEST_CASE("tiles handed from block to block, in order")
{
    constexpr int count = 5;
    Pair p{machines::sm90, {}, {{"f", zero}, {"A", counted}}, {{"A", [](std::int64_t i) { return double(i + count); }}}};
    p.write = [](Kernel& k, bool defect, Marks& marks) {
        const auto f = k.inout("f", {1}, i32), A = k.inout("A", {32}, f32);
        k.cta(
            tiles(count, 1),
            [&](Scope cta, const Tile& t) {
                const auto r = cta.alloc(Role::registers, {32}, f32, lanes, "r"),
                           one = cta.alloc(Role::registers, {32}, f32, lanes, "one");
                cta.fill(one, 1).wait_equal(f, t.index[0]);
                marks.at = next(k);
                cta.copy(r, A).binary(Function::add, r, r, one);
                marks.other = next(k);
                cta.copy(A, r).set_flag(f, Expression(t.index[0]) + 1, defect ? MemoryOrder::relaxed : MemoryOrder::release);
            },
            1);
    };
    faulty(p, FaultKind::race, {"race", "A"});
}

TEST_CASE("a flag that an ordinary store resets before all have seen it")
{
    // Block 0 sets the flag to 0 for the next kernel: after the others have said that they have seen it.
    Pair p{machines::sm90, {}, {{"f", zero}}, {{"f", [](std::int64_t i) { return i == 0 ? 0.0 : 3.0; }}}};
    p.write = [](Kernel& k, bool defect, Marks& marks) {
        const auto f = k.inout("f", {2}, i32);
        k.cta(
            tiles(4, 1),
            [&](Scope cta, const Tile& t) {
                cta.when(
                    equals(Expression(t.index[0]), 0),
                    [&] {
                        cta.set_flag(f(Interval(0, 1)), 1);
                        cta.wait_equal(f(Interval(1, 1)), 3, defect ? MemoryOrder::relaxed : MemoryOrder::acquire);
                        marks.at = next(k);
                        cta.fill(f(Interval(0, 1)), 0);
                    },
                    [&] {
                        marks.other = next(k);
                        cta.wait_equal(f(Interval(0, 1)), 1).add_to_flag(f(Interval(1, 1)), 1);
                    });
            },
            1);
    };
    faulty(p, FaultKind::race, {"race", "f"});
}

TEST_CASE("a grid after one with flags knows of all of it")
{
    Pair p{machines::sm90, {}, {{"f", zero}}, {{"C", [](std::int64_t) { return 7.0; }}}};
    p.write = [](Kernel& k, bool, Marks&) {
        const auto f = k.inout("f", {1}, i32), T = k.output("T", {32}, f32), C = k.output("C", {32}, f32);
        k.cta(
            tiles(2, 1),
            [&](Scope cta, const Tile& t) {
                cta.when(equals(Expression(t.index[0]), 0), [&] { cta.fill(T, 7).add_to_flag(f, 1, MemoryOrder::relaxed); });
            },
            1);
        one_block(k, 1, [&](Scope cta) { cta.copy(C, T).fill(f, 0); });
    };
    sound(p);
}

TEST_CASE("bulk copies of what another block has written: the fence of proxies goes with the release")
{
    // 0: no fence
    Pair p{machines::sm90, {}, {{"f", zero}}, {{"C", [](std::int64_t) { return 5.0; }}}};
    p.write = [](Kernel& k, bool defect, Marks& marks) {
        using Action = Mbarrier::Action;
        const auto f = k.inout("f", {1}, i32), T = k.output("T", {32}, f32), C = k.output("C", {32}, f32);
        k.cta(
            tiles(2, 1),
            [&](Scope cta, const Tile& t) {
                const auto s = cta.alloc(Role::shared, {32}, f32, {}, "s");
                cta.when(
                    equals(Expression(t.index[0]), 0),
                    [&] {
                        marks.other = next(k);
                        cta.fill(T, 5);
                        if (!defect) cta.proxy_fence();
                        cta.add_to_flag(f, 1);
                    },
                    [&] {
                        cta.mbarrier({Action::init, 0, 1, {}}).wait_equal(f, 1).mbarrier({Action::expect_bytes, 0, 128, {}});
                        marks.at = next(k);
                        cta.copy_async(s, T, {.completes_on = 0}).mbarrier({Action::wait, 0, 0, 0}).copy(C, s);
                    });
            },
            1);
    };
    faulty(p, FaultKind::proxy, {"without a proxy fence between"});
}
