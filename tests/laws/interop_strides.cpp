// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of other libraries against an address function of each format that knows nothing of layouts, and round trips both ways.
#include <axe/interop/strides.hpp>
#include <axe/layout/equal.hpp>
#include <axe/layout/slice.hpp>
#include <axe/text/print.hpp>
#include <tests/laws/report.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

using laws::Int;
using laws::Random;
using laws::Report;
using List = std::vector<Int>;

namespace {

/// Calls f with every coordinate of a shape.
template <class F>
void each(const axe::Shape& shape, F f)
{
    const List extents = oracle::list(shape);
    for (Int x = 0; x < oracle::volume(shape); ++x) f(oracle::coordinate(extents, x));
}

/// The address of a coordinate by the layout, digit by digit.
Int address(const axe::Layout& l, const axe::Shape& shape, const List& c)
{
    return oracle::decode(oracle::at(oracle::model(l), oracle::index(oracle::list(shape), c)) + l.offset[axe::Axis{}], 0);
}

/// Are two layouts one map? Those here are small enough to decide.
bool same_map(const axe::Layout& a, const axe::Layout& b)
{
    const auto v = axe::equal(a, b);
    return !v.undecided() && v;
}

axe::Shape random_extents(Random& r, int rank, Int most)
{
    axe::Shape out;
    for (int d = 0; d < rank; ++d) out.push_back(r.one_in(5) ? 1 : r.in(1, most));
    return out;
}

// ---- strides --------------------------------------------------------------------------------------------------------------------

Int naive_strided(const axe::Strided& a, const List& c)
{
    Int out = a.offset;
    for (int d = 0; d < a.shape.size(); ++d) out += c[static_cast<std::size_t>(d)] * a.strides[d];
    return out;
}

/// NumPy's sentence on contiguity, element by element: the addresses go up by one in the given order.
bool naive_contiguous(const axe::Strided& a, bool last_fastest)
{
    Int next = a.offset;
    bool yes = true;
    axe::Shape shape = a.shape;
    if (!last_fastest) std::reverse(shape.begin(), shape.end());
    each(shape, [&](List c) {
        if (!last_fastest) std::reverse(c.begin(), c.end());
        yes = yes && naive_strided(a, c) == next++;
    });
    return yes;
}

} // namespace

TEST_CASE("law: a strided array and its layout have the addresses of c·strides, both ways", "[interop][strides]")
{
    Report report("strided");
    Random r(61);
    for (Int i = laws::cases(4000); i > 0; --i) {
        const auto extents = random_extents(r, static_cast<int>(r.in(0, 4)), 5);
        axe::Strided a = (r.one_in(2) ? axe::row_major_array(extents) : axe::column_major_array(extents)).value();
        a.offset = r.in(-20, 20);
        for (int d = 0; d < a.shape.size(); ++d)
            if (r.one_in(3)) a.strides[d] = r.one_in(5) ? 0 : r.in(-30, 30);
        const auto l = axe::to_axe(a);
        REQUIRE(l);
        report.asked(true);
        bool same = true;
        each(a.shape, [&](const List& c) { same = same && address(*l, a.shape, c) == naive_strided(a, c); });
        report.that(same, "addresses", *l, a.shape);
        const auto back = axe::to_strided(*l, a.shape);
        if (!report.that(back.has_value(), "no way back", *l, a.shape)) continue;
        for (int d = 0; d < a.shape.size(); ++d)
            report.that(a.shape[d] == 1 || back->strides[d] == a.strides[d], "another stride", *l, a.shape, Int(d));
        report.that(same_map(*axe::to_axe(*back), *l), "round trip", *l);
        report.that(axe::is_c_contiguous(a) == naive_contiguous(a, true), "C-contiguous", *l, a.shape);
        report.that(axe::is_f_contiguous(a) == naive_contiguous(a, false), "F-contiguous", *l, a.shape);

        Int least = 0;
        each(a.shape, [&](const List& c) { least = std::min(least, naive_strided(a, c) - a.offset); });
        report.that(axe::reach_below(a).value() == -least, "reach below", *l, a.shape);
        const Int item = Int{1} << r.in(0, 3);
        const auto bytes = axe::numpy::from_axe(*l, a.shape, item);
        report.that(bytes && same_map(*axe::numpy::to_axe(*bytes), *l), "bytes", *l, a.shape);
    }
    report.finish(false);
}

