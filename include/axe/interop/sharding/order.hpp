// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_SHARDING_ORDER_HPP
#define AXE_INTEROP_SHARDING_ORDER_HPP

#include <axe/interop/sharding/errors.hpp>
#include <axe/interop/sharding/mesh.hpp>

namespace axe {
inline namespace v0 {
namespace sharding {

/// Finds the steps of a list of devices while the list goes by, without keeping it.
///
/// The digits of a list are unique: the innermost is as long as the values rise evenly from the first, every block of that length
/// must repeat it, and so on with the blocks.                                                              [Axe 3.3, App. A]
/// So a device that is not where the digits so far, or one digit more, have it, shows that no steps make the list.
class OrderFinder {
  public:
    /// The next device; returns whether steps can still make the list. Devices are numbers from 0 on.
    constexpr bool add(std::int64_t device) noexcept
    {
        if (count_ == 0) {
            first_ = device;
            count_ = 1;
            return true;
        }
        const std::int64_t step = device - first_;
        std::int64_t expected = 0;
        ++count_;
        if (++inside_ < block_) { // the known digits go on like an odometer; the first round showed that their sums fit
            for (int k = done_.size() - 1; k >= 0; --k) {
                if (++places_[k] < done_[k].extent) {
                    sum_ += done_[k].stride;
                    break;
                }
                places_[k] = 0;
                sum_ -= (done_[k].extent - 1) * done_[k].stride;
            }
            return detail::add(round_, sum_, expected) && expected == step;
        }
        inside_ = sum_ = 0;
        for (std::int64_t& place : places_) place = 0;
        round_ = step;
        if (extent_ > 1 && detail::mul(extent_, stride_, expected) && expected == step) {
            ++extent_;
            return true;
        }
        if (extent_ > 1) {
            if (!done_.insert(0, Iter(extent_, stride_, device_axis))) return false;
            places_.insert(0, 0);
        }
        block_ *= extent_;
        extent_ = 2;
        stride_ = step;
        return true;
    }

    /// How many devices went by.
    [[nodiscard]] constexpr std::int64_t count() const noexcept { return count_; }
    [[nodiscard]] constexpr std::int64_t first() const noexcept { return first_; }

    /// The steps, major first; `errc::no_layout` when the list ends inside a block, so that none make it.
    [[nodiscard]] constexpr Result<DeviceOrder> order() const noexcept
    {
        Result<DeviceOrder> result;
        if (extent_ > 1) result->push_back(Iter(extent_, stride_, device_axis));
        if (extent_ * block_ != (count_ == 0 ? 1 : count_))
            result =
                Error(errc::no_layout, -1, "the device list is not a product of steps: its {0} devices end within a block of {1}",
                      count_, block_ * (extent_ > 1 ? extent_ : 1));
        else if (!detail::append_all(done_, *result))
            result = detail::order_capacity(max_mesh_axes);
        return result;
    }

  private:
    DeviceOrder done_{}; ///< digits whose extent is known, innermost last
    std::int64_t first_ = 0, count_ = 0;
    std::int64_t block_ = 1;                             ///< devices in one round of these
    std::int64_t inside_ = 0;                            ///< which of them the last device is,
    InlineVector<std::int64_t, max_mesh_axes> places_{}; ///< digit by digit, and
    std::int64_t sum_ = 0, round_ = 0;                   ///< how far on in the round, which began so far behind the first device
    std::int64_t extent_ = 1, stride_ = 0;               ///< of the digit outside them, so far
};

} // namespace sharding
} // namespace v0
} // namespace axe

#endif
