// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_TMA_IMPL_PLAN_HPP
#define AXE_TARGET_NVIDIA_TMA_IMPL_PLAN_HPP

#include <axe/support/sort.hpp>
#include <axe/target/nvidia/tma/impl/plan_checks.hpp>
#include <axe/target/nvidia/tma/impl/plan_pieces.hpp>
#include <axe/target/nvidia/tma/impl/plan_sides.hpp>
#include <axe/target/nvidia/tma/plan.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// A part of the coordinate of a dimension:  ⌊c/place⌋ mod size,  times `factor`; of the last part of a dimension not mod.
struct CoordPart {
    int dim = 0;
    std::int64_t place = 1, size = 1, factor = 1;
    bool last = true;
};

/// A dimension of the map that is being made.
struct MapDim {
    std::int64_t size = 1, stride = 0, box = 1;
    int order = 0; ///< of its digit in the box; those without come after
    std::vector<CoordPart> parts{};
    bool edge = false;
    std::int64_t step = 1; ///< between the elements of the box
};
inline constexpr int not_in_box = 1 << 20;

inline std::int64_t part_of(const TmaSides& sides, const CoordPart& part, std::int64_t c)
{
    const TmaDim& dim = sides.dims[static_cast<std::size_t>(part.dim)];
    if (dim.reversed) c = dim.size - 1 - c;
    const std::int64_t q = floor_div(c, part.place), at = part.last ? q : floor_mod(q, part.size);
    std::int64_t out = 0;
    return mul(at, part.factor, out) ? out : tma_most_dim; // no coordinate
}

/// The dimensions of the map that are made of one of the tensor's, of whose digits those with an order below `boxed` are in the box.
inline Status append_map_dims(const TmaSides& sides, int d, int boxed, std::vector<MapDim>& out)
{
    const TmaDim& dim = sides.dims[static_cast<std::size_t>(d)];
    std::vector<MapDim> parts; // by place
    std::vector<std::int64_t> places;
    for (int i = 0; i < boxed; ++i)
        if (sides.digits[static_cast<std::size_t>(i)].dim == d) places.push_back(i);
    std::sort(places.begin(), places.end(), [&](std::int64_t a, std::int64_t b) {
        return sides.digits[static_cast<std::size_t>(a)].place < sides.digits[static_cast<std::size_t>(b)].place;
    });
    if (dim.step > 1) { // element strides leave out what is between
        if (places.size() > 1)
            return Error(errc::no_layout, d, "the box takes digit {0} of the global layout apart, which has steps of {1}", d,
                         dim.step);
        MapDim one{dim.size, dim.stride, 1, not_in_box, {{d, 1, dim.size, 1, true}}, dim.edge, 1};
        if (!places.empty()) {
            const TmaDigit& digit = sides.digits[static_cast<std::size_t>(places[0])];
            one.box = digit.extent, one.order = static_cast<int>(places[0]), one.step = dim.step * digit.place;
        }
        out.push_back(one);
        return {};
    }
    const auto add = [&](std::int64_t place, std::int64_t box, int order) {
        parts.push_back({1, dim.stride * place, box, order, {{d, place, 1, 1, true}}, dim.edge});
    };
    if (places.empty() || sides.digits[static_cast<std::size_t>(places[0])].place > 1) add(1, 1, not_in_box);
    for (const std::int64_t i : places) {
        const TmaDigit& digit = sides.digits[static_cast<std::size_t>(i)];
        add(digit.place, digit.extent, static_cast<int>(i));
    }
    const std::int64_t last = parts.back().parts[0].place;
    if (dim.start % last != 0)
        return Error(
            errc::bad_argument, d,
            "the region begins at {0} in digit {1} of the global layout; it must be a multiple of {2}, which the box takes apart",
            dim.start, d, last);
    if (dim.edge && dim.size % last != 0)
        return Error(
            errc::no_layout, d,
            "digit {0} of the global layout has {1} elements; at an edge it must be a multiple of {2}, which the box takes apart",
            d, dim.size, last);
    for (std::size_t k = 0; k < parts.size(); ++k) {
        CoordPart& part = parts[k].parts[0];
        part.last = k + 1 == parts.size();
        parts[k].size = part.size = part.last ? dim.size / last : parts[k + 1].parts[0].place / part.place;
        parts[k].edge = dim.edge && part.last;
        out.push_back(parts[k]);
    }
    return {};
}

/// Has an inner dimension no gap before the next one, so that both are one?
inline bool contiguous(const MapDim& inner, const MapDim& outer)
{
    return !inner.edge && inner.step == 1 && outer.step == 1 && inner.stride > 0 && outer.stride == inner.stride * inner.size;
}

