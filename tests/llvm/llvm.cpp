// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/llvm.hpp>
#include <axe/text/literals.hpp>
#include <catch.hpp>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/Support/FormatVariadic.h>
#include <tests/random.hpp>

#include <cstdint>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace axe::literals;

template <class T>
std::string written(const T& value)
{
    std::string out;
    llvm::raw_string_ostream stream(out);
    stream << value;
    return stream.str();
}

template <class T>
llvm::FoldingSetNodeID profile(const T& value)
{
    llvm::FoldingSetNodeID id;
    id.Add(value);
    return id;
}

/// A node of a FoldingSet, as a pass makes its encodings unique.
struct Encoding : llvm::FoldingSetNode {
    axe::Layout layout;
    explicit Encoding(const axe::Layout& l) : layout(l) {}
    void Profile(llvm::FoldingSetNodeID& id) const { id.Add(layout); }
};

template <class T>
using Info = llvm::DenseMapInfo<T>;

/// What must hold of any list of different values of one type.
template <class T>
void check_keys(const std::vector<T>& values)
{
    const T reserved[] = {Info<T>::getEmptyKey(), Info<T>::getTombstoneKey()};
    CHECK(Info<T>::isEqual(reserved[0], Info<T>::getEmptyKey()));
    CHECK(Info<T>::isEqual(reserved[1], Info<T>::getTombstoneKey()));
    CHECK_FALSE(Info<T>::isEqual(reserved[0], reserved[1]));
    llvm::DenseMap<T, std::size_t> map;
    for (std::size_t i = 0; i < values.size(); ++i) {
        INFO(written(values[i]));
        for (const T& r : reserved) CHECK_FALSE(Info<T>::isEqual(values[i], r));
        CHECK(map.try_emplace(values[i], i).second);
        CHECK_FALSE(map.try_emplace(T(values[i]), i).second);
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        INFO(written(values[i]));
        CHECK(map.lookup(values[i]) == i);
        for (std::size_t k = 0; k < values.size(); ++k) CHECK((profile(values[i]) == profile(values[k])) == (i == k));
    }
    for (std::size_t i = 0; i < values.size(); i += 2) CHECK(map.erase(values[i])); // leaves tombstones
    for (std::size_t i = 0; i < values.size(); ++i) CHECK(map.count(values[i]) == i % 2);
}

template <class T>
concept can_view = requires(T&& list) { axe::array_ref(static_cast<T&&>(list)); };

constexpr auto big = std::int64_t{1} << 60;

} // namespace

TEST_CASE("llvm::ArrayRef and llvm::SmallVector of a shape, and back")
{
    const llvm::SmallVector<std::int64_t> extents{8, 1, big / 8};
    const auto shape = axe::shape_from_array(extents);
    REQUIRE(shape);
    CHECK(*shape == axe::Shape{8, 1, big / 8});
    CHECK(axe::array_ref(*shape) == llvm::ArrayRef<std::int64_t>(extents));
    CHECK(axe::array_ref(*shape).data() == shape->items); // a view
    CHECK(axe::small_vector(*shape) == extents);
    CHECK(axe::shape_from_array({}).value().empty());
    static_assert(!can_view<axe::Shape> && can_view<const axe::Shape&>); // a view of a temporary would outlive it
    const axe::Layout layout = "(8,2):(4@lane,1)"_axe;
    REQUIRE(axe::array_ref(layout.shard).size() == 2);
    CHECK(axe::array_ref(layout.shard)[0] == axe::Iter{8, 4, "lane"});

    CHECK(axe::shape_from_array({4, 0}).code() == axe::errc::bad_extent);
    CHECK(axe::shape_from_array({4, std::numeric_limits<std::int64_t>::min()}).code() == axe::errc::bad_extent); // dynamic, to MLIR
    CHECK(axe::shape_from_array({big, 8}).code() == axe::errc::overflow);
    const llvm::SmallVector<std::int64_t> ones(16, 1);
    CHECK(axe::shape_from_array(ones).value().size() == 16);
    const auto many = axe::shape_from_array(llvm::SmallVector<std::int64_t>(17, 1));
    CHECK(many.code() == axe::errc::capacity);
    CHECK(written(many) == "capacity: a shape has at most 16 dimensions, this one has 17");
    axe::Shape overfull;
    for (int i = 0; i < 20; ++i) overfull.push_back(i);
    CHECK(axe::array_ref(overfull).size() == 16); // what it holds
    CHECK(axe::small_vector(overfull).size() == 16);
}

TEST_CASE("A layout from extents and strides of LLVM's lists")
{
    CHECK(axe::layout_from_strides({4, 8}, {8, 1}).value() == "(4,8):(8,1)"_axe);
    CHECK(axe::layout_from_strides({4, 1, 8}, {-8, 5, 0}, 24, "smem").value() == "(4,1,8):(-8@smem,5@smem,0@smem) + 24@smem"_axe);
    CHECK(axe::layout_from_strides({}, {}, 7).value() == "():() + 7@m"_axe);
    const auto uneven = axe::layout_from_strides({4, 8}, {1});
    CHECK(uneven.code() == axe::errc::rank_mismatch);
    CHECK(written(uneven) == "rank_mismatch: the shape has 2 dimensions, but there is 1 stride");
    CHECK(axe::layout_from_strides({0}, {1}).code() == axe::errc::bad_extent);
    CHECK(axe::layout_from_strides({big}, {big}).code() == axe::errc::overflow);
    const llvm::SmallVector<std::int64_t> many(17, 1);
    CHECK(axe::layout_from_strides(many, many).code() == axe::errc::capacity);
}

