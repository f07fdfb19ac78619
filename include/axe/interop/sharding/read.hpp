// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_SHARDING_READ_HPP
#define AXE_INTEROP_SHARDING_READ_HPP

#include <axe/interop/sharding/errors.hpp>
#include <axe/interop/sharding/spec.hpp>
#include <axe/text/common/reader.hpp>
#include <axe/text/text.hpp>

/// What the readers and printers of this folder share.
namespace axe {
inline namespace v0 {
namespace sharding {

/// A text of a spec or a mesh: room for the longest, which is a spec that lists the 256 devices of its mesh.
using SpecText = Text<12288>;

namespace detail {

/// A word of letters, if it comes next: nothing is read otherwise.
constexpr bool accept_word(Reader& in, const char* spelling) noexcept
{
    if (!in.error.ok()) return false;
    in.peek();
    int i = in.at;
    for (; *spelling != '\0'; ++spelling, ++i)
        if (i >= in.length || in.text[i] != *spelling) return false;
    const bool goes_on = i < in.length && (Reader::is_letter(in.text[i]) || Reader::is_digit(in.text[i]) || in.text[i] == '_');
    if (goes_on) return false;
    in.at = i;
    return true;
}

/// Characters, if they come next, whatever follows.
constexpr bool accept_all(Reader& in, const char* characters) noexcept
{
    if (!in.error.ok()) return false;
    in.peek();
    int i = in.at;
    for (; *characters != '\0'; ++characters, ++i)
        if (i >= in.length || in.text[i] != *characters) return false;
    in.at = i;
    return true;
}

/// A number of at least 1.
constexpr bool read_size(Reader& in, std::int64_t& out, const char* words) noexcept
{
    in.peek();
    const int where = in.at;
    return in.integer(out, words) &&
           (out >= 1 || in.fail(errc::bad_extent, where, "the number at character {0} is {1}; it must be at least 1", out));
}

/// A name between quotes of one kind.
constexpr bool read_quoted(Reader& in, Name& out, const char* words) noexcept
{
    if (!in.error.ok()) return false;
    const char quote = in.peek();
    if (quote != '"' && quote != '\'') return in.expected(words);
    const int start = ++in.at;
    while (in.at < in.length && in.text[in.at] != quote) ++in.at;
    if (in.at >= in.length) return in.expected("expected the quote that ends the name at character {0}");
    const auto made = Name::make(in.text + start, in.at - start);
    if (!made)
        return in.fail(errc::bad_axis, start, "the name at character {0} is empty, longer than 31 characters, or not printable");
    out = *made;
    ++in.at;
    return true;
}

/// A quoted name of an axis of the mesh.
constexpr bool read_axis(Reader& in, const Mesh& mesh, int& out) noexcept
{
    Name name{};
    in.peek();
    const int where = in.at;
    if (!read_quoted(in, name, "expected the name of a mesh axis in quotes at character {0}")) return false;
    out = find_axis(mesh, name);
    return out >= 0 || in.fail(errc::unknown_axis, where, "the mesh has no axis of the name at character {0}");
}

/// Appends, or says that there are too many.
template <class T, int N>
constexpr bool keep(Reader& in, InlineVector<T, N>& list, const T& item) noexcept
{
    return list.push_back(item) || in.fail(errc::capacity, in.at, "the list at character {0} has more than {1} items", N);
}

template <int N>
constexpr void put_name(Text<N>& out, char quote, const Name& name) noexcept
{
    out.put(quote);
    out.put(name.c_str());
    out.put(quote);
}

/// Does the part of each dimension name whole axes, so that frameworks without sub-axes can say it?
constexpr Status check_whole(const Spec& spec, const char* words) noexcept
{
    for (int d = 0; d < spec.rank(); ++d)
        for (int i = spec.begin(d); i < spec.end(d); ++i) {
            const Part& part = spec.parts[i];
            if (part.stays()) return parts_stay(d, part.size);
            if (part.size != spec.mesh.axes[part.axis].size) return Error(errc::no_layout, d, words, d, part.size, part.axis);
        }
    for (const Unreduced& u : spec.unreduced)
        if (u.part.size != spec.mesh.axes[u.part.axis].size) return Error(errc::no_layout, -1, words, -1, u.part.size, u.part.axis);
    return {};
}

} // namespace detail

} // namespace sharding
} // namespace v0
} // namespace axe

#endif
