// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_FUZZ_BYTES_HPP
#define AXE_TESTS_FUZZ_BYTES_HPP

#include <cstddef>
#include <cstdint>
#include <limits>

namespace fuzz {

using Int = std::int64_t;

/// The fuzzer's bytes, read from the front as choices and numbers; zeros when they are used up.
class Bytes {
  public:
    Bytes(const std::uint8_t* data, std::size_t size) : at_(data), left_(size) {}

    int byte()
    {
        if (left_ == 0) return 0;
        --left_;
        return *at_++;
    }
    bool bit() { return (byte() & 1) != 0; }
    /// In [0, n), for n ≤ 2^16.
    Int below(Int n)
    {
        if (n <= 1) return 0;
        return (n <= 256 ? byte() : byte() * 256 + byte()) % n;
    }
    /// In [lo, hi].
    Int in(Int lo, Int hi) { return lo + below(hi - lo + 1); }

    /// Any number of 64 bits; small ones, powers of two and their neighbors, and the ends of the range in a byte or two.
    Int number()
    {
        const int b = byte();
        if (b < 128) return b - 32;
        if (b < 248) {
            const Int power = Int{1} << (b - 128) % 63, near = in(-2, 2);
            return b < 191 ? power + near : near - power;
        }
        if (b < 250) return std::numeric_limits<Int>::max() - below(3);
        if (b < 252) return std::numeric_limits<Int>::min() + below(3);
        std::uint64_t all = 0;
        for (int i = 0; i < 8; ++i) all = all << 8 | static_cast<std::uint64_t>(byte());
        return static_cast<Int>(all);
    }

  private:
    const std::uint8_t* at_;
    std::size_t left_;
};

} // namespace fuzz

#endif
