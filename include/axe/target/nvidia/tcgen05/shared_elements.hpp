// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_TCGEN05_SHARED_ELEMENTS_HPP
#define AXE_TARGET_NVIDIA_TCGEN05_SHARED_ELEMENTS_HPP

#include <axe/target/nvidia/wgmma/descriptor.hpp>

/// How operands of less than 8 bits lie in shared memory, of which the simulator has whole bytes.
///
/// Padded, 16 elements take 16 bytes, as kinds f8f6f4 and mxf8f6f4 read them: the simulator's bytes are the hardware's, though not the bits in them. Packed,
/// 2 elements of 4 bits take a byte, as kinds mxf4 and mxf4nvf4 read them: the simulator has each in a byte, and the hardware's addresses are half of
/// the simulator's.      [PTX ISA, tcgen05, Packing formats]
namespace axe {
inline namespace v0 {
namespace detail {

/// `shared_descriptor` of elements of a type of which a byte has `per_byte`; its numbers are the hardware's. Those of less than 8 bits are
/// K-major.
template <class Address>
Result<SharedDescriptor, Problem> tile_shared_descriptor(std::int64_t mn, std::int64_t k, DType type, int per_byte,
                                                         const Address& address, int least_mn_major)
{
    if (per_byte == 1) {
        auto made = shared_descriptor(mn, k, storage_bytes(type), address, least_mn_major);
        if (made && made->mn_major && bits(type) < 8)
            return Problem(errc::bad_argument, "it is MN-major with elements of {0} bits; those of less than 8 are K-major",
                           {bits(type)});
        return made;
    }
    for (std::int64_t i = 0; i < mn; ++i)
        for (std::int64_t l = 0; l < k; l += per_byte) {
            const std::int64_t first = address(i, l);
            for (int x = 0; x < per_byte; ++x)
                if (first % per_byte != 0 || address(i, l + x) != first + x)
                    return Problem(errc::bad_argument, "elements ({0},{1}) and ({0},{2}) are at {3} and {4}, not in one byte",
                                   {i, l, l + x, address(i, l), address(i, l + x)});
        }
    auto made = shared_descriptor(
        mn, k / per_byte, 1, [&](std::int64_t i, std::int64_t l) { return address(i, l * per_byte) / per_byte; }, 2);
    if (made) return made;
    return Problem(made.error().code, worded("with {0} elements in a byte, {1}", {per_byte, made.error().text}));
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
