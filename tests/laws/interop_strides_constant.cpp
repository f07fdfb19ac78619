// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interop_constant.hpp"

#include <axe/interop/strides.hpp>
#include <axe/text/literals.hpp>

#include <array>

/// Every conversion of strided arrays, tags and tiled layouts: the compiler's answer is that of the program.
namespace {

using namespace axe;
using namespace axe::literals;

struct Arrays {
    static constexpr Strided list[] = {
        {{4, 6}, {6, 1}, 0}, {{4, 6}, {1, 8}, 3}, {{2, 3, 4}, {-12, 4, 1}, 12},
        {{8}, {0}, 0},       {{1, 5}, {7, 2}, 0}, {{4, 0}, {1, 1}, 0},
        {{4, 6}, {1}, 0},    {{}, {}, 5},
    };
};
struct Placed {
    Layout layout;
    Shape shape;
};
struct Layouts {
    static constexpr Placed list[] = {
        {"24:1"_axe, {4, 6}},
        {"(4,6):(1,8)"_axe, {4, 6}},
        {"(2,16,2):(16,1,32)"_axe, {2, 16, 2}},
        {"(2,4,8,4):(512,4,16,1)"_axe, {8, 32}},
        {"(4,6):(6@P,1)"_axe, {4, 6}},
        {"24:1"_axe, {5, 5}},
        {"24:-1"_axe, {4, 6}},
        {"(6,2,2):(2,16,1)"_axe, {2, 3, 4}},
        {"8:1 + [2:8]"_axe, {8}},
    };
};
struct Written {
    const char* text;
    Shape shape;
    [[nodiscard]] constexpr int size() const
    {
        int n = 0;
        while (text[n] != '\0') ++n;
        return n;
    }
};
struct Tags {
    static constexpr Written list[] = {{"nChw16c", {2, 20, 3, 3}}, {"OIhw4i16o4i", {32, 32, 3, 3}},
                                       {"abcd", {2, 3, 4, 5}},     {"ba", {4, 4}},
                                       {"nchw", {2, 3}},           {"aa", {2, 3}}};
};
struct Tiles {
    static constexpr Written list[] = {
        {"{1,0:T(8,128)(2,1)}", {16, 256}},    {"{1,0:T(8,128)}", {5, 100}}, {"{0,1}", {3, 4}}, {"{2,1,0:T(*,8,2)}", {2, 3, 4}},
        {"{1,0:T(4,4)L(32)E(4)S(1)}", {3, 3}}, {"{1,0:T(*)}", {3, 3}},       {"{}", {2}}};
};
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
struct Extents {
    using index_type = std::int64_t;
    using size_type = std::size_t;
    using rank_type = std::size_t;
    std::array<std::int64_t, 2> n{};
    static constexpr rank_type rank() noexcept { return 2; }
    [[nodiscard]] constexpr index_type extent(rank_type d) const noexcept { return n[d]; }
    friend constexpr bool operator==(const Extents&, const Extents&) = default;
};

/// What a conversion that fills a struct of pointers wrote.
struct Filled {
    Error error;
    std::array<std::int64_t, 2 * max_rank> numbers{};
    std::uint64_t byte_offset = 0;
    friend bool operator==(const Filled& a, const Filled& b)
    {
        return constant::same(a.error, b.error) && a.numbers == b.numbers && a.byte_offset == b.byte_offset;
    }
};

} // namespace

