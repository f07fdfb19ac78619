// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/kernels.hpp>
#include <axe/program/limits.hpp>
#include <catch.hpp>
#include <tests/one_block.hpp>
#include <tests/random.hpp>
#include <tests/required.hpp>

using namespace axe;
using enum DType;

/// What `validate` accepts, `lower` and `run` accept, and the reverse: at each limit and next to it.

namespace {

using Int = std::int64_t;

struct Held {
    Role role = Role::registers;
    Shape shape{};
    DType type = f32;
};

/// Each of the tensors is filled, all of them while all of them exist, by a block of so many agents.
Program filled(const Machine& machine, int agents, const std::vector<Held>& tensors, const Shape& grid = {1})
{
    Kernel k("filled", machine);
    const auto C = k.output("C", {1}, f32);
    k.fill(C, 0);
    Shape ones = grid;
    for (int d = 0; d < ones.size(); ++d) ones[d] = 1;
    k.cta(
        tiles(grid, ones),
        [&](Scope cta, const Tile&) {
            std::vector<TensorRef> all_of;
            for (const Held& t : tensors)
                all_of.push_back(
                    cta.alloc(t.role, t.shape, t.type, t.role == Role::registers ? Placement(LayoutHint::registers) : Placement()));
            for (const TensorRef& t : all_of) cta.fill(t, 1);
            for (const TensorRef& t : all_of) cta.fill(t, 2);
        },
        agents);
    Program p = k.program().value();
    std::get<Grid>(p.body.back().what).agents = agents; // of less than one, too
    return p;
}

/// 1: all of them accept the program; 0: none does. Of many blocks the run is stopped.
int accepted(const Program& p, bool stops = false)
{
    const auto problems = validate(p);
    const auto lowered = lower(p);
    sim::RunOptions options;
    if (stops) options.progress = [](Int, Int) { return false; };
    const auto report = lowered ? sim::run(lowered->program, {}, options) : Result<sim::Report, axe::Problem>(lowered.error());
    INFO("validate: " << (problems.empty() ? "" : problems.front().text) << "\nlower: " << (lowered ? "" : lowered.error().text)
                      << "\nrun: " << (report ? report->fault.text : report.error().text) << "\n"
                      << print(p));
    CHECK(problems.empty() == lowered.has_value());
    CHECK(problems.empty() == (report.has_value() && (stops || report->ok())));
    if (lowered) CHECK(validate(lowered->program).empty());
    return problems.empty() ? 1 : 0;
}

} // namespace

TEST_CASE("registers of a lane, at the limit: accepted by all or by none", "[accepted]")
{
    // 255 registers a lane that the widest vectors would make 256; rows that no number of lanes shares evenly.
    CHECK(accepted(filled(machines::sm80, 1, {{Role::registers, {1, 255 * 32}}})) == 1);
    CHECK(accepted(filled(machines::sm80, 1, {{Role::registers, {7, 1165}}})) == 0);
    int yes = 0, no = 0;
    laws::Random r(255);
    for (const int agents : {1, 3, 8})
        for (Int each = 253; each <= 257; ++each)
            for (const DType type : {f32, f16, i8})
                for (int way = 0; way < 3; ++way) {
                    const Int n = each * agents * 32 * 4 / storage_bytes(type) - (way == 0 ? 0 : r.in(0, 40));
                    const Int rows = way == 0 ? 1 : r.in(1, 9);
                    const Shape shape = way == 1 ? Shape{n} : Shape{rows, std::max<Int>(1, n / rows)};
                    (accepted(filled(machines::sm80, agents, {{Role::registers, shape, type}})) == 1 ? yes : no) += 1;
                }
    INFO(yes << " accepted, " << no << " not");
    CHECK(yes > 60);
    CHECK(no > 20);
}

TEST_CASE("several tensors in registers whose sum is at the limit: accepted by all or by none", "[accepted]")
{
    int yes = 0, no = 0;
    laws::Random r(65536);
    for (Int i = 0; i < laws::cases(100); ++i) {
        const int agents = static_cast<int>(r.in(1, 20));
        const Int lanes = agents * 32, limit = agents > 8 ? 65536 / lanes / 8 * 8 : 255;
        std::vector<Held> tensors;
        Int left = limit + r.in(-3, 3);
        for (int k = 0; k < 3 && left > 0; ++k) {
            const Int each = k == 2 ? left : r.in(1, left);
            const Int rows = r.in(1, 5), row = std::max<Int>(1, (each * lanes - r.in(0, 30)) / rows);
            tensors.push_back({Role::registers, {rows, row}});
            left -= each;
        }
        (accepted(filled(machines::sm80, agents, tensors)) == 1 ? yes : no) += 1;
    }
    INFO(yes << " accepted, " << no << " not");
    CHECK(yes > laws::cases(15));
    CHECK(no > laws::cases(15));
}

