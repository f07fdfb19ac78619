// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_AXIS_HPP
#define AXE_LAYOUT_AXIS_HPP

#include <axe/support/result.hpp>

#include <compare>

namespace axe {
inline namespace v0 {

#if defined(__clang__) && __clang_major__ < 15
namespace detail {
void this_is_not_the_name_of_an_axis(); // nowhere defined
} // namespace detail
#endif

/// The name of a hardware resource: `m` (linear memory, the default), `lane`, `warp`, `reg`, `cta`, `gpuid`, `P`, `F`, … or any
/// name of your own. There is no registry: two axes are one when their names are.      [Axe 2.3]
///
/// A name is a letter followed by up to 14 letters, digits, `_` or `.`. It is kept as two numbers that order as the text does, so
/// comparing costs two instructions; the value is structural, and `Axis{}` is `m`.
struct Axis {
    static constexpr int max_length = 15;

    /// The first and the last eight characters, first character highest; `high` is kept relative to `m`, so that `m` is all zeros.
    std::uint64_t high;
    std::uint64_t low;

    Axis() = default; // trivial, so that working memory costs nothing; Axis{} is m

    /// From a string literal, checked by the compiler: `Axis{"lane"}`.
    template <int N>
    consteval Axis(const char (&text)[N]) : Axis(literal(text, N - 1)) // NOLINT(google-explicit-constructor)
    {
    }

    /// From any text of the given length. `errc::bad_axis` with the offending character.
    static constexpr Result<Axis> make(const char* text, int length) noexcept
    {
        if (length < 1) return Error(errc::bad_axis, 0, "an axis needs a name, of 1 to 15 characters");
        if (length > max_length)
            return Error(errc::bad_axis, max_length, "the name of an axis has at most 15 characters, this one has {0}", length);
        Axis axis{};
        for (int i = 0; i < length; ++i) {
            const char c = text[i];
            const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
            const bool other = (c >= '0' && c <= '9') || c == '_' || c == '.';
            if (!letter && !(other && i > 0))
                return Error(errc::bad_axis, i,
                             "character {0} of the name of an axis must be a letter (past the first, also a digit, _ or .)", i);
            const auto code = static_cast<std::uint64_t>(static_cast<unsigned char>(c));
            (i < 8 ? axis.high : axis.low) |= code << (56 - 8 * (i % 8));
        }
        axis.high ^= memory_key;
        return axis;
    }

    /// Of a text that ends with a zero, and of a `std::string_view`, a `std::string`, an LLVM `StringRef` or whatever else has `data()` and
    /// `size()`.
    static constexpr Result<Axis> make(const char* text) noexcept
    {
        int length = 0;
        while (length <= max_name && text[length] != '\0') ++length;
        return make(text, length);
    }
    template <class Characters>
        requires requires(const Characters& c, const char*& to) { to = c.data(), c.size(); }
    static constexpr Result<Axis> make(const Characters& text) noexcept
    {
        const bool is_long = text.size() > std::uint64_t{max_name};
        return make(text.data(), is_long ? max_name : static_cast<int>(text.size()));
    }

    /// The name, zero-terminated.
    struct Name {
        char text[max_length + 1]{};
        [[nodiscard]] constexpr const char* c_str() const noexcept { return text; }
    };
    [[nodiscard]] constexpr Name name() const noexcept
    {
        Name out;
        const std::uint64_t words[2] = {high ^ memory_key, low};
        for (int i = 0; i < max_length; ++i) out.text[i] = static_cast<char>((words[i / 8] >> (56 - 8 * (i % 8))) & 0xff);
        return out;
    }

    AXE_HOST_DEVICE friend constexpr bool operator==(const Axis& a, const Axis& b) noexcept
    {
        return a.high == b.high && a.low == b.low;
    }
    /// Alphabetical order of the names (by character code).
    friend constexpr std::strong_ordering operator<=>(const Axis& a, const Axis& b) noexcept
    {
        const std::uint64_t x = a.high ^ memory_key, y = b.high ^ memory_key;
        return x != y ? x <=> y : a.low <=> b.low;
    }
    friend constexpr bool operator<(const Axis& a, const Axis& b) noexcept
    {
        const std::uint64_t x = a.high ^ memory_key, y = b.high ^ memory_key;
        return x != y ? x < y : a.low < b.low;
    }

  private:
    static constexpr int max_name = 1 << 30; ///< a text that is longer is as wrong

    static constexpr Axis literal(const char* text, int length)
    {
        const auto made = make(text, length);
#if defined(__clang__) && __clang_major__ < 15
        // It initializes an object at namespace scope when the program starts, where a consteval constructor fails: better not to link.
        if (!made) detail::this_is_not_the_name_of_an_axis();
#endif
        return made.value();
    }
    static constexpr std::uint64_t memory_key = std::uint64_t{'m'} << 56;
};

} // namespace v0
} // namespace axe

#endif
