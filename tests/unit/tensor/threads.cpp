// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/tensor/threads.hpp>
#include <catch.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>

namespace {

/// A list of threads of a system that has so many of them.
struct Scarce {
    int there;
    int started = 0;
    bool no_memory = false;
    void emplace_back(const std::function<void()>&)
    {
        if (started == there) {
            if (no_memory) throw std::bad_alloc();
            throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
        }
        ++started;
    }
};

} // namespace

TEST_CASE("start_threads: a thread that the system rejects is done without")
{
    for (const bool no_memory : {false, true}) {
        Scarce threads{3, 0, no_memory};
        axe::start_threads(threads, 8, [] {});
        CHECK(threads.started == 3);
    }
    Scarce enough{8};
    axe::start_threads(enough, 5, [] {});
    CHECK(enough.started == 5);
}

TEST_CASE("run_on_threads: each piece of the work is done once, by however many threads")
{
    for (const int threads : {-1, 0, 1, 2, 7}) {
        std::atomic<int> next{0}, calls{0};
        std::vector<std::atomic<int>> done(100);
        axe::run_on_threads(threads, [&] {
            ++calls;
            for (int i = next++; i < 100; i = next++) ++done[static_cast<std::size_t>(i)];
        });
        CHECK(calls == (threads < 1 ? 1 : threads));
        for (const auto& d : done) CHECK(d == 1);
    }
}

TEST_CASE("run_on_threads: what the work throws comes to the caller, after the others have returned")
{
    for (const bool on_the_callers : {true, false}) {
        const auto caller = std::this_thread::get_id();
        std::atomic<int> returned{0};
        std::string caught;
        try {
            axe::run_on_threads(4, [&] {
                if ((std::this_thread::get_id() == caller) == on_the_callers) throw std::runtime_error("out of it");
                std::this_thread::sleep_for(std::chrono::milliseconds(20));
                ++returned;
            });
        } catch (const std::runtime_error& e) {
            caught = e.what();
        }
        CHECK(caught == "out of it");
        CHECK(returned == (on_the_callers ? 3 : 1));
    }
}
