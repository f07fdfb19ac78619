// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/sharding/hlo_text.hpp>
#include <axe/interop/sharding/sdy.hpp>
#include <tests/unit/interop/sharding/said.hpp>

#include <vector>

using namespace axe;
using namespace axe::sharding;
using namespace axe::literals;

namespace {

using Kind = HloSharding::Kind;

auto read(std::string_view text) { return parse_hlo(text); }
std::string again(std::string_view text)
{
    const auto hlo = read(text);
    return hlo ? said::text(print_hlo(*hlo)) : std::string(hlo.error().message().c_str());
}
std::string placed(std::string_view text, const Shape& shape, std::int64_t devices = 0)
{
    const auto hlo = read(text);
    if (!hlo) return hlo.error().message().c_str();
    const auto out = place(*hlo, shape, devices);
    return out ? said::text(out->layout) : std::string(out.error().message().c_str());
}
std::string from(const Layout& layout, const Shape& shape)
{
    Placed out;
    out.layout = layout;
    const auto hlo = find_hlo(out, shape);
    return hlo ? said::text(print_hlo(*hlo)) : std::string(hlo.error().message().c_str());
}

} // namespace

TEST_CASE("HLO: canonical texts are printed again, others in their canonical form")
{
    for (const char* text :
         {"{replicated}", "{manual}", "{unknown}", "{unreduced}", "{maximal device=3}", "{devices=[2,2]<=[4]}",
          "{devices=[2,1,4]<=[2,4]T(1,0) last_tile_dim_replicate}", "{devices=[4,1,2]<=[8] last_tile_dim_replicate}",
          "{devices=[1,1,4,2]<=[8] last_tile_dims={manual, replicated}}",
          "{devices=[2,1,2,2]<=[2,2,2]T(1,0,2) last_tile_dims={manual, replicated}}", "{devices=[1,2]<=[2]}",
          "{devices=[2,2,2]<=[2,2,2]T(1,0,2)}", "{devices=[4]3,2,1,0}"})
        CHECK(again(text) == text);
    CHECK(again("{devices=[2,2]0,1,2,3}") == "{devices=[2,2]<=[4]}");
    CHECK(again("{devices=[2,2]0,2,1,3}") == "{devices=[2,2]<=[2,2]T(1,0)}");
    CHECK(again("{devices=[2,2]}") == "{devices=[2,2]<=[4]}");
    CHECK(again("{ devices = [ 2 , 2 ] <= [ 2 , 2 ] }") == "{devices=[2,2]<=[4]}");
    // XLA's own examples of canonical iotas: [3,4,5]T(1,2,0) is [3,20]T(1,0), [1,3,1,4,1,5]T(4,3,2,5,1,0) too      [tile_assignment.cc]
    CHECK(again("{devices=[60]<=[3,4,5]}") == "{devices=[60]<=[60]}");
    CHECK(again("{devices=[60]<=[3,4,5]T(1,2,0)}") == "{devices=[60]<=[3,20]T(1,0)}");
    CHECK(again("{devices=[60]<=[3,4,5]T(2,0,1)}") == "{devices=[60]<=[12,5]T(1,0)}");
    CHECK(again("{devices=[60]<=[3,4,5]T(2,1,0)}") == "{devices=[60]<=[3,4,5]T(2,1,0)}");
    CHECK(again("{devices=[60]<=[1,3,1,4,1,5]T(4,3,2,5,1,0)}") == "{devices=[60]<=[3,20]T(1,0)}");
    // copies are a set
    CHECK(again("{devices=[2,1,2]0,1,3,2 last_tile_dim_replicate}") == "{devices=[2,1,2]<=[4] last_tile_dim_replicate}");
    CHECK(again("{devices=[2,3]5,0,2,1,4,3 last_tile_dim_replicate}") ==
          "the device list is not a product of steps: the copies from character 20 on break the pattern");
    CHECK(again("{devices=[2,3]4,0,2,1,5,3 last_tile_dims={unreduced}}") ==
          "{devices=[2,3]<=[3,2]T(1,0) last_tile_dims={unreduced}}");
    constexpr char bounded[] = "{devices=[2,2]0,2,1,3}";
    STATIC_REQUIRE(parse_hlo(bounded)->order.size() == 2);
}

