// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_REPORT_PULSE_HPP
#define AXE_SIM_REPORT_PULSE_HPP

#include <axe/support/config.hpp>

#include <algorithm>
#include <chrono>
#include <functional>

namespace axe {
inline namespace v0 {

/// Asks now and then whether long work shall go on: some 50 times a second, however long its steps take, as long as no step takes
/// longer. Work that shall end does not go on later. Not for two threads at once.
class Pulse {
  public:
    Pulse() = default;
    /// @param ask false ends the work; none: it always goes on
    explicit Pulse(std::function<bool()> ask) : ask_(std::move(ask)) {}

    /// To be called after each step: `weight` is about how long it takes, in tens of nanoseconds. False: the work shall end.
    bool goes_on(int weight)
    {
        if (!ask_) return true;
        left_ -= weight;
        return left_ > 0 || look();
    }

  private:
    using Clock = std::chrono::steady_clock;
    static constexpr int between = 512; ///< weight between two looks at the clock, at most

    AXE_NOINLINE bool look()
    {
        using std::chrono::milliseconds;
        if (ended_) return false;
        const Clock::time_point now = Clock::now();
        if (now - looked_ > milliseconds(5))
            pace_ = 1; // steps are long: look at each
        else
            pace_ = std::min(between, pace_ * 2);
        left_ = pace_;
        looked_ = now;
        if (now - asked_ < milliseconds(20)) return true;
        asked_ = now;
        ended_ = !ask_();
        if (ended_) left_ = 0; // looked at from now on
        return !ended_;
    }

    std::function<bool()> ask_{};
    int left_ = 1, pace_ = between / 8;
    bool ended_ = false;
    Clock::time_point looked_ = Clock::now(), asked_ = looked_;
};

} // namespace v0
} // namespace axe

#endif
