// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <catch.hpp>
#include <tests/examples/device_pieces.hpp>

#include <cstring>
#include <optional>
#include <string>

/// The matrix products over devices that signal each other tile by tile: right on any number of devices, with any one slow, several times in a
/// row; and each of their flags and barriers is missed.
namespace {

using namespace axe;
using namespace device_pieces;
using sim::FaultKind;

struct DeviceGemm {
    const examples::Example* example;
    const char* form; ///< null: it has one
    bool in_network;  ///< then on machines that have that, and over no link
    /// Bytes between devices in one launch.
    std::int64_t (*bytes)(std::int64_t devices, std::int64_t M, std::int64_t N, std::int64_t K);
    [[nodiscard]] bool has_queue() const { return form != nullptr && std::string(form).rfind("queue", 0) == 0; }
    [[nodiscard]] bool gathers() const { return example == &examples::all_gather_gemm; }
    [[nodiscard]] Values values(std::int64_t M, std::int64_t N, std::int64_t K, int launches) const
    {
        Values out{
            {"M", std::to_string(M)}, {"N", std::to_string(N)}, {"K", std::to_string(K)}, {"launches", std::to_string(launches)}};
        if (form != nullptr) out.emplace_back("form", form);
        return out;
    }
    [[nodiscard]] std::vector<const char*> machines() const
    {
        return in_network ? std::vector<const char*>{"sm90"} : std::vector<const char*>{"sm80", "sm90"};
    }
};
using DeviceInt = std::int64_t;
const DeviceGemm device_gemms[] = {
    // The owner of a tile reads the terms of all others, or what the network makes of them.
    {&examples::gemm_reduce_scatter, "fused", false,
     [](DeviceInt W, DeviceInt M, DeviceInt N, DeviceInt) { return (W - 1) * M * N * 2; }},
    {&examples::gemm_reduce_scatter, "network", true,
     [](DeviceInt W, DeviceInt M, DeviceInt N, DeviceInt) { return W > 1 ? M * N * 2 : 0; }},
    {&examples::gemm_reduce_scatter, "queue", false,
     [](DeviceInt W, DeviceInt M, DeviceInt N, DeviceInt) { return (W - 1) * M * N * 2; }},
    {&examples::gemm_reduce_scatter, "queue_network", true,
     [](DeviceInt W, DeviceInt M, DeviceInt N, DeviceInt) { return W > 1 ? M * N * 2 : 0; }},
    // And puts the sums into the memory of all others.
    {&examples::gemm_all_reduce, "peers", false,
     [](DeviceInt W, DeviceInt M, DeviceInt N, DeviceInt) { return 2 * (W - 1) * M * N * 2; }},
    {&examples::gemm_all_reduce, "network", true,
     [](DeviceInt W, DeviceInt M, DeviceInt N, DeviceInt) { return W > 1 ? 2 * M * N * 2 : 0; }},
    // All others get each row of A.
    {&examples::all_gather_gemm, nullptr, false,
     [](DeviceInt W, DeviceInt M, DeviceInt, DeviceInt K) { return (W - 1) * M * K * 2; }},
};

} // namespace

TEST_CASE("gemms over devices: right on 1, 2, 4 and 8 devices, in orders, with one block at a time, over the links by the equation")
{
    for (const DeviceGemm& g : device_gemms)
        for (const int devices : {1, 2, 4, 8})
            for (const char* machine : g.machines()) {
                const bool gathers = g.gathers();
                const std::int64_t M = 64 * devices, N = gathers ? 64 * devices : 70, K = gathers ? 70 : 32 * devices;
                const int launches = devices == 2 ? 3 : 1;
                const auto setting = setting_of(*g.example, machine, devices, g.values(M, N, K, launches));
                for (const sim::RunOrder order : sim::all_run_orders)
                    for (const int resident : {0, 1}) {
                        if (devices != 2 && order != sim::RunOrder::reversed) continue;
                        sim::RunOptions options;
                        options.order = order;
                        options.resident = resident;
                        const auto done = examples::perform(*g.example, setting, options);
                        CAPTURE(g.example->name, devices, machine, name(order), resident);
                        INFO((done ? done->report.fault.text : done.error().text));
                        REQUIRE(done);
                        REQUIRE(done->ok());
                        CHECK(std::string(done->verification.word()) == "right");
                        CHECK(done->report.total.link_bytes == launches * g.bytes(devices, M, N, K));
                        if (g.in_network) CHECK(done->report.total.links.empty());
                        for (int a = 0; a < devices; ++a)
                            for (int b = 0; b < devices; ++b)
                                if (a != b && !g.in_network)
                                    CHECK(done->report.total.links.at({a, b}) ==
                                          launches * g.bytes(devices, M, N, K) / devices / (devices - 1));
                    }
            }
}

