// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/tensor/dtype.hpp>
#include <catch.hpp>

#include <set>

namespace {

using axe::DType;

constexpr DType all[] = {DType::f64,  DType::f32,  DType::tf32,  DType::f16,  DType::bf16, DType::dl16, DType::e4m3,
                         DType::e5m2, DType::e8m0, DType::ue4m3, DType::e3m2, DType::e2m3, DType::e2m1, DType::i32,
                         DType::i16,  DType::i8,   DType::u8,    DType::i4,   DType::b1};

} // namespace

TEST_CASE("each type has a name, bits and bytes of its own")
{
    static_assert(sizeof all == axe::dtype_count);
    std::set<std::string> names;
    for (const DType t : all) {
        names.insert(axe::name(t));
        CHECK(axe::bits(t) <= 8 * axe::storage_bytes(t));
        CHECK(!(axe::is_float(t) && axe::is_integer(t)));
    }
    CHECK(names.size() == std::size_t{axe::dtype_count});

    std::vector<int> bits, bytes;
    for (const DType t : all) {
        bits.push_back(axe::bits(t));
        bytes.push_back(axe::storage_bytes(t));
    }
    CHECK(bits == std::vector<int>{64, 32, 19, 16, 16, 16, 8, 8, 8, 7, 6, 6, 4, 32, 16, 8, 8, 4, 1});
    CHECK(bytes == std::vector<int>{8, 4, 4, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 4, 2, 1, 1, 1, 1});
    CHECK(axe::is_float(DType::e8m0));
    CHECK(axe::is_integer(DType::i4));
    CHECK_FALSE(axe::is_float(DType::b1));
    CHECK_FALSE(axe::is_integer(DType::b1));
}

TEST_CASE("the name of a type is read as that type")
{
    for (const DType t : all) CHECK(axe::parse_dtype(axe::name(t)).value() == t);
}

TEST_CASE("a name that is none says which types there are, and which was meant")
{
    const auto sentence = [](std::string_view text) {
        const auto refused = axe::parse_dtype(text);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == axe::errc::bad_syntax);
        return refused.error().text;
    };
    const std::string types =
        "f64, f32, tf32, f16, bf16, dl16, e4m3, e5m2, e8m0, ue4m3, e3m2, e2m3, e2m1, i32, i16, i8, u8, i4, b1";
    CHECK(sentence("quux") == "no type is called \"quux\"; the types are " + types);
    CHECK(sentence("") == "no type is called \"\"; the types are " + types);

    const auto meant = [&](std::string_view text, std::string_view type) {
        CHECK(sentence(text) ==
              "no type is called \"" + std::string(text) + "\"; did you mean " + std::string(type) + "? The types are " + types);
    };
    meant("F16", "f16");
    meant("float16", "f16");
    meant("HALF", "f16");
    meant("bfloat16", "bf16");
    meant("DLFloat16", "dl16");
    meant("SEN169_FP16", "dl16");
    meant("float8_e4m3fn", "e4m3");
    meant("s32", "i32");
    meant("float4_e2m1fn", "e2m1");
    meant("F6E3M2FN", "e3m2");
    meant("bool", "b1");
    // One edit: two neighbors swapped, one character too many, one missing, one wrong.
    meant("bf61", "bf16");
    meant("bf116", "bf16");
    meant("bf6", "bf16");
    meant("e5n2", "e5m2");
    // Two are as near: none is guessed.
    CHECK(sentence("e4m2").find("did you mean") == std::string::npos);
    // A long text is not repeated whole.
    CHECK(sentence(std::string(1000, 'x')).size() < 200);
}
