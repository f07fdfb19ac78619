// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <catch.hpp>
#include <tests/one_block.hpp>
#include <tests/required.hpp>

#include "arrays.hpp"

#include <axe/kernels.hpp>
#include <axe/sim/reference/operators.hpp>

#include <cmath>

using namespace axe;
using enum axe::DType;
using sim::FaultKind;

/// Functions of C++ as instructions: what they compute on whatever layout, and that they are held to what they declare.

namespace {

/// D = A + B, element by element, of two dimensions.
void add_matrices(const RawOperand* o)
{
    for (std::int64_t i = 0; i < o[0].sizes[0]; ++i)
        for (std::int64_t j = 0; j < o[0].sizes[1]; ++j) o[0].at<float>(i, j) = o[1].at<float>(i, j) + o[2].at<float>(i, j);
}
constexpr RawFunction raw_add{"add_matrices", {{"D", RawAccess::write}, {"A"}, {"B"}}, add_matrices};

/// total += the sum of A, and count = how many there are.
void sum_and_count(const RawOperand* o)
{
    for (std::int64_t i = 0; i < o[2].sizes[0]; ++i) o[0].at<float>() += o[2].at<float>(i);
    o[1].at<std::int32_t>() = static_cast<std::int32_t>(o[2].sizes[0]);
}
constexpr RawFunction raw_sum{"sum_and_count", {{"total", RawAccess::update}, {"count", RawAccess::write}, {"A"}}, sum_and_count};

sim::RunOptions at_level(sim::Level level)
{
    sim::RunOptions out;
    out.level = level;
    out.counters = level == sim::Level::full;
    return out;
}

/// One function on D (4×6) and A (4×6) in shared memory, D set to 5 before.
Program one_call(const RawFunction& f)
{
    Kernel k("one_call", machines::sm80);
    const auto A = k.input("A", {4, 6}, f32), D = k.output("D", {4, 6}, f32);
    k.cta(tiles(1, 1), [&](Scope c, const Tile&) {
        const auto a = c.alloc(Role::shared, {4, 8}, f32, {}, "a"), d = c.alloc(Role::shared, {4, 8}, f32, {}, "d");
        c.fill(a, 0).fill(d, 5).sync();
        c.copy(a(all, Interval(1, 6)), A).sync();
        c.raw(f, {d(all, Interval(1, 6)), a(all, Interval(1, 6))}).sync();
        c.copy(D, d(all, Interval(1, 6)));
    });
    return k.program().value();
}
sim::Report run_one(const RawFunction& f, sim::Level level = sim::Level::full)
{
    Bindings in;
    in.set("A", arrays::counting({4, 6}, f32));
    return sim::run(lower(one_call(f)).value().program, in, at_level(level)).value();
}

} // namespace

TEST_CASE("a raw function on every layout: strides, swizzles, pieces of several digits, tiles over the edge", "[raw]")
{
    const Layout columns = make_layout({{8, 1, "m"}, {16, 8, "m"}}).value(),
                 blocked = make_layout({{2, 64, "m"}, {4, 4, "m"}, {4, 16, "m"}, {4, 1, "m"}}).value();
    const Placement placements[] = {Placement(), Placement(columns), Placement(blocked), Placement(conflict_free)};
    for (int p = 0; p < 4; ++p)
        for (const auto& rows : {8, 5}) { // 5: the second of the two tiles of A and D crosses the edge
            INFO("placement " << p << ", rows " << rows);
            Kernel k("layouts", machines::sm80);
            const auto A = k.input("A", {rows, 16}, f32), D = k.output("D", {rows, 16}, f32);
            k.computes(D, elementwise(Function::add, {A, A}));
            k.cta(
                tiles(D, {4, 16}),
                [&](Scope c, const Tile& t) {
                    const auto d = c.alloc(Role::shared, {8, 16}, f32, placements[p], "d");
                    const auto whole = c.extract_slice(d, {0, 0}, {4, 16}, {2, 1});
                    c.fill(d, 0).sync();
                    c.warps(0, 1, [&](Scope w) { w.raw(raw_add, {whole, A(t), A(t)}); });
                    c.sync();
                    c.warps(1, 1, [&](Scope w) { w.raw(raw_add, {D(t), whole, c.extract_slice(d, {1, 0}, {4, 16}, {2, 1})}); });
                },
                2);
            Bindings in;
            in.set("A", arrays::counting({rows, 16}, f32));
            const Program program = k.program().value();
            const auto lowered = required(lower(program));
            for (const auto level : {sim::Level::full, sim::Level::fast}) {
                const auto report = without_fault(sim::run(lowered->program, in, at_level(level)).value());
                CHECK(verify(program, in, report.outputs)->ok());
            }
        }
}

