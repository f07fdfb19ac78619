// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/defects/harness.hpp>

/// Programs without a defect that a careless check would find one in.
namespace {

using namespace defects;

Pair block(const Machine& machine, int agents, std::map<std::string, Numbers> given, std::map<std::string, Numbers> wanted,
           const std::function<void(Kernel&, Scope)>& write)
{
    Pair p{machine, {}, std::move(given), std::move(wanted)};
    p.write = [write, agents](Kernel& k, bool, Marks&) { one_block(k, agents, [&](Scope cta) { write(k, cta); }); };
    return p;
}

} // namespace

TEST_CASE("two halves of a block, each with its barriers")
{
    check_sound(block(
        machines::sm80, 4, {{"A", counted}}, {{"C", [](std::int64_t i) { return counted(i ^ 32); }}}, [](Kernel& k, Scope cta) {
            const auto A = k.input("A", {128}, f32), C = k.output("C", {128}, f32);
            const auto s = cta.alloc(Role::shared, {128}, f32, {}, "s");
            for (const int half : {0, 1})
                cta.warps(2 * half, 2, [&](Scope w) {
                    const auto part = Interval(64 * half, 64);
                    const auto r =
                        w.alloc(Role::registers, {64}, f32,
                                half == 0 ? "(2,32):(-1@warp,1@lane) + 1@warp"_axe : "(2,32):(-1@warp,1@lane) + 3@warp"_axe, "r");
                    const auto q = w.alloc(Role::registers, {64}, f32,
                                           half == 0 ? "(2,32):(1@warp,1@lane)"_axe : "(2,32):(1@warp,1@lane) + 2@warp"_axe, "q");
                    w.copy(q, A(part)).copy(s(part), q).sync().copy(r, s(part));
                    // Each warp stores what it has got at its own place: the other's.
                    w.sync();
                    w.loop(0, half + 1, 1, [&](const Affine&) { w.sync(); });
                    w.call(instruction("move",
                                       {taken(C(part), 1, 2, 32, 1, [](int, int a, int l, int) { return 32 * a + l; }),
                                        taken(r, 1, 2, 32, 1, [](int, int a, int l, int) { return 32 * (1 - a) + l; })},
                                       2, 2 * half));
                });
        }));
}

TEST_CASE("all lanes read one element, which is overwritten after a barrier")
{
    check_sound(block(machines::sm80, 4, {}, {{"C", [](std::int64_t i) { return double(i / 128); }}}, [](Kernel& k, Scope cta) {
        const auto C = k.output("C", {5, 128}, f32);
        const auto s = cta.alloc(Role::shared, {1}, f32, {}, "s");
        const auto r = cta.alloc(Role::registers, {128}, f32, threads, "r");
        const auto sum = cta.alloc(Role::registers, {1}, f32, "1:1@reg"_axe, "sum"),
                   one = cta.alloc(Role::registers, {1}, f32, "1:1@reg"_axe, "one");
        const auto lane_0 = [](int, int, int l, int) { return l == 0 ? 0 : -1; };
        const auto by_lane_0 = [&](std::string opcode, const std::vector<ViewRef>& operands) {
            std::vector<Access> taken_by_it;
            for (const ViewRef& v : operands) taken_by_it.push_back(taken(v, 1, 1, 32, 1, lane_0));
            Instruction i = instruction(std::move(opcode), std::move(taken_by_it));
            i.function = Function::add;
            i.number = 1;
            cta.call(i);
        };
        cta.warps(0, 1, [&](Scope w) { w.fill(s, 0); });
        by_lane_0("fill", {one});
        cta.loop(0, 5, 1, [&](const Affine& i) {
            cta.sync();
            cta.copy(r, s(0).repeated(0, 128));
            cta.copy(C(i, all), r);
            cta.sync();
            by_lane_0("move", {sum, s});
            by_lane_0("map", {sum, sum, one});
            by_lane_0("move", {s, sum});
        });
    }));
}

TEST_CASE("each lane updates its own element in place, without a barrier")
{
    check_sound(block(machines::sm80, 4, {{"A", counted}}, {{"A", [](std::int64_t i) { return 32.0 * counted(i); }}},
                      [](Kernel& k, Scope cta) {
                          const auto A = k.inout("A", {128}, f32);
                          const auto s = cta.alloc(Role::shared, {128}, f32, {}, "s");
                          const auto r = cta.alloc(Role::registers, {128}, f32, threads, "r");
                          cta.copy(r, A).copy(s, r);
                          cta.loop(0, 5, 1, [&](const Affine&) {
                              cta.copy(r, s);
                              cta.binary(Function::add, r, r, r);
                              cta.copy(s, r).copy(A, r);
                          });
                      }));
}

