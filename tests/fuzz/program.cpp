// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/program/limits.hpp>
#include <axe/sim/reference/reference.hpp>
#include <tests/fuzz/program_bytes.hpp>
#include <tests/fuzz/stop.hpp>

#include <chrono>

/// Programs from any bytes, through validate, lower, run and verify. Nothing crashes, throws or hangs; what validate finds nothing wrong
/// with, run takes once it is lowered; and of what runs without a fault verify finds no element wrong.
namespace fuzz {
namespace {

const axe::Machine& machine(Int number)
{
    static const axe::Machine two = mesh(axe::machines::sm80, Shape{2}).value();
    const axe::Machine* const all_of[] = {&axe::machines::sm80, &axe::machines::sm90, &axe::machines::cpu, &axe::machines::trn1,
                                          &two};
    return *all_of[number % 5];
}

/// What a test has memory and time for; and what no computer has, which must be said.
bool is_small_or_absurd(const axe::Program& p)
{
    for (const axe::ProgramTensor& t : p.tensors) {
        const auto n = volume(t.shape);
        if (n && *n > 1 << 14 && *n < Int{1} << 50) return false;
    }
    return true;
}

axe::Bindings inputs_of(const axe::Program& p, Bytes& b)
{
    axe::Bindings out;
    for (const axe::ProgramTensor& t : p.tensors) {
        if (t.binding != axe::Binding::input && t.binding != axe::Binding::inout) continue;
        auto a = axe::Array::make(t.shape, t.dtype);
        if (!a) continue;
        const Int first = b.below(8), step = b.below(3);
        for (Int i = 0; i < a->size(); ++i) a->set(i, static_cast<double>((first + i * step) % 7));
        out.set(t.name, std::move(*a));
    }
    return out;
}

axe::sim::RunOptions options_of(Bytes& b, std::function<bool()> goes_on)
{
    axe::sim::RunOptions options;
    options.most_steps = 2000;
    options.level = b.below(4) == 0 ? axe::sim::Level::fast : axe::sim::Level::full;
    options.threads = static_cast<int>(b.in(1, 3));
    if (b.below(4) == 0) {
        options.resident = static_cast<int>(b.in(1, 3));
        options.quantum = b.below(4);
    }
    options.progress = [goes_on](Int, Int) { return goes_on(); };
    return options;
}

void check(const axe::Program& p, Bytes& b)
{
    const auto start = std::chrono::steady_clock::now();
    const auto goes_on = [start] { return std::chrono::steady_clock::now() - start < std::chrono::seconds(2); };
    const auto text = [&] { return "\n" + print(p); };

    (void)print(p);
    const auto problems = validate(p);
    for (const axe::Problem& e : problems)
        if (e.ok() || e.text.empty()) stop("a problem without a code or words" + text());
    const auto lowered = lower(p);
    if (!lowered && (lowered.error().ok() || lowered.error().text.empty())) stop("lower fails without words" + text());
    const axe::Bindings in = inputs_of(p, b);
    const axe::sim::RunOptions options = options_of(b, goes_on);
    // Not lowered, operators are a problem; what is wrong elsewhere must not be worse.
    if (!problems.empty()) {
        (void)axe::sim::run(p, in, options);
        axe::ReferenceOptions limit;
        limit.most_rounds = 100;
        limit.progress = [&](Int) { return goes_on(); };
        (void)axe::reference(p, in, limit);
    }
    if (!lowered) return;
    (void)print(lowered->program);
    const auto report = axe::sim::run(lowered->program, in, options);
    if (!report) {
        if (report.error().ok() || report.error().text.empty()) stop("run fails without words" + text());
        if (problems.empty() && report.error().code != axe::errc::capacity)
            stop("validate and lower take it, run does not: " + report.error().text + text());
        return;
    }
    if (report->fault.found()) {
        if (report->fault.text.empty()) stop("a fault without words" + text());
        return;
    }
    if (!problems.empty() || options.level != axe::sim::Level::full) return;
    axe::ReferenceOptions limit;
    limit.most_rounds = 4000;
    limit.progress = [&](Int) { return goes_on(); };
    const auto verified = verify(p, in, report->outputs, limit);
    if (verified && !verified->ok()) stop("it runs without a fault, and verify says\n" + verified->text() + text());
}

} // namespace
} // namespace fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace fuzz;
    Bytes b(data, size);
    const Int which = b.below(5), changes = b.below(4);
    auto p = KernelWriter(b, machine(which)).write();
    if (!p) {
        if (p.error().ok() || p.error().text.empty()) stop("a kernel fails without words");
        return 0;
    }
    for (Int i = 0; i < changes; ++i) change(*p, b);
    if (is_small_or_absurd(*p)) check(*p, b);
    return 0;
}
