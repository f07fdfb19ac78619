// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_JSON_CUTE_HPP
#define AXE_INTEROP_JSON_CUTE_HPP

#include <axe/interop/cute/text.hpp>
#include <axe/json/text_form.hpp>

/// JSON of CuTe's layouts, with <axe/json.hpp>: their text, `"(4,(2,2)):(1,(4,8))"`, of a composed layout with its swizzle and offset.
template <>
struct axe::JsonText<axe::cute::Layout> {
    static std::string print(const cute::Layout& layout) { return cute::print(layout).c_str(); }
    static Result<cute::Layout> parse(std::string_view text) { return cute::parse_layout(text); }
};
template <>
struct axe::JsonText<axe::cute::Composed> {
    static std::string print(const cute::Composed& composed) { return cute::print(composed).c_str(); }
    static Result<cute::Composed> parse(std::string_view text) { return cute::parse_composed(text); }
};

#endif
