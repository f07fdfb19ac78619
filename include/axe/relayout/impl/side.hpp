// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_RELAYOUT_IMPL_SIDE_HPP
#define AXE_RELAYOUT_IMPL_SIDE_HPP

#include <axe/relayout/side.hpp>
#include <axe/text/common/words.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// Appends a digit, merged into the one before where it goes on with it.
constexpr bool append_digit(DigitList& list, const AddressDigit& d) noexcept
{
    if (d.extent == 1) return true;
    if (!list.empty()) {
        std::int64_t next = 0;
        if (mul(list.back().extent, list.back().step, next) && next == d.step) {
            list.back().extent *= d.extent;
            return true;
        }
    }
    return list.push_back(d);
}

/// The pitch of an axis; a problem where it has none.
inline Result<void, Problem> find_pitch(const RelayoutSide& side, const Axis& axis, const std::string& where, std::int64_t& pitch)
{
    pitch = 1;
    if (side.pitches.empty()) return {};
    for (const AxisPitch& p : side.pitches)
        if (p.axis == axis) {
            pitch = p.pitch;
            return {};
        }
    return Problem(errc::bad_axis,
                   where + worded("axis {0} has no pitch; give the distance of its neighbors in elements", {axis.name().c_str()}));
}

AXE_DECL Result<AddressMap, Problem> address_map(const RelayoutSide& side, std::int64_t unit, bool is_destination)
{
    const std::string where = std::string(side_name(is_destination)) + ": ";
    if (const Status e = check(side.layout); !e.ok()) return Problem(e.error(), where);
    const auto canonical = canonicalize(side.layout.layout);
    if (!canonical) return Problem(canonical.error(), where);
    const Layout& layout = *canonical;

    AddressMap map;
    const Axis* sole = nullptr;
    Result<void, Problem> problem;
    const auto step_of = [&](const Axis& axis, std::int64_t stride, std::int64_t& step) {
        if (side.pitches.empty() && stride != 0) {
            if (sole != nullptr && !(*sole == axis)) {
                problem = Problem(errc::bad_axis, where + worded("the layout has the axes {0} and {1}; give the pitch of each",
                                                                 {sole->name().c_str(), axis.name().c_str()}));
                return false;
            }
            sole = &axis;
        }
        std::int64_t pitch = 1;
        if (stride != 0) problem = find_pitch(side, axis, where, pitch);
        if (!problem.ok()) return false;
        if (!mul(stride, pitch, step) || !mul(step, unit, step) || step == INT64_MIN) { // which cannot be turned round
            problem = Problem(errc::overflow, where + worded("addresses in bytes overflow on axis {0}", {axis.name().c_str()}));
            return false;
        }
        return true;
    };
    const auto reach = [&](std::int64_t extent, std::int64_t step) {
        std::int64_t part = 0;
        return mul(extent - 1, step, part) && add(part < 0 ? map.least : map.most, part, part < 0 ? map.least : map.most);
    };
    bool fits = true;
    for (int k = layout.shard.size() - 1; k >= 0; --k) {
        const Iter& it = layout.shard[k];
        std::int64_t step = 0;
        if (!step_of(it.axis, it.stride, step)) return problem;
        fits = fits && reach(it.extent, step);
        append_digit(map.digits, {it.extent, step}); // no more digits than iters
    }
    for (const Iter& it : layout.replica) {
        if (!is_destination) break; // any of the copies will do: the first
        std::int64_t step = 0;
        if (!step_of(it.axis, it.stride, step)) return problem;
        fits = fits && reach(it.extent, step);
        map.copies.push_back({it.extent, step});
    }
    for (const auto& entry : layout.offset) {
        std::int64_t step = 0;
        if (!step_of(entry.axis, entry.value, step)) return problem;
        fits = fits && add(map.offset, step, map.offset);
    }
    fits =
        fits && add(map.least, map.offset, map.least) && add(map.most, map.offset, map.most) && add(map.most, unit - 1, map.most);
    // Their differences are numbers, too; and a swizzle moves them within periods of up to 2^61.
    const Swizzled<Layout>& s = side.layout;
    constexpr std::int64_t quarter = std::int64_t{1} << 62;
    fits = fits && (map.least >= 0 || map.most <= INT64_MAX + map.least);
    fits = fits && (s.swizzle.bits == 0 || (map.least >= -quarter && map.most < quarter));
    if (!fits) return Problem(errc::overflow, where + "addresses in bytes overflow");

    if (s.swizzle.bits == 0) return map;
    if (s.width != unit)
        return Problem(errc::bad_argument,
                       where + worded("the swizzle counts elements of {0} bytes, the copy elements of {1}", {s.width, unit}));
    for (const AxisPitch& p : side.pitches) {
        std::int64_t apart = 0;
        if (p.axis == s.axis && p.pitch != 1)
            return Problem(errc::bad_argument,
                           where + worded("the swizzled axis {0} needs pitch 1, not {1}", {p.axis.name().c_str(), p.pitch}));
        if (p.axis == s.axis || (mul(p.pitch, unit, apart) && apart % s.swizzle.period() == 0)) continue;
        return Problem(
            errc::bad_argument,
            where +
                worded("next to an axis swizzled with period {0} bytes, the pitch of {1} must be a multiple of that, got {2} bytes",
                       {s.swizzle.period(), p.axis.name().c_str(), apart}));
    }
    if (side.pitches.empty() && sole != nullptr && !(*sole == s.axis))
        return Problem(errc::bad_axis, where + worded("the swizzle moves axis {0}, the layout has {1}",
                                                      {s.axis.name().c_str(), sole->name().c_str()}));
    map.swizzle = s.swizzle;
    return map;
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
