// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_OPERATIONS_REDUCE_WINDOW_HPP
#define AXE_MAP_OPERATIONS_REDUCE_WINDOW_HPP

#include <axe/map/operations/reduce.hpp>
#include <axe/map/operations/window.hpp>

namespace axe {
inline namespace v0 {
namespace op {

/// y[d] = the sum (or other reduction) of x over the window at d, begun with an initial value; of n arrays together to n results.
///
/// One window a dimension. Padding and holes are not read: the map holds where the window meets an element.
struct ReduceWindow {
    std::vector<WindowDimension> window{};

    [[nodiscard]] Result<OperationMaps> maps(const std::vector<IndexShape>& operands) const
    {
        if (const auto n = detail::check_reduced(operands); !n) return n.error();
        const IndexShape& x = operands[0];
        if (const Status e = detail::check_length(window, detail::count(x)); !e.ok()) return e;
        std::vector<detail::Window> windows;
        IndexShape shape, sizes;
        for (std::size_t i = 0; i < x.size(); ++i) {
            const auto w = detail::checked_window(window[i], x[i], static_cast<int>(i));
            if (!w) return w.error();
            windows.push_back(*w);
            shape.push_back(w->places);
            sizes.push_back(window[i].size);
        }
        IndexingMap from = IndexingMap::over(shape, sizes), to = IndexingMap::over(x, sizes);
        for (int i = 0; i < from.dimensions; ++i) {
            from.results.push_back(detail::entry(windows, i).element(from, from.dimension(i), from.range(i)));
            to.results.push_back(detail::entry(windows, i).place(to, to.dimension(i), to.range(i)));
        }
        return detail::reduced("reduce_window", operands, shape, from, to);
    }
};

} // namespace op

} // namespace v0
} // namespace axe

#endif
