// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/expression.hpp>
#include <catch.hpp>
#include <tests/random.hpp>

using axe::errc;
using axe::IndexExpr;
using axe::IndexOp;
using axe::IndexPool;

TEST_CASE("equal expressions are one node")
{
    IndexPool pool;
    const IndexExpr x = pool.variable(0), y = pool.variable(1);
    CHECK(pool.variable(0) == x);
    CHECK(!(x == y));
    CHECK(pool.add(pool.mul(x, 3), y) == pool.add(pool.mul(x, 3), y));
    CHECK(!(pool.add(x, y) == pool.add(y, x))); // nothing is rearranged
    const auto before = pool.size();
    for (int i = 0; i < 100; ++i) (void)pool.mod(pool.floor_div(x, 4), 3);
    CHECK(pool.size() == before + 2);
}

TEST_CASE("what is constant or neutral is folded")
{
    IndexPool pool;
    const IndexExpr x = pool.variable(0);
    CHECK(pool.add(x, 0) == x);
    CHECK(pool.add(pool.constant(0), x) == x);
    CHECK(pool.mul(x, 1) == x);
    CHECK(pool.mul(pool.constant(1), x) == x);
    CHECK(pool.is_constant(pool.mul(x, 0), 0));
    CHECK(pool.is_constant(pool.mul(pool.constant(0), x), 0));
    CHECK(pool.floor_div(x, 1) == x);
    CHECK(pool.is_constant(pool.mod(x, 1), 0));
    CHECK(pool.is_constant(pool.mod(x, -1), 0));
    CHECK(pool.is_constant(pool.add(pool.constant(2), 3), 5));
    CHECK(pool.is_constant(pool.mul(pool.constant(2), -3), -6));
    CHECK(pool.is_constant(pool.floor_div(pool.constant(-7), 2), -4));
    CHECK(pool.is_constant(pool.mod(pool.constant(-7), 2), 1));
    CHECK(pool.is_constant(pool.mod(pool.constant(7), -2), -1));
    CHECK(pool.is_constant(pool.sub(pool.constant(7), pool.constant(9)), -2));
    CHECK(pool[pool.add(pool.constant(4), x)].right == pool.constant(4)); // constants stand on the right
    CHECK(pool[pool.sub(x, pool.variable(1))].op == IndexOp::add);
    CHECK(pool.error().ok());
}

TEST_CASE("the first mistake of a maker stays")
{
    {
        IndexPool pool;
        (void)pool.floor_div(pool.variable(0), 0);
        CHECK(pool.error().code == errc::bad_argument);
        (void)pool.mul(pool.constant(INT64_MAX), 2);
        CHECK(pool.error().code == errc::bad_argument);
    }
    {
        IndexPool pool;
        (void)pool.mod(pool.variable(0), 0);
        CHECK(pool.error().code == errc::bad_argument);
    }
    {
        IndexPool pool;
        (void)pool.add(pool.constant(INT64_MAX), 1);
        CHECK(pool.error().code == errc::overflow);
    }
    {
        IndexPool pool;
        (void)pool.floor_div(pool.constant(INT64_MIN), -1);
        CHECK(pool.error().code == errc::overflow);
    }
}

TEST_CASE("substitution keeps what is shared, at any depth")
{
    IndexPool from;
    const IndexExpr x = from.variable(0);
    IndexExpr e = x, deep = x;
    for (int i = 0; i < 60; ++i) e = from.add(e, e); // 2^60 x
    for (int i = 0; i < 100'000; ++i) deep = from.mod(from.add(deep, 1), 1000);

    IndexPool to;
    std::vector<IndexExpr> copies;
    const std::vector<IndexExpr> replacement{to.add(to.variable(2), 7)};
    const IndexExpr made = to.substitute(from, e, replacement, copies);
    CHECK(to.size() == 3 + 60);
    CHECK(to[made].left == to[made].right);
    const IndexExpr copied = to.substitute(from, deep, replacement, copies);
    CHECK(to[copied].op == IndexOp::mod);
    CHECK(to.substitute(from, e, replacement, copies) == made);
}

TEST_CASE("substitution folds what becomes constant")
{
    IndexPool from;
    const IndexExpr e = from.add(from.mul(from.variable(0), from.variable(1)), from.mod(from.variable(0), 5));
    IndexPool to;
    std::vector<IndexExpr> copies;
    const std::vector<IndexExpr> replacement{to.constant(7), to.constant(-3)};
    CHECK(to.is_constant(to.substitute(from, e, replacement, copies), -19));
}

TEST_CASE("a pool with room for its nodes has the same nodes")
{
    IndexPool plain, with_room;
    const IndexExpr first = with_room.variable(0);
    REQUIRE(plain.variable(0) == first);
    with_room.reserve(100);
    with_room.reserve(10); // less than there is: nothing changes
    CHECK(with_room.size() == 1);
    CHECK(with_room.variable(0) == first); // found, not made again
    for (int i = 1; i < 200; ++i) {        // and beyond the room
        const IndexExpr x = plain.add(plain.floor_div(plain.variable(i % 3), i), i);
        REQUIRE(with_room.add(with_room.floor_div(with_room.variable(i % 3), i), i) == x);
        REQUIRE(with_room[x] == plain[x]);
    }
    CHECK(with_room.size() == plain.size());
}
