// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TENSOR_IMPL_NPY_HPP
#define AXE_TENSOR_IMPL_NPY_HPP

#include <axe/tensor/file.hpp>
#include <axe/tensor/npy.hpp>
#include <axe/tensor/npy_header.hpp>

#include <array>

namespace axe {
inline namespace v0 {
namespace detail {

/// One element as the file has it, its bytes in this machine's order.
inline std::uint64_t npy_word(const std::byte* from, const NpyType& type) noexcept
{
    std::byte bytes[8]{};
    for (int i = 0; i < type.bytes; ++i) bytes[i] = from[type.swapped ? type.bytes - 1 - i : i];
    if (type.bytes == 1) return static_cast<std::uint64_t>(bytes[0]);
    if (type.bytes == 2) return std::bit_cast<std::uint16_t>(std::array<std::byte, 2>{bytes[0], bytes[1]});
    std::uint32_t word = 0;
    std::memcpy(&word, bytes, sizeof word);
    if (type.bytes == 4) return word;
    std::uint64_t wide = 0;
    std::memcpy(&wide, bytes, sizeof wide);
    return wide;
}

/// The bits of one element as the array has it; false when the type does not have its value.
inline bool npy_element(std::uint64_t word, const NpyType& type, DType dtype, std::uint64_t& out) noexcept
{
    out = word;
    if (type.is_integer() && (is_integer(dtype) || dtype == DType::b1)) {
        const int unused = 64 - 8 * type.bytes;
        const auto value = static_cast<std::int64_t>(word << unused) >> unused;
        const bool beyond = type.kind == 'u' && type.bytes == 8 && value < 0;
        const std::int64_t exact = type.kind == 'i' ? value : static_cast<std::int64_t>(word);
        out = integer_code(dtype, exact);
        return !beyond && exact >= lowest_integer(dtype) && exact <= highest_integer(dtype);
    }
    switch (dtype) {
    case DType::b1: return word <= 1;
    case DType::i4: out = word & 0xf; return word <= 0xf || word >= 0xf8; // as four bits, or extended to the byte
    case DType::tf32: return (word & 0x1fff) == 0;
    default: return true;
    }
}

inline std::string npy_value(std::uint64_t word, const NpyType& type)
{
    const int unused = 64 - 8 * type.bytes;
    if (type.kind == 'i') return std::to_string(static_cast<std::int64_t>(word << unused) >> unused);
    return std::to_string(word);
}

/// Goes through the elements in row-major order, giving for each its place in a file in Fortran order, where the first dimension is
/// the fastest.
class FortranOrder {
  public:
    explicit FortranOrder(const Shape& shape) : shape_(shape)
    {
        std::int64_t stride = 1;
        stride_.count = index_.count = shape.size();
        for (int d = 0; d < shape.size(); ++d) {
            stride_[d] = stride;
            index_[d] = 0;
            stride *= shape[d];
        }
    }
    [[nodiscard]] std::int64_t place() const noexcept { return place_; }
    void next() noexcept
    {
        for (int d = shape_.size() - 1; d >= 0; --d) {
            place_ += stride_[d];
            if (++index_[d] < shape_[d]) return;
            place_ -= stride_[d] * shape_[d];
            index_[d] = 0;
        }
    }

  private:
    Shape shape_, stride_{};
    Coord index_{};
    std::int64_t place_ = 0;
};

/// The elements as a file has them, turned into an array.
inline Result<void, Problem> convert_npy(const std::byte* from, const NpyType& type, bool fortran, Array& to,
                                         const std::string& path)
{
    FortranOrder order(to.shape());
    for (std::int64_t i = 0; i < to.size(); ++i, order.next()) {
        const std::int64_t place = fortran ? order.place() : i;
        const std::uint64_t word = npy_word(from + place * type.bytes, type);
        std::uint64_t element = 0;
        if (!npy_element(word, type, to.dtype(), element))
            return Problem(errc::out_of_domain, "{0}: element {1} is {2}, which {3} does not have",
                           {path, i, npy_value(word, type), name(to.dtype())});
        to.set_bits(i, element);
    }
    return {};
}

/// `want` bytes, unless the file ends before: the number of those read, −1 when the system fails.
inline std::int64_t read_bytes(std::FILE* file, void* to, std::int64_t want) noexcept
{
    const auto got = static_cast<std::int64_t>(std::fread(to, 1, static_cast<std::size_t>(want), file));
    return got < want && std::ferror(file) != 0 ? -1 : got;
}

} // namespace detail

AXE_DECL Result<Array, Problem> read_npy(const std::string& path, std::optional<DType> as)
{
    using detail::worded;
    auto input = detail::open_file(path);
    if (!input) return input.error();
    std::FILE* const file = input->handle.get();
    const auto unreadable = [&] { return Problem(errc::bad_argument, "{0} cannot be read: {1}", {path, std::strerror(errno)}); };

    // The header: first what tells its length.
    char head[12];
    std::int64_t got = detail::read_bytes(file, head, 10);
    if (got == 10 && head[6] != 1) {
        const std::int64_t more = detail::read_bytes(file, head + 10, 2);
        got = more < 0 ? more : got + more;
    }
    if (got < 0) return unreadable();
    const auto prelude = detail::read_npy_prelude({head, static_cast<std::size_t>(got)}, path);
    if (!prelude) return prelude.error();
    std::string dictionary(static_cast<std::size_t>(prelude->rest), '\0');
    got = detail::read_bytes(file, dictionary.data(), prelude->rest);
    if (got < 0) return unreadable();
    if (got < prelude->rest) return detail::short_header(path, prelude->bytes + got);
    const auto header = detail::NpyHeaderReader(dictionary, path).read();
    if (!header) return header.error();

    // The types.
    const auto type = detail::npy_type(header->descr);
    if (type.kind == '?')
        return Problem(errc::bad_argument, "{0} has elements of the type '{1}'; supported are {2}, in either byte order",
                       {path, header->descr, detail::npy_types_read});
    const auto dtype = as ? as : detail::natural_dtype(type);
    if (!dtype)
        return Problem(errc::bad_argument, "{0} has elements of the type '{1}', bits without a meaning; name the type to read",
                       {path, header->descr});
    if (!detail::readable_as(type, *dtype))
        return Problem(errc::bad_argument, "{0} has elements of the type '{1}', which cannot be read as {2} without conversion",
                       {path, header->descr, name(*dtype)});

    // The elements.
    const auto elements = volume(header->shape);
    std::int64_t bytes = 0;
    if (!elements || !detail::mul(*elements, std::int64_t{type.bytes}, bytes))
        return Problem(errc::overflow, "{0}: the elements of its shape take more bytes than 64 bits count", {path});
    const std::int64_t start = prelude->bytes + prelude->rest;
    const auto wrong_size = [&](const std::string& has) {
        return Problem(errc::size_mismatch, "{0}: {1} elements of type '{2}' take {3} bytes after the {4} of the header, not {5}",
                       {path, *elements, header->descr, bytes, start, has});
    };
    // Before memory is asked for: a broken header may want any amount.
    if (input->bytes >= 0 && input->bytes - start != bytes) return wrong_size(std::to_string(input->bytes - start));
    auto out = Array::make(header->shape, *dtype);
    if (!out) return out.error();
    const bool as_it_is = !type.swapped && !(header->fortran_order && header->shape.size() > 1) && detail::is_copy(type, *dtype);
    Array raw;
    if (!as_it_is) {
        auto made = Array::make({bytes}, DType::u8);
        if (!made) return made.error();
        raw = std::move(*made);
    }
    std::byte* const to = as_it_is ? out->data() : raw.data();
    got = detail::read_bytes(file, to, bytes);
    if (got < 0) return unreadable();
    if (got < bytes) return wrong_size(std::to_string(got));
    if (std::fgetc(file) != EOF) return wrong_size(worded("{0} or more", {bytes + 1}));
    if (!as_it_is)
        if (auto e = detail::convert_npy(raw.data(), type, header->fortran_order, *out, path); !e.ok()) return e;
    return out;
}

AXE_DECL Result<void, Problem> write_npy(const std::string& path, const Array& array)
{
    static constexpr const char* descr[dtype_count] = {"f8", "f4", "f4", "f2", "V2", "V2", "V1", "V1", "V1", "V1",
                                                       "V1", "V1", "V1", "i4", "i2", "i1", "u1", "V1", "b1"};
    const char order = storage_bytes(array.dtype()) == 1 ? '|' : std::endian::native == std::endian::little ? '<' : '>';
    std::string header = detail::worded("{'descr': '{0}{1}', 'fortran_order': False, 'shape': (",
                                        {std::string(1, order), descr[static_cast<int>(array.dtype())]});
    for (int d = 0; d < array.rank(); ++d) {
        header += std::to_string(array.shape()[d]);
        if (d + 1 < array.rank()) header += ", ";
        if (array.rank() == 1) header += ',';
    }
    header += "), }";
    // The elements start at a multiple of 64 bytes, so that the file can be mapped.
    constexpr std::size_t prelude = 10;
    header.append(63 - (header.size() + prelude) % 64, ' ');
    header += '\n';
    std::string head(detail::npy_magic);
    head += {'\1', '\0', static_cast<char>(header.size() % 256), static_cast<char>(header.size() / 256)};
    return write_file(path,
                      {head, header, {reinterpret_cast<const char*>(array.data()), static_cast<std::size_t>(array.size_bytes())}});
}

} // namespace v0
} // namespace axe

#endif