inline void merge_into(MapDim& inner, const MapDim& outer)
{
    for (CoordPart part : outer.parts) {
        part.factor *= inner.size;
        inner.parts.push_back(part);
    }
    inner.size *= outer.size;
    inner.box *= outer.box;
    inner.edge = outer.edge;
}

/// Fewer dimensions, while there are more than a map has: inner ones boxed whole with their contiguous outer ones, and those of which the
/// box has one element with each other.
inline void merge_dims(std::vector<MapDim>& dims, std::int64_t most_inner)
{
    for (bool merged = true; merged && dims.size() > static_cast<std::size_t>(tma_rank);) {
        merged = false;
        for (std::size_t i = 0; i + 1 < dims.size() && !merged; ++i)
            for (std::size_t k = i + 1; k < dims.size() && !merged; ++k) {
                MapDim &a = dims[i], &b = dims[k];
                const bool in_box = a.order != not_in_box;
                if (in_box ? k != i + 1 || a.box != a.size || a.box * b.box > (i == 0 ? most_inner : 256) : b.order != not_in_box)
                    continue;
                if (!contiguous(a, b)) continue;
                merge_into(a, b);
                dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(k));
                merged = true;
            }
    }
}

inline Error too_many_issues()
{
    return Error(errc::too_hard, -1, "the copy takes more than {0} issues of a box", most_tma_issues);
}

/// The copies for all indices of the digits from `boxed` on, the last digit outermost.
template <class Emit>
Status for_each_loop(const TmaSides& sides, std::size_t boxed, const Emit& emit)
{
    std::int64_t count = 1;
    for (std::size_t i = boxed; i < sides.digits.size(); ++i) {
        if (count > most_tma_issues / sides.digits[i].extent) return too_many_issues();
        count *= sides.digits[i].extent;
    }
    std::vector<std::int64_t> index(sides.digits.size() - boxed, 0);
    for (std::int64_t n = 0; n < count; ++n) {
        std::int64_t rest = n;
        for (std::size_t i = 0; i < index.size(); ++i) {
            index[i] = rest % sides.digits[boxed + i].extent;
            rest /= sides.digits[boxed + i].extent;
        }
        if (const Status e = emit(index); !e.ok()) return e;
    }
    return {};
}

inline TensorMap map_of(const TmaRequest& r, const TmaSides& sides, TmaSwizzle swizzle)
{
    TensorMap map;
    map.type = sides.type;
    map.alignment = r.alignment;
    map.swizzle = swizzle;
    map.promotion = r.promotion;
    map.fill = r.fill;
    return map;
}

/// An element of less than 8 bits with which something would begin within a byte.
inline Error within_a_byte(std::int64_t element, int bits)
{
    return Error(errc::no_layout, -1,
                 "element {0}, of {1} bits, does not begin at a byte; copies and dimensions of a tensor map do", element, bits);
}

inline Status add_issue(const TmaRequest& r, const TmaSides& sides, const std::vector<std::int64_t>& index, std::size_t boxed,
                        TmaIssue issue, TmaPlan& plan)
{
    issue.shared = sides.shared_start;
    for (std::size_t i = 0; i < index.size(); ++i) issue.shared += index[i] * sides.digits[boxed + i].shared;
    const TmaTypeRow& type = row(sides.type);
    if (issue.shared * type.shared_bits % 8 != 0) return within_a_byte(issue.shared, type.shared_bits);
    if (issue.coords[0] * type.bits % 8 != 0) return within_a_byte(issue.coords[0], type.bits);
    issue.shared = shared_bytes(sides, issue.shared);
    if (const Status e = check(plan.map, issue, r.rules); !e.ok()) return e;
    plan.issues.push_back(issue);
    plan.bytes += issue_bytes(plan.map, issue);
    return {};
}

/// Elements of less than 8 bits: do the dimensions begin at whole bytes?
inline Status check_whole_bytes(const TmaSides& sides, const std::vector<MapDim>& dims)
{
    const int bits = row(sides.type).bits;
    if (sides.global_start * bits % 8 != 0) return within_a_byte(sides.global_start, bits);
    for (std::size_t d = 1; d < dims.size(); ++d)
        if (dims[d].stride * bits % 8 != 0) return within_a_byte(dims[d].stride, bits);
    return {};
}

