// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_JSON_SPYRE_HPP
#define AXE_INTEROP_JSON_SPYRE_HPP

#include <axe/interop/spyre/text.hpp>
#include <axe/json/text_form.hpp>

/// JSON of Spyre's layouts, with <axe/json.hpp>: their text, with the format of the elements.
template <>
struct axe::JsonText<axe::SpyreLayout> {
    static std::string print(const SpyreLayout& layout) { return spyre::print(layout).c_str(); }
    static Result<SpyreLayout> parse(std::string_view text) { return spyre::parse_layout(text); }
};

#endif
