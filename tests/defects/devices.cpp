// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/defects/harness.hpp>

/// Several devices, each with its part or its copy of a tensor.
namespace {

using namespace defects;

Machine four()
{
    Machine m = machines::sm80;
    m.scopes[0].count = 4;
    return m;
}

constexpr Layout shard = "(4,128):(1@gpuid,1@m)"_axe;
constexpr Layout copies = "128:1@m + [4:1@gpuid]"_axe;

/// Each device runs one block.
void on_each(Kernel& k, const std::function<void(Scope, TensorRef)>& body)
{
    k.cta(tiles(1, 1), [&](Scope cta, const Tile&) { body(cta, cta.alloc(Role::registers, {128}, f32, threads, "r")); });
}

} // namespace

TEST_CASE("a device takes another device's part")
{
    Pair p{four(), {}, {{"A", counted}}, {{"C", counted}}};
    p.write = [](Kernel& k, bool defect, Marks& marks) {
        const auto A = k.input("A", {4, 128}, f32, shard), C = k.output("C", {4, 128}, f32, shard);
        on_each(k, [&](Scope cta, const TensorRef& r) {
            marks.at = next(k);
            cta.copy(r, A(defect ? 3 + -1 * k.device() : k.device(), all));
            cta.copy(C(k.device(), all), r);
        });
    };
    check_fault(p, FaultKind::wrong_owner,
                {"device 0, block (0): agent 0 accesses element (3,0) of A, which device 3 holds, not device 0"});
}

TEST_CASE("all devices write the part of one")
{
    Pair p{four(), {}, {{"A", counted}}, {{"C", counted}}};
    p.write = [](Kernel& k, bool defect, Marks& marks) {
        const auto A = k.input("A", {4, 128}, f32, shard), C = k.output("C", {4, 128}, f32, shard);
        on_each(k, [&](Scope cta, const TensorRef& r) {
            cta.copy(r, A(k.device(), all));
            marks.at = next(k);
            cta.copy(C(defect ? Affine(0) : k.device(), all), r);
        });
    };
    check_fault(p, FaultKind::wrong_owner,
                {"device 1, block (0): agent 0 accesses element (0,0) of C, which device 0 holds, not device 1"});
}

TEST_CASE("copies of an output differ from device to device")
{
    Pair p{four(), {}, {{"A", counted}, {"B", counted}}, {{"C", counted}}};
    p.write = [](Kernel& k, bool defect, Marks&) {
        const auto A = k.input("A", {4, 128}, f32, shard), B = k.input("B", {128}, f32, copies),
                   C = k.output("C", {128}, f32, copies);
        on_each(k, [&](Scope cta, const TensorRef& r) {
            cta.copy(r, defect ? A(k.device(), all) : B(all));
            cta.copy(C, r);
        });
    };
    check_fault(p, FaultKind::replica, {"element (0) of C differs between devices 0 and 1"});
}

TEST_CASE("a device leaves its copy of an output alone")
{
    Pair p{four(), {}, {{"A", counted}}, {{"C", counted}}};
    p.write = [](Kernel& k, bool defect, Marks&) {
        const auto A = k.input("A", {128}, f32, copies), C = k.output("C", {128}, f32, copies);
        k.devices(0, defect ? 3 : 4, [&](Scope) {
            on_each(k, [&](Scope cta, const TensorRef& r) {
                cta.copy(r, A);
                cta.copy(C, r);
            });
        });
    };
    check_fault(p, FaultKind::uninitialized, {"element (0) of C is an output and was never written on device 3"});
}

TEST_CASE("a device does not come to the meeting")
{
    Pair p{four(), {}, {{"A", counted}}, {{"C", counted}}};
    p.write = [](Kernel& k, bool defect, Marks& marks) {
        const auto A = k.input("A", {4, 128}, f32, shard), C = k.output("C", {4, 128}, f32, shard);
        on_each(k, [&](Scope cta, const TensorRef& r) {
            cta.copy(r, A(k.device(), all));
            cta.copy(C(k.device(), all), r);
        });
        k.when(defect ? Expression(k.device()) < 3 : Expression(1), [&] {
            marks.at = next(k);
            k.sync();
        });
    };
    check_fault(p, FaultKind::divergence, {"device 0 waits at the barrier of statement", "device 3 has ended"});
}

