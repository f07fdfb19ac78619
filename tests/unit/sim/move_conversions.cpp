// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/catch.hpp>
#include <tests/required.hpp>

#include <axe/kernels.hpp>

#include <cmath>

using namespace axe;
using namespace axe::literals;

namespace {

/// Registers of one type are copied to a tensor of another one, tile by tile; the last tile crosses the edge. How many elements are not, bit by
/// bit, what the conversion of one element gives?
std::int64_t wrongly_converted(const Array& given, DType to, sim::Level level)
{
    const std::int64_t n = given.size();
    Kernel k("conversions", machines::sm80);
    const auto A = k.input("A", {n}, given.dtype()), C = k.output("C", {n}, to);
    k.cta(
        tiles(n, 1024),
        [&](Scope cta, const Tile& t) {
            const auto r = cta.alloc(Role::registers, {1024}, given.dtype(), "(32,32):(1@lane,1@reg)"_axe, "r");
            const auto s = cta.alloc(Role::shared, {1024}, to, "(32,2,16):(16,512,1)"_axe, "s");
            cta.copy(r, A(t)).copy(s, r).sync().copy(C(t), s);
        },
        1);
    Array copy = Array::make({n}, given.dtype()).value();
    for (std::int64_t i = 0; i < n; ++i) copy.set_bits(i, given.bits_at(i));
    Bindings inputs;
    inputs.set("A", std::move(copy));
    const auto lowered = required(lower(k.program().value()));
    sim::RunOptions options;
    options.level = level;
    const auto report = without_fault(sim::run(lowered->program, inputs, options));
    const Array& made = *report->outputs.find("C");
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < n; ++i) wrong += made.bits_at(i) != encode(to, decode(given.dtype(), given.bits_at(i))) ? 1 : 0;
    return wrong;
}

} // namespace

TEST_CASE("move: f32 to f16 and bf16, at every number of the type, half-way to the next, and beside both", "[sim]")
{
    for (const DType to : {DType::f16, DType::bf16}) {
        constexpr std::uint32_t codes = 0x8000; // the sign is that of a number and its mirror: one half of each
        Array given = Array::make({codes * 4}, DType::f32).value();
        for (std::uint32_t code = 0; code < codes; ++code) {
            const auto here = static_cast<float>(decode(to, code)), next = static_cast<float>(decode(to, code + 1));
            const float middle = std::isfinite(next) && std::isfinite(here) ? here + (next - here) / 2 : here;
            const float sign = code % 2 == 0 ? 1.0f : -1.0f;
            const float values[] = {here, middle, std::nextafter(middle, 0.0f), std::nextafter(middle, HUGE_VALF)};
            for (std::uint32_t k = 0; k < 4; ++k) given.set_bits(code * 4 + k, std::bit_cast<std::uint32_t>(values[k] * sign));
        }
        CHECK(wrongly_converted(given, to, sim::Level::fast) == 0);
    }
}

TEST_CASE("move: conversions between all types of registers, tiles that cross the edge included", "[sim]")
{
    constexpr DType types[] = {DType::f64,  DType::f32,  DType::tf32, DType::f16, DType::bf16,
                               DType::e4m3, DType::e5m2, DType::i32,  DType::i8,  DType::u8};
    constexpr double numbers[] = {0,
                                  -0.0,
                                  1,
                                  -1,
                                  1.5,
                                  -2.5,
                                  127,
                                  128,
                                  -129,
                                  255,
                                  300,
                                  65504,
                                  65520,
                                  1e6,
                                  1e-3,
                                  6.1e-5,
                                  5.9e-8,
                                  2.9e-8,
                                  1e-40,
                                  1e300,
                                  448,
                                  464,
                                  HUGE_VAL,
                                  -HUGE_VAL,
                                  std::numeric_limits<double>::quiet_NaN(),
                                  2147483647,
                                  -2147483648.0,
                                  1.0009765625,
                                  1.00048828125,
                                  1.001953125,
                                  3.0 / 7};
    for (const DType from : types)
        for (const DType to : types) {
            INFO(name(from) << " to " << name(to));
            Array given = Array::make({1024 + 37}, from).value();
            for (std::int64_t i = 0; i < given.size(); ++i)
                given.set(i, numbers[static_cast<std::size_t>(i) % std::size(numbers)] * (i < 512 ? 1 : -3));
            CHECK(wrongly_converted(given, to, sim::Level::fast) == 0);
            if (to == DType::f16) CHECK(wrongly_converted(given, to, sim::Level::full) == 0);
        }
}
