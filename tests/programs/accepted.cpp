// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/kernels.hpp>
#include <catch.hpp>
#include <tests/programs/random_scopes.hpp>
#include <tests/programs/trial.hpp>

/// What `validate` accepts, `lower` and `run` accept, and the reverse.

using namespace programs;

namespace {

struct Answers {
    std::string validate{}, lower{}, validate_lowered{}, run{}, fault{};
    [[nodiscard]] bool accepted() const { return validate.empty(); }
    [[nodiscard]] bool runs() const { return lower.empty() && run.empty() && fault.empty(); }
};

Answers answers_of(const axe::Program& p, Random& r)
{
    Answers out;
    if (const auto problems = validate(p); !problems.empty()) out.validate = problems.front().text;
    const auto lowered = lower(p);
    if (!lowered) return out.lower = lowered.error().text, out;
    if (const auto problems = validate(lowered->program); !problems.empty()) out.validate_lowered = problems.front().text;
    const auto report = axe::sim::run(lowered->program, random_inputs(p, r));
    if (!report) return out.run = report.error().text, out;
    if (!report->ok()) out.fault = report->fault.text;
    return out;
}

} // namespace

TEST_CASE("random scopes: validate, lower and run accept the same programs", "[accepted]")
{
    Int accepted = 0, refused = 0, shared = 0, races = 0;
    for (std::size_t m = 0; m < scope_machines().size(); ++m)
        for (Int number = 0; number < laws::cases(60); ++number) {
            Random r(static_cast<std::uint64_t>(number) * 7919u + m * 104729u + 1);
            const auto program = ScopeWriter(r, scope_machines()[m], "scopes").program();
            REQUIRE(program.has_value());
            const Answers a = answers_of(*program, r);
            INFO("machine " << m << ", program " << number << "\nvalidate: " << a.validate << "\nlower: " << a.lower
                            << "\nvalidate, lowered: " << a.validate_lowered << "\nrun: " << a.run << "\nfault: " << a.fault << "\n"
                            << print(*program));
            // Bytes that tensors share without an order are a race, which only the run can see.
            const bool race = a.fault.find("had these bytes before") != std::string::npos;
            races += race ? 1 : 0;
            (a.accepted() ? accepted : refused) += 1;
            CHECK(a.accepted() == (a.runs() || race));
            CHECK(a.validate_lowered.empty() == (a.run.empty() && (a.fault.empty() || race)));
            if (!a.accepted() && !a.lower.empty()) CHECK(a.lower.find(a.validate.substr(0, 6)) == 0);
            if (!a.accepted() || !a.lower.empty()) continue;
            const auto allocated = allocate(lower(*program)->program);
            REQUIRE(allocated.has_value());
            for (const axe::MemoryAllocation& memory : allocated->memories) shared += memory.reused ? 1 : 0;
        }
    INFO(accepted << " accepted, " << refused << " refused, " << shared << " memories with shared bytes, " << races << " races");
    CHECK(accepted >= laws::cases(100));
    CHECK(refused >= laws::cases(60));
    CHECK(shared >= laws::cases(20));
}
