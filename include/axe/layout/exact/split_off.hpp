// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_EXACT_SPLIT_OFF_HPP
#define AXE_LAYOUT_EXACT_SPLIT_OFF_HPP

#include <axe/layout/exact/interleave.hpp>
#include <axe/layout/exact/replica_quotient.hpp>

/// What untile and unsum share: one factor of a layout on the interleaved domain, given the other.
namespace axe {
inline namespace v0 {
namespace detail {

enum class Known : std::uint8_t { inner, outer };

/// By how much the outer factor is scaled on an axis: 1 for sums; the span of the inner one for tiles.
///
/// When the inner factor B is being sought its span σ follows from the whole: the whole's inner groups reach δ, and its replicas
/// reach σ·(reach of R_C) + reach of R_B, so σ·(1 + reach of R_C) = 1 + δ + reach of R_A.
template <Known K, bool Scaled, class L>
constexpr bool scale_of(const L& whole, const IterGroups<typename L::integer>& groups, int rank, const L& known, const Axis& axis,
                        typename L::integer& scale) noexcept
{
    using Int = typename L::integer;
    scale = 1;
    if constexpr (Scaled && K == Known::inner) scale = span_of(known, axis);
    if constexpr (Scaled && K == Known::outer) {
        Int footprint = 1, outer_footprint = 1;
        for (int d = 0; d < rank; ++d)
            for (int i = groups.begin(2 * d + 1); i < groups.end(2 * d + 1); ++i)
                if (groups.iters[i].axis == axis) footprint += (groups.iters[i].extent - 1) * magnitude(groups.iters[i].stride);
        for (const auto& it : whole.replica)
            if (it.axis == axis) footprint += (it.extent - 1) * it.stride;
        for (const auto& it : known.replica)
            if (it.axis == axis) outer_footprint += (it.extent - 1) * it.stride;
        if (footprint % outer_footprint != 0) return false;
        scale = footprint / outer_footprint;
    }
    return true;
}

constexpr Error no_factor(const char* words, std::int64_t n0 = 0, std::int64_t n1 = 0) noexcept
{
    return Error(errc::no_layout, -1, words, n0, n1);
}
/// The same for a message that names a dimension, `{0}`.
constexpr Error no_factor_in(int dim, const char* words, std::int64_t n1 = 0) noexcept
{
    return Error(errc::no_layout, dim, words, dim, n1);
}
constexpr Error replicas_not_spanned() noexcept
{
    return no_factor("no span of the inner layout fits the footprint of the replicas");
}
constexpr Error groups_not_in_whole(int dim) noexcept
{
    return no_factor_in(dim, "dimension {0}: the groups of the given factor do not occur in the whole");
}

/// The replicas of the factor that is sought: axis by axis, scale·R_X ⊕ R_known or R_X ⊕ scale·R_known is the whole's.
template <Known K, bool Scaled, class L, class Scale>
constexpr Status split_off_replicas(const L& whole, const L& known, Scale scale, L& out) noexcept
{
    using Int = typename L::integer;
    L term; // the known term as it occurs in the whole
    term.replica = known.replica;
    if constexpr (Scaled && K == Known::outer)
        for (auto& it : term.replica) {
            Int s;
            if (!scale(it.axis, s)) return replicas_not_spanned();
            if (!mul(it.stride, s, it.stride)) return no_factor("the strides of the scaled replicas of the outer layout overflow");
        }
    if (whole.replica == term.replica) return {}; // nothing is left, and no set has fewer points
    for (int side = 0; side < 2; ++side) {
        const auto& list = side == 0 ? whole.replica : known.replica;
        for (int i = 0; i < list.size(); ++i) {
            const Axis axis = list[i].axis;
            bool seen = i > 0 && list[i - 1].axis == axis;
            for (int k = 0; side == 1 && k < whole.replica.size(); ++k) seen = seen || whole.replica[k].axis == axis;
            if (seen) continue;
            Int step = 1;
            if constexpr (Scaled && K == Known::inner) scale(axis, step);
            InlineVector<BasicIter<Int>, most_digits> terms;
            switch (replica_quotient(whole, term, axis, step, Scaled, terms)) {
            case Answer::no: return no_factor("the replica set is not a sum of the given replicas and progressions");
            case Answer::too_hard: return replicas_too_hard();
            case Answer::yes: break;
            }
            for (auto it : terms) {
                it.stride /= step;
                if (!out.replica.push_back(it)) return replica_capacity<L>();
            }
        }
    }
    return {};
}

/// The factor X of `whole` on the interleaved domain of S_X and S_known.
template <Known K, bool Scaled, class L>
constexpr Status split_off(const L& whole_as_given, const typename L::Shape& whole_shape, const L& known_as_given,
                           const typename L::Shape& known_shape, L& out) noexcept
{
    using Int = typename L::integer;
    if (const Status e = check_admission(whole_as_given, whole_shape); !e.ok()) return e;
    if (const Status e = check_admission(known_as_given, known_shape); !e.ok()) return e;
    if (const Status e = same_rank(whole_shape, known_shape); !e.ok()) return e;
    const int rank = whole_shape.size();

    Int extents[2 * max_rank];
    for (int d = 0; d < rank; ++d) {
        const Int n = quotient(whole_shape[d], known_shape[d]);
        if (n * known_shape[d] != whole_shape[d])
            return Error(errc::not_grouped, d, "dimension {0}: {1} does not divide {2}", d, known_shape[d], whole_shape[d]);
        extents[2 * d] = K == Known::inner ? n : known_shape[d];
        extents[2 * d + 1] = K == Known::inner ? known_shape[d] : n;
    }

    // If the factor exists, so does this grouping. Replica signs move the offset: both are made positive first.
    L whole, known;
    if (const Status e = canonicalize_into(whole_as_given, whole); !e.ok()) return e;
    if (const Status e = canonicalize_into(known_as_given, known); !e.ok()) return e;
    IterGroups<Int> groups, known_groups;
    if (const Status e = cut(whole.shard, extents, 2 * rank, groups.iters, groups.ends, 2); !e.ok()) return e;
    if (const Status e = cut(known.shard, known_shape.items, rank, known_groups.iters, known_groups.ends); !e.ok()) return e;
    const auto scale = [&](const Axis& axis, Int& s) { return scale_of<K, Scaled>(whole, groups, rank, known, axis, s); };

    for (int d = 0; d < rank; ++d) {
        const int own = K == Known::inner ? 2 * d + 1 : 2 * d; // the whole's group that must be the known layout's
        int i = groups.begin(own), k = known_groups.begin(d);
        for (; i < groups.end(own) && k < known_groups.end(d); ++i, ++k) {
            const auto& there = groups.iters[i];
            const auto& here = known_groups.iters[k];
            Int s = 1, stride = here.stride;
            if constexpr (K == Known::outer) {
                if (!scale(here.axis, s) || !mul(here.stride, s, stride))
                    return no_factor_in(d, "dimension {0}: no span of the inner layout fits");
            }
            if (there.extent != here.extent || !(there.axis == here.axis) || there.stride != stride) return groups_not_in_whole(d);
        }
        if (i < groups.end(own) || k < known_groups.end(d)) return groups_not_in_whole(d);
        const int other = K == Known::inner ? 2 * d : 2 * d + 1;
        for (i = groups.begin(other); i < groups.end(other); ++i) {
            const auto& it = groups.iters[i];
            Int s = 1;
            if constexpr (K == Known::inner) scale(it.axis, s);
            if (it.stride % s != 0)
                return no_factor_in(d, "dimension {0}: a stride is not a multiple of the span {1} of the tile", s);
            if (!append(out.shard, it.extent, it.stride / s, it.axis)) return shard_capacity<L>();
        }
    }

    for (int side = 0; side < 2; ++side)
        for (const auto& e : side == 0 ? whole.offset : known.offset) {
            if (side == 1 && whole.offset[e.axis] != 0) continue;
            Int s, there = whole.offset[e.axis], here = known.offset[e.axis];
            if (!scale(e.axis, s)) return replicas_not_spanned();
            if (K == Known::outer && !mul(here, s, here)) return result_overflow();
            if (!sub(there, here, there)) return result_overflow();
            if constexpr (K == Known::inner) {
                if (there % s != 0)
                    return no_factor("the offsets differ by {0}, which is not a multiple of the span {1} of the tile", there, s);
                there /= s;
            }
            if (const Status f = add_offset(out.offset, e.axis, there); !f.ok()) return f;
        }
    out.offset.drop_zeros();

    if (whole.replica.size() + known.replica.size() > 0) {
        if (const Status e = split_off_replicas<K, Scaled>(whole, known, scale, out); !e.ok()) return e;
        if (const Status e = canonical_replica(out.replica, out.offset); !e.ok()) return e;
    }
    return check(out);
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
