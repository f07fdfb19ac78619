// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_RELAYOUT_PARTS_HPP
#define AXE_RELAYOUT_PARTS_HPP

#include <axe/relayout/options.hpp>
#include <axe/relayout/pairs.hpp>
#include <axe/relayout/piece.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace axe {
inline namespace v0 {
namespace detail {

/// The bytes of a buffer that a copy touches: [least, most], from the buffer's first byte on; none where most < least.
struct ByteRange {
    std::int64_t least = 0, most = -1;
};

/// A plan's numbers; the planner fills them.
struct RelayoutParts {
    ElementWidths widths{};
    const RelayoutKernels* kernels = nullptr;
    MemoryRule rule{};
    RelayoutOptions::Streaming streaming = RelayoutOptions::Streaming::by_size;
    Swizzle to_swizzle{}, from_swizzle{};
    std::int64_t elements = 0; ///< read
    std::vector<Piece> pieces{};
    std::vector<PairWalk> walks{}; ///< what is not a few pieces
    std::byte padding[16]{};
    ByteRange to{}, from{};                     ///< of what is written and read, in bytes (or nibbles)
    ByteRange to_addresses{}, from_addresses{}; ///< the same before swizzles
    std::shared_ptr<const PairWalk> read{};     ///< every pair of addresses
    std::shared_ptr<const PairWalk> written{};  ///< in its destination, every address that is written, padding too

    /// Calls f with each byte that is written (read), once or more.
    template <class F>
    void each_written(F f) const
    {
        written->for_each(0, written->elements(),
                          [&](std::int64_t to_at, std::int64_t) { each_byte(to_swizzle(to_at), widths.to, f); });
    }
    template <class F>
    void each_read(F f) const
    {
        read->for_each(0, read->elements(),
                       [&](std::int64_t, std::int64_t from_at) { each_byte(from_swizzle(from_at), widths.from, f); });
    }

  private:
    template <class F>
    void each_byte(std::int64_t at, std::int64_t width, F f) const
    {
        if (widths.nibbles) return f(floor_div<std::int64_t>(at, 2));
        for (std::int64_t b = 0; b < width; ++b) f(at + b);
    }
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
