// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/cute/modes.hpp>
#include <axe/interop/cute/text.hpp>
#include <catch.hpp>

#include <string>

namespace {

using namespace axe::literals;
using namespace axe::cute;
using namespace axe::cute::detail;

Layout layout_of(const Part& part)
{
    Layout out;
    REQUIRE(put_part(out, part));
    return out;
}
Layout flat(std::initializer_list<Leaf> leaves)
{
    Layout out;
    FlatMode mode(out);
    for (const Leaf& leaf : leaves) mode.put(leaf);
    REQUIRE(mode.finish());
    return out;
}

} // namespace

TEST_CASE("cute modes: the parts of a tree")
{
    constexpr auto l = "((2,4),8,(),((3))):((1,16),2,(),((64)))"_cute;
    const Part all = whole(l);
    CHECK(all.rank() == 4);
    CHECK(all.is_tuple());
    const char* const texts[] = {"(2,4):(1,16)", "8:2", "():()", "((3)):((64))"};
    int i = 0;
    for (Modes modes(all); !modes.done(); ++i) CHECK(std::string(print(layout_of(modes.next())).c_str()) == texts[i]);
    CHECK(i == 4);
    CHECK(layout_of(mode_of(all, 3)) == "((3)):((64))"_cute);
    CHECK(size_of(all) == 192);

    const Layout lone = "8:2"_cute; // its own and only mode
    Modes modes(whole(lone));
    CHECK(layout_of(modes.next()) == lone);
    CHECK(modes.done());
    const Layout none = "():()"_cute;
    CHECK(Modes(whole(none)).done());
    CHECK(size_of(whole(none)) == 1);
}

TEST_CASE("cute modes: a basis is an axis, and back")
{
    for (const Basis& basis : {Basis{}, Basis{0}, Basis{0, 0}, Basis{0, 0, 0}, Basis{2097150, 0, 2097150}})
        CHECK(basis_of(axis_of(basis)) == basis);
    CHECK(axis_of(Basis{}) == axe::Axis{});
    CHECK_FALSE(axis_of(Basis{0}) == axis_of(Basis{0, 0}));
    CHECK(Basis{1, 2}.path[0] == 1);
    CHECK(Basis{1, 2}.path[1] == 2);
    CHECK(Basis{1, 2}.path.size() == 2);
    Basis basis{5};
    CHECK(basis.path.push_front(4));
    CHECK(basis.path.push_back(6));
    CHECK(basis == Basis{4, 5, 6});
    CHECK_FALSE(basis.path.push_back(7));
    CHECK_FALSE(Basis{}.path.push_back(-1));
    CHECK_FALSE(Basis{}.path.push_front(2097151));
    CHECK(Basis{-1}.path.is_none());
    CHECK(Basis{0, 0, 0, 0}.path.is_none());
    CHECK_FALSE(Basis{2097150, 2097150, 2097150}.path.is_none());
}

TEST_CASE("cute modes: a mode is coalesced as it is written")
{
    CHECK(flat({}) == "1:0"_cute);
    CHECK(flat({{1, 5}, {1, 7}}) == "1:0"_cute);
    CHECK(flat({{4, 2}}) == "4:2"_cute);
    CHECK(flat({{4, 2}, {1, 9}, {3, 8}}) == "12:2"_cute);
    CHECK(flat({{4, 2}, {3, 9}, {2, 27}}) == "(4,6):(2,9)"_cute);
    CHECK(flat({{4, 0}, {3, 0}}) == "12:0"_cute);
    CHECK(flat({{4, 0, {1}}, {3, 0}}) == "12:0"_cute); // what does not move has no basis
    CHECK(flat({{4, 1, {1}}, {3, 4, {1}}}) == "12:1@1"_cute);
    CHECK(flat({{4, 1, {1}}, {3, 4, {2}}}) == "(4,3):(1@1,4@2)"_cute);
    CHECK(flat({{Int{1} << 40, Int{1} << 20}, {2, Int{1} << 60}}) == flat({{Int{1} << 41, Int{1} << 20}}));

    Layout apart;
    FlatMode mode(apart);
    mode.put_apart(4, 1);
    mode.put_apart(2, 4);
    CHECK(mode.finish());
    CHECK(apart == "(4,2):(1,4)"_cute);
}

TEST_CASE("cute modes: a tree that is full says so")
{
    Layout full;
    REQUIRE(put_tuple(full, Layout::max_nodes - 1));
    for (int i = 1; i < Layout::max_nodes; ++i) REQUIRE(put_leaf(full, 2, 1));
    CHECK_FALSE(put_leaf(full, 2, 1));
    CHECK_FALSE(put_tuple(full, 0));
    CHECK_FALSE(put_part(full, whole(full)));
    full.nodes.pop_back();
    FlatMode one(full); // one leaf has room, two have not
    one.put(4, 1);
    CHECK(one.finish());
    full.nodes.pop_back();
    FlatMode two(full);
    two.put(4, 1);
    two.put(4, 9);
    CHECK_FALSE(two.finish());
}
