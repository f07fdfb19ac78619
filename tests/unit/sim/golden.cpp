// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/kernels.hpp>

#include <catch.hpp>
#include <tests/one_block.hpp>
#include <tests/required.hpp>

/// Numbers that the hardware is known for, out of programs that make those accesses: passes over the banks of shared memory, and
/// sectors of global memory.      [CUDA C++ Programming Guide, shared memory; Nsight Compute, memory tables]

using namespace axe;
using enum DType;

namespace {

/// What the instructions called `text` did to a memory.
sim::MemoryCount count_of(const Kernel& kernel, const std::string& text, const std::string& memory)
{
    const auto program = required(kernel.program());
    for (const Problem& p : validate(*program)) FAIL(p.text);
    const auto lowered = required(lower(*program));
    Bindings inputs;
    for (const ProgramTensor& t : program->tensors)
        if (t.binding == Binding::input) inputs.set(t.name, Array::make(t.shape, t.dtype).value());
    const auto report = without_fault(sim::run(lowered->program, inputs));
    sim::MemoryCount out;
    std::string seen;
    for (const auto& [statement, counters] : report->statements)
        for (const auto& [name, issues] : counters.by_text) {
            seen += name + "\n";
            if (name != text) continue;
            REQUIRE(counters.by_text.size() == 1); // else its counts would be those of several instructions
            out += counters.memories.find(memory)->second;
        }
    INFO("there are\n" << seen);
    REQUIRE(out.requests > 0);
    return out;
}

/// One warp loads `vector` words a lane from shared memory, lane l from word l·stride on.
sim::MemoryCount shared_load(std::int64_t stride, std::int64_t vector)
{
    Kernel k("shared", machines::sm80);
    one_block(k, 1, [&](Scope cta) {
        const auto s = cta.alloc("smem", {32, stride}, f32);
        const auto r = cta.alloc("reg", {32, vector}, f32, Layout{{{32, 1, "lane"}, {vector, 1, "reg"}}});
        cta.fill(s, 1).sync();
        cta.copy(r, s(all, Interval(0, vector)));
    });
    return count_of(k, vector == 1 ? "ld.shared.b32" : vector == 2 ? "ld.shared.v2.b32" : "ld.shared.v4.b32", "smem");
}

/// One warp loads `vector` words a lane from global memory, lane l from word first + l·stride on.
sim::MemoryCount global_load(std::int64_t stride, std::int64_t vector, std::int64_t first)
{
    Kernel k("global", machines::sm80);
    const auto a = k.input("A", {32 * stride + first}, f32);
    one_block(k, 1, [&](Scope cta) {
        const auto r = cta.alloc("reg", {32, vector}, f32, Layout{{{32, 1, "lane"}, {vector, 1, "reg"}}});
        View v = a.view(); // index first + stride·l + e
        v.origin[0] = first;
        v.extents = {32, vector};
        v.dims = {0, 0};
        v.steps = {stride, 1};
        cta.copy(r, ViewRef(k, v));
    });
    return count_of(k, vector == 1 ? "ld.global.b32" : vector == 2 ? "ld.global.v2.b32" : "ld.global.v4.b32", "gmem");
}

/// One ldmatrix.x4, the fragment of A of m16n8k16, from the first 16 columns of rows of so many bytes.
sim::MemoryCount matrices(std::int64_t row_bytes, Swizzle swizzle, std::int64_t pad_bytes = 0)
{
    Kernel k("matrices", machines::sm80);
    const std::int64_t columns = row_bytes / 2, pitch = (row_bytes + pad_bytes) / 2;
    Swizzled<Layout> placed{swizzle, "m", 2, Layout{{{16, pitch, "m"}, {columns, 1, "m"}}}};
    one_block(k, 1, [&](Scope cta) {
        const auto s = cta.alloc("smem", {16, columns}, f16, placed);
        const auto r =
            cta.alloc("reg", {16, 16}, f16, Layout{{{2, 2, "reg"}, {8, 4, "lane"}, {2, 4, "reg"}, {4, 1, "lane"}, {2, 1, "reg"}}});
        cta.fill(s, 1).sync();
        cta.copy(r, s(all, Interval(0, 16)));
    });
    return count_of(k, "ldmatrix.sync.aligned.m8n8.x4.shared.b16", "smem");
}

} // namespace

