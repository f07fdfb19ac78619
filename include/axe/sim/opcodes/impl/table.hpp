// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_OPCODES_IMPL_TABLE_HPP
#define AXE_SIM_OPCODES_IMPL_TABLE_HPP

#include <axe/sim/opcodes/atomic.hpp>
#include <axe/sim/opcodes/indexed.hpp>
#include <axe/sim/opcodes/indexed_atomic.hpp>
#include <axe/sim/opcodes/iota.hpp>
#include <axe/sim/opcodes/map.hpp>
#include <axe/sim/opcodes/mma.hpp>
#include <axe/sim/opcodes/move.hpp>
#include <axe/sim/opcodes/peer_copy.hpp>
#include <axe/sim/opcodes/peer_fill.hpp>
#include <axe/sim/opcodes/peer_reduce.hpp>
#include <axe/sim/opcodes/shuffle.hpp>
#include <axe/sim/opcodes/table.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

AXE_DECL constexpr Opcode simt_opcodes[] = {
    {"move", "each lane moves a vector", Move::prepare},
    {"fill", "each lane writes a constant", Move::prepare},
    {"map", "each lane applies a function of elements", Map::prepare},
    {"shuffle", "lanes read each other's registers", Shuffle::prepare},
    {"mma", "the lanes of an agent multiply the fragments of an atom", Mma::prepare},
    {"atomic", "lanes read, apply a function and write in one step", Atomic::prepare},
    {"indexed", "lanes gather or scatter the rows that an index names", Indexed::prepare},
    {"indexed_atomic", "lanes read, apply a function and write in one step in the rows that an index names",
     IndexedAtomic::prepare},
    {"iota", "each lane writes the index of its element", Iota::prepare},
};

AXE_DECL constexpr Opcode device_opcodes[] = {
    {"peer_copy", "a device copies between memories of devices", nullptr, PeerCopy::prepare},
    {"peer_fill", "a device fills what it holds with a constant", nullptr, PeerFill::prepare},
    {"peer_reduce", "a device reduces tensors of several devices", nullptr, PeerReduce::prepare},
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
