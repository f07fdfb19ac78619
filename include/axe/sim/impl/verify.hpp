// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_IMPL_VERIFY_HPP
#define AXE_SIM_IMPL_VERIFY_HPP

#include <axe/sim/reference/comparison.hpp>
#include <axe/sim/verify.hpp>

namespace axe {
inline namespace v0 {

AXE_DECL std::string Verification::text() const
{
    std::string out;
    for (const TensorCheck& t : tensors) {
        const ElementCheck& w = t.worst;
        out +=
            detail::worded("{0} {1} {2}: {3} of {4} elements wrong; worst {0}{5}: {6}, should be {7} within {8}, error {9}",
                           {t.name, detail::tuple_text(t.shape), name(t.dtype), t.wrong, t.elements, detail::tuple_text(w.coord),
                            ref::number_text(w.got), ref::number_text(w.want), ref::short_text(w.bound), ref::short_text(w.error)});
        if (w.share != 0 && std::isfinite(w.share)) out += " = " + ref::short_text(w.share) + " bounds";
        out += "\n";
    }
    return out;
}

AXE_DECL Outcome<Verification> verify(const Program& program, const Bindings& inputs, const Bindings& outputs,
                                      const ReferenceOptions& options)
{
    if (Problem e = check_outputs(program, outputs)) return e;
    const auto should = reference(program, inputs, options);
    if (!should) return should.error();
    return verify(*should, outputs);
}

} // namespace v0
} // namespace axe

#endif