TEST_CASE("a raw function: results, counts and races", "[raw]")
{
    for (int missing = 0; missing < 3; ++missing) {
        Kernel k("sums", machines::sm80);
        const auto A = k.input("A", {3, 8}, f32), total = k.inout("total", {3}, f32), count = k.output("count", {3}, i32);
        k.cta(tiles(3, 1), [&](Scope c, const Tile& t) {
            const auto a = c.alloc(Role::shared, {8}, f32, {}, "a"), s = c.alloc(Role::shared, {1}, f32, {}, "s");
            c.copy(a, A(t.index[0], all)).copy(s(0), total(t.index[0]));
            if (missing != 1) c.sync();
            c.warps(2, 1, [&](Scope w) { w.raw(raw_sum, {s(0), count(t.index[0]), a}); });
            if (missing != 2) c.sync();
            c.copy(total(t.index[0]), s(0));
        });
        const Program program = k.program().value();
        CHECK(validate(program).empty());
        CHECK_THAT(print(program), Catch::Contains("raw s[0], count[block0] = sum_and_count(a)"));
        Bindings in;
        in.set("A", arrays::counting({3, 8}, f32));
        in.set("total", arrays::of({3}, f32, {100, 200, 300}));
        const auto lowered = lower(program).value();
        CHECK_THAT(print(lowered.program), Catch::Contains("call sum_and_count"));
        const auto report = sim::run(lowered.program, in).value();
        INFO(report.fault.text);
        if (missing > 0) {
            CHECK((report.fault.kind == FaultKind::race || report.fault.kind == FaultKind::uninitialized));
            continue;
        }
        REQUIRE(report.ok());
        for (const auto level : {sim::Level::full, sim::Level::fast}) {
            const auto again = sim::run(lowered.program, in, at_level(level)).value();
            for (int i = 0; i < 3; ++i) {
                CHECK(again.outputs.find("total")->at(i) == 100 * (i + 1) + 64 * i + 28);
                CHECK(again.outputs.find("count")->at(i) == 8);
            }
        }
        CHECK(verify(program, in, report.outputs)->ok());
        // Both operands that it writes are writes of the run, and what it updates is read back.
        const auto calls = [&](const char* memory) {
            for (const auto& [id, counters] : report.statements)
                if (counters.by_text.count("call sum_and_count") > 0) return counters.memories.at(memory);
            return sim::MemoryCount();
        };
        CHECK(calls("gmem").bytes_written == 3 * 4);
        CHECK(calls("smem").bytes_written == 3 * 4);
        CHECK(calls("smem").bytes_read == 3 * (8 * 4 + 4));
        // A wrong result is found.
        Array wrong = report.outputs.find("total")->clone().value();
        wrong.set(1, wrong.at(1) + 1);
        Bindings outputs;
        outputs.set("total", std::move(wrong));
        outputs.set("count", report.outputs.find("count")->clone().value());
        CHECK(!verify(program, in, outputs)->ok());
    }
}

