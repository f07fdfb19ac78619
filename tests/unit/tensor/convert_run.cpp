// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/tensor/convert_run.hpp>
#include <catch.hpp>
#include <tests/random.hpp>
#include <tests/unit/tensor/formats.hpp>

#include <cmath>

namespace {

using axe::DType;
using axe::Overflow;

constexpr DType all[] = {DType::f64,  DType::f32,  DType::tf32,  DType::f16,  DType::bf16, DType::e4m3,
                         DType::e5m2, DType::e8m0, DType::ue4m3, DType::e3m2, DType::e2m3, DType::e2m1,
                         DType::i32,  DType::i16,  DType::i8,    DType::u8,   DType::i4,   DType::b1};

std::uint64_t element(DType type, const std::vector<unsigned char>& from, std::size_t i)
{
    std::uint64_t out = 0;
    const auto bytes = static_cast<std::size_t>(axe::storage_bytes(type));
    for (std::size_t b = bytes; b > 0; --b) out = out * 256 + from[i * bytes + b - 1];
    return out;
}

template <class Value>
bool same_bits(Value a, Value b)
{
    return std::memcmp(&a, &b, sizeof a) == 0;
}

/// Every code of up to 16 bits; of wider types, random ones.
std::vector<unsigned char> elements(DType type)
{
    const auto bytes = static_cast<std::size_t>(axe::storage_bytes(type));
    std::vector<unsigned char> out;
    laws::Random random(11);
    const std::size_t count = bytes == 1 ? 256 : 65536;
    for (std::size_t i = 0; i < count; ++i) {
        std::uint64_t code = bytes <= 2 ? i : random.next();
        for (std::size_t b = 0; b < bytes; ++b, code /= 256) out.push_back(static_cast<unsigned char>(code % 256));
    }
    return out;
}

/// Values at which something happens: of both signs, half-way between the codes of the tabled types, one step to either side, all
/// exponents, special ones, random ones.
template <class Value>
std::vector<Value> values()
{
    using limits = std::numeric_limits<Value>;
    std::vector<Value> out{0, limits::infinity(), limits::quiet_NaN(), limits::max(), limits::min(), limits::denorm_min()};
    for (const DType type : formats::tabled) {
        const auto table = formats::values(type);
        for (std::size_t code = 0; code + 1 < table.size(); code += 7) {
            const auto middle = static_cast<Value>((double{table[code]} + double{table[code + 1]}) / 2);
            for (const Value v : {static_cast<Value>(table[code]), middle, std::nextafter(middle, Value{0}),
                                  std::nextafter(middle, limits::infinity())})
                out.push_back(v);
        }
    }
    for (int e = -1074; e < 1024; ++e) out.push_back(static_cast<Value>(std::ldexp(1.5, e)));
    laws::Random random(12);
    for (int i = 0; i < 20000; ++i) {
        const auto word = random.next();
        Value v;
        std::memcpy(&v, &word, sizeof v);
        out.push_back(v);
        out.push_back(static_cast<Value>(static_cast<double>(random.in(-70000, 70000)) / 4));
    }
    const std::size_t half = out.size();
    for (std::size_t i = 0; i < half; ++i) out.push_back(-out[i]);
    return out;
}

template <class Value>
int wrong_decodes(DType type)
{
    constexpr bool single = sizeof(Value) == 4;
    const auto from = elements(type);
    const std::size_t n = from.size() / static_cast<std::size_t>(axe::storage_bytes(type));
    std::vector<Value> got(n);
    axe::decode(type, from.data(), got.data(), n);
    int wrong = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t code = element(type, from, i);
        auto want = static_cast<Value>(axe::decode(type, code));
        // A copy keeps a NaN as it is.
        if (single && type == DType::f32) std::memcpy(&want, &code, sizeof want);
        if (!same_bits(got[i], want)) ++wrong;
    }
    return wrong;
}

template <class Value>
int wrong_encodes(DType type, const std::vector<Value>& from, Overflow overflow)
{
    constexpr bool single = sizeof(Value) == 4;
    const auto bytes = static_cast<std::size_t>(axe::storage_bytes(type));
    std::vector<unsigned char> got(from.size() * bytes);
    axe::encode(type, from.data(), got.data(), from.size(), overflow);
    int wrong = 0;
    for (std::size_t i = 0; i < from.size(); ++i) {
        std::uint64_t want = axe::encode(type, double{from[i]}, overflow);
        if (single && type == DType::f32 && std::isnan(from[i]) && overflow == Overflow::format) {
            want = 0;
            std::memcpy(&want, &from[i], sizeof from[i]);
        }
        if (element(type, got, i) != want) ++wrong;
    }
    return wrong;
}

} // namespace

TEST_CASE("many at once: decoded as one by one, all codes of 16 bits")
{
    for (const DType type : all) {
        INFO(axe::name(type));
        CHECK(wrong_decodes<float>(type) == 0);
        CHECK(wrong_decodes<double>(type) == 0);
    }
}

TEST_CASE("many at once: encoded as one by one")
{
    const auto floats = values<float>();
    const auto doubles = values<double>();
    REQUIRE(floats.size() > 100000);
    for (const DType type : all)
        for (const auto overflow : {Overflow::format, Overflow::saturate}) {
            INFO(axe::name(type) << (overflow == Overflow::format ? "" : ", saturated"));
            CHECK(wrong_encodes(type, floats, overflow) == 0);
            CHECK(wrong_encodes(type, doubles, overflow) == 0);
        }
}

TEST_CASE("many at once: any number of them, anywhere, and no byte beyond")
{
    constexpr unsigned char untouched = 0xa5;
    laws::Random random(13);
    for (const DType type : all) {
        const auto bytes = static_cast<std::size_t>(axe::storage_bytes(type));
        for (std::size_t n = 0; n <= 50; ++n) {
            const std::size_t shift = n % 5; // elements need not be aligned
            std::vector<float> in(n), back(n + 1, -77.0F);
            for (float& v : in) v = static_cast<float>(random.in(0, 7));
            std::vector<unsigned char> out(shift + n * bytes + 16, untouched);
            axe::encode(type, in.data(), out.data() + shift, n);
            axe::decode(type, out.data() + shift, back.data(), n);
            INFO(axe::name(type) << ", " << n);
            CHECK(back[n] == -77.0F);
            bool beside = true, right = true;
            for (std::size_t i = 0; i < shift; ++i) beside = beside && out[i] == untouched;
            for (std::size_t i = shift + n * bytes; i < out.size(); ++i) beside = beside && out[i] == untouched;
            for (std::size_t i = 0; i < n; ++i) {
                const double want = axe::decode(type, axe::encode(type, double{in[i]}));
                right = right && (double{back[i]} == want || std::isnan(want));
            }
            CHECK(beside);
            CHECK(right);
        }
    }
}
