// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/evaluate.hpp>
#include <axe/map/operations.hpp>
#include <tests/catch.hpp>
#include <tests/random.hpp>

#include <map>
#include <set>

/// The operations, run as they are defined on arrays whose elements know which elements of the operands went into them; the maps must
/// say the same, both ways, and value maps the same values.
namespace {

using namespace axe;
using laws::Int;
using Index = std::vector<std::int64_t>;
using Numbers = std::vector<std::int64_t>;

struct Element {
    std::set<std::pair<int, Index>> reads{};      ///< (operand, index)
    std::set<std::pair<Index, Index>> products{}; ///< of which elements of two operands it is the sum, where it is one
    Int value = 0;
};

struct Array {
    IndexShape shape{};
    std::map<Index, Element> elements{};

    Element& operator[](const Index& i)
    {
        inside(i);
        return elements[i];
    }
    const Element& operator[](const Index& i) const
    {
        inside(i);
        return elements.at(i);
    }
    void inside(const Index& i) const
    {
        REQUIRE(i.size() == shape.size());
        for (std::size_t d = 0; d < i.size(); ++d) REQUIRE((0 <= i[d] && i[d] < shape[d]));
    }
};
using Arrays = std::vector<Array>;

Index operator+(Index x, const Index& y)
{
    x.insert(x.end(), y.begin(), y.end());
    return x;
}

/// Every index of a shape, in row-major order.
std::vector<Index> indices(const IndexShape& shape)
{
    std::vector<Index> out{{}};
    for (const Int n : shape) {
        std::vector<Index> longer;
        for (const Index& i : out)
            for (Int k = 0; k < n; ++k) longer.push_back(i + Index{k});
        out = std::move(longer);
    }
    return out;
}

/// An array of f(index).
template <class F>
Array array(const IndexShape& shape, F&& f)
{
    Array out{shape, {}};
    for (const Index& i : indices(shape)) out.elements[i] = f(i);
    return out;
}

void also_reads(Element& e, const Element& other) { e.reads.insert(other.reads.begin(), other.reads.end()); }

/// What is along a line of n elements after padding: the elements' numbers, −1 for what is not an element.
std::vector<Int> padded_line(Int n, Int low, Int high, Int interior)
{
    std::vector<Int> line;
    for (Int i = 0; i < n; ++i) {
        if (i > 0) line.insert(line.end(), static_cast<std::size_t>(interior), -1);
        line.push_back(i);
    }
    for (Int k = 0; k < low; ++k) line.insert(line.begin(), -1);
    for (Int k = 0; k < high; ++k) line.push_back(-1);
    for (Int k = 0; k > low; --k) line.erase(line.begin());
    for (Int k = 0; k > high; --k) line.pop_back();
    return line;
}

// ---- the operations, as they are defined -------------------------------------------------------------------------------------------

Arrays run(const op::Elementwise& o, const Arrays& x)
{
    IndexShape shape;
    for (const Array& a : x)
        if (!a.shape.empty()) shape = a.shape;
    return {array(shape, [&](const Index& i) {
        Element e;
        std::vector<Int> v;
        for (const Array& a : x) {
            const Element& from = a[a.shape.empty() ? Index{} : i];
            also_reads(e, from);
            v.push_back(from.value);
        }
        if (o.function == "add") e.value = v[0] + v[1];
        if (o.function == "subtract") e.value = v[0] - v[1];
        if (o.function == "multiply") e.value = v[0] * v[1];
        if (o.function == "negate") e.value = -v[0];
        if (o.function == "copy" || o.function == "convert") e.value = v[0];
        return e;
    })};
}

Arrays run(const op::Broadcast& o, const Arrays& x)
{
    return {array(o.shape, [&](const Index& i) {
        Index from;
        for (std::size_t k = 0; k < o.dimensions.size(); ++k)
            from.push_back(x[0].shape[k] == 1 ? 0 : i[static_cast<std::size_t>(o.dimensions[k])]);
        return x[0][from];
    })};
}

Arrays run(const op::Concatenate& o, const Arrays& x)
{
    const auto d = static_cast<std::size_t>(o.dimension);
    Array out{x[0].shape, {}};
    out.shape[d] = 0;
    for (const Array& a : x) {
        for (const auto& [i, e] : a.elements) {
            Index to = i;
            to[d] += out.shape[d];
            out.elements[to] = e;
        }
        out.shape[d] += a.shape[d];
    }
    return {out};
}

Arrays run(const op::Constant& o, const Arrays&)
{
    return {array(o.shape, [&](const Index&) { return Element{{}, {}, o.value}; })};
}
Arrays run(const op::Iota& o, const Arrays&)
{
    return {array(o.shape, [&](const Index& i) { return Element{{}, {}, i[static_cast<std::size_t>(o.dimension)]}; })};
}

/// The elements of x in row-major order in another shape.
Array refilled(const IndexShape& shape, const Array& x)
{
    const auto from = indices(x.shape), to = indices(shape);
    Array out{shape, {}};
    for (std::size_t i = 0; i < to.size(); ++i) out.elements[to[i]] = x[from[i]];
    return out;
}
Arrays run(const op::Reshape& o, const Arrays& x) { return {refilled(o.shape, x[0])}; }

Arrays run(const op::Bitcast& o, const Arrays& x)
{
    const auto address = [](const IndexShape& shape, Numbers minor_to_major, const Index& i) {
        if (minor_to_major.empty())
            for (std::size_t d = shape.size(); d-- > 0;) minor_to_major.push_back(static_cast<Int>(d));
        Int out = 0, step = 1;
        for (const Int d : minor_to_major) {
            out += step * i[static_cast<std::size_t>(d)];
            step *= shape[static_cast<std::size_t>(d)];
        }
        return out;
    };
    std::map<Int, Element> memory;
    for (const auto& [i, e] : x[0].elements) memory[address(x[0].shape, o.operand_layout, i)] = e;
    return {array(o.shape, [&](const Index& i) { return memory.at(address(o.shape, o.result_layout, i)); })};
}

Arrays run(const op::Reverse& o, const Arrays& x)
{
    return {array(x[0].shape, [&](Index i) {
        for (const Int d : o.dimensions)
            i[static_cast<std::size_t>(d)] = x[0].shape[static_cast<std::size_t>(d)] - 1 - i[static_cast<std::size_t>(d)];
        return x[0][i];
    })};
}

Arrays run(const op::Transpose& o, const Arrays& x)
{
    Array out;
    for (const Int d : o.order) out.shape.push_back(x[0].shape[static_cast<std::size_t>(d)]);
    for (const auto& [i, e] : x[0].elements) {
        Index to;
        for (const Int d : o.order) to.push_back(i[static_cast<std::size_t>(d)]);
        out[to] = e;
    }
    return {out};
}

/// The part of x whose index in dimension d is in lists[d], in that order; −1 stands for an element that reads nothing.
Array picked(const Array& x, const std::vector<std::vector<Int>>& lists)
{
    IndexShape shape;
    for (const auto& list : lists) shape.push_back(static_cast<Int>(list.size()));
    return array(shape, [&](const Index& i) {
        Index from;
        for (std::size_t d = 0; d < i.size(); ++d) from.push_back(lists[d][static_cast<std::size_t>(i[d])]);
        return std::count(from.begin(), from.end(), -1) > 0 ? Element{} : x[from];
    });
}

Arrays run(const op::Slice& o, const Arrays& x)
{
    std::vector<std::vector<Int>> lists(o.starts.size());
    for (std::size_t d = 0; d < lists.size(); ++d)
        for (Int i = o.starts[d]; i < o.limits[d]; i += o.strides.empty() ? 1 : o.strides[d]) lists[d].push_back(i);
    return {picked(x[0], lists)};
}

Arrays run(const op::Pad& o, const Arrays& x)
{
    std::vector<std::vector<Int>> lists;
    for (std::size_t d = 0; d < o.padding.size(); ++d)
        lists.push_back(padded_line(x[0].shape[d], o.padding[d].low, o.padding[d].high, o.padding[d].interior));
    Array out = picked(x[0], lists);
    // The map of the padding value covers all elements.
    for (auto& [i, e] : out.elements) also_reads(e, x[1][{}]);
    return {out};
}

Arrays run(const op::Reduce& o, const Arrays& x)
{
    const std::size_t n = x.size() / 2;
    Array out;
    std::vector<std::size_t> kept;
    for (std::size_t d = 0; d < x[0].shape.size(); ++d)
        if (std::count(o.dimensions.begin(), o.dimensions.end(), static_cast<Int>(d)) == 0) kept.push_back(d);
    for (const std::size_t d : kept) out.shape.push_back(x[0].shape[d]);
    out = array(out.shape, [&](const Index&) {
        Element e;
        for (std::size_t k = n; k < x.size(); ++k) also_reads(e, x[k][{}]);
        return e;
    });
    for (std::size_t k = 0; k < n; ++k)
        for (const auto& [i, e] : x[k].elements) {
            Index to;
            for (const std::size_t d : kept) to.push_back(i[d]);
            also_reads(out[to], e);
        }
    return Arrays(n, out);
}

/// For each dimension and each place of the window the elements it meets, −1 for what is none.
std::vector<std::vector<std::vector<Int>>> windows(const std::vector<op::WindowDimension>& window, const IndexShape& shape)
{
    std::vector<std::vector<std::vector<Int>>> out(window.size());
    for (std::size_t d = 0; d < window.size(); ++d) {
        const op::WindowDimension& w = window[d];
        const auto line = padded_line(shape[d], std::max<Int>(w.low, 0), std::max<Int>(w.high, 0), w.base_dilation - 1);
        // Negative padding may cut more than there is.
        const auto begin = std::max<Int>(-w.low, 0), end = static_cast<Int>(line.size()) - std::max<Int>(-w.high, 0);
        for (Int at = begin; at + (w.size - 1) * w.dilation < end; at += w.stride) {
            out[d].emplace_back();
            for (Int s = 0; s < w.size; ++s) out[d].back().push_back(line[static_cast<std::size_t>(at + s * w.dilation)]);
        }
    }
    return out;
}

Arrays run(const op::ReduceWindow& o, const Arrays& x)
{
    const std::size_t n = x.size() / 2;
    const auto meets = windows(o.window, x[0].shape);
    IndexShape shape;
    for (const auto& places : meets) shape.push_back(static_cast<Int>(places.size()));
    return Arrays(n, array(shape, [&](const Index& i) {
                      Element e;
                      for (std::size_t k = n; k < x.size(); ++k) also_reads(e, x[k][{}]);
                      std::vector<std::vector<Int>> lists;
                      for (std::size_t d = 0; d < i.size(); ++d) lists.push_back(meets[d][static_cast<std::size_t>(i[d])]);
                      for (std::size_t k = 0; k < n; ++k)
                          for (const auto& [s, part] : picked(x[k], lists).elements) also_reads(e, part);
                      return e;
                  }));
}

Arrays run(const op::Dot& o, const Arrays& x)
{
    const auto part = [](const Index& i, const Numbers& dimensions) {
        Index out;
        for (const Int d : dimensions) out.push_back(i[static_cast<std::size_t>(d)]);
        return out;
    };
    const auto rest = [](const Array& a, const Numbers& batch, const Numbers& contracting) {
        Numbers out;
        for (Int d = 0; d < static_cast<Int>(a.shape.size()); ++d)
            if (std::count(batch.begin(), batch.end(), d) + std::count(contracting.begin(), contracting.end(), d) == 0)
                out.push_back(d);
        return out;
    };
    const Numbers lhs_free = rest(x[0], o.lhs_batch, o.lhs_contracting), rhs_free = rest(x[1], o.rhs_batch, o.rhs_contracting);
    Array out;
    out.shape = part(x[0].shape, o.lhs_batch) + part(x[0].shape, lhs_free) + part(x[1].shape, rhs_free);
    for (const Index& i : indices(out.shape)) out[i];
    for (const auto& [l, a] : x[0].elements)
        for (const auto& [r, b] : x[1].elements) {
            if (part(l, o.lhs_batch) != part(r, o.rhs_batch) || part(l, o.lhs_contracting) != part(r, o.rhs_contracting)) continue;
            Element& e = out[part(l, o.lhs_batch) + part(l, lhs_free) + part(r, rhs_free)];
            also_reads(e, a);
            also_reads(e, b);
            e.products.emplace(l, r);
        }
    return {out};
}

Arrays run(const op::Convolution& o, const Arrays& x)
{
    const auto at = [](const Index& i, Int d) { return i[static_cast<std::size_t>(d)]; };
    const op::ConvolutionDimensions& n = o.dimensions;
    std::vector<op::WindowDimension> window = o.window;
    IndexShape spatial;
    for (std::size_t d = 0; d < window.size(); ++d) {
        window[d].size = at(x[1].shape, n.kernel_spatial[d]);
        spatial.push_back(at(x[0].shape, n.input_spatial[d]));
    }
    const auto meets = windows(window, spatial);
    const Int outputs = at(x[1].shape, n.kernel_output_feature), features = at(x[1].shape, n.kernel_input_feature);
    const Int batches = at(x[0].shape, n.input_batch) / o.batch_groups;
    Array out;
    out.shape.resize(window.size() + 2);
    out.shape[static_cast<std::size_t>(n.output_batch)] = batches;
    out.shape[static_cast<std::size_t>(n.output_feature)] = outputs;
    for (std::size_t d = 0; d < window.size(); ++d)
        out.shape[static_cast<std::size_t>(n.output_spatial[d])] = static_cast<Int>(meets[d].size());
    // As a list of small convolutions without groups, one after another along the output features.
    const Int groups = o.batch_groups * o.feature_groups;
    return {array(out.shape, [&](const Index& i) {
        Element e;
        for (Int g = 0; g < groups; ++g) {
            const Int first = g * (outputs / groups), end = (g + 1) * (outputs / groups);
            if (at(i, n.output_feature) < first || at(i, n.output_feature) >= end) continue;
            for (const auto& [k, weight] : x[1].elements) {
                if (at(k, n.kernel_output_feature) != at(i, n.output_feature)) continue;
                also_reads(e, weight);
                Index from(x[0].shape.size());
                from[static_cast<std::size_t>(n.input_batch)] = (o.batch_groups > 1 ? g * batches : 0) + at(i, n.output_batch);
                from[static_cast<std::size_t>(n.input_feature)] =
                    (o.feature_groups > 1 ? g * features : 0) + at(k, n.kernel_input_feature);
                bool is_element = true;
                for (std::size_t d = 0; d < window.size(); ++d) {
                    Int s = at(k, n.kernel_spatial[d]);
                    if (window[d].reversed) s = window[d].size - 1 - s;
                    const Int met = meets[d][static_cast<std::size_t>(at(i, n.output_spatial[d]))][static_cast<std::size_t>(s)];
                    is_element = is_element && met >= 0;
                    from[static_cast<std::size_t>(n.input_spatial[d])] = met;
                }
                if (!is_element) continue;
                also_reads(e, x[0][from]);
                e.products.emplace(from, k);
            }
        }
        return e;
    })};
}

/// Starts of a slice, clamped so that it fits.
Index clamped(Index starts, const IndexShape& whole, const IndexShape& sizes)
{
    for (std::size_t d = 0; d < starts.size(); ++d) starts[d] = std::max<Int>(0, std::min<Int>(starts[d], whole[d] - sizes[d]));
    return starts;
}

Arrays run(const op::DynamicSlice& o, const Arrays& x)
{
    Index starts;
    for (std::size_t k = 1; k < x.size(); ++k) starts.push_back(x[k][{}].value);
    starts = clamped(starts, x[0].shape, o.sizes);
    return {array(o.sizes, [&](Index i) {
        for (std::size_t d = 0; d < i.size(); ++d) i[d] += starts[d];
        Element e = x[0][i];
        for (std::size_t k = 1; k < x.size(); ++k) also_reads(e, x[k][{}]);
        return e;
    })};
}

Arrays run(const op::DynamicUpdateSlice&, const Arrays& x)
{
    Index starts;
    for (std::size_t k = 2; k < x.size(); ++k) starts.push_back(x[k][{}].value);
    starts = clamped(starts, x[0].shape, x[1].shape);
    // The map of the operand covers what the update hides.
    Array out = x[0];
    for (const auto& [i, e] : x[1].elements) {
        Index to = i;
        for (std::size_t d = 0; d < i.size(); ++d) to[d] += starts[d];
        also_reads(out[to], e);
    }
    for (auto& [i, e] : out.elements)
        for (std::size_t k = 2; k < x.size(); ++k) also_reads(e, x[k][{}]);
    return {out};
}

Arrays run(const op::Gather& o, const Arrays& x)
{
    const Int k = x[1].shape[1];
    return {array(Index{x[1].shape[0]} + o.sizes, [&](const Index& i) {
        Index starts(o.sizes.size());
        Element e;
        for (Int c = 0; c < k; ++c) starts[static_cast<std::size_t>(c)] = x[1][{i[0], c}].value;
        starts = clamped(starts, x[0].shape, o.sizes);
        for (std::size_t d = 0; d < starts.size(); ++d) starts[d] += i[d + 1];
        e = x[0][starts];
        for (Int c = 0; c < k; ++c) also_reads(e, x[1][{i[0], c}]);
        return e;
    })};
}

/// The groups, all devices in one where none are given.
op::DeviceGroups all_groups(const op::DeviceGroups& groups, Int devices)
{
    if (!groups.empty()) return groups;
    op::DeviceGroups out(1);
    for (Int d = 0; d < devices; ++d) out[0].push_back(d);
    return out;
}

/// Calls f(members, place of the device in them) for each device with its local array to fill.
template <class F>
Arrays on_devices(const op::DeviceGroups& groups, const IndexShape& shape, F&& f)
{
    Array out{shape, {}};
    for (const auto& members : all_groups(groups, shape[0]))
        for (std::size_t p = 0; p < members.size(); ++p) {
            const Array local = array(IndexShape(shape.begin() + 1, shape.end()),
                                      [&](const Index& i) { return f(members, static_cast<Int>(p), i); });
            for (const auto& [i, e] : local.elements) out[Index{members[p]} + i] = e;
        }
    return {out};
}

Arrays run(const op::AllGather& o, const Arrays& x)
{
    const auto d = static_cast<std::size_t>(o.dimension);
    IndexShape shape = x[0].shape;
    shape[d] *= static_cast<Int>(all_groups(o.groups, shape[0])[0].size());
    return on_devices(o.groups, shape, [&](const Numbers& members, Int, Index i) {
        // Which of the arrays laid end to end it falls into.
        std::size_t j = 0;
        for (; i[d - 1] >= x[0].shape[d]; ++j) i[d - 1] -= x[0].shape[d];
        return x[0][Index{members[j]} + i];
    });
}
Arrays run(const op::AllReduce& o, const Arrays& x)
{
    return on_devices(o.groups, x[0].shape, [&](const Numbers& members, Int, const Index& i) {
        Element e;
        for (const Int m : members) also_reads(e, x[0][Index{m} + i]);
        return e;
    });
}
Arrays run(const op::ReduceScatter& o, const Arrays& x)
{
    const auto d = static_cast<std::size_t>(o.dimension);
    IndexShape shape = x[0].shape;
    shape[d] /= static_cast<Int>(all_groups(o.groups, shape[0])[0].size());
    return on_devices(o.groups, shape, [&](const Numbers& members, Int place, Index i) {
        Element e;
        i[d - 1] += place * shape[d];
        for (const Int m : members) also_reads(e, x[0][Index{m} + i]);
        return e;
    });
}
Arrays run(const op::AllToAll& o, const Arrays& x)
{
    const auto s = static_cast<std::size_t>(o.split), c = static_cast<std::size_t>(o.concatenate);
    const Int n = static_cast<Int>(all_groups(o.groups, x[0].shape[0])[0].size());
    IndexShape shape = x[0].shape;
    shape[s] /= n;
    const Int sent = shape[c];
    shape[c] *= n;
    return on_devices(o.groups, shape, [&](const Numbers& members, Int place, Index i) {
        std::size_t j = 0;
        for (; i[c - 1] >= sent; ++j) i[c - 1] -= sent;
        i[s - 1] += place * (x[0].shape[s] / n);
        return x[0][Index{members[j]} + i];
    });
}

Arrays run(const op::Tuple&, const Arrays& x) { return x; }
Arrays run(const op::GetTupleElement& o, const Arrays& x) { return {x[static_cast<std::size_t>(o.index)]}; }

// ---- what the maps say ---------------------------------------------------------------------------------------------------------------

using Relation = std::set<std::pair<Index, Index>>;

/// All (dimensions, results) of the map, its run-time variables as the operands have them, clamped to their bounds.
Relation relation(const OperandMap& m, const Arrays& x)
{
    Relation out;
    const IndexingMap& map = m.map;
    REQUIRE(map.runtimes() == static_cast<int>(m.runtimes.size()));
    IndexShape extents;
    for (int v = 0; v < map.first_runtime(); ++v) {
        const IndexInterval& b = map.variables[static_cast<std::size_t>(v)].bounds;
        extents.push_back(std::max<Int>(b.high - b.low + 1, 0));
    }
    for (Index point : indices(extents)) {
        for (std::size_t v = 0; v < point.size(); ++v) point[v] += map.variables[v].bounds.low;
        const Index loops = point;
        for (std::size_t k = 0; k < m.runtimes.size(); ++k) {
            const auto at = evaluate(m.runtimes[k].at, loops);
            REQUIRE(at);
            const IndexInterval& b = map.variables[loops.size() + k].bounds;
            point.push_back(std::max(b.low, std::min(b.high, x[static_cast<std::size_t>(m.runtimes[k].operand)][*at].value)));
        }
        if (!contains(map, point).yes()) continue;
        out.emplace(Index(point.begin(), point.begin() + map.dimensions), evaluate(map, point).value());
    }
    return out;
}

/// The same loops run over both operands: what meets what.
void check_products(const ResultMaps& result, const Array& expected)
{
    const IndexingMap &left = result.from_output[0][0].map, &right = result.from_output[1][0].map;
    REQUIRE(left.variables == right.variables);
    REQUIRE(left.dimensions == right.dimensions);
    IndexShape extents;
    for (const IndexVariable& v : left.variables) extents.push_back(v.bounds.high + 1);
    std::map<Index, std::set<std::pair<Index, Index>>> products;
    for (const Index& point : indices(extents))
        if (contains(left, point).yes() && contains(right, point).yes())
            products[Index(point.begin(), point.begin() + left.dimensions)].emplace(evaluate(left, point).value(),
                                                                                    evaluate(right, point).value());
    for (const auto& [i, e] : expected.elements) CHECK(products[i] == e.products);
}

template <class Op>
void check(const Op& o, const Arrays& x)
{
    std::vector<IndexShape> shapes;
    for (const Array& a : x) shapes.push_back(a.shape);
    const auto got = maps(IndexOperation(o), shapes);
    REQUIRE(got);
    const Arrays expected = run(o, x);
    CHECK(got->operands == shapes);
    REQUIRE(got->results.size() == expected.size());
    for (std::size_t r = 0; r < expected.size(); ++r) {
        INFO(got->name << ", result " << r);
        const ResultMaps& result = got->results[r];
        REQUIRE(result.shape == expected[r].shape);
        REQUIRE(result.from_output.size() == x.size());
        REQUIRE(result.to_output.size() == x.size());
        std::vector<Relation> reads(x.size()), read_by(x.size());
        for (const auto& [i, e] : expected[r].elements)
            for (const auto& [operand, from] : e.reads) {
                reads[static_cast<std::size_t>(operand)].emplace(i, from);
                read_by[static_cast<std::size_t>(operand)].emplace(from, i);
            }
        for (std::size_t k = 0; k < x.size(); ++k) {
            INFO("operand " << k);
            Relation from, to;
            for (const OperandMap& m : result.from_output[k]) from.merge(relation(m, x));
            CHECK(from == reads[k]);
            const bool undefined = result.to_output[k].size() == 1 && result.to_output[k][0].map.is_undefined;
            CHECK(undefined == (std::is_same_v<Op, op::Gather> && k == 0));
            if (undefined) continue;
            for (const OperandMap& m : result.to_output[k]) to.merge(relation(m, x));
            CHECK(to == read_by[k]);
        }
        if constexpr (std::is_same_v<Op, op::Dot> || std::is_same_v<Op, op::Convolution>) check_products(result, expected[r]);
        if (result.value.is_undefined) continue;
        for (const auto& [i, e] : expected[r].elements) {
            Index point = i;
            for (std::size_t k = 0; k < x.size(); ++k) {
                const auto place = reads[k].lower_bound({i, {}});
                const bool is_read = place != reads[k].end() && place->first == i;
                point.push_back(is_read ? x[k][place->second].value : 12345);
            }
            CHECK(evaluate(result.value, point).value() == Index{e.value});
        }
    }
}

// ---- random shapes and attributes ------------------------------------------------------------------------------------------------

/// Arrays of these shapes: elements that are told apart, values that make good and bad starts.
Arrays filled(laws::Random& r, const std::vector<IndexShape>& shapes)
{
    Arrays out;
    for (const IndexShape& shape : shapes) {
        const int k = static_cast<int>(out.size());
        out.push_back(array(shape, [&](const Index& i) { return Element{{{k, i}}, {}, r.in(-2, 7)}; }));
    }
    return out;
}

IndexShape some_shape(laws::Random& r, Int low_rank, Int high_rank, Int largest = 4)
{
    IndexShape out;
    for (Int d = r.in(low_rank, high_rank); d > 0; --d) out.push_back(r.one_in(20) ? 0 : r.in(1, largest));
    return out;
}

/// Some dimensions of an array, in any order.
Numbers random_dimensions(laws::Random& r, Int rank, Int how_many)
{
    Numbers all;
    for (Int d = 0; d < rank; ++d) all.insert(all.begin() + r.in(0, static_cast<Int>(all.size())), d);
    all.resize(static_cast<std::size_t>(how_many));
    return all;
}

/// The same product in another shape.
IndexShape reshaped(laws::Random& r, const IndexShape& shape)
{
    Int product = 1;
    for (const Int n : shape) product *= n;
    if (product == 0) {
        IndexShape out = some_shape(r, 1, 3);
        out[static_cast<std::size_t>(r.in(0, static_cast<Int>(out.size()) - 1))] = 0;
        return out;
    }
    const Shape other = laws::random_shape(r, product, 4);
    IndexShape out;
    for (const Int n : other) out.push_back(n);
    if (r.one_in(4)) out.insert(out.begin() + r.in(0, static_cast<Int>(out.size())), 1);
    if (product == 1 && r.one_in(2)) out.clear();
    return out;
}

std::vector<op::WindowDimension> random_windows(laws::Random& r, std::size_t rank)
{
    std::vector<op::WindowDimension> out(rank);
    for (op::WindowDimension& w : out) {
        w.size = r.in(1, 3);
        w.stride = r.in(1, 3);
        w.low = r.in(-2, 2);
        w.high = r.in(-2, 2);
        w.dilation = r.one_in(2) ? 1 : r.in(1, 3);
        w.base_dilation = r.one_in(2) ? 1 : r.in(1, 3);
    }
    return out;
}

/// Devices cut into groups of one size, counted by digits or in any order.
op::DeviceGroups random_groups(laws::Random& r, Int groups, Int size)
{
    const Int n = groups * size;
    Numbers order = random_dimensions(r, n, n);
    const Int mode = r.in(0, 3);
    if (mode == 0 && groups == 1) return {};
    for (Int i = 0; i < n && mode < 2; ++i) order[static_cast<std::size_t>(i)] = mode == 0 ? i : i % size * groups + i / size;
    op::DeviceGroups out(static_cast<std::size_t>(groups));
    for (Int i = 0; i < n; ++i) out[static_cast<std::size_t>(i / size)].push_back(order[static_cast<std::size_t>(i)]);
    return out;
}

} // namespace

