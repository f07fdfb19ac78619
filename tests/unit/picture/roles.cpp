// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/kernels.hpp>
#include <axe/picture/roles.hpp>
#include <catch.hpp>

#include <set>

namespace {

using namespace axe;
using enum DType;

/// One agent brings `steps` tiles through a ring, another one takes them, so many times each.
Program handed_on(int stages, std::int64_t steps, int times = 1)
{
    Kernel k("handed_on", machines::sm90);
    const auto A = k.input("A", {64 * steps}, f16), C = k.output("C", {64 * steps}, f16);
    k.cta(
        tiles(1, 1),
        [&](Scope cta, const Tile&) {
            const auto s = cta.alloc(Role::shared, {stages, 64}, f16, {}, "s");
            const Pipeline ring(0, stages, 1);
            cta.warps(0, 1, "producer", [&](Scope w) { ring.init(w); });
            cta.sync();
            cta.warps(0, 1, "producer", [&](Scope w) {
                ring.loop(w, steps, [&](const Pipeline::Turn& turn, const Affine& i) {
                    ring.load(w, turn, {{s(turn.stage, all), A(Interval(i * 64, 64))}});
                });
            });
            cta.warps(1, 1, "consumer", [&](Scope w) {
                ring.loop(w, steps, [&](const Pipeline::Turn& turn, const Affine& i) {
                    ring.wait(w, turn);
                    for (int n = 0; n < times; ++n) w.copy(C(Interval(i * 64, 64)), s(turn.stage, all));
                    ring.release_after_reads(w, turn);
                });
            });
        },
        2);
    return k.program().value();
}

RolePicture picture_of(const Program& program, sim::RunOrder order = sim::RunOrder::issue)
{
    const Lowered lowered = lower(program).value();
    Bindings in;
    Array a = Array::make(program.tensors[0].shape, f16).value();
    for (std::int64_t i = 0; i < a.size(); ++i) a.set(i, static_cast<double>(i % 9));
    in.set("A", std::move(a));
    sim::Trace trace;
    sim::RunOptions options;
    options.trace = &trace;
    options.order = order;
    const auto report = sim::run(lowered.program, in, options);
    REQUIRE(report);
    INFO(report->fault.text);
    REQUIRE(report->ok());
    return roles(lowered.program, trace);
}

} // namespace

TEST_CASE("a picture of roles has each role's steps with their stages, and none before what it waits for", "[picture]")
{
    for (const auto& [stages, steps] : {std::pair<int, int>{2, 5}, {3, 3}, {1, 4}}) {
        INFO(stages << " stages, " << steps << " steps");
        const RolePicture p = picture_of(handed_on(stages, steps));
        CHECK(p.title == "handed_on on sm90");
        REQUIRE(p.rows.size() == 2);
        const RoleRow &producer = p.rows[0], &consumer = p.rows[1];
        CHECK(producer.name == "producer");
        CHECK(producer.tensors == "A → s");
        CHECK(consumer.name == "consumer");
        REQUIRE(static_cast<int>(producer.steps.size()) == steps);
        std::set<int> edges;
        for (int i = 0; i < steps; ++i) {
            const RoleStep& load = producer.steps[static_cast<std::size_t>(i)];
            CHECK(load.from == -1);
            CHECK(load.to == i % stages);
            CHECK(load.text == "→ " + std::to_string(i % stages));
            CHECK(load.detail.find("copy_async") != std::string::npos);
        }
        // The consumer reads a stage after its bytes were expected, and the producer fills it again after that.
        std::vector<const RoleStep*> reads;
        for (const RoleStep& s : consumer.steps)
            if (s.from >= 0) reads.push_back(&s);
        REQUIRE(static_cast<int>(reads.size()) == steps);
        for (int i = 0; i < steps; ++i) {
            const RoleStep& read = *reads[static_cast<std::size_t>(i)];
            CHECK(read.from == i % stages);
            CHECK(read.begin >= producer.steps[static_cast<std::size_t>(i)].begin);
            if (i + stages < steps) CHECK(producer.steps[static_cast<std::size_t>(i + stages)].begin >= read.end);
        }
        for (const RoleRow& row : p.rows)
            for (const std::vector<RoleStep>* all : {&row.steps, &row.flights})
                for (const RoleStep& s : *all) {
                    CHECK(s.begin < s.end);
                    edges.insert({s.begin, s.end});
                }
        // Each column begins and ends with a step, or with what is in flight.
        CHECK(static_cast<int>(edges.size()) == p.columns + 1);
        CHECK(*edges.rbegin() == p.columns);
    }
}