TEST_CASE("law: a layout is a strided array exactly if its addresses are linear in the coordinate", "[interop][strides]")
{
    Report report("to_strided");
    Random r(62);
    for (Int i = laws::cases(6000); i > 0; --i) {
        const auto l = laws::random_layout(r, {200, 4, 1, 6, true, false, true});
        const auto shape = laws::random_shape(r, oracle::size(l), 3);
        const auto table = oracle::table(l);
        const List extents = oracle::list(shape);
        std::vector<Int> strides(extents.size(), 0);
        for (std::size_t d = 0; d < extents.size(); ++d) {
            List c(extents.size(), 0);
            c[d] = 1;
            if (extents[d] > 1) strides[d] = table.low[static_cast<std::size_t>(oracle::index(extents, c))] - table.low[0];
        }
        bool linear = true;
        std::size_t x = 0;
        each(shape, [&](const List& c) {
            Int sum = table.low[0];
            for (std::size_t d = 0; d < c.size(); ++d) sum += c[d] * strides[d];
            linear = linear && sum == table.low[x++];
        });
        report.exists(linear,
                      axe::to_strided(l, shape).has_value() ? axe::to_axe(*axe::to_strided(l, shape))
                                                            : axe::Result<axe::Layout>(axe::to_strided(l, shape).error()),
                      l, shape);
        if (linear && axe::to_strided(l, shape))
            report.that(same_map(*axe::to_axe(*axe::to_strided(l, shape)), l), "round trip", l, shape);
    }
    report.finish();
}

// ---- mdspan ---------------------------------------------------------------------------------------------------------------------

namespace {

/// The extents that the standard has from C++23 on, as far as a mapping needs them.
template <class Index, std::size_t Rank>
struct DynamicExtents {
    using index_type = Index;
    using size_type = std::make_unsigned_t<Index>;
    using rank_type = std::size_t;
    Index extents[Rank]{};
    static constexpr rank_type rank() noexcept { return Rank; }
    constexpr Index extent(rank_type r) const noexcept { return extents[r]; }
    friend constexpr bool operator==(const DynamicExtents&, const DynamicExtents&) = default;
};

} // namespace

TEST_CASE("law: a mapping of layout_axe keeps what the standard asks of a layout mapping", "[interop][strides]")
{
    Report report("mdspan");
    Random r(63);
    using E = DynamicExtents<int, 2>;
    for (Int i = laws::cases(4000); i > 0; --i) {
        const auto l = laws::random_layout(r, {120, 4, 1, 6, false, false, true});
        axe::Shape shape = laws::random_shape(r, oracle::size(l), 2);
        while (shape.size() < 2) shape.push_back(1);
        const auto table = oracle::table(l);
        const Int low = *std::min_element(table.low.begin(), table.low.end());
        const Int high = *std::max_element(table.low.begin(), table.low.end());
        const auto m = axe::layout_axe::make(l, E{{static_cast<int>(shape[0]), static_cast<int>(shape[1])}});
        report.asked(low >= 0);
        if (!report.that(m.has_value() == (low >= 0), "existence", l, shape) || low < 0) continue;
        report.that(m->required_span_size() == high + 1, "span", l, shape);
        std::set<Int> seen(table.low.begin(), table.low.end());
        report.that(m->is_unique() == (seen.size() == table.low.size()), "unique", l, shape);
        report.that(m->is_exhaustive() == (static_cast<Int>(seen.size()) == high + 1), "exhaustive", l, shape);
        bool same = true, linear = true;
        each(shape, [&](const List& c) {
            const int a = static_cast<int>(c[0]), b = static_cast<int>(c[1]);
            const Int at = (*m)(a, b);
            same = same && at == table.low[static_cast<std::size_t>(oracle::index(oracle::list(shape), c))];
            if (m->is_strided()) linear = linear && at == (*m)(0, 0) + a * m->stride(0) + b * m->stride(1);
        });
        report.that(same, "addresses", l, shape);
        report.that(linear, "strides", l, shape);
        report.that(m->is_strided() == axe::to_strided(l, shape).has_value(), "strided", l, shape);
        if (!m->is_strided()) continue;
        const auto back = axe::from_mapping(*m);
        report.that(back && same_map(*axe::to_axe(*back), l), "round trip", l, shape);
    }
    report.finish();
}

