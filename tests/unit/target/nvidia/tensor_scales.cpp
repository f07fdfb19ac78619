// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/target/nvidia/opcodes/tcgen05_scaled_mma.hpp>
#include <tests/one_block.hpp>
#include <tests/random.hpp>
#include <tests/turns.hpp>
#include <tests/unit/target/nvidia/tensor_products.hpp>

#include <cmath>
#include <numeric>

/// Products with block scales in tensor memory: where scales are, what is multiplied, and what is declined.
using namespace axe;
using enum DType;

namespace {

const Axis scale_m{"m"}, scale_tlane{"tlane"}, scale_tcol{"tcol"};

struct ScaledTile {
    DType a = e4m3, b = e4m3;
    std::int64_t m = 128, n = 32, k = 128;
    std::int64_t first = 0; ///< the first scale that is used, of as many as are brought
    bool accumulate = false, by_parts = false;

    [[nodiscard]] std::int64_t scales() const { return (first + k / 32 + 3) / 4 * 4; }
    [[nodiscard]] std::int64_t padded_n() const { return (n + 127) / 128 * 128; }
};

/// D = (D +) A·Bᵀ with scales that one agent copies to tensor memory.
Program scaled_tile_program(const ScaledTile& c)
{
    Kernel k("scaled", machines::sm100);
    const auto A = k.input("A", {c.m, c.k}, c.a), B = k.input("B", {c.n, c.k}, c.b);
    const auto SFA = k.input("SFA", {c.m, c.scales()}, e8m0), SFB = k.input("SFB", {c.padded_n(), c.scales()}, e8m0);
    const auto D = k.inout("D", {c.m, c.n}, f32);
    one_block(k, 4, [&](Scope cta) {
        const auto a = cta.alloc(Role::shared, A.shape(), c.a, tensor_products::in_patterns(c.m, c.k, 32), "a");
        const auto b = cta.alloc(Role::shared, B.shape(), c.b, tensor_products::in_patterns(c.n, c.k, 32), "b");
        const auto [sa, ta] = tensor_products::alloc_scales(cta, SFA.shape(), e8m0, "a");
        const auto [sb, tb] = tensor_products::alloc_scales(cta, SFB.shape(), e8m0, "b");
        const auto d = cta.alloc("tmem", {c.m, c.n}, f32, accumulator, "d");
        const std::int64_t part = std::gcd(c.n, std::int64_t{32}); // that registers have at a time
        const auto r = cta.alloc(Role::registers, {c.m, part}, f32, accumulator, "r");
        cta.copy(a, A).copy(b, B).copy(sa, SFA).copy(sb, SFB).copy(ta, sa).copy(tb, sb);
        for (std::int64_t j = 0; j < c.n && c.accumulate; j += part)
            cta.copy(r, D(all, Interval(j, part))).copy(d(all, Interval(j, part)), r);
        const std::int64_t parts = c.by_parts ? c.k / 32 : 1, step = c.k / parts;
        for (std::int64_t p = 0; p < parts; ++p) {
            const Interval ks(p * step, step), ss(c.first + p * step / 32, step / 32);
            cta.scaled_gemm(d, a(all, ks), b(all, ks), ta(all, ss), tb(Interval(0, c.n), ss),
                            {.accumulate = c.accumulate || p > 0, .transpose_b = true}, {.schedule = "tcgen05_scaled"});
        }
        for (std::int64_t j = 0; j < c.n; j += part) cta.copy(r, d(all, Interval(j, part))).copy(D(all, Interval(j, part)), r);
    });
    return trial::written(k);
}

Bindings scaled_tile_inputs(const Program& p, int low, int high, int most)
{
    Bindings in;
    laws::Random r(5);
    for (const ProgramTensor& t : p.tensors) {
        if (t.binding == Binding::local) continue;
        Array x = Array::make(t.shape, t.dtype).value();
        for (std::int64_t i = 0; i < x.size(); ++i)
            x.set(i,
                  t.name[0] == 'S' ? std::ldexp(1.0, static_cast<int>(r.in(low, high))) : static_cast<double>(r.in(-most, most)));
        in.set(t.name, std::move(x));
    }
    return in;
}

float chained_sum(const ScaledTile& c, const Bindings& in, std::int64_t i, std::int64_t j)
{
    const Array &A = *in.find("A"), &B = *in.find("B"), &SFA = *in.find("SFA"), &SFB = *in.find("SFB");
    const auto term = [&](std::int64_t l) {
        const std::int64_t s = c.first + l / 32;
        return static_cast<long double>(A.at(i * c.k + l)) * static_cast<long double>(B.at(j * c.k + l)) *
               static_cast<long double>(SFA.at(i * c.scales() + s)) * static_cast<long double>(SFB.at(j * c.scales() + s));
    };
    return tensor_products::chain(c.k, term, c.accumulate ? static_cast<float>(in.find("D")->at(i * c.n + j)) : 0.0f);
}

/// In all orders, with checks and without, each element as the chain has it.
void check_scaled_tile(const ScaledTile& c, const Bindings& in, const Program& p)
{
    const auto lowered = lower(p);
    INFO((lowered ? print(lowered->program) : lowered.error().text));
    REQUIRE(lowered);
    tensor_products::check_in_orders(lowered->program, in, c.m, c.n,
                                     [&](std::int64_t i, std::int64_t j) { return chained_sum(c, in, i, j); });
}

void check_scaled_tile(const ScaledTile& c, int low = -3, int high = 3, int most = 4)
{
    INFO(name(c.a) << " x " << name(c.b) << ", " << c.m << " x " << c.n << " x " << c.k << ", scales from " << c.first << " on");
    const Program p = scaled_tile_program(c);
    check_scaled_tile(c, scaled_tile_inputs(p, low, high, most), p);
}

} // namespace

