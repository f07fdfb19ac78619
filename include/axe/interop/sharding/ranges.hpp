// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_SHARDING_RANGES_HPP
#define AXE_INTEROP_SHARDING_RANGES_HPP

#include <axe/interop/sharding/errors.hpp>
#include <axe/interop/sharding/place.hpp>

/// Which elements a device holds where a dimension does not divide into its parts: each framework has its own rule.
namespace axe {
inline namespace v0 {
namespace sharding {

/// Whose rule. Where all parts are equal the five agree.
enum class Rule : std::uint8_t {
    gspmd,   ///< all parts of a dimension together, ⌈n/parts⌉ each; the last are padded  [XLA, HloSharding::TileOffsetForDevice]
    dtensor, ///< axis after axis as torch.chunk: ⌈n/places⌉ each, the last smaller or empty; strided ones after the next plain one
             ///< [PyTorch 2.9, Shard.local_shard_size_and_offset, _explicit_order_placements]
    jax,     ///< rejected: an argument of jit divides  [JAX, NamedSharding]
    oneflow, ///< over a mesh of one axis ⌈n/p⌉ for the first n mod p, then ⌊n/p⌋; else rejected  [OneFlow, nd_sbp_util, BalancedSplitter]
    alpa, ///< rejected
};

constexpr const char* name(Rule rule) noexcept
{
    constexpr const char* names[] = {"gspmd", "dtensor", "jax", "oneflow", "alpa"};
    return names[static_cast<int>(rule)];
}

namespace detail {

constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) noexcept { return a / b + (a % b != 0); }

/// Chunk `index` of `parts`, ⌈size/parts⌉ elements each; the last is cut off at the end, those past it are empty.       [torch.chunk]
constexpr Range chunk_of(std::int64_t size, std::int64_t parts, std::int64_t index) noexcept
{
    const std::int64_t chunk = ceil_div(size, parts); // the products stay below the size plus one chunk
    const std::int64_t lo = chunk == 0 || index > size / chunk ? size : index * chunk;
    return {lo, size - lo < chunk ? size : lo + chunk};
}

/// May this dimension be split unevenly under the rule? PyTorch goes axis by axis, from the first of the mesh on but for strided ones.
constexpr Status check_uneven(const Spec& spec, int dim, std::int64_t size, Rule rule) noexcept
{
    const Splits n = splits(spec, dim);
    if (n.within > 1)
        return Error(
            errc::not_grouped, dim,
            "dimension {0} has digits that stay on a device and does not divide evenly: the part of a device is not one range",
            dim);
    if (rule == Rule::gspmd) return {};
    if (rule == Rule::jax)
        return Error(errc::not_grouped, dim,
                     "JAX does not split dimension {0} of {1} elements over {2} devices: {2} must divide {1}", dim, size, n.across);
    if (rule == Rule::alpa)
        return Error(errc::not_grouped, dim,
                     "Alpa does not split dimension {0} of {1} elements over {2} devices: {2} must divide {1}", dim, size,
                     n.across);
    if (rule == Rule::oneflow && (spec.mesh.axes.size() != 1 || size < n.across))
        return Error(
            errc::not_grouped, dim,
            "OneFlow splits {1} elements over {2} devices only if {2} divides {1}, or over a flat hierarchy with no part empty",
            dim, size, n.across);
    // Plain shards go upwards through the mesh. Strided ones wait for the next plain one, which must be the last, and follow it downwards.
    int last = -1, plain = -1; // the axis before, and the last one that did not wait
    bool down = false;
    for (int i = spec.begin(dim); i < spec.end(dim); ++i) {
        const Part& part = spec.parts[i];
        if (part.size == 1) continue;
        down = down || part.axis < last;
        const bool follows = down ? part.axis < last && part.axis > plain : part.axis > last;
        if (!follows || part.size != spec.mesh.axes[part.axis].size)
            return Error(errc::not_grouped, dim,
                         "dimension {0} does not divide, and is split over mesh axis {1} in part or out of order", dim, part.axis);
        plain = down ? plain : last;
        last = part.axis;
    }
    return {};
}

constexpr Status check_ranges(const Spec& spec, const Shape& shape) noexcept
{
    if (const Status e = check(spec); !e.ok()) return e;
    if (const auto v = volume(shape); !v) return v.error();
    if (shape.size() != spec.rank()) return sharding_rank(shape.size(), spec.rank());
    return {};
}

/// Are chunks of chunks, axis by axis, the blocks [i·block, (i+1)·block) of the dimension, cut off at its end?
///
/// All chunks but the last one that is not empty are whole, and must be made of whole blocks; the last is looked into.
constexpr bool chunks_are_blocks(const Spec& spec, int dim, std::int64_t size, std::int64_t block) noexcept
{
    std::int64_t parts = splits(spec, dim).across;
    for (int i = spec.begin(dim); i < spec.end(dim) && size > 0; ++i) {
        parts = quotient(parts, spec.parts[i].size);
        const std::int64_t chunk = ceil_div(size, spec.parts[i].size), whole = ceil_div(size, chunk) - 1;
        if (whole > 0 && (chunk % block != 0 || chunk / block != parts)) return false;
        size -= whole * chunk;
    }
    return size <= block;
}

} // namespace detail

/// The elements that a device holds: [lo, hi) in each dimension, lo = hi where it holds none.
///
///   gspmd    [t·c, (t+1)·c) ∩ [0, n)          c = ⌈n/T⌉, t the place among all T parts
///   dtensor  the same for each part in turn, within the range of the one before
///   oneflow  t < n mod T: ⌈n/T⌉ elements, else ⌊n/T⌋
///
/// `errc::not_grouped` with the dimension where the rule rejects it, or digits that stay on a device make several ranges;
/// `errc::out_of_domain` for a device that is not of the mesh; `errc::rank_mismatch`. Cost: parts.
constexpr Result<Region> range_of(const Spec& spec, const Shape& shape, Rule rule, std::int64_t device) noexcept
{
    using namespace detail;
    Result<Region> result;
    if (const Status e = check_ranges(spec, shape); !e.ok()) return e;
    const auto place = place_of(spec.mesh, device);
    if (!place) return place.error();
    for (int d = 0; d < shape.size(); ++d) {
        const Splits n = splits(spec, d);
        if (n.within > 1 || shape[d] % n.across != 0)
            if (const Status e = check_uneven(spec, d, shape[d], rule); !e.ok()) return e;
        std::int64_t lo = 0, hi = shape[d], all = 0;
        for (int i = spec.begin(d); i < spec.end(d); ++i) {
            const Part& part = spec.parts[i];
            if (part.stays()) continue; // of one digit: others were rejected
            const std::int64_t behind = quotient(spec.mesh.axes[part.axis].size, part.before * part.size);
            const std::int64_t index = quotient((*place)[part.axis], behind) % part.size;
            all = all * part.size + index;
            const Range chunk = chunk_of(hi - lo, part.size, index);
            hi = lo + chunk.hi;
            lo += chunk.lo;
        }
        if (rule == Rule::oneflow) {
            const std::int64_t least_size = shape[d] / n.across, longer = shape[d] % n.across;
            lo = least_size * all + least(all, longer);
            hi = lo + least_size + (all < longer ? 1 : 0);
        } else if (rule == Rule::gspmd) {
            const std::int64_t chunk = ceil_div(shape[d], n.across);
            lo = all > shape[d] / chunk ? shape[d] : all * chunk;
            hi = shape[d] - lo < chunk ? shape[d] : lo + chunk;
        }
        result->push_back({lo, hi});
    }
    return result;
}

/// A tensor made larger so that it divides, its layout, and which of it is the tensor: the elements of `valid`.
struct Padded {
    Placed placed{};
    Shape shape{};
    Region valid{};
};

/// The padded form, where a layout has one: with c = ⌈n/T⌉ each dimension becomes T·c, and element x < n stays where the rule has it.
///
/// GSPMD's rule always has one. Chunks of chunks, and balanced parts, have one when all but the last part that is not empty are
/// equal (`errc::no_layout` with the dimension otherwise: give the ranges of the devices instead). Else as of `range_of` and `place`.
constexpr Result<Padded> padded(const Spec& spec, const Shape& shape, Rule rule) noexcept
{
    using namespace detail;
    Result<Padded> result;
    if (const Status e = check_ranges(spec, shape); !e.ok()) return e;
    for (int d = 0; d < shape.size(); ++d) {
        const Splits n = splits(spec, d);
        std::int64_t size = shape[d];
        if (n.across > size || size % (n.across * n.within) != 0) {
            if (const Status e = check_uneven(spec, d, size, rule); !e.ok()) return e;
            const std::int64_t block = ceil_div(size, n.across);
            const bool blocks = rule == Rule::gspmd     ? true
                                : rule == Rule::dtensor ? chunks_are_blocks(spec, d, size, block)
                                                        : n.across - size % n.across == 1;
            if (!blocks)
                return Error(errc::no_layout, d,
                             "dimension {0} of {1} elements is split into {2} parts of different sizes: no padded layout exists", d,
                             size, n.across);
            if (!mul(block, n.across, size)) return Error(errc::overflow, d, "dimension {0}, padded, overflows", d);
        }
        result->shape.push_back(size);
        result->valid.push_back({0, shape[d]});
    }
    const auto placed = place(spec, result->shape);
    if (!placed) return placed.error();
    result->placed = *placed;
    return result;
}

} // namespace sharding
} // namespace v0
} // namespace axe

#endif
