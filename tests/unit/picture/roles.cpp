// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/kernels.hpp>
#include <axe/picture/roles.hpp>
#include <catch.hpp>

#include <set>

namespace {

using namespace axe;
using enum DType;

/// One agent brings `steps` tiles through a ring, another one takes them.
Program handed_on(int stages, std::int64_t steps)
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
                    w.copy(C(Interval(i * 64, 64)), s(turn.stage, all));
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
            for (const RoleStep& s : row.steps) {
                CHECK(s.begin < s.end);
                edges.insert({s.begin, s.end});
            }
        // Each column begins and ends with a step.
        CHECK(static_cast<int>(edges.size()) == p.columns + 1);
        CHECK(*edges.rbegin() == p.columns);
    }
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
    CHECK(boxes == steps);
    CHECK(drawn.find("<script") == std::string::npos);
    CHECK(draw(RolePicture{}).find("</svg>") != std::string::npos);
}
