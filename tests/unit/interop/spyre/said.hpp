// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_UNIT_INTEROP_SPYRE_SAID_HPP
#define AXE_TESTS_UNIT_INTEROP_SPYRE_SAID_HPP

#include <axe/interop/spyre/make.hpp>
#include <axe/interop/spyre/text.hpp>

#include <tests/unit/interop/sharding/said.hpp>

/// What the tests of Spyre share: tensors in one line, and their texts.
namespace said {

using axe::spyre::DataFormat;

inline constexpr DataFormat f16 = DataFormat::sen169_fp16;
inline constexpr DataFormat f32 = DataFormat::ieee_fp32;
inline constexpr DataFormat f8 = DataFormat::sen143_fp8;

/// A row-major tensor in an order, or the default one.
inline axe::spyre::Tensor tensor(const axe::Shape& sizes, DataFormat format = f16)
{
    return axe::spyre::make_tensor(axe::spyre::contiguous(sizes), format).value();
}
inline axe::spyre::Tensor tensor(const axe::Shape& sizes, DataFormat format, const axe::spyre::DimOrder& order)
{
    return axe::spyre::make_tensor(axe::spyre::contiguous(sizes), format, order).value();
}
/// `[5,3,100,64] [15000,64,150,1]`
inline std::string device(const axe::SpyreLayout& layout)
{
    std::string text = axe::spyre::print(layout).c_str();
    for (const char* word : {"device_size=", "stride_map="}) text.erase(text.find(word), std::string_view(word).size());
    return text;
}
inline std::string device(const axe::Result<axe::spyre::Tensor>& t)
{
    return t ? device(t->device) : std::string(t.error().message().c_str());
}

} // namespace said

#endif
