// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_LAWS_SPYRE_RANDOM_HPP
#define AXE_TESTS_LAWS_SPYRE_RANDOM_HPP

#include <axe/interop/spyre/make.hpp>
#include <axe/interop/spyre/text.hpp>
#include <tests/random.hpp>

#include <string>
#include <utility>
#include <vector>

/// Random tensors for the laws of Spyre's layouts, and their elements one by one.
namespace laws::spyre {

using axe::spyre::DataFormat;

/// What the device has a stick for.
inline constexpr int formats_with_sticks = 12;

/// Dimensions in any order in memory, some with a gap behind them, some expanded, and an offset.
inline axe::Strided random_host(Random& r, Int most_elements, bool with_empty = true)
{
    axe::Strided host;
    for (;;) {
        host = {};
        const int rank = static_cast<int>(r.in(0, 6));
        Int count = 1;
        for (int d = 0; d < rank; ++d) {
            Int n = r.in(1, 6);
            if (r.one_in(3)) n = r.one_in(2) ? 1 : r.in(7, 150);
            if (with_empty && r.one_in(40)) n = 0;
            host.shape.push_back(n);
            host.strides.push_back(1);
            count *= n == 0 ? 1 : n;
        }
        if (count <= most_elements) break;
    }
    std::vector<int> order;
    for (int d = 0; d < host.shape.size(); ++d) order.insert(order.begin() + r.in(0, d), d);
    if (r.one_in(2)) std::sort(order.rbegin(), order.rend()); // row-major
    Int next = 1;
    bool is_expanded = false;
    for (const int d : order) {
        if (r.one_in(5)) next += r.in(1, 7);
        host.strides[d] = next;
        if (host.shape[d] > 1 && !is_expanded && r.one_in(8)) {
            host.strides[d] = 0;
            is_expanded = true;
            continue;
        }
        next *= host.shape[d] == 0 ? 1 : host.shape[d];
    }
    if (r.one_in(4)) host.offset = r.in(1, 300);
    return host;
}

/// Any order, sparse once in four times.
inline axe::spyre::DimOrder random_order(Random& r, int rank)
{
    axe::spyre::DimOrder order;
    for (int d = 0; d < rank; ++d) order.insert(static_cast<int>(r.in(0, d)), d);
    if (r.one_in(4)) order.push_back(-1);
    return order;
}

inline DataFormat random_format(Random& r) { return static_cast<DataFormat>(r.in(0, formats_with_sticks - 1)); }

/// All coordinates of a shape whose extents may be 0, row-major.
template <class F>
void each_coordinate(const axe::Shape& shape, F f)
{
    axe::Coord c;
    for (const Int n : shape) {
        if (n == 0) return;
        c.push_back(0);
    }
    for (;;) {
        f(std::as_const(c));
        int d = c.size() - 1;
        while (d >= 0 && ++c[d] == shape[d]) c[d--] = 0;
        if (d < 0) return;
    }
}

/// The value of a layout on one axis, digit by digit.
inline Int value(const axe::Layout& l, const axe::Shape& shape, const axe::Coord& c, const axe::Axis& axis = {})
{
    Int x = 0, out = l.offset[axis];
    for (int d = 0; d < shape.size(); ++d) x = x * shape[d] + c[d];
    for (int k = l.shard.size() - 1; k >= 0; --k) {
        if (l.shard[k].axis == axis) out += x % l.shard[k].extent * l.shard[k].stride;
        x /= l.shard[k].extent;
    }
    return out;
}

/// The tensor in words, for a failure.
inline std::string words(const axe::spyre::Tensor& t)
{
    std::string out = "sizes";
    for (const Int n : t.torch.shape) out += " " + std::to_string(n);
    out += ", strides";
    for (const Int n : t.torch.strides) out += " " + std::to_string(n);
    return out + ", offset " + std::to_string(t.torch.offset) + ", " + axe::spyre::print(t.device).c_str() + " " +
           name(t.device.format);
}

} // namespace laws::spyre

#endif
