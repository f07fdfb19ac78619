// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_CODEGEN_IMPL_LOOP_NEST_HPP
#define AXE_MAP_CODEGEN_IMPL_LOOP_NEST_HPP

#include <axe/map/codegen/loop_nest.hpp>
#include <axe/map/simplify.hpp>

namespace axe {
inline namespace v0 {

AXE_DECL Result<LoopNest> loop_nest(const std::vector<std::int64_t>& shape, const std::vector<IndexingMap>& maps,
                                    const std::vector<std::vector<std::int64_t>>& operands)
{
    LoopNest out;
    out.shape = shape;
    if (maps.empty() || maps.size() != operands.size())
        return Error(errc::rank_mismatch, -1, "there are {0} maps for {1} operands", static_cast<std::int64_t>(maps.size()),
                     static_cast<std::int64_t>(operands.size()));
    std::int64_t elements = 0;
    if (!detail::elements_of(shape, elements)) return Error(errc::overflow, -1, "the elements of the result overflow");
    IndexingMap joint = IndexingMap::of_variables(maps[0]);
    const std::vector<IndexExpr> same = joint.pool.variables(joint.variables.size());
    for (std::size_t i = 0; i < maps.size(); ++i) {
        const IndexingMap& map = maps[i];
        const int which = static_cast<int>(i);
        if (map.is_undefined) return Error(errc::bad_argument, which, "the map of operand {0} is undefined", which);
        if (map.runtimes() != 0) return Error(errc::bad_argument, which, "the map of operand {0} has run-time variables", which);
        if (map.dimensions != static_cast<int>(shape.size()) || map.ranges != joint.ranges)
            return Error(errc::rank_mismatch, which, "the map of operand {0} has other dimensions or ranges than its loops", which);
        if (map.results.size() != operands[i].size())
            return Error(errc::rank_mismatch, which, "the map of operand {0} has {1} results, and the operand {2} dimensions",
                         which, static_cast<std::int64_t>(map.results.size()), static_cast<std::int64_t>(operands[i].size()));
        if (!detail::elements_of(operands[i], elements))
            return Error(errc::overflow, which, "the elements of operand {0} overflow", which);
        out.sizes.push_back(elements);
        for (std::size_t v = 0; v < map.variables.size(); ++v)
            joint.variables[v].bounds = intersection(joint.variables[v].bounds, map.variables[v].bounds);
        detail::PoolCopy copy(joint.pool, map.pool, same);
        std::vector<IndexExpr> index;
        copy.append(index, map.results);
        for (const IndexConstraint& c : map.constraints) joint.constraints.push_back(copy(c));
        joint.results.push_back(detail::row_major(joint.pool, index, operands[i]));
    }
    // Past its shape nothing of the result is computed.
    for (std::size_t d = 0; d < shape.size(); ++d)
        joint.variables[d].bounds = intersection(joint.variables[d].bounds, {0, shape[d] - 1});
    if (!joint.pool.error().ok()) return joint.pool.error();
    out.map = simplify(joint);
    out.guards = detail::loop_guards(out.map);
    return out;
}

} // namespace v0
} // namespace axe

#endif
