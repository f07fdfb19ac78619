// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/sharding/sbp.hpp>
#include <tests/unit/interop/sharding/chunks.hpp>
#include <tests/unit/interop/sharding/said.hpp>

using namespace axe;
using namespace axe::sharding;

TEST_CASE("SBP: all placements without factors are printed and read again, those with factors are not SBP's")
{
    int plain = 0, strided = 0;
    for (const Placements& words : chunks::all_placements(3, 2)) {
        bool factors = false;
        for (const sharding::Placement& p : words)
            factors = factors || (p.kind == sharding::Placement::Kind::shard && p.factor != 1);
        const auto text = print_sbp(words);
        if (text.has_value() == factors) FAIL("printed, or not");
        if (factors && text.code() != errc::no_layout) FAIL("another code");
        if (!factors && !(parse_sbp(text->c_str()).value() == words)) FAIL(text->c_str());
        ++(factors ? strided : plain);
    }
    CHECK(plain == 4 * 4 * 4);
    CHECK(strided == 10 * 10 * 10 - 4 * 4 * 4);
}

TEST_CASE("SBP: the reductions that it has")
{
    for (const Reduction reduction : {Reduction::sum, Reduction::mean, Reduction::product, Reduction::max, Reduction::min}) {
        Placements words;
        words.push_back(sharding::Placement::partial(reduction));
        const auto text = print_sbp(words);
        const bool has = reduction == Reduction::sum || reduction == Reduction::max || reduction == Reduction::min;
        CHECK(text.has_value() == has);
        if (text) CHECK(parse_sbp(text->c_str()).value() == words);
    }
}

TEST_CASE("SBP: splits of one dimension act in the order of the hierarchy")
{
    const Mesh mesh = chunks::row_major({2, 3});
    const auto words = parse_sbp("(S(0), S(0))");
    REQUIRE(words);
    const auto placed = place(*to_spec(*words, mesh, 1), {12});
    REQUIRE(placed);
    for (std::int64_t x = 0; x < 12; ++x) {
        std::int64_t holders = 0, device = -1;
        for (std::int64_t d = 0; d < 6; ++d) {
            const chunks::List list = chunks::held(*words, {2, 3}, 12, 1, 0, d);
            if (std::find(list.begin(), list.end(), x) == list.end()) continue;
            ++holders;
            device = d;
        }
        CHECK(holders == 1);
        CHECK((*evaluate(placed->layout, x))[device_axis] == device);
    }
}

TEST_CASE("parse_sbp: what is cut off is not read")
{
    const std::string text = "(flow.sbp.split(1), oneflow.sbp.broadcast, P(max))";
    REQUIRE(parse_sbp(text));
    for (std::size_t length = 0; length < text.size(); ++length)
        if (parse_sbp(text.substr(0, length))) FAIL("read " << text.substr(0, length));
}
