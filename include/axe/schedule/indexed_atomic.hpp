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
    const bool compares = request.operation().op == Op::compare_exchange, gives = request.operation().operands.size() == 4;
    const View &d = request.view(0), &index = request.view(1), &a = request.view(2);
    if (auto p = need_for_all(request, d); !p.ok()) return p;
    if (auto p = need_index_for_all(request, index); !p.ok()) return p;
    if (gives) {
        const auto before = element_placement(request, request.view(3));
        if (!before) return before.error();
        if (before->owner.size() > static_cast<std::size_t>(before->count))
            return Problem(errc::bad_argument,
                           worded("several lanes hold elements of {0}; an element is combined by one lane", {before->name}));
    }
    auto staging = Staging::make(request, gives ? std::vector<View>{request.view(3), a} : std::vector<View>{a});
    if (!staging) return staging.error();
    Body body;
    const auto from = staging->loaded(a, body);
    if (!from) return from.error();
    const auto at = staging->loaded(index_of_rows(index, a.extents), body);
    if (!at) return at.error();
    const View held = *from;
    std::vector<View> views{held, *at};
    if (gives) views.push_back(request.view(3));
    auto plan = emit_on_registers(request, Instruction{}, views, false);
    if (!plan) return plan;
    if (plan->empty()) return body;
    const auto distribution = std::get<Instruction>(plan->front().what).operands[0].distribution;
    const DType type = request.tensor(d).dtype;
    const Function f = request.operation().function;
    const std::string what = compares ? "cas" : f == Function::identity ? "exch" : name(f);
    Instruction out = make_instruction(request, "indexed_atomic",
                                       worded("atom.{0}.{1}.{2} [index]", {space_text(request.memory(d)), what, name(type)}));
    out.operands = {{d, in_row_zero(*distribution, a.extents)}, {held, distribution}, {*at, distribution}};
    if (gives) out.operands.push_back({request.view(3), distribution});
    out.parameters = {compares ? 1 : 0};
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
