// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/text/explain.hpp>
#include <axe/text/parse.hpp>
#include <axe/text/print.hpp>
#include <catch.hpp>
#include <tests/random.hpp>

#include <limits>
#include <string>
#include <vector>

namespace {

using Int = std::int64_t;

template <class Parse>
std::string explained(const std::string& text, Parse parse)
{
    const auto value = parse(text);
    return axe::explain(text.data(), static_cast<int>(text.size()), value.error()).c_str();
}
std::string explained(const std::string& text) { return explained(text, axe::parse_layout); }

template <class Parse>
std::string suggested(const std::string& text, Parse parse)
{
    const auto value = parse(text);
    return axe::suggestion(text.data(), static_cast<int>(text.size()), value.error()).c_str();
}
std::string suggested(const std::string& text) { return suggested(text, axe::parse_layout); }

std::vector<std::string> lines(const std::string& text)
{
    std::vector<std::string> out{""};
    for (const char c : text)
        if (c == '\n')
            out.emplace_back();
        else
            out.back() += c;
    return out;
}

} // namespace

TEST_CASE("a text that is refused is shown with a caret, what was expected, and what was probably meant")
{
    CHECK(explained("8:1@1ane") == "8:1@1ane\n"
                                   "    ^\n"
                                   "expected the name of an axis at character 4; did you mean lane?");
    CHECK(explained("swizle<3,4,3>(8:1)", axe::parse_swizzled) ==
          "swizle<3,4,3>(8:1)\n"
          "^\n"
          "expected a layout or swizzle<bits,base,shift> at character 0; did you mean swizzle?");
    CHECK(explained("8:1 lane") == "8:1 lane\n"
                                   "    ^\n"
                                   "expected '+' or the end of the text at character 4; did you mean @lane?");
    CHECK(explained("(8,2):(4@lane;1)") == "(8,2):(4@lane;1)\n"
                                           "             ^\n"
                                           "expected ',' or ')' in the strides at character 13; did you mean ','?");
    CHECK(explained("(8,16:(16,1)") == "(8,16:(16,1)\n"
                                       "     ^\n"
                                       "expected ',' or ')' in the extents at character 5; did you mean '):'?");
    CHECK(explained("8:1@threadidinwarpx2") ==
          "8:1@threadidinwarpx2\n"
          "    ^\n"
          "the axis at character 4 has a name of 16 characters; at most 15 fit; did you mean thread?");
    CHECK(explained("(8,16)(16,1)") == "(8,16)(16,1)\n"
                                       "      ^\n"
                                       "expected ':' after the extents at character 6");
}

TEST_CASE("the end of the text is one past its last character")
{
    CHECK(explained("(8,16):(16,1") == "(8,16):(16,1\n"
                                       "            ^\n"
                                       "expected ',' or ')' in the strides at character 12; did you mean ')'?");
    CHECK(explained("") == "\n^\nexpected '(' or an extent at character 0");
    CHECK(explained("8:  ") == "8:\n"
                               "  ^\n"
                               "expected a stride at character 4");
    CHECK(explained("8:\n\n") == "8:\n"
                                 "  ^\n"
                                 "expected a stride at character 4");
}

TEST_CASE("a text that reads well but is not a layout has its caret under the iter meant")
{
    const auto caret = [](const std::string& text, auto parse) {
        const auto shown = lines(explained(text, parse));
        return shown.size() == 3 ? static_cast<int>(shown[1].size()) - 1 : -1;
    };
    CHECK(caret("(8,0,2):(1,1,1)", axe::parse_layout) == 3);
    CHECK(caret("0:1", axe::parse_layout) == 0);
    CHECK(caret(" ( 8 , -2 ):(1,1)", axe::parse_layout) == 7);
    CHECK(caret("S[(8,0):(1,1)]", axe::parse_layout) == 5);
    CHECK(caret("8:1 + [2:1, -1:4]", axe::parse_layout) == 12);
    CHECK(caret("S[8:1] + R[(2,0):(1,1)]", axe::parse_layout) == 14);
    CHECK(caret("(8||2,0):(1||1,1)", axe::parse_grouped) == 6);
    CHECK(caret("(|0):(|1)", axe::parse_grouped) == 2);
    CHECK(caret("swizzle<3,4,3>@x/2((8,0):(1,1))", axe::parse_swizzled) == 22);
    CHECK(caret("(4,9,0)", axe::parse_shape) == 5);
    CHECK(caret("0", axe::parse_shape) == 0);
    CHECK(caret("0:1", axe::parse_iter) == 0);
    CHECK(caret("(2,4611686018427387904,8):(0,0,0)", axe::parse_layout) == 3); // where the product overflows
    // Errors that mean no place have none.
    CHECK(caret("swizzle<3,4,2>(8:1)", axe::parse_swizzled) == -1);
    CHECK(caret("(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1):(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)", axe::parse_layout) == -1);
    CHECK(explained("swizzle<3,4,2>(8:1)", axe::parse_swizzled) ==
          "swizzle<3,4,2>(8:1)\nswizzle<3,4,2> must have bits and base >= 0, |shift| >= bits, and end below bit 62");
    // Neither have errors that are not of this text: a dimension of a shape is not an iter of the layout.
    const std::string text = "(8,2):(2,1)";
    const auto other = [&](const axe::Error& e) {
        return lines(axe::explain(text.data(), static_cast<int>(text.size()), e).c_str()).size() == 2;
    };
    CHECK(other(axe::volume(axe::Shape{4, 0}).error()));
    CHECK(other(axe::group(*axe::parse_layout({text.data(), 11}), {3, 5}).error()));
    CHECK(other(axe::Error(axe::errc::bad_syntax, 12, "expected a stride at character {0}", 12)));
    CHECK(std::string(axe::explain("8:1", 3, axe::Error{}).c_str()).empty());
}

