// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_TMA_IMPL_PLAN_SIDES_HPP
#define AXE_TARGET_NVIDIA_TMA_IMPL_PLAN_SIDES_HPP

#include <axe/layout/canonicalize.hpp>
#include <axe/layout/group.hpp>
#include <axe/layout/properties.hpp>
#include <axe/support/sort.hpp>
#include <axe/target/nvidia/tma/request.hpp>

#include <algorithm>
#include <vector>

namespace axe {
inline namespace v0 {
namespace detail {

/// A dimension of the global tensor as TMA sees it: index c is at element c·stride, and of a reversed one at (size − 1 − c)·stride. Element i of
/// the region has the index start + i·step.
struct TmaDim {
    std::int64_t size = 1, stride = 0;
    std::int64_t start = 0, extent = 1; ///< of the region
    bool reversed = false;
    bool edge = false; ///< the region leaves the tensor here
    std::int64_t step = 1;
};

/// A digit of the region: its index i is i·place of its dimension, i·global elements of one memory and i·shared of the other.
struct TmaDigit {
    std::int64_t extent = 1, global = 0, shared = 0;
    int dim = 0;
    std::int64_t place = 1;
};

/// Both sides of a copy by the same digits, in elements.
struct TmaSides {
    std::vector<TmaDim> dims{};
    std::vector<TmaDigit> digits{}; ///< by their strides in shared memory, the least first
    std::int64_t global_start = 0;  ///< of all dimensions' element 0; in a line of the region's
    std::int64_t shared_start = 0;
    std::int64_t width = 1; ///< bytes of an element; 0: it has less than one
    TmaType type = TmaType::u8;
    int elements = 1;
    bool line = false; ///< the dimensions are iters of the region, and global memory is one line
};

/// So many elements as bytes of global memory, and of shared memory.
inline std::int64_t global_bytes(const TmaSides& sides, std::int64_t elements) { return elements * row(sides.type).bits / 8; }
inline std::int64_t shared_bytes(const TmaSides& sides, std::int64_t elements)
{
    return elements * row(sides.type).shared_bits / 8;
}

inline Region whole_region(const Shape& shape)
{
    Region out;
    for (const std::int64_t n : shape) out.push_back({0, n});
    return out;
}

/// The interval [lo, hi) of a dimension whose iters are many: a box of their digits, or an error.
inline Status append_tma_box(const Iter* iters, int count, Range interval, int dim, std::vector<TmaDim>& out)
{
    std::int64_t inner = 1;
    for (int k = 0; k < count; ++k) inner *= iters[k].extent;
    bool fixed = true; // all digits so far have one value
    for (int k = 0; k < count; ++k) {
        inner /= iters[k].extent;
        const std::int64_t first = interval.lo / inner, last = (interval.hi - 1) / inner;
        if (!fixed) {
            out.push_back({iters[k].extent, iters[k].stride, 0, iters[k].extent});
            continue;
        }
        if (first != last && (interval.lo % inner != 0 || interval.hi % inner != 0))
            return Error(errc::no_layout, dim,
                         "the region of dimension {0} begins or ends within {1} elements of a digit of the global layout", dim,
                         inner);
        out.push_back({iters[k].extent, iters[k].stride, first, last - first + 1});
        fixed = first == last;
        interval.lo -= first * inner;
        interval.hi -= first * inner;
    }
    return {};
}

/// From one element of the region to the next.
inline std::int64_t step_of(const TmaRequest& r, int dim) { return r.global_steps.empty() ? 1 : r.global_steps[dim]; }
inline bool has_steps(const TmaRequest& r)
{
    return std::any_of(r.global_steps.begin(), r.global_steps.end(), [](std::int64_t step) { return step != 1; });
}

/// The dimensions of the tensor that the map has: those of the shape, by their iters.
inline Status tensor_dims(const TmaRequest& r, const Region& region, TmaSides& out)
{
    const auto grouped = group(r.global, r.global_shape);
    if (!grouped) return grouped.error();
    for (int d = 0; d < r.global_shape.size(); ++d) {
        const Range at = region[d];
        const Iter* iters = grouped->layout.shard.items + grouped->begin(d);
        const int count = grouped->end(d) - grouped->begin(d);
        const std::int64_t step = at.hi - at.lo > 1 ? step_of(r, d) : 1;
        const bool edge = at.lo < 0 || at.lo + (at.hi - at.lo - 1) * step >= r.global_shape[d];
        if (count > 1 && step > 1)
            return Error(errc::no_layout, d,
                         "dimension {0} has steps of {1}, and elements of {2} strides; with steps it must be one", d, step, count);
        if (count > 1 && edge)
            return Error(errc::no_layout, d,
                         "the region leaves dimension {0}, whose elements have {1} strides; at an edge it must be one", d, count);
        if (count > 1) {
            if (const Status e = append_tma_box(iters, count, at, d, out.dims); !e.ok()) return e;
        } else if (count == 1) {
            out.dims.push_back({iters[0].extent, iters[0].stride, at.lo, at.hi - at.lo, false, edge, step});
        } else if (edge) {
            out.dims.push_back({1, 0, at.lo, at.hi - at.lo, false, edge, step});
        }
    }
    out.global_start = r.global.offset[r.global_axis];
    for (TmaDim& dim : out.dims) {
        if (dim.stride >= 0) continue;
        out.global_start += (dim.size - 1) * dim.stride;
        dim.stride = -dim.stride;
        dim.reversed = true;
    }
    return {};
}

/// The iters of the region as dimensions.
inline Status line_dims(const TmaRequest& r, const Region& region, TmaSides& out)
{
    const auto part = slice(r.global, r.global_shape, region);
    if (!part) return part.error();
    const auto canonical = canonicalize(*part);
    if (!canonical) return canonical.error();
    for (const Iter& it : canonical->shard) out.dims.push_back({it.extent, it.stride, 0, it.extent});
    out.global_start = canonical->offset[r.global_axis];
    out.line = true;
    return {};
}

/// Digits that lie one after the other in both memories are one.
inline void merge_digits(std::vector<TmaDigit>& digits)
{
    std::vector<TmaDigit> out;
    for (const TmaDigit& b : digits) {
        if (!out.empty() && b.shared == out.back().shared * out.back().extent && b.global == out.back().global * out.back().extent)
            out.back().extent *= b.extent;
        else
            out.push_back(b);
    }
    digits = out;
}

/// Groups the shared side by the digits of the global side, and takes both apart by the same digits.
inline Result<TmaSides> tma_sides(const TmaRequest& r, bool line)
{
    TmaSides out;
    out.type = r.type;
    out.width = row(r.type).bits / 8;
    const Region region = r.global_region.empty() ? whole_region(r.global_shape) : r.global_region;
    const Region to = r.shared_region.empty() ? whole_region(r.shared_shape) : r.shared_region;
    if (const Status e = line ? line_dims(r, region, out) : tensor_dims(r, region, out); !e.ok()) return e;
    const auto shared = slice(r.shared.layout, r.shared_shape, to);
    if (!shared) return shared.error();
    out.shared_start = shared->offset[r.shared.axis];

    Shape extents;
    for (const TmaDim& dim : out.dims) extents.push_back(dim.extent);
    const auto grouped = group(*shared, extents);
    if (!grouped) {
        if (!grouped.error().is_none()) return grouped.error();
        return Error(errc::not_grouped, grouped.error().position,
                     "tiles of the shared layout cut digit {0} of the global region, of {1} elements", grouped.error().position,
                     grouped.error().position < 0 ? 0 : extents[grouped.error().position]);
    }
    for (int d = 0; d < extents.size(); ++d) {
        const TmaDim& dim = out.dims[static_cast<std::size_t>(d)];
        std::int64_t place = 1;
        for (int k = grouped->end(d) - 1; k >= grouped->begin(d); --k) {
            const Iter& it = grouped->layout.shard[k];
            const std::int64_t stride = (dim.reversed ? -dim.stride : dim.stride) * dim.step;
            out.digits.push_back({it.extent, stride * place, it.stride, d, place});
            place *= it.extent;
        }
    }
    std::erase_if(out.digits, [](const TmaDigit& digit) { return digit.extent == 1; });
    sort_stably(out.digits, [](const TmaDigit& a, const TmaDigit& b) {
        return (a.shared > 0) != (b.shared > 0) ? a.shared > 0 : a.shared < b.shared;
    });
    if (line) merge_digits(out.digits);
    return out;
}

/// The same bytes as elements of `factor` times the width; none where an extent or a stride is not a multiple.
inline bool widen(TmaSides& sides, int factor)
{
    if (factor == 1) return true;
    if (sides.width == 0 || sides.width * factor > 8 || sides.digits.empty() || sides.digits[0].shared != 1 ||
        sides.digits[0].global != 1)
        return false;
    bool whole = sides.global_start % factor == 0 && sides.shared_start % factor == 0 && sides.digits[0].extent % factor == 0;
    const int inner = sides.digits[0].dim;
    for (std::size_t i = 0; i < sides.digits.size(); ++i) {
        TmaDigit& digit = sides.digits[i];
        if (i == 0) {
            digit.extent /= factor;
            continue;
        }
        whole = whole && digit.global % factor == 0 && digit.shared % factor == 0;
        if (!sides.line && digit.dim == inner) {
            whole = whole && digit.place % factor == 0;
            digit.place /= factor;
        }
        digit.global /= factor;
        digit.shared /= factor;
    }
    for (std::size_t d = 0; !sides.line && d < sides.dims.size(); ++d) {
        TmaDim& dim = sides.dims[d];
        if (static_cast<int>(d) == inner) {
            whole = whole && dim.start % factor == 0 && (!dim.edge || dim.size % factor == 0);
            dim.size /= factor;
            dim.start /= factor;
            dim.extent /= factor;
        } else {
            whole = whole && dim.stride % factor == 0;
            dim.stride /= factor;
        }
    }
    sides.global_start /= factor;
    sides.shared_start /= factor;
    sides.width *= factor;
    sides.elements = factor;
    sides.type = sides.width == 2 ? TmaType::u16 : sides.width == 4 ? TmaType::u32 : TmaType::u64;
    return whole;
}

/// The greatest divisor of n that is at most `most` and whose bits are a multiple of `unit`; there is one where those of n are.
inline std::int64_t divisor_within(std::int64_t n, std::int64_t most, std::int64_t bits, std::int64_t unit)
{
    for (std::int64_t d = std::min(n, most); d > 0; --d)
        if (n % d == 0 && d * bits % unit == 0) return d;
    return 1;
}

/// The most elements of the innermost dimension of a box.
inline std::int64_t most_inner(const TmaSides& sides, std::int64_t span)
{
    const TmaTypeRow& type = row(sides.type);
    return span > 0 ? span * 8 / type.shared_bits : type.box > 0 ? type.box : 256;
}

inline std::int64_t step_of(const TmaSides& sides, const TmaDigit& digit)
{
    return sides.dims.empty() ? 1 : std::min<std::int64_t>(256, sides.dims[static_cast<std::size_t>(digit.dim)].step);
}

/// Splits the digits that are more than a box admits: at the span of the swizzle, and at 256. The first must be adjacent elements.
inline Status split_digits(TmaSides& sides, std::int64_t span)
{
    if (sides.digits.empty()) // one element
        sides.digits.push_back({1, 1, 1, sides.dims.empty() ? 0 : static_cast<int>(sides.dims.size()) - 1, 1});
    const TmaDigit unit = sides.digits[0];
    if (unit.shared != 1)
        return Error(errc::no_layout, -1, "the least stride of the shared region is {0}; in a box elements must be adjacent",
                     unit.shared);
    if (unit.global != 1)
        return Error(errc::no_layout, -1,
                     "elements that are adjacent in shared memory are {0} apart in global memory; they must be adjacent",
                     unit.global);
    const std::int64_t bytes = global_bytes(sides, unit.extent);
    if (span > 0 && shared_bytes(sides, unit.extent) % span != 0)
        return Error(errc::no_layout, -1,
                     "a row that is adjacent in both memories has {0} bytes; with this swizzle it must be a multiple of {1}",
                     shared_bytes(sides, unit.extent), span);
    if (unit.extent * row(sides.type).bits % 128 != 0)
        return Error(errc::no_layout, -1, "a row that is adjacent in both memories has {0} bytes; it must be a multiple of 16",
                     bytes);
    std::vector<TmaDigit> out;
    for (std::size_t i = 0; i < sides.digits.size(); ++i) {
        TmaDigit digit = sides.digits[i];
        for (bool first = i == 0; digit.extent > 1 || first; first = false) {
            const std::int64_t most = first ? most_inner(sides, span) : 256 / step_of(sides, digit);
            const std::int64_t part =
                digit.extent <= most ? digit.extent : divisor_within(digit.extent, most, row(sides.type).bits, first ? 128 : 1);
            if (part == 1 && !first) { // a great prime: a loop
                out.push_back(digit);
                break;
            }
            out.push_back({part, digit.global, digit.shared, digit.dim, digit.place});
            digit = {digit.extent / part, digit.global * part, digit.shared * part, digit.dim, digit.place * part};
        }
    }
    sides.digits = out;
    return {};
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
