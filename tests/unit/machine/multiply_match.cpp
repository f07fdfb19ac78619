// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/axe.hpp>
#include <axe/machine/atoms.hpp>
#include <axe/machine/multiply_match.hpp>
#include <catch.hpp>

#include <string>
#include <vector>

namespace {

using axe::Layout;
using namespace axe::literals;
using Atoms = axe::MultiplyOperands<axe::Atom>;
using Layouts = axe::MultiplyOperands<Layout>;

constexpr Atoms atoms_of(const char* name, const char* arch, const char* sum)
{
    return {*axe::atoms::find(name, arch, "A"), *axe::atoms::find(name, arch, "B"), *axe::atoms::find(name, arch, sum)};
}
constexpr Layouts layouts_of(const Atoms& atoms) { return {atoms.a.layout(), atoms.b.layout(), atoms.c.layout()}; }

constexpr Atoms mma = atoms_of("mma.sync.m16n8k16.f32.f16.f16.f32", "sm80+", "C");

std::string sentence(const axe::Error& error) { return error.sentence().c_str(); }
std::vector<int> values(const axe::Permutation& p) { return {p.values.begin(), p.values.end()}; }

} // namespace

TEST_CASE("match_multiply: an instruction's own operands")
{
    STATIC_REQUIRE(axe::match_multiply(mma, layouts_of(mma))->is_identity());
    STATIC_REQUIRE(axe::match_multiply(mma, layouts_of(mma))->size() == 16);
    int triples = 0;
    for (const axe::Atom& a : axe::atoms::all) {
        if (std::string(a.operand) != "A") continue;
        for (const char* sum : {"C", "D"}) {
            const auto b = axe::atoms::find(a.name, a.arch, "B"), c = axe::atoms::find(a.name, a.arch, sum);
            if (!b || !c) continue;
            const Atoms atoms{a, *b, *c};
            INFO(a.name << " " << a.arch);
            const auto match = axe::match_multiply(atoms, layouts_of(atoms));
            const bool product = a.dims[1] == b->dims[0] && a.dims[0] == c->dims[0] && b->dims[1] == c->dims[1];
            CHECK(match.has_value() == product);
            if (match) CHECK(match->is_identity());
            if (!match) CHECK(sentence(match.error()) == "the atoms' operands are no [M,K], [K,N] and [M,N]");
            triples += product;
        }
    }
    CHECK(triples == 38); // 18 of mma.sync, 11 of v_mfma, 6 of v_wmma, 3 of AMX
}

TEST_CASE("match_multiply: m16n8k16 with k dealt so that each lane loads four neighbours at once")
{
    // Lane q of four takes k = 4q … 4q+3 of its rows, 8 bytes of memory together, where the instruction gives it 2q, 2q+1, 2q+8, 2q+9.
    constexpr Layout a = "(2,8,4,2,2):(2@reg,4@lane,1@lane,4@reg,1@reg)"_axe;
    constexpr Layout b = "(4,2,2,8):(1@lane,2@reg,1@reg,4@lane)"_axe;
    constexpr auto match = axe::match_multiply(mma, {a, b, mma.c.layout()});
    STATIC_REQUIRE(match.has_value());
    CHECK(values(*match) == std::vector<int>{0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15});
    CHECK(std::string(axe::print(*axe::layout_of(*match)).c_str()) == "(4,2,2):(2,8,1)");

    // A alone dealt so is a mistake: element (2, 0) of B should be where the instruction has (8, 0).
    const auto half = axe::match_multiply(mma, {a, mma.b.layout(), mma.c.layout()});
    CHECK(half.code() == axe::errc::no_layout);
    CHECK(sentence(half.error()) == "B: element (2, 0) is not where the atom has (8, 0), as the columns of A want it");
    CHECK(half.error().position == 16);
    const auto other = axe::match_multiply(mma, {mma.a.layout(), b, mma.c.layout()});
    CHECK(sentence(other.error()) == "B: element (2, 0) is not where the atom has (2, 0), as the columns of A want it");
}

