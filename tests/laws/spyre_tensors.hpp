// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_LAWS_SPYRE_TENSORS_HPP
#define AXE_TESTS_LAWS_SPYRE_TENSORS_HPP

#include <axe/interop/spyre/place.hpp>
#include <axe/target/spyre/compiler/dma.hpp>
#include <tests/laws/spyre_random.hpp>

#include <vector>

/// Random tensors on Spyre, and where their elements are by definition.
namespace spyres {

using laws::Int;
using laws::Random;

inline Int address(const axe::Strided& array, const axe::Coord& c)
{
    Int at = array.offset;
    for (int d = 0; d < c.size(); ++d) at += c[d] * array.strides[d];
    return at;
}

/// What a buffer of the array must hold: one more than the farthest address.
inline std::size_t length(const axe::Strided& array)
{
    Int most = -1;
    laws::spyre::each_coordinate(array.shape, [&](const axe::Coord& c) { most = std::max(most, address(array, c)); });
    return static_cast<std::size_t>(most + 1);
}

/// Calls f with each move of the nests: offsets on the host and on the device.
template <class F>
void each_move(const axe::spyre::Dma& dma, F f)
{
    for (const auto& nest : dma.nests)
        laws::spyre::each_coordinate(nest.ranges, [&](const axe::Coord& z) {
            Int host = nest.host_offset, device = nest.device_offset;
            for (int j = 0; j < z.size(); ++j) {
                host += z[j] * dma.host_strides[j];
                device += z[j] * dma.device_strides[j];
            }
            f(host, device);
        });
}

/// All places of an element: the coordinate of its first copy, and those of the others.
inline std::vector<Int> places(const axe::spyre::Tensor& t, const axe::Coord& c)
{
    const axe::spyre::Strides steps = axe::spyre::device_strides(t.device);
    std::vector<Int> all{axe::spyre::device_offset(t.device, axe::spyre::device_coordinate(t, c).value())};
    for (int j = 0; j < t.digits.size(); ++j) {
        if (t.digits[j].dim != axe::spyre::Digit::copies) continue;
        const std::size_t so_far = all.size();
        for (Int r = 1; r < t.device.device_size[j]; ++r)
            for (std::size_t i = 0; i < so_far; ++i) all.push_back(all[i] + r * steps[j]);
    }
    return all;
}

/// A tensor by an order of dimensions, or on a layout of which no order is known: digits of any weights, copies, room to spare.
inline axe::spyre::Tensor random_tensor(Random& r)
{
    while (true) {
        const axe::Strided host = laws::spyre::random_host(r, 1000);
        if (host.shape.size() > 5) continue;
        const axe::spyre::DataFormat format = r.one_in(2) ? axe::spyre::DataFormat::sen169_fp16 : laws::spyre::random_format(r);
        if (!r.one_in(3)) {
            const auto made = axe::spyre::make_tensor(host, format, laws::spyre::random_order(r, host.shape.size()));
            if (made && axe::spyre::stick_count(made->device).value() < 600) return made.value();
            continue;
        }
        axe::SpyreLayout layout;
        layout.format = format;
        const Int most = axe::spyre::elements_per_stick(format).value();
        for (int d = 0; d < host.shape.size(); ++d) {
            const Int n = host.shape[d];
            if (n == 1 || host.strides[d] == 0) continue;
            Int weight = n;
            while (weight > 1) {
                const Int inner = r.one_in(3) ? 1 : r.in(1, weight - 1);
                const int at = static_cast<int>(r.in(0, layout.device_size.size()));
                if (layout.device_size.size() > 8) break;
                if (!layout.device_size.insert(at, (weight - 1) / inner + 1 + (r.one_in(4) ? r.in(0, 2) : 0))) break;
                layout.stride_map.insert(at, inner * host.strides[d]);
                weight = inner;
            }
        }
        if (r.one_in(3)) {
            const int at = static_cast<int>(r.in(0, layout.device_size.size()));
            layout.device_size.insert(at, r.in(1, 3));
            layout.stride_map.insert(at, r.in(-1, 0));
        }
        if (layout.device_size.empty() || layout.device_size.back() > most) {
            layout.device_size.push_back(most);
            layout.stride_map.push_back(r.one_in(2) ? 0 : -1);
        }
        const auto sticks = axe::spyre::stick_count(layout);
        if (!sticks || *sticks > 600) continue;
        const auto placed = axe::spyre::place(host, layout);
        if (placed) return placed.value();
    }
}

} // namespace spyres

#endif
