// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_SHARDING_DTENSOR_HPP
#define AXE_INTEROP_SHARDING_DTENSOR_HPP

#include <axe/interop/sharding/errors.hpp>
#include <axe/interop/sharding/placements.hpp>
#include <axe/interop/sharding/read.hpp>

/// PyTorch's placements:  [ Shard(dim) | Replicate() | Partial(reduction) | _StridedShard(dim, split_factor=k) , … ]
///
/// Python's short forms are read too: `S(0)`, `R`, `P(sum)`, `_S(0, 2)`, and both kinds of brackets.
///                                                                       [PyTorch, torch/distributed/tensor/placement_types.py]
namespace axe {
inline namespace v0 {
namespace sharding {
namespace detail {

constexpr bool read_dim(Reader& in, Placement& out, int& end) noexcept
{
    std::int64_t dim = 0;
    if (!in.expect('(', "expected '(' and a dimension at character {0}")) return false;
    if (accept_all(in, "dim") && !in.expect('=', "expected '=' after dim at character {0}")) return false;
    in.peek();
    const int where = in.at;
    if (!in.integer(dim, "expected the number of a dimension at character {0}")) return false;
    if (dim < -max_rank || dim >= max_rank)
        return in.fail(errc::bad_argument, where, "the dimension at character {0} is {1}, more than any tensor has", dim);
    out = Placement::shard(static_cast<int>(dim));
    end = in.at;
    return true;
}

constexpr bool read_reduction(Reader& in, Placement& out) noexcept
{
    out = Placement::partial();
    if (!in.accept('(') || in.accept(')')) return true;
    if (accept_all(in, "reduce_op") && !in.expect('=', "expected '=' after reduce_op at character {0}")) return false;
    const bool quoted = in.accept('\'') || in.accept('"');
    if (accept_word(in, "sum"))
        out.reduction = Reduction::sum;
    else if (accept_word(in, "avg"))
        out.reduction = Reduction::mean;
    else if (accept_word(in, "product"))
        out.reduction = Reduction::product;
    else if (accept_word(in, "max"))
        out.reduction = Reduction::max;
    else if (accept_word(in, "min"))
        out.reduction = Reduction::min;
    else
        return in.expected("expected sum, avg, product, max or min at character {0}");
    if (quoted && !in.accept('\'') && !in.accept('"'))
        return in.expected("expected the quote after the reduction at character {0}");
    return close_reduction(in);
}

constexpr bool read_placement(Reader& in, Placement& out) noexcept
{
    int end = 0;
    if (accept_word(in, "_StridedShard") || accept_word(in, "_S")) {
        if (!read_dim(in, out, end) || !in.expect(',', "expected ',' and the split factor at character {0}")) return false;
        if ((accept_all(in, "split_factor") || accept_all(in, "sf")) &&
            !in.expect('=', "expected '=' after split_factor at character {0}"))
            return false;
        return read_size(in, out.factor, "expected the split factor at character {0}") &&
               in.expect(')', "expected ')' after the split factor at character {0}");
    }
    if (accept_word(in, "Shard") || accept_word(in, "S")) return read_dim(in, out, end) && close_dimension(in);
    if (accept_word(in, "Replicate") || accept_word(in, "R")) {
        out = Placement::replicate();
        return !in.accept('(') || in.close_parenthesis();
    }
    if (accept_word(in, "Partial") || accept_word(in, "_Partial") || accept_word(in, "P")) return read_reduction(in, out);
    return in.expected("expected Shard, Replicate, Partial or _StridedShard at character {0}");
}

/// Placements in brackets of either kind, or one without.
template <class Item>
constexpr bool read_placements(Reader& in, Placements& out, Item item) noexcept
{
    const auto one = [&] {
        const char next = in.peek();
        Placement placement;
        if ((next == ']' || next == ')') && !out.empty()) return true; // (x,)
        return item(placement) && keep(in, out, placement);
    };
    if (in.accept('[')) return read_list(in, ']', "expected ',' or ']' after the placement at character {0}", one) && in.finish();
    if (in.accept('(')) return read_list(in, ')', "expected ',' or ')' after the placement at character {0}", one) && in.finish();
    return one() && in.finish();
}

} // namespace detail

/// Reads `[Shard(0), _StridedShard(0, split_factor=2), Replicate(), Partial(sum)]`. `errc::bad_syntax` with the character.
constexpr Result<Placements> parse_dtensor(TextView text) noexcept
{
    Result<Placements> result;
    detail::Reader in(text);
    if (!detail::read_placements(in, *result, [&](Placement& p) { return detail::read_placement(in, p); })) result = in.error;
    return result;
}

/// PyTorch's text of placements.
constexpr SpecText print_dtensor(const Placements& placements) noexcept
{
    SpecText out;
    out.put('[');
    for (int i = 0; i < placements.size(); ++i) {
        const Placement& p = placements[i];
        if (i > 0) out.put(", ");
        if (p.kind == Placement::Kind::replicate) out.put("Replicate(");
        if (p.kind == Placement::Kind::partial) {
            out.put("Partial(");
            out.put(p.reduction == Reduction::mean ? "avg" : name(p.reduction));
        }
        if (p.kind == Placement::Kind::shard) {
            out.put(p.factor == 1 ? "Shard(" : "_StridedShard(");
            out.put_number(p.dim);
            if (p.factor != 1) {
                out.put(", split_factor=");
                out.put_number(p.factor);
            }
        }
        out.put(')');
    }
    out.put(']');
    return out;
}

} // namespace sharding
} // namespace v0
} // namespace axe

#endif
