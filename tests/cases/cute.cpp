// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/cute.hpp>
#include <catch.hpp>
#include <tests/cute_oracle.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <map>

/// Every row of data/cute.jsonl: what CuTe, in C++ and in Python, said of its own test inputs and of random ones. Its answers are
/// not trusted: maps are enumerated, and a result must be there exactly when the map is a layout.
namespace {

using namespace axe::cute;
using cute_oracle::Int;
using cute_oracle::Values;
using Json = nlohmann::json;

void add(Layout& out, const Json& shape, const Json& stride)
{
    if (shape.is_array()) {
        out.nodes.push_back(Node{static_cast<int>(shape.size()), {}, false, false});
        for (std::size_t i = 0; i < shape.size(); ++i) add(out, shape[i], stride[i]);
        return;
    }
    axe::cute::Leaf leaf{shape.get<Int>(), 0, {}};
    if (stride.is_string()) { // "_1@0"
        const auto text = "1:" + stride.get<std::string>();
        leaf.stride = parse_layout({text.c_str(), static_cast<int>(text.size())})->nodes[0].leaf.stride;
        leaf.basis = parse_layout({text.c_str(), static_cast<int>(text.size())})->nodes[0].leaf.basis;
    } else {
        leaf.stride = stride.get<Int>();
    }
    out.nodes.push_back(Node{-1, leaf, false, false});
}
Layout layout(const Json& json)
{
    Layout out;
    add(out, json.at("shape"), json.at("stride"));
    return out;
}
/// A shape alone; its strides do not matter.
Layout shape_only(const Json& shape)
{
    Layout out;
    add(out, shape, Json::parse(std::string(shape.dump())));
    return out;
}
/// [4,1]: one integer for each mode.
Tiler tiler(const Json& json)
{
    Tiler out;
    out.items.nodes.push_back(Node{static_cast<int>(json.size()), {}, false, false});
    for (const Json& n : json) out.items.nodes.push_back(Node{-1, {n.get<Int>(), 1, {}}, false, false});
    return out;
}

/// What is checked, row by row, and the counts that come of it.
struct Cases {
    std::map<std::string, int> rows; ///< operation: rows checked; "… none": those without a result
    std::vector<Int> swizzled;       ///< rows of layouts under a swizzle
    int same_text = 0, other_text = 0, flat = 0;

    bool got(const Json& row, const axe::Result<Layout>& result, bool exists)
    {
        const std::string op = row["op"];
        ++rows[op];
        if (!result) ++rows[op + " none"];
        CHECK(result.has_value() == exists);
        if (!result) CHECK(result.error().is_none());
        if (result && row.value("post_ok", false)) ++(*result == layout(row["out"]) ? same_text : other_text);
        return result && exists;
    }

