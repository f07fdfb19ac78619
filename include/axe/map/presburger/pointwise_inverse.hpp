// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_PRESBURGER_POINTWISE_INVERSE_HPP
#define AXE_MAP_PRESBURGER_POINTWISE_INVERSE_HPP

#include <axe/map/constrain.hpp>
#include <axe/map/presburger/enumeration.hpp>
#include <axe/map/presburger/interpolation.hpp>

/// The inverse of a map whose points are all known.
namespace axe {
inline namespace v0 {
namespace detail {

/// Writes the dimensions as functions of the results, and the results that there are as a domain.
///
/// Of the results that determine a variable one number is made, in mixed radix, and the variable is interpolated over it; numbers that would
/// be too large are ranks, which are steps. There are two ways to say which results there are, and the shorter one is taken: residues,
/// and steps for the gaps that are left; or that the map, where the variables are, gives the results.
class PointwiseInverse {
  public:
    PointwiseInverse(const IndexingMap& map, const PointTable& table)
        : map_(&map), table_(&table), interpolation_(out_.pool), members_(map.results.size())
    {
    }

    Result<IndexingMap> run()
    {
        const std::size_t results = map_->results.size();
        out_.dimensions = static_cast<int>(results);
        for (std::size_t j = 0; j < results; ++j)
            if (!add_result(j)) return too_wide();
        std::vector<IndexExpr> values;
        for (std::size_t v = 0; v < map_->variables.size(); ++v) {
            values.push_back(variable(v));
            if (static_cast<int>(v) >= map_->dimensions) continue;
            if (values[v].id < 0) return too_many();
            out_.results.push_back(values[v]);
        }
        IndexingMap by_equations = out_;
        const bool has_equations = add_equations(by_equations, values);
        Key all;
        if (key_of(std::vector<bool>(results, true), all, true) && keep_members(all)) {
            by_equations = has_equations ? needed(by_equations) : by_equations;
            out_ = needed(out_);
            if (has_equations && by_equations.pool.size() < out_.pool.size()) out_ = std::move(by_equations);
        } else {
            if (!has_equations) return too_many();
            out_ = needed(by_equations);
        }
        if (!out_.pool.error().ok()) return out_.pool.error();
        return std::move(out_);
    }

  private:
    using Values = Interpolation::Values;
    /// An expression of the results that is in [0, extent), and its value at every row.
    struct Key {
        IndexExpr expression{};
        std::int64_t extent = 1;
        std::vector<std::int64_t> values{};
    };
    const IndexingMap* map_;
    const PointTable* table_;
    IndexingMap out_{};
    Interpolation interpolation_;
    std::vector<Key> members_; ///< of each result: which of its values it is, as far as steps of one size tell

    static Error too_wide() { return Error(errc::overflow, -1, "the results are so far apart that their numbers overflow"); }
    static Error too_many()
    {
        return Error(errc::capacity, -1, "the inverse is not a sum of digits, and its text needs more than {0} steps",
                     static_cast<std::int64_t>(Interpolation::most_steps));
    }

    /// The map with no nodes but those that it uses.
    static IndexingMap needed(const IndexingMap& map)
    {
        IndexingMap out = IndexingMap::of_variables(map);
        append_replaced(out, map, out.pool.variables(map.variables.size()));
        return out;
    }
    /// The results are those of the map at the values of its variables, which are in its domain.
    bool add_equations(IndexingMap& out, const std::vector<IndexExpr>& values) const
    {
        for (const IndexExpr e : values)
            if (e.id < 0) return false;
        out.constraints.clear();
        PoolCopy copy(out.pool, map_->pool, values);
        for (std::size_t v = 0; v < values.size(); ++v) constrain(out, values[v], map_->variables[v].bounds);
        for (const IndexConstraint& c : map_->constraints) constrain(out, copy(c.expression), c.interval);
        for (std::size_t j = 0; j < map_->results.size(); ++j)
            constrain(out, out.pool.sub(copy(map_->results[j]), out.pool.variable(static_cast<int>(j))), {0, 0});
        return out.pool.error().ok();
    }

    bool add_result(std::size_t j)
    {
        IndexInterval b{every_integer.high, every_integer.low};
        for (std::size_t row = 0; row < table_->size(); ++row)
            b = {std::min(b.low, table_->result(row, j)), std::max(b.high, table_->result(row, j))};
        std::int64_t footprint = 0, step = 0;
        if (!sub(b.high, b.low, footprint) || !add(footprint, std::int64_t{1}, footprint) || b.low == every_integer.low)
            return false;
        for (std::size_t row = 0; row < table_->size(); ++row) step = gcd(step, table_->result(row, j) - b.low);
        step = std::max<std::int64_t>(step, 1);
        out_.variables.push_back({b, {}, IndexKind::none});
        const IndexExpr moved = out_.pool.add(out_.pool.variable(static_cast<int>(j)), -b.low);
        if (step > 1) out_.constraints.push_back({out_.pool.mod(moved, step), {0, 0}});
        Key& key = members_[j];
        key.expression = out_.pool.floor_div(moved, step);
        key.extent = (footprint - 1) / step + 1;
        for (std::size_t row = 0; row < table_->size(); ++row) key.values.push_back((table_->result(row, j) - b.low) / step);
        return true;
    }
    [[nodiscard]] static std::vector<std::int64_t> sorted(std::vector<std::int64_t> values)
    {
        std::sort(values.begin(), values.end());
        values.erase(std::unique(values.begin(), values.end()), values.end());
        return values;
    }
    /// The key's place among its values. What is between them gets the place below: it is kept out of the domain.
    bool rank(Key& key, bool keeps)
    {
        if (keeps && !keep_members(key)) return false;
        const std::vector<std::int64_t> there = sorted(key.values);
        if (static_cast<std::int64_t>(there.size()) == key.extent) return true;
        Values jumps;
        for (std::size_t i = 1; i < there.size(); ++i) jumps.emplace_back(there[i], 1);
        key.expression = interpolation_.stairs(key.expression, {0, key.extent - 1}, jumps);
        if (key.expression.id < 0) return false;
        key.extent = static_cast<std::int64_t>(there.size());
        for (std::int64_t& v : key.values) v = std::lower_bound(there.begin(), there.end(), v) - there.begin();
        return true;
    }
    /// One number of some results. @param keeps  do the gaps that are lost on the way become constraints?
    bool key_of(const std::vector<bool>& of, Key& out, bool keeps)
    {
        out.values.assign(table_->size(), 0);
        out.expression = out_.pool.constant(0);
        for (std::size_t j = 0; j < of.size(); ++j) {
            if (!of[j] || members_[j].extent == 1) continue;
            Key next = members_[j];
            // Ranks are below 2^20, whose products do not overflow.
            static constexpr std::int64_t wide = std::int64_t{1} << 60;
            std::int64_t extent = 0;
            if (!mul(out.extent, next.extent, extent) || extent > wide) {
                if (!rank(out, keeps) || !rank(next, keeps)) return false;
                extent = out.extent * next.extent;
            }
            out.expression = out_.pool.add(out_.pool.mul(out.expression, next.extent), next.expression);
            for (std::size_t row = 0; row < out.values.size(); ++row)
                out.values[row] = out.values[row] * next.extent + next.values[row];
            out.extent = extent;
        }
        return true;
    }
    /// Constrains the key to its values:  1 from the first of each run, and 0 from where it ends.
    bool keep_members(const Key& key)
    {
        const std::vector<std::int64_t> there = sorted(key.values);
        if (static_cast<std::int64_t>(there.size()) == key.extent) return true;
        Values jumps;
        for (std::size_t i = 0; i < there.size(); ++i) {
            const bool begins = i == 0 || there[i - 1] != there[i] - 1,
                       ends = i + 1 == there.size() || there[i + 1] != there[i] + 1;
            if (begins) jumps.emplace_back(there[i], 1);
            if (ends && there[i] + 1 < key.extent) jumps.emplace_back(there[i] + 1, -1);
        }
        const IndexExpr is_member = interpolation_.stairs(key.expression, {0, key.extent - 1}, jumps);
        if (is_member.id < 0) return false;
        out_.constraints.push_back({is_member, {1, 1}});
        return true;
    }
    /// The values of a variable over the key; false when one place has two.
    bool function_of(const Key& key, std::size_t v, Values& out) const
    {
        out.clear();
        for (std::size_t row = 0; row < table_->size(); ++row) out.emplace_back(key.values[row], table_->variable(row, v));
        std::sort(out.begin(), out.end());
        out.erase(std::unique(out.begin(), out.end()), out.end());
        for (std::size_t i = 1; i < out.size(); ++i)
            if (out[i].first == out[i - 1].first) return false;
        return true;
    }
    /// By as few results as determine it, in the order of their numbers.
    IndexExpr variable(std::size_t v)
    {
        const std::size_t results = map_->results.size();
        std::vector<bool> of(results, true);
        Key key;
        Values values;
        for (std::size_t j = 0; j < results; ++j) {
            of[j] = false;
            if (!key_of(of, key, false)) return {};
            of[j] = !function_of(key, v, values);
        }
        if (!key_of(of, key, false) || !function_of(key, v, values)) return {};
        return interpolation_.interpolate(key.expression, values);
    }
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
