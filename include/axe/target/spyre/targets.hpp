// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_SPYRE_TARGETS_HPP
#define AXE_TARGET_SPYRE_TARGETS_HPP

#include <axe/program/target.hpp>

namespace axe {
inline namespace v0 {
namespace targets {

extern const Target spyre;

} // namespace targets
} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/target/spyre/impl/targets.hpp>
#endif

#endif
