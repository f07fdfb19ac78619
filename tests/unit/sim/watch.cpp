// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/catch.hpp>

#include "pair.hpp"

#include <axe/sim/report/watch.hpp>

#include <algorithm>
#include <set>

using namespace axe;
using sim::WatchedAccess;

namespace {

std::vector<WatchedAccess> watched(const Program& lowered, const Bindings& in, const char* tensor, const Coord& at,
                                   sim::RunOptions options = {}, sim::Report* report = nullptr)
{
    std::vector<WatchedAccess> out;
    const sim::Watch watch{tensor, at, [&](const WatchedAccess& a) { out.push_back(a); }};
    options.watch = &watch;
    sim::Report done = sim::run(lowered, in, options).value();
    REQUIRE(done.ok());
    if (report != nullptr) *report = std::move(done);
    return out;
}

std::vector<WatchedAccess> of_pair(const char* tensor, const Coord& at, const sim::RunOptions& options = {},
                                   sim::Report* report = nullptr)
{
    return watched(lower(pair::program()).value().program, pair::inputs(), tensor, at, options, report);
}

/// "w2 by 3.1 of 0" for each: writing or reading, the value, agent and lane, device.
std::vector<std::string> words(const std::vector<WatchedAccess>& list)
{
    std::vector<std::string> out;
    for (const WatchedAccess& a : list) out.push_back(sim::watched_text(a, true));
    return out;
}

double given(std::int64_t row, std::int64_t column) { return static_cast<double>((row * 64 + column) % 17 - 8); }

} // namespace

TEST_CASE("a watch reports the one read of an input by the lane that copies it")
{
    // Row 70 is row 6 of device 1, in its first block.
    const auto list = of_pair("A", {70, 5});
    REQUIRE(list.size() == 1);
    const WatchedAccess& a = list[0];
    CHECK_FALSE(a.writing);
    CHECK(a.value == given(70, 5));
    CHECK(a.device == 1);
    CHECK(a.memory == 1);
    CHECK(a.block == Coord{0});
    CHECK(a.agent >= 0);
    CHECK(a.lane >= 0);
    CHECK(a.times == 1);
    CHECK(a.instruction.find("cp.async") == 0);
    const std::string who = "lane " + std::to_string(a.lane) + " of agent " + std::to_string(a.agent);
    CHECK(sim::watched_text(a, true) ==
          who + ", block (0), device 1, reads " + std::to_string(static_cast<int>(a.value)) + " by " + a.instruction);
    CHECK(sim::watched_text(a, false) ==
          who + ", block (0), reads " + std::to_string(static_cast<int>(a.value)) + " by " + a.instruction);
}

TEST_CASE("a watch reports shared memory of each block: the asynchronous write at its wait, and the read")
{
    for (const sim::Level level : {sim::Level::full, sim::Level::fast}) {
        sim::RunOptions options;
        options.level = level;
        const auto list = of_pair("s", {6, 5}, options);
        REQUIRE(list.size() == 8); // two devices, two blocks each
        for (std::size_t i = 0; i < 8; i += 2) {
            const WatchedAccess &write = list[i], &read = list[i + 1];
            CHECK(write.writing);
            CHECK_FALSE(read.writing);
            const double value = given(write.device * 64 + write.block[0] * 32 + 6, 5);
            CHECK(write.value == value);
            CHECK(read.value == value);
            CHECK(read.block == write.block);
            CHECK(read.device == write.device);
            CHECK(write.statement < read.statement);
        }
    }
}

TEST_CASE("a watch reports registers: written, changed in place, and stored")
{
    const auto list = of_pair("r", {6, 5});
    REQUIRE(list.size() == 16);
    for (std::size_t i = 0; i < 16; i += 4) {
        const double value = given(list[i].device * 64 + list[i].block[0] * 32 + 6, 5), relu = std::max(value, 0.0);
        CHECK((list[i].writing && !list[i + 1].writing && list[i + 2].writing && !list[i + 3].writing));
        CHECK(list[i].value == value);
        CHECK(list[i + 1].value == value);
        CHECK(list[i + 2].value == relu);
        CHECK(list[i + 3].value == relu);
        for (std::size_t k = 1; k < 4; ++k) { // a register is one lane's
            CHECK(list[i + k].lane == list[i].lane);
            CHECK(list[i + k].agent == list[i].agent);
        }
    }
}

