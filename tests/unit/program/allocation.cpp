// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/kernels.hpp>
#include <axe/program/live_ranges.hpp>
#include <catch.hpp>
#include <tests/one_block.hpp>
#include <tests/required.hpp>
#include <tests/without_lines.hpp>

using namespace axe;
using enum DType;

/// What exists when, and where: the same for `validate`, `lower` and `run`.

namespace {

Program of(const std::function<void(Scope, const TensorRef&)>& write, int agents = 4, const Machine& machine = machines::sm80)
{
    Kernel k("k", machine);
    const auto C = k.output("C", {4, 128}, f32);
    k.cta(tiles(4, 4), [&](Scope cta, const Tile&) { write(cta, C); }, agents);
    return k.program().value();
}
void use(Scope s, const TensorRef& t, const TensorRef& C, int row = 0, std::int64_t from = 0)
{
    s.fill(t(Interval(from, 128)), row).sync();
    s.copy(C(Interval(row), all), t(Interval(from, 128)));
}
std::string first(const std::vector<Problem>& problems) { return problems.empty() ? "" : problems.front().text; }

/// What all three say, which is to be the same.
std::string refused(const Program& p)
{
    const std::string said = first(validate(p));
    const auto lowered = lower(p);
    REQUIRE(!lowered.has_value());
    CHECK(lowered.error().text == said);
    return without_lines(said);
}
Lowered accepted(const Program& p)
{
    CHECK(first(validate(p)).empty());
    auto lowered = required(lower(p));
    CHECK(first(validate(lowered->program)).empty());
    return std::move(*lowered);
}
sim::Report ran(const Program& p)
{
    const Lowered lowered = accepted(p);
    auto report = sim::run(lowered.program, {});
    INFO((report ? report->fault.text : report.error().text));
    REQUIRE(report.has_value());
    return std::move(*report);
}
const MemoryAllocation& memory_of(const AllocationReport& r, const char* name)
{
    for (const MemoryAllocation& m : r.memories)
        if (std::string(m.memory) == name) return m;
    FAIL("no memory " << name);
    return r.memories.front();
}

} // namespace

TEST_CASE("two allocations of 100 KB in disjoint scopes have the same bytes", "[allocation]")
{
    const Program p = of([](Scope cta, const TensorRef& C) {
        for (int i = 0; i < 4; ++i)
            cta.when(Expression(1.0), [&] {
                const auto s = cta.alloc(Role::shared, {25600}, f32, {}, "s" + std::to_string(i));
                use(cta, s, C, i);
                cta.sync();
            });
    });
    const sim::Report report = ran(p);
    CHECK(report.fault.text.empty());
    for (int i = 0; i < 4; ++i) CHECK(report.outputs.find("C")->at(i * 128 + 5) == i);
    const auto r = allocate(lower(p)->program).value();
    const MemoryAllocation& m = memory_of(r, "smem");
    CHECK(m.peak == 102400);
    CHECK(m.live == 102400);
    CHECK(m.limit == 163 * 1024);
    CHECK(m.reused);
    for (const TensorAllocation& t : m.tensors) CHECK(t.base == 0);
}

TEST_CASE("tensors whose uses do not overlap have the same bytes in one scope, too, where a barrier is between", "[allocation]")
{
    const auto program = [](bool meets) {
        return of([&](Scope cta, const TensorRef& C) {
            const auto s = cta.alloc(Role::shared, {25600}, f32, {}, "s"), t = cta.alloc(Role::shared, {25600}, f32, {}, "t");
            use(cta, s, C, 0);
            if (meets) cta.sync();
            use(cta, t, C, 1, 4); // each lane where another one was
            for (int i = 2; i < 4; ++i) cta.fill(C(Interval(i), all), 0);
        });
    };
    CHECK(ran(program(true)).fault.text.empty());
    // Without it the old owner's reads and the new owner's writes are a race.
    const sim::Report race = ran(program(false));
    CHECK(race.fault.kind == sim::FaultKind::race);
    CHECK(race.fault.text.find("written here and read by") != std::string::npos);
    CHECK(race.fault.text.find("hint: s had these bytes before; order the accesses by a sync() between statements 5 and 6") !=
          std::string::npos);
}