TEST_CASE("operations that move elements: maps are what the operation does")
{
    laws::Random r(8001);
    for (Int i = laws::cases(1500); i > 0; --i) {
        const IndexShape x = some_shape(r, 0, 3);
        const Int rank = static_cast<Int>(x.size());
        {
            // A dimension of the operand may come anywhere, and one of size 1 may meet another size.
            op::Broadcast o;
            o.shape = some_shape(r, rank, rank + 2, 3);
            o.dimensions = random_dimensions(r, static_cast<Int>(o.shape.size()), rank);
            IndexShape from = x;
            for (std::size_t d = 0; d < from.size(); ++d)
                from[d] = r.one_in(4) ? 1 : o.shape[static_cast<std::size_t>(o.dimensions[d])];
            check(o, filled(r, {from}));
        }
        check(op::Transpose{random_dimensions(r, rank, rank)}, filled(r, {x}));
        check(op::Reverse{random_dimensions(r, rank, r.in(0, rank))}, filled(r, {x}));
        check(op::Reshape{reshaped(r, x)}, filled(r, {x}));
        {
            const IndexShape y = reshaped(r, x);
            op::Bitcast o{y, {}, {}};
            if (r.one_in(2)) o.operand_layout = random_dimensions(r, rank, rank);
            if (r.one_in(2)) o.result_layout = random_dimensions(r, static_cast<Int>(y.size()), static_cast<Int>(y.size()));
            check(o, filled(r, {x}));
        }
        {
            op::Slice o;
            for (const Int n : x) {
                o.starts.push_back(r.in(0, n));
                o.limits.push_back(r.in(o.starts.back(), n));
                o.strides.push_back(r.in(1, 3));
            }
            if (r.one_in(3)) o.strides.clear();
            check(o, filled(r, {x}));
        }
        {
            op::Pad o;
            for (const Int n : x) {
                op::PadDimension p{r.in(-3, 3), r.in(-3, 3), r.one_in(2) ? 0 : r.in(0, 2)};
                const Int spread = n == 0 ? 0 : (n - 1) * (p.interior + 1) + 1;
                p.low = std::max(p.low, -spread);
                p.high = std::max(p.high, -spread - std::min<Int>(p.low, 0));
                o.padding.push_back(p);
            }
            check(o, filled(r, {x, {}}));
        }
        if (rank > 0) {
            op::Concatenate o{r.in(0, rank - 1)};
            std::vector<IndexShape> shapes(static_cast<std::size_t>(r.in(1, 3)), x);
            for (IndexShape& s : shapes) s[static_cast<std::size_t>(o.dimension)] = r.in(0, 3);
            check(o, filled(r, shapes));
            check(op::Iota{x, r.in(0, rank - 1)}, {});
        }
        check(op::Constant{x, true, r.in(-5, 5)}, {});
    }
}