/// The plan whose box is the first `boxed` digits, with the dimensions of the tensor.
inline Result<TmaPlan> tensor_plan(const TmaRequest& r, const TmaSides& sides, std::size_t boxed, TmaSwizzle swizzle)
{
    std::vector<MapDim> dims;
    for (int d = 0; d < static_cast<int>(sides.dims.size()); ++d)
        if (const Status e = append_map_dims(sides, d, static_cast<int>(boxed), dims); !e.ok()) return e;
    sort_stably(dims,
                [](const MapDim& a, const MapDim& b) { return a.order != b.order ? a.order < b.order : a.stride < b.stride; });
    std::erase_if(dims, [&](const MapDim& dim) { return dim.size == 1 && !dim.edge && dim.order != 0; });
    merge_dims(dims, most_inner(sides, row(swizzle).span));
    if (const Status e = check_whole_bytes(sides, dims); !e.ok()) return e;

    TmaPlan plan;
    plan.elements = sides.elements;
    plan.map = map_of(r, sides, swizzle);
    plan.map.offset = global_bytes(sides, sides.global_start);
    for (const MapDim& dim : dims) {
        if (plan.map.dims.size() > 0) plan.map.strides.push_back(global_bytes(sides, dim.stride));
        plan.map.dims.push_back(dim.size);
        plan.map.box.push_back(dim.box * dim.step);
    }
    if (std::any_of(dims.begin(), dims.end(), [](const MapDim& dim) { return dim.step > 1; }))
        for (const MapDim& dim : dims) plan.map.element_strides.push_back(dim.step);
    if (const Status e = check(plan.map, r.rules); !e.ok()) return e;
    std::vector<std::int64_t> at(sides.dims.size());
    const Status looped = for_each_loop(sides, boxed, [&](const std::vector<std::int64_t>& index) {
        for (std::size_t d = 0; d < at.size(); ++d) at[d] = sides.dims[d].start;
        for (std::size_t i = 0; i < index.size(); ++i)
            at[static_cast<std::size_t>(sides.digits[boxed + i].dim)] +=
                index[i] * sides.digits[boxed + i].place * sides.dims[static_cast<std::size_t>(sides.digits[boxed + i].dim)].step;
        TmaIssue issue;
        for (const MapDim& dim : dims) {
            std::int64_t c = 0;
            for (const CoordPart& part : dim.parts) c += part_of(sides, part, at[static_cast<std::size_t>(part.dim)]);
            issue.coords.push_back(c);
        }
        return add_issue(r, sides, index, boxed, issue, plan);
    });
    if (!looped.ok()) return looped.error();
    return plan;
}

/// The same with global memory as a line: coordinate 0 says where a copy begins, and the others are 0.
inline Result<TmaPlan> line_plan(const TmaRequest& r, const TmaSides& sides, std::size_t boxed, TmaSwizzle swizzle)
{
    std::int64_t least = sides.global_start, most = least;
    for (std::size_t i = boxed; i < sides.digits.size(); ++i) {
        const std::int64_t part = (sides.digits[i].extent - 1) * sides.digits[i].global;
        (part < 0 ? least : most) += part;
    }
    const std::int64_t begin = floor_div(least * sides.width, std::int64_t{16}) * 16 / sides.width;

    TmaPlan plan;
    plan.elements = sides.elements;
    plan.map = map_of(r, sides, swizzle);
    plan.map.offset = begin * sides.width;
    TmaIssue issue;
    for (std::size_t i = 0; i < boxed; ++i) {
        const TmaDigit& digit = sides.digits[i];
        if (i > 0) plan.map.strides.push_back(digit.global * sides.width);
        plan.map.dims.push_back(i == 0 ? most - begin + digit.extent : digit.extent);
        plan.map.box.push_back(digit.extent);
        issue.coords.push_back(0);
    }
    if (const Status e = check(plan.map, r.rules); !e.ok()) return e;
    const Status looped = for_each_loop(sides, boxed, [&](const std::vector<std::int64_t>& index) {
        issue.coords[0] = sides.global_start - begin;
        for (std::size_t i = 0; i < index.size(); ++i) issue.coords[0] += index[i] * sides.digits[boxed + i].global;
        return add_issue(r, sides, index, boxed, issue, plan);
    });
    if (!looped.ok()) return looped.error();
    return plan;
}