TEST_CASE("match_multiply: the same of mfma, whose lanes hold four k together")
{
    // 16 lanes a group of four k; dealt as two pairs that are 8 apart.
    constexpr Atoms mfma = atoms_of("v_mfma_f32_16x16x16_f16", "gfx942", "D");
    constexpr Layout a = "(16,2,4,2):(1@lane,2@reg,16@lane,1@reg)"_axe, b = "(2,4,2,16):(2@reg,16@lane,1@reg,1@lane)"_axe;
    constexpr auto match = axe::match_multiply(mfma, {a, b, mfma.c.layout()});
    STATIC_REQUIRE(match.has_value());
    CHECK(values(*match) == std::vector<int>{0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15});

    // Operands of RDNA 3 stand twice in the wave: copies are compared as sets.
    constexpr Atoms wmma = atoms_of("v_wmma_f32_16x16x16_f16", "gfx1100", "D");
    constexpr Layout turned = "(16,16):(1@lane,-1@reg) + [2:-16@lane] + 15@reg + 16@lane"_axe;
    constexpr Layout below = "(16,16):(-1@reg,1@lane) + [2:16@lane] + 15@reg"_axe;
    constexpr auto back = axe::match_multiply(wmma, {turned, below, wmma.c.layout()});
    STATIC_REQUIRE(back.has_value());
    CHECK(values(*back) == std::vector<int>{15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0});
    const auto once = axe::match_multiply(wmma, {"(16,16):(1@lane,1@reg)"_axe, below, wmma.c.layout()});
    CHECK(once.code() == axe::errc::no_layout);
    CHECK(sentence(once.error()) == "A: element (0, 0) has other copies than in the atom");
}

TEST_CASE("match_multiply: a permutation that is no layout is found as well")
{
    // Six terms: the atom's lanes count 0 2 4 1 3 5, the program's 0 3 1 4 2 5.
    constexpr axe::Axis lane{"lane"};
    constexpr axe::AtomHead head{"made", "x", "warp", "made for the test", axe::Evidence::documents};
    constexpr Atoms atoms{axe::Atom{head, "A", "f32", {1, 6}, {{2, 1, lane}, {3, 2, lane}}},
                          axe::Atom{head, "B", "f32", {6, 1}, {{2, 1, lane}, {3, 2, lane}}},
                          axe::Atom{head, "C", "f32", {1, 1}, {{1, 0, lane}}}};
    constexpr auto match = axe::match_multiply(atoms, {"(3,2):(1@lane,3@lane)"_axe, "(3,2):(1@lane,3@lane)"_axe, "1:0"_axe});
    CHECK(values(*match) == std::vector<int>{0, 4, 3, 2, 1, 5});
    CHECK(axe::layout_of(*match).code() == axe::errc::no_layout);
}

TEST_CASE("match_multiply: which operand differs, and where")
{
    const auto with = [](const Layout& a, const Layout& b, const Layout& c) { return axe::match_multiply(mma, {a, b, c}); };
    const Layouts own = layouts_of(mma);
    // A's rows 8 to 15 a register too high
    auto none = with("(2,8,2,4,2):(3@reg,4@lane,4@reg,1@lane,1@reg)"_axe, own.b, own.c);
    CHECK(none.code() == axe::errc::no_layout);
    CHECK(sentence(none.error()) == "A: element (8, 0) is where no column of the atom has row 8 that is as this one above it");
    CHECK(none.error().position == 128);
    // the lanes of A moved
    none = with("(2,8,2,4,2):(2@reg,4@lane,4@reg,1@lane,1@reg) + 1@lane"_axe, own.b, own.c);
    CHECK(sentence(none.error()) == "B: element (0, 0) is not where the atom has (2, 0), as the columns of A want it");
    none = with("(2,8,2,4,2):(2@reg,4@lane,4@reg,1@lane,1@reg) + 1@reg"_axe, "(2,4,2,8):(2@reg,1@lane,1@reg,4@lane) + 1@reg"_axe,
                own.c);
    CHECK(sentence(none.error()) == "A: element (0, 1) is where no column of the atom has row 0 that is as this one above it");
    // two columns of A in one place
    none = with("(2,8,2,4,2):(2@reg,4@lane,0,1@lane,1@reg)"_axe, own.b, own.c);
    CHECK(sentence(none.error()) == "B: element (8, 0) is not where the atom has (0, 0), as the columns of A want it");
    none = with("(2,8,2,4,2):(2@reg,4@lane,0,1@lane,1@reg)"_axe, "(2,4,2,8):(0,1@lane,1@reg,4@lane)"_axe, own.c);
    CHECK(sentence(none.error()) == "A: column 8 is column 0 of the atom, and so is one before it");
    CHECK(none.error().position == 8);
    // C
    none = with(own.a, own.b, "(2,8,4,2):(2@reg,4@lane,1@lane,-1@reg) + 1@reg"_axe);
    CHECK(sentence(none.error()) == "C: element (0, 0) is not where the atom has it");
    none = with(own.a, own.b, "(16,4,2):(4@lane,1@lane,1@reg)"_axe);
    CHECK(sentence(none.error()) == "C: element (8, 0) is not where the atom has it");
    CHECK(none.error().position == 64);
    // copies and offsets
    none = with(own.a, "(2,4,2,8):(2@reg,1@lane,1@reg,4@lane) + [2:1@warp]"_axe, own.c);
    CHECK(sentence(none.error()) == "B: element (0, 0) has other copies than in the atom");
    none = with(own.a, own.b, "(2,8,4,2):(2@reg,4@lane,1@lane,1@reg) + [2:1@warp]"_axe);
    CHECK(sentence(none.error()) == "C: element (0, 0) has other copies than in the atom");
    none = with(own.a, own.b, "(2,8,4,2):(2@reg,4@lane,1@lane,1@reg) + 1@warp"_axe);
    CHECK(sentence(none.error()) == "C: element (0, 0) is not where the atom has it");
}

