// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_IMPL_FOLD_RUNTIME_HPP
#define AXE_MAP_IMPL_FOLD_RUNTIME_HPP

#include <axe/map/fold_runtime.hpp>
#include <axe/map/impl/fused_map.hpp>
#include <axe/map/range/expression_ranges.hpp>

#include <optional>

namespace axe {
inline namespace v0 {
namespace detail {

/// Elements of a graph's arrays as expressions of one map's variables.
class ElementReader {
  public:
    ElementReader(const IndexGraph& graph, IndexPool& pool) : graph_(&graph), pool_(&pool) {}

    struct ArrayElement {
        GraphValue value{};
        std::vector<IndexExpr> index{};
        friend bool operator==(const ArrayElement&, const ArrayElement&) = default;
    };

    /// Goes back through operations that only move elements.
    [[nodiscard]] ArrayElement origin(ArrayElement place)
    {
        while (true) {
            const IndexingMap& value = graph_->result(place.value).value;
            if (value.is_undefined || value.pool[value.results[0]].op != IndexOp::variable) return place;
            const int k = static_cast<int>(value.pool[value.results[0]].value) - value.first_runtime();
            std::optional<ArrayElement> operand = k < 0 ? std::nullopt : read(place, k);
            if (!operand) return place;
            place = std::move(*operand);
        }
    }

    /// The element at a place, if it is made of constants, iotas and arithmetic alone.
    std::optional<IndexExpr> element(const ArrayElement& place)
    {
        for (const auto& [at, element] : known_)
            if (at == place) return element;
        std::optional<IndexExpr> out = computed(place);
        known_.emplace_back(place, out);
        return out;
    }

  private:
    std::optional<IndexExpr> computed(const ArrayElement& place)
    {
        const IndexingMap& value = graph_->result(place.value).value;
        if (value.is_undefined) return std::nullopt;
        const std::vector<bool> mentioned = variables_of(value, value.results[0]);
        std::vector<IndexExpr> replacement = place.index;
        replacement.resize(value.variables.size());
        for (int k = 0; k < value.runtimes(); ++k) {
            const auto variable = static_cast<std::size_t>(value.first_runtime() + k);
            if (!mentioned[variable]) continue;
            const std::optional<ArrayElement> operand = read(place, k);
            const std::optional<IndexExpr> read_there = operand ? element(*operand) : std::nullopt;
            if (!read_there) return std::nullopt;
            replacement[variable] = *read_there;
        }
        return PoolCopy(*pool_, value.pool, std::move(replacement))(value.results[0]);
    }

    /// Where operand k is read for the element at `place`: at one index that holds everywhere, or it is not said.
    std::optional<ArrayElement> read(const ArrayElement& place, int k)
    {
        const std::vector<OperandMap>& maps = graph_->result(place.value).from_output[static_cast<std::size_t>(k)];
        if (maps.size() != 1) return std::nullopt;
        const IndexingMap& map = maps[0].map;
        if (map.is_undefined || map.ranges > 0 || map.runtimes() > 0 || !map.constraints.empty()) return std::nullopt;
        for (std::size_t d = 0; d < place.index.size(); ++d)
            if (!map.variables[d].bounds.contains(IndexInterval{0, graph_->shape(place.value)[d] - 1})) return std::nullopt;
        ArrayElement out{graph_->operand(place.value, k), {}};
        PoolCopy(*pool_, map.pool, place.index).append(out.index, map.results);
        return out;
    }

    const IndexGraph* graph_;
    IndexPool* pool_;
    std::vector<std::pair<ArrayElement, std::optional<IndexExpr>>> known_{};
};

/// The map without run-time variable i, which is `element`: an expression of the others.
inline JointMap without_runtime(const JointMap& joint, std::size_t i, IndexExpr element)
{
    const IndexingMap& old = joint.map;
    const std::size_t folded = static_cast<std::size_t>(old.first_runtime()) + i;
    JointMap out{{}, joint.rank, {}};
    out.map.pool.fail(old.pool.error());
    out.map.dimensions = old.dimensions;
    out.map.ranges = old.ranges;
    std::vector<IndexExpr> places(old.variables.size());
    for (std::size_t v = 0; v < places.size(); ++v)
        if (v != folded) places[v] = take_variable(out.map, old, v);
    places[folded] = PoolCopy(out.map.pool, old.pool, places)(element);
    append_replaced(out.map, old, places);
    const IndexInterval& bounds = old.variables[folded].bounds;
    if (!bounds.contains(ExpressionRanges(out.map)(places[folded]))) constrain(out.map, places[folded], bounds);

    keep_sources(out, joint.sources, [&](std::size_t k) { return k != i; });
    return out;
}

/// Folds the first run-time variable that can be. When none can, false, and each source is the array that its elements come from.
inline bool fold_one(const IndexGraph& graph, JointMap& joint)
{
    ElementReader reader(graph, joint.map.pool);
    std::vector<IndexExpr> results(joint.map.results.begin(), joint.map.results.begin() + static_cast<std::ptrdiff_t>(joint.rank));
    std::vector<JointMap::Source> sources;
    auto next = joint.map.results.begin() + static_cast<std::ptrdiff_t>(joint.rank);
    for (std::size_t i = 0; i < joint.sources.size(); ++i) {
        const auto end = next + static_cast<std::ptrdiff_t>(joint.sources[i].rank);
        const ElementReader::ArrayElement place = reader.origin({joint.sources[i].value, {next, end}});
        const std::optional<IndexExpr> element = reader.element(place);
        if (element && !variables_of(joint.map, *element)[static_cast<std::size_t>(joint.map.first_runtime()) + i]) {
            joint = without_runtime(joint, i, *element);
            return true;
        }
        sources.push_back({place.value, place.index.size(), joint.sources[i].bounds});
        results.insert(results.end(), place.index.begin(), place.index.end());
        next = end;
    }
    joint.map.results = std::move(results);
    joint.sources = std::move(sources);
    return false;
}

} // namespace detail

AXE_DECL Result<FusedMap> fold_runtime(const IndexGraph& graph, const FusedMap& fused)
{
    if (fused.map.is_undefined || fused.runtimes.empty()) return fused;
    detail::JointMap joint = detail::joined(fused);
    while (detail::fold_one(graph, joint)) {}
    if (!joint.map.pool.error().ok()) return joint.map.pool.error();
    const Result<detail::JointMap> out = detail::tidied(std::move(joint));
    if (!out) return out.error();
    return detail::parted(*out);
}

} // namespace v0
} // namespace axe

#endif
