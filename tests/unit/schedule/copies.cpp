// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/kernels.hpp>
#include <axe/target/nvidia/atoms/mma.hpp>

#include "lowered.hpp"

#include <catch.hpp>
#include <tests/one_block.hpp>
#include <tests/required.hpp>

using namespace axe;
using enum axe::DType;

namespace {

/// What a copy between a tile of a tensor in global memory and shared memory becomes.
struct TileCopy {
    std::string schedule{}, detail{};
    Instruction instruction{};
    std::string problem{};
};

TileCopy copy_tile(const Machine& machine, const Shape& whole, const Shape& tile, DType type, const Options& options = {},
                   const Placement& shared = {}, std::int64_t base = -1, DType staged = f16, bool same_type = true)
{
    Kernel k("copy", machine);
    auto A = k.input("A", whole, type);
    k.cta(tiles(A, tile), [&](Scope cta, const Tile& t) {
        auto a = cta.alloc(Role::shared, tile, same_type ? type : staged, shared, "a", base);
        cta.copy(a, A(t), options);
    });
    const auto program = required(k.program());
    const auto lowered = lower(*program);
    TileCopy out;
    if (!lowered) {
        out.problem = lowered.error().text;
        return out;
    }
    out.schedule = lowered->choices.back().schedule;
    out.detail = lowered->choices.back().detail;
    out.instruction = instructions_of(lowered->program).back();
    return out;
}

int bytes_at_once(const TileCopy& copy, DType type)
{
    return copy.instruction.operands.at(0).distribution->vector * storage_bytes(type);
}

} // namespace

TEST_CASE("a copy moves as many bytes a lane as both sides allow, of cases done by hand")
{
    const Machine& m = machines::sm80;
    const auto width = [&](const Shape& whole, const Shape& tile, DType type, const Options& options = {},
                           const Placement& shared = {}, std::int64_t base = -1) {
        return bytes_at_once(copy_tile(m, whole, tile, type, options, shared, base), type);
    };
    CHECK(width({256, 256}, {128, 32}, f16) == 16); // rows of 512 bytes
    CHECK(width({256, 33}, {128, 32}, f16) == 2);   // rows of 66 bytes: every other begins at half a word
    CHECK(width({256, 34}, {128, 32}, f16) == 4);   // 68 bytes
    CHECK(width({256, 36}, {128, 32}, f16) == 8);   // 72 bytes
    CHECK(width({256, 40}, {128, 32}, f16) == 16);  // 80 bytes
    CHECK(width({256, 33}, {128, 33}, f16) == 16);  // whole rows follow each other without a gap
    CHECK(width({256, 256}, {128, 4}, f16) == 8);   // tiles begin every 8 bytes
    CHECK(width({256, 256}, {128, 1}, f16) == 2);   // columns
    CHECK(width({256, 256}, {64, 64}, f32) == 16);
    CHECK(width({256, 256}, {64, 64}, f64) == 16);
    CHECK(width({256, 256}, {64, 64}, i8) == 16);
    CHECK(width({100, 72}, {64, 32}, f16) == 16);             // a tail of 8 elements: 16 bytes are in or out as one
    CHECK(width({100, 68}, {64, 32}, f16) == 8);              // a tail of 4, and rows of 136 bytes
    CHECK(width({256, 256}, {128, 32}, f16, {{}, 8}) == 8);   // asked for
    CHECK(width({256, 256}, {128, 32}, f16, {{}, 1}) == 2);   // an element at least
    CHECK(width({256, 256}, {128, 32}, f16, {}, {}, 4) == 4); // shared memory from byte 4 on
    CHECK(width({256, 256}, {128, 32}, f16, {}, {}, 2) == 2);
    CHECK(width({256, 256}, {128, 32}, f16, {"scalar", 0}) == 2);
}

TEST_CASE("padding, transposing and swizzling the shared side change the width as they must")
{
    const Machine& m = machines::sm80;
    const auto width = [&](const Placement& shared) {
        return bytes_at_once(copy_tile(m, {256, 256}, {128, 32}, f16, {}, shared), f16);
    };
    CHECK(width(make_layout({{128, 33, Axis{}}, {32, 1, Axis{}}})) == 2);
    CHECK(width(make_layout({{128, 40, Axis{}}, {32, 1, Axis{}}})) == 16);
    CHECK(width(make_layout({{128, 1, Axis{}}, {32, 128, Axis{}}})) == 2);
    const Layout rows{{{128, 32, Axis{}}, {32, 1, Axis{}}}};
    CHECK(width(Swizzled<Layout>{{2, 4, 3}, Axis{}, 2, rows}) == 16);
    CHECK(width(Swizzled<Layout>{{2, 3, 3}, Axis{}, 2, rows}) == 8); // runs of 8 bytes stay whole
}

