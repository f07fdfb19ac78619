// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/kernels.hpp>
#include <axe/program/shares.hpp>
#include <axe/sim/reference/reference.hpp>
#include <catch.hpp>
#include <tests/one_block.hpp>
#include <tests/random.hpp>
#include <tests/required.hpp>
#include <tests/without_lines.hpp>

using namespace axe;
using enum DType;

/// Tiles of blocks, and the shares that devices have of a tensor.

namespace {

using Int = std::int64_t;
constexpr Axis gpuid{"gpuid"};

/// Rows of A, tile by tile, by each device from its own row on; A is distributed by `layout`.
Program reading(Int rows, Int devices, const Layout& layout, Int tile, Int begin, Int per_device, Int tiles_of)
{
    Kernel k("k", mesh(machines::sm80, Shape{devices}).value());
    const auto A = k.input("A", {rows, 8}, f32, layout);
    one_block(k, 1, [&](Scope cta) {
        const auto s = cta.alloc(Role::shared, {tile, 8}, f32, {}, "s");
        cta.loop(tiles(tiles_of * tile, tile), [&](const Interval& i) {
            cta.copy(s, A(Interval(k.device() * per_device + begin + i.begin, tile), all).guarded()).sync();
        });
    });
    return k.program().value();
}
std::string said(const Program& p)
{
    const auto problems = share_problems(p);
    return problems.empty() ? "" : without_lines(problems.front().text);
}
/// What validate, lower, run and the reference say, which is the same.
void check_all_say(const Program& p, const std::string& text)
{
    bool found = false;
    for (const Problem& e : validate(p)) found = found || without_lines(e.text) == text;
    CHECK(found);
    CHECK(without_lines(lower(p).error().text) == text);
    CHECK(without_lines(sim::run(p, {}).error().text).find("not given") != std::string::npos); // inputs are looked at first
    CHECK(without_lines(reference(p, {}).error().text) == text);
}

} // namespace

TEST_CASE("a tile of a block that is larger than a device's share is a problem that names tile and shares", "[shares]")
{
    const Layout blocks{{{4, 1, gpuid}, {6 * 8, 1}}, {}, {}};
    const std::string text =
        "k, statement 3: dimension 0 of A: tile [0, 8) is in the shares [0, 6) and [6, 12) of two devices; it must be in "
        "one\nhint: copy A between the devices before the grid, take tiles within one share, or take a remote() view";
    check_all_say(reading(24, 4, blocks, 8, 0, 0, 1), text);
    CHECK(said(reading(24, 4, blocks, 6, 0, 6, 1)).empty());
    CHECK(said(reading(24, 4, blocks, 3, 0, 6, 2)).empty());
    CHECK(said(reading(24, 4, blocks, 1, 0, 6, 6)).empty());
    CHECK(said(reading(24, 4, blocks, 4, 0, 6, 2)).find("tile [4, 8) is in the shares [0, 6) and [6, 12)") != std::string::npos);
    CHECK(said(reading(24, 4, blocks, 4, 0, 24, 1)).empty()); // guarded: what is beyond A is of no device
    CHECK(said(reading(24, 4, blocks, 8, 18, 0, 1)).empty());
    // Copies on all devices are no shares, and columns may be distributed.
    CHECK(said(reading(24, 4, Layout{{{24 * 8, 1}}, {{4, 1, gpuid}}, {}}, 8, 0, 0, 3)).empty());
    CHECK(
        said(reading(24, 4, Layout{{{24, 2}, {4, 1, gpuid}, {2, 1}}, {}, {}}, 8, 0, 0, 1)).find("dimension 1 of A: tile [0, 8)") !=
        std::string::npos);
}

TEST_CASE("loops with steps, and lanes for themselves, are seen as they are", "[shares]")
{
    const Layout blocks{{{2, 1, gpuid}, {32, 1}}, {}, {}};
    const auto program = [&](Int step) {
        Kernel k("k", mesh(machines::sm80, Shape{2}).value());
        const auto A = k.input("A", {64}, f32, blocks);
        one_block(k, 1, [&](Scope cta) {
            const auto s = cta.alloc(Role::shared, {8}, f32, {}, "s");
            cta.loop(0, 64, step, [&](const Affine& i) { cta.copy(s, A(Interval(i, 8)).guarded()).sync(); });
        });
        return k.program().value();
    };
    CHECK(said(program(8)).empty());
    CHECK(said(program(16)).empty());
    CHECK(said(program(5)).find("tile [25, 33) is in the shares [0, 32) and [32, 64)") != std::string::npos);

    Kernel k("k", mesh(machines::sm80, Shape{2}).value());
    const auto A = k.inout("A", {64}, f32, blocks);
    one_block(k, 2, [&](Scope cta) { cta.each_thread({64}, [&](Scope t, const std::vector<Affine>& n) { t.fill(A(n[0]), 1); }); });
    CHECK(said(k.program().value()).find("tile [0, 64) is in the shares [0, 32) and [32, 64)") != std::string::npos);
}

