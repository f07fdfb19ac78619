// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_RELAYOUT_IMPL_RELAYOUT_HPP
#define AXE_RELAYOUT_IMPL_RELAYOUT_HPP

#include <axe/relayout/choose.hpp>
#include <axe/relayout/kernels/burst.hpp>
#include <axe/relayout/kernels/select.hpp>
#include <axe/relayout/relayout.hpp>
#include <axe/relayout/safety.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace axe {
inline namespace v0 {
namespace detail {

/// Makes a plan out of two sides that have been read.
class RelayoutPlanner {
  public:
    RelayoutPlanner(const AddressMap& to, const AddressMap& from, const Shape& shape, const Shape& to_shape,
                    const Shape& from_shape, const RelayoutKernels& kernels, RelayoutParts& parts)
        : to_(to), from_(from), shape_(shape), to_shape_(to_shape), from_shape_(from_shape), kernels_(kernels), parts_(parts)
    {
    }

    /// What is read and written: of a destination that is filled, the whole.
    void find_walks(bool fills)
    {
        const Region region = region_of(shape_);
        parts_.read = parts_.written = std::make_shared<const PairWalk>(walk_of(region, from_, from_shape_, false));
        if (fills) parts_.written = std::make_shared<const PairWalk>(walk_of(region_of(to_shape_), constant(), to_shape_, true));
    }

    void copy() { add(parts_.read->region, from_, from_shape_, false); }

    /// The region beyond the shape, a slab for each dimension that is padded:  [0, n) before it, [n_d, N_d) of it, [0, N) after it.
    void pad()
    {
        const AddressMap still = constant();
        for (int d = 0; d < shape_.size(); ++d) {
            if (shape_[d] == to_shape_[d]) continue;
            Region region;
            for (int e = 0; e < shape_.size(); ++e)
                region.push_back(e < d ? Range{0, shape_[e]} : e == d ? Range{shape_[e], to_shape_[e]} : Range{0, to_shape_[e]});
            add(region, still, to_shape_, true);
        }
    }

  private:
    static constexpr std::size_t most_nests = std::size_t{1} << 14;

    static Region region_of(const Shape& shape)
    {
        Region region;
        for (const std::int64_t n : shape) region.push_back({0, n});
        return region;
    }
    /// A source that does not move.
    [[nodiscard]] AddressMap constant() const
    {
        AddressMap map;
        map.digits.push_back({*volume(to_shape_), 0});
        return map;
    }
    [[nodiscard]] PairWalk walk_of(const Region& region, const AddressMap& from, const Shape& from_shape, bool fills) const
    {
        PairWalk walk{region, to_shape_, from_shape, to_.digits, from.digits, {}, to_.offset, from.offset, fills};
        for (const AddressDigit& c : to_.copies) walk.copies.push_back({c.extent, c.step, 0});
        return walk;
    }

    void add(const Region& region, const AddressMap& from, const Shape& from_shape, bool fills)
    {
        std::vector<CopyNest> nests;
        if (!append_nests(to_, from, region, to_shape_, from_shape, most_nests, nests)) {
            parts_.walks.push_back(walk_of(region, from, from_shape, fills));
            return;
        }
        for (const CopyNest& nest : nests) add(nest, fills);
    }

    void add(const CopyNest& nest, bool fills)
    {
        const std::size_t first = parts_.pieces.size();
        const ElementWidths& widths = parts_.widths;
        const bool by_pairs = parts_.to_swizzle.bits > 0 || (parts_.from_swizzle.bits > 0 && !fills) || widths.nibbles;
        if (!by_pairs)
            Chooser(nest, widths.to, fills ? widths.to : widths.from, fills || !widths.finish.any, kernels_,
                    parts_.rule)(parts_.pieces);
        else if (CopyNest whole = nest; widths.nibbles && in_bytes(whole, fills))
            Chooser(whole, 1, 1, true, kernels_, parts_.rule)(parts_.pieces);
        else
            add_pairs(nest, fills);
        for (std::size_t i = first; i < parts_.pieces.size(); ++i) parts_.pieces[i].fills = fills;
    }

    /// Nibbles that move two by two are bytes: every step and offset even but that of one loop of pairs.
    static bool in_bytes(CopyNest& nest, bool fills) noexcept
    {
        if (nest.to % 2 != 0 || nest.from % 2 != 0) return false;
        bool has_pairs = false;
        for (CopyLoop& l : nest.loops) {
            if (l.to == 1 && (l.from == 1 || fills) && l.extent % 2 == 0 && !has_pairs) {
                l = {l.extent / 2, 2, fills ? 0 : 2};
                has_pairs = true;
            }
            if (l.to % 2 != 0 || l.from % 2 != 0) return false;
            l.to /= 2;
            l.from /= 2;
        }
        nest.to /= 2;
        nest.from /= 2;
        return has_pairs;
    }

    /// Address after address, in the widest elements that no swizzle cuts.
    void add_pairs(CopyNest nest, bool fills)
    {
        Piece piece;
        std::int64_t width = parts_.widths.to;
        const bool may_widen =
            !parts_.widths.nibbles && !fills && parts_.widths.to == parts_.widths.from && !parts_.widths.finish.any;
        for (CopyLoop& l : nest.loops) {
            if (!may_widen || l.to != width || l.from != width) continue;
            std::int64_t chunk = 16;
            const auto whole = [&](const Swizzle& s) {
                while (s.bits > 0 && chunk > (std::int64_t{1} << s.base)) chunk /= 2;
            };
            whole(parts_.to_swizzle);
            whole(parts_.from_swizzle);
            const auto divides = [&](std::int64_t n) { return n % chunk == 0; };
            const auto fits = [&] {
                if (!divides(nest.to) || !divides(nest.from) || !divides(l.extent * width)) return false;
                for (const CopyLoop& other : nest.loops)
                    if (&other != &l && (!divides(other.to) || !divides(other.from))) return false;
                return true;
            };
            while (chunk > width && !fits()) chunk /= 2;
            if (chunk > width) {
                l = {l.extent * width / chunk, chunk, chunk};
                width = chunk;
            }
            break;
        }
        piece.kind = CopyKind::pairs;
        piece.to = nest.to;
        piece.from = nest.from;
        piece.log2_width = log2_of(width);
        for (const CopyLoop& l : nest.loops) {
            piece.outer.push_back(l);
            piece.units *= l.extent;
        }
        parts_.pieces.push_back(piece);
    }

    const AddressMap &to_, &from_;
    const Shape &shape_, &to_shape_, &from_shape_;
    const RelayoutKernels& kernels_;
    RelayoutParts& parts_;
};

/// The shape of a side's layout: given, or the tensor's. It must hold the tensor.
inline Result<void, Problem> side_shape(const RelayoutSide& side, const Shape& shape, bool is_destination, Shape& out)
{
    const std::string where = std::string(side_name(is_destination)) + ": ";
    out = side.shape.empty() ? shape : side.shape;
    const auto n = volume(out);
    if (!n) return Problem(n.error(), where);
    if (out.size() != shape.size())
        return Problem(errc::rank_mismatch,
                       where + worded("its shape has {0} dimensions, the tensor {1}", {out.size(), shape.size()}));
    for (int d = 0; d < shape.size(); ++d)
        if (out[d] < shape[d])
            return Problem(errc::bad_extent,
                           where + worded("dimension {0} of its shape is {1}, that of the tensor {2}: it does not fit",
                                          {d, out[d], shape[d]}));
    const auto size = axe::size(side.layout.layout);
    if (!size) return Problem(size.error(), where);
    if (*size != *n) return Problem(errc::size_mismatch, where + worded("the layout has {0} elements, its shape {1}", {*size, *n}));
    return {};
}

} // namespace detail

AXE_DECL Result<RelayoutPlan, Problem> plan_relayout(const RelayoutSide& to, const RelayoutSide& from, const Shape& shape,
                                                     const RelayoutOptions& options)
{
    using namespace detail;
    auto widths = element_widths(options);
    if (!widths) return widths.error();
    const auto elements = volume(shape);
    if (!elements) return Problem(elements.error());
    Shape to_shape, from_shape;
    if (auto p = side_shape(to, shape, true, to_shape); !p.ok()) return p;
    if (auto p = side_shape(from, shape, false, from_shape); !p.ok()) return p;
    const auto to_map = address_map(to, widths->to, true);
    if (!to_map) return to_map.error();
    const auto from_map = address_map(from, widths->from, false);
    if (!from_map) return from_map.error();

    if (widths->nibbles && (to_map->swizzle.bits > 0 || from_map->swizzle.bits > 0))
        return Problem(errc::bad_argument, "4-bit elements cannot be swizzled: a swizzle moves whole bytes");

    RelayoutParts parts;
    parts.widths = *widths;
    parts.streaming = options.streaming;
    parts.kernels = options.instructions ? &kernels_of(*options.instructions) : &best_kernels();
    if (options.instructions && !runs_here(*options.instructions))
        return Problem(errc::bad_argument, "this processor does not support {0} instructions",
                       {instruction_set_name(*options.instructions)});
    parts.to_swizzle = to_map->swizzle;
    parts.from_swizzle = from_map->swizzle;
    parts.elements = *elements;
    RelayoutPlanner planner(*to_map, *from_map, shape, to_shape, from_shape, *parts.kernels, parts);
    planner.find_walks(options.padding.has_value());
    const SideReach to_reach(*to_map, *parts.written, true, widths->to), from_reach(*from_map, *parts.read, false, widths->from);
    if (auto p = find_range(to_reach, parts.to_addresses, parts.to); !p.ok()) return p;
    if (auto p = find_range(from_reach, parts.from_addresses, parts.from); !p.ok()) return p;
    if (auto p = check_written_once(to_reach, shape); !p.ok()) return p;
    const std::int64_t units = std::min(parts.to.most - parts.to.least, std::numeric_limits<std::int64_t>::max() - 1) + 1;
    parts.rule = memory_rule(units / (widths->nibbles ? 2 : 1), options.caches ? *options.caches : caches_here());
    if (parts.rule.streams && !options.caches) parts.rule.burst = burst_here();
    planner.copy();
    if (options.padding) {
        for (int i = 0; i < 8; ++i) parts.padding[i] = static_cast<std::byte>(*options.padding >> (8 * i));
        if (widths->nibbles) parts.padding[0] = static_cast<std::byte>((*options.padding & 15) * 17);
        planner.pad();
    }
    return RelayoutPlan(std::move(parts));
}

AXE_DECL Result<void, Problem> relayout(void* to, std::size_t to_bytes, const RelayoutSide& to_side, const void* from,
                                        std::size_t from_bytes, const RelayoutSide& from_side, const Shape& shape,
                                        const RelayoutOptions& options)
{
    const auto plan = plan_relayout(to_side, from_side, shape, options);
    if (!plan) return plan.error();
    return plan->run(to, to_bytes, from, from_bytes);
}

} // namespace v0
} // namespace axe

#endif
