// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/sharding/hlo_text.hpp>
#include <tests/unit/interop/sharding/orders.hpp>
#include <tests/unit/interop/sharding/said.hpp>

#include <map>

using namespace axe;
using namespace axe::sharding;
using orders::Devices;
using Kind = HloSharding::Kind;

namespace {

Result<HloSharding> read(std::string_view text) { return parse_hlo(text); }

Result<int> tuple(std::string_view text, std::vector<std::string>& out)
{
    return parse_hlo_tuple(text, [&](const HloSharding& one) { out.emplace_back(print_hlo(one)->c_str()); });
}

void refused(std::string_view text, errc code, int at, std::string_view sentence)
{
    const auto result = read(text);
    said::misread(result, text, code, at, sentence);
    CHECK(result.error().position == at);
}

} // namespace

TEST_CASE("parse_hlo and print_hlo: every iota of few dimensions is NumPy's, and one order has one text, the shortest")
{
    std::map<Devices, std::string> printed;
    std::map<Devices, std::size_t> shortest;
    for (const orders::Iota& iota : orders::iotas(4, 3)) {
        const std::string tiles = "{devices=[" + std::to_string(iota.devices.size()) + "]", text = tiles + "<=" + iota.text + "}";
        INFO(text);
        const auto hlo = read(text);
        REQUIRE(hlo);
        REQUIRE(check(*hlo).ok());
        REQUIRE(orders::listed(hlo->order, hlo->first) == iota.devices);
        const std::string again = print_hlo(*hlo)->c_str();
        REQUIRE(printed.emplace(iota.devices, again).first->second == again);
        REQUIRE(orders::listed(read(again)->order) == iota.devices);
        auto& least = shortest.emplace(iota.devices, text.size()).first->second;
        least = std::min(least, text.size());
        // The same devices one by one.
        const auto list = read(tiles + orders::joined(iota.devices) + "}");
        REQUIRE(list);
        REQUIRE(std::string(print_hlo(*list)->c_str()) == again);
    }
    for (const auto& [devices, text] : printed) REQUIRE(text.size() <= shortest[devices]);
}

TEST_CASE("parse_hlo: a list of devices is read iff steps make it, and printed as it was or as an iota")
{
    for (int n = 1; n <= 6; ++n) {
        const auto all = orders::step_lists(n);
        for (const Devices& devices : orders::permutations(n)) {
            const std::string text = "{devices=[" + std::to_string(n) + "]" + orders::joined(devices) + "}";
            INFO(text);
            const auto hlo = read(text);
            REQUIRE(hlo.has_value() == (all.count(devices) > 0));
            if (!hlo) {
                REQUIRE(hlo.code() == errc::no_layout);
                continue;
            }
            REQUIRE(orders::listed(hlo->order, hlo->first) == devices);
            const std::string again = print_hlo(*hlo)->c_str();
            REQUIRE(orders::listed(read(again)->order, read(again)->first) == devices);
            REQUIRE((again == text || again.find("<=[") != std::string::npos));
        }
    }
}

TEST_CASE("print_hlo: a list where steps go backwards or begin elsewhere")
{
    HloSharding hlo;
    hlo.kind = Kind::tiled;
    hlo.tile = {2, 3};
    hlo.order = {Iter(2, -3), Iter(1, 7), Iter(3, 1)};
    hlo.first = 3;
    CHECK(said::text(print_hlo(hlo)) == "{devices=[2,3]3,4,5,0,1,2}");
    hlo.order = {Iter(3, 1), Iter(2, 3)};
    hlo.first = 0;
    CHECK(said::text(print_hlo(hlo)) == "{devices=[2,3]<=[2,3]T(1,0)}");
    // As many as are listed, and one more.
    hlo.tile = {256};
    hlo.order = {Iter(256, -1)};
    hlo.first = 255;
    CHECK(orders::listed(read(print_hlo(hlo)->c_str())->order, 255) == orders::listed(hlo.order, 255));
    hlo.tile = {257};
    hlo.order = {Iter(257, -1)};
    hlo.first = 256;
    said::refused(print_hlo(hlo), errc::capacity, "257 devices out of order would have to be listed; at most 256 can be");
    hlo.first = 255;
    said::refused(print_hlo(hlo), errc::out_of_domain, "device -1 has a number below 0");
}