TEST_CASE("a device is in another meeting")
{
    Pair p{four(), {}, {{"A", counted}}, {{"A", counted}}};
    p.write = [](Kernel& k, bool defect, Marks& marks) {
        k.inout("A", {4, 128}, f32, shard);
        const auto x = k.scalar("x", 1);
        if (defect) k.devices(3, 1, [&](Scope s) { s.assign(x, 0); });
        k.when(
            x, [&] { k.sync(); },
            [&] {
                marks.at = next(k);
                k.sync();
            });
    };
    check_fault(p, FaultKind::divergence,
                {"device 0 waits at the barrier of statement", "device 3 waits at the barrier of statement"});
}

TEST_CASE("a tile spans devices")
{
    Pair p{four(), {}, {{"A", counted}}, {{"C", counted}}};
    p.write = [](Kernel& k, bool defect, Marks& marks) {
        const auto A = k.input("A", {4, 128}, f32, shard), C = k.output("C", {4, 128}, f32, shard);
        k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
            const auto r = cta.alloc(Role::registers, {2, 64}, f32, threads, "r");
            marks.at = next(k);
            for (int half = 0; half < 2; ++half) {
                cta.copy(r, defect ? A(Interval(0, 2), Interval(64 * half, 64))
                                   : A(Interval(k.device(), 1), Interval(64 * half, 64)).repeated(0, 2)(Interval(0, 2), 0, all));
                cta.copy(C(k.device(), Interval(64 * half, 64)), r(0, all));
            }
        });
    };
    check_refused(p, errc::no_layout, {"dimension 0 of A: tile [0, 2) is in the shares [0, 1) and [1, 2) of two devices"});
}

// ---- from device to device ----------------------------------------------------------------------------------------------------

namespace {

enum class Slip { no_meeting, early_overwrite, no_wait, unfinished, order };

/// Each device makes a part of X; all get all parts of it; then X is made anew.
Pair all_gather(Slip slip)
{
    Pair p{four(), {}, {{"A", counted}}, {{"C", counted}}};
    p.write = [slip](Kernel& k, bool defect, Marks& marks) {
        const auto is = [&](Slip s) { return defect && s == slip; };
        const auto A = k.input("A", {4, 128}, f32, shard), C = k.output("C", {4, 128}, f32, "512:1@m + [4:1@gpuid]"_axe);
        const auto X = k.alloc(Role::global, {4, 128}, f32, shard, "X");
        const auto Y = k.alloc(Role::global, {4, 128}, f32, "512:1@m + [4:1@gpuid]"_axe, "Y");
        int made = -1, again = -1;
        on_each(k, [&](Scope cta, const TensorRef& r) {
            cta.copy(r, A(k.device(), all));
            made = next(k);
            cta.copy(X(k.device(), all), r);
        });
        if (!is(Slip::no_meeting)) k.sync();
        const int copied = next(k);
        const bool async = slip == Slip::no_wait || slip == Slip::unfinished;
        if (async)
            k.copy_async(Y, X, {.schedule = "peer"}).commit();
        else
            k.copy(Y, X, {.schedule = "peer"});
        if (async && !is(Slip::no_wait) && !is(Slip::unfinished)) k.wait(0);
        if (!is(Slip::early_overwrite)) k.sync();
        int used = -1;
        if (!is(Slip::unfinished))
            on_each(k, [&](Scope cta, const TensorRef&) {
                const auto q = cta.alloc(Role::registers, {4, 128}, f32, "(4,4,32):(1@reg,1@warp,1@lane)"_axe, "q");
                if (slip == Slip::early_overwrite) {
                    again = next(k);
                    cta.fill(X(k.device(), all), 0);
                }
                used = next(k);
                cta.copy(q, Y);
                cta.copy(C, q);
            });
        switch (slip) {
        case Slip::no_meeting: marks = {copied, -1}; break;
        case Slip::early_overwrite: marks = {again, copied}; break;
        case Slip::no_wait: marks = {used, copied}; break;
        case Slip::unfinished: marks.at = copied; break;
        case Slip::order: break;
        }
    };
    return p;
}

} // namespace

TEST_CASE("a device reads a part that its peer has not made yet")
{
    check_fault(all_gather(Slip::no_meeting), FaultKind::race, {"of X on device"});
}

TEST_CASE("a device overwrites a part that its peers still read")
{
    check_fault(all_gather(Slip::early_overwrite), FaultKind::race,
                {"device 0, block (0): race: lane 0 of agent 0, element (0,0) of X (gmem byte 0) is written", "read by device 1"});
}

TEST_CASE("what an asynchronous peer copy brings is used before the wait")
{
    check_fault(all_gather(Slip::no_wait), FaultKind::race, {"of Y", "is read"});
}

TEST_CASE("a device ends with a peer copy under way")
{
    check_fault(all_gather(Slip::unfinished), FaultKind::async_unfinished, {"device 0: the device ends without a wait"});
}
