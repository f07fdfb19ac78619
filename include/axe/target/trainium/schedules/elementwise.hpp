// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_TRAINIUM_SCHEDULES_ELEMENTWISE_HPP
#define AXE_TARGET_TRAINIUM_SCHEDULES_ELEMENTWISE_HPP

#include <axe/program/functions.hpp>
#include <axe/target/trainium/schedules/chain.hpp>

/// What the vector and the scalar engine do element by element: fill, map, and copies between SBUF and PSUM.
namespace axe {
inline namespace v0 {
namespace detail::trainium {

/// A function as an engine has it.
struct EngineFunction {
    Function function;
    int arguments;
    int engine;
    const char* text; ///< the instruction of nki.isa
};

/// [AWS NKI, nki.isa]. `scalar_engine` evaluates functions of one element from tables, `vector_engine` does arithmetic on tensors.
inline constexpr EngineFunction engine_functions[] = {
    {Function::identity, 1, vector_engine, "tensor_copy"},
    {Function::neg, 1, vector_engine, "tensor_scalar multiply"},
    {Function::abs, 1, scalar_engine, "activation abs"},
    {Function::relu, 1, scalar_engine, "activation relu"},
    {Function::exp, 1, scalar_engine, "activation exp"},
    {Function::exp2, 1, scalar_engine, "activation exp, scaled"},
    {Function::log, 1, scalar_engine, "activation log"},
    {Function::sqrt, 1, scalar_engine, "activation sqrt"},
    {Function::rsqrt, 1, scalar_engine, "activation rsqrt"},
    {Function::reciprocal, 1, vector_engine, "reciprocal"},
    {Function::tanh, 1, scalar_engine, "activation tanh"},
    {Function::add, 2, vector_engine, "tensor_tensor add"},
    {Function::sub, 2, vector_engine, "tensor_tensor subtract"},
    {Function::mul, 2, vector_engine, "tensor_tensor multiply"},
    {Function::div, 2, vector_engine, "tensor_tensor divide"},
    {Function::min, 2, vector_engine, "tensor_tensor minimum"},
    {Function::max, 2, vector_engine, "tensor_tensor maximum"},
    {Function::bit_and, 2, vector_engine, "tensor_tensor bitwise_and"},
    {Function::bit_or, 2, vector_engine, "tensor_tensor bitwise_or"},
    {Function::bit_xor, 2, vector_engine, "tensor_tensor bitwise_xor"},
    {Function::equal, 2, vector_engine, "tensor_tensor equal"},
    {Function::less, 2, vector_engine, "tensor_tensor less"},
    {Function::less_equal, 2, vector_engine, "tensor_tensor less_equal"},
    {Function::select, 3, vector_engine, "tensor_copy_predicated"},
};

inline const EngineFunction* find_engine_function(Function function) noexcept
{
    for (const auto& row : engine_functions)
        if (row.function == function) return &row;
    return nullptr;
}

/// The engines compute in f32, and on integers of up to 32 bits.
inline Result<void, Problem> check_engine_types(const Nest& nest)
{
    for (const Placed& o : nest.operands)
        if (o.dtype == DType::f64) return declined("{0} is {1}; no engine computes with that type", {o.name, name(o.dtype)});
    return {};
}

/// The digits of the free dimension that one instruction takes, inner dimensions first as long as the limits of every operand hold.
///
/// @param order digits that are candidates, slowest first in the instruction
inline Result<void, Problem> cut_free(const Machine& machine, const Nest& nest, Cut& cut, const std::vector<int>& order,
                                      std::vector<int>& inside)
{
    const auto in_sbuf = limit(machine, "engine.elements"), in_psum = limit(machine, "engine.psum_elements"),
               longest = limit(machine, "access.extent");
    for (const auto* number : {&in_sbuf, &in_psum, &longest})
        if (!*number) return number->error();
    std::int64_t most = *in_sbuf, taken = 1;
    for (const Placed& o : nest.operands) most = std::min(most, o.in_psum ? *in_psum : *in_sbuf);
    std::vector<std::int64_t> extents(static_cast<std::size_t>(nest.count()), 1);
    const auto fault_of = [&](const std::vector<int>& digits) -> Result<void, Problem> {
        for (int o = 0; o < nest.operand_count(); ++o)
            if (auto fault = check_pattern(machine, nest, o, pattern(nest, o, digits, extents)); !fault.ok()) return fault;
        return {};
    };
    for (std::size_t i = order.size(); i-- > 0;) {
        const auto d = static_cast<std::size_t>(order[i]);
        const std::int64_t extent = nest.at(order[i]).extent;
        std::vector<int> more{order[i]};
        more.insert(more.end(), inside.begin(), inside.end());
        // Merged with its neighbors a digit may come to more than an extent holds: then fewer values, or none.
        for (std::int64_t n = std::min({extent, most / taken, *longest}); n > 1; n /= 2) {
            extents[d] = n;
            if (!fault_of(more).ok()) {
                extents[d] = 1;
                continue;
            }
            cut.runs[d].clear();
            for (std::int64_t at = 0; at < extent; at += n) cut.runs[d].push_back({at, std::min(n, extent - at)});
            inside = std::move(more);
            taken *= n;
            break;
        }
    }
    return {};
}

/// Operands of one shape as instructions: contiguous partitions that all of them have in one order, then the free dimension.
inline Result<Cut, Problem> cut_elementwise(const Machine& machine, const Nest& nest)
{
    const auto partitions = limit(machine, "partitions");
    if (!partitions) return partitions.error();
    Cut cut = singles(nest);
    std::vector<int> everyone, free, inside;
    for (int o = 0; o < nest.operand_count(); ++o) everyone.push_back(o);
    std::vector<int> chain = partition_chain(nest, everyone, -1);
    if (auto fault = cut_partitions(nest, cut, chain, everyone, *partitions); !fault.ok()) {
        // What keeps the operands from sharing partitions says more than where a loop over them would start.
        for (int d = 0; d < nest.count(); ++d)
            for (const int o : everyone)
                if (nest.on_p(d, 0) != nest.on_p(d, o) || (nest.on_p(d, 0) && nest.p(d, 0) != nest.p(d, o)))
                    return declined(
                        "dimension {0}: {1} values have the strides {2}@P in {3} and {4}@P in {5}; engines cannot cross partitions",
                        {nest.at(d).dim, nest.at(d).extent, nest.p(d, 0), nest.operand(0).name, nest.p(d, o),
                         nest.operand(o).name});
        return fault;
    }
    for (int d = 0; d < nest.count(); ++d) {
        bool is_free = true;
        for (const int o : everyone) is_free = is_free && !nest.on_p(d, o);
        if (is_free) free.push_back(d);
    }
    if (auto fault = cut_free(machine, nest, cut, free, inside); !fault.ok()) return fault;
    // One group for each dimension of the operator, so that all views have its rank or more.
    const int dims = static_cast<int>(nest.view_dim[0].size());
    cut.groups.resize(static_cast<std::size_t>(dims));
    for (int d = 0; d < nest.count(); ++d)
        if (std::find(chain.begin(), chain.end(), d) != chain.end() || std::find(inside.begin(), inside.end(), d) != inside.end())
            cut.groups[static_cast<std::size_t>(nest.at(d).dim)].push_back(d);
    return cut;
}

/// The operands of one shape, dimension by dimension.
inline Result<Nest, Problem> elementwise_nest(const Request& request, const std::vector<std::pair<View, const char*>>& views)
{
    std::vector<Placed> operands;
    std::vector<std::vector<int>> dims;
    const int rank = views[0].first.rank();
    for (const auto& [view, part] : views) {
        auto placed = place(request, view, part);
        if (!placed) return placed.error();
        if (!(view.extents == views[0].first.extents))
            return declined("the shape of {0} differs from that of the first operand", {placed->name}, errc::size_mismatch);
        operands.push_back(*placed);
        dims.emplace_back();
        for (int d = 0; d < rank; ++d) dims.back().push_back(d);
    }
    for (int d = 0; d < rank; ++d)
        for (const Digit& digit : operands[0].dims[static_cast<std::size_t>(d)])
            if (digit.p == 0 && digit.f == 0) return at_one_place(operands[0].name, digit.extent, d);
    return make_nest(std::move(operands), std::move(dims), rank);
}

/// The instructions that do one opcode over views of one shape, appended.
inline Result<void, Problem> append_elementwise(const Request& request, const std::vector<std::pair<View, const char*>>& views,
                                                int engine, const char* opcode, const char* spelled, const Instruction& like,
                                                Body& body)
{
    const auto nest = elementwise_nest(request, views);
    if (!nest) return nest.error();
    if (auto fault = check_engine_types(*nest); !fault.ok()) return fault;
    const auto cut = cut_elementwise(request.machine(), *nest);
    if (!cut) return cut.error();
    std::vector<int> order, groups;
    for (int d = 0; d < nest->count(); ++d) order.push_back(d);
    for (int g = 0; g < static_cast<int>(cut->groups.size()); ++g) groups.push_back(g);
    bool too_many = false;
    const Result<void, Problem> fault = for_each_box(*nest, *cut, order, [&](const std::vector<Chunk>& at) {
        std::vector<View> boxes;
        for (int o = 0; o < nest->operand_count(); ++o) boxes.push_back(box(*nest, *cut, o, groups, at));
        too_many = too_many || boxes[0].extents.overfull();
        Statement statement = engine_statement(opcode, spelled, engine, std::move(boxes));
        auto& instruction = std::get<Instruction>(statement.what);
        instruction.function = like.function;
        instruction.number = like.number;
        body.push_back(std::move(statement));
    });
    if (too_many) return declined("an instruction would have more than {0} dimensions", {max_rank}, errc::capacity);
    return fault;
}

/// A tensor in SBUF with a place for each element of a view that is on the same partitions: the staging for what a DMA moves.
///
/// Digits on P stay, digits on F follow each other row-major.
inline Result<ProgramTensor, Problem> staging(const Placed& placed, DType type, std::string name)
{
    ProgramTensor out;
    out.name = std::move(name);
    out.shape = placed.view.extents;
    out.dtype = type;
    out.memory = "sbuf";
    std::int64_t pitch = 1;
    std::vector<Iter> reversed;
    for (std::size_t k = placed.dims.size(); k-- > 0;)
        for (std::size_t i = placed.dims[k].size(); i-- > 0;) {
            const Digit& d = placed.dims[k][i];
            reversed.push_back(d.p != 0 ? Iter{d.extent, d.p, P} : Iter{d.extent, pitch, F});
            if (d.p == 0) pitch *= d.extent;
        }
    Layout layout;
    for (auto it = reversed.rbegin(); it != reversed.rend(); ++it) layout.shard.push_back(*it);
    if (placed.start_p != 0) *layout.offset.entry(P) = placed.start_p;
    if (const Status e = check(layout); !e.ok()) return Problem(e.error(), placed.name + ": ");
    out.layout.layout = layout;
    return out;
}

} // namespace detail::trainium

/// `engine_fill` for D = number in SBUF or PSUM.
inline Result<Body, Problem> emit_engine_fill(Request& request)
{
    namespace trn = detail::trainium;
    const auto engine = trn::choose_engine(request, {trn::vector_engine, trn::gpsimd_engine, trn::scalar_engine});
    if (!engine) return engine.error();
    if (auto fault = trn::check_options(request); !fault.ok()) return fault;
    Instruction like;
    like.number = request.operation().number;
    Body body;
    if (auto fault = trn::append_elementwise(request, {{request.view(0), "D"}}, *engine, "engine_fill", "memset", like, body);
        !fault.ok())
        return fault;
    return body;
}

/// `engine_map` for D = f(A, …) on tensors in SBUF and PSUM that share their partitions: tables of functions on the scalar engine,
/// arithmetic on the vector engine. a·b + c is a product in f32 and a sum.      [AWS NKI, nki.isa]
inline Result<Body, Problem> emit_engine_map(Request& request)
{
    namespace trn = detail::trainium;
    if (auto fault = trn::check_options(request); !fault.ok()) return fault;
    const Operation& op = request.operation();
    static constexpr const char* parts[] = {"D", "A", "B", "C"};
    std::vector<std::pair<View, const char*>> views;
    for (int o = 0; o < static_cast<int>(op.operands.size()) && o < 4; ++o) views.emplace_back(request.view(o), parts[o]);
    Instruction like;
    Body body;
    if (op.function == Function::fma) {
        const auto engine = trn::choose_engine(request, {trn::vector_engine});
        if (!engine) return engine.error();
        const auto d = trn::place(request, views[0].first, "D");
        if (!d) return d.error();
        auto product = trn::staging(*d, DType::f32, request.tensor(0).name + ".product");
        if (!product) return product.error();
        const View t = request.temporary(*product);
        like.function = Function::mul;
        if (auto fault = trn::append_elementwise(request, {{t, "product"}, views[1], views[2]}, *engine, "engine_map",
                                                 "tensor_tensor multiply", like, body);
            !fault.ok())
            return fault;
        like.function = Function::add;
        if (auto fault = trn::append_elementwise(request, {views[0], {t, "product"}, views[3]}, *engine, "engine_map",
                                                 "tensor_tensor add", like, body);
            !fault.ok())
            return fault;
        return body;
    }
    const auto* row = trn::find_engine_function(op.function);
    if (row == nullptr) return trn::declined("no engine has function {0}", {name(op.function)});
    const auto engine = op.function == Function::identity ? trn::choose_engine(request, {trn::vector_engine, trn::scalar_engine})
                                                          : trn::choose_engine(request, {row->engine});
    if (!engine) return engine.error();
    like.function = op.function;
    if (auto fault = trn::append_elementwise(request, views, *engine, "engine_map", row->text, like, body); !fault.ok())
        return fault;
    return body;
}

/// `engine_map` with the identity for D = A between SBUF and PSUM, types converted on the way.
inline Result<Body, Problem> emit_engine_copy(Request& request)
{
    namespace trn = detail::trainium;
    const auto engine = trn::choose_engine(request, {trn::vector_engine, trn::scalar_engine});
    if (!engine) return engine.error();
    if (auto fault = trn::check_options(request); !fault.ok()) return fault;
    Body body;
    if (auto fault = trn::append_elementwise(request, {{request.view(0), "D"}, {request.view(1), "A"}}, *engine, "engine_map",
                                             "tensor_copy", {}, body);
        !fault.ok())
        return fault;
    return body;
}

} // namespace v0
} // namespace axe

#endif
