// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/defects/harness.hpp>
#include <tests/defects/phases.hpp>

/// What one block of a cluster gives another one asynchronously, on the mbarrier there: bulk copies and reductions of shared memory,
/// reductions of registers.
namespace {

using namespace defects;
using Action = Mbarrier::Action;

enum class PeerSlip {
    none,
    no_fence,       ///< between what is written and the copy that reads it
    no_fence_there, ///< between what the other block has read and the copy that writes it
    early,          ///< the other block may still use its tile
    no_wait,
    no_end,      ///< a block may end before its tile has been read
    overwritten, ///< while the copy reads it
    few_bytes,
    own ///< to the own block
};
enum class GivenBy { copy, reduction, registers };

constexpr int peer_bytes = 128;

/// Two blocks: each gives the 32 numbers 10·rank + i of `s` to the tile `t` of the other, in which it has 100 before; the sums, or the copies, are C.
Pair given_to_peer(GivenBy by, PeerSlip slip)
{
    const auto wanted = [by](std::int64_t i) {
        const double theirs = static_cast<double>(i < 32 ? 10 + i : i - 32);
        return by == GivenBy::copy ? theirs : theirs + 100;
    };
    Pair p{machines::sm90, {}, {{"A", [](std::int64_t i) { return static_cast<double>(i < 32 ? i : i - 22); }}}, {{"C", wanted}}};
    p.write = [by, slip](Kernel& k, bool defect, Marks& marks) {
        const auto is = [&](PeerSlip s) { return defect && s == slip; };
        const auto A = k.input("A", {2, 32}, i32), C = k.output("C", {2, 32}, i32);
        k.cta(
            tiles(2, 1), {{2}, false},
            [&](Scope cta, const Tile& tile) {
                const auto s = cta.alloc(Role::shared, {32}, i32, {}, "s"), t = cta.alloc(Role::shared, {32}, i32, {}, "t");
                const auto r = cta.alloc(Role::registers, {32}, i32, lanes, "r");
                const Affine there = is(PeerSlip::own) ? tile.rank : Affine(1) - tile.rank;
                cta.mbarrier(init(0, 1)).mbarrier(expect(0, is(PeerSlip::few_bytes) ? peer_bytes / 2 : peer_bytes));
                cta.fill(t, 100).copy(r, A(tile.rank, all));
                const int filled = next(k);
                cta.copy(s, r);
                if (!is(PeerSlip::no_fence)) cta.proxy_fence();
                const int again = next(k);
                if (slip == PeerSlip::no_fence_there) cta.fill(t, 100);
                if (slip == PeerSlip::no_fence_there && !defect) cta.proxy_fence();
                if (is(PeerSlip::early))
                    cta.cluster_arrive(MemoryOrder::relaxed).cluster_wait();
                else
                    cta.cluster_sync();
                Options options;
                options.completes_on = 0;
                options.async = by != GivenBy::copy;
                const int started = next(k);
                if (by == GivenBy::copy) cta.copy_async(t.of_block(there), s, options);
                if (by == GivenBy::reduction) cta.atomic(Function::add, t.of_block(there), s, options);
                if (by == GivenBy::registers) cta.atomic(Function::add, t.of_block(there), r, options);
                const int over = next(k);
                if (is(PeerSlip::overwritten)) cta.fill(s, 7);
                if (!is(PeerSlip::no_wait)) cta.mbarrier(wait_for(0, 0));
                const int read = next(k);
                cta.copy(r, t).copy(C(tile.rank, all), r);
                if (!is(PeerSlip::no_end)) cta.cluster_sync();
                switch (slip) {
                case PeerSlip::none: break;
                case PeerSlip::no_fence: marks = {started, filled}; break;
                case PeerSlip::no_fence_there: marks = {started, again}; break;
                case PeerSlip::early: marks.at = started; break;
                case PeerSlip::no_wait:
                    marks = {started, read};
                    break; // the block that comes first reads before the other one's copy
                case PeerSlip::no_end: marks.at = started; break;
                case PeerSlip::overwritten: marks = {over, started}; break;
                case PeerSlip::few_bytes: marks.at = over; break; // where agents wait
                case PeerSlip::own: marks.at = started; break;
                }
            },
            1);
    };
    return p;
}

} // namespace

TEST_CASE("what a block gives another one asynchronously is there after a wait for the mbarrier")
{
    for (const GivenBy by : {GivenBy::copy, GivenBy::reduction, GivenBy::registers}) check_sound(given_to_peer(by, PeerSlip::none));
}

TEST_CASE("a copy to another block reads what ordinary accesses have written, without a proxy fence")
{
    for (const GivenBy by : {GivenBy::copy, GivenBy::reduction})
        check_fault(given_to_peer(by, PeerSlip::no_fence), FaultKind::proxy, {"of s", "is read here by an asynchronous operation"});
}

TEST_CASE("a copy to another block writes what that one has written, without a proxy fence")
{
    for (const GivenBy by : {GivenBy::copy, GivenBy::reduction})
        check_fault(given_to_peer(by, PeerSlip::no_fence_there), FaultKind::proxy,
                    {"of t", "is written here by an asynchronous operation"});
}

