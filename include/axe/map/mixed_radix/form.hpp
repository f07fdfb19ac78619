// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_MIXED_RADIX_FORM_HPP
#define AXE_MAP_MIXED_RADIX_FORM_HPP

#include <axe/map/interval.hpp>
#include <axe/map/small_vector.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

/// Sums of floors: what index expressions are once their digits are known.
///
/// A form is  constant + Σ factor·⌊(u + shift)/step⌋  over indices u: variables, all dimensions as one row-major index, or sums that
/// were divided (`DigitIndex::form`). On 0 ≤ u < n the functions ⌊u/q⌋, 1 ≤ q < n, are independent: u = y is the first place where
/// ⌊u/y⌋ is not 0. So a function of u has one such form, sums cancel what cancels, and a form is a layout's iff the steps of its
/// terms divide one another and n, without shift: iter k, with the product W of the extents inside it, is the digit between the
/// steps W and W·n_k.
namespace axe {
inline namespace v0 {
namespace detail {

/// factor·⌊(u + shift)/step⌋ with 0 ≤ shift < step.
struct DigitTerm {
    std::int32_t index; // no defaults: lists of terms in working memory cost nothing
    std::int64_t step, shift, factor;

    [[nodiscard]] bool same_floor(const DigitTerm& o) const noexcept
    {
        return index == o.index && step == o.step && shift == o.shift;
    }
    friend bool operator<(const DigitTerm& a, const DigitTerm& b) noexcept
    {
        if (a.index != b.index) return a.index < b.index;
        return a.step != b.step ? a.step < b.step : a.shift < b.shift;
    }
};

/// A constant and a place in the list of terms; count −1 when the value is not such a sum, or its numbers overflow.
struct DigitForm {
    std::int64_t constant = 0;
    std::int32_t first = 0, count = -1;
    [[nodiscard]] bool is_known() const noexcept { return count >= 0; }
};

/// factor·z of the digit  z = ⌊(u + shift)/step⌋ mod extent,  extent 0 for the outermost one, which has no mod.
struct DigitItem {
    std::int32_t index;
    std::int64_t step, shift, extent, factor;
    std::int64_t low, high; ///< of z
};
/// An index and its range; one that was divided has the sum that it stands for, without a constant.
struct DigitIndex {
    std::int64_t low = 0, high = 0;
    DigitForm form{};
    int depth = 0; ///< how many divided sums are inside one another
};

class DigitForms {
  public:
    using Wide = wider_t<std::int64_t>;
    /// is = ⌊of/by⌋
    struct Quotient {
        DigitForm of, is;
        std::int64_t by;
    };

    bool only_variables = false; ///< sums that would have to be divided as one are unknown

    [[nodiscard]] const DigitIndex& index(std::int32_t i) const noexcept { return indices_[static_cast<std::size_t>(i)]; }
    [[nodiscard]] std::int32_t size() const noexcept { return static_cast<std::int32_t>(indices_.size()); }
    std::int32_t add_index(std::int64_t low, std::int64_t high, const DigitForm& form = {})
    {
        int depth = 0;
        if (form.is_known())
            for (const DigitTerm* t = begin(form); t != end(form); ++t) depth = std::max(depth, index(t->index).depth + 1);
        indices_.push_back({low, high, form, depth});
        return size() - 1;
    }
    [[nodiscard]] const DigitTerm* begin(const DigitForm& f) const noexcept { return terms_.data() + f.first; }
    [[nodiscard]] const DigitTerm* end(const DigitForm& f) const noexcept // one that is not known has no terms
    {
        return begin(f) + (f.is_known() ? f.count : 0);
    }
    [[nodiscard]] bool same_terms(const DigitForm& a, const DigitForm& b) const noexcept
    {
        return a.count == b.count && std::equal(begin(a), end(a), begin(b), [](const DigitTerm& x, const DigitTerm& y) {
                   return x.same_floor(y) && x.factor == y.factor;
               });
    }

    /// The index that is the sum f without its constant; −1 for none.
    [[nodiscard]] std::int32_t index_of(const DigitForm& f) const noexcept
    {
        for (std::int32_t i = size(); i-- > 0 && index(i).form.is_known();)
            if (same_terms(index(i).form, f)) return i;
        return -1;
    }
    /// Keeps  q = ⌊f/k⌋ : where f is an index, its quotient by k has this form, and `digits` knows the remainder.
    DigitForm remember(const DigitForm& f, std::int64_t k, const DigitForm& q)
    {
        if (q.is_known()) quotients_.push_back({f, q, k});
        return q;
    }
    [[nodiscard]] const SmallVector<Quotient, 16>& quotients() const noexcept { return quotients_; }
    /// ⌊(u_i + shift)/step⌋, 0 ≤ shift < step, of a divided sum; none when it was not asked for yet.
    [[nodiscard]] const Quotient* quotient_of(std::int32_t i, std::int64_t step, std::int64_t shift) const noexcept
    {
        for (const Quotient& q : quotients_)
            if (q.by == step && floor_mod(q.of.constant, step) == shift && same_terms(q.of, index(i).form)) return &q;
        return nullptr;
    }

    // ---- A form is opened, its parts are put, and it is closed ------------------------------------------------------------------
    void open(std::int64_t constant = 0)
    {
        open_.clear();
        constant_ = constant;
        fits_ = true;
    }
    void put(std::int64_t constant) { fits_ = fits_ && add(constant_, constant, constant_); }
    /// factor·⌊(u + shift)/step⌋ for any shift.
    void put(std::int32_t i, std::int64_t step, std::int64_t shift, std::int64_t factor)
    {
        if (factor == 0) return;
        fits_ = fits_ && add_product(factor, axe::detail::floor_div(shift, step), constant_);
        shift = floor_mod(shift, step);
        const DigitIndex& u = index(i);
        if (u.form.is_known() && step == 1) return put(u.form, factor);
        if (u.form.is_known())
            if (const Quotient* known = quotient_of(i, step, shift)) {
                fits_ = fits_ && add_product(factor, -axe::detail::floor_div(known->of.constant, step), constant_);
                return put(known->is, factor);
            }
        const Wide low = axe::detail::floor_div<Wide>(Wide(u.low) + shift, step);
        if (low == axe::detail::floor_div<Wide>(Wide(u.high) + shift, step))
            fits_ = fits_ && add_product(factor, static_cast<std::int64_t>(low), constant_);
        else if (shift != 0 && u.low == 0 && u.high / 2 < step - shift && u.high < 2 * Wide(step) - shift)
            open_.push_back({i, step - shift, 0, factor}); // the only step there is
        else
            open_.push_back({i, step, shift, factor});
    }
    void put(const DigitItem& z, std::int64_t factor)
    {
        put(z.index, z.step, z.shift, factor);
        std::int64_t outer = 0, down = 0;
        if (z.extent == 0) return;
        fits_ = fits_ && mul(z.step, z.extent, outer) && mul(factor, z.extent, down) && sub(std::int64_t{0}, down, down);
        if (fits_) put(z.index, outer, z.shift, down);
    }
    void put(const DigitForm& f, std::int64_t factor = 1)
    {
        fits_ = fits_ && f.is_known() && add_product(factor, f.constant, constant_);
        for (std::int32_t i = 0; i < f.count; ++i) {
            DigitTerm t = terms_[static_cast<std::size_t>(f.first + i)];
            fits_ = fits_ && mul(t.factor, factor, t.factor);
            open_.push_back(t);
        }
    }
    DigitForm close()
    {
        if (!fits_) return {};
        for (std::size_t i = 1; i < open_.size(); ++i) { // few, and mostly in order
            const DigitTerm t = open_[i];
            std::size_t k = i;
            for (; k > 0 && t < open_[k - 1]; --k) open_[k] = open_[k - 1];
            open_[k] = t;
        }
        DigitForm out{constant_, static_cast<std::int32_t>(terms_.size()), 0};
        for (std::size_t i = 0; i < open_.size();) {
            DigitTerm t = open_[i];
            for (++i; i < open_.size() && t.same_floor(open_[i]); ++i)
                if (!add(t.factor, open_[i].factor, t.factor)) return {};
            if (t.factor != 0) terms_.push_back(t);
        }
        out.count = static_cast<std::int32_t>(terms_.size()) - out.first;
        return out;
    }

  private:
    SmallVector<DigitIndex, 8> indices_;
    SmallVector<DigitTerm, 128> terms_;
    SmallVector<DigitTerm, 32> open_;
    SmallVector<Quotient, 16> quotients_;
    std::int64_t constant_ = 0;
    bool fits_ = true;
};

/// A form written out as digits.
struct FloorDigits {
    static constexpr int capacity = 64;
    std::int64_t constant = 0;
    DigitItem items[capacity]; ///< by index, then from the inside out
    int count = 0;

    [[nodiscard]] const DigitItem* begin() const noexcept { return items; }
    [[nodiscard]] const DigitItem* end() const noexcept { return items + count; }
};

/// [low, high] += factor·[first, last]; false when that leaves even the wide integer.
inline bool widen(DigitForms::Wide& low, DigitForms::Wide& high, std::int64_t factor, std::int64_t first,
                  std::int64_t last) noexcept
{
    const DigitForms::Wide a = DigitForms::Wide(factor) * first, b = DigitForms::Wide(factor) * last;
    return add(low, std::min(a, b), low) && add(high, std::max(a, b), high);
}
/// The values that a sum of digits takes, at most.
inline bool digit_range(const FloorDigits& d, DigitForms::Wide& low, DigitForms::Wide& high) noexcept
{
    low = high = d.constant;
    for (const DigitItem& z : d)
        if (!widen(low, high, z.factor, z.low, z.high)) return false;
    return true;
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
