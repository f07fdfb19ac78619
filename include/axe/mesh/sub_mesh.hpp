// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MESH_SUB_MESH_HPP
#define AXE_MESH_SUB_MESH_HPP

#include <axe/layout/compose.hpp>
#include <axe/mesh/device_mesh.hpp>

namespace axe {
inline namespace v0 {

/// What a key says of a dimension of a mesh: an index, which takes the dimension away, a slice, or the dimensions that the others
/// leave. Negative numbers count from the end, as in Python.
struct MeshIndex {
    enum class Kind : std::uint8_t { index, slice, ellipsis };
    Kind kind = Kind::slice;
    bool has_first = false, has_past = false; ///< of a slice
    std::int64_t first = 0, past = 0, step = 1;

    constexpr MeshIndex() = default;                                              // all of the dimension
    constexpr MeshIndex(std::int64_t i) noexcept : kind(Kind::index), first(i) {} // NOLINT(google-explicit-constructor)

    /// All of a dimension: `:`.
    static constexpr MeshIndex all() noexcept { return {}; }
    /// `lo:hi:step`.
    static constexpr MeshIndex range(std::int64_t lo, std::int64_t hi, std::int64_t step = 1) noexcept
    {
        MeshIndex out;
        out.has_first = out.has_past = true;
        out.first = lo;
        out.past = hi;
        out.step = step;
        return out;
    }
    /// `::step`.
    static constexpr MeshIndex every(std::int64_t step) noexcept
    {
        MeshIndex out;
        out.step = step;
        return out;
    }
    /// `...`.
    static constexpr MeshIndex rest() noexcept
    {
        MeshIndex out;
        out.kind = Kind::ellipsis;
        return out;
    }
    friend constexpr bool operator==(const MeshIndex&, const MeshIndex&) = default;
};
/// One entry for each dimension; an ellipsis besides.
using MeshKey = InlineVector<MeshIndex, max_rank + 1>;

namespace detail {

/// Of a slice on n coordinates: how many it takes; its first index becomes one of [0, n).      [Python, slice.indices]
constexpr std::int64_t resolve_slice(MeshIndex& slice, std::int64_t n) noexcept
{
    const bool back = slice.step < 0;
    const std::int64_t low = back ? -1 : 0, high = back ? n - 1 : n;
    const auto within = [&](std::int64_t i) { return i < 0 ? greatest(i < -n ? low : i + n, low) : least(i, high); };
    slice.first = slice.has_first ? within(slice.first) : back ? high : low;
    slice.past = slice.has_past ? within(slice.past) : back ? low : high;
    const std::int64_t way = back ? slice.first - slice.past : slice.past - slice.first;
    if (way <= 0) return 0;
    const std::int64_t step = slice.step == INT64_MIN ? INT64_MAX : magnitude(slice.step);
    return (way - 1) / step + 1;
}

/// Appends the members `first`, `first + step`, … of one dimension to the ids of a sub-mesh, and moves its offset to the first.
constexpr Status take_members(const Grouped<Layout>& digits, int dim, const MeshIndex& slice, std::int64_t count,
                              Layout& out) noexcept
{
    Layout one, members;
    for (int i = digits.begin(dim); i < digits.end(dim); ++i) one.shard.push_back(digits.layout.shard[i]);
    const auto start = evaluate(one, slice.first);
    if (!start) return start.error();
    if (std::int64_t* at = out.offset.entry(mesh_id); at == nullptr || !add(*at, (*start)[mesh_id], *at)) return result_overflow();
    if (count == 1) return {};
    members.shard.push_back(Iter(count, slice.step));
    if (slice.first != 0) *members.offset.entry(Axis{}) = slice.first;
    const auto taken = compose(one, members);
    if (!taken)
        return Error(errc::not_grouped, dim,
                     "the members of the slice of dimension {0} are not a layout: its ids are several digits", dim);
    for (const Iter& it : taken->shard)
        if (!out.shard.push_back(it))
            return Error(errc::capacity, Layout::max_shard, "the ids of a mesh need more than {0} iters", Layout::max_shard);
    return {};
}

} // namespace detail

/// The part of a mesh that a key selects, as NumPy selects from an array: an index takes its dimension away, a slice keeps it with its
/// name, dimensions that the key does not name stay whole. The launch mesh stays what it is.
///
///   sub_mesh(M, key)(c) = M(first + step·c),   dimension by dimension
///
/// `errc::rank_mismatch` for more indices than dimensions; `errc::out_of_domain` for an index outside [−n, n); `errc::bad_extent` for a
/// slice that is empty; `errc::bad_argument` for a step of 0 and a second ellipsis; `errc::not_grouped` where a dimension that was made
/// of several (`flatten`) is cut within one of them. Each has the dimension. Cost: that of `compose` for each dimension.
constexpr Result<Mesh> sub_mesh(const Mesh& mesh, const MeshKey& key) noexcept
{
    int ellipses = 0;
    for (const MeshIndex& entry : key) ellipses += entry.kind == MeshIndex::Kind::ellipsis;
    if (ellipses > 1) return Error(errc::bad_argument, -1, "the key has {0} ellipses; it may have 1", ellipses);
    const int named = key.size() - ellipses, rank = mesh.rank();
    if (named > rank) return Error(errc::rank_mismatch, rank, "the key has {0} indices, the mesh {1} dimensions", named, rank);
    const auto digits = detail::mesh_digits(mesh);
    if (!digits) return digits.error();
    Result<Mesh> result;
    result->launch = mesh.launch;
    result->ids.offset = digits->layout.offset;
    int dim = 0;
    const auto take = [&](MeshIndex entry) -> Status {
        const std::int64_t n = mesh.shape[dim];
        std::int64_t count = 1;
        if (entry.kind == MeshIndex::Kind::index) {
            if (entry.first < -n || entry.first >= n)
                return Error(errc::out_of_domain, dim, "index {0} of dimension {1} of the mesh is outside its size {2}",
                             entry.first, dim, n);
            entry.first += entry.first < 0 ? n : 0;
        } else {
            if (entry.step == 0) return Error(errc::bad_argument, dim, "the slice of dimension {0} of the mesh has step 0", dim);
            count = detail::resolve_slice(entry, n);
            if (count == 0) return Error(errc::bad_extent, dim, "the slice of dimension {0} of the mesh is empty", dim);
            result->names.push_back(mesh.names[dim]);
            result->shape.push_back(count);
        }
        return detail::take_members(*digits, dim++, entry, count, result->ids);
    };
    for (const MeshIndex& entry : key) {
        if (entry.kind != MeshIndex::Kind::ellipsis) {
            if (const Status e = take(entry); !e.ok()) return e;
            continue;
        }
        for (int more = rank - named; more > 0; --more)
            if (const Status e = take(MeshIndex::all()); !e.ok()) return e;
    }
    while (dim < rank)
        if (const Status e = take(MeshIndex::all()); !e.ok()) return e;
    result->ids.offset.drop_zeros();
    const auto ids = canonicalize(result->ids);
    if (!ids) return ids.error();
    result->ids = *ids;
    return result;
}

} // namespace v0
} // namespace axe

#endif
