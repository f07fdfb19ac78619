// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_OPERATIONS_REDUCE_HPP
#define AXE_MAP_OPERATIONS_REDUCE_HPP

#include <axe/map/operations/shape.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// A variadic reduction has n arrays and then n initial values, which are scalars: n.
inline Result<std::int64_t> check_reduced(const std::vector<IndexShape>& operands)
{
    const std::int64_t n = std::max<std::int64_t>(count(operands) / 2, 1);
    if (const Status e = check_operands(operands, 2 * n); !e.ok()) return e;
    for (std::int64_t k = 1; k < n; ++k)
        if (const Status e = check_same_shape(operands, k, operands[0]); !e.ok()) return e;
    for (std::int64_t k = n; k < 2 * n; ++k)
        if (const Status e = check_rank(operands, k, 0); !e.ok()) return e;
    return n;
}

/// Every result reads every array by the same map, and every initial value.
inline Result<OperationMaps> reduced(const char* name, const std::vector<IndexShape>& operands, const IndexShape& shape,
                                     const IndexingMap& from_output, const IndexingMap& to_output)
{
    OperationMaps out = one_result(name, operands, shape);
    for (std::int64_t k = 0; k < count(operands); ++k) {
        if (2 * k < count(operands))
            relate(out.results[0], k, from_output, to_output);
        else
            relate_whole(out.results[0], k, {});
    }
    out.results.resize(operands.size() / 2, out.results[0]);
    return finished(std::move(out));
}

} // namespace detail

namespace op {

/// y[d] = the sum (or other reduction) of x over `dimensions`, begun with an initial value; of n arrays together to n results.
///
/// Operands: the n arrays of one shape, then the n initial values. The range variables are the reduced dimensions as listed.
struct Reduce {
    std::vector<std::int64_t> dimensions{};

    [[nodiscard]] Result<OperationMaps> maps(const std::vector<IndexShape>& operands) const
    {
        if (const auto n = detail::check_reduced(operands); !n) return n.error();
        const IndexShape& x = operands[0];
        std::vector<bool> is_reduced(x.size());
        if (const Status e = detail::check_dimensions(dimensions, is_reduced); !e.ok()) return e;
        IndexShape shape, loops;
        for (std::size_t i = 0; i < x.size(); ++i)
            if (!is_reduced[i]) shape.push_back(x[i]);
        for (const std::int64_t d : dimensions) loops.push_back(detail::entry(x, d));

        IndexingMap from = IndexingMap::over(shape, loops), to = IndexingMap::over(x);
        from.results.resize(x.size());
        for (int s = 0; s < from.ranges; ++s) detail::entry(from.results, detail::entry(dimensions, s)) = from.range(s);
        for (std::size_t i = 0; i < x.size(); ++i) {
            if (is_reduced[i]) continue;
            from.results[i] = from.dimension(static_cast<int>(to.results.size()));
            to.results.push_back(to.dimension(static_cast<int>(i)));
        }
        return detail::reduced("reduce", operands, shape, from, to);
    }
};

} // namespace op

} // namespace v0
} // namespace axe

#endif
