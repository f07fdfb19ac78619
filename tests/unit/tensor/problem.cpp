// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/tensor/problem.hpp>
#include <axe/text/common/words.hpp>
#include <catch.hpp>

#include <memory>

TEST_CASE("a problem is a code and a sentence: none is none")
{
    CHECK(axe::Problem().ok());
    const axe::Problem problem(axe::errc::capacity, "too much of A");
    CHECK_FALSE(problem.ok());
    CHECK(problem.text == "too much of A");

    const axe::Problem of_the_algebra(axe::Error(axe::errc::bad_extent, 1, "dimension {0} is {1}", 1, -3), "copy of A: ");
    CHECK(of_the_algebra.code == axe::errc::bad_extent);
    CHECK(of_the_algebra.text == "copy of A: dimension 1 is -3");
}

TEST_CASE("a problem of a template and its words: those of `worded`, after the words of the code")
{
    const std::string name = "A";
    CHECK(axe::Problem(axe::errc::capacity, "{0} has {1} bytes", {name, 12}).text == "A has 12 bytes");
    CHECK(axe::Problem(axe::errc::too_hard, "{0} steps for {1}", {2, name}).text == "not decided: 2 steps for A");
}

TEST_CASE("a problem begins with the words of its code, once, however often it is placed")
{
    using axe::errc;
    using axe::Problem;
    CHECK(Problem(errc::too_hard, "2^20 steps").text == "not decided: 2^20 steps");
    CHECK(Problem(errc::internal, "no row").text == "internal error: no row");
    CHECK(Problem(errc::overflow, "no row").text == "no row");
    const Problem inner(axe::Error(errc::too_hard, -1, "{0} steps", 9), "copy of A: ");
    CHECK(inner.text == "copy of A: not decided: 9 steps");
    CHECK(Problem(inner.code, "k: " + inner.text).text == "k: copy of A: not decided: 9 steps");
}

TEST_CASE("hinted: a message, and on a second line what to do about it")
{
    using axe::detail::hinted;
    using axe::detail::worded;
    CHECK(worded(hinted("{0} has no {1}", "add {1} to {0}"), {"A", "row"}) == "A has no row\nhint: add row to A");
    const axe::Error error = axe::Error(axe::errc::no_layout, -1, "no").with_hint("yes");
    CHECK(axe::Problem(error, "A: ").text == hinted("A: no", "yes"));
}

TEST_CASE("an outcome is a value or a problem, and moves what only moves")
{
    axe::Result<std::unique_ptr<int>, axe::Problem> owner(std::make_unique<int>(7));
    REQUIRE(owner);
    CHECK(**owner == 7);
    const std::unique_ptr<int> taken = std::move(owner).value();
    CHECK(*taken == 7);

    const axe::Result<std::string, axe::Problem> none = axe::Problem(axe::errc::too_hard, "given up");
    CHECK_FALSE(none.has_value());
    CHECK(none.error().text == "not decided: given up");
    const axe::Result<std::string, axe::Problem> text(std::string("yes"));
    CHECK(text->size() == 3);
    CHECK(text.error().code == axe::errc::ok);
}

TEST_CASE("a sentence's places are filled by number, and what is not a place stays")
{
    using axe::detail::worded;
    CHECK(worded("{1} of {0}", {"A", "{0}"}) == "{0} of A");
    CHECK(worded("{'descr': {0}}", {"x"}) == "{'descr': x}");
    CHECK(worded("{2} {x} {", {"a", "b"}) == "{2} {x} {");
}
