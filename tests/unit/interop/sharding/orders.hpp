// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_UNIT_INTEROP_SHARDING_ORDERS_HPP
#define AXE_TESTS_UNIT_INTEROP_SHARDING_ORDERS_HPP

#include <axe/interop/sharding/mesh.hpp>

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <vector>

/// What the tests of device orders share: lists of devices, by enumeration.
namespace orders {

using Devices = std::vector<std::int64_t>;

/// The devices of steps, major first.
inline Devices listed(const axe::sharding::DeviceOrder& steps, std::int64_t first = 0)
{
    Devices out{first};
    for (const axe::Iter& it : steps) {
        Devices next;
        for (const std::int64_t device : out)
            for (std::int64_t i = 0; i < it.extent; ++i) next.push_back(device + i * it.stride);
        out = next;
    }
    return out;
}

/// `0,2,1,3`
inline std::string joined(const Devices& devices)
{
    std::string out;
    for (const std::int64_t d : devices) out += (out.empty() ? "" : ",") + std::to_string(d);
    return out;
}

/// 0, …, n − 1 in each order.
inline std::vector<Devices> permutations(int n)
{
    Devices devices(static_cast<std::size_t>(n));
    std::iota(devices.begin(), devices.end(), 0);
    std::vector<Devices> out;
    do out.push_back(devices);
    while (std::next_permutation(devices.begin(), devices.end()));
    return out;
}

/// The lists that steps make of the devices 0, …, n − 1, whatever the first.
inline std::set<Devices> step_lists(int n)
{
    std::set<Devices> out;
    const auto extend = [&](const auto& self, const axe::sharding::DeviceOrder& steps, std::int64_t left) -> void {
        if (left == 1) {
            Devices list = listed(steps);
            const std::int64_t low = *std::min_element(list.begin(), list.end());
            for (std::int64_t& device : list) device -= low;
            if (std::set<std::int64_t>(list.begin(), list.end()).size() == list.size() &&
                *std::max_element(list.begin(), list.end()) == n - 1)
                out.insert(list);
            return;
        }
        for (std::int64_t extent = 2; extent <= left; ++extent)
            for (std::int64_t stride = 1 - n; left % extent == 0 && stride < n; ++stride) {
                auto more = steps;
                more.push_back(axe::Iter(extent, stride));
                self(self, more, left / extent);
            }
    };
    extend(extend, {}, n);
    return out;
}

/// An iota on a shape, transposed and flattened, as NumPy does it.
struct Iota {
    std::string text; ///< `[2,3]T(1,0)`
    Devices devices{};
};
inline std::vector<Iota> iotas(int max_rank, int max_extent)
{
    std::vector<Iota> out;
    std::vector<std::vector<int>> shapes{{}};
    for (std::size_t s = 0; s < shapes.size(); ++s) {
        if (static_cast<int>(shapes[s].size()) == max_rank) continue;
        for (int n = 1; n <= max_extent; ++n) {
            auto more = shapes[s];
            more.push_back(n);
            shapes.push_back(more);
        }
    }
    for (const auto& shape : shapes) {
        const std::size_t rank = shape.size();
        if (rank == 0) continue;
        std::vector<std::size_t> order(rank);
        std::iota(order.begin(), order.end(), 0);
        do {
            Iota iota;
            for (const int n : shape) iota.text += (iota.text.empty() ? "[" : ",") + std::to_string(n);
            iota.text += "]T(";
            std::vector<std::int64_t> weights(rank, 1);
            for (std::size_t d = rank - 1; d > 0; --d) weights[d - 1] = weights[d] * shape[d];
            iota.devices = {0};
            for (std::size_t i = 0; i < rank; ++i) {
                iota.text += (i > 0 ? "," : "") + std::to_string(order[i]);
                Devices next;
                for (const std::int64_t device : iota.devices)
                    for (int k = 0; k < shape[order[i]]; ++k) next.push_back(device + k * weights[order[i]]);
                iota.devices = next;
            }
            iota.text += ")";
            out.push_back(iota);
        } while (std::next_permutation(order.begin(), order.end()));
    }
    return out;
}

} // namespace orders

#endif
