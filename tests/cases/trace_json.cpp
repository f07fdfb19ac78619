// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/sim/report/trace.hpp>
#include <axe/target/machines.hpp>
#include <nlohmann/json.hpp>
#include <tests/catch.hpp>

#include <bitset>

/// Traces as a reader of JSON finds them: Google's Trace Event Format, "Trace Event Format" of the Chromium project: complete events (X) with pid,
/// tid, ts and dur, metadata events (M) that name processes and threads.
namespace {

using namespace axe;
using nlohmann::json;

sim::Trace small()
{
    sim::Trace trace;
    trace.start(2, {{3, 4, "cp_async", "cp.async.cg.shared.global 16"}, {4, 1, "peer_copy", "ld.\"peer\"\\\t\x01"}});
    for (int d = 0; d < 2; ++d) {
        trace.begin_grid(d, 0, 2);
        trace.begin_block(d, 0);
        trace.instruction(d, 0, 0, 0);
        trace.meet(d, 0, 2, std::bitset<4>(0b11));
        trace.end_grid(d);
        trace.instruction(d, 1);
    }
    return trace;
}

Program named(std::string name)
{
    Program p;
    p.name = std::move(name);
    p.machine = machines::sm80;
    return p;
}

} // namespace

TEST_CASE("a trace is JSON that trace viewers take")
{
    const sim::Trace trace = small();
    const json all = json::parse(trace.json(named("small")));
    CHECK(all["otherData"]["kernel"] == "small");
    CHECK(all["otherData"]["machine"] == "sm80");
    CHECK(all["otherData"]["events"] == 10);
    CHECK(all["otherData"]["left_out"] == 0);
    std::map<std::pair<int, int>, std::string> threads;
    std::map<int, std::string> processes;
    std::vector<json> events;
    for (const json& e : all["traceEvents"]) {
        if (e["ph"] == "M" && e["name"] == "process_name") processes[e["pid"]] = e["args"]["name"];
        if (e["ph"] == "M" && e["name"] == "thread_name") threads[{e["pid"], e["tid"]}] = e["args"]["name"];
        if (e["ph"] == "X") events.push_back(e);
    }
    CHECK(processes == std::map<int, std::string>{{0, "device 0"}, {1, "device 1"}});
    CHECK(threads.size() == 6);
    CHECK(threads[{1, 0}] == "stream");
    CHECK(threads[{1, 2}] == "warp 1");
    REQUIRE(events.size() == 10);
    std::size_t at = 0;
    for (int d = 0; d < 2; ++d)
        for (const sim::Trace::Event& e : trace.events(d)) {
            const json& j = events[at++];
            CHECK(j["pid"] == d);
            CHECK(j["tid"] == e.agent + 1);
            CHECK(j["ts"] == e.begin);
            CHECK(j["dur"] == e.length);
            CHECK(j["args"]["statement"] == e.statement);
            if (e.kind != sim::Trace::Kind::instruction) continue;
            const auto& item = trace.items()[static_cast<std::size_t>(e.item)];
            CHECK(j["name"] == item.text);
            CHECK(j["cat"] == item.opcode);
            CHECK(j["args"]["issues"] == item.issues);
        }
}

TEST_CASE("whatever a kernel is called, its trace is JSON")
{
    const sim::Trace trace = small();
    for (const std::string name : {"\"}],\\", "line\nend\ttab\x01\x7f", "größer × 2", "\xff\xc3(", "\xed\xa0\x80"}) {
        const json all = json::parse(trace.json(named(name)));
        const std::string back = all["otherData"]["kernel"];
        if (name.find('\xff') == std::string::npos && name.find('\xed') == std::string::npos) CHECK(back == name);
    }
    CHECK(json::parse(trace.json(named("\xff\xc3(")))["otherData"]["kernel"] == "\xef\xbf\xbd\xef\xbf\xbd(");
}

TEST_CASE("a trace of nothing is JSON") { CHECK(json::parse(sim::Trace().json(named("")))["traceEvents"].empty()); }
