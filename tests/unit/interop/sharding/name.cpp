// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/sharding/name.hpp>
#include <tests/unit/interop/sharding/said.hpp>

using namespace axe;
using namespace axe::sharding;

TEST_CASE("Name: one to 31 characters, kept as they are")
{
    for (int length = 0; length <= 40; ++length) {
        const std::string text(static_cast<std::size_t>(length), 'n');
        const auto name = Name::make(text.c_str(), length);
        CHECK(name.has_value() == (length >= 1 && length <= Name::max_length));
        if (name)
            CHECK(name->c_str() == text);
        else
            said::refused(name, errc::bad_axis,
                          "the name of a mesh axis has 1 to 31 characters, this one has " + std::to_string(length));
    }
    CHECK(Name::make("n", -1).code() == errc::bad_axis);
    CHECK(std::string(Name::make("data parallel, 0.5", 4)->c_str()) == "data"); // the length counts, not an end
}

TEST_CASE("Name: every character is a name but quotes, the backslash and what is not printed")
{
    for (int code = 0; code < 256; ++code) {
        const char text[] = {'a', static_cast<char>(code), 'b'};
        const bool plain = code >= 0x20 && code <= 0x7e && code != '"' && code != '\'' && code != '\\';
        const auto name = Name::make(text, 3);
        if (name.has_value() != plain) FAIL("character " << code);
        if (!plain && name.error().position != 1) FAIL("character " << code << ": another place");
    }
}

TEST_CASE("Name: equal where length and characters are")
{
    CHECK(Name("x") == *Name::make("xy", 1));
    CHECK_FALSE(Name("x") == Name("xy"));
    CHECK_FALSE(Name("xy") == Name("xz"));
    STATIC_REQUIRE(Name("fsdp").size == 4);
}

TEST_CASE("numbered_name: _axis_ and the number")
{
    for (int n = 0; n < 32; ++n) CHECK(std::string(numbered_name(n).c_str()) == "_axis_" + std::to_string(n));
}
