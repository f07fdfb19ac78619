// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_CUTE_COMPOSED_HPP
#define AXE_INTEROP_CUTE_COMPOSED_HPP

#include <axe/interop/cute/check.hpp>
#include <axe/layout/swizzle.hpp>

namespace axe {
inline namespace v0 {
namespace cute {

/// CuTe's layout after an offset and a swizzle, `Sw<3,4,3> o 0 o (8,64):(64,1)`:
///
///   C(x) = swizzle(offset + L(x))                                        [CUTLASS, include/cute/layout_composed.hpp]
///
/// The bits of the swizzle are those of the value as it is, an offset in elements. That is not where hardware swizzles: shared memory
/// does it to addresses of bytes. CuTe says so with a flag in place of the offset, `Sw<3,4,3> o smem_ptr[16b](unset) o …`: then the
/// bits are those of the byte address of elements of 16 bits, and C(x) is what CuTe gives after recasting the swizzle to elements.
/// CuTe's Python prints `S<3,4,3> o 0 o …` for both; who knows that bytes are meant sets `element_bits`.
struct Composed {
    Swizzle swizzle{};
    std::int64_t offset = 0;
    bool static_offset = false; ///< printed `_0`; nothing else depends on it
    int element_bits = 0;       ///< of the flag; 0: no flag, and the swizzle acts on elements
    Layout layout{};

    friend constexpr bool operator==(const Composed&, const Composed&) = default;
};

/// The swizzle as it acts on elements: its base is lower by log2 of the bytes of one; higher where a byte has several.
constexpr Swizzle in_elements(const Composed& c) noexcept
{
    Swizzle s = c.swizzle;
    if (c.element_bits == 0 || s.bits == 0) return s;
    for (std::int64_t bits = 8; bits < c.element_bits; bits *= 2) --s.base;
    for (int bits = c.element_bits; bits < 8; bits *= 2) ++s.base;
    return s;
}

/// Are layout and swizzle sound, and can CuTe have them?
///
/// `errc::bad_argument` for an invalid swizzle, that ends beyond the 31 bits of CuTe's masks, that has an element of other than
/// 1, 2, 4, … bits or one cut in two, that has an offset beside the flag, or that is to move values along a basis; `errc::overflow`
/// when the offset takes a value out of the integer; else the errors of `check` for the layout.
constexpr Status check(const Composed& c) noexcept
{
    if (const Status e = check(c.layout); !e.ok()) return e;
    if (const Status e = axe::check(c.swizzle); !e.ok()) return e;
    const int apart = c.swizzle.shift < 0 ? -c.swizzle.shift : c.swizzle.shift;
    if (c.swizzle.bits > 0 && c.swizzle.bits + c.swizzle.base + apart > 31)
        return Error(errc::bad_argument, -1, "Sw<{0},{1},{2}> exceeds the 31 bits of CuTe's swizzle masks", c.swizzle.bits,
                     c.swizzle.base, c.swizzle.shift);
    if (c.element_bits < 0 || (c.element_bits & (c.element_bits - 1)) != 0)
        return Error(errc::bad_argument, -1, "the number of bits of a swizzled element must be a power of two, got {0}",
                     c.element_bits);
    if (c.element_bits != 0 && c.offset != 0)
        return Error(errc::bad_argument, -1,
                     "the composed layout has a pointer flag of {0} bits and offset {1}; it can have one of the two",
                     c.element_bits, c.offset);
    if (in_elements(c).base < 0)
        return Error(errc::bad_argument, -1, "a swizzle whose lowest bit is {1} splits elements of {0} bits", c.element_bits,
                     c.swizzle.base);
    if ((c.swizzle.bits > 0 || c.offset != 0) && !is_plain(c.layout))
        return Error(errc::bad_argument, -1,
                     "a swizzle and an offset need plain integers; the strides of this layout are along a basis");
    if (c.offset == 0) return {};
    std::int64_t low = c.offset, high = c.offset;
    for (const Node& node : c.layout.nodes) {
        if (node.children >= 0) continue;
        const std::int64_t part = (node.leaf.extent - 1) * node.leaf.stride;
        if (!axe::detail::add(part < 0 ? low : high, part, part < 0 ? low : high))
            return Error(errc::overflow, -1, "the values of the layout overflow at offset {0}", c.offset);
    }
    return {};
}

/// swizzle(offset + L(x)), in elements, for a composed layout that has been checked; x as for the layout.
constexpr std::int64_t evaluate(const Composed& c, std::int64_t x) noexcept
{
    return in_elements(c)(c.offset + evaluate(c.layout, x));
}

/// The number of elements of the domain.
constexpr std::int64_t size(const Composed& c) noexcept { return size(c.layout); }

} // namespace cute
} // namespace v0
} // namespace axe

#endif
