// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/one_block.hpp>
#include <tests/random.hpp>
#include <tests/required.hpp>
#include <tests/unit/target/nvidia/tensor_products.hpp>

#include <cmath>
#include <numeric>

/// Products of floats of 4, 6 and 8 bits into tensor memory, with block scales and without, padded to bytes or two in a byte.
using namespace axe;
using enum DType;

namespace {

const Axis small_m{"m"};
constexpr DType small_types[] = {e4m3, e5m2, e3m2, e2m3, e2m1};

struct SmallTile {
    DType a = e2m1, b = e2m1;
    std::int64_t n = 16, k = 64, block = 0; ///< of 0 elements: no scales
    DType scale = e8m0;
    int per_byte = 1, span = 32;
    bool accumulate = false, by_parts = false;
    bool b_mn_major = false, b_padded = false; ///< laid out so
    bool a_in_tensors = false;
    const char* schedule = "tcgen05_scaled";

    [[nodiscard]] std::int64_t scales() const { return block == 0 ? 4 : (k / block + 3) / 4 * 4; }
};

Program small_tile_program(const SmallTile& c)
{
    Kernel k("small", machines::sm100);
    const auto A = k.input("A", {128, c.k}, c.a), B = k.input("B", c.b_mn_major ? Shape{c.k, c.n} : Shape{c.n, c.k}, c.b);
    const auto SFA = k.input("SFA", {128, c.scales()}, c.scale), SFB = k.input("SFB", {128, c.scales()}, c.scale);
    const auto D = k.inout("D", {128, c.n}, f32);
    one_block(k, 4, [&](Scope cta) {
        const auto a = cta.alloc(Role::shared, A.shape(), c.a, tensor_products::in_patterns(128, c.k, c.span, 1, c.per_byte), "a");
        const auto b =
            cta.alloc(Role::shared, B.shape(), c.b,
                      tensor_products::in_patterns(B.shape()[0], B.shape()[1], c.span, 1, c.b_padded ? 1 : c.per_byte), "b");
        const auto d = cta.alloc("tmem", {128, c.n}, f32, accumulator, "d");
        const std::int64_t part = std::gcd(c.n, std::int64_t{32}); // that registers have at a time
        const auto r = cta.alloc(Role::registers, {128, part}, f32, accumulator, "r");
        cta.copy(b, B);
        const auto at = c.a_in_tensors ? cta.alloc("tmem", A.shape(), c.a, {}, "at") : a;
        if (c.a_in_tensors) {
            const auto held = cta.alloc(Role::registers, A.shape(), c.a,
                                        Layout{{{4, 1, Axis{"warp"}}, {32, 1, Axis{"lane"}}, {c.k, 1, Axis{"reg"}}}}, "held");
            cta.copy(held, A).copy(at, held);
        } else
            cta.copy(a, A);
        for (std::int64_t j = 0; j < c.n && c.accumulate; j += part)
            cta.copy(r, D(all, Interval(j, part))).copy(d(all, Interval(j, part)), r);
        if (c.block == 0) {
            cta.gemm(d, at, b, {.accumulate = c.accumulate, .transpose_b = !c.b_mn_major}, {.schedule = "tcgen05"});
        } else {
            const auto [sa, ta] = tensor_products::alloc_scales(cta, SFA.shape(), c.scale, "a");
            const auto [sb, tb] = tensor_products::alloc_scales(cta, SFB.shape(), c.scale, "b");
            cta.copy(sa, SFA).copy(sb, SFB).copy(ta, sa).copy(tb, sb);
            const std::int64_t step = c.by_parts ? 64 : c.k;
            for (std::int64_t first = 0; first < c.k; first += step) {
                const Interval ks(first, step), ss(first / c.block, step / c.block);
                const ViewRef right = c.b_mn_major ? b(ks, all) : b(all, ks);
                cta.scaled_gemm(d, at(all, ks), right, ta(all, ss), c.b_mn_major ? ViewRef(tb) : ViewRef(tb(Interval(0, c.n), ss)),
                                {.accumulate = c.accumulate || first > 0, .transpose_b = !c.b_mn_major}, {.schedule = c.schedule});
            }
        }
        for (std::int64_t j = 0; j < c.n; j += part) cta.copy(r, d(all, Interval(j, part))).copy(D(all, Interval(j, part)), r);
    });
    return trial::written(k);
}

/// All codes of all types but those of NaN and infinity; scales of e8m0 from 2^−6 to 2^6.
Bindings small_tile_inputs(const Program& p)
{
    Bindings in;
    laws::Random r(17);
    for (const ProgramTensor& t : p.tensors) {
        if (t.binding == Binding::local) continue;
        Array x = Array::make(t.shape, t.dtype).value();
        for (std::int64_t i = 0; i < x.size(); ++i) {
            if (t.dtype == f32) x.set(i, static_cast<double>(r.in(-50, 50)));
            while (t.dtype != f32) {
                x.set_bits(i, t.dtype == e8m0 ? static_cast<std::uint64_t>(r.in(121, 133)) : r.next() % (1u << bits(t.dtype)));
                if (std::isfinite(x.at(i))) break;
            }
        }
        in.set(t.name, std::move(x));
    }
    return in;
}

float small_sum(const SmallTile& c, const Bindings& in, std::int64_t i, std::int64_t j)
{
    const Array &A = *in.find("A"), &B = *in.find("B"), &SFA = *in.find("SFA"), &SFB = *in.find("SFB");
    const auto term = [&](std::int64_t l) {
        const long double product = static_cast<long double>(A.at(i * c.k + l)) *
                                    static_cast<long double>(c.b_mn_major ? B.at(l * c.n + j) : B.at(j * c.k + l));
        if (c.block == 0) return product;
        return product * static_cast<long double>(SFA.at(i * c.scales() + l / c.block)) *
               static_cast<long double>(SFB.at(j * c.scales() + l / c.block));
    };
    return tensor_products::chain(c.k, term, c.accumulate ? static_cast<float>(in.find("D")->at(i * c.n + j)) : 0.0f);
}

void check_small_tile(const SmallTile& c, const std::string& kind, bool all_orders = false)
{
    INFO(name(c.a) << " x " << name(c.b) << ", n " << c.n << ", k " << c.k << ", one scale of " << name(c.scale) << " for "
                   << c.block << ", " << c.per_byte << " in a byte, span " << c.span);
    const Program p = small_tile_program(c);
    const auto lowered = required(lower(p));
    CHECK(print(lowered->program).find("tcgen05.mma.cta_group::1.kind::" + kind) != std::string::npos);
    const Bindings in = small_tile_inputs(p);
    tensor_products::check_in_orders(
        lowered->program, in, 128, c.n, [&](std::int64_t i, std::int64_t j) { return small_sum(c, in, i, j); }, all_orders);
}

} // namespace

