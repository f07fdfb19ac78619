// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_REFERENCE_RAW_HPP
#define AXE_SIM_REFERENCE_RAW_HPP

#include <axe/program/raw_function.hpp>
#include <axe/sim/reference/operators.hpp>

/// Functions of C++ in the reference.
namespace axe {
inline namespace v0 {
namespace ref {

/// What the function computes by its own reference; without one it is called, with elements that must be exact.
inline Result<void, Problem> run_raw(const Operands& o)
{
    const RawFunction& f = *o.operation.raw;
    if (f.reference != nullptr) return f.reference(o);
    RawOperand operands[RawFunction::most_operands];
    std::vector<std::vector<std::byte>> bytes(static_cast<std::size_t>(o.size()));
    for (int k = 0; k < o.size(); ++k) {
        const std::int64_t n = o.box(k).size(), width = storage_bytes(o.type(k));
        std::vector<std::byte>& own = bytes[static_cast<std::size_t>(k)];
        own.resize(static_cast<std::size_t>(n * width));
        operands[k] = {own.data(), o.type(k), o.box(k).extents, o.box(k).extents, 0};
        std::int64_t stride = 1;
        for (int d = o.box(k).extents.size() - 1; d >= 0; --d) {
            operands[k].strides[d] = stride;
            stride *= o.box(k).extents[d];
        }
        if (f.operands[k].access == RawAccess::write) continue;
        const auto values = read(o.box(k));
        if (!values) return values.error();
        for (std::int64_t i = 0; i < n; ++i) {
            if (!goes_on(o.box(k).pulse, 10)) return stopped();
            const Bounded b = values->at(i);
            if (!b.is_point())
                return Problem(errc::too_hard,
                               detail::hinted("{0} takes {1}, whose element {2} depends on rounding, and has no reference",
                                              "set `RawFunction::reference`, or state the outputs by computes()"),
                               {f.name, o.box(k).tensor().name, i});
            const std::uint64_t bits = encode(o.type(k), b.value);
            std::memcpy(own.data() + i * width, &bits, static_cast<std::size_t>(width));
        }
    }
    f.run(operands);
    for (int k = 0; k < written_count(f); ++k) {
        const std::int64_t width = storage_bytes(o.type(k));
        Values out(o.box(k).size());
        for (std::int64_t i = 0; i < out.size(); ++i) {
            std::uint64_t bits = 0;
            std::memcpy(&bits, bytes[static_cast<std::size_t>(k)].data() + i * width, static_cast<std::size_t>(width));
            out.set(i, exactly(decode(o.type(k), bits)));
        }
        if (auto e = write(o.box(k), out); !e.ok()) return e;
    }
    return {};
}

} // namespace ref
} // namespace v0
} // namespace axe

#endif
