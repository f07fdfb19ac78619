// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_UNIT_INTEROP_LINEAR_ENCODINGS_ENCODING_HPP
#define AXE_TESTS_UNIT_INTEROP_LINEAR_ENCODINGS_ENCODING_HPP

#include <axe/interop/linear/encodings/builder.hpp>
#include <catch.hpp>

#include <string>

/// What the tests of encodings share: refusals, and the images of one input.
namespace encodings {

using List = axe::InlineVector<std::uint64_t, axe::linear::LinearLayout::max_bits>;

template <class E>
std::string refusal(const E& encoding, const axe::Shape& tensor)
{
    const auto result = to_linear_layout(encoding, tensor);
    CHECK(!result);
    return result.error().message().c_str();
}

/// The images of one input, as words: dim0 lowest.
inline List images(const axe::linear::LinearLayout& layout, const char* name)
{
    List out;
    for (int i = 0, j = 0; i < layout.in.size(); ++i)
        for (int bit = 0; bit < layout.in[i].bits; ++bit, ++j)
            if (std::string(layout.in[i].name.name().c_str()) == name) out.push_back(layout.bases[j]);
    return out;
}

} // namespace encodings

#endif
