// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_EXACT_INTERLEAVE_HPP
#define AXE_LAYOUT_EXACT_INTERLEAVE_HPP

#include <axe/layout/exact/cut.hpp>

/// What tile, sum and their inverses share: two layouts on the interleaved domain (z_0, y_0, z_1, y_1, …).
namespace axe {
inline namespace v0 {
namespace detail {

/// One group of iters for each of up to 2·max_rank dimensions.
template <class Int>
struct IterGroups {
    Digits<Int, 2 * most_digits> iters;
    int ends[2 * max_rank];

    [[nodiscard]] constexpr int begin(int d) const noexcept { return d == 0 ? 0 : ends[d - 1]; }
    [[nodiscard]] constexpr int end(int d) const noexcept { return ends[d]; }
};

/// The dimension groups of a checked layout for the extents given.
template <class L, class Int>
constexpr Status iter_groups(const L& layout, const Int* extents, int rank, IterGroups<Int>& out, int per_dimension = 1) noexcept
{
    return cut(layout.shard, extents, rank, out.iters, out.ends, per_dimension);
}

template <class Shape>
constexpr Status same_rank(const Shape& a, const Shape& b) noexcept
{
    if (a.size() == b.size()) return {};
    return Error(errc::rank_mismatch, -1, "the two shapes have {0} and {1} dimensions; the numbers must be equal", a.size(),
                 b.size());
}

/// T(z‖y) = scale ⊙ C(z) + B(y), the scale of an axis being the span of B there, or 1.
template <bool Scaled, class L>
constexpr Status interleave(const L& outer, const typename L::Shape& outer_shape, const L& inner,
                            const typename L::Shape& inner_shape, L& out) noexcept
{
    using Int = typename L::integer;
    if (const Status e = check_admission(outer, outer_shape); !e.ok()) return e;
    if (const Status e = check_admission(inner, inner_shape); !e.ok()) return e;
    if (const Status e = same_rank(outer_shape, inner_shape); !e.ok()) return e;

    IterGroups<Int> z, y;
    if (const Status e = iter_groups(outer, outer_shape.items, outer_shape.size(), z); !e.ok()) return e;
    if (const Status e = iter_groups(inner, inner_shape.items, inner_shape.size(), y); !e.ok()) return e;

    const auto scaled = [&](Int value, const Axis& axis, Int& product) {
        if constexpr (Scaled) return mul(value, span_of(inner, axis), product);
        product = value;
        return true;
    };
    Int size;
    if (!mul(product(outer.shard), product(inner.shard), size))
        return Error(errc::overflow, -1, "the product of the two sizes overflows");
    for (int d = 0; d < outer_shape.size(); ++d) {
        for (int i = z.begin(d); i < z.end(d); ++i) {
            Int stride;
            if (!scaled(z.iters[i].stride, z.iters[i].axis, stride)) return result_overflow();
            if (!append(out.shard, z.iters[i].extent, stride, z.iters[i].axis)) return shard_capacity<L>();
        }
        for (int i = y.begin(d); i < y.end(d); ++i)
            if (!append(out.shard, y.iters[i])) return shard_capacity<L>();
    }

    append_all(inner.offset, out.offset.entries);
    for (const auto& e : outer.offset) {
        Int value;
        if (!scaled(e.value, e.axis, value)) return result_overflow();
        if (const Status f = add_offset(out.offset, e.axis, value); !f.ok()) return f;
    }
    if (outer.replica.size() + inner.replica.size() > 0) {
        InlineVector<BasicIter<Int>, 2 * L::max_replica> replica;
        for (const auto& it : outer.replica) {
            Int stride;
            if (it.extent == 1) continue;
            if (!scaled(it.stride, it.axis, stride)) return result_overflow();
            replica.push_back({it.extent, stride, it.axis});
        }
        for (const auto& it : inner.replica) replica.push_back(it);
        if (const Status e = canonical_replica(replica, out.offset); !e.ok()) return e;
        for (const auto& it : replica)
            if (!out.replica.push_back(it)) return replica_capacity<L>();
    }
    out.offset.drop_zeros();
    return check(out);
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
