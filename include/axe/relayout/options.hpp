// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_RELAYOUT_OPTIONS_HPP
#define AXE_RELAYOUT_OPTIONS_HPP

#include <axe/relayout/kernels/caches.hpp>
#include <axe/relayout/kernels/table.hpp>
#include <axe/tensor/dtype.hpp>
#include <axe/tensor/problem.hpp>
#include <axe/text/common/words.hpp>

#include <optional>

namespace axe {
inline namespace v0 {

/// What a copy moves, and what it does on the way.
struct RelayoutOptions {
    int bits = 32;                    ///< of an element: 4 (two to a byte, the first in its low half), 8, 16, 32, 64 or 128
    std::optional<DType> from_type{}; ///< elements are values of this type, not just bits; then `bits` says nothing
    std::optional<DType> to_type{};   ///< as what they are written; where it is missing, as they are read
    double scale = 1;                 ///< to = scale · from, of values of a type
    bool accumulate = false;          ///< to = to + scale · from
    std::optional<std::uint64_t>
        padding{}; ///< the bits written where the destination's shape goes beyond the tensor's; none: left alone
    std::optional<detail::InstructionSet> instructions{}; ///< none: the best there are here
    std::optional<CacheSizes> caches{};                   ///< none: those there are here
    enum class Streaming : std::uint8_t { by_size, never, always } streaming = Streaming::by_size; ///< stores past the caches
};

namespace detail {

constexpr const char* instruction_set_name(InstructionSet s) noexcept
{
    constexpr const char* names[] = {"portable", "sse2", "avx2", "avx512", "neon"};
    return names[static_cast<int>(s)];
}

/// What is done to values between source and destination.
struct Finish {
    bool any = false;
    DType from = DType::f32, to = DType::f32;
    double scale = 1;
    bool accumulate = false;
};

/// How wide elements are: bytes on each side, or nibbles.
struct ElementWidths {
    std::int64_t to = 4, from = 4;
    bool nibbles = false;
    Finish finish{};
};

inline Result<ElementWidths, Problem> element_widths(const RelayoutOptions& o)
{
    ElementWidths w;
    if (o.from_type || o.to_type) {
        if (!o.from_type)
            return Problem(errc::bad_argument, "the destination's type is given, the source's is not: a conversion needs both");
        w.finish = {true, *o.from_type, o.to_type.value_or(*o.from_type), o.scale, o.accumulate};
        w.finish.any = w.finish.from != w.finish.to || o.scale != 1 || o.accumulate;
        w.to = storage_bytes(w.finish.to);
        w.from = storage_bytes(w.finish.from);
        return w;
    }
    if (o.scale != 1 || o.accumulate)
        return Problem(errc::bad_argument,
                       "scaling and accumulating need values; give the type of the elements, not only their bits");
    if (o.bits != 4 && o.bits != 8 && o.bits != 16 && o.bits != 32 && o.bits != 64 && o.bits != 128)
        return Problem(errc::bad_argument, "elements of {0} bits cannot be copied; 4, 8, 16, 32, 64 and 128 can", {o.bits});
    w.nibbles = o.bits == 4;
    w.to = w.from = w.nibbles ? 1 : o.bits / 8;
    return w;
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
