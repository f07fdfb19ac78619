// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_JSON_TENSOR_HPP
#define AXE_JSON_TENSOR_HPP

#include <axe/json/text_form.hpp>
#include <axe/tensor/dtype.hpp>

/// JSON of element types, with <axe/json.hpp>: `"bf16"`.
template <>
struct axe::JsonText<axe::DType> {
    static std::string print(DType type) { return name(type); }
    static Result<DType, Problem> parse(std::string_view text) { return parse_dtype(text); }
};

#endif
