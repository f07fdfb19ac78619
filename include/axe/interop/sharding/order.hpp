// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_SHARDING_ORDER_HPP
#define AXE_INTEROP_SHARDING_ORDER_HPP

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
    /// The next device; says whether steps can still make the list. Devices are numbers from 0 on.
    constexpr bool add(std::int64_t device) noexcept
    {
        if (count_ == 0) {
            first_ = device;
            count_ = 1;
            return true;
        }
        const std::int64_t step = device - first_, inside = count_ % block_;
        std::int64_t expected = 0;
        if (inside != 0) {
            if (!detail::mul(extent_ - 1, stride_, expected)) return false;
            std::int64_t rest = inside;
            for (int k = done_.size() - 1; k >= 0; --k) { // innermost last
                if (!detail::add_product(rest % done_[k].extent, done_[k].stride, expected)) return false;
                rest /= done_[k].extent;
            }
            ++count_;
            return expected == step;
        }
        if (extent_ > 1 && detail::mul(extent_, stride_, expected) && expected == step) {
            ++extent_;
        } else {
            if (extent_ > 1 && !done_.insert(0, Iter(extent_, stride_, device_axis))) return false;
            block_ *= extent_;
            extent_ = 2;
            stride_ = step;
        }
        ++count_;
        return true;
    }

    /// How many devices went by.
    [[nodiscard]] constexpr std::int64_t count() const noexcept { return count_; }
    [[nodiscard]] constexpr std::int64_t first() const noexcept { return first_; }

    /// The steps, major first; `errc::no_layout` when the list ends inside a block, so that none make it.
    [[nodiscard]] constexpr Result<DeviceOrder> order() const noexcept
    {
        Result<DeviceOrder> result(done_);
        if (extent_ * block_ != (count_ == 0 ? 1 : count_))
            return Error(errc::no_layout, -1, "the {0} devices of the list end within a block of {1}: no steps make it", count_,
                         block_ * (extent_ > 1 ? extent_ : 1));
        if (extent_ > 1 && !result->insert(0, Iter(extent_, stride_, device_axis)))
            return Error(errc::capacity, max_mesh_axes, "the order of the devices has more than {0} digits", max_mesh_axes);
        return result;
    }

  private:
    DeviceOrder done_{}; ///< digits whose extent is known, innermost last
    std::int64_t first_ = 0, count_ = 0;
    std::int64_t block_ = 1;               ///< devices in one round of these
    std::int64_t extent_ = 1, stride_ = 0; ///< of the digit outside them, so far
};

} // namespace sharding
} // namespace v0
} // namespace axe

#endif