TEST_CASE("block scales: their layouts are those of the atom, and hold each scale once and in four copies")
{
    for (const Shape& shape : {Shape{128, 4}, Shape{256, 8}, Shape{2, 128, 12}, Shape{3, 384, 4}}) {
        const auto in_tensors = tensor_scale_layout(shape), in_shared = shared_scale_layout(shape);
        REQUIRE(in_tensors);
        REQUIRE(in_shared);
        Layout first = *in_tensors;
        REQUIRE(first.replica.size() == 1);
        CHECK((first.replica[0] == Iter{4, 32, scale_tlane}));
        first.replica = {};
        const std::int64_t rows = shape[shape.size() - 2], scales = shape[shape.size() - 1], count = volume(shape).value();
        std::vector<bool> seen(static_cast<std::size_t>(count));
        for (std::int64_t i = 0; i < count; ++i) {
            const std::int64_t which = i / (rows * scales), row = i / scales % rows, scale = i % scales;
            const auto at = evaluate(first, i).value();
            CHECK(at["tlane"] == scale_lane(row));
            CHECK(at["tcol"] == which * rows / 32 * scales + scale / 4 * (rows / 32 * 4) + scale_byte(row, scale % 4));
            // What one copy of 32 rows of 16 bytes makes of it.
            const std::int64_t m = evaluate(*in_shared, i).value()["m"], chunk = m / 512;
            CHECK(chunk == which * (rows / 128) * (scales / 4) + row / 128 * (scales / 4) + scale / 4);
            CHECK(m % 512 / 16 == row % 32);
            CHECK(m % 16 == row % 128 / 32 * 4 + scale % 4);
            CHECK_FALSE(seen[static_cast<std::size_t>(m)]);
            seen[static_cast<std::size_t>(m)] = true;
        }
    }
    for (const Shape& shape : {Shape{4}, Shape{64, 4}, Shape{128, 3}, Shape{128, 0}}) {
        CHECK_FALSE(tensor_scale_layout(shape));
        CHECK_FALSE(shared_scale_layout(shape));
    }
    CHECK(tensor_scale_layout({64, 6}).error().text == "scales of 64 rows, 6 for each; they must be multiples of 128 and of 4");
}

