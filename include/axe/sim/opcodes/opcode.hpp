// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_OPCODES_OPCODE_HPP
#define AXE_SIM_OPCODES_OPCODE_HPP

#include <axe/sim/agents/device.hpp>
#include <axe/sim/opcodes/prepare.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

using PreparedForDevice = Result<std::unique_ptr<DeviceExecutable>, Problem>;

/// What instructions of one name do, as a row of a table of a target: how one is made ready to run, in a block or outside of blocks.
///
/// Making it ready checks the instruction against its operands; running it moves and computes the elements, reports each access to
/// the checks, and counts. Null where instructions of the name do not run there.
struct Opcode {
    const char* name; ///< as `Instruction::opcode` says it
    const char* what; ///< in a message, for the printed table
    Prepared (*in_block)(const Preparation&) = nullptr;
    PreparedForDevice (*on_device)(const Preparation&) = nullptr;
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
