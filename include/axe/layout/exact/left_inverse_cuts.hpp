// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_EXACT_LEFT_INVERSE_CUTS_HPP
#define AXE_LAYOUT_EXACT_LEFT_INVERSE_CUTS_HPP

#include <axe/layout/exact/digits.hpp>
#include <axe/layout/layout.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// What the iters of L alone say of a left inverse M on [0, span), without a search.
///
///   M(v) = origin + t·v + Σ_w c_w·⌊v/w⌋      w: where the digits of M are cut, divisors of the span, each one of the next
///
/// With all strides counted upwards, M(a + b) − M(a) is M(b) − M(0) for values a and b of indices that add digit by digit: so
/// Σ { c_w : a mod w + b mod w ≥ w }, the cuts at which they carry, is 0. A w at which nothing carries is free. At any other, c_w = 0,
/// if for some a and b no other that may be one, and that divides it or is its multiple, carries as well. What is left solves
/// t·s_k + Σ_w c_w·⌊s_k/w⌋ = the weight of iter k, stride by stride from the smallest on, where ⌊s_k/w⌋ is 0 of all w > s_k.
template <class L>
struct LeftInverseCuts {
    using Int = typename L::integer;
    static constexpr Int most_tried = 64; ///< numbers that may be divisors, at one stride

    const L& layout; ///< canonical, on one axis, no stride 0, least value 0
    Int span = 1;
    int order[L::max_shard]{};
    static constexpr int most_divisors = 64;
    Int divisor[most_divisors]; ///< where one cut is decided by others: all divisors but 1 and the span,
    int divisors = 0;
    std::uint64_t left = 0; ///< and which of them may be cuts
    enum class Kind : std::uint8_t { free, none, open };

    constexpr LeftInverseCuts(const L& l, Int values) noexcept : layout(l), span(values) { order_by_stride(l.shard, order); }

    /// Is it certain that there is no inverse? Cost: quadratic in the iters; seldom more, the divisors of the span times as much.
    [[nodiscard]] constexpr bool exclude_all() noexcept
    {
        bool open = false;
        const bool excluded = exclude_all([&](Int w, int k, Int footprint) {
            const Kind kind = kind_of(w, k, footprint);
            open = open || kind == Kind::open;
            return kind;
        });
        if (!open) return excluded;
        return compare_carries() && exclude_all([&](Int w, int, Int) {
                   int i = 0;
                   while (divisor[i] != w) ++i;
                   return (left >> i & 1) != 0 ? Kind::free : Kind::none;
               });
    }

  private:
    static constexpr Int quotient_of(Int a, Int b) noexcept { return a < 0 ? -quotient(-a, b) : quotient(a, b); }

    /// The equations, one for each stride; `kind_of_cut` says which cuts may be in them.
    template <class KindOfCut>
    [[nodiscard]] constexpr bool exclude_all(KindOfCut kind_of_cut) const noexcept
    {
        Int weight[L::max_shard]{}, cuts[L::max_shard]{}, factors[L::max_shard]{}, slope = 0, footprint = 0;
        int count = 0;
        digit_weights(layout.shard, weight);
        for (int k = 0; k < layout.shard.size(); ++k) {
            const auto& it = layout.shard[order[k]];
            const Int s = magnitude(it.stride);
            Int open = it.stride < 0 ? -weight[order[k]] : weight[order[k]], term = 0;
            if (!mul(slope, s, term) || !sub(open, term, open)) return false;
            for (int c = 0; c < count; ++c)
                if (!mul(factors[c], quotient(s, cuts[c]), term) || !sub(open, term, open)) return false;
            // The cuts up to this stride and above the values of the smaller ones; below those all carry, and no multiple of them.
            Int common = k == 0 ? s : 0, cut = 0;
            int found = 0;
            const auto see = [&](Int w) {
                const Kind kind = kind_of_cut(w, k, footprint);
                if (kind == Kind::free) {
                    common = gcd(common, quotient(s, w));
                    cut = w;
                    ++found;
                }
                return kind != Kind::open;
            };
            if (!for_each_divisor(greatest<Int>(2, footprint + 1), s, see)) return false;
            if (found == 0 && k > 0) {
                if (open != 0) return true;
            } else if (!divides(common, open)) {
                return true;
            } else if (k == 0) {
                if (found > 0) return false;
                slope = quotient_of(open, s);
            } else if (found > 1) {
                return false;
            } else if (open != 0) {
                if (count > 0 && !divides(cuts[count - 1], cut)) return true; // both are cuts, and no digits are between them
                cuts[count] = cut;
                factors[count++] = quotient_of(open, quotient(s, cut));
            }
            footprint += (it.extent - 1) * s;
        }
        return false;
    }