/// The plan with the most digits in the box that a map admits; the error is that of the most digits.
inline Result<TmaPlan> longest_plan(const TmaRequest& r, TmaSides sides, TmaSwizzle swizzle)
{
    if (const Status e = split_digits(sides, row(swizzle).span); !e.ok()) return e;
    std::size_t boxed = 0;
    for (std::int64_t next = 1; boxed < sides.digits.size(); ++boxed) {
        const TmaDigit& digit = sides.digits[boxed];
        if (digit.shared != next || digit.global < 0 || digit.extent > 256) break;
        next *= digit.extent;
    }
    Result<TmaPlan> first = Error(errc::internal, -1, "a TMA plan has no first digit");
    for (bool again = false; boxed > 0; --boxed, again = true) {
        Result<TmaPlan> plan = sides.line ? line_plan(r, sides, boxed, swizzle) : tensor_plan(r, sides, boxed, swizzle);
        if (plan) return plan;
        if (!again) first = plan;
    }
    return first;
}

/// May the bytes be copied as those of wider integers? What converts, adds or fills with NaN needs its type.
inline bool only_bytes(const TmaRequest& r)
{
    return r.fill == TmaFill::zero && r.rules.use != TmaUse::reduce && r.type != TmaType::tf32 && r.type != TmaType::tf32_ftz &&
           r.type != TmaType::f32_ftz;
}

} // namespace detail

namespace detail {

/// The plan with the fewest copies of those that were tried; the error of the first where all fail.
struct BestPlan {
    Result<TmaPlan> plan = Error(errc::internal, -1, "no TMA plan was tried");
    bool first = true;

    void consider(const Result<TmaPlan>& next)
    {
        if (next ? !plan || next->issues.size() < plan->issues.size() : first) plan = next;
        first = false;
    }
};

/// Tries all widths of elements on one kind of map: with the dimensions of the tensor, or with memory as a line.
inline void try_maps(const TmaRequest& request, TmaSwizzle swizzle, bool line, BestPlan& best)
{
    const auto sides = tma_sides(request, line);
    if (!sides) return best.consider(sides.error());
    for (int factor = 1; factor <= (only_bytes(request) ? 8 : 1); factor *= 2) {
        TmaSides wider = *sides;
        if (!widen(wider, factor)) break;
        best.consider(longest_plan(request, wider, swizzle));
    }
}

/// A region that begins or ends within a digit of the global layout as pieces that do not, by one map. The pieces have the greatest extent that
/// divides where the region begins and ends, and the digit.
inline Result<TmaPlan> plan_pieces(const TmaRequest& request, TmaSwizzle swizzle, const CutDigit& cut)
{
    TmaPlan all;
    for (std::int64_t i = 0; i < cut.pieces; ++i) {
        const TmaRequest piece = piece_of(request, cut, i);
        const CutDigit within = cut_digit(piece); // of a digit further in
        BestPlan best;
        if (within.pieces > 0)
            best.consider(plan_pieces(piece, swizzle, within));
        else
            try_maps(piece, swizzle, false, best);
        if (!best.plan) return best.plan;
        if (i == 0)
            all = *best.plan;
        else if (!(best.plan->map == all.map) || best.plan->elements != all.elements)
            return Error(
                errc::no_layout, cut.dim,
                "the region of dimension {0} begins or ends within a digit of the global layout, and its parts need several maps",
                cut.dim);
        else if (all.issues.size() + best.plan->issues.size() > static_cast<std::size_t>(most_tma_issues))
            return too_many_issues();
        else {
            all.issues.insert(all.issues.end(), best.plan->issues.begin(), best.plan->issues.end());
            all.bytes += best.plan->bytes;
        }
    }
    return all;
}

} // namespace detail

AXE_DECL Result<TmaPlan> plan_tma(const TmaRequest& request)
{
    if (const Status e = detail::check_tma_request(request); !e.ok()) return e;
    if (const Status e = detail::check_tma_injective(request); !e.ok()) return e;
    // Two packed elements of 4 bits are in a byte: address bits are those of their places, one further down.
    Swizzle of_bytes = request.shared.swizzle;
    if (row(request.type).shared_bits < 8 && of_bytes.bits > 0) --of_bytes.base;
    const auto swizzle = tma_swizzle(of_bytes);
    if (!swizzle) return swizzle.error();

    detail::BestPlan best;
    detail::try_maps(request, *swizzle, false, best);
    const bool stepped = detail::has_steps(request);
    if (!request.rules.strict && row(request.type).bits >= 8 && !stepped) detail::try_maps(request, *swizzle, true, best);
    if (const detail::CutDigit cut = stepped ? detail::CutDigit{} : detail::cut_digit(request); cut.pieces > 0)
        best.consider(detail::plan_pieces(request, *swizzle, cut));
    if (best.plan) best.plan->shared_alignment = std::max(tma_shared_alignment, row(*swizzle).swizzle.period());
    return best.plan;
}

} // namespace v0
} // namespace axe

#endif