TEST_CASE("a copy is in flight from its issue to the wait that sees it, and as many are as there are stages", "[picture]")
{
    for (const auto& [stages, steps] : {std::pair<int, int>{1, 4}, {2, 6}, {3, 7}, {4, 4}}) {
        INFO(stages << " stages, " << steps << " steps");
        const RolePicture p = picture_of(handed_on(stages, steps, 5));
        const RoleRow &producer = p.rows[0], &consumer = p.rows[1];
        CHECK(consumer.flights.empty());
        REQUIRE(static_cast<int>(producer.flights.size()) == steps);
        std::vector<const RoleStep*> reads;
        for (const RoleStep& s : consumer.steps)
            if (s.from >= 0) reads.push_back(&s);
        int most = 0;
        for (int i = 0; i < steps; ++i) {
            const RoleStep &flight = producer.flights[static_cast<std::size_t>(i)],
                           &issue = producer.steps[static_cast<std::size_t>(i)];
            CHECK(flight.to == i % stages);
            CHECK(flight.begin == issue.begin);
            CHECK(flight.end >= issue.end);
            CHECK(flight.end == reads[static_cast<std::size_t>(i)]->begin); // it reads as soon as it has waited
            CHECK(flight.detail.find("1 operation in flight, from statement ") == 0);
            int together = 0;
            for (const RoleStep& other : producer.flights)
                together += other.begin <= flight.begin && flight.begin < other.end ? 1 : 0;
            most = std::max(most, together);
            if (i + stages < steps) CHECK(producer.flights[static_cast<std::size_t>(i + stages)].begin >= flight.end);
        }
        CHECK(most <= stages);
        CHECK((most > 1) == (stages > 2)); // a stage that is read is not brought
        // From two stages on, one is brought while another one is read.
        bool overlap = false;
        for (const RoleStep& flight : producer.flights)
            for (const RoleStep* read : reads)
                overlap = overlap || (read->from != flight.to && read->begin < flight.end && flight.begin < read->end);
        CHECK(overlap == (stages > 1));
    }
}

TEST_CASE("what is in flight in a trace: operations of one phase together, up to the earliest wait", "[picture]")
{
    sim::Trace trace;
    trace.start(1, {{7, 2, "copy", "cp"}});
    trace.begin_grid(0, 1, 3);
    trace.begin_block(0, 0);
    trace.arrive(0, 0, 0, 5);
    for (int i = 0; i < 2; ++i) {
        trace.instruction(0, 0, 0, 0);
        trace.start_flight(0, 0, 0, 0, 0, 5, 0);
    }
    trace.complete(0, 0, 5);
    trace.instruction(0, 0, 1, 0), trace.instruction(0, 0, 1, 0), trace.instruction(0, 0, 1, 0);
    trace.pass(0, 0, 1, 5, 9, 0); // at its tick 6
    trace.pass(0, 0, 2, 5, 9, 0); // as soon as the bytes are there: two ticks after the second issue, which is at 1
    trace.instruction(0, 0, 0, 0);
    trace.start_flight(0, 0, 0, 0, 0, 5, 1); // that no wait sees
    trace.end_grid(0);
    REQUIRE(trace.flights(0).size() == 2);
    const sim::Trace::Flight &seen = trace.flights(0)[0], &unseen = trace.flights(0)[1];
    CHECK((seen.agent == 0 && seen.block == 0 && seen.statement == 7 && seen.operations == 2));
    CHECK((seen.begin == 0 && seen.end == 3));
    CHECK((unseen.begin == 2 && unseen.end == -1 && unseen.operations == 1));
    CHECK((trace.events(0)[1].begin == 0 && trace.events(0)[1].length == 1)); // the agent takes a tick for each
    CHECK((trace.events(0)[2].begin == 1 && trace.events(0)[2].length == 1));
}

TEST_CASE("the picture of roles is the same in all orders of a run, and its drawing says what its model does", "[picture]")
{
    const Program program = handed_on(2, 5);
    const RolePicture p = picture_of(program);
    const std::string drawn = draw(p);
    for (const sim::RunOrder order : sim::all_run_orders) CHECK(draw(picture_of(program, order)) == drawn);
    std::size_t boxes = 0, steps = 0;
    for (std::size_t at = drawn.find("<rect x="); at != std::string::npos; at = drawn.find("<rect x=", at + 1)) ++boxes;
    for (const RoleRow& row : p.rows) {
        steps += row.steps.size();
        CHECK(drawn.find(">" + row.name + "</text>") != std::string::npos);
        CHECK(drawn.find(">" + row.tensors + "</text>") != std::string::npos);
        for (const RoleStep& s : row.steps) CHECK(drawn.find(">" + s.text + "</text>") != std::string::npos);
    }
    CHECK(boxes == steps + p.rows[0].flights.size());
    CHECK(drawn.find("<script") == std::string::npos);
    CHECK(draw(RolePicture{}).find("</svg>") != std::string::npos);
}
