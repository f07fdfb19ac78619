// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/catch.hpp>
#include <tests/one_block.hpp>

#include <axe/kernels.hpp>

#include <vector>

using namespace axe;

namespace {

constexpr std::int64_t rows = 70, cols = 75, side = 32, row_tiles = 3, col_tiles = 3;

/// D = A with zeros around, in tiles through shared memory: all of them, or one alone.
Program padded(std::int64_t shift, std::int64_t only_row = -1, std::int64_t only_col = -1)
{
    Kernel k("padded", machines::sm80);
    const auto A = k.input("A", {rows, cols}, DType::f16);
    const auto D = k.output("D", {row_tiles * side, col_tiles * side}, DType::f16);
    const auto move = [&](Scope cta, const Affine& r, const Affine& c) {
        const auto s = cta.alloc(Role::shared, {side, side}, DType::f16, {}, "s");
        cta.copy(s, A(Interval(r - shift, side), Interval(c - shift, side)).guarded()).sync();
        cta.copy(D(Interval(r, side), Interval(c, side)), s).sync();
    };
    if (only_row >= 0) {
        one_block(k, 2, [&](Scope cta) { move(cta, only_row * side, only_col * side); });
    } else {
        k.cta(
            tiles(row_tiles * side, side),
            [&](Scope cta, const Tile& t) {
                cta.loop(tiles(col_tiles * side, side), [&](const Interval& c) { move(cta, t.rows.begin, c.begin); });
            },
            2);
    }
    return lower(k.program().value()).value().program;
}

Bindings inputs()
{
    Bindings in;
    Array a = Array::make({rows, cols}, DType::f16).value();
    for (std::int64_t i = 0; i < a.size(); ++i) a.set(i, static_cast<double>(i % 97 + 1));
    in.set("A", std::move(a));
    return in;
}

} // namespace

TEST_CASE("tiles that cross an edge again and again are copied as each of them alone", "[sim]")
{
    const Bindings in = inputs();
    for (const std::int64_t shift : {0, 1, 5})
        for (const sim::Level level : {sim::Level::full, sim::Level::fast}) {
            INFO("shift " << shift << ", level " << static_cast<int>(level));
            sim::RunOptions options;
            options.level = level;
            const sim::Report all = sim::run(padded(shift), in, options).value();
            REQUIRE(all.ok());
            const Array &a = *in.find("A"), &d = *all.outputs.find("D");
            std::int64_t wrong = 0;
            for (std::int64_t i = 0; i < row_tiles * side; ++i)
                for (std::int64_t j = 0; j < col_tiles * side; ++j) {
                    const bool there = i >= shift && i - shift < rows && j >= shift && j - shift < cols;
                    wrong += d.at(Coord{i, j}) != (there ? a.at(Coord{i - shift, j - shift}) : 0.0);
                }
            CHECK(wrong == 0);
        }
}

TEST_CASE("what tiles at edges come to is counted as of each of them alone", "[sim]")
{
    const Bindings in = inputs();
    for (const std::int64_t shift : {0, 1}) {
        const sim::Report all = sim::run(padded(shift), in).value();
        REQUIRE(all.ok());
        sim::MemoryCount sum{}, shared{};
        std::int64_t active = 0;
        for (std::int64_t r = 0; r < row_tiles; ++r)
            for (std::int64_t c = 0; c < col_tiles; ++c) {
                // Of one tile only part of D is written: at level `fast` that is no fault.
                sim::RunOptions options;
                options.level = sim::Level::fast;
                const sim::Report one = sim::run(padded(shift, r, c), in, options).value();
                sum += one.total.memories.at("gmem");
                shared += one.total.memories.at("smem");
                active += one.total.lanes_active;
            }
        CHECK(all.total.memories.at("gmem") == sum);
        CHECK(all.total.memories.at("smem") == shared);
        CHECK(all.total.lanes_active == active);
        CHECK(all.total.memories.at("gmem").bytes_read ==
              2 * std::min(rows, row_tiles * side - shift) * std::min(cols, col_tiles * side - shift));
    }
}