TEST_CASE("blocks share what they only read, and a second grid reads what the first has written")
{
    Pair p{machines::sm80, {}, {{"A", counted}, {"B", counted}}, {{"D", [](std::int64_t i) {
                                                                       return counted(i) + 2 * counted(i % 128);
                                                                   }}}};
    p.write = [](Kernel& k, bool, Marks&) {
        const auto A = k.input("A", {512}, f32), B = k.input("B", {128}, f32), C = k.output("C", {512}, f32),
                   D = k.output("D", {512}, f32);
        const auto add_b = [&](const TensorRef& to, const TensorRef& from, bool backwards) {
            k.cta(tiles(to, {128}), [&](Scope cta, const Tile& t) {
                const Interval part(backwards ? 384 + -128 * t.index[0] : 128 * t.index[0], 128);
                const auto r = cta.alloc(Role::registers, {128}, f32, threads, "r"),
                           b = cta.alloc(Role::registers, {128}, f32, threads, "b");
                cta.copy(r, from(part)).copy(b, B);
                cta.binary(Function::add, r, r, b);
                cta.copy(to(part), r);
            });
        };
        add_b(C, A, false);
        add_b(D, C, true);
    };
    check_sound(p);
}

TEST_CASE("ping-pong: two buffers, an odd number of tiles, one barrier for each")
{
    check_sound(block(machines::sm80, 4, {{"A", counted}}, {{"C", counted}}, [](Kernel& k, Scope cta) {
        const auto A = k.input("A", {7, 128}, f32), C = k.output("C", {7, 128}, f32);
        const auto s = cta.alloc(Role::shared, {2, 128}, f32, {}, "s");
        const auto r = cta.alloc(Role::registers, {128}, f32, warps_reversed, "r");
        cta.loop(0, 7, 2, [&](const Affine& i) {
            for (const int half : {0, 1}) {
                const auto tile = [&] {
                    cta.copy(s(half, all), A(Interval(i + half, 1), all)(0, all), single);
                    cta.sync();
                    cta.copy(r, s(half, all));
                    cta.copy(C(Interval(i + half, 1), all)(0, all), r);
                };
                if (half == 0)
                    tile();
                else
                    cta.when(Expression(i + 1) < 7, tile);
            }
        });
    }));
}

TEST_CASE("groups of asynchronous copies, of which some are empty, and one wait for all of the loop")
{
    check_sound(block(machines::sm80, 4, {{"A", counted}}, {{"C", counted}}, [](Kernel& k, Scope cta) {
        const auto A = k.input("A", {6, 128}, f32), C = k.output("C", {6, 128}, f32);
        const auto s = cta.alloc(Role::shared, {3, 128}, f32, {}, "s");
        const auto r = cta.alloc(Role::registers, {128}, f32, warps_reversed, "r");
        for (int i = 0; i < 2; ++i) cta.copy_async(s(i, all), A(i, all), single).commit();
        cta.loop(0, 6, 3, [&](const Affine& i) {
            for (int stage = 0; stage < 3; ++stage) {
                cta.wait(1);
                cta.sync();
                cta.when(Expression(i + (stage + 2)) < 6,
                         [&] { cta.copy_async(s((stage + 2) % 3, all), A(Interval(i + (stage + 2), 1), all)(0, all), single); });
                cta.commit();
                cta.copy(r, s(stage, all));
                cta.copy(C(i + stage, all), r);
            }
        });
        cta.wait(0);
    }));
}

TEST_CASE("a producer and its consumers, in a loop of phases")
{
    check_sound(block(machines::sm90, 3, {{"A", counted}}, {{"C", counted}}, [](Kernel& k, Scope cta) {
        constexpr int n = 7;
        const auto A = k.input("A", {n, 64}, f32), C = k.output("C", {n, 64}, f32);
        const auto s = cta.alloc(Role::shared, {2, 64}, f32, {}, "s");
        const auto r = cta.alloc(Role::registers, {64}, f32, "(2,32):(1@warp,1@lane) + 1@warp"_axe, "r");
        const auto act = [](Mbarrier::Action action, int id, int number, Expression parity) {
            return Mbarrier{action, id, number, std::move(parity)};
        };
        cta.warps(0, 1, [&](Scope w) {
            for (int slot = 0; slot < 2; ++slot)
                w.mbarrier(act(Mbarrier::Action::init, slot, 1, {})).mbarrier(act(Mbarrier::Action::init, 2 + slot, 2, {}));
        });
        cta.sync();
        const auto phases = [&](Scope w, int first, int then, int ahead, const std::function<void(const Affine&, int)>& use) {
            w.loop(0, n, 2, [&](const Affine& i) {
                for (const int slot : {0, 1})
                    w.when(Expression(i + slot) < n, [&] {
                        w.mbarrier(act(Mbarrier::Action::wait, first + slot, 0, floor_mod(floor_div(Expression(i), 2) + ahead, 2)));
                        use(i + slot, slot);
                        w.mbarrier(act(Mbarrier::Action::arrive, then + slot, 0, {}));
                    });
            });
        };
        cta.warps(0, 1, [&](Scope w) {
            phases(w, 2, 0, 1, [&](const Affine& i, int slot) { w.copy(s(slot, all), A(Interval(i, 1), all)(0, all), single); });
        });
        cta.warps(1, 2, [&](Scope w) {
            phases(w, 0, 2, 0, [&](const Affine& i, int slot) {
                w.copy(r, s(slot, all));
                w.copy(C(Interval(i, 1), all)(0, all), r);
            });
        });
    }));
}

