// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/axe.hpp>
#include <axe/relayout/choose.hpp>
#include <axe/relayout/relayout.hpp>
#include <catch.hpp>

namespace {

using namespace axe::literals;
using axe::detail::CopyKind;
using axe::detail::Piece;
using Int = std::int64_t;

std::vector<Piece> pieces_of(const axe::RelayoutSide& to, const axe::RelayoutSide& from, const axe::Shape& shape,
                             axe::RelayoutOptions options = {})
{
    if (!options.instructions) options.instructions = axe::detail::InstructionSet::portable;
    return axe::plan_relayout(to, from, shape, options).value().parts().pieces;
}

axe::RelayoutOptions of_bits(int bits)
{
    axe::RelayoutOptions o;
    o.bits = bits;
    return o;
}

} // namespace

TEST_CASE("choose: neighbors that stay neighbors are a run")
{
    const auto whole = pieces_of("24:1"_axe, "(4,6):(6,1)"_axe, {4, 6});
    REQUIRE(whole.size() == 1);
    CHECK(whole[0].kind == CopyKind::runs);
    CHECK(whole[0].run << whole[0].log2_width == 96);
    CHECK(whole[0].outer.empty());

    const auto rows = pieces_of("(4,24):(32,1)"_axe, "(4,24):(24,1)"_axe, {4, 24});
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].kind == CopyKind::runs);
    REQUIRE(rows[0].outer.size() == 1);
    CHECK(rows[0].outer[0].to == 128);
    CHECK(rows[0].outer[0].from == 96);
    CHECK(rows[0].units == 4);

    const auto one = pieces_of(axe::Layout{}, axe::Layout{}, {}, of_bits(128));
    REQUIRE(one.size() == 1);
    CHECK(one[0].run << one[0].log2_width == 16);
}

TEST_CASE("choose: long runs are several units of work, and the rest one more piece")
{
    const Int n = 3 * axe::detail::run_to_split + 40;
    axe::Layout l;
    l.shard.push_back({n, 1});
    const auto pieces = pieces_of(l, l, {n}, of_bits(8));
    REQUIRE(pieces.size() == 2);
    CHECK(pieces[0].units == 3);
    CHECK(pieces[0].run == axe::detail::run_to_split);
    CHECK(pieces[1].run == 40);
    CHECK(pieces[1].units == 1);
    CHECK(pieces[1].to == 3 * axe::detail::run_to_split);
    CHECK(pieces[1].from == 3 * axe::detail::run_to_split);
}

TEST_CASE("choose: where one loop walks along each side, the two are a transpose")
{
    const auto p = pieces_of("(100,70):(1,100)"_axe, "(100,70):(70,1)"_axe, {100, 70});
    REQUIRE(p.size() == 1);
    CHECK(p[0].kind == CopyKind::blocks);
    CHECK(p[0].log2_width == 2);
    CHECK(p[0].rows.extent == 100);
    CHECK(p[0].rows.step == 280);
    CHECK(p[0].columns.extent == 70);
    CHECK(p[0].columns.step == 400);
    CHECK(p[0].outer.empty());
    CHECK(p[0].units == p[0].tiles_down() * p[0].tiles_across());
}

TEST_CASE("choose: tiles are as wide as a core translates addresses, in whole blocks")
{
    const auto tile_of = [](std::int64_t translations, int bits) {
        axe::RelayoutOptions o = of_bits(bits);
        o.caches = axe::CacheSizes{1 << 20, 32 << 20, translations};
        return pieces_of("(1000,700):(1,1000)"_axe, "(1000,700):(700,1)"_axe, {1000, 700}, o)[0];
    };
    for (const int bits : {8, 16, 32, 64, 128}) {
        const Piece usual = tile_of(2048, bits), least = tile_of(1, bits);
        CHECK(usual.tile_columns == 1024);
        CHECK(least.tile_columns == least.column_block);
        // As many rows as two blocks at least, of whatever instructions.
        CHECK(usual.tile_rows >= 64);
        CHECK(usual.tile_rows >= 2 * usual.row_block);
        CHECK(usual.tile_rows % usual.row_block == 0);
    }
}

