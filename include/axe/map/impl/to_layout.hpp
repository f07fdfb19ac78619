// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_IMPL_TO_LAYOUT_HPP
#define AXE_MAP_IMPL_TO_LAYOUT_HPP

#include <axe/layout/canonicalize.hpp>
#include <axe/map/equal.hpp>
#include <axe/map/layout/axes.hpp>
#include <axe/map/layout/box_hull.hpp>
#include <axe/map/layout/decomposition.hpp>
#include <axe/map/layout/probe.hpp>
#include <axe/map/layout/refutation.hpp>
#include <axe/map/mixed_radix/writer.hpp>
#include <axe/map/to_layout.hpp>
#include <axe/support/errors.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// One index cut where any of several forms has a step: digits from the inside out, with the only form in which each moves; −1 where
/// it moves in more.
struct SharedDigits {
    std::vector<std::int64_t> step{};
    std::vector<ResultStride> stride{};
};

class LayoutFinder {
  public:
    /// @param map  its domain narrowed to its box hull
    LayoutFinder(const IndexingMap& map, const std::vector<Axis>& axes)
        : map_(&map), axes_(&axes), variables_(map.variables, map.dimensions)
    {
    }

    Result<Layout> operator()()
    {
        if (!variables_.is_flat) return Error(errc::overflow, -1, "the number of points of the dimensions overflows");
        DigitReader read(variables_, map_->pool);
        bool is_plain = map_->constraints.empty(); // every form is one of variables alone
        for (const IndexExpr e : map_->results) {
            forms_.push_back(read(e));
            is_plain = is_plain && is_sum_of_variables(forms_.back());
        }
        Result<Layout> made{Layout{}};
        Status e = is_plain ? from_forms(*made) : from_values(*made);
        if (e.code() == errc::too_hard) e = from_parts(*made);
        if (e.ok()) e = add_replicas(*made);
        if (!e.ok()) return e;
        return canonicalize(*made);
    }

  private:
    [[nodiscard]] bool is_sum_of_variables(const DigitForm& f) const
    {
        if (!f.is_known()) return false;
        const DigitForms& forms = variables_.forms;
        return std::all_of(forms.begin(f), forms.end(f), [&](const DigitTerm& t) {
            return t.index < variables_.variable_indices() && (t.shift == 0 || t.index != 0);
        });
    }

    Status from_forms(Layout& out)
    {
        std::vector<ProbedDigit> digits;
        for (std::int32_t i = variables_.variable_indices() - 1; i >= 0; --i) {
            SharedDigits d;
            if (i > 0 && variables_.variable_of(i) >= map_->first_runtime()) {
                for (const DigitForm& f : forms_)
                    for (const DigitTerm* t = variables_.forms.begin(f); t != variables_.forms.end(f); ++t)
                        if (t->index == i) return unseen();
                continue;
            }
            if (const Status e = cut(i, d); !e.ok()) return e;
            if (const Status e = i == 0 ? find_shard(d, digits) : add_replica(i, d, out); !e.ok()) return e;
        }
        std::vector<std::int64_t> origin;
        for (const DigitForm& f : forms_) origin.push_back(f.constant);
        return take(digits, origin, out);
    }

