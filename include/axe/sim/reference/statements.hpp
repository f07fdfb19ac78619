// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_REFERENCE_STATEMENTS_HPP
#define AXE_SIM_REFERENCE_STATEMENTS_HPP

#include <axe/program/messages.hpp>
#include <axe/sim/reference/walk.hpp>

#include <limits>

/// What each statement does, for all of a team that take part in it.
namespace axe {
inline namespace v0 {
namespace ref {

inline Result<void, Problem> Walk::does(const Alloc& s, Team& team, Active& active)
{
    const auto t = static_cast<std::size_t>(s.tensor);
    if (s.tensor < 0 || t >= program_.tensors.size())
        return {errc::bad_argument, "an allocation names a tensor that the program does not have"};
    if (program_.tensors[t].shape.size() > 0 && volume(program_.tensors[t].shape).value_or(0) > 1 << 20)
        if (auto e = need_memory(program_.tensors[t]); !e.ok()) return e;
    const auto fresh = [&](std::map<int, std::unique_ptr<Elements>>& owner) {
        auto& place = owner[s.tensor];
        if (place)
            place->forget();
        else
            place = std::make_unique<Elements>(program_.tensors[t]);
        return place.get();
    };
    Elements* joint = team.devices ? fresh(shared_) : nullptr;
    for (const std::size_t i : active) team.frames[i].tensors[t] = joint != nullptr ? joint : fresh(team.frames[i].own);
    return {};
}

inline Result<void, Problem> Walk::does(const For& s, Team& team, Active& active)
{
    if (s.step < 1) return {errc::bad_argument, loop_step_text(s.step)};
    std::map<std::size_t, std::int64_t> next;
    for (const std::size_t i : active) next[i] = s.begin(team.frames[i].variables);
    for (Active live = active;;) {
        Active going;
        for (const std::size_t i : live) {
            Frame& frame = team.frames[i];
            if (frame.flow == Frame::Flow::runs && next[i] < s.end(frame.variables)) going.push_back(i);
        }
        if (going.empty()) break;
        if (!goes_on(&pulse_, 100)) return stopped(); // the body may have no statements
        for (const std::size_t i : going) variable(team.frames[i], s.var) = next[i];
        if (auto e = body(s.body, team, going); !e.ok()) return e;
        for (const std::size_t i : going) {
            const std::int64_t before = next[i];
            next[i] = limited_sum(before, s.step);
            if (next[i] <= before) next[i] = std::numeric_limits<std::int64_t>::max(); // beyond every end
            if (team.frames[i].flow == Frame::Flow::continued) team.frames[i].flow = Frame::Flow::runs;
        }
        live = going;
    }
    for (const std::size_t i : active) team.frames[i].flow = Frame::Flow::runs;
    return {};
}

inline Result<void, Problem> Walk::does(const While& s, Team& team, Active& active)
{
    Active live = active;
    for (std::int64_t round = 0;; ++round) {
        Active going;
        for (const std::size_t i : live) {
            Frame& frame = team.frames[i];
            if (frame.flow == Frame::Flow::broke) continue;
            frame.flow = Frame::Flow::runs;
            const auto yes = holds(s.condition, frame);
            if (!yes) return placed(yes.error(), frame);
            if (*yes) going.push_back(i);
        }
        if (going.empty()) break;
        if (!goes_on(&pulse_, 100)) return stopped();
        if (auto e = need_end(round, team.frames[going.front()]); !e.ok()) return e;
        if (auto e = body(s.body, team, going); !e.ok()) return e;
        live = going;
    }
    for (const std::size_t i : active) team.frames[i].flow = Frame::Flow::runs;
    return {};
}

inline Result<void, Problem> Walk::does(const If& s, Team& team, Active& active)
{
    Active then, otherwise;
    for (const std::size_t i : active) {
        const auto yes = holds(s.condition, team.frames[i]);
        if (!yes) return placed(yes.error(), team.frames[i]);
        (*yes ? then : otherwise).push_back(i);
    }
    if (!then.empty())
        if (auto e = body(s.then, team, then); !e.ok()) return e;
    return otherwise.empty() ? Problem() : body(s.otherwise, team, otherwise);
}

inline Result<void, Problem> Walk::does(const Assign& s, Team& team, Active& active)
{
    for (const std::size_t i : active) {
        auto b = value_of(s.value, {program_, team.frames[i], &pulse_});
        if (!b) return placed(b.error(), team.frames[i]);
        if (s.scalar < 0 || static_cast<std::size_t>(s.scalar) >= team.frames[i].scalars.size())
            return {errc::bad_argument, "an assignment names a scalar that the program does not have"};
        team.frames[i].scalars[static_cast<std::size_t>(s.scalar)] = *b;
    }
    return {};
}

/// Gives the variable its value in a frame.
inline Result<void, Problem> Walk::set(const Let& s, Frame& frame)
{
    const auto b = value_of(s.value, {program_, frame, &pulse_});
    if (!b) return placed(b.error(), frame);
    const auto id = static_cast<std::size_t>(s.var.id);
    if (s.var.id < 0 || id >= program_.variables.size())
        return {errc::bad_argument, "an index names a variable that the program does not have"};
    const Variable& range = program_.variables[id];
    if (const auto p = need_certain(*b, "index `" + range.name + "`"); !p.ok()) return placed(p.error(), frame);
    if (!is_index(range, b->value)) return placed({errc::out_of_domain, index_range_text(range, b->value)}, frame);
    variable(frame, s.var) = static_cast<std::int64_t>(b->value);
    return {};
}

inline Result<void, Problem> Walk::does(const Let& s, Team& team, Active& active)
{
    for (const std::size_t i : active)
        if (auto e = set(s, team.frames[i]); !e.ok()) return e;
    return body(s.body, team, active);
}

inline Result<void, Problem> Walk::does(const Slice& s, Team& team, Active& active)
{
    if (s.of == Slice::Of::agents) return body(s.body, team, active); // its operators are the slice's in common
    Active chosen;
    for (const std::size_t i : active) {
        const auto d = static_cast<std::int64_t>(i) - s.first;
        const std::int64_t stride = std::max(s.stride, 1);
        if (d >= 0 && d % stride == 0 && d / stride < s.count) chosen.push_back(i);
    }
    return chosen.empty() ? Problem() : body(s.body, team, chosen);
}

inline Result<void, Problem> Walk::does(const Each& s, Team& team, Active& active)
{
    Team inner;
    Active all_of, within;
    const std::int64_t count = volume(s.counts).value_or(0);
    for (const std::size_t i : active)
        for (std::int64_t n = 0; n < count; ++n) {
            if (!goes_on(&pulse_, 200)) return stopped();
            inner.frames.push_back(numbered(team.frames[i], s.vars, s.counts, n));
            all_of.push_back(all_of.size());
            within.push_back(i);
        }
    if (auto e = body(s.body, inner, all_of); !e.ok()) return e;
    // A scalar is the agent's, and has one value in all lanes of it.
    for (const std::size_t k : all_of) team.frames[within[k]].scalars = inner.frames[k].scalars;
    return {};
}

inline Result<void, Problem> Walk::does(const Operation& s, Team& team, Active& active)
{
    // Devices do together what is the same for all of them, and each for itself what depends on its number.
    std::map<std::vector<std::int64_t>, bool> done;
    for (const std::size_t i : active) {
        Frame& frame = team.frames[i];
        if (team.devices) {
            std::vector<std::int64_t> origins;
            for (const View& view : s.operands)
                for (const Affine& a : view.origin) origins.push_back(a(frame.variables));
            if (!done.emplace(std::move(origins), true).second) continue;
        }
        if (auto e = run_operation(s, {program_, frame, &pulse_}); !e.ok()) return placed(e.error(), frame);
    }
    return {};
}

} // namespace ref
} // namespace v0
} // namespace axe

#endif
