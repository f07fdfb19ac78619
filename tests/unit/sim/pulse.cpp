// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/sim/report/pulse.hpp>
#include <catch.hpp>

#include <thread>

using namespace axe;

TEST_CASE("a pulse asks after some time, not after each step, and passes the answer on", "[sim][pulse]")
{
    Pulse none;
    for (int i = 0; i < 100'000; ++i)
        if (!none.goes_on(100)) FAIL("no caller ends nothing");

    int asked = 0;
    Pulse pulse([&] { return ++asked < 3; });
    const auto start = std::chrono::steady_clock::now();
    std::int64_t steps = 0;
    while (pulse.goes_on(1)) ++steps;
    const auto passed = std::chrono::steady_clock::now() - start;
    CHECK(asked == 3);
    CHECK(steps > 100);
    CHECK(passed >= std::chrono::milliseconds(59));

    // Steps that take long are followed by a question soon, whatever their weight was said to be.
    asked = 0;
    Pulse slow([&] { return ++asked < 2; });
    int count = 0;
    do {
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        ++count;
    } while (slow.goes_on(64) && count < 100);
    CHECK(asked == 2);
    CHECK(count < 20);
}
