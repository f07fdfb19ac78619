// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_SPYRE_SCHEDULES_DMA_HPP
#define AXE_TARGET_SPYRE_SCHEDULES_DMA_HPP

#include <axe/target/spyre/rules/move.hpp>
#include <axe/target/spyre/schedules/rules.hpp>

namespace axe {
inline namespace v0 {
namespace detail::sticks {

/// The bytes from the first element of a view to its last, wherever it begins.
inline std::int64_t span_bytes(const Request& request, const View& view)
{
    const std::int64_t first = address(request, view, 0);
    std::int64_t span = 1;
    for (int k = 0; k < view.rank(); ++k) {
        const std::int64_t pitch = pitch_of(request, view, k);
        if (pitch == 0) continue;
        const std::int64_t there = (request.tensor(view).shape[view.dims[k]] - 1) / view.steps[k] + 1;
        std::int64_t farthest = 0;
        for (std::int64_t x = 0; x < std::min(view.extents[k], there); ++x)
            farthest = std::max(farthest, address(request, view, x * pitch) - first);
        span += farthest;
    }
    return span * storage_bytes(request.tensor(view).dtype);
}

/// The counts of loops, and what of a tensor a core reaches.      [torch-spyre, work division]
inline Result<void, Problem> check_dma_limits(const Request& request, const View& view, const char* part)
{
    const Limit *loop = find_limit(request.machine(), "loop.count"), *span = find_limit(request.machine(), "core.span_bytes");
    for (int k = 0; k < view.rank() && loop != nullptr; ++k)
        if (view.extents[k] > loop->value)
            return declined("{0}: {1} indices of dimension {2} exceed the limit of a loop, {3}",
                            {operand_name(request, view, part), view.extents[k], k, loop->value});
    if (stick_bytes(request.machine(), request.memory(view)) == 0 || span == nullptr) return {};
    if (const std::int64_t bytes = span_bytes(request, view); bytes > span->value)
        return declined("{0} spans {1} bytes; a core can address {2} of one tensor",
                        {operand_name(request, view, part), bytes, span->value});
    return {};
}

} // namespace detail::sticks

/// `dma` for D = A: between the host and the card, element by element, types converted on the way; on the card in whole sticks of one
/// type; and, where sticks run along different dimensions, to restickify (`spyre::can_restickify`): element by element.
///
/// `errc::no_layout` with the operand and the limit in the way. Cost: linear in the extents of the views.
inline Result<Body, Problem> emit_stick_dma(Request& request)
{
    using namespace detail::sticks;
    if (auto p = check_request(request); !p.ok()) return p;
    const View &d = request.view(0), &a = request.view(1);
    const bool to = stick_bytes(request.machine(), request.memory(d)) > 0,
               from = stick_bytes(request.machine(), request.memory(a)) > 0;
    for (const View* v : {&d, &a})
        if (auto p = check_dma_limits(request, *v, v == &d ? "D" : "A"); !p.ok()) return p;
    const DType out = request.tensor(0).dtype, in = request.tensor(1).dtype;
    const bool async = request.operation().op == Op::copy_async;
    std::string spelled = out == in ? "dma" : "dma.convert";
    std::vector<std::int64_t> parameters;
    if (!to || !from) {
        if (request.memory(to ? d : a).roles.has(Role::shared))
            return declined("D is in {0} and A in {1}; a core accesses the host through ddr",
                            {request.tensor(0).memory, request.tensor(1).memory});
    } else {
        if (out != in) return declined("D is {0} and A is {1}; on the card a DMA does not convert", {name(out), name(in)});
        const spyre::Stick along = stick_dimension(request, d), was = stick_dimension(request, a);
        spelled = along == was ? "dma.stick" : "restickify";
        if (along != was) {
            const spyre::Stick to_stick = tensor_stick(request, d), from_stick = tensor_stick(request, a);
            if (!spyre::can_restickify(from_stick, to_stick))
                return declined(
                    "{0} has {1}, and {2} {3}; no DMA gathers elements of several sticks in one, or scatters those of one",
                    {operand_name(request, d, "D"), stick_text(to_stick), operand_name(request, a, "A"), stick_text(from_stick)});
            parameters = {1};
            request.decided(axe::detail::worded("from {0} to {1}", {stick_text(was), stick_text(along)}));
        }
    }
    Statement statement = on_core(request, "dma", std::move(spelled), {d, a}, std::move(parameters));
    std::get<Instruction>(statement.what).async = async;
    return Body{std::move(statement)};
}

} // namespace v0
} // namespace axe

#endif
