// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_PRESBURGER_BUILDER_HPP
#define AXE_MAP_PRESBURGER_BUILDER_HPP

#include <axe/map/errors.hpp>
#include <axe/map/presburger/basic_set.hpp>
#include <axe/map/range/expression_ranges.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

inline Error map_form_overflow()
{
    return Error(errc::overflow, -1, "a number of the map overflows the integers of the decision procedure");
}

/// Is there anything to decide of the map? Its pool's error otherwise, that it is undefined, or that a divisor that is an expression
/// may be 0.
inline Status map_is_decidable(const IndexingMap& map)
{
    if (map.is_undefined) return Error(errc::bad_argument, -1, "the map is undefined; nothing can be decided about it");
    if (!map.pool.error().ok() || !map.pool.has_variable_divisors()) return map.pool.error();
    ExpressionRanges range(map);
    for (std::int32_t id = 0; id < map.pool.size(); ++id) {
        const IndexNode& n = map.pool[{id}];
        if ((n.op == IndexOp::floor_div_by || n.op == IndexOp::mod_by) && range(n.right).contains(0)) return divisor_may_be_zero();
    }
    return {};
}

/// Gives the variables of a system, still numbered by their values, their intervals.
inline void set_box(BasicSet& s, const std::vector<IndexInterval>& box)
{
    for (std::size_t j = 0; j < box.size(); ++j) {
        s.dims[j] = {box[j].high};
        s.restrict_dim(static_cast<int>(j), box[j].low, box[j].high);
    }
}

/// Expressions of several pools over the same variables as forms over one list of locals.
///
/// A form is written as a system's rows are, up to its last number that is not 0. Forms stay as they are while others come.
class BasicSetBuilder {
  public:
    explicit BasicSetBuilder(std::size_t variables) : variables_(static_cast<int>(variables)) {}

    struct Form {
        int begin = 0, size = 0;
    };
    bool is_unsound = false;

    /// Begins with a pool: first all expressions are named, then made, then asked for.
    void use(const IndexPool& pool)
    {
        pool_ = &pool;
        known_.clear();
        known_.resize(static_cast<std::size_t>(pool.size()));
    }
    void want(IndexExpr e) { known(e).is_wanted = true; }
    void make()
    {
        // Operands come before what uses them.
        for (std::int32_t i = pool_->size() - 1; i >= 0; --i) {
            if (!known({i}).is_wanted) continue;
            const IndexNode& n = (*pool_)[{i}];
            if (n.left.id >= 0) want(n.left);
            if (n.right.id >= 0 && !(n.op == IndexOp::mul && pool_->is_constant(n.right))) want(n.right);
        }
        for (std::int32_t i = 0; i < pool_->size(); ++i)
            if (known({i}).is_wanted) known({i}).form = make((*pool_)[{i}]);
    }
    /// The expression over the variables themselves.
    [[nodiscard]] Form form(IndexExpr e) { return known(e).form; }
    [[nodiscard]] bool is_same(Form x, Form y) const { return x.size == y.size && std::equal(at(x), at(x) + x.size, at(y)); }
    /// x − y
    Form difference(Form x, Form y)
    {
        if (is_same(x, y)) return constant(0);
        return sum(x, scaled(y, -1));
    }
    /// Copies a form to a row of a system that was made after it.
    void copy(Form f, WideInt* row) const { std::copy(at(f), at(f) + f.size, row); }

    /// All locals, with rows of zeros for goals, and the variables' own forms where they are wanted.
    [[nodiscard]] BasicSet system(int goals, bool has_coordinates) const
    {
        BasicSet out(variables_, static_cast<int>(locals_.size()), has_products_, goals, has_coordinates);
        out.is_unsound = is_unsound;
        for (const Local& a : locals_) {
            const int i = out.add_local(a.divisor);
            copy(a.left, out.row(i));
            if (a.divisor <= 0) copy(a.right, out.row(out.second_row(i)));
        }
        return out;
    }

  private:
    /// ⌊left / divisor⌋, or of left and right what a divisor ≤ 0 says (see `SetLocal`).
    struct Local {
        WideInt divisor;
        Form left, right;
    };
    int variables_;
    bool has_products_ = false;
    const IndexPool* pool_ = nullptr;
    struct Known {
        Form form;
        bool is_wanted;
    };
    SmallVector<Known, 48> known_{}; ///< of each node of the pool
    SmallVector<Local, 12> locals_{};
    SmallVector<WideInt, 256> entries_{};

