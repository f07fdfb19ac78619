// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_EXPRESSION_HPP
#define AXE_PROGRAM_EXPRESSION_HPP

#include <axe/program/view.hpp>

#include <memory>

namespace axe {
inline namespace v0 {

struct Expression;

/// The operands of an expression: never changed, and shared by all copies of it, so that a copy costs the same however large the
/// expression is. Read like a vector.
class ExpressionOperands {
  public:
    ExpressionOperands() = default;
    ExpressionOperands(std::vector<Expression> operands); // NOLINT(google-explicit-constructor): they are written as a list
    ExpressionOperands(std::initializer_list<Expression> operands);

    [[nodiscard]] std::size_t size() const noexcept;
    [[nodiscard]] bool empty() const noexcept { return node_ == nullptr; }
    [[nodiscard]] const Expression* begin() const noexcept;
    [[nodiscard]] const Expression* end() const noexcept;
    /// @pre i < size()
    [[nodiscard]] const Expression& operator[](std::size_t i) const noexcept;
    /// Of the whole tree below, a shared part as often as it is used; at most 2^61.
    [[nodiscard]] std::int64_t nodes() const noexcept;
    /// Operations on the longest way down; 0 without operands.
    [[nodiscard]] int depth() const noexcept;
    /// Cost: linear in nodes, nothing for operands that are shared; no recursion.
    friend bool operator==(const ExpressionOperands& a, const ExpressionOperands& b);

  private:
    struct Node;
    static void release(const Node* node) noexcept;
    std::shared_ptr<const Node> node_{};
};

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
        logical_not, // 0 or 1
        select       // of three: the second where the first is not 0, else the third
    };
    Kind kind = Kind::number;
    double number = 0;
    Affine affine{};
    int scalar = -1;   ///< place in `Program::scalars`
    KernelTag owner{}; ///< of the scalar
    View element{};    ///< of load: a view of one element
    ExpressionOperands operands{};

    Expression() = default;
    Expression(double n) : number(n) {}                                // NOLINT(google-explicit-constructor)
    Expression(int n) : number(n) {}                                   // NOLINT(google-explicit-constructor)
    Expression(Affine a) : kind(Kind::affine), affine(std::move(a)) {} // NOLINT(google-explicit-constructor)
    Expression(Var v) : kind(Kind::affine), affine(v) {}               // NOLINT(google-explicit-constructor)
    Expression(Kind k, std::vector<Expression> of) : kind(k), operands(std::move(of)) {}

    /// Nodes of the tree that the expression is, at most 2^61 + 1.
    [[nodiscard]] std::int64_t nodes() const noexcept { return operands.nodes() + 1; }
    friend bool operator==(const Expression&, const Expression&) = default;
};

struct ExpressionOperands::Node {
    std::vector<Expression> operands;
    std::int64_t nodes = 0;
    int depth = 0;
    mutable const Node* next = nullptr; ///< while the last owners of a tree go
};

/// Deletes what nothing owns any more, node by node: a tree is released by its root, and may be far deeper than the stack.
inline void ExpressionOperands::release(const Node* node) noexcept
{
    thread_local const Node* waiting = nullptr;
    thread_local bool deletes = false;
    node->next = waiting;
    waiting = node;
    if (deletes) return; // called by the deletion below
    deletes = true;
    while (waiting != nullptr) {
        const Node* const last = waiting;
        waiting = last->next;
        delete last;
    }
    deletes = false;
}

inline ExpressionOperands::ExpressionOperands(std::vector<Expression> operands)
{
    if (operands.empty()) return;
    constexpr std::int64_t most = std::int64_t{1} << 61; // twice that, and 2, stays in the integer
    auto node = std::make_unique<Node>();
    for (const Expression& e : operands) {
        node->nodes = std::min(most, node->nodes + e.nodes());
        node->depth = std::max(node->depth, e.operands.depth() + 1);
    }
    node->operands = std::move(operands);
    node_ = std::shared_ptr<const Node>(node.release(), release);
}
inline ExpressionOperands::ExpressionOperands(std::initializer_list<Expression> operands)
    : ExpressionOperands(std::vector<Expression>(operands))
{
}
inline std::size_t ExpressionOperands::size() const noexcept { return node_ == nullptr ? 0 : node_->operands.size(); }
inline const Expression* ExpressionOperands::begin() const noexcept { return node_ == nullptr ? nullptr : node_->operands.data(); }
inline const Expression* ExpressionOperands::end() const noexcept { return begin() + size(); }
inline const Expression& ExpressionOperands::operator[](std::size_t i) const noexcept { return node_->operands[i]; }
inline std::int64_t ExpressionOperands::nodes() const noexcept { return node_ == nullptr ? 0 : node_->nodes; }
inline int ExpressionOperands::depth() const noexcept { return node_ == nullptr ? 0 : node_->depth; }

