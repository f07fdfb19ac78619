// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_IMPL_TARGETS_HPP
#define AXE_TARGET_NVIDIA_IMPL_TARGETS_HPP

#include <axe/target/nvidia/targets.hpp>

namespace axe {
inline namespace v0 {
namespace targets {

AXE_DECL constexpr Target sm80 = nvidia::family(machines::sm80), sm90 = nvidia::family(machines::sm90),
                          sm100 = nvidia::family(machines::sm100);

} // namespace targets
} // namespace v0
} // namespace axe

#endif
