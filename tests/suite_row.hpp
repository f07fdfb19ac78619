// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_SUITE_ROW_HPP
#define AXE_TESTS_SUITE_ROW_HPP

#include <axe/axe.hpp>
#include <axe/interop/cute.hpp>
#include <axe/text/to_string.hpp>
#include <catch.hpp>

#include <fstream>
#include <string>
#include <vector>

/// Rows of data/suites.tsv, and our answers to those whose answer is no CuTe layout.
///
/// What TileLang asserts of Axe layouts, linear layouts and maps is asked of the command, by command/test_suites.py.
namespace suite_row {

struct Row {
    std::string suite, test, op, arguments, expected;
    std::vector<std::string> in; ///< the arguments
};

inline std::vector<std::string> split(const std::string& text, const std::string& by)
{
    std::vector<std::string> out;
    std::size_t from = 0;
    for (std::size_t at = 0; (at = text.find(by, from)) != std::string::npos; from = at + by.size())
        out.push_back(text.substr(from, at - from));
    out.push_back(text.substr(from));
    return out;
}

inline std::vector<Row> rows(const char* path)
{
    std::ifstream file(path);
    std::vector<Row> out;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#') continue;
        const auto fields = split(line, "\t");
        REQUIRE(fields.size() == 5);
        out.push_back({fields[0], fields[1], fields[2], fields[3], fields[4], split(fields[3], "; ")});
    }
    return out;
}

template <class T>
std::string shown(const axe::Result<T>& r)
{
    return r ? axe::to_string(*r) : std::string(axe::name(r.code()));
}
inline std::string shown(const axe::Decision& d) { return d.yes() ? "yes" : d.no() ? "no" : "undecided"; }

/// cute eval: a number, or a point where strides are along bases.
inline std::string evaluated(const Row& row)
{
    const auto c = axe::cute::parse_composed(row.in[0]);
    const auto at = axe::cute::parse_coordinate(row.in[1]);
    REQUIRE(c);
    REQUIRE(at);
    const auto index = axe::cute::linear_index(c->layout, *at);
    if (!index) return axe::name(index.code());
    if (is_plain(c->layout)) return std::to_string(axe::cute::evaluate(*c, *index));
    return axe::to_string(*axe::points(*axe::cute::to_axe_linear(c->layout), *index).begin());
}

/// Questions about a CuTe layout's map, asked of the same map in Axe.
inline std::string asked(const Row& row)
{
    const auto read = axe::cute::parse_layout(row.in[0]);
    REQUIRE(read);
    if (row.op == "to-axe+show") return std::to_string(row.in[1] == "size" ? size(*read) : cosize(*read));
    const auto layout = axe::cute::to_axe_linear(*read);
    REQUIRE(layout);
    if (row.op == "to-axe+equal") return shown(axe::equal(*layout, *axe::cute::to_axe_linear(*axe::cute::parse_layout(row.in[1]))));
    if (row.op == "to-axe+is_injective") return shown(axe::is_injective(*layout));
    // tensor-layouts calls contiguous what takes each value of [0, size) once, in any order.
    if (row.op != "to-axe+is_contiguous" && row.op != "to-axe+is_bijective") return "no such question";
    axe::Point box;
    *box.entry(axe::Axis("m")) = size(*read);
    return shown(axe::is_bijective(*layout, box));
}

} // namespace suite_row

#endif
