// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "relayout_memory.hpp"

#include <algorithm>
#include <fstream>
#include <string>

#include <unistd.h>

namespace axe_cli {

std::int64_t memory_here()
{
    std::int64_t least = INT64_MAX;
    const auto take = [&](const std::string& path) { // "max" is not a number, and none
        std::ifstream file(path);
        if (std::int64_t bytes = 0; file >> bytes && bytes > 0) least = std::min(least, bytes);
    };
    const long pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
    if (pages > 0 && page > 0) least = std::int64_t{pages} * page;

    // Lines are  number:controllers:/group ; of version 2 there is one, with the number 0 and no controllers. Groups above limit, too.
    std::ifstream groups("/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
        const std::size_t first = line.find(':'), second = line.find(':', first + 1);
        if (second == std::string::npos || line.compare(second, 2, ":/") != 0) continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        if (!controllers.empty() && controllers != "memory") continue;
        std::string group = line.substr(second + 1);
        while (true) {
            const std::string inner = group == "/" ? "" : group;
            take(controllers.empty() ? "/sys/fs/cgroup" + inner + "/memory.max"
                                     : "/sys/fs/cgroup/memory" + inner + "/memory.limit_in_bytes");
            if (inner.empty()) break;
            group.resize(group.rfind('/') + (group.rfind('/') == 0 ? 1 : 0));
        }
    }
    return least;
}

} // namespace axe_cli