TEST_CASE("choose: rows leave in bursts where they are multiples of 512 bytes apart, and are streamed")
{
    const auto piece_of = [](std::int64_t pitch, std::int64_t columns, std::int64_t burst, axe::RelayoutOptions o = {}) {
        if (!o.instructions && axe::detail::runs_here(axe::detail::InstructionSet::sse2))
            o.instructions = axe::detail::InstructionSet::sse2;
        o.caches = axe::CacheSizes{1 << 20, 32 << 20, 2048, 64, burst};
        const axe::Layout to =
                              axe::parse_layout("(1024," + std::to_string(columns) + "):(1," + std::to_string(pitch) + ")").value(),
                          from = axe::parse_layout("(1024," + std::to_string(columns) + "):(" + std::to_string(columns) + ",1)")
                                     .value();
        return pieces_of(to, from, {1024, columns}, o)[0];
    };
    const bool streams = axe::detail::runs_here(axe::detail::InstructionSet::sse2);
    const Piece burst = piece_of(1024, 1024, 512), lines = piece_of(1024, 1024, 64);
    CHECK(burst.in_bursts == streams);
    CHECK(burst.tile_rows == (streams ? 128 : 64));
    CHECK(burst.ahead == (streams ? 4096 : 16384));
    CHECK_FALSE(lines.in_bursts);
    CHECK(lines.tile_rows == 64);
    CHECK(lines.ahead == 16384);
    CHECK(piece_of(1024 + 128, 1024, 512).in_bursts == streams);
    CHECK_FALSE(piece_of(1024 + 64, 1024, 512).in_bursts); // 256 bytes
    CHECK_FALSE(piece_of(1024, 1000, 512).in_bursts);      // less than is streamed
    axe::RelayoutOptions portable;
    portable.instructions = axe::detail::InstructionSet::portable;
    CHECK_FALSE(piece_of(1024, 1024, 512, portable).in_bursts);
    axe::RelayoutOptions scaled;
    scaled.from_type = axe::DType::f32;
    scaled.scale = 2;
    CHECK_FALSE(piece_of(1024, 1024, 512, scaled).in_bursts);
}

TEST_CASE("choose: a tile has as many rows as are followed, where each is in a page and none of the destination's are read")
{
    const auto rows_of = [](std::int64_t from_pitch, std::int64_t to_pitch, axe::RelayoutOptions o = {}) {
        if (!o.instructions && axe::detail::runs_here(axe::detail::InstructionSet::sse2))
            o.instructions = axe::detail::InstructionSet::sse2;
        o.caches = axe::CacheSizes{1 << 20, 32 << 20, 2048, 32};
        const axe::Layout to = axe::parse_layout("(1024,1000):(1," + std::to_string(to_pitch) + ")").value(),
                          from = axe::parse_layout("(1024,1000):(" + std::to_string(from_pitch) + ",1)").value();
        return pieces_of(to, from, {1024, 1000}, o)[0].tile_rows;
    };
    const Int followed = axe::detail::runs_here(axe::detail::InstructionSet::sse2) ? 32 : 64;
    CHECK(rows_of(1024, 2048) == followed);
    CHECK(rows_of(1023, 2048) == 64); // two rows of the source begin in one page
    CHECK(rows_of(1024, 2047) == 64); // lines are written in part, so they are read
    CHECK(rows_of(1024, 1024) == 64); // 4 KB less than is streamed
    axe::RelayoutOptions never;
    never.instructions = axe::detail::InstructionSet::portable;
    CHECK(rows_of(1024, 2048, never) == 64);
}

TEST_CASE("choose: the lines of combined loops, where many are told by a period, few by a table")
{
    // (7,1003) and (3,5,41): in one direction they are combined, in the other they are neighbors.
    for (const axe::Shape& shape : {axe::Shape{1000, 1003, 7}, axe::Shape{70, 10, 10}, axe::Shape{64, 41, 5, 3}}) {
        axe::Layout to, from;
        Int next = 1;
        for (int d = 0; d < shape.size(); ++d, next *= shape[d - 1]) to.shard.push_back({shape[d], next});
        next = 1;
        for (const Int n : shape) from.shard.push_back({n, 0});
        for (int d = shape.size(); d-- > 0; next *= shape[d]) from.shard[d].stride = next;
        const Piece p = pieces_of(to, from, shape)[0];
        const axe::detail::Lines& lines = p.columns;
        Int columns = 1;
        for (int d = 1; d < shape.size(); ++d) columns *= shape[d];
        REQUIRE(lines.extent == columns);
        CHECK(lines.table.size() <= static_cast<std::size_t>(std::max<Int>(512, lines.period + p.column_block)));
        for (Int k = 0; k < columns; ++k) { // the k-th column, in the order of the source
            Int rest = k, expected = 0, below = 4;
            for (int d = 0; d < shape.size() - 1; ++d) below *= shape[d];
            for (int d = shape.size(); d-- > 1; rest /= shape[d], below /= shape[d - 1]) expected += rest % shape[d] * below;
            const Int first = k - std::min<Int>(k, p.column_block - 1);
            REQUIRE(lines.base(k) + lines.offsets(k)[0] == expected);
            REQUIRE(lines.base(first) + lines.offsets(first)[k - first] == expected);
        }
    }
}