TEST_CASE("small floats: products of all types with each other are one chain of exact products, of all codes")
{
    for (const DType a : small_types)
        for (const DType b : small_types) {
            check_small_tile({.a = a, .b = b}, "f8f6f4");
            check_small_tile({.a = a, .b = b, .block = 32}, "mxf8f6f4.block_scale.scale_vec::1X");
        }
    for (const int span : {0, 64, 128}) check_small_tile({.a = e3m2, .b = e2m3, .k = 128, .span = span}, "f8f6f4", true);
    check_small_tile({.a = e2m1, .b = e5m2, .n = 40, .k = 128, .block = 32, .span = 128, .accumulate = true}, "mxf8f6f4", true);
    check_small_tile({.a = e2m1, .b = e2m1, .k = 96, .block = 32, .accumulate = true}, "mxf8f6f4", true);
    // B of 8 bits may be MN-major beside an A of 4.
    check_small_tile({.a = e2m1, .b = e4m3, .n = 32, .b_mn_major = true}, "f8f6f4");
}

TEST_CASE("small floats: two in a byte, with scales for 32 of e8m0, or for 16 of ue4m3 or e8m0")
{
    for (const int span : {0, 32, 64, 128})
        check_small_tile({.k = 256, .block = 32, .per_byte = 2, .span = span}, "mxf4.block_scale.scale_vec::2X");
    for (const DType scale : {ue4m3, e8m0})
        for (const std::int64_t k : {64, 128, 256})
            check_small_tile({.k = k, .block = 16, .scale = scale, .per_byte = 2}, "mxf4nvf4.block_scale.scale_vec::4X", k == 128);
    check_small_tile({.n = 72, .k = 128, .block = 32, .per_byte = 2, .accumulate = true}, "mxf4.", true);
    check_small_tile({.k = 256, .block = 32, .per_byte = 2, .by_parts = true}, "mxf4."); // scales from byte 0 and from byte 2 on
    check_small_tile({.n = 8, .k = 192, .block = 16, .scale = ue4m3, .per_byte = 2, .accumulate = true, .by_parts = true},
                     "mxf4nvf4.");
}

