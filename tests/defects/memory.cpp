// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/defects/harness.hpp>

/// Places that do not exist, not written, not aligned, or of another agent.
namespace {

using namespace defects;

Numbers zeros()
{
    return [](std::int64_t) { return 0.0; };
}

/// A block of four warps on one tile: `write` between a load of A and a store to C.
Pair block(const std::function<void(Kernel&, Scope, bool, Marks&)>& write, std::map<std::string, Numbers> given,
           std::map<std::string, Numbers> wanted, int agents = 4)
{
    Pair p{machines::sm80, {}, std::move(given), std::move(wanted)};
    p.write = [write, agents](Kernel& k, bool defect, Marks& marks) {
        one_block(k, agents, [&](Scope cta) { write(k, cta, defect, marks); });
    };
    return p;
}

int own(int, int agent, int lane, int) { return 32 * agent + lane; }

} // namespace

// ---- bounds -------------------------------------------------------------------------------------------------------------------

TEST_CASE("a tail that is not guarded is stored")
{
    Pair p{machines::sm80, {}, {}, {{"C", zeros()}}};
    p.write = [](Kernel& k, bool defect, Marks& marks) {
        const auto C = k.output("C", {200}, f32);
        k.cta(tiles(C, {128}), [&](Scope cta, const Tile& t) {
            const auto r = cta.alloc(Role::registers, {128}, f32, threads, "r");
            cta.fill(r, 0);
            marks.at = next(k);
            cta.copy(C(t).guarded(!defect), r);
        });
    };
    check_fault(p, FaultKind::out_of_bounds, {"block (1): lane 8 of agent 2 accesses element (200) of C, whose shape is (200)"});
}

TEST_CASE("a tail that is not guarded is loaded")
{
    Pair p{machines::sm80, {}, {{"A", counted}}, {{"C", counted}}};
    p.write = [](Kernel& k, bool defect, Marks& marks) {
        const auto A = k.input("A", {3, 100}, f32), C = k.output("C", {3, 100}, f32);
        k.cta(tiles(C, {1, 128}), [&](Scope cta, const Tile& t) {
            const auto r = cta.alloc(Role::registers, {1, 128}, f32, threads, "r");
            marks.at = next(k);
            cta.copy(r, A(t).guarded(!defect));
            cta.copy(C(t), r);
        });
    };
    check_fault(p, FaultKind::out_of_bounds,
                {"block (0,0): lane 4 of agent 3 accesses element (0,100) of A, whose shape is (3,100)"});
}

TEST_CASE("a loop goes one tile too far")
{
    const Pair p = block(
        [](Kernel& k, Scope cta, bool defect, Marks& marks) {
            const auto A = k.input("A", {4, 128}, f32), C = k.output("C", {128}, f32);
            const auto r = cta.alloc(Role::registers, {128}, f32, threads, "r"),
                       sum = cta.alloc(Role::registers, {128}, f32, threads, "sum");
            cta.fill(sum, 0);
            cta.loop(0, defect ? 5 : 4, 1, [&](const Affine& i) {
                marks.at = next(k);
                cta.copy(r, A(i, all).guarded(false));
                cta.binary(Function::add, sum, sum, r);
            });
            cta.copy(C, sum);
        },
        {{"A", [](std::int64_t) { return 1.0; }}}, {{"C", [](std::int64_t) { return 4.0; }}});
    check_fault(p, FaultKind::out_of_bounds, {"accesses element (4,0) of A, whose shape is (4,128)"});
}

TEST_CASE("a condition loads an element that is not there")
{
    const Pair p = block(
        [](Kernel& k, Scope cta, bool defect, Marks& marks) {
            const auto A = k.input("A", {4}, f32), C = k.output("C", {4}, f32);
            cta.loop(0, 4, 1, [&](const Affine& i) {
                marks.at = next(k);
                cta.when(load(A(i + (defect ? 1 : 0)).guarded(false)), [&] { cta.fill(C(i), 0); });
            });
        },
        {{"A", [](std::int64_t) { return 1.0; }}}, {{"C", zeros()}}, 1);
    check_fault(p, FaultKind::out_of_bounds, {"element (4) of A is loaded; the shape is (4)"});
}

