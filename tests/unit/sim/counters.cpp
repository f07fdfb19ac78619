// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/kernels.hpp>

#include <catch.hpp>
#include <set>
#include <tests/required.hpp>
#include <tests/unit/sim/arrays.hpp>

/// What a run counts, beside closed formulas of the sizes, the tiles and the widths. Nothing here looks at layouts or partitions: the
/// formulas are of who is known to take what.

using namespace axe;
using enum DType;

namespace {

using Int = std::int64_t;

Int up(Int a, Int b) { return (a + b - 1) / b; }

/// Runs it, and holds it against the reference.
sim::Report counted(const Kernel& kernel)
{
    const auto program = required(kernel.program());
    for (const Problem& p : validate(*program)) FAIL(p.text);
    const auto lowered = required(lower(*program));
    laws::Random random(7);
    Bindings inputs;
    for (const ProgramTensor& t : program->tensors)
        if (t.binding == Binding::input) inputs.set(t.name, arrays::random(t.shape, t.dtype, random));
    auto report = without_fault(sim::run(lowered->program, inputs));
    const auto verified = verify(*program, inputs, report->outputs);
    REQUIRE(verified);
    INFO(verified->text());
    REQUIRE(verified->ok());
    return std::move(*report);
}

Int issues(const sim::Report& report, const std::string& text)
{
    const auto at = report.total.by_text.find(text);
    return at == report.total.by_text.end() ? 0 : at->second;
}

const sim::MemoryCount& memory(const sim::Report& report, const std::string& name)
{
    static const sim::MemoryCount none;
    const auto at = report.total.memories.find(name);
    return at == report.total.memories.end() ? none : at->second;
}

/// The 32-byte pieces that a run of bytes touches.
Int sectors_of(Int begin, Int bytes) { return bytes == 0 ? 0 : (begin + bytes - 1) / 32 - begin / 32 + 1; }

/// A row-major rows × cols matrix of `width` bytes an element, cut into tiles whose rows are taken one at a time: calls
/// f(row, first column, columns that are there) for each row of each tile that is there.
template <class F>
void each_row_piece(Int rows, Int cols, Int tile_cols, const F& f)
{
    for (Int r = 0; r < rows; ++r)
        for (Int c = 0; c < cols; c += tile_cols) f(r, c, std::min(tile_cols, cols - c));
}

Int row_sectors(Int rows, Int cols, Int tile_cols, Int width)
{
    Int out = 0;
    each_row_piece(rows, cols, tile_cols, [&](Int r, Int c, Int n) { out += sectors_of((r * cols + c) * width, n * width); });
    return out;
}
Int row_ideal_sectors(Int rows, Int cols, Int tile_cols, Int width)
{
    Int out = 0;
    each_row_piece(rows, cols, tile_cols, [&](Int, Int, Int n) { out += up(n * width, 32); });
    return out;
}

struct Size {
    Int rows, cols;
};

} // namespace

TEST_CASE("counters of a copy through shared memory")
{
    // Tiles of 32×32 f32, 4 warps, odd rows: a lane moves one element, a warp a row of the tile, 8 rows each.
    for (const auto& [M, N] : {Size{33, 37}, Size{65, 31}, Size{7, 129}}) {
        INFO(M << " x " << N);
        Kernel k("copy", machines::sm80);
        const auto a = k.input("A", {M, N}, f32);
        const auto d = k.output("D", {M, N}, f32);
        k.cta(tiles(d, {32, 32}), [&](Scope cta, const Tile& t) {
            const auto s = cta.alloc("smem", {32, 32}, f32);
            cta.copy(s, a(t)).sync();
            cta.copy(d(t), s);
        });
        const auto report = counted(k);
        const Int blocks = up(M, 32) * up(N, 32), elements = M * N;
        // A load and the store after it are one instruction of the simulator's; the rows of a tile, there or not.
        CHECK(issues(report, "ld.global.b32 + st.shared.b32") == blocks * 32);
        CHECK(issues(report, "ld.shared.b32 + st.global.b32") == blocks * 32);
        CHECK(report.total.instructions == 2 * 32 * blocks);
        CHECK(report.total.lanes == 32 * report.total.instructions);
        CHECK(report.total.barriers == 4 * blocks); // each warp arrives once
        CHECK(report.total.flops == 0);
        CHECK(report.total.link_bytes == 0);

        const auto& g = memory(report, "gmem");
        CHECK(g.bytes_read == 4 * elements); // what is beyond the edge is not read
        CHECK(g.bytes_written == 4 * elements);
        CHECK(g.requests == 2 * M * up(N, 32)); // rows of tiles that are there, in and out
        CHECK(g.sectors == 2 * row_sectors(M, N, 32, 4));
        CHECK(g.ideal_sectors == 2 * row_ideal_sectors(M, N, 32, 4));

        const auto& s = memory(report, "smem");
        CHECK(s.bytes_written == 4 * 1024 * blocks); // zeros beyond the edge, too
        CHECK(s.bytes_read == 4 * 1024 * blocks);    // and they are loaded again, though not stored
        CHECK(s.wavefronts == s.ideal_wavefronts);   // a row is 32 banks, one word each
        CHECK(s.wavefronts == 2 * 32 * blocks);
    }
}

