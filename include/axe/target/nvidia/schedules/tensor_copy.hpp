// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_SCHEDULES_TENSOR_COPY_HPP
#define AXE_TARGET_NVIDIA_SCHEDULES_TENSOR_COPY_HPP

#include <axe/schedule/gemm/product.hpp>
#include <axe/target/nvidia/messages.hpp>
#include <axe/target/nvidia/schedules/tensor_boxes.hpp>
#include <axe/target/nvidia/tcgen05/forms.hpp>
#include <axe/target/nvidia/wgmma/descriptor.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

inline Statement tensor_fence(ProxyFence::Of of) { return {-1, ProxyFence{of}}; }

/// Loads from tensor memory, or stores to it. A plain copy waits for them, and is before and after all that fences of tensor memory order.
inline Result<Body, Problem> emit_tensor_move(Request& request)
{
    const View &d = request.view(0), &a = request.view(1);
    if (auto e = check_in_block(request); !e.ok()) return e;
    const bool loads = is_in_tensor_memory(request, a), stores = is_in_tensor_memory(request, d);
    if (loads == stores || !is_private(request.machine(), request.memory(loads ? d : a)))
        return Problem(errc::bad_argument, "{0} is in {1} and {2} in {3}; the copy must be between registers and tensor memory",
                       {request.tensor(a).name, request.memory(a).name, request.tensor(d).name, request.memory(d).name});
    if (auto e = check_same_types(request, d, a); !e.ok()) return e;
    if (request.operation().options.completes_on >= 0)
        return Problem(errc::bad_argument, "it completes by a wait, not on mbarrier {0}",
                       {request.operation().options.completes_on});
    const auto moves = tensor_moves(request, loads ? d : a, loads ? a : d, loads);
    if (!moves) return moves.error();
    const bool leaves = request.operation().op == Op::copy_async;
    const int per = 4 / storage_bytes(request.tensor(d).dtype);
    Body body;
    if (!leaves) body.push_back(tensor_fence(ProxyFence::Of::after_sync));
    std::size_t past = 0;
    for (std::size_t i = 0; i < moves->n.size();) {
        std::size_t same = 1;
        while (i + same < moves->n.size() && moves->n[i + same] == moves->n[i]) ++same;
        Distribution part;
        part.agents = request.execution_scope().count;
        part.lanes = 32;
        // Elements that have a column each are not consecutive: one after the other.
        part.vector = moves->apart ? 1 : per;
        part.issues = static_cast<int>(same) * moves->n[i] * moves->shape->registers * (per / part.vector);
        part.element.assign(part.at(part.issues, 0, 0), -1);
        const std::size_t size = static_cast<std::size_t>(part.issues) * 32 * static_cast<std::size_t>(part.vector);
        for (int agent = 0; agent < part.agents; ++agent) {
            const auto& from = moves->elements[static_cast<std::size_t>(agent)];
            if (from.empty()) continue;
            for (int issue = 0; issue < part.issues; ++issue)
                for (int lane = 0; lane < 32; ++lane)
                    for (int v = 0; v < part.vector; ++v) {
                        const int register_of = moves->apart ? issue / per : issue, e = moves->apart ? issue % per : v;
                        part.element[part.at(issue, agent, lane, v)] =
                            from[past + static_cast<std::size_t>((register_of * 32 + lane) * per + e)];
                    }
        }
        past += size;
        const auto shared = std::make_shared<const Distribution>(std::move(part));
        Instruction out =
            make_instruction(request, loads ? "tcgen05_ld" : "tcgen05_st",
                             worded(loads ? "tcgen05.ld.sync.aligned.{0}.x{1}{2}.b32" : "tcgen05.st.sync.aligned.{0}.x{1}{2}.b32",
                                    {moves->shape->name, moves->n[i],
                                     std::string(!moves->apart ? ""
                                                 : loads       ? ".pack::16b"
                                                               : ".unpack::16b")}));
        out.operands = {{d, shared}, {a, shared}};
        out.async = true;
        body.push_back(make_statement(std::move(out)));
        i += same;
    }
    if (!leaves) {
        body.push_back({-1, Wait{0, loads ? Wait::Of::tensor_loads : Wait::Of::tensor_stores}});
        body.push_back(tensor_fence(ProxyFence::Of::before_sync));
    }
    request.decided(worded("{0}: {1}", {moves->shape->name, count_words(static_cast<std::int64_t>(moves->n.size()), "transfer")}));
    return body;
}

/// What a plain operation of one agent on tensor memory has around it: the other agents of the scope come before and go on after it.
inline Body with_tensor_fences(const Request& request, Body inner)
{
    Body out;
    const bool several = request.execution_scope().count > 1;
    out.push_back({-1, ProxyFence{}});
    if (several) {
        out.push_back(tensor_fence(ProxyFence::Of::before_sync));
        out.push_back({-1, Barrier{}});
    }
    out.push_back(tensor_fence(ProxyFence::Of::after_sync));
    for (Statement& s : inner) out.push_back(std::move(s));
    out.push_back({-1, Wait{0, Wait::Of::products}});
    out.push_back(tensor_fence(ProxyFence::Of::before_sync));
    if (several) {
        out.push_back({-1, Barrier{}});
        out.push_back(tensor_fence(ProxyFence::Of::after_sync));
    }
    return out;
}