// ---- never written ------------------------------------------------------------------------------------------------------------

TEST_CASE("an accumulator that no agent has zeroed")
{
    Pair p{machines::sm80,
           {},
           {{"A", [](std::int64_t i) { return double(i % 3); }}, {"B", [](std::int64_t i) { return double(i % 5); }}},
           {}};
    p.write = [](Kernel& k, bool defect, Marks& marks) {
        const auto A = k.input("A", {32, 32}, f16), B = k.input("B", {32, 32}, f16), C = k.output("C", {32, 32}, f32);
        k.cta(tiles(C, {32, 32}), [&](Scope cta, const Tile& t) {
            const auto a = cta.alloc(Role::shared, {32, 32}, f16, conflict_free, "a"),
                       b = cta.alloc(Role::shared, {32, 32}, f16, conflict_free, "b");
            const auto acc = cta.alloc(Role::accumulator, {32, 32}, f32, accumulator, "acc");
            if (!defect) cta.fill(acc, 0);
            cta.copy(a, A).copy(b, B).sync();
            marks.at = next(k);
            cta.gemm(acc, a, b);
            cta.copy(C(t), acc);
        });
    };
    check_fault(p, FaultKind::uninitialized,
                {"lane 0 of agent 0, element (0,0) of acc (register 0) is read and was never written"});
}

TEST_CASE("a shared tile of which a part was never filled")
{
    const Pair p = block(
        [](Kernel& k, Scope cta, bool defect, Marks& marks) {
            const auto A = k.input("A", {128}, f32), C = k.output("C", {128}, f32);
            const auto s = cta.alloc(Role::shared, {128}, f32, {}, "s");
            const auto r = cta.alloc(Role::registers, {128}, f32, threads, "r");
            if (defect)
                cta.copy(s(Interval(0, 120)), A(Interval(0, 120)));
            else
                cta.copy(s, A);
            cta.sync();
            marks.at = next(k);
            cta.copy(r, s);
            cta.copy(C, r);
        },
        {{"A", counted}}, {{"C", counted}});
    check_fault(p, FaultKind::uninitialized,
                {"lane 24 of agent 3, element (120) of s (smem byte 480) is read and was never written"});
}

TEST_CASE("a register that no agent has written")
{
    const Pair p = block(
        [](Kernel& k, Scope cta, bool defect, Marks& marks) {
            const auto A = k.input("A", {128}, f32), C = k.output("C", {128}, f32);
            const auto r = cta.alloc(Role::registers, {128}, f32, threads, "r"),
                       q = cta.alloc(Role::registers, {128}, f32, threads, "q");
            cta.copy(r, A);
            cta.fill(q, 0);
            if (defect) cta.alloc(Role::registers, {128}, f32, threads, "unused");
            const auto u = cta.alloc(Role::registers, {128}, f32, threads, "u");
            if (!defect) cta.fill(u, 0);
            marks.at = next(k);
            cta.binary(Function::add, q, r, u);
            cta.copy(C, q);
        },
        {{"A", counted}}, {{"C", counted}});
    check_fault(p, FaultKind::uninitialized, {"lane 0 of agent 0, element (0) of u (register 0) is read"});
}

