// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/target/nvidia/tma/dtype.hpp>
#include <catch.hpp>

#include <string>

TEST_CASE("tensor map: each type but single bits has one of a map, of its size, floats of 16 bits and more their own")
{
    for (int t = 0; t < axe::dtype_count; ++t) {
        const auto type = static_cast<axe::DType>(t);
        const auto found = axe::tma_type(type);
        INFO(axe::name(type));
        CHECK(found.ok() == (type != axe::DType::b1));
        if (!found) continue;
        CHECK(axe::row(*found).bits == axe::packed_bits(type));
        const bool small = axe::bits(type) == 4 || axe::bits(type) == 6;
        CHECK((small || axe::packed_bits(type) == 8 * axe::storage_bytes(type)));
        CHECK((axe::row(*found).bits < 8) == small);
        CHECK(axe::row(*axe::tma_type(type, true)).shared_bits == (small ? 8 : axe::packed_bits(type)));
        CHECK((*axe::tma_type(type, true) == *found) == (axe::bits(type) != 4));
        const bool own = axe::is_float(type) && axe::bits(type) >= 16 && type != axe::DType::dl16;
        CHECK(axe::row(*found).is_float == own);
        if (own) CHECK(std::string(axe::name(*found)) == axe::name(type));
    }
    CHECK(std::string(axe::tma_type(axe::DType::b1).error().message().c_str()) ==
          "a tensor map has no type for elements of 1 bit; pack them as bytes");
}