inline bool has_copies(const std::vector<std::int64_t>& lanes, const TensorCopyShape& shape)
{
    bool out = static_cast<std::int64_t>(lanes.size()) == shape.copies;
    for (std::int64_t i = 0; i < shape.copies && out; ++i) out = lanes[static_cast<std::size_t>(i)] == i * shape.copies_apart;
    return out;
}

/// Copies of shared memory to tensor memory, in boxes of the widest shape that fits.
inline Result<Body, Problem> emit_tensor_copy(Request& request)
{
    const View &d = request.view(0), &a = request.view(1);
    if (auto e = check_in_block(request); !e.ok()) return e;
    if (!is_in_tensor_memory(request, d) || !request.memory(a).roles.has(Role::shared))
        return Problem(errc::bad_argument, "{0} is in {1} and {2} in {3}; the copy must be from shared memory to tensor memory",
                       {request.tensor(a).name, request.memory(a).name, request.tensor(d).name, request.memory(d).name});
    if (auto e = check_same_types(request, d, a); !e.ok()) return e;
    if (d.rank() != 2 || a.guarded)
        return Problem(errc::bad_argument, "{0} and {1} must be matrices without a guard",
                       {request.tensor(d).name, request.tensor(a).name});
    const auto places = tensor_elements(request, d);
    if (!places) return places.error();
    const auto from = element_placement(request, a);
    if (!from) return from.error();
    const std::int64_t rows = d.extents[0], columns = d.extents[1], bytes = from->bytes;
    const std::vector<std::int64_t> copies = copies_of(request, d);
    std::string why = worded("no shape copies {0} rows of {1} columns", {rows, columns});
    for (const TensorCopyShape& shape : tensor_copy_shapes) {
        const std::int64_t step = shape.bytes / bytes;
        if (rows != shape.rows || columns % step != 0) continue;
        std::string wrong;
        if (!has_copies(copies, shape)) wrong = other_copies_text(request.tensor(d).name, shape.name);
        for (std::int64_t e = 0; e < rows * columns && wrong.empty(); ++e)
            if ((*places)[static_cast<std::size_t>(e)] !=
                TensorElement{shape.lane(e / columns), places->front().place + e % columns})
                wrong = worded("row {0}, column {1} of {2} is not in lane {3}, its column after the one before",
                               {e / columns, e % columns, request.tensor(d).name, shape.lane(e / columns)});
        for (std::int64_t first = 0; first < columns && wrong.empty(); first += step) {
            const auto made = shared_descriptor(
                rows, step, static_cast<int>(bytes),
                [&](std::int64_t i, std::int64_t l) {
                    return from->address[static_cast<std::size_t>(i * columns + first + l)] * bytes;
                },
                1);
            if (!made) wrong = no_descriptor_text(from->name, 0, first, made.error().text);
        }
        if (!wrong.empty()) {
            why = wrong;
            continue;
        }
        Body body;
        const bool pair = request.operation().options.pair;
        const Request starter = request.started_by_one();
        for (std::int64_t first = 0; first < columns; first += step) {
            Instruction out = make_instruction(
                starter, "tcgen05_cp", std::string(pair ? "tcgen05.cp.cta_group::2." : "tcgen05.cp.cta_group::1.") + shape.name);
            out.operands = {{narrowed(d, 0, first, step), nullptr}, {narrowed(a, 0, first, step), nullptr}};
            out.async = true;
            out.pair = pair;
            if (first + step == columns) {
                out.completes_on = request.operation().options.completes_on;
                out.multicast = request.operation().options.multicast;
            }
            body.push_back(make_statement(std::move(out)));
        }
        request.decided(worded("agent {0} starts {1} of {2}",
                               {request.execution_scope().first, count_words(columns / step, "transfer"), shape.name}));
        if (request.operation().op == Op::copy_async) return body;
        return with_tensor_fences(request, std::move(body));
    }
    return Problem(errc::bad_argument, why);
}

} // namespace detail

/// Copies to and from tensor memory.      [PTX, tcgen05.ld, tcgen05.st, tcgen05.cp]
inline constexpr Schedule tensor_copy_schedules[] = {
    {Op::copy, "tcgen05_ld_st", 40, "tcgen05", "warps move boxes between tensor memory and registers", detail::has_tensor_memory,
     detail::emit_tensor_move},
    {Op::copy_async, "tcgen05_ld_st", 40, "tcgen05", "warps move boxes between tensor memory and registers",
     detail::has_tensor_memory, detail::emit_tensor_move},
    {Op::copy, "tcgen05_cp", 39, "tcgen05", "one agent copies boxes of shared memory to tensor memory", detail::has_tensor_memory,
     detail::emit_tensor_copy},
    {Op::copy_async, "tcgen05_cp", 39, "tcgen05", "one agent copies boxes of shared memory to tensor memory",
     detail::has_tensor_memory, detail::emit_tensor_copy, 0, nullptr, true},
};

} // namespace v0
} // namespace axe

#endif
