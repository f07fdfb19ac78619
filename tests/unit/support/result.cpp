// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/layout/equal.hpp>
#include <axe/layout/layout.hpp>
#include <axe/map/equal.hpp>
#include <axe/map/parse.hpp>
#include <axe/tensor/problem.hpp>
#include <catch.hpp>

#include <type_traits>

using axe::Decision;
using axe::errc;
using axe::Error;
using axe::Problem;
using axe::Result;
using axe::Status;

// `if (x)` is "there is a value" or "yes", and nothing else is a condition.
static_assert(std::is_constructible_v<bool, Result<int>> && std::is_constructible_v<bool, Decision>);
static_assert(!std::is_constructible_v<bool, Status> && !std::is_constructible_v<bool, Result<void, Problem>>);
static_assert(!std::is_constructible_v<bool, Error> && !std::is_constructible_v<bool, Problem>);
static_assert(!std::is_convertible_v<Result<int>, bool> && !std::is_convertible_v<Decision, bool>);
static_assert(std::is_same_v<decltype(axe::check(axe::Layout{})), Status>);

TEST_CASE("result: a value or an error, and what the two say")
{
    const Error none(errc::no_layout, 3, "no layout for {0}", 7);
    const Result<int> value = 5, failed = none;
    CHECK((value && value.ok() && value.has_value() && *value == 5 && value.value_or(9) == 5 && value.code() == errc::ok));
    CHECK((!failed && !failed.ok() && failed.value_or(9) == 9 && failed.code() == errc::no_layout && failed.error().position == 3));

    const auto half = [](int n) -> Result<int> {
        if (n % 2 != 0) return Error(errc::bad_argument, -1, "{0} is odd", n);
        return n / 2;
    };
    CHECK(Result<int>(8).and_then(half).value() == 4);
    CHECK(value.and_then(half).error().message().c_str() == std::string("5 is odd"));
    CHECK(failed.and_then(half).code() == errc::no_layout);
    CHECK(value.transform([](int n) { return n + 0.5; }).value() == 5.5);
    CHECK(failed.transform([](int n) { return n + 0.5; }).code() == errc::no_layout);
    static_assert(Result<int>(8).transform([](int n) { return n * 2; }).value() == 16);
}

TEST_CASE("result: an error that reports nothing makes no value, but an internal error")
{
    const Result<axe::Layout> layout(Error{});
    CHECK_FALSE(layout);
    CHECK(layout.code() == errc::internal);
    CHECK_FALSE(layout.error().is_none());
    CHECK(Result<int, Problem>(Problem{}).code() == errc::internal);
    CHECK(Result<int>(Status{}).code() == errc::internal);
    CHECK(Decision(Error{}).undecided());
    CHECK(Decision(Error{}).code() == errc::internal);
}

TEST_CASE("status: success, or an error, made of an error, of a code and its words, or of the status of another")
{
    const Status success, failed = Error(errc::overflow, 1, "dimension {0} overflows", 1);
    CHECK((success.ok() && success.code() == errc::ok));
    CHECK((!failed.ok() && failed.code() == errc::overflow && failed.error().position == 1));
    const auto passed_on = [](const Status& s) -> Result<int> {
        if (!s.ok()) return s;
        return 1;
    };
    CHECK(passed_on(success).value() == 1);
    CHECK(passed_on(failed).code() == errc::overflow);

    const Result<void, Problem> problem = failed;
    CHECK(problem.error().text == "dimension 1 overflows");
    const Result<void, Problem> made{errc::bad_argument, "no tensor A"};
    CHECK((made.code() == errc::bad_argument && made.error().message() == "no tensor A"));
    CHECK(Result<int, Problem>(Error(errc::overflow, 1, "dimension {0} overflows", 1)).error().text == "dimension 1 overflows");
}

TEST_CASE("decision: yes, no with a witness, undecided, and as a condition the yes")
{
    const Decision yes(true), no(false, 12), bare(false), open = Error(errc::too_hard, -1, "not decided");
    CHECK((yes && yes.yes() && !yes.no() && !yes.undecided()));
    CHECK((!no && !no.yes() && no.no() && no.witness() == 12));
    CHECK((bare.no() && bare.witness() == -1));
    CHECK((open.undecided() && !open.yes() && !open.no() && open.code() == errc::too_hard));
}

TEST_CASE("decision: a shape that a layout does not admit, and maps that differ, are not taken")
{
    const axe::Layout layout{{{8, 8}, {8, 1}}};
    bool taken = false;
    if (axe::admits(layout, {7, 9})) taken = true;
    CHECK_FALSE(taken);
    CHECK(axe::admits(layout, {8, 8}));
    CHECK(axe::admits(layout, {8, 0}).undecided());

    const auto f = axe::parse_map("(d0) -> (d0), domain: d0 in [0, 9]").value();
    const auto g = axe::parse_map("(d0) -> (d0 mod 9), domain: d0 in [0, 9]").value();
    if (axe::equal(f, g)) taken = true;
    CHECK_FALSE(taken);
    CHECK(axe::equal(f, g).witness().point == std::vector<std::int64_t>{9});
    CHECK(axe::equal(f, f));
}
