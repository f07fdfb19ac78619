// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_MIXED_RADIX_HPP
#define AXE_LAYOUT_MIXED_RADIX_HPP

#include <axe/layout/iter.hpp>
#include <axe/layout/shape.hpp>

namespace axe {
inline namespace v0 {

/// A digit of an index, and what each step of it adds:  d(x) = ⌊x / weight⌋ mod extent.
template <class Int>
struct BasicRadixDigit {
    Int extent = 1;
    Int stride = 0;
    Int weight = 1;
    friend constexpr bool operator==(const BasicRadixDigit&, const BasicRadixDigit&) = default;
};

/// The index of one dimension as digits, and a map from it to one integer:
///
///   f(x) = Σ_k d_k(x)·s_k      d_k(x) = ⌊x / w_k⌋ mod n_k      w_k = Π_{j>k} n_j      0 ≤ x < size = Π n_k
///
/// Digits are listed outermost first. It is what a layout does along one dimension that it groups, on one axis; where a dimension moves
/// several axes, the digits are shared and each user keeps what they move. The outermost digit has no end: indices outside [0, size)
/// have values, too, as if the dimension were larger.
template <class Int, int Capacity = 32>
struct BasicMixedRadix {
    using integer = Int;
    using Digit = BasicRadixDigit<Int>;
    /// Weights, ascending.
    using Cuts = InlineVector<Int, 2 * Capacity>;

    InlineVector<Digit, Capacity> digits{};

    /// The digits of iters, the strides as the function gives them: [](const Iter&) -> Int.
    template <class StrideOf>
    static constexpr Result<BasicMixedRadix> from(const BasicIter<Int>* first, const BasicIter<Int>* last,
                                                  StrideOf stride_of) noexcept
    {
        Result<BasicMixedRadix> result;
        for (; first != last; ++first)
            if (const Status e = result->push(first->extent, stride_of(*first)); !e.ok()) return e;
        return result;
    }
    static constexpr Result<BasicMixedRadix> from(const BasicIter<Int>* first, const BasicIter<Int>* last) noexcept
    {
        return from(first, last, [](const BasicIter<Int>& it) { return it.stride; });
    }

    /// Adds a digit inside those there.
    ///
    /// `errc::bad_extent` below 1, `errc::capacity`, `errc::overflow` when the size, a value or their range overflows; each
    /// with the number of the digit. Cost: linear in the digits.
    constexpr Status push(Int extent, Int stride) noexcept
    {
        const int k = digits.size();
        if (extent < 1) return Error(errc::bad_extent, k, "the extent of digit {0} is {1}; it must be at least 1", k, extent);
        if (digits.full()) return Error(errc::capacity, k, "a dimension has at most {0} digits", Capacity);
        Int product = 1;
        if (!detail::mul(size(), extent, product))
            return Error(errc::overflow, k, "the product of the extents overflows at digit {0}", k);
        for (Digit& d : digits) d.weight *= extent;
        digits.push_back({extent, stride, 1});
        return range().error();
    }

    /// The number of indices.
    [[nodiscard]] constexpr Int size() const noexcept { return digits.empty() ? Int{1} : digits[0].weight * digits[0].extent; }

    /// Calls f(k, d_k(x)) for each digit, innermost first. Cost: a division for each digit but the outermost.
    template <class F>
    constexpr void for_each_digit(Int x, F&& f) const noexcept
    {
        for (int k = digits.size() - 1; k > 0; --k) {
            const Int q = detail::floor_div(x, digits[k].extent);
            f(k, Int(x - q * digits[k].extent));
            x = q;
        }
        if (!digits.empty()) f(0, x);
    }

    /// f(x).
    [[nodiscard]] constexpr Int operator()(Int x) const noexcept
    {
        Int sum = 0;
        for_each_digit(x, [&](int k, Int d) { sum += d * digits[k].stride; });
        return sum;
    }

    /// The least value and one more than the greatest. `errc::overflow` when they, or their difference, overflow: no map has
    /// such values to which every digit was added without an error.
    [[nodiscard]] constexpr Result<BasicRange<Int>> range() const noexcept
    {
        Int low = 0, high = 1, part = 0;
        bool fits = true;
        for (const Digit& d : digits) {
            fits = fits && detail::mul(Int(d.extent - 1), d.stride, part);
            fits = fits && (part < 0 ? detail::add(low, part, low) : detail::add(high, part, high));
        }
        if (!fits || !detail::sub(high, low, part))
            return Error(errc::overflow, digits.size() - 1, "the values of {0} digits overflow", digits.size());
        return BasicRange<Int>{low, high};
    }

    /// Is it  x ↦ x·s , with s the innermost stride that counts?
    [[nodiscard]] constexpr bool is_linear() const noexcept
    {
        const Int s = slope();
        for (const Digit& d : digits) {
            Int linear = 0;
            if (d.extent > 1 && (!detail::mul(s, d.weight, linear) || linear != d.stride)) return false;
        }
        return true;
    }
    /// f(1): the stride of the innermost digit of an extent above 1.
    [[nodiscard]] constexpr Int slope() const noexcept
    {
        for (int k = digits.size() - 1; k >= 0; --k)
            if (digits[k].extent > 1) return digits[k].stride;
        return 0;
    }

    /// Do the digits part there:  w_k | w | w_k·n_k  for some k? Then  f(x) = f(x mod w) + f(x − x mod w)  whatever the strides.
    [[nodiscard]] constexpr bool cuts_at(Int w) const noexcept
    {
        if (digits.empty()) return w == 1;
        for (const Digit& d : digits)
            if (w > 0 && w % d.weight == 0 && d.weight * d.extent % w == 0) return true;
        return false;
    }

    /// The same map with a boundary of digits wherever the other has one, too, and with no further ones but of extent 1.
    ///
    /// Exists iff the boundaries of both divide into one chain: `errc::not_grouped` with the number of the digit otherwise;
    /// `errc::size_mismatch`, `errc::capacity`. a.refined(b) and b.refined(a) have the same extents. Cost: linear in the digits of both.
    [[nodiscard]] constexpr Result<BasicMixedRadix> refined(const BasicMixedRadix& other) const noexcept
    {
        if (size() != other.size())
            return Error(errc::size_mismatch, -1, "the digits give {0} indices, those of the other {1}", size(), other.size());
        Result<BasicMixedRadix> result;
        Int here = 1, there = 1; // what is left of either digit, inside what is done
        for (int i = 0, j = 0;;) {
            while (here == 1 && i < digits.size()) here = digits[i++].extent;
            while (there == 1 && j < other.digits.size()) there = other.digits[j++].extent;
            if (here == 1) return result;
            const Int n = detail::least(here, there);
            if (!detail::divides(n, here) || !detail::divides(n, there)) {
                const Int inside = detail::quotient(size(), result->size()), a = inside / here, b = inside / there;
                return Error(errc::not_grouped, result->digits.size(),
                             "the digits end after {0} and after {1} indices; one must divide the other", detail::least(a, b),
                             detail::greatest(a, b));
            }
            here = detail::quotient(here, n);
            there = detail::quotient(there, n);
            if (const Status e = result->push(n, digits[i - 1].stride * here); !e.ok()) return e;
        }
    }

    /// The finest digits along which both maps part, whatever the strides: their weights from 1 to the size, each dividing the next.
    ///
    /// Where the boundaries of both divide into one chain, these are all of them; elsewhere a digit may span several of either.
    /// For maps of one size. Cost: cubic in the digits.
    [[nodiscard]] constexpr Cuts common_cuts(const BasicMixedRadix& other) const noexcept
    {
        Cuts cuts;
        cuts.push_back(1);
        for (Int low = 1; low < size();) {
            Int next = size();
            const auto take = [&](Int w) {
                if (w > low && w < next && detail::divides(low, w) && cuts_at(w) && other.cuts_at(w)) next = w;
            };
            for (int i = 0; i < digits.size(); ++i) {
                take(digits[i].weight);
                for (int j = 0; j < other.digits.size(); ++j) {
                    const Int x = digits[i].weight, y = other.digits[j].weight, g = detail::gcd(x, y);
                    Int multiple = 0;
                    take(y);
                    take(g);
                    if (detail::mul(Int(x / g), y, multiple)) take(multiple);
                }
            }
            cuts.push_back(next);
            low = next;
        }
        return cuts;
    }

    /// The index of each value:  inverse()(f(x)) = x.
    ///
    /// Exists iff f is a bijection onto [0, size): the strides, by size, run 1, n_1, n_1·n_2, …; `errc::no_layout` otherwise.
    /// Cost: quadratic in the digits.
    [[nodiscard]] constexpr Result<BasicMixedRadix> inverse() const noexcept
    {
        Result<BasicMixedRadix> result;
        for (Int inside = size(); inside > 1;) {
            int k = 0;
            while (k < digits.size() && (digits[k].extent == 1 || !detail::divides(digits[k].extent, inside) ||
                                         digits[k].stride != detail::quotient(inside, digits[k].extent)))
                ++k;
            if (k == digits.size()) return Error(errc::no_layout, -1, "no digit ends after {0} consecutive values", inside);
            if (const Status e = result->push(digits[k].extent, digits[k].weight); !e.ok()) return e;
            inside = digits[k].stride;
        }
        return result;
    }

    friend constexpr bool operator==(const BasicMixedRadix&, const BasicMixedRadix&) = default;
};

using MixedRadix = BasicMixedRadix<std::int64_t>;

} // namespace v0
} // namespace axe

#endif
