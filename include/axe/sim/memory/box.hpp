// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_MEMORY_BOX_HPP
#define AXE_SIM_MEMORY_BOX_HPP

#include <axe/sim/memory/access.hpp>
#include <axe/sim/memory/words.hpp>

/// Views that an instruction walks as a whole: where their elements are, in stretches as long as all operands go on evenly.
namespace axe {
inline namespace v0 {
namespace sim {

/// A view at one origin, taken apart by its dimensions: the place of element (x_0, …) is  place + Σ_j parts[j].place(x_j), and so is
/// its device, where the layout lets them be sums. Where it does not, each element is looked up by its coordinate.
struct BoxSide {
    struct Part {
        DimensionMap place{}, device{};
        std::vector<std::uint8_t> inside{}; ///< by index; empty: all are
    };
    const TensorPlan* plan = nullptr;
    const View* view = nullptr;
    int tensor = -1;
    std::vector<std::int64_t> origin{};
    bool separable = true;
    bool never = false; ///< an index that the view picks is outside
    std::int64_t place = 0, device = 0;
    std::vector<Part> parts{};

    /// The tensor's coordinate of an element, given by its row-major number in the view.
    void coordinate(std::int64_t index, std::int64_t* coord) const noexcept
    {
        view_offset(*view, index, coord, dims());
        for (int d = 0; d < dims(); ++d) coord[d] += origin[static_cast<std::size_t>(d)];
    }
    [[nodiscard]] int dims() const noexcept { return plan->tensor->shape.size(); }
    /// Does the device hold the element whose first copy is on device `first`?
    [[nodiscard]] bool is_on(std::int64_t first, std::int64_t who) const noexcept { return plan->device.holds(first, who); }
    /// "element (1,2) of A", by the element's number in the view.
    [[nodiscard]] std::string element_text(std::int64_t index) const
    {
        std::int64_t coord[max_rank];
        coordinate(index, coord);
        return sim::element_text(*plan, coord);
    }
};

/// The parts of a view whose origin is given.
///
/// Cost: the sum of the extents.
inline BoxSide box_side(const TensorPlan& plan, const View& view, std::vector<std::int64_t> origin)
{
    BoxSide side;
    side.plan = &plan;
    side.view = &view;
    side.tensor = view.tensor;
    side.origin = std::move(origin);
    side.parts.resize(static_cast<std::size_t>(view.rank()));
    const AxisMap *address = &plan.address, *device = &plan.device;
    const bool many = !device->is_constant();
    side.separable = address->flat.empty() && (!many || device->flat.empty());
    side.place = address->constant + address->copies.front() - plan.low;
    side.device = device->constant + device->copies.front();
    for (int d = 0; d < side.dims(); ++d) {
        const auto ud = static_cast<std::size_t>(d);
        const std::int64_t o = side.origin[ud], extent = plan.tensor->shape[d];
        int digits = 0;
        std::int64_t low = o, high = o;
        for (int k = 0; k < view.rank(); ++k) {
            if (view.dims[k] != d || view.extents[k] == 1) continue;
            ++digits;
            const std::int64_t footprint = (view.extents[k] - 1) * view.steps[k];
            (footprint < 0 ? low : high) += footprint;
        }
        const bool whole = low >= 0 && high < extent;
        if (digits == 0 && !whole) side.never = true;
        const DimensionMap none;
        const DimensionMap& at = address->flat.empty() ? address->dims[ud] : none;
        const DimensionMap& on = many && device->flat.empty() ? device->dims[ud] : none;
        // Two digits of one dimension are a sum only where the map is linear and no edge is near.
        if (digits > 1 && !(whole && at.is_linear() && on.is_linear())) side.separable = false;
        if (!side.separable || side.never) continue;
        if (digits == 0 || at.is_linear()) side.place += at(o);
        if (digits == 0 || on.is_linear()) side.device += on(o);
        for (int k = 0; k < view.rank(); ++k) {
            if (view.dims[k] != d || view.extents[k] == 1) continue;
            BoxSide::Part& part = side.parts[static_cast<std::size_t>(k)];
            part.place.stride = at.stride * view.steps[k];
            part.device.stride = on.stride * view.steps[k];
            const auto index = [&](std::int64_t x) { return o + x * view.steps[k]; };
            const auto is_in = [&](std::int64_t x) { return index(x) >= 0 && index(x) < extent; };
            for (std::int64_t x = 0; x < view.extents[k]; ++x) {
                if (!whole) part.inside.push_back(is_in(x) ? 1 : 0);
                if (!at.is_linear()) part.place.table.push_back(is_in(x) ? at(index(x)) : 0);
                if (!on.is_linear()) part.device.table.push_back(is_in(x) ? on(index(x)) : 0);
                if (whole && at.is_linear() && on.is_linear()) break;
            }
        }
    }
    return side;
}

/// The origin of a view where variable v is `values[v]`.
template <class Values>
std::vector<std::int64_t> origin_of(const View& view, const Values& values)
{
    std::vector<std::int64_t> origin;
    for (const Affine& a : view.origin) origin.push_back(a(values));
    return origin;
}

inline constexpr int max_box_sides = 5;

/// Elements `index` to `index + n − 1` of views of one shape: of each operand all inside its tensor or none, all on one device, and
/// `step` places apart. The place is that of the first copy, swizzled; the device is the first that has one.
struct Stretch {
    struct At {
        std::int64_t place = 0, step = 0, device = 0;
        bool inside = true;
        [[nodiscard]] std::int64_t operator()(std::int64_t i) const noexcept { return place + i * step; }
    };
    std::int64_t index = 0, n = 0;
    At at[max_box_sides]{};
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
