// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_STRIDES_ONEDNN_TAG_HPP
#define AXE_INTEROP_STRIDES_ONEDNN_TAG_HPP

#include <axe/text/common/reader.hpp>
#include <axe/text/text.hpp>

namespace axe {
inline namespace v0 {

/// oneDNN's memory formats by their tags: `nchw`, `nChw16c`, `OIhw4i16o4i`, `aBcd8b`, `axb`.
namespace onednn {

inline constexpr int max_dims = 12; ///< DNNL_MAX_NDIMS
inline constexpr int max_blocks = 12;

/// One block: `size` elements of a dimension.
struct Block {
    int dim = 0;
    std::int64_t size = 1;
    friend constexpr bool operator==(const Block&, const Block&) = default;
};

/// A format: the dimensions from the outermost to the innermost, then the blocks inside them all.
struct Tag {
    InlineVector<int, max_dims> order{};
    InlineVector<Block, max_blocks> blocks{};

    friend constexpr bool operator==(const Tag&, const Tag&) = default;
};

/// Is each dimension once in the order, and every block of one of them and of size 2 or more?
constexpr Status check(const Tag& tag) noexcept
{
    if (tag.order.overfull() || tag.blocks.overfull() || tag.order.empty())
        return Error(errc::capacity, -1, "a format tag has 1 to {0} dimensions and at most {1} blocks", max_dims, max_blocks);
    bool seen[max_dims]{};
    for (int i = 0; i < tag.order.size(); ++i) {
        const int d = tag.order[i];
        if (d < 0 || d >= tag.order.size() || seen[d])
            return Error(errc::bad_argument, i,
                         "place {0} of the order names dimension {1}, which does not exist or is already named", i, d);
        seen[d] = true;
    }
    for (int i = 0; i < tag.blocks.size(); ++i) {
        const Block& b = tag.blocks[i];
        if (b.dim < 0 || b.dim >= tag.order.size() || b.size < 2)
            return Error(errc::bad_argument, i,
                         "block {0} has dimension {1} and size {2}; the dimension must exist, and the size be at least 2", i, b.dim,
                         b.size);
    }
    return {};
}

namespace detail {

constexpr bool is_upper(char c) noexcept { return c >= 'A' && c <= 'Z'; }
constexpr char lower(char c) noexcept { return is_upper(c) ? static_cast<char>(c + ('a' - 'A')) : c; }

/// The letters of oneDNN's names in the order of the logical dimensions: activations, weights, recurrent networks. Letters that a
/// tag leaves out are left out of the dimensions. With an `a` it is dimension by dimension.
constexpr const char* letters_of(const char* text, int begin, int end) noexcept
{
    const auto has = [&](char letter) {
        for (int i = begin; i < end; ++i)
            if (lower(text[i]) == letter) return true;
        return false;
    };
    if (has('a') || (has('x') && end - begin == 1)) return "abcdefghijkl";
    if (has('l')) return has('n') ? "ldnc" : "ldigo";
    if (has('t')) return "tnc";
    return has('n') ? "ncdhw" : "goidhw";
}

constexpr int place_of(const char* letters, char c) noexcept
{
    for (int i = 0; letters[i] != '\0'; ++i)
        if (letters[i] == c) return i;
    return -1;
}

} // namespace detail

/// Reads a tag.
///
///   tag   := letter { letter } { size letter }     the dimensions, outermost first, then the blocks
///
/// A dimension with blocks is written in capitals, and only such a one. Letters are `a` to `l` for dimensions 0 to 11, where `x` stands
/// for all that have no letter (`rank` then says how many there are); or those of oneDNN's names: n c d h w for activations,
/// g o i d h w for weights, t n c, l d n c and l d i g o for recurrent ones. `errc::bad_syntax` with the character.
constexpr Result<Tag> parse_tag(TextView given, int rank = -1) noexcept
{
    using axe::detail::Reader;
    Result<Tag> result;
    Tag& tag = *result;
    Reader in(given);
    const char* const text = in.text;
    const int length = in.length;
    in.peek();
    const int begin = in.at;
    while (in.at < length && Reader::is_letter(text[in.at])) ++in.at;
    const int end = in.at;
    const auto wrong = [&](int at, const char* words) {
        in.fail(errc::bad_syntax, at, words);
        return in.error;
    };
    if (begin == end) return wrong(begin, "expected the letter of a dimension at character {0}");
    const char* const letters = detail::letters_of(text, begin, end);
    const bool plain = letters[0] == 'a';

    // The dimensions that have a letter, and where.
    int where[max_dims];
    for (int& w : where) w = -1;
    int rest = -1, named = 0;
    const auto again = [&](int i) { return wrong(i, "the letter at character {0} is already used"); };
    for (int i = begin; i < end; ++i) {
        const char c = detail::lower(text[i]);
        if (plain && text[i] == 'x') {
            if (rest >= 0) return again(i);
            rest = i;
            continue;
        }
        const int d = detail::place_of(letters, c);
        if (d < 0) return wrong(i, "the letter at character {0} names no dimension");
        if (where[d] >= 0) return again(i);
        where[d] = i;
        ++named;
    }
    int number[max_dims]{}; // of the dimension of each letter
    for (int d = 0, next = 0; d < max_dims; ++d) {
        number[d] = where[d] >= 0 ? next++ : -1;
        if (plain && where[d] >= 0 && d >= named) return wrong(where[d], "the letter at character {0} skips an earlier letter");
    }
    int others = 0;
    if (rest >= 0) {
        // A lone x is a.
        others = rank >= 0 ? rank - named : named == 0 ? 1 : -1;
        if (others < 0)
            return wrong(rest, "x at character {0} stands for the dimensions without a letter; their number needs a shape");
        if (named + others > max_dims) return wrong(rest, "x at character {0} makes more than 12 dimensions");
    }

    bool blocked[max_dims]{};
    while (in.error.ok() && Reader::is_digit(in.peek())) {
        const int at = in.at;
        std::int64_t size = 0;
        if (!in.integer(size, "expected the size of a block at character {0}")) return in.error;
        if (size < 2) return wrong(at, "the block at character {0} must have a size of 2 or more");
        const int d = in.at < length && !detail::is_upper(text[in.at]) ? detail::place_of(letters, text[in.at]) : -1;
        if (d < 0 || where[d] < 0)
            return wrong(in.at, "expected the lowercase letter of one of the tag's dimensions at character {0}");
        if (!detail::is_upper(text[where[d]]))
            return wrong(where[d], "the dimension at character {0} has blocks; it must be a capital letter");
        blocked[d] = true;
        if (!tag.blocks.push_back({number[d], size}))
            return wrong(at, "the block at character {0} is one too many; a tag has at most 12");
        ++in.at;
    }
    if (!in.finish("expected a block or the end of the tag at character {0}")) return in.error;
    for (int i = begin; i < end; ++i) {
        if (i == rest) {
            for (int k = 0; k < others; ++k) tag.order.push_back(named + k);
            continue;
        }
        const int d = detail::place_of(letters, detail::lower(text[i]));
        if (detail::is_upper(text[i]) && !blocked[d])
            return wrong(i, "the dimension at character {0} is a capital letter, but has no block");
        tag.order.push_back(number[d]);
    }
    if (tag.order.empty()) return wrong(rest, "x at character {0} stands for no dimension");
    return result;
}

/// The text of a tag that `check` passes: `aBcd16b`; with the letters of the dimensions given, `print(tag, "nchw")`: `nChw16c`.
constexpr Text<max_dims + max_blocks * 21> print(const Tag& tag, const char* letters = "abcdefghijkl") noexcept
{
    Text<max_dims + max_blocks * 21> out;
    int count = 0;
    while (letters[count] != '\0') ++count;
    if (count < tag.order.size()) letters = "abcdefghijkl";
    for (int d : tag.order) {
        bool blocked = false;
        for (const Block& b : tag.blocks) blocked = blocked || b.dim == d;
        out.put(blocked ? static_cast<char>(letters[d] - ('a' - 'A')) : letters[d]);
    }
    for (const Block& b : tag.blocks) {
        out.put_number(b.size);
        out.put(letters[b.dim]);
    }
    return out;
}

} // namespace onednn
} // namespace v0
} // namespace axe

#endif