TEST_CASE("as long as there is room no bytes are shared, a barrier decides which are", "[allocation]")
{
    const auto program = [](std::int64_t n) {
        return of([&](Scope cta, const TensorRef& C) {
            TensorRef t[3] = {cta.alloc(Role::shared, {n}, f32, {}, "a"), cta.alloc(Role::shared, {n}, f32, {}, "b"),
                              cta.alloc(Role::shared, {n}, f32, {}, "c")};
            for (int i = 0; i < 3; ++i) {
                use(cta, t[i], C, i);
                if (i == 1) cta.sync();
            }
            cta.fill(C(Interval(3), all), 0);
        });
    };
    const auto bases = [&](const Program& p) {
        std::vector<std::int64_t> out;
        const auto r = allocate(lower(p)->program).value();
        for (const TensorAllocation& t : memory_of(r, "smem").tensors) out.push_back(t.base);
        return out;
    };
    CHECK(bases(program(1000)) == std::vector<std::int64_t>{0, 4000, 8000});
    CHECK(bases(program(16000)) == std::vector<std::int64_t>{0, 64000, 0}); // a and b are used without a barrier between
    CHECK(ran(program(16000)).fault.text.empty());
}

TEST_CASE("what is used inside a loop and exists outside of it is live for all of the loop", "[allocation]")
{
    const auto program = [](bool around) {
        return of([&](Scope cta, const TensorRef& C) {
            std::optional<TensorRef> s, t;
            const auto make = [&] {
                s = cta.alloc(Role::shared, {25600}, f32, {}, "s");
                t = cta.alloc(Role::shared, {25600}, f32, {}, "t");
            };
            if (around) make();
            cta.loop(0, 2, 1, [&](const Affine&) {
                if (!around) make();
                use(cta, *s, C, 0);
                cta.sync();
                use(cta, *t, C, 1);
                cta.sync();
            });
            for (int i = 2; i < 4; ++i) cta.fill(C(Interval(i), all), 0);
        });
    };
    CHECK(ran(program(false)).fault.text.empty());
    CHECK(refused(program(true)) ==
          "k, statement 2, alloc: `t` takes 102400 bytes of smem, 204800 together with the tensors alive there; "
          "each cta has 166912");
}

TEST_CASE("agents of disjoint slices do not share bytes without a barrier of the block", "[allocation]")
{
    const auto program = [](bool meets) {
        return of([&](Scope cta, const TensorRef& C) {
            for (int i = 0; i < 2; ++i) {
                cta.warps(i, 1, [&](Scope warp) { use(warp, warp.alloc(Role::shared, {25600}, f32, {}, "s"), C, i); });
                if (meets) cta.sync();
            }
            for (int i = 2; i < 4; ++i) cta.fill(C(Interval(i), all), 0);
        });
    };
    CHECK(ran(program(true)).fault.text.empty());
    CHECK(!lower(program(false)).has_value());
}

TEST_CASE("the same base in disjoint scopes is accepted, in one scope it is an overlap", "[allocation]")
{
    const auto program = [](bool disjoint) {
        return of([&](Scope cta, const TensorRef& C) {
            const auto one = [&](int i) { use(cta, cta.alloc(Role::shared, {128}, f32, {}, "s" + std::to_string(i), 64), C, i); };
            for (int i = 0; i < 4; ++i) {
                if (disjoint)
                    cta.when(Expression(1.0), [&] { one(i); });
                else
                    one(i);
                cta.sync();
            }
        });
    };
    CHECK(ran(program(true)).fault.text.empty());
    CHECK(refused(program(false)) ==
          "k, statement 6, alloc: tensors s0 (bytes 64 to 575) and s1 (bytes 64 to 575) overlap in smem");
}

TEST_CASE("a long chain of staged operators takes the registers of one of them", "[allocation]")
{
    Kernel k("chain", machines::sm80);
    const auto A = k.input("A", {64, 128}, f32), C = k.output("C", {64, 128}, f32);
    k.cta(tiles(C, {64, 128}), [&](Scope cta, const Tile&) {
        const auto s = cta.alloc(Role::shared, {64, 128}, f32, {}, "s");
        cta.copy(s, A).sync();
        for (int i = 0; i < 12; ++i) cta.map(Function::neg, s, {s}).sync();
        cta.copy(C, s);
    });
    const Lowered lowered = accepted(k.program().value());
    const auto r = allocate(lowered.program).value();
    CHECK(memory_of(r, "reg").peak == 512);
    CHECK(memory_of(r, "reg").tensors.size() == 24);
    CHECK(r.grids.at(0).thread_registers == 128);
    Bindings in;
    in.set("A", Array::make({64, 128}, f32).value());
    CHECK(sim::run(lowered.program, in)->fault.text.empty());
}

