// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_UNIT_SIM_KERNELS_TRIAL_HPP
#define AXE_TESTS_UNIT_SIM_KERNELS_TRIAL_HPP

#include <axe/kernels.hpp>
#include <axe/program/pipeline.hpp>
#include <catch.hpp>
#include <tests/required.hpp>
#include <tests/unit/sim/arrays.hpp>

/// A kernel from its text to what its run is worth.
namespace trial {

using namespace axe;

/// The program that a kernel wrote; a test fails where it could not.
inline Program written(const Kernel& k) { return *required(k.program()); }
/// Why it is not lowered, or "lowered".
inline std::string why_not(const Kernel& k)
{
    const auto lowered = lower(written(k));
    return lowered ? "lowered" : lowered.error().text;
}
/// Checks that the text has a part.
inline void has(const std::string& text, const std::string& part)
{
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
}
/// D = A, so many tiles, one after the other through the two of `stages`: warp 0 brings them by bulk copies, warp 1 takes them.
inline void through_two_stages(Scope cta, const TensorRef& D, const TensorRef& stages, const TensorRef& A, std::int64_t tiles)
{
    const Pipeline ring(0, 2, 1);
    cta.warps(0, 1, [&](Scope w) { ring.init(w); });
    cta.sync();
    cta.warps(0, 1, [&](Scope w) {
        ring.loop(w, tiles, [&](const Pipeline::Turn& turn, const Affine& i) {
            ring.load(w, turn, {{stages(turn.stage, all, all), A(i, all, all)}});
        });
    });
    cta.warps(1, 1, [&](Scope w) {
        ring.loop(w, tiles, [&](const Pipeline::Turn& turn, const Affine& i) {
            ring.wait(w, turn);
            w.copy(D(i, all, all), stages(turn.stage, all, all));
            ring.release_after_reads(w, turn);
        });
    });
}
/// What the run gives, without a fault and with the same bits in all orders.
inline Bindings ran(const Program& program, const Bindings& inputs)
{
    for (const Problem& problem : validate(program)) FAIL(problem.text);
    const auto lowered = required(lower(program));
    auto report = without_fault(sim::run(lowered->program, inputs));
    for (const sim::RunOrder order : sim::all_run_orders) {
        if (order == sim::RunOrder::issue) continue;
        sim::RunOptions options;
        options.order = order;
        options.seed = 1;
        const auto other = sim::run(lowered->program, inputs, options);
        CAPTURE(name(order), other ? other->fault.text : other.error().text);
        REQUIRE(other);
        REQUIRE(other->ok());
        for (const ProgramTensor& t : program.tensors)
            if (const Array* array = report->outputs.find(t.name); array != nullptr)
                CHECK(std::memcmp(array->data(), other->outputs.find(t.name)->data(),
                                  static_cast<std::size_t>(array->size_bytes())) == 0);
    }
    return std::move(report->outputs);
}
inline Verification verified(const Program& program, const Bindings& inputs, const Bindings& outputs,
                             Against against = Against::stated)
{
    ReferenceOptions options;
    options.against = against;
    auto out = required(verify(program, inputs, outputs, options));
    return std::move(*out);
}
/// Is the run right, and do specification and program agree?
inline void check_right(const Program& program, const Bindings& inputs)
{
    const Verification v = verified(program, inputs, ran(program, inputs), Against::both);
    CAPTURE(v.text());
    CHECK(v.ok());
    CHECK(std::string(v.word()) == "right");
}
/// Is the run consistent with the program, which is not what its specification says? That is all that a comparison with itself tells.
inline Verification check_wrong(const Program& program, const Bindings& inputs)
{
    const Bindings outputs = ran(program, inputs);
    const Verification itself = verified(program, inputs, outputs, Against::program), v = verified(program, inputs, outputs);
    CAPTURE(itself.text(), v.text());
    CHECK(std::string(itself.word()) == "consistent");
    CHECK_FALSE(v.ok());
    CHECK(std::string(v.word()) == "wrong");
    const Verification both = verified(program, inputs, outputs, Against::both);
    CHECK(both.disagreements.size() == v.tensors.size());
    return v;
}
inline Bindings given(std::initializer_list<std::pair<const char*, Array*>> arrays)
{
    Bindings out;
    for (const auto& [name, array] : arrays) out.set(name, std::move(*array));
    return out;
}

} // namespace trial

#endif
