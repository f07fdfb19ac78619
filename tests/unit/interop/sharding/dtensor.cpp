// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/sharding/dtensor.hpp>
#include <tests/unit/interop/sharding/said.hpp>

#include <vector>

using namespace axe;
using namespace axe::sharding;

namespace {

/// Placements of every kind, and texts of each: as PyTorch's repr and str have them, and as programs do.
struct Spelled {
    sharding::Placement placement;
    std::vector<std::string> texts;
};
std::vector<Spelled> spelled()
{
    using P = sharding::Placement;
    std::vector<Spelled> out{{P::replicate(), {"Replicate()", "R", "Replicate", "R()"}}};
    const std::pair<Reduction, const char*> reductions[] = {{Reduction::sum, "sum"},
                                                            {Reduction::mean, "avg"},
                                                            {Reduction::product, "product"},
                                                            {Reduction::max, "max"},
                                                            {Reduction::min, "min"}};
    for (const auto& [reduction, word] : reductions) {
        const std::string w = word;
        out.push_back({P::partial(reduction),
                       {"Partial(" + w + ")", "P(" + w + ")", "Partial('" + w + "')", "_Partial(reduce_op=\"" + w + "\")"}});
    }
    out.push_back({P::partial(), {"Partial()", "P", "Partial", "P()"}});
    for (const int dim : {-16, -1, 0, 1, 15}) {
        const std::string d = std::to_string(dim);
        out.push_back({P::shard(dim), {"Shard(" + d + ")", "S(" + d + ")", "Shard(dim=" + d + ")", "Shard( dim = " + d + " )"}});
        for (const std::int64_t factor : {std::int64_t{2}, std::int64_t{3}, INT64_MAX}) {
            const std::string k = std::to_string(factor);
            out.push_back({P::shard(dim, factor),
                           {"_StridedShard(" + d + ", split_factor=" + k + ")", "_S(" + d + ", " + k + ")",
                            "_StridedShard(dim=" + d + ", sf=" + k + ")", "_StridedShard(" + d + "," + k + ")"}});
        }
    }
    return out;
}

} // namespace

TEST_CASE("parse_dtensor: every placement in each of its spellings, alone and in lists of both brackets")
{
    for (const Spelled& s : spelled())
        for (const std::string& text : s.texts) {
            INFO(text);
            Placements one, three;
            one.push_back(s.placement);
            three = one;
            three.push_back(sharding::Placement::replicate());
            three.push_back(s.placement);
            for (const std::string& list : {text, "[" + text + "]", "(" + text + ")", "(" + text + ",)", " [ " + text + " ] "})
                CHECK(parse_dtensor(list).value() == one);
            CHECK(parse_dtensor("[" + text + ", R, " + text + "]").value() == three);
        }
}

TEST_CASE("print_dtensor: what is printed is read again")
{
    const auto each = spelled();
    for (const Spelled& a : each)
        for (const Spelled& b : each) {
            Placements words;
            words.push_back(a.placement);
            words.push_back(b.placement);
            if (!(parse_dtensor(print_dtensor(words).c_str()).value() == words)) FAIL(print_dtensor(words).c_str());
        }
}

TEST_CASE("parse_dtensor: what is cut off is not read, and the character is in the text or at its end")
{
    const std::string text = "[Shard(dim=1), _StridedShard(0, split_factor=2), Replicate(), Partial('max')]";
    REQUIRE(parse_dtensor(text));
    for (std::size_t length = 0; length < text.size(); ++length) {
        const auto words = parse_dtensor(text.substr(0, length));
        if (words) FAIL("read " << text.substr(0, length));
        if (words.error().position < 0 || words.error().position > static_cast<int>(length)) FAIL("at " << length);
    }
    CHECK(parse_dtensor("[R, R, R, R, R, R, R, R, R, R, R, R, R, R, R, R]")->size() == 16);
    said::refused(parse_dtensor("[R, R, R, R, R, R, R, R, R, R, R, R, R, R, R, R, R]"), errc::capacity,
                  "the list at character 50 has more than 16 items");
    CHECK(parse_dtensor("[Shards(0)]").code() == errc::bad_syntax); // a word ends where it ends
    CHECK(parse_dtensor("[Shard(9223372036854775808)]").code() != errc::ok);
    CHECK(parse_dtensor("[Shard(-17)]").code() == errc::bad_argument);
}
