// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_TMA_REQUEST_HPP
#define AXE_TARGET_NVIDIA_TMA_REQUEST_HPP

#include <axe/target/nvidia/tma/tensor_map.hpp>

namespace axe {
inline namespace v0 {

/// A copy between a region of a tensor in global memory and one of equal extents (those of 1 aside) in shared memory.
///
/// The global region may begin before its tensor or end after it, in a dimension that is a single iter: TMA fills what is outside. An
/// empty region is the whole tensor.
struct TmaRequest {
    TmaType type = TmaType::u8;
    Layout global{};
    Shape global_shape{};
    Region global_region{};
    /// From one element of the region to the next, in each dimension; empty: 1. The region has as many elements: [lo, hi) is lo, lo + step, …,
    /// lo + (hi − lo − 1)·step.
    Shape global_steps{};
    /// Its width is that of the type, and its address 0 a multiple of the swizzle's period and of 128. Of less than 8 bits it is 1: padded
    /// elements have a byte each, and packed ones are counted as if they had, also by the swizzle.
    Swizzled<Layout> shared{};
    Shape shared_shape{};
    Region shared_region{};
    Axis global_axis{};          ///< of addresses in global memory, `m`
    std::int64_t alignment = 16; ///< of the global tensor's address, bytes
    TmaPromotion promotion = TmaPromotion::none;
    TmaFill fill = TmaFill::zero;
    TmaRules rules{};
};

} // namespace v0
} // namespace axe

#endif
