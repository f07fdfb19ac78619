// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/target/spyre/compiler/dma_json.hpp>
#include <tests/unit/interop/spyre/said.hpp>

using namespace axe::spyre;
using axe::errc;
using said::misread;
using said::refused;
using said::tensor;

namespace {
TorchType type(std::string_view name) { return torch_type(name).value(); }
} // namespace

TEST_CASE("a description has what upstream's has, innermost first", "[interop][spyre]")
{
    const auto t = tensor({2, 70});
    const auto there = dci(t, t.torch, type("float16"), true).value();
    CHECK(to_json(there) ==
          R"({"dci_dsName_":"DCI-Tensor-0","isHostToSen_":true,"dataformat_src_":"IEEE_FP16","dataformat_dst_":"SEN169_FP16",)"
          R"("input_shape_":[70,2],"output_shape_":[64,2,2],"dcsi_":[)"
          R"({"size_":[64,2,1],"stride_src_":[1,70,64],"stride_dst_":[1,64,128],"offset_src_":0,"offset_dst_":0},)"
          R"({"size_":[6,2,1],"stride_src_":[1,70,64],"stride_dst_":[1,64,128],"offset_src_":64,"offset_dst_":128}]})");
    CHECK(parse_dci(to_json(there)).value() == there);
    const auto back = dci(t, t.torch, type("float16"), false).value();
    CHECK(text(back.from_format) == "SEN169_FP16");
    CHECK(back.from_shape == t.device.device_size);
    CHECK(back.nests[1].from_offset == 128);
    CHECK(back.nests[1].to_offset == 64);
    const auto scalar = tensor({});
    CHECK(dci(scalar, scalar.torch, type("float16"), true)->from_shape == axe::Shape{1});
}

TEST_CASE("the formats of both sides", "[interop][spyre]")
{
    const auto of = [](std::string_view name, DataFormat format, bool to_device) {
        const auto t = tensor({4, 64}, format);
        const auto d = dci(t, t.torch, type(name), to_device);
        return d ? std::string(text(d->from_format)) + " " + std::string(text(d->to_format)) : std::string(axe::name(d.code()));
    };
    CHECK(of("int64", DataFormat::ieee_int32, true) == "IEEE_INT64 IEEE_INT32");
    CHECK(of("bool", DataFormat::sen169_fp16, true) == "SENINT8 SEN169_FP16");
    CHECK(of("bool", DataFormat::ieee_fp32, false) == "IEEE_FP32 SENINT8"); // of a comparison
    CHECK(of("bool", DataFormat::ieee_fp32, true) == "bad_argument");
    CHECK(of("float32", DataFormat::ieee_fp32, true) == "IEEE_FP32 IEEE_FP32");
    const auto t = tensor({4, 64});
    refused(dci(t, t.torch, type("float32"), true), errc::bad_argument,
            "the format of the tensor on the device is not the format of its type");
}

TEST_CASE("a description that cannot be read says where", "[interop][spyre]")
{
    const auto bad = [](std::string_view json, errc code, int at, std::string_view sentence) {
        misread(parse_dci(json), json, code, at, sentence);
    };
    bad("", errc::bad_syntax, 0, "expected '{' at character 0");
    bad("{", errc::bad_syntax, 1, "expected a string in quotation marks at character 1");
    bad(R"({"dci)", errc::bad_syntax, 5, "expected '\"' at the end of the string at character 5");
    bad(R"({"a\n")", errc::bad_syntax, 3, "the string has an escape or a control character at character 3");
    bad(R"({"a":1)", errc::bad_syntax, 1, "this object does not have the key at character 1");
    bad(R"({"isHostToSen_" 1)", errc::bad_syntax, 16, "expected ':' after the key at character 16");
    bad(R"({"isHostToSen_":maybe})", errc::bad_syntax, 16, "expected true or false at character 16");
    bad(R"({"isHostToSen_":true,"isHostToSen_":true})", errc::bad_syntax, 21, "the key at character 21 is repeated");
    bad(R"({"isHostToSen_":true;)", errc::bad_syntax, 20, "expected ',' or '}' at character 20");
    bad(R"({"isHostToSen_":true})", errc::bad_syntax, 20, "the object that ends at character 20 lacks its key 0");
    bad(R"({"input_shape_":1})", errc::bad_syntax, 16, "expected '[' at character 16");
    bad(R"({"input_shape_":[x]})", errc::bad_syntax, 17, "expected a number at character 17");
    bad(R"({"input_shape_":[1;]})", errc::bad_syntax, 18, "expected ',' or ']' at character 18");
    bad(R"({"input_shape_":[99999999999999999999]})", errc::overflow, 17, "the number at character 17 overflows");
    bad(R"({"input_shape_":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]})", errc::capacity, 49,
        "the list has more than 16 numbers at character 49");
    bad(R"({"dcsi_":[{"size_":[1,2],"stride_src_":[1],"stride_dst_":[1,2],"offset_src_":0,"offset_dst_":0}]})", errc::rank_mismatch,
        10, "the nest at character 10 has lists of different lengths");
    bad(R"({"dci_dsName_":"a name of more than thirty-one letters"})", errc::capacity, 15,
        "the string at character 15 has more than 31 characters");
    std::string many = R"({"dcsi_":[)";
    for (int i = 0; i < 17; ++i) {
        if (i > 0) many += ',';
        many += R"({"size_":[],"stride_src_":[],"stride_dst_":[],"offset_src_":0,"offset_dst_":0})";
    }
    CHECK(parse_dci(many + "]}").code() == errc::capacity);
    const auto t = tensor({2, 70});
    const auto d = dci(t, t.torch, type("float16"), true).value();
    const std::string text = to_json(d);
    CHECK(parse_dci(text + "x").error().position == static_cast<int>(text.size()));
    for (std::size_t n = 0; n < text.size(); ++n) CHECK(!parse_dci(std::string_view(text).substr(0, n)));
}
