// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_SHARDING_NAME_HPP
#define AXE_INTEROP_SHARDING_NAME_HPP

#include <axe/support/result.hpp>

namespace axe {
inline namespace v0 {
namespace sharding {

/// The name of an axis of a mesh: 1 to 31 printable characters of ASCII other than quotes and the backslash.
///
/// Frameworks call mesh axes what they like (`fsdp`, `context_autoregressive`, `0`), so these are not names of Axe axes.
struct Name {
    static constexpr int max_length = 31;
    char text[max_length + 1];
    int size;

    Name() = default; // trivial, so that unused room costs nothing
    /// From a literal, checked by the compiler.
    template <int N>
    consteval Name(const char (&literal)[N]) : Name(make(literal, N - 1).value()) // NOLINT(google-explicit-constructor)
    {
    }

    /// From any text. `errc::bad_axis` with the offending character.
    static constexpr Result<Name> make(const char* characters, int length) noexcept
    {
        Result<Name> result;
        Name& name = *result;
        name.size = length;
        for (char& c : name.text) c = '\0';
        if (length < 1 || length > max_length)
            return Error(errc::bad_axis, max_length, "the name of a mesh axis has 1 to 31 characters, this one has {0}", length);
        for (int i = 0; i < length; ++i) {
            const char c = characters[i];
            if (c < ' ' || c > '~' || c == '"' || c == '\'' || c == '\\')
                return Error(errc::bad_axis, i, "character {0} of the name of a mesh axis is a quote, a backslash or not printable",
                             i);
            name.text[i] = c;
        }
        return result;
    }

    [[nodiscard]] constexpr const char* c_str() const noexcept { return text; }

    friend constexpr bool operator==(const Name& a, const Name& b) noexcept
    {
        bool same = a.size == b.size;
        for (int i = 0; same && i < a.size; ++i) same = a.text[i] == b.text[i];
        return same;
    }
};

namespace detail {

struct NumberedNames {
    Name names[32];
    consteval NumberedNames() noexcept : names{}
    {
        for (int n = 0; n < 32; ++n) {
            names[n] = Name("_axis_");
            if (n >= 10) names[n].text[names[n].size++] = static_cast<char>('0' + n / 10);
            names[n].text[names[n].size++] = static_cast<char>('0' + n % 10);
        }
    }
};
inline constexpr NumberedNames numbered_names;

} // namespace detail

/// The name that an axis gets where a framework only counts them, from 0 to 31: `_axis_0`, `_axis_1`, …, as XLA calls them on the way
/// to Shardy.
constexpr const Name& numbered_name(int number) noexcept { return detail::numbered_names.names[number]; }

} // namespace sharding
} // namespace v0
} // namespace axe

#endif
