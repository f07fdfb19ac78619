// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/axe.hpp>
#include <axe/machine/atom_match.hpp>
#include <axe/target/atoms.hpp>
#include <catch.hpp>

#include <string>
#include <vector>

namespace {

using axe::Layout;
using namespace axe::literals;

constexpr axe::Atom a_of_mma = *axe::atoms::find("mma.sync.m16n8k16.f32.f16.f16.f32", "sm80+", "A");
constexpr axe::Atom c_of_mma = *axe::atoms::find("mma.sync.m16n8k16.f32.f16.f16.f32", "sm80+", "C");
constexpr axe::Atom d_of_wgmma = *axe::atoms::find("wgmma.mma_async.m64n64", "sm90a", "D");
constexpr axe::Atom d_of_mfma = *axe::atoms::find("v_mfma_f32_32x32x8_f16", "gfx942", "D");
constexpr axe::Atom a_of_wmma = *axe::atoms::find("v_wmma_f32_16x16x16_f16", "gfx1100", "A");
constexpr axe::Atom shared = *axe::atoms::find("smem_atom.K_SW128.b16", "sm90+", "AB");

std::string sentence(const axe::Error& error) { return error.message().c_str(); }
std::string text(const Layout& layout) { return axe::print(layout).c_str(); }
std::vector<int> values(const axe::Permutation& p) { return {p.values.begin(), p.values.end()}; }

} // namespace

TEST_CASE("matches: an operand written otherwise is the atom's: another is not, and an element shows it")
{
    STATIC_REQUIRE(bool(axe::matches(c_of_mma, "(2,8,8):(2@reg,4@lane,0)"_axe, {16, 8})) == false);
    STATIC_REQUIRE(bool(axe::matches(c_of_mma, "(1,2,4,2,4,2):(7,2@reg,8@lane,4@lane,1@lane,1@reg)"_axe, {16, 8})));
    constexpr auto other = axe::matches(c_of_mma, "(2,8,4,2):(1@reg,4@lane,1@lane,2@reg)"_axe, {16, 8});
    STATIC_REQUIRE(!other.undecided());
    STATIC_REQUIRE_FALSE(bool(other));
    STATIC_REQUIRE(other.witness() == 1);
    CHECK(axe::matches(c_of_mma, c_of_mma.layout(), {8, 16}).witness() == -1);
    CHECK_FALSE(bool(axe::matches(c_of_mma, c_of_mma.layout(), {8, 16})));
    CHECK_FALSE(bool(axe::matches(c_of_mma, "64:1"_axe, {64})));
    CHECK(axe::matches(c_of_mma, "64:1"_axe, {16, 8}).error().code == axe::errc::size_mismatch);

    for (const axe::Atom& atom : axe::atoms::all) {
        INFO(atom.name << " " << atom.arch << " " << atom.operand);
        CHECK(bool(axe::matches(atom, atom.swizzled(), atom.shape())));
        CHECK(bool(axe::matches(atom, atom.layout(), atom.shape())) == (atom.swizzle.bits == 0));
    }
    // the copies of RDNA 3, counted the other way
    CHECK(bool(axe::matches(a_of_wmma, "(16,16):(1@lane,1@reg) + [2:-16@lane] + 16@lane"_axe, {16, 16})));
    CHECK(axe::matches(a_of_wmma, "(16,16):(1@lane,1@reg)"_axe, {16, 16}).witness() == 0);
    // a tile of shared memory without its swizzle: row 1 is the first that the swizzle moves
    CHECK(axe::matches(shared, "(8,64):(64,1)"_axe, {8, 64}).witness() == 64);
}

