// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/axe.hpp>
#include <axe/machine/axes.hpp>
#include <axe/target/atoms.hpp>
#include <catch.hpp>

#include <nlohmann/json.hpp>

#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

/// The facts of the tests of the paper's own implementation, data/tirx.jsonl: texts that it reads, and what its operations give.
namespace {

using Json = nlohmann::json;
using axe::Layout;
using Int = std::int64_t;

template <class T>
T read(axe::Result<T> (*parse)(axe::TextView), const Json& text)
{
    const std::string words = text.get<std::string>();
    const auto value = parse(words);
    INFO(words);
    REQUIRE(value);
    return *value;
}
Layout layout(const Json& text) { return read(axe::parse_layout, text); }
axe::Swizzled<Layout> swizzled(const Json& text) { return read(axe::parse_swizzled, text); }
axe::Shape shape(const Json& text) { return read(axe::parse_shape, text); }
axe::Axis axis(const Json& text) { return read(axe::parse_axis, text); }

/// Is the answer what the row expects: a map, some layout, none, an error, or a number?
void check(const axe::Result<Layout>& answer, const Json& expect)
{
    if (expect.contains("map")) {
        REQUIRE(answer);
        CHECK(axe::equal(*answer, layout(expect["map"])));
    } else if (expect.contains("some")) {
        CHECK(answer.has_value() == expect["some"].get<bool>());
    } else if (expect.contains("none")) {
        CHECK(answer.error().is_none());
    } else {
        REQUIRE(expect.contains("error"));
        CHECK_FALSE(answer);
    }
}
void check(const axe::Result<axe::Swizzled<Layout>>& answer, const Json& expect)
{
    if (expect.contains("map")) {
        REQUIRE(answer);
        CHECK(axe::equal(*answer, swizzled(expect["map"])));
    } else if (expect.contains("some")) {
        CHECK(answer.has_value() == expect["some"].get<bool>());
    } else {
        REQUIRE(expect.contains("none"));
        // theirs ask of shapes that the layouts have not, too, and of a swizzled outer layout
        CHECK((answer.error().is_none() || answer.code() == axe::errc::size_mismatch || answer.code() == axe::errc::bad_argument));
    }
}
void check(const axe::Result<Int>& answer, const Json& expect)
{
    REQUIRE(answer);
    CHECK(*answer == expect["value"].get<Int>());
}
void check(const axe::Decision& answer, const Json& expect) { CHECK((expect["value"].get<bool>() ? answer.yes() : answer.no())); }

/// Every coordinate of the row is at its point, on the axes that the row names.
void check_points(const axe::Swizzled<Layout>& l, const axe::Shape& s, const Json& expect)
{
    for (const Json& row : expect["points"]) {
        axe::Coord coord;
        for (const Json& c : row[0]) coord.push_back(c.get<Int>());
        const auto point = axe::evaluate(l, s, coord);
        REQUIRE(point);
        for (const auto& [name, value] : row[1].items()) CHECK((*point)[axis(Json(name))] == value.get<Int>());
    }
}

/// The value on one axis at each coordinate in row-major order; at those of `at`, or at every n-th and the last where there are more than
/// 1024, of which `points` says how many.
void check_values(const axe::Swizzled<Layout>& l, const axe::Shape& s, const Json& expect)
{
    const axe::Axis on = axis(expect["axis"]);
    const Json& values = expect["values"];
    const Int size = axe::volume(s).value(), every = expect.value("every", Int{1});
    REQUIRE(!values.empty());
    std::vector<Int> at;
    if (expect.contains("at")) {
        for (const Json& x : expect["at"]) at.push_back(x.get<Int>());
        REQUIRE(static_cast<Int>(at.size()) == expect["points"].get<Int>());
    } else {
        REQUIRE(size == expect["points"].get<Int>());
        for (Int x = 0; x < size; x += every) at.push_back(x);
        if (at.back() != size - 1) at.push_back(size - 1);
    }
    REQUIRE(at.size() == values.size());
    for (std::size_t i = 0; i < at.size(); ++i) {
        axe::Coord coord = s;
        Int rest = at[i];
        for (int d = s.size(); d-- > 0; rest /= s[d]) coord[d] = rest % s[d];
        const auto point = axe::evaluate(l, s, coord);
        REQUIRE(point);
        REQUIRE((*point)[on] == values[i].get<Int>());
    }
}

using Ask = std::function<void(const Json& in, const Json& expect)>;

const std::map<std::string, Ask> asked = {
    {"parse", [](const Json& in, const Json& e) { check(axe::Result<Layout>(layout(in[0])), e); }},
    {"canonicalize", [](const Json& in, const Json& e) { check(axe::canonicalize(layout(in[0])), e); }},
    {"tile", [](const Json& in, const Json& e) { check(axe::tile(layout(in[0]), shape(in[1]), layout(in[2]), shape(in[3])), e); }},
    {"untile",
     [](const Json& in, const Json& e) { check(axe::untile(layout(in[0]), shape(in[1]), layout(in[2]), shape(in[3])), e); }},
    {"untile-outer",
     [](const Json& in, const Json& e) { check(axe::untile_outer(layout(in[0]), shape(in[1]), layout(in[2]), shape(in[3])), e); }},
    {"sum", [](const Json& in, const Json& e) { check(axe::sum(layout(in[0]), shape(in[1]), layout(in[2]), shape(in[3])), e); }},
    {"unsum-left",
     [](const Json& in, const Json& e) { check(axe::unsum_left(layout(in[0]), shape(in[1]), layout(in[2]), shape(in[3])), e); }},
    {"unsum-right",
     [](const Json& in, const Json& e) { check(axe::unsum_right(layout(in[0]), shape(in[1]), layout(in[2]), shape(in[3])), e); }},
    {"slice",
     [](const Json& in, const Json& e) { check(axe::slice(layout(in[0]), shape(in[1]), read(axe::parse_region, in[2])), e); }},
    {"permute",
     [](const Json& in, const Json& e) {
         axe::Order order;
         for (const Int d : read(axe::parse_coord, in[2])) order.push_back(static_cast<int>(d));
         check(axe::permute(layout(in[0]), shape(in[1]), order), e);
     }},
    {"pack",
     [](const Json& in, const Json& e) { check(axe::pack(layout(in[0]), read(axe::parse_integer, in[1]), axis(in[2])), e); }},
    {"unpack",
     [](const Json& in, const Json& e) { check(axe::unpack(layout(in[0]), read(axe::parse_integer, in[1]), axis(in[2])), e); }},
    {"local", [](const Json& in, const Json& e) { check(axe::local(layout(in[0]), read(axe::parse_axes, in[1])), e); }},
    {"size", [](const Json& in, const Json& e) { check(axe::size(layout(in[0])), e); }},
    {"span", [](const Json& in, const Json& e) { check(axe::span(layout(in[0]), axis(in[1])), e); }},
    {"injective", [](const Json& in, const Json& e) { check(axe::is_injective(layout(in[0])), e); }},
    {"same_canonical", [](const Json& in, const Json& e) { check(axe::equal(layout(in[0]), layout(in[1])), e); }},
    {"eval", [](const Json& in, const Json& e) { check_points(read(axe::parse_swizzled, in[0]), shape(in[1]), e); }},
    {"eval_error",
     [](const Json& in, const Json&) { CHECK_FALSE(axe::evaluate(layout(in[0]), shape(in[1]), read(axe::parse_coord, in[2]))); }},
    {"eval_values", [](const Json& in, const Json& e) { check_values(swizzled(in[0]), shape(in[1]), e); }},
    {"slice_eval_values",
     [](const Json& in, const Json& e) {
         const auto part = axe::slice(swizzled(in[0]), shape(in[1]), read(axe::parse_region, in[2]));
         REQUIRE(part);
         check_values(*part, shape(in[3]), e);
     }},
    {"slice_eval",
     [](const Json& in, const Json& e) {
         const auto part = axe::slice(swizzled(in[0]), shape(in[1]), read(axe::parse_region, in[2]));
         REQUIRE(part);
         check_points(*part, shape(in[3]), e);
     }},
    {"size_on_axis",
     [](const Json& in, const Json& e) {
         Int size = 1;
         for (const auto& it : layout(in[0]).shard) size *= it.axis == axis(in[1]) ? it.extent : 1;
         CHECK(size == e["value"].get<Int>());
     }},
    {"size_of_local",
     [](const Json& in, const Json& e) { check(axe::size(axe::local(layout(in[0]), read(axe::parse_axes, in[1])).value()), e); }},
    {"span_of_local",
     [](const Json& in, const Json& e) {
         check(axe::span(axe::local(layout(in[0]), read(axe::parse_axes, in[1])).value(), axe::Axis{}), e);
     }},
    {"local_trivial", // is what one owner holds n elements one after the other?
     [](const Json& in, const Json& e) {
         const auto held = axe::local(layout(in[0]), read(axe::parse_axes, in[1]));
         REQUIRE(held);
         Layout trivial;
         trivial.shard.push_back({in[2].get<Int>(), 1, {}});
         check(axe::equal(*held, trivial), e);
     }},
    {"group_separator",
     [](const Json& in, const Json& e) {
         const auto grouped = axe::group(layout(in[0]), shape(in[1]));
         REQUIRE(grouped);
         const int d = in[2].get<int>();
         CHECK((d == 0 ? 0 : grouped->end(d - 1)) == e["value"].get<Int>());
     }},
    {"group-many_separators",
     [](const Json& in, const Json& e) {
         const auto grouped = axe::group_many(layout(in[0]), shape(in[1]), shape(in[2]));
         REQUIRE(grouped);
         std::vector<Int> extents; // theirs keep iters of extent 1, which are no part of a map
         for (const Json& n : e["extents"])
             if (n.get<Int>() > 1) extents.push_back(n.get<Int>());
         std::vector<Int> ours;
         for (const auto& it : grouped->layout.shard)
             if (it.extent > 1) ours.push_back(it.extent);
         CHECK(ours == extents);
     }},
    {"atom",
     [](const Json& in, const Json& e) {
         const std::string name = in[0];
         const axe::Atom* found = nullptr;
         for (const axe::Atom& atom : axe::atoms::all)
             if (name == atom.name) found = &atom;
         REQUIRE(found != nullptr);
         CHECK(
             axe::equal(axe::local(found->layout(), axe::Layout::Axes{axe::Axis{"cta"}}).value(), layout(e["map"]))); // of one CTA
     }},
    {"group",
     [](const Json& in, const Json& e) {
         const auto grouped = axe::group(layout(in[0]), shape(in[1]));
         check(grouped ? axe::Result<Layout>(grouped->layout) : grouped.error(), e);
     }},
    {"group-many",
     [](const Json& in, const Json& e) {
         const auto grouped = axe::group_many(layout(in[0]), shape(in[1]), shape(in[2]));
         check(grouped ? axe::Result<Layout>(grouped->layout) : grouped.error(), e);
     }},
};

/// One axis as two, or two as one: `["tx", "warpid", "laneid", "32"]`.
axe::AxisSplit split(const Json& row) { return {axis(row[0]), axis(row[1]), axis(row[2]), read(axe::parse_integer, row[3])}; }
const axe::AxisSplit threads{"tx", "warpid", "laneid", 32};

axe::Result<axe::Swizzled<Layout>> of(const axe::Result<Layout>& plain)
{
    return plain ? axe::Result<axe::Swizzled<Layout>>({{}, {}, 1, *plain}) : plain.error();
}
axe::Shape product_of(const axe::Shape& a, const axe::Shape& b)
{
    axe::Shape out;
    for (int d = 0; d < a.size(); ++d) out.push_back(a[d] / b[d]);
    return out;
}
/// Tiles of tiles, the outer ones row-major over how many there are.
axe::Result<axe::Swizzled<Layout>> tile_chain(const Json& in)
{
    axe::Swizzled<Layout> tile = swizzled(in[0]);
    for (std::size_t i = 2; i < in.size(); ++i) {
        const axe::Shape inner = shape(in[i - 1]), counts = product_of(shape(in[i]), inner);
        axe::Swizzled<Layout> outer;
        for (const Int n : counts) outer.layout.shard.push_back({n, 1, {}});
        // their order of the tiles: the first dimension fastest but for the outermost of three
        Int stride = 1;
        const int rank = counts.size();
        for (int d = rank == 3 ? 1 : 0; d < rank; ++d) outer.layout.shard[d].stride = stride, stride *= counts[d];
        if (rank == 3) outer.layout.shard[0].stride = stride;
        const auto tiled = axe::tile(outer, counts, tile, inner);
        if (!tiled) return tiled.error();
        tile = *tiled;
    }
    return tile;
}

/// Facts of swizzled layouts.
const std::map<std::string, Ask> asked_swizzled = {
    {"canonicalize", [](const Json& in, const Json& e) { check(axe::canonicalize(swizzled(in[0])), e); }},
    {"tile",
     [](const Json& in, const Json& e) { check(axe::tile(swizzled(in[0]), shape(in[1]), swizzled(in[2]), shape(in[3])), e); }},
    {"tile_chain", [](const Json& in, const Json& e) { check(tile_chain(in), e); }},
    {"untile", [](const Json& in,
                  const Json& e) { check(of(axe::untile(swizzled(in[0]), shape(in[1]), swizzled(in[2]), shape(in[3]))), e); }},
    {"untile-outer",
     [](const Json& in, const Json& e) {
         check(axe::untile_outer(swizzled(in[0]), shape(in[1]), swizzled(in[2]), shape(in[3])), e);
     }},
    {"slice",
     [](const Json& in, const Json& e) { check(axe::slice(swizzled(in[0]), shape(in[1]), read(axe::parse_region, in[2])), e); }},
    {"slice_eval",
     [](const Json& in, const Json& e) {
         const auto part = axe::slice(swizzled(in[0]), shape(in[1]), read(axe::parse_region, in[2]));
         REQUIRE(part);
         check_points(*part, shape(in[3]), e);
     }},
    {"pack",
     [](const Json& in, const Json& e) { check(axe::pack(swizzled(in[0]), read(axe::parse_integer, in[1]), axis(in[2])), e); }},
    {"unpack",
     [](const Json& in, const Json& e) { check(axe::unpack(swizzled(in[0]), read(axe::parse_integer, in[1]), axis(in[2])), e); }},
    {"local", [](const Json& in, const Json& e) { check(axe::local(swizzled(in[0]), read(axe::parse_axes, in[1])), e); }},
    {"size", [](const Json& in, const Json& e) { check(axe::size(swizzled(in[0])), e); }},
    {"span", [](const Json& in, const Json& e) { check(axe::span(swizzled(in[0]), axis(in[1])), e); }},
};

/// Facts of layouts on threads, where theirs fuse or split axes first.
const std::map<std::string, Ask> asked_with_axes = {
    {"fuse",
     [](const Json& in, const Json& e) {
         axe::Result<Layout> l(layout(in[0]));
         for (const Json& row : in[1]) l = axe::fuse_axes(*l, split(row));
         check(l, e);
         for (std::size_t i = in[1].size(); i-- > 0;) l = axe::split_axis(*l, split(in[1][i])); // and back
         REQUIRE(l);
         CHECK(axe::equal(*l, layout(in[0])));
     }},
    {"untile",
     [](const Json& in, const Json& e) {
         const auto split_up = axe::split_axis(layout(in[0]), threads);
         REQUIRE(split_up);
         check(axe::untile(*split_up, shape(in[1]), layout(in[2]), shape(in[3])), e);
     }},
    {"untile-outer",
     [](const Json& in, const Json& e) {
         const auto split_up = axe::split_axis(layout(in[0]), threads);
         REQUIRE(split_up);
         check(axe::untile_outer(*split_up, shape(in[1]), layout(in[2]), shape(in[3])), e);
     }},
    {"slice_fuse_chain",
     [](const Json& in, const Json& e) {
         const auto part = axe::slice(layout(in[0]), shape(in[1]), read(axe::parse_region, in[2]));
         REQUIRE(part);
         const axe::AxisSplit by = split(in[3]);
         const auto fused = axe::fuse_axes(*part, by);
         REQUIRE(fused);
         const auto threads_alone = axe::project(*fused, axe::Layout::Axes{by.whole});
         REQUIRE(threads_alone);
         if (e.contains("axes")) {
             for (const auto& it : fused->shard) CHECK((it.stride == 0 || it.axis == by.whole || it.axis == axe::Axis{}));
         } else if (e.contains("value")) {
             CHECK(axe::span(*fused, by.whole).value() == e["value"].get<Int>());
         } else { // ascending, each stride is the product of the extents below it
             Int extent = 1;
             for (const Int stride : {1, 4, 32})
                 for (const auto& it : threads_alone->shard)
                     if (it.stride == stride) {
                         CHECK(it.stride == extent);
                         extent *= it.extent;
                     }
             CHECK(extent == 128);
         }
     }},
};

} // namespace

