// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_MIXED_RADIX_DIVISION_HPP
#define AXE_MAP_MIXED_RADIX_DIVISION_HPP

#include <axe/map/mixed_radix/digits.hpp>

/// Floor division of sums of digits by constants.
namespace axe {
inline namespace v0 {
namespace detail {

/// Which multiple of the divisor is taken out of a stride: the one that leaves a rest of the stride's sign, the nearest, or the
/// one below.
enum class DigitRest { same_sign, nearest, not_negative };

class DigitDivision {
  public:
    explicit DigitDivision(DigitForms& forms) noexcept : forms_(&forms) {}

    /// ⌊f/k⌋ for k ≠ 0.
    ///
    /// Multiples of k come out of the constant and of the strides; where the rests of all digits together stay between two multiples
    /// of k, that is all. A digit whose rest r divides k is cut where it passes k: at k/|r|. If that fails, the division is done in
    /// two, first by the largest divisor of k for which it succeeds. What then cannot be divided becomes a separate index.
    DigitForm operator()(const DigitForm& f, std::int64_t k)
    {
        if (k < 0) {
            if (k == every_integer.low) return {};
            forms_->open();
            forms_->put(f, -1);
            return (*this)(forms_->close(), -k);
        }
        FloorDigits d;
        if (!digits_of(*forms_, f, d)) return {};
        if (within(d, k)) return forms_->remember(f, k, forms_->close());

        int order[FloorDigits::capacity];
        for (int i = 0; i < d.count; ++i) {
            int at = i;
            for (; at > 0 && size_of(d.items[order[at - 1]].factor) < size_of(d.items[i].factor); --at) order[at] = order[at - 1];
            order[at] = i;
        }
        std::int64_t common = k;
        for (int i = 0; i < d.count && common > 1; ++i) {
            const std::int64_t before = common;
            common = static_cast<std::int64_t>(gcd<Wide>(common, d.items[order[i]].factor));
            if (common == before || common == 1 || !within(d, common)) continue;
            const DigitForm q = (*this)(forms_->close(), k / common);
            Wide low = 0, high = 0;
            std::int64_t from = 0, to = 0;
            if (q.count == 1 && forms_->index(forms_->begin(q)->index).form.is_known() && forms_->index_of(f) < 0 &&
                digit_range(d, low, high) && narrow(low - f.constant, from) && narrow(high - f.constant, to))
                forms_->add_index(from, to, {0, f.first, f.count});
            return forms_->remember(f, k, q);
        }
        return forms_->remember(f, k, divide_as_one(d, k));
    }

  private:
    using Wide = DigitForms::Wide;
    static Wide size_of(std::int64_t n) noexcept { return n < 0 ? -Wide(n) : Wide(n); }

    static std::int64_t rest_of(std::int64_t stride, std::int64_t k, DigitRest rule) noexcept
    {
        const std::int64_t r = stride % k;
        if (rule == DigitRest::same_sign) return r;
        const std::int64_t up = r < 0 ? r + k : r;
        return rule == DigitRest::nearest && up > k - up ? up - k : up;
    }
    /// Where digit z of rest r is cut so that what is outside counts in multiples of k; 0 for nowhere.
    static std::int64_t cut_of(const DigitItem& z, std::int64_t r, std::int64_t k) noexcept
    {
        if (k % r != 0) return 0;
        const std::int64_t at = r < 0 ? -(k / r) : k / r;
        std::int64_t outer = 0;
        if ((z.low >= 0 && z.high < at) || (z.extent != 0 && z.extent % at != 0) || !mul(z.step, at, outer)) return 0;
        return at;
    }

    /// ⌊d/k⌋ where the rests stay within one interval [n·k, n·k + k); left open in the forms.
    bool within(const FloorDigits& d, std::int64_t k)
    {
        std::int64_t rest[FloorDigits::capacity], cut[FloorDigits::capacity];
        for (const DigitRest rule : {DigitRest::same_sign, DigitRest::nearest, DigitRest::not_negative}) {
            Wide low = floor_mod(d.constant, k), high = low;
            for (int i = 0; i < d.count; ++i) {
                const DigitItem& z = d.items[i];
                const std::int64_t r = rest[i] = rest_of(z.factor, k, rule), at = cut[i] = r != 0 ? cut_of(z, r, k) : 0;
                if (!widen(low, high, r, at != 0 ? 0 : z.low, at != 0 ? at - 1 : z.high)) return false;
            }
            const Wide quotient = axe::detail::floor_div<Wide>(low, k);
            if (quotient != axe::detail::floor_div<Wide>(high, k)) continue;
            for (int i = 0; i < d.count; ++i)
                if (const DigitItem& z = d.items[i]; cut[i] != 0) know(z.index, z.step * cut[i], z.shift);
            forms_->open(axe::detail::floor_div(d.constant, k));
            forms_->put(static_cast<std::int64_t>(quotient));
            for (int i = 0; i < d.count; ++i) {
                const DigitItem& z = d.items[i];
                forms_->put(z, static_cast<std::int64_t>((Wide(z.factor) - rest[i]) / k));
                const std::int64_t at = cut[i];
                if (at != 0) forms_->put({z.index, z.step * at, z.shift, z.extent / at, 0, 0, 0}, rest[i] < 0 ? -1 : 1);
            }
            return true;
        }
        return false;
    }

    /// Sees to it that the quotient of a divided sum has its one form.
    void know(std::int32_t index, std::int64_t step, std::int64_t shift)
    {
        const DigitForm form = forms_->index(index).form;
        if (!form.is_known() || forms_->quotient_of(index, step, floor_mod(shift, step)) != nullptr) return;
        forms_->open(shift);
        forms_->put(form);
        (*this)(forms_->close(), step);
    }

    /// ⌊(s + c)/k⌋ of a sum s of digits as a separate index, its first stride positive, 0 ≤ c < k.
    DigitForm divide_as_one(const FloorDigits& d, std::int64_t k)
    {
        const DigitItem* lead = nullptr;
        for (const DigitItem& z : d)
            if (z.factor % k != 0 && (lead == nullptr || size_of(z.factor) > size_of(lead->factor))) lead = &z;
        const int sign = lead->factor < 0 ? -1 : 1;
        // ⌊(c − s)/k⌋ = −⌊(s − c + k − 1)/k⌋
        const std::int64_t rest = floor_mod(d.constant, k);
        std::int64_t shift = sign > 0 ? rest : k - 1 - rest;

        Wide low = 0, high = 0;
        forms_->open();
        for (const DigitItem& z : d) {
            std::int64_t factor = z.factor;
            if (factor % k == 0) continue;
            if (sign < 0 && !sub(std::int64_t{0}, factor, factor)) return {};
            forms_->put(z, factor);
            if (!widen(low, high, factor, z.low, z.high)) return {};
        }
        DigitForm sum = forms_->close();
        if (!sum.is_known() || !add(shift, sum.constant, shift)) return {};
        const Wide constant = sum.constant;
        sum.constant = 0;

        DigitForm quotient;
        if (sum.count == 1 && forms_->begin(sum)->factor == 1) { // ⌊(⌊(u + a)/b⌋ + c)/k⌋ = ⌊(u + a + b·c)/(b·k)⌋
            const DigitTerm t = *forms_->begin(sum);
            std::int64_t step = 0;
            if (!mul(t.step, k, step) || !mul(t.step, shift, shift) || !add(shift, t.shift, shift)) return {};
            know(t.index, step, shift);
            forms_->open();
            forms_->put(t.index, step, shift, 1);
            quotient = forms_->close();
        } else if (sum.count == 1 && values_of_few(*forms_->begin(sum), shift, k, quotient)) {
            // done
        } else {
            if (forms_->only_variables) return {};
            std::int32_t at = forms_->index_of(sum);
            std::int64_t from = 0, to = 0;
            if (!sub<Wide>(low, constant, low) || !sub<Wide>(high, constant, high) || !narrow(low, from) || !narrow(high, to))
                return {};
            if (at < 0) at = forms_->add_index(from, to, sum);
            forms_->open();
            forms_->put(at, k, shift, 1);
            quotient = forms_->close();
        }
        forms_->open(axe::detail::floor_div(d.constant, k));
        for (const DigitItem& z : d)
            if (z.factor % k == 0) forms_->put(z, z.factor / k);
        forms_->put(quotient, sign);
        return forms_->close();
    }

    /// ⌊(factor·z + c)/k⌋ of a floor z that is 0, 1 or 2, from its values: v0 + (v1 − v0)·z + (v2 − 2·v1 + v0)·⌊z/2⌋.
    bool values_of_few(const DigitTerm& t, std::int64_t c, std::int64_t k, DigitForm& out)
    {
        const DigitIndex& u = forms_->index(t.index);
        std::int64_t outer = 0, value[3] = {};
        if (u.form.is_known() || axe::detail::floor_div<Wide>(Wide(u.low) + t.shift, t.step) != 0 ||
            axe::detail::floor_div<Wide>(Wide(u.high) + t.shift, t.step) > 2 || !mul(t.step, std::int64_t{2}, outer))
            return false;
        for (int z = 0; z < 3; ++z) {
            std::int64_t at = c;
            if (!add_product(t.factor, std::int64_t{z}, at)) return false;
            value[z] = axe::detail::floor_div(at, k);
        }
        std::int64_t step = 0, bend = 0;
        if (!sub(value[1], value[0], step) || !sub(value[2], value[1], bend) || !sub(bend, step, bend)) return false;
        forms_->open(value[0]);
        forms_->put(t.index, t.step, t.shift, step);
        forms_->put(t.index, outer, t.shift, bend);
        out = forms_->close();
        return out.is_known();
    }

    DigitForms* forms_;
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