// ---- BLAS -----------------------------------------------------------------------------------------------------------------------

TEST_CASE("law: a gemm operand is found exactly if some order, transposition and leading dimension give its addresses",
          "[interop][strides]")
{
    Report report("blas");
    using axe::blas::Order;
    using axe::blas::Transpose;
    for (Int rows = 1; rows <= 4; ++rows)
        for (Int columns = 1; columns <= 4; ++columns)
            for (Int s = -2; s <= 9; ++s)
                for (Int t = -2; t <= 9; ++t)
                    for (const Order order : {Order::column_major, Order::row_major}) {
                        const axe::Shape shape{rows, columns};
                        const auto l = axe::to_axe(axe::Strided{shape, {s, t}, 7}).value();
                        bool exists = false;
                        for (const Transpose transpose : {Transpose::no, Transpose::yes})
                            for (Int ld = 1; ld <= 9; ++ld) {
                                const bool down = (order == Order::column_major) == (transpose == Transpose::no);
                                if (ld < (down ? rows : columns)) continue;
                                bool same = true;
                                each(shape, [&](const List& c) {
                                    same = same && 7 + (down ? c[0] + c[1] * ld : c[1] + c[0] * ld) == address(l, shape, c);
                                });
                                exists = exists || same;
                                const auto m = axe::blas::to_axe(axe::blas::Matrix{rows, columns, order, transpose, ld, 7});
                                report.that(m && same_map(*m, l) == same, "to_axe", l, shape, ld);
                            }
                        const auto m = axe::blas::matrix(l, shape, order);
                        report.asked(exists);
                        report.that(m.has_value() == exists, "existence", l, shape);
                        if (m) report.that(same_map(*axe::blas::to_axe(*m), l), "round trip", l, shape);
                        if (!m) report.that(m.error().is_none(), "the refusal is none", l, shape);
                    }
    report.finish();
}

// ---- oneDNN ---------------------------------------------------------------------------------------------------------------------

namespace {

/// What lies at each place of memory, found from memory: the coordinate, or one of the padding.
std::vector<List> naive_onednn(const axe::onednn::Tag& tag, const axe::Shape& shape)
{
    const auto rank = static_cast<std::size_t>(shape.size());
    List block(rank, 1), outer(rank);
    for (const auto& b : tag.blocks) block[static_cast<std::size_t>(b.dim)] *= b.size;
    Int total = 1;
    for (std::size_t d = 0; d < rank; ++d) {
        Int padded = shape[static_cast<int>(d)];
        while (padded % block[d] != 0) ++padded;
        outer[d] = padded / block[d];
        total *= padded;
    }
    std::vector<List> memory;
    for (Int p = 0; p < total; ++p) {
        List c(rank, 0), weight(rank, 1);
        Int rest = p;
        for (int b = tag.blocks.size() - 1; b >= 0; --b) {
            const auto d = static_cast<std::size_t>(tag.blocks[b].dim);
            c[d] += rest % tag.blocks[b].size * weight[d];
            weight[d] *= tag.blocks[b].size;
            rest /= tag.blocks[b].size;
        }
        for (int i = tag.order.size() - 1; i >= 0; --i) {
            const auto d = static_cast<std::size_t>(tag.order[i]);
            c[d] += rest % outer[d] * weight[d];
            rest /= outer[d];
        }
        memory.push_back(c);
    }
    return memory;
}

/// Calls f with every tag of a rank with at most `most` blocks of sizes 2 and 3.
template <class F>
void each_tag(int rank, int most, F f)
{
    std::vector<int> order(static_cast<std::size_t>(rank));
    for (int d = 0; d < rank; ++d) order[static_cast<std::size_t>(d)] = d;
    do {
        axe::onednn::Tag tag;
        for (int d : order) tag.order.push_back(d);
        const auto go = [&](const auto& self) -> void {
            f(static_cast<const axe::onednn::Tag&>(tag));
            if (tag.blocks.size() == most) return;
            for (int d = 0; d < rank; ++d)
                for (Int n = 2; n <= 3; ++n) {
                    tag.blocks.push_back({d, n});
                    self(self);
                    tag.blocks.pop_back();
                }
        };
        go(go);
    } while (std::next_permutation(order.begin(), order.end()));
}

/// The addresses of the elements of the tensor, without those of padding.
List restricted(const axe::Padded& p, const axe::Shape& shape)
{
    List out;
    each(shape, [&](const List& c) { out.push_back(address(p.layout, p.shape, c)); });
    return out;
}

} // namespace

