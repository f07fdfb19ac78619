// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_QUASI_AFFINE_SUMMAND_SAMPLES_HPP
#define AXE_MAP_QUASI_AFFINE_SUMMAND_SAMPLES_HPP

#include <axe/map/quasi_affine/samples.hpp>
#include <axe/map/quasi_affine/summands.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// Which remainder of a coefficient by g: the nearest to 0, that of two equally near chosen so, or the one in [0, g).
enum class Nearest : std::uint8_t { upper, lower, none };

/// The remainders of the coefficients of a form, one way after the other.
class SummandRemainders {
  public:
    SummandRemainders(FormSpace& space, const Summands& all)
        : all_(&all),
          rest_(space.arena.make<std::int64_t>(static_cast<std::size_t>(all.count))),
          width_(space.arena.make<std::int64_t>(static_cast<std::size_t>(all.count)))
    {
        for (int i = 0; i < all.count; ++i) {
            const IndexInterval r = range(space, all.units[i]);
            if (!is_bounded(r) || !sub(r.high, r.low, width_[i])) width_[i] = no_high;
        }
    }

    [[nodiscard]] std::int64_t operator[](int i) const noexcept { return rest_[i]; }

    /// Of the ways in their order. False when they are those of `upper`: nothing new is to be had from them.
    bool take(std::int64_t g, Nearest way) noexcept
    {
        bool differ = way == Nearest::upper;
        if (differ) has_negative_ = false;
        if (way == Nearest::none && !has_negative_) return false;
        for (int i = 0; i < all_->count; ++i) {
            std::int64_t& r = rest_[i];
            if (way == Nearest::upper) {
                r = nearest_parts(all_->units[i].coefficient, g).rest;
                has_negative_ = has_negative_ || r < 0;
            } else if (way == Nearest::lower ? r == g - r : r < 0) {
                r = way == Nearest::lower ? -r : r + g;
                differ = true;
            }
        }
        return differ;
    }

    /// Do the ranges of the summands, times the remainders, reach over more than `most`?
    [[nodiscard]] bool are_wider(std::int64_t most) const noexcept
    {
        for (int i = 0; i < all_->count && most >= 0; ++i) {
            std::int64_t width = 0;
            if (!mul(magnitude(rest_[i]), width_[i], width) || !sub(most, width, most)) return true;
        }
        return most < 0;
    }

  private:
    const Summands* all_;
    std::int64_t* rest_;
    std::int64_t* width_; ///< of the summands' ranges
    bool has_negative_ = false;
};

/// The values of the summands of a form at points of the domain.
class SummandSamples {
  public:
    SummandSamples(FormSpace& space, const Summands& all) : space_(&space)
    {
        if (space.samples < 2) return;
        values_ = space.arena.make<std::int64_t>(static_cast<std::size_t>(all.count * FormSpace::most_samples));
        const FormSamples of(space);
        for (int i = 0; i < all.count; ++i) {
            std::int64_t* const at = values_ + i * FormSpace::most_samples;
            const Summand& u = all.units[i];
            if (u.atom != nullptr) {
                const std::int64_t* const known = of(*u.atom);
                if (known == nullptr) return;
                for (int p = 0; p < space.samples; ++p) at[p] = known[p];
                continue;
            }
            if (!of.values(*u.digit.base, at)) return;
            for (int p = 0; p < space.samples; ++p) at[p] = floor_mod(at[p], u.digit.modulus);
        }
        are_known_ = true;
    }
    /// Is what the remainders by g make of the form in more than one window of g?
    [[nodiscard]] bool cross(const Summands& all, std::int64_t g, const SummandRemainders& rests) const
    {
        if (!are_known_) return false;
        std::int64_t rest[FormSpace::most_samples];
        for (int p = 0; p < space_->samples; ++p) rest[p] = all.constant;
        const FormSamples of(*space_);
        for (int i = 0; i < all.count; ++i)
            if (rests[i] != 0 && !of.add(rest, values_ + i * FormSpace::most_samples, rests[i])) return false;
        return of.cross(rest, g);
    }

  private:
    FormSpace* space_;
    std::int64_t* values_ = nullptr;
    bool are_known_ = false;
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