TEST_CASE("random tiles: a problem iff some tile has elements on two devices", "[shares]")
{
    laws::Random r(61);
    int within = 0, across = 0;
    for (int i = 0; i < laws::cases(300); ++i) {
        const Int devices = r.in(2, 4), share = r.in(1, 6), inner = r.in(1, 2);
        // Rows in turn, in blocks of `share`: device = row / share mod devices.
        const Int rows = inner * devices * share;
        const Layout layout{{{inner, share * 8}, {devices, 1, gpuid}, {share * 8, 1}}, {}, {}};
        const Int tile = r.in(1, 7), begin = r.in(0, 4), per = r.one_in(2) ? share : r.in(0, 5), count = r.in(1, 3);
        bool spans = false;
        for (Int d = 0; d < devices; ++d)
            for (Int t = 0; t < count; ++t) {
                Int first = -1;
                for (Int x = 0; x < tile; ++x) {
                    const Int row = d * per + begin + t * tile + x;
                    if (row >= rows) continue;
                    const Int device = row / share % devices;
                    if (first < 0) first = device;
                    spans = spans || device != first;
                }
            }
        const std::string text = said(reading(rows, devices, layout, tile, begin, per, count));
        INFO("case " << i << ": " << text);
        CHECK(text.empty() != spans);
        (spans ? across : within) += 1;
    }
    CHECK(within > laws::cases(20));
    CHECK(across > laws::cases(100));
}

TEST_CASE("a loop whose bounds depend on the device is left to the run, which finds the element of another device", "[shares]")
{
    const auto fault_of = [](Int tile, Int rows_of_device) {
        Kernel k("k", mesh(machines::sm80, Shape{2}).value());
        const auto A = k.input("A", {16, 8}, f32, Layout{{{2, 1, gpuid}, {64, 1}}, {}, {}});
        one_block(k, 1, [&](Scope cta) {
            const auto s = cta.alloc(Role::shared, {tile, 8}, f32, {}, "s");
            cta.loop(k.device() * 8, k.device() * 8 + rows_of_device, tile,
                     [&](const Affine& i) { cta.copy(s, A(Interval(i, tile), all).guarded()).sync(); });
        });
        const Program p = k.program().value();
        CHECK(share_problems(p).empty());
        const auto lowered = required(lower(p));
        Array a = Array::make({16, 8}, f32).value();
        for (Int e = 0; e < a.size(); ++e) a.set(e, 1);
        Bindings in;
        in.set("A", std::move(a));
        for (const sim::Level level : {sim::Level::full, sim::Level::fast}) {
            sim::RunOptions options;
            options.level = level;
            const auto report = required(sim::run(lowered->program, in, options));
            if (level == sim::Level::fast || report->fault.found()) return report->fault;
        }
        return sim::Fault();
    };
    CHECK_FALSE(fault_of(4, 8).found());
    CHECK_FALSE(fault_of(2, 8).found());
    const sim::Fault found = fault_of(3, 8);
    INFO(found.text);
    CHECK(found.kind == sim::FaultKind::wrong_owner);
    CHECK(found.text.find("element (8,0) of A, which device 1 holds, not device 0") != std::string::npos);
}

TEST_CASE("a gather takes rows of a device's own share, whatever the view", "[shares]")
{
    Kernel k("k", mesh(machines::sm80, Shape{2}).value());
    const auto A = k.input("A", {16, 8}, f32, Layout{{{2, 1, gpuid}, {64, 1}}, {}, {}});
    const auto I = k.input("I", {2, 4}, i32, Layout{{{2, 1, gpuid}, {4, 1}}, {}, {}});
    const auto C = k.output("C", {2, 4, 8}, f32, Layout{{{2, 1, gpuid}, {32, 1}}, {}, {}});
    one_block(k, 1, [&](Scope cta) { cta.gather(C(k.device(), all, all), A, I(k.device(), all)); });
    const auto fault_of = [&](Int last) {
        Array a = Array::make({16, 8}, f32).value(), index = Array::make({2, 4}, i32).value();
        for (Int e = 0; e < a.size(); ++e) a.set(e, static_cast<double>(e));
        for (Int e = 0; e < 8; ++e) index.set(e, static_cast<double>(e < 4 ? e : 15 - e));
        index.set(7, static_cast<double>(last));
        Bindings in;
        in.set("A", std::move(a)).set("I", std::move(index));
        const auto lowered = required(lower(k.program().value()));
        const auto report = required(sim::run(lowered->program, in));
        return report->fault;
    };
    CHECK_FALSE(fault_of(8).found());
    CHECK(fault_of(7).kind == sim::FaultKind::wrong_owner);
}
