// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_RELAYOUT_PLAN_HPP
#define AXE_RELAYOUT_PLAN_HPP

#include <axe/relayout/choose.hpp>
#include <axe/relayout/finish.hpp>
#include <axe/relayout/pairs.hpp>

#include <cstring>
#include <memory>

namespace axe {
inline namespace v0 {
namespace detail {

/// The bytes of a buffer that a copy touches: [least, most], from the buffer's first byte on; none where most < least.
struct ByteRange {
    std::int64_t least = 0, most = -1;
};

/// A plan's numbers; whoever makes plans fills them.
struct RelayoutParts {
    ElementWidths widths{};
    const RelayoutKernels* kernels = nullptr;
    CacheSizes caches{};
    RelayoutOptions::Streaming streaming = RelayoutOptions::Streaming::by_size;
    Swizzle to_swizzle{}, from_swizzle{};
    std::int64_t elements = 0; ///< read
    std::vector<Piece> pieces{};
    std::vector<PairWalk> walks{}; ///< what is no few pieces
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

/// A copy from one layout to another, ready to be done any number of times, from any number of threads at once.
///
///   for every element c of the shape:  to[L_to(c)] = from[L_from(c)]
class RelayoutPlan {
  public:
    RelayoutPlan() = default;
    explicit RelayoutPlan(detail::RelayoutParts parts) : parts_(std::move(parts)) {}

    /// Copies, on this thread. Nothing is written unless all can be:
    ///
    /// `errc::out_of_domain` with the sizes, when an address is outside a buffer; `errc::bad_argument` of a null pointer, one that is no
    /// multiple of an element's size, and of buffers that share bytes which are read and written.
    Problem run(void* to, std::size_t to_bytes, const void* from, std::size_t from_bytes) const
    {
        return run(to, to_bytes, from, from_bytes, 1, [](int tasks, const auto& task) {
            for (int t = 0; t < tasks; ++t) task(t);
        });
    }
    /// The same in `tasks` parts, of about as much work each, none of which writes a byte of another's.
    /// @param executor  executor(n, f) calls f(0) … f(n − 1), in any order and from any threads, and returns when all have returned
    template <class Executor>
    Problem run(void* to, std::size_t to_bytes, const void* from, std::size_t from_bytes, int tasks, Executor&& executor) const
    {
        if (!is_fine(to, to_bytes, true) || !is_fine(from, from_bytes, false) || ranges_overlap(to, from))
            if (Problem p = check(to, to_bytes, from, from_bytes)) return p;
        auto* const target = static_cast<std::byte*>(to);
        const auto* const source = static_cast<const std::byte*>(from);
        if (tasks <= 1 || parts_.widths.nibbles) { // neighbours share a byte
            run_part(target, source, 0, 1);
            return {};
        }
        executor(tasks, [&](int t) { run_part(target, source, t, tasks); });
        return {};
    }

    /// Would a run on these buffers be refused, and why? Cost: a few comparisons; where the buffers' ranges overlap, a bit for each byte.
    [[nodiscard]] Problem check(const void* to, std::size_t to_bytes, const void* from, std::size_t from_bytes) const;

    /// Of one buffer: is it there, aligned and long enough?
    [[nodiscard]] Problem check_buffer(const void* base, std::size_t bytes, bool is_destination) const;

    /// Into how many parts a run is worth splitting for so many threads: each at least 256 KiB of the destination; 1 of 4-bit elements.
    [[nodiscard]] int tasks(int threads) const noexcept
    {
        const std::int64_t parts = (parts_.to.most - parts_.to.least) >> 18;
        return parts_.widths.nibbles ? 1 : static_cast<int>(std::clamp<std::int64_t>(parts, 1, std::max(threads, 1)));
    }
    /// Does it write past the caches, wherever it writes whole lines?
    [[nodiscard]] bool may_stream() const noexcept
    {
        using Streaming = RelayoutOptions::Streaming;
        if (parts_.kernels->stream[0] == nullptr || parts_.streaming == Streaming::never || parts_.widths.finish.any) return false;
        return parts_.streaming == Streaming::always || parts_.to.most - parts_.to.least >= parts_.caches.streamed();
    }

    [[nodiscard]] std::int64_t elements() const noexcept { return parts_.elements; }
    [[nodiscard]] const detail::RelayoutParts& parts() const noexcept { return parts_; }

  private:
    [[nodiscard]] bool is_fine(const void* base, std::size_t bytes, bool is_destination) const noexcept;
    [[nodiscard]] bool ranges_overlap(const void* to, const void* from) const noexcept;
    void run_part(std::byte* to, const std::byte* from, int task, int tasks) const;
    void run_piece(const detail::Piece& piece, std::byte* to, const std::byte* from, std::int64_t a, std::int64_t b,
                   bool stream) const;
    void run_blocks(const detail::Piece& piece, std::byte* to, const std::byte* from, std::int64_t a, std::int64_t b,
                    bool stream) const;
    void run_zip(const detail::Piece& piece, std::byte* to, const std::byte* from, std::int64_t a, std::int64_t b) const;
    void run_pairs(const detail::Piece& piece, std::byte* to, const std::byte* from, std::int64_t a, std::int64_t b) const;
    void run_walk(const detail::PairWalk& walk, std::byte* to, const std::byte* from, int task, int tasks) const;
    void copy_pair(std::byte* to, std::int64_t to_at, const std::byte* from, std::int64_t from_at, std::size_t bytes,
                   bool fills) const;
    [[nodiscard]] bool streams(const detail::Piece& piece, const std::byte* to) const noexcept;

    detail::RelayoutParts parts_{};
};

} // namespace v0
} // namespace axe

#endif
