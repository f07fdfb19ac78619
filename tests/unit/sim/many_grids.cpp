// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/kernels.hpp>
#include <axe/sim/compile.hpp>
#include <catch.hpp>
#include <tests/required.hpp>
#include <tests/targets.hpp>

using namespace axe;

/// What a grid costs does not grow with the grids, and their variables, that the program has besides.

namespace {

/// So many grids, each of two blocks in a loop with one around the grid: four variables each.
Program grids(int count)
{
    Kernel k("grids", machines::sm80);
    const auto A = k.input("A", {2, 32}, DType::f32), C = k.output("C", {2, 32}, DType::f32);
    for (int i = 0; i < count; ++i)
        k.loop(0, 2, 1, [&](const Affine&) {
            k.cta(
                tiles(Shape{2}, Shape{1}),
                [&](Scope cta, const Tile& t) {
                    cta.loop(0, 1, 1, [&](const Affine& j) { cta.copy(C(t.index[0] + j, all), A(t.index[0] + j, all)); });
                },
                2);
        });
    return k.program().value();
}

} // namespace

TEST_CASE("a block keeps the variables that its grid names, however many others the program has", "[sim][many_grids]")
{
    for (const int count : {1, 10, 100}) {
        const Program p = grids(count);
        const auto lowered = required(lower(p));
        const auto made = sim::compile(lowered->program, target_of(p), 1);
        REQUIRE(made.has_value());
        REQUIRE((*made)->grids.size() == static_cast<std::size_t>(count));
        for (const sim::GridCode& g : (*made)->grids) {
            CHECK(g.outside.size() == 1); // the loop's around it
            CHECK(g.inside.size() == 2);  // its own, and the loop's in it
        }
    }
}

TEST_CASE("many grids with variables of their own run as if each were alone", "[sim][many_grids]")
{
    const Program p = grids(30);
    Bindings in;
    Array a = Array::make({2, 32}, DType::f32).value();
    for (std::int64_t i = 0; i < a.size(); ++i) a.set(i, static_cast<double>(i));
    in.set("A", std::move(a));
    const auto lowered = required(lower(p));
    for (const int threads : {1, 2})
        for (const sim::Level level : {sim::Level::full, sim::Level::fast}) {
            sim::RunOptions options;
            options.level = level;
            options.threads = threads;
            const auto report = required(sim::run(lowered->program, in, options));
            REQUIRE(report->ok());
            for (std::int64_t i = 0; i < 64; ++i) CHECK(report->outputs.find("C")->at(i) == static_cast<double>(i));
            CHECK(report->total.instructions > 0);
            if (level == sim::Level::full) {
                const auto verified = verify(p, in, report->outputs);
                REQUIRE(verified.has_value());
                CHECK(verified->ok());
            }
        }
}