TEST_CASE("law: a format tag puts every element where oneDNN does, and reads back from its text", "[interop][strides]")
{
    Report report("onednn");
    Random r(64);
    for (Int i = laws::cases(1500); i > 0; --i) {
        const int rank = static_cast<int>(r.in(1, 4));
        const auto shape = random_extents(r, rank, 7);
        axe::onednn::Tag tag;
        for (int d = 0; d < rank; ++d) tag.order.insert(static_cast<int>(r.in(0, d)), d);
        for (Int b = r.in(0, 3); b > 0; --b) tag.blocks.push_back({static_cast<int>(r.in(0, rank - 1)), r.in(2, 4)});
        const auto p = axe::onednn::to_axe(tag, shape);
        REQUIRE(p);
        report.asked(true);
        const auto memory = naive_onednn(tag, shape);
        bool same = p->elements == static_cast<Int>(memory.size()) && oracle::volume(p->shape) == p->elements;
        for (std::size_t at = 0; same && at < memory.size(); ++at)
            same = address(p->layout, p->shape, memory[at]) == static_cast<Int>(at);
        report.that(same, "addresses", axe::onednn::print(tag).c_str(), shape);
        for (int d = 0; d < rank; ++d) report.that(p->valid[d] == axe::Range{0, shape[d]}, "valid region", shape);

        const auto text = axe::onednn::print(tag);
        const auto again = axe::onednn::parse_tag({text.c_str(), text.size}, rank);
        report.that(again && *again == tag, "text", text.c_str());
        const auto found = axe::onednn::to_tag(p->layout, p->shape, shape);
        if (report.that(found.has_value(), "no tag found", text.c_str(), shape)) {
            const auto again_at = axe::onednn::to_axe(*found, shape);
            report.that(again_at && again_at->shape == p->shape && same_map(again_at->layout, p->layout), "round trip",
                        text.c_str(), axe::onednn::print(*found).c_str(), shape);
        }
        // From the elements alone, the padding is found again where it matters.
        const auto bare = axe::slice(p->layout, p->shape, p->valid);
        if (!bare) continue;
        const auto least = axe::onednn::to_tag(*bare, shape);
        if (report.that(least.has_value(), "no tag found without padding", text.c_str(), shape))
            report.that(restricted(*axe::onednn::to_axe(*least, shape), shape) == restricted(*p, shape),
                        "round trip without padding", text.c_str(), axe::onednn::print(*least).c_str(), shape);
    }
    report.finish(false);
}

