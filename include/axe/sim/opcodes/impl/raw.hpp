// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_OPCODES_IMPL_RAW_HPP
#define AXE_SIM_OPCODES_IMPL_RAW_HPP

#include <axe/sim/opcodes/raw.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

AXE_DECL constexpr Opcode raw_opcodes[] = {
    {"raw", "one agent calls a function of C++ on whole views", Raw::prepare},
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
