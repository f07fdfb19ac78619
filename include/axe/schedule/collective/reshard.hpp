// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_COLLECTIVE_RESHARD_HPP
#define AXE_SCHEDULE_COLLECTIVE_RESHARD_HPP

#include <axe/mesh/reshard.hpp>
#include <axe/schedule/collective/traffic.hpp>

/// Reshards of a mesh, decided and counted by the layouts of what its members hold.
namespace axe {
inline namespace v0 {

/// The two sides of a reshard as a reduction:  to = Σ from  over the dimensions `reduced` of `shape`, on the axis `id`.
struct ReshardSides {
    Layout from{}, to{};
    Shape shape{};
    InlineVector<int, max_rank> reduced{};
};

/// The sides of a reshard: terms of `from` that `to` does not have are reduced, those that both have stay apart.
///
/// The errors of `id_placement`; those of `reshard` are not looked for.
constexpr Result<ReshardSides> reshard_sides(const Sharding& from, const Sharding& to, const Shape& shape) noexcept
{
    const auto before = id_placement(from, shape), after = id_placement(to, shape);
    if (!before) return before.error();
    if (!after) return after.error();
    Result<ReshardSides> result;
    result->from = before->layout;
    result->to = after->layout;
    result->shape = before->shape;
    for (int i = 0; i < from.partial.size(); ++i)
        if (!has_axis(to.partial, from.partial[i])) result->reduced.push_back(i);
    return result;
}

/// Which collective the reshard is as a whole, by what members hold before and after: the kind of `classify_reduction`, with the groups of
/// ids. `reshard` where it takes several. Errors and cost: those of `reshard_sides` and `classify_reduction`.
inline Result<Collective, Problem> classify_reshard(const Sharding& from, const Sharding& to, const Shape& shape)
{
    const auto sides = reshard_sides(from, to, shape);
    if (!sides) return sides.error();
    return classify_reduction(sides->from, sides->shape, sides->reduced, sides->to, mesh_id);
}

/// How many elements members must receive, of terms one for each element. Errors and cost: those of `reshard_sides` and
/// `traffic_of_reduction`.
inline Result<Traffic, Problem> traffic_of_reshard(const Sharding& from, const Sharding& to, const Shape& shape)
{
    const auto sides = reshard_sides(from, to, shape);
    if (!sides) return sides.error();
    return traffic_of_reduction(sides->from, sides->shape, sides->reduced, sides->to, mesh_id);
}

} // namespace v0
} // namespace axe

#endif
