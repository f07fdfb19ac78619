// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PICTURE_CELLS_HPP
#define AXE_PICTURE_CELLS_HPP

#include <axe/picture/banks.hpp>
#include <axe/picture/view.hpp>
#include <axe/text/print.hpp>

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

/// What a picture shows, before any of it is drawn: panels of cells, each with its color and its texts.
namespace axe {
inline namespace v0 {

struct PictureCell {
    enum class Kind : std::uint8_t {
        absent, ///< past the end of the last line of a wrapped panel
        hole,   ///< a place where nothing lives
        blank,  ///< a place that the picture says nothing about
        filled,
    };
    Kind kind = Kind::absent;
    /// More than one point of an element, element at a place, or lane at a word.
    bool several = false;
    /// What colors it.
    std::int64_t value = 0;
    /// A few short lines, separated by newlines.
    std::string label{};
    /// All of it in words; of long lists the first four, and how many there are.
    std::string tip{};
};

/// A row of numbers below a panel, one for each column.
struct PictureTally {
    std::string name{};
    std::vector<int> counts{};
    int worst = 0;
};

/// A grid of cells, row by row.
struct PicturePanel {
    std::string title{};
    std::string row_name{};
    std::string column_name{};
    std::vector<std::int64_t> rows{};    ///< the number of each row
    std::vector<std::int64_t> columns{}; ///< and of each column
    std::vector<PictureCell> cells{};
    std::vector<PictureTally> tallies{};

    [[nodiscard]] const PictureCell& at(std::size_t row, std::size_t column) const { return cells[row * columns.size() + column]; }
};

struct Picture {
    std::string title{};
    std::string layout{};   ///< its text
    std::string subtitle{}; ///< the rest of what is asked: the shape, or the access
    std::string color{};    ///< what the colors say: an axis, `bank` or `lane`
    std::string cell_key{}; ///< what the lines of a label are
    std::string corner{};   ///< what `several` means, where a cell is so
    /// The first line of a label is the cell's value.
    bool value_leads = false;
    std::vector<std::string> notes{};
    std::vector<std::int64_t> values{}; ///< those of the filled cells, ascending, each once
    std::vector<PicturePanel> panels{};
};

namespace detail {

/// Lists in a picture are shown up to this length; of longer ones the first item, or the first few, and how many there are.
inline constexpr int most_shown = 4;

template <class T>
std::string text_of(const T& value)
{
    if constexpr (std::is_integral_v<T>)
        return std::to_string(value);
    else
        return print(value).c_str();
}

/// "lane, reg and warp"
inline std::string listed(const std::vector<Axis>& axes)
{
    std::string out;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        if (i > 0) out += i + 1 < axes.size() ? ", " : " and ";
        out += text_of(axes[i]);
    }
    return out;
}

/// `(2,9) (3,9)`, and how many there are where `items` holds only the first.
inline std::string listed(const std::vector<std::string>& items, std::int64_t count)
{
    std::string out;
    for (const auto& item : items) out += (out.empty() ? "" : " ") + item;
    if (static_cast<std::int64_t>(items.size()) < count) out += " and more, " + text_of(count) + " in all";
    return out;
}

inline std::string text_of_tile(const Swizzled<Layout>& tile)
{
    return tile.swizzle.bits == 0 ? text_of(tile.layout) : text_of(tile);
}

/// The axis is the computed one: `bank`, where the layout has no axis of that name.
inline bool is_computed_bank(const Swizzled<Layout>& tile, const Axis& axis)
{
    return axis == Axis{"bank"} && !occurs(tile.layout, axis);
}

/// The bank of an element, of its first word where it is wider than one.
inline std::int64_t bank_of_element(const Swizzled<Layout>& tile, std::int64_t address)
{
    constexpr std::int64_t all_banks = bank_count * bank_bytes;
    return bank_of(floor_mod(address, all_banks) * floor_mod<std::int64_t>(tile.width, all_banks));
}

/// The numbers first, first + step, …
inline std::vector<std::int64_t> numbers(std::int64_t first, std::int64_t count, std::int64_t step = 1)
{
    std::vector<std::int64_t> out;
    for (std::int64_t i = 0; i < count; ++i) out.push_back(first + i * step);
    return out;
}

/// Enters the values of the filled cells.
inline void collect_values(Picture& picture)
{
    auto& values = picture.values;
    for (const auto& panel : picture.panels)
        for (const auto& cell : panel.cells)
            if (cell.kind == PictureCell::Kind::filled) values.push_back(cell.value);
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
}

inline Error too_many_cells() noexcept { return Error(errc::capacity, -1, "a picture has at most {0} cells", max_picture_cells); }
inline Error too_many_panels() noexcept
{
    return Error(errc::capacity, -1, "a picture has at most {0} panels", max_picture_panels);
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
