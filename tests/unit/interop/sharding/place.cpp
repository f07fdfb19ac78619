// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/sharding/find.hpp>
#include <axe/interop/sharding/sdy.hpp>
#include <tests/unit/interop/sharding/said.hpp>

using namespace axe;
using namespace axe::sharding;
using namespace axe::literals;

namespace {

Spec read(std::string_view text) { return parse_sdy(text).value(); }

std::string placed(std::string_view text, const Shape& shape)
{
    const auto out = place(read(text), shape);
    return out ? said::text(out->layout) : std::string(out.error().message().c_str());
}

Placed plain(const Layout& layout)
{
    Placed out;
    out.layout = layout;
    return out;
}

} // namespace

TEST_CASE("place: the layouts of the paper's figure")
{
    // Fully sharded, and rows with copies, of 64×128 on a mesh whose columns count by 1: x is 2 apart.      [Axe, figure 2B]
    CHECK(placed(R"(<mesh<["y"=2, "x"=2]>, [{"x"}, {"y"}]>)", {64, 128}) == "(2,32,2,64):(1@gpuid,64,2@gpuid,1)");
    CHECK(placed(R"(<mesh<["y"=2, "x"=2]>, [{"x"}, {}]>)", {64, 128}) == "(2,32,128):(1@gpuid,128,1) + [2:2@gpuid]");
    CHECK(axe::equal(place(read(R"(<mesh<["y"=2, "x"=2]>, [{"x"}, {}]>)"), {64, 128})->layout,
                     "(2,32,128):(1@gpuid,128@m,1@m) + [2:2@gpuid]"_axe));
}

TEST_CASE("place: sub-axes, whole axes, orders, one device")
{
    CHECK(placed(R"(<mesh<["x"=2, "y"=8]>, [{"y":(2)2}, {"x"}]>)", {4, 4}) ==
          "(2,2,2,2):(2@gpuid,2,8@gpuid,1) + [2:4@gpuid, 2:1@gpuid]");
    CHECK(placed(R"(<mesh<["x"=4]>, [{"x":(2)2, "x":(1)2}]>)", {8}) == "(2,2,2):(1@gpuid,2@gpuid,1)");
    CHECK(placed(R"(<mesh<["x"=2, "y"=2], device_ids=[4, 6, 5, 7]>, [{"x", "y"}]>)", {4}) == "(2,2):(1@gpuid,2@gpuid) + 4@gpuid");
    CHECK(placed(R"(<mesh<[], device_ids=[3]>, [{}, {}]>)", {4, 5}) == "(4,5):(5,1) + 3@gpuid");
    CHECK(placed(R"(<mesh<["x"=1]>, [{"x"}]>)", {4}) == "4:1");
    CHECK(placed(R"(<mesh<["x"=4]>, []>)", {}) == "():() + [4:1@gpuid]");
    CHECK(placed(R"(<mesh<["x"=4]>, [{"x"}, {}]>)", {4, 1}) == "4:1@gpuid");
}

TEST_CASE("place: refusals")
{
    CHECK(placed(R"(<mesh<["x"=4]>, [{}, {"x"}]>)", {4, 6}) == "dimension 1 of 6 elements does not divide into 4 parts");
    CHECK(placed(R"(<mesh<["x"=4]>, [{"x"}]>)", {2}) == "dimension 0 of 2 elements does not divide into 4 parts");
    CHECK(placed(R"(<mesh<["x"=4]>, [{"x"}]>)", {4, 6}) == "the shape has 2 dimensions, the sharding 1");
    CHECK(placed(R"(<mesh<["x"=4]>, [{"x"}]>)", {0}) == "dimension 0 of the shape is 0; it must be at least 1");
    // an axis of six places whose devices step by 3, 3, …: it can be cut where that has digits, not elsewhere
    CHECK(placed(R"(<mesh<["x"=6], device_ids=[0, 2, 4, 1, 3, 5]>, [{"x":(1)2}]>)", {6}) == "(2,3):(1@gpuid,1) + [3:2@gpuid]");
    CHECK(placed(R"(<mesh<["x"=6], device_ids=[0, 2, 4, 1, 3, 5]>, [{"x":(1)3}]>)", {6}) ==
          "the order of the devices on mesh axis 0 does not split at the sub-axis of 3 places after 1");
    // 17 digits
    Spec spec;
    spec.mesh = *make_mesh({{"x", 2}});
    for (int i = 0; i < 17; ++i) spec.parts.push_back({-1, 1, 2});
    spec.parts.push_back({0, 1, 2});
    spec.dims.push_back(Dimension(18));
    said::refused(place(spec, {std::int64_t{1} << 20}), errc::capacity, "the layout needs more than 16 iters");
}

