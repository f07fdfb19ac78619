// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_DIMENSION_DIGITS_HPP
#define AXE_SCHEDULE_DIMENSION_DIGITS_HPP

#include <axe/layout/mixed_radix.hpp>
#include <axe/schedule/values.hpp>

#include <array>

namespace axe {
inline namespace v0 {
namespace detail {

/// A coordinate for each of a layout's axes, in the order of a list of them kept elsewhere.
using Coordinates = std::array<std::int64_t, Layout::max_axes>;

/// What the indices of one dimension of a tensor add to the coordinates. Indices beyond the dimension have places, too; what is there
/// is not touched.
struct DimensionDigits {
    /// What a step of a digit adds, on the axis with this number.
    struct Move {
        std::int64_t stride;
        int axis;
    };
    MixedRadix radix{}; ///< for the digits alone
    std::vector<Move> moves{};

    /// Adds what the index adds.
    void add(std::int64_t index, Coordinates& at) const
    {
        radix.for_each_digit(index, [&](int k, std::int64_t d) {
            const Move& move = moves[static_cast<std::size_t>(k)];
            std::int64_t& sum = at[static_cast<std::size_t>(move.axis)]; // far outside of a guarded view's tensor
            sum = limited_sum(sum, limited_product(d, move.stride));
        });
    }
    [[nodiscard]] Coordinates operator()(std::int64_t index) const
    {
        Coordinates at{};
        add(index, at);
        return at;
    }
};

/// How the places of a tile move when its first index in a dimension does.
struct TileMoves {
    Coordinates step{};     ///< each coordinate moves by multiples of this, all elements alike
    std::int64_t block = 0; ///< not 0: they do not move alike, as the tile crosses blocks of so many indices
};

/// The moves of the tile  first + step·k + [low, high]  of a dimension.
///
/// The digits below the largest product of extents W that divides `step` do not move. Above them, one digit moves linearly; of
/// several, all elements move alike iff the tile is in one block of W indices.
inline TileMoves tile_moves(const DimensionDigits& dimension, const Values& origin, std::int64_t low, std::int64_t high)
{
    TileMoves out;
    const auto& digits = dimension.radix.digits;
    if (origin.step == 0 || digits.empty()) return out;
    const auto move = [&](int k, std::int64_t by) {
        const auto& moves = dimension.moves[static_cast<std::size_t>(k)];
        std::int64_t& step = out.step[static_cast<std::size_t>(moves.axis)];
        step = std::gcd(step, limited_product(moves.stride, by));
    };
    int k = digits.size() - 1;
    while (k > 0 && origin.step % digits[k - 1].weight == 0) --k;
    const std::int64_t left = origin.step / digits[k].weight;
    if (k == 0) {
        move(k, left);
        return out;
    }
    const std::int64_t still = std::gcd(left, digits[k].extent), block = digits[k].weight * still;
    if (floor_div(origin.first + low, block) != floor_div(origin.first + high, block)) out.block = block;
    move(k, still);
    while (k-- > 0) move(k, 1);
    return out;
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