TEST_CASE("a raw function that does what it does not declare is found", "[raw]")
{
    struct Row {
        const char* what;
        RawFunction f;
        const char* text; ///< null: nothing is wrong
    };
    constexpr RawParameter d{"D", RawAccess::write}, u{"D", RawAccess::update}, a{"A"};
    const Row rows[] = {
        {"all of it", {"f", {d, a}, [](const RawOperand* o) { add_matrices(std::array{o[0], o[1], o[1]}.data()); }}, nullptr},
        {"the first row alone",
         {"f",
          {d, a},
          [](const RawOperand* o) {
              for (int j = 0; j < 6; ++j) o[0].at<float>(0, j) = 1;
          }},
         "leaves element (1,1) of d of D as it was, which it declares to write"},
        {"the first row alone, of what it updates",
         {"f",
          {u, a},
          [](const RawOperand* o) {
              for (int j = 0; j < 6; ++j) o[0].at<float>(0, j) = 1;
          }},
         nullptr},
        {"D added to",
         {"f", {d, a}, [](const RawOperand* o) { add_matrices(std::array{o[0], o[0], o[1]}.data()); }},
         "leaves element (0,1) of d of D as it was, which it declares to write"},
        {"D doubled",
         {"f", {d, a}, [](const RawOperand* o) { add_matrices(std::array{o[0], o[0], o[0]}.data()); }},
         "reads what it does not declare: element (0,1) of d of D differs"},
        {"D added to, as declared",
         {"f", {u, a}, [](const RawOperand* o) { add_matrices(std::array{o[0], o[0], o[1]}.data()); }},
         nullptr},
        {"A written",
         {"f",
          {d, a},
          [](const RawOperand* o) {
              add_matrices(std::array{o[0], o[1], o[1]}.data());
              o[1].at<float>(2, 3) = 7;
          }},
         "writes element (2,4) of a of A, which it declares to read"},
        {"one too far",
         {"f",
          {d, a},
          [](const RawOperand* o) {
              add_matrices(std::array{o[0], o[1], o[1]}.data());
              o[0].at<float>(3, 6) = 7;
          }},
         "writes byte 120 from the first element of D (`d`) on, which is no element of it"},
        {"one before",
         {"f",
          {d, a},
          [](const RawOperand* o) {
              add_matrices(std::array{o[0], o[1], o[1]}.data());
              o[0].at<float>(0, -1) = 7;
          }},
         "writes byte -4 from the first element of D (`d`) on"},
        {"strides passed over",
         {"f",
          {d, a},
          [](const RawOperand* o) {
              for (int i = 0; i < 24; ++i) (&o[0].at<float>(0, 0))[i] = (&o[1].at<float>(0, 0))[i];
          }},
         "writes byte 24 from the first element of D (`d`) on, which is no element of it"},
        {"a neighbor read",
         {"f",
          {d, a},
          [](const RawOperand* o) {
              add_matrices(std::array{o[0], o[1], o[1]}.data());
              o[0].at<float>(0, 0) = o[1].at<float>(0, 6);
          }},
         "reads what it does not declare: element (0,1) of d of D differs"},
        {"the maximum with a neighbor",
         {"f",
          {d, a},
          [](const RawOperand* o) {
              add_matrices(std::array{o[0], o[1], o[1]}.data());
              o[0].at<float>(0, 0) = std::max(0.0f, o[1].at<float>(0, -1));
          }},
         "reads what it does not declare"},
    };
    for (const Row& row : rows) {
        INFO(row.what);
        const auto report = run_one(row.f);
        INFO(report.fault.text);
        CHECK((report.fault.kind == FaultKind::undeclared) == (row.text != nullptr));
        if (row.text != nullptr) CHECK_THAT(report.fault.text, Catch::Contains(row.text));
        CHECK(report.ok() == (row.text == nullptr));
    }
}

TEST_CASE("a raw function that keeps something between calls is found", "[raw]")
{
    const RawFunction counting{"counting", {{"D", RawAccess::write}, {"A"}}, [](const RawOperand* o) {
                                   static float calls = 0;
                                   add_matrices(std::array{o[0], o[1], o[1]}.data());
                                   o[0].at<float>(1, 1) = ++calls;
                               }};
    CHECK_THAT(run_one(counting).fault.text, Catch::Contains("element (1,2) of d of D differs between two calls"));
}

TEST_CASE("a raw function whose operands overlap is found", "[raw]")
{
    Kernel k("overlap", machines::sm80);
    const auto A = k.inout("A", {6, 4}, f32), B = k.input("B", {4, 4}, f32);
    k.cta(tiles(1, 1), [&](Scope c, const Tile&) { c.raw(raw_add, {A(Interval(0, 4), all), A(Interval(2, 4), all), B}); });
    Bindings in;
    in.set("A", arrays::counting({6, 4}, f32));
    in.set("B", arrays::counting({4, 4}, f32));
    const auto report = sim::run(lower(k.program().value()).value().program, in).value();
    CHECK_THAT(report.fault.text, Catch::Contains("has elements of D (`A`) in A (`A`); what it writes must be apart"));
}

