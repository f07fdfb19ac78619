// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/axe.hpp>
#include <axe/interop/cute.hpp>
#include <catch.hpp>
#include <tests/suite_row.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

/// Every row of data/suites.tsv: what the test suites of tensor-layouts, TileLang, cutegen, FlyDSL and layout-categories assert of CuTe's
/// layouts. A layout has to be the same map as the expected one, mode by mode where both have the same modes; where a suite
/// refuses, an answer has to be right by the definition. Where ours is another map, or none, the row stands in `ours_differ` with why.
namespace {

namespace cute = axe::cute;
using Row = suite_row::Row;

std::string text_of(const axe::Result<cute::Layout>& r) { return r ? cute::print(*r).c_str() : axe::name(r.code()); }

cute::Layout layout(const std::string& text)
{
    const auto read = cute::parse_layout_or_shape(text);
    INFO(text);
    REQUIRE(read);
    return *read;
}
using Target = std::variant<cute::Layout, cute::Tiler>;
Target target(const std::string& text)
{
    if (text[0] != '<' && (text[0] != '(' || text.find(':') != std::string::npos)) return layout(text);
    const auto read = cute::parse_tiler(text);
    REQUIRE(read);
    return *read;
}

/// The same map: coalesced, layouts of one map are one text.
bool is_same_map(const cute::Layout& a, const cute::Layout& b)
{
    return size(a) == size(b) && *cute::coalesce(a) == *cute::coalesce(b);
}
/// And mode by mode, where both have as many.
bool is_same(const cute::Layout& a, const cute::Layout& b)
{
    if (rank(a) == rank(b) && rank(a) > 1)
        for (int i = 0; i < rank(a); ++i)
            if (!is_same_map(mode(a, i), mode(b, i))) return false;
    return is_same_map(a, b);
}

axe::Result<cute::Layout> operate(const std::string& op, const std::vector<std::string>& in)
{
    const cute::Layout a = layout(in[0]);
    const auto by = [&](const auto& f) { return std::visit(f, target(in[1])); };
    if (op == "composition") return by([&](const auto& t) { return cute::composition(a, t); });
    if (op == "logical-divide") return by([&](const auto& t) { return cute::logical_divide(a, t); });
    if (op == "zipped-divide") return by([&](const auto& t) { return cute::zipped_divide(a, t); });
    if (op == "tiled-divide") return by([&](const auto& t) { return cute::tiled_divide(a, t); });
    if (op == "flat-divide") return by([&](const auto& t) { return cute::flat_divide(a, t); });
    if (op == "logical-product") return by([&](const auto& t) { return cute::logical_product(a, t); });
    if (op == "zipped-product") return by([&](const auto& t) { return cute::zipped_product(a, t); });
    if (op == "tiled-product") return by([&](const auto& t) { return cute::tiled_product(a, t); });
    if (op == "flat-product") return by([&](const auto& t) { return cute::flat_product(a, t); });
    if (op == "blocked-product") return cute::blocked_product(a, layout(in[1]));
    if (op == "raked-product") return cute::raked_product(a, layout(in[1]));
    if (op == "coalesce") return in.size() > 1 ? cute::coalesce(a, layout(in[1])) : cute::coalesce(a);
    if (op == "filter") return in.size() > 1 ? cute::filter(a, layout(in[1])) : cute::filter(a);
    if (op == "complement") return in.size() > 1 ? cute::complement(a, layout(in[1])) : cute::complement(a);
    if (op == "left-inverse") return cute::left_inverse(a);
    if (op == "right-inverse") return cute::right_inverse(a);
    if (op == "max-common-layout") return cute::max_common_layout(a, layout(in[1]));
    if (op == "upcast") return cute::upcast(a, std::stoll(in[1]));
    if (op == "downcast") return cute::downcast(a, std::stoll(in[1]));
    if (op == "nullspace") return cute::nullspace(a);
    if (op == "tile-to-shape") {
        axe::Shape order;
        if (in.size() > 2) {
            const auto modes = axe::parse_coord(in[2]);
            for (const std::int64_t n : *modes) order.push_back(n);
        }
        const auto shape = axe::parse_shape(in[1]);
        return shape ? cute::tile_to_shape(a, *shape, order) : axe::Result<cute::Layout>(shape.error());
    }
    FAIL("no operation " << op);
    return a;
}

/// Is an answer right where the suite gives none? By enumeration: the values are those that the definition has.
bool is_right(const std::string& op, const std::vector<std::string>& in, const cute::Layout& result)
{
    const cute::Layout a = layout(in[0]);
    if (op == "composition" && std::holds_alternative<cute::Layout>(target(in[1]))) {
        const cute::Layout b = layout(in[1]);
        if (size(result) != size(b)) return false;
        for (std::int64_t x = 0; x < size(b); ++x)
            if (evaluate(result, x) != evaluate(a, evaluate(b, x))) return false;
        return true;
    }
    if (op == "logical-divide") { // every element once
        std::multiset<std::int64_t> expected, got;
        for (std::int64_t x = 0; x < size(a); ++x) expected.insert(evaluate(a, x));
        for (std::int64_t x = 0; x < size(result); ++x) got.insert(evaluate(result, x));
        return std::includes(got.begin(), got.end(), expected.begin(), expected.end());
    }
    return false;
}

/// The rows in which our answer is another one: what it is, and why.
struct Differs {
    const char *op, *arguments, *ours, *why;
};
constexpr const char* none = "no_layout";
constexpr const char* gaps =
    "A*(B(y)) counts in the places that A leaves free, here 1, 8, 9, ...; theirs begins at the cosize of A";
constexpr const char* holes = "the tile's copies leave elements out: theirs has 464 of the 517 values";
const Differs ours_differ[] = {
    {"cute blocked-product", "4:2; 4:1", "((4,(2,2))):((2,(1,8)))", gaps},
    {"cute blocked-product", "4:2; 2:1", "((4,2)):((2,1))", gaps},
    {"cute blocked-product", "4:2; 2:2", "((4,2)):((2,8))", gaps},
    {"cute blocked-product", "4:2; 3:1", none, gaps},
    {"cute blocked-product", "4:2; (2,2):(1,2)", "((4,2),(1,2)):((2,1),(0,8))", gaps},
    {"cute blocked-product", "2:2; 2:2", "((2,2)):((2,4))", gaps},
    {"cute blocked-product", "2:2; 4:2", "((2,4)):((2,4))", gaps},
    {"cute blocked-product", "2:2; (2,2):(1,2)", "((2,2),(1,2)):((2,1),(0,4))", gaps},
    {"cute blocked-product", "2:2; (3,2):(1,3)", none, gaps},
    {"cute left-inverse", "4:0", "1:0", "both take the one value, 0, to index 0"},
    {"cute left-inverse", "(3,7):(0,0)", "1:0", "both take the one value, 0, to index 0"},
    {"cute composition", "(2,4,4,6):(4,1,0,8); (2,2):(2,6)", none, "the values are 0 1 3 0; theirs ends in 4"},
    {"cute logical-divide", "(14,6,9):(19,69,1); (2,3,6):(7,14,1)", none, holes},
    {"cute zipped-divide", "(14,6,9):(19,69,1); (2,3,6):(7,14,1)", none, holes},
    {"cute tiled-divide", "(14,6,9):(19,69,1); (2,3,6):(7,14,1)", none, holes},
    {"size of cute complement", "(3,2):(1,2); 12", none, "the modes interleave, and theirs has a layout of size 0"},
};

struct Count {
    int same_text = 0, same_map = 0, refused = 0, answered = 0, differ = 0;
};

struct Suites {
    std::map<std::string, Count> counts;
    std::set<const Differs*> used;