TEST_CASE("a lane takes by shuffle what its neighbor has not written")
{
    const Pair p = block(
        [](Kernel& k, Scope cta, bool defect, Marks& marks) {
            const auto A = k.input("A", {32}, f32), C = k.output("C", {32}, f32);
            const auto r = cta.alloc(Role::registers, {32}, f32, lanes, "r"), q = cta.alloc(Role::registers, {32}, f32, lanes, "q");
            const auto some = [&](int, int, int l, int) { return defect && l == 7 ? -1 : l; };
            cta.call(instruction("move", {taken(r, 1, 1, 32, 1, some), taken(A, 1, 1, 32, 1, some)}));
            marks.at = next(k);
            cta.call(instruction("shuffle",
                                 {taken(q, 1, 1, 32, 1, own), taken(r, 1, 1, 32, 1, [](int, int, int l, int) { return l ^ 1; })}));
            cta.copy(C, q);
        },
        {{"A", counted}}, {{"C", [](std::int64_t i) { return double(i ^ 1); }}}, 1);
    check_fault(p, FaultKind::uninitialized, {"lane 6 of agent 0", "of r", "lane 7 did not write"});
}

TEST_CASE("a block counts on what another block has left in shared memory")
{
    Pair p{machines::sm80, {}, {}, {{"C", zeros()}}};
    p.write = [](Kernel& k, bool defect, Marks& marks) {
        const auto C = k.output("C", {256}, f32);
        k.cta(tiles(C, {128}), [&](Scope cta, const Tile& t) {
            const auto s = cta.alloc(Role::shared, {128}, f32, {}, "s");
            cta.when(defect ? equals(t.index[0], 0) : Expression(1), [&] { cta.fill(s, 0); });
            cta.sync();
            marks.at = next(k);
            cta.copy(C(t), s);
        });
    };
    check_fault(p, FaultKind::uninitialized, {"block (1)", "element (0) of s", "was never written"});
}

TEST_CASE("a part of the output is never written")
{
    Pair p{machines::sm80, {}, {{"A", counted}}, {{"C", counted}}};
    p.write = [](Kernel& k, bool defect, Marks&) {
        const auto A = k.input("A", {300}, f32), C = k.output("C", {300}, f32);
        k.cta(defect ? tiles(256, 128) : tiles(300, 128), [&](Scope cta, const Tile& t) { cta.copy(C(t), A(t)); });
    };
    check_fault(p, FaultKind::uninitialized, {"element (256) of C is an output and was never written"});
}

// ---- vectors ------------------------------------------------------------------------------------------------------------------

TEST_CASE("a vector that is not aligned to its bytes")
{
    const Pair p = block(
        [](Kernel& k, Scope cta, bool defect, Marks& marks) {
            const auto A = k.input("A", {256}, f32), C = k.output("C", {128}, f32);
            const auto r = cta.alloc(Role::registers, {128}, f32, "(32,4):(1@lane,1@reg)"_axe, "r");
            const auto quad = [](int, int, int l, int e) { return 4 * l + e; };
            marks.at = next(k);
            cta.call(
                instruction("move", {taken(r, 1, 1, 32, 4, quad), taken(A(Interval(defect ? 3 : 4, 128)), 1, 1, 32, 4, quad)}));
            cta.copy(C, r);
        },
        {{"A", counted}}, {{"C", [](std::int64_t i) { return counted(i + 4); }}}, 1);
    check_fault(p, FaultKind::misaligned, {"lane 0 of agent 0, element (3) of A (gmem byte 12) begins a vector of 16 bytes"});
}

TEST_CASE("a vector that a loop moves off its alignment")
{
    const Pair p = block(
        [](Kernel& k, Scope cta, bool defect, Marks& marks) {
            const auto A = k.input("A", {4, 130}, f32), C = k.output("C", {4, 128}, f32);
            const auto r = cta.alloc(Role::registers, {128}, f32, "(32,4):(1@lane,1@reg)"_axe, "r");
            const int v = defect ? 4 : 2; // rows of 520 bytes
            cta.loop(0, 4, 1, [&](const Affine& i) {
                marks.at = next(k);
                const auto part = [v](int issue, int, int l, int e) { return 4 * l + v * issue + e; };
                cta.call(
                    instruction("move", {taken(r, 4 / v, 1, 32, v, part), taken(A(i, Interval(0, 128)), 4 / v, 1, 32, v, part)}));
                cta.copy(C(i, all), r);
            });
        },
        {{"A", counted}}, {{"C", [](std::int64_t i) { return counted(i / 128 * 130 + i % 128); }}}, 1);
    check_fault(p, FaultKind::misaligned, {"element (1,0) of A (gmem byte 520) begins a vector of 16 bytes"});
}