TEST_CASE("raw_ostream writes values as they are printed")
{
    CHECK(written("(8,2):(4@lane,1) + [2:4@warp] + 5@warp"_axe) == "(8,2):(4@lane,1) + [2:4@warp] + 5@warp");
    CHECK(written(axe::BasicLayout<std::int32_t, 4, 2, 2>{{{8, 1}}}) == "8:1");
    CHECK(written("(8|2):(2|1)"_grouped) == "(8|2):(2|1)");
    CHECK(written("swizzle<3,4,3>(8:1)"_swizzled) == "swizzle<3,4,3>(8:1)");
    CHECK(written(axe::Shape{64, 128}) == "(64,128)");
    CHECK(written(axe::Region{{0, 32}}) == "[0:32]");
    CHECK(written(axe::Point{{"warp", 6}, {"lane", 8}}) == "{lane:8, warp:6}");
    CHECK(written(axe::Iter{8, 1, "lane"}) == "8:1@lane");
    CHECK(written(axe::Axis{"lane"}) == "lane");
    CHECK(written(axe::errc::too_hard) == "too_hard");
    CHECK(written(axe::pretty("8:1"_axe)) == "( 8 )\n( 1 )");
    CHECK(llvm::formatv("{0} and {1}", "8:1"_axe, axe::Axis{"P"}).str() == "8:1 and P");
    CHECK(llvm::formatv("{0,8}|", "8:1"_axe).str() == "     8:1|");
}

TEST_CASE("raw_ostream writes results, decisions and what went wrong")
{
    CHECK(written(axe::slice("(5,2):(1@P,5@P)"_axe, {10}, {{3, 7}})) == "(2,2):(1@P,-4@P) + 6@P");
    CHECK(written(axe::group("8:1"_axe, {3})) == "size_mismatch: the shape has 3 elements, the layout 8");
    CHECK(written(axe::group("8:1"_axe, {3}).error()) == "size_mismatch: the shape has 3 elements, the layout 8");
    CHECK(written(axe::size("8:1"_axe)) == "8"); // of a number
    CHECK(written(axe::check("8:1"_axe)) == "ok");
    CHECK(written(axe::check(axe::Layout{{{0, 1}}})) == "bad_extent: the extent of iter 0 is 0; it must be at least 1");
    CHECK(written(axe::equal("8:1"_axe, "8:1"_axe)) == "yes");
    CHECK(written(axe::equal("(4,2):(2,1)"_axe, "(4,2):(1,4)"_axe)) == "no at 1");
    CHECK(written(axe::Decision(false)) == "no");
    CHECK(written(axe::admits("8:1"_axe, {0})) == "undecided: bad_extent: dimension 0 of the shape is 0; it must be at least 1");
}

TEST_CASE("DenseMap and FoldingSet take values as keys, and none is one that LLVM reserves")
{
    check_keys<axe::Axis>({"m", "a", "lane", "m0", "zzzzzzzzzzzzzzz", "zzzzzzzzzzzzzzy"});
    check_keys<axe::Shape>({{}, {0}, {1}, {1, 1}, {-1}, {big}, {0, 0}, {1, 0}, {0, 1}});
    check_keys<axe::Region>({{}, {{0, 1}}, {{0, 1}, {0, 1}}, {{1, 0}}});
    check_keys<axe::Iter>({{1, 0}, {0, 1}, {1, 0, "lane"}, {big, -big}});
    check_keys<axe::Point>({{}, {{"lane", 1}}, {{"warp", 1}}, {{"lane", 1}, {"warp", 1}}, {{"lane", -1}}});
    check_keys<axe::Grouped<axe::Layout>>({"(8|2):(2|1)"_grouped, "(8,2|):(2,1|)"_grouped, "(8|2|):(2|1|)"_grouped});
    check_keys<axe::Swizzled<axe::Layout>>({"8:1"_swizzled, "swizzle<1,4,3>(8:1)"_swizzled, "swizzle<1,3,4>(8:1)"_swizzled,
                                            "swizzle<1,4,3>@smem(8:1)"_swizzled, "swizzle<1,4,3>/2(8:1)"_swizzled,
                                            "swizzle<1,4,3>(8:2)"_swizzled});
    check_keys<axe::Layout>({{},
                             "8:1"_axe,
                             "8:-1"_axe,
                             "8:1@lane"_axe,
                             "(8,1):(1,0)"_axe,
                             "():() + [8:1]"_axe,
                             "():() + 8@m"_axe,
                             "8:1 + [2:1]"_axe,
                             "8:1 + 1@m"_axe,
                             axe::Layout{{{big, 8}}},
                             axe::Layout{{{0, 0}}}});
    check_keys<axe::BasicLayout<std::int32_t, 4, 2, 2>>({{}, {{{8, 1}}}, {{{8, -1}}}});
}

