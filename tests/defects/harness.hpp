// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_DEFECTS_HARNESS_HPP
#define AXE_TESTS_DEFECTS_HARNESS_HPP

#include <axe/program/kernel.hpp>
#include <axe/sim/bindings.hpp>
#include <axe/sim/report/counters.hpp>
#include <axe/sim/report/fault.hpp>
#include <axe/target/machines.hpp>
#include <axe/text/literals.hpp>

#include <catch.hpp>
#include <map>
#include <memory>
#include <set>
#include <tests/one_block.hpp>
#include <tests/required.hpp>
#include <tests/turns.hpp>

/// Programs with one defect each, beside their twins without it.
///
/// A program is written once, by a function that is told whether to write the defect, so that the two differ in what stands under
/// that condition and in nothing else. The twin must be well-formed and run to its end with every check, with the result it should
/// have; the defective one must end in the fault that it was given, at the statement where it is.
namespace defects {

using namespace axe;
using namespace axe::literals;
using enum axe::DType;
using sim::FaultKind;

/// What came of a program.
struct Found {
    std::vector<std::string> malformed{}; ///< what `validate` says
    errc refused = errc::ok;              ///< why it was not lowered, or did not begin
    sim::Fault fault{};
    std::string text{}; ///< of the refusal, or of the fault
    Bindings outputs{};
    sim::Counters total{};
    std::map<int, sim::Counters> statements{};
    [[nodiscard]] bool ended() const noexcept { return refused == errc::ok && !fault.found(); }
};

/// A program validated, lowered and made ready, for runs in many orders. Lowering puts barriers between engines, so a program of
/// instructions may be run as it is. Compiled in a file of its own, since schedules and simulator are most of what there is to compile.
class Ready {
  public:
    struct Parts;
    Ready(const Program& program, Bindings inputs, bool as_it_is = false);
    Found run(const sim::RunOptions& options = {}) const;

