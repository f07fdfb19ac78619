// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/kernels.hpp>
#include <axe/schedule/values.hpp>
#include <catch.hpp>

using namespace axe;
using enum DType;

namespace {

/// The values of the variable of  for v = begin, begin + step, … < end.
Values of_loop(std::int64_t begin, std::int64_t end, std::int64_t step, std::int64_t factor = 1)
{
    Kernel k("k", machines::sm80);
    Affine seen;
    k.cta(tiles(1, 1), [&](Scope cta, const Tile&) { cta.loop(begin, end, step, [&](const Affine& v) { seen = v; }); });
    return values_of(k.program().value(), seen * factor);
}

} // namespace

TEST_CASE("a loop's counter has the values begin, begin + step, … below end, and no other", "[values]")
{
    for (std::int64_t begin = -2; begin <= 3; ++begin)
        for (std::int64_t rounds = 1; rounds <= 4; ++rounds)
            for (std::int64_t step = 1; step <= 5; ++step)
                for (std::int64_t beyond = 0; beyond < step; ++beyond)
                    for (const std::int64_t factor : {1, 32, -3}) {
                        const std::int64_t last = begin + (rounds - 1) * step;
                        const Values v = of_loop(begin, last + 1 + beyond, step, factor);
                        INFO(begin << " to " << last << " in steps of " << step << " times " << factor);
                        CHECK(v.first == begin * factor);
                        CHECK(v.least == std::min(begin * factor, last * factor));
                        CHECK(v.greatest == std::max(begin * factor, last * factor));
                        CHECK(std::abs(v.step) == (rounds == 1 ? 0 : step * std::abs(factor)));
                    }
}

TEST_CASE("a loop of one round keeps the vectors of its copies", "[values]")
{
    for (const std::int64_t step : {1, 2, 3, 5})
        for (const bool async : {true, false}) {
            Kernel k("k", machines::sm80);
            const auto A = k.input("A", {64, 64}, f16), C = k.output("C", {64, 32}, f16);
            k.cta(tiles(C, {64, 32}), [&](Scope cta, const Tile&) {
                const auto s = cta.alloc(Role::shared, {64, 32}, f16, {}, "s");
                cta.loop(0, step, step, [&](const Affine& i) {
                    const auto from = A(all, Interval(32 * i, 32)).guarded();
                    if (async)
                        cta.copy_async(s, from).commit().wait();
                    else
                        cta.copy(s, from);
                    cta.sync().copy(C, s).sync();
                });
            });
            const auto lowered = lower(k.program().value());
            INFO((lowered ? "" : lowered.error().text));
            REQUIRE(lowered.has_value());
            bool found = false;
            for (const Choice& c : lowered->choices)
                if (c.statement == 3) {
                    found = true;
                    CHECK(c.schedule == (async ? "cp_async" : "vector"));
                    CHECK(c.detail == "16 bytes a lane");
                }
            CHECK(found);
        }
}