TEST_CASE("HLO: placed, and found again")
{
    CHECK(placed("{devices=[2,2]<=[4]}", {64, 128}) == "(2,32,2,64):(2@gpuid,64,1@gpuid,1)");
    CHECK(placed("{devices=[2,1,4]<=[4,2]T(1,0) last_tile_dim_replicate}", {8, 8}) == "(2,4,8):(1@gpuid,8,1) + [4:2@gpuid]");
    CHECK(placed("{replicated}", {8}, 4) == "8:1 + [4:1@gpuid]");
    CHECK(placed("{maximal device=3}", {8}) == "8:1 + 3@gpuid");
    CHECK(placed("{devices=[4]3,2,1,0}", {8}) == "(4,2):(-1@gpuid,1) + 3@gpuid");
    CHECK(place(*read("{unreduced}"), {8}, 4)->terms == InlineVector<Term, Spec::max_marks>{{4, 1, Reduction::sum}});
    // two dimensions of one element a tile, split as one
    CHECK(placed("{devices=[2,3]<=[2,3]T(1,0)}", {2, 6}) == "(3,2,2):(1@gpuid,3@gpuid,1)");
    CHECK(placed("{devices=[2,3]<=[2,3]T(1,0)}", {4, 6}) == "the order of the devices does not split at mesh axis 0");
    CHECK(from("(3,2,2):(1@gpuid,3@gpuid,1)"_axe, {2, 6}) == "{devices=[2,3]<=[2,3]T(1,0)}");
    CHECK(from("(3,2,4,2):(1@gpuid,3@gpuid,6@gpuid,1)"_axe, {2, 6, 4}) == "{devices=[2,6,2]<=[4,2,3]T(2,1,0)}");
    CHECK(from("(3,4):(1@gpuid,1)"_axe, {2, 6}) ==
          "dimension 0 of extent 2 ends inside a step of the layout, and its tiles have more than one element");

    CHECK(from("64:1"_axe, {8, 8}) == "{maximal device=0}");
    CHECK(from("64:1 + 3@gpuid"_axe, {8, 8}) == "{maximal device=3}");
    CHECK(from("64:1 + [3:1@gpuid]"_axe, {8, 8}) == "{replicated}");
    CHECK(from("(2,32):(1@gpuid,1) + 1@gpuid"_axe, {64}) == "the devices of an HLO sharding start at 0, these at 1");
    CHECK(from("(2,2,2):(2,1@gpuid,1)"_axe, {8}) ==
          "dimension 0 has 2 parts that stay on a device; only DTensor's _StridedShard expresses that");
    Placed terms;
    terms.layout = "64:1 + [4:1@gpuid]"_axe;
    terms.terms.push_back({4, 1, Reduction::sum});
    CHECK(said::text(print_hlo(*find_hlo(terms, {64}))) == "{unreduced}");
    terms.terms[0] = {2, 1, Reduction::sum};
    CHECK(said::text(print_hlo(*find_hlo(terms, {64}))) == "{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dims={unreduced, replicated}}");
    terms.terms[0].reduction = Reduction::min;
    said::refused(find_hlo(terms, {64}), errc::no_layout,
                  "XLA's unreduced shardings are sums; these terms have a different reduction");
}

