// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_OPERATIONS_WINDOW_HPP
#define AXE_MAP_OPERATIONS_WINDOW_HPP

#include <axe/map/operations/shape.hpp>
#include <axe/map/range_of.hpp>

namespace axe {
inline namespace v0 {
namespace op {

/// How a window moves along one dimension: `size` elements, `dilation` apart, `stride` from place to place, over an array with
/// `low` and `high` elements of padding (negative ones cut off) and `base_dilation` − 1 holes between its elements.
struct WindowDimension {
    std::int64_t size = 1, stride = 1, low = 0, high = 0, dilation = 1, base_dilation = 1;
    bool reversed = false; ///< of a convolution: element s of the window meets element size − 1 − s of the kernel
};

} // namespace op

namespace detail {

/// A window on a dimension of n elements:  place p = d·stride + s·dilation − low,  element p/base_dilation where that is one
struct Window {
    op::WindowDimension w{};
    std::int64_t spread = 0; ///< with holes: (n − 1)·base_dilation + 1
    std::int64_t places = 0; ///< the size of the result

    /// (place d of the window, element s of it) -> the element of the array, constrained to be one.
    IndexExpr element(IndexingMap& map, IndexExpr d, IndexExpr s) const
    {
        IndexPool& pool = map.pool;
        const IndexExpr moved = pool.add(pool.mul(d, w.stride), pool.mul(s, w.dilation));
        const IndexExpr at = pool.sub(moved, pool.constant(w.low));
        limit(map, at, spread - 1);
        if (spread > 1) constrain(map, pool.mod(at, w.base_dilation), {0, 0});
        return pool.floor_div(at, spread > 1 ? w.base_dilation : 1);
    }
    /// (element i of the array, element s of the window) -> the place of the window, constrained to be one.
    IndexExpr place(IndexingMap& map, IndexExpr i, IndexExpr s) const
    {
        IndexPool& pool = map.pool;
        const IndexExpr at = pool.add(pool.mul(i, spread > 1 ? w.base_dilation : 1), w.low);
        const IndexExpr moved = pool.add(at, pool.mul(s, -w.dilation));
        limit(map, moved, places > 0 ? (places - 1) * w.stride : -1);
        if (places > 1) constrain(map, pool.mod(moved, w.stride), {0, 0});
        return pool.floor_div(moved, places > 1 ? w.stride : 1);
    }

  private:
    static void limit(IndexingMap& map, IndexExpr e, std::int64_t last)
    {
        if (!IndexInterval{0, last}.contains(range_of(map, e))) constrain(map, e, {0, last});
    }
};

/// The window on dimension `position`, of n elements, with its numbers checked.
inline Result<Window> checked_window(const op::WindowDimension& w, std::int64_t n, int position)
{
    const struct {
        std::int64_t value;
        const char* message;
    } positive[] = {{w.size, "the window of dimension {0} has size {1}; it must be 1 or more"},
                    {w.stride, "the window of dimension {0} has stride {1}; it must be 1 or more"},
                    {w.dilation, "the window of dimension {0} has dilation {1}; it must be 1 or more"},
                    {w.base_dilation, "the window of dimension {0} has base dilation {1}; it must be 1 or more"}};
    for (const auto& p : positive)
        if (p.value < 1) return Error(errc::bad_argument, position, p.message, position, p.value);
    using Exact = wider_t<std::int64_t>;
    Window out{w, 0, 0};
    std::int64_t padded = 0, footprint = 0;
    if (!narrow(n == 0 ? Exact{0} : Exact{n - 1} * w.base_dilation + 1, out.spread) ||
        !narrow(Exact{out.spread} + w.low + w.high, padded) || !narrow(Exact{w.size - 1} * w.dilation + 1, footprint))
        return Error(errc::overflow, position, "the window of dimension {0} overflows", position);
    out.places = padded < footprint ? 0 : (padded - footprint) / w.stride + 1;
    return out;
}

} // namespace detail

} // namespace v0
} // namespace axe

#endif