TEST_CASE("gemms over devices: a device that is slow changes nothing, nor do turns")
{
    for (const DeviceGemm& g : device_gemms) {
        const int devices = 4;
        const auto setting = setting_of(*g.example, g.machines().front(), devices, g.values(256, g.gathers() ? 256 : 64, 128, 2));
        const Program program = g.example->build(setting).value();
        const Bindings inputs = g.example->inputs(setting, program).value();
        const auto wanted = sim::run(lower(program).value().program, inputs).value();
        REQUIRE(wanted.ok());
        for (int slow = 0; slow < devices; ++slow) {
            const Program late = lower(slowed(program, slow, 40)).value().program;
            for (const std::int64_t quantum : {1, 3, 50})
                for (const int resident : {1, 2, 0}) {
                    sim::RunOptions options;
                    options.quantum = quantum;
                    options.resident = resident;
                    const auto report = sim::run(late, inputs, options).value();
                    CAPTURE(g.example->name, slow, quantum, resident);
                    INFO(report.fault.text);
                    REQUIRE(report.ok());
                    const Array &c = *report.outputs.find("C"), &of = *wanted.outputs.find("C");
                    CHECK(std::memcmp(c.data(), of.data(), static_cast<std::size_t>(c.size_bytes())) == 0);
                }
        }
    }
}

namespace {

/// Two tiles of rows and two steps of K for each of two devices, two launches; what comes last of gemm_all_reduce is read, as a kernel behind
/// it would.
struct Taken {
    Program program;
    Bindings inputs;
};
Taken device_gemm_to_take_apart(const DeviceGemm& g, const char* machine)
{
    const auto setting = setting_of(*g.example, machine, 2, g.values(256, g.gathers() ? 128 : 64, g.gathers() ? 64 : 128, 2));
    Taken out{g.example->build(setting).value(), {}};
    out.inputs = g.example->inputs(setting, out.program).value();
    if (g.example == &examples::gemm_all_reduce) out.program = with_readers(std::move(out.program), "C");
    CHECK_FALSE(fault_of(out.program, out.inputs).found());
    return out;
}

} // namespace

TEST_CASE("gemms over devices: each signal that is lost is a deadlock, each wait, order and scope that is missing a race")
{
    for (const DeviceGemm& g : device_gemms) {
        if (g.has_queue()) continue; // below
        const auto [program, inputs] = device_gemm_to_take_apart(g, g.machines().front());
        int found = 0;
        for (const bool signals : {true, false})
            for (const int statement : numbers_of(program, signals ? is_signal : is_wait)) {
                CAPTURE(g.example->name, g.in_network, signals, statement);
                const auto is_race = [&](const Program& changed) {
                    const sim::Fault fault = fault_of(changed, inputs);
                    INFO(fault.text);
                    CHECK((fault.kind == FaultKind::race || fault.kind == FaultKind::uninitialized));
                };
                const sim::Fault lost = fault_of(without(program, statement), inputs);
                INFO(lost.text);
                if (signals) {
                    CHECK(lost.kind == FaultKind::deadlock);
                    CHECK(lost.text.find("; device 1, block (") != std::string::npos); // what each device waits for
                    CHECK(lost.text.find("and no agent that can continue changes it") != std::string::npos);
                } else {
                    CHECK((lost.kind == FaultKind::race || lost.kind == FaultKind::uninitialized));
                }
                is_race(with_flag(program, statement, [](Flag& f) { f.order = MemoryOrder::relaxed; }));
                is_race(with_flag(program, statement, [](Flag& f) { f.within = Within::device; }));
                // The flag of another device, as if it were the own one.
                bool is_remote = false;
                const Program plain = with_flag(program, statement, [&](Flag& f) {
                    is_remote = f.element.remote;
                    f.element.device.reset(), f.element.remote = false;
                });
                if (is_remote) CHECK(fault_of(plain, inputs).kind == FaultKind::wrong_owner);
                ++found;
            }
        CHECK(found >= 6);
    }
}

