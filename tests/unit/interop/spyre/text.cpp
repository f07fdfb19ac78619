// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "said.hpp"

#include <axe/interop/spyre/text.hpp>

using axe::SpyreLayout;
using namespace axe::spyre;
using said::misread;
using said::refused;

namespace {

constexpr std::string_view upstream =
    "SpyreTensorLayout(device_size=[100, 3, 5, 64], stride_map =[150, 64, 15000, 1], device_dtype=DataFormats.SEN169_FP16)";

} // namespace

TEST_CASE("spyre: texts of layouts", "[interop][spyre]")
{
    const SpyreLayout l{{100, 3, 5, 64}, {150, 64, 15000, 1}};
    CHECK(std::string(print(l).c_str()) == "device_size=[100,3,5,64] stride_map=[150,64,15000,1]");
    CHECK(print_upstream(l).c_str() == upstream);
    CHECK(parse_layout(upstream).value() == l);
    CHECK(parse_layout(print(l).c_str()).value() == l);
    const SpyreLayout weights{{2, 8, 128}, {128, 256, 1}, DataFormat::sen143_fp8, Arrangement::qfp8wt};
    CHECK(std::string(print(weights).c_str()) == "device_size=[2,8,128] stride_map=[128,256,1] arrangement=QFP8WT");
    CHECK(parse_layout(print(weights).c_str(), DataFormat::sen143_fp8).value() == weights);
    CHECK(parse_layout(print_upstream(weights).c_str()).value() == weights);
    CHECK(parse_layout(" device_size = [ 1,64 ],stride_map=[-1,-1] , device_dtype = IEEE_FP32 ").code() == axe::errc::bad_extent);
    CHECK(parse_layout(" device_size = [ 1,32 ],stride_map=[-1,-1] , device_dtype = IEEE_FP32 ")->format == DataFormat::ieee_fp32);
    for (int f = 0; f < 12; ++f)
        for (int a = 0; a < arrangement_count; ++a) {
            const SpyreLayout any{{1, 1}, {-1, 1}, static_cast<DataFormat>(f), static_cast<Arrangement>(a)};
            CHECK(parse_layout(print_upstream(any).c_str()).value() == any);
            CHECK(parse_layout(print(any).c_str(), any.format).value() == any);
        }
    static_assert(parse_layout(upstream)->device_size[1] == 3);
}

TEST_CASE("spyre: the longest text fits", "[interop][spyre]")
{
    SpyreLayout l{{}, {}, DataFormat::sen169_fp16, Arrangement::dl16_to_fp32};
    for (int j = 0; j < 16; ++j) {
        l.device_size.push_back(INT64_MIN);
        l.stride_map.push_back(INT64_MIN);
    }
    const std::string text = print_upstream(l).c_str();
    CHECK(text.back() == ')');
    CHECK(text.find("DL16_TO_FP32") != std::string::npos);
}

TEST_CASE("spyre: texts that are not layouts", "[interop][spyre]")
{
    const auto no = [](std::string_view text, axe::errc code, int at, std::string_view sentence) {
        misread(parse_layout(text), text, code, at, sentence);
    };
    no("", axe::errc::bad_syntax, 0, "expected device_size at character 0");
    no("Spyre(device_size=[1])", axe::errc::bad_syntax, 0, "expected SpyreTensorLayout or device_size at character 0");
    no("SpyreTensorLayout device_size=[1]", axe::errc::bad_syntax, 18, "expected '(' at character 18");
    no("device_size[1]", axe::errc::bad_syntax, 11, "expected '=' at character 11");
    no("device_size=1", axe::errc::bad_syntax, 12, "expected '[' at character 12");
    no("device_size=[1,]", axe::errc::bad_syntax, 15, "expected a number or ']' at character 15");
    no("device_size=[1 2]", axe::errc::bad_syntax, 15, "expected ',' or ']' at character 15");
    no("device_size=[1,64]", axe::errc::bad_syntax, 18, "expected stride_map at character 18");
    no("device_size=[1,64] stride_map=[64,1] device=x", axe::errc::bad_syntax, 37, "expected device_dtype at character 37");
    no("device_size=[1,64] stride_map=[64,1] device_dtype=float16", axe::errc::bad_syntax, 50,
       "no format of the device has the name at character 50");
    no("device_size=[1,64] stride_map=[64,1] arrangement=BEST", axe::errc::bad_syntax, 49,
       "there is no arrangement of the name at character 49");
    no("device_size=[1,64] stride_map=[64,1] elements=EXX2", axe::errc::bad_syntax, 37,
       "expected element_arrangement or arrangement at character 37");
    no("SpyreTensorLayout(device_size=[1,64], stride_map =[64,1]", axe::errc::bad_syntax, 56, "expected ')' at character 56");
    no("device_size=[1,64] stride_map=[64,1])", axe::errc::bad_syntax, 36, "expected the end of the text at character 36");
    no("device_size=[99999999999999999999]", axe::errc::overflow, 13, "the number at character 13 overflows");
    no("device_size=[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]", axe::errc::capacity, 13,
       "the list at character 13 has 17 numbers; at most 16 fit");
    refused(parse_layout("device_size=[1,65] stride_map=[64,1]"), axe::errc::bad_extent,
            "the stick dimension has 65 elements, a stick of this format 64");
    refused(parse_layout("device_size=[1,64] stride_map=[1]"), axe::errc::rank_mismatch,
            "the device has 2 dimensions, the stride map 1 entry");
    refused(parse_layout({"", std::size_t{1} << 31}), axe::errc::capacity, "a text of 2^31 characters or more cannot be read");
}
