// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/defects/harness.hpp>

/// Registers that one warpgroup gives back and others take.
namespace {

using namespace defects;

enum class RegisterSlip {
    none,
    no_decrease,
    small_decrease,
    no_increase,
    decrease_above,
    increase_below,
    one_agent_less,
    other_statement,
    no_sync,
    live_tensor
};

constexpr int elements_of_many = 8 * 200; ///< of each agent 200, which one lane has

/// A warpgroup keeps 24 of 168 registers, in two steps, and two others have 232, of which a tensor takes 200.
Pair handed_over(RegisterSlip slip)
{
    Pair p{machines::sm90, {}, {{"A", [](std::int64_t i) { return static_cast<double>(i % 97); }}}, {}};
    p.wanted["C"] = p.given["A"];
    p.wanted["D"] = [](std::int64_t) { return 3.0; };
    p.write = [slip](Kernel& k, bool defect, Marks& marks) {
        const auto is = [&](RegisterSlip s) { return defect && s == slip; };
        const auto A = k.input("A", {elements_of_many}, f32), C = k.output("C", {elements_of_many}, f32),
                   D = k.output("D", {4 * 48}, f32);
        k.thread_registers(168);
        const auto odd = k.scalar("odd");
        one_block(k, 12, [&](Scope cta) {
            int first = -1, again = -1, taken = -1, read = -1, other = -1;
            cta.warpgroups(0, 1, "producer", [&](Scope w) {
                const auto few = w.alloc(Role::registers, {4 * 48}, f32, "(4,48):(1@warp,1@reg)"_axe, "few");
                w.warps(1, 1, [&](Scope one) { one.assign(odd, 1); });
                w.fill(few, 3);
                if (!is(RegisterSlip::live_tensor)) w.copy(D, few);
                first = next(k);
                if (is(RegisterSlip::one_agent_less))
                    w.when(equals(odd, 0), [&] { w.decrease_registers(40); }), ++first;
                else if (is(RegisterSlip::other_statement)) {
                    w.when(equals(odd, 0), [&] { w.decrease_registers(40); }, [&] { w.decrease_registers(40); });
                    other = first + 1;
                } else if (!is(RegisterSlip::no_decrease))
                    w.decrease_registers(is(RegisterSlip::decrease_above) ? 176 : is(RegisterSlip::small_decrease) ? 56 : 40);
                if (is(RegisterSlip::live_tensor)) w.copy(D, few);
                if (!is(RegisterSlip::no_sync)) w.sync();
                again = next(k);
                if (is(RegisterSlip::none) || is(RegisterSlip::no_sync) || !defect) w.decrease_registers(24);
            });
            cta.warpgroups(1, 2, "consumers", [&](Scope w) {
                const auto many = w.alloc(Role::registers, {elements_of_many}, f32, "(8,200):(1@warp,1@reg) + 4@warp"_axe, "many");
                taken = next(k);
                if (!is(RegisterSlip::no_increase))
                    w.increase_registers(is(RegisterSlip::increase_below) ? 160 : is(RegisterSlip::one_agent_less) ? 208 : 232);
                read = next(k);
                w.copy(many, A).copy(C, many);
            });
            switch (slip) {
            case RegisterSlip::no_decrease:
            case RegisterSlip::small_decrease:
            case RegisterSlip::increase_below: marks.at = taken; break;
            case RegisterSlip::no_increase: marks.at = read; break;
            case RegisterSlip::decrease_above:
            case RegisterSlip::one_agent_less:
            case RegisterSlip::live_tensor: marks.at = first; break;
            case RegisterSlip::other_statement: marks = {other + 1, other}; break;
            case RegisterSlip::no_sync: marks = {again, first}; break;
            case RegisterSlip::none: break;
            }
        });
    };
    return p;
}

} // namespace

TEST_CASE("register counts: a warpgroup gives registers back, and others have more")
{
    check_sound(handed_over(RegisterSlip::none));
}

TEST_CASE("register counts: more than the pool ever has is a deadlock")
{
    check_fault(handed_over(RegisterSlip::no_decrease), FaultKind::deadlock,
                {"for 232 registers for each thread; it has 168, and the block's pool 0", "agent 4 (consumers)"});
    // 4 warps give 112·32 back, of which each of 8 takes 64·32: seven of them have theirs
    check_fault(handed_over(RegisterSlip::small_decrease), FaultKind::deadlock,
                {"for 232 registers for each thread; it has 168, and the block's pool 0", "agent 11 (consumers)"});
}

TEST_CASE("register counts: tensors in registers fit what their warpgroup has")
{
    check_fault(handed_over(RegisterSlip::no_increase), FaultKind::capacity,
                {"tensors take 200 registers of each thread of agent 4 here, which has 168: many 200"});
    check_fault(handed_over(RegisterSlip::live_tensor), FaultKind::capacity,
                {"tensors take 48 registers of each thread of agent 0 here, which has 40: few 48"});
}

TEST_CASE("register counts: a decrease is not above the present count, an increase not below")
{
    check_fault(handed_over(RegisterSlip::decrease_above), FaultKind::capacity,
                {"agent 0 has 168 registers for each thread; a decrease is to at most as many, not to 176"});
    check_fault(handed_over(RegisterSlip::increase_below), FaultKind::capacity,
                {"agent 4 has 168 registers for each thread; an increase is to at least as many, not to 160"});
}

TEST_CASE("register counts: all agents of a warpgroup change it in one statement, and synchronize before the next")
{
    check_fault(handed_over(RegisterSlip::one_agent_less), FaultKind::divergence,
                {"the block ends, and agent 1 has not changed its registers here, as others of its warpgroup have"});
    check_fault(handed_over(RegisterSlip::other_statement), FaultKind::divergence,
                {"agent 1 changes its registers here; another agent of its warpgroup has in statement"});
    check_fault(handed_over(RegisterSlip::no_sync), FaultKind::divergence,
                {"agent 0 changes its registers again; nothing orders this after agent 1 has changed its own in statement"});
}