TEST_CASE("the vectors of a copy between memories are distributed to neighboring lanes")
{
    const TileCopy copy = copy_tile(machines::sm80, {256, 256}, {128, 32}, f16);
    CHECK(copy.schedule == "vector");
    CHECK(copy.detail == "16 bytes a lane");
    CHECK(copy.instruction.opcode == "move");
    CHECK(copy.instruction.text == "ld.global.v4.b32 + st.shared.v4.b32");
    const Distribution& p = *copy.instruction.operands[1].distribution;
    CHECK(p.issues == 4);
    CHECK(p.agents == 4);
    CHECK(p.lanes == 32);
    for (int lane = 0; lane < 32; ++lane) CHECK(p.element[p.at(1, 2, lane)] == ((1 * 4 + 2) * 32 + lane) * 8);
    const TileCopy few = copy_tile(machines::sm80, {64, 64}, {5, 8}, f16); // 5 vectors for 128 lanes
    const Distribution& q = *few.instruction.operands[0].distribution;
    CHECK(q.issues == 1);
    CHECK(q.element[q.at(0, 0, 4)] == 32);
    CHECK(q.element[q.at(0, 0, 5)] == -1);
    CHECK(q.element[q.at(0, 3, 31)] == -1);
}

TEST_CASE("a copy between types converts, in vectors that both sides allow")
{
    const TileCopy copy = copy_tile(machines::sm80, {256, 256}, {128, 32}, f32, {}, {}, -1, f16, false);
    CHECK(copy.instruction.operands[0].distribution->vector == 4);
    CHECK(copy.instruction.text == "ld.global.v4.b32 + cvt.f16.f32 + st.shared.v2.b32");
}

TEST_CASE("asynchronous copies are for machines that have them, and of 4, 8 or 16 bytes")
{
    const auto start = [](const Machine& m, const Shape& whole, const Shape& tile, DType from, DType to) {
        Kernel k("async", m);
        auto A = k.input("A", whole, from);
        k.cta(tiles(A, tile), [&](Scope cta, const Tile& t) {
            auto a = cta.alloc(Role::shared, tile, to, {}, "a");
            cta.copy_async(a, A(t)).commit().wait();
        });
        return lower(*k.program());
    };
    const auto wide = start(machines::sm80, {256, 256}, {128, 32}, f16, f16);
    REQUIRE(wide);
    const Instruction i = instructions_of(wide->program).back();
    CHECK(i.opcode == "cp_async");
    CHECK(i.async);
    CHECK(i.text == "cp.async.cg.shared.global 16");
    const auto narrow = start(machines::sm80, {256, 34}, {128, 32}, f16, f16);
    REQUIRE(narrow);
    CHECK(instructions_of(narrow->program).back().text == "cp.async.ca.shared.global 4");
    const auto odd = start(machines::sm80, {256, 33}, {128, 32}, f16, f16);
    REQUIRE_FALSE(odd);
    CHECK(odd.error().text.find("a lane would copy 2 bytes per instruction; the least is 4") != std::string::npos);
    const auto cast = start(machines::sm80, {256, 256}, {128, 32}, f32, f16);
    REQUIRE_FALSE(cast);
    CHECK(cast.error().text.find("this copy does not convert") != std::string::npos);
    const auto none = start(machines::cpu, {256, 256}, {128, 32}, f16, f16);
    REQUIRE(none); // a copy instead
    CHECK_FALSE(instructions_of(none->program).back().async);
    CHECK(instructions_of(none->program).back().opcode == "move");
}

