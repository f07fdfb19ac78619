// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_LAYOUT_SPLIT_MAP_HPP
#define AXE_MAP_LAYOUT_SPLIT_MAP_HPP

#include <axe/layout/exact/digits.hpp>
#include <axe/map/mixed_radix/reader.hpp>
#include <axe/map/variables_of.hpp>

/// A map over digits of its variables.
namespace axe {
inline namespace v0 {
namespace detail {

/// A digit of the row-major index of the dimensions, of a range variable or of a run-time variable.
struct SplitVariable {
    enum class Kind : std::uint8_t { dimension, range, runtime } kind = Kind::dimension;
    int number = 0;                      ///< of the range or run-time variable among its kind
    std::int64_t extent = 1, weight = 1; ///< weight: of one step, in the variable that was cut
    int turns = 0;                       ///< how often it was made to count from elsewhere
};

/// The map with its dimensions as one row-major index and every variable counted from 0, to be written over other variables.
///
/// Expressions are written as their forms say: what cancels in the box is gone, and they have the forms' periods everywhere.
class SplitMap {
  public:
    IndexingMap map{}; ///< its variables are the digits
    std::vector<SplitVariable> digits{};
    std::vector<DigitForm> results{}, constraints{}; ///< unknown for products of variables
    DigitVariables read_as;

    /// @param flat  its dimensions as one index
    SplitMap(const IndexingMap& given, const DigitVariables& flat) : read_as({}, 0, false)
    {
        std::vector<IndexExpr> replacement;
        const bool has_index = flat.flat_size > 1;
        if (has_index) digits.push_back({SplitVariable::Kind::dimension, 0, flat.flat_size, 1});
        for (std::size_t v = 0; v < given.variables.size(); ++v) {
            const IndexInterval& b = given.variables[v].bounds;
            if (v < flat.dimensions.size()) {
                const FlatDimension& d = flat.dimensions[v];
                replacement.push_back(map.pool.constant(d.low));
                if (d.extent == 1) continue;
                IndexExpr x = map.pool.floor_div(map.pool.variable(0), d.weight);
                if (d.weight * d.extent != flat.flat_size) x = map.pool.mod(x, d.extent);
                replacement.back() = map.pool.add(x, d.low);
            } else {
                replacement.push_back(map.pool.constant(b.low));
                if (b.is_point()) continue;
                replacement.back() = map.pool.add(map.pool.variable(static_cast<int>(digits.size())), b.low);
                const bool is_range = static_cast<int>(v) < given.first_runtime();
                const int first = is_range ? given.first_range() : given.first_runtime();
                std::int64_t extent = 0;
                if (!sub(b.high, b.low, extent) || !add(extent, std::int64_t{1}, extent)) map.pool.fail(result_overflow());
                digits.push_back(
                    {is_range ? SplitVariable::Kind::range : SplitVariable::Kind::runtime, static_cast<int>(v) - first, extent, 1});
            }
        }
        substitute(given, replacement);
    }

    /// The map over other digits; `replacement`, in the pool, is what each of these is in them.
    void replace(IndexPool pool, std::vector<SplitVariable> other, const std::vector<IndexExpr>& replacement)
    {
        const IndexingMap old = std::move(map);
        map = {};
        map.pool = std::move(pool);
        digits = std::move(other);
        substitute(old, replacement);
    }
    /// The map with one digit replaced by an expression of all.
    void replace(IndexPool pool, std::int32_t digit, IndexExpr by)
    {
        std::vector<IndexExpr> replacement;
        for (std::int32_t u = 0; is_variable(u); ++u) replacement.push_back(u == digit ? by : pool.variable(u));
        replace(std::move(pool), digits, replacement);
    }
    void drop_constraint(std::size_t c)
    {
        map.constraints.erase(map.constraints.begin() + static_cast<std::ptrdiff_t>(c));
        constraints.erase(constraints.begin() + static_cast<std::ptrdiff_t>(c));
    }

    /// The form as an expression in a pool over these digits, without what variable v is alone in.
    [[nodiscard]] IndexExpr written(IndexPool& pool, const DigitForm& f, std::int32_t v = -1) const
    {
        IndexExpr sum = pool.constant(f.constant);
        for (std::int32_t k = 0; k < f.count; ++k)
            if (const DigitTerm t = read_as.forms.begin(f)[k]; t.index != v) sum = pool.add(sum, written(pool, t));
        return sum;
    }
    [[nodiscard]] IndexExpr written(IndexPool& pool, const DigitTerm& t) const
    {
        const IndexExpr u = is_variable(t.index) ? pool.variable(t.index) : written(pool, read_as.forms.index(t.index).form);
        return pool.mul(pool.floor_div(pool.add(u, t.shift), t.step), t.factor);
    }
    /// The digits that occur in an expression, by its form where that is known.
    [[nodiscard]] std::vector<bool> variables_in(const DigitForm& f, IndexExpr e) const
    {
        if (!f.is_known()) return variables_of(map, e);
        std::vector<bool> out(digits.size());
        for (std::int32_t k = 0; k < f.count; ++k)
            for_each_variable(read_as.forms.begin(f)[k], [&](std::int32_t v) { out[static_cast<std::size_t>(v)] = true; });
        return out;
    }
    /// Those in expressions that are not sums of floors.
    [[nodiscard]] std::vector<bool> opaque_variables() const
    {
        std::vector<bool> out(digits.size());
        const auto mark = [&](const DigitForm& f, IndexExpr e) {
            if (f.is_known()) return;
            const std::vector<bool> used = variables_in(f, e);
            for (std::size_t v = 0; v < used.size(); ++v) out[v] = out[v] || used[v];
        };
        for (std::size_t j = 0; j < results.size(); ++j) mark(results[j], map.results[j]);
        for (std::size_t c = 0; c < constraints.size(); ++c) mark(constraints[c], map.constraints[c].expression);
        return out;
    }

    [[nodiscard]] bool is_variable(std::int32_t index) const noexcept { return index < static_cast<std::int32_t>(digits.size()); }
    /// Calls f with each variable of a term, some of them more than once.
    template <class F>
    void for_each_variable(const DigitTerm& t, F&& f) const
    {
        if (is_variable(t.index)) return f(t.index);
        const DigitForm& inner = read_as.forms.index(t.index).form;
        for (std::int32_t k = 0; k < inner.count; ++k) for_each_variable(read_as.forms.begin(inner)[k], f);
    }

    /// The factor ±1 of variable v in ±v + g; 0 when the form is not of this kind.
    [[nodiscard]] std::int64_t sign_in(const DigitForm& f, std::int32_t v) const
    {
        std::int64_t sign = 0;
        for (const DigitTerm* t = read_as.forms.begin(f); t != read_as.forms.end(f); ++t) {
            bool has = false;
            for_each_variable(*t, [&](std::int32_t u) { has = has || u == v; });
            if (has && (t->index != v || t->step != 1)) return 0;
            if (has) sign = t->factor;
        }
        return sign == 1 || sign == -1 ? sign : 0;
    }

  private:
    void substitute(const IndexingMap& from, const std::vector<IndexExpr>& replacement)
    {
        PoolCopy copy(map.pool, from.pool, replacement);
        copy.append(map.results, from.results);
        for (const IndexConstraint& c : from.constraints) map.constraints.push_back(copy(c));
        for (const SplitVariable& d : digits) map.variables.push_back({{0, d.extent - 1}, {}, IndexKind::none});
        map.ranges = static_cast<int>(digits.size());
        read_as = DigitVariables(map.variables, 0, false);
        DigitReader read(read_as, map.pool);
        results.clear();
        constraints.clear();
        for (IndexExpr& e : map.results) {
            results.push_back(read(e));
            e = rewritten(results.back(), e);
        }
        for (IndexConstraint& c : map.constraints) {
            constraints.push_back(read(c.expression));
            c.expression = rewritten(constraints.back(), c.expression);
        }
    }
    /// The form as an expression in which nothing cancels any more, and which has the form's periods outside the box too. Digits
    /// have their own strides, which floors may not have.
    IndexExpr rewritten(DigitForm& f, IndexExpr e)
    {
        if (!f.is_known()) return e;
        DigitForms& forms = read_as.forms;
        FloorDigits plain;
        forms.open(f.constant);
        for (std::int32_t k = 0; k < f.count; ++k)
            if (const DigitTerm t = forms.begin(f)[k]; is_variable(t.index)) forms.put(t.index, t.step, t.shift, t.factor);
        if (!digits_of(forms, forms.close(), plain)) {
            f = {};
            return e;
        }
        IndexExpr sum = map.pool.constant(plain.constant);
        for (const DigitItem& z : plain) {
            IndexExpr u = map.pool.floor_div(map.pool.add(map.pool.variable(z.index), z.shift), z.step);
            if (z.extent != 0) u = map.pool.mod(u, z.extent);
            sum = map.pool.add(sum, map.pool.mul(u, z.factor));
        }
        for (std::int32_t k = 0; k < f.count; ++k)
            if (const DigitTerm t = forms.begin(f)[k]; !is_variable(t.index)) sum = map.pool.add(sum, written(map.pool, t));
        return sum;
    }
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
