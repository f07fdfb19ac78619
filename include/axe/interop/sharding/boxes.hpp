// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_SHARDING_BOXES_HPP
#define AXE_INTEROP_SHARDING_BOXES_HPP

#include <axe/interop/sharding/placements.hpp>
#include <axe/interop/sharding/ranges.hpp>

#include <vector>

/// What each device holds under placements that do not divide: boxes for all of them, a layout for those that are one.
namespace axe {
inline namespace v0 {
namespace sharding {

/// How a strided shard cuts the last of its `factor` chunks, which is smaller where the others do not fill the dimension.
enum class LastChunk : std::uint8_t {
    chunked, ///< by itself, as torch.chunk does: pieces of ⌈its size / places⌉            [PyTorch, _StridedShard._split_tensor]
    padded,  ///< as the others, as if it were padded to their size: no gaps  [proposed in pytorch/pytorch issue 168134]
};

/// Elements [lo, hi) of one dimension, one after another where they are stored.
using Intervals = std::vector<Range>;

/// The most intervals of a dimension that are listed, and the most boxes.
inline constexpr std::int64_t max_boxes = std::int64_t{1} << 20;

namespace detail {

inline Error too_many_boxes(int dim)
{
    return {errc::too_hard, dim, "dimension {0} is split into more than {1} intervals on a device", dim, max_boxes};
}

/// Appends [lo, hi), joined to the interval before where it continues that one.
inline void append_interval(Intervals& out, std::int64_t lo, std::int64_t hi)
{
    if (lo >= hi) return;
    if (!out.empty() && out.back().hi == lo)
        out.back().hi = hi;
    else
        out.push_back({lo, hi});
}

/// Of `size` elements: those that place `index` of `places` has when they are cut into `factor` chunks, and each chunk among the places.
inline Status cut_strided(std::int64_t size, std::int64_t factor, std::int64_t places, std::int64_t index, LastChunk last, int dim,
                          Intervals& out)
{
    const std::int64_t chunk = ceil_div(size, factor);
    if (chunk == 0) return {};
    const std::int64_t whole = size / chunk, rest = size % chunk;
    const Range piece = chunk_of(chunk, places, index);
    if (piece.lo == 0 && piece.hi == chunk) {
        append_interval(out, 0, whole * chunk);
    } else if (piece.lo < piece.hi) {
        if (whole > max_boxes) return too_many_boxes(dim);
        for (std::int64_t i = 0; i < whole; ++i) append_interval(out, i * chunk + piece.lo, i * chunk + piece.hi);
    }
    const Range end =
        last == LastChunk::padded ? Range{least(piece.lo, rest), least(piece.hi, rest)} : chunk_of(rest, places, index);
    append_interval(out, whole * chunk + end.lo, whole * chunk + end.hi);
    return {};
}

/// The elements at these positions of a list of elements.
inline Status pick(const Intervals& held, const Intervals& positions, int dim, Intervals& out)
{
    std::int64_t first = 0; // position of the beginning of *from
    auto from = held.begin();
    for (const Range& at : positions)
        for (std::int64_t lo = at.lo; lo < at.hi;) {
            while (lo - first >= from->hi - from->lo) first += from->hi - from->lo, ++from;
            const std::int64_t hi = least(at.hi, first + from->hi - from->lo);
            append_interval(out, from->lo + (lo - first), from->lo + (hi - first));
            if (static_cast<std::int64_t>(out.size()) > max_boxes) return too_many_boxes(dim);
            lo = hi;
        }
    return {};
}

inline std::int64_t count_of(const Intervals& list)
{
    std::int64_t count = 0;
    for (const Range& r : list) count += r.hi - r.lo;
    return count;
}

/// What the device at `place` holds of dimension `dim`, in the order in which it is stored.
inline Result<Intervals> intervals_of(const Placements& placements, const Mesh& mesh, std::int64_t size, int rank, int dim,
                                      const Coord& place, LastChunk last)
{
    Intervals held{{0, size}};
    for (int i = 0; i < placements.size(); ++i) {
        const Placement& p = placements[i];
        if (p.kind != Placement::Kind::shard || (p.dim < 0 ? p.dim + rank : p.dim) != dim || mesh.axes[i].size == 1) continue;
        Intervals positions, next;
        if (const Status e = cut_strided(count_of(held), p.factor, mesh.axes[i].size, place[i], last, dim, positions); !e.ok())
            return e;
        if (const Status e = pick(held, positions, dim, next); !e.ok()) return e;
        held = std::move(next);
    }
    return held;
}

} // namespace detail

/// What a device holds of each dimension: intervals of the tensor's elements, ascending. The device's part is their product, row-major.
///
///   Shard(d), p places              place i: [i·c, (i+1)·c) of the n elements held so far, c = ⌈n/p⌉, cut off at n    [torch.chunk]
///   Shard(d), factor k, p places    place i: of each chunk of ⌈n/k⌉ elements, what Shard gives of that chunk
///   Replicate, Partial              all that is held so far
///
/// Placements act in the order of the mesh, each on the list that the ones before left.
///                                          [PyTorch after 2.9, _compute_local_shape_and_global_offset: left to right]
/// Errors: as of `to_spec` for placements and mesh; `errc::out_of_domain` for a device that is not of the mesh; `errc::too_hard` where a
/// dimension has more than `max_boxes` intervals. Cost: intervals times placements.
inline Result<std::vector<Intervals>> intervals_of(const Placements& placements, const Mesh& mesh, const Shape& shape,
                                                   std::int64_t device, LastChunk last = LastChunk::chunked)
{
    if (const Status e = detail::check_placements(placements, mesh, shape.size()); !e.ok()) return e;
    if (const auto v = volume(shape); !v) return v.error();
    const auto place = place_of(mesh, device);
    if (!place) return place.error();
    std::vector<Intervals> out;
    for (int d = 0; d < shape.size(); ++d) {
        auto held = detail::intervals_of(placements, mesh, shape[d], shape.size(), d, *place, last);
        if (!held) return held.error();
        out.push_back(std::move(*held));
    }
    return out;
}

/// The same as a list of boxes, disjoint, in the order in which their first elements are stored; empty where the device holds nothing.
///
/// Together the boxes of all devices have every element, as often as there are copies and terms. Errors: as of `intervals_of`.
inline Result<std::vector<Region>> boxes_of(const Placements& placements, const Mesh& mesh, const Shape& shape, std::int64_t device,
                                            LastChunk last = LastChunk::chunked)
{
    const auto held = intervals_of(placements, mesh, shape, device, last);
    if (!held) return held.error();
    std::vector<Region> boxes(1);
    for (int d = 0; d < shape.size(); ++d) {
        const Intervals& list = (*held)[static_cast<std::size_t>(d)];
        if (static_cast<std::int64_t>(boxes.size() * list.size()) > max_boxes) return detail::too_many_boxes(d);
        std::vector<Region> next;
        for (const Region& box : boxes)
            for (const Range& range : list) {
                next.push_back(box);
                next.back().push_back(range);
            }
        boxes = std::move(next);
    }
    return boxes;
}

} // namespace sharding
} // namespace v0
} // namespace axe

#endif
