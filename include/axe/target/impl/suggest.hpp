// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_IMPL_SUGGEST_HPP
#define AXE_TARGET_IMPL_SUGGEST_HPP

#include <axe/program/print.hpp>
#include <axe/program/validate.hpp>
#include <axe/program/walk.hpp>
#include <axe/schedule/lower.hpp>
#include <axe/sim/run.hpp>
#include <axe/support/sort.hpp>
#include <axe/target/impl/missing_arrival.hpp>
#include <axe/target/suggest.hpp>

#include <algorithm>
#include <chrono>

namespace axe {
inline namespace v0 {
namespace detail {

/// Looks for a barrier, a wait, a fence or an arrival that repairs a program.
class Repair {
  public:
    Repair(const Program& program, const Target& target, const Bindings& inputs, const SuggestOptions& options)
        : program_(program), target_(target), inputs_(inputs), options_(options), begin_(Clock::now())
    {
    }

    std::optional<Suggestion> find(const sim::Fault& fault)
    {
        if (fault.kind == sim::FaultKind::deadlock)
            if (auto found = find_arrival(fault)) return found;
        std::vector<Step> first, second; // from the statement to the outermost body
        if (fault.statement >= 0) find_path(program_.body, fault.statement, {}, first);
        if (fault.other_statement >= 0) find_path(program_.body, fault.other_statement, {}, second);
        const bool fences = fault.kind == sim::FaultKind::proxy; // which are needed where the first access is
        if (fences) std::swap(first, second);
        for (const auto* steps : {&first, &second})
            for (std::size_t height = 0; height < steps->size(); ++height) {
                const Step& s = (*steps)[height];
                if (fences) note({s.path, s.at + 1, height, true});
                note({s.path, s.at, height, false});
                note({s.path, s.at + 1, height, true});
                note({s.path, body_of(program_.body, s.path)->size(), height, true});
            }
        note_between(first, second);
        // Innermost first: what is around comes after what is in it, of both statements.
        sort_stably(places_, [](const Place& a, const Place& b) { return a.height < b.height; });
        const bool waits = fault.kind == sim::FaultKind::async_unfinished || fault.kind == sim::FaultKind::async_source;
        const std::vector<Kind> kinds = fences  ? std::vector<Kind>{Kind::fence}
                                        : waits ? std::vector<Kind>{Kind::wait, Kind::wait_barrier, Kind::barrier}
                                                : std::vector<Kind>{Kind::barrier, Kind::wait, Kind::wait_barrier};
        for (const Kind kind : kinds)
            for (const Place& place : places_) {
                if (tries_ == options_.most_tries || elapsed() > options_.seconds) return {};
                Program with = program_;
                if (!insert(with, place, kind) || !runs(with)) continue;
                return Suggestion{hint(place, kind), std::move(with), tries_};
            }
        return {};
    }

  private:
    using Clock = std::chrono::steady_clock;
    enum class Kind { barrier, wait, wait_barrier, fence };
    using Path = StatementPath;
    struct Step {
        Path path{};
        std::size_t at = 0; ///< the statement in the body
    };
    struct Place {
        Path path{};
        std::size_t at = 0;     ///< before the statement of that place
        std::size_t height = 0; ///< bodies between this one and the statement that the fault names
        bool after = false;     ///< of the words for it: after the statement before
    };

    /// An arrival at an mbarrier that agents wait for.
    std::optional<Suggestion> find_arrival(const sim::Fault& fault)
    {
        const int most = (options_.most_tries + 1) / 2; // the rest is for barriers and waits
        for (const MissingArrival& missing : MissingArrivals(program_, fault).find()) {
            if (tries_ >= most || elapsed() > options_.seconds) return {};
            Program with = program_;
            Body& body = *body_of(with.body, missing.path);
            body.insert(body.begin() + static_cast<std::ptrdiff_t>(missing.after) + 1,
                        {with.statements++, Mbarrier{Mbarrier::Action::arrive, missing.id, 0, {}}});
            if (!runs(with)) continue;
            const Statement& beside = (*body_of(program_.body, missing.path))[missing.after];
            return Suggestion{"hint: " +
                                  worded("add `mbarrier {0} arrive` by {1} after statement {2}: {3}{4}; the run then has no fault",
                                         {missing.id, missing.who, beside.id, print(program_, beside), line_of(beside)}),
                              std::move(with), tries_};
        }
        return {};
    }

    [[nodiscard]] double elapsed() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

    /// Where the statement of that number is, and what is around it. False where it is not within the body.
    static bool find_path(const Body& body, int id, const Path& path, std::vector<Step>& out)
    {
        for (std::size_t i = 0; i < body.size(); ++i) {
            int which = 0;
            const bool here = body[i].id == id || for_each_body(body[i], [&](const Body& inner) {
                                  Path further = path;
                                  further.emplace_back(i, which++);
                                  return find_path(inner, id, further, out);
                              });
            if (!here) continue;
            out.push_back({path, i});
            return true;
        }
        return false;
    }
    /// The places between the two statements, in the innermost body that has both.
    void note_between(const std::vector<Step>& first, const std::vector<Step>& second)
    {
        for (std::size_t a = 0; a < first.size(); ++a)
            for (std::size_t b = 0; b < second.size(); ++b) {
                if (first[a].path != second[b].path) continue;
                const auto [begin, end] = std::minmax(first[a].at, second[b].at);
                for (std::size_t at = end; at > begin + 1; --at) note({first[a].path, at - 1, std::max(a, b), true});
                return;
            }
    }
    void note(Place place)
    {
        const auto same = [&](const Place& p) { return p.path == place.path && p.at == place.at; };
        if (std::none_of(places_.begin(), places_.end(), same)) places_.push_back(std::move(place));
    }

    /// The body of a place, in a program that is like this one.
    template <class AnyBody>
    static AnyBody* body_of(AnyBody& outermost, const Path& path)
    {
        AnyBody* body = &outermost;
        for (const auto& step : path) { // a statement of the body, and which of its bodies; clang 14 captures no parts of it
            AnyBody* inner = nullptr;
            int n = 0;
            for_each_body((*body)[step.first], [&](AnyBody& b) {
                if (n++ == step.second) inner = &b;
            });
            body = inner;
        }
        return body;
    }
    static bool insert(Program& program, const Place& place, Kind kind)
    {
        Body* body = body_of(program.body, place.path);
        if (body == nullptr || place.at > body->size()) return false;
        Body added;
        if (kind == Kind::fence) added.push_back({program.statements++, ProxyFence{}});
        if (kind == Kind::wait || kind == Kind::wait_barrier) added.push_back({program.statements++, Wait{0}});
        if (kind == Kind::barrier || kind == Kind::wait_barrier) added.push_back({program.statements++, Barrier{}});
        body->insert(body->begin() + static_cast<std::ptrdiff_t>(place.at), added.begin(), added.end());
        return true;
    }
    bool runs(const Program& program)
    {
        if (!validate(program).empty()) return false;
        const auto lowered = lower(program, target_);
        if (!lowered) return false;
        ++tries_;
        sim::RunOptions run;
        run.counters = false;
        run.most_steps = options_.most_steps;
        run.progress = [this](std::int64_t, std::int64_t) { return elapsed() <= options_.seconds; };
        const auto report = sim::run(lowered->program, target_, inputs_, run);
        return report.has_value() && report->ok();
    }
    [[nodiscard]] std::string hint(const Place& place, Kind kind) const
    {
        const Body& body = *body_of(program_.body, place.path);
        const Statement& beside = body[place.after ? place.at - 1 : place.at];
        constexpr const char* calls[] = {"sync()", "wait(0)", "wait(0).sync()", "proxy_fence()"};
        const char* add = calls[static_cast<int>(kind)];
        return "hint: " + worded("add `{0}` {1} statement {2}: {3}{4}; the run then has no fault",
                                 {add, place.after ? "after" : "before", beside.id, print(program_, beside), line_of(beside)});
    }
    [[nodiscard]] std::string line_of(const Statement& s) const
    {
        const std::string line = origin_of(program_, s.id).line.text();
        return line.empty() ? "" : " (" + line + ")";
    }

    const Program& program_;
    const Target& target_;
    const Bindings& inputs_;
    SuggestOptions options_;
    Clock::time_point begin_;
    std::vector<Place> places_{};
    int tries_ = 0;
};

} // namespace detail

AXE_DECL std::optional<Suggestion> suggest(const Program& program, const Target& target, const Bindings& inputs,
                                           const sim::Fault& fault, const SuggestOptions& options)
{
    using sim::FaultKind;
    switch (fault.kind) {
    case FaultKind::race:
    case FaultKind::uninitialized:
    case FaultKind::transaction:
    case FaultKind::async_source:
    case FaultKind::async_unfinished:
    case FaultKind::divergence:
    case FaultKind::deadlock:
    case FaultKind::proxy:
    case FaultKind::replica: return detail::Repair(program, target, inputs, options).find(fault);
    default: return {};
    }
}

} // namespace v0
} // namespace axe

#endif
