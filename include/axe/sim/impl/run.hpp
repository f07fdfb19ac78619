// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_IMPL_RUN_HPP
#define AXE_SIM_IMPL_RUN_HPP

#include <axe/sim/agents/device.hpp>
#include <axe/sim/agents/footprint.hpp>
#include <axe/sim/compile.hpp>
#include <axe/sim/memory/globals.hpp>
#include <axe/sim/report/fault_lines.hpp>
#include <axe/sim/report/trace.hpp>
#include <axe/sim/run.hpp>
#include <axe/tensor/host_memory.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

namespace detail_run {

inline Result<void, Problem> check_watch(const Program& program, const Watch* watch)
{
    if (watch == nullptr) return {};
    const auto has_name = [&](const ProgramTensor& t) { return t.name == watch->tensor; };
    if (std::none_of(program.tensors.begin(), program.tensors.end(), has_name)) {
        std::string names;
        for (const ProgramTensor& t : program.tensors) names += (names.empty() ? "" : ", ") + t.name;
        return Problem(errc::bad_argument, "run: no tensor {0} to watch; {1} has {2}", {watch->tensor, program.name, names});
    }
    for (const ProgramTensor& t : program.tensors)
        if (has_name(t) && (watch->coordinate.size() != t.shape.size() || !is_inside(t.shape, watch->coordinate.items)))
            return Problem(errc::out_of_domain, "run: element {0} to watch is not one of {1}, whose shape is {2}",
                           {coord_text(watch->coordinate.items, watch->coordinate.size()), t.name, shape_text(t.shape)});
    return {};
}

inline void start_trace(const Executables& e, Trace& trace)
{
    std::vector<Trace::Item> items;
    for (std::size_t i = 0; i < e.by_index.size(); ++i) {
        const Instruction& instruction = *e.by_index[i];
        const bool distributed = !instruction.operands.empty() && instruction.operands[0].distribution;
        items.push_back({e.statement_of[i],
                         distributed ? instruction.operands[0].distribution->issues : 1,
                         instruction.opcode,
                         instruction.text,
                         {}});
        for (const Access& a : instruction.operands) items.back().tensors.push_back(a.view.tensor);
    }
    trace.start(e.compiled.stage.devices, std::move(items));
}

inline void collect(const Executables& e, const std::vector<DeviceState>& devices, Report& report)
{
    for (const DeviceState& d : devices) {
        report.total.barriers += d.barriers;
        for (std::size_t i = 0; i < d.tallies.size(); ++i) {
            const Tally& t = d.tallies[i];
            if (t.issues == 0) continue;
            const Instruction& instruction = *e.by_index[i];
            Counters c;
            c.instructions = t.issues;
            c.lanes_active = t.lanes_active;
            c.lanes = t.lanes;
            c.flops = t.flops;
            c.integer_ops = t.integer_ops;
            c.link_bytes = t.link_bytes;
            for (std::size_t o = 0; o < t.sent.size(); ++o)
                if (t.sent[o] != 0) c.links[{d.number, static_cast<int>(o)}] += t.sent[o];
            for (std::size_t o = 0; o < t.received.size(); ++o)
                if (t.received[o] != 0) c.links[{static_cast<int>(o), d.number}] += t.received[o];
            c.by_text[instruction.text.empty() ? instruction.opcode : instruction.text] = t.issues;
            for (std::size_t k = 0; k < instruction.operands.size(); ++k) {
                const OperandTally o = t.operands[k];
                if (o.requests == 0) continue;
                const TensorPlan& plan = e.compiled.plans[static_cast<std::size_t>(instruction.operands[k].view.tensor)];
                MemoryCount& m = c.memories[plan.tensor->memory];
                m += {writes(instruction, k) ? o.read_back : o.bytes,
                      writes(instruction, k) ? o.bytes : 0,
                      plan.owner == Owner::lane ? 0 : o.requests,
                      o.wavefronts,
                      o.ideal_wavefronts,
                      plan.owner == Owner::device ? o.sectors : 0,
                      plan.owner == Owner::device ? o.ideal_sectors : 0};
            }
            report.statements[e.statement_of[i]] += c;
            report.total += c;
        }
    }
}

/// Bytes for a tensor of a device; of one with remote views those of all devices are one after the other.
inline std::byte* room_for(std::vector<DeviceState>& devices, DeviceState& state, std::size_t t, const TensorPlan& plan)
{
    Buffer& holds = plan.apart > 0 ? devices.front().global[t] : state.global[t];
    const std::int64_t all = plan.apart * static_cast<std::int64_t>(devices.size()) * plan.width;
    if (plan.apart == 0 || state.number == 0) holds.own.reserve(static_cast<std::size_t>(plan.apart > 0 ? all : plan.bytes()));
    return holds.own.data() + plan.apart * state.number * plan.width;
}

/// And the cells of each device are a part of all of them, which are those of the first.
inline void share_shadow(std::vector<DeviceState>& devices, DeviceState& state, int t, const TensorPlan& plan, bool given_here)
{
    Shadow& whole = devices.front().global[static_cast<std::size_t>(t)].shadow;
    const std::int64_t bytes = plan.apart * plan.width;
    if (state.number == 0)
        return whole.make_settled(static_cast<std::size_t>(bytes) * devices.size() / static_cast<std::size_t>(plan.granule),
                                  plan.granule, given_here);
    state.global[static_cast<std::size_t>(t)].shadow.share(whole, {t, bytes * state.number, 0, 0, nullptr});
}

inline std::string run_text(const Program& program) { return detail::worded("run of {0}", {program.name}); }

/// What can be said of a run before the program is made ready.
inline Result<void, Problem> check_request(const Program& program, const Bindings& inputs, const RunOptions& options)
{
    if (auto p = check_inputs(program, inputs); !p.ok()) return p;
    if (options.resident < 0 || options.quantum < 0)
        return Problem(errc::bad_argument, "run: {0} blocks in flight and {1} steps in a turn; both must be at least 0",
                       {options.resident, options.quantum});
    return check_watch(program, options.watch);
}

/// A run of what is ready, of a request that has been checked.
inline Result<Report, Problem> run(Executables& e, const Bindings& inputs, const RunOptions& options, Bindings& reuse)
{
    Compiled& c = e.compiled;
    const Program& program = *c.program;
    c.options = options;
    if (options.watch != nullptr) c.options.threads = 1; // accesses are reported in one order
    if (auto p = check_memory(run_text(program), footprint(c, e.grids)); !p.ok()) return p;
    const auto tensors = program.tensors.size();

    std::vector<DeviceState> devices(static_cast<std::size_t>(c.stage.devices));
    Report report;
    report.devices = c.stage.devices;
    for (int d = 0; d < c.stage.devices; ++d) {
        DeviceState& state = devices[static_cast<std::size_t>(d)];
        state.number = d;
        state.devices = devices.data();
        state.device_count = c.stage.devices;
        state.horizon.floor.assign(devices.size(), 1);
        state.horizon.reads_need_fence = options.reads_need_fence;
        state.global.resize(tensors);
        state.tallies.resize(static_cast<std::size_t>(c.instruction_count));
    }
    const auto globals = [&](std::size_t t) {
        Globals buffers;
        for (DeviceState& state : devices) buffers.push_back(&state.global[t]);
        return buffers;
    };
    for (std::size_t t = 0; t < tensors; ++t) {
        const ProgramTensor& tensor = program.tensors[t];
        const TensorPlan& plan = c.plans[t];
        if (plan.owner != Owner::device) continue;
        const Array* array = inputs.find(tensor.name);
        const bool given_here = tensor.binding == Binding::input || tensor.binding == Binding::inout;
        const bool plain = plan.apart == 0 && is_the_array(plan, c.stage.devices);
        const bool returned = tensor.binding == Binding::output || tensor.binding == Binding::inout;
        if (returned) {
            Array* old = reuse.find(tensor.name);
            if (old != nullptr && !old->is_borrowed() && old->shape() == tensor.shape && old->dtype() == tensor.dtype) {
                report.outputs.set(tensor.name, std::move(*old));
            } else {
                auto out = Array::make(tensor.shape, tensor.dtype);
                if (!out) return out.error();
                report.outputs.set(tensor.name, std::move(*out));
            }
        }
        for (DeviceState& state : devices) {
            Buffer& buffer = state.global[t];
            if (plain && state.number == 0 && tensor.binding == Binding::input) {
                buffer.data = const_cast<std::byte*>(array->data()); // no instruction writes an input
            } else if (plain && state.number == 0 && returned) {
                buffer.data = report.outputs.find(tensor.name)->data();
                if (given_here) std::memcpy(buffer.data, array->data(), static_cast<std::size_t>(array->size_bytes()));
            } else {
                buffer.data = detail_run::room_for(devices, state, t, plan);
            }
            if (c.full() && (plan.written || !given_here) && plan.apart > 0) {
                detail_run::share_shadow(devices, state, static_cast<int>(t), plan, given_here);
            } else if (c.full() && (plan.written || !given_here)) {
                const std::size_t bytes = static_cast<std::size_t>(plan.bytes()), g = static_cast<std::size_t>(plan.granule);
                buffer.shadow.make_settled((bytes + g - 1) / g, plan.granule, given_here);
            }
        }
        if (given_here && !plain) scatter(plan, *array, globals(t));
    }

    if (c.options.trace != nullptr) detail_run::start_trace(e, *c.options.trace);
    report.fault = System(c, e.code, e.grids, e.instructions, devices).run();
    if (c.options.counters) detail_run::collect(e, devices, report);
    for (std::size_t t = 0; t < tensors && !report.fault.found(); ++t) {
        const ProgramTensor& tensor = program.tensors[t];
        if (tensor.binding != Binding::output && tensor.binding != Binding::inout) continue;
        report.fault = gather(program, options.level, c.plans[t], globals(t), report.outputs.find(tensor.name)->data());
    }
    if (report.fault.found()) report.fault.lines = fault_lines(program, report.fault);
    return Result<Report, Problem>(std::move(report));
}

} // namespace detail_run

