// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_QUASI_AFFINE_SUMMANDS_HPP
#define AXE_MAP_QUASI_AFFINE_SUMMANDS_HPP

#include <axe/map/quasi_affine/remainders.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// Divisions and products within each other beyond this depth stay as they are written.
inline constexpr std::int32_t deepest_form = 48;

/// c = multiple·k + rest for k ≥ 2, the rest in (−k/2, k/2].
struct NearestParts {
    std::int64_t multiple, rest;
};
constexpr NearestParts nearest_parts(std::int64_t c, std::int64_t k) noexcept
{
    const std::int64_t q = floor_div(c, k), r = floor_mod(c, k);
    return r > k - r ? NearestParts{q + 1, r - k} : NearestParts{q, r};
}

/// (c − r) / k, where k divides that: nothing overflows on the way.
constexpr std::int64_t multiples(std::int64_t c, std::int64_t r, std::int64_t k) noexcept { return c / k + (c % k - r) / k; }

/// One summand of a form: coefficient·atom, or coefficient·(base mod modulus).
struct Summand {
    std::int64_t coefficient = 0;
    const FormAtom* atom = nullptr; ///< none: the digit
    RemainderTerm digit{};
};

/// The form as a sum of remainders and of what is left.
struct Summands {
    Summand* units = nullptr;
    int count = 0;
    std::int64_t constant = 0;
};
inline const Summands& summands_of(FormSpace& space, const QuasiAffine& form)
{
    if (form.units_epoch == space.epoch) return *form.units;
    Summands& out = *::new (static_cast<void*>(space.arena.make<Summands>(1))) Summands{};
    out.units = space.arena.make<Summand>(static_cast<std::size_t>(2 * form.count));
    FormBuilder work(space.arena);
    work.add(form, 1);
    if (form.has_divisions())
        find_remainders(space, work, [&](const RemainderTerm& d) {
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
inline void add_summand(FormBuilder& out, const Summand& u, std::int64_t c)
{
    if (u.atom != nullptr) return out.add(u.atom, c);
    std::int64_t down = 0;
    out.add(*u.digit.base, c);
    out.fits = mul(-c, u.digit.modulus, down) && out.fits;
    out.add(u.digit.quotient, down);
}
inline IndexInterval range(FormSpace& space, const Summand& u)
{
    return u.atom != nullptr ? range(space, *u.atom) : IndexInterval{0, u.digit.modulus - 1};
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