TEST_CASE("the word or sign that was probably meant")
{
    // a word with nothing or a wrong thing before it
    CHECK(suggested("8:1lane") == "@lane");
    CHECK(suggested("8:1 Lnae") == "@lane");
    CHECK(suggested("8:lane") == "1@lane");
    CHECK(suggested("8:1 + warp") == "1@warp");
    CHECK(suggested("8:1 + 5 wrap") == "@warp");
    CHECK(suggested("8:1@9arp") == "warp");
    CHECK(suggested("8:1@warp-group") == "warpgroup");
    CHECK(suggested("8:1@l\xc3\xa4ne") == "lane"); // ä
    CHECK(suggested("8:1@_lane") == "lane");
    CHECK(suggested("8:1@\"lane\"") == "lane");
    CHECK(suggested("8:1@la$ne + 5@warp") == "lane");
    CHECK(suggested("{_ane:3}", axe::parse_point) == "lane");
    CHECK(suggested("lane, 2eg", axe::parse_axes) == "reg");
    CHECK(suggested("1ane", axe::parse_axis) == "lane");
    CHECK(suggested("swizzel<3,4,3>(8:1)", axe::parse_swizzled) == "swizzle");
    CHECK(suggested("la$ne", axe::parse_axis) == "lane");
    CHECK(suggested("8:1@warpgroup_lane_index") == "warpgroup"); // too long for a name: what it begins with, the longest
    // nothing near
    CHECK(suggested("8:1@memory_address_of_x").empty()); // m is not what it begins with
    CHECK(suggested("8:1@txxxxxxxxxxxxxxxx").empty());
    CHECK(suggested("8:1@lane$abcdefghij").empty()); // 15 characters, not too long
    CHECK(suggested("8 swizzle").empty());
    CHECK(suggested("swizzle<3,4,3>(8:1)").empty()); // a layout is wanted, swizzled ones are read by parse_swizzled
    CHECK(suggested("8:1@1").empty());
    CHECK(suggested("8:1 8:1").empty());
    CHECK(suggested("8:1@_nonsense").empty());
    CHECK(suggested("8:1@lane reg").empty());
    CHECK(suggested("8:1 swizzle").empty());
    CHECK(suggested("{lane:8, lane:9}", axe::parse_point).empty()); // it is spelled right
    CHECK(suggested("8:0x10").empty());
    CHECK(suggested("8:1@a_very_long_name_of_an_axis_without_meaning").empty());
    // signs
    CHECK(suggested("8:1 - 3@warp") == "+ -");
    CHECK(suggested("8:1@lane-2@warp") == "+ -"); // a minus is part of a word between letters only
    CHECK(suggested("8:1@lane-") == "+ -");
    CHECK(suggested("8:1@lane-warp") == "+ -");
    CHECK(suggested("8=1") == ":");
    CHECK(suggested("(8;2):(2,1)") == ",");
    CHECK(suggested("(8|2):(2,1)") == ",");
    CHECK(suggested("(8,2]:(2,1)") == ")");
    CHECK(suggested("(8,2):{2,1}") == "(");
    CHECK(suggested("(8,2):(2,1 + 3@P") == ") +");
    CHECK(suggested("8:1 + [2:4@warp + 5@P") == "] +");
    CHECK(suggested("8:1 + [2:4@warp") == "]");
    CHECK(suggested("(lane:8)", axe::parse_point) == "{");
    CHECK(suggested("{lane=8}", axe::parse_point) == ":");
    CHECK(suggested("(64x128)", axe::parse_shape) == ",");
    CHECK(suggested("(64*128)", axe::parse_shape) == ",");
    CHECK(suggested("(0:32)", axe::parse_region) == "[");
    CHECK(suggested("[0-32]", axe::parse_region) == ":");
    CHECK(suggested("swizzle[3,4,3](8:1)", axe::parse_swizzled) == "<");
    CHECK(suggested("swizzle<3,4,3)(8:1)", axe::parse_swizzled) == ">");
    CHECK(suggested("(8|2:(2|1)", axe::parse_grouped) == "):");
    CHECK(suggested("(8,16)(16,1)").empty());
    CHECK(suggested("(8,0):(1,1)").empty());
    CHECK(suggested("8:1").empty()); // nothing is wrong
}