AXE_DECL Result<Report, Problem> run(const Program& program, const Target& target, const Bindings& inputs,
                                     const RunOptions& options, Bindings reuse)
{
    return within_memory(detail_run::run_text(program), [&]() -> Result<Report, Problem> {
        if (auto p = detail_run::check_request(program, inputs, options); !p.ok()) return p;
        auto made = compile(program, target, options.threads);
        return made ? detail_run::run(**made, inputs, options, reuse) : made.error();
    });
}

AXE_DECL Result<PreparedProgram, Problem> prepare(const Program& program, const Target& target, int threads)
{
    return within_memory(detail_run::run_text(program), [&]() -> Result<PreparedProgram, Problem> {
        auto made = compile(program, target, threads);
        if (!made) return made.error();
        return PreparedProgram(std::move(*made));
    });
}

AXE_DECL PreparedProgram::PreparedProgram() noexcept = default;
AXE_DECL PreparedProgram::PreparedProgram(std::unique_ptr<Executables> made) noexcept : made_(std::move(made)) {}
AXE_DECL PreparedProgram::PreparedProgram(PreparedProgram&&) noexcept = default;
AXE_DECL PreparedProgram& PreparedProgram::operator=(PreparedProgram&&) noexcept = default;
AXE_DECL PreparedProgram::~PreparedProgram() = default;

AXE_DECL Result<Report, Problem> PreparedProgram::run(const Bindings& inputs, const RunOptions& options, Bindings reuse)
{
    if (!made_)
        return Problem(errc::bad_argument,
                       detail::hinted("run: no program is ready", "sim::prepare(program, target) makes one ready"));
    const Program& program = *made_->compiled.program;
    return within_memory(detail_run::run_text(program), [&]() -> Result<Report, Problem> {
        if (auto p = detail_run::check_request(program, inputs, options); !p.ok()) return p;
        return detail_run::run(*made_, inputs, options, reuse);
    });
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
