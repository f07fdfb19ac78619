// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_UNIT_SIM_RINGS_HPP
#define AXE_TESTS_UNIT_SIM_RINGS_HPP

#include <axe/kernels.hpp>
#include <tests/defects/phases.hpp>
#include <tests/one_block.hpp>
#include <tests/random.hpp>
#include <tests/unit/sim/arrays.hpp>

/// Rings: agents that fill slots of shared memory, and agents that empty them, with mbarriers between them.
namespace rings {

using namespace axe;

inline constexpr Axis lane{"lane"}, warp{"warp"};

using defects::arrive;
using defects::init;
using defects::wait_for;

enum class Slip { none, full_parity, empty_parity, slot_read, slot_written, no_arrival, one_expected_more, empty_ignored };
inline constexpr int slips = 7;

/// How tiles go from A to C.
struct Ring {
    std::int64_t tiles = 3;
    int slots = 1, producers = 1, consumers = 1;
    bool consumers_first = false; ///< in the text
    bool shared = false;          ///< each consumer takes a part of each tile; else they take tiles in turn
    bool parted = false;          ///< each producer brings a part of each tile; else they bring tiles in turn
    bool around = false;          ///< one loop around the slices of producers and consumers, of one each
    bool looped = false;          ///< a loop of the program over turns, not one of C++; of one producer, in parts, without slips
    bool uneven = false;          ///< mbarriers are initialized by the last agent
    Slip slip = Slip::none;
    std::int64_t at = 0; ///< the tile at which it happens

