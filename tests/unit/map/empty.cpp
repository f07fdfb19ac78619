// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/empty.hpp>
#include <catch.hpp>
#include <tests/unit/map/domains.hpp>

namespace {

using Numbers = std::vector<std::int64_t>;

using domains::all, domains::launch, domains::map, domains::thin;

TEST_CASE("find_point: the first point, or none")
{
    CHECK(axe::find_point(map("(d0, d1) -> (), domain: d0 in [0, 9], d1 in [-3, 9], d0 * 3 + d1 in [20, 21]")).value() ==
          Numbers{4, 8});
    CHECK(axe::find_point(map("() -> ()")).value() == Numbers{});
    CHECK_FALSE(axe::find_point(map("(d0) -> (), domain: d0 in [0, 9], d0 * 2 in [7, 7]")).value().has_value());
    // the second one of 2^30, among 2^60
    CHECK(axe::find_point(map("(d0) -> (), domain: d0 in [7, 1152921504606846975], d0 mod 1073741824 in [5, 5]")).value() ==
          Numbers{1073741829});
    CHECK(axe::find_point(map(all)).value() == Numbers{-9223372036854775804, 3});
    CHECK(axe::find_point(map(thin)).value() == Numbers{2, 0});
}

TEST_CASE("is_empty: conditions that contradict each other over 2^60 points")
{
    CHECK(axe::is_empty(map("(d0, d1) -> (), domain: d0 in [0, 1152921504606846975], d1 in [0, 1152921504606846975], "
                            "d0 - d1 in [1, 9], d1 - d0 in [1, 9]"))
              .yes());
    CHECK(axe::is_empty(map("(d0, d1) -> (), domain: d0 in [0, 1152921504606846975], d1 in [0, 1152921504606846975], "
                            "d0 * 6 - d1 * 4 in [1, 1]"))
              .yes());
    CHECK(axe::is_empty(map("(d0) -> (), domain: d0 in [0, 1152921504606846975], d0 mod 6 in [1, 1], d0 mod 4 in [2, 2]")).yes());
    CHECK_FALSE(
        axe::is_empty(map("(d0) -> (), domain: d0 in [0, 1152921504606846975], d0 mod 6 in [1, 1], d0 mod 4 in [3, 3]")).yes());
    CHECK(
        axe::is_empty(map("(d0, d1, d2) -> (), domain: d0 in [0, 999999999999], d1 in [0, 999999999999], d2 in [0, 999999999999], "
                          "d0 * 3 - d1 * 2 in [5, 6], d1 * 2 - d2 * 3 in [5, 6], d0 - d2 in [0, 3]"))
            .yes());
    CHECK(axe::is_empty(map("(d0) -> (), domain: d0 in [3, 2]")).yes());
    CHECK(axe::is_empty(map("() -> ()")).no());
}

TEST_CASE("is_always: the guard of the launch is needed in the last block only")
{
    axe::IndexingMap m = map(launch);
    const axe::IndexConstraint guard = m.constraints[0];
    CHECK(axe::is_always(m, guard).yes());
    m.constraints.clear();
    CHECK(axe::is_always(m, guard).no());
    m.variables[1].bounds = {0, 467};
    CHECK(axe::is_always(m, guard).yes());
    // an end of the type bounds nothing
    CHECK(axe::is_always(m, {m.results[0], {axe::every_integer.low, 239615}}).yes());
    CHECK(axe::is_always(m, {m.results[0], {axe::every_integer.low, 239614}}).no());
    // what no value can do, none does in an empty domain
    CHECK(axe::is_always(m, {m.results[0], {1, 0}}).no());
    m.variables[0].bounds = {1, 0};
    CHECK(axe::is_always(m, {m.results[0], {1, 0}}).yes());
}

TEST_CASE("an undefined map has no domain to ask about")
{
    const axe::IndexingMap m = axe::IndexingMap::undefined();
    CHECK(axe::find_point(m).code() == axe::errc::bad_argument);
    CHECK(axe::is_empty(m).code() == axe::errc::bad_argument);
    CHECK(axe::is_always(m, {}).code() == axe::errc::bad_argument);
}

} // namespace
