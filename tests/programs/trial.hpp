// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_PROGRAMS_TRIAL_HPP
#define AXE_TESTS_PROGRAMS_TRIAL_HPP

#include <axe/kernels.hpp>
#include <cstring>
#include <tests/random.hpp>
#include <tests/turns.hpp>

/// The whole way of a program, from operators to numbers held against the reference.
namespace programs {

/// What became of a program.
enum class Fate : std::uint8_t {
    right,    ///< it ran, and every element is one that a correct run may give
    invalid,  ///< `validate` or the builder refused it
    declined, ///< `lower` refused it
    refused,  ///< the run could not begin
    faulty,   ///< the run ended in a fault
    wrong,    ///< a number is not what it should be
    unstable, ///< another level, another number of threads or another order of blocks and agents gave something else
};

constexpr const char* name(Fate f) noexcept
{
    constexpr const char* names[] = {"right", "invalid", "declined", "refused", "faulty", "wrong", "unstable"};
    return names[static_cast<int>(f)];
}

struct Trial {
    Fate fate = Fate::right;
    std::string text{}; ///< the sentence that says why
};

inline axe::Array random_array(const axe::Shape& shape, axe::DType type, laws::Random& r)
{
    axe::Array out = axe::Array::make(shape, type).value();
    // Quarters are numbers of every floating-point type of 8 bits but e8m0, whose are powers of two, and those without a sign, and of the others
    // the nearest number is one; halves of the integers' range are enough.
    for (std::int64_t i = 0; i < out.size(); ++i) {
        if (type == axe::DType::e8m0)
            out.set(i, std::ldexp(1.0, static_cast<int>(r.in(-3, 3))));
        else if (axe::is_float(type))
            out.set(i, static_cast<double>(type == axe::DType::ue4m3 ? r.in(0, 20) : r.in(-20, 20)) / 4);
        else if (type == axe::DType::b1 || type == axe::DType::u8)
            out.set(i, static_cast<double>(r.in(0, type == axe::DType::b1 ? 1 : 60)));
        else
            out.set(i, static_cast<double>(type == axe::DType::i4 ? r.in(-8, 7) : r.in(-60, 60)));
    }
    return out;
}

/// Arrays for all that a program takes. Indices (i32 tensors called `index…`) are rows of their own: 0, 1, … in some order below `rows`.
inline axe::Bindings random_inputs(const axe::Program& p, laws::Random& r, std::int64_t rows = 0)
{
    axe::Bindings out;
    for (const axe::ProgramTensor& t : p.tensors) {
        if (t.binding != axe::Binding::input && t.binding != axe::Binding::inout) continue;
        axe::Array a = random_array(t.shape, t.dtype, r);
        if (t.name.rfind("index", 0) == 0) {
            std::vector<std::int64_t> order;
            for (std::int64_t i = 0; i < rows; ++i) order.insert(order.begin() + r.in(0, i), i);
            for (std::int64_t i = 0; i < a.size(); ++i) a.set(i, static_cast<double>(order[static_cast<std::size_t>(i % rows)]));
        }
        out.set(t.name, std::move(a));
    }
    return out;
}

/// Have both the same bits?
inline bool same_bits(const axe::Bindings& a, const axe::Bindings& b)
{
    if (a.size() != b.size()) return false;
    for (const auto& entry : a) {
        const axe::Array* other = b.find(entry.name);
        if (other == nullptr || other->size_bytes() != entry.array.size_bytes()) return false;
        if (std::memcmp(entry.array.data(), other->data(), static_cast<std::size_t>(other->size_bytes())) != 0) return false;
    }
    return true;
}

/// Lowers a program, runs it with all checks, holds it against the reference, and runs it again with blocks in flight that take turns,
/// at level fast and, where there are several devices, with two threads: the bits must be the same, and so must be whether there is a
/// fault. `meaning` is the program whose numbers are the right ones.
inline Trial attempt(const axe::Program& program, const axe::Bindings& inputs, const axe::Program& meaning)
{
    const auto problems = validate(program);
    if (!problems.empty()) return {Fate::invalid, problems.front().text};
    const auto lowered = lower(program);
    if (!lowered) return {Fate::declined, lowered.error().text};
    axe::sim::RunOptions options;
    options.most_steps = 1'000'000;
    auto ready = axe::sim::prepare(lowered->program);
    if (!ready) return {Fate::refused, ready.error().text};
    const auto report = ready->run(inputs, options);
    if (!report) return {Fate::refused, report.error().text};
    const axe::sim::RunOptions in_turns = turns::next(options);
    const auto other = ready->run(inputs, in_turns);
    const std::string turns_text = std::to_string(in_turns.resident) + " blocks in flight, turns of " +
                                   std::to_string(in_turns.quantum) + " steps, order " + name(in_turns.order) + ": " +
                                   (other ? other->fault.text : other.error().text);
    if (!other || other->ok() != report->ok()) return {Fate::unstable, turns_text};
    if (!report->ok()) return {Fate::faulty, std::string(axe::sim::name(report->fault.kind)) + ": " + report->fault.text};
    const auto verified = verify(meaning, inputs, report->outputs);
    if (!verified) return {Fate::wrong, verified.error().text};
    if (!verified->ok()) return {Fate::wrong, verified->text()};
    if (!same_bits(report->outputs, other->outputs) || !(other->total == report->total) ||
        !(other->statements == report->statements))
        return {Fate::unstable, turns_text};
    axe::sim::RunOptions fast = options;
    fast.level = axe::sim::Level::fast;
    fast.counters = false;
    const auto again = ready->run(inputs, fast);
    if (!again || !again->ok() || !same_bits(report->outputs, again->outputs))
        return {Fate::unstable, !again ? again.error().text : "level fast: " + again->fault.text};
    if (report->devices == 1) return {};
    options.threads = 2;
    const auto threads = axe::sim::run(lowered->program, inputs, options);
    if (!threads || !threads->ok() || !same_bits(report->outputs, threads->outputs) || !(threads->total == report->total))
        return {Fate::unstable, !threads ? threads.error().text : "two threads: " + threads->fault.text};
    return {};
}
inline Trial attempt(const axe::Program& program, const axe::Bindings& inputs) { return attempt(program, inputs, program); }

} // namespace programs

#endif
