// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/catch.hpp>

#include <axe/kernels.hpp>
#include <axe/program/shares.hpp>
#include <axe/sim/report/watch.hpp>
#include <tests/one_block.hpp>
#include <tests/required.hpp>
#include <tests/turns.hpp>
#include <tests/unit/sim/arrays.hpp>

/// Blocks that access the memory of other devices.

using namespace axe;
using namespace axe::literals;
using enum DType;
using sim::FaultKind;

namespace {

using Int = std::int64_t;
constexpr Int ring_row = 64; // elements that a device has of a ring's tensors
constexpr Axis remote_axis{"gpuid"};

Machine remote_machine(Int devices) { return mesh(machines::sm90, Shape{devices}).value(); }
/// Rows in turn: row d on device d.
Layout remote_rows(Int devices, Int elements) { return Layout{{{devices, 1, remote_axis}, {elements, 1}}, {}, {}}; }
/// A copy on each device.
Layout remote_copies(Int devices, Int elements) { return Layout{{{elements, 1}}, {{devices, 1, remote_axis}}, {}}; }

/// On one device alone.
Layout remote_on_one(Int device)
{
    Layout out{{{ring_row, 1}}, {}, {}};
    if (device > 0) out.offset = {{remote_axis, device}};
    return out;
}

sim::Report run_remote(const Program& program, const Bindings& inputs, const sim::RunOptions& options = {})
{
    for (const Problem& p : validate(program)) FAIL(p.text);
    const auto lowered = required(lower(program));
    for (const Problem& p : validate(lowered->program)) FAIL(p.text);
    auto report = required(sim::run(lowered->program, inputs, options));
    return std::move(*report);
}
sim::Report run_remote(const Kernel& k, const Bindings& inputs)
{
    const auto program = required(k.program());
    return run_remote(*program, inputs);
}
Expression remote_number(Int n) { return Expression(Affine(n)); }
bool remote_says(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

enum class DeviceRingSlip {
    none,
    no_wait,
    no_signal,
    relaxed_signal,
    relaxed_wait,
    device_signal,
    device_wait,
    early_signal,
    slow,
};

/// A ring in which each device sends its row of A on to the next one, by a put or by a get, `turns` times, and leaves what has come in C.
/// Two slots of B take turns, so that a row is not overwritten before it is read: that is known of the neighbor after two turns.
struct DeviceRing {
    Int devices = 2;
    bool gets = false;
    Int turns = 1;
    DeviceRingSlip slip = DeviceRingSlip::none;
    Int who = 0; ///< the device of the slip
};
Program device_ring(const DeviceRing& s)
{
    const Int W = s.devices;
    Kernel k("ring", remote_machine(W));
    const auto A = k.input("A", {W, ring_row}, f32, remote_rows(W, ring_row)),
               C = k.output("C", {W, ring_row}, f32, remote_rows(W, ring_row));
    const auto flags = k.inout("flags", {W, 2}, i32, remote_rows(W, 2));
    const auto B = k.alloc(Role::global, {W, 2, ring_row}, f32, Layout{{{W, 1, remote_axis}, {2 * ring_row, 1}}, {}, {}}, "B");
    const auto scratch = k.alloc(Role::global, {W, ring_row}, f32, remote_rows(W, ring_row), "scratch");
    const Affine d = k.device();
    one_block(k, 1, [&](Scope cta) {
        const auto r = cta.alloc(Role::registers, {ring_row}, f32, "(2,32):(1@reg,1@lane)"_axe, "r");
        const Affine next = cta.index(floor_mod(Expression(d) + 1, remote_number(W)), 0, W, "next"),
                     last = cta.index(floor_mod(Expression(d) + remote_number(W - 1), remote_number(W)), 0, W, "last");
        const auto unless = [&](DeviceRingSlip slip, const std::function<void(bool)>& body) {
            if (s.slip != slip) return body(false);
            cta.when(equals(d, remote_number(s.who)), [&] { body(true); }, [&] { body(false); });
        };
        if (s.slip == DeviceRingSlip::slow)
            cta.when(equals(d, remote_number(s.who)),
                     [&] { cta.loop(0, 50, 1, [&](const Affine&) { cta.fill(scratch(d, all), 1); }); });
        cta.copy(r, A(d, all));
        for (Int t = 0; t < s.turns; ++t) {
            const Int slot = t % 2;
            // flags(i, 0): rows that have come to device i (put), or that it offers (get); flags(i, 1): those that were taken.
            const auto signal = [&] {
                unless(DeviceRingSlip::no_signal, [&](bool slips) {
                    if (slips) return;
                    unless(DeviceRingSlip::relaxed_signal, [&](bool relaxed) {
                        unless(DeviceRingSlip::device_signal, [&](bool narrow) {
                            cta.set_flag(s.gets ? flags(d, 0) : flags.remote()(next, 0), remote_number(t + 1),
                                         relaxed ? MemoryOrder::relaxed : MemoryOrder::release,
                                         narrow ? Within::device : Within::system);
                        });
                    });
                });
            };
            const auto put = [&] {
                // The slot is free when its reader has said so.
                if (t >= 2)
                    cta.wait_at_least(s.gets ? flags(d, 1) : flags.remote()(next, 1), remote_number(t - 1), MemoryOrder::acquire,
                                      Within::system);
                cta.copy(s.gets ? B(d, slot, all) : B.remote()(next, slot, all), r);
            };
            unless(DeviceRingSlip::early_signal, [&](bool slips) {
                if (slips) signal();
                put();
                if (!slips) signal();
            });
            unless(DeviceRingSlip::no_wait, [&](bool slips) {
                if (slips) return;
                unless(DeviceRingSlip::relaxed_wait, [&](bool relaxed) {
                    unless(DeviceRingSlip::device_wait, [&](bool narrow) {
                        cta.wait_at_least(s.gets ? flags.remote()(last, 0) : flags(d, 0), remote_number(t + 1),
                                          relaxed ? MemoryOrder::relaxed : MemoryOrder::acquire,
                                          narrow ? Within::device : Within::system);
                    });
                });
            });
            cta.copy(r, s.gets ? B.remote(last)(last, slot, all) : B(d, slot, all));
            cta.set_flag(s.gets ? flags.remote()(last, 1) : flags(d, 1), remote_number(t + 1), MemoryOrder::release,
                         Within::system);
        }
        cta.copy(C(d, all), r);
    });
    return k.program().value();
}
Bindings device_ring_inputs(const DeviceRing& s)
{
    Bindings in;
    in.set("A", arrays::counting({s.devices, ring_row}, f32)).set("flags", Array::make({s.devices, 2}, i32).value());
    return in;
}
/// Is row d of C the row of A from `turns` devices before?
bool is_device_ring_right(const DeviceRing& s, const Array& c)
{
    for (Int i = 0; i < c.size(); ++i) {
        const Int from = ((i / ring_row - s.turns) % s.devices + s.devices) % s.devices;
        if (c.at(i) != static_cast<double>(from * ring_row + i % ring_row)) return false;
    }
    return true;
}

} // namespace

TEST_CASE("remote: a ring of 2, 4 and 8 devices by put and by get, in all orders, on any number of threads", "[sim][remote]")
{
    for (const Int devices : {2, 4, 8})
        for (const bool gets : {false, true})
            for (const DeviceRingSlip slip : {DeviceRingSlip::none, DeviceRingSlip::slow}) {
                const DeviceRing s{devices, gets, 3, slip, devices - 1};
                CAPTURE(devices, gets);
                const Program k = device_ring(s);
                const sim::Report in_order = run_remote(k, device_ring_inputs(s));
                const Array& first = *in_order.outputs.find("C");
                CHECK(is_device_ring_right(s, first));
                const Program lowered = lower(k).value().program;
                const auto is_same = [&](const sim::RunOptions& options) {
                    const auto report = without_fault(sim::run(lowered, device_ring_inputs(s), options).value());
                    CHECK(std::memcmp(report.outputs.find("C")->data(), first.data(),
                                      static_cast<std::size_t>(first.size_bytes())) == 0);
                };
                if (slip == DeviceRingSlip::none) turns::each(is_same);
                for (const int threads : {1, 2, 5}) {
                    sim::RunOptions options;
                    options.threads = threads;
                    for (const sim::Level level : {sim::Level::full, sim::Level::fast}) {
                        options.level = level;
                        is_same(options);
                    }
                }
            }
}

TEST_CASE("remote: bytes of each link of a ring", "[sim][remote]")
{
    for (const Int devices : {2, 4, 8})
        for (const bool gets : {false, true}) {
            const DeviceRing s{devices, gets, 3};
            const sim::Report report = run_remote(device_ring(s), device_ring_inputs(s));
            CHECK(report.total.link_bytes == devices * 3 * ring_row * 4);
            CHECK(report.total.links.size() == static_cast<std::size_t>(devices));
            for (int d = 0; d < static_cast<int>(devices); ++d) // whoever asks for them, they go to the next device
                CHECK(report.total.links.at({d, (d + 1) % static_cast<int>(devices)}) == 3 * ring_row * 4);
        }
}

TEST_CASE("remote: what a ring lacks is found in all orders, and told with device, block and agent", "[sim][remote]")
{
    struct Defect {
        DeviceRingSlip slip;
        FaultKind kind;
    };
    for (const Int devices : {2, 4})
        for (const bool gets : {false, true})
            for (const auto& [slip, kind] :
                 {Defect{DeviceRingSlip::no_wait, FaultKind::race}, Defect{DeviceRingSlip::relaxed_signal, FaultKind::race},
                  Defect{DeviceRingSlip::relaxed_wait, FaultKind::race}, Defect{DeviceRingSlip::device_signal, FaultKind::race},
                  Defect{DeviceRingSlip::device_wait, FaultKind::race}, Defect{DeviceRingSlip::early_signal, FaultKind::race},
                  Defect{DeviceRingSlip::no_signal, FaultKind::deadlock}}) {
                const DeviceRing s{devices, gets, 1, slip, 1};
                const Program lowered = lower(device_ring(s)).value().program;
                turns::each([&](const sim::RunOptions& options) {
                    const auto report = sim::run(lowered, device_ring_inputs(s), options).value();
                    CAPTURE(devices, gets, static_cast<int>(slip));
                    INFO(report.fault.text);
                    // A read before the write is one of what nobody has written.
                    const bool is_early = report.fault.kind == FaultKind::uninitialized &&
                                          (slip == DeviceRingSlip::no_wait || slip == DeviceRingSlip::early_signal);
                    CHECK((report.fault.kind == kind || is_early));
                    CHECK(remote_says(report.fault.text, ", device "));
                    if (report.fault.kind == FaultKind::race)
                        CHECK(remote_says(report.fault.text, " of agent 0 of block (0) of device "));
                });
            }
}

TEST_CASE("remote: a signal that is lost is a deadlock with what each device waits for", "[sim][remote]")
{
    const DeviceRing s{2, false, 3, DeviceRingSlip::no_signal, 1};
    const sim::Report report = run_remote(device_ring(s), device_ring_inputs(s));
    INFO(report.fault.text);
    CHECK(report.fault.kind == FaultKind::deadlock);
    CHECK(remote_says(report.fault.text, "device 0, block (0): no agent can continue: agent 0 waits in statement"));
    CHECK(remote_says(report.fault.text,
                      "until element (0,0) of flags on device 0 is at least 1; it is 0, and no agent that can continue"));
    CHECK(remote_says(report.fault.text, "; device 1, block (0): agent 0 waits in statement"));
    CHECK(remote_says(report.fault.text, "until element (1,0) of flags on device 1 is at least 2; it is 1"));
}

// ---- all-gather ---------------------------------------------------------------------------------------------------------------

namespace {

enum class DeviceGatherSlip { none, one_less, no_ack };

/// In the kernel, several times in a row: each device puts its part of A to all, own part first, and counts up their flags. With an
/// acknowledgment a device puts the next parts when all have taken the last ones.
Program all_gather_kernel(Int W, Int blocks, Int launches, DeviceGatherSlip slip)
{
    Kernel k("all_gather", remote_machine(W));
    const auto A = k.input("A", {W, blocks, ring_row}, f32, remote_rows(W, blocks * ring_row));
    const auto C = k.output("C", {W, W, blocks, ring_row}, f32, remote_rows(W, W * blocks * ring_row));
    const auto flags = k.inout("flags", {W, blocks, 2}, i32, remote_rows(W, 2 * blocks));
    const auto G = k.alloc(Role::global, {W, blocks, ring_row}, f32, remote_copies(W, W * blocks * ring_row), "G");
    const Affine d = k.device();
    for (Int launch = 0; launch < launches; ++launch)
        k.cta(
            tiles(blocks, 1),
            [&](Scope cta, const Tile& t) {
                const Affine b = t.index[0];
                const auto r = cta.alloc(Role::registers, {ring_row}, f32, "(2,32):(1@reg,1@lane)"_axe, "r");
                cta.copy(r, A(d, b, all));
                cta.loop(0, W, 1, [&](const Affine& step) {
                    const Affine peer = cta.index(floor_mod(Expression(d) + Expression(step), remote_number(W)), 0, W, "peer");
                    if (launch > 0 && slip != DeviceGatherSlip::no_ack)
                        cta.wait_at_least(flags.remote()(peer, b, 1), remote_number(launch), MemoryOrder::acquire, Within::system);
                    cta.copy(G.remote(peer)(d, b, all), r);
                    cta.add_to_flag(flags.remote()(peer, b, 0), 1, MemoryOrder::release, Within::system);
                });
                const Int wanted = (launch + 1) * W + (slip == DeviceGatherSlip::one_less ? -1 : 0);
                cta.wait_at_least(flags(d, b, 0), remote_number(wanted), MemoryOrder::acquire, Within::system);
                cta.loop(0, W, 1, [&](const Affine& from) { cta.copy(r, G(from, b, all)).copy(C(d, from, b, all), r); });
                cta.set_flag(flags(d, b, 1), remote_number(launch + 1), MemoryOrder::release, Within::system);
            },
            1);
    return k.program().value();
}
Bindings all_gather_inputs(Int W, Int blocks)
{
    Bindings in;
    in.set("A", arrays::counting({W, blocks, ring_row}, f32)).set("flags", Array::make({W, blocks, 2}, i32).value());
    return in;
}

} // namespace

TEST_CASE("remote: an all-gather in the kernel, one and three in a row, on 2, 4 and 8 devices", "[sim][remote]")
{
    for (const Int W : {2, 4, 8})
        for (const Int launches : {1, 3}) {
            const Int blocks = 3;
            CAPTURE(W, launches);
            const Program lowered = lower(all_gather_kernel(W, blocks, launches, DeviceGatherSlip::none)).value().program;
            const auto check = [&](const sim::RunOptions& options) {
                const auto report = without_fault(sim::run(lowered, all_gather_inputs(W, blocks), options).value());
                const Array& c = *report.outputs.find("C");
                Int wrong = 0;
                for (Int i = 0; i < c.size(); ++i) wrong += c.at(i) != static_cast<double>(i % (W * blocks * ring_row)) ? 1 : 0;
                CHECK(wrong == 0);
                CHECK(report.total.link_bytes == launches * W * (W - 1) * blocks * ring_row * 4);
                for (int a = 0; a < static_cast<int>(W); ++a)
                    for (int b = 0; b < static_cast<int>(W); ++b)
                        if (a != b) CHECK(report.total.links.at({a, b}) == launches * blocks * ring_row * 4);
            };
            if (W <= 4)
                turns::each(check);
            else
                check({});
        }
}

TEST_CASE("remote: an all-gather that waits for one part too few, or overwrites parts that are not taken, is a race",
          "[sim][remote]")
{
    for (const DeviceGatherSlip slip : {DeviceGatherSlip::one_less, DeviceGatherSlip::no_ack}) {
        const Int W = 4, blocks = 2;
        const Program lowered = lower(all_gather_kernel(W, blocks, 2, slip)).value().program;
        turns::each([&](const sim::RunOptions& options) {
            const auto report = sim::run(lowered, all_gather_inputs(W, blocks), options).value();
            INFO(report.fault.text);
            // Devices in step have all signaled when one looks: its wait has seen all parts. Else the last one may not have come at all.
            const bool is_lucky = slip == DeviceGatherSlip::one_less && options.quantum > 0 && report.ok();
            const bool is_early = slip == DeviceGatherSlip::one_less && report.fault.kind == FaultKind::uninitialized;
            CHECK((report.fault.kind == FaultKind::race || is_early || is_lucky));
        });
    }
}

// ---- tiles over the shares of several devices ---------------------------------------------------------------------------------

TEST_CASE("remote: random tiles over the shares of several devices, read and written, are the elements that they are",
          "[sim][remote]")
{
    laws::Random r(71);
    for (int i = 0; i < laws::cases(60); ++i) {
        const Int devices = r.in(1, 4), share = r.in(1, 6), inner = r.in(1, 2), columns = 8 * r.in(1, 3);
        const Int rows = inner * devices * share, tile = r.in(1, 7), step = r.in(1, tile), count = r.in(1, 3), begin = r.in(0, 5);
        const bool by_columns = r.one_in(3), writes = r.one_in(2);
        // Blocks of `share` rows in turn; or columns in `devices` parts.
        const Layout by_rows{{{inner, share * columns}, {devices, 1, remote_axis}, {share * columns, 1}}, {}, {}};
        const Layout parts{{{rows, columns}, {devices, 1, remote_axis}, {columns, 1}}, {}, {}};
        const Int width = by_columns ? devices * columns : columns;
        const auto device_of = [&](Int y, Int x) { return by_columns ? x / columns : y / share % devices; };
        Kernel k("tiles", remote_machine(devices));
        const auto A = k.inout("A", {rows, width}, f32, by_columns ? parts : by_rows);
        const auto C = k.inout("C", {devices, count, tile, width}, f32, remote_rows(devices, count * tile * width));
        const Affine d = k.device();
        one_block(k, 1, [&](Scope cta) {
            const auto s = cta.alloc(Role::shared, {tile, width}, f32, {}, "s");
            cta.loop(0, count, 1, [&](const Affine& n) {
                const auto box = A.remote()(Interval(step * n + begin, tile), all).guarded();
                cta.copy(s, writes ? C(d, n, all, all) : box).sync();
                if (!writes) cta.copy(C(d, n, all, all), s).sync();
                if (writes) cta.when(equals(d, 0), [&] { cta.copy(box, s); }).sync();
            });
        });
        Bindings in;
        in.set("A", arrays::counting({rows, width}, f32));
        Array c = arrays::counting({devices, count, tile, width}, f32);
        for (Int e = 0; e < c.size(); ++e) c.set(e, c.at(e) + 100000);
        in.set("C", std::move(c));
        CAPTURE(i, devices, share, inner, rows, width, tile, step, count, begin, by_columns, writes);
        const sim::Report report = without_fault(run_remote(k, in));
        std::vector<double> wanted(static_cast<std::size_t>(rows * width));
        for (std::size_t e = 0; e < wanted.size(); ++e) wanted[e] = static_cast<double>(e);
        Int bytes = 0, wrong = 0;
        for (Int on = 0; on < devices; ++on)
            for (Int n = 0; n < count; ++n)
                for (Int y = 0; y < tile; ++y)
                    for (Int x = 0; x < width; ++x) {
                        const Int at = step * n + begin + y, e = ((on * count + n) * tile + y) * width + x;
                        if (!writes && report.outputs.find("C")->at(e) != (at < rows ? static_cast<double>(at * width + x) : 0.0))
                            ++wrong;
                        if (at >= rows || (writes && on > 0)) continue;
                        bytes += device_of(at, x) != on ? 4 : 0;
                        if (writes) wanted[static_cast<std::size_t>(at * width + x)] = static_cast<double>(e + 100000);
                    }
        for (std::size_t e = 0; e < wanted.size(); ++e)
            wrong += report.outputs.find("A")->at(static_cast<Int>(e)) != wanted[e] ? 1 : 0;
        CHECK(wrong == 0);
        CHECK(report.total.link_bytes == bytes);
    }
}

// ---- other operators ------------------------------------------------------------------------------------------------------------

TEST_CASE("remote: atomic operators, gather and scatter, conditions and fills of another device's memory", "[sim][remote]")
{
    for (const Int W : {1, 2, 4}) {
        Kernel k("others", remote_machine(W));
        const auto A = k.input("A", {W, ring_row}, f32, remote_rows(W, ring_row)),
                   table = k.input("table", {W * 4, 32}, f32, remote_rows(W, 4 * 32));
        const auto sums = k.inout("sums", {ring_row}, f32, remote_on_one(W - 1)); // on the last device alone
        const auto rows = k.inout("rows", {W * 4, 32}, f32, remote_rows(W, 4 * 32)),
                   counts = k.inout("counts", {W * 4}, i32, remote_rows(W, 4));
        const auto before = k.output("before", {W, 1}, i32, remote_rows(W, 1));
        const auto I = k.input("I", {W, 1}, i32, remote_rows(W, 1));
        const auto seen = k.output("seen", {W, 32}, f32, remote_rows(W, 32)),
                   filled = k.inout("filled", {W, 32}, f32, remote_rows(W, 32));
        const auto x = k.scalar("x");
        const Affine d = k.device();
        one_block(k, 1, [&](Scope cta) {
            const auto r = cta.alloc(Role::registers, {ring_row}, f32, "(2,32):(1@reg,1@lane)"_axe, "r");
            const auto q = cta.alloc(Role::registers, {1, 32}, f32, "(1,32):(1@reg,1@lane)"_axe, "q");
            const auto one = cta.alloc(Role::registers, {1}, i32, "1:1@lane"_axe, "one"),
                       old = cta.alloc(Role::registers, {1}, i32, "1:1@lane"_axe, "old");
            const Affine next = cta.index(floor_mod(Expression(d) + 1, remote_number(W)), 0, W, "next");
            cta.copy(r, A(d, all)).atomic(Function::add, sums.remote(W - 1), r);
            cta.gather(q, table.remote(), I(d, all)).copy(seen(Interval(d, 1), all), q);
            cta.scatter(rows.remote(), I(d, all), q);
            cta.fill(one, 1).atomic_rows(Function::add, counts.remote(), I(d, all), one, old).copy(before(d, all), old);
            cta.assign(x, load(A.remote()(next, 3)));
            cta.when(equals(x, Expression(next) * remote_number(ring_row) + 3),
                     [&] { cta.fill(filled.remote(next)(next, all), 7); });
        });
        Bindings in;
        in.set("A", arrays::counting({W, ring_row}, f32)).set("table", arrays::counting({W * 4, 32}, f32));
        in.set("sums", Array::make({ring_row}, f32).value()).set("rows", Array::make({W * 4, 32}, f32).value());
        in.set("counts", Array::make({W * 4}, i32).value()).set("filled", Array::make({W, 32}, f32).value());
        Array index = Array::make({W, 1}, i32).value();
        for (Int i = 0; i < W; ++i) index.set(i, static_cast<double>((4 * i + 7) % (4 * W))); // mostly on the next device
        in.set("I", std::move(index));
        CAPTURE(W);
        const sim::Report report = without_fault(run_remote(k, in));
        for (Int i = 0; i < ring_row; ++i) {
            double sum = 0;
            for (Int on = 0; on < W; ++on) sum += static_cast<double>(on * ring_row + i);
            CHECK(report.outputs.find("sums")->at(i) == sum);
        }
        Int bytes = (W - 1) * ring_row * 4;
        for (Int on = 0; on < W; ++on) {
            const Int at = (4 * on + 7) % (4 * W);
            CHECK(report.outputs.find("seen")->at(on * 32 + 5) == static_cast<double>(at * 32 + 5));
            CHECK(report.outputs.find("rows")->at(at * 32 + 5) == static_cast<double>(at * 32 + 5));
            CHECK(report.outputs.find("counts")->at(at) == 1);
            CHECK(report.outputs.find("before")->at(on) == 0);
            CHECK(report.outputs.find("filled")->at(on * 32) == 7);
            if (W > 1) bytes += 2 * 32 * 4 + 4 + 4 + 32 * 4; // gather, scatter, the sum and what was there, fill
        }
        CHECK(report.total.link_bytes == bytes);
    }
}

TEST_CASE("remote: of all devices that want an element one gets it, and the others see who did", "[sim][remote]")
{
    for (const Int W : {1, 2, 4}) {
        // Element i of `owners`, of which each device has some, is wanted by all devices whose number is at most i; element 0 has an owner.
        Kernel k("owners", remote_machine(W));
        const auto owners = k.inout("owners", {W, 8}, i32, remote_rows(W, 8));
        const auto seen = k.output("seen", {W, W * 8}, i32, remote_rows(W, W * 8));
        const auto want = k.input("want", {W, W * 8}, i32, remote_rows(W, W * 8));
        const Affine d = k.device();
        one_block(k, 1, [&](Scope cta) {
            cta.loop(0, W, 1, [&](const Affine& on) {
                const Interval here(8 * on, 8);
                const auto me = cta.alloc(Role::registers, {8}, i32, "8:1@lane"_axe, "me"),
                           expected = cta.alloc(Role::registers, {8}, i32, "8:1@lane"_axe, "expected");
                // Who does not want it expects a number that nobody has.
                cta.iota(me, 0, 100 * d).copy(expected, want(d, here));
                const auto at = cta.alloc(Role::shared, {8}, i32, {}, "at");
                cta.iota(at, 0).sync();
                cta.compare_exchange(owners.remote(on)(on, all), at, me, expected).copy(seen(d, here), expected).sync();
            });
        });
        Bindings in;
        Array first = Array::make({W, 8}, i32).value(), wants = Array::make({W, W * 8}, i32).value();
        for (Int i = 0; i < first.size(); ++i) first.set(i, i == 0 ? 777 : -1);
        for (Int i = 0; i < wants.size(); ++i) wants.set(i, i / (W * 8) <= i % (W * 8) ? -1 : -2);
        in.set("owners", std::move(first)).set("want", std::move(wants));
        const Program program = k.program().value();
        CAPTURE(W);
        for (const sim::RunOrder order : sim::all_run_orders) {
            sim::RunOptions options;
            options.order = order;
            const sim::Report report = without_fault(run_remote(program, in, options));
            const auto verified = verify(program, in, report.outputs);
            REQUIRE(verified);
            CHECK(verified->ok());
            for (Int i = 0; i < W * 8; ++i) {
                const double has = report.outputs.find("owners")->at(i);
                int winners = 0;
                for (Int on = 0; on < W; ++on) {
                    const double saw = report.outputs.find("seen")->at(on * W * 8 + i);
                    if (i == 0) {
                        CHECK(saw == 777);
                    } else if (saw == -1 && on <= i) {
                        ++winners;
                        CHECK(has == static_cast<double>(100 * on + i % 8));
                    } else {
                        CHECK((saw == has || saw == -1));
                    }
                }
                CHECK(winners == (i == 0 ? 0 : 1));
                if (i == 0) CHECK(has == 777);
            }
            // 4 bytes of each element there, and 4 of what was there back: from and to each other device.
            CHECK(report.total.link_bytes == W * (W - 1) * 8 * 8);
        }
    }
}

// ---- what is told -----------------------------------------------------------------------------------------------------------------

namespace {

/// A block of each of two devices copies a view of A, which has a row on each, to its row of C.
sim::Fault fault_of_remote_copy(const std::function<ViewRef(const TensorRef&, const Affine&)>& view, const Layout& layout)
{
    Kernel k("copies", remote_machine(2));
    const auto A = k.inout("A", {2, ring_row}, f32, layout), C = k.output("C", {2, ring_row}, f32, remote_rows(2, ring_row));
    one_block(k, 1, [&](Scope cta) {
        const auto r = cta.alloc(Role::registers, {ring_row}, f32, "(2,32):(1@reg,1@lane)"_axe, "r");
        const Affine other = cta.index(Expression(1) - Expression(k.device()), -1, 3, "other");
        cta.copy(r, view(A, other)).copy(C(k.device(), all), r);
    });
    Bindings in;
    in.set("A", arrays::counting({2, ring_row}, f32));
    return run_remote(k, in).fault;
}
std::string problem_of_remote_copy(const std::function<ViewRef(const TensorRef&, const Affine&)>& view, const Layout& layout)
{
    Kernel k("copies", remote_machine(2));
    const auto A = k.inout("A", {2, ring_row}, f32, layout), C = k.output("C", {2, ring_row}, f32, remote_rows(2, ring_row));
    one_block(k, 1, [&](Scope cta) {
        const auto r = cta.alloc(Role::registers, {ring_row}, f32, "(2,32):(1@reg,1@lane)"_axe, "r");
        cta.copy(r, view(A, k.device())).copy(C(k.device(), all), r);
    });
    const Program p = k.program().value();
    const auto problems = validate(p);
    const auto lowered = lower(p);
    CHECK(problems.empty() == lowered.has_value());
    if (!lowered && problems.size() == 1) CHECK(problems.front().code == lowered.error().code);
    return problems.empty() ? "" : problems.front().text;
}

} // namespace

TEST_CASE("remote: a view that is not remote, one of a wrong device, and one of no device are faults", "[sim][remote]")
{
    const Layout rows = remote_rows(2, ring_row), copies = remote_copies(2, 2 * ring_row);
    CHECK_FALSE(fault_of_remote_copy([](const auto& A, const Affine& other) { return A.remote()(other, all); }, rows).found());
    CHECK_FALSE(fault_of_remote_copy([](const auto& A, const Affine& other) { return A.remote(other)(other, all); }, rows).found());
    CHECK_FALSE(fault_of_remote_copy([](const auto& A, const Affine& other) { return A.remote(other)(0, all); }, copies).found());
    const auto plain = fault_of_remote_copy([](const auto& A, const Affine& other) { return A(other, all); }, rows);
    CHECK(plain.kind == FaultKind::wrong_owner);
    CHECK(remote_says(plain.text, "element (1,0) of A, which device 1 holds, not device 0\nhint: take a remote() view"));
    const auto wrong =
        fault_of_remote_copy([](const auto& A, const Affine& other) { return A.remote(Affine(1) - other)(other, all); }, rows);
    CHECK(wrong.kind == FaultKind::wrong_owner);
    CHECK(remote_says(wrong.text, "element (1,0) of A, which device 1 holds, not device 0"));
    CHECK_FALSE(remote_says(wrong.text, "hint"));
    const auto beyond =
        fault_of_remote_copy([](const auto& A, const Affine& other) { return A.remote(2 * other)(0, all); }, copies);
    CHECK(beyond.kind == FaultKind::out_of_bounds);
    CHECK(remote_says(beyond.text, "agent 0 accesses the memory of device 2; the machine has 2"));
}

TEST_CASE("remote: validate and lower say the same of views that no block can access", "[sim][remote]")
{
    const Layout rows = remote_rows(2, ring_row), copies = remote_copies(2, 2 * ring_row);
    CHECK(problem_of_remote_copy([](const auto& A, const Affine& d) { return A.remote()(d, all); }, rows).empty());
    CHECK(remote_says(
        problem_of_remote_copy([](const auto& A, const Affine& d) { return A.remote()(d, all); }, copies),
        "A has 2 copies of each element on devices, and a remote view of it names none\nhint: name the device: remote(device)"));
    CHECK(remote_says(validate([] {
                          Kernel k("far", remote_machine(2));
                          const auto A = k.input("A", {2, ring_row}, f32, remote_rows(2, ring_row)),
                                     C = k.output("C", {2, ring_row}, f32, remote_rows(2, ring_row));
                          one_block(k, 1, [&](Scope cta) { cta.copy(C(k.device(), all), A.remote(k.device() + 2)(0, all)); });
                          return k.program().value();
                      }())
                          .front()
                          .text,
                      "is of device 3; the machine has 2"));
    Kernel shared("shared", remote_machine(2));
    one_block(shared, 1, [&](Scope cta) {
        const auto s = cta.alloc(Role::shared, {ring_row}, f32, {}, "s"), t = cta.alloc(Role::shared, {ring_row}, f32, {}, "t");
        cta.fill(s, 0).copy(t, s.remote());
    });
    CHECK(
        remote_says(lower(shared.program().value()).error().text, "s is in smem; a remote view is of a memory that devices have"));
    Kernel outside("outside", remote_machine(2));
    const auto A = outside.input("A", {2, ring_row}, f32, rows), C = outside.output("C", {2, ring_row}, f32, rows);
    outside.copy(C, A.remote());
    CHECK(remote_says(lower(outside.program().value()).error().text, "a remote view is for blocks, and this is outside a block"));
}

TEST_CASE("remote: which device has written what a device reads is told, with what is uninitialized", "[sim][remote]")
{
    for (const bool writes : {true, false}) {
        Kernel k("unordered", remote_machine(2));
        const auto C = k.output("C", {2, ring_row}, f32, remote_rows(2, ring_row));
        const auto B = k.alloc(Role::global, {2, ring_row}, f32, remote_rows(2, ring_row), "B");
        k.cta(
            tiles(2, 1),
            [&](Scope cta, const Tile& t) {
                const auto r = cta.alloc(Role::registers, {ring_row}, f32, "(2,32):(1@reg,1@lane)"_axe, "r");
                const Affine d = k.device();
                cta.fill(r, 1);
                if (writes) cta.when(equals(t.index[0], 1), [&] { cta.copy(B(d, all), r); });
                cta.when(both(equals(t.index[0], 1), equals(d, 1)), [&] { cta.copy(r, B.remote()(0, all)); });
                cta.when(equals(t.index[0], 0), [&] { cta.copy(C(d, all), r); });
            },
            1);
        const sim::Fault fault = run_remote(k, {}).fault;
        INFO(fault.text);
        CHECK(fault.kind == (writes ? FaultKind::race : FaultKind::uninitialized));
        CHECK(remote_says(fault.text, "device 1, block (1): "));
        CHECK(remote_says(fault.text, "element (0,0) of B (gmem byte 0 on device 0)"));
        if (writes) CHECK(remote_says(fault.text, "written by lane 0 of agent 0 of block (1) of device 0 in statement"));
    }
}

TEST_CASE("remote: what a block has been told of another device holds for the device's later grids, and what it did before",
          "[sim][remote]")
{
    // Device 0 writes in one grid and signals in the next; device 1 waits in one grid and reads in the next.
    for (const bool waits : {true, false}) {
        Kernel k("grids", remote_machine(2));
        const auto A = k.input("A", {2, ring_row}, f32, remote_rows(2, ring_row)),
                   C = k.output("C", {ring_row}, f32, remote_on_one(1));
        const auto B = k.alloc(Role::global, {2, ring_row}, f32, remote_rows(2, ring_row), "B");
        const auto flags = k.inout("flags", {2, 1}, i32, remote_rows(2, 1));
        const auto one = [&](const std::function<void(Scope)>& body) { one_block(k, 1, [&](Scope cta) { body(cta); }); };
        k.devices(0, 1, [&](Scope) {
            one([&](Scope cta) { cta.copy(B(0, all), A(0, all)); });
            one([&](Scope cta) { cta.set_flag(flags.remote()(1, 0), 1, MemoryOrder::release, Within::system); });
        });
        k.devices(1, 1, [&](Scope) {
            if (waits) one([&](Scope cta) { cta.wait_at_least(flags(1, 0), 1, MemoryOrder::acquire, Within::system); });
            one([&](Scope cta) { cta.copy(C, B.remote()(0, all)); });
        });
        Bindings in;
        in.set("A", arrays::counting({2, ring_row}, f32)).set("flags", Array::make({2, 1}, i32).value());
        const Program lowered = lower(k.program().value()).value().program;
        turns::each([&](const sim::RunOptions& options) {
            const auto report = sim::run(lowered, in, options).value();
            INFO(report.fault.text);
            if (waits) {
                REQUIRE(report.ok());
                CHECK(report.outputs.find("C")->at(5) == 5);
            } else {
                CHECK((report.fault.kind == FaultKind::race || report.fault.kind == FaultKind::uninitialized));
            }
        });
    }
}

TEST_CASE("remote: a watched element tells in whose memory it is", "[sim][remote]")
{
    const DeviceRing s{2, false, 1};
    std::vector<std::pair<int, int>> seen;
    sim::Watch watch;
    watch.tensor = "B";
    watch.coordinate = {1, 0, 3};
    watch.access = [&](const sim::WatchedAccess& a) { seen.emplace_back(a.device, a.memory); };
    sim::RunOptions options;
    options.watch = &watch;
    CHECK(run_remote(device_ring(s), device_ring_inputs(s), options).ok());
    CHECK(seen == std::vector<std::pair<int, int>>{{0, 1}, {1, 1}});
}

// ---- with what there was ----------------------------------------------------------------------------------------------------------

TEST_CASE("remote: collectives outside blocks and remote views are ordered by a barrier of devices, and race without",
          "[sim][remote]")
{
    for (const bool meets : {true, false}) {
        const Int W = 4;
        Kernel k("mixed", remote_machine(W));
        const auto A = k.input("A", {W, ring_row}, f32, remote_rows(W, ring_row)),
                   C = k.output("C", {W, ring_row}, f32, remote_rows(W, ring_row));
        const auto B = k.alloc(Role::global, {W, ring_row}, f32, "(4,64):(-1@gpuid,1) + 3@gpuid"_axe, "B");
        k.copy(B, A, {.schedule = "peer"});
        if (meets) k.sync();
        one_block(k, 1, [&](Scope cta) {
            const auto r = cta.alloc(Role::registers, {ring_row}, f32, "(2,32):(1@reg,1@lane)"_axe, "r");
            cta.copy(r, B.remote()(k.device(), all)).copy(C(k.device(), all), r);
        });
        Bindings in;
        in.set("A", arrays::counting({W, ring_row}, f32));
        const Program lowered = lower(k.program().value()).value().program;
        turns::each([&](const sim::RunOptions& options) {
            const auto report = sim::run(lowered, in, options).value();
            INFO(report.fault.text);
            if (!meets) {
                CHECK((report.fault.kind == FaultKind::race || report.fault.kind == FaultKind::uninitialized));
                return;
            }
            REQUIRE(report.ok());
            for (Int i = 0; i < W * ring_row; ++i) CHECK(report.outputs.find("C")->at(i) == static_cast<double>(i));
            // Device d has row 3 − d of B: it takes it from device 3 − d, and gives it back.
            for (int d = 0; d < 4; ++d) CHECK(report.total.links.at({d, 3 - d}) == 2 * ring_row * 4);
            CHECK(report.total.link_bytes == 4 * 2 * ring_row * 4);
        });
    }
}

TEST_CASE("remote: a dependent grid knows what the grid before was told from its wait on", "[sim][remote]")
{
    for (const bool waits : {true, false}) {
        Kernel k("dependent", remote_machine(2));
        const auto C = k.output("C", {ring_row}, f32, remote_on_one(1));
        const auto B = k.alloc(Role::global, {2, ring_row}, f32, remote_rows(2, ring_row), "B");
        const auto flags = k.inout("flags", {2, 1}, i32, remote_rows(2, 1));
        const auto one = [&](const std::function<void(Scope)>& first, const std::function<void(Scope)>& second) {
            one_block(k, 1, [&](Scope cta) { cta.when(equals(k.device(), 0), [&] { first(cta); }, [&] { second(cta); }); });
        };
        one([&](Scope cta) { cta.fill(B(0, all), 3).set_flag(flags.remote()(1, 0), 1, MemoryOrder::release, Within::system); },
            [&](Scope cta) { cta.wait_at_least(flags(1, 0), 1, MemoryOrder::acquire, Within::system).launch_dependents(); });
        one([&](Scope cta) { cta.wait_for_grids(); },
            [&](Scope cta) {
                if (waits) cta.wait_for_grids();
                cta.copy(C, B.remote()(0, all));
                if (!waits) cta.wait_for_grids();
            });
        k.dependent_launch();
        Bindings in;
        in.set("flags", Array::make({2, 1}, i32).value());
        const sim::Report report = run_remote(k, in);
        INFO(report.fault.text);
        CHECK(report.fault.kind == (waits ? FaultKind::none : FaultKind::race));
        if (!waits) CHECK(remote_says(report.fault.text, "written by lane 0 of agent 0 of block (0) of device 0"));
    }
}

TEST_CASE("remote: verify takes programs without flags, and those that say what they compute", "[sim][remote]")
{
    const auto reading = [](bool copies, bool states) {
        Kernel k("reads", remote_machine(2));
        const auto A = k.input("A", {2, ring_row}, f32, copies ? remote_copies(2, 2 * ring_row) : remote_rows(2, ring_row)),
                   C = k.output("C", {2, ring_row}, f32, remote_rows(2, ring_row));
        if (states) k.computes(C, relu(A));
        one_block(k, 1, [&](Scope cta) {
            const auto r = cta.alloc(Role::registers, {ring_row}, f32, "(2,32):(1@reg,1@lane)"_axe, "r");
            cta.copy(r, copies ? A.remote(Affine(1) - k.device())(k.device(), all) : A.remote()(k.device(), all));
            cta.unary(Function::relu, r, r).copy(C(k.device(), all), r);
        });
        return k.program().value();
    };
    Bindings in;
    in.set("A", arrays::counting({2, ring_row}, f32));
    for (const bool copies : {false, true})
        for (const bool states : {false, true}) {
            const Program program = reading(copies, states);
            const auto verified = verify(program, in, run_remote(program, in).outputs);
            CAPTURE(copies, states);
            if (copies && !states) {
                REQUIRE_FALSE(verified);
                CHECK(verified.error().code == errc::too_hard);
                CHECK(remote_says(verified.error().text,
                                  "A has copies on devices, and a remote view names one; state its outputs by computes()"));
                continue;
            }
            INFO((verified ? "" : verified.error().text));
            REQUIRE(verified);
            CHECK(verified->ok());
        }
}

TEST_CASE("remote: schedules decline operators that do not go over a link", "[sim][remote]")
{
    Kernel k("sums", remote_machine(2));
    const auto A = k.input("A", {2, ring_row}, f32, remote_rows(2, ring_row)),
               C = k.output("C", {2, ring_row}, f32, remote_rows(2, ring_row));
    one_block(k, 1, [&](Scope cta) {
        const auto r = cta.alloc(Role::registers, {ring_row}, f32, "(2,32):(1@reg,1@lane)"_axe, "r");
        cta.unary(Function::relu, r, A.remote()(0, all)).copy(C(k.device(), all), r);
    });
    const auto lowered = lower(k.program().value());
    REQUIRE_FALSE(lowered);
    CHECK(remote_says(lowered.error().text,
                      "A may be in the memory of another device; of instructions that go there sm90 has ld, st, atom"));
    // Queues of copies go over links between blocks' grids, and not from within a block.
    Kernel q("queue", machines::trn1);
    const auto T = q.output("T", {64}, i32), S = q.inout("S", {64}, i32);
    one_block(q, 1, [&](Scope cta) { cta.copy(T, S.remote()); });
    const auto declined = lower(q.program().value());
    REQUIRE_FALSE(declined);
    CHECK(remote_says(declined.error().text,
                      "S may be in the memory of another device; of instructions that go there trn1 has none, of those by lanes"));
}