TEST_CASE("constant: strided arrays, NumPy, DLPack, mdspan, BLAS")
{
    const auto in = [](auto f, int least) { CHECK(constant::each<Arrays>(f).answered >= least); };
    in([](const Strided& a) { return to_axe(a); }, 6);
    in([](const Strided& a) { return reach_below(a); }, 7);
    in([](const Strided& a) { return is_c_contiguous(a); }, 8);
    in([](const Strided& a) { return is_f_contiguous(a); }, 8);
    in([](const Strided& a) { return row_major_array(a.shape); }, 8);
    in([](const Strided& a) { return column_major_array(a.shape); }, 8);
    in([](const Strided& a) { return numpy::from_strided(a, 4); }, 8);
    in([](const Strided& a) { return numpy::to_axe(numpy::Array{a.shape, a.strides, 2, a.offset}); }, 2);
    in(
        [](const Strided& a) {
            Tensor t;
            std::int64_t shape[max_rank]{}, strides[max_rank]{};
            t.ndim = a.shape.size();
            for (int d = 0; d < a.shape.size(); ++d) shape[d] = a.shape[d];
            for (int d = 0; d < a.strides.size(); ++d) strides[d] = a.strides[d];
            t.shape = shape;
            t.strides = strides;
            t.byte_offset = 6;
            return dlpack::to_axe(t);
        },
        5);

    const auto out = [](auto f, int least) { CHECK(constant::each<Layouts>(f).answered >= least); };
    out([](const Placed& p) { return to_strided(p.layout, p.shape); }, 3);
    out([](const Placed& p) { return numpy::from_axe(p.layout, p.shape, 2); }, 3);
    out(
        [](const Placed& p) {
            Tensor t;
            Filled f;
            f.error = dlpack::fill(t, p.layout, p.shape, f.numbers.data(), f.numbers.data() + max_rank).error();
            f.byte_offset = t.byte_offset;
            return f;
        },
        9);
    out([](const Placed& p) { return blas::matrix(p.layout, p.shape); }, 2);
    out([](const Placed& p) { return blas::vector(p.layout, Shape{24}); }, 1);
    out([](const Placed& p) { return layout_axe::make(p.layout, Extents{{4, 6}}); }, 2);
    out(
        [](const Placed& p) {
            const auto mapping = layout_axe::make(p.layout, Extents{{4, 6}});
            return mapping ? from_mapping(*mapping) : Result<Strided>(mapping.error());
        },
        2);
}

TEST_CASE("constant: oneDNN's tags and XLA's tiles")
{
    const auto tag = [](auto f, int least) { CHECK(constant::each<Tags>(f).answered >= least); };
    tag([](const Written& t) { return onednn::parse_tag({t.text, t.size()}); }, 5);
    tag(
        [](const Written& t) {
            const auto parsed = onednn::parse_tag({t.text, t.size()});
            return parsed ? onednn::to_axe(*parsed, t.shape) : Result<Padded>(parsed.error());
        },
        4);
    tag(
        [](const Written& t) {
            const auto parsed = onednn::parse_tag({t.text, t.size()});
            return onednn::print(parsed ? *parsed : onednn::Tag{});
        },
        6);
    tag(
        [](const Written& t) {
            const auto parsed = onednn::parse_tag({t.text, t.size()});
            if (!parsed) return Result<onednn::Tag>(parsed.error());
            const auto p = onednn::to_axe(*parsed, t.shape);
            return p ? onednn::to_tag(p->layout, p->shape, t.shape) : Result<onednn::Tag>(p.error());
        },
        4);
    const auto tile = [](auto f, int least) { CHECK(constant::each<Tiles>(f).answered >= least); };
    tile([](const Written& t) { return xla::parse_tiled({t.text, t.size()}); }, 5);
    tile(
        [](const Written& t) {
            const auto parsed = xla::parse_tiled({t.text, t.size()});
            return parsed ? xla::to_axe(*parsed, t.shape) : Result<Padded>(parsed.error());
        },
        5);
    tile(
        [](const Written& t) {
            const auto parsed = xla::parse_tiled({t.text, t.size()});
            return xla::print(parsed ? *parsed : xla::TiledLayout{});
        },
        7);
    tile(
        [](const Written& t) {
            const auto parsed = xla::parse_tiled({t.text, t.size()});
            if (!parsed) return Result<xla::TiledLayout>(parsed.error());
            const auto p = xla::to_axe(*parsed, t.shape);
            return p ? xla::to_tiled(p->layout, p->shape, t.shape) : Result<xla::TiledLayout>(p.error());
        },
        5);

    const auto out = [](auto f, int least) { CHECK(constant::each<Layouts>(f).answered >= least); };
    out([](const Placed& p) { return onednn::to_tag(p.layout, p.shape); }, 3);
    out([](const Placed& p) { return xla::to_tiled(p.layout, p.shape); }, 4); // the eighth has a star
}
