// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TEXT_COMMON_WORDS_HPP
#define AXE_TEXT_COMMON_WORDS_HPP

#include <axe/support/error.hpp>

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

/// Makes messages from templates with texts and numbers.
namespace axe {
inline namespace v0 {
namespace detail {

/// The value of a placeholder of a message: a text, which must live until the message is made, or a whole number. It refers to the text, so
/// that a call of `worded` makes no strings.
class MessageArgument {
  public:
    MessageArgument(const char* text) noexcept : text_(text) {}
    MessageArgument(std::string_view text) noexcept : text_(text) {}
    MessageArgument(const std::string& text) noexcept : text_(text) {}
    MessageArgument(std::signed_integral auto number) noexcept : number_(number), kind_(Kind::number) {}
    MessageArgument(std::unsigned_integral auto number) noexcept
        : number_(static_cast<std::int64_t>(number)), kind_(Kind::unsigned_number)
    {
    }
    MessageArgument(bool) = delete;
    MessageArgument(char) = delete;

    [[nodiscard]] bool is_one() const noexcept { return kind_ == Kind::text ? text_ == "1" : number_ == 1; }
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

/// A message with `{0}` … `{9}` replaced by the words of that place, what 1 counts in the singular. A problem's message is written as one template, like an
/// `Error`'s, so that it can be searched for and quoted whole.
AXE_DECL std::string worded(std::string_view message, std::initializer_list<MessageArgument> words);

/// A message, or the template of one, and what to do about it on a second line: `hint: add its row to Target::operators`. What follows
/// the message follows the hint, so it is added last.
inline std::string hinted(std::string_view message, std::string_view hint)
{
    return std::string(message).append(before_hint).append(hint);
}

/// "1 operand", "3 operands"
inline std::string count_words(std::int64_t count, const char* what)
{
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

/// The items of a list; of a long one the first, and how many more there are.
inline std::vector<std::string> capped(std::vector<std::string> items, std::size_t most = 8)
{
    if (items.size() <= most) return items;
    const std::size_t more = items.size() - most;
    items.resize(most);
    items.push_back(worded("and {0} more", {more}));
    return items;
}
/// The same in one text.
inline std::string capped(std::vector<std::string> items, const char* between, std::size_t most = 8)
{
    std::string out;
    for (const std::string& item : capped(std::move(items), most)) out += (out.empty() ? "" : between) + item;
    return out;
}

} // namespace detail
} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/text/common/impl/words.hpp>
#endif

#endif
