// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PICTURE_IMPL_MOVEMENT_MODEL_HPP
#define AXE_PICTURE_IMPL_MOVEMENT_MODEL_HPP

#include <axe/picture/movement_model.hpp>
#include <axe/program/operators.hpp>
#include <axe/program/print.hpp>
#include <axe/program/walk.hpp>
#include <axe/sim/report/format.hpp>
#include <axe/sim/report/report_text.hpp>
#include <axe/sim/report/statement_lines.hpp>

#include <algorithm>
#include <map>

namespace axe {
inline namespace v0 {
namespace detail {

/// Fills a movement by one walk over a program.
class MovementMaker {
  public:
    MovementMaker(const Program& program, const Lowered* lowered, const sim::Report* report)
        : program_(&program), lowered_(lowered), report_(report)
    {
        for (sim::StatementLine& line : sim::statement_lines(program))
            if (line.statement >= 0) lines_.emplace(line.statement, std::move(line.text));
        if (lowered != nullptr) note_instructions(lowered->program.body);
    }

    MovementPicture make()
    {
        out_.title = program_->name + " on " + program_->machine.name;
        const std::int64_t devices = program_->machine.scopes.empty() ? 1 : program_->machine.scopes[0].count;
        if (devices > 1) out_.title += ", " + count_words(devices, "device");
        choose_memories(devices);
        walk(program_->body, 0);
        return std::move(out_);
    }

  private:
    struct Texts {
        std::vector<std::string> texts{};
        bool across = false;
    };

    /// May it access another device's memory?
    static bool goes_across(const Instruction& i)
    {
        return i.opcode.rfind("peer_", 0) == 0 ||
               std::any_of(i.operands.begin(), i.operands.end(), [](const Access& a) { return a.view.remote; });
    }
    void note_instructions(const Body& body)
    {
        for_each_statement(body, [&](const Statement& s) {
            const auto* i = std::get_if<Instruction>(&s.what);
            if (i == nullptr) return;
            Texts& t = instructions_[s.id];
            const std::string& text = i->text.empty() ? i->opcode : i->text;
            if (std::find(t.texts.begin(), t.texts.end(), text) == t.texts.end()) t.texts.push_back(text);
            t.across = t.across || goes_across(*i);
        });
    }

    /// Those in which a statement touches something, global memory first, accumulators last.
    void choose_memories(std::int64_t devices)
    {
        std::vector<const Memory*> used;
        for_each_statement(program_->body, [&](const Statement& s) {
            for (const View& v : views_of(s)) {
                if (!is_there(v)) continue;
                const Memory* m = find_memory(program_->machine, tensor_of(*program_, v).memory.c_str());
                if (m != nullptr && std::find(used.begin(), used.end(), m) == used.end()) used.push_back(m);
            }
        });
        const auto rank = [](const Memory* m) {
            for (const Role role : {Role::global, Role::shared, Role::registers, Role::accumulator})
                if (m->roles.has(role)) return static_cast<int>(role);
            return 4;
        };
        std::sort(used.begin(), used.end(), [&](const Memory* a, const Memory* b) {
            return rank(a) != rank(b) ? rank(a) < rank(b)
                                      : a - program_->machine.memories.begin() < b - program_->machine.memories.begin();
        });
        for (const Memory* m : used) {
            const bool of_devices = scope_index(program_->machine, m->owner) == 0;
            out_.memories.push_back({m->name, of_devices && devices > 1 ? "each of " + count_words(devices, "device")
                                                                        : std::string("each ") + m->owner});
        }
    }
    [[nodiscard]] bool is_there(const View& v) const
    {
        return v.tensor >= 0 && static_cast<std::size_t>(v.tensor) < program_->tensors.size();
    }
    /// Destination first; none of a statement that moves nothing.
    static std::vector<View> views_of(const Statement& s)
    {
        const auto* o = std::get_if<Operation>(&s.what);
        if (o != nullptr && !(o->op == Op::prefetch)) return o->operands;
        std::vector<View> out;
        if (const auto* i = std::get_if<Instruction>(&s.what); i != nullptr && !i->reads_only)
            for (const Access& a : i->operands) out.push_back(a.view);
        return out;
    }

    /// How many of its operands it writes, the first ones; the first is drawn as the destination.
    static std::size_t written_by(const Statement& s)
    {
        const auto* i = std::get_if<Instruction>(&s.what);
        const auto* o = std::get_if<Operation>(&s.what);
        return static_cast<std::size_t>(i != nullptr ? i->written : o != nullptr ? written_count(*o) : 1);
    }

    /// The end of an arrow; its tensor is entered when it is met first. Tensor −1 where its memory is not a memory of the machine.
    MovementEnd end_of(const View& v)
    {
        MovementEnd end{-1, print(*program_, v)};
        if (!is_there(v)) return end;
        const auto known = places_.find(v.tensor);
        if (known != places_.end()) return end.tensor = known->second, end;
        const ProgramTensor& t = tensor_of(*program_, v);
        MovementTensor entry;
        for (std::size_t m = 0; m < out_.memories.size(); ++m)
            if (out_.memories[m].name == t.memory) entry.memory = static_cast<int>(m);
        if (entry.memory < 0) return end;
        entry.name = t.name;
        entry.type = type_text(t.dtype, t.shape);
        entry.binding = t.binding;
        // Lowering keeps the tensors' places and adds temporaries behind.
        const auto place = static_cast<std::size_t>(v.tensor);
        const bool lowered =
            lowered_ != nullptr && place < lowered_->program.tensors.size() && lowered_->program.tensors[place].name == t.name;
        const ProgramTensor& laid = lowered ? lowered_->program.tensors[place] : t;
        constexpr const char* hints[] = {"", "conflict_free", "operand_a", "operand_b", "accumulator", "registers"};
        entry.layout = laid.hint != LayoutHint::none   ? std::string("hint ") + hints[static_cast<int>(laid.hint)]
                       : laid.layout.swizzle.bits == 0 ? std::string(print(laid.layout.layout).c_str())
                                                       : std::string(print(laid.layout).c_str());
        end.tensor = static_cast<int>(out_.tensors.size());
        places_.emplace(v.tensor, end.tensor);
        out_.tensors.push_back(std::move(entry));
        return end;
    }

    void walk(const Body& body, int depth)
    {
        for (const Statement& s : body) {
            if (std::holds_alternative<Alloc>(s.what)) continue;
            MovementStep step;
            step.statement = s.id;
            step.depth = depth;
            step.faulty = report_ != nullptr && report_->fault.found() && report_->fault.statement == s.id;
            const std::vector<View> views = views_of(s);
            if (views.empty()) {
                const auto line = lines_.find(s.id);
                step.words = line == lines_.end() ? "?" : line->second;
            } else {
                name_step(s, step);
                for (std::size_t i = std::max<std::size_t>(1, written_by(s)); i < views.size(); ++i) {
                    MovementEnd source = end_of(views[i]);
                    if (std::find(step.sources.begin(), step.sources.end(), source) == step.sources.end())
                        step.sources.push_back(std::move(source));
                }
                step.destination = end_of(views[0]);
                const auto* o = std::get_if<Operation>(&s.what);
                const bool reads_back = o != nullptr && (o->accumulate || o->op == Op::atomic);
                if (reads_back && std::find(step.sources.begin(), step.sources.end(), *step.destination) == step.sources.end())
                    step.sources.push_back(*step.destination);
                count(s.id, step);
            }
            out_.steps.push_back(std::move(step));
            bool first = true;
            for_each_body(s, [&](const Body& inner) {
                if (!first && !inner.empty()) {
                    out_.steps.push_back({});
                    out_.steps.back().depth = depth;
                    out_.steps.back().words = "else";
                }
                walk(inner, depth + 1);
                first = false;
            });
        }
    }
    void name_step(const Statement& s, MovementStep& step)
    {
        if (const auto* o = std::get_if<Operation>(&s.what)) {
            step.words = name(o->op);
            if (o->function != Function::identity) step.words += std::string(" ") + name(o->function);
            if (o->accumulate) step.words += ", accumulating";
            const auto made = instructions_.find(s.id);
            if (made == instructions_.end()) return;
            step.instructions = made->second.texts;
            step.across_devices = made->second.across;
        } else if (const auto* i = std::get_if<Instruction>(&s.what)) {
            step.words = i->opcode;
            step.instructions = {i->text.empty() ? i->opcode : i->text};
            step.across_devices = goes_across(*i);
        }
    }
    void count(int id, MovementStep& step) const
    {
        if (report_ == nullptr) return;
        const auto found = report_->statements.find(id);
        if (found == report_->statements.end()) return;
        const sim::Counters& c = found->second;
        for (std::string& text : step.instructions) {
            const auto n = c.by_text.find(text);
            if (n != c.by_text.end()) text = sim::format::grouped(n->second) + " × " + text;
        }
        for (const auto& [memory, m] : c.memories) {
            std::string words;
            if (m.bytes_read != 0) words += " " + sim::format::grouped(m.bytes_read) + " B read";
            if (m.bytes_written != 0) words += (words.empty() ? " " : ", ") + sim::format::grouped(m.bytes_written) + " B written";
            if (!words.empty()) step.bytes.push_back(memory + words);
        }
        step.link_bytes = c.link_bytes;
    }

    const Program* program_;
    const Lowered* lowered_;
    const sim::Report* report_;
    std::map<int, std::string> lines_{};
    std::map<int, Texts> instructions_{};
    std::map<int, int> places_{}; ///< of a tensor of the program, among those of the movement
    MovementPicture out_{};
};

} // namespace detail

AXE_DECL MovementPicture movement(const Program& program, const Lowered* lowered, const sim::Report* report)
{
    return detail::MovementMaker(program, lowered, report).make();
}

} // namespace v0
} // namespace axe

#endif
