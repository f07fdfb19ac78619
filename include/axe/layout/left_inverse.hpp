// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_LEFT_INVERSE_HPP
#define AXE_LAYOUT_LEFT_INVERSE_HPP

#include <axe/layout/exact/left_inverse_cuts.hpp>
#include <axe/layout/exact/left_inverse_search.hpp>
#include <axe/layout/right_inverse.hpp>
#include <axe/layout/span.hpp>
#include <axe/support/errors.hpp>
#include <axe/support/factor.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// M for strides that are a chain: by size, each a multiple of n·s of the one before, and the span one of the last. Digit k of a value is
/// then its digit between s_k and s_{k+1}, and what no value needs is free. Returns whether they are.
template <class L>
constexpr bool left_inverse_of_chain(const L& from, typename L::integer span, Digits<typename L::integer>& out) noexcept
{
    using Int = typename L::integer;
    int order[L::max_shard]{};
    Int weight[L::max_shard]{};
    digit_weights(from.shard, weight);
    order_by_stride(from.shard, order);
    Int filled = 1, stride = 0; // the values below `filled` are decided; the next digit up to there has this stride
    for (int i = 0; i <= from.shard.size(); ++i) {
        const Int next = i < from.shard.size() ? magnitude(from.shard[order[i]].stride) : span;
        if (!divides(filled, next)) return false;
        const Int extent = quotient(next, filled);
        if (i > 0 && extent < from.shard[order[i - 1]].extent) return false;
        if (extent > 1) out.push_back({extent, stride, Axis{}});
        if (i == from.shard.size()) break;
        filled = next;
        stride = from.shard[order[i]].stride < 0 ? Int(-weight[order[i]]) : weight[order[i]];
    }
    return true;
}

} // namespace detail

/// The index of each value:  M on [0, span) with  M(L(x)) = x.      [CuTe left_inverse, made exact]
///
/// For an injective, single-valued layout on one axis whose least value is 0. Between the values of L, M may be anything; it exists iff
/// some layout of size span agrees with L everywhere (`errc::no_layout` otherwise): 4:2 has none, as its span 7 is prime, and
/// (2,3):(5,1) has (2,4):(2,1). `errc::not_single_valued` of replicas; `errc::too_hard` only when a span with many prime factors leaves
/// too many orders of them to try. Cost: linear when the strides are a chain; else the factors of the span and a search.
template <AnyLayout L>
constexpr Result<L> left_inverse(const L& layout) noexcept
{
    using namespace detail;
    using Int = typename L::integer;
    if (const Status e = check(layout); !e.ok()) return e;
    L from;
    if (const Status e = canonicalize_into(layout, from); !e.ok()) return e;
    if (from.replica.size() > 0) return detail::one_value_needed();
    const auto axis = only_axis(from);
    if (!axis) return axis.error();
    for (int k = 0; k < from.shard.size(); ++k)
        if (from.shard[k].stride == 0)
            return Error(errc::no_layout, k, "an iter of extent {0} has stride 0: several indices have the same value",
                         from.shard[k].extent);

    LeftInverseSearch<L> search(from);
    search.span = span_of(from, *axis);
    search.domain = product(from.shard);
    search.start = from.offset[*axis];
    Int least_value = search.start, weight = 1;
    for (int k = from.shard.size() - 1; k >= 0; --k) {
        const auto& it = from.shard[k];
        if (it.stride < 0) {
            least_value += (it.extent - 1) * it.stride;
            search.origin += (it.extent - 1) * weight;
        }
        if (search.pooled < LeftInverseSearch<L>::pool_limit) search.pool[search.pooled++] = weight;
        weight *= it.extent;
    }
    if (least_value != 0)
        return Error(errc::no_layout, -1, "the least value is {0}, but the inverse is on [0, {1}); shift the layout first",
                     least_value, search.span);
    Digits<Int> chain; // innermost first
    if (left_inverse_of_chain(from, search.span, chain)) {
        Result<L> result;
        for (int i = chain.size() - 1; i >= 0; --i)
            if (!append(result->shard, chain[i])) return shard_capacity<L>();
        if (const Status e = add_offset(result->offset, Axis{}, search.origin); !e.ok()) return e;
        return result;
    }
    const auto none = [&] {
        return Error(errc::no_layout, -1, "no layout on [0, {0}) maps every value back to its index", search.span);
    };
    if (LeftInverseCuts<L>(from, search.span).exclude_all()) return none();
    auto place = [&](Int p) {
        int i = 0;
        while (i < search.factors && search.factor[i] != p) ++i;
        if (i == search.factors) {
            search.factor[i] = p;
            search.times[search.factors++] = 0;
        }
        ++search.times[i];
    };
    for_each_prime_factor(search.span, place);
    if (!search.place(1)) {
        if (search.steps <= 0 || search.nodes <= 0 || search.overflowed || search.gave_up)
            return Error(errc::too_hard, -1, "not all orders of the prime factors of the span {0} were tried", search.span);
        return none();
    }
    Result<L> result;
    for (int j = search.placed - 1; j >= 0; --j)
        if (!append(result->shard, search.extent[j], static_cast<Int>(search.solution[j]), Axis{})) return shard_capacity<L>();
    if (const Status e = add_offset(result->offset, Axis{}, search.origin); !e.ok()) return e;
    return result;
}

} // namespace v0
} // namespace axe

#endif