TEST_CASE("counters of a copy through registers")
{
    // The registers are distributed in vectors of 4 f32 (16 bytes): lane l of a warp has columns 4(l mod 8) … + 3 of row l/8 of four rows,
    // and with 4 warps a tile of 32×32 takes two rounds. Odd rows are not aligned: each register is a load of its own.
    for (const auto& [M, N] : {Size{33, 37}, Size{65, 31}, Size{7, 129}}) {
        INFO(M << " x " << N);
        Kernel k("copy", machines::sm80);
        const auto a = k.input("A", {M, N}, f32);
        const auto d = k.output("D", {M, N}, f32);
        k.cta(tiles(d, {32, 32}), [&](Scope cta, const Tile& t) {
            const auto r = cta.alloc("reg", {32, 32}, f32, LayoutHint::registers);
            cta.copy(r, a(t));
            cta.copy(d(t), r);
        });
        const auto report = counted(k);
        const Int blocks = up(M, 32) * up(N, 32);
        CHECK(issues(report, "ld.global.b32") == blocks * 4 * 2 * 4); // warps, rounds, registers of a vector
        CHECK(issues(report, "st.global.b32") == blocks * 4 * 2 * 4);
        CHECK(report.total.instructions == 2 * 32 * blocks);
        Int requests = 0, sectors = 0, ideal = 0;
        for (Int r = 0; r < up(M, 32) * 32; r += 4)
            for (Int c = 0; c < N; c += 32)
                for (Int e = 0; e < 4; ++e) {
                    std::set<Int> touched;
                    Int words = 0;
                    for (Int i = r; i < std::min(r + 4, M); ++i)
                        for (Int j = c + e; j < std::min(c + 32, N); j += 4) touched.insert((i * N + j) / 8), ++words;
                    requests += words > 0 ? 1 : 0;
                    sectors += static_cast<Int>(touched.size());
                    ideal += up(4 * words, 32);
                }
        const auto& g = memory(report, "gmem");
        CHECK(g.bytes_read == 4 * M * N);
        CHECK(g.bytes_written == 4 * M * N);
        CHECK(g.requests == 2 * requests);
        CHECK(g.sectors == 2 * sectors);
        CHECK(g.ideal_sectors == 2 * ideal);
        CHECK(memory(report, "smem") == sim::MemoryCount{});
        CHECK(memory(report, "reg").bytes_written == 4 * 1024 * blocks); // a zero beyond the edge is written as well
    }
}

TEST_CASE("counters of a copy in vectors")
{
    // Rows of a multiple of 4 f32 are aligned to 16 bytes: a lane moves 4, a warp four rows of a tile at once.
    const Int M = 37, N = 68;
    Kernel k("copy", machines::sm80);
    const auto a = k.input("A", {M, N}, f32);
    const auto d = k.output("D", {M, N}, f32);
    k.cta(
        tiles(d, {32, 4}),
        [&](Scope cta, const Tile& t) {
            const auto r = cta.alloc("reg", {32, 4}, f32, Layout{{{32, 1, "lane"}, {4, 1, "reg"}}});
            cta.copy(r, a(t));
            cta.copy(d(t), r);
        },
        1);
    const auto report = counted(k);
    const Int blocks = up(M, 32) * (N / 4);
    CHECK(issues(report, "ld.global.v4.b32") == blocks);
    CHECK(issues(report, "st.global.v4.b32") == blocks);
    const auto& g = memory(report, "gmem");
    CHECK(g.bytes_read == 4 * M * N);
    CHECK(g.sectors == 2 * M * (N / 4));                                        // 16 bytes of each row: a sector a row
    CHECK(g.ideal_sectors == 2 * (N / 4) * (up(32 * 16, 32) + up(5 * 16, 32))); // 32 rows of the first tiles, 5 of the last
}

TEST_CASE("counters of a transposition: the swizzle takes the conflicts away")
{
    struct Case {
        Swizzle swizzle;
        Int passes; ///< of a column of 32 words
    };
    // Columns of 32×32 f32 lie in one bank; with <3,4,3> in 8, four rows each; with <5,2,5>, words by rows, in all.
    for (const Case& how : {Case{{}, 32}, Case{{3, 4, 3}, 4}, Case{{5, 2, 5}, 1}})
        for (const auto& [M, N] : {Size{33, 37}, Size{65, 31}, Size{39, 129}}) {
            INFO(M << " x " << N << ", swizzle of " << how.swizzle.bits << " bits");
            Kernel k("transpose", machines::sm80);
            const auto a = k.input("A", {M, N}, f32);
            const auto d = k.output("D", {N, M}, f32);
            k.cta(tiles(a, {32, 32}), [&](Scope cta, const Tile& t) {
                const auto s = cta.alloc("smem", {32, 32}, f32, Swizzled<Layout>{how.swizzle, "m", 4, Layout{{{1024, 1, "m"}}}});
                cta.copy(s, a(t)).sync();
                cta.copy(d(t.cols, t.rows), s.permuted({1, 0}));
            });
            const auto report = counted(k);
            const Int blocks = up(M, 32) * up(N, 32);
            CHECK(report.total.instructions == 2 * 32 * blocks);
            const auto& g = memory(report, "gmem");
            CHECK(g.bytes_read == 4 * M * N);
            CHECK(g.bytes_written == 4 * M * N);
            CHECK(g.sectors == row_sectors(M, N, 32, 4) + row_sectors(N, M, 32, 4)); // rows in, rows of the transposed out
            // Rows go in without conflicts; each of the 32 columns of a tile comes out in as many passes as its rows share a bank.
            const auto& s = memory(report, "smem");
            CHECK(s.wavefronts == (32 + 32 * how.passes) * blocks);
            CHECK(s.ideal_wavefronts == (32 + 32) * blocks);
            CHECK(s.bytes_read == 4 * 1024 * blocks);
            CHECK(s.bytes_written == 4 * 1024 * blocks);
        }
}