    /// Finds what is left of all divisors; returns whether they are few enough.
    constexpr bool compare_carries() noexcept
    {
        if (span > Int{1} << 12) return false;
        for (Int w = 2; w <= quotient(span, w); ++w) {
            if (!divides(w, span)) continue;
            if (divisors > most_divisors - 2) return false;
            divisor[divisors++] = w;
            if (w * w != span) divisor[divisors++] = quotient(span, w);
        }
        std::uint64_t related[most_divisors]{};
        for (int i = 0; i < divisors; ++i)
            for (int j = 0; j < divisors; ++j)
                if (divides(divisor[i], divisor[j]) || divides(divisor[j], divisor[i])) related[i] |= std::uint64_t{1} << j;
        left = divisors == 0 ? 0 : ~std::uint64_t{0} >> (64 - divisors);
        for (bool changed = true; changed;) {
            changed = false;
            const auto see = [&](Int a, Int b) {
                std::uint64_t carry = 0;
                for (int i = 0; i < divisors; ++i)
                    if ((left >> i & 1) != 0 && a % divisor[i] + b % divisor[i] >= divisor[i]) carry |= std::uint64_t{1} << i;
                for (int i = 0; i < divisors; ++i)
                    if ((carry & related[i]) == std::uint64_t{1} << i) {
                        left &= ~(std::uint64_t{1} << i);
                        changed = true;
                    }
            };
            for (int k = 0; k < layout.shard.size(); ++k) {
                const auto& outer = layout.shard[order[k]];
                const Int s = magnitude(outer.stride), most = (outer.extent - 1) * s;
                for (Int value = s; value < least<Int>(most, most_tried * s); value += s) see(value, s);
                Int footprint = 0;
                for (int j = 0; j < k; ++j) {
                    const auto& inner = layout.shard[order[j]];
                    footprint += (inner.extent - 1) * magnitude(inner.stride);
                    see(magnitude(inner.stride), s);
                    see((inner.extent - 1) * magnitude(inner.stride), most);
                }
                if (k > 0) see(footprint, most);
            }
        }
        return true;
    }

    /// Calls see(w) with the divisors of the span in [low, high]; returns whether none of the calls said no, nor were there too many numbers.
    template <class See>
    constexpr bool for_each_divisor(Int low, Int high, See see) const noexcept
    {
        if (low > high) return true;
        const Int least_factor = quotient(span - 1, high) + 1, greatest_factor = quotient(span, low);
        if (high - low <= greatest_factor - least_factor) {
            if (high - low >= most_tried) return false;
            for (Int w = low; w <= high; ++w)
                if (divides(w, span) && !see(w)) return false;
        } else {
            if (greatest_factor - least_factor >= most_tried) return false;
            for (Int q = least_factor; q <= greatest_factor; ++q)
                if (divides(q, span) && !see(quotient(span, q))) return false;
        }
        return true;
    }

    /// What a cut is above the `reach` of the first k strides, and at stride k at most.
    [[nodiscard]] constexpr Kind kind_of(Int w, int k, Int footprint) const noexcept
    {
        Int rest = footprint, value = footprint; // of the last values of the strides so far
        for (int j = k; j < layout.shard.size(); ++j) {
            const auto& it = layout.shard[order[j]];
            const Int s = magnitude(it.stride), r = s - quotient(s, w) * w, most = (it.extent - 1) * r;
            if (most > w - 1 - rest) { // the step at which they carry
                value += quotient(w - 1 - rest, r) * s;
                const Int multiples = quotient(value + s, w);
                if (multiples >= most_tried) return Kind::open;
                for (Int m = 2; m <= multiples; ++m) {
                    const Int wider = m * w;
                    if (divides(wider, span) && value % wider + s % wider >= wider) return Kind::open;
                }
                return Kind::none;
            }
            rest += most;
            value += (it.extent - 1) * s;
        }
        return Kind::free;
    }
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