TEST_CASE("HLO: what is not a placement, or of another shape")
{
    const char* manual = "the sharding is manual: the program decides where the parts are, and the text does not give it";
    CHECK(placed("{manual}", {8}) == manual);
    CHECK(placed("{devices=[1,1,4,2]<=[8] last_tile_dims={manual, replicated}}", {8, 8}) == manual);
    CHECK(placed("{unknown}", {8}) == "the sharding is unknown: the text does not give the placement of the array");
    CHECK(placed("{replicated}", {8}) ==
          "the array is replicated or unreduced over all devices, but the text does not give their number");
    CHECK(placed("{devices=[2]<=[2]}", {8}, 4) == "the tile assignment has 2 devices; expected 4");
    CHECK(placed("{devices=[2,2]<=[4]}", {8}) == "the tile assignment has 2 dimensions, 0 of them subgroups; the shape has 1");
    CHECK(placed("{devices=[2]0,2}", {8}) ==
          "the steps cover 1 consecutive devices, then advance by 2; a mesh has each number of a range once");
    CHECK(placed("{devices=[3]<=[3]}", {8}) == "dimension 0 of 8 elements does not divide into 3 parts");
    said::refused(to_spec(*read("{replicated}"), 17, 2), errc::capacity, "a shape has at most 16 dimensions, this one has 17");
    HloSharding far;
    far.kind = Kind::maximal;
    far.device = -1;
    CHECK(to_spec(far, 1).code() == errc::out_of_domain);
    Spec deep; // an assignment of 16 dimensions has no room for copies
    deep.mesh = *make_mesh({{"x", 2}});
    for (int d = 0; d < 16; ++d) deep.dims.push_back(Dimension(0));
    CHECK(said::text(print_hlo(*to_hlo(deep))) == "{replicated}");
    deep.mesh = *make_mesh({{"x", 2}, {"y", 2}});
    deep.unreduced.push_back({whole_axis(deep.mesh, 0), Reduction::sum});
    said::refused(to_hlo(deep), errc::capacity, "the tile assignment needs more than 16 dimensions or steps");
}

TEST_CASE("HLO: tuples are read one by one")
{
    std::vector<std::string> seen;
    const auto count = [&](std::string_view text) {
        seen.clear();
        return parse_hlo_tuple(text, [&](const HloSharding& one) { seen.push_back(said::text(print_hlo(one))); });
    };
    CHECK(*count("{{replicated}, {devices=[2]<=[2]}, {maximal device=1}, {manual}, {replicated}, /*index=5*/{unknown}}") == 6);
    CHECK(seen == std::vector<std::string>{"{replicated}", "{devices=[2]<=[2]}", "{maximal device=1}", "{manual}", "{replicated}",
                                           "{unknown}"});
    CHECK(*count("{devices=[2]<=[2]}") == 1);
    CHECK(*count("{}") == 0);
    said::misread(count("{{replicated} {manual}}"), "{{replicated} {manual}}", errc::bad_syntax, 14,
                  "expected ',' or '}' after the sharding at character 14");
    CHECK(count("{{replicated}, }").code() == errc::bad_syntax);
    CHECK(count("{{replicated}, /*").code() == errc::bad_syntax);
    CHECK(count("{{replicated}} x").code() == errc::bad_syntax);
}

