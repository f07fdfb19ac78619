// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_REPORT_IMPL_WATCH_HPP
#define AXE_SIM_REPORT_IMPL_WATCH_HPP

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
        out = (access.lane >= 0 ? "lane " + std::to_string(access.lane) + " of agent " : std::string("agent ")) +
              std::to_string(access.agent) + ", block (";
        for (int d = 0; d < access.block.size(); ++d) out += (d > 0 ? "," : "") + std::to_string(access.block[d]);
        out += ")";
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
