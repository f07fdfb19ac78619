// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_IMPL_MESH_BARRIER_HPP
#define AXE_PROGRAM_IMPL_MESH_BARRIER_HPP

#include <axe/program/impl/mesh_tensors.hpp>
#include <axe/program/mesh_barrier.hpp>

#include <algorithm>

namespace axe {
inline namespace v0 {
namespace detail {

/// Whether the number is a value of the layout on this axis. Its digits are looked at from the largest step down, which finds each value in one
/// way where no two are equal.
inline Expression value_condition(const Layout& layout, const Axis& axis, Expression number)
{
    std::vector<Iter> digits;
    std::int64_t low = layout.offset[axis];
    for (const Iter& it : layout.shard) {
        if (!(it.axis == axis) || it.extent == 1) continue;
        if (it.stride < 0) low += (it.extent - 1) * it.stride;
        digits.emplace_back(it.extent, magnitude(it.stride), it.axis);
    }
    std::sort(digits.begin(), digits.end(), [](const Iter& a, const Iter& b) { return a.stride > b.stride; });
    const auto constant = [](std::int64_t n) { return Expression(static_cast<double>(n)); };
    Expression rest = number - constant(low), out = constant(0) <= rest;
    for (const Iter& it : digits) {
        const Expression step = constant(it.stride);
        out = both(out, floor_div(rest, step) < constant(it.extent));
        rest = floor_mod(rest, step);
    }
    return both(out, equals(rest, constant(0)));
}

} // namespace detail

AXE_DECL Result<Expression> membership(const Mesh& mesh, const Expression& device, const Expression& block)
{
    const auto layout = hardware_layout(mesh);
    if (!layout) return layout.error();
    return both(detail::value_condition(*layout, "gpuid", device), detail::value_condition(*layout, "cta", block));
}

AXE_DECL void mesh_barrier(Kernel& kernel, Scope block_scope, const Mesh& mesh, const ViewRef& counter, const Expression& turn,
                           const Expression& block, SourceLine at)
{
    const auto member = membership(mesh, kernel.device(), block);
    if (!member) return detail::MeshTensors::refuse(kernel, member.error(), "mesh barrier: ");
    const Within within = detail::moves_on(hardware_layout(mesh).value_or(Layout{}), "gpuid") ? Within::system : Within::device;
    block_scope.sync(at);
    block_scope.when(
        *member,
        [&] {
            block_scope.elected(
                [&](Scope one) {
                    one.add_to_flag(counter, 1, MemoryOrder::release, within, {}, at);
                    one.wait_at_least(counter, turn * Expression(static_cast<double>(size(mesh))), MemoryOrder::acquire, within,
                                      at);
                },
                at);
        },
        {}, at);
    block_scope.sync(at);
}

} // namespace v0
} // namespace axe

#endif
