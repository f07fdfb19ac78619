// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_REPORT_IMPL_VERIFICATION_HPP
#define AXE_SIM_REPORT_IMPL_VERIFICATION_HPP

#include <axe/sim/report/format.hpp>
#include <axe/sim/report/verification.hpp>

#include <cmath>

namespace axe {
inline namespace v0 {

AXE_DECL std::string Verification::text() const
{
    std::string out;
    for (const TensorCheck& t : tensors) {
        const ElementCheck& w = t.worst;
        out += detail::worded("{0} {1}: {2}, {3} of {4} elements wrong; worst {0}{5}: {6}, should be {7} within {8}, error {9}",
                              {t.name, detail::tuple_text(t.shape) + " " + name(t.dtype), t.word(), t.wrong, t.elements,
                               detail::tuple_text(w.coord), sim::format::number(w.got, 9), sim::format::number(w.want, 9),
                               sim::format::number(w.bound, 3), sim::format::number(w.error, 3)});
        if (w.share != 0 && std::isfinite(w.share)) out += " = " + sim::format::number(w.share, 3) + " bounds";
        if (t.rows > t.rows_checked)
            out += detail::worded(
                "; {0} of {1} rows checked, a defect in a fraction p of the rows is missed with probability (1 - p)^{0}",
                {t.rows_checked, t.rows});
        out += "\n";
    }
    for (const Disagreement& d : disagreements)
        out +=
            detail::worded(
                "{0}: program and specification differ in {1} elements; {0}{2}: {3} by the operators, should be {4} in [{5}, {6}]",
                {d.name, d.elements, detail::tuple_text(d.coord), sim::format::number(d.program, 9),
                 sim::format::number(d.specification, 9), sim::format::number(d.low, 9), sim::format::number(d.high, 9)}) +
            "\n";
    return out;
}

} // namespace v0
} // namespace axe

#endif