TEST_CASE("counters of a matrix product")
{
    struct Case {
        Int M, N, K;
    };
    // One warp a block, tiles of 32×32×32, f16 to f32: m16n8k16.
    for (const auto& [M, N, K] : {Case{33, 37, 35}, Case{65, 31, 97}, Case{39, 67, 37}}) {
        INFO(M << " x " << N << " x " << K);
        Kernel k("gemm", machines::sm80);
        const auto a = k.input("A", {M, K}, f16), b = k.input("B", {K, N}, f16);
        const auto d = k.output("D", {M, N}, f32);
        const Int depth = K;
        k.cta(
            tiles(d, {32, 32}),
            [&](Scope cta, const Tile& t) {
                const auto sa = cta.alloc("smem", {32, 32}, f16, conflict_free);
                const auto sb = cta.alloc("smem", {32, 32}, f16, conflict_free);
                const auto acc = cta.alloc("reg", {32, 32}, f32, accumulator);
                cta.fill(acc, 0);
                cta.loop(tiles(depth, 32), [&](const Interval& s) {
                    cta.copy(sa, a(t.rows, s)).copy(sb, b(s, t.cols)).sync();
                    cta.gemm(acc, sa, sb).sync();
                });
                cta.copy(d(t), acc);
            },
            1);
        const auto report = counted(k);
        const Int blocks = up(M, 32) * up(N, 32), steps = up(K, 32), rounds = blocks * steps;

        // 2×4 tiles of 16×8, for each of 2 k of 16.
        const Int products = rounds * 2 * 4 * 2;
        CHECK(issues(report, "mma.sync.m16n8k16.f32.f16.f16.f32") == products);
        CHECK(report.total.flops == products * 2 * 16 * 8 * 16);
        // For each k of 16: a matrix of 16×16 of A for each of 2 row tiles; of B, which is turned on the way, for each 2 of 4 column tiles.
        CHECK(issues(report, "ldmatrix.sync.aligned.m8n8.x4.shared.b16") == rounds * 2 * 2);
        CHECK(issues(report, "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16") == rounds * 2 * 2);
        // Odd rows: an element a lane, 32 issues for 1024 elements of each operand.
        CHECK(issues(report, "ld.global.b16 + st.shared.b16") == rounds * 2 * 32);
        CHECK(issues(report, "st.global.b32") == blocks * 32); // 1024 elements of D
        CHECK(report.total.barriers == 2 * rounds);

        const auto& s = memory(report, "smem");
        CHECK(s.bytes_written == rounds * 2 * 1024 * 2);
        CHECK(s.bytes_read == rounds * 2 * 1024 * 2); // each element once: one warp has all rows and all columns
        // Stores: 64 bytes of a row, one pass. Matrices: 8 rows of 16 bytes, one pass each, 4 an instruction.
        CHECK(s.wavefronts == rounds * (2 * 32 + 2 * 4 * 4));
        CHECK(s.wavefronts == s.ideal_wavefronts);

        // A is read once for each column of tiles, B for each row of them.
        const auto& g = memory(report, "gmem");
        CHECK(g.bytes_read == 2 * (M * K * up(N, 32) + K * N * up(M, 32)));
        CHECK(g.bytes_written == 4 * M * N);
        // D by fragments: lanes 4r … 4r+3 have columns 0, 2, 4, 6 of row r of 8, then 1, 3, 5, 7; so each 8×4 words, 8 rows.
        Int stores = 0;
        for (Int r = 0; r < M; r += 8)
            for (Int c = 0; c < N; c += 8)
                for (Int e = 0; e < 2; ++e)
                    for (Int i = r; i < std::min(r + 8, M); ++i) {
                        std::set<Int> touched;
                        for (Int j = c + e; j < std::min(c + 8, N); j += 2) touched.insert((i * N + j) / 8);
                        stores += static_cast<Int>(touched.size());
                    }
        // Rows of one request that share a sector are counted once: only where N < 8 words could they, and N is larger.
        REQUIRE(N >= 16);
        CHECK(g.sectors == up(N, 32) * row_sectors(M, K, 32, 2) + up(M, 32) * row_sectors(K, N, 32, 2) + stores);
    }
}
