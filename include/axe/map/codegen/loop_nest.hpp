// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_CODEGEN_LOOP_NEST_HPP
#define AXE_MAP_CODEGEN_LOOP_NEST_HPP

#include <axe/map/evaluate.hpp>
#include <axe/map/variables_of.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace axe {
inline namespace v0 {

/// A constraint that the variables' intervals do not imply, asked as soon as all that it needs is known.
struct LoopGuard {
    IndexConstraint constraint{};
    int depth = 0; ///< inside so many loops
};

/// The loops of an operation that computes each element of its result from elements of its operands:
///
///   for d in the index of the result:  for s in the range variables, where all guards hold:  combine(operand_0[a_0(d, s)], operand_1[a_1(d, s)], …)
///
/// The map's variables are the loops, the outermost first; its results are the addresses a_i, in elements from the operand's first.
struct LoopNest {
    IndexingMap map{};
    std::vector<LoopGuard> guards{};
    std::vector<std::int64_t> shape{}; ///< of the result of the operation
    std::vector<std::int64_t> sizes{}; ///< elements of each operand
};

namespace detail {

/// The elements of an array; false when there are more than the integer holds.
inline bool elements_of(const std::vector<std::int64_t>& shape, std::int64_t& n) noexcept
{
    n = 1;
    for (const std::int64_t d : shape)
        if (d < 0 || !mul(n, d, n)) return false;
    return true;
}

/// Where an element is in an array in row-major order.
inline IndexExpr row_major(IndexPool& pool, const std::vector<IndexExpr>& index, const std::vector<std::int64_t>& shape)
{
    IndexExpr at = pool.constant(0);
    for (std::size_t d = 0; d < shape.size(); ++d) at = pool.add(pool.mul(at, shape[d]), index[d]);
    return at;
}

/// Inside how many loops, one for each variable, is everything known that the expression needs?
inline int loop_depth(const IndexingMap& map, IndexExpr expression)
{
    const std::vector<bool> used = variables_of(map, expression);
    int depth = static_cast<int>(used.size());
    while (depth > 0 && !used[static_cast<std::size_t>(depth - 1)]) --depth;
    return depth;
}

/// Each constraint of a map, at the first place where all that it needs is known.
inline std::vector<LoopGuard> loop_guards(const IndexingMap& map)
{
    std::vector<LoopGuard> out;
    for (const IndexConstraint& c : map.constraints) out.push_back({c, loop_depth(map, c.expression)});
    return out;
}

} // namespace detail

/// The loops of an operation, from the maps of an index in its result to the indices in its operands.
///
/// @param shape     of the result
/// @param maps      one for each operand, of the same dimensions (the result's) and range variables; a point counts where it is in
///                  the domain of all of them
/// @param operands  their shapes; they are in row-major order
/// @returns `errc::rank_mismatch` with the operand whose map or shape does not fit; `errc::bad_argument` for an undefined map or one with
///          run-time variables, which no loop counts; `errc::overflow`. Cost: that of `simplify`.
AXE_DECL Result<LoopNest> loop_nest(const std::vector<std::int64_t>& shape, const std::vector<IndexingMap>& maps,
                                    const std::vector<std::vector<std::int64_t>>& operands);

/// Calls  f(variables, addresses)  for each point at which something is combined, in the order of the loops; both are pointers to as
/// many numbers as the nest's map has variables and results.
template <class F>
void for_each(const LoopNest& nest, F&& f)
{
    const std::size_t loops = nest.map.variables.size();
    if (nest.map.has_empty_interval()) return;
    std::vector<std::int64_t> at, addresses(nest.map.results.size());
    for (const IndexVariable& v : nest.map.variables) at.push_back(v.bounds.low);
    detail::IndexEvaluator evaluate(nest.map.pool, at.data());
    // The outermost loop whose guard fails goes on; no guard fails: the innermost does, after the body.
    while (true) {
        evaluate.at(at.data());
        std::size_t next = loops;
        bool holds = true;
        for (const LoopGuard& g : nest.guards) {
            std::int64_t value = 0;
            if (evaluate(g.constraint.expression, value) && g.constraint.interval.contains(value)) continue;
            holds = false;
            next = std::min(next, static_cast<std::size_t>(g.depth));
        }
        if (holds) {
            for (std::size_t i = 0; i < addresses.size(); ++i) evaluate(nest.map.results[i], addresses[i]);
            f(static_cast<const std::int64_t*>(at.data()), static_cast<const std::int64_t*>(addresses.data()));
        }
        std::size_t k = next;
        for (; k > 0; --k) {
            if (++at[k - 1] <= nest.map.variables[k - 1].bounds.high) break;
            at[k - 1] = nest.map.variables[k - 1].bounds.low;
        }
        if (k == 0) return;
        for (std::size_t inner = next; inner < loops; ++inner) at[inner] = nest.map.variables[inner].bounds.low;
    }
}

/// Computes the operation:  out[d] = combine(… combine(combine(initial, x), x′) …)  over the points of d, x[i] the element of operand i;
/// `initial` if none exists.
///
/// @param combine  combine(so_far, x), x a pointer to an element of each operand
/// @returns `errc::out_of_domain` with the operand that is read outside, after which `out` is partly written: maps of valid operations
///          never do that. Cost: the nodes of the map at each point: for looking at, and for checks of `emit_loops`.
template <class T, class Combine>
Status run_loops(const LoopNest& nest, T* out, const std::vector<const T*>& operands, T initial, Combine combine)
{
    std::int64_t elements = 0;
    detail::elements_of(nest.shape, elements);
    std::fill(out, out + elements, initial);
    std::vector<T> x(operands.size());
    Error error;
    for_each(nest, [&](const std::int64_t* at, const std::int64_t* addresses) {
        std::int64_t to = 0;
        for (std::size_t d = 0; d < nest.shape.size(); ++d) to = to * nest.shape[d] + at[d];
        for (std::size_t i = 0; i < x.size(); ++i) {
            if (addresses[i] < 0 || addresses[i] >= nest.sizes[i]) {
                if (error.ok())
                    error = Error(errc::out_of_domain, static_cast<int>(i), "operand {0} is read at {1}, and has {2} elements",
                                  static_cast<std::int64_t>(i), addresses[i], nest.sizes[i]);
                return;
            }
            x[i] = operands[i][addresses[i]];
        }
        out[to] = combine(out[to], static_cast<const T*>(x.data()));
    });
    return error;
}

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/map/codegen/impl/loop_nest.hpp>
#endif

#endif