TEST_CASE("place: far out")
{
    constexpr std::int64_t prime = 1000000007, huge = std::int64_t{1} << 30;
    Spec spec;
    spec.mesh = *make_mesh({{"x", prime}, {"y", huge}});
    spec.parts = {{1, 1, huge}, {0, 1, prime}};
    spec.dims = {Dimension(1), Dimension(2)};
    const auto out = place(spec, {huge, prime * 8});
    REQUIRE(out.has_value());
    CHECK(said::text(out->layout) == "(1073741824,1000000007,8):(1@gpuid,1073741824@gpuid,1)");
    CHECK(sharding::equal(*place(*find_spec(*out, {huge, prime * 8}), {huge, prime * 8}), *out));
}

TEST_CASE("place: terms are replicas that are named")
{
    const auto out = place(read(R"(<mesh<["x"=2, "y"=2, "z"=2]>, [{"y"}], unreduced={"x"}>)"), {4});
    REQUIRE(out.has_value());
    CHECK(said::text(out->layout) == "(2,2):(2@gpuid,1) + [2:4@gpuid, 2:1@gpuid]");
    CHECK(out->terms == InlineVector<Term, Spec::max_marks>{{2, 4, Reduction::sum}});
    const auto copies = place(read(R"(<mesh<["x"=2, "y"=2, "z"=2]>, [{"y"}]>)"), {4});
    CHECK(axe::equal(out->layout, copies->layout));
    const auto verdict = sharding::equal(*out, *copies);
    CHECK(!verdict.undecided());
    CHECK_FALSE(verdict);
    CHECK(verdict.witness() == -1);
    const auto other = sharding::equal(*out, *place(read(R"(<mesh<["x"=2, "y"=2, "z"=2]>, [{"x"}]>)"), {4}));
    CHECK_FALSE(other);
    CHECK(other.witness() == 0);
    // sub-axes that follow each other are one stretch of terms; other reductions are not
    Spec spec = read(R"(<mesh<["x"=8]>, [{}], unreduced={"x":(1)2, "x":(2)2}>)");
    CHECK(place(spec, {4})->terms == InlineVector<Term, Spec::max_marks>{{4, 2, Reduction::sum}});
    spec.unreduced[0].reduction = Reduction::max;
    CHECK(place(spec, {4})->terms == InlineVector<Term, Spec::max_marks>{{2, 2, Reduction::sum}, {2, 4, Reduction::max}});
}

TEST_CASE("find_spec: over the mesh given, or one that is found")
{
    const Mesh mesh = *make_mesh({{"x", 2}, {"y", 4}, {"z", 2}});
    const auto text = [&](const Layout& layout, const Shape& shape) {
        const auto spec = find_spec(plain(layout), shape, mesh);
        return spec ? said::text(print_sdy(*spec)) : std::string(spec.error().message().c_str());
    };
    CHECK(text("(8,8):(2@gpuid,1) + [2:1@gpuid]"_axe, {64}) == R"(#sdy.sharding<@mesh, [{"x", "y"}]>)");
    CHECK(text("(2,2,2,8):(1@gpuid,2@gpuid,8@gpuid,1) + [2:4@gpuid]"_axe, {64}) ==
          R"(#sdy.sharding<@mesh, [{"z", "y":(2)2, "x"}]>)");
    CHECK(text("16:1@gpuid"_axe, {16}) == R"(#sdy.sharding<@mesh, [{"x", "y", "z"}]>)");
    CHECK(text("16:1@gpuid"_axe, {4, 4}) == R"(#sdy.sharding<@mesh, [{"x", "y":(1)2}, {"y":(2)2, "z"}]>)");
    CHECK(text("64:1 + [16:1@gpuid]"_axe, {8, 8}) == R"(#sdy.sharding<@mesh, [{}, {}]>)");

    const auto found = find_mesh(plain("(2,8,4,2):(1@gpuid,2,4@gpuid,1) + [2:2@gpuid] + 7@gpuid"_axe), {16, 8});
    REQUIRE(found.has_value());
    CHECK(found->first == 7);
    CHECK(said::text(devices(*found)) == "(4,2,2):(4@gpuid,2@gpuid,1@gpuid) + 7@gpuid");
    CHECK(device_count(*find_mesh(plain("4:1"_axe), {4})) == 1);
}