TEST_CASE("a watch reports what devices do outside grids, and whose memory they access")
{
    const auto of_c = of_pair("C", {70, 5});
    std::set<int> readers;
    REQUIRE(of_c.size() == 3); // one store, and each device reads it for its copy
    CHECK(of_c[0].writing);
    for (std::size_t i = 1; i < 3; ++i) {
        CHECK_FALSE(of_c[i].writing);
        CHECK(of_c[i].memory == 1);
        CHECK(of_c[i].agent == -1);
        CHECK(of_c[i].value == of_c[0].value);
        readers.insert(of_c[i].device);
    }
    CHECK(readers == std::set<int>{0, 1});
    const auto of_g = of_pair("G", {70, 5});
    REQUIRE(of_g.size() == 2);
    for (const WatchedAccess& a : of_g) {
        CHECK(a.writing);
        CHECK(a.value == of_c[0].value);
    }
    CHECK(of_g[0].memory + of_g[1].memory == 1);
    WatchedAccess far = of_c[0];
    far.agent = -1, far.device = 0, far.memory = 1, far.writing = false, far.value = 2.5, far.instruction = "x", far.times = 3;
    CHECK(sim::watched_text(far, true) == "device 0, reads 2.5 of device 1 by x, 3 times");
}

TEST_CASE("a run is the same with a watch, whatever the threads")
{
    sim::RunOptions options;
    options.threads = 2;
    sim::Report report;
    const auto list = of_pair("s", {6, 5}, options, &report);
    const pair::Run plain = pair::run();
    CHECK(report.total == plain.report.total);
    for (const char* name : {"C", "G"}) {
        const Array &a = *report.outputs.find(name), &b = *plain.report.outputs.find(name);
        CHECK(std::equal(a.data(), a.data() + a.size_bytes(), b.data()));
    }
    CHECK(words(list) == words(of_pair("s", {6, 5})));
}

TEST_CASE("a watch reports each operand of a matrix product, and how often an instruction takes it")
{
    Kernel k("product", machines::sm80);
    const auto A = k.input("A", {32, 32}, DType::f16), B = k.input("B", {32, 32}, DType::f16),
               C = k.output("C", {32, 32}, DType::f32);
    k.cta(
        tiles(C, {32, 32}),
        [&](Scope cta, const Tile& t) {
            const auto acc = cta.alloc(Role::accumulator, {32, 32}, DType::f32, accumulator, "acc");
            const auto a = cta.alloc(Role::shared, {32, 32}, DType::f16, conflict_free, "a");
            const auto b = cta.alloc(Role::shared, {32, 32}, DType::f16, conflict_free, "b");
            cta.fill(acc, 0).copy(a, A(t.rows, all)).copy(b, B(all, t.cols)).sync();
            cta.gemm(acc, a, b).copy(C(t), acc);
        },
        1);
    const Program lowered = lower(k.program().value()).value().program;
    Bindings in;
    for (const char* name : {"A", "B"}) {
        Array x = Array::make({32, 32}, DType::f16).value();
        for (std::int64_t i = 0; i < x.size(); ++i) x.set(i, static_cast<double>(i % 5 - 2));
        in.set(name, std::move(x));
    }
    sim::Report report;
    const auto sums = watched(lowered, in, "acc", {3, 4}, {}, &report);
    REQUIRE(sums.size() >= 4); // filled, added to, stored
    CHECK(sums.front().writing);
    CHECK(sums.front().value == 0);
    CHECK_FALSE(sums.back().writing);
    CHECK(sums.back().value == report.outputs.find("C")->at(Coord{3, 4}));
    for (std::size_t i = 1; i < sums.size(); ++i) // what is read is what was written last
        if (!sums[i].writing) CHECK(sums[i].value == sums[i - 1].value);
    const auto shared = watched(lowered, in, "a", {3, 4});
    REQUIRE(shared.size() >= 2);
    CHECK(shared.front().writing);
    for (const WatchedAccess& a : shared) CHECK(a.value == in.find("A")->at(Coord{3, 4}));
    const auto out = watched(lowered, in, "C", {3, 4});
    REQUIRE(out.size() == 1);
    CHECK(out[0].value == sums.back().value);
}

