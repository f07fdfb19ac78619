// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_TRAINIUM_SCHEDULES_DMA_HPP
#define AXE_TARGET_TRAINIUM_SCHEDULES_DMA_HPP

#include <axe/target/trainium/schedules/elementwise.hpp>

/// Copies that DMA engines do, between HBM and SBUF in any layouts, and those that stop over in SBUF because an engine has a part in them.
namespace axe {
inline namespace v0 {
namespace detail::trainium {

/// How many elements follow each other at neighboring addresses, seen from the tensor's first element on: on the last axis of its
/// memory one step an element, on no other axis any.
inline std::int64_t run_length(const Request& request, const View& view)
{
    const ProgramTensor& tensor = request.tensor(view);
    const Axis& axis = request.memory(view).axes[request.memory(view).axes.size() - 1];
    std::int64_t run = 1;
    for (int k = view.rank() - 1; k >= 0; --k) {
        if (view.extents[k] == 1) continue;
        const int d = view.dims[k];
        if (d < 0) return run;
        const std::int64_t pitch = pitch_of(tensor.shape, d) * view.steps[k];
        const std::int64_t here = std::min(view.extents[k], (tensor.shape[d] - 1) / view.steps[k] + 1);
        const auto first = evaluate(tensor.layout, 0);
        std::int64_t n = 1;
        for (; n < here; ++n) {
            const auto point = evaluate(tensor.layout, pitch * n);
            if (!first || !point) break;
            bool next = (*point)[axis] == (*first)[axis] + run * n;
            for (const auto& entry : *point) next = next && (entry.axis == axis || entry.value == (*first)[entry.axis]);
            if (!next) break;
        }
        run *= n;
        if (n < view.extents[k]) return run;
    }
    return run;
}

inline Result<void, Problem> check_dma_operand(const Request& request, const View& view, const char* part)
{
    if (is_memory(request, view, "hbm") || is_memory(request, view, "sbuf")) return {};
    return declined("{0} is in {1}; a DMA moves between hbm and sbuf",
                    {operand_name(request, view, part), request.tensor(view).memory});
}

inline Statement dma_statement(int engine, bool async, const View& d, const View& a)
{
    Statement statement = engine_statement("dma", "dma", engine, {d, a});
    std::get<Instruction>(statement.what).async = async;
    return statement;
}

} // namespace detail::trainium

/// `dma` for D = A of one type between HBM and SBUF, in any layouts, guarded views included; of a `copy_async`, asynchronous.
///
/// A descriptor moves a run of neighboring bytes: the choice says how long the runs are. `errc::no_layout` when the types differ, or
/// when an operand is in PSUM. Cost: linear in the extents of the views.
inline Result<Body, Problem> emit_dma(Request& request)
{
    namespace trn = detail::trainium;
    const auto engine =
        trn::choose_engine(request, {trn::gpsimd_engine, trn::scalar_engine, trn::vector_engine, trn::tensor_engine});
    if (!engine) return engine.error();
    if (auto fault = trn::check_options(request); !fault.ok()) return fault;
    for (const int o : {0, 1})
        if (auto fault = trn::check_dma_operand(request, request.view(o), o == 0 ? "D" : "A"); !fault.ok()) return fault;
    if (request.tensor(0).dtype != request.tensor(1).dtype)
        return trn::declined("D is {0} and A is {1}; a DMA does not convert",
                             {name(request.tensor(0).dtype), name(request.tensor(1).dtype)});
    const std::int64_t run = std::min(trn::run_length(request, request.view(0)), trn::run_length(request, request.view(1)));
    request.decided(detail::worded("runs of {0} bytes", {run * storage_bytes(request.tensor(0).dtype)}));
    return Body{trn::dma_statement(*engine, request.operation().op == Op::copy_async, request.view(0), request.view(1))};
}

/// A copy in two steps through a tensor in SBUF: an engine converts, or crosses between SBUF and PSUM, on the partitions of its side; a
/// DMA, which does neither, goes to or comes from any other place.
///
/// The engine that copies also starts the DMA, so that the two need no barrier. A `copy_async` completes immediately: an asynchronous one
/// would keep the tensor in between, which the next such copy overwrites.
inline Result<Body, Problem> emit_through_sbuf(Request& request)
{
    namespace trn = detail::trainium;
    const auto engine = trn::choose_engine(request, {trn::scalar_engine, trn::vector_engine});
    if (!engine) return engine.error();
    if (auto fault = trn::check_options(request); !fault.ok()) return fault;
    const View &d = request.view(0), &a = request.view(1);
    const bool out = !trn::is_memory(request, a, "hbm") && !trn::is_memory(request, d, "psum");
    if (!out && (trn::is_memory(request, d, "hbm") || trn::is_memory(request, a, "psum")))
        return trn::declined("D is in {0} and A in {1}; no engine or DMA copies between them",
                             {request.tensor(0).memory, request.tensor(1).memory});
    const View& near = out ? a : d;
    const View& far = out ? d : a;
    const auto placed = trn::place(request, near, out ? "A" : "D");
    if (!placed) return placed.error();
    auto tensor = trn::staging(*placed, request.tensor(far).dtype, request.tensor(near).name + ".staged");
    if (!tensor) return tensor.error();
    const View staged = request.temporary(*tensor);
    Body body;
    if (!out) body.push_back(trn::dma_statement(*engine, false, staged, far));
    if (auto fault = trn::append_elementwise(request, {{out ? staged : d, "D"}, {out ? a : staged, "A"}}, *engine, "engine_map",
                                             "tensor_copy", {}, body);
        !fault.ok())
        return fault;
    if (out) body.push_back(trn::dma_statement(*engine, false, far, staged));
    request.decided("through " + tensor->name);
    return body;
}

} // namespace v0
} // namespace axe

#endif
