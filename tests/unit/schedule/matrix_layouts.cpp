// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/layout/points.hpp>
#include <axe/program/kernel.hpp>
#include <axe/schedule/matrix_hints.hpp>
#include <axe/target/machines.hpp>
#include <axe/text/literals.hpp>
#include <catch.hpp>

#include <algorithm>
#include <map>
#include <set>

namespace {

using namespace axe;
using namespace axe::literals;
using Int = std::int64_t;

constexpr Axis warp{"warp"}, lane{"lane"}, reg{"reg"};

ExecutionScope block(int warps, int first = 0, int stride = 1) { return {true, first, warps, stride, 32}; }

MatrixAtom f16() { return matrix_atoms(machines::sm80, DType::f32, DType::f16, DType::f16).at(0); }

struct Held {
    Int warp, lane, reg;
    friend auto operator<=>(const Held&, const Held&) = default;
};

std::vector<Held> places(const Layout& layout, Int element)
{
    std::vector<Held> out;
    for (const auto& p : points(layout, element)) out.push_back({p[warp], p[lane], p[reg]});
    std::sort(out.begin(), out.end());
    return out;
}

/// Element (row, col) of each operand of an atom, by its layout: lane and register.
std::vector<Held> atom_places(const Atom& atom, Int row, Int col) { return places(atom.layout(), row * atom.dims[1] + col); }

/// Is D made of tiles of the instruction, each in one warp, at registers of its own? Checks each element; returns who has which tile.
std::map<std::pair<Int, Int>, Int> check_accumulator(const Layout& d, Int m, Int n, const MatrixAtom& atom)
{
    std::map<std::pair<Int, Int>, Int> owner;
    std::set<Held> taken;
    for (Int i = 0; i < m; ++i)
        for (Int j = 0; j < n; ++j) {
            const auto here = places(d, i * n + j), corner = places(d, (i - i % atom.m()) * n + j - j % atom.n());
            const auto expected = atom_places(atom.c, i % atom.m(), j % atom.n());
            REQUIRE(here.size() == 1);
            REQUIRE(here[0] == Held{corner[0].warp, expected[0].lane, corner[0].reg + expected[0].reg});
            REQUIRE(taken.insert(here[0]).second);
            owner[{i / atom.m(), j / atom.n()}] = here[0].warp;
        }
    return owner;
}

} // namespace

