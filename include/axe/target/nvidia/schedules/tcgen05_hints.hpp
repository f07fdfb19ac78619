// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_SCHEDULES_TCGEN05_HINTS_HPP
#define AXE_TARGET_NVIDIA_SCHEDULES_TCGEN05_HINTS_HPP

#include <axe/schedule/hints.hpp>
#include <axe/target/nvidia/schedules/tcgen05.hpp>
#include <axe/target/nvidia/schedules/wgmma.hpp>

/// Where accumulators are laid out in tensor memory, and the registers that they are loaded to, without the program's saying so.
namespace axe {
inline namespace v0 {
namespace detail {

/// A shape [.., M, N], the dimensions before the last two together; all 0 where there are no such.
struct Matrices {
    std::int64_t count = 0, m = 0, n = 0;

    explicit Matrices(const Shape& shape)
    {
        const auto all = volume(shape);
        if (shape.size() < 2 || !all || *all == 0) return;
        m = shape[shape.size() - 2], n = shape[shape.size() - 1], count = *all / (m * n);
    }
    /// Of products with `.ws` alone; and the columns of one.
    [[nodiscard]] bool is_ws() const { return m % 64 == 32 && n % 64 == 0; }
    [[nodiscard]] std::int64_t ws_columns() const { return n % 256 == 0 ? 256 : n % 128 == 0 ? 128 : 64; }
    [[nodiscard]] std::string text() const { return std::to_string(m) + " x " + std::to_string(n); }
};

} // namespace detail

/// The layout in tensor memory of an accumulator [.., M, N], of products with M a multiple of 64: tiles of 128 rows, or of 64, of which
/// each has lanes 0 to 15 of every 32, below each other's columns. Of other multiples of 32, with N one of 64: tiles of 32 rows and n = 256, 128
/// or 64 columns, of products with `.ws`, which have all lanes.
///
///   (.., M/128, 128, N) : (.., N@tcol, 1@tlane, 1@tcol),      (.., M/64, 4, 16, N) : (.., N@tcol, 32@tlane, 1@tlane, 1@tcol)
///   (.., M/32, 32, N/n, 4, n/4) : (.., N/4@tcol, 1@tlane, n/4@tcol, 32@tlane, 1@tcol)
///
/// Sums of f16 have a column each: twice as many elements on tcol.
///
/// `errc::size_mismatch` for other M and N, or fewer than two dimensions.      [PTX ISA, Data Path Layout D, F, G]
inline Result<Layout, Problem> tensor_accumulator_layout(const Memory& memory, const Shape& shape, DType type = DType::f32)
{
    const detail::Matrices s(shape);
    if (s.count == 0 || (s.m % 64 != 0 && !s.is_ws()))
        return Problem(
            errc::size_mismatch,
            "products into tensor memory have multiples of 64 rows, or of 32 rows and 64 columns; {0} elements are not such",
            {s.text()});
    const Axis &lane = memory.axes[0], &column = memory.axes[1];
    const std::int64_t rows = s.m % 128 == 0 ? 128 : 64;
    Layout out;
    const std::int64_t step = tcgen05_sum_step(type);
    if (s.is_ws()) {
        const std::int64_t n = s.ws_columns();
        out.shard = {{s.count * (s.m / 32), s.n / 4 * step, column},
                     {32, 1, lane},
                     {s.n / n, n / 4 * step, column},
                     {4, 32, lane},
                     {n / 4, step, column}};
        return out;
    }
    out.shard.push_back({s.count * (s.m / rows), s.n * step, column});
    if (rows == 64) out.shard.push_back({4, 32, lane});
    out.shard.push_back({rows == 64 ? 16 : 128, 1, lane});
    out.shard.push_back({s.n, step, column});
    return out;
}

/// The layout in registers of what warps load from such an accumulator, or of a part of it, each from the lanes it has: [.., M, N] by a
/// scope of 4·g warps that begins with a multiple of 4, N/g columns each.
///
///   M a multiple of 128:   (.., M/128, 4, 32, g, N/g) : (.., N/g@reg, 1@warp, 1@lane, 4@warp, 1@reg)                       32x32b
///   of 32, with `.ws`:   (.., M/32, 32, N/n, 4, g, n/4/g) : (.., N/4/g@reg, 1@lane, n/4/g@reg, 1@warp, 4@warp, 1@reg)             32x32b
///   of 64:   (.., M/64, 4, 2, 8, g, N/8/g, 4, 2) : (.., N/g/2@reg, 1@warp, 2@reg, 4@lane, 4@warp, 4@reg, 1@lane, 1@reg)    16x256b
///
/// `errc::size_mismatch` for other M and N, `errc::bad_argument` of other warps or elements that are not of 32 bits where M is 64.
inline Result<Layout, Problem> tensor_register_layout(const Machine& machine, const ExecutionScope& place, const Shape& shape,
                                                      DType type)
{
    const detail::Matrices s(shape);
    if (auto e = detail::check_warpgroups(place); !e.ok()) return e;
    const std::int64_t groups = place.count / 4;
    const bool whole = s.count > 0 && s.m % 128 == 0;
    const bool ws = s.count > 0 && s.is_ws();
    if (s.count == 0 || (s.m % 64 != 0 && !ws) || (ws ? s.ws_columns() / 4 % groups : s.n % (groups * (whole ? 1 : 8))) != 0 ||
        (!whole && !ws && storage_bytes(type) != 4))
        return Problem(errc::size_mismatch, "warps take no equal parts of {0} elements from tensor memory", {s.text()});
    const Axis agent = block_scopes(machine).agent->axis, lane = block_scopes(machine).lane->axis;
    const Memory& registers = *memory_for(machine, Role::registers);
    const Axis reg = registers.axes[registers.axes.size() - 1];
    const std::int64_t n = s.n / groups;
    Layout out;
    if (ws) {
        const std::int64_t part = s.ws_columns() / 4 / groups;
        out.shard = {{s.count * (s.m / 32), s.n / 4 / groups, reg},
                     {32, 1, lane},
                     {s.n / s.ws_columns(), part, reg},
                     {4, 1, agent},
                     {groups, 4, agent},
                     {part, 1, reg}};
    } else if (whole) {
        out.shard = {{s.count * (s.m / 128), n, reg}, {4, 1, agent}, {32, 1, lane}, {groups, 4, agent}, {n, 1, reg}};
    } else {
        out.shard = {{s.count * (s.m / 64), n / 2, reg},
                     {4, 1, agent},
                     {2, 2, reg},
                     {8, 4, lane},
                     {groups, 4, agent},
                     {n / 8, 4, reg},
                     {4, 1, lane},
                     {2, 1, reg}};
    }
    if (place.first != 0) *out.offset.entry(agent) = place.first;
    return out;
}

namespace detail {

/// Is it an accumulator in tensor memory?
inline bool is_tensor_accumulator(const HintRequest& r)
{
    return r.tensor().hint == LayoutHint::accumulator && has_tensor_memory(r.program.machine) && is_partitioned(r.memory()) &&
           !is_private(r.program.machine, r.memory());
}

/// The copy between the tensor, which is in registers, and tensor memory; null when there is none.
inline std::optional<Use> tensor_copy_of(const HintRequest& r)
{
    const bool hinted = r.tensor().hint == LayoutHint::accumulator || r.tensor().hint == LayoutHint::registers;
    if (!hinted || !has_tensor_memory(r.program.machine) || !is_private(r.program.machine, r.memory())) return {};
    for (const Use& use : uses_of(r.program, r.id)) {
        const Operation& o = *use.operation;
        if ((o.op != Op::copy && o.op != Op::copy_async) || !use.place.in_block) continue;
        const Request request(r.program, r.target, o, use.place);
        if (is_in_tensor_memory(request, o.operands[o.operands[0].tensor == r.id ? 1 : 0])) return use;
    }
    return {};
}

inline HintedLayout as_hinted(const Layout& layout, const char* words)
{
    HintedLayout out;
    out.layout.layout = layout;
    out.detail = words;
    return out;
}

} // namespace detail

/// Before the rules of products in registers.
inline constexpr HintRule tcgen05_hints[] = {
    {"tensor_memory", "as the products into tensor memory ask", detail::is_tensor_accumulator,
     [](const HintRequest& r) -> Result<HintedLayout, Problem> {
         const auto layout = tensor_accumulator_layout(r.memory(), r.tensor().shape, r.tensor().dtype);
         if (!layout) return Problem(layout.error().code, r.tensor().name + ": " + layout.error().text);
         return detail::as_hinted(*layout, "as the products into tensor memory ask");
     }},
    {"tensor_loads", "as the copies from and to tensor memory ask",
     [](const HintRequest& r) { return detail::tensor_copy_of(r).has_value(); },
     [](const HintRequest& r) -> Result<HintedLayout, Problem> {
         const ExecutionScope place = detail::tensor_copy_of(r)->place;
         const auto layout = tensor_register_layout(r.program.machine, place, r.tensor().shape, r.tensor().dtype);
         if (!layout) return Problem(layout.error().code, r.tensor().name + ": " + layout.error().text);
         return detail::as_hinted(*layout, "as the copies from and to tensor memory ask");
     }},
};

} // namespace v0
} // namespace axe

#endif
