// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/cute/composition.hpp>
#include <axe/interop/cute/text.hpp>
#include <axe/interop/cute/tiler.hpp>
#include <catch.hpp>

#include <string>

namespace {

using namespace axe::literals;
using namespace axe::cute;

/// <<2,_>,3:1>: node 1 is a tuple of tilers, not a layout; item 1, counted through it, is `_`.
constexpr Tiler nested{"((2,8),3):((1,1),1)"_cute, 2, 2};

std::string words(const axe::Error& e) { return e.message().c_str(); }

} // namespace

TEST_CASE("cute tiler: items are counted through the tuples of tilers")
{
    detail::TilerPlace at;
    CHECK(detail::is_nested(nested, at));
    int items = 0;
    const Layout l = "((4,8),6):((1,4),32)"_cute;
    REQUIRE(detail::open_tuple(nested, at, detail::whole(l), items).ok());
    CHECK(items == 2);
    CHECK(detail::is_nested(nested, at));
    REQUIRE(detail::open_tuple(nested, at, detail::mode_of(detail::whole(l), 0), items).ok());
    CHECK_FALSE(detail::is_nested(nested, at));
    CHECK_FALSE(detail::keeps(nested, at));
    CHECK(detail::next_item(nested, at).nodes[0].leaf.extent == 2);
    CHECK(detail::keeps(nested, at));
    CHECK(detail::next_item(nested, at).nodes[0].leaf.extent == 8);
    CHECK_FALSE(detail::keeps(nested, at));
    CHECK(detail::next_item(nested, at).nodes[0].leaf.extent == 3);
    CHECK(at.node == nested.items.nodes.size());
    CHECK(at.item == 3);
}

TEST_CASE("cute tiler: composition, tuple in tuple")
{
    constexpr auto l = "((4,8),6,5):((1,4),32,192)"_cute;
    // without nesting the first item is one layout, over all of the first mode
    CHECK(*composition(l, Tiler{"((2,8),3):((1,4),1)"_cute, 0, 0}) == "((2,8),3):((1,4),32)"_cute);
    CHECK(*composition(l, Tiler{"((2,4),3):((2,1),1)"_cute, 0, 2}) == "((2,4),3):((2,4),32)"_cute);
    CHECK(*composition(l, nested) == "((2,8),3):((1,4),32)"_cute); // the fifth mode is dropped, the second of the first kept
    CHECK(*composition(l, Tiler{"((2)):((3))"_cute, 0, 2}) == "((2)):((3))"_cute); // of the first mode's first only
    CHECK(*composition("(4,6):(1,4)"_cute, Tiler{"((2),3):((1),1)"_cute, 0, 2}) ==
          "((2),3):((1),4)"_cute); // a lone leaf is its mode
}

TEST_CASE("cute tiler: what does not fit is refused, at every level")
{
    constexpr auto l = "((4,8),6):((1,4),32)"_cute;
    CHECK(words(composition(l, Tiler{"(2,2,2):(1,1,1)"_cute, 0, 0}).error()) == "the tiler has 3 items, the layout 2 modes");
    CHECK(words(composition(l, Tiler{"((2,2,2),2):((1,1,1),1)"_cute, 0, 2}).error()) ==
          "the tiler has 3 items, the layout 2 modes");
    CHECK(words(composition(l, Tiler{"4:1"_cute, 0, 0}).error()) == "a tiler is a tuple of layouts; this one is a single leaf");
    CHECK(words(composition(l, Tiler{"(2,3):(1,1)"_cute, 0, 4}).error()) ==
          "a tiler is a tuple of layouts; this one is a single leaf");
    CHECK(composition(l, Tiler{"((3,2),3):((3,1),1)"_cute, 0, 2}).has_value());
    CHECK(composition(l, Tiler{Layout{}, 0, 0}).code() == axe::errc::capacity);
    CHECK(composition(Layout{}, nested).code() == axe::errc::capacity);
}
