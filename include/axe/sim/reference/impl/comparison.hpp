// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_REFERENCE_IMPL_COMPARISON_HPP
#define AXE_SIM_REFERENCE_IMPL_COMPARISON_HPP

#include <axe/sim/reference/comparison.hpp>

namespace axe {
inline namespace v0 {

namespace ref {

inline ElementCheck check_element(double got, const Bounded& b) noexcept
{
    ElementCheck out{{}, got, b.value, 0, 0, 0, b.allows(got)};
    const bool same = got == b.value || (got != got && b.value != b.value);
    out.error = same ? 0 : std::fabs(got - b.value);
    if (out.error != out.error) out.error = inf;
    out.bound = b.never_number() ? 0 : got < b.value ? b.value - b.low : b.high - b.value;
    // An end and the value may be the same infinity; of NaN there is no distance to an end.
    if (out.bound != out.bound) out.bound = b.value != b.value && !b.never_number() ? inf : 0;
    if (got != got && out.right) out.bound = inf;
    out.share = out.error == 0 ? 0 : out.bound == inf ? (out.error == inf ? 1 : 0) : out.bound == 0 ? inf : out.error / out.bound;
    return out;
}

inline Result<TensorCheck, Problem> check_tensor(const ReferenceTensor& want, const Array& got, Pulse& pulse)
{
    TensorCheck out;
    out.name = want.name;
    out.shape = want.shape;
    out.dtype = want.dtype;
    out.elements = want.size();
    out.specified = want.specified;
    if (!want.rows().empty()) {
        out.rows = got.size() / want.row_size();
        out.rows_checked = static_cast<std::int64_t>(want.rows().size());
    }
    // Few of many elements are not worth decoding all.
    Zeros<double> values(want.rows().empty() ? static_cast<std::size_t>(got.size()) : 0);
    if (!values.empty())
        if (auto e = decode_all(&pulse, got, values.data()); !e.ok()) return e.error();
    std::int64_t worst = -1;
    for (std::int64_t i = 0; i < want.size(); ++i) {
        if (!goes_on(&pulse, 50)) return stopped();
        const double is = values.empty() ? got.at(want.element(i)) : values[static_cast<std::size_t>(i)];
        const ElementCheck e = check_element(is, want.at(i));
        if (!e.right) ++out.wrong;
        const ElementCheck& w = out.worst;
        const bool worse = e.right != w.right ? w.right : e.share != w.share ? e.share > w.share : e.error > w.error;
        if (worst >= 0 && !worse) continue;
        out.worst = e;
        worst = i;
    }
    if (worst >= 0) out.worst.coord = coordinate(want.shape, want.element(worst));
    return out;
}

} // namespace ref

AXE_DECL Result<Verification, Problem> verify(const Reference& reference, const Bindings& outputs, const ReferenceOptions& options)
{
    Verification out;
    Pulse pulse;
    std::int64_t compared = 0;
    if (options.progress) pulse = Pulse([&] { return options.progress(compared); });
    for (const ReferenceTensor& want : reference.tensors) {
        const Array* got = outputs.find(want.name);
        if (got == nullptr) return Problem(errc::bad_argument, "output {0} is not among the arrays to verify", {want.name});
        if (!(got->shape() == want.shape) || got->dtype() != want.dtype)
            return Problem(errc::size_mismatch, "{0} is {1} {2} in the program; the array to verify is {3} {4}",
                           {want.name, detail::tuple_text(want.shape), name(want.dtype), detail::tuple_text(got->shape()),
                            name(got->dtype())});
        auto checked = ref::check_tensor(want, *got, pulse);
        if (!checked) return checked.error();
        out.tensors.push_back(std::move(*checked));
        ++compared;
    }
    return out;
}

} // namespace v0
} // namespace axe

#endif
