// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_MEMORY_BOX_COPIES_HPP
#define AXE_SIM_MEMORY_BOX_COPIES_HPP

#include <axe/sim/memory/box_walk.hpp>
#include <axe/sim/memory/element_bits.hpp>
#include <axe/tensor/convert_run.hpp>

#include <cstring>

/// Elements of stretches: their copies, their bits, and moving them.
namespace axe {
inline namespace v0 {
namespace sim {

/// Calls visit(i, at, n) for each copy in one memory of the elements of a stretch, n of them from the ith on at a time; until false.
template <class Visit>
bool for_copies(const TensorPlan& plan, const Stretch::At& at, std::int64_t n, Visit visit)
{
    const auto& copies = plan.address.copies;
    if (copies.size() == 1) return visit(std::int64_t{0}, at, n);
    for (const std::int64_t copy : copies) {
        const std::int64_t shift = copy - copies.front();
        if (plan.swizzle.bits == 0) {
            Stretch::At moved = at;
            moved.place += shift;
            if (!visit(std::int64_t{0}, moved, n)) return false;
            continue;
        }
        for (std::int64_t i = 0; i < n; ++i) {
            Stretch::At moved = at;
            moved.place = plan.copy_place(at(i), shift);
            if (!visit(i, moved, std::int64_t{1})) return false;
        }
    }
    return true;
}

/// n elements of a buffer to another one, `step` places apart, converted where the types differ. A source of null is zeros.
inline void move_elements(const TensorPlan& to, std::byte* target, const Stretch::At& d, const TensorPlan& from,
                          const std::byte* source, const Stretch::At& a, std::int64_t n) noexcept
{
    const DType type = to.tensor->dtype, stored = from.tensor->dtype;
    const auto width = static_cast<std::int64_t>(to.width);
    if (source == nullptr) {
        const std::uint64_t zero = encode(type, 0.0);
        for (std::int64_t i = 0; i < n; ++i) store_bits(target + d(i) * width, zero, to.width);
    } else if (type != stored) {
        const bool whole = !is_float(type) && !is_float(stored);
        for (std::int64_t i = 0; i < n; ++i) {
            const std::uint64_t bits = load_bits(source + a(i) * from.width, from.width);
            store_bits(target + d(i) * width,
                       whole ? encode_int(type, decode_int(stored, bits)) : encode(type, decode(stored, bits)), to.width);
        }
    } else if (n == 1 || (d.step == 1 && a.step == 1)) {
        std::memmove(target + d.place * width, source + a.place * width, static_cast<std::size_t>(n * width));
    } else {
        for (std::int64_t i = 0; i < n; ++i)
            store_bits(target + d(i) * width, load_bits(source + a(i) * width, to.width), to.width);
    }
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