TEST_CASE("The keys that LLVM reserves are not layouts")
{
    for (const axe::Layout& key : {Info<axe::Layout>::getEmptyKey(), Info<axe::Layout>::getTombstoneKey()}) {
        CHECK(axe::check(key).code() == axe::errc::capacity);
        for (int items = 0; items <= 40; ++items) { // nor is one made by appending more than there is room for
            axe::Layout appended;
            for (int i = 0; i < items; ++i) appended.shard.push_back({0, 0});
            CHECK_FALSE(key == appended);
        }
    }
    for (const axe::Shape& key : {Info<axe::Shape>::getEmptyKey(), Info<axe::Shape>::getTombstoneKey()})
        CHECK(axe::volume(key).code() == axe::errc::capacity);
    for (const axe::Axis& key : {Info<axe::Axis>::getEmptyKey(), Info<axe::Axis>::getTombstoneKey()}) {
        const auto name = key.name();
        CHECK(axe::Axis::make(name.c_str(), 15).code() == axe::errc::bad_axis);
    }
}

TEST_CASE("hash_combine takes values, and equal values have one hash")
{
    CHECK(llvm::hash_combine("8:1"_axe, 1) == llvm::hash_combine("8:1"_axe, 1));
    CHECK_FALSE(llvm::hash_combine("8:1"_axe) == llvm::hash_combine("8:2"_axe));
    CHECK_FALSE(llvm::hash_combine(axe::Shape{1, 2}) == llvm::hash_combine(axe::Shape{2, 1}));
    CHECK_FALSE(llvm::hash_combine(axe::Axis{"lane"}) == llvm::hash_combine(axe::Axis{"warp"}));
    CHECK_FALSE(llvm::hash_combine("swizzle<1,4,3>(8:1)"_swizzled) == llvm::hash_combine("8:1"_swizzled));
    CHECK_FALSE(llvm::hash_combine(axe::Point{{"lane", 1}}) == llvm::hash_combine(axe::Point{}));

    // An axis with the coordinate 0 is not there.
    const axe::Layout zero = axe::Layout{{{8, 1}}, {}, {{"lane", 0}}}, plain = "8:1"_axe;
    REQUIRE(zero == plain);
    CHECK(Info<axe::Layout>::getHashValue(zero) == Info<axe::Layout>::getHashValue(plain));
    CHECK(profile(zero) == profile(plain));
    CHECK(profile(axe::Point{{"lane", 0}, {"warp", 2}}) == profile(axe::Point{{"warp", 2}}));

    // What a list holds past its end is no part of it.
    axe::Shape used{1, 2, 3};
    used.count = 2;
    CHECK(Info<axe::Shape>::getHashValue(used) == Info<axe::Shape>::getHashValue({1, 2}));
    CHECK(profile(used) == profile(axe::Shape{1, 2}));
}

TEST_CASE("Random layouts: a map of LLVM has as many keys as there are values")
{
    laws::Random random(2026);
    laws::Kind kind;
    kind.axes = 3;
    kind.extent_one = kind.replicas = kind.offset = true;
    llvm::DenseMap<axe::Layout, std::string> map;
    llvm::FoldingSet<Encoding> unique;
    std::vector<std::unique_ptr<Encoding>> nodes;
    std::set<std::string> texts;
    for (int i = 0; i < 2000; ++i) {
        axe::Layout layout = laws::random_layout(random, kind);
        layout.offset.drop_zeros();
        const std::string text = written(layout);
        const bool is_new = texts.insert(text).second;
        INFO(text);
        CHECK(map.try_emplace(layout, text).second == is_new);
        CHECK(map.lookup(layout) == text);
        nodes.push_back(std::make_unique<Encoding>(layout));
        const Encoding* kept = unique.GetOrInsertNode(nodes.back().get());
        CHECK((kept == nodes.back().get()) == is_new);
        CHECK(kept->layout == layout);
    }
    CHECK(map.size() == texts.size());
    CHECK(unique.size() == texts.size());
    CHECK(texts.size() > 1000);
}

TEST_CASE("What the reference page shows")
{
    std::string text;
    llvm::raw_string_ostream out(text);
    llvm::DenseMap<axe::Layout, unsigned> aliases;
    const auto rows = axe::layout_from_strides({8, 16}, {16, 1});
    for (const axe::Layout& layout : {*rows, "(8,16):(16@lane,1@reg)"_axe, *rows})
        if (aliases.try_emplace(layout, aliases.size()).second) out << "#" << aliases.lookup(layout) << " = " << layout << "\n";
    out << axe::shape_from_array({8, 0}) << "\n" << axe::equal(*rows, "(8,16):(1,8)"_axe) << "\n";
    CHECK(out.str() == "#0 = (8,16):(16,1)\n"
                       "#1 = (8,16):(16@lane,1@reg)\n"
                       "bad_extent: dimension 1 of the shape is 0; it must be at least 1\n"
                       "no at 1\n");
}