TEST_CASE("block scales: a product is one chain of exact products")
{
    SECTION("sizes")
    {
        for (const std::int64_t n : {8, 24, 32, 136, 256}) check_scaled_tile({.n = n});
        check_scaled_tile({.m = 256, .n = 160, .k = 64});
        check_scaled_tile({.n = 288, .k = 64}); // three tiles
    }
    SECTION("types")
    {
        for (const DType a : {e4m3, e5m2})
            for (const DType b : {e4m3, e5m2}) check_scaled_tile({.a = a, .b = b, .k = 64});
    }
    SECTION("each byte of 32 bits may be the first")
    {
        for (const std::int64_t first : {0, 1, 2, 3, 5}) check_scaled_tile({.k = 32, .first = first});
        check_scaled_tile({.k = 96, .first = 2});
    }
    SECTION("onto what is there, and by parts")
    {
        check_scaled_tile({.accumulate = true});
        check_scaled_tile({.accumulate = true, .by_parts = true});
        check_scaled_tile({.n = 64, .k = 256, .by_parts = true});
    }
    SECTION("scales far from 1, whose products are beyond f32")
    {
        check_scaled_tile({.k = 64}, -3, 60);
        check_scaled_tile({.k = 64}, -60, 3);
        check_scaled_tile({.k = 64}, 50, 70);
        check_scaled_tile({.k = 64}, -76, -60);
    }
}

TEST_CASE("block scales: a scale that is no number makes its rows or columns none, and no other")
{
    for (const bool far : {false, true}) {
        const ScaledTile c{.n = 40, .k = 64};
        const Program p = scaled_tile_program(c);
        Bindings in = scaled_tile_inputs(p, far ? 45 : -3, far ? 48 : 3, 4);
        in.find("SFA")->set_bits(5 * c.scales() + 1, 255);
        in.find("SFB")->set_bits(33 * c.scales(), 255);
        std::int64_t none = 0;
        for (std::int64_t i = 0; i < c.m; ++i)
            for (std::int64_t j = 0; j < c.n; ++j) none += std::isnan(chained_sum(c, in, i, j)) ? 1 : 0;
        CHECK(none == c.n + c.m - 1);
        check_scaled_tile(c, in, p);
    }
}