TEST_CASE("small floats: mxf4 by its name as mxf4nvf4")
{
    const char* const other = "tcgen05_scaled_nvf4";
    check_small_tile({.k = 128, .block = 32, .per_byte = 2, .schedule = other}, "mxf4nvf4.block_scale.scale_vec::2X");
    check_small_tile({.k = 256, .block = 32, .per_byte = 2, .by_parts = true, .schedule = other},
                     "mxf4nvf4.block_scale.scale_vec::2X");
    for (const SmallTile& c :
         {SmallTile{.block = 32, .schedule = other}, SmallTile{.block = 16, .scale = ue4m3, .per_byte = 2, .schedule = other}}) {
        const auto lowered = lower(small_tile_program(c));
        REQUIRE_FALSE(lowered);
        INFO(lowered.error().text);
        CHECK(lowered.error().text.find(" has one name; mxf4 is mxf4nvf4 with scale_vec::2X, too") != std::string::npos);
    }
}

TEST_CASE("small floats: A in tensor memory, a byte each, or two in one")
{
    for (const DType a : small_types)
        for (const DType b : {e2m1, e4m3}) {
            check_small_tile({.a = a, .b = b, .a_in_tensors = true}, "f8f6f4");
            check_small_tile({.a = a, .b = b, .block = 32, .a_in_tensors = true}, "mxf8f6f4.block_scale.scale_vec::1X");
        }
    check_small_tile({.a = e3m2, .b = e2m3, .n = 32, .k = 96, .accumulate = true, .a_in_tensors = true}, "f8f6f4", true);
    // Of two e2m1 in a byte B says it: its layout, or that only so a kind has the scales.
    check_small_tile({.k = 128, .block = 32, .per_byte = 2, .a_in_tensors = true}, "mxf4.block_scale.scale_vec::2X", true);
    check_small_tile({.k = 128, .block = 32, .per_byte = 2, .b_padded = true, .a_in_tensors = true}, "mxf8f6f4.");
    for (const DType scale : {ue4m3, e8m0})
        check_small_tile({.n = 48, .block = 16, .scale = scale, .per_byte = 2, .a_in_tensors = true},
                         "mxf4nvf4.block_scale.scale_vec::4X", scale == ue4m3);
    check_small_tile({.k = 256, .block = 32, .per_byte = 2, .accumulate = true, .by_parts = true, .a_in_tensors = true}, "mxf4.");
}

