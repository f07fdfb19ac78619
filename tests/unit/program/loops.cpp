// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/kernels.hpp>
#include <axe/program/loops.hpp>
#include <catch.hpp>
#include <tests/required.hpp>

#include <functional>

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
            const auto lowered = required(lower(k.program().value()));
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

TEST_CASE("a loop whose bounds are in terms of its own variable: its values are the variable's, and lowering ends", "[values]")
{
    for (const bool begins : {true, false}) {
        Kernel k("own", machines::sm80);
        const auto A = k.inout("A", {64}, f32);
        Affine seen;
        k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
            cta.loop(0, 8, 1, [&](const Affine& i) {
                seen = i;
                cta.fill(A(Interval(i, 1)), 1);
            });
        });
        Program p = k.program().value();
        for_each_statement(p.body, [&](Statement& s) {
            if (auto* loop = std::get_if<For>(&s.what)) (begins ? loop->begin : loop->end) = seen + 1;
        });
        CHECK_FALSE(validate(p).empty());
        const Values v = values_of(p, seen);
        CHECK(v.least >= 0);
        CHECK(v.greatest <= 9);
        const auto lowered = lower(p);
        CHECK((lowered || !lowered.error().text.empty()));
    }
}

TEST_CASE("loops within each other, each from the one around to one more: linear, not a power of their number", "[values]")
{
    Kernel k("chain", machines::cpu);
    const auto A = k.inout("A", {256}, f32);
    std::vector<Affine> all_of;
    k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
        std::function<void(Scope, int)> nest = [&](Scope s, int depth) {
            if (depth == 100) {
                s.fill(A(Interval(all_of.back(), 1)), 1);
                return;
            }
            const Affine begin = all_of.empty() ? Affine(0) : all_of.back();
            s.loop(begin, begin + 2, 1, [&](const Affine& i) {
                all_of.push_back(i);
                nest(s, depth + 1);
            });
        };
        nest(cta, 0);
    });
    const Program p = k.program().value();
    for (std::size_t i = 0; i < all_of.size(); ++i) {
        const Values v = values_of(p, all_of[i]);
        CHECK(v.first == 0);
        CHECK(v.least == 0);
        CHECK(v.greatest == static_cast<std::int64_t>(i) + 1);
    }
    CHECK(lower(p).has_value());
}