namespace {

/// Copies a tile of shared memory into fragments, or (`stores`) back.
Result<Lowered, axe::Problem> copy_fragments(const Machine& m, const Shape& tile, const Placement& shared, const Layout& fragments,
                                             bool transposed, bool stores = false, const Options& options = {}, int agents = 1)
{
    Kernel k("fragments", m);
    one_block(k, agents, [&](Scope cta) {
        auto a = cta.alloc(Role::shared, tile, f16, shared, "a");
        auto r = cta.alloc(Role::registers, transposed ? Shape{tile[1], tile[0]} : tile, f16, fragments, "r");
        const auto view = transposed ? a.permuted({1, 0}) : ViewRef(a);
        if (stores)
            cta.copy(view, r, options);
        else
            cta.copy(r, view, options);
    });
    return lower(*k.program());
}

Layout fragment(const char* operand)
{
    for (const Atom& atom : atoms::nvidia_mma::rows)
        if (std::string(atom.name) == "mma.sync.m16n8k16.f32.f16.f16.f32" && std::string(atom.operand) == operand)
            return atom.layout();
    return {};
}

/// What ldmatrix and stmatrix do, by the words of PTX: lane 8i + r gives row r of matrix i, and lane l gets elements 2(l mod 4) and the
/// next of row l/4, or of column l/4 where it transposes.
void check_matrices(const Program& p, const Instruction& i, bool loads)
{
    const Access& held = i.operands[loads ? 0 : 1];
    const Access& memory = i.operands[loads ? 1 : 0];
    REQUIRE(i.parameters.size() == 2);
    const int x = static_cast<int>(i.parameters[0]);
    const bool trans = i.parameters[1] != 0;
    const Distribution &regs = *held.distribution, &rows = *memory.distribution;
    CHECK(regs.vector == 2 * x);
    CHECK(rows.vector == 8);
    CHECK(regs.issues == rows.issues);
    std::set<std::tuple<int, int, std::int32_t>> written;
    for (int issue = 0; issue < regs.issues; ++issue)
        for (int agent = 0; agent < regs.agents; ++agent) {
            for (int l = 0; l < 32; ++l) {
                if (l >= 8 * x)
                    CHECK(rows.element[rows.at(issue, agent, l)] == -1);
                else if (rows.element[rows.at(issue, agent, l)] >= 0)
                    CHECK(naive::is_vector(p, memory.view, &rows.element[rows.at(issue, agent, l)], 8, {0}, agent, l, 16));
                for (int n = 0; n < 2 * x; ++n) {
                    const int r = trans ? 2 * (l % 4) + n % 2 : l / 4, c = trans ? l / 4 : 2 * (l % 4) + n % 2;
                    const auto e = regs.element[regs.at(issue, agent, l, n)];
                    if (e < 0) continue; // an agent that takes no part
                    CHECK(e == rows.element[rows.at(issue, agent, 8 * (n / 2) + r, c)]);
                    const auto at = naive::place_in_tensor(p, held.view, e, {0});
                    REQUIRE(at);
                    const auto mine = naive::reached(p, held.view, *at, agent, l);
                    REQUIRE(mine.size() == 1);
                    const auto first = naive::place_in_tensor(p, held.view, regs.element[regs.at(issue, agent, l, 0)], {0});
                    CHECK(mine[0]["reg"] == naive::reached(p, held.view, *first, agent, l)[0]["reg"] + n);
                    CHECK(written.insert({agent, l, e}).second);
                }
            }
        }
    // All owners of all elements, when loading.
    std::size_t owners = 0;
    for (std::int64_t e = 0; e < *volume(held.view.extents); ++e)
        owners +=
            naive::places(p.tensors[static_cast<std::size_t>(held.view.tensor)], *naive::place_in_tensor(p, held.view, e, {0}))
                .size();
    CHECK(written.size() == (loads ? owners : static_cast<std::size_t>(*volume(held.view.extents))));
}

} // namespace

TEST_CASE("ldmatrix loads the A fragments of m16n8k16 from a row-major tile, four matrices at once")
{
    const auto done = copy_fragments(machines::sm80, {16, 16}, {}, fragment("A"), false);
    REQUIRE(done);
    CHECK(done->choices.back().schedule == "ldmatrix");
    const Instruction i = instructions_of(done->program).back();
    CHECK(i.text == "ldmatrix.sync.aligned.m8n8.x4.shared.b16");
    check_matrices(done->program, i, true);
    // Through a swizzle, as rows of 16 bytes stay whole.
    const Layout rows{{{16, 64, Axis{}}, {16, 1, Axis{}}}};
    const auto swizzled =
        copy_fragments(machines::sm80, {16, 16}, Swizzled<Layout>{{3, 4, 3}, Axis{}, 2, rows}, fragment("A"), false);
    REQUIRE(swizzled);
    CHECK(swizzled->choices.back().schedule == "ldmatrix");
    check_matrices(swizzled->program, instructions_of(swizzled->program).back(), true);
}