TEST_CASE("every known axis is found again after a slip")
{
    int slips = 0;
    for (const char* known : axe::known_words) {
        const std::string word = known;
        if (word.size() < 2 || word == "swizzle") continue;
        for (std::size_t i = 1; i < word.size(); ++i) { // $lane is lane before it is tlane
            ++slips;
            std::string likely = suggested("8:1@" + word.substr(0, i) + "$" + word.substr(i + 1));
            if (likely.size() == word.size()) likely[i] = word[i]; // t$ow may be known with another letter
            INFO("for $ at " << i << " of " << word << ": " << likely);
            CHECK(likely == word);
        }
    }
    CHECK(slips > 100);
}

TEST_CASE("of a long text there is a window, and the caret is right in it")
{
    const std::string ones = [] {
        std::string out = "(1";
        for (int i = 1; i < 200; ++i) out += ",1";
        return out;
    }();
    const auto at_the_end = lines(explained(ones + ";"));
    REQUIRE(at_the_end.size() == 3);
    CHECK(at_the_end[0] == "..." + (ones + ";").substr(ones.size() + 1 - 94));
    CHECK(at_the_end[1] == std::string(3 + 93, ' ') + "^");

    const auto in_the_middle = lines(explained(ones + ";" + std::string(200, 'x')));
    CHECK(in_the_middle[0] == "..." + (ones + ";" + std::string(200, 'x')).substr(ones.size() - 60, 94) + "...");
    CHECK(in_the_middle[1] == std::string(3 + 60, ' ') + "^");

    const auto at_the_start = lines(explained("x" + ones));
    CHECK(at_the_start[0] == ("x" + ones).substr(0, 94) + "...");
    CHECK(at_the_start[1] == "^");

    const std::string whole = "(1" + std::string(91, '1') + ";"; // 94 characters are shown whole
    CHECK(lines(explained(whole))[0] == whole);
}

TEST_CASE("of several lines the one of the caret is shown")
{
    CHECK(explained("(8,16):\n(16,x)\r\n + 5@m") == "...(16,x)...\n"
                                                    "       ^\n"
                                                    "expected a stride at character 12");
    CHECK(explained("\n\n  8:x") == "  8:x\n    ^\nexpected a stride at character 6");
    CHECK(explained("\n swizzle<3,4,2>(8:1)", axe::parse_swizzled).substr(0, 21) == " swizzle<3,4,2>(8:1)\n");
    CHECK(explained("x\n\n") == "x\n^\nexpected '(' or an extent at character 0");
    CHECK(explained("(8,0)\n:(2,1)") == "(8,0)...\n   ^\nthe extent of iter 1 is 0; it must be at least 1");
}

TEST_CASE("the longest explanation is not cut")
{
    const axe::Error longest(axe::errc::bad_syntax, 60,
                             "expected the name of an axis at this character, {0} {0} {0} {0} {0} {0} {0} {0} {0} {0} {0} {0}",
                             std::numeric_limits<Int>::min());
    REQUIRE(longest.message().size == axe::Message::capacity);
    const std::string text = std::string(60, '1') + "\xffwarpgroup" + std::string(100, ' ') + "1";
    const std::string shown = axe::explain(text.data(), static_cast<int>(text.size()), longest).c_str();
    const std::string end = "; there stands the byte 255; did you mean @warpgroup?";
    CHECK(lines(shown).size() == 3);
    CHECK(shown.substr(shown.size() - end.size()) == end);
}

TEST_CASE("a word outside ASCII is named in ASCII")
{
    const auto word = [](const std::string& text) {
        const int length = static_cast<int>(text.size());
        const auto error = axe::parse_layout({text.data(), length}).error();
        return std::string(axe::unreadable_word(text.data(), length, error).c_str());
    };
    CHECK(word("8:1@gr\xc3\xb6\xc3\x9f") == "gr<U+00F6><U+00DF>");
    CHECK(word("(8,2):(4@\xce\xb1,1)") == "<U+03B1>");
    CHECK(word("8:1@a\xff"
               "b") == "a?b"); // no character
    CHECK(word("8:1@a\xc3") == "a?");
    CHECK(word("8:1@a\xf4\x90\x80\x80") == "a????"); // above U+10FFFF
    CHECK(word("8:1@7").empty());
    CHECK(word("8:1@lane").empty());
    CHECK(word("8:1@x" + std::string(400, '\xc3')).size() < 70); // cut
}

