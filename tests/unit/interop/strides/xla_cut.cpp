// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/strides/xla_cut.hpp>
#include <catch.hpp>
#include <tests/random.hpp>

#include <string>
#include <vector>

using axe::errc;
using axe::Error;
using axe::Shape;
using axe::xla::combine;
using axe::xla::Tile;
using axe::xla::detail::Cutting;
using axe::xla::detail::Piece;
using laws::Int;
using List = std::vector<Int>;

namespace {

Cutting uncut(const Shape& shape)
{
    Cutting out;
    for (int d = 0; d < shape.size(); ++d) {
        out.pieces.push_back({shape[d], shape[d], shape[d], 0, -1, d});
        out.entries.push_back({});
        out.entries.back().add(d);
    }
    return out;
}

/// Gives the pieces their strides: the physical dimensions are row-major. The elements of the buffer.
Int stride(Cutting& cutting)
{
    Int elements = 1;
    for (int i = cutting.entries.size() - 1; i >= 0; --i)
        for (int k = cutting.entries[i].count - 1; k >= 0; --k) {
            Piece& p = cutting.pieces[cutting.entries[i].pieces[k]];
            p.stride = elements;
            elements *= p.room;
        }
    return elements;
}

/// The address of an index of dimension d, digit by digit.
Int address(const Cutting& cutting, int d, Int x)
{
    List extents, strides;
    for (int p = d; p >= 0; p = cutting.pieces[p].inner) {
        extents.push_back(cutting.pieces[p].extent);
        strides.push_back(cutting.pieces[p].stride);
    }
    Int out = 0;
    for (std::size_t k = extents.size(); k-- > 0;) {
        out += (k > 0 ? x % extents[k] : x) * strides[k];
        x /= extents[k];
    }
    return out;
}

/// XLA's definition: a tile merges, pads and splits the most minor dimensions of bounds and index.      [docs/tiled_layout.md]
struct Array {
    List bounds{}, index{};

    bool apply(const Tile& tile)
    {
        const std::size_t count = static_cast<std::size_t>(tile.size());
        if (count > bounds.size()) return false;
        List outer_bounds(bounds.begin(), bounds.end() - static_cast<Int>(count)),
            outer(index.begin(), index.end() - static_cast<Int>(count));
        List inner_bounds, inner;
        Int bound = 1, at = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t k = bounds.size() - count + i;
            bound *= bounds[k];
            at = at * bounds[k] + index[k];
            const Int t = tile[static_cast<int>(i)];
            if (t == combine) continue;
            outer_bounds.push_back((bound + t - 1) / t);
            outer.push_back(at / t);
            inner_bounds.push_back(t);
            inner.push_back(at % t);
            bound = 1;
            at = 0;
        }
        bounds = outer_bounds;
        index = outer;
        bounds.insert(bounds.end(), inner_bounds.begin(), inner_bounds.end());
        index.insert(index.end(), inner.begin(), inner.end());
        return true;
    }
    [[nodiscard]] Int address() const
    {
        Int out = 0;
        for (std::size_t i = 0; i < bounds.size(); ++i) out = out * bounds[i] + index[i];
        return out;
    }
};

void refused(const axe::Status& e, errc code, int position, const char* sentence)
{
    CHECK(e.code() == code);
    CHECK(e.error().position == position);
    CHECK(std::string(e.error().message().c_str()) == sentence);
}

} // namespace

TEST_CASE("Cutting: every element is where tiles applied one by one put it", "[interop][xla]")
{
    laws::Random r(71);
    int cut = 0, joined = 0, refusals = 0;
    for (int trial = 0; trial < 20'000; ++trial) {
        Shape shape;
        for (Int i = r.in(1, 3); i > 0; --i) shape.push_back(r.one_in(2) ? Int{1} << r.in(0, 3) : r.in(1, 9));
        Cutting cutting = uncut(shape);
        std::vector<Tile> tiles;
        axe::Status error;
        int rank = shape.size();
        for (Int i = r.in(1, 3); i > 0 && error.ok(); --i) {
            Tile tile;
            for (Int k = r.in(1, rank > 2 ? 3 : rank); k > 0; --k)
                tile.push_back(k > 1 && r.one_in(5) ? combine : r.one_in(2) ? Int{1} << r.in(0, 3) : r.in(1, 6));
            error = cutting.apply(tile, static_cast<int>(tiles.size()));
            tiles.push_back(tile);
            rank = cutting.entries.size();
        }
        Array bounds{{shape.begin(), shape.end()}, List(static_cast<std::size_t>(shape.size()), 0)};
        for (const Tile& tile : tiles) REQUIRE(bounds.apply(tile));
        if (!error.ok()) {
            REQUIRE(error.code() == errc::no_layout);
            ++refusals;
            continue;
        }
        REQUIRE(cutting.entries.size() == static_cast<int>(bounds.bounds.size()));
        const Int elements = stride(cutting);
        Int expected = 1;
        for (const Int n : bounds.bounds) expected *= n;
        REQUIRE(elements == expected);
        const bool uneven = !cutting.uneven.empty();
        error = cutting.mend();
        ++(!error.ok() ? refusals : uneven ? joined : cut);
        if (!error.ok()) {
            REQUIRE(uneven);
            REQUIRE(error.code() == errc::no_layout);
            continue;
        }
        Array element;
        Int count = 1;
        for (const Int n : shape) count *= n;
        for (Int x = 0; x < count; ++x) {
            Array a{{shape.begin(), shape.end()}, List(static_cast<std::size_t>(shape.size()))};
            Int rest = x, at = 0;
            for (int d = shape.size() - 1; d >= 0; --d) {
                a.index[static_cast<std::size_t>(d)] = rest % shape[d];
                at += address(cutting, d, rest % shape[d]);
                rest /= shape[d];
            }
            for (const Tile& tile : tiles) a.apply(tile);
            REQUIRE(at == a.address());
        }
    }
    CHECK(cut > 5000);
    CHECK(joined > 20);
    CHECK(refusals > 500);
}

