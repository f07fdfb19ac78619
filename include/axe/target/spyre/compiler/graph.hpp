// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_SPYRE_COMPILER_GRAPH_HPP
#define AXE_TARGET_SPYRE_COMPILER_GRAPH_HPP

#include <axe/target/spyre/compiler/operators/operator.hpp>

namespace axe {
inline namespace v0 {
namespace spyre {

/// Operators on tensors; a tensor is a number: inputs first, then the result of each operator.
struct OperatorGraph {
    /// Any stick will do: of an input, that it is laid out as is best (a constant); of an output, that any will do.
    static constexpr Stick any = -2;

    struct Input {
        Value value{};
        Stick stick = any;
    };
    struct Node {
        Operator op{};
        std::vector<int> operands{}; ///< tensors before it
    };
    struct Output {
        int tensor = 0;
        Stick stick = any;
    };

    std::vector<Input> inputs{};
    std::vector<Node> nodes{};
    std::vector<Output> outputs{};

    [[nodiscard]] const Value& value(int tensor) const
    {
        const auto t = static_cast<std::size_t>(tensor);
        return t < inputs.size() ? inputs[t].value : nodes[t - inputs.size()].op.result;
    }
};

namespace detail {

/// Does each operator read tensors that are there, of the sizes that it was made for?
inline Status check_graph(const OperatorGraph& graph)
{
    const int inputs = static_cast<int>(graph.inputs.size());
    for (int n = 0; n < static_cast<int>(graph.nodes.size()); ++n) {
        const auto& node = graph.nodes[static_cast<std::size_t>(n)];
        const int operands = static_cast<int>(node.operands.size());
        if (node.operands.size() != node.op.operands.size())
            return Error(errc::rank_mismatch, n, "operator {0} is given {1} tensors; it was made for {2}", n, operands,
                         static_cast<std::int64_t>(node.op.operands.size()));
        for (int i = 0; i < operands; ++i) {
            const int t = node.operands[static_cast<std::size_t>(i)];
            if (t < 0 || t >= inputs + n)
                return Error(errc::out_of_domain, n, "operator {0} reads tensor {1}; there are {2} before it", n, t, inputs + n);
            if (!(graph.value(t) == node.op.operands[static_cast<std::size_t>(i)]))
                return Error(errc::size_mismatch, n,
                             "operator {0} was made for different sizes or a different format than tensor {1} has", n, t);
        }
    }
    for (const auto& o : graph.outputs)
        if (o.tensor < 0 || o.tensor >= inputs + static_cast<int>(graph.nodes.size()))
            return Error(errc::out_of_domain, -1, "tensor {0} is an output; there are {1}", o.tensor,
                         inputs + static_cast<std::int64_t>(graph.nodes.size()));
    return {};
}

} // namespace detail
} // namespace spyre
} // namespace v0
} // namespace axe

#endif
