// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_STRIDES_ONEDNN_HPP
#define AXE_INTEROP_STRIDES_ONEDNN_HPP

#include <axe/interop/strides/onednn_tag.hpp>
#include <axe/interop/strides/padded.hpp>
#include <axe/support/errors.hpp>

namespace axe {
inline namespace v0 {
namespace onednn {

/// The layout of a tensor in a format.      [oneDNN developer guide, "Understanding Memory Formats"; dnnl_memory_desc padded_dims]
///
///   padded_d = B_d·⌈S_d / B_d⌉,  B_d the product of d's blocks
///   memory, outermost first: ⌈S_d/B_d⌉ for each d of `order`, then the blocks as listed; a later block of d is a lower digit of c_d
///
/// The padding rule is oneDNN's: each dimension is rounded up to a whole number of its blocks, and the padding is at its end.
/// `errc::rank_mismatch`, `errc::bad_extent`, `errc::bad_argument` with the dimension for an invalid tag; `errc::overflow`,
/// `errc::capacity`. Cost: dimensions times blocks.
constexpr Result<Padded> to_axe(const Tag& tag, const Shape& shape, const Axis& axis = {}) noexcept
{
    if (const Status e = check(tag); !e.ok()) return e;
    const auto v = volume(shape);
    if (!v) return v.error();
    const int rank = shape.size();
    if (tag.order.size() != rank)
        return Error(errc::rank_mismatch, -1, "the tag has {0} dimensions, the shape {1}", tag.order.size(), rank);

    Result<Padded> result;
    Padded& out = *result;
    std::int64_t stride = 1;
    InlineVector<std::int64_t, max_blocks> block_strides;
    block_strides.count = tag.blocks.size();
    const Error overflow = axe::detail::padded_elements_overflow();
    for (int b = tag.blocks.size() - 1; b >= 0; --b) {
        block_strides[b] = stride;
        if (!axe::detail::mul(stride, tag.blocks[b].size, stride)) return overflow;
    }
    std::int64_t outer[max_rank]{}, counts[max_rank]{};
    for (int i = rank - 1; i >= 0; --i) {
        const int d = tag.order[i];
        std::int64_t block = 1; // divides the product of all blocks
        for (const Block& b : tag.blocks)
            if (b.dim == d) block *= b.size;
        counts[d] = (shape[d] - 1) / block + 1;
        outer[d] = stride;
        if (!axe::detail::mul(stride, counts[d], stride)) return overflow;
    }
    out.elements = stride;
    for (int d = 0; d < rank; ++d) {
        std::int64_t padded = counts[d];
        bool room = axe::detail::append(out.layout.shard, counts[d], outer[d], axis);
        for (int b = 0; b < tag.blocks.size(); ++b) {
            if (tag.blocks[b].dim != d) continue;
            padded *= tag.blocks[b].size;
            room = room && axe::detail::append(out.layout.shard, tag.blocks[b].size, block_strides[b], axis);
        }
        if (!room) return axe::detail::shard_capacity<Layout>();
        out.shape.push_back(padded);
        out.valid.push_back({0, shape[d]});
    }
    if (const Status e = axe::check(out.layout); !e.ok()) return e;
    return result;
}

/// The format of a layout on a padded shape, of which the tensor has `shape`.
///
///   to_axe(to_tag(L, P, S), S) is L on P, where L has no gaps
///
/// Exists iff the digits of the layout, in the order of memory, are one of each dimension and then blocks, compact from address 0 on;
/// gaps are closed by padding. The blocks are the fewest. `errc::no_layout` says what a tag cannot express. Cost: quadratic in the
/// digits.
constexpr Result<Tag> to_tag(const Layout& layout, const Shape& padded, const Shape& shape, const Axis& axis = {}) noexcept
{
    if (const Status e = axe::detail::check_padding(padded, shape); !e.ok()) return e;
    const int rank = shape.size();
    if (rank < 1 || rank > max_dims)
        return Error(errc::no_layout, -1, "a format tag has 1 to {0} dimensions, the shape {1}", max_dims, rank);
    auto placed = axe::detail::place_digits(layout, padded, axis);
    if (!placed) return placed.error();
    const auto& digits = placed->digits;

    // A padded dimension needs blocks of a product that rounds its extent up to that. What is outside them may be no digit at all.
    std::int64_t block_of[max_rank]{};
    const auto rounds = [&](int d, std::int64_t block) { return (shape[d] - 1) / block + 1 == placed->shape[d] / block; };
    Result<Tag> result;
    Tag& tag = *result;
    bool outside[max_rank]{};
    int cut = 0;
    for (; cut < digits.size(); ++cut) {
        const auto& d = digits[cut];
        const bool outermost = d.weight * d.extent == placed->shape[d.dim];
        if (outside[d.dim] || !outermost || !rounds(d.dim, d.weight)) break;
        outside[d.dim] = true;
        block_of[d.dim] = d.weight;
        tag.order.push_back(d.dim);
    }
    std::int64_t least[max_rank]{}; // the weight of the last digit placed, so that they come down
    for (int i = cut; i < digits.size(); ++i) {
        const auto& d = digits[i];
        const std::int64_t above = least[d.dim] != 0 ? least[d.dim] : outside[d.dim] ? block_of[d.dim] : placed->shape[d.dim];
        if (d.weight * d.extent != above)
            return Error(errc::no_layout, d.dim,
                         "dimension {0}: the digit of weight {1} is outside a digit of greater weight; blocks must be in order",
                         d.dim, d.weight);
        least[d.dim] = d.weight;
        if (!tag.blocks.push_back({d.dim, d.extent}))
            return Error(errc::capacity, d.dim, "a format tag has at most {0} blocks", max_blocks);
    }
    for (int d = 0; d < rank; ++d) { // those without a digit outside: next to the dimension before
        if (outside[d]) continue;
        int at = 0;
        while (d > 0 && at < tag.order.size() && tag.order[at] != d - 1) ++at;
        tag.order.insert(d > 0 ? at + 1 : 0, d);
    }
    return result;
}

/// The format of a layout on a shape without its own padding.
constexpr Result<Tag> to_tag(const Layout& layout, const Shape& shape, const Axis& axis = {}) noexcept
{
    return to_tag(layout, shape, shape, axis);
}

} // namespace onednn
} // namespace v0
} // namespace axe

#endif