    bool differs(const Row& row, const std::string& ours)
    {
        for (const Differs& d : ours_differ)
            if (row.op == d.op && row.arguments == d.arguments) {
                CHECK(ours == d.ours);
                used.insert(&d);
                ++counts[row.suite].differ;
                return true;
            }
        return false;
    }
    /// An answer that is a text: a number, a decision.
    void compare(const Row& row, const std::string& ours)
    {
        if (ours == row.expected)
            ++counts[row.suite].same_text;
        else if (!differs(row, ours))
            FAIL_CHECK(row.suite << ", " << row.test << ": " << row.op << " " << row.arguments << " is " << ours << ", expected "
                                 << row.expected);
    }
    void layouts(const Row& row)
    {
        const std::string op = row.op.substr(row.op.find(' ') + 1);
        const auto result = operate(op, row.in);
        const std::string ours = text_of(result);
        Count& count = counts[row.suite];
        if (row.expected == "error") {
            if (!result)
                ++count.refused;
            else if (is_right(op, row.in, *result))
                ++count.answered;
            else
                compare(row, ours);
            return;
        }
        // layout-categories compares sides that it has coalesced.
        if (result && ours != row.expected &&
            (row.suite == "layout-categories" ? is_same_map(*result, layout(row.expected))
                                              : is_same(*result, layout(row.expected))))
            ++count.same_map;
        else
            compare(row, ours);
    }
    void run(const Row& row)
    {
        INFO(row.suite << ", " << row.test << ": " << row.op << " " << row.arguments);
        if (row.op == "cute eval") return compare(row, suite_row::evaluated(row));
        if (row.op == "cosize") return compare(row, std::to_string(cosize(layout(row.in[0]))));
        if (row.op == "size") return compare(row, std::to_string(size(layout(row.in[0]))));
        if (row.op == "parse") return compare(row, cute::print(layout(row.in[0])).c_str());
        if (row.op.starts_with("size of cute ")) {
            const auto result = operate(row.op.substr(13), row.in);
            return compare(row, result ? std::to_string(size(*result)) : text_of(result));
        }
        if (row.op == "cute max-common-vector")
            return compare(row, std::to_string(*cute::max_common_vector(layout(row.in[0]), layout(row.in[1]))));
        if (row.op.starts_with("cute ")) return layouts(row);
        if (row.op.starts_with("to-axe+")) compare(row, suite_row::asked(row));
    }
};

} // namespace

