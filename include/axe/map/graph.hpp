// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_GRAPH_HPP
#define AXE_MAP_GRAPH_HPP

#include <axe/map/operations/operation.hpp>

#include <variant>

namespace axe {
inline namespace v0 {

/// An array in a graph: a result of one of its nodes.
struct GraphValue {
    int node = -1, result = 0;
    friend constexpr bool operator==(const GraphValue&, const GraphValue&) = default;
};

struct GraphNode {
    OperationMaps operation{};
    std::vector<GraphValue> operands{}; ///< of earlier nodes
    bool is_parameter = false;
};

/// Operations on arrays, each on results of those before it.
///
/// A value: copies are independent. What may be added is any type with `maps(operand shapes) -> Result<OperationMaps>`; those of
/// `op::` are such.
class IndexGraph {
  public:
    [[nodiscard]] int size() const noexcept { return static_cast<int>(nodes_.size()); }
    [[nodiscard]] const GraphNode& operator[](int node) const noexcept { return nodes_[static_cast<std::size_t>(node)]; }
    [[nodiscard]] bool has(const GraphValue& v) const noexcept
    {
        return v.node >= 0 && v.node < size() && v.result >= 0 &&
               v.result < static_cast<int>((*this)[v.node].operation.results.size());
    }
    /// The result of its node that the value is; the value must be one of this graph.
    [[nodiscard]] const ResultMaps& result(const GraphValue& v) const noexcept
    {
        return (*this)[v.node].operation.results[static_cast<std::size_t>(v.result)];
    }
    [[nodiscard]] const IndexShape& shape(const GraphValue& v) const noexcept { return result(v).shape; }

    /// Operand k of the value's node.
    [[nodiscard]] const GraphValue& operand(const GraphValue& v, int k) const noexcept
    {
        return (*this)[v.node].operands[static_cast<std::size_t>(k)];
    }

    /// An array that comes from outside.
    GraphValue parameter(const IndexShape& shape)
    {
        GraphNode node;
        node.operation.name = "parameter";
        node.operation.results.resize(1);
        node.operation.results[0].shape = shape;
        node.is_parameter = true;
        nodes_.push_back(std::move(node));
        return {size() - 1, 0};
    }

    /// Adds an operation on these values, and returns the first of its results: the others are {node, 1}, {node, 2} and so on.
    /// @returns `errc::out_of_domain` with the operand that is not a value of this graph; errors of the operation's `maps`.
    template <class Operation>
    Result<GraphValue> add(const Operation& operation, const std::vector<GraphValue>& operands)
    {
        std::vector<IndexShape> shapes;
        for (std::size_t k = 0; k < operands.size(); ++k) {
            if (!has(operands[k]))
                return Error(errc::out_of_domain, static_cast<int>(k),
                             "operand {0} is result {2} of node {1}, which does not exist", static_cast<std::int64_t>(k),
                             operands[k].node, operands[k].result);
            shapes.push_back(shape(operands[k]));
        }
        const Result<OperationMaps> maps = operation.maps(shapes);
        if (!maps) return maps.error();
        nodes_.push_back({*maps, operands, false});
        return GraphValue{size() - 1, 0};
    }

    /// The same for a choice of operations.
    template <class... Operations>
    Result<GraphValue> add(const std::variant<Operations...>& operation, const std::vector<GraphValue>& operands)
    {
        return std::visit([&](const auto& chosen) { return add(chosen, operands); }, operation);
    }

  private:
    std::vector<GraphNode> nodes_{};
};

} // namespace v0
} // namespace axe

#endif