TEST_CASE("small floats: A in tensor memory begins at a column, of four elements or of eight")
{
    const auto why = [](DType type, std::int64_t first, int per_byte, bool scaled) {
        Kernel t("in_tensors", machines::sm100);
        one_block(t, 4, [&](Scope cta) {
            const Axis tlane{"tlane"}, tcol{"tcol"};
            const auto a = cta.alloc("tmem", {128, 64}, type, Layout{{{128, 1, tlane}, {64, 1, tcol}}, {}, {{tcol, first}}}, "a");
            const auto b = cta.alloc(Role::shared, {16, 64}, e2m1, tensor_products::in_patterns(16, 64, 32, 1, per_byte), "b");
            const auto d = cta.alloc("tmem", {128, 16}, f32, accumulator, "d");
            const auto s = cta.alloc("tmem", {128, 4}, e8m0, tensor_scale_layout({128, 4}).value(), "s");
            if (scaled)
                cta.scaled_gemm(d, a, b, s(all, Interval(0, 2)), s(Interval(0, 16), Interval(0, 2)),
                                {.accumulate = false, .transpose_b = true}, {.schedule = "tcgen05_scaled"});
            else
                cta.gemm(d, a, b, {.accumulate = false, .transpose_b = true}, {.schedule = "tcgen05"});
        });
        const auto lowered = lower(trial::written(t));
        return lowered ? std::string("lowered") : lowered.error().text;
    };
    using trial::has;
    for (std::int64_t first = 0; first < 9; ++first)
        for (const int per_byte : {1, 2})
            for (const bool scaled : {false, true}) {
                if (per_byte == 2 && !scaled) continue; // no kind without scales has it
                const std::int64_t in_column = 4 * per_byte;
                has(why(e2m1, first, per_byte, scaled), first % in_column == 0
                                                            ? "lowered"
                                                            : "a begins at element " + std::to_string(first) +
                                                                  " of its lanes; products read it from a column on, of " +
                                                                  std::to_string(in_column) + " elements");
            }
    // Written by hand.
    Program program =
        lower(small_tile_program({.k = 256, .block = 32, .per_byte = 2, .by_parts = true, .a_in_tensors = true}))->program;
    for_each_statement(program.body, [&](const Statement& s) {
        auto* i = const_cast<Instruction*>(std::get_if<Instruction>(&s.what));
        if (i != nullptr && i->opcode == "tcgen05_mma_scaled") i->operands[1].view.origin[1] = Affine(4);
    });
    const auto report = required(sim::run(program, small_tile_inputs(program)));
    CHECK(report->fault.kind == sim::FaultKind::misaligned);
    has(report->fault.text, "at begins at element 4 of its lanes; products read it from a column on, of 8 elements");
}

TEST_CASE("small floats: a scale of ue4m3 that is no number makes its rows or columns none")
{
    const SmallTile c{.block = 16, .scale = ue4m3, .per_byte = 2};
    const Program p = small_tile_program(c);
    Bindings in = small_tile_inputs(p);
    in.find("SFA")->set_bits(5 * c.scales() + 1, 0x7f);
    in.find("SFB")->set_bits(3 * c.scales(), 0x7f);
    const auto report = sim::run(lower(p)->program, in);
    REQUIRE((report && report->ok()));
    for (std::int64_t i = 0; i < 128; ++i)
        for (std::int64_t j = 0; j < c.n; ++j) CHECK(std::isnan(report->outputs.find("D")->at(i * c.n + j)) == (i == 5 || j == 3));
}

TEST_CASE("small floats: the kinds that exist, for all types, scales and blocks")
{
    int seen = 0;
    for (int a = 0; a < dtype_count; ++a)
        for (int b = 0; b < dtype_count; ++b)
            for (int scale = 0; scale < dtype_count; ++scale)
                for (const std::int64_t block : {1, 8, 16, 32, 64, 128})
                    for (const bool packed : {false, true}) {
                        const auto A = static_cast<DType>(a), B = static_cast<DType>(b), S = static_cast<DType>(scale);
                        const ScaledKind* kind = scaled_kind(A, B, S, S, block, packed);
                        const auto small = [](DType t) {
                            return std::find(std::begin(small_types), std::end(small_types), t) != std::end(small_types);
                        };
                        const bool mx = !packed && small(A) && small(B) && S == e8m0 && block == 32;
                        const bool four = packed && A == e2m1 && B == e2m1;
                        const bool of_two = four && S == e8m0 && block == 32,
                                   of_four = four && (S == e8m0 || S == ue4m3) && block == 16;
                        REQUIRE((kind != nullptr) == (mx || of_two || of_four));
                        CHECK(scaled_kind(A, B, S, S == e8m0 ? ue4m3 : e8m0, block, packed) == nullptr);
                        if (kind == nullptr) continue;
                        ++seen;
                        CHECK(kind->block() == block);
                        CHECK(std::string(kind->name) == (mx ? "mxf8f6f4" : of_two ? "mxf4" : "mxf4nvf4"));
                    }
    CHECK(seen == 25 + 1 + 2);
}

