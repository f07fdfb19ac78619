// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MACHINE_FIND_ROW_HPP
#define AXE_MACHINE_FIND_ROW_HPP

#include <iterator>
#include <string_view>

namespace axe {
inline namespace v0 {

/// The first row of that name, in an array or in `Tables`; null if none exists.
template <class Rows>
constexpr auto find_row(const Rows& rows, std::string_view name) noexcept -> decltype(&*std::begin(rows))
{
    for (const auto& row : rows)
        if (name == row.name) return &row;
    return nullptr;
}

} // namespace v0
} // namespace axe

#endif
