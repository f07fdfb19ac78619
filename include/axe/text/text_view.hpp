// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TEXT_TEXT_VIEW_HPP
#define AXE_TEXT_TEXT_VIEW_HPP

#include <axe/support/config.hpp>

namespace axe {
inline namespace v0 {

/// The characters that a `parse_…` function reads: made of a `std::string_view`, a `std::string`, a string literal, an LLVM `StringRef`,
/// or whatever else has `data()` and `size()`; or of a pointer and a length, `parse_layout({text, length})`.
///
/// It takes the place of `std::string_view` in the signatures, whose header costs more to compile than all of the algebra's text.
struct TextView {
    static constexpr int too_long = -1; ///< the size of a text of 2^31 characters or more, which is rejected with `errc::capacity`

    const char* text = "";
    int size = 0;

    /// Of a text that ends with a zero.
    constexpr TextView(const char* characters) noexcept : text(characters) // NOLINT(google-explicit-constructor)
    {
        while (size >= 0 && text[size] != '\0') size = size == 0x7fffffff ? too_long : size + 1;
    }
    constexpr TextView(const char* characters, int count) noexcept : text(characters), size(count) {}
    template <class Characters>
        requires requires(const Characters& c, const char*& to) { to = c.data(), c.size(); }
    constexpr TextView(const Characters& characters) noexcept // NOLINT(google-explicit-constructor)
        : text(characters.data()), size(characters.size() > 0x7fffffffU ? too_long : static_cast<int>(characters.size()))
    {
    }
};

} // namespace v0
} // namespace axe

#endif
