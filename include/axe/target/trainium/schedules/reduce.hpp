// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_TRAINIUM_SCHEDULES_REDUCE_HPP
#define AXE_TARGET_TRAINIUM_SCHEDULES_REDUCE_HPP

#include <axe/target/trainium/schedules/elementwise.hpp>

/// Reductions along the free dimension.
namespace axe {
inline namespace v0 {
namespace detail::trainium {

/// The nest of a reduction: operand 1 is A, all others have the dimensions that are kept.
inline Result<Nest, Problem> reduction_nest(const Request& request, const std::vector<std::pair<View, const char*>>& views)
{
    const Operation& op = request.operation();
    const int rank = views[1].first.rank();
    const auto is_reduced = [&](int d) { return std::find(op.axes.begin(), op.axes.end(), d) != op.axes.end(); };
    std::vector<Placed> operands;
    std::vector<std::vector<int>> dims;
    for (std::size_t o = 0; o < views.size(); ++o) {
        auto placed = place(request, views[o].first, views[o].second);
        if (!placed) return placed.error();
        dims.emplace_back();
        int kept = 0;
        for (int d = 0; d < rank; ++d) {
            const bool there = o == 1 || !is_reduced(d);
            dims.back().push_back(!there ? -1 : o == 1 ? d : kept++);
            if (there && dims.back().back() < placed->view.rank() &&
                placed->view.extents[dims.back().back()] == views[1].first.extents[d])
                continue;
            if (there)
                return declined("{0} does not have the shape of A without the reduced dimensions", {placed->name},
                                errc::size_mismatch);
        }
        operands.push_back(*placed);
    }
    auto nest = make_nest(std::move(operands), std::move(dims), rank);
    if (!nest) return nest;
    for (int d = 0; d < nest->count(); ++d) {
        if (is_reduced(nest->at(d).dim) && nest->on_p(d, 1))
            return declined(
                hinted("{0}: dimension {1} has the iter {2}:{3}@P; engines reduce along F", "multiply by ones to reduce P"),
                {nest->operand(1).name, nest->at(d).dim, nest->at(d).extent, nest->p(d, 1)});
        if (!is_reduced(nest->at(d).dim) && nest->p(d, 0) == 0 && nest->f(d, 0) == 0)
            return at_one_place(nest->operand(0).name, nest->at(d).extent, nest->at(d).dim);
    }
    return nest;
}

/// Contiguous partitions, then what is kept, then what is reduced, along the free dimension.
inline Result<Cut, Problem> cut_reduction(const Request& request, const Nest& nest)
{
    const auto partitions = limit(request.machine(), "partitions");
    if (!partitions) return partitions.error();
    Cut cut = singles(nest);
    std::vector<int> everyone, kept, reduced, inside;
    for (int o = 0; o < nest.operand_count(); ++o) everyone.push_back(o);
    std::vector<int> chain = partition_chain(nest, everyone, -1);
    if (auto fault = cut_partitions(nest, cut, chain, everyone, *partitions); !fault.ok()) return fault;
    for (int d = 0; d < nest.count(); ++d) {
        bool is_free = true;
        for (const int o : everyone) is_free = is_free && !nest.on_p(d, o);
        if (is_free) (nest.view_dim[0][static_cast<std::size_t>(nest.at(d).dim)] < 0 ? reduced : kept).push_back(d);
    }
    kept.insert(kept.end(), reduced.begin(), reduced.end());
    if (auto fault = cut_free(request.machine(), nest, cut, kept, inside); !fault.ok()) return fault;
    cut.groups.resize(nest.view_dim[0].size());
    for (int d = 0; d < nest.count(); ++d)
        if (std::find(chain.begin(), chain.end(), d) != chain.end() || std::find(inside.begin(), inside.end(), d) != inside.end())
            cut.groups[static_cast<std::size_t>(nest.at(d).dim)].push_back(d);
    return cut;
}

/// The name that the vector engine has for the reduction by a function; null when it has none.
inline const char* reduction_name(Function function) noexcept
{
    if (function == Function::add) return "tensor_reduce add";
    if (function == Function::mul) return "tensor_reduce multiply";
    if (function == Function::min) return "tensor_reduce minimum";
    if (function == Function::max) return "tensor_reduce maximum";
    return nullptr;
}

} // namespace detail::trainium

/// `engine_reduce` for D = A reduced over dimensions that are on F: sum, product, minimum, maximum.      [AWS NKI, nki.isa.tensor_reduce]
///
/// What one instruction cannot take, or what is accumulated, is reduced part by part into tensors of f32 (of D's type for integers) and
/// combined there, so that D is rounded once. Across partitions it declines.
inline Result<Body, Problem> emit_engine_reduce(Request& request)
{
    namespace trn = detail::trainium;
    const Operation& op = request.operation();
    const auto engine = trn::choose_engine(request, {trn::vector_engine});
    if (!engine) return engine.error();
    if (auto fault = trn::check_options(request); !fault.ok()) return fault;
    const char* spelled = trn::reduction_name(op.function);
    const auto* combine = trn::find_engine_function(op.function);
    if (spelled == nullptr || combine == nullptr)
        return trn::declined("the vector engine reduces by add, mul, min and max, not by function {0}", {name(op.function)});
    std::vector<std::pair<View, const char*>> views{{request.view(0), "D"}, {request.view(1), "A"}};
    auto nest = trn::reduction_nest(request, views);
    if (!nest) return nest.error();
    if (auto fault = trn::check_engine_types(*nest); !fault.ok()) return fault;
    auto cut = trn::cut_reduction(request, *nest);
    if (!cut) return cut.error();

    std::vector<int> order, reduced, kept_groups, reduced_groups;
    const auto sort_digits = [&] {
        order.clear();
        reduced.clear();
        for (int d = 0; d < nest->count(); ++d)
            (nest->view_dim[0][static_cast<std::size_t>(nest->at(d).dim)] < 0 ? reduced : order).push_back(d);
        order.insert(order.end(), reduced.begin(), reduced.end());
    };
    sort_digits();
    for (int g = 0; g < request.view(1).rank(); ++g)
        (nest->view_dim[0][static_cast<std::size_t>(g)] < 0 ? reduced_groups : kept_groups).push_back(g);
    bool in_parts = op.accumulate;
    for (const int d : reduced) in_parts = in_parts || cut->runs[static_cast<std::size_t>(d)].size() > 1;
    if (in_parts) {
        const DType type = is_integer(request.tensor(0).dtype) ? request.tensor(0).dtype : DType::f32;
        for (const char* what : {"sum", "part"}) {
            auto tensor = trn::staging(nest->operand(0), type, request.tensor(0).name + "." + what);
            if (!tensor) return tensor.error();
            views.emplace_back(request.temporary(*tensor), what);
        }
        nest = trn::reduction_nest(request, views);
        if (!nest) return nest.error();
        cut = trn::cut_reduction(request, *nest);
        if (!cut) return cut.error();
        sort_digits();
    }

    Body body;
    const auto write = [&](const char* opcode, const char* words, Function f, std::vector<View> boxes,
                           std::vector<std::int64_t> parameters) {
        Statement statement = trn::engine_statement(opcode, words, *engine, std::move(boxes));
        auto& instruction = std::get<Instruction>(statement.what);
        instruction.function = f;
        instruction.parameters = std::move(parameters);
        body.push_back(std::move(statement));
    };
    const Result<void, Problem> fault = trn::for_each_box(*nest, *cut, order, [&](const std::vector<trn::Chunk>& at) {
        std::vector<int> all_groups;
        std::vector<std::int64_t> parameters; // the reduced dimensions of A's box
        int dim = 0;
        for (int g = 0; g < request.view(1).rank(); ++g) {
            all_groups.push_back(g);
            const int n = trn::box(*nest, *cut, 1, {g}, at).rank();
            const bool is_kept = std::find(kept_groups.begin(), kept_groups.end(), g) != kept_groups.end();
            for (int i = 0; i < n; ++i, ++dim)
                if (!is_kept) parameters.push_back(dim);
        }
        const View a = trn::box(*nest, *cut, 1, all_groups, at);
        const auto kept = [&](int o) { return trn::box(*nest, *cut, o, kept_groups, at); };
        bool first = true, last = true;
        for (const int d : reduced) {
            const auto& run = at[static_cast<std::size_t>(d)];
            first = first && run.start == 0;
            last = last && run.start + run.extent == nest->at(d).extent;
        }
        if (!in_parts) return write("engine_reduce", spelled, op.function, {kept(0), a}, parameters);
        write("engine_reduce", spelled, op.function, {kept(first ? 2 : 3), a}, parameters);
        if (!first) write("engine_map", combine->text, op.function, {kept(2), kept(2), kept(3)}, {});
        if (!last) return;
        if (op.accumulate)
            write("engine_map", combine->text, op.function, {kept(0), kept(0), kept(2)}, {});
        else
            write("engine_map", "tensor_copy", Function::identity, {kept(0), kept(2)}, {});
    });
    if (!fault.ok()) return fault;
    return body;
}

} // namespace v0
} // namespace axe

#endif