TEST_CASE("words of shared memory at a stride: as many passes as lanes meet in a bank")
{
    struct Row {
        std::int64_t stride, passes;
    };
    for (const Row& row : {Row{1, 1}, Row{2, 2}, Row{3, 1}, Row{4, 4}, Row{8, 8}, Row{16, 16}, Row{32, 32}, Row{33, 1}}) {
        INFO("stride " << row.stride);
        const auto c = shared_load(row.stride, 1);
        CHECK(c.requests == 1);
        CHECK(c.bytes_read == 128);
        CHECK(c.wavefronts == row.passes);
        CHECK(c.ideal_wavefronts == 1);
    }
}

TEST_CASE("8 and 16 bytes a lane: the lanes of 128 bytes together")
{
    // Two halves of 16 lanes, four quarters of 8, each of 32 words in 32 banks.
    CHECK(shared_load(2, 2).wavefronts == 2);
    CHECK(shared_load(4, 4).wavefronts == 4);
    // 16 lanes at 4 words: lanes 8 apart are 32 words apart, two in a bank. 8 lanes at 8 words: lanes 4 apart.
    CHECK(shared_load(4, 2).wavefronts == 4);
    CHECK(shared_load(8, 4).wavefronts == 8);
    CHECK(shared_load(8, 4).ideal_wavefronts == 4);
    // At 32 words all 8 lanes of a quarter, and all 16 of a half, are in the same banks.
    CHECK(shared_load(32, 4).wavefronts == 32);
    CHECK(shared_load(32, 2).wavefronts == 32);
    // 20 words: lane l's first bank is 20l mod 32, which eight lanes fill in fours.
    CHECK(shared_load(20, 4).wavefronts == 4);
}

TEST_CASE("one word for all lanes is one pass")
{
    Kernel k("broadcast", machines::sm80);
    one_block(k, 1, [&](Scope cta) {
        const auto s = cta.alloc("smem", {1}, f32);
        const auto r = cta.alloc("reg", {32}, f32, Layout{{{32, 1, "lane"}}});
        cta.fill(s, 1).sync();
        cta.copy(r, s(0).repeated(0, 32));
    });
    const auto c = count_of(k, "ld.shared.b32", "smem");
    CHECK(c.wavefronts == 1);
    CHECK(c.bytes_read == 128);
}

TEST_CASE("matrices of 8x8 from rows of 128, 64 and 32 bytes: conflicts, swizzles, padding")
{
    // Four matrices; a pass each is free. Rows a whole turn of the banks apart meet all eight in one.
    CHECK(matrices(128, {}).wavefronts == 4 * 8);
    CHECK(matrices(128, {3, 4, 3}).wavefronts == 4);
    CHECK(matrices(128, {}, 16).wavefronts == 4);
    CHECK(matrices(128, {3, 4, -3}).wavefronts == 4 * 8); // the mirrored swizzle, from columns to rows: a bijection, and useless
    CHECK(matrices(64, {}).wavefronts == 4 * 4);
    CHECK(matrices(64, {2, 4, 3}).wavefronts == 4);
    CHECK(matrices(32, {}).wavefronts == 4 * 2);
    CHECK(matrices(32, {1, 4, 3}).wavefronts == 4);
    for (const std::int64_t row : {128, 64, 32}) {
        INFO("rows of " << row << " bytes");
        const auto c = matrices(row, {});
        CHECK(c.ideal_wavefronts == 4);
        CHECK(c.bytes_read == 32 * 16);
        CHECK(c.requests == 1);
    }
}

TEST_CASE("sectors of global memory")
{
    CHECK(global_load(1, 1, 0).sectors == 4);
    CHECK(global_load(2, 1, 0).sectors == 8);
    CHECK(global_load(1, 1, 1).sectors == 5); // 4 bytes into a sector
    CHECK(global_load(1, 1, 8).sectors == 4); // a whole sector
    CHECK(global_load(8, 1, 0).sectors == 32);
    CHECK(global_load(33, 1, 0).sectors == 32);
    // 8 and 16 bytes a lane: 256 and 512 bytes, and one sector more from the middle of one.
    CHECK(global_load(2, 2, 0).sectors == 8);
    CHECK(global_load(4, 4, 0).sectors == 16);
    CHECK(global_load(2, 2, 2).sectors == 9);
    CHECK(global_load(4, 4, 4).sectors == 17);
    CHECK(global_load(8, 4, 0).sectors == 32); // half of each
    for (const auto& c : {global_load(1, 1, 0), global_load(2, 1, 0), global_load(1, 1, 1)}) {
        CHECK(c.ideal_sectors == 4);
        CHECK(c.requests == 1);
        CHECK(c.bytes_read == 128);
    }
}
