// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "said.hpp"

#include <axe/interop/spyre/equal.hpp>
#include <axe/interop/spyre/from_axe.hpp>
#include <axe/interop/spyre/to_axe.hpp>

using namespace axe::literals;
using namespace axe::spyre;
using said::device;
using said::refused;
using said::tensor;

namespace {

axe::Padded padded(const axe::Layout& layout, const axe::Shape& shape, const axe::Shape& sizes, std::int64_t elements)
{
    axe::Padded p{layout, shape, {}, elements};
    for (const std::int64_t n : sizes) p.valid.push_back({0, n});
    return p;
}
axe::Result<Tensor> from(const axe::Layout& layout, const axe::Shape& shape, const axe::Shape& sizes, std::int64_t elements)
{
    return from_axe(padded(layout, shape, sizes, elements), contiguous(sizes), said::f16);
}

} // namespace

TEST_CASE("spyre: the tensor of a layout", "[interop][spyre]")
{
    CHECK(device(from("(5,300,64):(64,320,1)"_axe, {5, 100, 192}, {5, 100, 150}, 96000)) == "[100,3,5,64] [150,64,15000,1]");
    CHECK(device(from("256:1"_axe, {256}, {240}, 256)) == "[4,64] [64,1]");
    CHECK(device(from("():()"_axe, {}, {}, 64)) == "[1,64] [-1,-1]");
    // sparse, and room that no dimension counts
    CHECK(device(from("4:64"_axe, {4}, {4}, 256)) == "[4,64] [1,-1]");
    CHECK(device(from("4:128"_axe, {4}, {4}, 512)) == "[4,2,64] [1,-1,-1]");
    CHECK(device(from("(4,40):(128,1)"_axe, {4, 40}, {4, 40}, 1024)) == "[8,2,64] [40,-1,1]");
    // across rows
    const auto folded = from("2400:1"_axe, {40, 60}, {40, 60}, 2432);
    CHECK(device(folded) == "[38,64] [64,1]");
    CHECK(folded->host.shape == axe::Shape{1, 2400});
    // copies
    CHECK(device(from("64:1 + [512:64]"_axe, {64}, {60}, 32768)) == "[512,64] [0,1]");
    CHECK(device(from("4:64 + [2:1]"_axe, {4}, {4}, 256)) == "[4,2] [1,0]");
    CHECK(device(from("():() + [3:128]"_axe, {}, {}, 384)) == "[3,2,64] [0,-1,-1]");
    CHECK(device(from_axe_sticks(padded("(4,64):(1@stick,1@elem)"_axe, {4, 64}, {4, 40}, 256), contiguous({4, 40}), said::f16)) ==
          "[4,64] [40,1]");
    static_assert(from_axe(*to_axe(*make_tensor(contiguous({5, 100, 150}), DataFormat::sen169_fp16)), contiguous({5, 100, 150}),
                           DataFormat::sen169_fp16)
                      ->device.device_size == axe::Shape{100, 3, 5, 64});
}

TEST_CASE("spyre: what the device cannot have is told", "[interop][spyre]")
{
    const auto no = [](const axe::Layout& l, const axe::Shape& shape, const axe::Shape& sizes, std::int64_t elements,
                       axe::errc code, std::string_view sentence) { refused(from(l, shape, sizes, elements), code, sentence); };
    no("4:64 + 3@m"_axe, {4}, {4}, 320, axe::errc::no_layout, "the first element is at 3; a Spyre tensor starts at 0");
    no("4:-64"_axe, {4}, {4}, 256, axe::errc::no_layout,
       "dimension 0 has stride -64; distinct elements need distinct, increasing places");
    no("4:0"_axe, {4}, {4}, 64, axe::errc::no_layout,
       "dimension 0 has stride 0; distinct elements need distinct, increasing places");
    no("4:2"_axe, {4}, {4}, 64, axe::errc::no_layout, "dimension 0 has stride 2; it must be 1 or a multiple of a stick of 64");
    no("(2,96):(128,1)"_axe, {192}, {192}, 256, axe::errc::no_layout,
       "the 96 consecutive elements of dimension 0 are not whole sticks of 64");
    no("(4,64):(64,1)"_axe, {4, 64}, {4, 64}, 128, axe::errc::no_layout,
       "4 steps of 64 elements do not fit into the 128 up to the next digit");
    no("(4,3):(192,128)"_axe, {4, 3}, {4, 3}, 1536, axe::errc::no_layout,
       "3 steps of 128 elements do not fit into the 192 up to the next digit");
    no("4:64"_axe, {4}, {5}, 256, axe::errc::bad_argument, "dimension 0 of extent 5 is padded to 4, which is less");
    no("4:64"_axe, {2, 2}, {4}, 256, axe::errc::rank_mismatch, "the padded shape has 2 dimensions, the tensor 1");
    no("64:1 + [4:2]"_axe, {64}, {64}, 256, axe::errc::no_layout,
       "copies 2 apart are neither within a stick of 64 nor whole sticks apart");
    no("4:64@hbm"_axe, {4}, {4}, 256, axe::errc::bad_axis, "iter 0 moves on an axis other than the address axis");
    no("5:64"_axe, {4}, {4}, 256, axe::errc::size_mismatch, "the shape has 4 elements, the layout 5");

    auto p = padded("4:64"_axe, {4}, {3}, 256);
    refused(from_axe(p, contiguous({4}), said::f16), axe::errc::bad_argument,
            "the valid interval of dimension 0 must be [0, 4), as in the tensor");
    p.valid.push_back({0, 1});
    refused(from_axe(p, contiguous({4}), said::f16), axe::errc::rank_mismatch, "the region has 2 intervals, the shape 1 dimension");
    const auto two = padded("4:1@warp"_axe, {4}, {4}, 256);
    refused(from_axe_sticks(two, contiguous({4}), said::f16), axe::errc::bad_axis,
            "the layout moves on an axis that is neither that of sticks nor that of elements");
    refused(from_axe_sticks(padded("4:1@stick + 1@elem"_axe, {4}, {4}, 256), contiguous({4}), said::f16), axe::errc::no_layout,
            "the first element is not at 0; a Spyre tensor starts there");
    // rows that do not lie like one on the host have no digit in common
    refused(from_axe(padded("2400:1"_axe, {40, 60}, {40, 60}, 2432), {{40, 60}, {64, 1}}, said::f16), axe::errc::no_layout,
            "dimension 0 has stride 60; it must be 1 or a multiple of a stick of 64");
}