TEST_CASE("law: a layout has a format tag exactly if one of all small tags gives its addresses", "[interop][strides]")
{
    Report report("to_tag");
    Random r(65);
    for (const axe::Shape& shape : {axe::Shape{4, 6}, axe::Shape{6, 4}, axe::Shape{2, 2, 6}, axe::Shape{12, 2}, axe::Shape{5, 3}}) {
        std::set<List> expressible;
        const int most = shape.size() == 2 ? 4 : 3;
        each_tag(shape.size(), most, [&](const axe::onednn::Tag& tag) {
            const auto memory = naive_onednn(tag, shape);
            List at(static_cast<std::size_t>(oracle::volume(shape)));
            for (std::size_t p = 0; p < memory.size(); ++p) {
                bool valid = true;
                for (int d = 0; d < shape.size(); ++d) valid = valid && memory[p][static_cast<std::size_t>(d)] < shape[d];
                if (valid) at[static_cast<std::size_t>(oracle::index(oracle::list(shape), memory[p]))] = static_cast<Int>(p);
            }
            expressible.insert(at);
        });
        // Random orders of random digits of each dimension: compact layouts, most of which no tag has.
        for (Int i = laws::cases(1500); i > 0; --i) {
            std::vector<axe::Iter> digits;
            std::vector<std::size_t> memory;
            for (int d = 0; d < shape.size(); ++d)
                for (Int rest = shape[d]; rest > 1;) {
                    List factors;
                    for (Int f = 2; f <= 3; ++f)
                        if (rest % f == 0) factors.push_back(f);
                    Int f = factors.empty() || r.one_in(3)
                                ? rest
                                : factors[static_cast<std::size_t>(r.in(0, static_cast<Int>(factors.size()) - 1))];
                    memory.insert(memory.begin() + r.in(0, static_cast<Int>(memory.size())), digits.size());
                    digits.push_back({f, 0});
                    rest /= f;
                }
            Int stride = 1;
            for (std::size_t k = memory.size(); k-- > 0; stride *= digits[memory[k]].extent) digits[memory[k]].stride = stride;
            axe::Layout l;
            for (const auto& it : digits) l.shard.push_back(it);
            const auto tag = axe::onednn::to_tag(l, shape);
            const List values = oracle::table(l).low;
            const bool exists = expressible.count(values) > 0;
            report.asked(exists);
            if (tag && restricted(*axe::onednn::to_axe(*tag, shape), shape) != values) report.wrong("another map", l, shape);
            report.that(tag.has_value() == exists, "existence", l, shape, tag ? axe::onednn::print(*tag).c_str() : "none");
        }
    }
    report.finish();
}

// ---- XLA ------------------------------------------------------------------------------------------------------------------------

namespace {

/// The formulas of XLA's document on one index: (⌊e/t⌋, e mod t) with the bounds (⌈d/t⌉, t), tile after tile, then row-major.
Int naive_xla(const axe::xla::TiledLayout& layout, const axe::Shape& shape, const List& c)
{
    List e, d; // major to minor
    for (int i = layout.minor_to_major.size() - 1; i >= 0; --i) {
        e.push_back(c[static_cast<std::size_t>(layout.minor_to_major[i])]);
        d.push_back(shape[layout.minor_to_major[i]]);
    }
    for (const auto& written : layout.tiles) {
        List tile(written.begin(), written.end());
        std::size_t first = e.size() - tile.size();
        for (std::size_t i = 0; i < tile.size();) { // a star goes into its right neighbor
            if (tile[i] != axe::xla::combine) {
                ++i;
                continue;
            }
            e[first + i + 1] += e[first + i] * d[first + i + 1];
            d[first + i + 1] *= d[first + i];
            e.erase(e.begin() + static_cast<std::ptrdiff_t>(first + i));
            d.erase(d.begin() + static_cast<std::ptrdiff_t>(first + i));
            tile.erase(tile.begin() + static_cast<std::ptrdiff_t>(i));
        }
        List within, bounds;
        for (std::size_t i = 0; i < tile.size(); ++i) {
            within.push_back(e[first + i] % tile[i]);
            bounds.push_back(tile[i]);
            e[first + i] /= tile[i];
            d[first + i] = (d[first + i] + tile[i] - 1) / tile[i];
        }
        e.insert(e.end(), within.begin(), within.end());
        d.insert(d.end(), bounds.begin(), bounds.end());
    }
    return oracle::index(d, e);
}

axe::xla::TiledLayout random_tiled(Random& r, int rank, bool stars)
{
    axe::xla::TiledLayout out;
    for (int d = 0; d < rank; ++d) out.minor_to_major.insert(static_cast<int>(r.in(0, d)), d);
    int dims = rank;
    for (Int t = r.in(0, rank > 0 ? 2 : 0); t > 0; --t) {
        axe::xla::Tile tile;
        const Int count = r.in(1, dims);
        for (Int i = 0; i < count; ++i)
            tile.push_back(stars && i + 1 < count && r.one_in(4) ? axe::xla::combine : r.one_in(3) ? 1 : r.in(2, 4));
        for (Int n : tile) dims += n == axe::xla::combine ? -1 : 1;
        out.tiles.push_back(tile);
        if (dims > 8) break;
    }
    return out;
}

bool has_star(const axe::xla::TiledLayout& tiled)
{
    for (const auto& tile : tiled.tiles)
        for (const Int n : tile)
            if (n == axe::xla::combine) return true;
    return false;
}

/// Is there a layout with these values at all?
bool is_any_layout(const List& values) { return oracle::recover_d(values).has_value(); }

} // namespace

