// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/axe.hpp>
#include <axe/relayout/kernels/select.hpp>
#include <axe/relayout/relayout.hpp>
#include <catch.hpp>
#include <tests/random.hpp>
#include <tests/relayout_values.hpp>

namespace {

using namespace axe::literals;
using axe::DType;
using axe::RelayoutOptions;
using relayout_values::Finishing;
using Int = std::int64_t;

/// Copies random elements of the shape between two layouts, and says what is wrong with the first.
std::string wrong(const axe::Layout& to, const axe::Layout& from, const axe::Shape& shape, const Finishing& finishing,
                  std::optional<axe::detail::InstructionSet> set = {})
{
    laws::Random r(static_cast<std::uint64_t>(finishing.from) * 100 + static_cast<std::uint64_t>(finishing.to));
    RelayoutOptions o = finishing.options();
    o.instructions = set;
    return relayout_values::wrong(r, to, from, shape, finishing, o, 3);
}

constexpr DType types[] = {DType::f64,  DType::f32,  DType::f16, DType::bf16, DType::dl16, DType::tf32,
                           DType::e4m3, DType::e5m2, DType::i32, DType::i8,   DType::u8};

} // namespace

TEST_CASE("finish: every type becomes every other in runs, transposes and strides, as one element does")
{
    for (const DType from : types)
        for (const DType to : types)
            for (const auto& [scale, accumulate] : {std::pair{1.0, false}, {0.75, false}, {1.0, true}, {-3.0, true}}) {
                const Finishing f{from, to, scale, accumulate};
                CAPTURE(axe::name(from), axe::name(to), scale, accumulate);
                CHECK(wrong("(2,300):(301,1)"_axe, "(2,300):(300,1)"_axe, {2, 300}, f) == "");
                CHECK(wrong("(19,37):(1,19)"_axe, "(19,37):(37,1)"_axe, {19, 37}, f) == "");
                CHECK(wrong("270:2"_axe, "270:7"_axe, {270}, f) == "");
            }
}

TEST_CASE("finish: neighbors that move in pairs are finished one by one")
{
    for (const auto& [from, to] :
         {std::pair{DType::f32, DType::f32}, {DType::f32, DType::i32}, {DType::f16, DType::bf16}, {DType::i8, DType::e4m3}})
        for (const Int pair : {2, 4}) {
            const Finishing f{from, to, 2, false};
            CAPTURE(axe::name(from), axe::name(to), pair);
            axe::Layout a, b;
            for (const auto& [n, s] : {std::pair<Int, Int>{20, pair}, {20, 20 * pair}, {pair, 1}}) a.shard.push_back({n, s});
            for (const auto& [n, s] : {std::pair<Int, Int>{20, 20 * pair}, {20, pair}, {pair, 1}}) b.shard.push_back({n, s});
            CHECK(wrong(a, b, {20, 20, pair}, f) == "");
        }
}

TEST_CASE("finish: one scalar, a constant source, all copies of a destination")
{
    const Finishing f{DType::f16, DType::f32, 0.5, true};
    CHECK(wrong(axe::Layout{}, axe::Layout{}, {}, f) == "");
    CHECK(wrong("(5,300):(300,1)"_axe, "(5,300):(0,0)"_axe, {5, 300}, f) == "");
    CHECK(wrong("(5,30):(30@m,1@m) + [2:200@m]"_axe, "(5,30):(1@m,5@m) + [3:1@m]"_axe, {5, 30}, f) == "");
}

TEST_CASE("finish: each set of instructions gives the same bits")
{
    using axe::detail::InstructionSet;
    for (const InstructionSet set :
         {InstructionSet::portable, InstructionSet::sse2, InstructionSet::avx2, InstructionSet::avx512, InstructionSet::neon}) {
        if (!axe::detail::runs_here(set)) continue;
        CAPTURE(static_cast<int>(set));
        CHECK(wrong("(67,71):(1,67)"_axe, "(67,71):(71,1)"_axe, {67, 71}, {DType::bf16, DType::f32, 1, false}, set) == "");
        CHECK(wrong("(67,71):(1,67)"_axe, "(67,71):(71,1)"_axe, {67, 71}, {DType::i8, DType::f16, 0.125, true}, set) == "");
    }
}

TEST_CASE("finish: half-way values are rounded once, from double precision")
{
    // 1 + 2^−11 is half-way between two f16; 2^−40 more is above it, which a float in between would lose.
    const double value = 1 + 0x1p-11 + 0x1p-40;
    std::uint16_t out = 0;
    RelayoutOptions o;
    o.from_type = DType::f64;
    o.to_type = DType::f16;
    CHECK(axe::relayout(&out, 2, axe::Layout{}, &value, 8, axe::Layout{}, {}, o).ok());
    CHECK(out == 0x3c01);
    // The same of a sum: 2048 is 2^11 f16 steps of 1.
    const float one = 1;
    out = 0x6800; // 2048
    o.from_type = DType::f32;
    o.accumulate = true;
    o.scale = 1 + 0x1p-20;
    CHECK(axe::relayout(&out, 2, axe::Layout{}, &one, 4, axe::Layout{}, {}, o).ok());
    CHECK(out == 0x6801); // 2049.000001 is nearer to 2050 than to 2048
}

TEST_CASE("finish: padding is bits of the destination's type")
{
    RelayoutOptions o;
    o.from_type = DType::f32;
    o.to_type = DType::f16;
    o.padding = 0x3c00;
    o.scale = 5;
    const float in[3] = {1, 2, 3};
    std::uint16_t out[4] = {};
    CHECK(axe::relayout(out, 8, axe::RelayoutSide("4:1"_axe, {4}), in, 12, "3:1"_axe, {3}, o).ok());
    CHECK(out[0] == axe::encode(DType::f16, 5.0));
    CHECK(out[2] == axe::encode(DType::f16, 15.0));
    CHECK(out[3] == 0x3c00);
}