TEST_CASE("rows of ldmatrix that are not aligned")
{
    const Pair p = block(
        [](Kernel& k, Scope cta, bool defect, Marks& marks) {
            const auto A = k.input("A", {8, 8}, f16), C = k.output("C", {8, 8}, f16);
            const auto s = cta.alloc(Role::shared, {8, 8}, f16, defect ? "(8,8):(12,1)"_axe : "(8,8):(16,1)"_axe, "s");
            const auto f = cta.alloc(Role::registers, {8, 8}, f16, "(8,4,2):(4@lane,1@lane,1@reg)"_axe, "f");
            cta.copy(s, A).sync();
            marks.at = next(k);
            Instruction i =
                instruction("ldmatrix", {taken(f, 1, 1, 32, 2, [](int, int, int l, int e) { return 2 * l + e; }),
                                         taken(s, 1, 1, 32, 8, [](int, int, int l, int e) { return l < 8 ? 8 * l + e : -1; })});
            i.parameters = {1, 0};
            cta.call(i);
            cta.copy(C, f);
        },
        {{"A", counted}}, {{"C", counted}}, 1);
    check_fault(p, FaultKind::misaligned, {"lane 1 of agent 0, element (1,0) of s (smem byte 24) begins a vector of 16 bytes"});
}

TEST_CASE("a vector that the tensor's edge cuts")
{
    Pair p{machines::sm80, {}, {{"A", counted}}, {{"C", counted}}};
    p.write = [](Kernel& k, bool defect, Marks& marks) {
        const int n = defect ? 198 : 200;
        const auto A = k.input("A", {n}, f32), C = k.output("C", {n}, f32);
        k.cta(
            tiles(C, {128}),
            [&](Scope cta, const Tile& t) {
                const auto r = cta.alloc(Role::registers, {128}, f32, "(32,4):(1@lane,1@reg)"_axe, "r");
                const auto quad = [](int, int, int l, int e) { return 4 * l + e; };
                marks.at = next(k);
                cta.call(instruction("move", {taken(r, 1, 1, 32, 4, quad), taken(A(t), 1, 1, 32, 4, quad)}));
                cta.copy(C(t), r);
            },
            1);
    };
    check_fault(p, FaultKind::misaligned,
                {"block (1): the vector of lane 17 of agent 0 from element (196) on crosses the edge of A, whose shape is (198)"});
}

TEST_CASE("a vector whose elements do not lie together")
{
    const Pair p = block(
        [](Kernel& k, Scope cta, bool defect, Marks& marks) {
            const auto A = k.input("A", {2, 64}, f32), C = k.output("C", {128}, f32);
            const auto r = cta.alloc(Role::registers, {128}, f32, "(32,4):(1@lane,1@reg)"_axe, "r");
            const auto quad = [](int, int, int l, int e) { return 4 * l + e; };
            marks.at = next(k);
            cta.call(instruction(
                "move", {taken(r, 1, 1, 32, 4, quad), taken(defect ? A.permuted({1, 0}) : A(all, all), 1, 1, 32, 4, quad)}));
            cta.copy(C, r);
        },
        {{"A", counted}}, {{"C", counted}}, 1);
    check_refused(p, errc::bad_argument, {"element (1,0) of lane 0 is not adjacent to the one before in gmem, in a vector of 4"});
}

// ---- owners and room ----------------------------------------------------------------------------------------------------------

