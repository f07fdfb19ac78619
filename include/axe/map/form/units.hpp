// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_FORM_UNITS_HPP
#define AXE_MAP_FORM_UNITS_HPP

#include <axe/map/form/digits.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// Divisions and products within each other beyond this depth stay as they are written.
inline constexpr std::int32_t deepest_form = 48;

/// c modulo k ≥ 2 in (−k/2, k/2].
constexpr std::int64_t nearest_remainder(std::int64_t c, std::int64_t k) noexcept
{
    const std::int64_t r = floor_mod(c, k);
    return r > k - r ? r - k : r;
}

/// (c − r) / k, where k divides that: nothing leaves the integer on the way.
constexpr std::int64_t multiples(std::int64_t c, std::int64_t r, std::int64_t k) noexcept { return c / k + (c % k - r) / k; }

/// One summand of a form: coefficient·atom, or coefficient·(base mod modulus).
struct FormUnit {
    std::int64_t coefficient = 0;
    const FormAtom* atom = nullptr; ///< none: the digit
    FormDigit digit{};
};

/// The form as a sum of remainders and of what is left.
struct FormUnits {
    FormUnit* units = nullptr;
    int count = 0;
    std::int64_t constant = 0;
};
inline const FormUnits& units_of(FormSpace& space, const LinearForm& form)
{
    if (form.units_epoch == space.epoch) return *form.units;
    FormUnits& out = *::new (static_cast<void*>(space.arena.make<FormUnits>(1))) FormUnits{};
    out.units = space.arena.make<FormUnit>(static_cast<std::size_t>(2 * form.count));
    FormBuilder work(space.arena);
    work.add(form, 1);
    if (form.has_divisions())
        find_digits(space, work, [&](const FormDigit& d) {
            // A division by itself becomes one with what divides it: it is not to be weighted.
            const std::int64_t have = work.coefficient(d.quotient);
            if (magnitude(have) == 1 && have != -d.coefficient * d.modulus) return false;
            out.units[out.count++] = {d.coefficient, nullptr, d};
            return true;
        });
    for (const FormTerm& t : work) out.units[out.count++] = {t.coefficient, t.atom, {}};
    out.constant = work.constant;
    form.units = &out;
    form.units_epoch = space.epoch;
    return out;
}
inline void add_unit(FormBuilder& out, const FormUnit& u, std::int64_t c)
{
    if (u.atom != nullptr) return out.add(u.atom, c);
    std::int64_t down = 0;
    out.add(*u.digit.base, c);
    out.fits = mul(-c, u.digit.modulus, down) && out.fits;
    out.add(u.digit.quotient, down);
}
inline IndexInterval range(FormSpace& space, const FormUnit& u)
{
    return u.atom != nullptr ? range(space, *u.atom) : IndexInterval{0, u.digit.modulus - 1};
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
