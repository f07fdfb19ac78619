// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TENSOR_NPY_HEADER_HPP
#define AXE_TENSOR_NPY_HEADER_HPP

#include <axe/layout/shape.hpp>
#include <axe/tensor/dtype.hpp>
#include <axe/text/common/words.hpp>

#include <bit>
#include <optional>

/// The head of a .npy file: magic, version, length, and a dictionary in Python's notation.
///
///   93 "NUMPY" major minor length {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
///
/// The length has 2 bytes in version 1, 4 in versions 2 and 3, low byte first; it counts the dictionary and the blanks and the
/// newline after it.                                                                              [NumPy, numpy.lib.format]
namespace axe {
inline namespace v0 {
namespace detail {

struct NpyHeader {
    std::string descr{};
    bool fortran_order = false;
    Shape shape{};
};

inline constexpr std::string_view npy_magic{"\x93NUMPY", 6};
/// Longer headers describe records, which are not read.
inline constexpr std::int64_t longest_npy_header = 1 << 20;

/// What the start of the file says about the lengths.
struct NpyPrelude {
    int bytes = 0;         ///< of the prelude itself
    std::int64_t rest = 0; ///< of what follows it, up to the elements
};

inline Problem short_header(const std::string& path, std::int64_t bytes)
{
    return Problem(errc::bad_syntax, "{0} ends within its header, after {1} bytes", {path, bytes});
}

inline std::string in_hex(std::string_view bytes)
{
    constexpr const char* digits = "0123456789abcdef";
    std::string out;
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        if (!out.empty()) out += ' ';
        out += {digits[byte >> 4], digits[byte & 15]};
    }
    return out;
}

/// Reads magic, version and length from the first bytes of a file: 12 of them, or all that there are.
inline Result<NpyPrelude, Problem> read_npy_prelude(std::string_view head, const std::string& path)
{
    if (head.empty()) return Problem(errc::bad_syntax, "{0} is empty; a .npy file starts with 93 4e 55 4d 50 59", {path});
    if (head.substr(0, 4) == std::string_view("PK\3\4", 4))
        return Problem(errc::bad_syntax, "{0} is an archive (.npz), not a .npy file; unpack it and read its members", {path});
    const auto magic = head.substr(0, npy_magic.size());
    if (magic != npy_magic.substr(0, magic.size()))
        return Problem(errc::bad_syntax, "{0} is not a .npy file: it starts with {1}, not with 93 4e 55 4d 50 59",
                       {path, in_hex(magic)});
    const auto byte = [&](std::size_t i) { return static_cast<std::int64_t>(static_cast<unsigned char>(head[i])); };
    NpyPrelude out;
    if (head.size() >= 8) {
        const std::int64_t major = byte(6), minor = byte(7);
        if (major < 1 || major > 3 || minor != 0)
            return Problem(errc::bad_syntax, "{0} has version {1}.{2} of .npy; supported are 1.0, 2.0 and 3.0",
                           {path, major, minor});
        out.bytes = major == 1 ? 10 : 12;
    }
    if (head.size() < 8 || head.size() < static_cast<std::size_t>(out.bytes))
        return short_header(path, static_cast<std::int64_t>(head.size()));
    for (int i = out.bytes; i > 8; --i) out.rest = out.rest * 256 + byte(static_cast<std::size_t>(i - 1));
    if (out.rest > longest_npy_header)
        return Problem(errc::bad_syntax, "{0} has a header of {1} bytes; at most {2} are read",
                       {path, out.rest, longest_npy_header});
    return out;
}

/// Reads the dictionary: the three keys in any order, each once, and no other.
///
/// Of Python's notation only what occurs in such files: NumPy itself evaluates any literal, and so accepts (say) comments and
/// escapes that no writer makes. `refusal_` is a problem with its own text; without one, the character where reading
/// stopped is named.
class NpyHeaderReader {
  public:
    NpyHeaderReader(std::string_view text, const std::string& path) : text_(text), path_(path)
    {
        while (!text_.empty() && is_blank(text_.back())) text_.remove_suffix(1);
    }

    Result<NpyHeader, Problem> read()
    {
        bool seen[3]{};
        bool good = take('{');
        while (good && !take('}')) {
            std::string key;
            good = take_string(key) && take(':');
            if (!good) break;
            int which = 0;
            while (which < 3 && key != keys[which]) ++which;
            if (which == 3)
                return Problem(errc::bad_syntax, "{0}: the header has the key '{1}', which .npy does not have", {path_, key});
            if (seen[which]) return Problem(errc::bad_syntax, "{0}: the header has the key '{1}' twice", {path_, key});
            seen[which] = true;
            good = which == 0 ? take_descr() : which == 1 ? take_bool() : take_shape();
            if (good && !take(',')) {
                good = take('}');
                break;
            }
        }
        blanks();
        if (!refusal_.ok()) return refusal_;
        if (!good || at_ != text_.size())
            return Problem(errc::bad_syntax, "{0}: the header is not a dictionary of .npy: character {1} is not understood, in {2}",
                           {path_, at_, excerpt()});
        for (int which = 0; which < 3; ++which)
            if (!seen[which]) return Problem(errc::bad_syntax, "{0}: the header lacks the key '{1}'", {path_, keys[which]});
        return out_;
    }

  private:
    static constexpr const char* keys[3] = {"descr", "fortran_order", "shape"};

    static constexpr bool is_blank(char c) noexcept { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
    void blanks() noexcept
    {
        while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    }
    bool take(char c) noexcept
    {
        blanks();
        if (at_ >= text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    bool take_word(std::string_view word) noexcept
    {
        blanks();
        if (text_.substr(at_, word.size()) != word) return false;
        at_ += word.size();
        return true;
    }
    /// A string without escapes: keys and types need none.
    bool take_string(std::string& out)
    {
        blanks();
        const char quote = at_ < text_.size() ? text_[at_] : '\0';
        if (quote != '\'' && quote != '"') return false;
        std::size_t end = at_ + 1;
        while (end < text_.size() && text_[end] != quote && text_[end] >= ' ' && text_[end] < '\x7f' && text_[end] != '\\') ++end;
        if (end >= text_.size() || text_[end] != quote) return false;
        out = text_.substr(at_ + 1, end - at_ - 1);
        at_ = end + 1;
        return true;
    }
    bool take_descr()
    {
        blanks();
        if (at_ < text_.size() && text_[at_] == '[') {
            refusal_ =
                Problem(errc::bad_argument, "{0}: the elements are records, {1}; only plain numbers are read", {path_, excerpt()});
            return false;
        }
        return take_string(out_.descr);
    }
    bool take_bool() noexcept
    {
        out_.fortran_order = take_word("True");
        return out_.fortran_order || take_word("False");
    }
    bool take_number(std::int64_t& out)
    {
        blanks();
        const std::size_t start = at_;
        out = 0;
        for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
            if (!mul(out, std::int64_t{10}, out) || !add(out, std::int64_t{text_[at_] - '0'}, out)) {
                refusal_ = Problem(errc::overflow, "{0}: dimension {1} of the shape overflows 64 bits", {path_, out_.shape.size()});
                return false;
            }
        }
        if (at_ == start) return false;
        if (at_ < text_.size() && text_[at_] == 'L') ++at_; // as Python 2 wrote long integers
        return true;
    }
    /// A tuple of extents: (), (3,), (3, 4) or (3, 4,).
    bool take_shape()
    {
        if (!take('(')) return false;
        while (!take(')')) {
            std::int64_t extent = 0;
            if (!take_number(extent)) return false;
            if (extent == 0) {
                refusal_ = Problem(errc::bad_extent, "{0}: dimension {1} of the shape is 0; it must be at least 1",
                                   {path_, out_.shape.size()});
                return false;
            }
            if (!out_.shape.push_back(extent)) {
                refusal_ = Problem(errc::capacity, "{0}: the shape has more than {1} dimensions", {path_, max_rank});
                return false;
            }
            // One dimension needs its comma: (3) is a number in Python.
            if (!take(',')) return out_.shape.size() > 1 && take(')');
        }
        return true;
    }
    /// What is there, for a message: printable, and not all of it.
    [[nodiscard]] std::string excerpt() const
    {
        constexpr std::size_t longest = 60;
        const std::size_t from = at_ < text_.size() ? at_ : text_.size();
        std::string out;
        for (const char c : text_.substr(from, longest)) out += c >= ' ' && c < '\x7f' ? c : '?';
        return "\"" + out + (text_.size() - from > longest ? "…" : "") + "\"";
    }

    std::string_view text_;
    const std::string& path_;
    std::size_t at_ = 0;
    NpyHeader out_{};
    Problem refusal_{};
};

// ---- the types of elements ----------------------------------------------------------------------------------------------------

/// The type of a file's elements: a kind as NumPy writes it (f, i, u, b, V) and the bytes of one.
struct NpyType {
    char kind = '?';
    int bytes = 0;
    bool swapped = false; ///< the other byte order than this machine's

    [[nodiscard]] bool is_integer() const noexcept { return kind == 'i' || kind == 'u'; }
};

inline constexpr const char* npy_types_read = "f8, f4, f2, i8, i4, i2, i1, u8, u4, u2, u1, b1, V2, V1, f1";

/// The type of a `descr` such as <f4, >i2, |b1; without kind when it is not a supported type.
constexpr NpyType npy_type(std::string_view descr) noexcept
{
    NpyType out;
    if (descr.size() != 3) return out;
    const char order = descr[0], kind = descr[1], digit = descr[2];
    if (order != '<' && order != '>' && order != '|' && order != '=') return out;
    const bool known = kind == 'f'                  ? digit == '8' || digit == '4' || digit == '2' || digit == '1'
                       : kind == 'i' || kind == 'u' ? digit == '8' || digit == '4' || digit == '2' || digit == '1'
                       : kind == 'b'                ? digit == '1'
                       : kind == 'V'                ? digit == '2' || digit == '1'
                                                    : false;
    if (!known) return out;
    out.kind = kind;
    out.bytes = digit - '0';
    out.swapped = out.bytes > 1 && ((order == '>' && std::endian::native == std::endian::little) ||
                                    (order == '<' && std::endian::native == std::endian::big));
    return out;
}

/// The type that a file's elements become when none is asked for; V2 and V1 have none.
constexpr std::optional<DType> natural_dtype(const NpyType& type) noexcept
{
    switch (type.kind) {
    case 'f': return type.bytes == 8 ? DType::f64 : type.bytes == 4 ? DType::f32 : type.bytes == 2 ? DType::f16 : DType::e5m2;
    case 'i': return type.bytes == 2 ? DType::i16 : type.bytes == 1 ? DType::i8 : DType::i32;
    case 'u': return type.bytes == 1 ? DType::u8 : DType::i32;
    case 'b': return DType::b1;
    default: return {};
    }
}

/// May elements of the file be read as that type? Integers as integers, by value; else equally wide ones, bit by bit: the types
/// that NumPy does not have are written as V, or come as views on integers.
constexpr bool readable_as(const NpyType& type, DType dtype) noexcept
{
    if (natural_dtype(type) == dtype) return true;
    const bool whole = is_integer(dtype) || dtype == DType::b1;
    if (type.is_integer() && whole) return true;
    if (type.bytes != storage_bytes(dtype)) return false;
    switch (type.kind) {
    case 'V': return true;
    case 'u':
    case 'i': return is_float(dtype);
    case 'f': return (type.bytes == 1 && is_float(dtype)) || dtype == DType::tf32;
    default: return false;
    }
}

/// Is an element of the file, in this machine's byte order, an element of that type, whatever its bits are?
constexpr bool is_copy(const NpyType& type, DType dtype) noexcept
{
    if (type.bytes != storage_bytes(dtype) || dtype == DType::i4 || dtype == DType::b1) return false;
    return natural_dtype(type) == dtype || type.kind == 'V' || (is_float(dtype) && dtype != DType::tf32);
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
