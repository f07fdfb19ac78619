// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_RELAYOUT_KERNELS_NEON_HPP
#define AXE_RELAYOUT_KERNELS_NEON_HPP

#include <axe/relayout/kernels/zip.hpp>

#if AXE_RELAYOUT_NEON

/// What every AArch64 has: the lanes of <axe/relayout/kernels/lanes.hpp>, whose interleavings are ZIP1 and ZIP2. Stores past the caches
/// are hints there (STNP), which C++ cannot ask for.
namespace axe {
inline namespace v0 {
namespace detail {
namespace neon {

inline constexpr RelayoutKernels kernels = {
    "neon",
    {64, 32, 16, 8, 4},
    {64, 32, 16, 8, 4},
    {lanes::block<1>, lanes::block<2>, lanes::block<4>, lanes::block<8>, lanes::block<16>},
    {},
    {lanes::part<1>, lanes::part<2>, lanes::part<4>, lanes::part<8>, lanes::part<16>},
    lanes::copy,
    lanes::copy,
    {portable::strided<1>, portable::strided<2>, portable::strided<4>, portable::strided<8>, portable::strided<16>},
    {lanes::fill<1>, lanes::fill<2>, lanes::fill<4>, lanes::fill<8>, lanes::fill<16>},
    {lanes::zip<1>, lanes::zip<2>, lanes::zip<4>, lanes::zip<8>, portable::zip<16>},
    {lanes::unzip<1>, lanes::unzip<2>, lanes::unzip<4>, lanes::unzip<8>, portable::unzip<16>},
    portable::no_fence,
};

} // namespace neon
} // namespace detail
} // namespace v0
} // namespace axe

#endif

#endif
