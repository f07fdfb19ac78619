// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_OPERATIONS_PAD_HPP
#define AXE_MAP_OPERATIONS_PAD_HPP

#include <axe/map/operations/shape.hpp>

namespace axe {
inline namespace v0 {
namespace op {

/// What is put around a dimension and between its elements. Negative edges cut elements off.
struct PadDimension {
    std::int64_t low = 0, high = 0, interior = 0;
};

/// y[d] = x[(d − low)/(interior + 1)] where that is an index of the operand, and the padding value (a scalar, operand 1) elsewhere.
///
/// The result's dimension is (n − 1)·(interior + 1) + 1 + low + high (low + high for n = 0). The map of the padding value covers
/// all elements, those of the operand too.
struct Pad {
    std::vector<PadDimension> padding{};

    [[nodiscard]] Result<OperationMaps> maps(const std::vector<IndexShape>& operands) const
    {
        if (const Status e = detail::check_operands(operands, 2); !e.ok()) return e;
        if (const Status e = detail::check_rank(operands, 1, 0); !e.ok()) return e;
        const IndexShape& x = operands[0];
        if (const Status e = detail::check_length(padding, detail::count(x)); !e.ok()) return e;
        IndexShape shape(x.size()), spread(x.size());
        for (std::size_t i = 0; i < x.size(); ++i) {
            const PadDimension& p = padding[i];
            const auto position = static_cast<int>(i);
            if (p.interior < 0)
                return Error(errc::bad_argument, position, "the interior padding of dimension {0} is {1}; it must be 0 or more",
                             position, p.interior);
            using Exact = wider_t<std::int64_t>;
            const Exact wide = x[i] == 0 ? 0 : Exact{x[i] - 1} * (Exact{p.interior} + 1) + 1;
            if (!detail::narrow(wide, spread[i]) || !detail::narrow(wide + p.low + p.high, shape[i]))
                return Error(errc::overflow, position, "the padded size of dimension {0} overflows", position);
            if (shape[i] < 0)
                return Error(errc::bad_extent, position,
                             "the padding leaves {1} elements in dimension {0}; it must leave 0 or more", position, shape[i]);
        }

        IndexingMap from = IndexingMap::over(shape), to = detail::identity_map(x);
        for (std::size_t i = 0; i < x.size(); ++i) {
            const std::int64_t low = padding[i].low, step = spread[i] > 1 ? padding[i].interior + 1 : 1;
            const IndexExpr d = from.dimension(static_cast<int>(i));
            const IndexExpr place = from.pool.sub(d, from.pool.constant(low));
            // From low on, up to the last element or the result's end.
            const wider_t<std::int64_t> last = wider_t<std::int64_t>{low} + spread[i] - 1;
            constrain(from, d, {low, last < shape[i] ? static_cast<std::int64_t>(last) : shape[i]});
            constrain(from, from.pool.mod(place, step), {0, 0});
            from.results.push_back(from.pool.floor_div(place, step));
            // What the edges cut off belongs to no element.
            to.results[i] = to.pool.add(to.pool.mul(to.results[i], step), low);
            if (low < 0 || padding[i].high < 0) constrain(to, to.results[i], {0, shape[i] - 1});
        }
        OperationMaps out = detail::one_result("pad", operands, shape);
        detail::relate(out.results[0], 0, std::move(from), std::move(to));
        detail::relate_whole(out.results[0], 1, {});
        return detail::finished(std::move(out));
    }
};

} // namespace op

} // namespace v0
} // namespace axe

#endif
