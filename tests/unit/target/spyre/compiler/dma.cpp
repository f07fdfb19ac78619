// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/spyre/place.hpp>
#include <axe/target/spyre/compiler/dma.hpp>
#include <tests/unit/interop/spyre/said.hpp>

using namespace axe::spyre;
using axe::errc;
using axe::Shape;
using said::f16;
using said::refused;
using said::tensor;

// The document's example, and its strides in the order of its table.
static_assert([] {
    const auto d = dma(make_tensor(contiguous({1024, 256}), DataFormat::sen169_fp16).value()).value();
    return d.nests.size() == 1 && d.nests[0].ranges == Shape{4, 1024, 64} && d.host_strides == Strides{64, 256, 1} &&
           d.device_strides == Strides{65536, 64, 1};
}());

TEST_CASE("a layout by an order has a full nest, and one for the last stick", "[interop][spyre]")
{
    const auto d = dma(tensor({40, 120})).value();
    REQUIRE(d.nests.size() == 2);
    CHECK(d.nests[0] == DmaNest{{1, 40, 64}, 0, 0});
    CHECK(d.nests[1] == DmaNest{{1, 40, 56}, 64, 2560});
    CHECK(dma(tensor({40, 60}))->nests.size() == 1);
    CHECK(dma(tensor({40, 60}))->nests[0] == DmaNest{{1, 40, 60}, 0, 0});
    CHECK(dma(tensor({40, 0}))->nests.empty());
    CHECK(dma(tensor({}))->nests[0] == DmaNest{{1, 1}, 0, 0});
    const auto sparse = dma(tensor({512, 256}, f16, {0, 1, -1})).value();
    CHECK(sparse.nests[0].ranges == Shape{256, 1, 512, 1});
    CHECK(sparse.host_strides == Strides{1, 1, 256, 1});
}

TEST_CASE("stride 0 reads one element over all of the device's extent", "[interop][spyre]")
{
    const auto expanded = make_tensor({{3, 100}, {1, 0}}, f16).value();
    const auto d = dma(expanded).value();
    CHECK(d.host_strides == Strides{0, 1, 0});
    REQUIRE(d.nests.size() == 1);
    CHECK(d.nests[0].ranges == Shape{2, 3, 64});
    const auto copies = dma(place(contiguous({60}), {{1, 512, 64}, {64, 0, 1}}).value()).value();
    CHECK(copies.nests[0].ranges == Shape{1, 512, 60});
}

TEST_CASE("digits that do not divide multiply", "[interop][spyre]")
{
    const auto d = dma(place(contiguous({40, 60}), {{3, 4, 3, 1, 2, 64}, {600, 180, 60, 64, 1800, 1}}).value()).value();
    CHECK(d.nests.size() == 4);
    CHECK(d.nests[3] == DmaNest{{1, 1, 1, 1, 1, 60}, 2340, 1216});
    // Five dimensions of 2 + 1.
    const axe::SpyreLayout layout{{2, 2, 2, 2, 2, 2, 2, 2, 2, 2}, {162, 81, 54, 27, 18, 9, 6, 3, 2, 1}};
    refused(dma(place(contiguous({3, 3, 3, 3, 3}), layout).value()), errc::capacity,
            "the transfer needs more than 16 nests: too many digits do not divide");
}

TEST_CASE("a part of a tensor begins at a storage offset", "[interop][spyre]")
{
    const auto whole = tensor({16, 100});
    const auto part = [&](const Shape& sizes) { return place({sizes, {100, 1}}, whole.device).value(); };
    CHECK(offset_coordinate(whole.device, 500).value() == DeviceCoord{0, 5, 0});
    CHECK(offset_coordinate(whole.device, 565).value() == DeviceCoord{1, 5, 1});
    const auto d = dma(part({2, 100}), 500).value();
    CHECK(d.nests[0] == DmaNest{{1, 2, 64}, 0, 320});
    CHECK(d.nests[1] == DmaNest{{1, 2, 36}, 64, 1344});
    CHECK(dma(part({2, 30}), 30)->nests[0] == DmaNest{{1, 2, 30}, 0, 30});
    refused(dma(part({2, 40}), 30), errc::no_layout,
            "from device storage offset 30 on, elements cross the ends of device dimensions");
    refused(dma(part({2, 40}), 1600), errc::no_layout,
            "invalid device storage offset 1600: it is beyond device dimension 1 of size 16");
    refused(dma(part({2, 40}), 1500 + 80), errc::no_layout,
            "from device storage offset 1580 on, elements cross the ends of device dimensions");
    refused(dma(whole, -1), errc::bad_argument, "the device storage offset is -1; it must be at least 0");
    const auto even = make_tensor({{16, 50}, {100, 2}}, f16).value();
    refused(offset_coordinate(even.device, 203), errc::no_layout,
            "invalid device storage offset 203: no step of the stride map reaches the last 1");
}

TEST_CASE("the host may be another array of the same sizes", "[interop][spyre]")
{
    const auto t = tensor({5, 100});
    const auto d = dma(t, axe::Strided{{5, 100}, {1, 5}, 7}).value();
    CHECK(d.host_strides == Strides{320, 1, 5});
    CHECK(d.nests[1] == DmaNest{{1, 5, 36}, 7 + 320, 320});
    refused(dma(t, contiguous({100, 5})), errc::size_mismatch, "the sizes of the host array and the device tensor differ");
    const auto folded = place(contiguous({40, 60}), {{38, 64}, {64, 1}}).value();
    CHECK(dma(folded)->nests.size() == 2);
    refused(dma(folded, axe::Strided{{40, 60}, {64, 1}}), errc::no_layout,
            "the layout merges dimension 0 with others, which are separate on this host");
}

TEST_CASE("rearranged elements are in no nest", "[interop][spyre]")
{
    auto t = tensor({4, 128});
    t.device.arrangement = Arrangement::fp32_to_dl16;
    refused(dma(t), errc::no_layout, "elements are rearranged inside sticks, but a nest of loops moves them in order");
}
