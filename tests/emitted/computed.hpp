// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_EMITTED_COMPUTED_HPP
#define AXE_TESTS_EMITTED_COMPUTED_HPP

#include <axe/map/emit_loops.hpp>
#include <axe/map/operations/convolution.hpp>
#include <axe/map/operations/dot.hpp>
#include <axe/map/operations/pad.hpp>
#include <axe/map/operations/reduce.hpp>
#include <axe/map/operations/reduce_window.hpp>
#include <tests/random.hpp>

#include <algorithm>

/// Operations of odd sizes with what they compute, by loops written from their definitions.
namespace emitted {

using laws::Int;
using laws::Random;
using Numbers = std::vector<Int>;

struct Computed {
    std::string name{};
    axe::Result<axe::LoopNest> nest{};
    std::vector<Numbers> operands{};
    Int initial = 0;
    std::string combine{}; ///< as `emit_loops` takes it
    Numbers expected{};

    /// The same, to be called.
    [[nodiscard]] Int next(Int acc, const Int* x) const
    {
        if (combine == "x0") return x[0];
        if (combine == "acc + x0") return acc + x[0];
        if (combine == "acc > x0 ? acc : x0") return std::max(acc, x[0]);
        return acc + x[0] * x[1];
    }
};

inline Numbers some_numbers(Random& r, Int count)
{
    Numbers out;
    for (Int i = 0; i < count; ++i) out.push_back(r.in(-50, 50));
    return out;
}

/// With the first `count` operands; those after it are initial values.
inline axe::Result<axe::LoopNest> nest_of(const axe::Result<axe::OperationMaps>& maps, std::size_t count)
{
    if (!maps) return maps.error();
    const axe::ResultMaps& result = maps->results[0];
    std::vector<axe::IndexingMap> from;
    std::vector<axe::IndexShape> shapes;
    for (std::size_t i = 0; i < count; ++i) {
        from.push_back(result.from_output[i][0].map);
        shapes.push_back(maps->operands[i]);
    }
    return axe::loop_nest(result.shape, from, shapes);
}

inline Computed dot(Random& r)
{
    const Int b = r.in(1, 3), m = r.in(1, 5), n = r.in(1, 5), k = r.one_in(3) ? 8 : r.in(0, 6);
    Computed c{"dot", nest_of(axe::op::Dot{{0}, {0}, {2}, {1}}.maps({{b, m, k}, {b, k, n}}), 2), {}, 0, "acc + x0 * x1", {}};
    c.operands = {some_numbers(r, b * m * k), some_numbers(r, b * k * n)};
    for (Int i = 0; i < b * m * n; ++i) {
        Int sum = 0;
        for (Int s = 0; s < k; ++s)
            sum += c.operands[0][static_cast<std::size_t>(i / n * k + s)] *
                   c.operands[1][static_cast<std::size_t>((i / (m * n) * k + s) * n + i % n)];
        c.expected.push_back(sum);
    }
    return c;
}

/// The size of a dimension that is padded; 0 at least.
inline Int padded(Int n, const axe::op::PadDimension& p) { return p.low + p.high + (n == 0 ? 0 : (n - 1) * (p.interior + 1) + 1); }

inline Computed pad(Random& r)
{
    const Int h = r.in(1, 5), w = r.in(1, 5);
    axe::op::PadDimension p[2];
    for (auto& d : p) d = {r.in(-1, 3), r.in(0, 3), r.in(0, 2)};
    const Int rows = padded(h, p[0]), columns = padded(w, p[1]);
    Computed c{"pad", nest_of(axe::op::Pad{{p[0], p[1]}}.maps({{h, w}, {}}), 1), {some_numbers(r, h * w)}, 99, "x0", {}};
    for (Int i = 0; i < rows; ++i)
        for (Int j = 0; j < columns; ++j) {
            Int value = c.initial;
            for (Int y = 0; y < h; ++y) // written where each element goes, as the definition has it
                for (Int x = 0; x < w; ++x)
                    if (p[0].low + y * (p[0].interior + 1) == i && p[1].low + x * (p[1].interior + 1) == j)
                        value = c.operands[0][static_cast<std::size_t>(y * w + x)];
            c.expected.push_back(value);
        }
    return c;
}

inline Computed reduce(Random& r)
{
    const Int a = r.in(1, 4), b = r.one_in(3) ? 16 : r.in(0, 7), d = r.in(1, 4);
    Computed c{"reduce", nest_of(axe::op::Reduce{{1}}.maps({{a, b, d}, {}}), 1), {some_numbers(r, a * b * d)}, 3, "acc + x0", {}};
    for (Int i = 0; i < a * d; ++i) {
        Int sum = c.initial;
        for (Int s = 0; s < b; ++s) sum += c.operands[0][static_cast<std::size_t>((i / d * b + s) * d + i % d)];
        c.expected.push_back(sum);
    }
    return c;
}

inline axe::op::WindowDimension random_window(Random& r, Int& n)
{
    axe::op::WindowDimension w;
    w.size = r.in(1, 3);
    w.stride = r.in(1, 3);
    w.dilation = r.in(1, 2);
    w.low = r.in(0, 2);
    w.high = r.in(0, 2);
    n = std::max(n, (w.size - 1) * w.dilation + 1); // one place at least
    return w;
}
inline Int places(Int n, const axe::op::WindowDimension& w)
{
    return (n + w.low + w.high - ((w.size - 1) * w.dilation + 1)) / w.stride + 1;
}

inline Computed reduce_window(Random& r)
{
    Int h = r.in(1, 9), w = r.in(1, 9);
    const auto p = random_window(r, h), q = random_window(r, w);
    Computed c{"reduce_window",          nest_of(axe::op::ReduceWindow{{p, q}}.maps({{h, w}, {}}), 1),
               {some_numbers(r, h * w)}, -1000,
               "acc > x0 ? acc : x0",    {}};
    for (Int i = 0; i < places(h, p); ++i)
        for (Int j = 0; j < places(w, q); ++j) {
            Int most = c.initial;
            for (Int s = 0; s < p.size; ++s)
                for (Int t = 0; t < q.size; ++t) {
                    const Int y = i * p.stride + s * p.dilation - p.low, x = j * q.stride + t * q.dilation - q.low;
                    if (y >= 0 && y < h && x >= 0 && x < w)
                        most = std::max(most, c.operands[0][static_cast<std::size_t>(y * w + x)]);
                }
            c.expected.push_back(most);
        }
    return c;
}

/// (batch, feature, height, width) with kernels (input feature, output feature, height, width).
inline Computed convolution(Random& r)
{
    Int h = r.in(1, 7), w = r.in(1, 7);
    const Int batches = r.in(1, 2), inputs = r.one_in(3) ? 4 : r.in(1, 3), outputs = r.in(1, 3);
    const auto p = random_window(r, h), q = random_window(r, w);
    axe::op::Convolution conv;
    conv.dimensions.input_spatial = conv.dimensions.kernel_spatial = conv.dimensions.output_spatial = {2, 3};
    conv.window = {p, q};
    Computed c{"convolution",
               nest_of(conv.maps({{batches, inputs, h, w}, {inputs, outputs, p.size, q.size}}), 2),
               {},
               0,
               "acc + x0 * x1",
               {}};
    c.operands = {some_numbers(r, batches * inputs * h * w), some_numbers(r, inputs * outputs * p.size * q.size)};
    for (Int b = 0; b < batches; ++b)
        for (Int o = 0; o < outputs; ++o)
            for (Int i = 0; i < places(h, p); ++i)
                for (Int j = 0; j < places(w, q); ++j) {
                    Int sum = 0;
                    for (Int f = 0; f < inputs; ++f)
                        for (Int s = 0; s < p.size; ++s)
                            for (Int t = 0; t < q.size; ++t) {
                                const Int y = i * p.stride + s * p.dilation - p.low, x = j * q.stride + t * q.dilation - q.low;
                                if (y < 0 || y >= h || x < 0 || x >= w) continue;
                                sum += c.operands[0][static_cast<std::size_t>(((b * inputs + f) * h + y) * w + x)] *
                                       c.operands[1][static_cast<std::size_t>(((f * outputs + o) * p.size + s) * q.size + t)];
                            }
                    c.expected.push_back(sum);
                }
    return c;
}

inline Computed (*const operations[])(Random&) = {dot, pad, reduce, reduce_window, convolution};

} // namespace emitted

#endif
