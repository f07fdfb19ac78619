// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_EQUAL_HPP
#define AXE_MAP_EQUAL_HPP

#include <axe/map/indexing_map.hpp>

#include <cstdint>
#include <vector>

namespace axe {
inline namespace v0 {

/// Where two maps differ, and in what: the witness of a no.
struct MapDifference {
    enum class Kind : std::uint8_t {
        none,        ///< they are equal
        first_only,  ///< `point` is in the first map's domain and not in the second's
        second_only, ///< the other way round
        result,      ///< `point` is in both domains, and result number `result` is not the same there
    };
    Kind kind = Kind::none;
    int result = -1;
    std::vector<std::int64_t> point{}; ///< a value for every variable
    bool is_first = false;             ///< no point before it, in lexicographic order, shows a difference

    [[nodiscard]] bool exists() const noexcept { return kind != Kind::none; }
};

/// Yes, or no with the difference.
using MapDecision = BasicDecision<MapDifference>;

/// Are two maps equal, as functions of all their variables (dimensions, range and run-time variables alike)?
///
///     equal(f, g)  ⇔  dom f = dom g as sets of points,  and  f(x) = g(x) for every x in them
///
/// Variables are matched by their places; names and kinds do not matter, nor how domains are written. On a no, `witness()` is a point: the first
/// one in lexicographic order that shows a difference, unless finding that one was not affordable (`is_first`). Exact for what is built of
/// sums, constant multiples, floor division and mod by constants; products of variables are cut until one factor is known.
/// Errors: `errc::rank_mismatch` where dimensions, range variables, run-time variables or results are not as many; `errc::bad_argument`
/// for an undefined map; `errc::overflow` for numbers beyond 120 bits; `errc::too_hard` beyond 2^16 splits of a domain with more than
/// 2^20 points (as far as the intervals and periods tell).
/// Cost: linear in results times locals where the difference vanishes when forms are reduced, as for most maps made by reshapes.
AXE_DECL MapDecision equal(const IndexingMap& f, const IndexingMap& g);

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/map/impl/equal.hpp>
#endif

#endif
