// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_REFERENCE_IMPL_REFERENCE_HPP
#define AXE_SIM_REFERENCE_IMPL_REFERENCE_HPP

#include <axe/sim/reference/grids.hpp>
#include <axe/sim/reference/reference.hpp>
#include <axe/tensor/host_memory.hpp>

namespace axe {
inline namespace v0 {

AXE_DECL Result<Reference, Problem> reference(const Program& program, const Bindings& inputs, const ReferenceOptions& options)
{
    return within_memory(detail::worded("reference of {0}", {program.name}), [&]() -> Result<Reference, Problem> {
        ref::Walk walk(program, options);
        if (auto e = walk.run(inputs); !e.ok()) return e;
        Reference out;
        for (std::size_t t = 0; t < program.tensors.size(); ++t)
            if (const Binding b = program.tensors[t].binding; b == Binding::output || b == Binding::inout)
                out.tensors.emplace_back(program.tensors[t], walk.values_of(static_cast<int>(t)));
        return out;
    });
}

} // namespace v0
} // namespace axe

#endif
