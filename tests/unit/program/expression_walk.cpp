// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/program/expression_walk.hpp>
#include <catch.hpp>

#include <string>

using namespace axe;

namespace {

Expression sample() { return (Expression(1) + Expression(2)) * (Expression(3) - negation(Expression(4))); }

} // namespace

TEST_CASE("a walk comes to each node before its operands, from left to right, and ends where it is told to",
          "[program][expression]")
{
    std::string order;
    for_each_node(sample(), [&](const Expression& e) {
        order += e.kind == Expression::Kind::number ? std::to_string(static_cast<int>(e.number)) : "*";
    });
    CHECK(order == "**12*3*4");
    int calls = 0;
    CHECK(for_each_node(sample(), [&](const Expression& e) { return ++calls, e.number == 2; }));
    CHECK(calls == 4);
    CHECK(!for_each_node(sample(), [&](const Expression& e) { return e.number == 7; }));
    CHECK(for_each_node(Expression(5), [&](const Expression& e) { return e.number == 5; }));
}

TEST_CASE("a fold gives each node the values of its operands, and ends where it is told to", "[program][expression]")
{
    const auto value = [](const Expression& e, const int* x, int& out) {
        using Kind = Expression::Kind;
        if (e.number == -9) return false;
        out = e.kind == Kind::number ? static_cast<int>(e.number)
              : e.kind == Kind::add  ? x[0] + x[1]
              : e.kind == Kind::sub  ? x[0] - x[1]
              : e.kind == Kind::mul  ? x[0] * x[1]
                                     : -x[0];
        return true;
    };
    int out = 0;
    CHECK(fold(sample(), value, out));
    CHECK(out == 21);
    CHECK(!fold(sample() + Expression(-9), value, out));
    // Deep on both sides, where the stack is its own.
    Expression left = 0, right = 0;
    for (int i = 0; i < 1000; ++i) {
        left = left - Expression(i);
        right = Expression(i) - right;
    }
    CHECK(fold(left * Expression(2) + right, value, out));
    CHECK(out == -999'000 + 500);
    CHECK(!fold(left + Expression(-9), value, out));
    CHECK(!fold(Expression(-9) + left, value, out));
}

TEST_CASE("operands are shared, compared by value, and never changed", "[program][expression]")
{
    const Expression a = sample(), b = sample(), c = a;
    CHECK(a == b);
    CHECK(a.operands.begin() == c.operands.begin());
    CHECK(a.operands.begin() != b.operands.begin());
    CHECK(!(a == sample() + Expression(0)));
    CHECK(!((Expression(1) + Expression(2)) == (Expression(1) + Expression(3))));
    CHECK(!(Expression(Expression::Kind::add, {1}) == Expression(Expression::Kind::add, {1, 2})));
    CHECK(a.nodes() == 8);
    CHECK(a.operands.depth() == 3);
    CHECK(Expression(3).operands.empty());
    CHECK(Expression(3).operands.depth() == 0);
    CHECK(a.operands.size() == 2);
    CHECK(static_cast<std::size_t>(a.operands.end() - a.operands.begin()) == 2);
}