TEST_CASE("a watch reports elements that data choose, atomic operations, and loads of conditions")
{
    Kernel k("chosen", machines::sm80);
    const auto A = k.input("A", {8, 4}, DType::f32), I = k.input("I", {8}, DType::i32), D = k.output("D", {8, 4}, DType::f32);
    const auto H = k.inout("H", {1}, DType::i32), N = k.input("N", {8}, DType::i32);
    k.cta(
        tiles(8, 8),
        [&](Scope cta, const Tile&) {
            cta.gather(D(all, all), A(all, all), I(all));
            cta.atomic(Function::add, H(all), N(Interval(3, 1)));
        },
        1);
    const Program lowered = lower(k.program().value()).value().program;
    Bindings in;
    const auto set = [&](const char* name, const Shape& shape, DType type, auto&& value) {
        Array x = Array::make(shape, type).value();
        for (std::int64_t i = 0; i < x.size(); ++i) x.set(i, value(i));
        in.set(name, std::move(x));
    };
    set("A", {8, 4}, DType::f32, [](std::int64_t i) { return static_cast<double>(i); });
    set("I", {8}, DType::i32, [](std::int64_t i) { return i == 2 || i == 6 ? 5.0 : 0.0; });
    set("H", {1}, DType::i32, [](std::int64_t) { return 40.0; });
    set("N", {8}, DType::i32, [](std::int64_t i) { return static_cast<double>(i); });

    const auto chosen = watched(lowered, in, "A", {5, 1}); // by rows 2 and 6 of D
    REQUIRE(chosen.size() == 2);
    for (const WatchedAccess& a : chosen) {
        CHECK_FALSE(a.writing);
        CHECK(a.value == 21);
    }
    CHECK(watched(lowered, in, "A", {4, 1}).empty());
    const auto counted = watched(lowered, in, "H", {0});
    REQUIRE(counted.size() == 2);
    CHECK((!counted[0].writing && counted[0].value == 40));
    CHECK((counted[1].writing && counted[1].value == 43));
}

TEST_CASE("a watch reports the loads of a condition")
{
    Kernel k("polled", machines::sm80);
    const auto N = k.input("N", {4}, DType::i32), D = k.output("D", {4}, DType::f32);
    k.cta(
        tiles(4, 4),
        [&](Scope cta, const Tile&) { cta.fill(D(all), 1).loop_while(Expression(5.0) < load(N(Interval(2, 1))), [] {}); }, 1);
    const Program lowered = lower(k.program().value()).value().program;
    Bindings in;
    in.set("N", Array::make({4}, DType::i32).value());
    in.find("N")->set(2, 3);
    const auto list = watched(lowered, in, "N", {2});
    REQUIRE(list.size() == 1);
    CHECK(list[0].value == 3);
    CHECK(list[0].instruction.empty());
    CHECK(watched(lowered, in, "N", {1}).empty());
}

TEST_CASE("an element to watch must exist")
{
    const Program lowered = lower(pair::program()).value().program;
    const auto problem = [&](const char* tensor, const Coord& at) {
        const sim::Watch watch{tensor, at, [](const WatchedAccess&) {}};
        sim::RunOptions options;
        options.watch = &watch;
        return sim::run(lowered, pair::inputs(), options).error();
    };
    CHECK(problem("X", {0}).code == errc::bad_argument);
    CHECK(problem("X", {0}).text.find("run: no tensor X to watch; pair has A, C, G, s, r") == 0);
    CHECK(problem("A", {0}).code == errc::out_of_domain);
    CHECK(problem("A", {128, 0}).text == "run: element (128,0) to watch is not one of A, whose shape is (128,64)");
}