TEST_CASE("match_registers: the registers of a fragment in another order")
{
    // C of mma with the four registers of a lane column by column
    constexpr auto match = axe::match_registers(c_of_mma, "(2,8,4,2):(1@reg,4@lane,1@lane,2@reg)"_axe, {16, 8});
    STATIC_REQUIRE(match.has_value());
    CHECK(values(*match) == std::vector<int>{0, 2, 1, 3});
    CHECK(text(*axe::layout_of(*match, axe::Axis{"reg"})) == "(2,2):(1@reg,2@reg)");
    CHECK(axe::match_registers(c_of_mma, c_of_mma.layout(), {16, 8})->is_identity());
    // mfma: blocks of four rows backwards
    const auto turned = axe::match_registers(d_of_mfma, "(4,2,4,32):(-4@reg,32@lane,1@reg,1@lane) + 12@reg"_axe, {32, 32});
    CHECK(values(*turned) == std::vector<int>{12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3});
    // another name for the registers, where the program has one
    axe::Atom renamed = c_of_mma;
    for (auto& it : renamed.shard)
        if (it.axis == axe::Axis{"reg"}) it.axis = axe::Axis{"vgpr"};
    CHECK(values(*axe::match_registers(renamed, "(2,8,4,2):(1@vgpr,4@lane,1@lane,2@vgpr)"_axe, {16, 8}, axe::Axis{"vgpr"})) ==
          std::vector<int>{0, 2, 1, 3});
}

TEST_CASE("match_registers: what is none, with an element that shows it")
{
    const auto with = [](const Layout& layout) { return axe::match_registers(c_of_mma, layout, {16, 8}).error(); };
    axe::Error none = with("(2,8,4,2):(2@reg,4@lane,1@lane,1@lane)"_axe);
    CHECK(sentence(none) == "element 1 is at a different place on an axis other than the registers");
    CHECK(none.position == 1);
    CHECK(none.is_none());
    none = with("(2,8,4,2):(2@reg,4@lane,1@lane,1@reg) + [2:4@reg]"_axe);
    CHECK(sentence(none) == "element 0 is in several registers");
    none = with("(2,8,4,2):(2@reg,4@lane,1@lane,1@reg) + 1@reg"_axe);
    CHECK(sentence(none) == "element 65 is in register 4, but the fragment has 4");
    CHECK(none.position == 65);
    none = with("(2,8,4,2):(2@reg,4@lane,1@lane,-1@reg)"_axe);
    CHECK(sentence(none) == "element 1 is in register -1, but the fragment has 4");
    none = with("(2,8,4,2):(0,4@lane,1@lane,1@reg)"_axe);
    CHECK(sentence(none) == "element 64 is in register 0, with elements of another register of the atom");
    CHECK(none.position == 64);
    // the rows of a lane's registers change with the lane
    none = with("(2,2,4,4,2):(2@reg,16@lane,4@lane,1@lane,1@reg)"_axe);
    CHECK(none.ok());
    axe::Atom split = c_of_mma; // an atom whose lanes hold rows 0 to 3 in registers 0, 1 and rows 4 to 7 in 2, 3, at the same lanes
    split.shard[0] = {2, 16, axe::Axis{"lane"}};
    split.shard[1] = {2, 2, axe::Axis{"reg"}};
    split.shard[2] = {4, 4, axe::Axis{"lane"}};
    split.shard[3] = {4, 1, axe::Axis{"lane"}};
    split.shard[4] = {2, 1, axe::Axis{"reg"}};
    const axe::Error other = axe::match_registers(split, "(2,2,4,4,2):(16@lane,3@reg,4@lane,1@lane,1@reg)"_axe, {16, 8}).error();
    CHECK(sentence(other) == "element 33 is in register 4, but the fragment has 4");
    // one register of the atom in two
    const axe::Atom row{{"one", "x", "warp", "made for the test", axe::Evidence::documents},
                        "A",
                        "f32",
                        {2, 2},
                        {{2, 1, axe::Axis{"lane"}}, {2, 1, axe::Axis{"reg"}}}};
    CHECK(sentence(axe::match_registers(row, "(2,2):(1@lane,-1@reg) + 1@reg"_axe, {2, 2}).error()) == "");
    const axe::Atom same{{"one", "x", "warp", "made for the test", axe::Evidence::documents},
                         "A",
                         "f32",
                         {2, 2},
                         {{2, 1, axe::Axis{"reg"}}, {2, 0, axe::Axis{"reg"}}}};
    CHECK(sentence(axe::match_registers(same, "(2,2):(0,1@reg)"_axe, {2, 2}).error()) ==
          "element 1 is in register 1; others of the same register of the atom are in 0");
    CHECK(sentence(axe::match_registers(c_of_mma, c_of_mma.layout(), {8, 16}).error()) ==
          "the shapes of the operand and the atom differ");
}