    void composition(const Json& row)
    {
        const Layout a = layout(row["in"][0]), b = layout(row["in"][1]);
        const auto result = axe::cute::composition(a, b);
        if (!is_plain(b)) { // mode by mode
            ++rows["composition"];
            REQUIRE(result.has_value());
            CHECK(*result == layout(row["cpp_out"]));
            return;
        }
        const Values truth = cute_oracle::composed(a, b);
        if (row.contains("truth_table")) CHECK(row["truth_table"].get<Values>() == truth);
        if (row.contains("representable")) CHECK(row["representable"].is_null() != cute_oracle::is_layout(truth));
        if (!got(row, result, cute_oracle::is_layout(truth))) return;
        CHECK(cute_oracle::values(*result) == truth);
        // B's profile, where the map can be cut so; else as CuTe cannot have it, flat.
        bool cut = true;
        Int below = 1;
        for (const auto& [extent, stride] : cute_oracle::digits(b)) {
            cut = cut && oracle::splits_at(truth, below);
            below *= extent;
        }
        flat += cut ? 0 : 1;
        CHECK(cute_oracle::compatible(b, *result) == cut);
        if (!cut) CHECK(cute_oracle::text(*result) == cute_oracle::coalesced(truth));
    }
    void coalesce(const Json& row)
    {
        const Layout l = layout(row["in"][0]);
        const auto result = axe::cute::coalesce(l);
        if (!got(row, result, true)) return;
        CHECK(cute_oracle::values(*result) == row["truth_table"].get<Values>());
        CHECK(cute_oracle::text(*result) == cute_oracle::coalesced(cute_oracle::values(l)));
    }
    void filter(const Json& row)
    {
        const Layout l = layout(row["in"][0]);
        const auto result = axe::cute::filter(l);
        if (!got(row, result, true)) return;
        Layout moving; // the modes that move
        moving.nodes.push_back(Node{0, {}, false, false});
        for (const Node& node : l.nodes)
            if (node.children < 0 && node.leaf.stride != 0) {
                moving.nodes.push_back(node);
                ++moving.nodes[0].children;
            }
        CHECK(cute_oracle::values(*result) == row["out_table"].get<Values>());
        CHECK(cute_oracle::text(*result) == cute_oracle::coalesced(cute_oracle::values(moving)));
    }
    void complement(const Json& row)
    {
        const Layout l = layout(row["in"][0]);
        Int n = 1, size = 1; // Python's default is 1
        if (row["in"].size() > 1) n = row["in"][1].get<Int>();
        bool apart = true;
        std::map<Int, Int> by_stride;
        for (const auto& [extent, stride] : cute_oracle::digits(l)) {
            if (stride == 0 || extent == 1) continue;
            apart = by_stride.emplace(stride, extent).second && apart;
            size *= extent;
        }
        Int end = 1;
        for (const auto& [stride, extent] : by_stride) {
            apart = apart && stride >= end;
            end = stride * extent;
        }
        const auto result = axe::cute::complement(l, n);
        if (!got(row, result, apart)) return;
        if (row.contains("out_table")) CHECK(row["out_table"].get<Values>() == cute_oracle::values(*result));
        std::set<Int> sums, own;
        for (const Int v : cute_oracle::values(l)) own.insert(v);
        Int before = -1;
        for (const Int v : cute_oracle::values(*result)) {
            CHECK(v > before);
            before = v;
            for (const Int w : own) CHECK(sums.insert(v + w).second);
        }
        CHECK(cute_oracle::elements(*result) >= n / size);
        const auto copies = cute_oracle::copies(l, n);
        if (!copies) return;
        CHECK(cute_oracle::values(*result) == *copies); // every value once
        CHECK(*sums.rbegin() + 1 == static_cast<Int>(sums.size()));
    }
    void right_inverse(const Json& row)
    {
        const Layout l = layout(row["in"][0]);
        const auto result = axe::cute::right_inverse(l);
        if (!got(row, result, true)) return;
        const Values truth = cute_oracle::composed(l, *result);
        for (std::size_t i = 0; i < truth.size(); ++i) CHECK(truth[i] == static_cast<Int>(i));
        CHECK(cute_oracle::elements(*result) >= cute_oracle::elements(layout(row["out"])));
    }
    void left_inverse(const Json& row)
    {
        const Layout l = layout(row["in"][0]);
        const auto result = axe::cute::left_inverse(l);
        if (!got(row, result, true)) return;
        const auto leaves = cute_oracle::digits(l);
        bool right = true;
        for (Int x = 0, n = cute_oracle::elements(l); x < n && right; ++x) {
            Int rest = x, weight = 1, moving = 0; // x without the digits of modes that move nothing
            for (const auto& [extent, stride] : leaves) {
                if (stride != 0) moving += rest % extent * weight;
                rest /= extent;
                weight *= extent;
            }
            right = cute_oracle::at(*result, cute_oracle::at(l, x)) == moving;
        }
        CHECK(right);
    }
    void logical_divide(const Json& row)
    {
        const Layout l = layout(row["in"][0]);
        if (row["in"][1].is_array()) return by_mode(row, axe::cute::logical_divide(l, tiler(row["in"][1])));
        const Layout t = layout(row["in"][1]);
        const auto result = axe::cute::logical_divide(l, t);
        const auto copies = cute_oracle::copies(t, cute_oracle::elements(l));
        Values truth;
        bool exists = copies.has_value();
        if (copies) {
            for (const Int begin : *copies)
                for (const Int v : cute_oracle::values(t)) truth.push_back(cute_oracle::at(l, begin + v));
            exists = cute_oracle::is_layout(truth) && oracle::splits_at(truth, cute_oracle::elements(t));
        }
        if (!got(row, result, exists)) return;
        CHECK(cute_oracle::values(*result) == truth);
        REQUIRE(rank(*result) == 2);
        CHECK(size(mode(*result, 0)) == cute_oracle::elements(t));
        if (row.value("post_ok", false) && row.contains("out_table")) CHECK(row["out_table"].get<Values>() == truth);
    }
    /// Rows by mode are of compact matrices and tiles that divide them: CuTe is right there, tree and all.
    void by_mode(const Json& row, const axe::Result<Layout>& result)
    {
        ++rows[row["op"].get<std::string>() + " by mode"];
        REQUIRE(result.has_value());
        CHECK(cute_oracle::values(*result) == row["out_table"].get<Values>());
        CHECK(cute_oracle::compatible(layout(row["out"]), *result));
    }
    void logical_product(const Json& row)
    {
        const Layout a = layout(row["in"][0]), b = layout(row["in"][1]);
        const auto result = axe::cute::logical_product(a, b);
        const auto places = axe::cute::complement(a, cute_oracle::elements(a) * cosize(b));
        Values truth;
        bool exists = places.has_value();
        if (places) {
            Values second;
            for (const Int y : cute_oracle::values(b)) {
                second.push_back(cute_oracle::at(*places, y));
                for (const Int v : cute_oracle::values(a)) truth.push_back(second.back() + v);
            }
            exists = cute_oracle::is_layout(second);
        }
        if (!got(row, result, exists)) return;
        CHECK(cute_oracle::values(*result) == truth);
        CHECK(mode(*result, 0) == a);
        CHECK(cute_oracle::compatible(b, mode(*result, 1)));
        if (row.value("post_ok", false) && row.contains("out_table")) CHECK(row["out_table"].get<Values>() == truth);
    }
    void exact(const Json& row, const axe::Result<Layout>& result)
    {
        ++rows[row["op"]];
        REQUIRE(result.has_value());
        CHECK(*result == layout(row["cpp_out"]));
    }