TEST_CASE("tirx: the facts of the tests of the paper's implementation")
{
    std::ifstream file(AXE_TEST_DATA "/tirx.jsonl");
    std::map<std::string, int> counts, others;
    int line = 0;
    for (std::string text; std::getline(file, text);) {
        const Json row = Json::parse(text);
        const std::string op = row["op"];
        INFO(++line << " " << row["test"] << " " << op << " " << row["in"] << " " << row["expect"]);
        const bool evaluates = op == "eval" || op == "eval_values" || op == "slice_eval_values";
        const bool swizzled = !evaluates && row["in"].dump().find("swizzle<") != std::string::npos;
        if (row.contains("split")) { // theirs has its axis in two parts
            const auto parts = axe::split_axis(layout(row["in"][0]), split(row["split"]));
            REQUIRE(parts);
            check_values({{}, {}, 1, *parts}, shape(row["in"][1]), row["expect"]);
            ++counts["split " + op];
            continue;
        }
        const auto& table = row.contains("scopes") ? asked_with_axes : swizzled ? asked_swizzled : asked; // `scopes`: of threads
        const std::string kind = (row.contains("scopes") ? "axes " : swizzled ? "swizzled " : "") + op;
        const auto ask = table.find(op);
        if (ask == table.end()) {
            ++others[kind];
            continue;
        }
        ask->second(row["in"], row["expect"]);
        ++counts[kind];
    }
    CHECK(counts == std::map<std::string, int>{{"atom", 11},
                                               {"axes fuse", 5},
                                               {"axes slice_fuse_chain", 6},
                                               {"axes untile", 2},
                                               {"axes untile-outer", 4},
                                               {"canonicalize", 34},
                                               {"eval", 121},
                                               {"eval_values", 44},
                                               {"eval_error", 1},
                                               {"group", 1},
                                               {"group-many", 28},
                                               {"group-many_separators", 19},
                                               {"group_separator", 3},
                                               {"injective", 2},
                                               {"local", 3},
                                               {"local_trivial", 3},
                                               {"pack", 1},
                                               {"parse", 30},
                                               {"permute", 3},
                                               {"same_canonical", 1},
                                               {"size", 1},
                                               {"size_of_local", 1},
                                               {"size_on_axis", 10},
                                               {"slice", 20},
                                               {"slice_eval", 3},
                                               {"slice_eval_values", 2},
                                               {"span", 4},
                                               {"span_of_local", 2},
                                               {"split eval_values", 3},
                                               {"sum", 1},
                                               {"swizzled canonicalize", 2},
                                               {"swizzled local", 1},
                                               {"swizzled pack", 2},
                                               {"swizzled size", 7},
                                               {"swizzled slice", 3},
                                               {"swizzled slice_eval", 2},
                                               {"swizzled span", 5},
                                               {"swizzled tile", 4},
                                               {"swizzled tile_chain", 3},
                                               {"swizzled unpack", 2},
                                               {"swizzled untile", 12},
                                               {"swizzled untile-outer", 9},
                                               {"tile", 12},
                                               {"unpack", 1},
                                               {"unsum-left", 2},
                                               {"unsum-right", 2},
                                               {"untile", 47},
                                               {"untile-outer", 32}});
    // Not asked: quotients of a layout by one of as many elements, in a shape of eight times as many, which here has no point there.
    CHECK(others == std::map<std::string, int>{{"swizzled untile_beyond_the_domain", 2}});
}
