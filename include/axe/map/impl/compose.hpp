// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_IMPL_COMPOSE_HPP
#define AXE_MAP_IMPL_COMPOSE_HPP

#include <axe/map/compose.hpp>
#include <axe/map/constrain.hpp>
#include <axe/map/range/expression_ranges.hpp>

namespace axe {
inline namespace v0 {

AXE_DECL Result<IndexingMap> compose(const IndexingMap& first, const IndexingMap& second, const std::vector<IndexInterval>& known)
{
    if (first.is_undefined || second.is_undefined) return IndexingMap::undefined();
    if (first.results.size() != static_cast<std::size_t>(second.dimensions)) {
        if (first.has_empty_interval() || second.has_empty_interval()) return detail::nowhere(first, second.results.size());
        return Error(errc::rank_mismatch, -1, "the first map has {0} results and the second {1} dimensions",
                     static_cast<std::int64_t>(first.results.size()), second.dimensions);
    }
    IndexingMap out;
    // Where the first's variables keep their numbers, what it has is taken over as it is.
    const bool keeps_numbers =
        (second.ranges == 0 || first.ranges + first.runtimes() == 0) && (second.runtimes() == 0 || first.runtimes() == 0);
    if (keeps_numbers) {
        out.pool = IndexPool(first.pool, first.pool.size() + second.pool.size());
        out.constraints = first.constraints;
        out.results = first.results;
        out.simplified = first.simplified;
    }
    out.dimensions = first.dimensions;
    out.ranges = second.ranges + first.ranges;
    out.variables.reserve(first.variables.size() + second.variables.size());
    std::vector<IndexExpr> of_first(first.variables.size()), of_second(second.variables.size());
    const auto take = [&out](const IndexingMap& map, std::vector<IndexExpr>& places, int begin, int end) {
        for (auto v = static_cast<std::size_t>(begin); v < static_cast<std::size_t>(end); ++v)
            places[v] = detail::take_variable(out, map, v);
    };
    take(first, of_first, 0, first.dimensions);
    take(second, of_second, second.first_range(), second.first_runtime());
    take(first, of_first, first.first_range(), first.first_runtime());
    take(second, of_second, second.first_runtime(), static_cast<int>(second.variables.size()));
    take(first, of_first, first.first_runtime(), static_cast<int>(first.variables.size()));
    detail::make_names_unique(out);

    if (!keeps_numbers) detail::append_replaced(out, first, of_first);
    for (std::size_t i = 0; i < out.results.size(); ++i) of_second[i] = out.results[i];
    out.results.clear();
    // Variables first, since what they are narrowed to may imply the rest.
    const auto dimensions = static_cast<std::size_t>(second.dimensions);
    const auto is_variable = [&](std::size_t i) { return out.pool[of_second[i]].op == IndexOp::variable; };
    for (std::size_t i = 0; i < dimensions; ++i)
        if (is_variable(i)) constrain(out, of_second[i], second.variables[i].bounds);
    detail::ExpressionRanges range(out);
    for (std::size_t i = 0; i < dimensions; ++i) {
        const IndexInterval& bounds = second.variables[i].bounds;
        if (is_variable(i) || (i < known.size() && bounds.contains(known[i])) || bounds.contains(range(of_second[i]))) continue;
        constrain(out, of_second[i], bounds);
    }
    detail::append_replaced(out, second, of_second);
    const IndexPool* const pools[] = {&first.pool, &second.pool, &out.pool};
    for (const IndexPool* const pool : pools)
        if (!pool->error().ok()) return pool->error();
    return out;
}

} // namespace v0
} // namespace axe

#endif
