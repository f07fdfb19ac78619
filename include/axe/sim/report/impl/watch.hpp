// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_REPORT_IMPL_WATCH_HPP
#define AXE_SIM_REPORT_IMPL_WATCH_HPP

#include <axe/sim/memory/words.hpp>
#include <axe/sim/report/watch.hpp>

#include <cstdio>

namespace axe {
inline namespace v0 {
namespace sim {

AXE_DECL std::string watched_text(const WatchedAccess& access, bool several_devices)
{
    const std::string device = "device " + std::to_string(access.device);
    std::string out = device;
    if (access.agent >= 0) {
        out = access.lane >= 0 ? lane_text(access.lane, access.agent) : agent_text(access.agent);
        out += ", block " + coord_text(access.block.items, access.block.size());
        if (several_devices) out += ", " + device;
    }
    char number[32];
    std::snprintf(number, sizeof number, "%.9g", access.value);
    out += std::string(access.writing ? ", writes " : ", reads ") + number;
    if (access.memory != access.device) out += " of device " + std::to_string(access.memory);
    if (!access.instruction.empty()) out += " by " + access.instruction;
    if (access.times > 1) out += ", " + std::to_string(access.times) + " times";
    return out;
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
