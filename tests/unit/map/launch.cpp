// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/coalescing.hpp>
#include <axe/map/evaluate.hpp>
#include <axe/map/launch.hpp>
#include <axe/map/parse.hpp>

#include <catch.hpp>

#include <set>

using Int = std::int64_t;

TEST_CASE("launch_map: every element is some thread's, and only one's")
{
    const std::vector<std::vector<Int>> shapes = {{}, {1}, {7, 11}, {2, 3, 5}, {20, 4, 30}, {0, 3}, {3, 0}, {128}};
    for (const auto& shape : shapes)
        for (const Int threads : {1, 7, 32})
            for (const Int vector : {1, 2, 4}) {
                Int elements = 1;
                for (const Int d : shape) elements *= d;
                const axe::IndexingMap m = axe::launch_map(shape, threads, vector).value();
                REQUIRE(m.results.size() == shape.size());
                CHECK(m.pool.error().ok());
                std::set<std::vector<Int>> seen;
                Int points = 0;
                if (!m.has_empty_interval())
                    for (Int t = 0; t < threads; ++t)
                        for (Int b = 0; b <= m.variables[3].bounds.high; ++b)
                            for (Int v = 0; v < vector; ++v)
                                if (const std::vector<Int> at = {t, 0, 0, b, 0, 0, v}; axe::contains(m, at).yes()) {
                                    const std::vector<Int> index = *axe::evaluate(m, at);
                                    for (std::size_t d = 0; d < shape.size(); ++d) CHECK((index[d] >= 0 && index[d] < shape[d]));
                                    seen.insert(index);
                                    ++points;
                                }
                CHECK(points == elements);
                CHECK(static_cast<Int>(seen.size()) == elements);
            }
}

TEST_CASE("launch_map: what is not a launch")
{
    CHECK(axe::launch_map({4}, 0).code() == axe::errc::bad_argument);
    CHECK(axe::launch_map({4}, 32, 0).code() == axe::errc::bad_argument);
    CHECK(axe::launch_map({4, -1}, 32).code() == axe::errc::bad_argument);
    CHECK(axe::launch_map({Int{1} << 40, Int{1} << 40}, 32).code() == axe::errc::overflow);
    CHECK(axe::launch_map({4}, Int{1} << 62, 4).code() == axe::errc::overflow);
}

TEST_CASE("coalescing: what it is not asked of")
{
    const auto map = [](const char* text) { return axe::parse_map(text).value(); };
    const axe::IndexingMap fine =
        map("(th_x)[vector_elem] -> (th_x * 4 + vector_elem), domain: th_x in [0, 31], vector_elem in [0, 3]");
    CHECK(axe::coalescing(fine, 4).has_value());
    CHECK(axe::coalescing(fine, 4, 4)->requests == 1);
    CHECK(axe::coalescing(fine, 4, 3).code() == axe::errc::bad_argument);
    CHECK(axe::coalescing(fine, 8, 4).code() == axe::errc::bad_argument); // of 32 bytes there is no instruction
    for (const Int bytes : {0, 3, 32, -4}) CHECK(axe::vector_width(fine, bytes).code() == axe::errc::bad_argument);
    CHECK(axe::coalescing(map("(th_x) -> (th_x, th_x), domain: th_x in [0, 31]"), 4).code() == axe::errc::rank_mismatch);
    CHECK(axe::coalescing(axe::IndexingMap::undefined(), 4).code() == axe::errc::rank_mismatch);
    CHECK(axe::coalescing(map("(d0) -> (d0), domain: d0 in [0, 31]"), 4).code() == axe::errc::bad_argument);
    CHECK(axe::coalescing(map("(th_x) -> (th_x floordiv 3), domain: th_x in [0, 4000000]"), 4).code() == axe::errc::too_hard);
    CHECK(axe::coalescing(map("(th_x) -> (th_x), domain: th_x in [0, -1]"), 4).value() == axe::Coalescing{});
    for (const char* end : {"(th_x) -> (th_x + 9223372036854775790), domain: th_x in [0, 17]",
                            "(th_x) -> (th_x * 288230376151711744), domain: th_x in [0, 31]"})
        CHECK(axe::coalescing(map(end), 4).code() == axe::errc::overflow);
}
