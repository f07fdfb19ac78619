// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Heads of .npy files: what `read_npy` reads and, since a copy needs no more than an element's width, any other type of NumPy's.
#include "relayout_npy.hpp"

#include <axe/tensor/npy_header.hpp>

#include <bit>
#include <charconv>

namespace axe_cli {
namespace {

using axe::errc;
using axe::Problem;
using axe::detail::worded;

constexpr bool is_little = std::endian::native == std::endian::little;

/// A type as NumPy writes it, <f4, |V12, <U5, <M8[ns]: order, kind, bytes (of U, characters of 4 bytes), unit.
struct TypeWord {
    char order = '|', kind = '?';
    std::int64_t bytes = 0; ///< 0: it is none, or has none (objects)
};
TypeWord type_word(std::string_view text)
{
    TypeWord out;
    if (text.size() < 2) return out;
    if (std::string_view("<>|=").find(text[0]) != std::string_view::npos) {
        out.order = text[0];
        text.remove_prefix(1);
    }
    out.kind = text[0];
    text.remove_prefix(1);
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), out.bytes);
    const bool has_unit =
        (out.kind == 'M' || out.kind == 'm') && end != text.data() + text.size() && *end == '[' && text.back() == ']';
    const bool is_whole = end == text.data() + text.size() || has_unit;
    if (failed != std::errc() || !is_whole || out.bytes < 0 || out.bytes > (1 << 20)) out.bytes = 0;
    if (std::string_view("fiubcVSUMm").find(out.kind) == std::string_view::npos) out.bytes = 0;
    if (out.kind == 'U') out.bytes *= 4;
    return out;
}

/// Counts the bytes of a record:  [('name', type), ('name', type, (3, 2)), …],  a type being a word or again a list.
class RecordReader {
  public:
    explicit RecordReader(std::string_view text) : text_(text) {}

    /// From the bracket on; where the list ends, `end()` is the character after it.
    bool read(std::int64_t& bytes)
    {
        bytes = 0;
        if (++depth_ > 32 || !take('[')) return false;
        while (!take(']')) {
            std::int64_t field = 0;
            if (!read_field(field) || !axe::detail::add(bytes, field, bytes)) return false;
            if (!take(',')) {
                if (!take(']')) return false;
                break;
            }
        }
        --depth_;
        return true;
    }
    [[nodiscard]] std::size_t end() const noexcept { return at_; }

  private:
    bool take(char c)
    {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
        if (at_ >= text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    bool read_string(std::string_view& out)
    {
        const char quote = take('\'') ? '\'' : take('"') ? '"' : '\0';
        if (quote == '\0') return false;
        const std::size_t begin = at_;
        while (at_ < text_.size() && text_[at_] != quote) at_ += text_[at_] == '\\' ? 2 : 1;
        if (at_ >= text_.size()) return false;
        out = text_.substr(begin, at_++ - begin);
        return true;
    }
    bool read_field(std::int64_t& bytes)
    {
        std::string_view word;
        if (!take('(')) return false;
        if (take('(')) { // a title and a name
            if (!read_string(word) || !take(',') || !read_string(word) || !take(')')) return false;
        } else if (!read_string(word)) {
            return false;
        }
        if (!take(',')) return false;
        if (at_ < text_.size() && take('[')) {
            --at_;
            if (!read(bytes)) return false;
        } else {
            if (!read_string(word)) return false;
            bytes = type_word(word).bytes;
            if (bytes == 0 && word.find('0') == std::string_view::npos) return false;
        }
        if (take(')')) return true;
        if (!take(',') || !take('(')) return false;
        while (!take(')')) {
            std::int64_t extent = 0;
            while (at_ < text_.size() && text_[at_] == ' ') ++at_;
            const auto [end, failed] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), extent);
            if (failed != std::errc() || extent < 0 || !axe::detail::mul(bytes, extent, bytes)) return false;
            at_ = static_cast<std::size_t>(end - text_.data());
            if (!take(',') && !(take(')') && at_-- > 0)) return false;
        }
        take(',');
        return take(')');
    }

    std::string_view text_;
    std::size_t at_ = 0;
    int depth_ = 0;
};

/// Replaces the list of a record by the type of as many bytes, so that the library reads the rest; the list goes into `record`.
bool take_record(std::string& dictionary, std::string& record)
{
    std::size_t at = dictionary.find("'descr'");
    if (at == std::string::npos) return true;
    at = dictionary.find_first_not_of(": ", at + 7);
    if (at == std::string::npos || dictionary[at] != '[') return true;
    RecordReader reader(std::string_view(dictionary).substr(at));
    std::int64_t bytes = 0;
    if (!reader.read(bytes)) return false;
    record = dictionary.substr(at, reader.end());
    dictionary.replace(at, reader.end(), "'|V" + std::to_string(bytes) + "'");
    return true;
}

