// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/machine/atoms_of.hpp>
#include <axe/target/nvidia/tcgen05/shapes.hpp>
#include <tests/one_block.hpp>
#include <tests/required.hpp>
#include <tests/turns.hpp>
#include <tests/unit/sim/kernels/trial.hpp>

using namespace axe;
using enum DType;

namespace {

const Axis m{"m"}, tlane{"tlane"}, tcol{"tcol"}, warp{"warp"}, lane{"lane"}, reg{"reg"};

/// A tile of shared memory [rows, cols] of `bytes`-byte elements, cols contiguous, in patterns of `span` bytes.
Swizzled<Layout> in_patterns(std::int64_t rows, std::int64_t cols, int bytes, int span = 128)
{
    const std::int64_t c = std::max(span, 16) / bytes;
    const int digits = span == 128 ? 3 : span == 64 ? 2 : span == 32 ? 1 : 0;
    Layout out{{{rows / 8, 8 * c, m}, {8, c, m}, {cols / c, rows * c, m}, {c, 1, m}}};
    return {digits > 0 ? Swizzle{digits, 4, 3} : Swizzle{}, m, bytes, out};
}

/// The registers of `warps` warps for rows × columns in a shape of tcgen05.ld: warp w has lanes 32w to 32w + 31 of tensor memory.
Layout registers_of(const std::string& shape, std::int64_t warps, std::int64_t columns)
{
    if (shape == "32x32b") return Layout{{{warps, 1, warp}, {32, 1, lane}, {columns, 1, reg}}};
    if (shape == "16x64b")
        return Layout{{{warps, 1, warp}, {2, columns / 2, reg}, {2, 1, lane}, {8, 4, lane}, {columns / 2, 1, reg}, {2, 2, lane}}};
    if (shape == "16x128b")
        return Layout{{{warps, 1, warp}, {2, columns / 2, reg}, {2, 1, reg}, {8, 4, lane}, {columns / 4, 2, reg}, {4, 1, lane}}};
    return Layout{
        {{warps, 1, warp}, {2, columns / 2, reg}, {2, 2, reg}, {8, 4, lane}, {columns / 8, 4, reg}, {4, 1, lane}, {2, 1, reg}}};
}

Bindings numbers(const Program& p)
{
    laws::Random r(100);
    return arrays::inputs_of(p, [&](const ProgramTensor& t, std::int64_t) { return t.dtype == u8 ? r.in(0, 9) : r.in(-4, 4); });
}

/// In all orders of agents, with checks and without, as its specification says.
void check_right(const Program& p)
{
    const Bindings in = numbers(p);
    trial::check_right(p, in);
    const Program lowered = lower(p).value().program;
    auto ready = required(sim::prepare(lowered));
    for (const sim::Level level : {sim::Level::full, sim::Level::fast})
        turns::each([&](sim::RunOptions options) {
            options.level = level;
            const auto report = without_fault(ready->run(in, options));
            CHECK(trial::verified(p, in, report->outputs).ok());
        });
}

std::string text_of(const Program& p)
{
    const auto lowered = lower(p);
    return lowered ? print(lowered->program) : lowered.error().text;
}

struct Product {
    DType a = f16, b = f16, d = f32;
    std::int64_t m = 128, n = 32, k = 64;
    bool a_in_tensors = false, b_mn = false, accumulate = false;
    int span = 128, warps = 4;
};

Layout accumulators(const Product& c)
{
    if (c.m == 64) return Layout{{{4, 32, tlane}, {16, 1, tlane}, {c.n, 1, tcol}}};
    return Layout{{{c.m, 1, tlane}, {c.n, 1, tcol}}};
}

/// D = A·B (+ A·B) by one operation that waits for itself, in a scope of all warps.
Program program_of(const Product& c)
{
    const int bytes = storage_bytes(c.a);
    const Shape b_shape = c.b_mn ? Shape{c.k, c.n} : Shape{c.n, c.k};
    Kernel k("product", machines::sm100);
    const auto A = k.input("A", {c.m, c.k}, c.a), B = k.input("B", b_shape, c.b), D = k.output("D", {c.m, c.n}, c.d);
    if (!c.accumulate) k.computes(D, matmul(A, B, {.transpose_b = !c.b_mn}));
    one_block(k, 4, [&](Scope cta) {
        const auto a = cta.alloc(Role::shared, {c.m, c.k}, c.a, in_patterns(c.m, c.k, bytes, c.span), "a");
        const auto b = cta.alloc(Role::shared, b_shape, c.b, in_patterns(b_shape[0], b_shape[1], bytes, c.span), "b");
        const auto d = cta.alloc("tmem", {c.m, c.n}, c.d, accumulators(c), "d");
        // Of 64 rows, 16 of each quarter are loaded, in a shape of 16 lanes.
        const Layout held = c.m == 64
                                ? Layout{{{4, 1, warp}, {2, 2, reg}, {8, 4, lane}, {c.n / 8, 4, reg}, {4, 1, lane}, {2, 1, reg}}}
                                : Layout{{{4, 1, warp}, {32, 1, lane}, {c.n, 1, reg}}};
        const auto r = cta.alloc(Role::registers, {c.m, c.n}, c.d, held, "r");
        cta.copy(a, A).copy(b, B);
        Options form;
        form.schedule = "tcgen05";
        const Scope::Gemm how{.accumulate = false, .transpose_b = !c.b_mn};
        if (c.a_in_tensors) {
            const auto at = cta.alloc("tmem", {c.m, c.k}, c.a, Layout{{{c.m, 1, tlane}, {c.k, 1, tcol}}}, "at");
            const auto ar = cta.alloc(Role::registers, {c.m, c.k}, c.a, Layout{{{4, 1, warp}, {32, 1, lane}, {c.k, 1, reg}}}, "ar");
            cta.copy(ar, A).copy(at, ar);
            cta.gemm(d, at, b, how, form);
        } else {
            cta.gemm(d, a, b, how, form);
            if (c.accumulate) cta.gemm(d, a, b, {.accumulate = true, .transpose_b = !c.b_mn}, form);
        }
        cta.copy(r, d).copy(D, r);
    });
    return trial::written(k);
}

} // namespace