    /// The steps of index i in all results, and the strides. Where the steps do not divide one another, the error for that.
    Status cut(std::int32_t i, SharedDigits& d) const
    {
        using Wide = DigitForms::Wide;
        const DigitForms& forms = variables_.forms;
        d.step.assign(1, 1);
        for (const DigitForm& f : forms_)
            for (const DigitTerm* t = forms.begin(f); t != forms.end(f); ++t) {
                if (t->index != i) continue;
                if (t->shift != 0) return unseen();
                const auto at = std::lower_bound(d.step.begin(), d.step.end(), t->step);
                if (at == d.step.end() || *at != t->step) d.step.insert(at, t->step);
            }
        for (std::size_t k = 1; k < d.step.size(); ++k)
            if (d.step[k] % d.step[k - 1] != 0)
                return i != 0 ? unseen()
                              : Error(errc::no_layout, -1, "the digits of the map end at {0} and {1}: neither divides the other",
                                      d.step[k - 1], d.step[k]);
        // A floor counts steps of its own in every digit outside: sums that may be large on the way.
        const std::size_t count = forms_.size();
        std::vector<Wide> stride(d.step.size() * count);
        for (std::size_t j = 0; j < count; ++j)
            for (const DigitTerm* t = forms.begin(forms_[j]); t != forms.end(forms_[j]); ++t)
                for (std::size_t k = 0; t->index == i && k < d.step.size(); ++k)
                    if (d.step[k] >= t->step && !add_product(Wide(t->factor), Wide(d.step[k] / t->step), stride[k * count + j]))
                        return unseen();
        d.stride.resize(d.step.size());
        for (std::size_t at = 0; at < stride.size(); ++at) {
            ResultStride& s = d.stride[at / count];
            std::int64_t here = 0;
            if (!narrow(stride[at], here)) return value_overflows();
            if (here != 0) s = {s.stride == 0 ? static_cast<int>(at % count) : -1, here};
        }
        return {};
    }
    /// That of the result; any one for what moves nothing.
    [[nodiscard]] Axis axis_of(const ResultStride& s) const
    {
        return s.stride == 0 ? Axis{} : (*axes_)[static_cast<std::size_t>(s.result)];
    }
    Status find_shard(const SharedDigits& d, std::vector<ProbedDigit>& out) const
    {
        const std::int64_t size = variables_.flat_size;
        if (size % d.step.back() != 0)
            return Error(errc::no_layout, -1, "a digit of the map ends at {0}, which does not divide the {1} points", d.step.back(),
                         size);
        for (std::size_t k = d.step.size(); k-- > 0;) {
            const ResultStride& s = d.stride[k];
            if (s.result < 0)
                return Error(errc::no_layout, -1, "the digit of the row-major index from {0} on moves in more than one result",
                             d.step[k]);
            out.push_back({(k + 1 == d.step.size() ? size : d.step[k + 1]) / d.step[k], s});
        }
        return {};
    }
    Status add_replica(std::int32_t i, const SharedDigits& d, Layout& out)
    {
        const DigitIndex& u = variables_.forms.index(i);
        for (std::size_t k = 0; k < d.step.size(); ++k) {
            const ResultStride& s = d.stride[k];
            const bool is_last = k + 1 == d.step.size();
            const std::int64_t low = is_last ? floor_div(u.low, d.step[k]) : 0;
            std::int64_t extent = is_last ? floor_div(u.high, d.step[k]) : d.step[k + 1] / d.step[k] - 1;
            if (!sub(extent, low, extent) || !add(extent, std::int64_t{1}, extent)) return result_overflow();
            if (s.result < 0) return unseen();
            if (s.stride == 0) continue;
            // Digits inside another take all their values only where the interval is one of whole steps.
            if (!is_last && (floor_mod(u.low, d.step.back()) != 0 || floor_mod(u.high, d.step.back()) != d.step.back() - 1))
                return unseen();
            const Axis axis = axis_of(s);
            std::int64_t start = 0;
            if (!mul(low, s.stride, start)) return result_overflow();
            if (const Status e = add_offset(out.offset, axis, start); !e.ok()) return e;
            replicas_.push_back({extent, s.stride, axis});
        }
        return {};
    }
    /// Canonical, so that only as many are counted as there are.
    Status add_replicas(Layout& out)
    {
        int count = static_cast<int>(replicas_.size());
        if (const Status e = canonical_replica(replicas_.data(), count, out.offset); !e.ok()) return e;
        for (int i = 0; i < count; ++i)
            if (!out.replica.push_back(replicas_[static_cast<std::size_t>(i)])) return replica_capacity<Layout>();
        return {};
    }

