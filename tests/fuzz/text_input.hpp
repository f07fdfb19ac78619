// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_FUZZ_TEXT_INPUT_HPP
#define AXE_TESTS_FUZZ_TEXT_INPUT_HPP

#include <axe/text/explain.hpp>
#include <tests/fuzz/stop.hpp>

#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

/// What the fuzzers of texts share: the text, and what an error of reading it must say.
namespace fuzz {

using std::string;
using Int = std::int64_t;

inline bool plain(std::string_view text)
{
    for (const char c : text)
        if ((c < ' ' || c > '~') && c != '\n') return false;
    return true;
}

inline std::vector<string> split(const string& text, char at)
{
    std::vector<string> out;
    std::istringstream in(text);
    for (string part; std::getline(in, part, at);) out.push_back(part);
    return out;
}

struct Input {
    const char* text;
    int length;
    const char* reader;

    [[noreturn]] void wrong(const string& what) const
    {
        stop(string(reader) + ": " + what + ": " + string(text, static_cast<std::size_t>(length)));
    }
    void that(bool holds, const char* what) const
    {
        if (!holds) wrong(what);
    }
};

/// An error says what is wrong, and where in the text; the explanation shows that place.
/// @param may_be_none a text may be well-formed and mean what is not a layout
inline void check_error(const Input& in, const axe::Error& error, bool may_be_none = false)
{
    const string said = error.message().c_str();
    in.that(may_be_none || !error.is_none(), "a text for which there is no value");
    in.that(said.size() > 10 && said.find("{0") == string::npos && plain(said), "an error without a sentence");
    in.that(error.position >= -1, "an error before the text");
    const bool places = said.find("at character") != string::npos || error.code == axe::errc::bad_syntax;
    if (places) in.that(error.position >= 0 && error.position <= in.length, "an error that is not within the text");

    const auto explained = axe::explain(in.text, in.length, error);
    const string shown = explained.c_str();
    in.that(explained.size < explained.capacity && static_cast<int>(shown.size()) == explained.size, "an explanation cut short");
    in.that(plain(shown), "an explanation of bytes that are no text");
    const auto lines = split(shown, '\n');
    in.that(lines.size() == 2 || lines.size() == 3, "an explanation of other than two or three lines");
    in.that(lines.back().compare(0, said.size(), said) == 0, "an explanation without the sentence");
    in.that(lines.size() == 3 || !places, "an explanation without a caret");
    if (lines.size() == 3) {
        const std::size_t caret = lines[1].size() - 1;
        in.that(lines[1] == string(caret, ' ') + '^', "a line of the caret with more than that");
        in.that(caret <= lines[0].size(), "a caret past the text");
        const char there = places && error.position < in.length ? in.text[error.position] : ' ';
        if (there > ' ' && there <= '~') in.that(caret < lines[0].size() && lines[0][caret] == there, "a caret elsewhere");
    }
    const auto likely = axe::suggestion(in.text, in.length, error);
    in.that(plain(likely.c_str()) && likely.size < likely.capacity, "a suggestion that is not text");
}

} // namespace fuzz

#endif
