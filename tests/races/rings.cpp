// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/races/rows.hpp>
#include <tests/random.hpp>

/// Random rings of slots that bulk copies fill, sound ones and with one mistake.
namespace {

using namespace races;

enum class Slip {
    none,
    no_full_wait,
    no_empty_wait,
    no_fence,
    no_expected_bytes,
    more_bytes,
    fewer_bytes,
    no_arrival,
    full_parity,
    empty_parity,
    no_store_fence,
    no_store_wait,
    no_commit,
};
constexpr int slips = 12;

/// Tiles go from A through slots of shared memory to C. One agent starts the copies, each consumer takes 32 numbers of each tile: to C, or
/// through slots of its own, from which bulk copies go to C.
struct Ring {
    int tiles = 3, slots = 1, consumers = 1;
    int copies = 1;               ///< of each tile, all on one mbarrier
    bool apart = false;           ///< bytes are expected first, and the arrival comes after the copies
    bool producer_fences = false; ///< after its wait, else the consumers before their arrival
    bool consumers_first = false; ///< in the text
    int store_slots = 0;          ///< of each consumer; 0: it stores with its lanes
    Slip slip = Slip::none;
    int at = 0, consumer = 0; ///< where it happens

    [[nodiscard]] std::string text() const
    {
        return std::to_string(tiles) + " tiles, " + std::to_string(slots) + " slots, " + std::to_string(consumers) +
               " consumers, " + std::to_string(copies) + " copies" + (apart ? ", bytes apart" : "") +
               (producer_fences ? ", producer fences" : "") + (consumers_first ? ", consumers first" : "") + ", store slots " +
               std::to_string(store_slots) + ", slip " + std::to_string(static_cast<int>(slip)) + " at " + std::to_string(at) +
               " of consumer " + std::to_string(consumer);
    }
    /// Can the ring have the mistake there?  Some steps are for what comes after them, and at the end nothing does.
    [[nodiscard]] bool has_slip() const
    {
        switch (slip) {
        case Slip::no_empty_wait: return at >= slots;
        case Slip::no_fence: return producer_fences ? at >= slots : at + slots < tiles;
        case Slip::no_arrival: return at + slots < tiles;
        case Slip::no_store_fence: return store_slots > 0 && producer_fences;
        case Slip::no_store_wait: return store_slots > 0 && at >= store_slots;
        case Slip::no_commit: return store_slots > 0 && (at + store_slots < tiles || at == tiles - 1);
        default: return true;
        }
    }
};

Ring random(laws::Random& r)
{
    Ring out;
    out.tiles = static_cast<int>(r.in(1, 7));
    out.slots = static_cast<int>(r.in(1, 3));
    out.consumers = static_cast<int>(r.in(1, 3));
    out.copies = r.one_in(2) ? out.consumers : 1;
    out.apart = r.one_in(3);
    out.producer_fences = r.one_in(2);
    out.consumers_first = r.one_in(2);
    out.store_slots = static_cast<int>(r.in(0, 2));
    return out;
}

Ring random(laws::Random& r, Slip slip)
{
    while (true) {
        Ring out = random(r);
        out.slip = slip;
        out.at = static_cast<int>(r.in(0, out.tiles - 1));
        out.consumer = static_cast<int>(r.in(0, out.consumers - 1));
        if (out.has_slip()) return out;
    }
}

Variant kernel(const Ring& ring)
{
    const auto write = [ring](Kernel& k, Sites&) {
        const int width = 32 * ring.consumers;
        const auto A = k.input("A", {ring.tiles, width}, f32), C = k.output("C", {ring.tiles, width}, f32);
        const auto is = [&](Slip s, int i) { return ring.slip == s && ring.at == i; };
        block(k, 1 + ring.consumers, [&](Block& b) {
            const auto s = b.smem("s", {ring.slots, width});
            const auto o = b.smem("o", {ring.consumers, std::max(ring.store_slots, 1), 32});
            std::vector<int> arrivals(static_cast<std::size_t>(ring.slots), 1);
            arrivals.insert(arrivals.end(), static_cast<std::size_t>(ring.slots), ring.consumers);
            b.set_up(arrivals);
            const auto produce = [&] {
                b.agent(0, [&](Scope w) {
                    for (int i = 0; i < ring.tiles; ++i) {
                        const int slot = i % ring.slots, turn = i / ring.slots, share = width / ring.copies;
                        if (!is(Slip::no_empty_wait, i))
                            w.mbarrier(wait_for(ring.slots + slot, (turn + 1 + (is(Slip::empty_parity, i) ? 1 : 0)) % 2));
                        if (ring.producer_fences && !is(Slip::no_fence, i)) w.proxy_fence();
                        const int expected = 4 * width + (is(Slip::more_bytes, i) ? 16 : is(Slip::fewer_bytes, i) ? -16 : 0);
                        const bool expects = !is(Slip::no_expected_bytes, i);
                        if (ring.apart && expects) w.mbarrier({Mbarrier::Action::expect_more, slot, expected, {}});
                        if (!ring.apart) w.mbarrier(expects ? expect(slot, expected) : arrive(slot));
                        for (int c = 0; c < ring.copies; ++c) {
                            const Interval part(c * share, share);
                            w.copy_async(s(slot, part), A(i, part), completes_on(slot));
                        }
                        if (ring.apart) w.mbarrier(arrive(slot));
                    }
                });
            };
            const auto consume = [&](int c) {
                b.agent(1 + c, [&](Scope w) {
                    for (int i = 0; i < ring.tiles; ++i) {
                        const bool here = ring.consumer == c;
                        const int slot = i % ring.slots, turn = i / ring.slots;
                        const Interval part(32 * c, 32);
                        if (!(is(Slip::no_full_wait, i) && here))
                            w.mbarrier(wait_for(slot, (turn + (is(Slip::full_parity, i) && here ? 1 : 0)) % 2));
                        const int own = i % std::max(ring.store_slots, 1);
                        if (ring.store_slots > 0 && i >= ring.store_slots && !(is(Slip::no_store_wait, i) && here))
                            w.wait_sources(ring.store_slots - 1);
                        w.copy(ring.store_slots > 0 ? o(c, own, all) : C(i, part), s(slot, part));
                        if (!ring.producer_fences && !(is(Slip::no_fence, i) && here)) w.proxy_fence();
                        if (!(is(Slip::no_arrival, i) && here)) w.mbarrier(arrive(ring.slots + slot));
                        if (ring.store_slots == 0) continue;
                        if (ring.producer_fences && !(is(Slip::no_store_fence, i) && here)) w.proxy_fence();
                        w.copy_async(C(i, part), o(c, own, all));
                        if (!(is(Slip::no_commit, i) && here)) w.commit();
                    }
                    if (ring.store_slots > 0) w.wait(0);
                });
            };
            if (!ring.consumers_first) produce();
            for (int c = 0; c < ring.consumers; ++c) consume(c);
            if (ring.consumers_first) produce();
        });
    };
    return {write, {{"C", counted}}};
}

} // namespace

TEST_CASE("random rings of bulk copies run without a fault in all orders")
{
    laws::Random r(2101);
    for (int n = 0; n < 60; ++n) {
        const Ring ring = random(r);
        INFO(ring.text());
        ok(kernel(ring));
    }
}

TEST_CASE("random rings of bulk copies with one mistake: it is found in each order")
{
    laws::Random r(2102);
    for (int slip = 1; slip <= slips; ++slip)
        for (int n = 0; n < 25; ++n) {
            const Ring ring = random(r, static_cast<Slip>(slip));
            INFO(ring.text());
            Sites sites;
            const Ready defective = ready(kernel(ring), sites);
            for (int order = 0; order < 4; ++order) {
                const Found f = defective.run(turns::next({}));
                INFO(f.text);
                CHECK(f.refused == errc::ok);
                CHECK(f.fault.found());
            }
        }
}
