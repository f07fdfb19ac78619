// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_COLLECTIVE_DEVICE_VIEW_HPP
#define AXE_SCHEDULE_COLLECTIVE_DEVICE_VIEW_HPP

#include <axe/layout/compose.hpp>
#include <axe/layout/equal.hpp>
#include <axe/schedule/collective/classify.hpp>
#include <axe/schedule/schedule.hpp>
#include <axe/schedule/values.hpp>

#include <algorithm>

namespace axe {
inline namespace v0 {
namespace detail {

/// The most origins that a view is looked at with, one by one.
inline constexpr std::int64_t origin_limit = 4096;

/// The digits of one dimension of a tensor, as the dimensions of a view step through them from an origin.
inline Result<Layout, Problem> stepped(const std::vector<Iter>& block, const View& view, int dim, std::int64_t origin)
{
    Layout digits, steps;
    for (const Iter& it : block)
        if (!digits.shard.push_back(it)) return Problem(errc::capacity, "a dimension needs too many iters");
    for (int k = 0; k < view.rank(); ++k)
        if (view.dims[k] == dim) steps.shard.push_back({view.extents[k], view.steps[k]});
    if (origin != 0) *steps.offset.entry({}) = origin;
    const auto out = compose(digits, steps);
    if (!out) return out.error();
    return *out;
}

/// The layout of a view, where that of the tensor is `grouped` by its dimensions.
class ViewLayout {
  public:
    ViewLayout(const Request& request, const View& view, const Grouped<Layout>& grouped)
        : request_(&request), view_(&view), tensor_(&request.tensor(view)), grouped_(&grouped)
    {
    }

    Result<Layout, Problem> layout()
    {
        std::vector<std::vector<Iter>> blocks(static_cast<std::size_t>(view_->rank()));
        Layout out;
        out.replica = grouped_->layout.replica;
        out.offset = grouped_->layout.offset;
        for (int d = 0; d < tensor_->shape.size(); ++d)
            if (auto p = dimension(d, blocks, out); !p.ok()) return p;
        for (int k = 0; k < view_->rank(); ++k) {
            auto& block = blocks[static_cast<std::size_t>(k)];
            if (block.empty()) block.push_back({view_->extents[k], 0});
            for (const Iter& it : block)
                if (!out.shard.push_back(it))
                    return Problem(errc::capacity, "the view of {0} needs too many iters", {tensor_->name});
        }
        return out;
    }

  private:
    /// What dimension d of the tensor gives: blocks of iters for the view's dimensions that step through it, and an offset.
    Result<void, Problem> dimension(int d, std::vector<std::vector<Iter>>& blocks, Layout& out)
    {
        const auto block = block_of(*grouped_, d);
        if (std::all_of(block.begin(), block.end(), [](const Iter& it) { return it.stride == 0 || it.extent == 1; })) return {};
        const Values origin = values_of(*request_, view_->origin[static_cast<std::size_t>(d)]);
        std::int64_t low = 0, high = 0;
        Shape extents;
        for (int k = 0; k < view_->rank(); ++k)
            if (view_->dims[k] == d) {
                const std::int64_t footprint = (view_->extents[k] - 1) * view_->steps[k];
                (footprint < 0 ? low : high) += footprint;
                extents.push_back(view_->extents[k]);
            }
        const std::string where = "dimension " + std::to_string(d) + " of " + tensor_->name;
        if (origin.least + low < 0 || origin.greatest + high >= tensor_->shape[d])
            return Problem(errc::out_of_domain, "the view crosses the edge of {0}, which has several owners", {where});
        const auto first = stepped(block, *view_, d, origin.first);
        if (!first) return {first.error().code, where + ": " + first.error().text};
        if (origin.step != 0) {
            const std::int64_t step = std::abs(origin.step), start = origin.first - (origin.first - origin.least) / step * step;
            if ((origin.greatest - start) / step >= origin_limit)
                return Problem(errc::too_hard, "the view starts at more than {0} places of {1}", {origin_limit, where});
            for (std::int64_t o = start; o <= origin.greatest; o += step) {
                const auto moved = stepped(block, *view_, d, o);
                if (!moved) return {moved.error().code, where + ": " + moved.error().text};
                const auto same = equal(*first, *moved);
                if (!same)
                    return Problem(errc::bad_argument,
                                   "the origin in {0} moves the view to other owners: those at {1} are not those at {2}",
                                   {where, o, origin.first});
            }
        }
        const auto cut = group(*first, extents);
        if (!cut) return {cut.error().code, where + ": " + cut.error().message().c_str()};
        for (int k = 0, i = 0; k < view_->rank(); ++k)
            if (view_->dims[k] == d) blocks[static_cast<std::size_t>(k)] = block_of(*cut, i++);
        for (const auto& e : cut->layout.offset) *out.offset.entry(e.axis) += e.value;
        return {};
    }

    const Request* request_;
    const View* view_;
    const ProgramTensor* tensor_;
    const Grouped<Layout>* grouped_;
};

/// The layout of a view of a tensor placed as in `layout`, which may be a separate projection.
inline Result<Layout, Problem> view_layout(const Request& request, const View& view, const Layout& layout)
{
    const ProgramTensor& tensor = request.tensor(view);
    if (is_whole_view(view, tensor.shape)) return layout;
    const auto grouped = group(layout, tensor.shape);
    if (!grouped) return Problem(grouped.error(), layout_of(tensor));
    return ViewLayout(request, view, *grouped).layout();
}

} // namespace detail

/// On which devices the elements of a view are: its tensor's layout on the device axis alone, on the extents of the view.
///
/// The origin may change at run time as long as that moves no element to another device (`errc::bad_argument` with the dimension
/// otherwise). `errc::out_of_domain` when the view crosses an edge that devices share; `errc::not_grouped` for a part of a tensor
/// whose dimensions do not group the layout; the errors of `convert_axes` and of `compose`.
/// Cost: that of composing a dimension, for each of at most 4096 origins.
inline Result<Layout, Problem> device_layout(const Request& request, const View& view)
{
    const ProgramTensor& tensor = request.tensor(view);
    const Axis axis = device_axis(request.machine());
    const std::string where = detail::layout_of(tensor);
    const auto converted = convert_axes(request.machine(), tensor.layout.layout, {axis});
    if (!converted) return Problem(converted.error(), where);
    const auto devices = project(*converted, {axis});
    if (!devices) return Problem(devices.error(), where);
    return detail::view_layout(request, view, *devices);
}

} // namespace v0
} // namespace axe

#endif
