// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/races/rows.hpp>
#include <tests/required.hpp>

/// Blocks that tell each other how far they are, by flags in global memory. What the rows fix by a relaxed counter, which order in time they
/// mean, needs none here: a race is one in each order.
namespace {

using namespace races;

/// Blocks of one agent each; what block i does.
void blocks(Kernel& k, int count, const std::function<void(Block&, int)>& body)
{
    k.cta(
        tiles(count, 1),
        [&](Scope cta, const Tile& t) {
            Block b{k, cta};
            for (int i = 0; i < count; ++i) cta.when(equals(Expression(t.index[0]), i), [&] { body(b, i); });
        },
        1);
}

TensorRef flags(Kernel& k, int count) { return k.inout("f", {count}, i32); }

/// The same with flags of 0 before the run, and all blocks in flight.
Ready ready_blocks(const Variant& v, Sites& sites)
{
    Kernel k("row", v.machine);
    v.write(k, sites);
    const auto program = required(k.program());
    std::map<std::string, Numbers> given;
    for (const ProgramTensor& t : program->tensors) given[t.name] = t.name == "f" ? Numbers(always(0)) : counted;
    return Ready(*program, inputs_of(*program, given), v.as_it_is);
}

template <class Act>
void each_order(Act act)
{
    for (const std::int64_t quantum : {0, 1, 2, 5}) {
        sim::RunOptions options;
        options.quantum = quantum;
        INFO("turns of " << quantum << " steps");
        act(options);
    }
}

void ok_of_blocks(const Variant& v)
{
    compare_with_table("ok");
    Sites sites;
    const Ready row = ready_blocks(v, sites);
    for (const sim::Level level : {sim::Level::full, sim::Level::fast})
        each_order([&](sim::RunOptions options) {
            options.level = level;
            const Found f = row.run(options);
            INFO(f.text);
            CHECK(f.malformed == std::vector<std::string>{});
            REQUIRE(f.ended());
            CHECK(wrong({{}, {}, {}, v.wanted, false}, f.outputs) == 0);
        });
}

void race_of_blocks(const Variant& v)
{
    compare_with_table("race");
    Sites sites;
    const Ready row = ready_blocks(v, sites);
    each_order([&](const sim::RunOptions& options) {
        const Found f = row.run(options);
        INFO(f.text);
        CHECK(f.malformed == std::vector<std::string>{});
        CHECK(f.refused == errc::ok);
        REQUIRE(std::string(name(f.fault.kind)) == name(FaultKind::race));
        bool named = false;
        for (const auto& [one, other] : sites)
            named |= (f.fault.statement == one && f.fault.other_statement == other) ||
                     (f.fault.statement == other && f.fault.other_statement == one);
        CHECK(named);
    });
}

const std::vector<Within> wide = {Within::device, Within::system};

} // namespace

TEST_CASE("gs-relaxed-flag")
{
    // 0: the reader waits; 1: the writer does; 2: both write
    const auto kernel = [](int form, MemoryOrder tells, MemoryOrder sees, Within within) {
        return Variant{[=](Kernel& k, Sites& sites) {
                           const auto p = k.inout("p", {32}, f32), out = k.output("out", {32}, f32);
                           const auto f = flags(k, 1);
                           int first = -1;
                           blocks(k, 2, [&](Block& b, int i) {
                               if (i == 0) {
                                   first = b.at();
                                   if (form == 1)
                                       b.cta.copy(out, p);
                                   else
                                       b.cta.fill(p, 1);
                                   b.cta.add_to_flag(f, 1, tells, within);
                                   return;
                               }
                               b.cta.wait_equal(f, 1, sees, within);
                               sites = {{first, b.at()}};
                               if (form == 0)
                                   b.cta.copy(out, p);
                               else
                                   b.cta.fill(p, 2);
                           });
                       },
                       {{"out", always(1)}}};
    };
    const auto relaxed = MemoryOrder::relaxed;
    race_of_blocks(kernel(0, relaxed, relaxed, Within::device));
    SECTION("a write after a read") { race_of_blocks(kernel(1, relaxed, relaxed, Within::device)); }
    SECTION("two writes") { race_of_blocks(kernel(2, relaxed, relaxed, Within::device)); }
    SECTION("release and acquire")
    {
        for (const Within within : wide) ok_of_blocks(kernel(0, MemoryOrder::release, MemoryOrder::acquire, within));
    }
}