TEST_CASE("elementwise operations and tuples: maps are what the operation does")
{
    laws::Random r(8002);
    for (Int i = laws::cases(400); i > 0; --i) {
        const IndexShape x = some_shape(r, 0, 3);
        for (const char* f : {"add", "subtract", "multiply"}) check(op::Elementwise{f}, filled(r, {x, x}));
        for (const char* f : {"negate", "copy", "convert", "exponential"}) check(op::Elementwise{f}, filled(r, {x}));
        check(op::Elementwise{"add"}, filled(r, {{}, x}));
        check(op::Elementwise{"select"}, filled(r, {r.one_in(2) ? x : IndexShape{}, x, x}));
        check(op::Elementwise{"clamp"}, filled(r, {{}, x, r.one_in(2) ? x : IndexShape{}}));
        check(op::Elementwise{"map"}, filled(r, std::vector<IndexShape>(static_cast<std::size_t>(r.in(1, 5)), x)));
        const std::vector<IndexShape> elements{x, some_shape(r, 0, 2), some_shape(r, 0, 2)};
        check(op::Tuple{}, filled(r, elements));
        check(op::GetTupleElement{r.in(0, 2)}, filled(r, elements));
    }
}

TEST_CASE("reductions and windows: maps are what the operation does")
{
    laws::Random r(8003);
    for (Int i = laws::cases(1500); i > 0; --i) {
        const IndexShape x = some_shape(r, 0, 3);
        std::vector<IndexShape> operands;
        const Int n = r.in(1, 3);
        for (Int k = 0; k < n; ++k) operands.push_back(x);
        operands.resize(static_cast<std::size_t>(2 * n));
        check(op::Reduce{random_dimensions(r, static_cast<Int>(x.size()), r.in(0, static_cast<Int>(x.size())))},
              filled(r, operands));
        for (Int k = 0; k < n; ++k) {
            operands[static_cast<std::size_t>(k)].resize(std::min<std::size_t>(x.size(), 2));
            for (Int& d : operands[static_cast<std::size_t>(k)]) d = std::max<Int>(2 * d - 1, 0);
        }
        check(op::ReduceWindow{random_windows(r, operands[0].size())}, filled(r, operands));
    }
}

