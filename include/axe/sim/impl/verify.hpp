// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_IMPL_VERIFY_HPP
#define AXE_SIM_IMPL_VERIFY_HPP

#include <axe/sim/reference/comparison.hpp>
#include <axe/sim/reference/specification.hpp>
#include <axe/sim/verify.hpp>
#include <axe/tensor/host_memory.hpp>

namespace axe {
inline namespace v0 {
namespace ref {

/// Where the value that the program's operators give is none that its specification allows.
inline Result<void, Problem> compare_references(const Reference& by_program, const Reference& by_specification, Pulse* pulse,
                                                std::vector<Disagreement>& out)
{
    for (const ReferenceTensor& want : by_specification.tensors) {
        const ReferenceTensor* is = by_program.find(want.name);
        if (is == nullptr) continue;
        Disagreement first;
        const auto compare = [&](std::int64_t i) {
            const Bounded should = want.at(i);
            const double value = is->at(want.element(i)).value;
            if (should.allows(value)) return;
            if (first.elements++ == 0)
                first = {want.name, 1, coordinate(want.shape, want.element(i)), value, should.value, should.low, should.high};
        };
        if (auto e = for_each_number(pulse, want.size(), 20, compare); !e.ok()) return e;
        if (first.elements > 0) out.push_back(std::move(first));
    }
    return {};
}

/// `verify`, after its arguments are found sound.
inline Result<Verification, Problem> verify_sound(const Program& program, const Bindings& inputs, const Bindings& outputs,
                                                  const ReferenceOptions& options)
{
    Verification out;
    Reference stated;
    const bool asked = options.against == Against::specification || options.against == Against::both;
    if (options.against != Against::program && (asked || program.specification != nullptr)) {
        auto should = specified(program, inputs, options);
        if (!should) return should.error();
        stated = std::move(*should);
        auto compared = verify(stated, outputs, options);
        if (!compared) return compared;
        out = std::move(*compared);
    }
    bool all_stated = true;
    for (const ProgramTensor& t : program.tensors)
        if (t.binding == Binding::output || t.binding == Binding::inout) all_stated = all_stated && stated.find(t.name) != nullptr;
    if (options.against == Against::specification || (options.against == Against::stated && all_stated)) return out;

    const auto by_program = reference(program, inputs, options);
    if (!by_program) return by_program.error();
    auto compared = verify(*by_program, outputs, options);
    if (!compared) return compared;
    for (TensorCheck& check : compared->tensors)
        if (options.against != Against::stated || stated.find(check.name) == nullptr) out.tensors.push_back(std::move(check));
    if (options.against != Against::both) return out;
    Pulse pulse = options.progress ? Pulse([&] { return options.progress(0); }) : Pulse();
    if (auto e = ref::compare_references(*by_program, stated, &pulse, out.disagreements); !e.ok()) return e.error();
    return out;
}

} // namespace ref

AXE_DECL Result<Verification, Problem> verify(const Program& program, const Bindings& inputs, const Bindings& outputs,
                                              const ReferenceOptions& options)
{
    if (auto e = check_outputs(program, outputs); !e.ok()) return e;
    return within_memory(detail::worded("verification of {0}", {program.name}),
                         [&] { return ref::verify_sound(program, inputs, outputs, options); });
}

} // namespace v0
} // namespace axe

#endif
