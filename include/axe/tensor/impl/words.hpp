// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TENSOR_IMPL_WORDS_HPP
#define AXE_TENSOR_IMPL_WORDS_HPP

#include <axe/tensor/words.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

AXE_DECL void SentenceArgument::append_to(std::string& out) const
{
    switch (kind_) {
    case Kind::text: out += text_; break;
    case Kind::number: out += std::to_string(number_); break;
    case Kind::unsigned_number: out += std::to_string(static_cast<std::uint64_t>(number_)); break;
    }
}

AXE_DECL std::string worded(std::string_view sentence, std::initializer_list<SentenceArgument> words)
{
    std::string out;
    for (std::size_t i = 0; i < sentence.size(); ++i) {
        const bool place = sentence[i] == '{' && i + 2 < sentence.size() && sentence[i + 2] == '}';
        const auto which = place ? static_cast<std::size_t>(sentence[i + 1] - '0') : words.size();
        if (which < words.size()) {
            words.begin()[which].append_to(out);
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