TEST_CASE("match_multiply: questions that are ill-formed")
{
    const Layouts own = layouts_of(mma);
    CHECK(sentence(axe::match_multiply(mma, {"255:1"_axe, own.b, own.c}).error()) == "A has 255 elements, the atom's 256");
    CHECK(sentence(axe::match_multiply(mma, {own.a, "16:1"_axe, own.c}).error()) == "B has 16 elements, the atom's 128");
    CHECK(sentence(axe::match_multiply(mma, {own.a, own.b, "1:1"_axe}).error()) == "C has 1 elements, the atom's 128");
    CHECK(axe::match_multiply(mma, {own.a, own.b, "1:1"_axe}).code() == axe::errc::size_mismatch);

    Layout broken = own.a;
    broken.shard[0].extent = -2;
    CHECK(axe::match_multiply(mma, {broken, own.b, own.c}).code() == axe::errc::bad_extent);

    const axe::Atom tile = *axe::atoms::find("smem_atom.K_SW128.b16", "sm90+", "AB");
    axe::Atom shared = mma.b;
    shared.swizzle = tile.swizzle;
    shared.width = tile.width;
    CHECK(sentence(axe::match_multiply({mma.a, shared, mma.c}, own).error()) ==
          "B of the atom is swizzled: it lies in memory, and a program permutes no k there");
    shared = mma.a;
    shared.swizzle = tile.swizzle;
    CHECK(sentence(axe::match_multiply({shared, mma.b, mma.c}, own).error()) ==
          "A of the atom is swizzled: it lies in memory, and a program permutes no k there");
    shared = mma.c;
    shared.swizzle = tile.swizzle;
    CHECK(sentence(axe::match_multiply({mma.a, mma.b, shared}, own).error()) ==
          "C of the atom is swizzled: it lies in memory, and a program permutes no k there");
    CHECK(sentence(axe::match_multiply({mma.b, mma.a, mma.c}, own).error()) == "the atoms' operands are no [M,K], [K,N] and [M,N]");
    const axe::Atom low = *axe::atoms::find("mma.sync.m8n8k16.s32.s8.s8.s32", "sm75+", "C");
    const axe::Atom wide = *axe::atoms::find("v_mfma_f32_16x16x16_f16", "gfx942", "D");
    for (const Atoms& atoms : {Atoms{mma.b, mma.a, mma.c}, Atoms{mma.a, mma.b, low}, Atoms{mma.a, mma.b, wide}})
        CHECK(axe::match_multiply(atoms, layouts_of(atoms)).code() == axe::errc::bad_argument);

    // A sum of more terms than a permutation holds; and of as many.
    const auto long_sum = [&](std::int64_t terms) {
        axe::Atom a = mma.a, b = mma.b, c = mma.c;
        for (axe::Atom* atom : {&a, &b, &c})
            for (auto& it : atom->shard) it = {};
        a.dims[0] = c.dims[0] = b.dims[1] = c.dims[1] = 1;
        a.dims[1] = b.dims[0] = terms;
        a.shard[0] = {terms, 1, axe::Axis{"reg"}};
        b.shard[0] = {terms, 1, axe::Axis{"reg"}};
        return axe::match_multiply({a, b, c}, {a.layout(), b.layout(), c.layout()});
    };
    CHECK(long_sum(512)->is_identity());
    CHECK(sentence(long_sum(513).error()) == "513 terms of a sum are more than the 512 that a permutation holds");
}
