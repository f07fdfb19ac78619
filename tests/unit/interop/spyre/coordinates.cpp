// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/spyre/coordinates.hpp>
#include <axe/interop/spyre/place.hpp>
#include <axe/map/evaluate.hpp>
#include <axe/map/parse.hpp>
#include <axe/map/print.hpp>
#include <catch.hpp>

#include <string>
#include <string_view>

using axe::SpyreLayout;
using namespace axe::spyre;

namespace {

axe::IndexingMap map(std::string_view text) { return axe::parse_map(text).value(); }
template <class Device>
std::string results(const Device& device, std::string_view index)
{
    const auto found = device_coordinates(device, map(index));
    if (!found) return found.error().message().c_str();
    std::string out;
    for (const auto e : found->results) out += (out.empty() ? "" : ", ") + axe::print(*found, e);
    return out;
}

} // namespace

TEST_CASE("spyre: coordinates of a loop nest", "[interop][spyre]")
{
    const SpyreLayout l{{256, 64, 2, 64}, {4096, 64, 1048576, 1}};
    CHECK(results(
              l, "(a, b, c, d) -> (1048576*a + 128*b + 4096*c + d), domain: a in [0,1], b in [0,31], c in [0,255], d in [0,127]") ==
          "c, b * 2 + d floordiv 64, a, d mod 64");
    // 200 further on: upstream has d mod 64 + 8, which reaches 71
    CHECK(
        results(
            l,
            "(a, b, c, d) -> (1048576*a + 128*b + 4096*c + d + 200), domain: a in [0,1], b in [0,29], c in [0,255], d in [0,63]") ==
        "c, b * 2 + (d + 200) floordiv 64, a, (d + 8) mod 64");
    CHECK(results(l, "(x) -> (x), domain: x in [0,2097151]") ==
          "(x floordiv 4096) mod 256, (x floordiv 64) mod 64, x floordiv 1048576, x mod 64");
    CHECK(results(SpyreLayout{{3, 1, 64}, {64, -1, 1}}, "(a) -> (64*a + 5), domain: a in [0,2]") == "a, 0, 5");
    // an offset of a whole number of rows, one of 55: upstream has c + 25, which reaches 34 of 30
    CHECK(results(SpyreLayout{{10, 1, 20, 30}, {600, -1, 30, 1}},
                  "(a, b, c) -> (600*a + 30*b + c + 1855), domain: a in [0,5], b in [0,9], c in [0,9]") ==
          "a + 3, 0, b + (c + 55) floordiv 30, (c + 25) mod 30");
}

TEST_CASE("spyre: an index that leaves the device has no coordinates there", "[interop][spyre]")
{
    const SpyreLayout l{{4, 2, 64}, {64, 256, 1}};
    CHECK(results(l, "(x) -> (x), domain: x in [0,512]") == "the coordinate of device dimension 1 leaves [0, 2) somewhere");
    CHECK(results(l, "(x) -> (x - 1), domain: x in [0,511]") == "the coordinate of device dimension 1 leaves [0, 2) somewhere");
    CHECK(results(SpyreLayout{{3, 2, 64}, {64, 256, 1}}, "(x) -> (x), domain: x in [0,511]") ==
          "the coordinate of device dimension 0 leaves [0, 3) somewhere");
    CHECK(results(SpyreLayout{{4, 2, 64}, {128, 512, 2}}, "(x) -> (x), domain: x in [0,511]") ==
          "the index selects host elements between those that the device dimensions step to");
    CHECK(results(l, "(x) -> (x, x), domain: x in [0,1]") == "a host offset is one number; the map has 2 results");
    CHECK(device_coordinates(l, axe::IndexingMap::undefined()).code() == axe::errc::bad_argument);
    CHECK(results(SpyreLayout{{4, 2}, {1}}, "(x) -> (x), domain: x in [0,1]") ==
          "the device has 2 dimensions, the stride map 1 entry");
    CHECK(device_coordinates(l, map("(x) -> (x), domain: x in [0,512]")).error().position == 1);
}

TEST_CASE("spyre: coordinates of a view by the tensor's own dimensions", "[interop][spyre]")
{
    // rows padded to 128 on the device: the second row begins at a stick though 100 is not a multiple of 64
    const auto t = make_tensor(contiguous({4, 100}), DataFormat::sen169_fp16).value();
    CHECK(results(t, "(i, j) -> (100*i + j + 100), domain: i in [0,2], j in [0,99]") == "j floordiv 64, i + 1, j mod 64");
    CHECK(results(t, "(x) -> (x), domain: x in [0,399]") == "(x mod 100) floordiv 64, x floordiv 100, (x mod 100) mod 64");
    // by the stride map alone the same device is another: its 64 and 100 do not tell a row from a stick
    CHECK(results(t.device, "(i, j) -> (100*i + j + 100), domain: i in [0,2], j in [0,99]") == "j floordiv 64, i + 1, j mod 64");
    // the storage offset of the tensor is not the view's
    const auto later = make_tensor({{4, 100}, {100, 1}, 30}, DataFormat::sen169_fp16).value();
    CHECK(results(later, "(j) -> (j + 130), domain: j in [0,99]") == "j floordiv 64, 1, j mod 64");
    CHECK(results(later, "(j) -> (j), domain: j in [0,99]") == "the index of host dimension 0 leaves [0, 4) somewhere");
    const auto folded = place(contiguous({40, 60}), SpyreLayout{{38, 64}, {64, 1}}).value();
    CHECK(results(folded, "(i, j) -> (60*i + j), domain: i in [0,39], j in [0,59]") ==
          "(i * 60 + j) floordiv 64, (i * 60 + j) mod 64");
    const auto gapped = make_tensor({{4, 10}, {64, 2}}, DataFormat::sen169_fp16).value();
    CHECK(results(gapped, "(x) -> (x), domain: x in [0,3]") ==
          "the index selects host elements between those that the device dimensions step to");
}
