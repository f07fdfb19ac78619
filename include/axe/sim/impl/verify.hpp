// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_IMPL_VERIFY_HPP
#define AXE_SIM_IMPL_VERIFY_HPP

#include <axe/sim/reference/comparison.hpp>
#include <axe/sim/verify.hpp>

namespace axe {
inline namespace v0 {

AXE_DECL Result<Verification, Problem> verify(const Program& program, const Bindings& inputs, const Bindings& outputs,
                                              const ReferenceOptions& options)
{
    if (auto e = check_outputs(program, outputs); !e.ok()) return e;
    return within_memory(detail::worded("verification of {0}", {program.name}), [&]() -> Result<Verification, Problem> {
        const auto should = reference(program, inputs, options);
        if (!should) return should.error();
        return verify(*should, outputs, options);
    });
}

} // namespace v0
} // namespace axe

#endif