/// The type whose values the elements are; i8, u8, u4, u2 have none: `read_npy` only takes those of their values that fit another.
std::optional<axe::DType> type_of(std::string_view descr)
{
    const auto type = axe::detail::npy_type(descr);
    const auto natural = axe::detail::natural_dtype(type);
    if (!natural || storage_bytes(*natural) != type.bytes || (type.kind == 'u' && type.bytes > 1)) return {};
    return natural;
}

} // namespace

std::string NpyFile::type_words() const
{
    if (descr.starts_with("[")) return "records of " + std::to_string(width) + " bytes";
    return descr.size() > 2 ? descr.substr(1, descr.size() - 2) : descr;
}

std::string NpyFile::content_words() const { return (descr.starts_with("[") ? "" : "elements of the type ") + type_words(); }

axe::Result<NpyFile, axe::Problem> read_npy_file(std::string_view file, const std::string& path)
{
    const auto prelude = axe::detail::read_npy_prelude(file.substr(0, 12), path);
    if (!prelude) return prelude.error();
    NpyFile out;
    out.start = prelude->bytes + prelude->rest;
    if (static_cast<std::int64_t>(file.size()) < out.start)
        return Problem(errc::bad_syntax, worded("{0} ends within its header, after {1} bytes", {path, file.size()}));
    std::string dictionary(file.substr(static_cast<std::size_t>(prelude->bytes), static_cast<std::size_t>(prelude->rest)));
    std::string record;
    if (!take_record(dictionary, record))
        return Problem(errc::bad_syntax, worded("{0}: the fields of its records are not understood", {path}));
    const auto header = axe::detail::NpyHeaderReader(dictionary, path).read();
    if (!header) return header.error();

    const TypeWord word = type_word(header->descr);
    if (word.kind == 'O') return Problem(errc::bad_argument, worded("{0} has Python objects, which have no layout", {path}));
    if (word.bytes == 0)
        return Problem(errc::bad_argument,
                       worded("{0} has elements of the type '{1}', whose bytes cannot be told", {path, header->descr}));
    out.descr = record.empty() ? "'" + header->descr + "'" : record;
    out.shape = header->shape;
    out.is_fortran = header->fortran_order && header->shape.size() > 1;
    out.width = word.bytes;
    out.kind = word.kind;
    out.swapped = word.bytes > 1 && word.order == (is_little ? '>' : '<');
    if (record.empty()) out.type = type_of(header->descr);

    const auto elements = volume(out.shape);
    if (!elements || !axe::detail::mul(*elements, out.width, out.bytes))
        return Problem(errc::overflow, worded("{0}: the elements of its shape take more bytes than 64 bits count", {path}));
    out.elements = *elements;
    if (const auto has = static_cast<std::int64_t>(file.size()) - out.start; has != out.bytes)
        return Problem(errc::size_mismatch,
                       worded("{0}: {1} elements of {2} bytes take {3} bytes after the {4} of the header, not {5}",
                              {path, out.elements, out.width, out.bytes, out.start, has}));
    return out;
}

std::string npy_head(const std::string& descr, const axe::Shape& shape)
{
    std::string header = "{'descr': " + descr + ", 'fortran_order': False, 'shape': (";
    for (int d = 0; d < shape.size(); ++d) {
        header += std::to_string(shape[d]);
        if (d + 1 < shape.size()) header += ", ";
        if (shape.size() == 1) header += ',';
    }
    header += "), }";
    const bool is_long = header.size() + 64 > 0xffff; // then the length takes 4 bytes, in version 2
    const std::size_t prelude = is_long ? 12 : 10;
    header.append(63 - (header.size() + prelude) % 64, ' ');
    header += '\n';
    std::string head(axe::detail::npy_magic);
    head += {is_long ? '\2' : '\1', '\0'};
    for (std::size_t i = 0, n = header.size(); i < prelude - 8; ++i, n >>= 8) head += static_cast<char>(n & 0xff);
    return head + header;
}

std::string npy_descr(axe::DType type)
{
    static constexpr const char* names[axe::dtype_count] = {"f8", "f4", "f4", "f2", "V2", "V2", "V1", "V1", "V1", "V1",
                                                            "V1", "V1", "V1", "i4", "i2", "i1", "u1", "V1", "b1"};
    const char order = storage_bytes(type) == 1 ? '|' : is_little ? '<' : '>';
    return "'" + std::string(1, order) + names[static_cast<int>(type)] + "'";
}

} // namespace axe_cli
