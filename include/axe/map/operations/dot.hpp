// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_OPERATIONS_DOT_HPP
#define AXE_MAP_OPERATIONS_DOT_HPP

#include <axe/map/operations/shape.hpp>

namespace axe {
inline namespace v0 {
namespace op {

/// y[batch, m, n] = Σ_s lhs[batch, m, s]·rhs[batch, n, s]: batch dimensions, those of the left operand, those of the right.
///
/// The batch and contracted dimensions of the two operands go together as listed; the rest keep their order. The range variables
/// are the contracted dimensions as listed, and the same for both operands: the elements at one point are multiplied.
struct Dot {
    std::vector<std::int64_t> lhs_batch{}, rhs_batch{}, lhs_contracting{}, rhs_contracting{};

    [[nodiscard]] Result<OperationMaps> maps(const std::vector<IndexShape>& operands) const
    {
        if (const Status e = detail::check_operands(operands, 2); !e.ok()) return e;
        const std::vector<std::int64_t>* batch[] = {&lhs_batch, &rhs_batch};
        const std::vector<std::int64_t>* contracting[] = {&lhs_contracting, &rhs_contracting};
        std::vector<bool> used[2];
        for (const std::size_t side : {0u, 1u}) {
            used[side].resize(operands[side].size());
            if (const Status e = detail::check_dimensions(*batch[side], used[side]); !e.ok()) return e;
            if (const Status e = detail::check_dimensions(*contracting[side], used[side]); !e.ok()) return e;
        }
        for (const auto& [left, right] : {std::pair{&lhs_batch, &rhs_batch}, std::pair{&lhs_contracting, &rhs_contracting}}) {
            if (left->size() != right->size())
                return Error(errc::rank_mismatch, -1, "the left operand has {0} batch or contracted dimensions, the right one {1}",
                             detail::count(*left), detail::count(*right));
            for (std::size_t i = 0; i < left->size(); ++i)
                if (const Status e = detail::check_dimension(operands, 1, (*right)[i], detail::entry(operands[0], (*left)[i]));
                    !e.ok())
                    return e;
        }

        IndexShape shape, loops;
        for (const std::int64_t d : lhs_batch) shape.push_back(detail::entry(operands[0], d));
        for (const std::int64_t d : lhs_contracting) loops.push_back(detail::entry(operands[0], d));
        std::vector<int> place[2]; // of each dimension that is neither, in the result
        IndexShape free[2];
        for (const std::size_t side : {0u, 1u})
            for (std::size_t d = 0; d < operands[side].size(); ++d) {
                place[side].push_back(static_cast<int>(shape.size()));
                if (used[side][d]) continue;
                shape.push_back(operands[side][d]);
                free[side].push_back(operands[side][d]);
            }
        OperationMaps out = detail::one_result("dot", operands, shape);
        for (const std::size_t side : {0u, 1u}) {
            // The result's dimensions of the other operand are any: range variables.
            IndexingMap from = IndexingMap::over(shape, loops), to = IndexingMap::over(operands[side], free[1 - side]);
            from.results.resize(operands[side].size());
            to.results.resize(shape.size());
            for (std::size_t i = 0; i < batch[side]->size(); ++i) {
                const std::int64_t d = (*batch[side])[i];
                detail::entry(from.results, d) = from.dimension(static_cast<int>(i));
                to.results[i] = to.dimension(static_cast<int>(d));
            }
            for (int s = 0; s < from.ranges; ++s) detail::entry(from.results, detail::entry(*contracting[side], s)) = from.range(s);
            for (std::size_t d = 0; d < operands[side].size(); ++d) {
                if (used[side][d]) continue;
                from.results[d] = from.dimension(place[side][d]);
                detail::entry(to.results, place[side][d]) = to.dimension(static_cast<int>(d));
            }
            int range = 0;
            for (IndexExpr& r : to.results)
                if (r.id < 0) r = to.range(range++);
            detail::relate(out.results[0], static_cast<std::int64_t>(side), std::move(from), std::move(to));
        }
        return detail::finished(std::move(out));
    }
};

} // namespace op

} // namespace v0
} // namespace axe

#endif