inline bool operator==(const ExpressionOperands& a, const ExpressionOperands& b)
{
    std::vector<std::pair<const ExpressionOperands*, const ExpressionOperands*>> pairs{{&a, &b}};
    while (!pairs.empty()) {
        const auto [one, other] = pairs.back();
        pairs.pop_back();
        if (one->node_ == other->node_) continue;
        if (one->size() != other->size() || one->nodes() != other->nodes() || one->depth() != other->depth()) return false;
        for (std::size_t i = 0; i < one->size(); ++i) {
            const Expression &x = (*one)[i], &y = (*other)[i];
            if (x.kind != y.kind || x.number != y.number || !(x.affine == y.affine) || x.scalar != y.scalar ||
                !(x.element == y.element))
                return false;
            pairs.push_back({&x.operands, &y.operands});
        }
    }
    return true;
}

/// How many operands an operation takes; 0 of leaves.
constexpr std::size_t operands_of(Expression::Kind kind) noexcept
{
    using Kind = Expression::Kind;
    return kind < Kind::add ? 0 : kind == Kind::logical_not ? 1 : kind == Kind::select ? 3 : 2;
}

namespace detail {

inline Expression of_two(Expression::Kind kind, Expression&& a, Expression&& b)
{
    std::vector<Expression> operands;
    operands.reserve(2);
    operands.push_back(std::move(a));
    operands.push_back(std::move(b));
    return {kind, std::move(operands)};
}

} // namespace detail

inline Expression operator+(Expression a, Expression b)
{
    return detail::of_two(Expression::Kind::add, std::move(a), std::move(b));
}
inline Expression operator-(Expression a, Expression b)
{
    return detail::of_two(Expression::Kind::sub, std::move(a), std::move(b));
}
inline Expression operator*(Expression a, Expression b)
{
    return detail::of_two(Expression::Kind::mul, std::move(a), std::move(b));
}
inline Expression operator/(Expression a, Expression b)
{
    return detail::of_two(Expression::Kind::div, std::move(a), std::move(b));
}
inline Expression floor_div(Expression a, Expression b)
{
    return detail::of_two(Expression::Kind::floor_div, std::move(a), std::move(b));
}
inline Expression floor_mod(Expression a, Expression b)
{
    return detail::of_two(Expression::Kind::floor_mod, std::move(a), std::move(b));
}
inline Expression operator<(Expression a, Expression b)
{
    return detail::of_two(Expression::Kind::less, std::move(a), std::move(b));
}
inline Expression operator<=(Expression a, Expression b)
{
    return detail::of_two(Expression::Kind::less_equal, std::move(a), std::move(b));
}
inline Expression equals(Expression a, Expression b) { return detail::of_two(Expression::Kind::equal, std::move(a), std::move(b)); }
inline Expression differs(Expression a, Expression b)
{
    return detail::of_two(Expression::Kind::not_equal, std::move(a), std::move(b));
}
inline Expression both(Expression a, Expression b)
{
    return detail::of_two(Expression::Kind::logical_and, std::move(a), std::move(b));
}
inline Expression either(Expression a, Expression b)
{
    return detail::of_two(Expression::Kind::logical_or, std::move(a), std::move(b));
}
inline Expression negation(Expression a) { return {Expression::Kind::logical_not, {std::move(a)}}; }
/// NaN where one is, and −0 less than 0, as the functions `min` and `max` have it.
inline Expression min(Expression a, Expression b) { return detail::of_two(Expression::Kind::min, std::move(a), std::move(b)); }
inline Expression max(Expression a, Expression b) { return detail::of_two(Expression::Kind::max, std::move(a), std::move(b)); }
/// `yes` where the condition holds, else `no`; what both are made of is loaded in either case.
inline Expression select(Expression condition, Expression yes, Expression no)
{
    return {Expression::Kind::select, {std::move(condition), std::move(yes), std::move(no)}};
}

} // namespace v0
} // namespace axe

#endif