TEST_CASE("block scales: a number is added with any power of two, rounded once")
{
    laws::Random r(11);
    std::int64_t wrong = 0, inexact = 0;
    for (laws::Int n = laws::cases(200'000); n > 0; --n) {
        const int e = static_cast<int>(r.in(-254, 254));
        const float x = std::ldexp(static_cast<float>(r.in(-225, 225)), static_cast<int>(r.in(-32, 20)));
        // A sum near it, so that 64 bits hold both.
        const int at = std::clamp(std::ilogb(x == 0 ? 1.0f : x) + e + static_cast<int>(r.in(-20, 20)), -140, 120);
        const float sum = std::ldexp(static_cast<float>(r.in(-8388607, 8388607)), at - 23);
        const long double exact = static_cast<long double>(sum) + std::ldexp(static_cast<long double>(x), e);
        const float want = static_cast<float>(exact), got = sim::add_scaled(sum, x, e);
        inexact += static_cast<long double>(want) != exact ? 1 : 0;
        wrong += got == want ? 0 : 1;
    }
    CHECK(wrong == 0);
    CHECK(inexact > 1000);
    for (const float sum : {0.0f, 1.0f, -3.0f, 0x1p-149f, -0x1.fffffep127f}) {
        CHECK(sim::add_scaled(sum, 0x1p-32f, -254) == sum);
        CHECK(sim::add_scaled(sum, 0x1p32f, 254) == std::numeric_limits<float>::infinity());
        CHECK(sim::add_scaled(sum, 0.0f, 254) == sum);
    }
}

TEST_CASE("block scales: instruction descriptors have bits of their own, for all that exist")
{
    static_assert(ScaledDescriptor{}.bits() == (0x8u << 24 | 1u << 23 | 1u << 17));
    int seen = 0;
    for (const DType a : {e4m3, e5m2, f16})
        for (const DType b : {e4m3, e5m2, u8})
            for (std::int64_t m = 64; m <= 256; m += 64)
                for (std::int64_t n = 4; n <= 264; n += 4)
                    for (int ids = -1; ids < 17; ++ids)
                        for (int flags = 0; flags < 16; ++flags) {
                            const auto flag = [flags](int i) { return (flags >> i & 1) != 0; };
                            const int of_a = ids < 0 ? -1 : ids / 4, of_b = ids < 0 ? 0 : ids % 4;
                            const ScaledDescriptor one{a, b, e8m0, m, n, of_a, of_b, flag(0), flag(1), flag(2), flag(3)};
                            const bool is_there = a != f16 && b != u8 && ((m == 128 && n % 8 == 0) || (m == 256 && n % 16 == 0)) &&
                                                  n >= 8 && n <= 256 && ids >= 0 && ids < 16;
                            REQUIRE(one.exists() == is_there);
                            if (!is_there) continue;
                            ++seen;
                            const auto at = [](bool set, int bit) { return set ? 1u << bit : 0u; };
                            REQUIRE(one.bits() == (static_cast<std::uint32_t>(of_b) << 4 | at(a == e5m2, 7) | at(b == e5m2, 10) |
                                                   at(flag(2), 13) | at(flag(3), 14) | at(flag(0), 15) | at(flag(1), 16) |
                                                   static_cast<std::uint32_t>(n / 8) << 17 | at(true, 23) | at(m == 128, 27) |
                                                   at(m == 256, 28) | static_cast<std::uint32_t>(of_a) << 29));
                        }
    CHECK(seen == 4 * (32 + 16) * 16 * 16);
    for (const DType type : {e2m3, e3m2, e2m1}) { // 3, 4 and 5, K-major
        const std::uint32_t number = type == e2m3 ? 3 : type == e3m2 ? 4 : 5;
        const ScaledDescriptor one{.a = type, .b = e5m2}, other{.a = e4m3, .b = type};
        REQUIRE(one.exists());
        CHECK(one.bits() == (0x8u << 24 | 1u << 23 | 1u << 17 | 1u << 10 | number << 7));
        CHECK(other.bits() == (0x8u << 24 | 1u << 23 | 1u << 17 | number << 10));
        CHECK_FALSE(ScaledDescriptor{.a = type, .a_mn_major = true}.exists());
        CHECK_FALSE(ScaledDescriptor{.b = type, .b_mn_major = true}.exists());
        CHECK(ScaledDescriptor{.a = type, .b_mn_major = true}.exists());
    }
    // Two elements of 4 bits in a byte: their number is 1; the type of scales, and what their ID may be.
    for (const DType scales : {e8m0, ue4m3, e4m3})
        for (const std::int64_t block : {8, 16, 32, 64})
            for (int id = 0; id < 4; ++id) {
                const ScaledDescriptor one{
                    .a = e2m1, .b = e2m1, .scales = scales, .a_scale_id = id, .block = block, .packed = true};
                const bool of_two = scales == e8m0 && block == 32, of_four = scales != e4m3 && block == 16;
                REQUIRE(one.exists() == ((of_two && id % 2 == 0) || (of_four && id == 0)));
                if (one.exists())
                    CHECK(one.bits() == (static_cast<std::uint32_t>(id) << 29 | 0x8u << 24 | (scales == e8m0 ? 1u << 23 : 0u) |
                                         1u << 17 | 1u << 10 | 1u << 7));
            }
    CHECK_FALSE(ScaledDescriptor{.a = e2m1, .b = e4m3, .packed = true}.exists());
    CHECK_FALSE(ScaledDescriptor{.a = e2m1, .b = e2m1, .b_mn_major = true, .packed = true}.exists());
    CHECK_FALSE(ScaledDescriptor{.scales = e4m3}.exists());
    CHECK_FALSE(ScaledDescriptor{.block = 16}.exists());
}

TEST_CASE("block scales: what does not fit is declined, with the reason")
{
    struct Form {
        DType a = e4m3, b = e4m3, sa = e8m0, sb = e8m0;
        std::int64_t m = 128, n = 32, k = 128, of_a = 32, of_b = 32;
        std::int64_t rows_a = 1;
        const char* d_in = "tmem";
        const char* a_in = "smem";
        const char* scales_in = "tmem";
        bool guarded = false;
        Layout scales{}; ///< of A's, where it has iters
        std::int64_t first = 0;
    };
    const auto why = [](const Form& f) {
        Kernel k("declined", machines::sm100);
        one_block(k, 4, [&](Scope cta) {
            const auto swizzle = [](std::int64_t rows, std::int64_t cols) {
                return cols % 32 == 0 && rows % 8 == 0 ? tensor_products::in_patterns(rows, cols, 32) : Swizzled<Layout>{};
            };
            const bool sums = f.d_in == std::string("tmem");
            const auto d =
                sums ? cta.alloc("tmem", {f.m, f.n}, f32, accumulator, "d") : cta.alloc(f.d_in, {f.m, f.n}, f32, {}, "d");
            const auto a =
                cta.alloc(f.a_in, {f.m, f.k}, f.a, f.a_in == std::string("smem") ? swizzle(f.m, f.k) : Swizzled<Layout>{}, "a");
            const auto b = cta.alloc(Role::shared, {f.n, f.k}, f.b, swizzle(f.n, f.k), "b");
            const Shape of_a{f.m / f.rows_a, f.k / f.of_a + f.first}, of_b{f.n, f.k / f.of_b};
            const bool in_tensors = f.scales_in == std::string("tmem");
            Layout where = f.scales;
            if (where.shard.size() == 0 && in_tensors && of_a[0] % 128 == 0 && of_a[1] % 4 == 0)
                where = tensor_scale_layout(of_a).value();
            const auto sa = cta.alloc(f.scales_in, of_a, f.sa, where, "sa");
            const Layout of_columns{{{f.n / 32, 4, scale_tcol}, {32, 1, scale_tlane}, {of_b[1], 1, scale_tcol}},
                                    {{4, 32, scale_tlane}}};
            const auto sb = cta.alloc("tmem", of_b, f.sb, f.n % 32 == 0 ? of_columns : Layout{}, "sb");
            ViewRef used = sa(all, Interval(f.first, f.k / f.of_a));
            if (f.guarded) used = used.guarded();
            cta.scaled_gemm(d, a, b, used, sb, {.accumulate = false, .transpose_b = true}, {.schedule = "tcgen05_scaled"});
        });
        return trial::why_not(k);
    };
    using trial::has;
    const auto scales_at = [](std::int64_t lane, std::int64_t group, std::int64_t scale, std::int64_t copies = 4,
                              std::int64_t apart = 32) {
        return Layout{{{4, group, scale_tcol}, {32, lane, scale_tlane}, {4, scale, scale_tcol}}, {{copies, apart, scale_tlane}}};
    };
    has(why({}), "lowered");
    SECTION("types, and how many elements have a scale")
    {
        has(why({.a = e5m2}), "lowered");
        has(why({.sa = e4m3}),
            "no kind multiplies e4m3 and e4m3 with scales of e4m3 and e8m0, one for 32 of A and one for 32 of B");
        has(why({.a = f16, .b = f16}), "no kind multiplies f16 and f16 with scales of e8m0 and e8m0");
        has(why({.k = 128, .of_b = 64}), "one for 32 of A and one for 64 of B");
        has(why({.rows_a = 2, .scales = scales_at(1, 4, 1)}), "one for 32 of A and one for 32 of B, of one row or column");
    }
    SECTION("memories and guards")
    {
        has(why({.d_in = "smem"}), "d is in smem; sums with scales must be in tensor memory, without a guard");
        has(why({.a_in = "tmem"}), "(0,1) of a is in lane 0, element 0; a tile of 128 rows has it in lane 0, element 1");
        has(why({.a_in = "reg"}),
            "a is in reg; A must be in shared memory or in tensor memory, B in shared memory, without a guard");
        has(why({.scales_in = "smem"}), "sa is in smem; scales of products must be in tensor memory, without a guard");
        has(why({.guarded = true}), "sa is in tmem; scales of products must be in tensor memory, without a guard");
    }
    SECTION("sizes")
    {
        has(why({.m = 256}), "lowered");
        has(why({.m = 64}), "64 x 32 is not made of tiles with scales, of 128 rows and a multiple of 8 columns");
        has(why({.k = 48, .of_a = 16, .of_b = 16}), "no kind multiplies");
    }
    SECTION("places")
    {
        has(why({.scales = scales_at(1, 4, 1)}), "lowered");
        has(why({.scales = scales_at(1, 8, 1)}),
            "scale 0 of row 32 of sa is in lane 0, byte 8; products read it in lane 0, byte 4");
        has(why({.scales = scales_at(-1, 4, 1)}), "sa");
        has(why({.scales = scales_at(1, 4, 1, 2)}), "sa does not have 4 copies of its scales, 32 lanes apart");
        has(why({.scales = scales_at(1, 4, 1, 4, 0)}), "sa does not have 4 copies of its scales, 32 lanes apart");
    }
}

TEST_CASE("block scales: copies that are not of scales are declined, with the reason")
{
    const auto why = [](const Shape& shape, DType type, const Layout& from, const Layout& to, const char* memory = "smem") {
        Kernel k("declined", machines::sm100);
        one_block(k, 4, [&](Scope cta) {
            const auto s = cta.alloc(memory, shape, type, from, "s");
            const auto t = cta.alloc("tmem", shape, type, to, "t");
            cta.copy(t, s, {.schedule = "tcgen05_cp_scales"});
        });
        return trial::why_not(k);
    };
    using trial::has;
    const Shape one{128, 4};
    const Layout from = shared_scale_layout(one).value(), to = tensor_scale_layout(one).value();
    has(why(one, e8m0, from, to), "lowered");
    has(why({256, 8}, e8m0, shared_scale_layout({256, 8}).value(), tensor_scale_layout({256, 8}).value()), "lowered");
    has(why(one, e8m0, Layout{{{512, 1, scale_m}}}, to), "no descriptor reads the tile of s at (0,0)");
    has(why({64, 4}, e8m0, {}, {}), "64 rows of 4 elements are not scales of a byte, of 128 rows and 4 for each");
    has(why(one, e8m0, from, Layout{{{128, 1, scale_tlane}, {4, 1, scale_tcol}}}),
        "t does not have 4 copies of its scales, 32 lanes apart");
    has(why(one, e8m0, {}, to, "reg"), "scales are copied from shared to tensor memory, not s in reg to t in tmem");
}

TEST_CASE("block scales: tensor memory has room for two accumulators and the scales of both operands, up to 512 columns")
{
    const auto why = [](std::int64_t n) {
        Kernel k("room", machines::sm100);
        one_block(k, 4, [&](Scope cta) {
            const std::int64_t rows = (n + 127) / 128 * 128;
            const auto d = cta.alloc("tmem", {2, 128, n}, f32, accumulator, "d");
            const auto sa = cta.alloc("tmem", {128, 4}, e8m0, tensor_scale_layout({128, 4}).value(), "sa");
            const auto sb = cta.alloc("tmem", {rows, 4}, e8m0, tensor_scale_layout({rows, 4}).value(), "sb");
            const auto s = cta.alloc(Role::shared, {rows, 4}, e8m0, shared_scale_layout({rows, 4}).value(), "s");
            const auto a = cta.alloc(Role::shared, {128, 32}, e4m3, tensor_products::in_patterns(128, 32, 32), "a");
            const auto b = cta.alloc(Role::shared, {n, 32}, e4m3, tensor_products::in_patterns(n, 32, 32), "b");
            cta.copy(sa, s(Interval(0, 128), all)).copy(sb, s);
            for (int i = 0; i < 2; ++i)
                cta.scaled_gemm(d(i, all, all), a, b, sa(all, Interval(i, 1)), sb(Interval(0, n), Interval(i, 1)),
                                {.accumulate = false, .transpose_b = true});
            const auto r = cta.alloc(Role::registers, {128, 8}, f32, accumulator, "r");
            for (int i = 0; i < 2; ++i) cta.copy(r, d(i, all, Interval(0, 8)));
        });
        return trial::why_not(k);
    };
    CHECK(why(240) == "lowered"); // 2·240 + 4 + 8
    CHECK(why(248) == "lowered"); // 508
    INFO(why(256));
    CHECK(why(256).find("tmem") != std::string::npos);
}

TEST_CASE("block scales: instructions written by hand are held to the same rules")
{
    struct Hand {
        const char* opcode = "tcgen05_mma_scaled";
        std::int64_t m = 128, n = 32, k = 128, scales = 4;
        DType element = e4m3, scale = e8m0;
        std::vector<std::int64_t> parameters{0};
        bool pair = false, scales_shared = false, sums_shared = false;
        std::int64_t group = 4; ///< bytes from one 32 rows of A's scales to the next
        std::int64_t first = 0;
    };
    const auto said = [](const Hand& h) {
        Kernel k("by_hand", machines::sm100);
        one_block(k, 4, [&](Scope cta) {
            const Layout where{{{h.m / 32, h.group, scale_tcol}, {32, 1, scale_tlane}, {h.scales + h.first, 1, scale_tcol}},
                               {{4, 32, scale_tlane}}};
            const auto d = cta.alloc(h.sums_shared ? "smem" : "tmem", {h.m, h.n}, f32, {}, "d");
            const auto a = cta.alloc(Role::shared, {h.m, h.k}, h.element, tensor_products::in_patterns(h.m, h.k, 32), "a");
            const auto b = cta.alloc(Role::shared, {h.n, h.k}, h.element, tensor_products::in_patterns(h.n, h.k, 32), "b");
            const Shape of_a{h.m, h.scales + h.first};
            const auto sa =
                h.scales_shared ? cta.alloc(Role::shared, of_a, h.scale, {}, "sa") : cta.alloc("tmem", of_a, h.scale, where, "sa");
            const Layout of_columns{{{h.n / 32, 4, scale_tcol}, {32, 1, scale_tlane}, {h.scales, 1, scale_tcol}},
                                    {{4, 32, scale_tlane}}};
            const auto sb = cta.alloc("tmem", {h.n, h.scales}, h.scale, of_columns, "sb");
            const auto shared = cta.alloc(Role::shared, {h.m, h.scales}, h.scale,
                                          h.m == 128 && h.scales == 4 ? shared_scale_layout({128, 4}).value()
                                                                      : Layout{{{h.m * h.scales, 1, scale_m}}},
                                          "shared");
            const View used = sa(all, Interval(h.first, h.scales)).view();
            cta.warps(0, 1, [&](Scope w) {
                w.fill(a, 1).fill(b, 1).fill(shared, 1).proxy_fence();
                View turned = b.view();
                std::swap(turned.extents[0], turned.extents[1]);
                std::swap(turned.dims[0], turned.dims[1]);
                Instruction i;
                i.opcode = h.opcode;
                i.text = h.opcode;
                i.async = true;
                i.pair = h.pair;
                i.parameters = h.parameters;
                if (std::string(h.opcode) == "tcgen05_cp_scales")
                    i.operands = {{used, nullptr}, {shared.view(), nullptr}};
                else
                    i.operands = {
                        {d.view(), nullptr}, {a.view(), nullptr}, {turned, nullptr}, {used, nullptr}, {sb.view(), nullptr}};
                w.call(i).wait_products();
            });
        });
        const Program p = trial::written(k);
        const auto lowered = lower(p);
        if (!lowered) return lowered.error().text;
        const auto report = sim::run(lowered->program, Bindings{});
        return !report ? report.error().text : report->ok() ? std::string("ran") : report->fault.text;
    };
    using trial::has;
    SECTION("products")
    {
        has(said({}), "row, scale (0,0) of sa (tmem partition 0, element 0) is read and was never written");
        has(said({.pair = true}), "the operands must be D [M, N], A [M, K], B [K, N], scales"); // it has half of the columns of B
        has(said({.scales_shared = true}), "sa is in smem; scales of products must be in tensor memory");
        has(said({.sums_shared = true}), "d is in smem; sums of products with scales are in tensor memory");
        has(said({.scale = e4m3}),
            "no kind multiplies e4m3 and e4m3 with scales of e4m3 and e4m3, one for 32 of A and one for 32 of B");
        has(said({.scales = 2}), "one for 64 of A and one for 64 of B");
        has(said({.k = 96, .scales = 5}), "the operands must be D [M, N], A [M, K], B [K, N], scales [M, K/V] and [N, K/V]");
        has(said({.m = 64}), "no product with scales has a tile of 64 x 32");
        has(said({.parameters = {}}), "its parameters say whether it accumulates, 0 or 1, and whether two elements are in a byte");
        has(said({.group = 8}), "scale 0 of row 32 of sa is in lane 0, byte 8; products read it in lane 0, byte 4");
    }
    SECTION("copies")
    {
        const Hand copy{.opcode = "tcgen05_cp_scales"};
        has(said(copy), "ran");
        Hand other = copy;
        other.m = 64;
        has(said(other), "it copies (64,4) scales of 1 byte; they must be 128 x 4, of a byte");
        other = copy;
        other.scales_shared = true;
        has(said(other), "sa is in smem; scales of products must be in tensor memory");
        other = copy;
        other.group = 16, other.first = 1;
        has(said(other), "scale 0 of sa begins at byte 1 of its 32 bits; scale_vec::4X begins at a multiple of its bytes");
        other = copy;
        other.group = 8;
        has(said(other), "scale 0 of row 32 of sa is in lane 0, byte 8; products read it in lane 0, byte 4");
    }
}