TEST_CASE("law: tiled layouts put every element where XLA's formulas do, padding and combined dimensions included",
          "[interop][strides]")
{
    for (const bool stars : {false, true}) {
        Report report(stars ? "xla, combining" : "xla");
        Random r(stars ? 67 : 66);
        Int missed = 0;
        for (Int i = laws::cases(4000); i > 0; --i) {
            const int rank = static_cast<int>(r.in(0, 3));
            const auto shape = random_extents(r, rank, 9);
            const auto tiled = random_tiled(r, rank, stars);
            const auto text = axe::xla::print(tiled);
            const auto again = axe::xla::parse_tiled({text.c_str(), text.size});
            report.that(again && *again == tiled, "text", text.c_str());

            List truth;
            each(shape, [&](const List& c) { truth.push_back(naive_xla(tiled, shape, c)); });
            const auto p = axe::xla::to_axe(tiled, shape);
            report.asked(p.has_value());
            if (!p) {
                report.that(p.error().is_none(), "an error, not none", text.c_str(), shape, p.error().message().c_str());
                // Where dimensions are combined, a refusal may rest on places of memory that no element has; it is rare.
                missed += is_any_layout(truth);
                if (!stars && is_any_layout(truth)) report.wrong("refused, though a layout has the values", text.c_str(), shape);
                continue;
            }
            report.that(restricted(*p, shape) == truth, "addresses", text.c_str(), shape, p->layout, p->shape);
            report.that(*std::max_element(truth.begin(), truth.end()) < p->elements, "elements", text.c_str(), shape);
            const auto found = axe::xla::to_tiled(p->layout, p->shape, shape);
            const bool gaps = oracle::volume(p->shape) != p->elements; // in memory, which are not a padding of the shape
            if (!found && gaps) continue;
            if (!report.that(found.has_value(), "no way back", text.c_str(), shape, p->layout)) continue;
            const auto back = axe::xla::to_axe(*found, shape);
            if (has_star(*found) || gaps) {
                report.that(back && restricted(*back, shape) == truth, "round trip on the elements", text.c_str(),
                            axe::xla::print(*found).c_str(), shape);
                continue;
            }
            report.that(back && back->shape == p->shape && same_map(back->layout, p->layout), "round trip", text.c_str(),
                        axe::xla::print(*found).c_str(), shape);
        }
        CHECK(missed * 20 <= report.no());
        report.finish();
    }
}

TEST_CASE("law: what one tile that combines makes is found again, with a star exactly where no other tiles do",
          "[interop][strides]")
{
    Report report("to_tiled of a tile that combines");
    Int combined = 0, plain = 0;
    const int orders[][3] = {{2, 1, 0}, {0, 1, 2}, {1, 0, 2}, {2, 0, 1}};
    each(axe::Shape{4, 4, 4, 15, 4, 2, 4}, [&](const List& c) {
        const axe::Shape shape{c[0] + 1, c[1] + 1, c[2] + 1};
        axe::xla::TiledLayout tiled;
        for (const int d : orders[c[6]]) tiled.minor_to_major.push_back(d);
        // The two major dimensions, or the two minor ones.
        if (c[5] == 0)
            tiled.tiles.push_back({axe::xla::combine, c[3] + 2, c[4] + 1});
        else
            tiled.tiles.push_back({c[4] + 1, axe::xla::combine, c[3] + 2});
        const auto p = axe::xla::to_axe(tiled, shape);
        if (!p) return;
        const auto text = axe::xla::print(tiled);
        const auto found = axe::xla::to_tiled(p->layout, p->shape, shape);
        report.asked(found.has_value());
        if (!report.that(found.has_value(), "no way back", text.c_str(), shape, p->layout)) return;
        List truth, values;
        each(shape, [&](const List& x) {
            truth.push_back(naive_xla(tiled, shape, x));
            values.push_back(naive_xla(*found, shape, x));
        });
        report.that(values == truth, "another map", text.c_str(), axe::xla::print(*found).c_str(), shape);
        ++(has_star(*found) ? combined : plain);
        // A tile without stars has a tag: rounding each dimension up to blocks of its own.
        if (has_star(*found))
            report.that(!axe::onednn::to_tag(p->layout, p->shape, shape), "a star, though blocks do", text.c_str(), shape);
    });
    CHECK(combined > 1000);
    CHECK(plain > 1000);
    report.finish(false);
}

