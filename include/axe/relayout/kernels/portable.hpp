// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_RELAYOUT_KERNELS_PORTABLE_HPP
#define AXE_RELAYOUT_KERNELS_PORTABLE_HPP

#include <axe/relayout/kernels/table.hpp>

#include <cstring>
#include <type_traits>

/// Kernels in plain C++: for processors without specialized kernels, and for what no vector instruction does better.
namespace axe {
inline namespace v0 {
namespace detail {
namespace portable {

/// One element, whatever its alignment.
template <int width>
inline void move(std::byte* to, const std::byte* from) noexcept
{
    std::memcpy(to, from, width);
}

/// One element in a register.
template <int width>
struct Element {
    using Word = std::conditional_t<
        width == 1, std::uint8_t,
        std::conditional_t<width == 2, std::uint16_t, std::conditional_t<width == 4, std::uint32_t, std::uint64_t>>>;
    explicit Element(const std::byte* from) noexcept { std::memcpy(words, from, width); }
    void store(std::byte* to) const noexcept { std::memcpy(to, words, width); }
    Word words[width > 8 ? width / 8 : 1];
};

template <int width>
void part(std::byte* to, const std::ptrdiff_t* to_rows, const std::byte* from, const std::ptrdiff_t* from_rows, int rows,
          int columns)
{
    for (int j = 0; j < columns; ++j)
        for (int i = 0; i < rows; ++i) move<width>(to + to_rows[j] + i * width, from + from_rows[i] + j * width);
}

template <int width>
void block(std::byte* to, const std::ptrdiff_t* to_rows, const std::byte* from, const std::ptrdiff_t* from_rows)
{
    part<width>(to, to_rows, from, from_rows, 64 / width, 64 / width);
}

inline void copy(std::byte* to, const std::byte* from, std::size_t bytes)
{
    if (bytes != 0) std::memcpy(to, from, bytes); // else the pointers may be null
}

template <int width>
void fill(std::byte* to, std::int64_t count, const std::byte* element)
{
    std::byte kept[width]; // in a register: the target might be the element, for all the compiler knows
    std::memcpy(kept, element, width);
    for (std::int64_t i = 0; i < count; ++i) move<width>(to + i * width, kept);
}

/// Four elements at a time: their loads wait for no store.
template <int width>
inline void strided_run(std::byte* to, std::ptrdiff_t to_step, const std::byte* from, std::ptrdiff_t from_step,
                        std::int64_t count) noexcept
{
    for (; count >= 4; count -= 4, to += 4 * to_step, from += 4 * from_step) {
        const Element<width> a(from), b(from + from_step), c(from + 2 * from_step), d(from + 3 * from_step);
        a.store(to);
        b.store(to + to_step);
        c.store(to + 2 * to_step);
        d.store(to + 3 * to_step);
    }
    for (std::int64_t i = 0; i < count; ++i) move<width>(to + i * to_step, from + i * from_step);
}
template <int width>
void strided(std::byte* to, std::ptrdiff_t to_step, const std::byte* from, std::ptrdiff_t from_step, std::int64_t count)
{
    // A step that is a constant makes a better loop.
    if (from_step == 0)
        for (std::int64_t i = 0; i < count; ++i) move<width>(to + i * to_step, from);
    else if (to_step == width)
        strided_run<width>(to, width, from, from_step, count);
    else if (from_step == width)
        strided_run<width>(to, to_step, from, width, count);
    else
        strided_run<width>(to, to_step, from, from_step, count);
}

template <int width>
void zip(std::byte* to, const std::byte* from, const std::ptrdiff_t* from_rows, int rows, std::int64_t count)
{
    // Few enough elements at a time that the target's lines are still near when the next row's elements go between.
    constexpr std::int64_t near = 4096 / width;
    for (std::int64_t i = 0; i < count; i += near)
        for (int r = 0; r < rows; ++r)
            strided<width>(to + (i * rows + r) * width, std::ptrdiff_t{rows} * width, from + from_rows[r] + i * width, width,
                           count - i < near ? count - i : near);
}
template <int width>
void unzip(std::byte* to, const std::ptrdiff_t* to_rows, const std::byte* from, int rows, std::int64_t count)
{
    constexpr std::int64_t near = 4096 / width;
    for (std::int64_t i = 0; i < count; i += near)
        for (int r = 0; r < rows; ++r)
            strided<width>(to + to_rows[r] + i * width, width, from + (i * rows + r) * width, std::ptrdiff_t{rows} * width,
                           count - i < near ? count - i : near);
}

inline void no_fence() {}

inline constexpr RelayoutKernels kernels = {
    "portable",
    {64, 32, 16, 8, 4},
    {64, 32, 16, 8, 4},
    {block<1>, block<2>, block<4>, block<8>, block<16>},
    {},
    {part<1>, part<2>, part<4>, part<8>, part<16>},
    copy,
    copy,
    {strided<1>, strided<2>, strided<4>, strided<8>, strided<16>},
    {fill<1>, fill<2>, fill<4>, fill<8>, fill<16>},
    {zip<1>, zip<2>, zip<4>, zip<8>, zip<16>},
    {unzip<1>, unzip<2>, unzip<4>, unzip<8>, unzip<16>},
    no_fence,
};

} // namespace portable
} // namespace detail
} // namespace v0
} // namespace axe

#endif
