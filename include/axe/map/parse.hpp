// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_PARSE_HPP
#define AXE_MAP_PARSE_HPP

#include <axe/map/indexing_map.hpp>

#include <string_view>

/// The written form of indexing maps, read.
///
///   map        := variables "->" "(" [ expression { "," expression } ] ")" [ domain ] | "KNOWN EMPTY" | "UNDEFINED"
///   variables  := "(" [ names ] ")" [ "[" [ names ] "]" ] [ "{" [ names ] "}" ]     dimensions, ranges, run-time variables
///   domain     := [","] [ "domain" ":" ] { item [","] } [ "is_simplified" ":" ("true" | "false") ]
///   item       := name interval | expression interval                               of a variable, or a constraint
///   interval   := "in" "[" integer "," integer "]"
///
/// Spaces and newlines are allowed between any two tokens. Items come in any order, and each variable has one interval; its name in
/// parentheses, `(d0) in [0, 4]`, is a constraint. A map without any domain is one of all integers. An interval may be empty, as
/// [10, 0]. Whether it calls itself simplified is read over.

namespace axe {
inline namespace v0 {

/// Reads a map: `(d0) -> ((d0 mod 2) * 30 + d0 floordiv 2), domain: d0 in [0, 19]`, in XLA's older spellings too.
///
/// @returns `errc::bad_syntax` with the character where the text goes wrong; `errc::bad_argument` with that of an unknown variable,
///          of one named twice, with two intervals or none, of a divisor that is 0 or no constant; `errc::overflow` with that of a
///          number, or of a sign between constants, that overflows.
/// Cost: linear in the text.
AXE_DECL Result<IndexingMap> parse_map(std::string_view text);

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/map/impl/parse.hpp>
#endif

#endif
