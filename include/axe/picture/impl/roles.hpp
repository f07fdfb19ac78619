// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PICTURE_IMPL_ROLES_HPP
#define AXE_PICTURE_IMPL_ROLES_HPP

#include <axe/picture/impl/svg.hpp>
#include <axe/picture/roles.hpp>
#include <axe/program/walk.hpp>
#include <axe/schedule/block_scopes.hpp>
#include <axe/support/sort.hpp>

#include <map>

namespace axe {
inline namespace v0 {
namespace detail {

/// What roles do, from the program and the trace.
class RoleFinder {
  public:
    RoleFinder(const Program& program, const sim::Trace& trace, int block) : program_(&program), trace_(&trace), block_(block) {}

    RolePicture find()
    {
        out_.title = program_->name + " on " + program_->machine.name;
        visit(program_->body, -1);
        std::vector<RoleRow> sorted;
        std::vector<std::int64_t> ticks;
        for (const int r : order_) {
            take_steps(r, ticks);
            take_flights(r, ticks);
            if (!row(r).steps.empty()) sorted.push_back(std::move(row(r)));
        }
        sort_stably(sorted, [](const RoleRow& a, const RoleRow& b) { return a.steps.front().begin < b.steps.front().begin; });
        std::sort(ticks.begin(), ticks.end());
        ticks.erase(std::unique(ticks.begin(), ticks.end()), ticks.end());
        const auto column = [&](int tick) {
            return static_cast<int>(std::lower_bound(ticks.begin(), ticks.end(), tick) - ticks.begin());
        };
        for (RoleRow& r : sorted)
            for (std::vector<RoleStep>* const all : {&r.steps, &r.flights})
                for (RoleStep& s : *all) s.begin = column(s.begin), s.end = column(s.end);
        out_.columns = std::max(static_cast<int>(ticks.size()) - 1, 0);
        out_.rows = std::move(sorted);
        return std::move(out_);
    }

  private:
    /// What a statement reads and writes, in words and by stages.
    struct Act {
        int row = -1, from = -1, to = -1;
        std::string source{}, target{}, names{};
    };
    RoleRow& row(int r) { return out_.rows[static_cast<std::size_t>(r)]; }

    void visit(const Body& body, int role)
    {
        for (const Statement& s : body) {
            int inside = role;
            if (const auto* slice = std::get_if<Slice>(&s.what); slice != nullptr && !slice->name.empty())
                inside = row_of(slice->name, slice->first);
            if (const auto* i = std::get_if<Instruction>(&s.what); i != nullptr && role >= 0) note(*i, s.id, role);
            for_each_body(s, [&](const Body& inner) { visit(inner, inside); });
        }
    }
    int row_of(const std::string& name, int agent)
    {
        for (const int r : order_)
            if (row(r).name == name && row(r).agent == agent) return r;
        order_.push_back(static_cast<int>(out_.rows.size()));
        RoleRow made;
        made.name = name;
        made.agent = agent;
        out_.rows.push_back(std::move(made));
        return order_.back();
    }
    void note(const Instruction& i, int statement, int role)
    {
        if (i.reads_only) return; // a prefetch, which brings nothing to where an act would show it
        Act act;
        act.row = role;
        std::string from, to;
        for (std::size_t k = 0; k < i.operands.size(); ++k) {
            const View& v = i.operands[k].view;
            const ProgramTensor& t = program_->tensors[static_cast<std::size_t>(v.tensor)];
            const Memory* memory = find_memory(program_->machine, t.memory.c_str());
            if (memory == nullptr || is_private(program_->machine, *memory)) continue;
            std::string& names = k == 0 ? to : from;
            names += (names.empty() ? "" : ", ") + t.name;
            const bool global = memory->roles.has(Role::global);
            const bool staged = !global && !v.origin.empty() && v.origin[0].is_constant() &&
                                std::find(v.dims.begin(), v.dims.end(), 0) == v.dims.end();
            if (staged) (k == 0 ? act.to : act.from) = static_cast<int>(v.origin[0].constant());
            if (k == 0) act.target = staged ? std::to_string(act.to) : t.name;
            if (k > 0 && !global && act.source.empty()) act.source = staged ? std::to_string(act.from) : t.name;
        }
        if (act.source.empty() && act.target.empty()) return;
        act.names = from + (from.empty() ? "→ " : to.empty() ? " →" : " → ") + to;
        acts_.try_emplace(statement, std::move(act));
    }
    /// The steps of a role, at ticks of the trace, which are appended: what its first agent issues between two waits for one and the same.
    void take_steps(int r, std::vector<std::int64_t>& ticks)
    {
        if (trace_->devices() == 0) return;
        bool waited = true;
        const Act* last = nullptr;
        std::vector<std::string> names;
        for (const sim::Trace::Event& e : trace_->events(0)) {
            if (e.block != block_ || e.agent != row(r).agent) continue;
            const auto at = acts_.find(e.statement);
            if (e.kind == sim::Trace::Kind::wait) waited = true;
            if (e.kind != sim::Trace::Kind::instruction || at == acts_.end() || at->second.row != r) continue;
            const Act& act = at->second;
            std::vector<RoleStep>& steps = row(r).steps;
            if (waited || last == nullptr || last->from != act.from || last->to != act.to || last->target != act.target) {
                RoleStep step;
                step.begin = static_cast<int>(e.begin);
                step.from = act.from, step.to = act.to;
                step.text = act.source + (act.source.empty() ? "→ " : act.target.empty() ? " →" : " → ") + act.target;
                steps.push_back(std::move(step));
            }
            waited = false;
            last = &act;
            steps.back().end = static_cast<int>(e.begin + e.length);
            steps.back().detail =
                text_of(e.statement) + ", ticks " + std::to_string(steps.back().begin) + " to " + std::to_string(steps.back().end);
            if (std::find(names.begin(), names.end(), act.names) == names.end()) names.push_back(act.names);
        }
        for (const RoleStep& s : row(r).steps) ticks.insert(ticks.end(), {s.begin, s.end});
        for (const std::string& n : names) row(r).tensors += (row(r).tensors.empty() ? "" : "; ") + n;
    }
    /// What the role's first agent has in flight, at ticks of the trace; what begins together and goes to one stage is one.
    void take_flights(int r, std::vector<std::int64_t>& ticks)
    {
        if (trace_->devices() == 0) return;
        std::vector<RoleStep>& flights = row(r).flights;
        for (const sim::Trace::Flight& f : trace_->flights(0)) {
            const auto at = acts_.find(f.statement);
            if (f.block != block_ || f.agent != row(r).agent || f.end <= f.begin || at == acts_.end() || at->second.row != r)
                continue;
            RoleStep step;
            step.begin = static_cast<int>(f.begin), step.end = static_cast<int>(f.end);
            step.from = at->second.from, step.to = at->second.to;
            step.text = at->second.target.empty() ? at->second.source : at->second.target;
            step.detail = worded("{0} in flight, from {1}, ticks {2} to {3}",
                                 {count_words(f.operations, "operation"), text_of(f.statement), step.begin, step.end});
            if (!flights.empty() && flights.back().begin == step.begin && flights.back().to == step.to) {
                flights.back().end = std::max(flights.back().end, step.end);
                continue;
            }
            flights.push_back(std::move(step));
        }
        for (const RoleStep& s : flights) ticks.insert(ticks.end(), {s.begin, s.end});
    }
    [[nodiscard]] std::string text_of(int statement) const
    {
        const auto id = static_cast<std::size_t>(statement);
        const std::string words = statement >= 0 && id < program_->origins.size() ? program_->origins[id].text : std::string();
        return "statement " + std::to_string(statement) + (words.empty() ? "" : ": " + words);
    }

    const Program* program_;
    const sim::Trace* trace_;
    int block_;
    RolePicture out_{};
    std::vector<int> order_{};
    std::map<int, Act> acts_{};
};

/// Draws roles: a row each, on the left what it is and which tensors it moves.
class RoleDrawing {
  public:
    explicit RoleDrawing(const RolePicture& picture) : p_(picture) {}

    std::string draw()
    {
        std::size_t widest = 4;
        for (const RoleRow& row : p_.rows) {
            widest = std::max(widest, static_cast<std::size_t>(std::max(characters(row.name), characters(row.tensors))));
            for (const RoleStep& s : row.steps) {
                const int columns = std::max(s.end - s.begin, 1);
                column_ = std::max(column_, (label_width(characters(s.text)) + 8 + columns - 1) / columns);
            }
        }
        left_ = picture_margin + label_width(static_cast<int>(widest)) + 16;
        int y = 60;
        for (const RoleRow& row : p_.rows) y = put(row, y);
        return file(y);
    }

  private:
    static constexpr int height = 34, bar = 7; ///< of a row and of what is in flight below it
    static constexpr const char* key =
        "Time goes from left to right in the order of waits and arrivals, not to scale. Numbers are the stages "
        "that a step reads → writes, which also color it. Thin bars are asynchronous operations that the agent has started, up to "
        "the "
        "first wait that sees them complete.";

    int put(const RoleRow& row, int y)
    {
        (body_ << "<text class=\"title ink\" x=\"" << picture_margin << "\" y=\"" << y + 14 << "\">").text(row.name) << "</text>\n";
        (body_ << "<text class=\"ink\" x=\"" << picture_margin << "\" y=\"" << y + 28 << "\">").text(row.tensors) << "</text>\n";
        body_ << "<path class=\"line\" d=\"M" << left_ << " " << y + height / 2 << "H" << left_ + p_.columns * column_ << "\"/>\n";
        for (const RoleStep& s : row.steps) {
            const int stage = s.from >= 0 ? s.from : s.to;
            const Color fill = stage < 0 ? Color{221, 221, 221} : hues[stage % max_hues];
            const int x = left_ + s.begin * column_, width = std::max(s.end - s.begin, 1) * column_;
            (body_ << "<g class=\"label\"><title>").text(s.detail)
                << "</title><rect x=\"" << x << "\" y=\"" << y + 4 << "\" width=\"" << width - 1 << "\" height=\"" << height - 8
                << "\" rx=\"3\" fill=\"" << fill << "\"/>";
            (body_ << "<text x=\"" << x + width / 2 << "\" y=\"" << y + height / 2 + 4 << "\" fill=\"" << text_color(fill) << "\">")
                    .text(s.text)
                << "</text></g>\n";
        }
        return y + height + 8 + put_flights(row, y + height);
    }
    /// Each in the first line that is free. The height of all lines.
    int put_flights(const RoleRow& row, int y)
    {
        std::vector<int> free; // of each line: the first column
        for (const RoleStep& f : row.flights) {
            std::size_t line = 0;
            while (line < free.size() && free[line] > f.begin) ++line;
            if (line == free.size()) free.push_back(0);
            free[line] = f.end;
            const int stage = f.to >= 0 ? f.to : f.from;
            (body_ << "<g class=\"flight\"><title>").text(f.detail)
                << "</title><rect x=\"" << left_ + f.begin * column_ << "\" y=\"" << y + static_cast<int>(line) * bar
                << "\" width=\"" << (f.end - f.begin) * column_ - 1 << "\" height=\"" << bar - 2 << "\" rx=\"2\" fill=\""
                << (stage < 0 ? Color{221, 221, 221} : hues[stage % max_hues]) << "\"/></g>\n";
        }
        return static_cast<int>(free.size()) * bar;
    }
    std::string file(int y)
    {
        const int width = std::max(left_ + p_.columns * column_, 480) + picture_margin;
        Markup lines;
        for (const std::string& part : wrapped(key, (width - 2 * picture_margin) * 10 / 66, 4)) {
            y += 17;
            (lines << "<text class=\"soft\" x=\"" << picture_margin << "\" y=\"" << y << "\">").text(part) << "</text>\n";
        }
        y += picture_margin;
        Markup out;
        out << "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"axe\" role=\"img\" width=\"" << width << "\" height=\"" << y
            << "\" viewBox=\"0 0 " << width << " " << y << "\">\n<title>";
        (out.text("Roles of " + p_.title) << "</title>\n<desc>").text(key) << "</desc>\n";
        put_style(out);
        (out << "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n<text class=\"head ink\" x=\"" << picture_margin
             << "\" y=\"32\">")
                .text(p_.title)
            << "</text>\n"
            << body_.str() << lines.str() << "</svg>\n";
        return out.str();
    }

    const RolePicture& p_;
    int left_ = 0, column_ = 12;
    Markup body_{};
};

} // namespace detail

AXE_DECL RolePicture roles(const Program& lowered, const sim::Trace& trace, int block)
{
    return detail::RoleFinder(lowered, trace, block).find();
}
AXE_DECL std::string draw(const RolePicture& picture) { return detail::RoleDrawing(picture).draw(); }

} // namespace v0
} // namespace axe

#endif
