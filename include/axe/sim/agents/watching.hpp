// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_AGENTS_WATCHING_HPP
#define AXE_SIM_AGENTS_WATCHING_HPP

#include <axe/sim/memory/element_bits.hpp>
#include <axe/sim/memory/plan.hpp>
#include <axe/sim/report/watch.hpp>
#include <axe/tensor/convert.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace axe {
inline namespace v0 {
namespace sim {

/// The writes of a watched element by an instruction that is not done yet: what they leave is read when it is.
class Watching {
  public:
    void read(const Watch& watch, WatchedAccess access, const TensorPlan& plan, const std::byte* element) const
    {
        access.value = decode(plan.tensor->dtype, load_bits(element, plan.width));
        watch.access(access);
    }
    void write(WatchedAccess access, const TensorPlan& plan, const std::byte* element)
    {
        access.writing = true;
        writes_.push_back({std::move(access), &plan, element});
    }
    [[nodiscard]] bool has_writes() const noexcept { return !writes_.empty(); }
    /// The instruction is done.
    void report(const Watch& watch)
    {
        for (Write& w : std::exchange(writes_, {})) read(watch, std::move(w.access), *w.plan, w.element);
    }

  private:
    struct Write {
        WatchedAccess access{};
        const TensorPlan* plan = nullptr;
        const std::byte* element = nullptr;
    };
    std::vector<Write> writes_{};
};

/// Where the watched element of a tensor is: the first of its copies, as tables and boxes have it. `lane` is of registers.
inline std::int64_t watched_place(const TensorPlan& plan, const Watch& watch, int lane)
{
    const std::int64_t address = plan.address(watch.coordinate.items);
    if (plan.owner == Owner::lane) return plan.slot(address, lane);
    const std::int64_t place = address - plan.low;
    return plan.swizzle.bits > 0 ? plan.swizzle(place) : place;
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
