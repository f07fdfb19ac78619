// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <catch.hpp>
#include <tests/programs/random_programs.hpp>
#include <tests/programs/removals.hpp>
#include <tests/programs/trial.hpp>

#include <axe/sim/compile.hpp>
#include <axe/sim/report/trace.hpp>

/// Random programs, complete and with one barrier, wait or guard less: a run is the same on any number of the host's threads, and the
/// same as one whose blocks have their records in the device's own shadow, one block after the other.

using namespace programs;

namespace {

struct Count {
    Int programs = 0, shared = 0, faults = 0; ///< shared: with a grid whose blocks threads share
};

std::string difference(const axe::sim::Report& a, const axe::sim::Report& b)
{
    if (a.fault.kind != b.fault.kind || a.fault.text != b.fault.text || a.fault.statement != b.fault.statement ||
        a.fault.other_statement != b.fault.other_statement)
        return "the fault: " + a.fault.text + " | " + b.fault.text;
    if (!(a.total == b.total) || !(a.statements == b.statements)) return "the counters";
    if (!a.fault.found() && !same_bits(a.outputs, b.outputs)) return "the outputs"; // with a fault they are invalid
    return {};
}

void try_one(const axe::Program& program, const axe::Target& target, const axe::Bindings& inputs, Count& count)
{
    if (!validate(program).empty()) return;
    const auto lowered = lower(program);
    if (!lowered) return;
    for (const axe::sim::Level level : {axe::sim::Level::full, axe::sim::Level::fast}) {
        axe::sim::RunOptions options;
        options.most_steps = 1'000'000;
        options.level = level;
        const auto one = axe::sim::run(lowered->program, target, inputs, options);
        if (!one) return;
        if (level == axe::sim::Level::full) {
            const auto made = axe::sim::compile(lowered->program, target, 1);
            REQUIRE(made.has_value());
            const auto& grids = (*made)->grids;
            ++count.programs;
            count.shared += std::any_of(grids.begin(), grids.end(), [](const auto& g) { return g.independent; }) ? 1 : 0;
            count.faults += one->fault.found() ? 1 : 0;
        }
        const auto compare = [&](const char* what, const axe::sim::RunOptions& other) {
            const auto again = axe::sim::run(lowered->program, target, inputs, other);
            const std::string text = again ? difference(*one, *again) : again.error().text;
            if (!text.empty()) FAIL_CHECK(what << ": " << text << "\n" << print(program));
        };
        options.threads = 2;
        compare("two threads", options);
        options.threads = 4;
        compare("four threads", options);
        if (level == axe::sim::Level::fast) break; // unchecked, what was never written is zeros where threads share blocks
        options.threads = 1;
        axe::sim::Trace trace;
        options.trace = &trace;
        compare("the device's own shadow", options);
    }
}

Count try_all(int stage, const axe::Target& target, Int cases)
{
    Count out;
    for (int subject = 0; subject < first_device_subject; ++subject)
        for (Int number = 0; number < cases; ++number) {
            Random r = random_of(subject, stage, number);
            const auto program = random_program(subject, stage, number, r);
            if (!program) continue;
            const auto inputs = random_inputs(*program, r, table_rows);
            try_one(*program, target, inputs, out);
            removals::for_each_removal(
                *program, [&](const axe::Program& less, const removals::Removal&) { try_one(less, target, inputs, out); });
        }
    return out;
}

} // namespace

TEST_CASE("random programs are the same on any number of host threads", "[threads]")
{
    const Count cpu = try_all(0, axe::targets::cpu, laws::cases(8)), sm80 = try_all(1, axe::targets::sm80, laws::cases(15)),
                trn1 = try_all(3, axe::targets::trn1, laws::cases(8));
    INFO(cpu.programs << " " << cpu.shared << " " << cpu.faults << ", " << sm80.programs << " " << sm80.shared << " " << sm80.faults
                      << ", " << trn1.programs << " " << trn1.shared << " " << trn1.faults);
    CHECK(2 * sm80.shared > sm80.programs);
    CHECK(sm80.faults >= laws::cases(50));
    CHECK(cpu.shared > 0);
    CHECK(trn1.shared > 0);
}