TEST_CASE("a raw function: what no call is", "[raw]")
{
    const auto problem = [](const RawFunction& f, bool outside = false, bool registers = false) {
        Kernel k("wrong", machines::sm80);
        const auto A = k.input("A", {4, 6}, f32), D = k.output("D", {4, 6}, f32);
        if (outside)
            k.raw(f, {D, A});
        else
            k.cta(tiles(1, 1), [&](Scope c, const Tile&) {
                const auto r = c.alloc(Role::registers, {4, 6}, f32, LayoutHint::registers, "r");
                c.raw(f, {registers ? ViewRef(r) : ViewRef(D), A});
            });
        const auto p = k.program().value();
        const auto problems = validate(p);
        if (!problems.empty()) return problems.front().text;
        const auto lowered = lower(p);
        return lowered ? std::string() : lowered.error().text;
    };
    constexpr auto run = [](const RawOperand* o) { add_matrices(std::array{o[0], o[1], o[1]}.data()); };
    constexpr RawParameter d{"D", RawAccess::write}, a{"A"};
    CHECK(problem({"f", {d, a}, run}).empty());
    CHECK_THAT(problem({"f", {d}, run}), Catch::Contains("it takes 1 operand and is given 2"));
    CHECK_THAT(problem({"f", {d, a}, nullptr}), Catch::Contains("it has no function"));
    CHECK_THAT(problem({"f", {a, a}, run}), Catch::Contains("f writes nothing; what a raw function writes comes first"));
    CHECK_THAT(problem({"f", {a, d}, run}), Catch::Contains("f writes nothing"));
    CHECK_THAT(problem({"f", {d, a, d}, run}),
               Catch::Contains("f writes `D` after an operand that it reads; what it writes comes first"));
    CHECK_THAT(problem({"f", {d, {"E", RawAccess::write}}, run}), Catch::Contains("E `A` is an input"));
    CHECK_THAT(problem({"f",
                        {d, a},
                        run,
                        [](const Program&, const Operation& o) -> Result<void, Problem> {
                            if (o.operands[0].extents[1] % 4 == 0) return {};
                            return {errc::bad_extent, "rows must be of 4 elements"};
                        }}),
               Catch::Contains("raw: rows must be of 4 elements"));
    CHECK_THAT(problem({"f", {d, a}, run}, true), Catch::Contains("it is for the agents of a block"));
    CHECK_THAT(problem({"f", {d, a}, run}, false, true),
               Catch::Contains("r is in registers; a raw function takes what is in a memory"));
}

TEST_CASE("a raw function on every target whose blocks have memories", "[raw]")
{
    for (const Machine& machine : {machines::cpu, machines::sm90, machines::sm100, machines::trn2}) {
        INFO(machine.name);
        Kernel k("targets", machine);
        const auto A = k.input("A", {4, 6}, f32), D = k.output("D", {4, 6}, f32);
        one_block(k, 1, [&](Scope c) {
            const auto s = c.alloc(Role::shared, {4, 6}, f32, {}, "s"); // of trn2 in partitions
            c.raw(raw_add, {s, A, A}).raw(raw_add, {D, s, A});
        });
        Bindings in;
        in.set("A", arrays::counting({4, 6}, f32));
        const auto lowered = required(lower(k.program().value()));
        const auto report = without_fault(sim::run(lowered->program, in).value());
        for (int i = 0; i < 24; ++i) CHECK(report.outputs.find("D")->at(i) == 3 * i);
    }
}

TEST_CASE("a raw function in verification: its reference, or exact elements", "[raw]")
{
    for (const bool rounded : {false, true})
        for (const bool has_reference : {false, true}) {
            RawFunction f = raw_add;
            if (has_reference)
                f.reference = [](const ref::Operands& o) -> Result<void, Problem> {
                    const auto a = ref::read(o.box(1)), b = ref::read(o.box(2));
                    if (!a) return a.error();
                    if (!b) return b.error();
                    ref::Values out(o.box(0).size());
                    for (std::int64_t i = 0; i < out.size(); ++i) out.set(i, ref::stored(ref::sum(a->at(i), b->at(i)), o.type(0)));
                    return ref::write(o.box(0), out);
                };
            Kernel k("verified", machines::sm80);
            const auto A = k.input("A", {4, 6}, f32), D = k.output("D", {4, 6}, f32);
            k.cta(tiles(1, 1), [&](Scope c, const Tile&) {
                const auto s = c.alloc(Role::shared, {4, 6}, f32, {}, "s");
                c.unary(rounded ? Function::exp : Function::neg, s, A).sync();
                c.raw(f, {D, s, A});
            });
            const Program p = k.program().value();
            Bindings in;
            in.set("A", arrays::counting({4, 6}, f32));
            const auto report = sim::run(lower(p).value().program, in).value();
            REQUIRE(report.ok());
            const auto verified = verify(p, in, report.outputs);
            if (rounded && !has_reference) {
                REQUIRE(!verified.has_value());
                CHECK_THAT(verified.error().text, Catch::Contains("add_matrices takes s, whose element 0 depends on rounding"));
            } else {
                REQUIRE(verified.has_value());
                CHECK(verified->ok());
            }
        }
}
