// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/text/nearest_word.hpp>
#include <catch.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace {

int edits(const std::string& a, const std::string& b)
{
    return axe::detail::edits(a.data(), static_cast<int>(a.size()), b.data(), static_cast<int>(b.size()));
}

/// The definition, word for word: the last characters are kept, replaced, inserted, deleted or swapped.
int edits_by_definition(const std::string& a, const std::string& b, std::map<std::pair<std::string, std::string>, int>& known)
{
    if (a.empty() || b.empty()) return static_cast<int>(a.size() + b.size());
    const auto found = known.find({a, b});
    if (found != known.end()) return found->second;
    const std::string a1 = a.substr(0, a.size() - 1), b1 = b.substr(0, b.size() - 1);
    int least = edits_by_definition(a1, b1, known) + (a.back() == b.back() ? 0 : 1);
    least = std::min(least, edits_by_definition(a1, b, known) + 1);
    least = std::min(least, edits_by_definition(a, b1, known) + 1);
    if (a.size() > 1 && b.size() > 1 && a.back() == b1.back() && b.back() == a1.back())
        least = std::min(least, edits_by_definition(a1.substr(0, a1.size() - 1), b1.substr(0, b1.size() - 1), known) + 1);
    known[{a, b}] = least;
    return least;
}

std::string nearest(const std::string& word, const std::vector<const char*>& words)
{
    const int n = axe::nearest_word(word.data(), static_cast<int>(word.size()), words.data(), static_cast<int>(words.size()));
    return n < 0 ? "" : words[static_cast<std::size_t>(n)];
}

} // namespace

TEST_CASE("the edits between two words are counted as defined, on all words of up to five letters of three")
{
    std::vector<std::string> words{""};
    for (std::size_t i = 0; i < words.size() && words[i].size() < 5; ++i)
        for (const char c : {'a', 'b', 'c'}) words.push_back(words[i] + c);
    std::map<std::pair<std::string, std::string>, int> known;
    int wrong = 0;
    for (std::size_t i = 0; i < words.size(); ++i)
        for (std::size_t k = 0; k < words.size(); k += 7)
            wrong += edits(words[i], words[k]) != edits_by_definition(words[i], words[k], known);
    CHECK(wrong == 0);
    CHECK(words.size() == 364);
    CHECK(edits("ca", "abc") == 3); // no character is touched twice
    CHECK(edits("LANE", "lnae") == 1);
    CHECK(edits("AZ", "az") == 0);
    CHECK(edits("@[", "`{") == 2); // the neighbors of A and Z are not letters
}

TEST_CASE("the nearest word is found within so many edits as its length allows")
{
    const std::vector<const char*> words{"lane", "warp", "warpgroup", "reg", "P", "m", "canonicalize"};
    CHECK(nearest("1ane", words) == "lane");
    CHECK(nearest("lnae", words) == "lane");
    CHECK(nearest("lan", words) == "lane");
    CHECK(nearest("lanes", words) == "lane");
    CHECK(nearest("lane", words) == "lane");
    CHECK(nearest("wapr", words) == "warp");
    CHECK(nearest("warp-group", words) == "warpgroup");
    CHECK(nearest("warpgrp", words) == "warpgroup");
    CHECK(nearest("canonicalise", words) == "canonicalize");
    CHECK(nearest("cannonicalise", words) == "canonicalize");
    CHECK(nearest("rg", words) == "reg");

    CHECK(nearest("1ano", words).empty());     // two edits in four characters
    CHECK(nearest("lineage", words).empty());  // three in seven
    CHECK(nearest("canonize", words).empty()); // four
    CHECK(nearest("", words).empty());
    CHECK(nearest("x", words).empty()); // nothing of it would be left
    CHECK(nearest("ab", {"c"}).empty());
    CHECK(nearest(std::string(33, 'a'), {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}).empty()); // longer than any word
    CHECK(nearest(std::string(32, 'a'), {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}).empty());
    CHECK(nearest(std::string(31, 'a'), {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}).size() == 32);
    CHECK(nearest(std::string(32, 'a'), {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}).size() == 32);
    CHECK(nearest("lane", {}).empty());
}

TEST_CASE("case does not count, unless two words differ in nothing else: of equals the first is taken")
{
    CHECK(nearest("LANE", {"warp", "lane"}) == "lane");
    CHECK(nearest("p", {"P"}) == "P");
    CHECK(nearest("bank", {"Bank", "bank"}) == "bank");
    CHECK(nearest("Bank", {"bank", "Bank"}) == "Bank");
    CHECK(nearest("TCo1", {"tcol", "TCol"}) == "TCol");
    CHECK(nearest("TCo1", {"tcol", "TRow"}) == "tcol"); // fewer edits count for more than case
    CHECK(nearest("bat", {"cat", "hat"}) == "cat");
    CHECK(nearest("bat", {"hat", "cat"}) == "hat");
}

namespace {

constexpr const char* words[] = {"warp", "lane"};
static_assert(axe::nearest_word("lnae", 4, words, 2) == 1);
static_assert(axe::nearest_word("stage", 5, words, 2) == -1);

} // namespace
