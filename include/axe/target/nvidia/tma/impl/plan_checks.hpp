// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_TMA_IMPL_PLAN_CHECKS_HPP
#define AXE_TARGET_NVIDIA_TMA_IMPL_PLAN_CHECKS_HPP

#include <axe/target/nvidia/tma/impl/plan_sides.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// Replicas and axes of threads: a copy by TMA has one place in one memory for each element.
inline Status check_tma_layout(const Layout& layout, const Axis& axis, bool shared)
{
    for (const Iter& it : layout.replica)
        if (it.extent > 1 && it.stride != 0)
            return Error(errc::not_single_valued, -1,
                         shared ? "the shared layout of a TMA copy has replicas; it must have one place for each element"
                                : "the global layout of a TMA copy has replicas; it must have one place for each element");
    const char* other = shared ? "iter {0} of the shared layout of a TMA copy is not on the axis of its memory"
                               : "iter {0} of the global layout of a TMA copy is not on the axis of its memory";
    for (int i = 0; i < layout.shard.size(); ++i)
        if (layout.shard[i].extent > 1 && layout.shard[i].stride != 0 && !(layout.shard[i].axis == axis))
            return Error(errc::bad_axis, i, other, i);
    for (const auto& o : layout.offset)
        if (o.value != 0 && !(o.axis == axis))
            return Error(errc::bad_axis, -1, "an offset of a layout of a TMA copy is not on the axis of its memory");
    return {};
}

/// The extents of two regions, those of 1 aside, must be equal.
inline Status check_tma_extents(const Region& a, const Region& b)
{
    int i = 0, k = 0;
    for (;;) {
        while (i < a.size() && a[i].hi - a[i].lo == 1) ++i;
        while (k < b.size() && b[k].hi - b[k].lo == 1) ++k;
        if (i == a.size() || k == b.size()) break;
        if (a[i].hi - a[i].lo != b[k].hi - b[k].lo)
            return Error(errc::size_mismatch, i,
                         "dimension {0} of the global region has {1} elements, its part in shared memory {2}", i, a[i].hi - a[i].lo,
                         b[k].hi - b[k].lo);
        ++i, ++k;
    }
    if (i == a.size() && k == b.size()) return {};
    return Error(errc::rank_mismatch, -1, "the global region of a TMA copy has {0} dimensions, that in shared memory {1}", a.size(),
                 b.size());
}

/// Do all addresses of a layout, as bytes, have room to spare?
inline Status check_tma_addresses(const Layout& layout)
{
    constexpr std::int64_t end = std::int64_t{1} << 55;
    std::int64_t sum = 0, part = 0;
    bool fits = true;
    for (const Iter& it : layout.shard)
        fits = fits && (it.extent == 1 || (mul(it.extent, magnitude(it.stride), part) && part < end && (sum += part) < end));
    for (const auto& o : layout.offset) fits = fits && o.value > -end && o.value < end;
    if (!fits) return Error(errc::overflow, -1, "the addresses of a layout of a TMA copy are not below 2^55");
    return {};
}

inline Status check_tma_region(const Region& region, const Shape& shape)
{
    constexpr std::int64_t end = std::int64_t{1} << 32;
    if (region.size() != shape.size()) return region_rank(region.size(), shape.size());
    for (int d = 0; d < region.size(); ++d) {
        if (region[d].lo < -end || region[d].hi > end)
            return Error(errc::out_of_domain, d, "the interval [{0}, {1}) of dimension {2} of a TMA copy is not within 2^32 of 0",
                         region[d].lo, region[d].hi, d);
        if (region[d].hi <= region[d].lo)
            return Error(errc::bad_extent, d, "the interval [{0}, {1}) of dimension {2} of a TMA copy is empty", region[d].lo,
                         region[d].hi, d);
    }
    return {};
}

inline Status check_tma_request(const TmaRequest& r)
{
    if (const Status e = check(r.global); !e.ok()) return e;
    if (const Status e = check(r.shared); !e.ok()) return e;
    for (const Shape* shape : {&r.global_shape, &r.shared_shape})
        if (const auto v = volume(*shape); !v) return v.error();
    for (const Layout* layout : {&r.global, &r.shared.layout})
        if (const Status e = check_tma_addresses(*layout); !e.ok()) return e;
    if (const Status e = check_tma_layout(r.global, r.global_axis, false); !e.ok()) return e;
    if (const Status e = check_tma_layout(r.shared.layout, r.shared.axis, true); !e.ok()) return e;
    const std::int64_t width = row(r.type).bits < 8 ? 1 : row(r.type).bits / 8;
    if (r.shared.width != width)
        return Error(errc::size_mismatch, -1, "elements of the shared layout have {0} bytes, those of the TMA copy {1}",
                     r.shared.width, width);
    const Region region = r.global_region.empty() ? whole_region(r.global_shape) : r.global_region;
    const Region to = r.shared_region.empty() ? whole_region(r.shared_shape) : r.shared_region;
    if (const Status e = check_tma_region(region, r.global_shape); !e.ok()) return e;
    if (!r.global_steps.empty() && r.global_steps.size() != r.global_shape.size())
        return Error(errc::rank_mismatch, -1, "a TMA copy has steps in {0} dimensions, the shape has {1}", r.global_steps.size(),
                     r.global_shape.size());
    for (int d = 0; d < r.global_steps.size(); ++d) {
        std::int64_t last = 0; // of the region
        if (r.global_steps[d] < 1)
            return Error(errc::bad_argument, d, "dimension {0} of a TMA copy has steps of {1}; they must be at least 1", d,
                         r.global_steps[d]);
        if (!mul(region[d].hi - region[d].lo - 1, r.global_steps[d], last) || last > tma_most_dim)
            return Error(errc::out_of_domain, d,
                         "the {0} elements of dimension {1} of a TMA copy, with steps of {2}, are not within 2^32 of each other",
                         region[d].hi - region[d].lo, d, r.global_steps[d]);
    }
    if (const Status e = check_tma_region(to, r.shared_shape); !e.ok()) return e;
    return check_tma_extents(region, to);
}

/// Does no byte have two elements of the region, on the side that is written?
inline Status check_tma_injective(const TmaRequest& r)
{
    const bool load = r.rules.use == TmaUse::load;
    const Layout& whole = load ? r.shared.layout : r.global;
    const Shape& shape = load ? r.shared_shape : r.global_shape;
    Region region = load ? r.shared_region : r.global_region;
    if (!load && has_steps(r)) {
        if (region.empty()) region = whole_region(shape);
        for (int d = 0; d < region.size(); ++d) region[d].hi = region[d].lo + (region[d].hi - region[d].lo - 1) * step_of(r, d) + 1;
    }
    const auto part = slice(whole, shape, region.empty() ? whole_region(shape) : region); // none where the region leaves the tensor
    const Decision one = is_injective(part ? *part : whole);
    if (!one.no()) return one.undecided() ? Status(one.error()) : Status{};
    return Error(errc::no_layout, -1,
                 load ? "two elements of the shared layout of a TMA load are in one place"
                      : "two elements of the global layout of a TMA store are in one place");
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
