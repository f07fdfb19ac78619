// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_INDEXING_MAP_HPP
#define AXE_MAP_INDEXING_MAP_HPP

#include <axe/map/expression.hpp>
#include <axe/support/result.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace axe {
inline namespace v0 {

/// What a variable stands for, where it is known; `dimension`, `range` and `runtime` are kinds that the place in the list gives.
enum class IndexKind : std::uint8_t { none, thread_x, thread_y, thread_z, block_x, block_y, block_z, warp, lane, vector, device };

struct IndexVariable {
    IndexInterval bounds{};
    std::string name{}; ///< empty: by its place, d0, s0, rt0
    IndexKind kind = IndexKind::none;
    friend bool operator==(const IndexVariable&, const IndexVariable&) = default;
};

/// `expression in [low, high]`
struct IndexConstraint {
    IndexExpr expression{};
    IndexInterval interval{};
    friend bool operator==(const IndexConstraint&, const IndexConstraint&) = default;
};

/// Some nodes of a pool, of its first 128.
struct IndexNodeSet {
    std::uint64_t words[2]{}; ///< bit i of both together: node i of the pool
    [[nodiscard]] bool contains(IndexExpr e) const noexcept { return e.id < 128 && (words[e.id / 64] >> (e.id % 64) & 1) != 0; }
    void insert(IndexExpr e) noexcept
    {
        if (e.id < 128) words[e.id / 64] |= std::uint64_t{1} << (e.id % 64);
    }
    friend bool operator==(const IndexNodeSet&, const IndexNodeSet&) = default;
};

/// What `simplify` has found of a map, and the domains on which. Composition hands it on, so that in a chain of operations a normal form is
/// found once and kept; what is not listed, or is on another domain, is found again.
struct SimplifiedResults {
    std::uint64_t domain = 0; ///< a hash of the intervals and constraints on which `results` are as simple as it finds them
    IndexNodeSet results{};
    std::uint64_t seen = 0;    ///< the same for what follows
    std::uint64_t large = 0;   ///< a hash of the results of a large map that it leaves as it is
    IndexNodeSet others{};     ///< are not sums of digits, nor is what they are part of
    std::uint32_t samples = 0; ///< which of the points that it tries are in the domain; bit 31: that is known
};

/// A map (d0, …)[s0, …]{rt0, …} -> (results) on a domain: an interval for every variable, and constraints between them.
///
/// Dimensions are indices of a tensor, of threads, of devices; range variables are loops; run-time variables are known only when
/// the program runs. As a relation: the dimensions d and the results r belong together when there are s, rt with all constraints
/// held and results(d, s, rt) = r. As a function, of all its variables. The map means nothing outside the domain.
/// Source: XLA's indexing maps (openxla, "Indexing analysis").
struct IndexingMap {
    IndexPool pool{};
    std::vector<IndexVariable> variables{}; ///< dimensions, then range variables, then run-time variables
    int dimensions = 0, ranges = 0;         ///< how many of the variables are which
    std::vector<IndexExpr> results{};
    std::vector<IndexConstraint> constraints{};
    bool is_undefined = false; ///< nothing is known of it: where an operation has no indexing map
    SimplifiedResults simplified{};

    [[nodiscard]] int runtimes() const noexcept { return static_cast<int>(variables.size()) - dimensions - ranges; }
    [[nodiscard]] int first_range() const noexcept { return dimensions; }
    [[nodiscard]] int first_runtime() const noexcept { return dimensions + ranges; }

    /// The variable as an expression. By kind: the i-th dimension, range or run-time variable.
    IndexExpr variable(int number) { return pool.variable(number); }
    IndexExpr dimension(int i) { return pool.variable(i); }
    IndexExpr range(int i) { return pool.variable(first_range() + i); }
    IndexExpr runtime(int i) { return pool.variable(first_runtime() + i); }

    /// Is a variable's interval empty? (That constraints contradict each other is `is_empty`'s to find.)
    [[nodiscard]] bool has_empty_interval() const noexcept
    {
        for (const IndexVariable& v : variables)
            if (v.bounds.is_empty()) return true;
        for (const IndexConstraint& c : constraints)
            if (c.interval.is_empty()) return true;
        return false;
    }

    /// A map without results, of the variables of another.
    static IndexingMap of_variables(const IndexingMap& other)
    {
        IndexingMap out;
        out.variables = other.variables;
        out.dimensions = other.dimensions;
        out.ranges = other.ranges;
        return out;
    }
    static IndexingMap undefined()
    {
        IndexingMap out;
        out.is_undefined = true;
        return out;
    }
    /// A map without results yet: dimensions in [0, d) for each of `shape`, range variables in [0, s) for each of `loops`.
    /// Results are appended with the pool: m.results.push_back(m.pool.add(m.dimension(0), m.range(0))).
    static IndexingMap over(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& loops = {})
    {
        IndexingMap out;
        for (const std::int64_t d : shape) out.variables.push_back({{0, d - 1}, {}, IndexKind::none});
        for (const std::int64_t s : loops) out.variables.push_back({{0, s - 1}, {}, IndexKind::none});
        out.dimensions = static_cast<int>(shape.size());
        out.ranges = static_cast<int>(loops.size());
        return out;
    }
};

namespace detail {

/// The copies in a pool of expressions of another, each variable replaced; what these share, the copies do.
class PoolCopy {
  public:
    PoolCopy(IndexPool& out, const IndexPool& from, std::vector<IndexExpr> replacement)
        : out_(&out), from_(&from), replacement_(std::move(replacement))
    {
    }
    IndexExpr operator()(IndexExpr e) { return out_->substitute(*from_, e, replacement_, copies_); }
    IndexConstraint operator()(const IndexConstraint& c) { return {(*this)(c.expression), c.interval}; }
    void append(std::vector<IndexExpr>& to, const std::vector<IndexExpr>& expressions)
    {
        for (const IndexExpr e : expressions) to.push_back((*this)(e));
    }

  private:
    IndexPool* out_;
    const IndexPool* from_;
    std::vector<IndexExpr> replacement_, copies_{};
};

/// The expression with `by` in place of a variable.
inline IndexExpr replaced(IndexingMap& map, IndexExpr e, int variable, IndexExpr by)
{
    std::vector<IndexExpr> variables = map.pool.variables(map.variables.size());
    variables[static_cast<std::size_t>(variable)] = by;
    return PoolCopy(map.pool, map.pool, std::move(variables))(e);
}

inline std::vector<IndexInterval> box_of(const IndexingMap& map)
{
    std::vector<IndexInterval> out;
    out.reserve(map.variables.size());
    for (const IndexVariable& v : map.variables) out.push_back(v.bounds);
    return out;
}
inline bool has_same_bounds(const IndexingMap& x, const IndexingMap& y)
{
    return std::equal(x.variables.begin(), x.variables.end(), y.variables.begin(), y.variables.end(),
                      [](const IndexVariable& a, const IndexVariable& b) { return a.bounds == b.bounds; });
}
/// The same nodes in the same places, as a copy has them, or a map that was made in the same way.
inline bool is_written_alike(const IndexingMap& x, const IndexingMap& y)
{
    if (x.pool.size() != y.pool.size() || x.results != y.results || !has_same_bounds(x, y) || x.constraints != y.constraints)
        return false;
    for (std::int32_t id = 0; id < x.pool.size(); ++id)
        if (!(x.pool[{id}] == y.pool[{id}])) return false;
    return true;
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
