// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/axe.hpp>
#include <axe/machine/multiply_match.hpp>
#include <axe/target/atoms.hpp>
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

std::string sentence(const axe::Error& error) { return error.message().c_str(); }
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
            if (!match) CHECK(sentence(match.error()) == "the operands of the atoms are not [M,K], [K,N] and [M,N]");
            triples += product;
        }
    }
    CHECK(triples == 69); // 18 of mma.sync, 11 of v_mfma, 6 of v_wmma, 3 of AMX
}

TEST_CASE("match_multiply: m16n8k16 with k distributed so that each lane loads four neighbors at once")
{
    // Lane q of four takes k = 4q … 4q+3 of its rows, 8 bytes of memory together, where the instruction gives it 2q, 2q+1, 2q+8, 2q+9.
    constexpr Layout a = "(2,8,4,2,2):(2@reg,4@lane,1@lane,4@reg,1@reg)"_axe;
    constexpr Layout b = "(4,2,2,8):(1@lane,2@reg,1@reg,4@lane)"_axe;
    constexpr auto match = axe::match_multiply(mma, {a, b, mma.c.layout()});
    STATIC_REQUIRE(match.has_value());
    CHECK(values(*match) == std::vector<int>{0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15});
    CHECK(std::string(axe::print(*axe::layout_of(*match)).c_str()) == "(4,2,2):(2,8,1)");

    // A alone distributed so is a mistake: element (2, 0) of B should be where the instruction has (8, 0).
    const auto half = axe::match_multiply(mma, {a, mma.b.layout(), mma.c.layout()});
    CHECK(half.code() == axe::errc::no_layout);
    CHECK(sentence(half.error()) == "B: element (2, 0) is not where the atom has (8, 0), as the columns of A require");
    CHECK(half.error().position == 16);
    const auto other = axe::match_multiply(mma, {mma.a.layout(), b, mma.c.layout()});
    CHECK(sentence(other.error()) == "B: element (2, 0) is not where the atom has (2, 0), as the columns of A require");
}

