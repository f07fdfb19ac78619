// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_JSON_LINEAR_HPP
#define AXE_INTEROP_JSON_LINEAR_HPP

#include <axe/interop/linear/text.hpp>
#include <axe/json/text_form.hpp>

/// JSON of Triton's linear layouts, with <axe/json.hpp>: their one-line text, `"register=[1,2] lane=[4] -> dim0:8"`.
template <>
struct axe::JsonText<axe::linear::LinearLayout> {
    static std::string print(const linear::LinearLayout& layout) { return linear::print(layout).c_str(); }
    static Result<linear::LinearLayout> parse(std::string_view text) { return linear::parse_linear(text); }
};

#endif