TEST_CASE("dot: maps are what the operation does")
{
    laws::Random r(8004);
    for (Int i = laws::cases(1500); i > 0; --i) {
        // Each operand's dimensions from what they are for, put into any order.
        const IndexShape batch = some_shape(r, 0, 2, 3), contracting = some_shape(r, 0, 2, 3);
        const IndexShape free[2] = {some_shape(r, 0, 2, 3), some_shape(r, 0, 2, 3)};
        op::Dot o;
        std::vector<IndexShape> operands(2);
        for (const std::size_t side : {0u, 1u}) {
            const Index all = batch + contracting + free[side];
            const Numbers place = random_dimensions(r, static_cast<Int>(all.size()), static_cast<Int>(all.size()));
            operands[side].resize(all.size());
            for (std::size_t d = 0; d < all.size(); ++d) {
                operands[side][static_cast<std::size_t>(place[d])] = all[d];
                if (d < batch.size())
                    (side == 0 ? o.lhs_batch : o.rhs_batch).push_back(place[d]);
                else if (d < batch.size() + contracting.size())
                    (side == 0 ? o.lhs_contracting : o.rhs_contracting).push_back(place[d]);
            }
        }
        check(o, filled(r, operands));
    }
}

TEST_CASE("convolution: maps are what the operation does")
{
    laws::Random r(8005);
    for (Int i = laws::cases(1200); i > 0; --i) {
        const auto spatial = static_cast<std::size_t>(r.in(0, 2));
        op::Convolution o;
        o.window = random_windows(r, spatial);
        for (op::WindowDimension& w : o.window) w.reversed = r.one_in(3);
        const Int mode = r.in(0, 2), groups = r.in(1, 3);
        (mode == 1 ? o.feature_groups : o.batch_groups) = mode == 0 ? 1 : groups;
        const Int rank = static_cast<Int>(spatial) + 2;
        const Numbers input = random_dimensions(r, rank, rank), kernel = random_dimensions(r, rank, rank),
                      output = random_dimensions(r, rank, rank);
        op::ConvolutionDimensions& n = o.dimensions;
        n.input_batch = input[0];
        n.input_feature = input[1];
        n.kernel_input_feature = kernel[0];
        n.kernel_output_feature = kernel[1];
        n.output_batch = output[0];
        n.output_feature = output[1];
        const Int features = r.one_in(20) ? 0 : r.in(1, 2);
        IndexShape x(static_cast<std::size_t>(rank)), k = x;
        x[static_cast<std::size_t>(input[0])] = o.batch_groups * (r.one_in(20) ? 0 : r.in(1, 2));
        x[static_cast<std::size_t>(input[1])] = features * o.feature_groups;
        k[static_cast<std::size_t>(kernel[0])] = features;
        k[static_cast<std::size_t>(kernel[1])] = o.feature_groups * o.batch_groups * (r.one_in(20) ? 0 : r.in(1, 2));
        for (std::size_t d = 0; d < spatial; ++d) {
            n.input_spatial.push_back(input[d + 2]);
            n.kernel_spatial.push_back(kernel[d + 2]);
            n.output_spatial.push_back(output[d + 2]);
            x[static_cast<std::size_t>(input[d + 2])] = r.one_in(20) ? 0 : r.in(1, 5);
            k[static_cast<std::size_t>(kernel[d + 2])] = r.in(1, 3);
        }
        check(o, filled(r, {x, k}));
    }
}