TEST_CASE("a copy to another block starts before that one is known to be ready")
{
    for (const GivenBy by : {GivenBy::copy, GivenBy::reduction, GivenBy::registers})
        check_fault(given_to_peer(by, PeerSlip::early), FaultKind::transaction, {"nothing orders this after its initialization"});
}

TEST_CASE("what another block gives is read without a wait")
{
    for (const GivenBy by : {GivenBy::copy, GivenBy::reduction, GivenBy::registers})
        check_fault(given_to_peer(by, PeerSlip::no_wait), FaultKind::race, {"of t"});
}

TEST_CASE("a block ends before another one knows that its tile has been read")
{
    for (const GivenBy by : {GivenBy::copy, GivenBy::reduction})
        check_fault(given_to_peer(by, PeerSlip::no_end), FaultKind::lifetime,
                    {"an asynchronous copy that completes on mbarrier 0 of block (1) accesses the memory of this block here"});
}

TEST_CASE("a tile is written while a copy of it to another block reads it")
{
    for (const GivenBy by : {GivenBy::copy, GivenBy::reduction})
        check_fault(given_to_peer(by, PeerSlip::overwritten), FaultKind::race, {"of s", "read by an asynchronous copy"});
}

TEST_CASE("a phase expects fewer bytes than another block brings")
{
    for (const GivenBy by : {GivenBy::copy, GivenBy::reduction, GivenBy::registers})
        check_fault(given_to_peer(by, PeerSlip::few_bytes), FaultKind::deadlock, {"has 64 bytes too many"});
}

TEST_CASE("a copy to another block that is the own one")
{
    for (const GivenBy by : {GivenBy::copy, GivenBy::reduction})
        check_fault(given_to_peer(by, PeerSlip::own), FaultKind::wrong_owner, {"goes to another one"});
    check_fault(given_to_peer(GivenBy::registers, PeerSlip::own), FaultKind::wrong_owner,
                {"red.async is for the memory of another one"});
}

TEST_CASE("what goes to another block is counted by its instruction, and as bytes of a link")
{
    const char* const texts[] = {"cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes",
                                 "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.s32",
                                 "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.s32"};
    for (const GivenBy by : {GivenBy::copy, GivenBy::reduction, GivenBy::registers}) {
        Marks marks;
        const Found f = find(given_to_peer(by, PeerSlip::none), false, marks);
        INFO(f.text);
        REQUIRE(f.ended());
        CHECK(f.total.by_text.at(texts[static_cast<int>(by)]) == 2);
        CHECK(f.total.link_bytes == 2 * peer_bytes);
        for (const auto& [statement, count] : f.statements) {
            if (count.link_bytes == 0) continue;
            CHECK(count.memories.at("smem").bytes_written == 2 * peer_bytes);
            CHECK(count.memories.at("smem").bytes_read == 2 * peer_bytes *
                                                              (by == GivenBy::copy        ? 1
                                                               : by == GivenBy::reduction ? 2
                                                                                          : 1)); // sums read both
        }
    }
}

TEST_CASE("all functions of reductions in another block")
{
    const Function functions[] = {Function::add,     Function::min,    Function::max,
                                  Function::bit_and, Function::bit_or, Function::bit_xor};
    for (const bool in_registers : {true, false})
        for (const Function f : functions) {
            CAPTURE(name(f), in_registers);
            Kernel k("functions", machines::sm90);
            const auto A = k.input("A", {2, 32}, i32), C = k.output("C", {2, 32}, i32);
            k.cta(
                tiles(2, 1), {{2}, false},
                [&](Scope cta, const Tile& t) {
                    const auto s = cta.alloc(Role::shared, {32}, i32, {}, "s"), d = cta.alloc(Role::shared, {32}, i32, {}, "d");
                    const auto r = cta.alloc(Role::registers, {32}, i32, lanes, "r");
                    cta.mbarrier(init(0, 1)).mbarrier(expect(0, peer_bytes)).copy(r, A(t.rank, all)).copy(s, r).copy(d, r);
                    cta.proxy_fence().cluster_sync();
                    Options options;
                    options.async = true;
                    options.completes_on = 0;
                    cta.atomic(f, d.of_block(Affine(1) - t.rank), in_registers ? r : s, options);
                    cta.mbarrier(wait_for(0, 0)).copy(C(t.rank, all), d).cluster_sync();
                },
                1);
            const auto value = [](std::int64_t i) { return static_cast<int>(i * 37 % 64 - (i < 32 ? 20 : 0)); };
            const Program program = k.program().value();
            const Found found = find(program, inputs_of(program, {{"A", [&](std::int64_t i) { return double{0} + value(i); }}}));
            INFO(found.text);
            REQUIRE(found.ended());
            for (std::int64_t i = 0; i < 64; ++i) {
                const int x = value(i), y = value((i + 32) % 64);
                const int want = f == Function::add       ? x + y
                                 : f == Function::min     ? std::min(x, y)
                                 : f == Function::max     ? std::max(x, y)
                                 : f == Function::bit_and ? x & y
                                 : f == Function::bit_or  ? x | y
                                                          : x ^ y;
                REQUIRE(found.outputs.find("C")->at(i) == want);
            }
        }
}
