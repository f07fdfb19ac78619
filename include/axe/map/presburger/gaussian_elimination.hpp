// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_PRESBURGER_GAUSSIAN_ELIMINATION_HPP
#define AXE_MAP_PRESBURGER_GAUSSIAN_ELIMINATION_HPP

#include <axe/support/integer.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

/// Linear equations over the integers.
namespace axe {
inline namespace v0 {
namespace detail {

/// The factors of the unknowns, and how often each of the rows given is in it: one list after the other.
using LinearRow = std::vector<std::int64_t>;

/// row := row·a − other·b, without the common divisor of its numbers; false when one overflows.
inline bool combine(LinearRow& row, const LinearRow& other, std::int64_t a, std::int64_t b)
{
    std::int64_t common = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
        std::int64_t x = 0, y = 0;
        if (!mul(row[i], a, x) || !mul(other[i], b, y) || !sub(x, y, row[i]) || !sub(std::int64_t{0}, row[i], x)) return false;
        common = gcd(common, row[i]);
    }
    if (common > 1)
        for (std::int64_t& n : row) n /= common;
    return true;
}

/// Gauss and Jordan's elimination without fractions: afterwards each unknown that the equations determine is alone in a row.
///
/// @returns false when a number overflows. Cost: rows² · unknowns.
inline bool eliminate(std::vector<LinearRow>& rows, std::size_t unknowns)
{
    std::size_t done = 0;
    for (std::size_t c = 0; c < unknowns && done < rows.size(); ++c) {
        std::size_t pivot = rows.size();
        for (std::size_t r = done; r < rows.size(); ++r)
            if (rows[r][c] != 0 && (pivot == rows.size() || magnitude(rows[r][c]) < magnitude(rows[pivot][c]))) pivot = r;
        if (pivot == rows.size()) continue;
        std::swap(rows[done], rows[pivot]);
        for (std::size_t r = 0; r < rows.size(); ++r)
            if (r != done && rows[r][c] != 0 && !combine(rows[r], rows[done], rows[done][c], rows[r][c])) return false;
        ++done;
    }
    return true;
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
