// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "said.hpp"

#include <axe/interop/spyre/place.hpp>
#include <axe/interop/spyre/to_axe.hpp>

using axe::SpyreLayout;
using namespace axe::spyre;
using said::refused;
using said::tensor;

namespace {

std::string text(const axe::Result<Placed>& p)
{
    if (!p) return p.error().message().c_str();
    return said::text(p->layout) + " on " + axe::print(p->shape).c_str() + ", " + std::to_string(p->elements);
}
axe::Result<Tensor> placed(const axe::Shape& sizes, const axe::Shape& device, const Strides& map)
{
    return place(contiguous(sizes), SpyreLayout{device, map});
}

} // namespace

TEST_CASE("spyre: addresses of a tensor as a layout", "[interop][spyre]")
{
    CHECK(text(to_axe(tensor({5, 100, 150}))) == "(5,300,64):(64,320,1) on (5,100,192), 96000");
    CHECK(text(to_axe(tensor({1024, 256}))) == "(1024,4,64):(64,65536,1) on (1024,256), 262144");
    CHECK(text(to_axe(tensor({50, 10, 200}))) == "(50,40,64):(64,3200,1) on (50,10,256), 128000");
    CHECK(text(to_axe(tensor({240}))) == "256:1 on (256), 256"); // the sticks are side by side
    CHECK(text(to_axe(tensor({}))) == "():() on (), 64");
    CHECK(text(to_axe(tensor({512, 256}, said::f16, {0, 1, -1}))) == "(512,256):(64,32768) on (512,256), 8388608");
    CHECK(text(to_axe(tensor({4, 1}, said::f32))) == "4:32 on (4,1), 128");
    const auto p = to_axe(tensor({5, 100, 150})).value();
    CHECK(p.valid == axe::Region{{0, 5}, {0, 100}, {0, 150}});
    CHECK(!p.fill.known);
    CHECK(to_axe(tensor({5, 100, 150}), {"hbm"}, {true, 0}).value().fill == Fill{true, 0});
    CHECK(said::text(to_axe(tensor({4, 64}), {"hbm"})->layout) == "256:1@hbm");
    static_assert(to_axe(*make_tensor(contiguous({5, 100, 150}), DataFormat::sen169_fp16))->elements == 96000);
}

TEST_CASE("spyre: sticks and elements are two axes", "[interop][spyre]")
{
    CHECK(text(to_axe_sticks(tensor({5, 100, 150}))) == "(5,300,64):(1@stick,5@stick,1@elem) on (5,100,192), 96000");
    CHECK(text(to_axe_sticks(tensor({240}))) == "(4,64):(1@stick,1@elem) on (256), 256");
    CHECK(text(to_axe_sticks(tensor({4, 40}), {"s"}, {"e"})) == "(4,64):(1@s,1@e) on (4,64), 256");
    // forty rows of sixty in sticks of 64, one after the other: a stick has parts of two rows
    const auto folded = placed({40, 60}, {38, 64}, {64, 1}).value();
    CHECK(text(to_axe(folded)) == "2400:1 on (40,60), 2432");
    refused(to_axe_sticks(folded), axe::errc::no_layout, "2400 elements, 1 apart, end within a stick and continue in the next one");
    CHECK(text(to_sticks(to_axe_merged(folded).value(), said::f16)) == "(38,64):(1@stick,1@elem) on (1,2432), 2432");
}

TEST_CASE("spyre: explicit layouts whose digits divide", "[interop][spyre]")
{
    CHECK(text(to_axe(*placed({40, 60}, {1, 512, 64}, {64, 60, 1}))) == "32768:1 on (512,64), 32768");
    CHECK(text(to_axe(*placed({60}, {2, 1, 2, 64}, {15, 64, 30, 1}))) == "(2,2,15):(64,128,1) on (60), 256");
    // copies are replicas
    const auto copies = to_axe(*placed({60}, {1, 512, 64}, {64, 0, 1}));
    CHECK(text(copies) == "64:1 + [512:64] on (64), 32768");
    CHECK(said::text(to_axe_sticks(*placed({60}, {1, 512, 64}, {64, 0, 1}))->layout) == "64:1@elem + [512:1@stick]");
    // an expanded dimension without a device dimension: one place for all
    const auto still = place({{4, 100}, {0, 1}}, SpyreLayout{{2, 1, 64}, {64, -1, 1}}).value();
    CHECK(text(to_axe(still)) == "(4,128):(0,1) on (4,128), 128");
}

TEST_CASE("spyre: digits that do not divide are not a layout, and the digit is told", "[interop][spyre]")
{
    const auto ragged = placed({40, 60}, {12, 2, 1, 2, 64}, {60, 720, 64, 1200, 1}).value();
    refused(to_axe(ragged), axe::errc::no_layout,
            "device dimension 1 counts steps of 12 within 20, but 12 does not divide 20: the map is not a layout");
    CHECK(to_axe(ragged).error().position == 1);
    // twelve steps that go on in the next twelve are twenty-four
    CHECK(text(to_axe(*placed({40, 60}, {2, 12, 1, 2, 64}, {720, 60, 64, 1200, 1}))) == "(2,20,64):(64,128,1) on (40,64), 3072");
    // sticks that are not side by side, across rows of 60
    const auto apart = placed({40, 60}, {38, 2, 64}, {64, -1, 1}).value();
    refused(to_axe(apart), axe::errc::no_layout,
            "device dimension 0 counts steps of 64 across dimensions of 60 elements\nhint: merge these dimensions");
    CHECK(text(to_axe_merged(apart)) == "(38,64):(128,1) on (1,2432), 4864");
    refused(to_axe(tensor({4, 0})), axe::errc::bad_extent, "dimension 1 is empty; a layout has at least one element");
    CHECK(to_axe(tensor({4, 0})).error().position == 1);
}

TEST_CASE("spyre: layouts of numbers at their ends", "[interop][spyre]")
{
    constexpr std::int64_t big = std::int64_t{1} << 50;
    CHECK(text(to_axe(tensor({big}))) == "1125899906842624:1 on (1125899906842624), 1125899906842624");
    CHECK(text(to_axe(tensor({big, 3}))) == "72057594037927936:1 on (1125899906842624,64), 72057594037927936");
    refused(make_tensor(contiguous({std::int64_t{1} << 55}), DataFormat::senint2, {0, -1}), axe::errc::overflow,
            "the elements of 36028797018963968 sticks overflow");
    axe::Shape fifteen;
    for (int d = 0; d < 15; ++d) fifteen.push_back(2);
    const auto p = to_axe(tensor(fifteen));
    REQUIRE(p.has_value());
    CHECK(p->elements == 64 << 14);
}
