// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/kernels.hpp>
#include <catch.hpp>
#include <tests/random.hpp>
#include <tests/required.hpp>

#include <algorithm>

using namespace axe;
using enum DType;

/// Copies outside grids of tiles that are larger than a device's share, or move from one share to another.

namespace {

using Int = std::int64_t;
constexpr Axis gpuid{"gpuid"};

Array counted(const Shape& shape)
{
    Array out = Array::make(shape, f32).value();
    for (Int i = 0; i < out.size(); ++i) out.set(i, static_cast<double>(i));
    return out;
}
/// Rows in shares of devices, or a copy on each.
Layout random_rows(laws::Random& r, Int rows, Int columns, Int devices)
{
    if (r.one_in(4)) return {{{rows * columns, 1}}, {{devices, 1, gpuid}}, {}};
    const Int share = rows / devices;
    if (r.one_in(3)) return {{{share, columns}, {devices, 1, gpuid}, {columns, 1}}, {}, {}}; // in turn
    return {{{devices, 1, gpuid}, {share * columns, 1}}, {}, {}};
}

} // namespace

TEST_CASE("tiles in a loop outside grids go over the shares of devices, edges included", "[moving_tiles]")
{
    laws::Random r(71);
    int moved = 0;
    for (int i = 0; i < laws::cases(80); ++i) {
        const Int devices = r.in(2, 4), share = r.in(1, 4), columns = 3, rows = devices * share, tile = r.in(1, rows);
        const Int shift = r.in(0, 2);
        Kernel k("k", mesh(machines::sm90, Shape{devices}).value());
        const auto A = k.input("A", {rows, columns}, f32, random_rows(r, rows, columns, devices));
        const auto C = k.inout("C", {rows, columns}, f32, random_rows(r, rows, columns, devices));
        // C[row] = A[row + shift], and zeros past the end.
        k.loop(tiles(rows, tile), [&](const Interval& t) { k.copy(C(t, all), A(Interval(t.begin + shift, tile), all).guarded()); });
        k.sync();
        const Program p = k.program().value();
        const auto lowered = lower(p);
        INFO("case " << i << ": " << (lowered ? "" : lowered.error().text));
        REQUIRE(lowered);
        const Choice& choice = lowered->choices.front();
        moved += choice.detail == "tiles over the shares of several devices, each device reads the elements that it needs" ? 1 : 0;
        Bindings in;
        in.set("A", counted({rows, columns})).set("C", counted({rows, columns}));
        for (const sim::Level level : {sim::Level::full, sim::Level::fast}) {
            sim::RunOptions options;
            options.level = level;
            const auto report = without_fault(sim::run(lowered->program, in, options));
            for (Int e = 0; e < rows * columns; ++e) {
                const Int from = e + shift * columns;
                if (report->outputs.find("C")->at(e) != static_cast<double>(from < rows * columns ? from : 0))
                    FAIL("element " << e);
            }
        }
    }
    CHECK(moved > laws::cases(20));
}

TEST_CASE("a tile over shares is read from the devices that have it, which the counters show", "[moving_tiles]")
{
    // Each of 4 devices has 2 rows of A, device 0 all of C: rows 1 to 5 are read, one of them its own.
    Kernel k("k", mesh(machines::sm90, Shape{4}).value());
    const auto A = k.input("A", {8, 16}, f32, Layout{{{4, 1, gpuid}, {32, 1}}, {}, {}}), C = k.inout("C", {5, 16}, f32);
    k.copy(C, A(Interval(1, 5), all)).sync();
    const auto lowered = required(lower(k.program().value()));
    CHECK(lowered->choices.front().schedule == "peer");
    Bindings in;
    in.set("A", counted({8, 16})).set("C", counted({5, 16}));
    const auto report = required(sim::run(lowered->program, in));
    REQUIRE(report->ok());
    CHECK(report->total.link_bytes == 4 * 16 * 4);
    for (Int e = 0; e < 80; ++e) CHECK(report->outputs.find("C")->at(e) == static_cast<double>(e + 16));
}

TEST_CASE("where some devices do not run the copy, a moving tile stays a problem", "[moving_tiles]")
{
    Kernel k("k", mesh(machines::sm90, Shape{4}).value());
    const Layout shares{{{4, 1, gpuid}, {32, 1}}, {}, {}};
    const auto A = k.input("A", {8, 16}, f32, shares), C = k.inout("C", {8, 16}, f32, shares);
    k.devices(0, 2, [&](Scope two) { two.loop(tiles(8, 3), [&](const Interval& t) { two.copy(C(t, all), A(t, all)); }); });
    const auto lowered = lower(k.program().value());
    REQUIRE_FALSE(lowered);
    CHECK(lowered.error().text.find("peer: ") != std::string::npos);
}
