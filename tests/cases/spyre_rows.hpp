// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_CASES_SPYRE_ROWS_HPP
#define AXE_TESTS_CASES_SPYRE_ROWS_HPP

#include <tests/catch.hpp>

#include <nlohmann/json.hpp>

#include <fstream>
#include <string>

/// The rows of data/spyre.jsonl.
namespace spyre_cases {

using Json = nlohmann::json;

/// Calls f with each row of the kind, and says how many there are.
template <class F>
int each_row(const std::string& kind, F f)
{
    std::ifstream file(AXE_TEST_DATA "/spyre.jsonl");
    REQUIRE(file.good());
    int rows = 0;
    for (std::string line; std::getline(file, line);) {
        const Json row = Json::parse(line);
        if (row.at("kind") != kind) continue;
        INFO(line);
        ++rows;
        f(row);
    }
    return rows;
}

template <class List>
List list(const Json& numbers)
{
    List out;
    for (const Json& n : numbers) out.push_back(n.get<typename List::value_type>());
    return out;
}

} // namespace spyre_cases

#endif
