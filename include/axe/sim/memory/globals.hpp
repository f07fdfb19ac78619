// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_MEMORY_GLOBALS_HPP
#define AXE_SIM_MEMORY_GLOBALS_HPP

#include <axe/sim/memory/buffer.hpp>
#include <axe/sim/memory/words.hpp>
#include <axe/sim/report/fault.hpp>
#include <axe/tensor/array.hpp>

/// Between the caller's arrays and the memories of the devices.
namespace axe {
inline namespace v0 {
namespace sim {

/// Calls visit(index, coord, place, n) for runs of n elements that are contiguous both in row-major order and in memory; `place` is
/// that of the first copy.
template <class Visit>
bool visit_runs(const TensorPlan& plan, Visit visit)
{
    const Shape& shape = plan.tensor->shape;
    const int dims = shape.size();
    const std::int64_t n = plan.elements;
    std::int64_t run = 1;
    const auto steady = [](const AxisMap& m, int d) {
        return m.flat.empty() && (m.dims.empty() || (m.dims[static_cast<std::size_t>(d)].is_linear() &&
                                                     m.dims[static_cast<std::size_t>(d)].stride == 0));
    };
    if (plan.swizzle.bits == 0 && dims > 0 && plan.address.flat.empty() && plan.address.dims.back().is_linear() &&
        plan.address.dims.back().stride == 1 && steady(plan.device, dims - 1))
        run = shape[dims - 1];
    std::int64_t coord[max_rank]{};
    for (std::int64_t index = 0; index < n; index += run) {
        std::int64_t rest = index;
        for (int d = dims - 1; d >= 0; --d) {
            coord[d] = rest % shape[d];
            rest /= shape[d];
        }
        std::int64_t place = plan.address(coord) - plan.low;
        if (plan.swizzle.bits > 0) place = plan.swizzle(place);
        if (!visit(index, coord, place, run)) return false;
    }
    return true;
}

/// Is the buffer of device 0 the row-major array, byte for byte, so that one may be used for the other?
inline bool is_the_array(const TensorPlan& plan, int devices)
{
    if (devices != 1 && !plan.device.is_constant()) return false;
    if (devices != 1 && (plan.device.copies.size() != 1 || plan.device.constant + plan.device.copies.front() != 0)) return false;
    if (plan.swizzle.bits > 0 || plan.address.copies.size() != 1 || !plan.address.flat.empty() || plan.count != plan.elements)
        return false;
    std::int64_t inner = 1;
    for (int d = plan.tensor->shape.size() - 1; d >= 0; --d) {
        const DimensionMap& m = plan.address.dims[static_cast<std::size_t>(d)];
        if (plan.tensor->shape[d] > 1 && (!m.is_linear() || m.stride != inner)) return false;
        inner *= plan.tensor->shape[d];
    }
    return true;
}

/// The buffers of a tensor in global memory, by device.
using Globals = std::vector<Buffer*>;

/// Gives each device its part of an array.
inline void scatter(const TensorPlan& plan, const Array& array, const Globals& devices)
{
    const auto width = static_cast<std::size_t>(plan.width);
    visit_runs(plan, [&](std::int64_t index, const std::int64_t* coord, std::int64_t place, std::int64_t n) {
        const std::int64_t first = plan.device(coord);
        for (const std::int64_t copy : plan.device.copies) {
            std::byte* data = devices[static_cast<std::size_t>(first + copy - plan.device.copies.front())]->data;
            for (const std::int64_t shift : plan.address.copies)
                std::memcpy(data + static_cast<std::size_t>(plan.copy_place(place, shift - plan.address.copies.front())) * width,
                            array.data() + static_cast<std::size_t>(index) * width, static_cast<std::size_t>(n) * width);
        }
        return true;
    });
}

/// Takes an array from the devices. At `Level::full` each element must have been written, and copies must be equal.
inline Fault gather(const Program& program, Level level, const TensorPlan& plan, const Globals& devices, std::byte* array)
{
    const auto width = static_cast<std::size_t>(plan.width);
    Fault fault;
    const auto buffer = [&](std::int64_t d) -> const Buffer& { return *devices[static_cast<std::size_t>(d)]; };
    visit_runs(plan, [&](std::int64_t index, const std::int64_t* coord, std::int64_t place, std::int64_t n) {
        const std::int64_t first = plan.device(coord);
        const std::byte* from = buffer(first).data + static_cast<std::size_t>(place) * width;
        if (array != nullptr && array + static_cast<std::size_t>(index) * width != from)
            std::memcpy(array + static_cast<std::size_t>(index) * width, from, static_cast<std::size_t>(n) * width);
        if (level != Level::full) return true;
        if (plan.device.copies.size() == 1 && plan.address.copies.size() == 1) {
            // One copy only: was it written? Granule by granule; what is found is looked at element by element below.
            const Shadow& shadow = buffer(first).shadow;
            if (!shadow.exists() ||
                shadow.are_written(shadow.granule_of(place * plan.width), shadow.granule_of((place + n) * plan.width - 1)))
                return true;
        }
        for (const std::int64_t copy : plan.device.copies)
            for (const std::int64_t shift : plan.address.copies) {
                const std::int64_t d = first + copy - plan.device.copies.front(),
                                   at = plan.copy_place(place, shift - plan.address.copies.front());
                const Buffer& other = buffer(d);
                std::int64_t here[max_rank];
                for (std::int64_t i = 0; i < n; ++i) {
                    const bool unwritten =
                        other.shadow.exists() && !other.shadow.written(other.shadow.granule_of((at + i) * plan.width));
                    const bool differs = std::memcmp(other.data + static_cast<std::size_t>(at + i) * width,
                                                     from + static_cast<std::size_t>(i) * width, width) != 0;
                    if (!unwritten && !differs) continue;
                    for (int k = 0; k < plan.tensor->shape.size(); ++k) here[k] = coord[k];
                    if (plan.tensor->shape.size() > 0) here[plan.tensor->shape.size() - 1] += i;
                    fault.kind = unwritten ? FaultKind::uninitialized : FaultKind::replica;
                    const bool several = devices.size() > 1;
                    fault.text = program.name + ": " +
                                 detail::worded(!unwritten ? "{0} differs between devices {2} and {1}"
                                                : several  ? "{0} is an output and was never written on device {1}"
                                                           : "{0} is an output and was never written",
                                                {element_text(plan, here), d, first});
                    return false;
                }
            }
        return true;
    });
    return fault;
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