TEST_CASE("threads, registers of a block, bytes of shared memory and blocks, at the limit: accepted by all or by none",
          "[accepted]")
{
    const auto count = [](const Machine& m, int agents, const std::vector<Held>& tensors) {
        return accepted(filled(m, agents, tensors));
    };
    for (const int agents : {-1, 0, 1, 31, 32, 33, 64})
        CHECK(count(machines::sm80, agents, {}) == (agents >= 1 && agents <= 32 ? 1 : 0));
    for (const int agents : {-1, 0, 1, 31, 32, 33})
        CHECK(count(machines::cpu, agents, {}) == (agents >= 1 && agents <= 32 ? 1 : 0));
    // 65,536 registers of a block, which are given out in eights.
    for (const int agents : {8, 9, 15, 16, 17, 31, 32})
        for (Int each = 65536 / agents / 32 - 9; each <= std::min<Int>(255, 65536 / agents / 32 + 2); ++each)
            CHECK(count(machines::sm80, agents, {{Role::registers, {each * agents * 32}}}) ==
                  ((each + 7) / 8 * 8 * agents * 32 <= 65536 ? 1 : 0));
    for (const Machine* m : {&machines::sm80, &machines::sm90}) {
        const Memory& shared = *memory_for(*m, Role::shared);
        const Int room = shared.extents[shared.extents.size() - 1];
        for (const Int more : {-17, -16, -1, 0, 1, 15, 16}) {
            CHECK(count(*m, 1, {{Role::shared, {room + more}, i8}}) == (more <= 0 ? 1 : 0));
            // Tensors begin at multiples of 16 bytes.
            CHECK(count(*m, 1, {{Role::shared, {33}, i8}, {Role::shared, {room - 48 + more}, i8}}) == (more <= 0 ? 1 : 0));
        }
        laws::Random r(16);
        int yes = 0;
        for (Int i = 0; i < laws::cases(20); ++i) {
            std::vector<Held> held;
            Int left = room + r.in(-70, 30);
            for (int n = static_cast<int>(r.in(1, 5)); n > 0 && left > 0; --n) {
                held.push_back({Role::shared, {n == 1 ? left : r.in(1, left)}, i8});
                left -= held.back().shape[0];
            }
            yes += accepted(filled(*m, 1, held));
        }
        CHECK(yes > 0);
        CHECK(yes < laws::cases(20));
    }
    for (const Shape& grid : {Shape{max_blocks}, {max_blocks + 1}, {1, max_blocks}, {4096, 4096}, {4095, 4096}, {Int{1} << 40}})
        CHECK(accepted(filled(machines::sm80, 1, {}, grid), true) == (volume(grid).value() <= max_blocks ? 1 : 0));
}

TEST_CASE("registers that no computer has: this computer's memory is all that a run lacks", "[accepted]")
{
    // Of several agents and several digits, whose addresses are a table; up to 2^60 bytes a memory may have, where it does not say how many.
    for (const int agents : {1, 3})
        for (const int bits : {36, 50, 57, 58}) {
            Kernel k("vast", machines::cpu);
            const auto C = k.output("C", {1}, f32);
            one_block(k, agents, [&](Scope cta) {
                cta.alloc(Role::registers, {Int{1} << bits}, f32, LayoutHint::registers, "vast");
                cta.fill(C, 0);
            });
            const Program p = k.program().value();
            INFO(agents << " agents, 2^" << bits);
            CHECK(validate(p).empty());
            const auto lowered = required(lower(p));
            CHECK(sim::run(lowered->program, {}).error().code == errc::capacity);
        }
    Kernel k("beyond", machines::cpu);
    const auto C = k.output("C", {1}, f32);
    one_block(k, 1, [&](Scope cta) {
        cta.alloc(Role::registers, {(Int{1} << 58) + 1}, f32, LayoutHint::registers, "beyond");
        cta.fill(C, 0);
    });
    CHECK(accepted(k.program().value()) == 0);
}
