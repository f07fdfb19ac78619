// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_RELAYOUT_REFINEMENTS_HPP
#define AXE_TESTS_RELAYOUT_REFINEMENTS_HPP

#include <axe/relayout/refine.hpp>

#include <algorithm>
#include <utility>
#include <vector>

/// Refinements compared with what they must be: the two maps, number by number.
namespace refinements {

using Int = std::int64_t;

inline axe::detail::DigitList digits(std::initializer_list<axe::detail::AddressDigit> list)
{
    axe::detail::DigitList out;
    for (const auto& d : list) out.push_back(d);
    return out;
}

/// The address of x by definition: one digit after the other; beyond the last one, that goes on.
inline Int address(const axe::detail::DigitList& list, Int x)
{
    Int sum = 0;
    for (int k = 0; k < list.size(); ++k) {
        const bool is_last = k + 1 == list.size();
        sum += (is_last ? x : x % list[k].extent) * list[k].step;
        if (!is_last) x /= list[k].extent;
    }
    return sum;
}

/// Do the boxes hold the pair of addresses of every x of [lo, hi), each once?
inline bool is_refinement(const axe::detail::Refinement& r, const axe::detail::DigitList& to, const axe::detail::DigitList& from,
                          Int lo, Int hi)
{
    using Pairs = std::vector<std::pair<Int, Int>>;
    Pairs expected, got;
    for (Int x = lo; x < hi; ++x) expected.push_back({address(to, x), address(from, x)});
    for (const auto& box : r.boxes()) {
        Pairs part{{box.to, box.from}};
        for (const auto& l : box.loops) {
            const std::size_t so_far = part.size();
            if (so_far * static_cast<std::size_t>(l.extent) > expected.size()) return false;
            for (Int z = 1; z < l.extent; ++z)
                for (std::size_t i = 0; i < so_far; ++i) part.push_back({part[i].first + z * l.to, part[i].second + z * l.from});
        }
        got.insert(got.end(), part.begin(), part.end());
    }
    std::sort(expected.begin(), expected.end());
    std::sort(got.begin(), got.end());
    return got == expected;
}

/// How many boxes a refinement has; −1 when it is none.
inline Int boxes(std::initializer_list<axe::detail::AddressDigit> to_digits,
                 std::initializer_list<axe::detail::AddressDigit> from_digits, Int lo, Int hi)
{
    const auto to = digits(to_digits), from = digits(from_digits);
    const axe::detail::Refinement r(to, from, lo, hi, 1 << 14);
    return !r.exhausted() && is_refinement(r, to, from, lo, hi) ? static_cast<Int>(r.boxes().size()) : -1;
}

} // namespace refinements

#endif
