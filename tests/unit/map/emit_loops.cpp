// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/emit_loops.hpp>
#include <axe/map/parse.hpp>
#include <axe/map/peel.hpp>

#include <catch.hpp>

namespace {

axe::IndexingMap map_of(const char* text) { return axe::parse_map(text).value(); }
bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }
std::size_t count(const std::string& text, const std::string& part)
{
    std::size_t n = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
    return n;
}

} // namespace

TEST_CASE("emit_loops: a dot, its innermost eight read at once")
{
    const auto nest = axe::loop_nest({4, 5},
                                     {map_of("(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 3], d1 in [0, 4], s0 in [0, 7]"),
                                      map_of("(d0, d1)[s0] -> (s0, d1), domain: d0 in [0, 3], d1 in [0, 4], s0 in [0, 7]")},
                                     {{4, 8}, {8, 5}});
    axe::LoopOptions options;
    options.name = "dot";
    options.combine = "acc + x0 * x1";
    CHECK(axe::emit_loops(*nest, options).value() == R"(static inline void dot(const float* a0, const float* a1, float* r)
{
    for (long long i = 0; i < 20; ++i) r[i] = 0;
    {
        for (int d0 = 0; d0 <= 3; ++d0) {
            for (int d1 = 0; d1 <= 4; ++d1) {
                float acc = 0;
                const int t0 = d0 * 8;
                float v0[8];
                for (int k = 0; k < 8; ++k) v0[k] = a0[t0 + k];
                for (int s0 = 0; s0 <= 7; ++s0) {
                    const float x0 = v0[s0];
                    const float x1 = a1[d1 + s0 * 5];
                    acc = acc + x0 * x1;
                }
                r[d0 * 5 + d1] = acc;
            }
        }
    }
}
)");
}

TEST_CASE("emit_loops: a border keeps its guard, the interior has none")
{
    const auto nest = axe::loop_nest(
        {100}, {map_of("(d0)[s0] -> (d0 + s0 - 2), domain: d0 in [0, 99], s0 in [0, 4], d0 + s0 in [2, 101]")}, {{100}});
    axe::LoopOptions options;
    const std::string peeled = axe::emit_loops(*nest, options).value();
    CHECK(has(peeled,
              "for (int d0 = 2; d0 <= 97; ++d0) {\n            float acc = 0;\n            for (int s0 = 0; s0 <= 4; ++s0) {\n"
              "                const float x0 = a0[d0 + s0 - 2];"));
    CHECK(count(peeled, "continue;") == 2);
    options.peel = false;
    const std::string guarded = axe::emit_loops(*nest, options).value();
    CHECK(count(guarded, "for (int d0") == 1);
    CHECK(count(guarded, "continue;") == 1);
}

TEST_CASE("emit_loops: a guard stands as far out as it can")
{
    const auto nest = axe::loop_nest(
        {12, 16},
        {map_of("(d0, d1) -> ((d0 - 1) floordiv 2, d1 - 4), domain: d0 in [1, 7], d1 in [4, 7], (d0 - 1) mod 2 in [0, 0]")},
        {{4, 4}});
    axe::LoopOptions options;
    options.combine = "x0";
    CHECK(has(axe::emit_loops(*nest, options).value(), "for (int d0 = 1; d0 <= 7; ++d0) {\n"
                                                       "            if ((d0 & 1) != 1) continue;\n"
                                                       "            for (int d1 = 4; d1 <= 7; ++d1) {\n"));
}

TEST_CASE("loop_nest: what has no loops")
{
    const auto code = [](const std::vector<std::int64_t>& shape, std::vector<axe::IndexingMap> maps,
                         const std::vector<std::vector<std::int64_t>>& operands) {
        return axe::loop_nest(shape, maps, operands).code();
    };
    const axe::IndexingMap fine = map_of("(d0) -> (d0), domain: d0 in [0, 4]");
    CHECK(code({5}, {fine}, {{5}}) == axe::errc::ok);
    CHECK(code({5}, {}, {}) == axe::errc::rank_mismatch);
    CHECK(code({5}, {fine}, {{5}, {5}}) == axe::errc::rank_mismatch);
    CHECK(code({5, 5}, {fine}, {{5}}) == axe::errc::rank_mismatch);
    CHECK(code({5}, {fine}, {{5, 1}}) == axe::errc::rank_mismatch);
    CHECK(code({5}, {fine, map_of("(d0)[s0] -> (d0), domain: d0 in [0, 4], s0 in [0, 1]")}, {{5}, {5}}) ==
          axe::errc::rank_mismatch);
    CHECK(code({5}, {axe::IndexingMap::undefined()}, {{5}}) == axe::errc::bad_argument);
    CHECK(code({5}, {map_of("(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 4], rt0 in [0, 1]")}, {{6}}) == axe::errc::bad_argument);
    CHECK(code({5}, {fine}, {{std::int64_t{1} << 62, 4}}) != axe::errc::ok);
    CHECK(code({std::int64_t{1} << 62, 4}, {fine}, {{5}}) == axe::errc::overflow);
}

TEST_CASE("run_loops: a map that leaves its operand is found")
{
    const auto nest = axe::loop_nest({5}, {map_of("(d0) -> (d0 + 1), domain: d0 in [0, 4]")}, {{5}});
    const float x[5] = {1, 2, 3, 4, 5};
    float y[5];
    const axe::Status e = axe::run_loops<float>(*nest, y, {x}, 0, [](float, const float* v) { return *v; });
    CHECK(e.code() == axe::errc::out_of_domain);
    CHECK(std::string(e.error().message().c_str()) == "operand 0 is read at 5, and has 5 elements");
    CHECK(y[3] == 5);
}

TEST_CASE("peel: what cannot be")
{
    CHECK(axe::peel(axe::IndexingMap::undefined(), 0).code() == axe::errc::bad_argument);
    const axe::IndexingMap m = map_of("(d0) -> (d0), domain: d0 in [0, 4]");
    CHECK(axe::peel(m, -1).code() == axe::errc::bad_argument);
    CHECK(axe::peel(m, 1).code() == axe::errc::bad_argument);
    CHECK(axe::peel(m, 0)->size() == 1);
    CHECK(axe::peel(map_of("(d0) -> (d0), domain: d0 in [4, 0]"), 0)->empty());
}

TEST_CASE("peel: the launch of the slides, whose last block has threads to spare")
{
    // 469 blocks of 128 threads for 60000 elements.
    const auto parts = axe::peel(map_of("(d0, d1)[s0] -> (d0 * 4 + d1 * 512 + s0), domain: d0 in [0, 127], d1 in [0, 468], s0 in "
                                        "[0, 3], d0 + d1 * 128 in [0, 59999]"),
                                 1);
    REQUIRE(parts->size() == 2);
    CHECK((*parts)[0].variables[1].bounds == axe::IndexInterval{0, 467});
    CHECK((*parts)[0].constraints.empty());
    CHECK((*parts)[1].variables[1].bounds == axe::IndexInterval{468, 468});
    CHECK((*parts)[1].variables[0].bounds == axe::IndexInterval{0, 95});
    CHECK((*parts)[1].constraints.empty());
}
