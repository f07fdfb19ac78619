// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TENSOR_WORDS_HPP
#define AXE_TENSOR_WORDS_HPP

#include <axe/tensor/problem.hpp>

#include <initializer_list>
#include <string>
#include <string_view>

namespace axe {
inline namespace v0 {
namespace detail {

/// A sentence with `{0}` … `{9}` replaced by the words of that place. A problem's sentence is written as one template, like an
/// `Error`'s, so that it can be searched for and quoted whole.
inline std::string worded(std::string_view sentence, std::initializer_list<std::string> words)
{
    std::string out;
    for (std::size_t i = 0; i < sentence.size(); ++i) {
        const bool place = sentence[i] == '{' && i + 2 < sentence.size() && sentence[i + 2] == '}';
        const auto which = place ? static_cast<std::size_t>(sentence[i + 1] - '0') : words.size();
        if (which < words.size()) {
            out += words.begin()[which];
            i += 2;
        } else {
            out += sentence[i];
        }
    }
    return out;
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
