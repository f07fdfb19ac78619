// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_REGISTER_LAYOUT_HPP
#define AXE_SCHEDULE_REGISTER_LAYOUT_HPP

#include <axe/program/register_rows.hpp>
#include <axe/schedule/element_placement.hpp>

namespace axe {
inline namespace v0 {

/// n elements, row-major, distributed to the lanes of some agents in vectors of v, a row of all lanes after the other:
///
///   (n/(v·T) : v@reg,  T/lanes : stride@agent,  lanes : 1@lane,  v : 1@reg) + first@agent
///
/// T is the number of lanes, or, where they do not divide the vectors evenly, the most of them that do. Where the machine has no
/// agents or lanes, their digits are registers, too.
inline Layout register_layout(const Machine& machine, const ExecutionScope& place, std::int64_t n, std::int64_t v)
{
    const BlockScopes scopes = block_scopes(machine);
    const Memory* memory = memory_for(machine, Role::registers);
    const Axis reg = memory == nullptr ? Axis{"reg"} : memory->axes[memory->axes.size() - 1];
    const std::int64_t lanes = scopes.lanes(), agents = scopes.agent == nullptr ? 1 : place.count, vectors = n / v;
    const std::int64_t threads = even_threads(vectors, lanes * agents, lanes), width = std::min(threads, lanes);
    Layout out;
    out.shard.push_back({vectors / threads, v, reg});
    if (scopes.agent != nullptr) {
        out.shard.push_back({threads / width, place.stride, scopes.agent->axis});
        if (place.first != 0) *out.offset.entry(scopes.agent->axis) = place.first;
    }
    if (scopes.lane != nullptr) out.shard.push_back({width, 1, scopes.lane->axis});
    out.shard.push_back({v, 1, reg});
    return out;
}

namespace detail {

/// The widest vectors, of up to 16 bytes, that divide a tensor's rows.
inline std::int64_t row_vector(const ProgramTensor& tensor)
{
    const std::int64_t row = tensor.shape.empty() ? 1 : tensor.shape.back();
    std::int64_t v = 1;
    while (2 * v * storage_bytes(tensor.dtype) <= 16 && row % (2 * v) == 0) v *= 2;
    return v;
}

} // namespace detail

/// The layout of a tensor in registers with the hint `registers`: `register_layout` in the widest vectors, of up to 16 bytes,
/// that divide its rows.
inline Result<Layout, Problem> hinted_register_layout(const Machine& machine, const ExecutionScope& place,
                                                      const ProgramTensor& tensor)
{
    const auto n = volume(tensor.shape);
    if (!n) return Problem(n.error(), tensor.name + ": ");
    return register_layout(machine, place, *n, detail::row_vector(tensor));
}

namespace detail {

/// Registers of a lane that a layout in registers takes.
inline std::int64_t registers_of(const Machine& machine, const Layout& layout)
{
    const Memory* memory = memory_for(machine, Role::registers);
    const Axis reg = memory == nullptr ? Axis{"reg"} : memory->axes[memory->axes.size() - 1];
    std::int64_t out = 1;
    for (const auto& it : layout.shard)
        if (it.axis == reg) out += (it.extent - 1) * it.stride;
    return out;
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
