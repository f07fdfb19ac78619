// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_SHARDING_HLO_LIST_HPP
#define AXE_INTEROP_SHARDING_HLO_LIST_HPP

#include <axe/interop/sharding/errors.hpp>
#include <axe/interop/sharding/hlo.hpp>
#include <axe/interop/sharding/mesh_text.hpp>

/// XLA's older form of a tile assignment: the devices one by one. None of them is kept; the text is read twice where copies are out of
/// order.
namespace axe {
inline namespace v0 {
namespace sharding {
namespace detail {

/// The most copies of one tile whose order in a list is looked at.
inline constexpr int most_copies = 1024;

/// A list of devices: the steps of it, or where they break off.
struct DeviceList {
    OrderFinder finder{};
    int start = 0;   ///< the character of the first device
    int broken = -1; ///< that of the first device which is not where steps have it
    std::int64_t count = 0;
};

constexpr bool read_device(Reader& in, std::int64_t& device) noexcept
{
    in.peek();
    const int where = in.at;
    return in.integer(device, "expected the number of a device at character {0}") &&
           (device >= 0 || negative_device(in, where, device));
}

constexpr bool read_device_list(Reader& in, DeviceList& list) noexcept
{
    in.peek();
    list.start = in.at;
    do {
        std::int64_t device = 0;
        in.peek();
        const int where = in.at;
        if (!read_device(in, device)) return false;
        if (list.broken < 0 && !list.finder.add(device)) list.broken = where;
        ++list.count;
    } while (in.accept(','));
    return true;
}

/// The steps of a list whose last `copies` devices in each group are a set: each group must be the first one, moved.
///
/// A set that a mesh can have has strides of which each is a multiple of what the smaller ones reach, so that it is a list of steps
/// when it is sorted.
constexpr bool order_of_sets(Reader& in, const DeviceList& list, std::int64_t copies, HloSharding& out) noexcept
{
    if (copies > most_copies)
        return in.fail(errc::capacity, list.start,
                       "the list at character {0} has {1} copies of a tile out of order, too many to sort", copies);
    Reader again(in.text, in.length);
    again.at = list.start;
    std::int64_t set[most_copies], group[most_copies]; // 16 kB, of which few are used
    OrderFinder tiles, members;
    for (std::int64_t at = 0; at < list.count; at += copies) {
        if (at > 0) again.accept(',');
        again.peek();
        const int where = again.at;
        for (int i = 0; i < copies; ++i) {
            std::int64_t device = 0;
            if (i > 0) again.accept(',');
            read_device(again, device); // it was read before
            int k = i;
            for (; k > 0 && group[k - 1] > device; --k) group[k] = group[k - 1];
            group[k] = device;
        }
        bool same = true;
        for (int i = 0; i < copies; ++i) {
            if (at == 0) set[i] = group[i];
            same = same && group[i] - group[0] == set[i] - set[0] && (at > 0 || members.add(group[i]));
        }
        if (!same || !tiles.add(group[0]))
            return in.fail(errc::no_layout, where,
                           "the device list is not a product of steps: the copies from character {0} on break the pattern");
    }
    const auto outer = tiles.order(), inner = members.order();
    if (!outer || !inner) return no_steps(in, list.start);
    out.order = *outer;
    for (const Iter& it : *inner)
        if (!keep(in, out.order, it)) return false;
    out.first = tiles.first();
    return true;
}

} // namespace detail
} // namespace sharding
} // namespace v0
} // namespace axe

#endif
