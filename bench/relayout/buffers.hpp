// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_BENCH_RELAYOUT_BUFFERS_HPP
#define AXE_BENCH_RELAYOUT_BUFFERS_HPP

#include "loops.hpp"

#include <sys/mman.h>

#include <memory>
#include <random>

namespace bench {

/// In which pages buffers lie: as the system has them, the smallest, or those of 2 MB.
enum class Pages { of_system, small, huge };

/// The buffers of a case, touched: 64-byte aligned and in the system's pages, or at a multiple of 2 MB, in the pages asked for.
class Buffers {
  public:
    explicit Buffers(const Case& c, Pages pages = Pages::of_system) : case_(&c), loops_(loops_of(c)), pages_(pages)
    {
        const Job sizes = job(1);
        bytes_ = sizes.bytes();
        for (auto* b : {&dst_, &src_, &expected_}) b->reset(allocate());
        fill(sizes.elements());
        Job naive = sizes;
        naive.dst = expected_.get();
        naive.src = src_.get();
        prepare_naive(naive)();
        compare_with_layouts(sizes.elements());
    }

    [[nodiscard]] const Case* of() const { return case_; }
    [[nodiscard]] Job job(int threads) const
    {
        return {case_->name, loops_, case_->element_bytes, threads, dst_.get(), src_.get()};
    }

    /// Whether a run writes what the naive loop writes.
    [[nodiscard]] bool is_right(const Run& run) const
    {
        std::memset(dst_.get(), 0xA5, bytes_);
        run();
        return std::memcmp(dst_.get(), expected_.get(), bytes_) == 0;
    }

  private:
    struct Free {
        void operator()(void* p) const { std::free(p); }
    };
    [[nodiscard]] void* allocate() const
    {
        const std::size_t unit = pages_ == Pages::of_system ? 64 : std::size_t{2} << 20;
        void* p = std::aligned_alloc(unit, (bytes_ + unit - 1) / unit * unit);
        if (p == nullptr) refuse("no memory for " + std::to_string(bytes_) + " bytes");
        if (pages_ != Pages::of_system && madvise(p, bytes_, pages_ == Pages::huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE) != 0)
            refuse("this system does not let a program choose its pages");
        std::memset(p, 0xA5, bytes_);
        return p;
    }
    /// Elements that are ordinary numbers in any format (no NaN, nothing denormal), all different where they have four bytes.
    void fill(std::int64_t elements) const
    {
        if (case_->element_bytes == 4) {
            auto* p = static_cast<std::uint32_t*>(src_.get());
            for (std::int64_t i = 0; i < elements; ++i) p[i] = 0x2000'0000U + static_cast<std::uint32_t>(i);
        } else {
            auto* p = static_cast<std::uint16_t*>(src_.get());
            for (std::int64_t i = 0; i < elements; ++i)
                p[i] = static_cast<std::uint16_t>(0x0400U + (static_cast<std::uint32_t>(i) * 2654435761U >> 16) % 0x7000U);
        }
    }
    /// The loops were derived from the layouts; here both are asked.
    void compare_with_layouts(std::int64_t elements) const
    {
        const auto to = axe::make_evaluator(read_layout(case_->dst)), from = axe::make_evaluator(read_layout(case_->src));
        if (!to || !from) refuse(std::string(case_->name) + ": " + (to ? from : to).error().message().c_str());
        std::mt19937_64 random(1);
        const auto width = static_cast<std::size_t>(case_->element_bytes);
        for (int i = 0; i < 10'000; ++i) {
            const auto x = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(elements));
            const auto* d = static_cast<const char*>(expected_.get()) + static_cast<std::size_t>((*to)(x)) * width;
            const auto* s = static_cast<const char*>(src_.get()) + static_cast<std::size_t>((*from)(x)) * width;
            if (std::memcmp(d, s, width) != 0)
                refuse(std::string(case_->name) + ": the naive loop is wrong at " + std::to_string(x));
        }
    }

    const Case* case_;
    std::vector<Loop> loops_;
    Pages pages_;
    std::size_t bytes_ = 0;
    std::unique_ptr<void, Free> dst_, src_, expected_;
};

/// One case's at a time, as the largest take 768 MiB.
inline const Buffers& buffers_of(const Case& c)
{
    static std::unique_ptr<Buffers> kept;
    if (!kept || kept->of() != &c) {
        kept.reset();
        kept = std::make_unique<Buffers>(c);
    }
    return *kept;
}

} // namespace bench

#endif