TEST_CASE("a sum over a block, through shared memory")
{
    check_sound(
        block(machines::sm80, 4, {{"A", counted}}, {{"C", [](std::int64_t) { return 511.0 * 512 / 2; }}}, [](Kernel& k, Scope cta) {
            const auto A = k.input("A", {512}, f32), C = k.output("C", {1}, f32);
            const auto r = cta.alloc(Role::registers, {512, 1}, f32, "(4,128):(1@reg,1@thread)"_axe, "r");
            const auto sum = cta.alloc(Role::registers, {1}, f32, "1:1@reg"_axe, "sum");
            cta.copy(r(all, 0), A);
            cta.sum(sum, r, 0);
            cta.copy(C, sum);
        }));
}

TEST_CASE("copies of a register in two warps, each written and read by its own")
{
    check_sound(block(machines::sm80, 2, {{"A", counted}}, {{"C", counted}}, [](Kernel& k, Scope cta) {
        const auto A = k.input("A", {32}, f32), C = k.output("C", {32}, f32);
        const auto r = cta.alloc(Role::registers, {32}, f32, "32:1@lane + [2:1@warp]"_axe, "r");
        cta.copy(r, A);
        cta.binary(Function::add, r, r, r);
        const auto h = cta.alloc(Role::registers, {32}, f32, "32:1@lane + [2:1@warp]"_axe, "h");
        cta.fill(h, 0.5);
        cta.binary(Function::mul, r, r, h);
        cta.sync();
        cta.copy(C, r);
    }));
}

TEST_CASE("tails in all three dimensions of a product")
{
    const auto a = [](std::int64_t i) { return double(i % 7) - 3; };
    const auto b = [](std::int64_t i) { return double(i % 5) - 2; };
    Pair p{machines::sm80, {}, {{"A", a}, {"B", b}}, {{"C", [&](std::int64_t i) {
                                                           double sum = 0;
                                                           for (int q = 0; q < 50; ++q)
                                                               sum += a(i / 70 * 50 + q) * b(q * 70 + i % 70);
                                                           return sum;
                                                       }}}};
    p.write = [](Kernel& k, bool, Marks&) {
        const auto A = k.input("A", {100, 50}, f16), B = k.input("B", {50, 70}, f16), C = k.output("C", {100, 70}, f32);
        k.cta(tiles(C, {64, 64}), [&](Scope cta, const Tile& t) {
            const auto s = cta.alloc(Role::shared, {64, 32}, f16, conflict_free, "s"),
                       u = cta.alloc(Role::shared, {32, 64}, f16, conflict_free, "u");
            const auto acc = cta.alloc(Role::accumulator, {64, 64}, f32, accumulator, "acc");
            cta.fill(acc, 0);
            cta.loop(tiles(50, 32), [&](const Interval& q) {
                cta.copy(s, A(t.rows, q)).copy(u, B(q, t.cols)).sync();
                cta.gemm(acc, s, u).sync();
            });
            cta.copy(C(t), acc);
        });
    };
    check_sound(p);
}

TEST_CASE("warps that leave a loop at different times, and meet after it")
{
    check_sound(block(machines::sm80, 4, {}, {{"C", [](std::int64_t i) { return double(i / 32); }}}, [](Kernel& k, Scope cta) {
        const auto C = k.output("C", {128}, f32);
        const auto r = cta.alloc(Role::registers, {128}, f32, threads, "r"),
                   one = cta.alloc(Role::registers, {128}, f32, threads, "one");
        const auto n = cta.scalar("n"), x = cta.scalar("x");
        cta.fill(r, 0).fill(one, 1);
        for (int w = 1; w < 4; ++w) cta.warps(w, 1, [&](Scope s) { s.assign(n, w); });
        cta.loop_while(1, [&] {
            cta.when(equals(x, n), [&] { cta.break_loop(); });
            cta.assign(x, Expression(x) + 1);
            cta.binary(Function::add, r, r, one);
        });
        cta.sync();
        cta.copy(C, r);
    }));
}
