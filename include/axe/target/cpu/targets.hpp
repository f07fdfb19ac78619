// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_CPU_TARGETS_HPP
#define AXE_TARGET_CPU_TARGETS_HPP

#include <axe/program/target.hpp>

namespace axe {
inline namespace v0 {
namespace targets {

/// Lanes that load, store, multiply and add: every schedule and every opcode that suits any machine, and no other. What a target of a
/// user's own begins with.
extern const Target cpu;

} // namespace targets
} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/target/cpu/impl/targets.hpp>
#endif

#endif
