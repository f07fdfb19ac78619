// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PICTURE_PALETTE_HPP
#define AXE_PICTURE_PALETTE_HPP

#include <axe/support/config.hpp>

#include <cstdint>

/// The colors of pictures. Color is never the only carrier: what it says is also printed in the cell, or in its tooltip.
namespace axe {
inline namespace v0 {

/// A color of the screen (sRGB).
struct Color {
    std::uint8_t red = 0;
    std::uint8_t green = 0;
    std::uint8_t blue = 0;

    /// Its spelling in SVG and CSS: `#56b4e9`.
    struct Hex {
        char text[8]{};
        [[nodiscard]] constexpr const char* c_str() const noexcept { return text; }
    };
    [[nodiscard]] constexpr Hex hex() const noexcept
    {
        Hex out{{'#'}};
        const int parts[3] = {red, green, blue};
        for (int i = 0; i < 6; ++i) out.text[i + 1] = "0123456789abcdef"[i % 2 == 0 ? parts[i / 2] / 16 : parts[i / 2] % 16];
        return out;
    }
    friend constexpr bool operator==(const Color&, const Color&) = default;
};

/// Up to this many values are told apart by hue; more are placed on a ramp of rising lightness.
inline constexpr int max_hues = 8;
/// The most colors of a ramp; more values than that share colors with their neighbors.
inline constexpr int max_colors = 128;

namespace detail {

/// Eight hues that stay apart for color-blind readers: the scheme "muted", light ones first.      [Tol 2021, SRON/EPS/TN/09-002]
inline constexpr Color hues[max_hues] = {{136, 204, 238}, {221, 204, 119}, {204, 102, 119}, {68, 170, 153},
                                         {51, 34, 136},   {136, 34, 85},   {17, 119, 51},   {170, 68, 153}};

/// Nine marks of the ramp viridis, even in perceived lightness, also without color.      [Smith and van der Walt 2015]
inline constexpr Color ramp[9] = {{68, 1, 84},    {71, 44, 122}, {59, 81, 139},  {44, 113, 142}, {33, 144, 141},
                                  {39, 173, 129}, {92, 200, 99}, {170, 220, 50}, {253, 231, 37}};

/// Between the marks, at `at` 256ths: whole numbers only, so that a picture is the same on every machine.
constexpr Color on_ramp(int at) noexcept
{
    const int mark = at / 256 < 7 ? at / 256 : 7, part = at - 256 * mark;
    const Color a = ramp[mark], b = ramp[mark + 1];
    const auto mix = [&](int x, int y) { return static_cast<std::uint8_t>((x * (256 - part) + y * part + 128) / 256); };
    return {mix(a.red, b.red), mix(a.green, b.green), mix(a.blue, b.blue)};
}

} // namespace detail

/// The number of different colors that `count` values are given.
constexpr int color_count(std::int64_t count) noexcept { return static_cast<int>(count < max_colors ? count : max_colors); }

/// Which of the `color_count(count)` colors value number `rank` of `count` has, counted from the least value that occurs.
///
/// @pre 0 ≤ rank < count ≤ 2^48
constexpr int color_index(std::int64_t rank, std::int64_t count) noexcept
{
    return static_cast<int>(count <= max_colors ? rank : rank * max_colors / count);
}

/// Color number `index` of `colors`: a separate hue where there are at most `max_hues`, otherwise a step of the ramp.
///
/// @pre 0 ≤ index < colors ≤ max_colors
constexpr Color cell_color(int index, int colors) noexcept
{
    return colors <= max_hues ? detail::hues[index] : detail::on_ramp(index * 2048 / (colors - 1));
}

/// Black or white, whichever reads better on the color: 4.58 : 1 at least, above the 4.5 : 1 of WCAG 2.1, 1.4.3 (AA).
///
/// The curve of sRGB is followed by a cubic in whole numbers, closely enough for every color of the palette.
constexpr Color text_color(Color on) noexcept
{
    const auto linear = [](std::int64_t c) {
        return c * (13 * 255 * 255 + c * (682 * 255 + c * 305)) / (255 * 255 * 255);
    }; // of 1000
    const std::int64_t luminance = 2126 * linear(on.red) + 7152 * linear(on.green) + 722 * linear(on.blue);
    return luminance > 179 * 10000 ? Color{0, 0, 0} : Color{255, 255, 255};
}

/// What is not a cell, for readers of light and of dark pages. Cells have the same colors on both.
struct Theme {
    Color paper; ///< behind everything
    Color ink;   ///< titles and numbers
    Color soft;  ///< captions, and the numbers along the edges; still 4.5 : 1 on the paper
    Color line;  ///< outlines of cells; 3 : 1 on the paper
    Color hole;  ///< hatching where nothing lives; 3 : 1 on the paper
};
inline constexpr Theme light_theme = {{255, 255, 255}, {27, 27, 27}, {90, 90, 90}, {136, 136, 136}, {140, 140, 140}};
inline constexpr Theme dark_theme = {{24, 26, 30}, {236, 236, 236}, {172, 175, 180}, {112, 114, 120}, {120, 122, 128}};

} // namespace v0
} // namespace axe

#endif
