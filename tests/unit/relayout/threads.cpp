// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/axe.hpp>
#include <axe/relayout/relayout.hpp>
#include <axe/relayout/threads.hpp>
#include <catch.hpp>

#include <numeric>
#include <set>

namespace {

using namespace axe::literals;

/// How often each task was called.
std::vector<int> calls(axe::ThreadPool& pool, int tasks)
{
    std::vector<std::atomic<int>> count(static_cast<std::size_t>(std::max(tasks, 0)));
    pool(tasks, [&](int t) { ++count[static_cast<std::size_t>(t)]; });
    return {count.begin(), count.end()};
}

} // namespace

TEST_CASE("thread pool: every task once, whatever their number and that of the threads")
{
    for (const int threads : {1, 2, 3, 8}) {
        axe::ThreadPool pool(threads);
        CHECK(pool.threads() == threads);
        for (const int tasks : {0, 1, 2, 3, 7, 1000})
            for (int again = 0; again < 20; ++again)
                CHECK(calls(pool, tasks) == std::vector<int>(static_cast<std::size_t>(tasks), 1));
    }
    CHECK(axe::ThreadPool(0).threads() >= 1);
    CHECK(axe::ThreadPool(-3).threads() >= 1);
}

TEST_CASE("thread pool: the caller works, too, and sees what the tasks did")
{
    axe::ThreadPool alone(1);
    std::set<std::thread::id> who;
    alone(5, [&](int) { who.insert(std::this_thread::get_id()); });
    CHECK(who == std::set<std::thread::id>{std::this_thread::get_id()});

    axe::ThreadPool pool(4);
    std::vector<int> plain(500);
    for (int again = 1; again <= 50; ++again) {
        pool(500, [&](int t) { plain[static_cast<std::size_t>(t)] += t; });
        CHECK(std::accumulate(plain.begin(), plain.end(), 0) == again * (499 * 500 / 2));
    }
}

TEST_CASE("thread pool: many callers at once take turns")
{
    axe::ThreadPool pool(3);
    std::atomic<int> wrong{0};
    {
        std::vector<std::jthread> callers;
        for (int c = 0; c < 6; ++c)
            callers.emplace_back([&, c] {
                std::vector<int> plain(64);
                for (int again = 0; again < 40; ++again) {
                    pool(64, [&](int t) { plain[static_cast<std::size_t>(t)] += c + 1; });
                    for (const int n : plain) wrong += n != (again + 1) * (c + 1);
                }
            });
    }
    CHECK(wrong == 0);
}

TEST_CASE("thread pool: one that is never used ends")
{
    for (int i = 0; i < 20; ++i) axe::ThreadPool pool(4);
    SUCCEED();
}

TEST_CASE("thread pool: copies in parts give what one thread gives")
{
    axe::ThreadPool pool(4);
    std::vector<float> in(150 * 170);
    std::iota(in.begin(), in.end(), 0.0F);
    const std::size_t bytes = in.size() * 4;
    using Streaming = axe::RelayoutOptions::Streaming;
    for (const Streaming streaming : {Streaming::never, Streaming::always}) {
        axe::RelayoutOptions o;
        o.streaming = streaming;
        const auto plan = axe::plan_relayout("(150,170):(1,150)"_axe, "(150,170):(170,1)"_axe, {150, 170}, o).value();
        std::vector<float> expected(in.size());
        CHECK(plan.run(expected.data(), bytes, in.data(), bytes).ok());
        for (const int tasks : {2, 3, 4, 5, 64}) {
            std::vector<float> out(in.size());
            CHECK(plan.run(out.data(), bytes, in.data(), bytes, tasks, pool).ok());
            CHECK(out == expected);
        }
    }
    // What is refused is refused before `for_each_task` is called.
    const auto plan = axe::plan_relayout("6:1"_axe, "6:1"_axe, {6}).value();
    bool was_asked = false;
    CHECK(plan.run(nullptr, 24, in.data(), 24, 2, [&](int, const auto&) { was_asked = true; }).error().text ==
          "destination: the buffer is a null pointer");
    CHECK_FALSE(was_asked);
}
