// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_COLLECTIVE_TRAFFIC_HPP
#define AXE_SCHEDULE_COLLECTIVE_TRAFFIC_HPP

#include <axe/schedule/collective/classify.hpp>

namespace axe {
inline namespace v0 {

/// How many elements devices must receive.
struct Traffic {
    std::int64_t most = 0;  ///< on one device, at most
    std::int64_t total = 0; ///< on all together
};

/// How many elements of  to = Σ from  each device wants and does not have, or of which it does not have all terms:
///
///   received(d) = |{ x : d ∈ to(x), and from(x, k) ∌ d for some term k }|
///
/// At least as many values come from other devices, whatever the schedule is; a copy between peers sends just these. Arguments and
/// errors as of `classify_reduction`, and `errc::overflow`.
inline Result<Traffic, Problem> traffic_of_reduction(const Layout& from, const Shape& shape,
                                                     const InlineVector<int, max_rank>& reduced, const Layout& to,
                                                     const Axis& axis = "gpuid")
{
    const auto map = device_map(from, to, shape, reduced, axis);
    if (!map && map.error().code != errc::not_grouped) return map.error();
    const auto movement = map ? detail::movement_of(*map, reduced) : detail::movement_of(from, to, shape, reduced, axis);
    if (!movement) return movement.error();
    const auto elements = size(to);
    if (!elements) return elements.error();

    std::vector<std::map<std::int64_t, std::int32_t>> terms(movement->to.size());
    for (const auto& row : movement->rows)
        for (const std::int64_t copy : movement->from_copies) ++terms[static_cast<std::size_t>(row.element)][row.from + copy];
    std::map<std::int64_t, std::int64_t> missing;
    for (std::size_t x = 0; x < terms.size(); ++x)
        for (const std::int64_t copy : movement->to_copies) {
            const auto own = terms[x].find(movement->to[x] + copy);
            if (own == terms[x].end() || own->second < movement->terms) ++missing[movement->to[x] + copy];
        }
    const std::int64_t alike = *elements / static_cast<std::int64_t>(movement->to.size()); // elements that are placed as one
    Traffic out;
    for (const auto& [device, count] : missing) {
        out.most = std::max(out.most, count * alike); // no more than there are elements
        if (!detail::add_product(count, alike, out.total))
            return Problem(errc::overflow, "the number of elements that all devices receive overflows");
    }
    return out;
}

/// The same of the copy  to = from.
inline Result<Traffic, Problem> traffic_of_copy(const Layout& from, const Layout& to, const Axis& axis = "gpuid")
{
    const auto n = size(from);
    if (!n) return n.error();
    return traffic_of_reduction(from, Shape{*n}, {}, to, axis);
}

} // namespace v0
} // namespace axe

#endif
