// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_QUASI_AFFINE_SAMPLES_HPP
#define AXE_MAP_QUASI_AFFINE_SAMPLES_HPP

#include <axe/map/quasi_affine/space.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// Values of forms at a few points of the domain. What holds everywhere holds there: where it does not, no range needs to be found.
/// They only refute; nothing is proved by them.
class FormSamples {
  public:
    explicit FormSamples(FormSpace& space) noexcept : space_(&space) {}

    /// The atom's, one a point; none when they are not known.
    const std::int64_t* operator()(const FormAtom& atom) const
    {
        if (atom.samples != nullptr || atom.has_no_samples) return atom.samples;
        auto* const out = space_->arena.make<std::int64_t>(static_cast<std::size_t>(FormSpace::most_samples));
        if (fill(atom, out))
            atom.samples = out;
        else
            atom.has_no_samples = true;
        return atom.samples;
    }
    /// += c·values
    bool add(std::int64_t* sums, const std::int64_t* values, std::int64_t c) const noexcept
    {
        if (values == nullptr) return false;
        bool fits = true;
        for (int i = 0; i < space_->samples; ++i) fits = add_product(c, values[i], sums[i]) && fits;
        return fits;
    }
    bool values(const QuasiAffine& form, std::int64_t* out) const
    {
        for (int i = 0; i < space_->samples; ++i) out[i] = form.constant;
        for (const FormTerm& t : form)
            if (!add(out, (*this)(*t.atom), t.coefficient)) return false;
        return true;
    }
    /// Are values in different windows [k·w, k·w + k)?
    bool cross(const std::int64_t* values, std::int64_t k) const noexcept
    {
        if (space_->samples < 2) return false;
        const std::int64_t rest = floor_mod(values[0], k);
        for (int i = 1; i < space_->samples; ++i) {
            std::int64_t up = 0;
            if (sub(values[i], values[0], up) && (up < -rest || up >= k - rest)) return true;
        }
        return false;
    }
    bool cross(const QuasiAffine& form, std::int64_t k) const
    {
        std::int64_t at[FormSpace::most_samples];
        return space_->samples > 1 && values(form, at) && cross(at, k);
    }

  private:
    bool fill(const FormAtom& atom, std::int64_t* out) const
    {
        if (atom.kind == AtomKind::variable) {
            const std::int64_t* const known = space_->sample_points.data() + atom.value * FormSpace::most_samples;
            std::copy(known, known + space_->samples, out);
            return true;
        }
        std::int64_t other[FormSpace::most_samples];
        const bool is_floor = atom.kind == AtomKind::floor;
        if (!(is_floor || atom.kind == AtomKind::product) || !values(*atom.left, out)) return false;
        bool fits = is_floor || values(*atom.right, other);
        for (int i = 0; fits && i < space_->samples; ++i) {
            if (is_floor)
                out[i] = floor_div(out[i], atom.value);
            else
                fits = mul(out[i], other[i], out[i]);
        }
        return fits;
    }

    FormSpace* space_;
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
