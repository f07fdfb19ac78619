// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_LAWS_MAP_ARRAYS_HPP
#define AXE_TESTS_LAWS_MAP_ARRAYS_HPP

#include <axe/map/graph.hpp>
#include <axe/map/operations.hpp>
#include <tests/laws/map_random.hpp>

#include <utility>

/// Graphs of operations on small arrays, run as the operations are defined: every element knows its value and the elements of the
/// parameters that went into it.
namespace laws {

struct GraphElement {
    Int value = 0;
    std::set<std::pair<int, Int>> reads{}; ///< (parameter's node, row-major place)

    void also(const GraphElement& other) { reads.insert(other.reads.begin(), other.reads.end()); }
};

struct GraphArray {
    axe::IndexShape shape{};
    std::vector<GraphElement> elements{};

    Int place(const Numbers& index) const
    {
        REQUIRE(index.size() == shape.size());
        Int out = 0;
        for (std::size_t i = 0; i < shape.size(); ++i) {
            REQUIRE((0 <= index[i] && index[i] < shape[i]));
            out = out * shape[i] + index[i];
        }
        return out;
    }
    const GraphElement& operator[](const Numbers& index) const { return elements[static_cast<std::size_t>(place(index))]; }
    GraphElement& operator[](const Numbers& index) { return elements[static_cast<std::size_t>(place(index))]; }

    /// Calls `see` with every index, in row-major order.
    template <class See>
    static void every_index(const axe::IndexShape& shape, See see)
    {
        Numbers index(shape.size());
        for (const Int n : shape)
            if (n == 0) return;
        while (true) {
            see(static_cast<const Numbers&>(index));
            std::size_t digit = shape.size();
            while (digit > 0 && ++index[digit - 1] == shape[digit - 1]) index[--digit] = 0;
            if (digit == 0) return;
        }
    }
    /// An array whose elements are f(index).
    template <class F>
    static GraphArray of(const axe::IndexShape& shape, F f)
    {
        GraphArray out{shape, {}};
        every_index(shape, [&](const Numbers& index) { out.elements.push_back(f(index)); });
        return out;
    }
};

/// A graph with the arrays that its nodes make.
class RunGraph {
  public:
    axe::IndexGraph graph{};

    const GraphArray& operator[](const axe::GraphValue& v) const { return arrays_[static_cast<std::size_t>(v.node)]; }