TEST_CASE("gs-release-acquire-mismatch")
{
    const auto kernel = [](MemoryOrder tells, MemoryOrder sees, Within teller, Within seer) {
        return Variant{[=](Kernel& k, Sites& sites) {
                           const auto p = k.inout("p", {32}, f32), out = k.output("out", {32}, f32);
                           const auto f = flags(k, 2);
                           const auto old = k.scalar("old");
                           int written = -1, told = -1;
                           blocks(k, 2, [&](Block& b, int i) {
                               if (i == 0) {
                                   written = b.at();
                                   b.cta.fill(p, 1000);
                                   told = b.at();
                                   b.cta.exchange_flag(f(Interval(0, 1)), 1, tells, teller);
                                   b.cta.add_to_flag(f(Interval(1, 1)), 1, MemoryOrder::relaxed);
                                   return;
                               }
                               b.cta.wait_equal(f(Interval(1, 1)), 1, MemoryOrder::relaxed);
                               const int seen = b.at(); // a race, too, where a scope does not cover the other block
                               b.cta.add_to_flag(f(Interval(0, 1)), 0, sees, seer, old);
                               sites = {{written, b.at()}, {told, seen}};
                               b.cta.copy(out, p);
                           });
                       },
                       {{"out", always(1000)}}};
    };
    using enum MemoryOrder;
    race_of_blocks(kernel(relaxed, acquire, Within::device, Within::device));
    SECTION("released, not acquired") { race_of_blocks(kernel(release, relaxed, Within::system, Within::system)); }
    SECTION("both, of both")
    {
        for (const MemoryOrder tells : {release, acquire_release})
            for (const MemoryOrder sees : {acquire, acquire_release})
                for (const Within within : wide) ok_of_blocks(kernel(tells, sees, within, within));
    }
    SECTION("a scope that does not cover the other block")
    {
        for (const Within narrow : {Within::block, Within::cluster})
            for (const Within other : {Within::block, Within::cluster, Within::device, Within::system}) {
                race_of_blocks(kernel(release, acquire, narrow, other));
                race_of_blocks(kernel(release, acquire, other, narrow));
            }
    }
}

TEST_CASE("gs-rmw-chain")
{
    const auto kernel = [](MemoryOrder last) {
        return Variant{[=](Kernel& k, Sites& sites) {
                           const auto p = k.inout("p", {3, 32}, f32), out = k.output("out", {3, 32}, f32);
                           const auto f = flags(k, 1);
                           std::vector<int> written;
                           blocks(k, 4, [&](Block& b, int i) {
                               if (i < 3) {
                                   written.push_back(b.at());
                                   b.cta.fill(p(i, all), 1000 + i).add_to_flag(f, 1, i == 2 ? last : MemoryOrder::release);
                                   return;
                               }
                               b.cta.wait_equal(f, 3);
                               for (const int at : written) sites.emplace_back(at, b.at());
                               b.cta.copy(out, p);
                           });
                       },
                       {{"out", [](std::int64_t i) { return 1000 + static_cast<double>(i / 32); }}}};
    };
    ok_of_blocks(kernel(MemoryOrder::release));
    SECTION("one of them is relaxed") { race_of_blocks(kernel(MemoryOrder::relaxed)); }
}

TEST_CASE("gs-transitive-relay")
{
    const auto kernel = [](bool acquires, Within within) {
        return Variant{[=](Kernel& k, Sites& sites) {
                           const auto p = k.inout("p", {32}, f32), out = k.output("out", {32}, f32);
                           const auto f = flags(k, 2);
                           int written = -1;
                           blocks(k, 3, [&](Block& b, int i) {
                               if (i == 0) {
                                   written = b.at();
                                   b.cta.fill(p, 1000).exchange_flag(f(Interval(0, 1)), 1, MemoryOrder::release, within);
                               } else if (i == 1) {
                                   b.cta.wait_equal(f(Interval(0, 1)), 1, acquires ? MemoryOrder::acquire : MemoryOrder::relaxed,
                                                    within);
                                   b.cta.exchange_flag(f(Interval(1, 1)), 1, MemoryOrder::release, within);
                               } else {
                                   b.cta.wait_equal(f(Interval(1, 1)), 1, MemoryOrder::acquire, within);
                                   sites = {{written, b.at()}};
                                   b.cta.copy(out, p);
                               }
                           });
                       },
                       {{"out", always(1000)}}};
    };
    race_of_blocks(kernel(false, Within::device));
    SECTION("the relay acquires")
    {
        for (const Within within : wide) ok_of_blocks(kernel(true, within));
    }
}

TEST_CASE("gs-tma-reduce-no-acquire")
{
    // The reduction is an atomic operation of lanes: a bulk reduction is relaxed at the scope of the device, as it is.
    const auto kernel = [](bool acquires) {
        return Variant{[=](Kernel& k, Sites& sites) {
                           const auto p = k.inout("p", {32}, f32), out = k.output("out", {32}, f32);
                           const auto f = flags(k, 33);
                           int written = -1;
                           blocks(k, 2, [&](Block& b, int i) {
                               if (i == 0) {
                                   written = b.at();
                                   b.cta.fill(p, 1000).exchange_flag(f(Interval(0, 1)), 1);
                                   b.cta.add_to_flag(f(Interval(32, 1)), 1, MemoryOrder::relaxed);
                                   return;
                               }
                               const auto one = b.cta.alloc(Role::registers, {32}, i32, "32:1@lane"_axe, "one");
                               b.cta.fill(one, 0).wait_equal(f(Interval(32, 1)), 1, MemoryOrder::relaxed);
                               b.cta.atomic(Function::add, f(Interval(0, 32)), one);
                               if (acquires) b.cta.wait_at_least(f(Interval(0, 1)), 1);
                               sites = {{written, b.at()}};
                               b.cta.copy(out, p);
                           });
                       },
                       {{"out", always(1000)}}};
    };
    race_of_blocks(kernel(false));
    SECTION("it acquires after the reduction") { ok_of_blocks(kernel(true)); }
}