TEST_CASE("choose: tiles go along the rows of the destination first, and on with the loops that go on there")
{
    axe::RelayoutOptions o;
    o.caches = axe::CacheSizes{1 << 20, 32 << 20, 128}; // 64 columns
    // Dimension 1 goes on in the destination where dimension 0 ends, dimension 2 in the source where dimension 3 does.
    const auto p = pieces_of("(64,6,5,32):(1,64,384,1920)"_axe, "(64,6,5,32):(960,160,32,1)"_axe, {64, 6, 5, 32}, o);
    REQUIRE(p.size() == 1);
    CHECK(p[0].kind == CopyKind::blocks);
    CHECK(p[0].rows.extent == 64);
    CHECK(p[0].columns.extent == 160);
    REQUIRE(p[0].outer.size() == 1);
    CHECK(p[0].row_loops == 1);
    REQUIRE(p[0].units == 6 * 3);
    for (Int n = 0; n < p[0].units; ++n) {
        const axe::detail::Tile tile = axe::detail::tile_of(p[0], n);
        CHECK(tile.to == n % 6 * 256);
        CHECK(tile.from == n % 6 * 640);
        CHECK(tile.column == n / 6 * 64);
        CHECK(tile.columns == (n < 12 ? 64 : 32));
    }
    // The lower of two tiles comes before what goes on in the destination, and that before the other loop.
    const auto q = pieces_of("(3,128,2,64):(16384,1,128,256)"_axe, "(3,128,2,64):(16384,128,64,1)"_axe, {3, 128, 2, 64}, o);
    REQUIRE(q.size() == 1);
    CHECK(q[0].row_loops == 1);
    REQUIRE(q[0].outer.size() == 2);
    CHECK(q[0].outer[1].to == 512);
    CHECK(q[0].units == 3 * 2 * 2);
    for (Int n = 0; n < q[0].units; ++n) {
        const axe::detail::Tile tile = axe::detail::tile_of(q[0], n);
        CHECK(tile.row == n % 2 * 64);
        CHECK(tile.to == n / 2 % 2 * 512 + n / 4 * 65536);
        CHECK(tile.from == n / 2 % 2 * 256 + n / 4 * 65536);
    }
}

TEST_CASE("choose: few rows are interleaved, but not where they fill lines")
{
    const auto p = pieces_of("(3,1000):(1,3)"_axe, "(3,1000):(1000,1)"_axe, {3, 1000}, of_bits(8));
    REQUIRE(p.size() == 1);
    CHECK(p[0].kind == CopyKind::zip);
    CHECK(p[0].rows.extent == 3);
    const auto apart = pieces_of("(3,1000):(1000,1)"_axe, "(3,1000):(1,3)"_axe, {3, 1000}, of_bits(8));
    REQUIRE(apart.size() == 1);
    CHECK(apart[0].kind == CopyKind::unzip);
    CHECK(apart[0].columns.extent == 3);
    // Sixteen rows of f32 are a line of the destination, sixteen of f16 are not.
    CHECK(pieces_of("(16,1000):(1,16)"_axe, "(16,1000):(1000,1)"_axe, {16, 1000})[0].kind == CopyKind::blocks);
    CHECK(pieces_of("(16,1000):(1000,1)"_axe, "(16,1000):(1,16)"_axe, {16, 1000})[0].kind == CopyKind::blocks);
    CHECK(pieces_of("(16,1000):(1,16)"_axe, "(16,1000):(1000,1)"_axe, {16, 1000}, of_bits(16))[0].kind == CopyKind::zip);
}

TEST_CASE("choose: pairs that move together are wider elements")
{
    const auto p = pieces_of("(100,70,2):(2,200,1)"_axe, "(100,70,2):(140,2,1)"_axe, {100, 70, 2}, of_bits(16));
    REQUIRE(p.size() == 1);
    CHECK(p[0].kind == CopyKind::blocks);
    CHECK(p[0].log2_width == 2);
    // Sixteen bytes at most, and whole powers of two.
    CHECK(pieces_of("(9,7,4):(4,36,1)"_axe, "(9,7,4):(28,4,1)"_axe, {9, 7, 4})[0].log2_width == 4);
    CHECK(pieces_of("(9,7,8):(8,72,1)"_axe, "(9,7,8):(56,8,1)"_axe, {9, 7, 8})[0].kind == CopyKind::runs);
    CHECK(pieces_of("(9,7,3):(3,27,1)"_axe, "(9,7,3):(21,3,1)"_axe, {9, 7, 3})[0].kind == CopyKind::runs);
    // Values that are finished are elements, whatever lies beside them.
    axe::RelayoutOptions twice;
    twice.from_type = axe::DType::f32;
    twice.scale = 2;
    CHECK(pieces_of("(9,7,4):(4,36,1)"_axe, "(9,7,4):(28,4,1)"_axe, {9, 7, 4}, twice)[0].log2_width == 2);
}

