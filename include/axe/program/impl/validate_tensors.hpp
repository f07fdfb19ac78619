// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_IMPL_VALIDATE_TENSORS_HPP
#define AXE_PROGRAM_IMPL_VALIDATE_TENSORS_HPP

#include <axe/layout/properties.hpp>
#include <axe/program/levels.hpp>
#include <axe/program/print.hpp>

#include <string_view>
#include <unordered_set>

/// What `validate` asks of tensors. Nothing here is for users.
namespace axe {
inline namespace v0 {
namespace detail {

/// The least and the greatest coordinate of a layout on an axis. Wide, since no layout has been checked that came from outside.
struct Reach {
    wider_t<std::int64_t> low = 0, high = 0;
};
inline Reach reach_on(const Layout& layout, const Axis& axis)
{
    Reach out{layout.offset[axis], layout.offset[axis]};
    const auto add = [&](const auto& it) {
        if (!(it.axis == axis)) return;
        (it.stride < 0 ? out.low : out.high) += static_cast<wider_t<std::int64_t>>(it.extent - 1) * it.stride;
    };
    for (const auto& it : layout.shard) add(it);
    for (const auto& it : layout.replica) add(it);
    return out;
}

/// The axes on which a layout is anywhere but at 0.
inline std::vector<Axis> axes_of(const Layout& layout)
{
    std::vector<Axis> out;
    const auto add = [&](const Axis& axis) {
        if (std::find(out.begin(), out.end(), axis) == out.end()) out.push_back(axis);
    };
    for (const auto& it : layout.shard)
        if (it.extent > 1 && it.stride != 0) add(it.axis);
    for (const auto& it : layout.replica)
        if (it.extent > 1 && it.stride != 0) add(it.axis);
    for (const auto& entry : layout.offset)
        if (entry.value != 0) add(entry.axis);
    return out;
}

inline std::string layout_text(const ProgramTensor& t)
{
    return t.layout.swizzle.bits == 0 ? std::string(print(t.layout.layout).c_str()) : std::string(print(t.layout).c_str());
}

/// Bytes, or more of them than any memory has: sums of two stay in the integer.
inline std::int64_t counted(wider_t<std::int64_t> bytes)
{
    constexpr std::int64_t many = std::int64_t{1} << 61;
    return bytes > many ? many : static_cast<std::int64_t>(bytes);
}

/// The bytes that the tensor's owner holds of it on the last axis of the memory, from its base on. The layout has been checked.
inline std::int64_t bytes_held(const ProgramTensor& t, const Memory& memory)
{
    const Axis last = memory.axes[memory.axes.size() - 1];
    auto elements = reach_on(t.layout.layout, last).high + 1;
    if (t.layout.swizzle.bits > 0) { // it moves elements within whole periods
        const std::int64_t period = in_elements(t.layout).period();
        elements = (elements + period - 1) / period * period;
    }
    return counted(elements * storage_bytes(t.dtype));
}

/// Where a tensor is made: in the scope of this number, or for all devices (−1); and the agents of the block, which layouts number.
struct TensorPlace {
    int level = -1;
    std::int64_t agents = 1;
};

/// Which coordinates on the axis does the owner's place allow: [0, count)? 0: any. −1: the tensor has no business on the axis.
/// What is allocated is counted with all others, and beside them has to fit: no axis of the memory has an end for it here.
inline std::int64_t allowed_on(const Program& p, const ProgramTensor& t, const Memory& memory, const Axis& axis,
                               const TensorPlace& place)
{
    for (int k = 0; k < memory.axes.size(); ++k)
        if (memory.axes[k] == axis) {
            if (t.binding == Binding::local) return 0;
            return k + 1 < memory.axes.size() ? memory.extents[k] : memory.extents[k] / storage_bytes(t.dtype);
        }
    const int scope = scope_of_axis(p.machine, axis);
    if (scope < 0 || scope <= place.level || scope > scope_index(p.machine, memory.owner)) return -1;
    const Levels levels = levels_of(p.machine);
    if (scope == levels.agent && p.machine.scopes[scope].axis == axis) return place.agents;
    return members_on(p.machine, axis);
}

/// `places`: 0 where the axis has no end.
inline Problem beyond_axis(const ProgramTensor& t, const Axis& axis, std::int64_t farthest, std::int64_t places)
{
    return Problem(errc::out_of_domain, "its layout {0} goes up to {1} on {2}, which has {3}",
                   {layout_text(t), farthest, axis.name().c_str(), places == 0 ? "0 to ∞" : "0 to " + std::to_string(places - 1)});
}

/// What is wrong with a tensor's layout, in a memory of the machine, made in a place.
inline void check_layout(const Program& p, const ProgramTensor& t, const Memory& memory, const TensorPlace& place,
                         std::vector<Problem>& out)
{
    if (const Status e = check(t.layout); !e.ok()) return out.push_back(Problem(e.error(), "its layout: "));
    const std::string text = layout_text(t);
    const auto elements = volume(t.shape), laid = size(t.layout.layout);
    if (elements && laid && *elements != *laid)
        out.push_back({errc::size_mismatch, worded("its layout {0} has {1} elements; its shape {2} has {3}",
                                                   {text, *laid, shape_words(t.shape), *elements})});
    for (const Axis& axis : axes_of(t.layout.layout)) {
        const std::int64_t places = allowed_on(p, t, memory, axis, place);
        const Reach footprint = reach_on(t.layout.layout, axis);
        const auto farthest = static_cast<std::int64_t>(footprint.low < 0 ? footprint.low : footprint.high);
        if (places < 0)
            out.push_back({errc::unknown_axis, worded("its layout {0} is on {1}; in {2}, a tensor can be on {3}",
                                                      {text, axis.name().c_str(), memory.name, [&] {
                                                           std::vector<Axis> axes(memory.axes.begin(), memory.axes.end());
                                                           for (const ScopeLevel& s : p.machine.scopes)
                                                               if (allowed_on(p, t, memory, s.axis, place) >= 0)
                                                                   axes.push_back(s.axis);
                                                           return listed(
                                                               axes, [](const Axis& a) { return std::string(a.name().c_str()); });
                                                       }()})});
        else if (footprint.low < 0 || (places > 0 && footprint.high >= places))
            out.push_back(beyond_axis(t, axis, farthest, places));
    }
    if (t.layout.swizzle.bits > 0 && t.layout.width != storage_bytes(t.dtype))
        out.push_back({errc::bad_argument, worded("its swizzle is for elements of {0}; elements of {1} have {2}",
                                                  {count_words(t.layout.width, "byte"), name(t.dtype), storage_bytes(t.dtype)})});
    if (t.layout.swizzle.bits > 0 && !(t.layout.axis == memory.axes[memory.axes.size() - 1]))
        out.push_back({errc::bad_axis,
                       worded("its swizzle is on {0}; bytes of {1} are counted on {2}",
                              {t.layout.axis.name().c_str(), memory.name, memory.axes[memory.axes.size() - 1].name().c_str()})});
    const Decision single = is_injective(t.layout.layout);
    if (!single.undecided() && !single && t.binding != Binding::input)
        out.push_back(
            {errc::bad_argument,
             worded("its layout {0} puts element {1} at the place of another; only an input can be so", {text, single.witness()})});
}

/// What is wrong with a tensor wherever it is made: shape, memory, base, and whether who binds it can know it.
/// `names` are those of the inputs and outputs before.
inline std::vector<Problem> check_tensor(const Program& p, int id, std::unordered_set<std::string_view>& names)
{
    const ProgramTensor& t = p.tensors[static_cast<std::size_t>(id)];
    std::vector<Problem> out;
    const auto elements = volume(t.shape);
    if (!elements) out.push_back(Problem(elements.error()));
    const Memory* memory = find_memory(p.machine, t.memory.c_str());
    if (memory == nullptr) {
        out.push_back({errc::bad_argument, worded("it is in {0}; {1} has no such memory", {t.memory, p.machine.name})});
        return out;
    }
    if (t.binding != Binding::local) {
        if (!memory->roles.has(Role::global))
            out.push_back({errc::bad_argument, worded("it is an input or output and cannot be in {0}", {t.memory})});
        if (t.hint != LayoutHint::none)
            out.push_back({errc::bad_argument, "it is an input or output and needs a layout, not a hint"});
        if (!names.insert(t.name).second) out.push_back({errc::bad_argument, "another input or output has this name"});
    }
    if (t.base >= 0 && t.base % std::max<std::int64_t>(memory->alignment, 1) != 0)
        out.push_back({errc::bad_argument, worded("it begins at byte {0}, not at a multiple of {1}, the alignment of {2}",
                                                  {t.base, memory->alignment, memory->name})});
    return out;
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