    [[nodiscard]] std::string text() const
    {
        return "tiles " + std::to_string(tiles) + ", slots " + std::to_string(slots) + ", producers " + std::to_string(producers) +
               ", consumers " + std::to_string(consumers) + (consumers_first ? ", consumers first" : "") +
               (shared ? ", parts taken" : "") + (parted ? ", parts brought" : "") + (around ? ", loop around" : "") +
               (looped ? ", looped" : "") + ", slip " + std::to_string(static_cast<int>(slip)) + " at " + std::to_string(at);
    }
    /// Does every order of its steps end in a wait?
    [[nodiscard]] bool always_waits() const { return slip == Slip::no_arrival || slip == Slip::one_expected_more; }
};

inline Ring random(laws::Random& r)
{
    Ring out;
    out.tiles = r.in(1, 9);
    out.slots = static_cast<int>(r.in(1, 4));
    out.producers = static_cast<int>(r.in(1, 2));
    out.consumers = static_cast<int>(r.in(1, 3));
    out.consumers_first = r.one_in(2);
    // An agent that leaves out a phase of a slot would take the one after it for the one before.
    out.shared = out.slots % out.consumers != 0 || r.one_in(2);
    out.parted = out.slots % out.producers != 0 || r.one_in(2);
    out.around = r.one_in(4);
    out.uneven = r.one_in(2);
    out.looped = out.producers == 1 && out.shared && r.one_in(2);
    return out;
}

/// A ring with a mistake that it can have.
inline Ring random_slip(laws::Random& r)
{
    while (true) {
        Ring out = random(r);
        out.slip = static_cast<Slip>(r.in(1, slips));
        out.at = r.in(0, out.tiles - 1);
        if (out.slots == 1 && (out.slip == Slip::slot_read || out.slip == Slip::slot_written)) continue;
        if (out.at < out.slots && out.slip == Slip::empty_ignored) continue; // the first wait for a slot never waits
        if (out.at == out.tiles - 1 && out.slip == Slip::slot_read)
            continue; // an older tile, in order: another program, not a fault
        return out;
    }
}

/// The rings that are loops of the program: over turns, of which the last may not have all tiles.
inline void write_loops(const Ring& ring, Scope cta, const TensorRef& A, const TensorRef& C, const TensorRef& s,
                        const std::vector<TensorRef>& r)
{
    const std::int64_t turns = (ring.tiles + ring.slots - 1) / ring.slots;
    const auto each_slot = [&](Scope w, const Affine& turn, const std::function<void(int, const Affine&)>& body) {
        for (int slot = 0; slot < ring.slots; ++slot)
            w.when(Expression(turn) * ring.slots + slot < static_cast<double>(ring.tiles),
                   [&] { body(slot, turn * ring.slots + slot); });
    };
    const auto produce = [&](const Affine& turn) {
        cta.warps(0, 1, [&](Scope w) {
            each_slot(w, turn, [&](int slot, const Affine& i) {
                w.mbarrier(wait_for(ring.slots + slot, floor_mod(Expression(turn) + 1, 2)));
                w.copy(s(slot, all), A(i, all));
                w.mbarrier(arrive(slot));
            });
        });
    };
    const auto consume = [&](const Affine& turn) {
        for (int c = 0; c < ring.consumers; ++c)
            cta.warps(1 + c, 1, [&](Scope w) {
                each_slot(w, turn, [&](int slot, const Affine& i) {
                    w.mbarrier(wait_for(slot, floor_mod(Expression(turn), 2)));
                    w.copy(r[static_cast<std::size_t>(c)], s(slot, Interval(32 * c, 32)));
                    w.mbarrier(arrive(ring.slots + slot));
                    w.copy(C(i, Interval(32 * c, 32)), r[static_cast<std::size_t>(c)]);
                });
            });
    };
    const auto loop = [&](const std::function<void(const Affine&)>& body) { cta.loop(0, turns, 1, body); };
    if (ring.around)
        loop([&](const Affine& turn) {
            if (ring.consumers_first) consume(turn);
            produce(turn);
            if (!ring.consumers_first) consume(turn);
        });
    else if (ring.consumers_first)
        loop(consume), loop(produce);
    else
        loop(produce), loop(consume);
}

/// One tile is a row of 32 numbers for each consumer that takes a part of it.
inline Program write(const Ring& ring)
{
    const int parts = ring.shared ? ring.consumers : 1;
    const std::int64_t width = 32 * parts;
    Kernel k("ring", machines::sm90);
    const auto A = k.input("A", {ring.tiles, width}, DType::f32), C = k.output("C", {ring.tiles, width}, DType::f32);
    const int agents = ring.producers + ring.consumers;
    one_block(k, agents, [&](Scope cta) {
        const auto s = cta.alloc(Role::shared, {ring.slots, width}, DType::f32, {}, "s");
        std::vector<TensorRef> r;
        for (int c = 0; c < ring.consumers; ++c) {
            Layout lanes;
            lanes.shard.push_back({32, 1, lane});
            if (ring.producers + c != 0) lanes.offset.entries.push_back({warp, ring.producers + c});
            r.push_back(cta.alloc(Role::registers, {32}, DType::f32, lanes, "r" + std::to_string(c)));
        }
        const auto is = [&](Slip slip, std::int64_t i) { return ring.slip == slip && ring.at == i; };
        cta.warps(ring.uneven ? agents - 1 : 0, 1, [&](Scope w) {
            for (int slot = 0; slot < ring.slots; ++slot) {
                w.mbarrier(init(slot, (ring.parted ? ring.producers : 1) + (ring.slip == Slip::one_expected_more ? 1 : 0)));
                w.mbarrier(init(ring.slots + slot, parts));
            }
        });
        cta.sync();
        const auto produce = [&](Scope w, int p, std::int64_t i) {
            const int slot = static_cast<int>(i % ring.slots), turn = static_cast<int>(i / ring.slots);
            if (!is(Slip::empty_ignored, i))
                w.mbarrier(wait_for(ring.slots + slot, (turn + 1 + (is(Slip::empty_parity, i) ? 1 : 0)) % 2));
            const std::int64_t share = ring.parted ? width / ring.producers : width;
            const Interval part(ring.parted ? p * share : 0, share);
            w.copy(s((slot + (is(Slip::slot_written, i) ? 1 : 0)) % ring.slots, part), A(i, part));
            if (!is(Slip::no_arrival, i)) w.mbarrier(arrive(slot));
        };
        const auto consume = [&](Scope w, int c, std::int64_t i) {
            const int slot = static_cast<int>(i % ring.slots), turn = static_cast<int>(i / ring.slots);
            const Interval part(ring.shared ? 32 * c : 0, 32);
            w.mbarrier(wait_for(slot, (turn + (is(Slip::full_parity, i) ? 1 : 0)) % 2));
            w.copy(r[static_cast<std::size_t>(c)], s((slot + (is(Slip::slot_read, i) ? 1 : 0)) % ring.slots, part));
            w.copy(C(i, part), r[static_cast<std::size_t>(c)]);
            w.mbarrier(arrive(ring.slots + slot));
        };
        const auto producers = [&](std::int64_t begin, std::int64_t end) {
            for (int p = 0; p < ring.producers; ++p)
                cta.warps(p, 1, [&](Scope w) {
                    for (std::int64_t i = begin; i < end; ++i)
                        if (ring.parted || i % ring.producers == p) produce(w, p, i);
                });
        };
        const auto consumers = [&](std::int64_t begin, std::int64_t end) {
            for (int c = 0; c < ring.consumers; ++c)
                cta.warps(ring.producers + c, 1, [&](Scope w) {
                    for (std::int64_t i = begin; i < end; ++i)
                        if (ring.shared || i % ring.consumers == c) consume(w, c, i);
                });
        };
        if (ring.looped && ring.slip == Slip::none) {
            write_loops(ring, cta, A, C, s, r);
            return;
        }
        for (std::int64_t i = 0; i < (ring.around ? ring.tiles : 1); ++i) {
            const std::int64_t begin = ring.around ? i : 0, end = ring.around ? i + 1 : ring.tiles;
            if (ring.consumers_first) consumers(begin, end);
            producers(begin, end);
            if (!ring.consumers_first) consumers(begin, end);
        }
    });
    return k.program().value();
}

struct Found {
    bool runs = false, verified = false;
    sim::FaultKind kind = sim::FaultKind::none;
    std::string fault{}, problem{}, result{};
    [[nodiscard]] std::string text() const { return fault + " / " + problem + " / " + result; }
};

/// What the run of a ring finds, and the verification of what it gave; without outputs, that of zeros.
inline Found find(const Ring& ring)
{
    Found out;
    const Program program = write(ring);
    Bindings in;
    in.set("A", arrays::counting(program.tensors[0].shape, DType::f32));
    const auto lowered = lower(program);
    if (!lowered) return out.fault = lowered.error().text, out;
    auto report = sim::run(lowered->program, in);
    if (!report) return out.fault = report.error().text, out;
    out.runs = report->ok();
    out.kind = report->fault.kind;
    out.fault = report->fault.text;
    const auto verification = verify(program, in, report->outputs);
    if (!verification) return out.problem = verification.error().text, out;
    out.verified = verification->ok();
    out.result = verification->text();
    return out;
}

} // namespace rings

#endif
