// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_SCHEDULES_MULTIMEM_HPP
#define AXE_TARGET_NVIDIA_SCHEDULES_MULTIMEM_HPP

#include <axe/schedule/collective/reduce.hpp>
#include <axe/schedule/copy/moves.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// The most bytes of one access of these elements: vectors are of 16-bit floats, in pairs, and of f32.
inline int widest_multimem(DType type) noexcept
{
    const bool vectors = type == DType::f32 || type == DType::f16 || type == DType::bf16;
    return vectors ? 16 : storage_bytes(type);
}

/// ".v4.f16x2": what an access of so many elements is called; integers that are added or ordered have a sign.
inline std::string multimem_type(DType type, int vector, bool has_sign)
{
    if (is_integer(type)) return has_sign ? ".s32" : ".b32";
    const bool pairs = storage_bytes(type) == 2;
    const int count = pairs ? vector / 2 : vector;
    return (count > 1 ? ".v" + std::to_string(count) : std::string()) + "." + name(type) + (pairs ? "x2" : "");
}

inline Result<Body, Problem> emit_multimem(Request& request)
{
    if (auto p = check_in_block(request); !p.ok()) return p;
    const Operation& o = request.operation();
    const bool loads = o.op == Op::load_reduce, reduces = o.op != Op::store_all;
    const View &all = request.view(loads ? 1 : 0), &own = request.view(loads ? 0 : 1);
    if (!is_private(request.machine(), request.memory(own))) return Problem(errc::bad_argument, not_in_registers(request, own));
    const DType type = request.tensor(all).dtype;
    const char* word = reduces ? multimem_operation(o.function, type) : multimem_operation(Function::add, type);
    if (word == nullptr)
        return Problem(errc::bad_argument, "multimem has no {0} of {1}, the type of {2}",
                       {reduces ? name(o.function) : "store", name(type), request.tensor(all).name});
    int most = widest_multimem(type);
    if (o.options.vector_bytes > 0) most = std::min(most, o.options.vector_bytes);
    const auto move = plan_move(request, request.view(0), request.view(1), most);
    if (!move) return move.error();
    const int vector = move->distribution.vector, bytes = vector * storage_bytes(type);
    if (bytes < 4)
        return Problem(errc::bad_argument, "an access of the network has 4, 8 or 16 bytes; a lane would have {0}: {1}",
                       {bytes, why_narrow(move->to, move->from)});
    if (move->distribution.elements->issues == 0) return Body{};
    const bool has_sign = o.function == Function::add || o.function == Function::min || o.function == Function::max;
    const bool wide_sums = loads && storage_bytes(type) == 2 && o.function == Function::add;
    Instruction out = make_instruction(request,
                                       loads     ? "multimem_ld_reduce"
                                       : reduces ? "multimem_red"
                                                 : "multimem_st",
                                       std::string(loads     ? "multimem.ld_reduce"
                                                   : reduces ? "multimem.red"
                                                             : "multimem.st") +
                                           ".relaxed.sys.global" + (reduces ? "." + std::string(word) : "") +
                                           (wide_sums ? ".acc::f32" : "") + multimem_type(type, vector, reduces && has_sign));
    if (reduces) out.function = o.function;
    out.operands = {{request.view(0), move->distribution.elements}, {request.view(1), move->distribution.elements}};
    request.decided(bytes_a_lane(bytes));
    return Body{make_statement(std::move(out))};
}

inline bool has_multimem_accesses(const Machine& machine) noexcept { return has_instruction(machine, "multimem.ld_reduce"); }

} // namespace detail

/// Loads, stores and reductions of what all devices have at one place.      [PTX ISA, multimem.ld_reduce, multimem.st, multimem.red]
inline constexpr Schedule multimem_schedules[] = {
    {Op::load_reduce, "multimem", 50, "multimem.ld_reduce", "each lane loads what all devices have at one place, combined",
     detail::has_multimem_accesses, detail::emit_multimem},
    {Op::store_all, "multimem", 50, "multimem.st", "each lane stores registers to one place of all devices",
     detail::has_multimem_accesses, detail::emit_multimem},
    {Op::reduce_all, "multimem", 50, "multimem.red", "each lane combines registers with one place of all devices",
     detail::has_multimem_accesses, detail::emit_multimem},
};

} // namespace v0
} // namespace axe

#endif