TEST_CASE("choose: short rows and columns are combined, with a table of their offsets")
{
    // Reversed dimensions: the 3 and the 5 walk on where each other end, in the destination.
    const auto p = pieces_of("(64,3,5):(15,1,3)"_axe, "(64,3,5):(1,64,192)"_axe, {64, 3, 5});
    REQUIRE(p.size() == 1);
    CHECK(p[0].kind == CopyKind::blocks);
    CHECK(p[0].rows.extent == 15);
    CHECK(p[0].columns.extent == 64);
    CHECK(p[0].outer.empty());
    for (Int k = 0; k < 15; ++k) CHECK(p[0].rows.base(k) + p[0].rows.offsets(k)[0] == k * 256);
}

TEST_CASE("choose: what walks along no or one side only is copied one by one")
{
    const auto apart = pieces_of("8:2"_axe, "8:3"_axe, {8});
    REQUIRE(apart.size() == 1);
    CHECK(apart[0].kind == CopyKind::strided);
    CHECK(apart[0].inner.extent == 8);
    CHECK(apart[0].inner.to == 8);
    CHECK(apart[0].inner.from == 12);
    const auto gather = pieces_of("(6,8):(8,1)"_axe, "(6,8):(1000,3)"_axe, {6, 8});
    CHECK(gather[0].kind == CopyKind::strided);
    CHECK(gather[0].inner.to == 4);
    const auto constant = pieces_of("8:1"_axe, "8:0"_axe, {8});
    CHECK(constant[0].kind == CopyKind::strided);
    CHECK(constant[0].inner.from == 0);
}

TEST_CASE("choose: swizzled sides go address after address, in the widest elements that the swizzles leave whole")
{
    const axe::Swizzled<axe::Layout> s{{3, 4, 3}, {}, 2, "(8,64):(64,1)"_axe};
    const auto p = pieces_of(s, "(8,64):(64,1)"_axe, {8, 64}, of_bits(16));
    REQUIRE(p.size() == 1);
    CHECK(p[0].kind == CopyKind::pairs);
    CHECK(p[0].log2_width == 4);
    const axe::Swizzled<axe::Layout> fine{{3, 2, 3}, {}, 2, "(8,64):(64,1)"_axe};
    CHECK(pieces_of(fine, "(8,64):(64,1)"_axe, {8, 64}, of_bits(16))[0].log2_width == 2);
    CHECK(pieces_of(s, "(8,64):(1,8)"_axe, {8, 64}, of_bits(16))[0].log2_width == 1);
}

TEST_CASE("choose: nibbles that move two by two are bytes")
{
    const auto even = pieces_of("(4,6):(6,1)"_axe, "(4,6):(8,1)"_axe, {4, 6}, of_bits(4));
    REQUIRE(even.size() == 1);
    CHECK(even[0].kind == CopyKind::runs);
    CHECK(even[0].run << even[0].log2_width == 3);
    CHECK(pieces_of("(4,6):(6,1)"_axe, "(4,6):(7,1)"_axe, {4, 6}, of_bits(4))[0].kind == CopyKind::pairs);
    CHECK(pieces_of("6:1@m + 1@m"_axe, "6:1"_axe, {6}, of_bits(4))[0].kind == CopyKind::pairs);
}

TEST_CASE("choose: maps that clash too often are walked")
{
    // Five times 15 = 3·5 against 5·3, of which each takes 7 pieces.
    axe::Layout to, from;
    for (Int stride = 759375 / 15, k = 0; k < 5; ++k, stride /= 15) {
        for (const auto& [extent, step] : {std::pair<Int, Int>{3, 1}, {5, 3}}) to.shard.push_back({extent, step * stride});
        for (const auto& [extent, step] : {std::pair<Int, Int>{5, 1}, {3, 5}}) from.shard.push_back({extent, step * stride});
    }
    const auto plan = axe::plan_relayout(to, from, {759375}, of_bits(8));
    REQUIRE(plan);
    CHECK(plan->parts().pieces.empty());
    REQUIRE(plan->parts().walks.size() == 1);
    CHECK(plan->parts().walks[0].elements() == 759375);
    CHECK(plan->parts().to.least == 0);
    CHECK(plan->parts().to.most == 759374);
    // Four times are pieces.
    axe::Layout to_part, from_part;
    for (int k = 2; k < 10; ++k) {
        to_part.shard.push_back(to.shard[k]);
        from_part.shard.push_back(from.shard[k]);
    }
    CHECK(axe::plan_relayout(to_part, from_part, {759375 / 15}, of_bits(8))->parts().pieces.size() == 7 * 7 * 7 * 7);
}