TEST_CASE("tensor memory: what is stored is loaded, in all shapes and of all widths")
{
    for (const std::string shape : {"32x32b", "16x64b", "16x128b", "16x256b"})
        for (const std::int64_t columns : {8, 24, 64})
            for (const DType type : {f32, f16, i8}) {
                INFO(shape << ", " << columns << " columns of " << name(type));
                const std::int64_t per = 4 / storage_bytes(type);
                Layout held = registers_of(shape, 4, columns);
                if (per > 1) {
                    for (Iter& it : held.shard)
                        if (it.axis == reg) it.stride *= per;
                    held.shard.push_back({per, 1, reg});
                }
                Kernel k("round_trip", machines::sm100);
                const auto A = k.input("A", {128, columns * per}, type), D = k.output("D", {128, columns * per}, type);
                k.computes(D, A + 0);
                one_block(k, 4, [&](Scope cta) {
                    const auto r = cta.alloc(Role::registers, {128, columns * per}, type, held, "r");
                    const auto q = cta.alloc(Role::registers, {128, columns * per}, type, held, "q");
                    const auto t = cta.alloc("tmem", {128, columns * per}, type, {}, "t");
                    cta.copy(r, A).copy(t, r).copy(q, t).copy(D, q);
                });
                const Program p = trial::written(k);
                INFO(text_of(p));
                CHECK(text_of(p).find("tcgen05.st.sync.aligned." + shape + ".x") != std::string::npos);
                CHECK(text_of(p).find("tcgen05.ld.sync.aligned." + shape + ".x") != std::string::npos);
                check_right(p);
            }
}

TEST_CASE("tensor memory: products of all kinds and sizes are what their specification says")
{
    const auto right = [](const Product& c) {
        INFO(name(c.a) << " x " << name(c.b) << " into " << name(c.d) << ", " << c.m << " x " << c.n << " x " << c.k << ", span "
                       << c.span);
        const Program p = program_of(c);
        INFO(text_of(p));
        REQUIRE(lower(p));
        check_right(p);
    };
    SECTION("sizes")
    {
        for (const std::int64_t rows : {64, 128})
            for (const std::int64_t n : {8, 24, 192}) right({.m = rows, .n = n});
    }
    SECTION("kinds")
    {
        right({.a = bf16, .b = bf16});
        right({.a = tf32, .b = tf32, .k = 32});
        right({.a = e4m3, .b = e5m2, .k = 128});
        right({.a = i8, .b = u8, .d = i32, .k = 128});
    }
    SECTION("arrangements")
    {
        for (const int span : {0, 32, 64, 128}) right({.span = span});
        right({.n = 64, .b_mn = true});
    }
    SECTION("A in tensor memory")
    {
        right({.a_in_tensors = true});
        right({.a = e4m3, .b = e4m3, .k = 128, .a_in_tensors = true});
    }
}

