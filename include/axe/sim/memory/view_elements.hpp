// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_MEMORY_VIEW_ELEMENTS_HPP
#define AXE_SIM_MEMORY_VIEW_ELEMENTS_HPP

#include <axe/sim/memory/access.hpp>
#include <axe/sim/memory/words.hpp>

#include <algorithm>
#include <vector>

namespace axe {
inline namespace v0 {
namespace sim {

/// Where an element of a view is while the view's origin is at a reference, whichever lane takes it.
struct ViewElement {
    std::int64_t place = 0;              ///< its address − low
    std::int32_t agent = 0, lane = 0;    ///< of a register: the first holder
    bool known = false, nowhere = false; ///< asked for; no place follows, as the coordinate is outside the tensor
    bool inside = false;                 ///< of a register: the tensor has such an element
};

/// The spots of a view's elements. Lanes take elements more than once, so that each of them is found once and kept.
class ViewElements {
  public:
    ViewElements() = default;
    /// `kept`: the number of elements; 0: nothing is kept.
    ViewElements(const TensorPlan& plan, const View& view, const std::vector<std::int64_t>& reference, std::int64_t kept)
        : plan_(&plan), view_(&view), reference_(reference), kept_(kept > 0), offsets_(reference.size())
    {
        spots_.resize(kept_ ? static_cast<std::size_t>(kept) : 1);
        coords_.resize(spots_.size() * reference_.size());
        if (kept_) find_all();
    }

    const ViewElement& operator()(std::int64_t index)
    {
        ViewElement& s = spots_[kept_ ? static_cast<std::size_t>(index) : 0];
        if (!kept_) find(index, s);
        s.known = true;
        return s;
    }
    /// Of a spot's coordinate from the origin, one a dimension.
    [[nodiscard]] const std::int32_t* offset(const ViewElement& s) const noexcept
    {
        return coords_.data() + static_cast<std::size_t>(&s - spots_.data()) * reference_.size();
    }

    /// Those of all elements that were asked for, in one dimension, ascending, each once.
    [[nodiscard]] const std::vector<std::int64_t>& offsets(int d)
    {
        auto& of = offsets_[static_cast<std::size_t>(d)];
        if (kept_ && of.empty())
            for (const ViewElement& s : spots_)
                if (s.known) note(offset(s)[d], of);
        keep_each_once(of);
        return of;
    }

    [[nodiscard]] std::string coordinate(const ViewElement& s) const
    {
        std::int64_t coord[max_rank];
        for (std::size_t d = 0; d < reference_.size(); ++d) coord[d] = reference_[d] + offset(s)[d];
        return coord_text(coord, static_cast<int>(reference_.size()));
    }

  private:
    static void keep_each_once(std::vector<std::int64_t>& of)
    {
        std::sort(of.begin(), of.end());
        of.erase(std::unique(of.begin(), of.end()), of.end());
    }

    static void note(std::int64_t offset, std::vector<std::int64_t>& of)
    {
        if (!of.empty() && of.back() == offset) return;
        if (of.size() == of.capacity()) keep_each_once(of); // it would grow
        of.push_back(offset);
    }

    /// Element after element: neighbors differ in one coordinate.
    void find_all()
    {
        const int dims = static_cast<int>(reference_.size()), last = view_->rank() - 1;
        const std::int64_t row = last < 0 ? 1 : view_->extents[last];
        const int moved = last < 0 ? -1 : view_->dims[last];
        for (std::size_t i = 0; i < spots_.size();) {
            std::int64_t offset[max_rank];
            view_offset(*view_, static_cast<std::int64_t>(i), offset, dims);
            for (std::int64_t k = 0; k < row; ++k) {
                find(offset, spots_[i++]);
                if (moved >= 0) offset[moved] += view_->steps[last];
            }
        }
    }
    void find(std::int64_t index, ViewElement& s)
    {
        std::int64_t offset[max_rank];
        view_offset(*view_, index, offset, static_cast<int>(reference_.size()));
        for (std::size_t d = 0; d < reference_.size(); ++d) note(offset[d], offsets_[d]);
        find(offset, s);
    }
    void find(const std::int64_t* offset, ViewElement& s)
    {
        s = {};
        std::int32_t* offsets = coords_.data() + static_cast<std::size_t>(&s - spots_.data()) * reference_.size();
        std::int64_t coord[max_rank];
        for (std::size_t d = 0; d < reference_.size(); ++d) {
            offsets[d] = static_cast<std::int32_t>(offset[d]);
            coord[d] = reference_[d] + offset[d];
        }
        s.nowhere = !place_of(coord, s.place);
        if (s.nowhere || plan_->owner != Owner::lane) return;
        s.inside = is_inside(plan_->tensor->shape, coord);
        if (!s.inside) return;
        s.agent = static_cast<std::int32_t>(plan_->agent(coord));
        s.lane = static_cast<std::int32_t>(plan_->lane(coord));
    }

    /// The place of a coordinate, also where it is outside the tensor, as far as the map is linear there.
    bool place_of(const std::int64_t* coord, std::int64_t& place) const
    {
        const AxisMap& map = plan_->address;
        if (!map.flat.empty()) {
            if (!is_inside(map.shape, coord)) return false;
            place = map(coord) - plan_->low;
            return true;
        }
        place = map.constant + map.copies.front() - plan_->low;
        for (std::size_t d = 0; d < map.dims.size(); ++d) {
            if (!map.dims[d].is_linear() && (coord[d] < 0 || coord[d] >= map.shape[static_cast<int>(d)])) return false;
            const std::int64_t more =
                map.dims[d].is_linear() ? limited_product(coord[d], map.dims[d].stride) : map.dims[d](coord[d]);
            place = limited_sum(place, more);
        }
        return true;
    }

    const TensorPlan* plan_ = nullptr;
    const View* view_ = nullptr;
    std::vector<std::int64_t> reference_{};
    bool kept_ = false;
    std::vector<std::vector<std::int64_t>> offsets_{}; ///< of each dimension
    std::vector<ViewElement> spots_{};                 ///< by element; or the one last asked for
    std::vector<std::int32_t> coords_{};               ///< [spot][dimension]: offsets
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
