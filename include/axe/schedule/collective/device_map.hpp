// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_COLLECTIVE_DEVICE_MAP_HPP
#define AXE_SCHEDULE_COLLECTIVE_DEVICE_MAP_HPP

#include <axe/layout/group.hpp>
#include <axe/layout/mixed_radix.hpp>
#include <axe/layout/points.hpp>
#include <axe/layout/project.hpp>
#include <axe/tensor/problem.hpp>
#include <axe/text/common/words.hpp>

#include <algorithm>
#include <vector>

namespace axe {
inline namespace v0 {

/// A digit of a dimension: index = … + i·weight + …, 0 ≤ i < extent; and how its values move an element from device to device, in the
/// layout before (`from`) and in the one after (`to`). Both lists are empty where it moves nothing in either.
struct DeviceDigit {
    int dim = 0;
    std::int64_t extent = 1, weight = 1;
    std::vector<std::int64_t> from{}, to{};

    [[nodiscard]] bool moves() const noexcept { return !from.empty(); }
};

/// On which devices the elements of a shape are, before and after: digits, outermost first and dimension by dimension, and what the
/// copies of an element add. The devices of an element are  Σ from[i_k] + from_copies  and  Σ to[i_k] + to_copies.
struct DeviceMap {
    Shape shape{};
    std::vector<DeviceDigit> digits{};
    std::vector<std::int64_t> from_copies{}, to_copies{}; ///< ascending, each once
};

namespace detail {

/// The most rows that are looked at one by one.
inline constexpr std::int64_t device_row_limit = std::int64_t{1} << 22;

inline Problem devices_too_hard(std::int64_t limit)
{
    return Problem(errc::too_hard, "the digits that move elements between devices have more than {0} combinations", {limit});
}

/// Does something move between the two weights?
inline bool moves_between(const MixedRadix& map, std::int64_t low, std::int64_t high)
{
    return std::any_of(map.digits.begin(), map.digits.end(), [&](const auto& d) {
        return d.stride != 0 && std::max(d.weight, low) < std::min(d.weight * d.extent, high);
    });
}

/// The digits that two maps of one dimension have in common, appended innermost first. Where their boundaries do not divide each
/// other, a digit spans several of theirs, and its values are not multiples of one stride.
inline Result<void, Problem> append_common_digits(int dim, const MixedRadix& from, const MixedRadix& to,
                                                  std::vector<DeviceDigit>& out)
{
    const auto cuts = from.common_cuts(to);
    for (int k = 1; k < cuts.size(); ++k) {
        const std::int64_t low = cuts[k - 1], high = cuts[k];
        DeviceDigit digit{dim, high / low, low, {}, {}};
        if (moves_between(from, low, high) || moves_between(to, low, high)) {
            if (digit.extent > device_row_limit) return devices_too_hard(device_row_limit);
            for (std::int64_t i = 0; i < digit.extent; ++i) {
                digit.from.push_back(from(i * low));
                digit.to.push_back(to(i * low));
            }
        }
        out.push_back(std::move(digit));
    }
    return {};
}

/// What the copies of element 0 have as coordinates on the axis; of a layout that has been projected onto it.
inline Result<std::vector<std::int64_t>, Problem> device_copies(const Layout& projected, const Axis& axis)
{
    std::vector<std::int64_t> out;
    const auto all = points(projected, 0);
    const auto count = all.count();
    if (!count) return count.error();
    if (*count > device_row_limit) return devices_too_hard(device_row_limit);
    for (const auto& p : all) out.push_back(p[axis]);
    return out;
}

inline std::vector<Iter> block_of(const Grouped<Layout>& grouped, int dim)
{
    const Iter* iters = grouped.layout.shard.begin();
    return {iters + grouped.begin(dim), iters + grouped.end(dim)};
}

inline Result<MixedRadix> digits_of(const Grouped<Layout>& grouped, int dim)
{
    const Iter* iters = grouped.layout.shard.begin();
    return MixedRadix::from(iters + grouped.begin(dim), iters + grouped.end(dim));
}

inline bool is_among(const InlineVector<int, max_rank>& list, int item)
{
    return std::find(list.begin(), list.end(), item) != list.end();
}

} // namespace detail

/// The digits in which two layouts of one shape say on which devices an element is. `to` is on the dimensions of `shape` that are not
/// among `reduced`, and moves nothing along those.
///
/// Exists iff the dimensions group both layouts as far as they name the device axis (`errc::not_grouped` with the dimension
/// otherwise); `errc::too_hard` for a digit of more than 2^22 devices; the errors of `group`.
/// Cost: linear in iters and devices; the extents do not matter.
inline Result<DeviceMap, Problem> device_map(const Layout& from, const Layout& to, const Shape& shape,
                                             const InlineVector<int, max_rank>& reduced = {}, const Axis& axis = "gpuid")
{
    const auto before = project(from, {axis}), after = project(to, {axis});
    if (!before) return before.error();
    if (!after) return after.error();
    Shape kept;
    for (int d = 0; d < shape.size(); ++d)
        if (!detail::is_among(reduced, d)) kept.push_back(shape[d]);
    const auto a = group(*before, shape), b = group(*after, kept);
    if (!a) return a.error();
    if (!b) return b.error();

    DeviceMap out;
    out.shape = shape;
    for (int d = 0, k = 0; d < shape.size(); ++d) {
        std::vector<DeviceDigit> digits; // innermost first
        const bool is_kept = !detail::is_among(reduced, d);
        const Iter still{shape[d], 0};
        const auto outer = detail::digits_of(*a, d),
                   inner = is_kept ? detail::digits_of(*b, k++) : MixedRadix::from(&still, &still + 1);
        if (!outer) return outer.error();
        if (!inner) return inner.error();
        if (auto p = detail::append_common_digits(d, *outer, *inner, digits); !p.ok()) return p;
        out.digits.insert(out.digits.end(), digits.rbegin(), digits.rend());
    }
    auto copies = detail::device_copies(*before, axis);
    if (!copies) return copies.error();
    out.from_copies = std::move(*copies);
    copies = detail::device_copies(*after, axis);
    if (!copies) return copies.error();
    out.to_copies = std::move(*copies);
    return out;
}

} // namespace v0
} // namespace axe

#endif