TEST_CASE("match_registers: questions that are ill-formed")
{
    CHECK(sentence(axe::match_registers(shared, "(8,64):(64,1)"_axe, {8, 64}).error()) == "a swizzled atom has no registers");
    axe::Atom odd = c_of_mma;
    odd.replica[0] = {2, 4, axe::Axis{"reg"}};
    CHECK(sentence(axe::match_registers(odd, c_of_mma.layout(), {16, 8}).error()) ==
          "the atom has each element in several registers");
    odd = c_of_mma;
    odd.shard[0] = {2, 512, axe::Axis{"reg"}};
    CHECK(sentence(axe::match_registers(odd, c_of_mma.layout(), {16, 8}).error()) ==
          "514 registers exceed the 512 entries of a permutation");
    odd.shard[0] = {2, -2, axe::Axis{"reg"}};
    CHECK(sentence(axe::match_registers(odd, c_of_mma.layout(), {16, 8}).error()) ==
          "the atom has element 64 in register -2, but only 4 registers");
    CHECK(axe::match_registers(c_of_mma, "64:1"_axe, {16, 8}).code() == axe::errc::size_mismatch);
    // holes stay in order: registers 0, 1, 4, 5 of 6
    odd.shard[0] = {2, 4, axe::Axis{"reg"}};
    const auto holes = axe::match_registers(odd, "(2,8,4,2):(-4@reg,4@lane,1@lane,1@reg) + 4@reg"_axe, {16, 8});
    CHECK(values(*holes) == std::vector<int>{4, 5, 2, 3, 0, 1});
}

TEST_CASE("match_tile: how often an instruction is repeated for a larger tile, and where")
{
    // 64 × 32 of C over four warps, one above the other, each 16 × 32 by four instructions along n
    constexpr auto match =
        axe::match_tile(c_of_mma, *axe::tile("(4,4):(1@warp,1@reg)"_axe, {4, 4}, c_of_mma.layout(), {16, 8}), {64, 32});
    STATIC_REQUIRE(match.has_value());
    CHECK(text(match->outer) == "(4,4):(1@warp,1@reg)");
    CHECK(match->shape == axe::Shape{4, 4});
    CHECK(match->count == 16);
    CHECK(match->in_turn == 4);

    const auto once = axe::match_tile(a_of_mma, a_of_mma.layout(), {16, 16});
    CHECK(once->count == 1);
    CHECK(once->in_turn == 1);
    CHECK(once->shape == axe::Shape{1, 1});

    // wgmma m64n64 as eight of m64n8, and m64n64 eight times on 128 × 256 by two warpgroups
    constexpr axe::Atom narrow = *axe::atoms::find("wgmma.mma_async.m64n8", "sm90a", "D");
    CHECK(axe::match_tile(narrow, d_of_wgmma.layout(), {64, 64})->count == 8);
    const auto groups = axe::tile("(2,4):(1@wg,1@reg)"_axe, {2, 4}, d_of_wgmma.layout(), {64, 64});
    const auto wide = axe::match_tile(d_of_wgmma, *groups, {128, 256});
    CHECK(text(wide->outer) == "(2,4):(1@wg,1@reg)");
    CHECK(wide->count == 8);
    CHECK(wide->in_turn == 4);
    // the same accumulator for each of four instructions: told apart by nothing, so in turn
    const auto still = axe::tile("(1,4):(0,0)"_axe, {1, 4}, c_of_mma.layout(), {16, 8});
    CHECK(axe::match_tile(c_of_mma, *still, {16, 32})->in_turn == 4);
    // eight warps are two warpgroups: warps 4 to 7 have another atom than 0 to 3
    const auto pairs = axe::tile("(2,4):(1@warp,1@reg)"_axe, {2, 4}, d_of_wgmma.layout(), {64, 64});
    CHECK(axe::match_tile(d_of_wgmma, *pairs, {128, 256})->in_turn == 4);
    // an axis that the atom has its copies on is its own as well
    const axe::Atom pair{{"made", "x", "warp", "made for the test", axe::Evidence::documents},
                         "A",
                         "f32",
                         {2, 2},
                         {{4, 1, axe::Axis{"reg"}}},
                         "",
                         {{2, 1, axe::Axis{"slot"}}}};
    const auto lanes = axe::tile("(2,3):(1@slot,1@warp)"_axe, {2, 3}, pair.layout(), {2, 2});
    CHECK(axe::match_tile(pair, *lanes, {4, 6})->in_turn == 2);
    // an operand that every second warp holds as well
    const auto copied = axe::tile("2:1@warp + [2:2@warp]"_axe, {2, 1}, a_of_mma.layout(), {16, 16});
    CHECK(text(axe::match_tile(a_of_mma, *copied, {32, 16})->outer) == "2:1@warp + [2:2@warp]");
}

