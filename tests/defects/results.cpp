// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/kernels.hpp>
#include <cstring>
#include <tests/defects/harness.hpp>

/// Defects that break no rule of the machine: what comes out is wrong, or is slow, and the comparison or the counters say so.
namespace {

using namespace defects;

enum class Slip { swizzle, transposed, lanes, none };

double left(std::int64_t i) { return double(i % 7) - 3; }
double right(std::int64_t i) { return double(i % 5) - 1; }
double product(std::int64_t i)
{
    double sum = 0;
    for (int q = 0; q < 16; ++q) sum += left(i / 8 * 16 + q) * right(q * 8 + i % 8);
    return sum;
}

/// C (16×8) = A (16×16) · B (16×8) by one warp: ldmatrix, ldmatrix.trans, mma, all written by hand.
Pair matrices(Slip slip)
{
    Pair p{machines::sm80, {}, {{"A", left}, {"B", right}}, {{"C", product}}};
    p.write = [slip](Kernel& k, bool defect, Marks& marks) {
        const auto is = [&](Slip s) { return defect && s == slip; };
        const auto A = k.input("A", {16, 16}, f16), B = k.input("B", {16, 8}, f16), C = k.output("C", {16, 8}, f32);
        one_block(k, 1, [&](Scope cta) {
            const auto a = cta.alloc(Role::shared, {16, 16}, f16, "swizzle<1,4,3>/2((16,16):(16,1))"_swizzled, "a");
            const auto b = cta.alloc(Role::shared, {16, 8}, f16, {}, "b");
            const auto x = cta.alloc(Role::registers, {16, 16}, f16, "(2,8,2,4,2):(2@reg,4@lane,4@reg,1@lane,1@reg)"_axe, "x");
            const auto y = cta.alloc(Role::registers, {16, 8}, f16, "(2,4,2,8):(2@reg,1@lane,1@reg,4@lane)"_axe, "y");
            const auto c = cta.alloc(
                Role::registers, {16, 8}, f32,
                is(Slip::lanes) ? "(2,8,4,2):(2@reg,1@lane,8@lane,1@reg)"_axe : "(2,8,4,2):(2@reg,4@lane,1@lane,1@reg)"_axe, "c");
            const auto of_x = [](int, int, int l, int r) { return (r / 2 % 2 * 8 + l / 4) * 16 + r / 4 * 8 + l % 4 * 2 + r % 2; };
            const auto of_y = [](int, int, int l, int r) { return (r / 2 * 8 + l % 4 * 2 + r % 2) * 8 + l / 4; };
            const auto of_c = [&](int, int, int l, int r) {
                return is(Slip::lanes) ? (r / 2 * 8 + l % 8) * 8 + l / 8 * 2 + r % 2 : (r / 2 * 8 + l / 4) * 8 + l % 4 * 2 + r % 2;
            };
            cta.fill(c, 0).copy(a, A).copy(b, B).sync();
            marks.at = next(k);
            // Lane l names row l%8 of matrix l/8. The addresses of a kernel that XORs what the layout has XORed already are those of
            // the neighboring block.
            Instruction load =
                instruction("ldmatrix", {taken(x, 1, 1, 32, 8, of_x), taken(a, 1, 1, 32, 8, [&](int, int, int l, int e) {
                                             const int row = l / 8 % 2 * 8 + l % 8, block = l / 16;
                                             return row * 16 + 8 * (is(Slip::swizzle) ? block ^ (row / 4 % 2) : block) + e;
                                         })});
            load.parameters = {4, 0};
            cta.call(load);
            Instruction turned =
                instruction("ldmatrix", {taken(y, 1, 1, 32, 4, of_y),
                                         taken(b, 1, 1, 32, 8, [](int, int, int l, int e) { return l < 16 ? 8 * l + e : -1; })});
            turned.parameters = {2, is(Slip::transposed) ? 0 : 1};
            cta.call(turned);
            Instruction mma = instruction("mma", {taken(c, 1, 1, 32, 4, of_c), taken(x, 1, 1, 32, 8, of_x),
                                                  taken(y, 1, 1, 32, 4, of_y), taken(c, 1, 1, 32, 4, of_c)});
            mma.text = "mma.sync.m16n8k16.f32.f16.f16.f32";
            cta.call(mma);
            cta.copy(C, c);
        });
    };
    return p;
}

/// Rows of 128 bytes, of which ldmatrix takes the first 16 bytes of eight: how often the banks must be passed over.
std::int64_t wavefronts(const Swizzled<Layout>& layout)
{
    Pair p{machines::sm80, {}, {{"A", [](std::int64_t i) { return double(i % 64); }}}, {{"C", [](std::int64_t i) {
                                                                                             return double(i % 8);
                                                                                         }}}};
    p.write = [layout](Kernel& k, bool, Marks& marks) {
        const auto A = k.input("A", {8, 64}, f16), C = k.output("C", {8, 8}, f16);
        one_block(k, 1, [&](Scope cta) {
            const auto s = cta.alloc(Role::shared, {8, 64}, f16, layout, "s");
            const auto f = cta.alloc(Role::registers, {8, 8}, f16, "(8,4,2):(4@lane,1@lane,1@reg)"_axe, "f");
            cta.copy(s, A).sync();
            marks.at = next(k);
            Instruction i =
                instruction("ldmatrix", {taken(f, 1, 1, 32, 2, [](int, int, int l, int e) { return 2 * l + e; }),
                                         taken(s, 1, 1, 32, 8, [](int, int, int l, int e) { return l < 8 ? 64 * l + e : -1; })});
            i.parameters = {1, 0};
            cta.call(i);
            cta.copy(C, f);
        });
    };
    check_sound(p);
    Marks marks;
    const Found f = find(p, false, marks);
    const sim::MemoryCount& m = f.statements.at(marks.at).memories.at("smem");
    CHECK(m.requests == 1);
    CHECK(m.ideal_wavefronts == 1);
    return m.wavefronts;
}

} // namespace