TEST_CASE("nothing but ASCII reaches the terminal, in its column")
{
    CHECK(explained("\t8:\x1b[31m") == " 8:?[31m\n"
                                       "   ^\n"
                                       "expected a stride at character 3; there stands the byte 27");
    CHECK(explained("8\xef\xbc\x9a"
                    "1") == "8???1\n"
                            " ^\n"
                            "expected ':' after the extent at character 1; there stands U+FF1A");
    CHECK(explained("8:1@\xf0\x9f\x98\x80") ==
          "8:1@????\n"
          "    ^\n"
          "the name of an axis has a character outside ASCII at character 4 (names are of letters "
          "A-Z, digits, _ and .); there stands U+1F600");
    CHECK(explained(std::string("8:1\0", 4)) == "8:1?\n"
                                                "   ^\n"
                                                "expected '+' or the end of the text at character 3; there stands the byte 0");
    CHECK(explained(" ~") == " ~\n ^\nexpected '(' or an extent at character 1");
    CHECK(explained("8:1\x7f") == "8:1?\n"
                                  "   ^\n"
                                  "expected '+' or the end of the text at character 3; there stands the byte 127");
}

TEST_CASE("whatever the text, the explanation is two or three short lines of ASCII with the caret under its character")
{
    laws::Random r(21);
    const std::string whole = "swizzle<3,4,-3>@smem/2((8,2,4,2):(4@lane,1@warp,1@lane,1@reg) + [2:4@warp, 3:1] + 5@warp + -7@m)";
    const std::string bytes = std::string("()[]{}<>:,@+-/|;09aS \t\r\n\x1b\x80\xff") + '\0';
    const auto visible = [](char c) { return c == '\t' ? ' ' : c >= ' ' && c <= '~' ? c : '?'; };
    int refusals = 0, carets = 0;
    for (Int i = laws::cases(20'000); i > 0; --i) {
        std::string text = whole.substr(static_cast<std::size_t>(r.in(0, 23)));
        for (Int n = r.in(0, 2); n > 0; --n) text += text;
        for (Int n = r.in(1, 4); n > 0 && !text.empty(); --n) {
            const auto at = static_cast<std::size_t>(r.in(0, static_cast<Int>(text.size()) - 1));
            const char c = bytes[static_cast<std::size_t>(r.in(0, static_cast<Int>(bytes.size()) - 1))];
            if (r.one_in(3))
                text.erase(at);
            else if (r.one_in(2))
                text[at] = c;
            else
                text.insert(at, 1, c);
        }
        const auto value = axe::parse_swizzled(text);
        const auto shown = lines(axe::explain(text.data(), static_cast<int>(text.size()), value.error()).c_str());
        if (value) continue;
        ++refusals;
        bool good = (shown.size() == 2 || shown.size() == 3) && shown[0].size() <= 100;
        for (const std::string& line : shown)
            for (const char c : line) good = good && c >= ' ' && c <= '~';
        const int position = value.error().position;
        if (good && shown.size() == 3 && value.error().code == axe::errc::bad_syntax) {
            ++carets;
            const std::size_t column = shown[1].size() - 1;
            const std::string before_caret = shown[1].substr(0, column);
            good = shown[1][column] == '^' && before_caret.find_first_not_of(' ') == std::string::npos;
            if (position == static_cast<int>(text.size())) {
                good = good && column == shown[0].size();
            } else {
                const char c = text[static_cast<std::size_t>(position)];
                // a newline, and blanks at the end, are not shown
                const bool unseen = c == '\n' || c == '\r' ||
                                    text.find_first_not_of(" \t\r\n", static_cast<std::size_t>(position)) == std::string::npos;
                good = good && (unseen || (column < shown[0].size() && shown[0][column] == visible(c)));
                // and it is that character, not another like it: what stands before it is what stands there in the text
                const bool cut = shown[0].substr(0, 3) == "...";
                for (std::size_t k = 1; good && k <= column - (cut ? 3 : 0); ++k) {
                    const char t = text[static_cast<std::size_t>(position) - k];
                    good = shown[0][column - k] == visible(t);
                }
            }
        }
        if (value.error().code == axe::errc::bad_syntax && shown.size() != 3) good = false;
        if (!good) FAIL_CHECK("text of " << text.size() << " bytes at " << position << ":\n" << shown[0] << "\n" << shown[1]);
    }
    CHECK(refusals > 1000);
    CHECK(carets > 1000);
}

namespace {

constexpr axe::Error mistake = axe::parse_layout("8:1@1ane").error();
static_assert(axe::suggestion("8:1@1ane", 8, mistake) == "lane");
static_assert(axe::explain("8:1@1ane", 8, mistake) ==
              "8:1@1ane\n    ^\nexpected the name of an axis at character 4; did you mean lane?");

} // namespace
