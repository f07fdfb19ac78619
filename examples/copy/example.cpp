// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One copy said twice: by what each thread does, and by what all threads do together.      [Axe 3.1]
#include "../common/example.hpp"

#include <axe/program/walk.hpp>

namespace examples {
namespace {

using namespace axe;
using namespace axe::literals;
using enum axe::DType;

/// As CuTe has it: thread (i, j) of 16×8 moves two vectors of four, in rows i and i + 16, from column 4j on.
void by_each_thread(Scope cta, const ViewRef& out, const ViewRef& in)
{
    cta.each_thread({16, 8}, [&](Scope thread, const std::vector<Affine>& at) {
        const auto r = thread.alloc(Role::registers, {2, 4}, f32, {}, "r");
        const Interval columns(at[1] * 4, 4);
        for (const int k : {0, 1}) thread.copy(r(k, all), in(at[0] + 16 * k, columns));
        for (const int k : {0, 1}) thread.copy(out(at[0] + 16 * k, columns), r(k, all));
    });
}

/// As Triton has it: the block copies a tile into registers whose layout says which thread has what. Row 16k + 4w + l/8 is in
/// warp w; of its 32 columns lane l has four from 4(l mod 8) on.
void by_the_block(Scope cta, const ViewRef& out, const ViewRef& in)
{
    const auto r = cta.alloc(Role::registers, {32, 32}, f32, "(2,4,4,8,4):(4@reg,1@warp,8@lane,1@lane,1@reg)"_axe, "r");
    cta.copy(r, in);
    cta.copy(out, r);
}

Result<Program, axe::Problem> kernel(const Machine& machine, bool threads)
{
    Kernel k("copy", machine);
    const auto in = k.input("in", {32, 32}, f32), out = k.output("out", {32, 32}, f32);
    k.computes(out, in);
    k.cta(tiles(in, {32, 32}),
          [&](Scope cta, const Tile&) { threads ? by_each_thread(cta, out, in) : by_the_block(cta, out, in); });
    return k.program();
}

Result<Program, axe::Problem> copy_program(const Setting& setting)
{
    return kernel(setting.machine, setting.word("view") == "thread");
}

/// Where an element of a view lies.
std::string place(const Program& p, const View& v, std::int64_t element)
{
    std::vector<std::int64_t> at;
    for (const Affine& origin : v.origin) at.push_back(origin.constant());
    for (int d = v.rank(); d-- > 0; element /= v.extents[d])
        if (v.dims[d] >= 0) at[static_cast<std::size_t>(v.dims[d])] += element % v.extents[d] * v.steps[d];
    const ProgramTensor& t = p.tensors[static_cast<std::size_t>(v.tensor)];
    Coord coord;
    for (const std::int64_t i : at) coord.push_back(i);
    return t.memory + print(*evaluate(t.layout.layout, t.shape, coord)).c_str();
}

/// What each lane does in each issue of each instruction of a body: "ld.global.v4.b32 warp 0 lane 5: reg{…} gmem{m:20} …".
void append_issues(const Program& p, const Body& body, std::vector<std::string>& out)
{
    for_each_statement(body, [&](const Statement& s) {
        const auto* instruction = std::get_if<Instruction>(&s.what);
        if (instruction == nullptr) return;
        const Distribution& first = *instruction->operands.front().distribution;
        for (int issue = 0; issue < first.issues; ++issue)
            for (int agent = 0; agent < first.agents; ++agent)
                for (int lane = 0; lane < first.lanes; ++lane) {
                    std::string line = instruction->text + " warp " + std::to_string(instruction->first_agent + agent) + " lane " +
                                       std::to_string(lane) + ":";
                    for (const Access& access : instruction->operands)
                        for (int e = 0; e < access.distribution->vector; ++e)
                            line += " " + place(p, access.view,
                                                access.distribution->element[access.distribution->at(issue, agent, lane, e)]);
                    out.push_back(std::move(line));
                }
    });
}

Result<Conclusion, axe::Problem> copy_conclusion(const Setting& setting, const Ending& end)
{
    const bool threads = setting.word("view") == "thread";
    const auto other = kernel(setting.machine, !threads);
    if (!other) return other.error();
    const auto lowered = lower(*other);
    if (!lowered) return lowered.error();
    std::vector<std::string> mine, theirs;
    append_issues(end.lowered.program, end.lowered.program.body, mine);
    append_issues(lowered->program, lowered->program.body, theirs);
    Conclusion out;
    out.ok = mine == theirs;
    const std::string count = std::to_string(mine.size());
    out.lines.push_back(std::string("the same copy, said by what ") + (threads ? "the block does" : "each thread does") + ": " +
                        (out.ok ? "equal, all " + count + " moves of lanes, their elements and registers"
                                : "not equal: " + count + " moves of lanes against " + std::to_string(theirs.size())));
    if (!mine.empty()) out.lines.push_back("    " + mine[std::min<std::size_t>(5, mine.size() - 1)]);
    if (!theirs.empty()) out.lines.push_back("    " + theirs[std::min<std::size_t>(5, theirs.size() - 1)]);
    return out;
}

} // namespace

const Example copy{"copy",
                   "a 32×32 region moved by 128 threads, said thread by thread and all together",
                   {{"view", "block", "who is told what to do: each thread, or the block", 0, {"block", "thread"}}},
                   {"sm80", "sm90"},
                   {1},
                   copy_program,
                   made_inputs,
                   copy_conclusion};

} // namespace examples
