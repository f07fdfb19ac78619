// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TEXT_COMMON_WORDS_HPP
#define AXE_TEXT_COMMON_WORDS_HPP

#include <axe/support/config.hpp>

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

/// How sentences with texts and numbers in them are made.
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

    void append_to(std::string& out) const
    {
        switch (kind_) {
        case Kind::text: out += text_; break;
        case Kind::number: out += std::to_string(number_); break;
        case Kind::unsigned_number: out += std::to_string(static_cast<std::uint64_t>(number_)); break;
        }
    }

  private:
    enum class Kind : std::uint8_t { text, number, unsigned_number };
    std::string_view text_{};
    std::int64_t number_ = 0;
    Kind kind_ = Kind::text;
};

/// A sentence with `{0}` … `{9}` replaced by the words of that place. A problem's sentence is written as one template, like an
/// `Error`'s, so that it can be searched for and quoted whole.
inline std::string worded(std::string_view sentence, std::initializer_list<SentenceArgument> words)
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

/// "1 operand", "3 operands"
inline std::string count_words(std::int64_t count, const char* what)
{
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