    axe::GraphValue parameter(const axe::IndexShape& shape, Random& r, Int low = -9, Int high = 9)
    {
        const axe::GraphValue v = graph.parameter(shape);
        Int place = 0;
        arrays_.push_back(
            GraphArray::of(shape, [&](const Numbers&) { return GraphElement{r.in(low, high), {{v.node, place++}}}; }));
        return v;
    }
    axe::GraphValue iota(const axe::IndexShape& shape, Int dimension)
    {
        return add(axe::op::Iota{shape, dimension}, {}, shape,
                   [&](const Numbers& i) { return GraphElement{i[static_cast<std::size_t>(dimension)], {}}; });
    }
    axe::GraphValue constant(const axe::IndexShape& shape, Int value)
    {
        return add(axe::op::Constant{shape, true, value}, {}, shape, [&](const Numbers&) { return GraphElement{value, {}}; });
    }
    axe::GraphValue elementwise(const char* function, axe::GraphValue x, axe::GraphValue y)
    {
        return add(axe::op::Elementwise{function}, {x, y}, graph.shape(x), [&](const Numbers& i) {
            const GraphElement &a = (*this)[x][i], &b = (*this)[y][i];
            GraphElement out{function[0] == 'a'   ? a.value + b.value
                             : function[0] == 's' ? a.value - b.value
                                                  : a.value * b.value,
                             a.reads};
            out.also(b);
            return out;
        });
    }
    axe::GraphValue reshape(axe::GraphValue x, const axe::IndexShape& shape)
    {
        std::size_t next = 0;
        return add(axe::op::Reshape{shape}, {x}, shape, [&](const Numbers&) { return (*this)[x].elements[next++]; });
    }
    axe::GraphValue transpose(axe::GraphValue x, const Numbers& order)
    {
        axe::IndexShape shape;
        for (const Int k : order) shape.push_back(graph.shape(x)[static_cast<std::size_t>(k)]);
        return add(axe::op::Transpose{order}, {x}, shape, [&](const Numbers& i) {
            Numbers from(i.size());
            for (std::size_t k = 0; k < i.size(); ++k) from[static_cast<std::size_t>(order[k])] = i[k];
            return (*this)[x][from];
        });
    }
    axe::GraphValue slice(axe::GraphValue x, const Numbers& starts, const Numbers& limits, const Numbers& strides)
    {
        axe::IndexShape shape;
        for (std::size_t k = 0; k < starts.size(); ++k) {
            shape.push_back(0);
            for (Int i = starts[k]; i < limits[k]; i += strides[k]) ++shape.back();
        }
        return add(axe::op::Slice{starts, limits, strides}, {x}, shape, [&](const Numbers& i) {
            Numbers from;
            for (std::size_t k = 0; k < i.size(); ++k) from.push_back(starts[k] + i[k] * strides[k]);
            return (*this)[x][from];
        });
    }
    axe::GraphValue reverse(axe::GraphValue x, Int dimension)
    {
        return add(axe::op::Reverse{{dimension}}, {x}, graph.shape(x), [&](Numbers i) {
            Int& k = i[static_cast<std::size_t>(dimension)];
            k = graph.shape(x)[static_cast<std::size_t>(dimension)] - 1 - k;
            return (*this)[x][i];
        });
    }
    /// A new dimension of size n before `dimension`.
    axe::GraphValue broadcast(axe::GraphValue x, Int dimension, Int n)
    {
        axe::IndexShape shape = graph.shape(x);
        shape.insert(shape.begin() + dimension, n);
        Numbers dimensions;
        for (Int k = 0; k < static_cast<Int>(shape.size()); ++k)
            if (k != dimension) dimensions.push_back(k);
        return add(axe::op::Broadcast{shape, dimensions}, {x}, shape, [&](Numbers i) {
            i.erase(i.begin() + dimension);
            return (*this)[x][i];
        });
    }
    axe::GraphValue concatenate(axe::GraphValue x, axe::GraphValue y, Int dimension)
    {
        const auto d = static_cast<std::size_t>(dimension);
        axe::IndexShape shape = graph.shape(x);
        const Int first = shape[d];
        shape[d] += graph.shape(y)[d];
        return add(axe::op::Concatenate{dimension}, {x, y}, shape, [&](Numbers i) {
            if (i[d] < first) return (*this)[x][i];
            i[d] -= first;
            return (*this)[y][i];
        });
    }
    /// The padding value counts as read by every element, as the operation's map says.
    axe::GraphValue pad(axe::GraphValue x, axe::GraphValue value, const std::vector<axe::op::PadDimension>& padding)
    {
        axe::IndexShape shape = graph.shape(x);
        for (std::size_t k = 0; k < shape.size(); ++k)
            shape[k] = (shape[k] - 1) * (padding[k].interior + 1) + 1 + padding[k].low + padding[k].high;
        return add(axe::op::Pad{padding}, {x, value}, shape, [&](const Numbers& i) {
            Numbers from;
            bool is_element = true;
            for (std::size_t k = 0; k < i.size(); ++k) {
                const Int place = i[k] - padding[k].low, step = padding[k].interior + 1;
                is_element = is_element && place >= 0 && place % step == 0 && place / step < graph.shape(x)[k];
                from.push_back(place / step);
            }
            GraphElement out = (*this)[value].elements[0];
            if (is_element) {
                out.value = (*this)[x][from].value;
                out.also((*this)[x][from]);
            }
            return out;
        });
    }
    axe::GraphValue reduce(axe::GraphValue x, axe::GraphValue initial, Int dimension)
    {
        axe::IndexShape shape = graph.shape(x);
        const Int n = shape[static_cast<std::size_t>(dimension)];
        shape.erase(shape.begin() + dimension);
        return add(axe::op::Reduce{{dimension}}, {x, initial}, shape, [&](const Numbers& i) {
            GraphElement out = (*this)[initial].elements[0];
            for (Int k = 0; k < n; ++k) {
                Numbers from = i;
                from.insert(from.begin() + dimension, k);
                out.value += (*this)[x][from].value;
                out.also((*this)[x][from]);
            }
            return out;
        });
    }
    /// The starts must lie in [0, n − size]: what is clamped is not an affair of a map.
    axe::GraphValue dynamic_slice(axe::GraphValue x, const std::vector<axe::GraphValue>& starts, const axe::IndexShape& sizes)
    {
        std::vector<axe::GraphValue> operands{x};
        operands.insert(operands.end(), starts.begin(), starts.end());
        return add(axe::op::DynamicSlice{sizes}, operands, sizes, [&](const Numbers& i) {
            Numbers from;
            GraphElement out;
            for (std::size_t k = 0; k < i.size(); ++k) {
                from.push_back(i[k] + (*this)[starts[k]].elements[0].value);
                out.also((*this)[starts[k]].elements[0]);
            }
            out.value = (*this)[x][from].value;
            out.also((*this)[x][from]);
            return out;
        });
    }
    /// y[i, d…] = x[d + indices[i, 0], …]: indices of shape (n, 1), in [0, shape(0) − sizes(0)].
    axe::GraphValue gather(axe::GraphValue x, axe::GraphValue indices, const axe::IndexShape& sizes)
    {
        axe::IndexShape shape{graph.shape(indices)[0]};
        shape.insert(shape.end(), sizes.begin(), sizes.end());
        return add(axe::op::Gather{sizes}, {x, indices}, shape, [&](const Numbers& i) {
            GraphElement out = (*this)[indices][{i[0], 0}];
            Numbers from(i.begin() + 1, i.end());
            from[0] += out.value;
            out.value = (*this)[x][from].value;
            out.also((*this)[x][from]);
            return out;
        });
    }
    // ---- collectives, as messages: every element of a device goes to the devices, and the places there, that it is for --------------