TEST_CASE("a lane reaches for another lane's register")
{
    const Pair p = block(
        [](Kernel& k, Scope cta, bool defect, Marks& marks) {
            const auto A = k.input("A", {32}, f32), C = k.output("C", {32}, f32);
            const auto r = cta.alloc(Role::registers, {32}, f32, lanes, "r");
            cta.copy(r, A);
            marks.at = next(k);
            const auto turned = [&](int, int, int l, int) { return defect ? 31 - l : l; };
            cta.call(instruction("move", {taken(C, 1, 1, 32, 1, own), taken(r, 1, 1, 32, 1, turned)}));
        },
        {{"A", counted}}, {{"C", counted}}, 1);
    check_refused(p, errc::no_layout, {"lane 0 of agent 0 accesses element (31), which is held by lane 31 of agent 0"});
}

TEST_CASE("a warp reaches for another warp's register")
{
    const Pair p = block(
        [](Kernel& k, Scope cta, bool defect, Marks& marks) {
            const auto A = k.input("A", {128}, f32), C = k.output("C", {128}, f32);
            const auto r = cta.alloc(Role::registers, {128}, f32, threads, "r");
            cta.copy(r, A);
            marks.at = next(k);
            cta.call(instruction("move",
                                 {taken(C, 1, 4, 32, 1, own),
                                  taken(r, 1, 4, 32, 1, [&](int, int a, int l, int) { return 32 * (defect ? a ^ 1 : a) + l; })},
                                 4));
        },
        {{"A", counted}}, {{"C", counted}});
    check_refused(p, errc::no_layout, {"lane 0 of agent 0 accesses element (32), which is held by lane 0 of agent 1"});
}

TEST_CASE("a condition loads a register of another warp")
{
    const Pair p = block(
        [](Kernel& k, Scope cta, bool defect, Marks& marks) {
            const auto C = k.output("C", {1}, f32);
            const auto r = cta.alloc(Role::registers, {128}, f32, threads, "r");
            cta.fill(r, 1);
            cta.warps(0, 1, [&](Scope w) {
                marks.at = next(k);
                w.when(load(r(defect ? 40 : 4)), [&] { w.fill(C, 0); });
            });
        },
        {}, {{"C", zeros()}});
    check_fault(p, FaultKind::wrong_owner, {"agent 0 loads element (40) of r, which is held by agent 1"});
}

TEST_CASE("an instruction for agents that the block does not have")
{
    const Pair p = block(
        [](Kernel& k, Scope cta, bool defect, Marks& marks) {
            const auto A = k.input("A", {64}, f32), C = k.output("C", {64}, f32);
            const auto r = cta.alloc(Role::registers, {64}, f32, "(2,32):(1@warp,1@lane)"_axe, "r");
            marks.at = next(k);
            cta.call(instruction("move", {taken(r, 1, 2, 32, 1, own), taken(A, 1, 2, 32, 1, own)}, 2, defect ? 1 : 0));
            cta.copy(C, r);
        },
        {{"A", counted}}, {{"C", counted}}, 2);
    check_refused(p, errc::out_of_domain, {"it runs on agents 1 to 2 in steps of 1; the block has 2"});
}

TEST_CASE("two allocations share bytes")
{
    const Pair p = block(
        [](Kernel& k, Scope cta, bool defect, Marks&) {
            const auto C = k.output("C", {128}, f32);
            const auto a = cta.alloc("smem", {128}, f32, {}, "a", 0),
                       b = cta.alloc("smem", {128}, f32, {}, "b", defect ? 508 : 512);
            cta.fill(a, 0).fill(b, 1).sync();
            cta.copy(C, a);
        },
        {}, {{"C", zeros()}});
    check_refused(p, errc::bad_argument, {"tensors a (bytes 0 to 511) and b (bytes 508 to 1019) overlap in smem"});
}

TEST_CASE("more shared memory than a block has")
{
    const Pair p = block(
        [](Kernel& k, Scope cta, bool defect, Marks&) {
            const auto C = k.output("C", {128}, f32);
            const auto a = cta.alloc("smem", {128, 128}, f32, {}, "a"),
                       b = cta.alloc("smem", {128, defect ? 256 : 128}, f32, {}, "b");
            cta.fill(a, 0).fill(b, 1).sync();
            cta.copy(C, a(0, all));
        },
        {}, {{"C", zeros()}});
    check_refused(p, errc::capacity,
                  {"`b` takes 131072 bytes of smem, 196608 together with the tensors alive there; each cta has 166912"});
}