TEST_CASE("slices that start where the program says: maps are what the operation does")
{
    laws::Random r(8006);
    for (Int i = laws::cases(1500); i > 0; --i) {
        const IndexShape x = some_shape(r, 0, 3, 6);
        IndexShape sizes;
        for (const Int n : x) sizes.push_back(r.in(0, n));
        std::vector<IndexShape> operands(1 + x.size());
        operands[0] = x;
        check(op::DynamicSlice{sizes}, filled(r, operands));
        operands.insert(operands.begin() + 1, sizes);
        check(op::DynamicUpdateSlice{}, filled(r, operands));
        check(op::Gather{sizes}, filled(r, {x, {r.in(0, 3), r.in(0, static_cast<Int>(x.size()))}}));
    }
}

TEST_CASE("collective operations: maps are what the operation does")
{
    laws::Random r(8007);
    for (Int i = laws::cases(1500); i > 0; --i) {
        const Int count = r.in(1, 3), size = r.in(1, 4);
        const op::DeviceGroups groups = random_groups(r, count, size);
        IndexShape x = some_shape(r, 1, 2, 3);
        x.insert(x.begin(), count * size);
        const Int rank = static_cast<Int>(x.size());
        const Int dimension = r.in(1, rank - 1), other = r.in(1, rank - 1);
        check(op::AllGather{dimension, groups}, filled(r, {x}));
        check(op::AllReduce{groups}, filled(r, {x}));
        x[static_cast<std::size_t>(dimension)] *= size;
        check(op::ReduceScatter{dimension, groups}, filled(r, {x}));
        check(op::AllToAll{dimension, other, groups}, filled(r, {x}));
    }
    // No devices, no elements.
    check(op::AllReduce{}, filled(r, {{0, 3}}));
    check(op::AllGather{}, filled(r, {{0, 3}}));
}

