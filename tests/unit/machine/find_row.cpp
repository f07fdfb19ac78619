// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/machine/find_row.hpp>
#include <axe/program/operators.hpp>
#include <catch.hpp>

#include <string>
#include <vector>

using namespace axe;

namespace {

struct Row {
    const char* name;
    int number;
};
constexpr Row first[] = {{"a", 1}, {"ab", 2}, {"a", 3}}, second[] = {{"b", 4}, {"ab", 5}};

} // namespace

TEST_CASE("find_row: the first row of a name, in an array, a list or in tables")
{
    static_assert(find_row(first, "a")->number == 1);
    static_assert(find_row(first, "ab")->number == 2);
    static_assert(find_row(first, "b") == nullptr);
    CHECK(find_row(first, "") == nullptr);
    CHECK(find_row(first, std::string("abc").substr(0, 2)) == &first[1]);
    const std::vector<Row> list(std::begin(second), std::end(second));
    CHECK(find_row(list, "ab") == &list[1]);
    CHECK(find_row(std::vector<Row>(), "ab") == nullptr);
    Tables<Row> tables(first);
    CHECK(find_row(tables, "b") == nullptr);
    tables.add(second);
    CHECK(find_row(tables, "b") == &second[0]);
    CHECK(find_row(tables, "ab") == &first[1]);
    CHECK(find_row(Tables<Row>(), "a") == nullptr);
    static_assert(find_row(function_rows, "max") == &Function::max.row());
}