TEST_CASE("suites: what the test suites of CuTe's other implementations assert")
{
    Suites suites;
    for (const Row& row : suite_row::rows(AXE_TEST_DATA "/suites.tsv")) suites.run(row);
    for (const Differs& d : ours_differ) {
        INFO(d.op << " " << d.arguments);
        CHECK(suites.used.contains(&d)); // no row stands there for nothing
    }
    int all = 0;
    for (const auto& [suite, c] : suites.counts) {
        const int rows = c.same_text + c.same_map + c.refused + c.answered + c.differ;
        INFO(suite << ": " << c.same_text << " same text, " << c.same_map << " same map, " << c.refused << " refused by both, "
                   << c.answered << " answered where the suite refuses, " << c.differ << " differ");
        if (std::getenv("AXE_SHOW") != nullptr) WARN("counts");
        all += rows;
    }
    CHECK(all == 2150);
    CHECK(suites.counts.size() == 5);
}

TEST_CASE("suites: a swizzle of elements as one of bytes")
{
    int checked = 0;
    for (const Row& row : suite_row::rows(AXE_TEST_DATA "/suites.tsv")) {
        if (row.op != "width") continue;
        REQUIRE(row.in.size() == 3);
        const auto elements = axe::parse_swizzled(row.in[0]);
        REQUIRE(elements);
        const axe::Shape shape{64, 512};
        const auto composed = cute::from_axe_by_coordinate(*elements, shape, cute::SwizzleOf::elements);
        REQUIRE(composed);
        const auto bytes = cute::to_axe_by_coordinate(*composed, axe::Axis{}, std::stoll(row.in[1]) / std::stoll(row.in[2]));
        REQUIRE(bytes);
        CHECK(axe::to_string(bytes->layout) == row.expected);
        CHECK(axe::equal(bytes->layout, *elements));
        ++checked;
    }
    CHECK(checked == 1);
}
