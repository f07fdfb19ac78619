// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_COLLECTIVE_REDUCE_HPP
#define AXE_SCHEDULE_COLLECTIVE_REDUCE_HPP

#include <axe/layout/max_vector.hpp>
#include <axe/program/functions.hpp>
#include <axe/schedule/collective/plan.hpp>

/// Reductions over devices in one step: by loads from all peers, and in the network between them.
namespace axe {
inline namespace v0 {
/// What `multimem.ld_reduce` calls the operation on elements of a type; null where it has none.
///      [PTX ISA, multimem.ld_reduce: integers of 32 and 64 bits; f16 and bf16 add, min, max; f32 and f64 add]
inline const char* multimem_operation(Function f, DType type) noexcept
{
    const bool half = type == DType::f16 || type == DType::bf16, word = type == DType::i32;
    const bool real = type == DType::f32 || type == DType::f64;
    if (f == Function::add && (half || word || real)) return "add";
    if (f == Function::min && (half || word)) return "min";
    if (f == Function::max && (half || word)) return "max";
    if (f == Function::bit_and && word) return "and";
    if (f == Function::bit_or && word) return "or";
    if (f == Function::bit_xor && word) return "xor";
    return nullptr;
}

namespace detail {

/// D = f over the dimensions `reduced` of A; `accumulate`: D = f(D, …).
inline Instruction peer_reduce(Function f, std::string text, const View& d, const View& a,
                               const InlineVector<int, max_rank>& reduced, bool accumulate)
{
    Instruction out = device_instruction("peer_reduce", std::move(text), d, a);
    out.function = f;
    for (const int dim : reduced) out.parameters.push_back(dim);
    if (accumulate) out.parameters.push_back(-1);
    return out;
}

inline std::string reduce_text(const Request& request)
{
    const Operation& operation = request.operation();
    return has_peer_loads(request.machine()) ? std::string("ld.peer + ") + name(operation.function) : std::string("dma");
}

inline Result<Body, Problem> emit_one_shot(Request& request)
{
    const auto plan = plan_collective(request);
    if (!plan) return plan.error();
    const Operation& operation = request.operation();
    Instruction out = peer_reduce(operation.function, reduce_text(request), request.view(0), request.view(1), operation.axes,
                                  operation.accumulate);
    out.async = operation.options.async;
    request.decided(worded("{0}, each device reads the terms of its results", {name(plan->collective.kind)}));
    return Body{make_statement(std::move(out))};
}

/// The elements of the view's tensor that are successive places of its memory, from a multiple on, whatever element of the run begins:
/// the longest such run along a dimension of the view or, of a whole tensor, along several that are not reduced.
inline std::int64_t longest_run(const Request& request, const View& view, const InlineVector<int, max_rank>& without)
{
    const ProgramTensor& tensor = request.tensor(view);
    const Memory& memory = request.memory(view);
    const Layout& layout = tensor.layout.layout;
    const Axis axis = memory.axes[memory.axes.size() - 1];
    std::int64_t longest = 1;
    const std::int64_t aligned = tensor.base <= 0 ? 0 : tensor.base / storage_bytes(tensor.dtype);
    if (tensor.layout.swizzle.bits > 0 || (tensor.base > 0 && tensor.base % storage_bytes(tensor.dtype) != 0)) return longest;
    if (is_whole_view(view, tensor.shape)) {
        Shape merged;
        for (int d = 0; d < tensor.shape.size(); ++d) {
            const bool joins = d > 0 && !is_among(without, d) && !is_among(without, d - 1);
            if (joins)
                merged.back() *= tensor.shape[d];
            else
                merged.push_back(tensor.shape[d]);
        }
        for (int d = 0, k = -1; d < tensor.shape.size(); ++d) {
            if (d == 0 || is_among(without, d) || is_among(without, d - 1)) ++k;
            if (is_among(without, d)) continue;
            if (const auto run = max_vector(layout, merged, k, axis)) longest = std::max(longest, std::gcd(*run, aligned));
        }
        return longest;
    }
    for (int k = 0; k < view.rank(); ++k) {
        const int d = view.dims[k];
        if (d < 0 || view.steps[k] != 1 || is_among(without, k)) continue;
        const auto run = max_vector(layout, tensor.shape, d, axis);
        if (!run) continue;
        const Values origin = values_of(request, view.origin[static_cast<std::size_t>(d)]);
        std::int64_t v = std::gcd(std::gcd(*run, view.extents[k]), std::gcd(origin.first, origin.step));
        for (int other = 0; other < view.rank(); ++other)
            if (other != k && view.dims[other] == d) v = std::gcd(v, view.steps[other]);
        longest = std::max(longest, std::gcd(v, aligned));
    }
    return longest;
}

/// The address that all devices share names one place of each: along the reduced dimensions only the device may change.
inline Result<void, Problem> same_place_everywhere(const Request& request)
{
    const View& a = request.view(1);
    const ProgramTensor& tensor = request.tensor(a);
    const Axis axis = device_axis(request.machine());
    const auto layout = convert_axes(request.machine(), tensor.layout.layout, {axis});
    if (!layout) return Problem(layout.error(), layout_of(tensor));
    const auto grouped = group(*layout, tensor.shape);
    if (!grouped) return Problem(grouped.error(), layout_of(tensor));
    for (const int k : request.operation().axes) {
        const int d = a.dims[k];
        if (d < 0) return Problem(errc::bad_argument, "dimension {0} of the view of {1} repeats elements", {k, tensor.name});
        for (const Iter& it : block_of(*grouped, d))
            if (it.stride != 0 && !(it.axis == axis))
                return Problem(errc::bad_argument,
                               "dimension {0} of {1} is reduced and moves on {2}: its terms must be at one address on all devices",
                               {d, tensor.name, it.axis.name().c_str()});
    }
    return {};
}

inline Result<Body, Problem> emit_in_network(Request& request)
{
    const auto plan = plan_collective(request);
    if (!plan) return plan.error();
    using Kind = CollectiveKind;
    const Kind kind = plan->collective.kind;
    if (kind != Kind::reduce && kind != Kind::all_reduce && kind != Kind::reduce_scatter)
        return Problem(errc::bad_argument, "{0} does not have one term for each device of a group: the reduction is {1}",
                       {request.tensor(1).name, name(kind)});
    if (auto p = same_place_everywhere(request); !p.ok()) return p;
    const Operation& operation = request.operation();
    const ProgramTensor& a = request.tensor(1);
    for (const auto& group : plan->collective.groups) {
        std::int64_t terms = 1;
        for (const int k : operation.axes) terms *= request.view(1).extents[k];
        if (static_cast<std::int64_t>(group.size()) != terms)
            return Problem(errc::bad_argument, "{0} has {1} terms on {2} devices; there must be one on each",
                           {a.name, terms, group.size()});
    }
    const char* word = multimem_operation(operation.function, a.dtype);
    if (word == nullptr)
        return Problem(errc::bad_argument, "multimem.ld_reduce has no {0} of {1}, the type of {2}",
                       {name(operation.function), name(a.dtype), a.name});
    const std::int64_t bits = std::int64_t{8} * storage_bytes(a.dtype);
    const std::int64_t run = longest_run(request, request.view(1), operation.axes);
    std::int64_t most = a.dtype == DType::f32 || bits == 16 ? 128 : bits; // the other types have no vectors
    if (operation.options.vector_bytes > 0) most = std::min(most, std::int64_t{8} * operation.options.vector_bytes);
    while (most > 16 && (most % bits != 0 || run % (most / bits) != 0)) most /= 2;
    if (most < 32)
        return Problem(errc::bad_argument, "accesses have 32, 64 or 128 bits; {0} has aligned runs of {1} elements of {2} bits",
                       {a.name, run, bits});
    std::string type = is_integer(a.dtype) ? (word[0] == 'a' && word[1] == 'd' ? "s32" : "b32") : name(a.dtype);
    if (is_integer(a.dtype) && (operation.function == Function::min || operation.function == Function::max)) type = "s32";
    std::int64_t vector = most / bits;
    if (bits == 16) {
        type += "x2";
        vector /= 2;
    }
    const std::string text = "multimem.ld_reduce.relaxed.sys.global." + std::string(word) +
                             (vector > 1 ? ".v" + std::to_string(vector) : std::string()) + "." + type + " + st";
    Instruction out = peer_reduce(operation.function, text, request.view(0), request.view(1), operation.axes, operation.accumulate);
    out.async = operation.options.async;
    request.decided(worded("{0}, {1} bytes per access", {name(kind), most / 8}));
    return Body{make_statement(std::move(out))};
}

inline bool has_multimem(const Machine& machine) noexcept
{
    return has_peers(machine) && has_instruction(machine, "multimem.ld_reduce");
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