TEST_CASE("operations on numbers of any size: maps or a reason, and the maps' bounds are those of the shapes")
{
    laws::Random r(8008);
    const Int least = std::numeric_limits<Int>::min(), greatest = std::numeric_limits<Int>::max();
    const auto number = [&] {
        const Int numbers[] = {least, least + 1, -(Int{1} << 62), -3,           -1,           0,       1, 2, 3,
                               4,     6,         Int{1} << 32,    Int{1} << 62, greatest - 1, greatest};
        return numbers[r.one_in(3) ? r.in(0, 14) : r.in(4, 10)];
    };
    const auto numbers = [&](Int low, Int high) {
        Numbers out;
        for (Int i = r.in(low, high); i > 0; --i) out.push_back(number());
        return out;
    };
    Int made = 0, refused = 0;
    for (Int i = laws::cases(20'000); i > 0; --i) {
        std::vector<IndexShape> x;
        for (Int k = r.in(1, 3); k > 0; --k) x.push_back(numbers(0, 3));
        if (r.one_in(2)) std::fill(x.begin() + 1, x.end(), IndexShape{});
        std::vector<op::WindowDimension> window(x[0].size());
        for (op::WindowDimension& w : window) w = {number(), number(), number(), number(), number(), number(), r.one_in(2)};
        std::vector<op::PadDimension> padding(x[0].size());
        for (op::PadDimension& p : padding) p = {number(), number(), number()};
        const Int rank = static_cast<Int>(x[0].size());
        const std::vector<IndexShape> two{x[0], numbers(rank, rank)}, one{x[0]};
        IndexShape sorted = x[0];
        std::sort(sorted.begin(), sorted.end());
        const std::vector<std::pair<IndexOperation, std::vector<IndexShape>>> all{
            {op::Broadcast{numbers(0, 3), numbers(0, 3)}, one},
            {op::Concatenate{r.in(0, 2)}, {x[0], x[0]}},
            {op::Pad{padding}, {x[0], {}}},
            {op::ReduceWindow{window}, {x[0], {}}},
            {op::Slice{numbers(rank, rank), numbers(rank, rank), numbers(rank, rank)}, one},
            {op::Reshape{sorted}, one},
            {op::Reshape{numbers(0, 3)}, one},
            {op::Bitcast{sorted, {}, numbers(rank, rank)}, one},
            {op::Reverse{numbers(0, 2)}, one},
            {op::Transpose{numbers(rank, rank)}, one},
            {op::Reduce{numbers(0, 2)}, {x[0], {}}},
            {op::Dot{numbers(0, 1), numbers(0, 1), numbers(0, 1), numbers(0, 1)}, two},
            {op::Convolution{
                 {window.begin(), window.begin() + std::min<Int>(rank, 1)}, {0, 1, {2}, 0, 1, {2}, 0, 1, {2}}, number(), 1},
             two},
            {op::Convolution{
                 {window.begin(), window.begin() + std::min<Int>(rank, 1)}, {0, 1, {2}, 0, 1, {2}, 0, 1, {2}}, 1, number()},
             two},
            {op::DynamicSlice{numbers(1, 1)}, {numbers(1, 1), {}}},
            {op::DynamicUpdateSlice{}, {numbers(1, 1), numbers(1, 1), {}}},
            {op::Gather{numbers(rank, rank)}, {x[0], numbers(2, 2)}},
            {op::Iota{numbers(0, 2), number()}, {}},
            {op::AllGather{number(), {}}, one},
            {op::AllGather{1, {numbers(1, 2), numbers(1, 2)}}, one},
            {op::AllReduce{}, one},
            {op::ReduceScatter{1, {}}, one},
            {op::AllToAll{number(), number(), {}}, one},
            {op::GetTupleElement{number()}, x},
        };
        for (const auto& [operation, operands] : all) {
            const auto got = maps(operation, operands);
            if (!got) {
                ++refused;
                CHECK(got.error().message().size > 0);
                continue;
            }
            ++made;
            const ResultMaps& result = got->results[0];
            for (const Int n : result.shape) CHECK(n >= 0);
            for (std::size_t k = 0; k < operands.size(); ++k)
                for (const bool from_output : {true, false})
                    for (const OperandMap& m : from_output ? result.from_output[k] : result.to_output[k]) {
                        if (m.map.is_undefined) continue;
                        const IndexShape &from = from_output ? result.shape : operands[k],
                                         &to = from_output ? operands[k] : result.shape;
                        REQUIRE(m.map.dimensions == static_cast<int>(from.size()));
                        REQUIRE(m.map.results.size() == to.size());
                        for (std::size_t d = 0; d < from.size(); ++d)
                            CHECK(IndexInterval{0, from[d] - 1}.contains(m.map.variables[d].bounds));
                    }
        }
    }
    CHECK(made > refused / 20);
}
