// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/strides/onednn_tag.hpp>
#include <catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

using axe::errc;
using namespace axe::onednn;

namespace {

/// All orders of up to four dimensions, with up to two blocks.
std::vector<Tag> tags()
{
    std::vector<Tag> out;
    for (int rank = 1; rank <= 4; ++rank) {
        std::vector<int> order;
        for (int d = 0; d < rank; ++d) order.push_back(d);
        do {
            Tag tag;
            for (const int d : order) tag.order.push_back(d);
            out.push_back(tag);
            for (int first = 0; first < rank; ++first) {
                Tag one = tag;
                one.blocks.push_back({first, first == 0 ? 16 : 2});
                out.push_back(one);
                for (int second = 0; second < rank; ++second) {
                    Tag two = one;
                    two.blocks.push_back({second, 9223372036854775807});
                    out.push_back(two);
                }
            }
        } while (std::next_permutation(order.begin(), order.end()));
    }
    return out;
}

} // namespace

TEST_CASE("oneDNN's tags: all orders of four dimensions with two blocks are printed and read again", "[interop][onednn]")
{
    const auto all = tags();
    CHECK(all.size() == 1 * 3 + 2 * 7 + 6 * 13 + 24 * 21);
    for (const Tag& tag : all) {
        REQUIRE(check(tag).ok());
        const std::string plain = print(tag).c_str();
        if (!(parse_tag(plain).value() == tag)) FAIL(plain);
        // A dimension is a capital exactly where it has blocks.
        for (int i = 0; i < tag.order.size(); ++i) {
            const bool blocked =
                std::any_of(tag.blocks.begin(), tag.blocks.end(), [&](const Block& b) { return b.dim == tag.order[i]; });
            const char letter = static_cast<char>((blocked ? 'A' : 'a') + tag.order[i]);
            if (plain[static_cast<std::size_t>(i)] != letter) FAIL(plain);
        }
        if (tag.order.size() != 4) continue;
        for (const char* letters : {"nchw", "oihw"}) {
            const std::string named = print(tag, letters).c_str();
            if (!(parse_tag(named).value() == tag)) FAIL(named);
        }
    }
}

TEST_CASE("oneDNN's tags: x stands for the dimensions without a letter", "[interop][onednn]")
{
    for (int rank = 2; rank <= max_dims; ++rank) {
        const auto tag = parse_tag("axb", rank);
        REQUIRE(tag);
        CHECK(tag->order.size() == rank);
        CHECK(tag->order[0] == 0);
        CHECK(tag->order.back() == 1);
        for (int i = 1; i + 1 < rank; ++i) CHECK(tag->order[i] == i + 1);
    }
    CHECK(parse_tag("axb", 13).code() == errc::bad_syntax);
    CHECK(parse_tag("axb", 1).code() == errc::bad_syntax);
    CHECK(parse_tag("axb").code() == errc::bad_syntax);
}

TEST_CASE("oneDNN's tags: what is not one", "[interop][onednn]")
{
    for (const char* text :
         {"", "aa", "ac", "aB", "ab2a", "Ab1a", "Ab0a", "Ab2c", "Ab2A", "Ab2", "ab ba", "a-b", "nx", "abcdefghijklm", "Aa2a"}) {
        INFO(text);
        const auto tag = parse_tag(text);
        CHECK(tag.code() == errc::bad_syntax);
        CHECK(tag.error().position >= 0);
        CHECK(tag.error().position <= static_cast<int>(std::string(text).size()));
    }
    CHECK(parse_tag("Ab99999999999999999999a").code() == errc::overflow);
    Tag tag = parse_tag("Ab2a").value();
    tag.blocks[0].size = 1;
    CHECK(check(tag).code() == errc::bad_argument);
    tag.blocks[0] = {2, 2};
    CHECK(check(tag).code() == errc::bad_argument);
    tag.order[0] = 1;
    CHECK(check(tag).code() == errc::bad_argument);
    CHECK(check(Tag{}).code() == errc::capacity);
}
