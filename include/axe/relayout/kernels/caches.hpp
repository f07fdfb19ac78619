// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_RELAYOUT_KERNELS_CACHES_HPP
#define AXE_RELAYOUT_KERNELS_CACHES_HPP

#include <axe/relayout/kernels/table.hpp>
#include <axe/support/config.hpp>

#include <cstdint>
#include <cstdio>
#include <string>

namespace axe {
inline namespace v0 {

/// How much a processor's caches hold, as far as it is known. What a copy makes of it: <axe/relayout/memory_rule.hpp>.
struct CacheSizes {
    std::int64_t second = std::int64_t{1} << 20; ///< bytes, of one core
    std::int64_t last =
        std::int64_t{32} << 20; ///< bytes, of all cores; what a virtual machine reports may be that of many machines
    std::int64_t translations =
        2048; ///< addresses of pages that a core keeps: 1024 (Haswell, 2013), 2048 (Zen 3, Golden Cove), 3072 (Zen 4)
    std::int64_t followed = 64; ///< pages that a core's prefetcher reads ahead in, at the same time; 32 of Intel's
    std::int64_t burst = 64;    ///< bytes of a row to write one after another, if rows are multiples of 512 apart; 64 or 512
    friend bool operator==(const CacheSizes&, const CacheSizes&) = default;
};

namespace detail {

/// The bytes of a line, and how far apart rows are whose lines meet at one channel of the memory, where a machine has such.
inline constexpr std::int64_t line_bytes = 64, channel_step = 512;

/// A line of Linux's description of the first processor's caches, index 0 … 3; empty if none exists.
inline std::string cache_line(int index, const char* what)
{
    const std::string path = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/" + what;
    char text[32] = "";
    if (std::FILE* const file = std::fopen(path.c_str(), "r")) {
        if (std::fgets(text, sizeof text, file) == nullptr) text[0] = '\0';
        std::fclose(file);
    }
    return text;
}

/// "1024K" in bytes; 0 of what is not a size.
inline std::int64_t cache_bytes(const std::string& text)
{
    std::int64_t n = 0;
    std::size_t i = 0;
    for (; i < text.size() && text[i] >= '0' && text[i] <= '9' && n < (std::int64_t{1} << 40); ++i) n = n * 10 + (text[i] - '0');
    const char unit = i < text.size() ? text[i] : '\n';
    return unit == 'K' ? n << 10 : unit == 'M' ? n << 20 : unit == '\n' ? n : 0;
}

/// Those of this processor, where Linux tells them, and the usual elsewhere. (glibc's sysconf gives the last of the whole machine
/// on some virtual ones.) The system is asked once.
inline const CacheSizes& caches_here()
{
    static const CacheSizes sizes = [] {
        CacheSizes out;
        for (int index = 1; index <= 4; ++index) {
            const std::string level = cache_line(index, "level");
            const std::int64_t bytes = cache_bytes(cache_line(index, "size"));
            if (bytes == 0) continue;
            if (level[0] == '2') out.second = bytes;
            if (level[0] == '2' || level[0] == '3') out.last = bytes;
        }
#if AXE_RELAYOUT_X86
        if (__builtin_cpu_is("intel")) out.followed = 32;
#endif
        return out;
    }();
    return sizes;
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