TEST_CASE("ldmatrix loads the B fragments of m16n8k16 from [K, N] transposed, from [N, K] as they are")
{
    const auto kn = copy_fragments(machines::sm80, {16, 8}, {}, fragment("B"), false);
    REQUIRE(kn);
    CHECK(kn->choices.back().schedule == "ldmatrix");
    const Instruction i = instructions_of(kn->program).back();
    CHECK(i.text == "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16");
    check_matrices(kn->program, i, true);
    const auto nk = copy_fragments(machines::sm80, {8, 16}, {}, fragment("B"), true);
    REQUIRE(nk);
    CHECK(instructions_of(nk->program).back().text == "ldmatrix.sync.aligned.m8n8.x2.shared.b16");
    check_matrices(nk->program, instructions_of(nk->program).back(), true);
}

TEST_CASE("ldmatrix fills fragments that several warps hold, copies included")
{
    // 64 x 16 of A over four warps; and 16 x 16 that all four hold.
    Layout rows = fragment("A"), same = fragment("A");
    rows.shard.insert(0, {4, 1, Axis{"warp"}});
    same.replica.push_back({4, 1, Axis{"warp"}});
    for (const auto& [tile, layout] : {std::pair{Shape{64, 16}, rows}, std::pair{Shape{16, 16}, same}}) {
        const auto done = copy_fragments(machines::sm80, tile, {}, layout, false, false, {}, 4);
        REQUIRE(done);
        CHECK(done->choices.back().schedule == "ldmatrix");
        check_matrices(done->program, instructions_of(done->program).back(), true);
    }
}

TEST_CASE("where ldmatrix cannot load, it says why and vectors or elements are moved")
{
    const auto reason = [](const Result<Lowered, axe::Problem>& done) {
        for (const auto& [name, why] : done->choices.back().declined)
            if (name == "ldmatrix") return why;
        return std::string();
    };
    const auto odd =
        copy_fragments(machines::sm80, {16, 16}, make_layout({{16, 17, Axis{}}, {16, 1, Axis{}}}), fragment("A"), false);
    REQUIRE(odd);
    CHECK(odd->choices.back().schedule == "scalar");
    CHECK(reason(odd).find("are not 16 consecutive, aligned bytes in a, transposed or not") != std::string::npos);
    Layout plain{{{16, 1, Axis{"lane"}}, {16, 1, Axis{"reg"}}}};
    const auto rows = copy_fragments(machines::sm80, {16, 16}, {}, plain, false);
    REQUIRE(rows);
    CHECK(rows->choices.back().schedule == "vector");
    CHECK(reason(rows).find("r is not held as 8x8 matrices") != std::string::npos);
    const auto forced = copy_fragments(machines::sm80, {16, 16}, {}, plain, false, false, {"ldmatrix", 0});
    REQUIRE_FALSE(forced);
    CHECK(forced.error().text.find("ldmatrix: r is not held as 8x8 matrices") != std::string::npos);
    const auto unknown = copy_fragments(machines::sm80, {16, 16}, {}, plain, false, false, {"tma", 0});
    REQUIRE_FALSE(unknown);
    CHECK(unknown.error().text.find("copy has no schedule tma; its schedules are: ") != std::string::npos);
    std::size_t from = 0; // in the order in which they are tried, without those that the machine cannot have
    CHECK(unknown.error().text.find("stmatrix") == std::string::npos);
    for (const char* name : {"ldmatrix", "registers", "vector", "scalar"}) {
        from = unknown.error().text.find(name, from);
        CHECK(from != std::string::npos);
    }
}

TEST_CASE("stmatrix stores fragments, from the first warp that holds them, where the machine has it")
{
    Layout same = fragment("A");
    same.replica.push_back({4, 1, Axis{"warp"}});
    for (const Layout& layout : {fragment("A"), same}) {
        const auto done = copy_fragments(machines::sm90, {16, 16}, {}, layout, false, true, {}, 4);
        REQUIRE(done);
        CHECK(done->choices.back().schedule == "stmatrix");
        CHECK(instructions_of(done->program).back().text == "stmatrix.sync.aligned.m8n8.x4.shared.b16");
        check_matrices(done->program, instructions_of(done->program).back(), false);
    }
    const auto before = copy_fragments(machines::sm80, {16, 16}, {}, fragment("A"), false, true);
    REQUIRE(before);
    CHECK(before->choices.back().schedule == "vector");
}
