// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SUPPORT_PLURAL_HPP
#define AXE_SUPPORT_PLURAL_HPP

#include <axe/support/config.hpp>

/// One noun after the number 1. Messages are templates with plurals, "{0} elements", as most of what they count is many.
namespace axe {
inline namespace v0 {
namespace detail {

/// What is counted: the plural, and how many of its characters the singular keeps, with another ending where it has one.
struct CountedNoun {
    const char* plural;
    int kept;
    const char* ending;
};
inline constexpr CountedNoun counted_nouns[] = {
    {"accesses", 6, ""},   {"agents", 5, ""},        {"arguments", 8, ""},    {"arrivals", 7, ""},  {"axes", 2, "is"},
    {"banks", 4, ""},      {"batches", 5, ""},       {"bits", 3, ""},         {"blocks", 5, ""},    {"bytes", 4, ""},
    {"characters", 9, ""}, {"columns", 6, ""},       {"coordinates", 10, ""}, {"copies", 3, "y"},   {"cores", 4, ""},
    {"devices", 6, ""},    {"digits", 5, ""},        {"dimensions", 9, ""},   {"elements", 7, ""},  {"engines", 6, ""},
    {"entries", 4, "y"},   {"exchanges", 8, ""},     {"extents", 6, ""},      {"features", 7, ""},  {"groups", 5, ""},
    {"indices", 3, "ex"},  {"instructions", 11, ""}, {"intervals", 8, ""},    {"issues", 5, ""},    {"items", 4, ""},
    {"iters", 4, ""},      {"lanes", 4, ""},         {"levels", 5, ""},       {"loops", 4, ""},     {"modes", 4, ""},
    {"nests", 4, ""},      {"nodes", 4, ""},         {"numbers", 6, ""},      {"operands", 7, ""},  {"parameters", 9, ""},
    {"partitions", 9, ""}, {"parts", 4, ""},         {"points", 5, ""},       {"ranges", 5, ""},    {"registers", 8, ""},
    {"replicas", 7, ""},   {"results", 6, ""},       {"rounds", 5, ""},       {"rows", 3, ""},      {"sticks", 5, ""},
    {"strides", 6, ""},    {"subgroups", 8, ""},     {"tensors", 6, ""},      {"terms", 4, ""},     {"threads", 6, ""},
    {"tiles", 4, ""},      {"times", 4, ""},         {"values", 5, ""},       {"variables", 8, ""}, {"words", 4, ""},
};

constexpr bool begins_with(const char* text, const char* end, const char* word, int& length) noexcept
{
    length = 0;
    for (; word[length] != '\0'; ++length)
        if (text + length == end || text[length] != word[length]) return false;
    return true;
}
constexpr bool goes_on(const char* text, const char* end) noexcept
{
    return text != end && ((*text >= 'a' && *text <= 'z') || *text == '-' || *text == '_');
}

/// Does the text before a number end so?
constexpr bool ends_with(const char* begin, const char* end, const char* word) noexcept
{
    int length = 0;
    while (word[length] != '\0') ++length;
    return end - begin >= length && begins_with(end - length, end, word, length);
}

/// `here are {0}` with one there: writes `here is ` and returns how many characters come before the place; else 0.
template <class IsOne, class Put>
constexpr int put_here_is(const char* text, const char* end, const IsOne& is_one, const Put& put) noexcept
{
    int length = 0;
    if (!begins_with(text, end, "here are {", length) || end - text < length + 2 || text[length + 1] != '}') return 0;
    if (!is_one(text[length] - '0')) return 0;
    for (const char* p = "here is "; *p != '\0'; ++p) put(*p);
    return length - 1;
}

/// Is what follows a number a verb, as the number names who does it: `agent {0} accesses`, `lane {0} copies`?
constexpr bool is_verb_of_named(const char* begin, const char* place, const char* noun, const char* end) noexcept
{
    constexpr const char* named[] = {"agent ", "block ", "character ", "device ", "lane ", "rank ", "statement ", "warp "};
    constexpr const char* verbs[] = {"accesses", "copies", "exchanges", "issues", "loops", "nests", "numbers", "results", "tiles"};
    int length = 0;
    for (const char* name : named)
        for (const char* verb : verbs)
            if (ends_with(begin, place, name) && begins_with(noun, end, verb, length) && !goes_on(noun + length, end)) return true;
    return false;
}

/// Writes the noun after the place `{0}` of a number 1, ` elements`, in the singular, with the verb after it, `are`, `have` or `hold`, if it
/// is the noun's: not that of `the bytes of {0} elements`. Not where 1 is one number of several, `2^{0} elements`, `4 x {0} elements`,
/// `{0} and {1} elements`, or a name, `agent {0} accesses`.
///
/// @param begin, end the template
/// @param place      the position of its `{`
/// @returns how many characters after the place that stands for, 0 for none
template <class Put>
constexpr int put_singular(const char* begin, const char* end, const char* place, const Put& put) noexcept
{
    const char* const text = place + 3;
    constexpr const char* several[] = {"^", "x ", "} and ", "} or "};
    for (const char* before : several)
        if (ends_with(begin, place, before)) return 0;
    if (text == end || *text != ' ' || is_verb_of_named(begin, place, text + 1, end)) return 0;
    for (const CountedNoun& noun : counted_nouns) {
        int length = 0;
        if (!begins_with(text + 1, end, noun.plural, length) || goes_on(text + 1 + length, end)) continue;
        put(' ');
        for (int i = 0; i < noun.kept; ++i) put(noun.plural[i]);
        for (const char* p = noun.ending; *p != '\0'; ++p) put(*p);
        const char* const verb = text + 1 + length;
        constexpr const char* verbs[][2] = {
            {" are", " is"},         {" were", " was"},     {" have", " has"}, {" hold", " holds"}, {" leave", " leaves"},
            {" exceed", " exceeds"}, {" start", " starts"}, {" ask", " asks"}, {" end", " ends"},   {" do", " does"}};
        int verb_length = 0;
        for (const auto& v : verbs) {
            if (ends_with(begin, place, "of ") || !begins_with(verb, end, v[0], verb_length) || goes_on(verb + verb_length, end))
                continue;
            for (const char* p = v[1]; *p != '\0'; ++p) put(*p);
            return 1 + length + verb_length;
        }
        return 1 + length;
    }
    return 0;
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
