// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_OPCODES_DEVICE_TABLE_HPP
#define AXE_SIM_OPCODES_DEVICE_TABLE_HPP

#include <axe/sim/opcodes/peer_copy.hpp>
#include <axe/sim/opcodes/peer_reduce.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// An opcode of devices, outside grids, and how it is made ready.
struct DeviceOpcodeRow {
    const char* opcode;
    PreparedForDevice (*prepare)(const Preparation&);
};

/// What the executor can do outside blocks. An opcode joins with a header and a line here.
inline const std::vector<DeviceOpcodeRow>& device_opcodes()
{
    static const std::vector<DeviceOpcodeRow> rows{
        {"peer_copy", PeerCopy::prepare},
        {"peer_reduce", PeerReduce::prepare},
    };
    return rows;
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
