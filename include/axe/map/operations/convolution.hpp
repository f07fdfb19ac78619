// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_OPERATIONS_CONVOLUTION_HPP
#define AXE_MAP_OPERATIONS_CONVOLUTION_HPP

#include <axe/map/operations/window.hpp>

namespace axe {
inline namespace v0 {
namespace op {

/// Which dimension of its operands and its result is what for a convolution.
struct ConvolutionDimensions {
    std::int64_t input_batch = 0, input_feature = 1;
    std::vector<std::int64_t> input_spatial{};
    std::int64_t kernel_input_feature = 0, kernel_output_feature = 1;
    std::vector<std::int64_t> kernel_spatial{};
    std::int64_t output_batch = 0, output_feature = 1;
    std::vector<std::int64_t> output_spatial{};
};

/// y[b, o, p…] = Σ_{s…, f} x[b + g_b·B, g_f·F + f, window at p, element s…]·kernel[f, o, s…]
///
/// with B batches and F features of the input in a group, and g the group of the output feature o:  g = o div (O/groups). Only one of
/// the two group counts may be above 1. The window's `base_dilation` is the dilation of the input, its `dilation` the kernel's. The
/// range variables are the elements of the window and then the features, the same for both operands: the elements at one point are
/// multiplied. What meets padding and holes is not read of the input; the kernel's map does not ask.
/// Source: StableHLO, "convolution" (batch_group_count splits the input's batches and the kernel's output features).
struct Convolution {
    std::vector<WindowDimension> window{}; ///< of each spatial dimension; the sizes are the kernel's
    ConvolutionDimensions dimensions{};
    std::int64_t feature_groups = 1, batch_groups = 1;

    [[nodiscard]] Result<OperationMaps> maps(const std::vector<IndexShape>& operands) const
    {
        if (const Status e = check(operands); !e.ok()) return e;
        const ConvolutionDimensions& n = dimensions;
        const IndexShape &x = operands[0], &kernel = operands[1];
        Sizes sizes;
        sizes.batches = detail::entry(x, n.input_batch) / batch_groups;
        sizes.features = detail::entry(kernel, n.kernel_input_feature);
        sizes.outputs = detail::entry(kernel, n.kernel_output_feature) / (feature_groups * batch_groups);
        IndexShape shape(x.size());
        detail::entry(shape, n.output_batch) = sizes.batches;
        detail::entry(shape, n.output_feature) = detail::entry(kernel, n.kernel_output_feature);
        for (std::size_t i = 0; i < window.size(); ++i) {
            WindowDimension dimension = window[i];
            dimension.size = detail::entry(kernel, n.kernel_spatial[i]);
            const auto w = detail::checked_window(dimension, detail::entry(x, n.input_spatial[i]), static_cast<int>(i));
            if (!w) return w.error();
            sizes.windows.push_back(*w);
            sizes.elements.push_back(dimension.size);
            detail::entry(shape, n.output_spatial[i]) = w->places;
        }
        OperationMaps out = detail::one_result("convolution", operands, shape);
        detail::relate(out.results[0], 0, from_output(shape, sizes), to_output(x, sizes));
        detail::relate(out.results[0], 1, kernel_from_output(shape, sizes), kernel_to_output(kernel, sizes));
        return detail::finished(std::move(out));
    }

  private:
    struct Sizes {
        std::vector<detail::Window> windows{};
        IndexShape elements{};                               ///< of the windows
        std::int64_t batches = 0, features = 0, outputs = 0; ///< in one group
    };
    static IndexExpr at(IndexingMap& map, std::int64_t dimension) { return map.dimension(static_cast<int>(dimension)); }
    static IndexExpr in_group(IndexPool& pool, IndexExpr group, std::int64_t size, IndexExpr i)
    {
        return pool.add(pool.mul(group, size), i);
    }
    static IndexShape with(IndexShape shape, std::int64_t last)
    {
        shape.push_back(last);
        return shape;
    }

    [[nodiscard]] IndexingMap from_output(const IndexShape& shape, const Sizes& sizes) const
    {
        const ConvolutionDimensions& n = dimensions;
        IndexingMap map = IndexingMap::over(shape, with(sizes.elements, sizes.features));
        map.results.resize(shape.size());
        const IndexExpr group = detail::floor_div_size(map.pool, at(map, n.output_feature), sizes.outputs);
        IndexExpr batch = at(map, n.output_batch), feature = map.range(map.ranges - 1);
        if (batch_groups > 1) batch = in_group(map.pool, group, sizes.batches, batch);
        if (feature_groups > 1) feature = in_group(map.pool, group, sizes.features, feature);
        detail::entry(map.results, n.input_batch) = batch;
        detail::entry(map.results, n.input_feature) = feature;
        for (int i = 0; i < static_cast<int>(window.size()); ++i)
            detail::entry(map.results, detail::entry(n.input_spatial, i)) =
                detail::entry(sizes.windows, i).element(map, at(map, detail::entry(n.output_spatial, i)), map.range(i));
        return map;
    }
    /// The range variables: elements of the window, and the output features of the group that an input belongs to.
    [[nodiscard]] IndexingMap to_output(const IndexShape& input, const Sizes& sizes) const
    {
        const ConvolutionDimensions& n = dimensions;
        IndexingMap map = IndexingMap::over(input, with(sizes.elements, sizes.outputs));
        map.results.resize(input.size());
        IndexExpr batch = at(map, n.input_batch), output = map.range(map.ranges - 1);
        if (feature_groups > 1)
            output = in_group(map.pool, detail::floor_div_size(map.pool, at(map, n.input_feature), sizes.features), sizes.outputs,
                              output);
        if (batch_groups > 1) {
            output = in_group(map.pool, detail::floor_div_size(map.pool, batch, sizes.batches), sizes.outputs, output);
            batch = detail::mod_size(map.pool, batch, sizes.batches);
        }
        detail::entry(map.results, n.output_batch) = batch;
        detail::entry(map.results, n.output_feature) = output;
        for (int i = 0; i < static_cast<int>(window.size()); ++i)
            detail::entry(map.results, detail::entry(n.output_spatial, i)) =
                detail::entry(sizes.windows, i).place(map, at(map, detail::entry(n.input_spatial, i)), map.range(i));
        return map;
    }

    [[nodiscard]] IndexingMap kernel_from_output(const IndexShape& shape, const Sizes& sizes) const
    {
        const ConvolutionDimensions& n = dimensions;
        IndexingMap map = IndexingMap::over(shape, with(sizes.elements, sizes.features));
        map.results.resize(shape.size());
        detail::entry(map.results, n.kernel_input_feature) = map.range(map.ranges - 1);
        detail::entry(map.results, n.kernel_output_feature) = at(map, n.output_feature);
        for (int i = 0; i < static_cast<int>(window.size()); ++i) {
            const WindowDimension& w = detail::entry(sizes.windows, i).w;
            const IndexExpr s = map.range(i);
            detail::entry(map.results, detail::entry(n.kernel_spatial, i)) =
                w.reversed ? map.pool.add(map.pool.mul(s, -1), w.size - 1) : s;
        }
        return map;
    }
    /// The range variables: batches, and places of the window.
    [[nodiscard]] IndexingMap kernel_to_output(const IndexShape& kernel, const Sizes& sizes) const
    {
        const ConvolutionDimensions& n = dimensions;
        IndexShape loops{sizes.batches};
        for (const detail::Window& w : sizes.windows) loops.push_back(w.places);
        IndexingMap map = IndexingMap::over(kernel, loops);
        map.results.resize(kernel.size());
        detail::entry(map.results, n.output_batch) = map.range(0);
        detail::entry(map.results, n.output_feature) = at(map, n.kernel_output_feature);
        for (int i = 0; i < static_cast<int>(window.size()); ++i)
            detail::entry(map.results, detail::entry(n.output_spatial, i)) = map.range(i + 1);
        return map;
    }

    [[nodiscard]] Status check(const std::vector<IndexShape>& operands) const
    {
        if (const Status e = detail::check_operands(operands, 2); !e.ok()) return e;
        const std::int64_t rank = detail::count(window) + 2;
        const ConvolutionDimensions& n = dimensions;
        const auto check_all = [&](const std::vector<std::int64_t>& spatial, std::int64_t batch, std::int64_t feature) -> Status {
            if (const Status e = detail::check_length(spatial, rank - 2); !e.ok()) return e;
            std::vector<bool> used(static_cast<std::size_t>(rank));
            if (const Status e = detail::check_dimensions({batch, feature}, used); !e.ok()) return e;
            return detail::check_dimensions(spatial, used);
        };
        for (const std::int64_t k : {0, 1})
            if (const Status e = detail::check_rank(operands, k, rank); !e.ok()) return e;
        if (const Status e = check_all(n.input_spatial, n.input_batch, n.input_feature); !e.ok()) return e;
        if (const Status e = check_all(n.kernel_spatial, n.kernel_input_feature, n.kernel_output_feature); !e.ok()) return e;
        if (const Status e = check_all(n.output_spatial, n.output_batch, n.output_feature); !e.ok()) return e;

        if (feature_groups < 1 || batch_groups < 1 || (feature_groups > 1 && batch_groups > 1))
            return Error(errc::bad_argument, -1,
                         "there are {0} feature and {1} batch groups; both must be 1 or more, and one of them 1", feature_groups,
                         batch_groups);
        const std::int64_t batches = detail::entry(operands[0], n.input_batch),
                           outputs = detail::entry(operands[1], n.kernel_output_feature);
        const std::int64_t groups = feature_groups * batch_groups, features = detail::entry(operands[0], n.input_feature);
        if (outputs % groups != 0)
            return Error(errc::size_mismatch, 1, "the kernel has {0} output features, which {1} groups do not divide", outputs,
                         groups);
        if (batches % batch_groups != 0)
            return Error(errc::size_mismatch, 0, "the input has {0} batches, which {1} groups do not divide", batches,
                         batch_groups);
        if (features % feature_groups != 0)
            return Error(errc::size_mismatch, 0, "the input has {0} features, which {1} groups do not divide", features,
                         feature_groups);
        return detail::check_dimension(operands, 1, n.kernel_input_feature, features / feature_groups);
    }
};

} // namespace op

} // namespace v0
} // namespace axe

#endif
