// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_REPORT_WATCH_HPP
#define AXE_SIM_REPORT_WATCH_HPP

#include <axe/layout/shape.hpp>

#include <cstdint>
#include <functional>
#include <string>

namespace axe {
inline namespace v0 {
namespace sim {

/// An access of the watched element.
struct WatchedAccess {
    bool writing = false;
    int statement = -1;
    std::string instruction{}; ///< as its vendor spells it; empty of a load in an expression
    int device = 0;            ///< that runs it
    int memory = 0;            ///< the device whose memory or block has the element
    Coord block{};             ///< of the grid; no indices outside grids
    int agent = -1;            ///< of the block; −1: the device itself, outside grids
    int lane = -1;             ///< of the agent; −1: an engine, or all lanes together
    std::int64_t times = 1;    ///< in the issues of one execution of the instruction
    double value = 0;          ///< before the instruction of a read, after it of a write
};

/// An element whose accesses a run reports: set `RunOptions::watch` to one. The caller owns it.
///
/// Every read and write of it by an instruction, in any memory, registers included, in the order in which they happen; each block and
/// each lane has an element of its own of a tensor that is allocated there. An asynchronous operation reads when it starts, and writes
/// when it is waited for. The run takes one host thread.
struct Watch {
    std::string tensor{}; ///< each tensor of that name
    Coord coordinate{};
    std::function<void(const WatchedAccess&)> access{};
};

/// "lane 3 of agent 1, block (0,2), writes 1.5 by st.shared.v4.b32": an access in words, without its statement.
///
/// @param several_devices whether the device is named
AXE_DECL std::string watched_text(const WatchedAccess& access, bool several_devices);

} // namespace sim
} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/sim/report/impl/watch.hpp>
#endif

#endif