TEST_CASE("match_tile: swizzled tiles of shared memory")
{
    // 64 × 128: rows of atoms, one column of them 8 atoms after the other
    const auto plain = axe::tile("(8,2):(1,8)"_axe, {8, 2}, shared.layout(), {8, 64});
    const auto match = axe::match_tile(shared, axe::Swizzled<Layout>{shared.swizzle, {}, 2, *plain}, {64, 128});
    CHECK(text(match->outer) == "(8,2):(1,8)");
    CHECK(match->count == 16);
    CHECK(match->in_turn == 16);
    CHECK(sentence(axe::match_tile(shared, *plain, {64, 128}).error()) == "the swizzles of the tile and the atom differ");
    CHECK(sentence(axe::match_tile(shared, axe::Swizzled<Layout>{{2, 4, 3}, {}, 2, *plain}, {64, 128}).error()) ==
          "the swizzles of the tile and the atom differ");
    CHECK(sentence(axe::match_tile(shared, axe::Swizzled<Layout>{shared.swizzle, axe::Axis{"x"}, 2, *plain}, {64, 128}).error()) ==
          "the swizzles of the tile and the atom differ");

    // An atom of half the rows: the swizzle's period holds two of them, and the second is moved otherwise than the first.
    axe::Atom half = shared;
    half.dims[0] = 4;
    half.shard[0].extent = 4;
    const auto two = axe::match_tile(half, shared.swizzled(), {8, 64});
    CHECK(two.code() == axe::errc::no_layout);
    CHECK(sentence(two.error()) == "an atom of the tile starts inside the 512 elements that the swizzle moves");
    axe::Swizzled<Layout> apart = half.swizzled();
    CHECK(axe::match_tile(half, apart, {4, 64}).has_value());
    *apart.layout.offset.entry(axe::Axis{}) = 256;
    CHECK(sentence(axe::match_tile(half, apart, {4, 64}).error()) ==
          "an atom of the tile starts inside the 512 elements that the swizzle moves");
    apart = half.swizzled();
    apart.layout.replica.push_back({2, 256, axe::Axis{}});
    CHECK(sentence(axe::match_tile(half, apart, {4, 64}).error()) ==
          "an atom of the tile starts inside the 512 elements that the swizzle moves");
}

TEST_CASE("match_tile: what is none, and ill-formed questions")
{
    const auto error = [](const Layout& tile, const axe::Shape& shape) { return axe::match_tile(c_of_mma, tile, shape).error(); };
    CHECK(error("(24,8):(4@lane,1@reg)"_axe, {24, 8}).code == axe::errc::not_grouped);
    CHECK(error("(32,8):(4@lane,1@reg)"_axe, {32, 8}).code == axe::errc::no_layout);
    CHECK(error("128:1"_axe, {128}).code == axe::errc::rank_mismatch);
    CHECK(error("128:1"_axe, {16, 16}).code == axe::errc::size_mismatch);
    // registers of the two atoms interleaved
    CHECK(error("(2,2,8,4,2):(1@reg,4@reg,4@lane,1@lane,2@reg)"_axe, {32, 8}).code == axe::errc::no_layout);
}