TEST_CASE("match_multiply: the same of mfma, whose lanes hold four k together")
{
    // 16 lanes a group of four k; distributed as two pairs that are 8 apart.
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

TEST_CASE("match_multiply: a permutation that is not a layout is found as well")
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

TEST_CASE("match_multiply: nc_matmul, whose stationary operand is [K, M]")
{
    // 4 × 4 × 4, so that every dimension is as long as every other and only the name tells them apart
    constexpr axe::Axis P{"P"}, F{"F"};
    constexpr axe::AtomHead head = axe::atoms::find("nki.isa.nc_matmul", "trn1/trn2", "stationary").value();
    constexpr Atoms small{axe::Atom{head, "stationary", "bf16", {4, 4}, {{4, 1, P}, {4, 1, F}}},
                          axe::Atom{head, "moving", "bf16", {4, 4}, {{4, 1, P}, {4, 1, F}}},
                          axe::Atom{head, "dst", "f32", {4, 4}, {{4, 1, P}, {4, 1, F}}}};
    // k on the partitions in another order, of both
    constexpr Layout distributed = "(2,2,4):(1@P,2@P,1@F)"_axe;
    STATIC_REQUIRE(axe::match_multiply(small, layouts_of(small))->is_identity());
    CHECK(values(*axe::match_multiply(small, {distributed, distributed, small.c.layout()})) == std::vector<int>{0, 2, 1, 3});
    // of one: the stationary operand's element (k, m) is named (m, k), as of A
    auto none = axe::match_multiply(small, {distributed, small.b.layout(), small.c.layout()});
    CHECK(sentence(none.error()) == "B: element (1, 0) is not where the atom has (2, 0), as the columns of A require");
    // m permuted is not a permutation of k: to read it as [M, K] would have said that it is
    none = axe::match_multiply(small, {"(4,2,2):(1@P,1@F,2@F)"_axe, small.b.layout(), small.c.layout()});
    CHECK(sentence(none.error()) == "A: element (1, 0) is where no column of the atom that agrees with the rows above has row 1");
    CHECK(none.error().position == 1); // its element (0, 1)

    for (const char* name : {"nki.isa.nc_matmul", "nki.isa.nc_matmul.double_row"}) {
        const char* arch = std::string(name) == "nki.isa.nc_matmul" ? "trn1/trn2" : "trn2+";
        axe::Atom dst = *axe::atoms::find("nki.isa.nc_matmul", "trn1/trn2", "dst");
        const Atoms matmul{*axe::atoms::find(name, arch, "stationary"), *axe::atoms::find(name, arch, "moving"), dst};
        CHECK(axe::match_multiply(matmul, layouts_of(matmul))->size() == matmul.a.dims[0]);
        CHECK(axe::match_multiply(matmul, layouts_of(matmul))->is_identity());
        CHECK(sentence(axe::match_multiply({matmul.b, matmul.a, matmul.c}, layouts_of(matmul)).error()) ==
              "the operands of the atoms are not [M,K], [K,N] and [M,N]");
    }
}

TEST_CASE("match_multiply: wgmma, whose B is in shared memory, swizzled")
{
    using Places = axe::MultiplyOperands<axe::Swizzled<Layout>>;
    constexpr axe::Atom a = *axe::atoms::find("wgmma.mma_async.m64k16.A_reg", "sm90a", "A"),
                        d = *axe::atoms::find("wgmma.mma_async.m64n64", "sm90a", "D"),
                        tile = *axe::atoms::find("smem_atom.K_SW128.b16", "sm90+", "AB");
    constexpr Atoms wgmma{a, tile, d};
    // B as [N, K]: 64 × 16 of a buffer [64, 64], k from `from` on
    const auto places = [&](const Layout& b, const Layout& of_a) {
        return Places{{{}, {}, 1, of_a}, {{3, 4, 3}, {}, 2, b}, {{}, {}, 1, d.layout()}};
    };
    // in the compiler: 4 k of 8 bytes, and tiles of 2 by 4 whose chunks of 16 bytes change places from row to row
    constexpr axe::Axis lane{"lane"}, m{};
    constexpr axe::AtomHead head{"made", "x", "warp", "made for the test", axe::Evidence::documents};
    constexpr Atoms small{axe::Atom{head, "A", "b64", {1, 4}, {{4, 1, lane}}},
                          axe::Atom{head, "AB", "b64", {2, 4}, {{2, 4, m}, {4, 1, m}}, "", {}, {1, 4, 1}, 8},
                          axe::Atom{head, "C", "b64", {1, 4}, {{4, 1, lane}}}};
    constexpr auto least = axe::match_multiply(
        small, Places{small.a.swizzled(), {{1, 4, 1}, {}, 8, "(2,2,4):(16,4,1) + 8@m"_axe}, small.c.swizzled()});
    STATIC_REQUIRE(least->is_identity());
    for (int k = 0; k < 64; k += 16)
        CHECK(axe::match_multiply(wgmma, places(*axe::slice("(64,64):(64,1)"_axe, {64, 64}, {{0, 64}, {k, k + 16}}), a.layout()))
                  ->is_identity());
    const auto error = [&](const Layout& b) { return sentence(axe::match_multiply(wgmma, places(b, a.layout())).error()); };
    CHECK(error("(64,16):(64,1) + 8@m"_axe) == "B begins at 8, where no tile of memory begins that the instruction reads");
    CHECK(error("(64,16):(64,1) + 64@m"_axe) == "B begins at 64, where no tile of memory begins that the instruction reads");
    CHECK(error("(64,16):(64,1) + -512@m"_axe) == "B begins at -512, where no tile of memory begins that the instruction reads");
    // tiles further apart, at multiples of the swizzle's period only
    CHECK(axe::match_multiply(wgmma, places("(8,8,16):(1024,64,1) + 4096@m"_axe, a.layout()))->is_identity());
    CHECK(error("(8,8,16):(768,64,1)"_axe) ==
          "B: its tiles of memory are 768 apart; the instruction takes multiples of 512, below 2^18 bytes");
    CHECK(error("(8,8,16):(-512,64,1) + 3584@m"_axe) ==
          "B: its tiles of memory are -512 apart; the instruction takes multiples of 512, below 2^18 bytes");
    CHECK(error("(8,8,16):(131072,64,1)"_axe) ==
          "B: its tiles of memory are 131072 apart; the instruction takes multiples of 512, below 2^18 bytes");
    CHECK(axe::match_multiply(wgmma, places("(8,8,16):(130560,64,1)"_axe, a.layout()))->is_identity());
    // rows of another pitch
    CHECK(error("(8,8,16):(1024,128,1)"_axe) == "B: element (0, 1) is not where the atom has (0, 1), as the columns of A require");
    // k permuted in memory, and in the registers of A with it
    const Layout distributed = "(4,2,8,4,2,2):(1@warp,2@reg,4@lane,1@lane,4@reg,1@reg)"_axe;
    CHECK(values(*axe::match_multiply(wgmma, places("(64,4,2,2):(64,2,8,1)"_axe, distributed))) ==
          std::vector<int>{0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15});
    CHECK(error("(64,4,2,2):(64,2,8,1)"_axe) == "B: element (2, 0) is not where the atom has (2, 0), as the columns of A require");
    CHECK(axe::match_multiply(wgmma, places("(64,4,2,2):(64,2,8,1)"_axe, a.layout())).error().position == 2); // of [N, K]
    // the swizzle of another mode; of elements of another width; none
    for (const axe::Swizzled<Layout>& b :
         {axe::Swizzled<Layout>{{2, 4, 3}, {}, 2, "(64,16):(64,1)"_axe},
          axe::Swizzled<Layout>{{3, 4, 3}, {}, 4, "(64,16):(64,1)"_axe}, axe::Swizzled<Layout>{{}, {}, 2, "(64,16):(64,1)"_axe}}) {
        Places other = places("(64,16):(64,1)"_axe, a.layout());
        other.b = b;
        CHECK(sentence(axe::match_multiply(wgmma, other).error()) == "B is swizzled otherwise than the atom's");
    }
    CHECK(error("(32,16):(64,1)"_axe) == "B has 512 elements, the atom's 1024");

    // A in shared memory as well, and both with rows contiguous: [64, 8] is a tile then, and 16 k are two
    CHECK(axe::match_multiply({tile, tile, d}, Places{places("(64,16):(64,1)"_axe, a.layout()).b,
                                                      places("(64,16):(64,1)"_axe, a.layout()).b,
                                                      {{}, {}, 1, d.layout()}})
              ->is_identity());
    const axe::Atom columns = *axe::atoms::find("smem_atom.MN_SW128.b16", "sm90+", "AB");
    const auto two = [&](const Layout& b) { return axe::match_multiply({a, columns, d}, places(b, a.layout())); };
    CHECK(two("(64,16):(1,64)"_axe)->is_identity());
    CHECK(two("(64,2,8):(1,4096,64)"_axe)->is_identity());
    CHECK(sentence(two("(64,16):(1,64) + 64@m"_axe).error()) ==
          "B begins at 64, where no tile of memory begins that the instruction reads");
    CHECK(sentence(two("(64,2,8):(1,256,64)"_axe).error()) ==
          "B: its tiles of memory are 256 apart; the instruction takes multiples of 512, below 2^18 bytes");
    // without a swizzle, 8 × 8: starts and steps of 16 bytes
    const axe::Atom plain = *axe::atoms::find("smem_atom.K_INTER.b16", "sm90+", "AB");
    const auto inter = [&](const Layout& b) {
        Places p = places(b, a.layout());
        p.b.swizzle = {};
        return axe::match_multiply({a, plain, d}, p);
    };
    CHECK(inter("(8,8,2,8):(128,8,64,1) + 8@m"_axe)->is_identity());
    CHECK(inter("(8,8,2,8):(64,8,512,1)"_axe)->is_identity());
    CHECK(sentence(inter("(8,8,2,8):(128,8,64,1) + 4@m"_axe).error()) ==
          "B begins at 4, where no tile of memory begins that the instruction reads");
    CHECK(sentence(inter("(8,8,2,8):(136,8,68,1)"_axe).error()) ==
          "B: its tiles of memory are 68 apart; the instruction takes multiples of 8, below 2^18 bytes");

    // What no instruction reads
    const axe::Atom wide = *axe::atoms::find("wgmma.mma_async.m64k32.A_reg", "sm90a", "A");
    CHECK(sentence(axe::match_multiply({wide, tile, d}, places("(64,32):(64,1)"_axe, wide.layout())).error()) ==
          "an instruction reads 32 bytes of k from shared memory, not 64");
    const axe::Atom bytes = *axe::atoms::find("smem_atom.K_SW128.b8", "sm90+", "AB");
    Places eight = places("(64,32):(128,1)"_axe, wide.layout());
    eight.b.width = 1;
    CHECK(axe::match_multiply({wide, bytes, d}, eight)->is_identity());
    axe::Atom odd = tile;
    odd.dims[0] = 7;
    odd.shard[0].extent = 7;
    CHECK(sentence(axe::match_multiply({a, odd, d}, places("(64,16):(64,1)"_axe, a.layout())).error()) ==
          "B: 64 columns are not made of tiles of memory of 7");
    CHECK(sentence(axe::match_multiply({odd, tile, d}, Places{eight.b, eight.b, eight.c}).error()) ==
          "A has 2048 elements, the atom's 1024");
    odd = tile;
    odd.dims[1] = odd.shard[1].extent = 24;
    CHECK(sentence(axe::match_multiply({a, odd, d}, places("(64,16):(64,1)"_axe, a.layout())).error()) ==
          "16 of k and memory tiles of 24: one must divide the other");
    CHECK(axe::match_multiply({a, tile, tile}, places("(64,16):(64,1)"_axe, a.layout())).code() == axe::errc::bad_argument);
}

TEST_CASE("match_multiply: operands in memory that are not tiles are compared where their swizzles put them")
{
    using Places = axe::MultiplyOperands<axe::Swizzled<Layout>>;
    const axe::Axis lane{"lane"}, m{};
    const axe::AtomHead head{"made", "x", "warp", "made for the test", axe::Evidence::documents};
    // elements 4 to 7 are where 6, 7, 4, 5 would be
    const axe::Swizzle exchange{1, 4, 1};
    const Atoms atoms{axe::Atom{head, "A", "b64", {1, 4}, {{4, 1, lane}}},
                      axe::Atom{head, "B", "b64", {4, 2}, {{4, 1, m}, {2, 4, m}}, "", {}, exchange, 8},
                      axe::Atom{head, "C", "b64", {1, 2}, {{2, 1, lane}}}};
    const auto with = [&](const axe::Swizzled<Layout>& b) {
        return axe::match_multiply(atoms, Places{atoms.a.swizzled(), b, atoms.c.swizzled()});
    };
    CHECK(with(atoms.b.swizzled())->is_identity());
    CHECK(sentence(with({{}, {}, 8, atoms.b.layout()}).error()) ==
          "B: element (0, 1) is not where the atom has (0, 1), as the columns of A require");
    CHECK(sentence(with({exchange, axe::Axis{"x"}, 8, atoms.b.layout()}).error()) ==
          "B: element (0, 1) is not where the atom has (0, 1), as the columns of A require");
    CHECK(with({{2, 4, 1}, {}, 8, atoms.b.layout()}).code() == axe::errc::bad_argument); // no permutation of bytes
    CHECK(with({{1, 4, 1}, {}, 8, "(4,2):(1,4)"_axe})->is_identity());
    CHECK(with({{1, 5, 1}, {}, 16, "(4,2):(1,4)"_axe})->is_identity()); // the same in elements
    Atoms copies = atoms;
    copies.b.replica[0] = {2, 8, m};
    CHECK(sentence(axe::match_multiply(copies, Places{atoms.a.swizzled(), {{}, {}, 8, copies.b.layout()}, atoms.c.swizzled()})
                       .error()) == "B is swizzled otherwise than the atom's");
    CHECK(axe::match_multiply(copies, Places{atoms.a.swizzled(), copies.b.swizzled(), atoms.c.swizzled()})->is_identity());
    Atoms sums = mma;
    sums.c.operand = "AB"; // C is not a tile of memory that an instruction reads
    CHECK(axe::match_multiply(sums, layouts_of(sums)).code() == axe::errc::bad_argument);
}

TEST_CASE("match_multiply: which operand differs, and where")
{
    const auto with = [](const Layout& a, const Layout& b, const Layout& c) { return axe::match_multiply(mma, {a, b, c}); };
    const Layouts own = layouts_of(mma);
    // A's rows 8 to 15 a register too high
    auto none = with("(2,8,2,4,2):(3@reg,4@lane,4@reg,1@lane,1@reg)"_axe, own.b, own.c);
    CHECK(none.code() == axe::errc::no_layout);
    CHECK(sentence(none.error()) == "A: element (8, 0) is where no column of the atom that agrees with the rows above has row 8");
    CHECK(none.error().position == 128);
    // the lanes of A moved
    none = with("(2,8,2,4,2):(2@reg,4@lane,4@reg,1@lane,1@reg) + 1@lane"_axe, own.b, own.c);
    CHECK(sentence(none.error()) == "B: element (0, 0) is not where the atom has (2, 0), as the columns of A require");
    none = with("(2,8,2,4,2):(2@reg,4@lane,4@reg,1@lane,1@reg) + 1@reg"_axe, "(2,4,2,8):(2@reg,1@lane,1@reg,4@lane) + 1@reg"_axe,
                own.c);
    CHECK(sentence(none.error()) == "A: element (0, 1) is where no column of the atom that agrees with the rows above has row 0");
    // two columns of A in one place
    none = with("(2,8,2,4,2):(2@reg,4@lane,0,1@lane,1@reg)"_axe, own.b, own.c);
    CHECK(sentence(none.error()) == "B: element (8, 0) is not where the atom has (0, 0), as the columns of A require");
    none = with("(2,8,2,4,2):(2@reg,4@lane,0,1@lane,1@reg)"_axe, "(2,4,2,8):(0,1@lane,1@reg,4@lane)"_axe, own.c);
    CHECK(sentence(none.error()) == "A: column 8 is column 0 of the atom, and so is an earlier one");
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
    CHECK(sentence(axe::match_multiply(mma, {own.a, own.b, "1:1"_axe}).error()) == "C has 1 element, the atom's 128");
    CHECK(axe::match_multiply(mma, {own.a, own.b, "1:1"_axe}).code() == axe::errc::size_mismatch);

    Layout broken = own.a;
    broken.shard[0].extent = -2;
    CHECK(axe::match_multiply(mma, {broken, own.b, own.c}).code() == axe::errc::bad_extent);

    axe::Atom shared = mma.b;
    shared.swizzle = {3, 4, 3};
    shared.width = 2;
    CHECK(axe::match_multiply({mma.a, shared, mma.c}, own)->is_identity()); // nothing is on m, so a swizzle of m moves nothing
    CHECK(sentence(axe::match_multiply({shared, mma.b, mma.c}, own).error()) ==
          "the operands of the atoms are not [M,K], [K,N] and [M,N]");
    axe::Atom left = mma.a, low_sum = mma.c;
    left.swizzle = low_sum.swizzle = {3, 4, 3};
    left.replica[0] = low_sum.replica[0] = {2, 1, axe::Axis{"warp"}};
    CHECK(sentence(axe::match_multiply({left, mma.b, mma.c}, own).error()) == "A is swizzled otherwise than the atom's");
    CHECK(sentence(axe::match_multiply({mma.a, mma.b, low_sum}, own).error()) == "C is swizzled otherwise than the atom's");
    CHECK(sentence(axe::match_multiply({mma.b, mma.a, mma.c}, own).error()) ==
          "the operands of the atoms are not [M,K], [K,N] and [M,N]");
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
    CHECK(sentence(long_sum(513).error()) == "513 terms of a sum exceed the 512 entries of a permutation");
}