TEST_CASE("a swizzle that only one side knows of") { check_wrong(matrices(Slip::swizzle)); }

TEST_CASE("a fragment that is loaded without the transpose it needs") { check_wrong(matrices(Slip::transposed)); }

TEST_CASE("the lanes of an accumulator are swapped") { check_wrong(matrices(Slip::lanes)); }

TEST_CASE("a swizzle that is mirrored")
{
    CHECK(wavefronts("swizzle<3,4,3>/2((8,64):(64,1))"_swizzled) == 1);
    CHECK(wavefronts("swizzle<3,4,-3>/2((8,64):(64,1))"_swizzled) == 8);
    CHECK(wavefronts("swizzle<0,4,3>/2((8,64):(64,1))"_swizzled) == 8);
    CHECK(wavefronts("swizzle<0,4,3>/2((8,64):(72,1))"_swizzled) == 1); // padded instead
}

TEST_CASE("lanes that go down a column of global memory")
{
    for (const bool down : {false, true}) {
        Pair p{machines::sm80, {}, {{"A", counted}}, {}};
        p.write = [down](Kernel& k, bool, Marks& marks) {
            const auto A = k.input("A", {32, 32}, f32), C = k.output("C", {32, 32}, f32);
            one_block(k, 1, [&](Scope cta) {
                const auto r = cta.alloc(Role::registers, {32, 32}, f32,
                                         down ? "(32,32):(1@lane,1@reg)"_axe : "(32,32):(1@reg,1@lane)"_axe, "r");
                marks.at = next(k);
                cta.copy(r, A, single);
                cta.copy(C, r, single);
            });
        };
        check_sound(p);
        Marks marks;
        const Found f = find(p, false, marks);
        const sim::MemoryCount& m = f.statements.at(marks.at).memories.at("gmem");
        CHECK(m.ideal_sectors == 32 * 4);
        CHECK(m.sectors == (down ? 32 * 32 : 32 * 4));
    }
}

TEST_CASE("tiles of a reduction overlap, and elements are counted twice")
{
    Pair p{machines::sm80, {}, {{"A", counted}}, {{"C", [](std::int64_t i) {
                                                       double sum = 0;
                                                       for (int q = 0; q < 64; ++q) sum += counted(64 * i + q);
                                                       return sum;
                                                   }}}};
    p.write = [](Kernel& k, bool defect, Marks&) {
        const auto A = k.input("A", {32, 64}, f32), C = k.output("C", {32}, f32);
        one_block(k, 1, [&](Scope cta) {
            const auto r = cta.alloc(Role::registers, {32, 16}, f32, "(32,16):(1@lane,1@reg)"_axe, "r");
            const auto sum = cta.alloc(Role::registers, {32}, f32, lanes, "sum");
            cta.fill(sum, 0);
            cta.loop(0, defect ? 4 : 4, 1, [&](const Affine& i) {
                cta.copy(r, A(all, Interval(i * (defect ? 12 : 16), 16)));
                cta.reduce(Function::add, sum, r, {1}, true);
            });
            cta.copy(C, sum);
        });
    };
    check_wrong(p);
}