  private:
    std::shared_ptr<Parts> parts_;
    Bindings inputs_;
};
/// One run of it.
Found find(const Program& program, const Bindings& inputs, const sim::RunOptions& options = {}, bool as_it_is = false);
/// Compares with the reference, naive loops over the operators: "" where all outputs are right, else what is wrong.
std::string verified(const Program& program, const Bindings& inputs, const Bindings& outputs);

/// The statements that a fault is to name.
struct Marks {
    int at = -1, other = -1;
};
/// The number that the next statement will have.
inline int next(const Kernel& k) { return k.program().value().statements; }

using Numbers = std::function<double(std::int64_t)>;

struct Pair {
    Machine machine{};
    std::function<void(Kernel&, bool, Marks&)> write{};
    std::map<std::string, Numbers> given{};  ///< element i of each input
    std::map<std::string, Numbers> wanted{}; ///< element i of each output; of those not named here anything may be
    bool as_it_is = false;                   ///< not lowered
};

inline Bindings inputs_of(const Program& program, const std::map<std::string, Numbers>& given)
{
    Bindings inputs;
    for (const ProgramTensor& t : program.tensors) {
        if (t.binding != Binding::input && t.binding != Binding::inout) continue;
        INFO(t.name);
        REQUIRE(given.count(t.name) == 1);
        Array a = Array::make(t.shape, t.dtype).value();
        for (std::int64_t i = 0; i < a.size(); ++i) a.set(i, given.at(t.name)(i));
        inputs.set(t.name, std::move(a));
    }
    return inputs;
}

/// How many elements are not as wanted.
inline std::int64_t wrong(const Pair& pair, const Bindings& outputs)
{
    std::int64_t count = 0;
    for (const auto& [name, number] : pair.wanted) {
        const Array* a = outputs.find(name);
        REQUIRE(a != nullptr);
        for (std::int64_t i = 0; i < a->size(); ++i) count += a->at(i) != number(i) ? 1 : 0;
    }
    return count;
}

inline Ready ready(const Pair& pair, bool defect, Marks& marks)
{
    Kernel k(defect ? "defective" : "sound", pair.machine);
    pair.write(k, defect, marks);
    const auto program = required(k.program());
    return Ready(*program, inputs_of(*program, pair.given), pair.as_it_is);
}
inline Found find(const Pair& pair, bool defect, Marks& marks, const sim::RunOptions& options = {})
{
    return ready(pair, defect, marks).run(options);
}

/// The twin: well-formed, without a fault, right, at both levels and however the block's agents are interleaved.
inline void check_sound(const Pair& pair)
{
    Marks marks;
    const Ready twin = ready(pair, false, marks);
    for (const sim::Level level : {sim::Level::full, sim::Level::fast})
        turns::each([&](sim::RunOptions options) {
            options.level = level;
            const Found f = twin.run(options);
            INFO(f.text);
            CHECK(f.malformed == std::vector<std::string>{});
            REQUIRE(f.ended());
            CHECK(wrong(pair, f.outputs) == 0);
        });
}

/// The words that are not in the text.
inline std::vector<std::string> missing(const std::string& text, const std::vector<std::string>& words)
{
    std::vector<std::string> out;
    for (const std::string& w : words)
        if (text.find(w) == std::string::npos) out.push_back(w);
    return out;
}

/// Twin without, defective one with this fault, at the marked statement, in these words.
///
/// @param in_other_orders what else the fault is, in one order of blocks and agents or another: which of two accesses comes first, and so
///        what their fault is called, depends on the order; and what is waited for in the wrong phase shows as what comes of it first
inline Found check_fault(const Pair& pair, FaultKind kind, const std::vector<std::string>& words,
                         const sim::RunOptions& options = {}, const std::vector<FaultKind>& in_other_orders = {})
{
    check_sound(pair);
    Marks marks;
    const Ready defective = ready(pair, true, marks);
    Found f = defective.run(options);
    INFO(f.text);
    CHECK(f.refused == errc::ok);
    CHECK(std::string(name(f.fault.kind)) == name(kind));
    CHECK(f.fault.statement == marks.at);
    if (marks.other >= 0) CHECK(f.fault.other_statement == marks.other);
    if (marks.at >= 0) CHECK(missing(f.text, {"defective, statement " + std::to_string(marks.at)}) == std::vector<std::string>{});
    CHECK(missing(f.text, words) == std::vector<std::string>{});
    std::set<std::string> found, wanted{name(kind)};
    for (const FaultKind other : in_other_orders) wanted.insert(name(other));
    turns::each([&](const sim::RunOptions& in_turns) { found.insert(name(defective.run(in_turns).fault.kind)); }, options);
    CHECK(found == wanted);
    return f;
}

/// The defective one does not begin, for this reason.
inline Found check_refused(const Pair& pair, errc code, const std::vector<std::string>& words)
{
    check_sound(pair);
    Marks marks;
    Found f = find(pair, true, marks);
    INFO(f.text << " / fault " << name(f.fault.kind));
    CHECK(f.refused == code);
    if (marks.at >= 0) CHECK(missing(f.text, {"statement " + std::to_string(marks.at)}) == std::vector<std::string>{});
    CHECK(missing(f.text, words) == std::vector<std::string>{});
    return f;
}

/// The defective one runs to its end, and what it gives is not what it should be.
inline Found check_wrong(const Pair& pair)
{
    check_sound(pair);
    Marks marks;
    Found f = find(pair, true, marks);
    INFO(f.text);
    REQUIRE(f.ended());
    CHECK(wrong(pair, f.outputs) > 0);
    return f;
}

/// An operand of an instruction written by hand: `element(issue, agent, lane, e)` is the row-major number of the view's element, −1 for
/// none.
inline Access taken(const ViewRef& view, int issues, int agents, int lanes, int vector,
                    const std::function<int(int, int, int, int)>& element)
{
    auto p = std::make_shared<Distribution>(Distribution{issues, agents, lanes, vector, {}});
    for (int i = 0; i < issues; ++i)
        for (int a = 0; a < agents; ++a)
            for (int l = 0; l < lanes; ++l)
                for (int e = 0; e < vector; ++e) p->element.push_back(element(i, a, l, e));
    return {view.view(), std::move(p)};
}

inline Instruction instruction(std::string opcode, std::vector<Access> operands, int agents = 1, int first_agent = 0)
{
    Instruction out;
    out.text = opcode;
    out.opcode = std::move(opcode);
    out.operands = std::move(operands);
    out.agents = agents;
    out.first_agent = first_agent;
    return out;
}

/// Element i is held by thread i = 32·warp + lane of four warps; and the same from the last warp to the first.
inline constexpr Layout threads = "(4,32):(1@warp,1@lane)"_axe;
inline constexpr Layout warps_reversed = "(4,32):(-1@warp,1@lane) + 3@warp"_axe;
inline constexpr Layout lanes = "32:1@lane"_axe;
inline constexpr Layout lanes_reversed = "32:-1@lane + 31@lane"_axe;
/// Copies in which lane l takes element l, rather than a vector of several.
inline const Options single{.schedule = {}, .vector_bytes = 4};

inline double counted(std::int64_t i) { return static_cast<double>(i); }

} // namespace defects

#endif
