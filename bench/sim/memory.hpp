// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_BENCH_SIM_MEMORY_HPP
#define AXE_BENCH_SIM_MEMORY_HPP

#include <malloc.h>

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>

namespace bench {

/// How much more memory the process has had at most than where this was made, as the kernel counts resident pages.
class PeakMemory {
  public:
    PeakMemory()
    {
        malloc_trim(0);
        std::ofstream("/proc/self/clear_refs") << 5; // the peak begins anew      [proc(5)]
        begin_ = read("VmRSS:");
    }
    /// In bytes; nothing where there is no /proc, or no new beginning.
    [[nodiscard]] std::optional<std::int64_t> more() const
    {
        const std::int64_t peak = read("VmHWM:");
        if (begin_ <= 0 || peak <= 0) return std::nullopt;
        return peak > begin_ ? peak - begin_ : 0;
    }

  private:
    static std::int64_t read(const std::string& name)
    {
        std::ifstream status("/proc/self/status");
        std::string word;
        std::int64_t kilobytes = 0;
        while (status >> word)
            if (word == name && status >> kilobytes) return kilobytes * 1024;
        return 0;
    }

    std::int64_t begin_ = 0;
};

} // namespace bench

#endif
