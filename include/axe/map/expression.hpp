// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_EXPRESSION_HPP
#define AXE_MAP_EXPRESSION_HPP

#include <axe/map/errors.hpp>
#include <axe/map/interval.hpp>
#include <axe/support/error.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace axe {
inline namespace v0 {

/// What a node of an index expression does with its operands.
enum class IndexOp : std::uint8_t {
    constant,     ///< value
    variable,     ///< the variable of number `value`
    add,          ///< left + right
    mul,          ///< left · right
    floor_div,    ///< ⌊left / value⌋, value ≠ 0
    mod,          ///< left − value·⌊left / value⌋, value ≠ 0
    min,          ///< the lesser of left and right
    max,          ///< the greater of left and right
    floor_div_by, ///< ⌊left / right⌋, where right ≠ 0
    mod_by,       ///< left − right·⌊left / right⌋, where right ≠ 0
};

/// An expression: its place in the pool that holds it.
struct IndexExpr {
    std::int32_t id = -1;
    friend constexpr bool operator==(const IndexExpr&, const IndexExpr&) = default;
};

struct IndexNode {
    IndexOp op = IndexOp::constant;
    IndexExpr left{}, right{}; ///< right: of all with two operands
    std::int64_t value = 0;    ///< of constants, variables and divisors
    friend constexpr bool operator==(const IndexNode&, const IndexNode&) = default;
};

/// Expressions over integer variables: sums, products, floor division and remainder by constants of either sign or by expressions,
/// minimum and maximum.
///
/// One list of nodes, each after its operands and none twice, so that equal texts are equal numbers, and an expression that is used
/// ten times is kept once. The makers fold what is constant or neutral (x + 0, x·1, x·0, x floordiv 1, x mod ±1) and nothing else:
/// rearranging is left to `simplify`. A division by zero or a constant that overflows stays in `error()`, as in a
/// reader; what is made after it means nothing.
///
/// Cost: of a maker constant on average.
class IndexPool {
  public:
    IndexPool() = default;
    /// A copy with room for so many nodes in all.
    IndexPool(const IndexPool& other, std::int32_t nodes)
        : error_(other.error_), has_variable_divisors_(other.has_variable_divisors_)
    {
        const auto count = static_cast<std::size_t>(nodes);
        const bool has_room = count * 2 <= other.slots_.size();
        nodes_.reserve(has_room ? count : room_for(count) / 2);
        nodes_ = other.nodes_;
        if (has_room)
            slots_ = other.slots_;
        else
            grow(count);
    }

    [[nodiscard]] const IndexNode& operator[](IndexExpr e) const noexcept { return nodes_[static_cast<std::size_t>(e.id)]; }
    [[nodiscard]] std::int32_t size() const noexcept { return static_cast<std::int32_t>(nodes_.size()); }
    /// The first mistake: `errc::bad_argument` for a division by zero, `errc::overflow`.
    [[nodiscard]] const Error& error() const noexcept { return error_; }
    void fail(const Error& e) noexcept
    {
        if (error_.ok()) error_ = e;
    }

    /// Was anything divided by what is not a number? Where that is 0, the expression has no value.
    [[nodiscard]] bool has_variable_divisors() const noexcept { return has_variable_divisors_; }

    [[nodiscard]] bool is_constant(IndexExpr e) const noexcept { return (*this)[e].op == IndexOp::constant; }
    [[nodiscard]] bool is_constant(IndexExpr e, std::int64_t value) const noexcept
    {
        return is_constant(e) && (*this)[e].value == value;
    }

    IndexExpr constant(std::int64_t value) { return make({IndexOp::constant, {}, {}, value}); }
    IndexExpr variable(int number) { return make({IndexOp::variable, {}, {}, number}); }
    /// The first n.
    std::vector<IndexExpr> variables(std::size_t n)
    {
        std::vector<IndexExpr> out(n);
        for (std::size_t v = 0; v < n; ++v) out[v] = variable(static_cast<int>(v));
        return out;
    }

    IndexExpr add(IndexExpr x, IndexExpr y)
    {
        if (is_constant(x)) std::swap(x, y);
        if (is_constant(y, 0)) return x;
        if (is_constant(x)) return constant(checked(detail::add<std::int64_t>, (*this)[x].value, (*this)[y].value));
        return make({IndexOp::add, x, y, 0});
    }
    IndexExpr mul(IndexExpr x, IndexExpr y)
    {
        if (is_constant(x)) std::swap(x, y);
        if (is_constant(y, 1) || is_constant(x, 0)) return x;
        if (is_constant(y, 0)) return y;
        if (is_constant(x)) return constant(checked(detail::mul<std::int64_t>, (*this)[x].value, (*this)[y].value));
        return make({IndexOp::mul, x, y, 0});
    }
    IndexExpr mul(IndexExpr x, std::int64_t factor) { return mul(x, constant(factor)); }
    IndexExpr add(IndexExpr x, std::int64_t summand) { return add(x, constant(summand)); }
    IndexExpr sub(IndexExpr x, IndexExpr y) { return add(x, mul(y, -1)); }
    IndexExpr floor_div(IndexExpr x, std::int64_t divisor)
    {
        if (divisor == 0) return divided_by_zero();
        if (divisor == 1) return x;
        if (is_constant(x)) return constant(checked(floor_quotient, (*this)[x].value, divisor));
        return make({IndexOp::floor_div, x, {}, divisor});
    }
    IndexExpr mod(IndexExpr x, std::int64_t divisor)
    {
        if (divisor == 0) return divided_by_zero();
        if (divisor == 1 || divisor == -1) return constant(0);
        if (is_constant(x)) return constant(floor_remainder((*this)[x].value, divisor));
        return make({IndexOp::mod, x, {}, divisor});
    }
    /// By an expression; where it is 0 the quotient and the remainder have no value.
    IndexExpr floor_div(IndexExpr x, IndexExpr divisor)
    {
        if (is_constant(divisor)) return floor_div(x, (*this)[divisor].value);
        has_variable_divisors_ = true;
        return make({IndexOp::floor_div_by, x, divisor, 0});
    }
    IndexExpr mod(IndexExpr x, IndexExpr divisor)
    {
        if (is_constant(divisor)) return mod(x, (*this)[divisor].value);
        has_variable_divisors_ = true;
        return make({IndexOp::mod_by, x, divisor, 0});
    }
    IndexExpr min(IndexExpr x, IndexExpr y) { return extremum(IndexOp::min, x, y); }
    IndexExpr max(IndexExpr x, IndexExpr y) { return extremum(IndexOp::max, x, y); }

    /// Makes room for so many nodes in all: their makers allocate nothing until then.
    void reserve(std::int32_t nodes)
    {
        const auto count = static_cast<std::size_t>(nodes);
        if (count * 2 > slots_.size()) grow(count);
        nodes_.reserve(count);
    }

    /// The node itself, found or appended; folds nothing.
    IndexExpr make(const IndexNode& node)
    {
        if (nodes_.size() * 2 >= slots_.size()) grow(nodes_.size() * 2);
        std::size_t at = hash(node) & (slots_.size() - 1);
        for (; slots_[at] >= 0; at = (at + 1) & (slots_.size() - 1))
            if (nodes_[static_cast<std::size_t>(slots_[at])] == node) return {slots_[at]};
        slots_[at] = size();
        nodes_.push_back(node);
        return {slots_[at]};
    }

    /// The copy in this pool of `e` of another, the variable v replaced by replacement[v] (one for each variable that occurs).
    /// Shared nodes stay shared: `copies` (empty before the first call for that other pool) remembers them.
    IndexExpr substitute(const IndexPool& other, IndexExpr e, const std::vector<IndexExpr>& replacement,
                         std::vector<IndexExpr>& copies)
    {
        copies.resize(static_cast<std::size_t>(other.size()));
        if (copies[static_cast<std::size_t>(e.id)].id >= 0) return copies[static_cast<std::size_t>(e.id)];
        // Operands first. What waits for them says in `copies` what waits for it, −2 − id; the last one −1.
        const auto is_missing = [&](IndexExpr x) { return x.id >= 0 && copies[static_cast<std::size_t>(x.id)].id < 0; };
        for (std::int32_t id = e.id; id >= 0;) {
            const IndexNode& n = other.nodes_[static_cast<std::size_t>(id)];
            if (const IndexExpr next = is_missing(n.left) ? n.left : n.right; is_missing(next)) {
                copies[static_cast<std::size_t>(next.id)].id = -2 - id;
                id = next.id;
                continue;
            }
            const auto copy = [&](IndexExpr x) { return copies[static_cast<std::size_t>(x.id)]; };
            IndexExpr& made = copies[static_cast<std::size_t>(id)];
            id = -2 - made.id;
            switch (n.op) {
            case IndexOp::constant: made = constant(n.value); break;
            case IndexOp::variable: made = replacement[static_cast<std::size_t>(n.value)]; break;
            case IndexOp::add: made = add(copy(n.left), copy(n.right)); break;
            case IndexOp::mul: made = mul(copy(n.left), copy(n.right)); break;
            case IndexOp::floor_div: made = floor_div(copy(n.left), n.value); break;
            case IndexOp::mod: made = mod(copy(n.left), n.value); break;
            case IndexOp::min: made = min(copy(n.left), copy(n.right)); break;
            case IndexOp::max: made = max(copy(n.left), copy(n.right)); break;
            case IndexOp::floor_div_by: made = floor_div(copy(n.left), copy(n.right)); break;
            case IndexOp::mod_by: made = mod(copy(n.left), copy(n.right)); break;
            }
        }
        return copies[static_cast<std::size_t>(e.id)];
    }

  private:
    template <class Operation>
    std::int64_t checked(Operation operation, std::int64_t x, std::int64_t y)
    {
        std::int64_t out = 0;
        if (!operation(x, y, out)) fail(detail::constant_overflows());
        return out;
    }
    IndexExpr extremum(IndexOp op, IndexExpr x, IndexExpr y)
    {
        if (x == y) return x;
        if (is_constant(x)) std::swap(x, y);
        if (is_constant(x)) return ((*this)[x].value < (*this)[y].value) == (op == IndexOp::min) ? x : y;
        return make({op, x, y, 0});
    }
    IndexExpr divided_by_zero()
    {
        fail(Error(errc::bad_argument, -1, "an expression is divided by 0"));
        return constant(0);
    }

    static std::size_t hash(const IndexNode& n) noexcept
    {
        std::uint64_t h = static_cast<std::uint64_t>(n.value) * 0x9E3779B97F4A7C15u;
        h ^= static_cast<std::uint64_t>(static_cast<std::uint32_t>(n.left.id)) * 0xC2B2AE3D27D4EB4Fu;
        h ^= static_cast<std::uint64_t>(static_cast<std::uint32_t>(n.right.id)) * 0x165667B19E3779F9u;
        h += static_cast<std::uint64_t>(n.op);
        h ^= h >> 29;
        return static_cast<std::size_t>(h * 0xBF58476D1CE4E5B9u >> 32);
    }
    static std::size_t room_for(std::size_t nodes) noexcept
    {
        std::size_t size = 32;
        while (size / 2 < nodes) size *= 2;
        return size;
    }
    /// Room for so many nodes.
    void grow(std::size_t nodes)
    {
        const std::size_t size = room_for(nodes);
        slots_.assign(size, -1);
        nodes_.reserve(size / 2);
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            std::size_t at = hash(nodes_[i]) & (slots_.size() - 1);
            while (slots_[at] >= 0) at = (at + 1) & (slots_.size() - 1);
            slots_[at] = static_cast<std::int32_t>(i);
        }
    }

    std::vector<IndexNode> nodes_{};
    std::vector<std::int32_t> slots_{}; ///< open addressing, a power of two, at most half full
    Error error_{};
    bool has_variable_divisors_ = false;
};

} // namespace v0
} // namespace axe

#endif
