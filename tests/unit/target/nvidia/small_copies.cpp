// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/program/pipeline.hpp>
#include <tests/one_block.hpp>
#include <tests/required.hpp>
#include <tests/unit/sim/kernels/trial.hpp>

/// Bulk copies of elements of 4 and 6 bits by tensor maps: values, bytes of mbarriers, counters.
namespace {

using namespace axe;
using enum DType;
using Action = Mbarrier::Action;

/// A tile of 64 × 128 of A [128, 256] to shared memory and from there to C, by lanes or, with `stores`, by a copy.
struct SmallCopy {
    DType type;
    Swizzle swizzle;
    bool stores = false;
    std::int64_t expected = 64 * 128; ///< bytes
};

Program small_copy(const SmallCopy& z)
{
    Kernel k("small", machines::sm100);
    const auto A = k.input("A", {128, 256}, z.type), C = k.output("C", {128, 256}, z.type);
    k.cta(
        tiles({128, 256}, {64, 128}),
        [&](Scope cta, const Tile& t) {
            const Swizzled<Layout> layout{z.swizzle, Axis{}, 1, Layout{{{64, 128, Axis{}}, {128, 1, Axis{}}}}};
            const auto s = cta.alloc(Role::shared, {64, 128}, z.type, layout, "s");
            cta.mbarrier({Action::init, 0, 1, {}}).mbarrier({Action::expect_bytes, 0, z.expected, {}});
            cta.copy_async(s, A(t), {.completes_on = 0}).mbarrier({Action::wait, 0, 0, 0});
            if (z.stores)
                cta.copy_async(C(t), s).commit().wait();
            else
                cta.copy(C(t), s);
        },
        1);
    return trial::written(k);
}

Bindings small_numbers(DType type)
{
    Bindings in;
    Array a = Array::make({128, 256}, type).value();
    for (std::int64_t i = 0; i < a.size(); ++i) a.set(i, static_cast<double>(i * 7 % 5) / (type == i4 ? 1 : 2));
    in.set("A", std::move(a));
    return in;
}

std::string why_no_small_copy(const Program& p)
{
    const auto lowered = lower(p);
    return lowered ? std::string() : lowered.error().text;
}

} // namespace

TEST_CASE("copies of 4 and 6 bits by a tensor map: values, and the bytes that global memory has of them", "[nvidia]")
{
    for (const SmallCopy& z :
         {SmallCopy{e2m1, {}, false, 4096}, SmallCopy{e2m1, {2, 5, 3}, false, 4096}, SmallCopy{e2m1, {2, 5, 3}, true, 4096},
          SmallCopy{e2m1, {3, 4, 3}, false, 4096}, SmallCopy{i4, {2, 5, 3}, true, 4096}, SmallCopy{e2m3, {3, 4, 3}, true, 6144},
          SmallCopy{e3m2, {}, true, 6144}, SmallCopy{e3m2, {2, 5, 2}, false, 6144}}) {
        CAPTURE(name(z.type), z.swizzle.bits, z.swizzle.base, z.stores);
        const Program p = small_copy(z);
        CHECK(why_no_small_copy(p).empty());
        const Bindings in = small_numbers(z.type);
        const Bindings out = trial::ran(p, in);
        for (std::int64_t i = 0; i < 128 * 256; ++i) REQUIRE(out.find("C")->at(i) == in.find("A")->at(i));

        const auto lowered = lower(p);
        const auto report = required(sim::run(lowered->program, in));
        const std::int64_t bits = packed_bits(z.type), bytes = 128 * 256 * bits / 8;
        bool found = false;
        for (const Choice& c : lowered->choices) {
            if (c.schedule != "bulk_copy") continue;
            found = true;
            CHECK(c.detail == "agent 0 starts 1 transfer, each a box of a tensor map of rank 2");
            const sim::Counters& n = report->statements.at(c.statement);
            const sim::MemoryCount &g = n.memories.at("gmem"), &s = n.memories.at("smem");
            CHECK(n.instructions == 4);
            CHECK(g.bytes_read + g.bytes_written == bytes);
            CHECK(s.bytes_read + s.bytes_written == bytes);
            CHECK(g.sectors == bytes / 32);
            CHECK(g.ideal_sectors == bytes / 32);
        }
        CHECK(found);
    }
}

