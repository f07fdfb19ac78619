// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_REFERENCE_WALK_HPP
#define AXE_SIM_REFERENCE_WALK_HPP

#include <axe/program/limits.hpp>
#include <axe/program/messages.hpp>
#include <axe/sim/reference/indexed.hpp>
#include <axe/sim/report/verification.hpp>
#include <axe/tensor/host_memory.hpp>

/// The statements of a program, done one after the other.
namespace axe {
inline namespace v0 {

namespace ref {

/// Those who do the same statements in step: the devices; a block; the agents or lanes of an `Each`. Each statement is done by all
/// of them before the next, which is one of the orders that their barriers allow, and needs no barriers. Where agents of a block wait for
/// mbarriers, each goes on for itself (agents.hpp).
struct Team {
    std::vector<Frame> frames{};
    bool devices = false; ///< at the root: they do operators together
};

/// Goes through a program's statements.
class Walk {
  public:
    using Active = std::vector<std::size_t>;

    Walk(const Program& program, const ReferenceOptions& options) : program_(program), options_(options)
    {
        if (options_.progress) pulse_ = Pulse([this] { return options_.progress(statements_); });
    }
    Walk(const Walk&) = delete;
    Walk& operator=(const Walk&) = delete;

    Result<void, Problem> run(const Bindings& inputs);
    /// What a tensor of the caller's has become; it is given away.
    Values values_of(int tensor) { return std::move(shared_[tensor]->values); }

  private:
    friend class Agents;
    Result<void, Problem> body(const Body& statements, Team& team, Active active);
    Result<void, Problem> does(const Alloc& s, Team& team, Active& active);
    Result<void, Problem> does(const For& s, Team& team, Active& active);
    Result<void, Problem> does(const While& s, Team& team, Active& active);
    Result<void, Problem> does(const Break&, Team& team, Active& active) { return leave(team, active, Frame::Flow::broke); }
    Result<void, Problem> does(const Continue&, Team& team, Active& active) { return leave(team, active, Frame::Flow::continued); }
    Result<void, Problem> does(const If& s, Team& team, Active& active);
    Result<void, Problem> does(const Assign& s, Team& team, Active& active);
    Result<void, Problem> does(const Let& s, Team& team, Active& active);
    Result<void, Problem> set(const Let& s, Frame& frame);
    Result<void, Problem> does(const Grid& s, Team& team, Active& active);
    Result<void, Problem> does(const Slice& s, Team& team, Active& active);
    Result<void, Problem> does(const Each& s, Team& team, Active& active);
    Result<void, Problem> does(const Operation& s, Team& team, Active& active);
    Problem does(const Instruction& s, Team&, Active&)
    {
        return Problem(errc::bad_argument,
                       "{0} is an instruction; the reference runs operators, so give it the program before lowering", {s.opcode});
    }
    // Order in time is not the reference's matter: it does one thing after the other.
    Result<void, Problem> does(const Barrier&, Team&, Active&) { return {}; }
    Result<void, Problem> does(const Commit&, Team&, Active&) { return {}; }
    Result<void, Problem> does(const ProxyFence&, Team&, Active&) { return {}; }
    Result<void, Problem> does(const NamedBarrier&, Team&, Active&) { return {}; }
    Result<void, Problem> does(const RegisterCount&, Team&, Active&) { return {}; }
    Result<void, Problem> does(const TensorColumns&, Team&, Active&) { return {}; }
    Result<void, Problem> does(const Wait&, Team&, Active&) { return {}; }
    Result<void, Problem> does(const Mbarrier&, Team&, Active&) { return {}; }
    Result<void, Problem> does(const Flag&, Team&, Active&) { return {}; }           // of grids that it declines
    Result<void, Problem> does(const ClusterBarrier&, Team&, Active&) { return {}; } // the same
    Result<void, Problem> does(const GridDependency&, Team&, Active&) { return {}; }
    /// No block is left to cancel: each does its own work, which is one of the ways that a run may go.
    Result<void, Problem> does(const CancelLaunch& s, Team& team, Active& active);

    static Result<void, Problem> leave(Team& team, Active& active, Frame::Flow how)
    {
        for (const std::size_t i : active) team.frames[i].flow = how;
        return {};
    }
    Result<std::int64_t, Problem> holds(const Expression& condition, const Frame& frame)
    {
        const auto b = value_of(condition, {program_, frame, &pulse_});
        if (!b) return b.error();
        if (b->is_point()) return b->value != 0;
        if (!b->nan && !b->has_zero()) return true;
        return need_certain(*b, "the condition");
    }
    /// The value of a scalar that must be one number.
    Result<std::int64_t, Problem> whole(const Expression& e, const Frame& frame, const char* what) const
    {
        const auto b = value_of(e, {program_, frame});
        if (!b) return b.error();
        if (const auto p = need_certain(*b, what); !p.ok()) return p.error();
        return static_cast<std::int64_t>(b->value);
    }
    Result<void, Problem> need_end(std::int64_t round, const Frame& frame) const
    {
        if (round < options_.most_rounds) return {};
        return placed({errc::too_hard, detail::worded("the loop did not end within {0} rounds", {round})}, frame);
    }
    /// A frame within one, of the n-th of those that `counts` counts by digits, which are `vars`.
    static Frame numbered(const Frame& frame, const std::vector<Var>& vars, const Shape& counts, std::int64_t n)
    {
        Frame out = frame.inner();
        number(out, vars, counts, n);
        return out;
    }
    static void number(Frame& frame, const std::vector<Var>& vars, const Shape& counts, std::int64_t n)
    {
        const Coord c = coordinate(counts, n);
        for (int d = 0; d < c.size(); ++d) {
            const Var v = vars[static_cast<std::size_t>(d)];
            variable(frame, v) = c[d];
            frame.place.push_back(v);
        }
    }
    /// The problem with the words that say which statement has it, unless an inner one is named.
    [[nodiscard]] Result<void, Problem> in_statement(const Statement& s, Problem problem) const
    {
        if (problem.text.rfind("statement ", 0) == 0) return problem;
        const auto* operation = std::get_if<Operation>(&s.what);
        problem.text = numbered_text(program_, s.id) + (operation != nullptr ? std::string(", ") + name(operation->op) : "") +
                       ": " + problem.text;
        return problem;
    }
    /// The message of a problem with the words that say where it happened, which is the first frame that has it.
    Result<void, Problem> placed(Problem e, const Frame& frame) const
    {
        const std::string place = place_text({program_, frame});
        if (!place.empty()) e.text += " (" + place + ")";
        return e;
    }
    /// Is there memory for another tensor of the reference?
    [[nodiscard]] Result<void, Problem> need_memory(const ProgramTensor& t) const
    {
        const auto elements = wider_t<std::int64_t>{volume(t.shape).value_or(0)};
        return check_memory(reference_text(program_.name, t.name),
                            elements * static_cast<int>(sizeof(double) + sizeof(std::uint8_t)));
    }
    static std::int64_t& variable(Frame& frame, Var v) { return frame.variables[static_cast<std::size_t>(v.id)]; }

    const Program& program_;
    ReferenceOptions options_;
    std::map<int, std::unique_ptr<Elements>> shared_{}; ///< tensors of all devices
    std::int64_t statements_ = 0;                       ///< done so far
    Pulse pulse_{};
};

inline Result<void, Problem> Walk::run(const Bindings& inputs)
{
    if (auto e = check_limits(program_); !e.ok()) return e;
    if (auto e = check_inputs(program_, inputs); !e.ok()) return e;
    Frame first;
    first.variables.assign(program_.variables.size(), 0);
    for (const Scalar& s : program_.scalars) first.scalars.push_back(exactly(s.initial));
    first.tensors.assign(program_.tensors.size(), nullptr);
    for (std::size_t t = 0; t < program_.tensors.size(); ++t) {
        const ProgramTensor& tensor = program_.tensors[t];
        if (tensor.binding == Binding::local) continue;
        if (auto e = need_memory(tensor); !e.ok()) return e;
        auto elements = std::make_unique<Elements>(tensor);
        if (const Array* given = inputs.find(tensor.name)) {
            if (auto e = decode_all(&pulse_, *given, elements->values.value()); !e.ok()) return e;
            std::fill(elements->written.begin(), elements->written.end(), std::uint8_t{1});
            for (std::int64_t i = 0; i < given->size(); ++i) {
                if (!goes_on(&pulse_, 1)) return stopped();
                if (const double x = elements->values.value()[i]; x != x) elements->values.set(i, exactly(x));
            }
        }
        first.tensors[t] = elements.get();
        shared_[static_cast<int>(t)] = std::move(elements);
    }
    Team team;
    team.devices = true;
    const bool several = program_.device.id >= 0;
    const std::int64_t devices = several ? program_.machine.scopes[0].count : 1;
    Active all_of;
    for (std::int64_t d = 0; d < devices; ++d) {
        team.frames.push_back(first.inner());
        if (several) {
            variable(team.frames.back(), program_.device) = d;
            team.frames.back().place.push_back(program_.device);
        }
        all_of.push_back(static_cast<std::size_t>(d));
    }
    if (auto e = body(program_.body, team, all_of); !e.ok()) {
        return {e.code(), program_.name + ", " + e.error().text};
    }
    for (std::size_t t = 0; t < program_.tensors.size(); ++t) {
        const ProgramTensor& tensor = program_.tensors[t];
        if (tensor.binding != Binding::output) continue;
        const auto& written = shared_[static_cast<int>(t)]->written;
        const auto missing = std::count(written.begin(), written.end(), std::uint8_t{0});
        if (missing == 0) continue;
        const auto at = std::find(written.begin(), written.end(), std::uint8_t{0}) - written.begin();
        return Problem(errc::out_of_domain, "{0}: {1}, an element of an output, is never written; of {3} elements {2} are not",
                       {program_.name, element_text(tensor, coordinate(tensor.shape, std::int64_t{at})), missing, written.size()});
    }
    return {};
}

inline Result<void, Problem> Walk::does(const CancelLaunch& s, Team& team, Active& active)
{
    for (const std::size_t i : active) {
        const Frame& frame = team.frames[i];
        Elements* const elements = frame.tensors[static_cast<std::size_t>(s.element.tensor)];
        if (elements == nullptr) continue;
        std::int64_t coord[max_rank];
        const int dims = elements->tensor->shape.size();
        for (std::int64_t k = 0; k < volume(s.element.extents).value_or(0); ++k) {
            for (int d = 0; d < dims; ++d) coord[d] = s.element.origin[static_cast<std::size_t>(d)](frame.variables);
            std::int64_t rest = k, at = 0;
            for (int v = s.element.rank() - 1; v >= 0; rest /= s.element.extents[v--])
                if (s.element.dims[v] >= 0) coord[s.element.dims[v]] += rest % s.element.extents[v] * s.element.steps[v];
            for (int d = 0; d < dims; ++d) {
                if (coord[d] < 0 || coord[d] >= elements->tensor->shape[d])
                    return placed({errc::out_of_domain, "the reply is outside its tensor"}, frame);
                at = at * elements->tensor->shape[d] + coord[d];
            }
            elements->values.set(at, exactly(k == 0 ? 0 : -1));
            elements->written[static_cast<std::size_t>(at)] = 1;
        }
    }
    return {};
}

inline Result<void, Problem> Walk::body(const Body& statements, Team& team, Active active)
{
    std::vector<int> allocated;
    for (const Statement& s : statements) {
        active.erase(
            std::remove_if(active.begin(), active.end(), [&](std::size_t i) { return team.frames[i].flow != Frame::Flow::runs; }),
            active.end());
        if (active.empty()) break;
        if (const auto* a = std::get_if<Alloc>(&s.what)) allocated.push_back(a->tensor);
        statements_ += static_cast<std::int64_t>(active.size());
        if (!goes_on(&pulse_, 100)) return stopped();
        const Result<void, Problem> done =
            std::visit([&](const auto& what) -> Result<void, Problem> { return does(what, team, active); }, s.what);
        if (!done.ok()) return in_statement(s, done.error());
    }
    for (const int t : allocated)
        for (Frame& frame : team.frames) frame.tensors[static_cast<std::size_t>(t)] = nullptr;
    return {};
}

} // namespace ref

} // namespace v0
} // namespace axe

#endif