TEST_CASE("an accumulator that keeps what the tile before has left")
{
    Pair p{machines::sm80, {}, {{"A", counted}}, {{"C", counted}}};
    p.write = [](Kernel& k, bool defect, Marks&) {
        const auto A = k.input("A", {4, 32}, f32), C = k.output("C", {4, 32}, f32);
        one_block(k, 1, [&](Scope cta) {
            const auto r = cta.alloc(Role::registers, {32}, f32, lanes, "r"),
                       sum = cta.alloc(Role::registers, {32}, f32, lanes, "sum");
            if (defect) cta.fill(sum, 0);
            cta.loop(0, 4, 1, [&](const Affine& i) {
                if (!defect) cta.fill(sum, 0);
                cta.copy(r, A(i, all));
                cta.binary(Function::add, sum, sum, r);
                cta.copy(C(i, all), sum);
            });
        });
    };
    check_wrong(p);
}

TEST_CASE("one of two copies of a register is never written")
{
    Pair p{machines::sm80, {}, {}, {{"C", [](std::int64_t) { return 1.0; }}}};
    p.write = [](Kernel& k, bool defect, Marks& marks) {
        const auto C = k.output("C", {2, 32}, f32);
        one_block(k, 2, [&](Scope cta) {
            const auto r = cta.alloc(Role::registers, {32}, f32, "32:1@lane + [2:1@warp]"_axe, "r");
            const int agents = defect ? 1 : 2;
            Instruction fill = instruction("fill", {taken(r, 1, agents, 32, 1, [](int, int, int l, int) { return l; })}, agents);
            fill.number = 1;
            cta.call(fill);
            marks.at = next(k);
            cta.call(instruction("move",
                                 {taken(C, 1, 2, 32, 1, [](int, int a, int l, int) { return 32 * a + l; }),
                                  taken(r, 1, 2, 32, 1, [](int, int, int l, int) { return l; })},
                                 2));
        });
    };
    check_fault(p, FaultKind::uninitialized, {"lane 0 of agent 1, element (0) of r (register 0) is read"});
}

TEST_CASE("of two copies of a register only one is brought up to date")
{
    Pair p{machines::sm80, {}, {}, {{"C", [](std::int64_t) { return 1.0; }}}};
    p.write = [](Kernel& k, bool defect, Marks& marks) {
        const auto C = k.output("C", {2, 32}, f32);
        marks.at = next(k); // found at the end of the block
        one_block(k, 2, [&](Scope cta) {
            const auto r = cta.alloc(Role::registers, {32}, f32, "32:1@lane + [2:1@warp]"_axe, "r");
            cta.fill(r, 0);
            const int agents = defect ? 1 : 2;
            Instruction fill = instruction("fill", {taken(r, 1, agents, 32, 1, [](int, int, int l, int) { return l; })}, agents);
            fill.number = 1;
            cta.call(fill);
            cta.call(instruction("move",
                                 {taken(C, 1, 2, 32, 1, [](int, int a, int l, int) { return 32 * a + l; }),
                                  taken(r, 1, 2, 32, 1, [](int, int, int l, int) { return l; })},
                                 2));
        });
    };
    check_fault(p, FaultKind::replica, {"element (0) of r (register 0)", "lane 0 of agent 0", "lane 0 of agent 1"});
}

TEST_CASE("two copies of a register that are NaN are alike, whatever their bits, and a NaN and a number are not")
{
    Kernel k("copies", machines::sm80);
    const auto A = k.input("A", {2, 32}, f32), C = k.output("C", {2, 32}, f32);
    const auto of_agent = [](int, int a, int l, int) { return 32 * a + l; };
    const auto of_lane = [](int, int, int l, int) { return l; };
    one_block(k, 2, [&](Scope cta) {
        const auto r = cta.alloc(Role::registers, {32}, f32, "32:1@lane + [2:1@warp]"_axe, "r");
        cta.call(instruction("move", {taken(r, 1, 2, 32, 1, of_lane), taken(A, 1, 2, 32, 1, of_agent)}, 2));
        cta.call(instruction("move", {taken(C, 1, 2, 32, 1, of_agent), taken(r, 1, 2, 32, 1, of_lane)}, 2));
    });
    const auto run_with = [&](std::uint32_t element_40) {
        Array a = Array::make({2, 32}, f32).value();
        const std::uint32_t nans[] = {0x7fc00000, 0xffc00000, 0x7fc00001};
        for (std::int64_t i = 0; i < a.size(); ++i) // 32 apart: another one
            std::memcpy(a.data() + 4 * i, i == 40 ? &element_40 : &nans[i % 3], 4);
        Bindings inputs;
        inputs.set("A", std::move(a));
        return axe::sim::run(k.program().value(), inputs);
    };
    const auto alike = run_with(0xffc00002);
    REQUIRE(alike);
    CHECK(alike->fault.text.empty());
    const auto differ = run_with(0x3f800000);
    REQUIRE(differ);
    CHECK(differ->fault.kind == FaultKind::replica);
    CHECK(differ->fault.text.find("element (8) of r") != std::string::npos);
}