TEST_CASE("HLO: the character of a mistake")
{
    const auto misread = [](std::string_view text, errc code, int at, std::string_view sentence) {
        said::misread(read(text), text, code, at, sentence);
    };
    misread("replicated", errc::bad_syntax, 0, "expected '{' before the sharding at character 0");
    misread("{replicate}", errc::bad_syntax, 1,
            "expected replicated, maximal, manual, unknown, unreduced or devices= at character 1");
    misread("{maximal 3}", errc::bad_syntax, 9, "expected device= at character 9");
    misread("{maximal device 3}", errc::bad_syntax, 16, "expected '=' after device at character 16");
    misread("{maximal device=x}", errc::bad_syntax, 16, "expected the number of a device at character 16");
    misread("{maximal device=-1}", errc::out_of_domain, 16, "the device at character 16 is -1; device numbers start at 0");
    misread("{replicated metadata={}}", errc::bad_syntax, 12,
            "expected '}' at character 12; only the placement of a sharding is read");
    misread("{devices[2]}", errc::bad_syntax, 8, "expected '=' after devices at character 8");
    misread("{devices=2}", errc::bad_syntax, 9, "expected '[' before the tiles at character 9");
    misread("{devices=[x]}", errc::bad_syntax, 10, "expected the number of tiles at character 10");
    misread("{devices=[0]}", errc::bad_extent, 10, "the number at character 10 is 0; it must be at least 1");
    misread("{devices=[2 2]}", errc::bad_syntax, 12, "expected ',' or ']' after the tiles at character 12");
    misread("{devices=[2,2]<=4}", errc::bad_syntax, 16, "expected '[' after <= at character 16");
    misread("{devices=[2,2]<=[2,x]}", errc::bad_syntax, 19, "expected the size of a dimension at character 19");
    misread("{devices=[2,2]<=[2 2]}", errc::bad_syntax, 19, "expected ',' or ']' in the dimensions at character 19");
    misread("{devices=[2,2]<=[2,2]T1,0}", errc::bad_syntax, 22, "expected '(' after T at character 22");
    misread("{devices=[2,2]<=[2,2]T(1,a)}", errc::bad_syntax, 25, "expected the number of a dimension at character 25");
    misread("{devices=[2,2]<=[2,2]T(1 0)}", errc::bad_syntax, 25, "expected ',' or ')' in the order at character 25");
    misread("{devices=[2,2]<=[2,3]}", errc::size_mismatch, 14,
            "the list at character 14 has 6 devices; expected 4, the number of tiles");
    misread("{devices=[2,2]0,1,2}", errc::size_mismatch, 14,
            "the list at character 14 has 3 devices; expected 4, the number of tiles");
    misread("{devices=[2,2]0,1,3,2}", errc::no_layout, 20,
            "the device list is not a product of steps: character 20 breaks the pattern");
    misread("{devices=[3]0,2,1}", errc::no_layout, 12, "the device list at character 12 is not a product of steps");
    misread("{devices=[2]0,x}", errc::bad_syntax, 14, "expected the number of a device at character 14");
    misread("{devices=[2]<=[2] last_tile_dims}", errc::bad_syntax, 32, "expected '=' after last_tile_dims at character 32");
    misread("{devices=[2]<=[2] last_tile_dims=manual}", errc::bad_syntax, 33, "expected '{' before the kinds at character 33");
    misread("{devices=[2]<=[2] last_tile_dims={shared}}", errc::bad_syntax, 34,
            "expected replicated, manual or unreduced at character 34");
    misread("{devices=[2]<=[2] last_tile_dims={manual manual}}", errc::bad_syntax, 41,
            "expected ',' or '}' after the kind at character 41");
    misread("{devices=[2]<=[2] last_tile_dims={manual, manual}}", errc::rank_mismatch, 18,
            "the subgroups at character 18 are more than the 1 dimension of the tiles");
    misread("{devices=[9223372036854775807,2]}", errc::overflow, 32, "the number of tiles before character 32 overflows");
    misread("{devices=[2,3]0,1,2,3,5,4 last_tile_dims={manual}}", errc::no_layout, 24,
            "the device list is not a product of steps: character 24 breaks the pattern");
    std::string many = "{devices=[1,1025]1";
    for (int i = 0; i < 1024; ++i) many += i == 0 ? ",0" : "," + std::to_string(i + 1);
    CHECK(read(many + " last_tile_dim_replicate}").code() == errc::capacity);
    HloSharding holes;
    holes.kind = Kind::tiled;
    holes.tile = {2};
    holes.order = {Iter(2, 3)};
    CHECK(print_hlo(holes).code() == errc::no_layout);
    HloSharding back;
    back.kind = Kind::tiled;
    back.tile = {300};
    back.order = {Iter(300, -1)};
    back.first = 299;
    said::refused(print_hlo(back), errc::capacity, "300 devices out of order would have to be listed; at most 256 can be");
}