TEST_CASE("find_spec: what no sharding says")
{
    const auto why = [](const Layout& layout, const Shape& shape) {
        const auto spec = find_spec(plain(layout), shape);
        CHECK_FALSE(spec.has_value());
        CHECK((spec.error().is_none() || spec.code() == errc::size_mismatch));
        return std::string(spec.error().message().c_str());
    };
    CHECK(why("(2,4):(1@gpuid,2)"_axe, {8}) == "dimension 0 has stride 2 on m; a row-major part has 1");
    CHECK(why("(2,4,4):(1@gpuid,1,4)"_axe, {8, 4}) == "dimension 1 has stride 4 on m; a row-major part has 1");
    CHECK(why("(2,4):(0,1)"_axe, {8}) == "dimension 0 has stride 0 on m; a row-major part has 4");
    CHECK(why("(2,4):(1@gpuid,1@smem)"_axe, {8}) == "dimension 0 moves on an axis other than gpuid and m");
    CHECK(why("(2,4):(1@gpuid,1) + 3@m"_axe, {8}) ==
          "the layout has offset 3 on an axis other than gpuid; the part of a device starts at 0");
    CHECK(why("(2,4):(1@gpuid,1) + [2:4]"_axe, {8}) == "2 copies are on an axis other than gpuid");
    const char* range = "the steps cover 1 consecutive devices, then advance by 2; a mesh has each number of a range once";
    CHECK(why("(2,4):(2@gpuid,1)"_axe, {8}) == range);
    CHECK(why("(2,4):(1@gpuid,1) + [2:1@gpuid]"_axe, {8}) ==
          "the steps cover 2 consecutive devices, then advance by 1; a mesh has each number of a range once");
    CHECK(why("6:1@gpuid"_axe, {4, 2}) == "the shape has 8 elements, the layout 6");
    CHECK(why("(3,2):(1@gpuid,3@gpuid)"_axe, {2, 3}) == "dimension 0 of extent 2 ends inside an iter and does not divide it");
    said::refused(find_spec(plain("(2,4):(-1@gpuid,1)"_axe), {8}), errc::out_of_domain, "device -1 has a number below 0");

    const Mesh mesh = *make_mesh({{"x", 2}, {"y", 3}});
    const auto over = [&](const Layout& layout, const Shape& shape) {
        return std::string(find_spec(plain(layout), shape, mesh).error().message().c_str());
    };
    CHECK(over("4:1@gpuid"_axe, {4}) == "4 devices hold the tensor, but the mesh has 6");
    CHECK(over("6:1@gpuid + 2@gpuid"_axe, {6}) == "the devices that hold the tensor start at 2, those of the mesh at 0");
    CHECK(over("(2,3):(1@gpuid,2@gpuid)"_axe, {6}) == "steps of 2 through the devices do not split at mesh axis 1 of 3 places");
    CHECK(over("6:-1@gpuid + 5@gpuid"_axe, {6}) == "dimension 0 traverses mesh axis 1 backwards");

    Placed wrong = plain("(2,4):(1@gpuid,1) + [4:2@gpuid]"_axe);
    wrong.terms.push_back({2, 1, Reduction::sum});
    said::refused(find_spec(wrong, {8}), errc::bad_argument, "the layout has no 2 copies 1 device apart for the terms");
    wrong.terms[0] = {2, 4, Reduction::sum};
    CHECK(find_spec(wrong, {8}).has_value());
    wrong.terms.push_back({2, 4, Reduction::max});
    said::refused(find_spec(wrong, {8}), errc::bad_argument,
                  "entry 1 of the terms is not in order of stride, or names a device twice");
}
