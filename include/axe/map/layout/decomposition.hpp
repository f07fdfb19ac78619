// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_LAYOUT_DECOMPOSITION_HPP
#define AXE_MAP_LAYOUT_DECOMPOSITION_HPP

#include <axe/map/layout/part.hpp>
#include <axe/map/layout/period_splitting.hpp>
#include <axe/map/layout/probe.hpp>
#include <axe/map/layout/progressions.hpp>

/// The layout of a map whose digits are entangled: parts that are not are looked at one by one.
namespace axe {
inline namespace v0 {
namespace detail {

/// R(x) = Σ digit·stride ⊕ parts(x). Each part is written out; what it adds must be a corner for each value of its digits of the
/// dimensions, and one set, a product of sums of progressions. Corners and free digits together must be a D.
class SplitLayout {
  public:
    /// How the digits are taken together: as entangled, those of ranges as one part, or all.
    enum class Join : std::uint8_t { entangled, ranges, all };

    std::vector<ProbedDigit> shard{};
    std::vector<Iter> replicas{};
    std::vector<std::int64_t> origin{};
    bool is_open = false; ///< no answer: another way to take digits together may have one

    SplitLayout(const SplitMap& cut, const std::vector<Axis>& axes, std::int64_t size) : cut_(&cut), axes_(&axes), size_(size) {}

    /// `errc::no_layout` is certain, unless `is_open`.
    Status operator()(Join join)
    {
        if (!cut_->map.pool.error().ok()) return cut_->map.pool.error();
        if (const Status e = find_parts(join); !e.ok()) return e;
        for (const MapPart& p : parts_)
            if (p.points(*cut_) > search_limit) return open();
        int sets = 0;
        for (std::size_t v = 0; v < cut_->digits.size(); ++v)
            sets += part_of_[v] < 0 && cut_->digits[v].kind == SplitVariable::Kind::range && moves(v);
        std::vector<PartDecision> verdicts;
        for (MapPart& p : parts_) {
            verdicts.push_back(p.enumerate(*cut_));
            const PartDecision& v = verdicts.back();
            if (!v.no.ok() && (v.is_certain || v.no.code != errc::no_layout)) return v.no;
            sets += p.has_set() || !v.no.ok();
        }
        for (const PartDecision& v : verdicts)
            if (!v.no.ok()) return sets == 1 ? v.no : open();
        if (const Status e = find_replicas(sets); !e.ok()) return e;
        return find_shard();
    }

  private:
    const SplitMap* cut_;
    const std::vector<Axis>* axes_;
    std::int64_t size_;
    std::vector<MapPart> parts_{};
    std::vector<int> part_of_{};              ///< of each digit; −1 for one that is a summand by itself
    std::vector<std::int64_t> strides_{};     ///< of digit v in result j at v·results + j, for those
    std::vector<std::int64_t> base_{}, at_{}; ///< the results at 0

    [[nodiscard]] std::size_t results() const { return cut_->map.results.size(); }
    [[nodiscard]] std::int64_t stride(std::size_t digit, std::size_t result) const { return strides_[digit * results() + result]; }
    [[nodiscard]] bool moves(std::size_t digit) const
    {
        for (std::size_t j = 0; j < results(); ++j)
            if (stride(digit, j) != 0) return cut_->digits[digit].extent > 1;
        return false;
    }
    Error open()
    {
        is_open = true;
        return Error(errc::too_hard, -1, "the digits of the map are entangled in more than {0} points", search_limit);
    }

    Error open(std::int64_t result)
    {
        is_open = true;
        return Error(errc::too_hard, -1, "whether the values of result {0} at an index are a sum of progressions", result);
    }

    // ---- Parts ------------------------------------------------------------------------------------------------------------------

    Status find_parts(Join join)
    {
        const std::size_t count = cut_->digits.size();
        std::vector<int> root(count);
        for (std::size_t v = 0; v < count; ++v) root[v] = static_cast<int>(v);
        std::vector<bool> is_entangled(count);
        strides_.assign(count * results(), 0);
        const auto entangle = [&](std::int32_t v, std::int32_t& with) {
            is_entangled[static_cast<std::size_t>(v)] = true;
            if (with >= 0)
                std::replace(root.begin(), root.end(), int{root[static_cast<std::size_t>(v)]},
                             int{root[static_cast<std::size_t>(with)]});
            with = v;
        };
        const auto entangle_all = [&](const DigitForm& f, IndexExpr e) {
            const std::vector<bool> used = cut_->variables_in(f, e);
            std::int32_t with = -1;
            for (std::size_t v = 0; v < used.size(); ++v)
                if (used[v]) entangle(static_cast<std::int32_t>(v), with);
            return with;
        };
        for (std::size_t j = 0; j < results(); ++j) {
            const DigitForm& f = cut_->results[j];
            if (!f.is_known()) entangle_all(f, cut_->map.results[j]);
            for (std::int32_t k = 0; k < f.count; ++k) {
                const DigitTerm& t = cut_->read_as.forms.begin(f)[k];
                std::int32_t with = -1;
                if (cut_->is_variable(t.index) && t.step == 1)
                    strides_[static_cast<std::size_t>(t.index) * results() + j] = t.factor;
                else
                    cut_->for_each_variable(t, [&](std::int32_t v) { entangle(v, with); });
            }
        }
        std::vector<std::int32_t> constrained;
        for (std::size_t c = 0; c < cut_->constraints.size(); ++c) {
            const DigitForm& f = cut_->constraints[c];
            const std::int32_t with = entangle_all(f, cut_->map.constraints[c].expression);
            constrained.push_back(with);
            if (with < 0 && !cut_->map.constraints[c].interval.contains(f.constant)) return domain_is_empty();
        }
        std::int32_t joined = -1;
        for (std::size_t v = 0; v < count; ++v)
            if (join == Join::all ||
                (join == Join::ranges && cut_->digits[v].kind != SplitVariable::Kind::dimension && (is_entangled[v] || moves(v))))
                entangle(static_cast<std::int32_t>(v), joined);

        part_of_.assign(count, -1);
        std::vector<int> part_of_root(count, -1);
        for (std::size_t v = 0; v < count; ++v) {
            if (!is_entangled[v]) continue;
            int& part = part_of_root[static_cast<std::size_t>(root[v])];
            if (part < 0) {
                part = static_cast<int>(parts_.size());
                parts_.emplace_back();
            }
            part_of_[v] = part;
            MapPart& p = parts_[static_cast<std::size_t>(part)];
            using Kind = SplitVariable::Kind;
            const Kind kind = cut_->digits[v].kind;
            (kind == Kind::dimension ? p.dimensions : kind == Kind::range ? p.ranges : p.runtimes).push_back(static_cast<int>(v));
        }
        for (std::size_t c = 0; c < constrained.size(); ++c)
            if (constrained[c] >= 0)
                parts_[static_cast<std::size_t>(part_of_[static_cast<std::size_t>(constrained[c])])].constraints.push_back(
                    cut_->map.constraints[c]);
        for (std::size_t v = 0; v < count; ++v)
            if (!is_entangled[v] && cut_->digits[v].kind == SplitVariable::Kind::runtime && moves(v))
                return moved_at_run_time(cut_->digits[v].number);
        find_results();
        at_.assign(count, 0);
        base_.assign(results(), 0);
        IndexEvaluator evaluate(cut_->map.pool, at_.data());
        for (std::size_t j = 0; j < results(); ++j)
            if (!evaluate(cut_->map.results[j], base_[j])) return value_overflows();
        return {};
    }

    /// Which results each part has a digit in.
    void find_results()
    {
        for (std::size_t j = 0; j < results(); ++j) {
            const std::vector<bool> used = cut_->variables_in(cut_->results[j], cut_->map.results[j]);
            for (std::size_t v = 0; v < used.size(); ++v) {
                if (!used[v] || part_of_[v] < 0) continue;
                std::vector<std::size_t>& of = parts_[static_cast<std::size_t>(part_of_[v])].results;
                if (of.empty() || of.back() != j) of.push_back(j);
            }
        }
    }

    // ---- Replicas ---------------------------------------------------------------------------------------------------------------

    Status find_replicas(int sets)
    {
        for (std::size_t v = 0; v < cut_->digits.size(); ++v) {
            if (part_of_[v] >= 0 || cut_->digits[v].kind != SplitVariable::Kind::range) continue;
            int moved = 0;
            for (std::size_t j = 0; j < results(); ++j) {
                if (stride(v, j) == 0) continue;
                if (++moved > 1) // the hull of such a sum has an edge that is parallel to no axis
                    return Error(errc::no_layout, -1, "range variable {0} moves two results together, which a replica cannot do",
                                 cut_->digits[v].number);
                replicas.push_back({cut_->digits[v].extent, stride(v, j), (*axes_)[j]});
            }
        }
        for (const MapPart& p : parts_)
            for (std::size_t k = 0; p.has_set() && k < p.results.size(); ++k) {
                const std::size_t j = p.results[k];
                TermSearch search;
                const Answer answer = search.run(p.column(k));
                if (answer == Answer::no && sets == 1) return no_progressions(static_cast<std::int64_t>(j));
                if (answer != Answer::yes) return open(static_cast<std::int64_t>(j));
                for (const TermSearch::Term& t : search.terms) replicas.push_back({t.extent, t.stride, (*axes_)[j]});
            }
        return {};
    }

    // ---- D ----------------------------------------------------------------------------------------------------------------------

    /// The least values of the results at an index; false when one overflows.
    bool corner_at(std::int64_t index, std::vector<std::int64_t>& out)
    {
        out = base_;
        for (std::size_t v = 0; v < cut_->digits.size(); ++v) {
            const SplitVariable& d = cut_->digits[v];
            if (d.kind != SplitVariable::Kind::dimension) continue;
            at_[v] = index / d.weight % d.extent;
            for (std::size_t j = 0; part_of_[v] < 0 && j < results(); ++j)
                if (!add_product(at_[v], stride(v, j), out[j])) return false;
        }
        for (const MapPart& p : parts_)
            for (std::size_t k = 0, n = p.results.size(), t = p.number_of(at_) * n; k < n; ++k) {
                const std::size_t j = p.results[k];
                std::int64_t moved = 0;
                if (!sub(p.corners[t + k], base_[j], moved) || !add(out[j], moved, out[j])) return false;
            }
        return true;
    }
    Status find_shard()
    {
        const auto corner = [&](std::int64_t index, std::vector<std::int64_t>& out) { return corner_at(index, out); };
        if (const Status e = probe_digits(size_, results(), corner, shard, origin); !e.ok()) return e;
        std::vector<std::int64_t> ends{1}; // of D's digits
        for (std::size_t k = shard.size(); k-- > 0;) ends.push_back(ends.back() * shard[k].extent);
        const auto cuts = [&](std::int64_t q) {
            return std::all_of(ends.begin(), ends.end(), [&](std::int64_t w) { return w % q == 0 || q % w == 0; });
        };
        for (std::size_t v = 0; v < cut_->digits.size(); ++v) {
            const SplitVariable& d = cut_->digits[v];
            if (d.kind != SplitVariable::Kind::dimension) continue;
            if (!cuts(d.weight)) return different_somewhere();
            for (const std::int64_t end : ends) // a free digit is linear: D is on it iff it is where D's digits begin
                if (part_of_[v] < 0 && end / d.weight < d.extent)
                    if (const Status e = compare_at(std::max(end, d.weight)); !e.ok()) return e;
        }
        return compare_parts();
    }
    Status compare_at(std::int64_t index)
    {
        std::vector<std::int64_t> here, expected = origin;
        if (!corner_at(index, here)) return value_overflows();
        return add_digits_at(shard, index, expected) && here == expected ? Error{} : no_value_of_layout(index);
    }
    Status compare_parts()
    {
        std::vector<std::int64_t> expected;
        for (const MapPart& p : parts_) {
            Error found;
            at_.assign(at_.size(), 0);
            p.for_each_corner(at_, [&](std::size_t t) {
                std::int64_t index = 0;
                for (const int digit : p.dimensions)
                    index += at_[static_cast<std::size_t>(digit)] * cut_->digits[static_cast<std::size_t>(digit)].weight;
                expected.assign(results(), 0);
                bool same = add_digits_at(shard, index, expected);
                for (std::size_t k = 0, n = p.results.size(); k < n; ++k) {
                    std::int64_t& e = expected[p.results[k]];
                    same = same && add(e, p.corners[k], e) && e == p.corners[t * n + k];
                    e = 0;
                }
                if (!same || std::any_of(expected.begin(), expected.end(), [](std::int64_t e) { return e != 0; }))
                    found = no_value_of_layout(index);
                return found.ok();
            });
            if (!found.ok()) return found;
        }
        return {};
    }
    /// D's digits and those of the map have no common refinement: hardly ever are they one function.
    Status different_somewhere()
    {
        std::uint64_t state = 0;
        for (int i = 0; i < 256; ++i) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            if (const Status e = compare_at(static_cast<std::int64_t>((state >> 1) % static_cast<std::uint64_t>(size_))); !e.ok())
                return e;
        }
        return open();
    }
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