TEST_CASE("copies of 4 and 6 bits: an mbarrier that expects a byte for each element waits forever", "[nvidia]")
{
    for (const SmallCopy& z : {SmallCopy{e2m1, {3, 4, 3}}, SmallCopy{e2m1, {}}, SmallCopy{e2m3, {}}}) {
        const auto report = required(sim::run(lower(small_copy(z)).value().program, small_numbers(z.type)));
        CAPTURE(report->fault.text);
        CHECK(report->fault.kind == sim::FaultKind::deadlock);
        CHECK(report->fault.text.find(z.type == e2m3 ? "2048 bytes" : "4096 bytes") != std::string::npos);
    }
}

TEST_CASE("copies of 4 and 6 bits: a pipeline expects what its copies bring", "[nvidia]")
{
    for (const auto& [type, swizzle] : {std::pair{e2m1, Swizzle{3, 4, 3}}, {e2m1, Swizzle{2, 5, 3}}, {e3m2, Swizzle{3, 4, 3}}}) {
        CAPTURE(name(type), swizzle.base);
        Kernel k("ring", machines::sm100);
        const auto A = k.input("A", {4, 8, 128}, type), D = k.output("D", {4, 8, 128}, type);
        const Swizzle of_stages = swizzle;
        const DType of = type;
        one_block(k, 2, [&](Scope cta) {
            const Swizzled<Layout> layout{of_stages, Axis{}, 1, Layout{{{2, 1024, Axis{}}, {8, 128, Axis{}}, {128, 1, Axis{}}}}};
            const auto a = cta.alloc(Role::shared, {2, 8, 128}, of, layout, "a");
            trial::through_two_stages(cta, D, a, A, 4);
        });
        const Program p = trial::written(k);
        Bindings in;
        Array x = Array::make({4, 8, 128}, type).value();
        for (std::int64_t i = 0; i < x.size(); ++i) x.set(i, static_cast<double>(i % 3));
        in.set("A", std::move(x));
        const Bindings out = trial::ran(p, in);
        for (std::int64_t i = 0; i < 4 * 8 * 128; ++i) REQUIRE(out.find("D")->at(i) == static_cast<double>(i % 3));
    }
}

TEST_CASE("copies of 4 and 6 bits: without a tensor map there are none", "[nvidia]")
{
    const auto told = [](const Machine& machine, std::int64_t columns, const Swizzle& swizzle, DType type, bool stores) {
        Kernel k("small", machine);
        const auto A = k.input("A", {64, columns}, type), C = k.output("C", {64, columns}, type);
        one_block(k, 1, [&](Scope cta) {
            const Swizzled<Layout> layout{swizzle, Axis{}, 1, Layout{{{64, columns, Axis{}}, {columns, 1, Axis{}}}}};
            const auto s = cta.alloc(Role::shared, {64, columns}, type, layout, "s");
            cta.mbarrier({Action::init, 0, 1, {}}).mbarrier({Action::expect_bytes, 0, 64, {}});
            if (stores)
                cta.copy(s, A).proxy_fence().copy_async(C, s).commit().wait();
            else
                cta.copy_async(s, A, {.completes_on = 0}).mbarrier({Action::wait, 0, 0, 0}).copy(C, s);
        });
        return why_no_small_copy(trial::written(k));
    };
    CHECK(told(machines::sm100, 128, {3, 4, 3}, e2m1, false).empty());
    CHECK(
        told(machines::sm90, 128, {3, 4, 3}, e2m1, false)
            .find("no tensor map copies it, and elements of 4 bits are not copied without one: A: elements of 4 bits are of sm100 "
                  "and later, got sm90") != std::string::npos);
    CHECK(told(machines::sm100, 64, {}, e2m3, false).find("dimension 0 of a tensor map of packed elements has 64") !=
          std::string::npos);
    CHECK(told(machines::sm100, 128, {3, 4, 3}, e2m1, true).find("padded elements of 4 bits are only loaded") != std::string::npos);
    CHECK(told(machines::sm100, 128, {2, 5, 3}, e2m1, true).empty());

    Kernel k("rows", machines::sm100);
    const auto A = k.input("A", {64, 128}, e2m1), index = k.input("index", {4}, i32), C = k.output("C", {4, 128}, e2m1);
    one_block(k, 1, [&](Scope cta) {
        const auto s = cta.alloc(Role::shared, {4, 128}, e2m1, {}, "s");
        cta.mbarrier({Action::init, 0, 1, {}}).mbarrier({Action::expect_bytes, 0, 256, {}});
        cta.gather(s, A, index, {.completes_on = 0}).mbarrier({Action::wait, 0, 0, 0}).copy(C, s);
    });
    CHECK(why_no_small_copy(trial::written(k)).find("rows are copied four at a time of elements of at least 8 bits, got 4") !=
          std::string::npos);
    CHECK(told(machines::sm100, 128, {3, 4, 3}, e2m3, true).empty());
}