    /// Of maps whose digits are entangled.
    Status from_parts(Layout& out)
    {
        using Join = SplitLayout::Join;
        out = {};
        Status open;
        for (const Join join : {Join::entangled, Join::ranges, Join::all}) {
            SplitMap cut(*map_, variables_);
            if (join != Join::all) PeriodSplitter(cut).run();
            SplitLayout split(cut, *axes_, variables_.flat_size);
            const Status e = split(join);
            if (split.is_open) {
                open = e;
                continue;
            }
            if (!e.ok()) return e;
            replicas_ = std::move(split.replicas);
            return take(split.shard, split.origin, out);
        }
        const Status no = LayoutRefutation(*map_, variables_)();
        return !no.ok() ? no : open;
    }
    Status take(const std::vector<ProbedDigit>& digits, const std::vector<std::int64_t>& origin, Layout& out) const
    {
        for (const ProbedDigit& d : digits)
            if (!append(out.shard, d.extent, d.stride.stride, axis_of(d.stride))) return shard_capacity<Layout>();
        for (std::size_t j = 0; j < origin.size(); ++j)
            if (const Status e = add_offset(out.offset, (*axes_)[j], origin[j]); !e.ok()) return e;
        return {};
    }

    /// Of functions of the dimensions alone.
    Status from_values(Layout& out)
    {
        bool is_function = map_->constraints.empty();
        for (std::size_t v = static_cast<std::size_t>(map_->dimensions); v < map_->variables.size(); ++v)
            is_function = is_function && map_->variables[v].bounds.is_point();
        if (!is_function) return unseen();
        std::vector<ProbedDigit> digits;
        std::vector<std::int64_t> origin;
        const Status e = probe_layout(map_->pool, map_->results, map_->variables, variables_, digits, origin);
        if (!e.ok() && (e.code() != errc::too_hard || digits.empty())) return e;
        if (!e.ok())
            if (const Status f = prove(digits, origin); !f.ok()) return f;
        return take(digits, origin, out);
    }

    /// The map and the digits found are compared as maps.
    Status prove(const std::vector<ProbedDigit>& digits, const std::vector<std::int64_t>& origin)
    {
        IndexingMap found = IndexingMap::of_variables(*map_);
        DigitWriter write(variables_, found.pool);
        for (std::size_t j = 0; j < origin.size(); ++j)
            found.results.push_back(write(form_of_digits(variables_.forms, digits, origin, static_cast<int>(j))));
        if (!found.pool.error().ok()) return found.pool.error();
        const MapDecision same = equal(*map_, found);
        if (same.undecided()) return same.error();
        if (same) return {};
        return no_value_of_layout(variables_.index_of(same.witness().point));
    }

    const IndexingMap* map_;
    const std::vector<Axis>* axes_;
    DigitVariables variables_;
    std::vector<DigitForm> forms_{};
    std::vector<Iter> replicas_{};
};

} // namespace detail

AXE_DECL Result<Layout> from_map(const IndexingMap& map, const std::vector<Axis>& axes)
{
    using namespace detail;
    if (map.is_undefined) return detail::undefined_map();
    if (!map.pool.error().ok()) return map.pool.error();
    if (!axes.empty() && axes.size() != map.results.size())
        return Error(errc::rank_mismatch, -1, "the map has {0} results, but {1} axes are named",
                     static_cast<std::int64_t>(map.results.size()), static_cast<std::int64_t>(axes.size()));
    const std::vector<Axis> named = axes.empty() ? result_axes(map.results.size()) : axes;
    if (const Status e = check_axes_distinct(named); !e.ok()) return e;
    if (map.has_empty_interval()) return domain_is_empty();
    if (map.constraints.empty()) return LayoutFinder(map, named)();
    IndexingMap narrowed = map;
    if (const Status e = narrow_to_box_hull(narrowed); !e.ok()) return e;
    return LayoutFinder(narrowed, named)();
}

} // namespace v0
} // namespace axe

#endif