TEST_CASE("parse_hlo and print_hlo: kinds and subgroups")
{
    for (const auto& [text, kind] : {std::pair{"{replicated}", Kind::replicated},
                                     {"{manual}", Kind::manual},
                                     {"{unknown}", Kind::unknown},
                                     {"{unreduced}", Kind::unreduced}}) {
        CHECK(read(text)->kind == kind);
        CHECK(said::text(print_hlo(*read(text))) == text);
    }
    CHECK(read(" { maximal device = 12 } ")->device == 12);
    const std::pair<const char*, Kind> kinds[] = {
        {"replicated", Kind::replicated}, {"manual", Kind::manual}, {"unreduced", Kind::unreduced}};
    for (const auto& [a, first] : kinds)
        for (const auto& [b, second] : kinds)
            for (const auto& [c, third] : kinds) {
                const auto hlo = read(std::string("{devices=[1,2,3,2]<=[12] last_tile_dims={") + a + "," + b + ", " + c + "}}");
                REQUIRE(hlo);
                CHECK(hlo->subgroups == InlineVector<Kind, 3>{first, second, third});
                CHECK(said::text(print_hlo(*hlo)) ==
                      std::string("{devices=[1,2,3,2]<=[12] last_tile_dims={") + a + ", " + b + ", " + c + "}}");
            }
    // The last dimension alone has a word of its own where it is of copies.
    CHECK(said::text(print_hlo(*read("{devices=[2,2]<=[4] last_tile_dims={replicated}}"))) ==
          "{devices=[2,2]<=[4] last_tile_dim_replicate}");
    CHECK(read("{devices=[2,2]<=[4] last_tile_dim_replicate}")->subgroups == InlineVector<Kind, 3>{Kind::replicated});
    CHECK(said::text(print_hlo(*read("{devices=[2,2]<=[4] last_tile_dims={}}"))) == "{devices=[2,2]<=[4]}");
    CHECK(said::text(print_hlo(*read("{devices=[1]<=[1]}"))) == "{devices=[1]<=[1]}");
    CHECK(orders::listed(read("{devices=[2,3]}")->order) == Devices{0, 1, 2, 3, 4, 5}); // in order where no devices are given
    CHECK(said::text(print_hlo(*read("{devices=[]}"))) == "{devices=[]<=[1]}");
    // Of manual ones each device counts, of the others their set.
    CHECK(read("{devices=[2,2]0,1,3,2 last_tile_dims={manual}}").code() == errc::no_layout);
    CHECK(orders::listed(read("{devices=[2,2]0,1,3,2 last_tile_dims={unreduced}}")->order) == Devices{0, 1, 2, 3});
}

TEST_CASE("parse_hlo: the character of a mistake")
{
    refused("", errc::bad_syntax, 0, "expected '{' before the sharding at character 0");
    refused("{replicated} x", errc::bad_syntax, 13, "expected the end of the text at character 13");
    refused("{replicatedly}", errc::bad_syntax, 1,
            "expected replicated, maximal, manual, unknown, unreduced or devices= at character 1");
    refused("{devices=[4]<=[2,0]}", errc::bad_extent, 17, "the number at character 17 is 0; it must be at least 1");
    refused("{devices=[4]<=[2,2]T(0,2)}", errc::bad_argument, 23,
            "the order at character 23 names dimension 2, which does not exist");
    refused("{devices=[4]<=[2,2]T(1)}", errc::rank_mismatch, 20,
            "the order at character 20 has 1 entry, not one for each dimension");
    refused("{devices=[3]<=[2,2]}", errc::size_mismatch, 12,
            "the list at character 12 has 4 devices; expected 3, the number of tiles");
    refused("{devices=[3]  2,1}", errc::size_mismatch, 14,
            "the list at character 14 has 2 devices; expected 3, the number of tiles");
    refused("{devices=[] <= [1] last_tile_dim_replicate}", errc::rank_mismatch, 19,
            "the subgroups at character 19 are more than the 0 dimensions of the tiles");
    refused("{devices=[2,2]0,1,-3,2}", errc::out_of_domain, 18, "the device at character 18 is -3; device numbers start at 0");
    refused("{devices=[3037000500,3037000500]}", errc::overflow, 32, "the number of tiles before character 32 overflows");
    refused("{devices=[2]<=[2] last_tile_dims={manual, shared}}", errc::bad_syntax, 42,
            "expected replicated, manual or unreduced at character 42");
    refused("{devices=[1,1,1,1]<=[1] last_tile_dims={manual,manual,manual,manual}}", errc::capacity, 67,
            "the list at character 67 has more than 3 items");
    refused("{devices=[3] 0,2,1}", errc::no_layout, 13, "the device list at character 13 is not a product of steps");
    refused("{devices=[4]0,1,3,2}", errc::no_layout, 18,
            "the device list is not a product of steps: character 18 breaks the pattern");
    refused("{devices=[3,1,2]1,0,3,2,9,8 last_tile_dim_replicate}", errc::no_layout, 16,
            "the device list at character 16 is not a product of steps");
    // An iota of more than the integer counts: its own refusal, which has no character.
    const auto far = read("{devices=[4]<=[3037000500,3037000500]}");
    CHECK(far.code() == errc::overflow);
    CHECK(far.error().position == -1);
}

TEST_CASE("parse_hlo_tuple: each in order, and how many")
{
    std::vector<std::string> each;
    CHECK(*tuple("{}", each) == 0);
    CHECK(*tuple(" { } ", each) == 0);
    CHECK(each.empty());
    CHECK(*tuple("{replicated}", each) == 1);
    CHECK(*tuple("{{manual}}", each) == 1);
    CHECK(*tuple("{{devices=[2]<=[2]}, {maximal device=1},/*index=2*/{unknown}, /* five */ {devices=[2]1,0}}", each) == 4);
    CHECK(each == std::vector<std::string>{"{replicated}", "{manual}", "{devices=[2]<=[2]}", "{maximal device=1}", "{unknown}",
                                           "{devices=[2]1,0}"});
    const auto misread = [](std::string_view text, errc code, int at, std::string_view sentence) {
        std::vector<std::string> some;
        said::misread(tuple(text, some), text, code, at, sentence);
    };
    misread("{{manual}, {manual}", errc::bad_syntax, 19, "expected ',' or '}' after the sharding at character 19");
    misread("{{manual} {manual}}", errc::bad_syntax, 10, "expected ',' or '}' after the sharding at character 10");
    misread("{{manual},}", errc::bad_syntax, 10, "expected '{' before the sharding at character 10");
    misread("{manual},", errc::bad_syntax, 8, "expected the end of the text at character 8");
    misread("{} {}", errc::bad_syntax, 3, "expected the end of the text at character 3");
    misread("{{manual}, /* open", errc::bad_syntax, 18, "expected '{' before the sharding at character 18");
}
