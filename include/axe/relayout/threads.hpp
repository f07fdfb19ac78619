// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_RELAYOUT_THREADS_HPP
#define AXE_RELAYOUT_THREADS_HPP

#include <axe/tensor/threads.hpp>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace axe {
inline namespace v0 {

/// Threads that wait for work: what `RelayoutPlan::run` takes as `for_each_task`, to be kept from copy to copy.
///
/// pool(n, f) calls f(0) … f(n − 1), on the caller's thread and on the pool's, and returns when all have returned. Callers on several
/// threads take turns. f must not throw.
class ThreadPool {
  public:
    /// @param threads  with the caller's; the processor's number of them where it is 0 or less. A thread that the system rejects is
    ///                 done without.
    explicit ThreadPool(int threads = 0)
    {
        const int count = threads > 0 ? threads : static_cast<int>(std::thread::hardware_concurrency());
        start_threads(workers_, count - 1, [this] { work(); });
    }
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;
    ~ThreadPool()
    {
        {
            const std::lock_guard lock(mutex_);
            ends_ = true;
        }
        wake_.notify_all();
    }

    /// The number of threads that work concurrently, including the caller's.
    [[nodiscard]] int threads() const noexcept { return static_cast<int>(workers_.size()) + 1; }

    template <class F>
    void operator()(int tasks, const F& f)
    {
        const std::lock_guard turn(turn_);
        {
            const std::lock_guard lock(mutex_);
            call_ = [](const void* function, int t) { (*static_cast<const F*>(function))(t); };
            function_ = &f;
            tasks_ = tasks;
            next_ = 0;
            busy_ = static_cast<int>(workers_.size());
            ++job_;
        }
        wake_.notify_all();
        take_tasks();
        std::unique_lock lock(mutex_);
        done_.wait(lock, [&] { return busy_ == 0; });
    }

  private:
    void take_tasks()
    {
        for (int t = next_++; t < tasks_; t = next_++) call_(function_, t);
    }
    void work()
    {
        std::uint64_t seen = 0;
        while (true) {
            {
                std::unique_lock lock(mutex_);
                wake_.wait(lock, [&] { return ends_ || job_ != seen; });
                if (ends_) return;
                seen = job_;
            }
            take_tasks();
            const std::lock_guard lock(mutex_);
            if (--busy_ == 0) done_.notify_one();
        }
    }

    std::mutex turn_{}, mutex_{};
    std::condition_variable wake_{}, done_{};
    void (*call_)(const void*, int) = nullptr;
    const void* function_ = nullptr;
    int tasks_ = 0, busy_ = 0;
    std::atomic<int> next_{0};
    std::uint64_t job_ = 0;
    bool ends_ = false;
    std::vector<std::jthread> workers_{}; ///< last: they end before what they use does
};

} // namespace v0
} // namespace axe

#endif