TEST_CASE("Cutting: one dimension and one tile, all of them", "[interop][xla]")
{
    for (Int n = 1; n <= 12; ++n)
        for (Int t = 1; t <= 12; ++t) {
            Cutting cutting = uncut({n});
            REQUIRE(cutting.apply(Tile{t}, 0).ok());
            REQUIRE(cutting.entries.size() == 2);
            CHECK(stride(cutting) == (n + t - 1) / t * t);
            CHECK(cutting.mend().ok());
            CHECK(cutting.pieces.size() == 2); // one of them of no dimension where all is within the tile, or nothing is
            Int padded = 1;
            for (int p = 0; p >= 0; p = cutting.pieces[p].inner) padded *= cutting.pieces[p].extent;
            CHECK(padded == (n + t - 1) / t * t);
            for (Int x = 0; x < n; ++x) CHECK(address(cutting, 0, x) == x); // padded at its end alone
        }
}

TEST_CASE("may_grow: the outermost digit that moves", "[interop][xla]")
{
    Cutting cutting = uncut({6, 1});
    CHECK(cutting.may_grow(0));
    CHECK(cutting.may_grow(1));
    REQUIRE(cutting.apply(Tile{2, 1}, 0).ok()); // 6 is 3 by 2
    CHECK(cutting.may_grow(0));
    CHECK_FALSE(cutting.may_grow(cutting.pieces[0].inner));
    Cutting whole = uncut({2});
    REQUIRE(whole.apply(Tile{8}, 0).ok()); // within the tile: what is outside does not move
    CHECK(whole.pieces[0].room == 8);
    for (int p = 0; p < whole.pieces.size(); ++p) CHECK(whole.may_grow(p) == (whole.pieces[p].dim >= 0));
}

TEST_CASE("Cutting: refusals, and where they are", "[interop][xla]")
{
    Cutting one = uncut({4});
    refused(one.apply(Tile{2, 2}, 3), errc::rank_mismatch, 3,
            "tile 3 has 2 extents, but the array has only 1 dimension at that point");
    Cutting rows = uncut({2, 3});
    refused(rows.apply(Tile{combine, 4}, 1), errc::no_layout, 1,
            "tile 1 cuts dimension 1 at 4, inside a digit that is not the outermost: the map is not a layout");
    Cutting inside = uncut({12, 4});
    REQUIRE(inside.apply(Tile{4, 4}, 0).ok());
    REQUIRE(inside.apply(Tile{3, 2}, 1).ok()); // 4 by 3, and other elements between the two digits
    stride(inside);
    refused(inside.mend(), errc::no_layout, 0,
            "tile 1 cuts dimension 0 at 3, inside a digit that is not the outermost: the map is not a layout");
    Cutting far = uncut({INT64_MAX});
    refused(far.apply(Tile{2}, 0), errc::overflow, 0, "dimension 0 overflows when it is padded");
    Shape sixteen;
    Tile all, two{combine, 1};
    for (int d = 0; d < axe::max_rank; ++d) {
        sixteen.push_back(2);
        all.push_back(d + 1 < axe::max_rank ? combine : 1);
    }
    Cutting wide = uncut(sixteen);
    REQUIRE(wide.apply(all, 0).ok());
    refused(wide.apply(two, 1), errc::capacity, -1, "the tiles split the array into more than 112 digits");
    Cutting many = uncut({2});
    axe::Status error;
    for (int t = 0; t < 200 && error.ok(); ++t) error = many.apply(Tile{2}, t);
    refused(error, errc::capacity, -1, "the tiles split the array into more than 112 digits");
}
