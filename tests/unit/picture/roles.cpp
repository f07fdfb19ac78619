// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/kernels.hpp>
#include <axe/picture/roles.hpp>
#include <catch.hpp>
#include <tests/one_block.hpp>
#include <tests/required.hpp>

#include <set>

namespace {

using namespace axe;
using enum DType;

/// One agent brings `steps` tiles through a ring, another one takes them, so many times each.
Program handed_on(int stages, std::int64_t steps, int times = 1)
{
    Kernel k("handed_on", machines::sm90);
    const auto A = k.input("A", {64 * steps}, f16), C = k.output("C", {64 * steps}, f16);
    one_block(k, 2, [&](Scope cta) {
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
    });
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
    const auto report = without_fault(sim::run(lowered.program, in, options));
    return roles(lowered.program, trace);
}

/// The bars of a program, the same in all orders: of each role "name: [begin, end) text, operations; …".
std::string bars_of(const Program& program)
{
    const Lowered lowered = lower(program).value();
    Bindings in;
    for (const ProgramTensor& t : program.tensors)
        if (t.binding == Binding::input) in.set(t.name, Array::make(t.shape, t.dtype).value());
    std::string first;
    for (const sim::Level level : {sim::Level::full, sim::Level::fast})
        for (const sim::RunOrder order : sim::all_run_orders) {
            sim::Trace trace;
            sim::RunOptions options;
            options.trace = &trace;
            options.order = order;
            options.level = level;
            const auto report = required(sim::run(lowered.program, in, options));
            INFO(name(order) << ": " << report->fault.text);
            REQUIRE(report->ok());
            std::string out;
            for (const RoleRow& row : roles(lowered.program, trace).rows) {
                out += row.name + ":";
                for (const RoleStep& step : row.steps)
                    out += " [" + std::to_string(step.begin) + ", " + std::to_string(step.end) + ") " + step.text;
                out += row.flights.empty() ? "\n" : " |";
                for (const RoleStep& f : row.flights)
                    out += " [" + std::to_string(f.begin) + ", " + std::to_string(f.end) + ") " + f.text + " " +
                           f.detail.substr(0, f.detail.find(' '));
                if (!row.flights.empty()) out += "\n";
            }
            if (first.empty()) first = out;
            CHECK(out == first);
        }
    return first;
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
            for (const std::vector<RoleStep>* bars : {&row.steps, &row.flights})
                for (const RoleStep& s : *bars) {
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
        trace.start_flight(0, 0, 0, 0, 0, {sim::EndsBy::phase, 5, 0});
    }
    trace.complete(0, 0, 5);
    trace.instruction(0, 0, 1, 0), trace.instruction(0, 0, 1, 0), trace.instruction(0, 0, 1, 0);
    trace.pass(0, 0, 1, 5, 9, 0); // at its tick 6
    trace.pass(0, 0, 2, 5, 9, 0); // as soon as the bytes are there: two ticks after the second issue, which is at 1
    trace.instruction(0, 0, 0, 0);
    trace.start_flight(0, 0, 0, 0, 0, {sim::EndsBy::phase, 5, 1}); // that no wait sees
    trace.end_grid(0);
    REQUIRE(trace.flights(0).size() == 2);
    const sim::Trace::Flight &seen = trace.flights(0)[0], &unseen = trace.flights(0)[1];
    CHECK((seen.agent == 0 && seen.block == 0 && seen.statement == 7 && seen.operations == 2));
    CHECK((seen.begin == 0 && seen.end == 3));
    CHECK((unseen.begin == 2 && unseen.end == -1 && unseen.operations == 1));
    CHECK((trace.events(0)[1].begin == 0 && trace.events(0)[1].length == 1)); // the agent takes a tick for each
    CHECK((trace.events(0)[2].begin == 1 && trace.events(0)[2].length == 1));
}

TEST_CASE("what is in flight in a trace: groups of an agent, up to the wait for each, and what a commit hands on to a phase",
          "[picture]")
{
    using sim::EndsBy;
    sim::Trace trace;
    trace.start(1, {{7, 1, "copy", "cp"}});
    trace.begin_grid(0, 1, 2);
    trace.begin_block(0, 0);
    const auto start = [&](const sim::Ending& ending) {
        trace.instruction(0, 0, 0, 0);
        trace.start_flight(0, 0, 0, 0, 0, ending);
    };
    start({EndsBy::copies, 0, 1}), start({EndsBy::copies, 0, 1}), start({EndsBy::copies, 0, 2}); // ticks 0 to 3
    trace.see(0, 0, 0, {EndsBy::copies, 0, 1});
    trace.see(0, 0, 1, {EndsBy::copies, 1, 9}); // another agent's
    trace.instruction(0, 0, 0, 0);
    trace.see(0, 0, 0, {EndsBy::copies, 0, 2});
    start({EndsBy::tensors, 0, 0}), start({EndsBy::tensors, 0, 0}); // ticks 4 to 6
    trace.hand_on(0, 0, {EndsBy::tensors, 0, 0}, 0, 5, 0);
    start({EndsBy::tensors, 0, 1});
    trace.hand_on(0, 0, {EndsBy::tensors, 0, 1}, 0, 6, 0); // the first two as well
    trace.arrive(0, 0, 0, 5), trace.complete(0, 0, 5), trace.arrive(0, 0, 0, 6), trace.complete(0, 0, 6);
    trace.instruction(0, 0, 1, 0);
    trace.pass(0, 0, 1, 6, 9, 0);
    trace.instruction(0, 0, 1, 0);
    trace.pass(0, 0, 1, 5, 9, 0); // later: it has been seen
    trace.end_grid(0);
    std::string out;
    for (const sim::Trace::Flight& f : trace.flights(0))
        out += std::to_string(f.operations) + " [" + std::to_string(f.begin) + ", " + std::to_string(f.end) + ") ";
    CHECK(out == "2 [0, 3) 1 [2, 4) 2 [4, 7) 1 [6, 7) ");
}

TEST_CASE("bars of copies by groups: from the issue to the wait for their group", "[picture]")
{
    const auto by_groups = [](int ahead) {
        Kernel k("by_groups", machines::sm80);
        const auto A = k.input("A", {192}, f16), C = k.output("C", {192}, f16);
        one_block(k, 1, [&](Scope cta) {
            const auto s = cta.alloc(Role::shared, {3, 64}, f16, {}, "s");
            cta.warps(0, 1, "loader", [&](Scope w) {
                const auto load = [&](int i) {
                    if (i < 3) w.copy_async(s(i, all), A(Interval(i * 64, 64)));
                    w.commit();
                };
                for (int i = 0; i < ahead; ++i) load(i);
                for (int i = 0; i < 3; ++i) {
                    load(i + ahead);
                    w.wait(ahead).copy(C(Interval(i * 64, 64)), s(i, all));
                }
            });
        });
        return k.program().value();
    };
    CHECK(bars_of(by_groups(0)) ==
          "loader: [0, 1) → 0 [1, 2) 0 → C [2, 3) → 1 [3, 4) 1 → C [4, 5) → 2 [5, 6) 2 → C | [0, 1) 0 1 [2, 3) 1 1 [4, 5) 2 1\n");
    CHECK(bars_of(by_groups(1)) ==
          "loader: [0, 1) → 0 [1, 2) → 1 [2, 3) 0 → C [3, 4) → 2 [4, 5) 1 → C [5, 6) 2 → C | [0, 2) 0 1 [1, 4) 1 1 [3, 5) 2 1\n");
    CHECK(bars_of(by_groups(2)) ==
          "loader: [0, 1) → 0 [1, 2) → 1 [2, 3) → 2 [3, 4) 0 → C [4, 5) 1 → C [5, 6) 2 → C | [0, 3) 0 1 [1, 4) 1 1 [2, 5) 2 1\n");
}

TEST_CASE("bars of copies by lanes that complete on an mbarrier, and of stores until their sources are read", "[picture]")
{
    using Action = Mbarrier::Action;
    Kernel k("handed_on", machines::sm90);
    const auto A = k.input("A", {64}, f16), C = k.output("C", {64}, f16), E = k.output("E", {64}, f16);
    one_block(k, 2, [&](Scope cta) {
        const auto s = cta.alloc(Role::shared, {1, 64}, f16, {}, "s");
        cta.warps(0, 1, [&](Scope w) { w.mbarrier({Action::init, 0, 1, {}}); }).sync();
        cta.warps(0, 1, "loader", [&](Scope w) {
            Options lanes;
            lanes.schedule = "cp_async";
            w.copy_async(s(0, all), A, lanes).mbarrier({Action::arrive_after_copies, 0, 0, {}});
        });
        cta.warps(1, 1, "storer", [&](Scope w) {
            w.mbarrier({Action::wait, 0, 0, 0}).proxy_fence();
            w.copy_async(C, s(0, all)).commit().wait_sources().copy(E, s(0, all)).wait();
        });
    });
    CHECK(bars_of(k.program().value()) == "loader: [0, 1) → 0 | [0, 1) 0 1\nstorer: [1, 2) 0 → C [2, 3) 0 → E | [1, 2) C 1\n");
}

TEST_CASE("bars of products of warpgroups: each group until the wait that shows it", "[picture]")
{
    Kernel k("products", machines::sm90);
    const auto A = k.input("A", {2, 64, 64}, f16), B = k.input("B", {2, 32, 64}, f16), D = k.output("D", {2, 64, 32}, f32);
    one_block(k, 4, [&](Scope cta) {
        const auto a = cta.alloc(Role::shared, {2, 64, 64}, f16, conflict_free, "a");
        const auto b = cta.alloc(Role::shared, {2, 32, 64}, f16, conflict_free, "b");
        cta.copy(a, A).copy(b, B).proxy_fence().sync();
        cta.warpgroups(0, 1, "multiply", [&](Scope w) {
            std::vector<TensorRef> d;
            for (int i = 0; i < 2; ++i) {
                d.push_back(w.alloc(Role::accumulator, {64, 32}, f32, accumulator, "d" + std::to_string(i)));
                w.gemm(d.back(), a(i, all, all), b(i, all, all), {.accumulate = false, .transpose_b = true}, {.async = true});
            }
            w.wait_products(1).copy(D(0, all, all), d[0]).wait_products().copy(D(1, all, all), d[1]);
        });
    });
    CHECK(bars_of(k.program().value()) == "multiply: [0, 1) 0 → [1, 2) 1 → [2, 4) → D | [0, 2) 0 4 [1, 3) 1 4\n");
}

TEST_CASE("bars of products into tensor memory: until the wait for the phase that their commit arrives in", "[picture]")
{
    using Action = Mbarrier::Action;
    Kernel k("tensors", machines::sm100);
    const auto A = k.input("A", {128, 32}, f16), B = k.input("B", {32, 32}, f16), D = k.output("D", {128, 32}, f32);
    one_block(k, 4, [&](Scope cta) {
        const auto a = cta.alloc(Role::shared, {128, 32}, f16, conflict_free, "a");
        const auto b = cta.alloc(Role::shared, {32, 32}, f16, conflict_free, "b");
        const auto d = cta.alloc("tmem", {2, 128, 32}, f32, accumulator, "d");
        const auto r = cta.alloc(Role::registers, {128, 32}, f32, accumulator, "r");
        cta.copy(a, A).copy(b, B);
        cta.warps(0, 1, [&](Scope w) { w.mbarrier({Action::init, 0, 1, {}}).mbarrier({Action::init, 1, 1, {}}); });
        cta.proxy_fence().sync();
        cta.warps(0, 1, "multiply", [&](Scope w) {
            for (int i = 0; i < 2; ++i)
                w.gemm(d(i, all, all), a, b, {.accumulate = false, .transpose_b = true}, {.completes_on = i});
        });
        cta.warpgroups(0, 1, "read", [&](Scope w) {
            for (int i = 0; i < 2; ++i) w.mbarrier({Action::wait, i, 0, 0}).tensor_fence_after().copy(r, d(i, all, all)).copy(D, r);
        });
    });
    CHECK(bars_of(k.program().value()) ==
          "multiply: [0, 1) a → 0 [1, 2) a → 1 | [0, 1) 0 1 [1, 4) 1 1\nread: [2, 3) 0 → [3, 5) → D [5, 6) 1 → [6, 7) → D\n");
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
