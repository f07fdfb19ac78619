// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strided arrays, matrices, format tags and tiled layouts: to an Axe layout and back.
#include "harness.hpp"

#include <axe/interop/strides.hpp>

#include <array>

namespace {

using namespace axe;

/// The members of `DLTensor` that say where elements are.
struct Tensor {
    std::int32_t ndim = 0;
    struct {
        std::uint8_t code, bits;
        std::uint16_t lanes;
    } dtype{2, 16, 1};
    std::int64_t *shape = nullptr, *strides = nullptr;
    std::uint64_t byte_offset = 0;
};

/// Extents as `std::extents` has them.
struct Extents {
    using index_type = std::int64_t;
    using size_type = std::size_t;
    using rank_type = std::size_t;
    std::array<std::int64_t, 4> n{};
    static constexpr rank_type rank() noexcept { return 4; }
    [[nodiscard]] constexpr index_type extent(rank_type d) const noexcept { return n[d]; }
    friend bool operator==(const Extents&, const Extents&) = default;
};

[[maybe_unused]] const bool registered = [] {
    using bench::add;
    // A transposed window of a batch of images: four dimensions, none of which continues another.
    const Shape shape{8, 3, 224, 224};
    const Strided array{shape, {196608, 1, 768, 3}, 96};
    const Layout layout = to_axe(array).value();
    add("convert/strided/in", [](const Strided& a) { return to_axe(a); }, array);
    add("convert/strided/out", [](const Layout& l, const Shape& s) { return to_strided(l, s); }, layout, shape);
    add("convert/numpy/in", [](const numpy::Array& a) { return numpy::to_axe(a); }, numpy::from_strided(array, 2).value());
    add("convert/numpy/out", [](const Layout& l, const Shape& s) { return numpy::from_axe(l, s, 2); }, layout, shape);

    static std::int64_t extents[4], strides[4];
    Tensor tensor;
    const auto fill = [](Tensor t, const Layout& l, const Shape& s) { return dlpack::fill(t, l, s, extents, strides); };
    static_cast<void>(dlpack::fill(tensor, layout, shape, extents, strides));
    add("convert/dlpack/in", [](const Tensor& t) { return dlpack::to_axe(t); }, tensor);
    add("convert/dlpack/out", fill, tensor, layout, shape);

    const Extents n{{8, 3, 224, 224}};
    const auto mapping = layout_axe::make(layout, n).value();
    add("convert/mdspan/in", [](const auto& m) { return to_axe(*from_mapping(m)); }, mapping);
    add("convert/mdspan/out", [](const Layout& l, const Extents& e) { return layout_axe::make(l, e); }, layout, n);

    const blas::Matrix matrix{4096, 1024, blas::Order::column_major, blas::Transpose::yes, 1536, 64};
    add("convert/blas/matrix/in", [](const blas::Matrix& m) { return blas::to_axe(m); }, matrix);
    add(
        "convert/blas/matrix/out", [](const Layout& l, const Shape& s) { return blas::matrix(l, s); }, blas::to_axe(matrix).value(),
        Shape{4096, 1024});
    const blas::Vector vector{4096, -3, 7};
    add("convert/blas/vector/in", [](const blas::Vector& v) { return blas::to_axe(v); }, vector);
    add(
        "convert/blas/vector/out", [](const Layout& l, const Shape& s) { return blas::vector(l, s); }, blas::to_axe(vector).value(),
        Shape{4096});

    const auto tagged = [](const std::string& name, std::string_view text, const Shape& dims) {
        const auto tag = onednn::parse_tag(text).value();
        const Padded padded = onednn::to_axe(tag, dims).value();
        add("convert/onednn/" + name + "/parse", [](std::string_view t) { return onednn::parse_tag(t); }, text);
        add("convert/onednn/" + name + "/print", [](const onednn::Tag& t) { return onednn::print(t); }, tag);
        add("convert/onednn/" + name + "/in", [](const onednn::Tag& t, const Shape& s) { return onednn::to_axe(t, s); }, tag, dims);
        add(
            "convert/onednn/" + name + "/out", [](const Padded& p, const Shape& s) { return onednn::to_tag(p.layout, p.shape, s); },
            padded, dims);
    };
    tagged("nChw16c", "nChw16c", {8, 60, 56, 56});
    tagged("OIhw4i16o4i", "OIhw4i16o4i", {64, 128, 3, 3});

    const auto tiled = [](const std::string& name, std::string_view text, const Shape& dims) {
        const auto parsed = xla::parse_tiled(text).value();
        const Padded padded = xla::to_axe(parsed, dims).value();
        add("convert/xla/" + name + "/parse", [](std::string_view t) { return xla::parse_tiled(t); }, text);
        add("convert/xla/" + name + "/print", [](const xla::TiledLayout& t) { return xla::print(t); }, parsed);
        add(
            "convert/xla/" + name + "/in", [](const xla::TiledLayout& t, const Shape& s) { return xla::to_axe(t, s); }, parsed,
            dims);
        add(
            "convert/xla/" + name + "/out", [](const Padded& p, const Shape& s) { return xla::to_tiled(p.layout, p.shape, s); },
            padded, dims);
    };
    tiled("plain", "{1,2,3,0}", {8, 3, 224, 224});
    tiled("tiled", "{1,0:T(8,128)}", {1000, 1000});
    tiled("tiled_twice", "{1,0:T(8,128)(2,1)}", {1024, 1024});
    tiled("combined", "{2,1,0:T(*,8,128)}", {4, 24, 512});
    return true;
}();

} // namespace
