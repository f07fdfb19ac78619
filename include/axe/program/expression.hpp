// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_EXPRESSION_HPP
#define AXE_PROGRAM_EXPRESSION_HPP

#include <axe/program/view.hpp>

namespace axe {
inline namespace v0 {

/// A scalar that a run computes: numbers, variables, scalars of the program, loaded elements, and operations on them. A value is a
/// 64-bit float; integers are exact to 2^53. `floor_div` and `floor_mod` round towards −∞. A condition holds where the value is not 0.
struct Expression {
    enum class Kind : std::uint8_t {
        number,
        affine,
        scalar,
        load, // leaves
        add,
        sub,
        mul,
        div,
        floor_div,
        floor_mod,
        min,
        max, // of two
        equal,
        not_equal,
        less,
        less_equal,
        logical_and,
        logical_or,
        logical_not // 0 or 1
    };
    Kind kind = Kind::number;
    double number = 0;
    Affine affine{};
    int scalar = -1;   ///< place in `Program::scalars`
    KernelTag owner{}; ///< of the scalar
    View element{};    ///< of load: a view of one element
    std::vector<Expression> operands{};

    Expression() = default;
    Expression(double n) : number(n) {}                                // NOLINT(google-explicit-constructor)
    Expression(int n) : number(n) {}                                   // NOLINT(google-explicit-constructor)
    Expression(Affine a) : kind(Kind::affine), affine(std::move(a)) {} // NOLINT(google-explicit-constructor)
    Expression(Var v) : kind(Kind::affine), affine(v) {}               // NOLINT(google-explicit-constructor)
    Expression(Kind k, std::vector<Expression> of) : kind(k), operands(std::move(of)) {}

    friend bool operator==(const Expression&, const Expression&) = default;
};

inline Expression operator+(Expression a, Expression b) { return {Expression::Kind::add, {std::move(a), std::move(b)}}; }
inline Expression operator-(Expression a, Expression b) { return {Expression::Kind::sub, {std::move(a), std::move(b)}}; }
inline Expression operator*(Expression a, Expression b) { return {Expression::Kind::mul, {std::move(a), std::move(b)}}; }
inline Expression operator/(Expression a, Expression b) { return {Expression::Kind::div, {std::move(a), std::move(b)}}; }
inline Expression floor_div(Expression a, Expression b) { return {Expression::Kind::floor_div, {std::move(a), std::move(b)}}; }
inline Expression floor_mod(Expression a, Expression b) { return {Expression::Kind::floor_mod, {std::move(a), std::move(b)}}; }
inline Expression operator<(Expression a, Expression b) { return {Expression::Kind::less, {std::move(a), std::move(b)}}; }
inline Expression operator<=(Expression a, Expression b) { return {Expression::Kind::less_equal, {std::move(a), std::move(b)}}; }
inline Expression equals(Expression a, Expression b) { return {Expression::Kind::equal, {std::move(a), std::move(b)}}; }
inline Expression differs(Expression a, Expression b) { return {Expression::Kind::not_equal, {std::move(a), std::move(b)}}; }
inline Expression both(Expression a, Expression b) { return {Expression::Kind::logical_and, {std::move(a), std::move(b)}}; }
inline Expression either(Expression a, Expression b) { return {Expression::Kind::logical_or, {std::move(a), std::move(b)}}; }
inline Expression negation(Expression a) { return {Expression::Kind::logical_not, {std::move(a)}}; }

} // namespace v0
} // namespace axe

#endif
