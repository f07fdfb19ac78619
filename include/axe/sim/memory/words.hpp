// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_MEMORY_WORDS_HPP
#define AXE_SIM_MEMORY_WORDS_HPP

#include <axe/program/limits.hpp>
#include <axe/program/messages.hpp>
#include <axe/sim/memory/plan.hpp>
#include <axe/sim/memory/shadow.hpp>

/// The texts of faults: who touches what, where it is, and what is wrong with it.
namespace axe {
inline namespace v0 {
namespace sim {

inline std::string coord_text(const std::int64_t* coord, int dims)
{
    std::string text = "(";
    for (int d = 0; d < dims; ++d) text += (d > 0 ? "," : "") + std::to_string(coord[d]);
    return text + ")";
}

inline std::string shape_text(const Shape& shape) { return coord_text(shape.items, shape.size()); }

/// Who touches what, in the words of faults.
inline std::string agent_text(std::int64_t agent) { return "agent " + std::to_string(agent); }
inline std::string lane_text(std::int64_t lane, std::int64_t agent)
{
    return detail::worded("lane {0} of agent {1}", {lane, agent});
}
inline std::string element_text(const TensorPlan& plan, const std::int64_t* coord)
{
    return "element " + coord_text(coord, plan.tensor->shape.size()) + " of " + plan.name();
}
/// "lane 3 of agent 0, element (1,2) of A (smem byte 64)"
inline std::string placed_text(const std::string& who, const std::string& element, const std::string& place)
{
    return who + ", " + element + " (" + place + ")";
}
/// The text of a fault: an element outside a tensor that no guard lets be left.
inline std::string outside_text(const std::string& who, const std::string& element, const TensorPlan& plan)
{
    return detail::worded("{0} accesses {1}, whose shape is {2}", {who, element, shape_text(plan.tensor->shape)});
}
/// The same: an element in another device's memory that a block accesses.
inline std::string elsewhere_text(const std::string& who, const std::string& element, std::int64_t holder, int device,
                                  bool is_remote = false)
{
    constexpr const char* text = "{0} accesses {1}, which device {2} holds, not device {3}";
    return detail::worded(is_remote ? text : detail::hinted(text, "take a remote() view to access another device's memory"),
                          {who, element, holder, device});
}
inline constexpr const char* asynchronous_copy = "asynchronous copy";
/// The same: what an asynchronous operation reads is not what it was when it started.
inline std::string changed_text(const std::string& what, const char* operation)
{
    return detail::worded("{0} changed between the start of the {1} and its wait", {what, operation});
}
/// The text of a race of an operator with itself.
inline std::string written_before_text(const std::string& what)
{
    return detail::worded("{0} is read here after the same operator wrote it; in place, a result may only replace its own operand",
                          {what});
}
/// Of who goes on and on.
inline std::string endless_text(const char* who, std::int64_t number, std::int64_t steps)
{
    constexpr const char* text =
        "{0} {1} has run {2} steps, the limit of this run; hint: raise `most_steps`, or set `quantum` if it polls";
    return detail::worded(text, {who, number, steps});
}
inline std::string stopped_text() { return detail::worded("the run was stopped", {}); }
inline std::string most_blocks_text() { return detail::worded("a device runs at most {0} blocks in a run", {max_blocks}); }
inline std::string on_device_text(const std::string& what, std::int64_t device)
{
    return detail::worded("{0} on device {1}", {what, device});
}
/// What a device does that no grid keeps: it has ended where no statement is given.
inline std::string device_stands_text(std::size_t device, int statement)
{
    return detail::worded(statement < 0 ? "device {0} has ended" : "device {0} waits at the barrier of statement {1}",
                          {device, statement});
}
inline std::string never_written_text(const std::string& what)
{
    return detail::worded("{0} is loaded and was never written", {what});
}
/// The same, of an access by an asynchronous operation that only a proxy fence is missing for.
inline std::string unfenced_text(const std::string& what, bool writing, const Conflict& found, const std::string& who,
                                 int statement)
{
    constexpr const char* text =
        "{0} is {1} here by an asynchronous operation and was {2} by {3} in statement {4}, without a proxy fence between";
    return detail::worded(detail::hinted(text, "add proxy_fence() after statement {4}, or before this one"),
                          {what, std::string(writing ? "written" : "read"),
                           std::string(found.hazard == Hazard::read_write ? "read" : "written"), who, statement});
}
/// The same of two operations on tensor memory.
inline std::string unfenced_tensor_text(const std::string& what, bool writing, const Conflict& found, const std::string& who,
                                        int statement)
{
    constexpr const char* text = "{0} is {1} here and was {2} by {3} in statement {4}, without the fences of tensor memory between";
    return detail::worded(detail::hinted(text, "add tensor_fence_before() after statement {4}, and tensor_fence_after() here"),
                          {what, std::string(writing ? "written" : "read"),
                           std::string(found.hazard == Hazard::read_write ? "read" : "written"), who, statement});
}
/// The same: an access of `what` that conflicts with another one, which is by `who`.
inline std::string conflict_text(const std::string& what, bool writing, const Conflict& found, const std::string& who,
                                 const std::string& statement)
{
    if (found.hazard == Hazard::unwritten) return unwritten_text(what);
    return detail::worded(
        !writing ? "race: {0} is read here and written by {1} in statement {2}; no barrier or wait orders the two accesses"
        : found.hazard == Hazard::read_write
            ? "race: {0} is written here and read by {1} in statement {2}; no barrier or wait orders the two accesses"
            : "race: {0} is written here and by {1} in statement {2}; no barrier or wait orders the two accesses",
        {what, who, statement});
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
