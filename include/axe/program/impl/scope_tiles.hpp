// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_IMPL_SCOPE_TILES_HPP
#define AXE_PROGRAM_IMPL_SCOPE_TILES_HPP

#include <axe/program/kernel.hpp>
#include <axe/program/messages.hpp>

#include <cmath>

/// How a scope takes tiles, slices and elements of views. Nothing here is for users.
namespace axe {
inline namespace v0 {

AXE_DECL ViewRef ViewRef::subview(const std::vector<Affine>& offsets, const Shape& sizes, const Shape& strides) const
{
    const std::string& name = kernel_->program_.tensors[static_cast<std::size_t>(view_.tensor)].name;
    const int rank = view_.rank();
    const auto given = std::find_if(strides.begin(), strides.end(), [](std::int64_t s) { return s < 1; });
    if (static_cast<int>(offsets.size()) != rank || sizes.size() != rank || (!strides.empty() && strides.size() != rank)) {
        kernel_->refuse(errc::rank_mismatch,
                        detail::worded("a slice of {0} has {1} offsets, {2} sizes and {3} strides; it has {4} dimensions",
                                       {name, offsets.size(), sizes.size(), strides.empty() ? rank : strides.size(), rank}));
        return *this;
    }
    if (given != strides.end()) {
        kernel_->refuse(errc::bad_argument,
                        detail::worded("a slice of {0} has the stride {1}; it must be at least 1", {name, *given}));
        return *this;
    }
    ViewRef out = *this;
    for (int k = 0; k < rank; ++k) {
        const std::int64_t stride = strides.empty() ? 1 : strides[k];
        const Affine& offset = offsets[static_cast<std::size_t>(k)];
        if (sizes[k] < 1) {
            kernel_->refuse(errc::bad_extent, empty_view_text(name, sizes[k], k));
            return *this;
        }
        const std::int64_t first = kernel_->lowest(offset);
        const std::int64_t last = limited_sum(kernel_->highest(offset), limited_product(sizes[k] - 1, stride));
        if ((first < 0 || last >= view_.extents[k]) && (offset.is_constant() || !kernel_->is_whole(view_, k))) {
            kernel_->refuse(errc::out_of_domain,
                            detail::worded("a slice of {0} goes from {1} to {2} in dimension {3}, which has {4} indices",
                                           {name, first, last, k, view_.extents[k]}));
            return *this;
        }
        out.view_.extents[k] = sizes[k];
        if (view_.dims[k] < 0) continue; // the elements repeat
        out.view_.origin[static_cast<std::size_t>(view_.dims[k])] += offset * view_.steps[k];
        out.view_.steps[k] = limited_product(view_.steps[k], stride);
    }
    return out;
}

AXE_DECL bool Kernel::is_whole(const View& view, int k) const
{
    const int d = view.dims[k];
    return d >= 0 && view.steps[k] == 1 && view.origin[static_cast<std::size_t>(d)] == Affine(0) &&
           view.extents[k] == program_.tensors[static_cast<std::size_t>(view.tensor)].shape[d];
}

/// What is known while the kernel is written stays as it is; what the run computes, and what of the other may be outside of a view that is
/// a part of its tensor, becomes an index with that range.
AXE_DECL Affine Scope::coordinate(const Expression& value, std::int64_t count, bool is_whole, std::string name, SourceLine at)
{
    using Kind = Expression::Kind;
    const bool whole_number =
        value.kind == Kind::number && value.number == std::floor(value.number) && std::fabs(value.number) < 0x1p53;
    if (whole_number) return static_cast<std::int64_t>(value.number);
    if (value.kind == Kind::affine) {
        const bool inside = kernel_->lowest(value.affine) >= 0 && kernel_->highest(value.affine) < count;
        if (inside || is_whole || value.affine.is_constant()) return value.affine;
    }
    return index(value, 0, count, std::move(name), at);
}

AXE_DECL std::vector<Affine> Scope::tile_offsets(const ViewRef& x, const Shape& tile, const TileIndex& index, SourceLine at)
{
    const View& view = x.view();
    const std::string& name = kernel_->program_.tensors[static_cast<std::size_t>(view.tensor)].name;
    const int rank = view.rank();
    bool divides = tile.size() == rank;
    Shape counts;
    for (int k = 0; divides && k < rank; ++k) {
        divides = tile[k] >= 1 && view.extents[k] % tile[k] == 0;
        if (divides) counts.push_back(view.extents[k] / tile[k]);
    }
    if (!divides) {
        kernel_->refuse(errc::size_mismatch, detail::worded("tiles of {0} do not divide {1}, which is {2}",
                                                            {detail::shape_words(tile), name, detail::shape_words(view.extents)}));
        return {};
    }
    const auto outside = [&](std::int64_t i, std::int64_t count, int k) {
        kernel_->refuse(
            errc::out_of_domain,
            k < 0 ? detail::worded("tile {0} of {1} is outside of its {2} tiles", {i, name, count})
                  : detail::worded("tile {0} of {1} in dimension {2} is outside of its {3} tiles there", {i, name, k, count}));
    };
    std::vector<Affine> out;
    if (!index.is_number) {
        if (static_cast<int>(index.values.size()) != rank) {
            kernel_->refuse(errc::rank_mismatch, detail::worded("a tile of {0} has {1} indices; it has {2} dimensions",
                                                                {name, index.values.size(), rank}));
            return {};
        }
        for (int k = 0; k < rank; ++k) {
            const Affine i = coordinate(index.values[static_cast<std::size_t>(k)], counts[k], kernel_->is_whole(view, k),
                                        name + "_tile" + std::to_string(k), at);
            if (i.is_constant() && (i.constant() < 0 || i.constant() >= counts[k])) {
                outside(i.constant(), counts[k], k);
                return {};
            }
            out.push_back(i * tile[k]);
        }
        return out;
    }
    const std::int64_t count = volume(counts).value_or(0);
    const Affine number = coordinate(index.values[0], count, false, name + "_tile", at);
    if (number.is_constant() && (number.constant() < 0 || number.constant() >= count)) {
        outside(number.constant(), count, -1);
        return {};
    }
    std::int64_t after = 1; // tiles from one to the next in the dimension
    for (int k = rank - 1; k >= 0; --k) {
        Affine i = 0;
        if (number.is_constant())
            i = number.constant() / after % counts[k];
        else if (counts[k] == count)
            i = number;
        else if (counts[k] > 1) {
            Expression digit = number;
            if (after > 1) digit = floor_div(std::move(digit), static_cast<double>(after));
            if (after * counts[k] < count) digit = floor_mod(std::move(digit), static_cast<double>(counts[k]));
            i = this->index(std::move(digit), 0, counts[k], name + "_tile" + std::to_string(k), at);
        }
        out.insert(out.begin(), i * tile[k]);
        after *= counts[k];
    }
    return out;
}

AXE_DECL ViewRef Scope::extract_tile(const ViewRef& x, const Shape& tile, const TileIndex& index, SourceLine at)
{
    const std::vector<Affine> offsets = tile_offsets(x, tile, index, at);
    return offsets.empty() && x.view().rank() > 0 ? x : x.subview(offsets, tile);
}
AXE_DECL Scope& Scope::insert_tile(const ViewRef& x, const ViewRef& tile, const TileIndex& index, SourceLine at)
{
    const ViewRef d = extract_tile(x, tile.shape(), index, at);
    return insert(d, tile, at);
}
AXE_DECL Scope& Scope::insert(const ViewRef& d, const ViewRef& a, SourceLine at)
{
    const auto tensor = [&](const ViewRef& v) -> const ProgramTensor& { return tensor_of(kernel_->program_, v.view()); };
    if (a.kernel() == kernel_ && tensor(d).dtype != tensor(a).dtype)
        kernel_->refuse(errc::bad_argument,
                        detail::worded("{0} is of {1} and is inserted into {2}, which is of {3}",
                                       {tensor(a).name, axe::name(tensor(a).dtype), tensor(d).name, axe::name(tensor(d).dtype)}));
    return copy(d, a, {}, at);
}

AXE_DECL ViewRef Scope::extract_slice(const ViewRef& x, const std::vector<Expression>& offsets, const Shape& sizes,
                                      const Shape& strides, SourceLine at)
{
    const View& view = x.view();
    const std::string& name = kernel_->program_.tensors[static_cast<std::size_t>(view.tensor)].name;
    const int rank = view.rank();
    std::vector<Affine> from;
    for (std::size_t k = 0; k < offsets.size(); ++k) {
        const int d = static_cast<int>(k);
        const bool known = d < rank && d < sizes.size() && (strides.empty() || d < strides.size());
        const std::int64_t stride = !known || strides.empty() ? 1 : strides[d];
        const std::int64_t span = known ? limited_product(std::max<std::int64_t>(1, sizes[d]) - 1, stride) : 0;
        const std::int64_t count = known ? std::max<std::int64_t>(1, view.extents[d] - span) : 1;
        from.push_back(coordinate(offsets[k], count, known && kernel_->is_whole(view, d), name + "_from" + std::to_string(k), at));
    }
    return x.subview(from, sizes, strides);
}
AXE_DECL Scope& Scope::insert_slice(const ViewRef& x, const ViewRef& slice, const std::vector<Expression>& offsets,
                                    const Shape& strides, SourceLine at)
{
    const ViewRef d = extract_slice(x, offsets, slice.shape(), strides, at);
    return insert(d, slice, at);
}

AXE_DECL ViewRef Scope::element_of(const ViewRef& x, const std::vector<Expression>& index, SourceLine at)
{
    Shape one;
    for (int k = 0; k < x.view().rank(); ++k) one.push_back(1);
    ViewRef out = extract_slice(x, index, one, {}, at);
    if (!(out.view().extents == one)) return out; // refused
    return out(std::vector<Interval>(static_cast<std::size_t>(one.size()), Interval(0)));
}
AXE_DECL Expression Scope::extract_element(const ViewRef& x, const std::vector<Expression>& index, SourceLine at)
{
    return axe::load(element_of(x, index, at));
}

} // namespace v0
} // namespace axe

#endif