    axe::GraphValue all_gather(axe::GraphValue x, std::size_t dimension, const axe::op::DeviceGroups& groups)
    {
        const axe::IndexShape sent = graph.shape(x);
        axe::IndexShape shape = sent;
        shape[dimension] *= static_cast<Int>(groups[0].size());
        return collective(axe::op::AllGather{static_cast<Int>(dimension), groups}, x, shape, groups,
                          [&](Numbers i, const Numbers& group, Int own, auto put) {
                              i[dimension] += own * sent[dimension];
                              for (const Int to : group) put(to, i);
                          });
    }
    axe::GraphValue all_reduce(axe::GraphValue x, const axe::op::DeviceGroups& groups)
    {
        return collective(axe::op::AllReduce{groups}, x, graph.shape(x), groups,
                          [](const Numbers& i, const Numbers& group, Int, auto put) {
                              for (const Int to : group) put(to, i);
                          });
    }
    axe::GraphValue reduce_scatter(axe::GraphValue x, std::size_t dimension, const axe::op::DeviceGroups& groups)
    {
        axe::IndexShape shape = graph.shape(x);
        shape[dimension] /= static_cast<Int>(groups[0].size());
        return collective(axe::op::ReduceScatter{static_cast<Int>(dimension), groups}, x, shape, groups,
                          [&](Numbers i, const Numbers& group, Int, auto put) {
                              const Int part = i[dimension] / shape[dimension];
                              i[dimension] %= shape[dimension];
                              put(group[static_cast<std::size_t>(part)], i);
                          });
    }
    axe::GraphValue all_to_all(axe::GraphValue x, std::size_t split, std::size_t concatenate, const axe::op::DeviceGroups& groups)
    {
        axe::IndexShape sent = graph.shape(x);
        sent[split] /= static_cast<Int>(groups[0].size());
        axe::IndexShape shape = sent;
        shape[concatenate] *= static_cast<Int>(groups[0].size());
        return collective(axe::op::AllToAll{static_cast<Int>(split), static_cast<Int>(concatenate), groups}, x, shape, groups,
                          [&](Numbers i, const Numbers& group, Int own, auto put) {
                              const Int part = i[split] / sent[split];
                              i[split] %= sent[split];
                              i[concatenate] += own * sent[concatenate];
                              put(group[static_cast<std::size_t>(part)], i);
                          });
    }

    /// Any operation of one result, with its elements by f(index).
    template <class Operation, class F>
    axe::GraphValue add(const Operation& operation, const std::vector<axe::GraphValue>& operands, const axe::IndexShape& shape, F f)
    {
        GraphArray made = GraphArray::of(shape, f);
        const auto v = graph.add(operation, operands);
        INFO((v ? "" : v.error().message().c_str()));
        REQUIRE(v.has_value());
        REQUIRE(graph.shape(*v) == shape);
        arrays_.push_back(std::move(made));
        return *v;
    }

  private:
    /// `send(index, group, own place in it, put(device, index))` for every element; what meets is added.
    template <class Operation, class Send>
    axe::GraphValue collective(const Operation& operation, axe::GraphValue x, const axe::IndexShape& shape,
                               const axe::op::DeviceGroups& groups, Send send)
    {
        GraphArray made = GraphArray::of(shape, [](const Numbers&) { return GraphElement{}; });
        GraphArray::every_index(graph.shape(x), [&](const Numbers& i) {
            for (const Numbers& group : groups) {
                const auto own = std::find(group.begin(), group.end(), i[0]) - group.begin();
                if (own == static_cast<std::ptrdiff_t>(group.size())) continue;
                send(i, group, static_cast<Int>(own), [&](Int device, Numbers at) {
                    at[0] = device;
                    made[at].value += (*this)[x][i].value;
                    made[at].also((*this)[x][i]);
                });
            }
        });
        std::size_t next = 0;
        return add(operation, {x}, shape, [&](const Numbers&) { return made.elements[next++]; });
    }

    std::vector<GraphArray> arrays_{};
};

} // namespace laws

#endif