TEST_CASE("gemms over devices: each barrier is missed")
{
    for (const DeviceGemm& g : device_gemms)
        for (const char* machine : g.machines()) {
            const auto [program, inputs] = device_gemm_to_take_apart(g, machine);
            int missed = 0, stays = 0;
            for (const int statement : numbers_of(program, is_meeting)) {
                CAPTURE(g.example->name, g.in_network, machine, statement);
                const sim::Fault fault = fault_of(without(program, statement), inputs);
                INFO(fault.text);
                CHECK((!fault.found() || fault.kind == FaultKind::race || fault.kind == FaultKind::uninitialized));
                ++(fault.found() ? missed : stays);
            }
            CHECK(missed >= 5);
            // On sm90 a wait for a product of warpgroups is one for all warps: the barrier behind the product, one in each launch.
            CHECK(stays == (std::string(machine) == "sm90" ? 2 : 0));
        }
}

namespace {

/// How a queue with a change is found: the kind of fault that a run ends in, where one of the devices is slow, a little or much; or "none".
std::string queue_fault(const Program& program, const Bindings& inputs)
{
    for (const auto& [slow, steps] : {std::pair{1, 30}, {0, 30}, {1, 300}, {0, 300}}) {
        sim::RunOptions options;
        options.quantum = 1;
        options.most_steps = 1'000'000;
        const sim::Fault fault = fault_of(slowed(program, slow, steps), inputs, options);
        if (fault.found()) return sim::name(fault.kind);
    }
    return "none";
}

} // namespace

TEST_CASE("gemm_reduce_scatter with a queue: right whatever the number of blocks, in all orders, twice in a row")
{
    for (const auto& [blocks, form] :
         {std::pair("1", "queue"), {"2", "queue"}, {"20", "queue"}, {"1", "queue_network"}, {"3", "queue_network"}})
        for (const sim::RunOrder order : sim::all_run_orders) {
            const auto setting =
                setting_of(examples::gemm_reduce_scatter, "sm90", 2,
                           {{"M", "256"}, {"N", "128"}, {"K", "64"}, {"form", form}, {"blocks", blocks}, {"launches", "2"}});
            sim::RunOptions options;
            options.order = order;
            const auto done = examples::perform(examples::gemm_reduce_scatter, setting, options);
            CAPTURE(blocks, form, name(order));
            INFO((done ? done->report.fault.text : done.error().text));
            REQUIRE(done);
            CHECK(done->ok());
        }
}

TEST_CASE("gemm_reduce_scatter with a queue: each of its flags is missed, and each order and scope that is needed")
{
    for (const bool in_network : {false, true}) {
        const auto setting = setting_of(
            examples::gemm_reduce_scatter, in_network ? "sm90" : "sm80", 2,
            {{"M", "256"}, {"N", "128"}, {"K", "64"}, {"form", in_network ? "queue_network" : "queue"}, {"blocks", "3"}});
        const Program program = examples::gemm_reduce_scatter.build(setting).value();
        const Bindings inputs = examples::gemm_reduce_scatter.inputs(setting, program).value();
        CHECK(queue_fault(program, inputs) == "none");
        std::string texts;
        for (const int statement : numbers_of(program, [](const Statement& s) { return std::holds_alternative<Flag>(s.what); })) {
            std::optional<Flag> flag;
            for_each_statement(program.body, [&](const Statement& s) {
                if (s.id == statement) flag = std::get<Flag>(s.what);
                return flag.has_value();
            });
            const bool adds = flag->action == Flag::Action::add, stores = flag->action == Flag::Action::store;
            texts += program.tensors[static_cast<std::size_t>(flag->element.tensor)].name +
                     (adds     ? " add"
                      : stores ? " set"
                               : " wait") +
                     ": " + queue_fault(without(program, statement), inputs);
            if (flag->order != MemoryOrder::relaxed)
                texts += ", relaxed " +
                         queue_fault(with_flag(program, statement, [](Flag& f) { f.order = MemoryOrder::relaxed; }), inputs);
            if (flag->within != Within::device)
                texts +=
                    ", device " + queue_fault(with_flag(program, statement, [](Flag& f) { f.within = Within::device; }), inputs);
            texts += "\n";
        }
        // Without the first look at an entry sums come only when no product is left.
        CHECK(texts == "head add: out of bounds\n"
                       "entries add: none, relaxed race, device race\n"
                       "next add: race\n"
                       "entries wait: uninitialized, device race\n"
                       "entries add: uninitialized, relaxed race, device race\n"
                       "arrived add: deadlock, relaxed race, device race\n"
                       "tail add: deadlock, device race\n"
                       "entries set: deadlock, relaxed race, device race\n");
    }
}
