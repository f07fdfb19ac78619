// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_BENCH_RELAYOUT_POOL_HPP
#define AXE_BENCH_RELAYOUT_POOL_HPP

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace bench {

/// Threads that wait asleep, so that they are out of the way of whoever is timed next. The caller is one of them.
class Pool {
  public:
    explicit Pool(int threads)
    {
        for (int i = 1; i < threads; ++i)
            workers_.emplace_back([this, i](const std::stop_token& stop) {
                for (unsigned seen = 0;;) {
                    round_.wait(seen);
                    seen = round_.load();
                    if (stop.stop_requested()) return;
                    (*task_)(i);
                    if (left_.fetch_sub(1) == 1) left_.notify_one();
                }
            });
    }
    ~Pool()
    {
        for (auto& w : workers_) w.request_stop();
        ++round_;
        round_.notify_all();
    }
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    [[nodiscard]] int threads() const { return 1 + static_cast<int>(workers_.size()); }

    /// task(0), task(1), … task(threads − 1), at the same time.
    void run(const std::function<void(int)>& task)
    {
        task_ = &task;
        left_ = static_cast<int>(workers_.size());
        if (!workers_.empty()) {
            ++round_;
            round_.notify_all();
        }
        task(0);
        for (int left = left_; left != 0; left = left_) left_.wait(left);
    }

    /// The one pool of so many threads.
    static Pool& of(int threads)
    {
        static std::vector<std::unique_ptr<Pool>> pools;
        for (const auto& p : pools)
            if (p->threads() == threads) return *p;
        return *pools.emplace_back(std::make_unique<Pool>(threads));
    }

  private:
    std::atomic<unsigned> round_{0};
    std::atomic<int> left_{0};
    const std::function<void(int)>* task_ = nullptr;
    std::vector<std::jthread> workers_; // last: they end before what they use
};

/// Part i of n of the range [0, count).
inline std::int64_t part(std::int64_t count, int i, int n) { return count * i / n; }

} // namespace bench

#endif
