// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/defects/harness.hpp>

/// FlagWaits for flags that have gone on: what a wait tells is what the first value tells that it may have been for, however far the flag is.
namespace {

using namespace defects;

/// Block 0 writes tiles 0, 1, 2 of p, and raises the flag after each. Block 1 waits for `value`, and reads the last tile.
using FlagWaits = std::function<void(Scope, const TensorRef& flag, bool defect)>;
Pair flag_raised(bool by_stores, const FlagWaits& waits)
{
    Pair p{
        machines::sm90, {}, {{"f", [](std::int64_t) { return 0.0; }}, {"p", counted}}, {{"C", [](std::int64_t) { return 3.0; }}}};
    p.write = [=](Kernel& k, bool defect, Marks& marks) {
        const auto f = k.inout("f", {2}, i32), tiles_of = k.inout("p", {3, 32}, f32);
        const auto C = k.output("C", {32}, f32);
        k.cta(
            tiles(2, 1),
            [&](Scope cta, const Tile& t) {
                const auto r = cta.alloc(Role::registers, {32}, f32, lanes, "r");
                int last = -1;
                cta.when(equals(Expression(t.index[0]), 0), [&] {
                    for (int i = 0; i < 3; ++i) {
                        last = next(k);
                        cta.fill(tiles_of(i, all), i + 1);
                        if (by_stores)
                            cta.set_flag(f(0), i + 1);
                        else
                            cta.add_to_flag(f(0), 1);
                    }
                });
                cta.when(equals(Expression(t.index[0]), 1), [&] {
                    waits(cta, f, defect);
                    marks = {next(k), last};
                    cta.copy(r, tiles_of(2, all)).copy(C, r);
                });
            },
            1);
    };
    return p;
}

} // namespace

TEST_CASE("a wait for too small a value of a flag is a race, however far the flag is")
{
    for (const bool by_stores : {false, true})
        for (const int value : {0, 1, 2}) {
            INFO("value " << value << ", stores " << by_stores);
            const Pair p = flag_raised(
                by_stores, [value](Scope cta, const TensorRef& f, bool defect) { cta.wait_at_least(f(0), defect ? value : 3); });
            Marks marks;
            check_sound(p);
            turns::each([&](const sim::RunOptions& options) {
                const Found f = find(p, true, marks, options);
                INFO(f.text);
                CHECK(std::string(name(f.fault.kind)) == "race");
            });
        }
}

TEST_CASE("a wait for a smaller value after one for a greater, or after an own addition, knows what that one told")
{
    check_sound(flag_raised(false, [](Scope cta, const TensorRef& f, bool) { cta.wait_at_least(f(0), 3).wait_at_least(f(0), 1); }));
    // The second wait may not see a value before the own addition, which continues the sequence of releases.
    check_sound(flag_raised(false, [](Scope cta, const TensorRef& f, bool) {
        cta.wait_at_least(f(0), 3, MemoryOrder::relaxed).add_to_flag(f(0), 1, MemoryOrder::relaxed).wait_at_least(f(0), 1);
    }));
}
