// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_MAP_HPP
#define AXE_SCHEDULE_MAP_HPP

#include <axe/program/functions.hpp>
#include <axe/schedule/temporaries.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// One instruction on register operands, an element of each lane at a time; all operands' lanes must be the same.
inline Result<Body, Problem> emit_on_registers(const Request& request, Instruction out, const std::vector<View>& views,
                                               bool writes_copies = true)
{
    std::vector<ElementPlacement> all;
    std::vector<const ElementPlacement*> operands;
    for (const View& v : views) {
        auto s = element_placement(request, v);
        if (!s) return s.error();
        all.push_back(std::move(*s));
    }
    for (const ElementPlacement& s : all) operands.push_back(&s);
    const auto distributed = distribute(request, operands, 0, 0, writes_copies);
    if (!distributed) return distributed.error();
    if (distributed->elements->issues == 0) return Body{};
    for (const View& v : views) out.operands.push_back({v, distributed->elements});
    return Body{make_statement(std::move(out))};
}

inline void append(Body& body, Body more)
{
    body.insert(body.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

inline Result<Body, Problem> emit_map(Request& request)
{
    if (auto p = check_in_block(request); !p.ok()) return p;
    const Operation& operation = request.operation();
    auto staging = Staging::make(request, operation.operands);
    if (!staging) return staging.error();
    Body body;
    std::vector<View> views{staging->staged(operation.operands[0])};
    for (std::size_t i = 1; i < operation.operands.size(); ++i) {
        auto at = staging->loaded(operation.operands[i], body);
        if (!at) return at.error();
        views.push_back(std::move(*at));
    }
    Instruction map = make_instruction(request, "map", std::string(name(operation.function)) + "." + name(request.tensor(0).dtype));
    map.function = operation.function;
    auto done = emit_on_registers(request, std::move(map), views);
    if (!done) return done;
    append(body, std::move(*done));
    if (auto p = staging->stored(operation.operands[0], views[0], body); !p.ok()) return p;
    request.decided(worded("{0} operands staged in registers", {request.temporaries().size()}));
    return body;
}

} // namespace detail

/// Functions of elements, in the lanes that hold them.
inline constexpr Schedule map_schedules[] = {
    {Op::map, "lanes", 20, "ld", "each lane computes what it holds; operands in memories pass through registers",
     detail::has_lanes_that_load, detail::emit_map},
};

} // namespace v0
} // namespace axe

#endif
