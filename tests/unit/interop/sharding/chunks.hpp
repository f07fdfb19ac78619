// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_UNIT_INTEROP_SHARDING_CHUNKS_HPP
#define AXE_TESTS_UNIT_INTEROP_SHARDING_CHUNKS_HPP

#include <axe/interop/sharding/placements.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

/// PyTorch's placements by their definition: lists of elements that torch.chunk cuts. Nothing here knows of intervals or layouts.
namespace chunks {

using axe::sharding::Placement, axe::sharding::Placements;
using List = std::vector<std::int64_t>;

/// torch.chunk, filled up with empty lists.
inline std::vector<List> chunk(const List& all, std::int64_t parts)
{
    const auto n = static_cast<std::int64_t>(all.size()), size = (n + parts - 1) / parts;
    std::vector<List> out;
    for (std::int64_t k = 0; k < parts; ++k) {
        const std::int64_t lo = std::min(n, k * size), hi = std::min(n, lo + size);
        out.emplace_back(all.begin() + lo, all.begin() + hi);
    }
    return out;
}

/// What a device of a row-major mesh holds of a dimension, in the order in which it is stored.
inline List held(const Placements& placements, const std::vector<std::int64_t>& mesh, std::int64_t size, int rank, int dim,
                 std::int64_t place)
{
    List out, coordinate(mesh.size());
    for (std::int64_t x = 0; x < size; ++x) out.push_back(x);
    for (std::size_t i = mesh.size(); i-- > 0; place /= mesh[i]) coordinate[i] = place % mesh[i];
    for (std::size_t i = 0; i < mesh.size(); ++i) {
        const Placement& p = placements[static_cast<int>(i)];
        if (p.kind != Placement::Kind::shard || (p.dim + rank) % rank != dim) continue;
        List next;
        for (const List& outer : chunk(out, p.factor)) {
            const List piece = chunk(outer, mesh[i])[static_cast<std::size_t>(coordinate[i])];
            next.insert(next.end(), piece.begin(), piece.end());
        }
        out = next;
    }
    return out;
}

/// All meshes of one and two dimensions of up to four and three places.
inline std::vector<std::vector<std::int64_t>> meshes()
{
    std::vector<std::vector<std::int64_t>> out;
    for (std::int64_t a = 1; a <= 4; ++a) {
        out.push_back({a});
        for (std::int64_t b = 1; b <= 3; ++b) out.push_back({a, b});
    }
    return out;
}

/// All placements of tensors of a rank: replicated, terms, and splits of each dimension by factors up to four.
inline std::vector<Placements> all_placements(int axes, int rank)
{
    std::vector<Placement> one{Placement::replicate(), Placement::partial()};
    for (int d = 0; d < rank; ++d)
        for (std::int64_t factor = 1; factor <= 4; ++factor) one.push_back(Placement::shard(d, factor));
    std::vector<Placements> out(1);
    for (int i = 0; i < axes; ++i) {
        std::vector<Placements> next;
        for (const Placements& before : out)
            for (const Placement& p : one) {
                next.push_back(before);
                next.back().push_back(p);
            }
        out = next;
    }
    return out;
}

inline axe::sharding::Mesh row_major(const std::vector<std::int64_t>& sizes)
{
    axe::sharding::MeshAxes axes;
    for (const std::int64_t n : sizes) axes.push_back(axe::sharding::MeshAxis(axe::sharding::numbered_name(axes.size()), n));
    return axe::sharding::make_mesh(axes).value();
}

} // namespace chunks

#endif