TEST_CASE("more registers than a lane has")
{
    const Pair p = block(
        [](Kernel& k, Scope cta, bool defect, Marks&) {
            const auto C = k.output("C", {128}, f32);
            const int n = defect ? 256 : 128;
            const auto r = cta.alloc("reg", {128, n}, f32,
                                     defect ? "(4,32,256):(1@warp,1@lane,1@reg)"_axe : "(4,32,128):(1@warp,1@lane,1@reg)"_axe, "r");
            cta.fill(r, 0);
            cta.copy(C, r(all, 0));
        },
        {}, {{"C", zeros()}});
    check_refused(p, errc::capacity, {"r", "1024", "1020"});
}

// ---- numbers ------------------------------------------------------------------------------------------------------------------

TEST_CASE("an index is divided by zero")
{
    const Pair p = block(
        [](Kernel& k, Scope cta, bool defect, Marks& marks) {
            const auto C = k.output("C", {1}, f32);
            const auto n = cta.scalar("n", defect ? 0 : 2), q = cta.scalar("q");
            marks.at = next(k);
            cta.assign(q, floor_div(7, n));
            cta.when(equals(q, 3), [&] { cta.fill(C, 0); });
        },
        {}, {{"C", zeros()}}, 1);
    check_fault(p, FaultKind::arithmetic, {"block (0): 7 is divided by 0"});
}

TEST_CASE("a loop that never ends")
{
    const Pair p = block(
        [](Kernel& k, Scope cta, bool defect, Marks& marks) {
            const auto C = k.output("C", {1}, f32);
            const auto x = cta.scalar("x");
            cta.loop_while(Expression(x) < 10, [&] {
                marks.at = next(k);
                cta.assign(x, Expression(x) + (defect ? 0 : 1));
            });
            cta.fill(C, 0);
        },
        {}, {{"C", zeros()}}, 1);
    sim::RunOptions options;
    options.most_steps = 1000; // while, assign, jump, …: the thousand and first is the assignment
    const Found f = check_fault(p, FaultKind::endless, {"agent 0 has run 1000 steps"}, options);
    CHECK(f.text.find("statement") != std::string::npos);
}

TEST_CASE("a run that its caller stops")
{
    Pair p{machines::sm80, {}, {}, {{"C", zeros()}}};
    p.write = [](Kernel& k, bool, Marks& marks) {
        const auto C = k.output("C", {1024}, f32);
        marks.at = next(k);
        k.cta(tiles(C, {128}), [&](Scope cta, const Tile& t) { cta.fill(C(t), 0); });
    };
    sim::RunOptions options;
    options.progress = [](std::int64_t done, std::int64_t) { return done < 3; };
    check_fault(p, FaultKind::stopped, {"the run was stopped"}, options);
}

TEST_CASE("a row that a gather asks for and the table does not have")
{
    const Pair p = block(
        [](Kernel& k, Scope cta, bool defect, Marks& marks) {
            const auto A = k.input("A", {defect ? 9 : 10, 32}, f32), I = k.input("I", {8}, i32), C = k.output("C", {8, 32}, f32);
            const auto rows = cta.alloc(Role::registers, {8, 32}, f32, "(8,32):(1@reg,1@lane)"_axe, "rows");
            marks.at = next(k);
            cta.gather(rows, A, I);
            cta.copy(C, rows);
        },
        {{"A", counted}, {"I", [](std::int64_t i) { return counted(9 - i); }}},
        {{"C", [](std::int64_t i) { return counted((9 - i / 32) * 32 + i % 32); }}}, 1);
    check_fault(p, FaultKind::out_of_bounds, {"lane 0 of agent 0 accesses row 9 of A, whose view has 9 rows"});
}
