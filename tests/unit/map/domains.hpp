// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_UNIT_MAP_DOMAINS_HPP
#define AXE_TESTS_UNIT_MAP_DOMAINS_HPP

#include <axe/map/parse.hpp>

/// Maps whose domains are asked for their points, their number and their box.
namespace domains {

inline axe::IndexingMap map(const char* text) { return axe::parse_map(text).value(); }

inline constexpr const char* launch =
    "(d0, d1)[s0] -> ((d0 + d1 * 128) * 4 + s0), domain: d0 in [0, 127], d1 in [0, 468], s0 in [0, 3], "
    "d0 + d1 * 128 in [0, 59999]";

// Every integer that is 2 modulo 6.
inline constexpr const char* all =
    "(d0, d1) -> (d0 mod 6, d0 floordiv 7), domain: d0 in [-9223372036854775808, 9223372036854775807], d1 in [3, 3], "
    "d0 mod 6 in [2, 2]";
// A thin domain aslant in a wide box: for each d1 in [0, 10^12) one d0 or none.
inline constexpr const char* thin = "(d0, d1) -> (d0 * 3 - d1 * 2, d0), domain: d0 in [0, 999999999999], d1 in [0, 999999999999], "
                                    "d0 * 3 - d1 * 2 in [5, 6]";

} // namespace domains

#endif
