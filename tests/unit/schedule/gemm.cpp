// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/kernels.hpp>
#include <axe/schedule/gemm.hpp>
#include <axe/schedule/matrix_hints.hpp>
#include <tests/targets.hpp>

#include <tests/random.hpp>
#include <tests/unit/schedule/matrix_simulation.hpp>

namespace {

using namespace axe;
using Int = std::int64_t;

/// A gemm of a block, and what is asked of it.
struct Case {
    Shape d, a, b;
    DType td = DType::f32, ta = DType::f16, tb = DType::f16;
    bool accumulate = true, transpose_a = false, transpose_b = false;
    int warps = 4;
    Machine machine = machines::sm80;
    Role where_d = Role::accumulator, where_a = Role::shared, where_b = Role::shared;
    Placement place_d = LayoutHint::accumulator, place_a{}, place_b{};
    std::string schedule{};
};

struct Made {
    Program program{};
    Body body{};
    Choice choice{};
    std::vector<ProgramTensor> temporaries{};
    Problem problem{};
};

Made make(const Case& c)
{
    Kernel k("gemm", c.machine);
    k.cta(
        Tiles{Shape{1}, Shape{1}},
        [&](Scope cta, const Tile&) {
            const auto d = cta.alloc(c.where_d, c.d, c.td, c.place_d, "D"), a = cta.alloc(c.where_a, c.a, c.ta, c.place_a, "A"),
                       b = cta.alloc(c.where_b, c.b, c.tb, c.place_b, "B");
            Options options;
            options.schedule = c.schedule;
            cta.gemm(d, a, b, Scope::Gemm{c.accumulate, c.transpose_a, c.transpose_b}, options);
        },
        c.warps);
    Made out;
    const auto program = k.program();
    if (!program) {
        out.problem = program.error();
        return out;
    }
    out.program = *program;
    for (int t = 0; t < 3; ++t) {
        auto& tensor = out.program.tensors[static_cast<std::size_t>(t)];
        if (tensor.hint == LayoutHint::none) continue;
        const auto layout = hinted_matrix_layout(out.program, t);
        if (!layout) {
            out.problem = layout.error();
            return out;
        }
        tensor.layout.layout = *layout;
    }
    const auto uses = uses_of(out.program, 0);
    REQUIRE(uses.size() == 1);
    Request request(out.program, target_of(out.program), *uses[0].operation, uses[0].place);
    auto body = dispatch(request, &out.choice);
    if (!body)
        out.problem = body.error();
    else
        out.body = std::move(*body);
    out.temporaries = request.temporaries();
    return out;
}

std::vector<double> whole_numbers(laws::Random& random, const Shape& shape, Int least = -3)
{
    std::vector<double> out;
    for (Int i = 0; i < volume(shape).value(); ++i) out.push_back(static_cast<double>(random.in(least, 3)));
    return out;
}

/// Σ_k by definition, on [batch, …] operands.
std::vector<double> multiplied(const Case& c, const std::vector<double>& a, const std::vector<double>& b, std::vector<double> d)
{
    const int r = c.d.size();
    const Int m = c.d[r - 2], n = c.d[r - 1], k = c.transpose_a ? c.a[r - 2] : c.a[r - 1], batch = volume(c.d).value() / (m * n);
    for (Int s = 0; s < batch; ++s)
        for (Int i = 0; i < m; ++i)
            for (Int j = 0; j < n; ++j) {
                double sum = c.accumulate ? d[static_cast<std::size_t>((s * m + i) * n + j)] : 0;
                for (Int t = 0; t < k; ++t) {
                    const Int at = s * m * k + (c.transpose_a ? t * m + i : i * k + t);
                    const Int bt = s * k * n + (c.transpose_b ? j * k + t : t * n + j);
                    sum += a[static_cast<std::size_t>(at)] * b[static_cast<std::size_t>(bt)];
                }
                d[static_cast<std::size_t>((s * m + i) * n + j)] = sum;
            }
    return d;
}

/// Runs what was emitted on whole numbers that every type holds exactly, and compares. Returns the issues by opcode.
std::map<std::string, int> run(const Case& c, const std::string& schedule)
{
    const Made made = make(c);
    INFO(made.problem.text);
    REQUIRE(made.problem.ok());
    CHECK(made.choice.schedule == schedule);
    laws::Random random(7);
    const auto a = whole_numbers(random, c.a), b = whole_numbers(random, c.b), d = whole_numbers(random, c.d);
    simulation::Block block(made.program, made.temporaries);
    block.set(0, d);
    block.set(1, a);
    block.set(2, b);
    block.run(made.body);
    REQUIRE(block.get(0) == multiplied(c, a, b, d));
    return block.executed;
}

/// Why it is not done; of the sentences of schedules, the last.
std::string refusal(const Case& c)
{
    const std::string text = make(c).problem.text;
    return text.substr(text.rfind("\n  ") == std::string::npos ? 0 : text.rfind("\n  ") + 3);
}

Case plain(Int m, Int n, Int k, int warps)
{
    Case c;
    c.d = Shape{m, n};
    c.a = Shape{m, k};
    c.b = Shape{k, n};
    c.warps = warps;
    return c;
}

Case typed(Case c, DType d, DType ab)
{
    c.td = d;
    c.ta = c.tb = ab;
    return c;
}

} // namespace