TEST_CASE("registers and threads of a block: validate, lower and run refuse with the same numbers", "[allocation]")
{
    const auto program = [](std::int64_t each, int warps) {
        return of(
            [&](Scope cta, const TensorRef& C) {
                const auto r = cta.alloc(Role::registers, {each * warps * 32}, f32, LayoutHint::registers, "r");
                cta.fill(r, 1);
                cta.fill(C, 0);
            },
            warps);
    };
    CHECK(refused(program(200, 32)) ==
          "k, statement 0, grid: a block of 1024 threads takes 204800 registers, 200 for each thread; sm80 has 65536");
    CHECK(refused(program(65, 32)) ==
          "k, statement 0, grid: a block of 1024 threads takes 73728 registers, 72 for each thread; sm80 has 65536");
    CHECK(refused(program(256, 1)) ==
          "k, statement 1, alloc: `r` takes 1024 bytes of reg, 1024 together with the tensors alive there; each lane has 1020");
    CHECK(ran(program(64, 32)).ok());

    // A run of a lowered program that was made by hand says the same.
    Lowered lowered = accepted(program(64, 16));
    std::get<Grid>(lowered.program.body.at(0).what).agents = 32;
    lowered.program.tensors.at(1).layout.layout.shard[0].extent *= 2;
    lowered.program.tensors.at(1).shape[0] *= 2;
    const auto report = sim::run(lowered.program, {});
    REQUIRE(!report.has_value());
    CHECK(without_lines(report.error().text) ==
          "k, statement 0, grid: a block of 1024 threads takes 131072 registers, 128 for each thread; sm80 has 65536");
    CHECK(first(validate(lowered.program)) == report.error().text);

    Machine wide = machines::sm80;
    wide.scopes[3].count = 64;
    wide.splits[0].extent = 64;
    const Program threads = of([](Scope cta, const TensorRef& C) { cta.fill(C, 0); }, 32, wide);
    CHECK(refused(threads) == "k, statement 0, grid: a block has 2048 threads; sm80 takes at most 1024");
}

TEST_CASE("occupancy: blocks of a multiprocessor by threads, registers, shared memory and their number", "[allocation]")
{
    const auto resources = [](int warps, std::int64_t registers, std::int64_t shared) {
        const Program p = of(
            [&](Scope cta, const TensorRef& C) {
                if (registers > 0)
                    cta.fill(cta.alloc(Role::registers, {registers * warps * 32}, f32, LayoutHint::registers, "r"), 1);
                if (shared > 0) cta.fill(cta.alloc(Role::shared, {shared}, u8, {}, "s"), 1);
                cta.fill(C, 0);
            },
            warps);
        return allocate(lower(p)->program)->grids.at(0);
    };
    CHECK(resources(1, 0, 0).resident == 32);
    CHECK(std::string(resources(1, 0, 0).limited_by) == "sm.blocks");
    CHECK(resources(16, 0, 0).resident == 4);
    CHECK(std::string(resources(16, 0, 0).limited_by) == "sm.threads");
    CHECK(resources(8, 100, 0).thread_registers == 104);
    CHECK(resources(8, 100, 0).resident == 2); // 65536 / (256 · 104)
    CHECK(std::string(resources(8, 100, 0).limited_by) == "sm.registers");
    CHECK(resources(4, 0, 32 * 1024).resident == 4); // 164 / (32 + 1)
    CHECK(std::string(resources(4, 0, 32 * 1024).limited_by) == "sm.shared");
    CHECK(resources(4, 0, 40 * 1024).resident == 4);
    CHECK(resources(4, 0, 41 * 1024).resident == 3);
}