TEST_CASE("to_spec: values that no text is")
{
    HloSharding h;
    h.kind = HloSharding::Kind::tiled;
    h.tile = {2, 0};
    said::refused(to_spec(h, 2), errc::bad_extent, "dimension 1 of the tile assignment has 0 tiles; it must have at least 1");
    h.tile = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    CHECK(to_spec(h, 17).code() == errc::capacity);
    h.subgroups.push_back(HloSharding::Kind::replicated);
    said::refused(to_spec(h, 16), errc::capacity, "the tile assignment needs more than 16 dimensions or steps");
}

TEST_CASE("check: one for all that takes an HLO sharding")
{
    const auto tiled = [](const Shape& tile, const DeviceOrder& order, std::int64_t first = 0) {
        HloSharding out;
        out.kind = Kind::tiled;
        out.tile = tile;
        out.order = order;
        out.first = first;
        return out;
    };
    const auto refused = [](const HloSharding& hlo, errc code, std::string_view sentence) {
        said::refused(check(hlo), code, sentence);
        said::refused(to_spec(hlo, hlo.tile.size()), code, sentence);
        said::refused(place(hlo, {4, 4}), code, sentence);
        said::refused(print_hlo(hlo), code, sentence);
    };
    const std::int64_t high = INT64_MAX, low = INT64_MIN;
    CHECK(check(tiled({2, 2}, {Iter(4, 1)})).ok());
    CHECK(check(tiled({}, {})).ok());
    refused(tiled({2, 0}, {Iter(2, 1)}), errc::bad_extent,
            "dimension 1 of the tile assignment has 0 tiles; it must have at least 1");
    refused(tiled({-3, 2}, {Iter(2, 1)}), errc::bad_extent,
            "dimension 0 of the tile assignment has -3 tiles; it must have at least 1");
    refused(tiled({2, 2}, {Iter(2, 1)}), errc::size_mismatch, "the tile assignment has 4 tiles for 2 devices");
    refused(tiled({high, 2}, {Iter(2, 1)}), errc::overflow, "the number of tiles overflows at dimension 1");
    for (const std::int64_t n : {std::int64_t{0}, std::int64_t{-1}, low})
        refused(tiled({2}, {Iter(n, 8), Iter(2, 1)}), errc::bad_extent,
                "a step through the devices has extent " + std::to_string(n) + "; it must be at least 1");
    refused(tiled({2}, {Iter(2, low)}), errc::overflow, "the numbers of the devices overflow");
    refused(tiled({2}, {Iter(2, low)}, high), errc::overflow, "the numbers of the devices overflow");
    refused(tiled({2}, {Iter(2, 1)}, high), errc::overflow, "the numbers of the devices overflow");
    refused(tiled({2}, {Iter(2, 1)}, low), errc::out_of_domain, "device -9223372036854775808 has a number below 0");
    refused(tiled({2}, {Iter(2, 0)}), errc::no_layout,
            "the steps cover 1 consecutive devices, then advance by 0; a mesh has each number of a range once");
    HloSharding groups = tiled({2, 2}, {Iter(4, 1)});
    groups.subgroups = {Kind::tiled};
    refused(groups, errc::bad_argument, "subgroup 0 is not replicated, manual or unreduced");
    groups.subgroups = {Kind::replicated, Kind::replicated, Kind::replicated};
    refused(groups, errc::rank_mismatch, "3 subgroups are more than the 2 dimensions of the tile assignment");
    groups.subgroups = {Kind::manual, Kind::manual, Kind::manual, Kind::manual};
    refused(groups, errc::capacity, "the tile assignment needs more than 16 dimensions or steps");
    HloSharding one;
    one.kind = Kind::maximal;
    one.device = -1;
    refused(one, errc::out_of_domain, "device -1 has a number below 0");
    one.device = high; // the number after the last is none
    CHECK(to_spec(one, 1).code() == errc::overflow);
    Shape many;
    many.count = max_rank + 1;
    CHECK(place(tiled({2, 2}, {Iter(2, 1), Iter(2, 2)}), many).code() == errc::capacity);
}
