// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_SHARDING_SBP_HPP
#define AXE_INTEROP_SHARDING_SBP_HPP

#include <axe/interop/sharding/dtensor.hpp>
#include <axe/interop/sharding/errors.hpp>

/// OneFlow's nd-SBP, one word for each dimension of the hierarchy of ranks:  ( S(dim) | B | P(sum) , … )
///
/// Python's forms are read too: `flow.sbp.split(0)`, `oneflow.sbp.split(dim=0)`, `broadcast`, `partial_sum`.
///                                                                   [OneFlow, docs parallelism/02_sbp and 04_2d-sbp]
namespace axe {
inline namespace v0 {
namespace sharding {
namespace detail {

constexpr bool read_sbp(Reader& in, Placement& out) noexcept
{
    int end = 0;
    accept_all(in, "oneflow.sbp.") || accept_all(in, "flow.sbp.") || accept_all(in, "sbp.");
    if (accept_word(in, "S") || accept_word(in, "split")) {
        return read_dim(in, out, end) && close_dimension(in);
    }
    if (accept_word(in, "B") || accept_word(in, "broadcast")) {
        out = Placement::replicate();
        return !in.accept('(') || in.close_parenthesis();
    }
    out = Placement::partial();
    if (accept_word(in, "partial_sum")) return !in.accept('(') || in.close_parenthesis();
    if (!accept_word(in, "P")) return in.expected("expected S(dim), B or P(sum) at character {0}");
    if (!in.accept('(')) return true;
    if (accept_word(in, "max"))
        out.reduction = Reduction::max;
    else if (accept_word(in, "min"))
        out.reduction = Reduction::min;
    else if (!accept_word(in, "sum"))
        return in.expected("expected sum, max or min at character {0}");
    return close_reduction(in);
}

} // namespace detail

/// Reads `(S(0), B, P(sum))`, or one word without brackets. `errc::bad_syntax` with the character.
constexpr Result<Placements> parse_sbp(TextView text) noexcept
{
    Result<Placements> result;
    detail::Reader in(text);
    if (!detail::read_placements(in, *result, [&](Placement& p) { return detail::read_sbp(in, p); })) result = in.error;
    return result;
}

/// OneFlow's text of placements. `errc::no_layout` with the place for strided splits and for means and products: SBP has neither.
constexpr Result<SpecText> print_sbp(const Placements& placements) noexcept
{
    Result<SpecText> result;
    SpecText& out = *result;
    out.put('(');
    for (int i = 0; i < placements.size(); ++i) {
        const Placement& p = placements[i];
        if (i > 0) out.put(", ");
        if (p.kind == Placement::Kind::replicate) out.put('B');
        if (p.kind == Placement::Kind::shard) {
            if (p.factor != 1)
                return Error(errc::no_layout, i,
                             "mesh axis {0} splits within {1} parts of later axes; SBP splits in the order of the axes", i,
                             p.factor);
            out.put("S(");
            out.put_number(p.dim);
            out.put(')');
        }
        if (p.kind == Placement::Kind::partial) {
            if (p.reduction == Reduction::mean || p.reduction == Reduction::product)
                return Error(errc::no_layout, i,
                             "SBP's partial values are reduced by sum, min or max; those of mesh axis {0} are not", i);
            out.put("P(");
            out.put(name(p.reduction));
            out.put(')');
        }
    }
    out.put(')');
    return result;
}

} // namespace sharding
} // namespace v0
} // namespace axe

#endif
