// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_DIMENSION_DIGITS_HPP
#define AXE_SCHEDULE_DIMENSION_DIGITS_HPP

#include <axe/schedule/values.hpp>

#include <array>

namespace axe {
inline namespace v0 {
namespace detail {

/// A coordinate for each of a layout's axes, in the order of a list of them kept elsewhere.
using Coordinates = std::array<std::int64_t, Layout::max_axes>;

/// A digit of a dimension, on the axis with this number.
struct PlacedDigit {
    std::int64_t extent, stride;
    int axis;
};

/// What the indices of one dimension of a tensor add to the coordinates: digits, outermost first. The outermost digit has no end, so
/// that indices beyond the dimension have places, too; what lies there is not touched.
struct DimensionDigits {
    std::vector<PlacedDigit> digits{};

    [[nodiscard]] Coordinates operator()(std::int64_t index) const
    {
        Coordinates at{};
        for (std::size_t k = digits.size(); k-- > 0;) {
            const PlacedDigit& d = digits[k];
            const std::int64_t above = k == 0 ? 0 : floor_quotient(index, d.extent);
            at[static_cast<std::size_t>(d.axis)] += (index - above * d.extent) * d.stride;
            index = above;
        }
        return at;
    }

    static std::int64_t floor_quotient(std::int64_t a, std::int64_t b) noexcept
    {
        return a / b - (a % b != 0 && (a < 0) != (b < 0));
    }
};

/// How the places of a tile move when its first index in a dimension does.
struct TileMoves {
    Coordinates step{};     ///< each coordinate moves by multiples of this, all elements alike
    std::int64_t block = 0; ///< not 0: they do not move alike, as the tile crosses blocks of so many indices
};

/// The moves of the tile  first + step·k + [low, high]  of a dimension.
///
/// The digits below the largest product of extents W that divides `step` stand still. Above them, one digit moves linearly; of
/// several, all elements move alike iff the tile lies in one block of W indices.
inline TileMoves tile_moves(const DimensionDigits& dimension, const Values& origin, std::int64_t low, std::int64_t high)
{
    TileMoves out;
    if (origin.step == 0 || dimension.digits.empty()) return out;
    const auto move = [&](const PlacedDigit& d, std::int64_t by) {
        std::int64_t& step = out.step[static_cast<std::size_t>(d.axis)];
        step = std::gcd(step, d.stride * by);
    };
    std::int64_t left = origin.step, block = 1; // step / block
    std::size_t k = dimension.digits.size() - 1;
    while (k > 0 && left % dimension.digits[k].extent == 0) {
        left /= dimension.digits[k].extent;
        block *= dimension.digits[k--].extent;
    }
    const PlacedDigit& moving = dimension.digits[k];
    if (k == 0) {
        move(moving, left);
        return out;
    }
    const std::int64_t still = std::gcd(left, moving.extent);
    block *= still;
    if (DimensionDigits::floor_quotient(origin.first + low, block) != DimensionDigits::floor_quotient(origin.first + high, block))
        out.block = block;
    move(moving, still);
    while (k-- > 0) move(dimension.digits[k], 1);
    return out;
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
