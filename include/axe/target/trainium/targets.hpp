// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_TRAINIUM_TARGETS_HPP
#define AXE_TARGET_TRAINIUM_TARGETS_HPP

#include <axe/schedule/hint.hpp>
#include <axe/schedule/pass.hpp>
#include <axe/target/family.hpp>
#include <axe/target/trainium/layouts.hpp>
#include <axe/target/trainium/machines.hpp>
#include <axe/target/trainium/opcodes.hpp>
#include <axe/target/trainium/order_engines.hpp>
#include <axe/target/trainium/schedules.hpp>

namespace axe {
inline namespace v0 {

/// Every tensor goes over the partitions, wherever it is allocated.
inline constexpr HintRule trainium_hints[] = {
    {"partitions", "over the partitions as the products ask", [](const HintRequest&) { return true; },
     [](const HintRequest& r) -> Result<HintedLayout, Problem> {
         const auto layout = trainium_layout(r.program, r.id);
         if (!layout) return layout.error();
         HintedLayout out;
         out.layout.layout = *layout;
         out.detail = "over the partitions as the products ask";
         return out;
     }},
};

inline constexpr Pass trainium_passes[] = {
    {"order_engines", "a barrier wherever an engine needs what another one made", Pass::On::instructions,
     [](Program& program) -> Result<void, Problem> {
         order_engines(program);
         return {};
     }},
};

namespace targets {
namespace trainium {

constexpr Target family(const Machine& machine)
{
    return family_of(machine, trainium_schedules, sim::trainium_opcodes, trainium_hints, trainium_passes);
}

} // namespace trainium

extern const Target trn1, trn2;

} // namespace targets
} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/target/trainium/impl/targets.hpp>
#endif

#endif
