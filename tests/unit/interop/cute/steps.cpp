// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/cute/composition.hpp>
#include <axe/interop/cute/steps.hpp>
#include <axe/interop/cute/text.hpp>
#include <catch.hpp>

#include <limits>
#include <string>

namespace {

using namespace axe::literals;
using namespace axe::cute;
using namespace axe::cute::detail;

/// The pieces of n steps of t through a layout; empty where it is not said.
std::string pieces(Steps& steps, Int n, Int t)
{
    Layout out;
    FlatMode mode(out);
    if (!steps.put(n, t, mode) || !mode.finish()) return "";
    return print(out).c_str();
}
std::string pieces(const Layout& l, Int n, Int t)
{
    Steps steps(whole(l));
    return pieces(steps, n, t);
}

} // namespace

TEST_CASE("cute steps: pieces of a walk through a layout")
{
    CHECK(pieces("(4,8):(8,1)"_cute, 4, 1) == "4:8");
    CHECK(pieces("(4,8):(8,1)"_cute, 8, 2) == "(2,4):(16,1)");
    CHECK(pieces("(4,8):(8,1)"_cute, 3, 8) == "3:2");
    CHECK(pieces("(4,8):(8,1)"_cute, 3, 1) == "3:8");
    CHECK(pieces("(4,8):(8,1)"_cute, 6, 1).empty()); // 6 = 4 + 2
    CHECK(pieces("(4,8):(8,1)"_cute, 2, 3) == "2:24");
    CHECK(pieces("(4,8):(8,1)"_cute, 4, 3).empty());
    CHECK(pieces("(4,8):(8,1)"_cute, 2, 6).empty());
    CHECK(pieces("(4,8):(8,1)"_cute, 5, 0) == "5:0");
    CHECK(pieces("(4,8):(8,1)"_cute, 64, 1) == "(4,16):(8,1)"); // runs on
    CHECK(pieces("(4,2,3):(1,4,9)"_cute, 16, 1) == "(8,2):(1,9)");
    CHECK(pieces("(4,1):(8,3)"_cute, 8, 1) == "(4,2):(8,3)"); // the last leaf, of extent 1, runs on
    CHECK(pieces("((4,6),()):((1@0,1@1),())"_cute, 8, 2) == "(2,4):(2@0,1@1)");
    CHECK_FALSE(Steps(whole("():()"_cute)).sound);
}

TEST_CASE("cute steps: several walks must not carry into one another")
{
    Steps steps(whole("(8,8):(8,1)"_cute));
    CHECK(pieces(steps, 4, 2) == "4:16");
    CHECK(pieces(steps, 2, 1) == "2:8"); // 6 + 1 < 8
    CHECK(pieces(steps, 2, 1).empty());  // 6 + 1 + 1
    Steps full(whole("(8,8):(8,1)"_cute));
    CHECK(pieces(full, 8, 1) == "8:8");
    CHECK(pieces(full, 2, 4).empty());
    CHECK(pieces(full, 100, 8) == "100:1");
}

TEST_CASE("cute steps: nothing is said where a number overflows")
{
    constexpr Int most = std::numeric_limits<Int>::max();
    Layout l;
    put_leaf(l, 1, -most - 1);
    CHECK_FALSE(Steps(whole(l)).sound);
    l.nodes.clear();
    put_leaf(l, 2, most / 2);
    CHECK(pieces(l, 2, 1) == "2:4611686018427387903");
    CHECK(pieces(l, 4, 1).empty());
    CHECK(pieces(l, most, most).empty());
    // composition then says which
    CHECK(composition(l, "4:1"_cute).code() == axe::errc::overflow);
}
