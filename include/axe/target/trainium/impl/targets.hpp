// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_TRAINIUM_IMPL_TARGETS_HPP
#define AXE_TARGET_TRAINIUM_IMPL_TARGETS_HPP

#include <axe/target/trainium/targets.hpp>

namespace axe {
inline namespace v0 {
namespace targets {

AXE_DECL constexpr Target trn1 = trainium::family(machines::trn1), trn2 = trainium::family(machines::trn2);

} // namespace targets
} // namespace v0
} // namespace axe

#endif
