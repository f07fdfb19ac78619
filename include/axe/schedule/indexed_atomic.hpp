// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_INDEXED_ATOMIC_HPP
#define AXE_SCHEDULE_INDEXED_ATOMIC_HPP

#include <axe/schedule/indexed.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// Each element of D that an index names is combined in its memory with one of A, from registers, by one lane; that lane has what was there
/// before.
inline Result<Body, Problem> emit_indexed_atomic(Request& request)
{
    if (auto p = check_in_block(request); !p.ok()) return p;
    const IndexedOperands which = indexed_operands_of(request.operation());
    const bool compares = request.operation().op == Op::compare_exchange, gives = which.before >= 0;
    const View &d = request.view(0), &a = request.view(which.rows);
    if (auto p = need_for_all(request, d); !p.ok()) return p;
    const int rank = request.view(which.first).rank();
    std::vector<View> indices, patterns; // and the mask, behind the indices
    if (gives) patterns.push_back(request.view(which.before));
    patterns.push_back(a);
    for (int k = 0; k < which.count + (which.mask >= 0 ? 1 : 0); ++k) {
        const View& index = request.view(k < which.count ? which.first + k : which.mask);
        indices.push_back(index_of_rows(index, a.extents));
        if (!is_private(request.machine(), request.memory(index))) continue;
        if (rank < a.rank())
            if (auto p = need_index_for_all(request, index); !p.ok()) return p;
        patterns.push_back(indices.back());
    }
    if (gives) {
        const auto before = element_placement(request, request.view(which.before));
        if (!before) return before.error();
        if (before->owner.size() > static_cast<std::size_t>(before->count))
            return Problem(errc::bad_argument, "several lanes hold elements of {0}; an element is combined by one lane",
                           {before->name});
    }
    auto staging = Staging::make(request, std::move(patterns));
    if (!staging) return staging.error();
    Body body;
    const auto from = staging->loaded(a, body);
    if (!from) return from.error();
    const View held = *from;
    std::vector<View> views{held};
    for (const View& index : indices) {
        auto at = staging->loaded(index, body);
        if (!at) return at.error();
        views.push_back(std::move(*at));
    }
    if (gives) views.insert(views.begin() + 1 + which.count, request.view(which.before));
    auto plan = emit_on_registers(request, Instruction{}, views, false);
    if (!plan) return plan;
    if (plan->empty()) return body;
    const auto distribution = std::get<Instruction>(plan->front().what).operands[0].distribution;
    const DType type = request.tensor(d).dtype;
    const Function f = request.operation().function;
    const std::string what = compares ? "cas" : f == Function::identity ? "exch" : name(f);
    Instruction out = make_instruction(request, "indexed_atomic",
                                       worded("atom.{0}.{1}.{2} [index]", {space_text(request.memory(d)), what, name(type)}));
    out.operands = {{d, in_row_zero(*distribution, a.extents, rank)}};
    for (const View& v : views) out.operands.push_back({v, distribution});
    out.parameters = {compares ? 1 : 0};
    if (which.count > 1 || which.mask >= 0) out.parameters.push_back(which.count);
    if (which.mask >= 0) out.parameters.push_back(1);
    if (!compares) out.function = f;
    body.push_back(make_statement(std::move(out)));
    request.decided("an element of each lane at a time");
    return body;
}

} // namespace detail

/// Atomic operations at places that only the run knows.
inline constexpr Schedule indexed_atomic_schedules[] = {
    {Op::atomic_rows, "lanes", 20, "atom", "each lane loads the index of its element, then combines it in its memory",
     detail::has_atomics, detail::emit_indexed_atomic},
    {Op::compare_exchange, "lanes", 20, "atom", "each lane loads the index of its element, then exchanges it in its memory",
     detail::has_atomics, detail::emit_indexed_atomic},
};

} // namespace v0
} // namespace axe

#endif