TEST_CASE("law: every order of every digit has tiles", "[interop][strides]")
{
    Report report("to_tiled");
    Random r(68);
    Int longest = 0;
    for (Int i = laws::cases(3000); i > 0; --i) {
        const auto shape = random_extents(r, static_cast<int>(r.in(1, 3)), 12);
        std::vector<axe::Iter> digits;
        std::vector<std::size_t> memory;
        for (Int n : shape)
            for (Int rest = n; rest > 1;) {
                Int f = r.in(2, rest);
                while (rest % f != 0) ++f;
                memory.insert(memory.begin() + r.in(0, static_cast<Int>(memory.size())), digits.size());
                digits.push_back({f, 0});
                rest /= f;
            }
        Int stride = 1;
        for (std::size_t k = memory.size(); k-- > 0; stride *= digits[memory[k]].extent) digits[memory[k]].stride = stride;
        axe::Layout l;
        for (const auto& it : digits) l.shard.push_back(it);
        const auto tiled = axe::xla::to_tiled(l, shape);
        report.asked(tiled.has_value());
        if (!tiled) { // very long lists of tiles do not fit
            report.that(tiled.code() == axe::errc::capacity, "refused", l, shape, tiled.error().message().c_str());
            continue;
        }
        longest = std::max<Int>(longest, tiled->tiles.size());
        List values;
        each(shape, [&](const List& c) { values.push_back(naive_xla(*tiled, shape, c)); });
        report.that(values == oracle::table(l).low, "addresses", axe::xla::print(*tiled).c_str(), l, shape);
    }
    CHECK(longest > 2);
    CHECK(report.no() * 1000 <= report.yes());
    report.finish(false);
}

TEST_CASE("law: what has gaps is padded or refused, never told wrongly", "[interop][strides]")
{
    Report tags("to_tag with gaps"), tiles("to_tiled with gaps");
    Random r(69);
    Int combined = 0;
    for (Int i = laws::cases(6000); i > 0; --i) {
        const auto shape = random_extents(r, static_cast<int>(r.in(1, 3)), 5);
        axe::Strided a = axe::row_major_array(shape).value();
        Int next = 1; // every stride leaves a gap now and then, in any order of the dimensions
        std::vector<int> order;
        for (int d = 0; d < shape.size(); ++d) order.insert(order.begin() + r.in(0, d), d);
        for (const int d : order) {
            if (r.one_in(2)) next += r.in(0, next + 2);
            a.strides[d] = next;
            next *= shape[d];
        }
        const auto l = axe::to_axe(a).value();
        List truth;
        each(shape, [&](const List& c) { truth.push_back(naive_strided(a, c)); });
        const auto tag = axe::onednn::to_tag(l, shape);
        tags.asked(tag.has_value());
        if (tag) tags.that(restricted(*axe::onednn::to_axe(*tag, shape), shape) == truth, "another map", l, shape);
        const auto tiled = axe::xla::to_tiled(l, shape);
        tiles.asked(tiled.has_value());
        if (!tiled) {
            tiles.that(!tag, "a tag has it, tiles have not", l, shape);
            continue;
        }
        tiles.that(tag.has_value() != has_star(*tiled), "combined, though a tag has it, or not, though none has", l, shape);
        combined += has_star(*tiled);
        List values;
        each(shape, [&](const List& c) { values.push_back(naive_xla(*tiled, shape, c)); });
        tiles.that(values == truth, "another map", l, shape, axe::xla::print(*tiled).c_str());
    }
    CHECK(combined > laws::cases(20));
    tags.finish();
    tiles.finish();
}
