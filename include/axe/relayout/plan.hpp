// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_RELAYOUT_PLAN_HPP
#define AXE_RELAYOUT_PLAN_HPP

#include <axe/relayout/parts.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace axe {
inline namespace v0 {
/// A copy from one layout to another, ready to be done any number of times, from any number of threads concurrently.
///
///   for every element c of the shape:  to[L_to(c)] = from[L_from(c)]
class RelayoutPlan {
  public:
    RelayoutPlan() = default;
    explicit RelayoutPlan(detail::RelayoutParts parts) : parts_(std::move(parts)) {}

    /// Copies, on this thread. Nothing is written unless all can be:
    ///
    /// `errc::out_of_domain` with the sizes, when an address is outside a buffer; `errc::bad_argument` of a null pointer, one that is not a
    /// multiple of an element's size, and of buffers that share bytes which are read and written.
    Result<void, Problem> run(void* to, std::size_t to_bytes, const void* from, std::size_t from_bytes) const
    {
        return run(to, to_bytes, from, from_bytes, 1, [](int tasks, const auto& task) {
            for (int t = 0; t < tasks; ++t) task(t);
        });
    }
    /// The same in `tasks` parts, of about as much work each, none of which writes a byte of another's.
    /// @param for_each_task  for_each_task(n, f) calls f(0) … f(n − 1), in any order and from any threads, and returns when all have returned
    template <class ForEachTask>
    Result<void, Problem> run(void* to, std::size_t to_bytes, const void* from, std::size_t from_bytes, int tasks,
                              ForEachTask&& for_each_task) const
    {
        if (!is_fine(to, to_bytes, true) || !is_fine(from, from_bytes, false) || ranges_overlap(to, from))
            if (auto p = check(to, to_bytes, from, from_bytes); !p.ok()) return p;
        auto* const target = static_cast<std::byte*>(to);
        const auto* const source = static_cast<const std::byte*>(from);
        if (tasks <= 1 || parts_.widths.nibbles) { // neighbors share a byte
            run_part(target, source, 0, 1);
            return {};
        }
        for_each_task(tasks, [&](int t) { run_part(target, source, t, tasks); });
        return {};
    }

    /// Would a run on these buffers be rejected, and why? Cost: a few comparisons; where the buffers' ranges overlap, a bit for each byte.
    [[nodiscard]] Result<void, Problem> check(const void* to, std::size_t to_bytes, const void* from, std::size_t from_bytes) const;

    /// Of one buffer: is it there, aligned and long enough?
    [[nodiscard]] Result<void, Problem> check_buffer(const void* base, std::size_t bytes, bool is_destination) const;

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
        return parts_.streaming == Streaming::always || parts_.rule.streams;
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
    void run_finished_blocks(const detail::Piece& piece, std::byte* to, const std::byte* from, std::int64_t a,
                             std::int64_t b) const;
    void run_zip(const detail::Piece& piece, std::byte* to, const std::byte* from, std::int64_t a, std::int64_t b) const;
    void run_pairs(const detail::Piece& piece, std::byte* to, const std::byte* from, std::int64_t a, std::int64_t b) const;
    void run_walk(const detail::PairWalk& walk, std::byte* to, const std::byte* from, int task, int tasks) const;
    void copy_pair(std::byte* to, std::int64_t to_at, const std::byte* from, std::int64_t from_at, std::size_t bytes,
                   bool fills) const;
    [[nodiscard]] bool streams(const detail::Piece& piece, const std::byte* to) const noexcept;

    detail::RelayoutParts parts_{};
};

inline bool RelayoutPlan::is_fine(const void* base, std::size_t bytes, bool is_destination) const noexcept
{
    const detail::ByteRange& range = is_destination ? parts_.to : parts_.from;
    const auto width = static_cast<std::uintptr_t>(is_destination ? parts_.widths.to : parts_.widths.from); // a power of two
    const std::int64_t size = static_cast<std::int64_t>(std::min(bytes, std::size_t{1} << 61)) * (parts_.widths.nibbles ? 2 : 1);
    return base != nullptr && (reinterpret_cast<std::uintptr_t>(base) & (width - 1)) == 0 && range.least >= 0 && range.most < size;
}

inline bool RelayoutPlan::ranges_overlap(const void* to, const void* from) const noexcept
{
    const auto at = [&](const void* base, std::int64_t address) {
        const std::int64_t byte = parts_.widths.nibbles ? detail::floor_div<std::int64_t>(address, 2) : address;
        return reinterpret_cast<std::uintptr_t>(base) + static_cast<std::uintptr_t>(byte);
    };
    return at(from, parts_.from.most) >= at(to, parts_.to.least) && at(from, parts_.from.least) <= at(to, parts_.to.most);
}

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/relayout/impl/plan_check.hpp>
#  include <axe/relayout/impl/plan_run.hpp>
#endif

#endif