TEST_CASE("matrix_layouts: the grid keeps most at work, each with the least to read")
{
    CHECK(matrix_grid({1, 8, 16}, 4, 1, 16, 8) == MatrixGrid{1, 2, 2, 1, 1}); // 128 x 128: 64 x 64 each
    CHECK(matrix_grid({1, 4, 8}, 8, 1, 16, 8) == MatrixGrid{1, 4, 2, 1, 1});
    CHECK(matrix_grid({1, 1, 16}, 4, 1, 16, 8) == MatrixGrid{1, 1, 4, 1, 1}); // one row of tiles
    CHECK(matrix_grid({1, 1, 1}, 4, 1, 16, 8) == MatrixGrid{1, 1, 1, 1, 1});  // three have nothing to do
    CHECK(matrix_grid({1, 3, 3}, 8, 1, 16, 8).size() == 3);
    CHECK(matrix_grid({4, 2, 2}, 4, 1, 16, 8) == MatrixGrid{4, 1, 1, 1, 1}); // one of the batch each
    CHECK(matrix_grid({1, 128, 128}, 4, 32) == MatrixGrid{1, 4, 1, 4, 8});   // 8 x 16 a lane
    CHECK(matrix_grid({1, 7, 5}, 1, 32).size() == 7);
    CHECK(matrix_grid({1, 37, 41}, 4, 32).size() == 1); // primes beyond the lanes
    // By definition, over all grids.
    for (Int rows : {1, 2, 3, 6, 8})
        for (Int cols : {1, 4, 5, 12})
            for (Int agents : {1, 2, 4, 6}) {
                const auto g = matrix_grid({1, rows, cols}, agents, 4, 3, 2);
                for (Int r = 1; r <= agents; ++r)
                    for (Int c = 1; r * c <= agents; ++c)
                        for (Int lr = 1; lr <= 4; ++lr)
                            for (Int lc = 1; lr * lc <= 4; ++lc) {
                                if (rows % (r * lr) != 0 || cols % (c * lc) != 0) continue;
                                REQUIRE(g.size() >= r * c * lr * lc);
                                if (g.size() == r * c * lr * lc)
                                    REQUIRE(rows / (g.rows * g.lane_rows) * 3 + cols / (g.cols * g.lane_cols) * 2 <=
                                            rows / (r * lr) * 3 + cols / (c * lc) * 2);
                            }
            }
}
TEST_CASE("matrix_layouts: accumulators are tiles of the atom's C")
{
    const MatrixAtom atom = f16();
    CHECK(std::string(atom.name()) == "mma.sync.m16n8k16.f32.f16.f16.f32");
    const Layout d = accumulator_layout(machines::sm80, block(4), {128, 128}, atom).value();
    CHECK(equal(d, "(2,4,2,8,2,8,4,2):(2@warp,32@reg,2@reg,4@lane,1@warp,4@reg,1@lane,1@reg)"_axe));
    auto owner = check_accumulator(d, 128, 128, atom);
    for (const auto& [tile, who] : owner) CHECK(who == tile.first / 4 * 2 + tile.second / 8);

    for (int warps : {1, 2, 4, 8})
        for (const auto& [m, n] : {std::pair<Int, Int>{64, 64}, {16, 8}, {48, 40}}) {
            std::set<Int> busy;
            for (const auto& [tile, who] :
                 check_accumulator(accumulator_layout(machines::sm80, block(warps), {m, n}, atom).value(), m, n, atom))
                busy.insert(who);
            CHECK(static_cast<int>(busy.size()) <= warps);
            if (m == 64) CHECK(static_cast<int>(busy.size()) == warps);
        }
    // Warps 1, 3, 5, 7 of the block.
    std::set<Int> busy;
    for (const auto& [tile, who] :
         check_accumulator(accumulator_layout(machines::sm80, block(4, 1, 2), {64, 64}, atom).value(), 64, 64, atom))
        busy.insert(who);
    CHECK(busy == std::set<Int>{1, 3, 5, 7});
    CHECK(accumulator_layout(machines::sm80, block(4), {100, 64}, atom).error().text ==
          "mma.sync.m16n8k16.f32.f16.f16.f32 writes tiles of 16 x 8; 100 x 64 elements are not a multiple of that");
    CHECK(accumulator_layout(machines::sm80, block(4), {64}, atom).error().code == errc::size_mismatch);
}
TEST_CASE("matrix_layouts: fragments are where the instruction of each warp reads them")
{
    for (const auto& [td, ta] :
         {std::pair{DType::f32, DType::f16}, {DType::f32, DType::tf32}, {DType::i32, DType::i8}, {DType::f64, DType::f64}})
        for (const MatrixAtom& atom : matrix_atoms(machines::sm80, td, ta, ta))
            for (const int warps : {1, 4, 6}) {
                const Int m = 2 * atom.m(), n = 6 * atom.n(), k = 2 * atom.k();
                const Layout d = accumulator_layout(machines::sm80, block(warps), {m, n}, atom).value();
                const Layout grid = grid_of_tiles(d, {1, m, n}, atom).value();
                const Shape cells{1, 2, 6};
                const Layout a = fragment_layout(grid, cells, MatrixSide::a, k, atom, reg).value();
                const Layout b = fragment_layout(grid, cells, MatrixSide::b, k, atom, reg).value();
                const auto owner = check_accumulator(d, m, n, atom);
                // Who needs row i of A: the warps with a tile in that row. All of them have it, and no agent else.
                for (Int i = 0; i < m; ++i)
                    for (Int t = 0; t < k; ++t) {
                        std::set<Int> need, have;
                        for (const auto& [tile, who] : owner)
                            if (tile.first == i / atom.m()) need.insert(who);
                        const auto corner = places(a, (i - i % atom.m()) * k + t - t % atom.k());
                        const auto expected = atom_places(atom.a, i % atom.m(), t % atom.k());
                        const auto here = places(a, i * k + t);
                        for (std::size_t r = 0; r < here.size(); ++r) {
                            have.insert(here[r].warp);
                            REQUIRE(here[r] == Held{corner[r].warp, expected[0].lane, corner[r].reg + expected[0].reg});
                        }
                        REQUIRE(have == need);
                        REQUIRE(here.size() == need.size());
                    }
                for (Int t = 0; t < k; ++t)
                    for (Int j = 0; j < n; ++j) {
                        std::set<Int> need, have;
                        for (const auto& [tile, who] : owner)
                            if (tile.second == j / atom.n()) need.insert(who);
                        const auto corner = places(b, (t - t % atom.k()) * n + j - j % atom.n());
                        const auto expected = atom_places(atom.b, t % atom.k(), j % atom.n());
                        const auto here = places(b, t * n + j);
                        for (std::size_t r = 0; r < here.size(); ++r) {
                            have.insert(here[r].warp);
                            REQUIRE(here[r] == Held{corner[r].warp, expected[0].lane, corner[r].reg + expected[0].reg});
                        }
                        REQUIRE(have == need);
                        REQUIRE(here.size() == need.size());
                    }
            }
}
TEST_CASE("matrix_layouts: an operand's copies are where D's rows are, whatever D is, in registers without gaps")
{
    for (const Layout& d :
         {spread_layout(machines::sm80, block(4), {32, 24}).value(), spread_layout(machines::sm80, block(3), {6, 10}).value(),
          "(4,2,3,2):(1@lane,7@reg,4@lane,1@reg) + [2:1@warp] + 2@warp + 5@reg"_axe})
        for (const bool innermost : {false, true}) {
            const Int m = size(d).value() == 768 ? 32 : size(d).value() == 60 ? 6 : 8, n = size(d).value() / m, depth = 3;
            for (const MatrixSide side : {MatrixSide::a, MatrixSide::b}) {
                const Layout x = operand_layout(d, {1, m, n}, side, depth, innermost, reg).value();
                std::map<std::pair<Int, Int>, std::set<Int>> registers;
                for (Int i = 0; i < (side == MatrixSide::a ? m : n); ++i)
                    for (Int t = 0; t < depth; ++t) {
                        std::set<std::pair<Int, Int>> need, have;
                        for (Int other = 0; other < (side == MatrixSide::a ? n : m); ++other)
                            for (const Held& h : places(d, side == MatrixSide::a ? i * n + other : other * n + i))
                                need.insert({h.warp, h.lane});
                        for (const Held& h : places(x, side == MatrixSide::a ? i * depth + t : t * n + i)) {
                            REQUIRE(have.insert({h.warp, h.lane}).second);
                            REQUIRE(registers[{h.warp, h.lane}].insert(h.reg).second);
                        }
                        REQUIRE(have == need);
                    }
                for (const auto& [who, set] : registers) {
                    REQUIRE(*set.begin() == 0);
                    REQUIRE(*set.rbegin() + 1 == static_cast<Int>(set.size()));
                }
            }
        }
}
TEST_CASE("matrix_layouts: spread over the lanes, a box each")
{
    const Layout d = spread_layout(machines::sm80, block(4), {128, 128}).value();
    std::map<std::pair<Int, Int>, std::set<Int>> rows, cols;
    for (Int e = 0; e < 128 * 128; ++e) {
        const Held h = places(d, e).at(0);
        rows[{h.warp, h.lane}].insert(e / 128);
        cols[{h.warp, h.lane}].insert(e % 128);
    }
    CHECK(rows.size() == 128);
    for (const auto& [who, set] : rows) CHECK(set.size() * cols[who].size() == 128);
    // Without lanes the agents are distributed to: as many of them as divide the rows.
    CHECK(equal(spread_layout(machines::cpu, {true, 0, 4, 1, 1}, {6, 5}).value(), "(3,10):(1@thread,1@reg)"_axe));
    CHECK(spread_layout(machines::cpu, {true, 0, 4, 1, 1}, {6}).error().text == "a product has at least 2 dimensions, got 1");
}
TEST_CASE("matrix_layouts: what is not an accumulator of the instruction")
{
    const MatrixAtom atom = f16();
    const Layout d = accumulator_layout(machines::sm80, block(2), {32, 16}, atom).value();
    CHECK(grid_of_tiles(d, {1, 32, 16}, atom).has_value());
    CHECK(grid_of_tiles("512:1@reg"_axe, {1, 32, 16}, atom).code() != errc::ok);
    CHECK(grid_of_tiles(d, {1, 64, 8}, atom).code() != errc::ok); // the same elements, other rows
    CHECK(grid_of_tiles("144:1@reg"_axe, {1, 12, 12}, atom).code() == errc::size_mismatch);
}
TEST_CASE("matrix_layouts: hints follow the gemms of the program")
{
    Kernel k("hints", machines::sm80);
    k.cta(Tiles{Shape{1}, Shape{1}}, [&](Scope cta, const Tile&) {
        const auto d = cta.alloc(Role::accumulator, {64, 32}, DType::f32, accumulator, "d");
        const auto a = cta.alloc(Role::registers, {32, 64}, DType::f16, LayoutHint::operand_a, "a");
        const auto b = cta.alloc(Role::registers, {32, 32}, DType::f16, LayoutHint::operand_b, "b");
        cta.alloc(Role::registers, {32, 32}, DType::f16, LayoutHint::operand_b, "idle");
        const auto alone = cta.alloc(Role::accumulator, {32, 32}, DType::f32, accumulator, "alone");
        const auto wide = cta.alloc(Role::accumulator, {32, 32}, DType::f16, accumulator, "wide");
        cta.fill(alone, 0);
        cta.fill(wide, 0);
        cta.loop(0, 2, 1,
                 [&](Affine) { cta.warps(2, 2, [&](Scope pair) { pair.gemm(d, a, b, Scope::Gemm{true, true, false}); }); });
    });
    const Program p = k.program().value();
    const auto atom = f16();
    const Layout d = hinted_matrix_layout(p, 0).value();
    CHECK(equal(d, accumulator_layout(machines::sm80, block(2, 2), {64, 32}, atom).value()));
    const Layout grid = grid_of_tiles(d, {1, 64, 32}, atom).value();
    const Layout a = fragment_layout(grid, {1, 4, 4}, MatrixSide::a, 32, atom, reg).value();
    CHECK(equal(hinted_matrix_layout(p, 1).value(), permute(a, Shape{64, 32}, Order{1, 0}).value())); // it is transposed
    CHECK(equal(hinted_matrix_layout(p, 2).value(), fragment_layout(grid, {1, 4, 4}, MatrixSide::b, 32, atom, reg).value()));
    CHECK(hinted_matrix_layout(p, 3).error().text ==
          "idle: no gemm reads it as that operand, so the layout of its fragments is not determined");
    // Without a gemm: what any instruction would write; where none writes the type, the lanes share it.
    CHECK(equal(hinted_matrix_layout(p, 4).value(), accumulator_layout(machines::sm80, block(4), {32, 32}, atom).value()));
    CHECK(equal(hinted_matrix_layout(p, 5).value(), spread_layout(machines::sm80, block(4), {32, 32}).value()));
}