TEST_CASE("occupancy: columns of tensor memory, as one allocation for each block", "[allocation]")
{
    const auto resources = [](std::int64_t first, std::int64_t second, bool asks) {
        Kernel k("k", machines::sm100);
        one_block(k, 4, [&](Scope cta) {
            const auto a = cta.alloc("tmem", {128, first}, f32, {}, "a"), b = cta.alloc("tmem", {128, second}, f32, {}, "b");
            const auto d = cta.alloc(Role::registers, {128, 1}, f32, Layout{{{4, 1, Axis{"warp"}}, {32, 1, Axis{"lane"}}}}, "d");
            const auto at = cta.alloc(Role::shared, {1}, i32, {}, "at");
            if (asks) cta.warps(0, 1, [&](Scope w) { w.allocate_columns(0, 512, at, {a, b}); });
            cta.sync().fill(d, 1).copy(a(all, Interval(0, 1)), d).copy(b(all, Interval(0, 1)), d).sync();
            if (asks) cta.warps(0, 1, [](Scope w) { w.give_back_columns(0); });
        });
        return allocate(lower(k.program().value())->program)->grids.at(0);
    };
    for (std::int64_t first = 8; first < 256; first += 8)
        for (const std::int64_t second : {8, 64, 128, 256}) {
            std::int64_t least = 32;
            while (least < first + second) least *= 2;
            const BlockResources r = resources(first, second, false);
            CAPTURE(first, second);
            CHECK(r.tensor_columns == least);
            CHECK(r.resident == std::min<std::int64_t>(512 / least, 16)); // 16 by threads
            CHECK((least == 32 || std::string(r.limited_by) == "tmem.columns"));
        }
    CHECK(resources(128, 256, true).tensor_columns == 0); // asked for in the run
    CHECK(resources(128, 256, true).resident == 16);
}

TEST_CASE("the allocation report in words", "[allocation]")
{
    const Program p = of([](Scope cta, const TensorRef& C) {
        const auto s = cta.alloc(Role::shared, {25600}, f32, {}, "s"), t = cta.alloc(Role::shared, {25600}, f32, {}, "t");
        (void)cta.alloc(Role::shared, {16}, f32, {}, "idle");
        use(cta, s, C, 0);
        cta.sync();
        use(cta, t, C, 1);
        for (int i = 2; i < 4; ++i) cta.fill(C(Interval(i), all), 0);
    });
    const Program lowered = lower(p)->program;
    CHECK(allocation_text(lowered, allocate(lowered).value()) ==
          "grid 0: smem: 102464 bytes of 166912, at most 102400 live at once; tensors share bytes\n"
          "  s: bytes 0 to 102399, statements 4 to 6\n"
          "  t: bytes 0 to 102399, statements 8 to 10\n"
          "  idle: bytes 102400 to 102463, not used\n"
          "grid 0: a block has 128 threads and 102464 bytes of shared memory; a multiprocessor holds 1 block, limited by "
          "sm.shared\n");
    Kernel k("k", machines::sm100);
    k.cta(tiles(1, 1), [](Scope cta, const Tile&) { (void)cta.alloc("tmem", {128, 96}, f32, {}, "t"); });
    const Program columns = lower(k.program().value())->program;
    CHECK(allocation_text(columns, allocate(columns).value()) ==
          "grid 0: tmem: 384 bytes of 2048, at most 384 live at once\n"
          "  t: bytes 0 to 383, not used\n"
          "grid 0: a block has 128 threads and 128 columns of tensor memory; a multiprocessor holds 4 blocks, limited by "
          "tmem.columns\n");
}

TEST_CASE("an asynchronous copy uses its tensors up to the wait", "[allocation]")
{
    const auto range = [](bool waits) {
        Kernel k("k", machines::sm80);
        const auto A = k.input("A", {128}, f32);
        k.cta(tiles(4, 4), [&](Scope cta, const Tile&) {
            const auto s = cta.alloc(Role::shared, {128}, f32, {}, "s");
            cta.copy_async(s, A).commit();
            if (waits) cta.wait();
            cta.sync().sync();
        });
        return live_ranges(lower(k.program().value())->program).tensors.at(0);
    };
    CHECK(range(true).begin == 2);
    CHECK(range(true).end == 4);
    CHECK(range(false).end == 5); // the end of the body
}
