// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TENSOR_WORDS_HPP
#define AXE_TENSOR_WORDS_HPP

#include <axe/support/config.hpp>
#include <axe/tensor/problem.hpp>

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace axe {
inline namespace v0 {
namespace detail {

/// What stands at a place of a sentence: a text, which must live until the sentence is made, or a whole number. It refers to the text, so
/// that a call of `worded` makes no strings.
class SentenceArgument {
  public:
    SentenceArgument(const char* text) noexcept : text_(text) {}
    SentenceArgument(std::string_view text) noexcept : text_(text) {}
    SentenceArgument(const std::string& text) noexcept : text_(text) {}
    SentenceArgument(std::signed_integral auto number) noexcept : number_(number), kind_(Kind::number) {}
    SentenceArgument(std::unsigned_integral auto number) noexcept
        : number_(static_cast<std::int64_t>(number)), kind_(Kind::unsigned_number)
    {
    }
    SentenceArgument(bool) = delete;
    SentenceArgument(char) = delete;

    void append_to(std::string& out) const;

  private:
    enum class Kind : std::uint8_t { text, number, unsigned_number };
    std::string_view text_{};
    std::int64_t number_ = 0;
    Kind kind_ = Kind::text;
};

/// A sentence with `{0}` … `{9}` replaced by the words of that place. A problem's sentence is written as one template, like an
/// `Error`'s, so that it can be searched for and quoted whole.
AXE_DECL std::string worded(std::string_view sentence, std::initializer_list<SentenceArgument> words);

} // namespace detail
} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/tensor/impl/words.hpp>
#endif

#endif
