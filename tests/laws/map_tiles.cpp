// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/compose.hpp>
#include <axe/map/operations.hpp>
#include <axe/map/simplify.hpp>
#include <tests/laws/map_random.hpp>
#include <tests/laws/map_tiles.hpp>

/// Symbolic tiles of chains of operations: where a case holds, its box is exactly what enumeration says that the tile needs.
namespace {

using laws::Int;
using laws::Random;
using laws::TileIndex;
using laws::TileTally;

enum class TileChain { simple, reshapes, pads, all };

struct Link {
    axe::OperationMaps operation;
    std::size_t operand = 0;
};

template <class Op>
Link link(const Op& o, const std::vector<axe::IndexShape>& operands, std::size_t operand = 0)
{
    const auto maps = o.maps(operands);
    REQUIRE(maps.has_value());
    return {*maps, operand};
}

Link random_link(Random& r, const axe::IndexShape& x, TileChain kind)
{
    Int elements = 1;
    for (const Int n : x) elements *= n;
    const Int rank = static_cast<Int>(x.size());
    const Int choice = kind == TileChain::reshapes ? r.in(0, 2) : kind == TileChain::simple ? r.in(1, 5) : r.in(0, 6);
    if (choice == 1) {
        TileIndex order;
        for (Int k = 0; k < rank; ++k) order.insert(order.begin() + r.in(0, k), k);
        return link(axe::op::Transpose{order}, {x});
    }
    if (choice == 2) return link(axe::op::Reverse{{r.in(0, rank - 1)}}, {x});
    if (choice == 3) {
        TileIndex starts, limits, strides;
        for (const Int n : x) {
            starts.push_back(r.in(0, n / 3));
            limits.push_back(n - r.in(0, n / 3));
            strides.push_back(r.in(1, 2));
        }
        return link(axe::op::Slice{starts, limits, strides}, {x});
    }
    if (choice == 4 && rank < 3 && elements <= 24) {
        axe::IndexShape shape = x;
        TileIndex dimensions;
        const Int at = r.in(0, rank);
        shape.insert(shape.begin() + at, r.in(2, 3));
        for (Int k = 0; k < rank; ++k) dimensions.push_back(k < at ? k : k + 1);
        return link(axe::op::Broadcast{shape, dimensions}, {x});
    }
    if (choice == 5 && elements <= 32) {
        const Int dimension = r.in(0, rank - 1);
        std::vector<axe::IndexShape> operands{x, x};
        const bool is_second = r.one_in(2);
        operands[is_second ? 0 : 1][static_cast<std::size_t>(dimension)] = r.in(1, 4);
        return link(axe::op::Concatenate{dimension}, operands, is_second ? 1 : 0);
    }
    if ((choice == 6 || kind == TileChain::pads) && elements <= 32) {
        std::vector<axe::op::PadDimension> edges;
        for (const Int n : x) edges.push_back({r.in(n > 2 ? -1 : 0, 2), r.in(0, 2), r.one_in(3) ? 1 : 0});
        return link(axe::op::Pad{edges}, {x, {}});
    }
    if (kind == TileChain::simple) return link(axe::op::Reverse{{0}}, {x});
    return link(axe::op::Reshape{laws::random_index_shape(r, elements)}, {x});
}

void check_chain(Random& r, TileChain kind, TileTally& tally)
{
    std::vector<Link> chain;
    axe::IndexShape shape = laws::random_index_shape(r, r.in(4, 36));
    for (Int k = r.in(1, 4); k > 0; --k) {
        chain.push_back(random_link(r, shape, kind));
        shape = chain.back().operation.results[0].shape;
    }
    for (const Int n : shape)
        if (n == 0) return;
    const auto map_of = [](const Link& l) { return l.operation.results[0].from_output[l.operand][0].map; };
    axe::IndexingMap map = map_of(chain.back());
    for (std::size_t k = chain.size() - 1; k-- > 0;) {
        const auto next = axe::compose(map, map_of(chain[k]));
        REQUIRE(next.has_value());
        map = *next;
    }
    INFO(axe::print(map));
    const auto symbolic = axe::symbolic_tile(map, shape);
    if (!symbolic && symbolic.error().code == axe::errc::bad_argument) { // nothing is read but padding
        REQUIRE(axe::simplify(map).has_empty_interval());
        return;
    }
    laws::TileLaw law(map, shape, tally);
    if (!law.tile()) REQUIRE(law.tile().error().is_none());
    for (int i = 0; i < 24; ++i) law.check(laws::random_tile(r, shape, i % 2 == 0), i % 2 == 0);
}

TileTally check_chains(TileChain kind, Int count)
{
    Random r(8);
    TileTally out;
    for (Int i = laws::cases(count); i > 0; --i) check_chain(r, kind, out);
    UNSCOPED_INFO(laws::text(out));
    return out;
}

} // namespace

TEST_CASE("tiles: chains of transpositions, reversals, slices, broadcasts and concatenations")
{
    const TileTally t = check_chains(TileChain::simple, 300);
    CHECK(t.without_tile == 0);
    CHECK(t.aligned_accepted * 100 >= t.aligned * 99);
    CHECK(t.accepted * 100 >= t.tiles * 99);
}

TEST_CASE("tiles: chains of reshapes, transpositions and reversals")
{
    const TileTally t = check_chains(TileChain::reshapes, 300);
    CHECK(t.without_tile == 0);
    CHECK(t.aligned_accepted * 100 >= t.aligned * 85);
    CHECK(t.accepted * 100 >= t.tiles * 75);
}

TEST_CASE("tiles: chains with pads")
{
    const TileTally t = check_chains(TileChain::pads, 300);
    CHECK(t.aligned_accepted * 100 >= t.aligned * 75);
    CHECK(t.accepted * 100 >= t.tiles * 70);
}

TEST_CASE("tiles: chains of all operations")
{
    const TileTally t = check_chains(TileChain::all, 300);
    CHECK(t.aligned_accepted * 100 >= t.aligned * 75);
    CHECK(t.accepted * 100 >= t.tiles * 70);
}
