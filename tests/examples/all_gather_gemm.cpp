// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <catch.hpp>
#include <perform.hpp>

#include <functional>

/// The example all_gather_gemm: on any number of devices, whoever is slow; and without what its signals need.
namespace {

using namespace axe;
using sim::FaultKind;

examples::Setting gather_gemm_setting(int devices, std::int64_t rows, std::int64_t columns, std::int64_t inner,
                                      const char* machine = "sm90")
{
    auto setting = examples::setting(examples::all_gather_gemm, machine, devices,
                                     {{"M", std::to_string(rows)}, {"N", std::to_string(columns)}, {"K", std::to_string(inner)}});
    INFO(setting.error().text);
    REQUIRE(setting);
    return std::move(*setting);
}

/// The fault of the kernel after each of its flags was changed.
sim::Fault gather_gemm_fault(const std::function<void(Flag&)>& change, const std::function<bool(const Statement&)>& drops = {})
{
    const auto setting = gather_gemm_setting(2, 128, 128, 32);
    Program program = examples::all_gather_gemm.build(setting).value();
    const Bindings inputs = examples::all_gather_gemm.inputs(setting, program).value();
    const auto alter = [&](auto self, Body& body) -> void {
        rewrite(body, [&](Statement& s, Body& out) {
            for_each_body(s, [&](Body& inner) { self(self, inner); });
            if (auto* flag = std::get_if<Flag>(&s.what)) change(*flag);
            if (!drops || !drops(s)) out.push_back(std::move(s));
        });
    };
    alter(alter, program.body);
    const auto lowered = lower(program);
    INFO(lowered.error().text);
    REQUIRE(lowered);
    auto report = sim::run(lowered->program, inputs);
    INFO(report.error().text);
    REQUIRE(report);
    return report->fault;
}
bool is_gather_signal(const Statement& s)
{
    const auto* flag = std::get_if<Flag>(&s.what);
    return flag != nullptr && flag->action == Flag::Action::store;
}
bool is_gather_wait(const Statement& s) { return std::holds_alternative<Flag>(s.what) && !is_gather_signal(s); }

} // namespace

TEST_CASE("all_gather_gemm: right on 1, 2, 4 and 8 devices, in orders, with one block at a time, and over the links just once")
{
    for (const int devices : {1, 2, 4, 8})
        for (const char* machine : {"sm90", "sm80"}) {
            const std::int64_t rows = 64 * devices, columns = 64 * devices, inner = devices == 2 ? 70 : 32;
            const auto setting = gather_gemm_setting(devices, rows, columns, inner, machine);
            for (const sim::RunOrder order : sim::all_run_orders)
                for (const int resident : {0, 1}) {
                    if (devices >= 4 && order != sim::RunOrder::reversed) continue;
                    sim::RunOptions options;
                    options.order = order;
                    options.resident = resident;
                    const auto done = examples::perform(examples::all_gather_gemm, setting, options);
                    CAPTURE(devices, machine, name(order), resident);
                    INFO((done ? done->report.fault.text : done.error().text));
                    REQUIRE(done);
                    REQUIRE(done->ok());
                    CHECK(std::string(done->verification.word()) == "right");
                    CHECK(done->report.total.link_bytes == (devices - 1) * rows * inner * 2);
                    for (int a = 0; a < devices; ++a)
                        for (int b = 0; b < devices; ++b)
                            if (a != b) CHECK(done->report.total.links.at({a, b}) == rows / devices * inner * 2);
                }
        }
}

TEST_CASE("all_gather_gemm: without a signal it ends in a deadlock, without a wait, an order or a scope in a race")
{
    const auto same = [](Flag&) {};
    CHECK_FALSE(gather_gemm_fault(same).found());
    const auto lost = gather_gemm_fault(same, is_gather_signal);
    INFO(lost.text);
    CHECK(lost.kind == FaultKind::deadlock);
    CHECK(lost.text.find("device 1, block (0,0,0): agent 0 waits in statement") != std::string::npos);
    const auto early = gather_gemm_fault(same, is_gather_wait);
    CHECK(early.kind == FaultKind::race);
    CHECK(gather_gemm_fault([](Flag& f) { f.order = MemoryOrder::relaxed; }).kind == FaultKind::race);
    CHECK(gather_gemm_fault([](Flag& f) {
              if (f.action == Flag::Action::store) f.order = MemoryOrder::relaxed;
          }).kind == FaultKind::race);
    CHECK(gather_gemm_fault([](Flag& f) {
              if (f.action != Flag::Action::store) f.order = MemoryOrder::relaxed;
          }).kind == FaultKind::race);
    const auto narrow = gather_gemm_fault([](Flag& f) { f.within = Within::device; });
    INFO(narrow.text);
    CHECK(narrow.kind == FaultKind::race);
    CHECK(narrow.text.find("of ready, a flag, is accessed by agent 0 within its device and by") != std::string::npos);
    CHECK(gather_gemm_fault([](Flag& f) { f.element.device.reset(), f.element.remote = false; }).kind == FaultKind::wrong_owner);
}
