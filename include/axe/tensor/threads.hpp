// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TENSOR_THREADS_HPP
#define AXE_TENSOR_THREADS_HPP

#include <axe/support/config.hpp>

#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#if defined(__cpp_exceptions)
#  include <exception>
#endif

/// Work on several threads that does not end the program where the system has no more of them, or where the work throws.
namespace axe {
inline namespace v0 {
/// Appends up to `count` threads that run `work` to `threads`; those that the system rejects are done without. Compiled without
/// exceptions, a rejected thread ends the program, as the standard library has it.
template <class Threads, class Work>
void start_threads(Threads& threads, int count, const Work& work)
{
#if defined(__cpp_exceptions)
    try {
        for (int t = 0; t < count; ++t) threads.emplace_back(work);
    } catch (const std::system_error&) { // those there are do it
    } catch (const std::bad_alloc&) {
    }
#else
    for (int t = 0; t < count; ++t) threads.emplace_back(work);
#endif
}

/// Calls `work()` on the caller's thread and on up to `count` − 1 others, and returns when all calls have. The calls share the work out
/// among themselves, so that it is done by however many threads there are.
///
/// What a call throws (of a function of the user's, or for want of memory) is thrown again to the caller, the first of several, after all
/// calls have returned.
template <class Work>
void run_on_threads(int count, const Work& work)
{
    struct Joined {
        std::vector<std::thread> threads{};
        ~Joined()
        {
            for (std::thread& thread : threads) thread.join();
        }
    };
#if defined(__cpp_exceptions)
    std::mutex mutex;
    std::exception_ptr thrown;
    const auto guarded = [&] {
        try {
            work();
        } catch (...) {
            const std::lock_guard lock(mutex);
            if (!thrown) thrown = std::current_exception();
        }
    };
#else
    const auto& guarded = work;
#endif
    {
        Joined others;
        // Handed over as a reference: the work itself stays here.
        start_threads(others.threads, count - 1, [&guarded] { guarded(); });
        guarded();
    }
#if defined(__cpp_exceptions)
    if (thrown) std::rethrow_exception(thrown);
#endif
}

} // namespace v0
} // namespace axe

#endif
