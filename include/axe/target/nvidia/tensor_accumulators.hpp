// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_TENSOR_ACCUMULATORS_HPP
#define AXE_TARGET_NVIDIA_TENSOR_ACCUMULATORS_HPP

#include <axe/schedule/pass.hpp>
#include <axe/schedule/uses.hpp>
#include <axe/target/nvidia/schedules/tcgen05_hints.hpp>

#include <map>

namespace axe {
inline namespace v0 {
namespace detail {

/// Moves accumulators in registers to tensor memory where its products take them: what is written for the registers of any GPU.
///
///   gemm(acc, a, b)      multiplies into tensor memory
///   fill(acc, x)         fills registers and stores them there;   copy(c, acc), map(f, acc, {acc})   load them first
class TensorAccumulators {
  public:
    explicit TensorAccumulators(Program& program) : program_(&program) {}

    void move()
    {
        const Memory* tensors = nullptr;
        for (const Memory& m : program_->machine.memories)
            if (is_partitioned(m) && !is_private(program_->machine, m)) tensors = &m;
        if (tensors == nullptr || !has_tensor_memory(program_->machine)) return;
        std::int64_t columns = 0; // of 32 bits, which all tensors there take
        for (const ProgramTensor& t : program_->tensors)
            if (t.memory == tensors->name) columns += (volume(t.shape).value_or(0) * storage_bytes(t.dtype) + 511) / 512;
        const int known = static_cast<int>(program_->tensors.size());
        for (int id = 0; id < known; ++id) {
            const ProgramTensor& t = tensor(id);
            if (t.hint != LayoutHint::accumulator || t.binding != Binding::local || !fits(id, *tensors)) continue;
            const std::int64_t rows = t.shape[0] % 128 == 0 ? 128 : 64, more = t.shape[0] / rows * t.shape[1];
            const Limit* most = find_limit(program_->machine, "tmem.columns");
            if (most != nullptr && columns + more > most->value) continue;
            columns += more;
            ProgramTensor registers = t;
            registers.name += ".registers";
            images_[id] = static_cast<int>(program_->tensors.size());
            program_->tensors.push_back(std::move(registers));
            program_->tensors[static_cast<std::size_t>(id)].memory = tensors->name;
        }
        if (!images_.empty()) rewrite_body(program_->body);
    }

  private:
    [[nodiscard]] const ProgramTensor& tensor(int id) const { return program_->tensors[static_cast<std::size_t>(id)]; }
    [[nodiscard]] View whole(int id) const
    {
        View v;
        v.tensor = id;
        v.extents = tensor(id).shape;
        for (int d = 0; d < v.extents.size(); ++d) {
            v.origin.emplace_back(0);
            v.dims.push_back(d);
            v.steps.push_back(1);
        }
        return v;
    }
    [[nodiscard]] bool is_whole(const View& v) const
    {
        View asked = whole(v.tensor);
        asked.owner = v.owner;
        return v == asked;
    }
    static bool names(const Operation& o, int id)
    {
        return std::any_of(o.operands.begin(), o.operands.end(), [&](const View& v) { return v.tensor == id; });
    }

    /// Are the tensor's uses those that may be rewritten, all by the same whole warpgroups, with a product among them that tensor memory
    /// takes?
    [[nodiscard]] bool fits(int id, const Memory& tensors) const
    {
        const ProgramTensor& t = tensor(id);
        const Memory* memory = find_memory(program_->machine, t.memory.c_str());
        if (t.dtype == DType::f16) return false; // whose sums tensor memory rounds at each step: the program is to ask for it
        if (t.shape.size() != 2 || memory == nullptr || !is_private(program_->machine, *memory)) return false;
        if (used_otherwise(id)) return false;
        bool product = false;
        const std::vector<Use> uses = uses_of(*program_, id);
        for (const Use& use : uses) {
            const Operation& o = *use.operation;
            if (!use.place.in_block || !same_agents(use.place, uses.front().place)) return false;
            const bool writes = o.operands[0].tensor == id;
            if (o.op == Op::gemm) {
                if (!writes || o.operands[1].tensor == id || o.operands[2].tensor == id || !multiplies(use, tensors)) return false;
                product = true;
                continue;
            }
            if (!o.options.schedule.empty() || (o.op != Op::fill && o.op != Op::copy && o.op != Op::map)) return false;
            for (const View& v : o.operands)
                if (v.tensor == id ? !is_whole(v) : o.op == Op::map) return false;
        }
        return product && tensor_register_layout(program_->machine, uses.front().place, t.shape, t.dtype).has_value();
    }
    static bool same_agents(const ExecutionScope& a, const ExecutionScope& b)
    {
        return a.first == b.first && a.count == b.count && a.stride == b.stride;
    }
    /// Is it in an instruction, a value, or what each agent does for itself?
    [[nodiscard]] bool used_otherwise(int id) const
    {
        bool found = false;
        for_each_statement(program_->body, [&](const Statement& s) {
            if (const auto* i = std::get_if<Instruction>(&s.what))
                for (const Access& access : i->operands) found = found || access.view.tensor == id;
            if (const auto* each = std::get_if<Each>(&s.what))
                for_each_statement(each->body, [&](const Statement& inner) {
                    const auto* o = std::get_if<Operation>(&inner.what);
                    const auto* alloc = std::get_if<Alloc>(&inner.what);
                    found = found || (o != nullptr && names(*o, id)) || (alloc != nullptr && alloc->tensor == id);
                });
        });
        return found;
    }
    /// Would tensor memory take the product, D being there, and operands whose layouts are open in columns as descriptors ask?
    [[nodiscard]] bool multiplies(const Use& use, const Memory& tensors) const
    {
        Operation o = *use.operation;
        if (!o.options.schedule.empty() && o.options.schedule != "tcgen05") return false;
        Program trial = *program_;
        ProgramTensor& d = trial.tensors[static_cast<std::size_t>(o.operands[0].tensor)];
        const auto layout = tensor_accumulator_layout(tensors, d.shape);
        if (!layout) return false;
        d.memory = tensors.name;
        d.layout = Swizzled<Layout>{};
        d.layout.layout = *layout;
        for (std::size_t k = 1; k < 3; ++k) {
            ProgramTensor& t = trial.tensors[static_cast<std::size_t>(o.operands[k].tensor)];
            const Memory* memory = find_memory(trial.machine, t.memory.c_str());
            if (memory == nullptr || !memory->roles.has(Role::shared)) return false;
            if (t.hint == LayoutHint::none) continue;
            const std::int64_t span =
                t.shape.empty() || !volume(t.shape) ? 0 : widest_span(t.shape.back() * storage_bytes(t.dtype));
            if (span == 0) return false;
            t.layout = swizzled_columns(*memory, t, span).layout;
            t.hint = LayoutHint::none;
        }
        Target target;
        target.machine = trial.machine;
        Request request(trial, target, o, use.place);
        return emit_tcgen05(request).has_value();
    }

    void rewrite_body(Body& body)
    {
        rewrite(body, [&](Statement& s, Body& out) {
            for_each_body(s, [&](Body& inner) { rewrite_body(inner); });
            if (const auto* alloc = std::get_if<Alloc>(&s.what)) {
                const auto image = images_.find(alloc->tensor);
                const int id = s.id;
                out.push_back(std::move(s));
                if (image != images_.end()) out.push_back({id, Alloc{image->second}});
                return;
            }
            auto* o = std::get_if<Operation>(&s.what);
            if (o == nullptr) return out.push_back(std::move(s));
            if (o->op == Op::gemm) { // complete at once for all of its agents, where nothing else tells them
                if (images_.count(o->operands[0].tensor) != 0 && o->options.completes_on < 0) o->options.async = false;
                return out.push_back(std::move(s));
            }
            const int id = s.id;
            std::vector<Statement> before, after;
            for (std::size_t k = 0; k < o->operands.size(); ++k) {
                const auto image = images_.find(o->operands[k].tensor);
                if (image == images_.end()) continue;
                const View there = whole(image->first), here = whole(image->second);
                o->operands[k] = here;
                if (k == 0)
                    after.push_back({id, copy(there, here)});
                else if (before.empty())
                    before.push_back({id, copy(here, there)});
            }
            for (Statement& one : before) out.push_back(std::move(one));
            out.push_back(std::move(s));
            for (Statement& one : after) out.push_back(std::move(one));
        });
    }
    static Operation copy(const View& d, const View& a)
    {
        Operation out;
        out.op = Op::copy;
        out.operands = {d, a};
        return out;
    }

    Program* program_;
    std::map<int, int> images_{}; ///< of accumulators that move: their tensors in registers
};

} // namespace detail

/// Before layouts are chosen.
inline constexpr Pass tensor_memory_passes[] = {
    {"tensor_accumulators", "accumulators in tensor memory, where its products take them", Pass::On::operators,
     [](Program& program) -> Result<void, Problem> {
         detail::TensorAccumulators(program).move();
         return {};
     }},
};

} // namespace v0
} // namespace axe

#endif
