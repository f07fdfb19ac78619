// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_UNIT_TENSOR_FORMATS_HPP
#define AXE_TESTS_UNIT_TENSOR_FORMATS_HPP

#include <axe/tensor/npy.hpp>

#include <string>
#include <vector>

/// What NumPy and ml_dtypes say of the types, from tests/data/dtypes.
namespace formats {

inline constexpr axe::DType tabled[] = {axe::DType::f16,  axe::DType::bf16, axe::DType::e4m3, axe::DType::e5m2,
                                        axe::DType::e8m0, axe::DType::e3m2, axe::DType::e2m3, axe::DType::e2m1};

inline axe::Array file(const std::string& name) { return axe::read_npy(AXE_TEST_DATA "/dtypes/" + name + ".npy").value(); }

/// The floats of a file, without a conversion.
inline std::vector<float> floats(const std::string& name)
{
    const axe::Array array = file(name);
    std::vector<float> out(static_cast<std::size_t>(array.size()));
    std::memcpy(out.data(), array.data(), out.size() * sizeof(float));
    return out;
}

/// The value of each code.
inline std::vector<float> values(axe::DType type) { return floats(std::string("decode_") + axe::name(type)); }

} // namespace formats

#endif
