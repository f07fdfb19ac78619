// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_LAYOUT_REFUTATION_HPP
#define AXE_MAP_LAYOUT_REFUTATION_HPP

#include <axe/map/box.hpp>
#include <axe/map/empty.hpp>
#include <axe/map/evaluate.hpp>
#include <axe/map/layout/probe.hpp>
#include <axe/map/variables_of.hpp>

/// A witness that a map is not a layout's, where it has too many points to be written out.
namespace axe {
inline namespace v0 {
namespace detail {

/// At some indices the set is asked for its box. Sets of a layout are translates of one product of sums of progressions: the boxes
/// are equal but for a corner that is a D, their corners are points of the set, and so is the mirror image of each point.
class LayoutRefutation {
  public:
    /// @param map  its domain narrowed to its box hull; where run-time variables have a choice in it, there is no answer
    LayoutRefutation(const IndexingMap& map, const DigitVariables& flat) : map_(map), flat_(&flat) {}

    /// The reason, if one was found.
    Status operator()()
    {
        std::vector<std::int64_t> low;
        if (has_runtime_choice()) return {};
        if (!box_at(0, low)) return reason_;
        if (Status e = refute_set(low); !e.ok()) return e;
        samples_ = {flat_->flat_size - 1};
        for (const FlatDimension& d : flat_->dimensions) {
            samples_.push_back(d.weight * (d.extent - 1));
            samples_.push_back(flat_->flat_size - 1 - d.weight * (d.extent - 1));
            samples_.push_back(d.weight * (d.extent / 2));
            samples_.push_back(d.extent > 1 ? d.weight : 0);
        }
        std::uint64_t state = 1;
        for (int i = 0; i < random_samples; ++i) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            samples_.push_back(static_cast<std::int64_t>((state >> 1) % static_cast<std::uint64_t>(flat_->flat_size)));
        }
        for (const std::int64_t index : samples_)
            if (!box_at(index, low)) return reason_;
        return refute_corners();
    }

  private:
    static constexpr int random_samples = 8;
    static constexpr int inner_points = 8;
    static constexpr int most_boxes = 256;

    IndexingMap map_;
    const DigitVariables* flat_;
    std::vector<IndexInterval> spans_{}; ///< the box at index 0
    std::vector<std::int64_t> samples_{};
    Error reason_{};
    int boxes_ = 0;

    [[nodiscard]] bool has_runtime_choice() const
    {
        const auto has = [&](IndexExpr e) {
            const std::vector<bool> used = variables_of(map_, e);
            for (std::size_t v = static_cast<std::size_t>(map_.first_runtime()); v < used.size(); ++v)
                if (used[v] && !map_.variables[v].bounds.is_point()) return true;
            return false;
        };
        return std::any_of(map_.results.begin(), map_.results.end(), has) ||
               std::any_of(map_.constraints.begin(), map_.constraints.end(),
                           [&](const IndexConstraint& c) { return has(c.expression); });
    }
    /// The corner of the box at an index. False when the box is not found, or is not a translate of the one at 0, which is asked for
    /// first: then there is a reason.
    bool box_at(std::int64_t index, std::vector<std::int64_t>& low)
    {
        if (++boxes_ > most_boxes) return false;
        for (std::size_t d = 0; d < flat_->dimensions.size(); ++d) {
            const std::int64_t at = flat_->dimensions[d].at(index);
            map_.variables[d].bounds = {at, at};
        }
        const auto box = image_box(map_);
        if (!box) return false;
        if (boxes_ == 1) spans_ = *box;
        low.clear();
        for (std::size_t j = 0; j < box->size() && reason_.ok(); ++j) {
            const IndexInterval &here = (*box)[j], &first = spans_[j];
            low.push_back(here.low);
            using Wide = DigitForms::Wide;
            if (here.is_empty())
                reason_ = domain_has_gaps();
            else if (Wide(here.high) - here.low != Wide(first.high) - first.low)
                reason_ = no_translate(index);
        }
        return reason_.ok();
    }
    /// Is the point certainly not one of the set at the index that is fixed?
    [[nodiscard]] bool lacks(const std::vector<std::int64_t>& point) const
    {
        IndexingMap m = map_;
        for (std::size_t j = 0; j < point.size(); ++j) m.constraints.push_back({m.results[j], {point[j], point[j]}});
        return is_empty(m).yes();
    }
    /// Of the set at index 0: its corners, and mirror images of some points, one result at a time.
    Status refute_set(const std::vector<std::int64_t>& low)
    {
        std::vector<std::int64_t> high = low;
        for (std::size_t j = 0; j < low.size(); ++j) {
            std::vector<std::int64_t> corner = low;
            corner[j] = high[j] = spans_[j].high;
            if (low[j] != high[j] && lacks(corner)) return no_product();
        }
        if (lacks(low) || lacks(high)) return no_product();
        for (int k = 0; k < inner_points; ++k) {
            const std::vector<std::int64_t> point = find_inner(k);
            for (std::size_t j = 0; j < point.size(); ++j) {
                std::vector<std::int64_t> mirrored = point;
                using Wide = DigitForms::Wide;
                if (narrow(Wide(low[j]) + high[j] - point[j], mirrored[j]) && lacks(mirrored))
                    return no_progressions(static_cast<std::int64_t>(j));
            }
        }
        return {};
    }
    /// A point of the set at index 0 that comes from the inside of the range variables, if the domain has that.
    [[nodiscard]] std::vector<std::int64_t> find_inner(std::int64_t k) const
    {
        std::vector<std::int64_t> at;
        for (const IndexVariable& v : map_.variables) {
            std::int64_t size = 0;
            if (!sub(v.bounds.high, v.bounds.low, size)) return {};
            at.push_back(v.bounds.low + std::min(size, size / 3 + k));
        }
        const auto values = evaluate(map_, at);
        return values ? *values : std::vector<std::int64_t>{};
    }
    /// Are the corners at the samples those of the only D that they can be?
    Status refute_corners()
    {
        std::vector<ProbedDigit> digits;
        std::vector<std::int64_t> origin, low;
        bool is_found = true;
        const auto corner = [&](std::int64_t index, std::vector<std::int64_t>& out) {
            is_found = is_found && box_at(index, out);
            return is_found;
        };
        const Status e = probe_digits(flat_->flat_size, map_.results.size(), corner, digits, origin);
        if (!is_found) return reason_;
        if (!e.ok()) return e;
        for (const std::int64_t index : samples_) {
            if (!box_at(index, low)) return reason_;
            std::vector<std::int64_t> expected = origin;
            if (!add_digits_at(digits, index, expected) || expected != low) return no_value_of_layout(index);
        }
        return {};
    }
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
