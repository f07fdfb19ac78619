// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_TILE_INDEX_HPP
#define AXE_PROGRAM_TILE_INDEX_HPP

#include <axe/program/handles.hpp>

#include <initializer_list>
#include <type_traits>

/// What the functions of a scope take that choose tiles of views.
namespace axe {
inline namespace v0 {

/// Which tile of a grid of tiles: an index for each dimension, or one number that counts the tiles row-major. A number of the program, a
/// loop's counter, or whatever the run computes.
struct TileIndex {
    std::vector<Expression> values{};
    bool is_number = false; ///< one value, of all dimensions

    TileIndex(std::initializer_list<Expression> index) : values(index) {}               // NOLINT(google-explicit-constructor)
    TileIndex(std::vector<Expression> index) : values(std::move(index)) {}              // NOLINT(google-explicit-constructor)
    TileIndex(const std::vector<Affine>& index) : values(index.begin(), index.end()) {} // NOLINT(google-explicit-constructor)
    template <class Number, std::enable_if_t<std::is_convertible_v<const Number&, Expression>, int> = 0>
    TileIndex(const Number& number) : values{Expression(number)}, is_number(true) // NOLINT(google-explicit-constructor)
    {
    }
};

} // namespace v0
} // namespace axe

#endif