    static Composed composed(const Json& argument)
    {
        const auto text = argument.at("composed").get<std::string>();
        const auto got = parse_composed({text.c_str(), static_cast<int>(text.size())});
        INFO(text);
        REQUIRE(got.has_value());
        return *got;
    }
    /// CuTe's own answers may have two swizzles, which are not a value here: maps are compared, and CuTe's where it is one.
    void under_swizzles(const Json& row)
    {
        const std::string op = row["op"];
        const Composed c = composed(row["in"][0]);
        const auto at = [](const Composed& of, Int x) { return in_elements(of)(of.offset + cute_oracle::at(of.layout, x)); };
        ++rows[op];
        swizzled.push_back(row["id"].get<Int>());
        const Int n = cute_oracle::elements(c.layout);
        if (op == "composition") {
            const Composed inner = composed(row["in"][1]);
            const auto result = axe::cute::composition(c, inner);
            REQUIRE(result.has_value());
            REQUIRE(cute_oracle::elements(result->layout) == cute_oracle::elements(inner.layout));
            for (Int x = 0; x < cute_oracle::elements(inner.layout); ++x) CHECK(at(*result, x) == at(c, at(inner, x)));
            CHECK(cute_oracle::compatible(inner.layout, result->layout));
            return;
        }
        const Composed theirs = composed(row["cpp_out"]);
        if (op == "left_inverse") {
            const auto result = axe::cute::left_inverse(c);
            REQUIRE(result.has_value());
            for (Int x = 0; x < n; ++x) CHECK(at(*result, at(c, x)) == x);
            for (Int v = 0; v < cute_oracle::elements(theirs.layout); ++v) CHECK(at(*result, v) == at(theirs, v));
            return;
        }
        REQUIRE(op == "right_inverse");
        const auto result = axe::cute::right_inverse(c);
        REQUIRE(result.has_value());
        for (Int i = 0; i < cute_oracle::elements(result->layout); ++i) CHECK(at(c, at(*result, i)) == i);
        CHECK(cute_oracle::elements(result->layout) == cute_oracle::elements(theirs.layout));
    }

    void run(const Json& row)
    {
        const std::string op = row["op"];
        const Json& in = row["in"];
        if (in[0].is_object() && in[0].contains("composed")) return under_swizzles(row);
        if (op == "composition") return composition(row);
        if (op == "coalesce") return coalesce(row);
        if (op == "filter") return filter(row);
        if (op == "complement") return complement(row);
        if (op == "right_inverse") return right_inverse(row);
        if (op == "left_inverse") return left_inverse(row);
        if (op == "logical_divide") return logical_divide(row);
        if (op == "logical_product") return logical_product(row);
        if (op == "zipped_divide") return by_mode(row, zipped_divide(layout(in[0]), tiler(in[1])));
        if (op == "tiled_divide") return by_mode(row, tiled_divide(layout(in[0]), tiler(in[1])));
        if (op == "domain_distribute") return exact(row, domain_distribute(shape_only(in[0]), in[1].get<Int>()));
        if (op == "nullspace") return exact(row, nullspace(layout(in[0])));
        FAIL("no such operation: " << op);
    }
};

} // namespace

TEST_CASE("cute.jsonl: every row")
{
    std::ifstream file(AXE_TEST_DATA "/cute.jsonl");
    Cases cases;
    int lines = 0;
    for (std::string line; std::getline(file, line); ++lines) {
        const Json row = Json::parse(line);
        INFO("row " << row["id"] << " " << row["op"].get<std::string>() << " " << row["in"].dump());
        cases.run(row);
    }
    int checked = 0;
    std::string counts;
    for (const auto& [name, count] : cases.rows) {
        counts += name + ": " + std::to_string(count) + "\n";
        if (name.find("none") == std::string::npos) checked += count;
    }
    INFO(counts << cases.same_text << " as CuTe writes them, " << cases.other_text << " otherwise");
    std::sort(cases.swizzled.begin(), cases.swizzled.end());
    CHECK(cases.swizzled == std::vector<Int>{139, 177, 178, 179, 211});
    CHECK(checked == 1236);
    CHECK(cases.rows["composition none"] == 31);
    CHECK(cases.flat == 1);
    CHECK(cases.same_text == 977); // the others differ in strides of extents 1, are shorter, or are longer inverses
    CHECK(lines == 1236);
}
