// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_EXACT_FLOOR_FORM_HPP
#define AXE_LAYOUT_EXACT_FLOOR_FORM_HPP

#include <axe/layout/exact/digits.hpp>

/// Sums of floors of affine forms over a box of digits, and the first place where one is not zero.
namespace axe {
inline namespace v0 {
namespace detail {

/// ψ(d) = Σ_i G_i·⌊(c_i + Σ_j a_ij·d_j) / q_i⌋  over 0 ≤ d_j < n_j, in the order of the digits, last fastest.
///
/// The first d with ψ(d) ≠ 0 is found by cutting the box into parts. On each the terms are brought to a normal form (multiples of q
/// out of the coefficients, common divisors out of the fraction, signs turned), equal ones merge, those whose floor is constant drop
/// out; when none is left ψ is affine there, and its first zero-breaking point is read off. A part is split where a floor wraps most:
/// into the residues of a digit modulo a small b when steps of b are nearly 0 modulo q, in halves otherwise. A digit need never run past one period
/// of all its terms and one more: ψ shifted by the period is ψ plus a constant.
template <class Int>
class FloorForm {
  public:
    using Wide = wider_t<Int>;
    using Modular = modular_t<Int>; // factors and sums may pass the wide range on the way to a value that fits
    static constexpr int most_terms = 2 * most_digits;
    static constexpr int most_variables = 64;

    constexpr FloorForm(const Int* extents, int variables) noexcept : variables_(variables)
    {
        for (int j = 0; j < variables; ++j) {
            extent_[j] = extents[j];
            zeros_[j] = 0;
        }
    }

    constexpr void clear() noexcept { terms_ = 0; }

    /// Adds G·⌊(c + Σ a_j·d_j) / q⌋.
    AXE_COLD constexpr void add(Wide factor, Wide constant, const Int* coefficients, Int divisor) noexcept
    {
        if (factor == 0) return;
        const auto weight = static_cast<Modular>(factor);
        for (int i = 0; i < terms_; ++i)
            if (divisor_[i] == divisor && constant_[i] == constant && coefficients_[i] == coefficients) {
                factor_[i] += weight;
                return;
            }
        factor_[terms_] = weight;
        constant_[terms_] = constant;
        coefficients_[terms_] = coefficients;
        divisor_[terms_++] = divisor;
    }

    /// Adds a constant.
    constexpr void add(Wide constant) noexcept { add(constant, 1, zeros_, 1); }

    /// The first index (row-major over the digits) at which the sum is not 0; −1 if none exists.
    /// @param steps counts down the boxes looked at; at 0 the search ends undecided
    AXE_COLD constexpr Wide first_nonzero(std::int64_t& steps) noexcept
    {
        Box box{};
        for (int j = 0; j < variables_; ++j) {
            box.lo[j] = 0;
            box.step[j] = 1;
            box.extent[j] = extent_[j];
        }
        best_ = -1;
        search(box, steps);
        return best_;
    }

  private:
    /// The digits d_j = lo_j + step_j·u_j for 0 ≤ u_j < extent_j.
    struct Box {
        Int lo[most_variables];
        Int step[most_variables];
        Int extent[most_variables];
    };
    /// A term in normal form over a box.
    struct Normal {
        Modular factor;
        Wide constant, divisor;
        Wide slope[most_variables];
    };

    int variables_;
    int terms_ = 0;
    Int zeros_[most_variables];
    Int extent_[most_variables];
    Modular factor_[most_terms];
    Wide constant_[most_terms];
    const Int* coefficients_[most_terms];
    Int divisor_[most_terms];

    Normal normal_[most_terms];
    int normals_ = 0;
    Modular affine_constant_ = 0;
    Modular slope_[most_variables];
    Wide best_ = -1; ///< the least index found so far, −1 for none

    static constexpr Wide down(Wide a, Wide b) noexcept { return floor_div<Wide>(a, b); }
    static constexpr Wide divisor_of(Wide a, Wide b) noexcept { return gcd<Wide>(a, b); }

    AXE_COLD constexpr void reduce(Normal& t, const Box& box) noexcept
    {
        // multiples of q leave the slopes; what stays is the residue nearest to 0, which keeps the range small
        for (int j = 0; j < variables_; ++j) {
            if (box.extent[j] == 1) {
                t.slope[j] = 0;
                continue;
            }
            Wide k = down(t.slope[j], t.divisor), r = t.slope[j] - k * t.divisor;
            if (2 * r > t.divisor) {
                ++k;
                r -= t.divisor;
            }
            slope_[j] += t.factor * static_cast<Modular>(k);
            t.slope[j] = r;
        }
        const Wide k = down(t.constant, t.divisor);
        affine_constant_ += t.factor * static_cast<Modular>(k);
        t.constant -= k * t.divisor;
    }

    AXE_COLD constexpr void normalize(int i, const Box& box) noexcept
    {
        Normal& t = normal_[normals_];
        t.factor = factor_[i];
        t.divisor = divisor_[i];
        t.constant = constant_[i];
        for (int j = 0; j < variables_; ++j) {
            t.slope[j] = Wide(coefficients_[i][j]) * box.step[j];
            t.constant += Wide(coefficients_[i][j]) * box.lo[j];
        }
        reduce(t, box);
        Wide common = t.divisor, low = t.constant, high = t.constant;
        int sign = 0;
        for (int j = 0; j < variables_; ++j) {
            if (t.slope[j] == 0) continue;
            common = divisor_of(common, t.slope[j]);
            (t.slope[j] < 0 ? low : high) += t.slope[j] * (box.extent[j] - 1);
            if (sign == 0) sign = t.slope[j] < 0 ? -1 : 1;
        }
        if (down(low, t.divisor) == down(high, t.divisor)) {
            affine_constant_ += t.factor * static_cast<Modular>(down(low, t.divisor));
            return;
        }
        if (common > 1) {
            t.divisor /= common;
            t.constant = down(t.constant, common);
            for (int j = 0; j < variables_; ++j) t.slope[j] /= common;
        }
        if (sign < 0) { // ⌊y/q⌋ = −⌊(q−1−y)/q⌋
            t.factor = Modular{0} - t.factor;
            t.constant = t.divisor - 1 - t.constant;
            for (int j = 0; j < variables_; ++j) t.slope[j] = -t.slope[j];
        }
        reduce(t, box);
        for (int k = 0; k < normals_; ++k) {
            Normal& u = normal_[k];
            if (u.divisor != t.divisor || u.constant != t.constant) continue;
            bool same = true;
            for (int j = 0; j < variables_ && same; ++j) same = u.slope[j] == t.slope[j];
            if (!same) continue;
            u.factor += t.factor;
            return;
        }
        ++normals_;
    }

    /// All terms over the box, and the box cut down to the periods; what is affine goes to slope_ and affine_constant_.
    AXE_COLD constexpr void normalize(Box& box) noexcept
    {
        for (bool again = true; again;) {
            again = false;
            normals_ = 0;
            affine_constant_ = 0;
            for (int j = 0; j < variables_; ++j) slope_[j] = 0;
            for (int i = 0; i < terms_; ++i) normalize(i, box);
            for (int k = normals_ - 1; k >= 0; --k)
                if (normal_[k].factor == 0) {
                    const Normal& last = normal_[--normals_];
                    normal_[k].factor = last.factor;
                    normal_[k].constant = last.constant;
                    normal_[k].divisor = last.divisor;
                    for (int j = 0; j < variables_; ++j) normal_[k].slope[j] = last.slope[j];
                }
            for (int j = 0; j < variables_; ++j) {
                Wide period = 1;
                for (int k = 0; k < normals_ && period < box.extent[j]; ++k) {
                    if (normal_[k].slope[j] == 0) continue;
                    const Wide p = normal_[k].divisor / divisor_of(normal_[k].divisor, normal_[k].slope[j]);
                    period = period / divisor_of(period, p) * p;
                }
                if (period + 1 < box.extent[j]) {
                    box.extent[j] = static_cast<Int>(period + 1);
                    again = true;
                }
            }
        }
    }

    [[nodiscard]] constexpr Wide index(const Box& box, int moved = -1) const noexcept
    {
        Wide x = 0;
        for (int j = 0; j < variables_; ++j) x = x * extent_[j] + box.lo[j] + (j == moved ? box.step[j] : 0);
        return x;
    }
    constexpr void found(Wide x) noexcept
    {
        if (best_ < 0 || x < best_) best_ = x;
    }

    /// The digit to cut, and into how many residues; 1 for halves.
    struct Cut {
        int digit = 0;
        Int residues = 1;
    };
    [[nodiscard]] AXE_COLD constexpr Cut choose_cut(const Box& box) const noexcept
    {
        // How often term k wraps along digit j. What is chosen is critical for the cost only, so floating point will do.
        const auto wraps = [&](Wide slope, Wide extent, Wide divisor) {
            return static_cast<double>(magnitude(slope)) * static_cast<double>(extent - 1) / static_cast<double>(divisor);
        };
        Cut cut;
        int term = 0;
        double most = -1;
        for (int k = 0; k < normals_; ++k)
            for (int j = 0; j < variables_; ++j)
                if (const double w = wraps(normal_[k].slope[j], box.extent[j], normal_[k].divisor); w > most && box.extent[j] > 1) {
                    most = w;
                    term = k;
                    cut.digit = j;
                }
        const Wide extent = box.extent[cut.digit], divisor = normal_[term].divisor;
        double least_wraps = most / 4;
        for (Int b = 2; b <= 32 && 2 * b <= extent && most > 1; ++b) {
            Wide slope = floor_mod<Wide>(normal_[term].slope[cut.digit] * b, divisor);
            if (2 * slope > divisor) slope -= divisor;
            if (const double w = wraps(slope, extent / b + 1, divisor); w < least_wraps) {
                least_wraps = w / 4; // more residues must gain as much again
                cut.residues = b;
            }
        }
        return cut;
    }

    AXE_COLD constexpr void search(Box box, std::int64_t& steps) noexcept
    {
        if (--steps <= 0) return;
        if (best_ >= 0 && index(box) >= best_) return;
        normalize(box);
        if (normals_ == 0) {
            if (affine_constant_ != 0) return found(index(box));
            for (int j = 0; j < variables_; ++j)
                if (slope_[j] != 0 && box.extent[j] > 1) found(index(box, j));
            return;
        }
        const Cut cut = choose_cut(box);
        const int j = cut.digit;
        Box part = box;
        if (cut.residues > 1) {
            for (Int r = 0; r < cut.residues; ++r) {
                part.lo[j] = box.lo[j] + r * box.step[j];
                part.step[j] = box.step[j] * cut.residues;
                part.extent[j] = (box.extent[j] - r + cut.residues - 1) / cut.residues;
                search(part, steps);
            }
            return;
        }
        const Int half = box.extent[j] / 2;
        part.extent[j] = half;
        search(part, steps);
        part.lo[j] += half * box.step[j];
        part.extent[j] = box.extent[j] - half;
        search(part, steps);
    }
};

/// Adds to ψ the coordinate on one axis of a list of iters at the index  constant + Σ_j coefficients_j·d_j, times `sign`:
/// digit k of an index X is ⌊X/W_k⌋ − n_k·⌊X/(n_k·W_k)⌋; the outermost digit of an index in the domain needs no second term.
template <class Int>
constexpr void add_coordinate(FloorForm<Int>& form, const BasicIter<Int>* iters, int count, const Axis& axis, int sign,
                              Int constant, const Int* coefficients) noexcept
{
    Int inner = 1;
    for (int k = count - 1; k >= 0; --k) {
        if (iters[k].stride != 0 && iters[k].axis == axis) {
            const auto factor = sign * wider_t<Int>(iters[k].stride);
            form.add(factor, constant, coefficients, inner);
            if (k > 0) form.add(-factor * iters[k].extent, constant, coefficients, inner * iters[k].extent);
        }
        inner *= iters[k].extent;
    }
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
