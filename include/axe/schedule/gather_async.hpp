// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_GATHER_ASYNC_HPP
#define AXE_SCHEDULE_GATHER_ASYNC_HPP

#include <axe/schedule/indexed.hpp>

namespace axe {
inline namespace v0 {

/// A gather to a memory by an instruction that goes on by itself and is spelled so: each lane has the indices of its elements, and the mask,
/// and starts a copy of each.
///
/// Errors: those of a gather by lanes. Cost: that of `distribute`.
inline Result<Body, Problem> gather_async(Request& request, const std::string& text)
{
    if (auto p = check_in_block(request); !p.ok()) return p;
    const IndexedOperands which = indexed_operands_of(request.operation());
    const View &d = request.view(0), &a = request.view(1);
    std::vector<View> indices, patterns{d};
    for (int k = 0; k < which.count + (which.mask >= 0 ? 1 : 0); ++k) {
        const View& index = request.view(k < which.count ? which.first + k : which.mask);
        indices.push_back(detail::index_of_rows(index, d.extents));
        if (!is_private(request.machine(), request.memory(index))) continue;
        if (index.rank() < d.rank())
            if (auto p = detail::need_index_for_all(request, index); !p.ok()) return p;
        patterns.push_back(indices.back());
    }
    auto staging = detail::Staging::make(request, std::move(patterns));
    if (!staging) return staging.error();
    Body body;
    std::vector<View> views{d};
    for (const View& index : indices) {
        auto at = staging->loaded(index, body);
        if (!at) return at.error();
        views.push_back(std::move(*at));
    }
    auto plan = detail::emit_on_registers(request, Instruction{}, views);
    if (!plan) return plan;
    if (plan->empty()) return body;
    const auto distribution = std::get<Instruction>(plan->front().what).operands[0].distribution;
    Instruction out = make_instruction(request, "indexed", text);
    out.operands = {{d, distribution}, {a, detail::in_row_zero(*distribution, d.extents, request.view(which.first).rank())}};
    for (std::size_t k = 1; k < views.size(); ++k) out.operands.push_back({views[k], distribution});
    out.parameters = {0};
    if (which.count > 1) out.parameters.push_back(which.count);
    if (which.mask >= 0) out.number = request.operation().number;
    out.async = true;
    body.push_back(make_statement(std::move(out)));
    request.decided("an element of each lane at a time");
    return body;
}

} // namespace v0
} // namespace axe

#endif