    Known& known(IndexExpr e) { return known_[static_cast<std::size_t>(e.id)]; }
    [[nodiscard]] const WideInt* at(Form f) const { return entries_.data() + f.begin; }

    /// A new form, whose numbers are the caller's to set.
    Form room(int size)
    {
        const Form out{static_cast<int>(entries_.size()), size};
        entries_.extend(static_cast<std::size_t>(size));
        return out;
    }
    WideInt* entries(Form f) { return entries_.data() + f.begin; }
    /// Without zeros at its end.
    Form trimmed(Form f)
    {
        const WideInt* form = at(f);
        while (f.size > 0 && form[f.size - 1] == 0) --f.size;
        return f;
    }
    Form constant(WideInt value) { return scaled(unit(0), value); }
    Form unit(int column)
    {
        const Form out = room(column + 1);
        WideInt* to = entries(out);
        std::fill(to, to + column, WideInt{0});
        to[column] = 1;
        return out;
    }
    Form sum(Form x, Form y)
    {
        if (x.size < y.size) std::swap(x, y);
        const Form out = room(x.size);
        WideInt* to = entries(out);
        const WideInt *a = at(x), *b = at(y);
        for (int c = 0; c < y.size; ++c) {
            to[c] = a[c] + b[c];
            if (!is_sound(to[c])) is_unsound = true;
        }
        std::copy(a + y.size, a + x.size, to + y.size);
        return trimmed(out);
    }
    Form scaled(Form x, WideInt factor)
    {
        if (factor == 0) return {0, 0};
        const Form out = room(x.size);
        WideInt* to = entries(out);
        const WideInt* a = at(x);
        for (int c = 0; c < x.size; ++c) {
            to[c] = 0;
            if (a[c] != 0 && !add_multiple(a[c], factor, to[c])) is_unsound = true;
        }
        return out;
    }
    Form make(const IndexNode& n)
    {
        const auto of = [&](IndexExpr e) { return known(e).form; };
        switch (n.op) {
        case IndexOp::constant: return constant(n.value);
        case IndexOp::variable: return unit(1 + static_cast<int>(n.value));
        case IndexOp::add: return sum(of(n.left), of(n.right));
        case IndexOp::mul:
            if (pool_->is_constant(n.right)) return scaled(of(n.left), (*pool_)[n.right].value);
            return binary(by_product, of(n.left), of(n.right));
        case IndexOp::min: return binary(by_minimum, of(n.left), of(n.right));
        case IndexOp::max: // the lesser of the negatives, negated
            return scaled(binary(by_minimum, scaled(of(n.left), -1), scaled(of(n.right), -1)), -1);
        case IndexOp::floor_div_by: return binary(by_quotient, of(n.left), of(n.right));
        case IndexOp::mod_by: {
            const Form quotient = binary(by_quotient, of(n.left), of(n.right));
            return difference(of(n.left), binary(by_product, of(n.right), quotient));
        }
        case IndexOp::floor_div:
        case IndexOp::mod: {
            // ⌊x/−k⌋ = ⌊−x/k⌋, and x mod k = x − k·⌊x/k⌋ for every k ≠ 0.
            const WideInt k = n.value;
            const Form x = of(n.left), quotient = local(magnitude(k), k < 0 ? scaled(x, -1) : x, {});
            return n.op == IndexOp::floor_div ? quotient : sum(x, scaled(quotient, -k));
        }
        }
        return {0, 0};
    }
    /// Of two forms, whose order matters to a quotient only.
    Form binary(WideInt kind, Form x, Form y)
    {
        if (kind != by_quotient && std::lexicographical_compare(at(y), at(y) + y.size, at(x), at(x) + x.size)) std::swap(x, y);
        return local(kind, x, y);
    }
    /// A local variable, found or added, as a form.
    Form local(WideInt divisor, Form x, Form y)
    {
        std::size_t i = 0;
        const auto is_it = [&](const Local& a) { return a.divisor == divisor && is_same(a.left, x) && is_same(a.right, y); };
        while (i < locals_.size() && !is_it(locals_[i])) ++i;
        if (i == locals_.size()) locals_.push_back({divisor, x, y});
        has_products_ = has_products_ || divisor <= 0;
        return unit(1 + variables_ + static_cast<int>(i));
    }
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
