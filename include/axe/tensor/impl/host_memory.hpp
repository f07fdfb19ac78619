// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TENSOR_IMPL_HOST_MEMORY_HPP
#define AXE_TENSOR_IMPL_HOST_MEMORY_HPP

#include <axe/tensor/host_memory.hpp>

#include <cstdio>
#include <limits>

namespace axe {
inline namespace v0 {

AXE_DECL std::int64_t available_memory()
{
    std::FILE* file = std::fopen("/proc/meminfo", "r");
    if (file == nullptr) return 0;
    long long kib = 0, found = 0;
    char line[128];
    while (std::fgets(line, sizeof line, file) != nullptr)
        if (std::sscanf(line, "MemAvailable: %lld", &found) == 1 || std::sscanf(line, "SwapFree: %lld", &found) == 1) kib += found;
    std::fclose(file);
    return kib * 1024;
}

AXE_DECL Problem no_memory(const std::string& who)
{
    return {errc::capacity, who + ": " + detail::worded("this computer does not have the memory that it takes", {})};
}

AXE_DECL Result<void, Problem> check_memory(const std::string& who, wider_t<std::int64_t> bytes)
{
    constexpr std::int64_t address_space = std::int64_t{1} << 47, most = std::numeric_limits<std::int64_t>::max();
    const std::int64_t available = available_memory();
    if (bytes < address_space && (available == 0 || bytes <= available)) return {};
    const std::int64_t asked = bytes > most ? most : static_cast<std::int64_t>(bytes);
    if (available == 0)
        return {errc::capacity,
                who + ": " + detail::worded("it takes {0} bytes of memory; at most {1} can be addressed", {asked, address_space})};
    return {errc::capacity,
            who + ": " + detail::worded("it takes {0} bytes of memory; this computer has {1} available", {asked, available})};
}

} // namespace v0
} // namespace axe

#endif
