// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TEXT_NEAREST_WORD_HPP
#define AXE_TEXT_NEAREST_WORD_HPP

#include <axe/support/config.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// Longer words are near none.
inline constexpr int longest_word = 32;

constexpr int length_of(const char* word) noexcept
{
    int length = 0;
    while (word[length] != '\0') ++length;
    return length;
}
constexpr char lower_case(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// The fewest insertions, deletions, replacements and swaps of neighbors that make one word of the other, no character touched
/// twice (optimal string alignment). Upper and lower case count as one.
constexpr int edits(const char* a, int n, const char* b, int m) noexcept
{
    int before[longest_word + 1]{}, last[longest_word + 1]{}, row[longest_word + 1]{};
    for (int k = 0; k <= m; ++k) row[k] = k;
    for (int i = 1; i <= n; ++i) {
        for (int k = 0; k <= m; ++k) {
            before[k] = last[k];
            last[k] = row[k];
        }
        row[0] = i;
        for (int k = 1; k <= m; ++k) {
            const char x = lower_case(a[i - 1]), y = lower_case(b[k - 1]);
            int least = last[k - 1] + (x == y ? 0 : 1);
            if (last[k] + 1 < least) least = last[k] + 1;
            if (row[k - 1] + 1 < least) least = row[k - 1] + 1;
            const bool swapped = i > 1 && k > 1 && x == lower_case(b[k - 2]) && y == lower_case(a[i - 2]);
            if (swapped && before[k - 2] + 1 < least) least = before[k - 2] + 1;
            row[k] = least;
        }
    }
    return row[m];
}

} // namespace detail

/// The index of the known word that was probably meant, −1 when no word is near.
///
/// Near is one edit in words of up to 4 characters, two in words of up to 8 and three in longer ones, and always fewer edits than
/// the shorter of the two words has characters, so that something of it is left; case does not count. An edit is a character too
/// many, missing or wrong, or two neighbors that changed places. Of equally near words the one in the same case comes first, then
/// the first known.
/// Cost: the product of the lengths, for each known word; a word of more than 32 characters is near none.
constexpr int nearest_word(const char* word, int length, const char* const* words, int count) noexcept
{
    const int limit = length <= 4 ? 1 : length <= 8 ? 2 : 3;
    int nearest = -1, least = 0;
    for (int w = 0; w < count && length <= detail::longest_word; ++w) {
        const char* const known = words[w];
        const int size = detail::length_of(known);
        if (size > detail::longest_word || size - length > limit || length - size > limit) continue;
        const int distance = detail::edits(word, length, known, size);
        if (distance > limit || (distance > 0 && distance >= (size < length ? size : length))) continue;
        int other_case = 0; // weighs less than an edit
        for (int i = 0; i < size && i < length; ++i)
            other_case += word[i] != known[i] && detail::lower_case(word[i]) == detail::lower_case(known[i]);
        const int weight = distance * (detail::longest_word + 1) + other_case;
        if (nearest < 0 || weight < least) {
            nearest = w;
            least = weight;
        }
    }
    return nearest;
}

} // namespace v0
} // namespace axe

#endif
