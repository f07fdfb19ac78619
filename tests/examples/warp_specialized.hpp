// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_EXAMPLES_WARP_SPECIALIZED_HPP
#define AXE_TESTS_EXAMPLES_WARP_SPECIALIZED_HPP

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <tests/examples/performed.hpp>
#include <tests/examples/said_again.hpp>
#include <tests/programs/removals.hpp>
#include <tests/required.hpp>
#include <tests/turns.hpp>

/// What is tested of each example whose warps hand tiles to each other by mbarriers.
namespace warp_specialized {

using performed_examples::performed, performed_examples::Values;

/// The values of a product whose tiles are in tensor memory.
inline Values tile_values(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t tile_n, std::int64_t stages,
                          std::int64_t walk, const char* ctas = "1", const Values& more = {})
{
    Values out;
    for (const auto& [name, value] :
         {std::pair{"M", m}, {"N", n}, {"K", k}, {"tile_n", tile_n}, {"stages", stages}, {"walk", walk}})
        out.push_back({name, std::to_string(value)});
    out.push_back({"ctas", ctas});
    out.insert(out.end(), more.begin(), more.end());
    return out;
}

/// A run of an example without a fault and with the right numbers.
inline examples::Performance check_right(const char* name, const char* machine, const Values& values)
{
    std::string what;
    for (const auto& [parameter, value] : values) what += parameter + "=" + value + " ";
    INFO(what);
    examples::Performance p = performed(name, machine, values);
    INFO(p.report.fault.text << p.verification.text());
    CHECK(p.ok());
    CHECK(std::string(p.verification.word()) == "right");
    return p;
}

/// How often each schedule was chosen.
inline std::map<std::string, int> schedules_of(const examples::Performance& p)
{
    std::map<std::string, int> out;
    for (const axe::Choice& c : p.lowered.choices) ++out[c.schedule];
    return out;
}

/// Why an example is not written with these values.
inline std::string refused(const char* name, const char* machine, const Values& values)
{
    return performed_examples::not_taken(name, machine, values);
}

using performed_examples::check_orders;

/// What an mbarrier is for: "full" or "empty", perhaps with what comes before.
using Names = std::function<std::string(int)>;
/// Rings whose mbarriers follow each other: so many of each name.
inline Names rings(std::vector<std::pair<int, std::string>> of)
{
    return [of = std::move(of)](int id) {
        for (const auto& [count, name] : of)
            if ((id -= count) < 0) return name;
        return std::string("no mbarrier");
    };
}
inline bool is_for_empty(const std::string& name) { return name.find("empty") != std::string::npos; }

/// The mbarrier whose waits are for a parity that changes: made one that never does.
inline bool without_flip(axe::Body& body, const Names& names, int& left, removals::Removal& removal)
{
    for (axe::Statement& s : body) {
        if (auto* m = std::get_if<axe::Mbarrier>(&s.what);
            m != nullptr && m->action == axe::Mbarrier::Action::wait && left-- == 0) {
            removal = {s.id, "phase flip"};
            // The parity of the first round: waits for what is empty begin with 1, those for what is full with 0.
            m->parity = axe::Expression(is_for_empty(names(m->id)) ? 1.0 : 0.0);
            return true;
        }
        if (axe::for_each_body(s, [&](axe::Body& inner) { return without_flip(inner, names, left, removal); })) return true;
    }
    return false;
}

inline std::string kind_of(const axe::Program& program, const removals::Removal& removal, const Names& names)
{
    std::string out = removal.what;
    axe::for_each_statement(program.body, [&](const axe::Statement& s) {
        if (s.id != removal.statement) return;
        if (const auto* m = std::get_if<axe::Mbarrier>(&s.what)) {
            constexpr const char* actions[] = {"init", "arrive", "expect", "wait", "expect_more", "invalidate", "commit"};
            out = (removal.what == "mbarrier" ? "" : removal.what + " of ") + names(m->id) + " " +
                  actions[static_cast<int>(m->action)];
        }
        if (const auto* w = std::get_if<axe::Wait>(&s.what)) {
            constexpr const char* waits[] = {"wait", "wait_sources", "wait_products", "wait_tensor_loads", "wait_tensor_stores"};
            out = waits[static_cast<int>(w->of)];
        }
        if (const auto* f = std::get_if<axe::ProxyFence>(&s.what)) {
            constexpr const char* fences[] = {"proxy fence", "tensor fence before", "tensor fence after"};
            out = fences[static_cast<int>(f->of)];
        }
        if (const auto* b = std::get_if<axe::ClusterBarrier>(&s.what)) {
            constexpr const char* actions[] = {"cluster arrive", "cluster arrive", "cluster wait"};
            out = actions[static_cast<int>(b->action)];
        }
    });
    return out;
}

/// How each barrier, fence, wait, commit, arrival, expectation, guard and phase flip is missed, a line for each kind: "commit: 1 race".
/// Of the kinds `redundant` some may not be missed: "none".
inline std::string without_each(const examples::Performance& whole, const Names& names,
                                const std::vector<std::string>& redundant = {}, bool asks_again = false)
{
    using namespace axe;
    REQUIRE(whole.ok());
    performed_examples::Tally found;
    const Program written = removals::with_chosen_layouts(whole.program, whole.lowered.program);
    const std::string program = print(whole.program);
    for (const bool flips : {false, true})
        for (int number = 0;; ++number) {
            Program less = written;
            removals::Removal removal;
            int left = number;
            if (flips) {
                if (!without_flip(less.body, names, left, removal)) break;
            } else {
                removals::Remover remover(written, number);
                if (!remover.from(less.body)) break;
                removal = remover.removal;
            }
            const std::string what = kind_of(whole.program, removal, names);
            INFO("without statement " << removal.statement << ", " << what << "\n" << program);
            const auto report = removals::run_without(less, whole.inputs, asks_again);
            if (report.ok() && std::find(redundant.begin(), redundant.end(), what) != redundant.end()) {
                ++found[what][sim::name(report.fault.kind)];
                continue;
            }
            CHECK(!report.ok());
            // Two statements, or what no wait, arrival or byte comes for.
            const sim::Fault& f = report.fault;
            CHECK(f.statement >= 0);
            CHECK(f.kind != sim::FaultKind::uninitialized);
            if (f.kind == sim::FaultKind::race || f.kind == sim::FaultKind::proxy) CHECK(f.other_statement >= 0);
            ++found[what][sim::name(f.kind)];
        }
    return performed_examples::text_of(found);
}

/// What a run without one statement of a kind says, how often each, in each of several forms of an example: "1 race". Null: the form has no
/// such statement.
template <int Forms>
struct Missed {
    const char* what;
    const char* how[Forms];
};
/// The lines of one form, as `without_each` has them.
template <int Forms, std::size_t N>
std::string missed_by(const Missed<Forms> (&rows)[N], int form)
{
    std::string out;
    for (const Missed<Forms>& m : rows)
        if (m.how[form] != nullptr) out += std::string(m.what) + ": " + m.how[form] + "\n";
    return out;
}

} // namespace warp_specialized

#endif
