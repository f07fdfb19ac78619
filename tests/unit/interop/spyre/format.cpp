// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "said.hpp"

#include <axe/interop/spyre/format.hpp>

using namespace axe::spyre;
using said::refused;

TEST_CASE("spyre: every format has a name that is read back, and a stick that its bits fill or stay below", "[interop][spyre]")
{
    for (int f = 0; f < format_count; ++f) {
        const auto format = static_cast<DataFormat>(f);
        INFO(name(format));
        CHECK(parse_format(name(format)).value() == format);
        const auto n = elements_per_stick(format);
        if (n) CHECK(*n * bits(format) <= axe::spyre::stick_bytes * 8);
    }
}

TEST_CASE("spyre: the elements of a stick", "[interop][spyre]")
{
    CHECK(elements_per_stick(DataFormat::sen169_fp16).value() == 64);
    CHECK(elements_per_stick(DataFormat::bfloat16).value() == 64);
    CHECK(elements_per_stick(DataFormat::ieee_fp32).value() == 32);
    CHECK(elements_per_stick(DataFormat::ieee_int32).value() == 32);
    CHECK(elements_per_stick(DataFormat::ieee_int64).value() == 16);
    CHECK(elements_per_stick(DataFormat::boolean).value() == 128);
    CHECK(elements_per_stick(DataFormat::sen143_fp8).value() == 128);
    CHECK(elements_per_stick(DataFormat::senint4).value() == 256);
    CHECK(elements_per_stick(DataFormat::senint2).value() == 512);
    for (const auto format : {DataFormat::sen153_fp9, DataFormat::senint24, DataFormat::sen18f_fp24, DataFormat::invalid})
        refused(elements_per_stick(format), axe::errc::bad_argument,
                "the stick size of this format is not known: its elements have no place on the device");
}

TEST_CASE("spyre: a type of PyTorch gets the format of the device, not its own bytes", "[interop][spyre]")
{
    const auto format = [](std::string_view text) { return std::string(name(torch_type(text).value().format)); };
    CHECK(format("float16") == "SEN169_FP16");
    CHECK(format("bfloat16") == "BFLOAT16");
    CHECK(format("float32") == "IEEE_FP32");
    CHECK(format("int32") == "IEEE_INT32");
    CHECK(format("int64") == "IEEE_INT32"); // narrowed
    CHECK(format("bool") == "SEN169_FP16"); // widened
    CHECK(format("int8") == "SENINT8");
    CHECK(format("uint8") == "SENUINT32"); // 32 a stick
    CHECK(format("float8_e4m3fn") == "SEN143_FP8");
    CHECK(format("float8_e5m2fnuz") == "SEN152_FP8");
    CHECK(torch_type("int64").value().bytes == 8);
    CHECK(torch_type("bool").value().bytes == 1);
    refused(torch_type("float64"), axe::errc::bad_syntax, "the device has no format for a type of this name");
    refused(torch_type("torch.float16"), axe::errc::bad_syntax, "the device has no format for a type of this name");
    refused(parse_format("sen169_fp16"), axe::errc::bad_syntax, "no format of the device has this name");
    refused(parse_format(""), axe::errc::bad_syntax, "no format of the device has this name");
    static_assert(torch_type("float16").value().format == DataFormat::sen169_fp16);
}
