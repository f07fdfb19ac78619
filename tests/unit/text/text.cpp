// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/text/text.hpp>
#include <catch.hpp>

#include <cstring>
#include <limits>
#include <new>
#include <string>
#include <type_traits>

TEST_CASE("a text holds what is put, ended by a zero")
{
    axe::Text<40> t;
    CHECK(std::string(t.c_str()).empty());
    t.put('a');
    t.put("bc");
    t.put_number(-7);
    t.put(axe::Axis{"lane"});
    CHECK(t == "abc-7lane");
    CHECK(std::string(t.c_str()) == "abc-7lane");
    CHECK(std::string(t.begin(), t.end()) == "abc-7lane");
    t.pad_to(5);
    CHECK(t.size == 9);
    t.pad_to(11);
    CHECK(t == "abc-7lane  ");
}

TEST_CASE("a text is ended by a zero wherever it is made")
{
    alignas(axe::Text<8>) unsigned char memory[sizeof(axe::Text<8>)];
    std::memset(memory, 'x', sizeof memory);
    auto* t = new (memory) axe::Text<8>;
    CHECK(*t == "");
    CHECK(std::strlen(t->c_str()) == 0);
    t->put("ab");
    CHECK(std::strlen(t->c_str()) == 2);
}

TEST_CASE("numbers are put to the last")
{
    for (const std::int64_t n : {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(),
                                 std::int64_t{0}, std::int64_t{-1}, std::int64_t{10}, std::int64_t{-1000}}) {
        axe::Text<20> t;
        t.put_number(n);
        CHECK(std::string(t.c_str()) == std::to_string(n));
    }
}

TEST_CASE("what does not fit is left out, and the zero stays")
{
    axe::Text<3> t;
    t.put("abcdef");
    t.put('g');
    t.put_number(12);
    t.pad_to(100);
    CHECK(t.size == 3);
    CHECK(std::string(t.c_str()) == "abc");
}

TEST_CASE("a text is compared with another as a whole")
{
    axe::Text<8> t;
    CHECK(t == "");
    t.put("ab");
    CHECK_FALSE(t == "a");
    CHECK_FALSE(t == "abc");
    CHECK_FALSE(t == "ax");
    CHECK_FALSE(t == "xb");
}

namespace {

constexpr axe::Text<8> written()
{
    axe::Text<8> t;
    t.put("xy");
    return t;
}
static_assert(written() == "xy");
static_assert(written().text[2] == '\0' && written().text[8] == '\0'); // no remains in a constant
static_assert(std::is_trivially_copyable_v<axe::Text<8>>);

} // namespace