TEST_CASE("small floats: what does not fit is declined, with the reason")
{
    const auto why = [](const SmallTile& c) {
        const auto lowered = lower(small_tile_program(c));
        return lowered ? std::string("lowered") : lowered.error().text;
    };
    using trial::has;
    has(why({.block = 32, .per_byte = 2}), "lowered");
    const auto of_64_rows = [&](DType type, bool mn_major) {
        Kernel k("of_64_rows", machines::sm100);
        one_block(k, 4, [&](Scope cta) {
            const auto a = cta.alloc(Role::shared, {64, 64}, type, tensor_products::in_patterns(64, 64, 32), "a");
            const auto b = cta.alloc(Role::shared, {64, 64}, type, tensor_products::in_patterns(64, 64, 32), "b");
            const auto d = cta.alloc("tmem", {64, 64}, f32, accumulator, "d");
            cta.gemm(d, a, b, {.accumulate = false, .transpose_b = !mn_major}, {.schedule = "tcgen05"});
        });
        return trial::why_not(k);
    };
    for (const DType type : small_types) {
        CHECK(of_64_rows(type, false) == "lowered");
        has(of_64_rows(type, true), bits(type) == 8   ? "lowered"
                                    : bits(type) == 6 ? "it is MN-major with elements of 6 bits; those of less than 8 are K-major"
                                                      : "it is MN-major with elements of 4 bits; those of less than 8 are K-major");
    }
    has(why({.k = 128, .block = 16, .scale = e8m0}), "with 2 elements in a byte, ");
    has(why({.k = 128, .block = 32, .per_byte = 2, .b_padded = true}),
        "no descriptor reads the tile of b at (0,0): with 2 elements in a byte, ");
    has(why({.a = e2m1, .b = e3m2, .block = 16, .scale = ue4m3}),
        "no kind multiplies e2m1 and e3m2 with scales of ue4m3 and ue4m3, one for 16 of A and one for 16 of B");
    has(why({.block = 32, .scale = ue4m3}), "no kind multiplies e2m1 and e2m1 with scales of ue4m3 and ue4m3, one for 32 of A");
    has(why({.k = 96, .block = 16, .scale = ue4m3, .per_byte = 2, .span = 0}),
        "K is 96; products with scales of this kind have multiples of 64");
    // A layout in which neighbors are not in one byte.
    Kernel k("apart", machines::sm100);
    one_block(k, 4, [&](Scope cta) {
        const auto a = cta.alloc(Role::shared, {128, 64}, e2m1, Layout{{{128, 1, small_m}, {64, 128, small_m}}}, "a");
        const auto b = cta.alloc(Role::shared, {16, 64}, e2m1, tensor_products::in_patterns(16, 64, 32, 1, 2), "b");
        const auto d = cta.alloc("tmem", {128, 16}, f32, accumulator, "d");
        const auto t = cta.alloc("tmem", {128, 4}, ue4m3, tensor_scale_layout({128, 4}).value(), "t");
        cta.scaled_gemm(d, a, b, t, t(Interval(0, 16), all), {.accumulate = false, .transpose_b = true},
                        {.schedule = "tcgen05_scaled"});
    });
    has(lower(trial::written(k)).error().text, "elements (0,0) and (0,1) are at 0 and 128, not in one byte");
}