TEST_CASE("gemm: mma_sync on tiles of a block, one to eight warps")
{
    auto executed = run(plain(128, 128, 32, 4), "mma_sync");
    CHECK(executed["mma"] == 8 * 16 * 2);
    CHECK(executed["ldmatrix"] == 4 * 2 * (4 + 4)); // of each warp and step: 64 x 16 of A and 16 x 64 of B, four matrices at once
    CHECK(executed.size() == 2);
    CHECK(make(plain(128, 128, 32, 4)).choice.detail ==
          "mma.sync.m16n8k16.f32.f16.f16.f32: 32 tiles per warp for each of 2 k; A by ldmatrix.sync.aligned.m8n8.x4.shared.b16; B "
          "by ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16");
    for (int warps : {1, 2, 4, 8}) CHECK(run(plain(64, 64, 16, warps), "mma_sync")["mma"] == 4 * 8);
    CHECK(run(plain(16, 8, 16, 1), "mma_sync")["mma"] == 1);
    CHECK(run(plain(16, 8, 16, 4), "mma_sync")["mma"] == 4); // three of them idle
    run(plain(48, 40, 48, 3), "mma_sync");
    run(plain(16, 8, 8, 1), "mma_sync"); // m16n8k8
    run(plain(16, 8, 24, 1), "mma_sync");
}
TEST_CASE("gemm: mma_sync without the sum that was there, and with transposed operands")
{
    for (const bool ta : {false, true})
        for (const bool tb : {false, true}) {
            Case c = plain(32, 16, 32, 2);
            if (ta) c.a = Shape{32, 32};
            if (tb) c.b = Shape{16, 32};
            c.transpose_a = ta;
            c.transpose_b = tb;
            c.accumulate = false;
            run(c, "mma_sync");
        }
}
TEST_CASE("gemm: mma_sync in every type")
{
    run(typed(plain(32, 16, 32, 2), DType::f32, DType::bf16), "mma_sync");
    run(typed(plain(32, 16, 16, 2), DType::f32, DType::tf32), "mma_sync");
    run(typed(plain(32, 16, 12, 2), DType::f32, DType::tf32), "mma_sync"); // k = 4
    run(typed(plain(32, 16, 64, 2), DType::i32, DType::i8), "mma_sync");
    run(typed(plain(32, 16, 48, 2), DType::i32, DType::i8), "mma_sync"); // k = 16
    run(typed(plain(24, 16, 8, 2), DType::f64, DType::f64), "mma_sync");
    Case hopper = typed(plain(32, 16, 32, 2), DType::f32, DType::e4m3);
    hopper.machine = machines::sm90;
    run(hopper, "mma_sync");
    hopper = typed(plain(32, 16, 16, 2), DType::f64, DType::f64);
    hopper.machine = machines::sm90;
    run(hopper, "mma_sync");
}
TEST_CASE("gemm: mma_sync of a batch, on some of the warps, and on slices of tensors")
{
    Case c = plain(32, 16, 16, 4);
    c.d = Shape{4, 32, 16};
    c.a = Shape{4, 32, 16};
    c.b = Shape{4, 16, 16};
    CHECK(run(c, "mma_sync")["mma"] == 4 * 4); // each warp has one of the batch
    c.warps = 2;
    CHECK(run(c, "mma_sync")["mma"] == 2 * 8);

    // Warps 1 and 3 of four: the layout names them.
    Kernel k("some", machines::sm80);
    k.cta(
        Tiles{Shape{1}, Shape{1}},
        [&](Scope cta, const Tile&) {
            const auto d = cta.alloc(Role::accumulator, {32, 16}, DType::f32, accumulator),
                       a = cta.alloc(Role::shared, {48, 32}, DType::f16), b = cta.alloc(Role::shared, {32, 16}, DType::f16);
            cta.agents(1, 2, 2, [&](Scope pair) {
                pair.gemm(d, a(Interval(16, 32), Interval(16, 16)), b(Interval(16, 16), Interval(0, 16)));
            });
        },
        4);
    Program program = k.program().value();
    program.tensors[0].layout.layout = hinted_matrix_layout(program, 0).value();
    const auto use = uses_of(program, 0).at(0);
    CHECK(use.place.first == 1);
    Request request(program, target_of(program), *use.operation, use.place);
    const Body body = emit_mma_sync(request).value();
    simulation::Block block(program, request.temporaries());
    laws::Random random(3);
    const auto a = whole_numbers(random, {48, 32}), b = whole_numbers(random, {32, 16});
    block.set(0, std::vector<double>(32 * 16, 1));
    block.set(1, a);
    block.set(2, b);
    block.run(body);
    const auto d = block.get(0);
    for (std::size_t i = 0; i < 32; ++i)
        for (std::size_t j = 0; j < 16; ++j) {
            double sum = 1;
            for (std::size_t t = 0; t < 16; ++t) sum += a[(16 + i) * 32 + 16 + t] * b[(16 + t) * 16 + j];
            REQUIRE(d[i * 16 + j] == sum);
        }
}
TEST_CASE("gemm: mma_sync takes operands from registers that hold its fragments, and only those")
{
    Case c = plain(32, 32, 32, 4);
    c.where_a = c.where_b = Role::registers;
    c.place_a = LayoutHint::operand_a;
    c.place_b = LayoutHint::operand_b;
    auto executed = run(c, "mma_sync");
    CHECK(executed.size() == 1); // nothing is copied
    CHECK(executed["mma"] == 4 * 2 * 2);
    c.transpose_a = c.transpose_b = true;
    CHECK(run(c, "mma_sync").size() == 1);

    // Rows of A in the registers of one lane each are not fragments: lanes exchange them through shared memory.
    Case other = plain(32, 8, 16, 1);
    other.where_a = Role::registers;
    other.place_a = make_layout({{32, 1, "lane"}, {16, 1, "reg"}});
    other.schedule = "mma_sync";
    CHECK(refusal(other).empty());
}
TEST_CASE("gemm: a product in registers is the left operand of the next one")
{
    // As in attention: P = A·B, then D += P·V, P never leaving the registers.
    Kernel k("chain", machines::sm80);
    k.cta(
        Tiles{Shape{1}, Shape{1}},
        [&](Scope cta, const Tile&) {
            const auto d = cta.alloc(Role::accumulator, {32, 8}, DType::f32, accumulator, "D");
            const auto p = cta.alloc(Role::registers, {32, 16}, DType::f16, LayoutHint::operand_a, "P");
            const auto s = cta.alloc(Role::accumulator, {32, 16}, DType::f32, accumulator, "S");
            const auto v = cta.alloc(Role::shared, {16, 8}, DType::f16, {}, "V");
            cta.copy(p, s).gemm(d, p, v);
        },
        1);
    Program program = k.program().value();
    for (const int t : {0, 1, 2})
        program.tensors[static_cast<std::size_t>(t)].layout.layout = hinted_matrix_layout(program, t).value();
    laws::Random random(5);
    const auto s = whole_numbers(random, {32, 16}), v = whole_numbers(random, {16, 8});
    std::vector<ProgramTensor> temporaries;
    Body both;
    for (const Use& use : uses_of(program, 1)) { // the copy and the product
        Request request(program, target_of(program), *use.operation, use.place);
        for (const auto& t : temporaries) request.temporary(t);
        auto body = dispatch(request).value();
        for (Statement& each : body) both.push_back(std::move(each));
        temporaries = request.temporaries();
    }
    simulation::Block block(program, temporaries);
    block.set(0, std::vector<double>(32 * 8, 0));
    block.set(2, s);
    block.set(3, v);
    block.run(both);
    Case c = plain(32, 8, 16, 1);
    CHECK(block.get(0) == multiplied(c, s, v, std::vector<double>(32 * 8, 0)));
    CHECK(block.executed["move"] > 0);
    CHECK(temporaries.size() == 1); // for V alone
}
TEST_CASE("gemm: mma_sync knows an accumulator by its map, however it is written")
{
    Case c = plain(32, 16, 16, 2);
    // Warps along the columns; the registers of a tile 4 apart, tiles of rows 8 apart: written in pieces, and with an iter that is none.
    c.place_d = make_layout({{2, 4, "reg"},
                             {2, 2, "reg"},
                             {4, 8, "lane"},
                             {2, 4, "lane"},
                             {2, 1, "warp"},
                             {1, 5, "reg"},
                             {4, 1, "lane"},
                             {2, 1, "reg"}});
    CHECK(run(c, "mma_sync")["mma"] == 4);
    // Every warp has all of D: each computes it, and they agree.
    c.place_d =
        make_layout({{2, 8, "reg"}, {2, 2, "reg"}, {8, 4, "lane"}, {2, 4, "reg"}, {4, 1, "lane"}, {2, 1, "reg"}}, {{2, 1, "warp"}});
    CHECK(run(c, "mma_sync")["mma"] == 2 * 4);
    // The lanes of rows and columns exchanged: another map, so the lanes do it by themselves.
    c.place_d = make_layout({{2, 8, "reg"}, {2, 2, "reg"}, {8, 1, "lane"}, {2, 1, "warp"}, {4, 8, "lane"}, {2, 1, "reg"}});
    CHECK(run(c, "fma").count("mma") == 0);
}
TEST_CASE("gemm: the product as a box of a tensor, turned")
{
    for (const char* schedule : {"mma_sync", "fma"}) {
        Kernel k("turned", machines::sm80);
        k.cta(
            Tiles{Shape{1}, Shape{1}},
            [&](Scope cta, const Tile&) {
                const Layout tiles = accumulator_layout(machines::sm80, {true, 0, 2, 1, 32}, {2, 32, 16},
                                                        matrix_atoms(machines::sm80, DType::f32)[0])
                                         .value();
                const auto d =
                    cta.alloc(Role::accumulator, {16, 2, 32}, DType::f32, permute(tiles, Shape{2, 32, 16}, Order{2, 0, 1}), "D");
                const auto a = cta.alloc(Role::shared, {32, 16}, DType::f16, {}, "A"),
                           b = cta.alloc(Role::shared, {16, 16}, DType::f16, {}, "B");
                Options options;
                options.schedule = schedule;
                cta.gemm(d(all, Interval(1), all).permuted({1, 0}), a, b, {}, options);
            },
            2);
        const Program program = k.program().value();
        const Use use = uses_of(program, 0).at(0);
        Request request(program, target_of(program), *use.operation, use.place);
        const auto body = dispatch(request);
        INFO((body ? std::string() : body.error().text));
        REQUIRE(body.has_value());
        laws::Random random(9);
        const auto a = whole_numbers(random, {32, 16}), b = whole_numbers(random, {16, 16});
        simulation::Block block(program, request.temporaries());
        block.set(0, std::vector<double>(16 * 2 * 32, 4));
        block.set(1, a);
        block.set(2, b);
        block.run(*body);
        const auto d = block.get(0);
        const auto expected = multiplied(plain(32, 16, 16, 2), a, b, std::vector<double>(32 * 16, 4));
        for (std::size_t i = 0; i < 32; ++i)
            for (std::size_t j = 0; j < 16; ++j) {
                REQUIRE(d[(j * 2 + 1) * 32 + i] == expected[i * 16 + j]);
                REQUIRE(d[j * 2 * 32 + i] == 4); // the other box stays
            }
    }
    // Where the box is must be known, and a view must be a box.
    Kernel k("where", machines::sm80);
    k.cta(
        Tiles{Shape{1}, Shape{1}},
        [&](Scope cta, const Tile&) {
            const auto d = cta.alloc(Role::accumulator, {2, 32, 16}, DType::f32, accumulator, "D");
            const auto a = cta.alloc(Role::shared, {32, 16}, DType::f16, {}, "A"),
                       b = cta.alloc(Role::shared, {16, 16}, DType::f16, {}, "B");
            cta.loop(0, 2, 1, [&](const Affine& i) { cta.gemm(d(Interval(i), all, all), a, b); });
        },
        2);
    Program program = k.program().value();
    program.tensors[0].layout.layout = hinted_matrix_layout(program, 0).value();
    const Use use = uses_of(program, 0).at(0);
    Request request(program, target_of(program), *use.operation, use.place);
    CHECK(emit_mma_sync(request).error().text == "the view of D is not a box of registers at a fixed place without a guard");
}
TEST_CASE("gemm: what mma_sync declines, and why")
{
    Case c = plain(16, 8, 20, 1);
    c.schedule = "mma_sync";
    CHECK(refusal(c) == "mma_sync: K is 20, not a multiple of 8, the least K of sm80\nhint: pad with zeros");
    c = typed(plain(16, 8, 16, 1), DType::f32, DType::f32);
    c.schedule = "mma_sync";
    CHECK(refusal(c) == "mma_sync: sm80 has no matrix instruction of a warp for f32 = f32 x f32 + f32");
    c = plain(16, 8, 16, 1);
    c.where_d = Role::shared;
    c.place_d = {};
    c.schedule = "mma_sync";
    CHECK(refusal(c) == "mma_sync: D is in smem; mma.sync writes registers");
    CHECK(refusal(plain(24, 8, 16, 1)) ==
          "D: mma.sync.m16n8k8.f32.f16.f16.f32 writes tiles of 16 x 8; 24 x 8 elements are not a multiple of that");
    c = plain(16, 8, 16, 1);
    c.machine = machines::cpu;
    c.schedule = "mma_sync";
    CHECK(refusal(c) == "mma_sync: cpu does not have what it needs: mma.sync");
    CHECK(matrix_atoms(machines::sm80, DType::f32, DType::e4m3, DType::e4m3).empty());
    CHECK(matrix_atoms(machines::sm80, DType::f32, DType::f16, DType::bf16).empty());
    CHECK(matrix_atoms(machines::sm80, DType::i32, DType::i4, DType::i4).empty());
}
TEST_CASE("gemm: fma on odd shapes, in every type")
{
    for (const int warps : {1, 4})
        for (const auto& [m, n, k] : {std::array<Int, 3>{7, 5, 3}, {1, 1, 1}, {12, 9, 10}, {32, 48, 7}, {64, 64, 16}})
            run(typed(plain(m, n, k, warps), DType::f32, DType::f32), "fma");
    Case wide = typed(plain(12, 10, 8, 2), DType::f64, DType::f64);
    wide.tb = DType::f32;
    run(wide, "fma");
    run(typed(plain(12, 10, 8, 2), DType::i32, DType::i16), "fma");
    Case mixed = typed(plain(6, 10, 9, 2), DType::f32, DType::f16);
    mixed.tb = DType::f32;
    run(mixed, "fma");
}
TEST_CASE("gemm: fma sums f16 in f32, and products that are in memory in registers")
{
    Case c = typed(plain(12, 10, 8, 2), DType::f16, DType::f16);
    const Made made = make(c);
    REQUIRE(made.problem.ok());
    REQUIRE(made.temporaries.size() == 3);
    CHECK(made.temporaries[0].name == "D.sum");
    for (const auto& t : made.temporaries) CHECK(t.dtype == DType::f32);
    for (const bool onto : {true, false})
        for (const auto& machine : {machines::sm80, machines::cpu})
            for (const auto& [m, n, k] : {std::array<Int, 3>{37, 41, 5}, {70, 3, 4}, {8, 8, 8}}) {
                c = plain(m, n, k, 4);
                c.where_d = Role::shared;
                c.place_d = {};
                c.accumulate = onto;
                c.machine = machine;
                run(c, "fma");
                c.td = DType::f16;
                run(c, "fma");
            }
}
TEST_CASE("gemm: fma with transposed operands, several k per move, and a batch")
{
    for (const bool ta : {false, true})
        for (const bool tb : {false, true}) {
            Case c = typed(plain(32, 64, 8, 2), DType::f32, DType::f32);
            if (ta) c.a = Shape{8, 32};
            if (tb) c.b = Shape{64, 8};
            c.transpose_a = ta;
            c.transpose_b = tb;
            c.accumulate = false;
            run(c, "fma");
            CHECK(make(c).choice.detail == "fma.rn.f32, 4 k per move");
            for (const Statement& s : make(c).body) {
                const auto& i = std::get<Instruction>(s.what);
                if (i.opcode == "move") CHECK(i.operands[0].distribution->vector >= 2);
            }
        }
    Case c = typed(plain(6, 8, 5, 2), DType::f32, DType::f32);
    c.d = Shape{2, 6, 8};
    c.a = Shape{2, 6, 5};
    c.b = Shape{2, 5, 8};
    run(c, "fma");
}
TEST_CASE("gemm: the lanes of an accumulator of matrix instructions can do without them")
{
    Case c = plain(32, 16, 20, 2); // no multiple of the instruction's k
    CHECK(run(c, "fma").count("mma") == 0);
    c = plain(32, 16, 16, 2);
    c.schedule = "fma";
    CHECK(run(c, "fma").count("mma") == 0);
}
TEST_CASE("gemm: the tiles of a warp are issued row by row, and all steps of k share the distributions")
{
    const Made made = make(plain(128, 128, 32, 4));
    std::vector<const Instruction*> products;
    for (const Statement& s : made.body)
        if (std::get<Instruction>(s.what).opcode == "mma") products.push_back(&std::get<Instruction>(s.what));
    REQUIRE(products.size() == 2);
    const Distribution& d = *products[0]->operands[0].distribution;
    REQUIRE((d.issues == 32 && d.agents == 4 && d.lanes == 32 && d.vector == 4));
    for (int warp = 0; warp < 4; ++warp)
        for (int i = 0; i < 32; ++i)
            REQUIRE(d.element[d.at(i, warp, 0)] == (warp / 2 * 64 + i / 8 * 16) * 128 + warp % 2 * 64 + i % 8 * 8);
    for (std::size_t operand = 0; operand < 4; ++operand) {
        CHECK(products[0]->operands[operand].distribution == products[1]->operands[operand].distribution);
        CHECK(products[0]->operands[operand].view == products[1]->operands[operand].view);
    }
    CHECK(made.temporaries.size() == 2); // one for each operand, used for both steps
}
TEST_CASE("gemm: who holds D must run the gemm, and rows and columns must be kept apart")
{
    Kernel k("others", machines::sm80);
    k.cta(
        Tiles{Shape{1}, Shape{1}},
        [&](Scope cta, const Tile&) {
            const auto d = cta.alloc(
                Role::accumulator, {64, 16}, DType::f32,
                accumulator_layout(machines::sm80, {true, 0, 4, 1, 32}, {64, 16}, matrix_atoms(machines::sm80, DType::f32)[0])
                    .value(),
                "D");
            const auto a = cta.alloc(Role::shared, {64, 16}, DType::f16, {}, "A"),
                       b = cta.alloc(Role::shared, {16, 16}, DType::f16, {}, "B");
            cta.warps(2, 2, [&](Scope pair) { pair.gemm(d, a, b); });
        },
        4);
    const Program program = k.program().value();
    const Use use = uses_of(program, 0).at(0);
    CHECK((use.place.in_block && use.place.first == 2 && use.place.count == 2 && use.place.lanes == 32));
    Request request(program, target_of(program), *use.operation, use.place);
    const std::string reason = "agent 0 holds a part of D but does not run this gemm";
    CHECK(emit_mma_sync(request).error().text == reason);
    CHECK(emit_fma(request).error().text == reason);

    Case c = typed(plain(6, 10, 4, 1), DType::f32, DType::f32);
    c.place_d = make_layout({{4, 1, "lane"}, {15, 1, "reg"}});
    CHECK(refusal(c).find("fma: D as [batch, rows, columns]: dimension 1 of extent 6 ends inside an iter") != std::string::npos);
    // In two registers of a lane, or two elements in one: neither schedule would keep the sums right.
    for (const auto& layout : {make_layout({{60, 1, "reg"}}, {{2, 64, "reg"}}), make_layout({{2, 0, "reg"}, {30, 1, "reg"}})}) {
        c.place_d = layout;
        CHECK(refusal(c).find("fma: a lane does not hold each element of D in a separate register") != std::string::npos);
    }
    c.a = Shape{6, 5};
    CHECK(refusal(c).find("extents") != std::string::npos);
}
TEST_CASE("gemm: the uses of a tensor, wherever they stand")
{
    Kernel k("uses", machines::sm80);
    k.cta(
        Tiles{Shape{1}, Shape{1}},
        [&](Scope cta, const Tile&) {
            const auto t = cta.alloc(Role::shared, {8}, DType::f32, {}, "t"),
                       other = cta.alloc(Role::shared, {8}, DType::f32, {}, "other");
            cta.when(Expression(1), [&] { cta.fill(t, 1); }, [&] { cta.fill(t, 2); });
            cta.loop_while(Expression(0), [&] { cta.agents(1, 2, 2, [&](Scope pair) { pair.copy(t, other).copy(t, t); }); });
        },
        4);
    const Program program = k.program().value();
    const auto uses = uses_of(program, 0);
    REQUIRE(uses.size() == 4);
    CHECK((uses[0].operation->number == 1 && uses[1].operation->number == 2));
    CHECK((uses[0].place.first == 0 && uses[0].place.count == 4));
    CHECK((uses[2].place.first == 1 && uses[2].place.count == 2 && uses[2].place.stride == 2));
    CHECK(uses[2].statement < uses[3].statement);
    CHECK(uses_of(program, 1).size() == 1);
}