TEST_CASE("tensor memory: what is copied there from shared memory is loaded, in both shapes")
{
    for (const DType type : {f32, f16})
        for (const std::int64_t bytes : {16, 32, 64}) {
            const std::int64_t per = 4 / storage_bytes(type), columns = bytes / storage_bytes(type);
            INFO(name(type) << ", " << bytes << " bytes in a row");
            Kernel k("copy", machines::sm100);
            const auto A = k.input("A", {128, columns}, type), D = k.output("D", {128, columns}, type);
            k.computes(D, A + 0);
            one_block(k, 4, [&](Scope cta) {
                const int span = bytes == 64 ? 64 : bytes == 32 ? 32 : 0;
                const auto s =
                    cta.alloc(Role::shared, {128, columns}, type, in_patterns(128, columns, storage_bytes(type), span), "s");
                const auto t = cta.alloc("tmem", {128, columns}, type, {}, "t");
                Layout held{{{4, 1, warp}, {32, 1, lane}, {columns / per, per, reg}, {per, 1, reg}}};
                const auto r = cta.alloc(Role::registers, {128, columns}, type, held, "r");
                cta.copy(s, A).copy(t, s).copy(r, t).copy(D, r);
            });
            const Program p = trial::written(k);
            INFO(text_of(p));
            CHECK(text_of(p).find(bytes == 16 ? ".128x128b" : ".128x256b") != std::string::npos);
            check_right(p);
        }
}

TEST_CASE("tensor memory: the shapes of loads are those of the atoms")
{
    int seen = 0;
    for (const Atom* atom : atoms_of(machines::sm100)) {
        const NamedTensorShape named = tensor_shape_of(atom->name);
        if (std::string(atom->name).find("tcgen05.ld") != 0) continue;
        INFO(atom->name);
        REQUIRE(named.shape != nullptr);
        ++seen;
        const std::int64_t columns = named.shape->columns * named.n;
        CHECK(atom->shape()[0] == named.shape->rows);
        CHECK(atom->shape()[1] == columns);
        for (int l = 0; l < 32; ++l)
            for (int r = 0; r < named.shape->registers * named.n; ++r) {
                const TensorBoxPlace place = tensor_place(*named.shape, l, r);
                const auto point = evaluate(atom->layout(), place.row * columns + place.column).value();
                CHECK((point["lane"] == l && point["reg"] == r));
            }
    }
    CHECK(seen == 7);
}

TEST_CASE("tensor memory: what does not fit is declined, with the reason")
{
    const auto words = [](const std::function<void(Scope)>& body, int agents = 4) {
        Kernel k("declined", machines::sm100);
        one_block(k, agents, [&](Scope cta) { body(cta); });
        return trial::why_not(k);
    };
    using trial::has;
    const Layout of_warps{{{4, 1, warp}, {32, 1, lane}, {16, 1, reg}}};
    SECTION("lanes of another warp")
    {
        has(words([&](Scope cta) {
                const auto t = cta.alloc("tmem", {128, 16}, f32, {}, "t");
                const auto r = cta.alloc(Role::registers, {128, 16}, f32,
                                         Layout{{{4, -1, warp}, {32, 1, lane}, {16, 1, reg}}, {}, {{warp, 3}}}, "r");
                cta.fill(r, 0).copy(t, r);
            }),
            "agent 0 has an element of lane 96 of t; it accesses lanes 0 to 31");
    }
    SECTION("lanes do not load from it")
    {
        has(words([&](Scope cta) {
                const auto t = cta.alloc("tmem", {128, 16}, f32, {}, "t");
                cta.fill(t, 0);
            }),
            "t is in a memory with partitions; lanes do not load from it or store to it");
    }
    SECTION("more columns than there are")
    {
        has(words([&](Scope cta) {
                const auto r = cta.alloc(Role::registers, {128, 16}, f32, of_warps, "r");
                cta.fill(r, 0);
                for (const char* name : {"t", "u", "v"}) {
                    const auto t = cta.alloc("tmem", {128, 256}, f32, {}, name);
                    cta.copy(t(all, Interval(0, 16)), r);
                }
                cta.sync();
            }),
            "lowered"); // one after the other
        has(words([&](Scope cta) { static_cast<void>(cta.alloc("tmem", {128, 600}, f32, {}, "t")); }), "tmem");
    }
    SECTION("a tile of 96 rows, K of 24, and f32")
    {
        const auto product = [&](std::int64_t rows, std::int64_t depth, DType type) {
            return words([&](Scope cta) {
                const auto d = cta.alloc("tmem", {rows, 16}, f32, {}, "d");
                const auto a = cta.alloc(Role::shared, {rows, depth}, type, in_patterns(rows, depth, storage_bytes(type), 0), "a");
                const auto b = cta.alloc(Role::shared, {16, depth}, type, in_patterns(16, depth, storage_bytes(type), 0), "b");
                Options options;
                options.schedule = "tcgen05";
                cta.fill(a, 0).fill(b, 0).sync();
                cta.gemm(d, a, b, {.accumulate = false, .transpose_b = true}, options);
            });
        };
        has(product(128, 16, f16), "lowered");
        has(product(96, 16, f16), "96 x 16 is not made of tiles of 128 rows");
        has(product(128, 24, f16), "K is 24, not a multiple of 16, the K of tcgen05");
        has(product(128, 16, f32), "tcgen05 does not multiply f32 and f32 into f32");
    }
}
