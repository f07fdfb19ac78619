// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TEXT_COMMON_IMPL_WORDS_HPP
#define AXE_TEXT_COMMON_IMPL_WORDS_HPP

#include <axe/support/plural.hpp>
#include <axe/text/common/words.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

AXE_DECL std::string worded(std::string_view message, std::initializer_list<MessageArgument> words)
{
    std::string out;
    const char* const begin = message.data();
    const char* const end = begin + message.size();
    const auto put = [&](char c) { out += c; };
    const auto is_one = [&](int which) {
        return which >= 0 && static_cast<std::size_t>(which) < words.size() && words.begin()[which].is_one();
    };
    for (const char* p = begin; p != end; ++p) {
        const bool place = *p == '{' && end - p > 2 && p[2] == '}';
        const auto which = place ? static_cast<std::size_t>(p[1] - '0') : words.size();
        if (which < words.size()) {
            words.begin()[which].append_to(out);
            const int singular = is_one(static_cast<int>(which)) ? put_singular(begin, end, p, put) : 0;
            p += 2 + singular;
        } else if (const int here = *p == 'h' ? put_here_is(p, end, is_one, put) : 0; here > 0) {
            p += here - 1;
        } else {
            out += *p;
        }
    }
    return out;
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
