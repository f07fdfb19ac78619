// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/kernels.hpp>
#include <catch.hpp>
#include <tests/one_block.hpp>
#include <tests/random.hpp>
#include <tests/required.hpp>

/// Scans of registers by exchanges of lanes: for all layouts of a small kind, against plain loops.

using namespace axe;
using enum DType;

namespace {

constexpr Axis scan_lane{"lane"}, scan_warp{"warp"}, scan_reg{"reg"};

/// Lines are columns of digits: `again` registers, then `lanes` that are `step` apart, then `next` registers; lines themselves are in lanes
/// beside them and in two warps.
struct ScanCase {
    std::int64_t again = 1, lanes = 1, step = 1, next = 1, beside = 1;
    [[nodiscard]] std::int64_t length() const { return again * lanes * next; }
    [[nodiscard]] Shape shape() const { return {2 * beside, length()}; }
    [[nodiscard]] Layout layout() const
    {
        const std::int64_t apart = step == 1 ? lanes : 1;
        return {
            {{2, 1, scan_warp}, {beside, apart, scan_lane}, {again, next, scan_reg}, {lanes, step, scan_lane}, {next, 1, scan_reg}},
            {},
            {}};
    }
    [[nodiscard]] std::string text() const
    {
        std::string out;
        for (const std::int64_t n : {again, lanes, step, next, beside}) out += std::to_string(n) + " ";
        return out;
    }
};

struct ScanRun {
    std::string schedule{}, detail{};
    std::vector<std::string> declined{};
    int wrong = 0;
    std::int64_t exchanges = 0, barriers = 0;
};

/// Y = the scan of X in registers of this layout; what was chosen, and how many elements are not what a loop gives.
ScanRun scanned(const Shape& shape, const Placement& layout, Function f, DType type, bool exclusive, bool to_memory = false,
                int warps = 2, const char* schedule = "")
{
    Kernel k("scan", machines::sm80);
    const auto X = k.input("X", shape, type), Y = k.output("Y", shape, type);
    Options options;
    options.schedule = schedule;
    one_block(k, warps, [&](Scope cta) {
        const auto x = cta.alloc(Role::registers, shape, type, layout, "x"),
                   y = cta.alloc(Role::registers, shape, type, layout, "y");
        cta.copy(x, X);
        if (to_memory) {
            cta.scan(f, Y, x, 1, exclusive, options);
            return;
        }
        cta.scan(f, y, x, 1, exclusive, options).copy(Y, y);
    });
    const auto program = required(k.program());
    const auto lowered = lower(*program);
    ScanRun out;
    if (!lowered) {
        out.declined.push_back(lowered.error().text);
        return out;
    }
    for (const Choice& choice : lowered->choices)
        if (choice.schedule == "shuffle" || choice.schedule == "through_shared") { // no other operator has these here
            out.schedule = choice.schedule, out.detail = choice.detail;
            for (const auto& why : choice.declined) out.declined.push_back(why.second);
        }
    laws::Random random(11);
    Array x = Array::make(shape, type).value();
    for (std::int64_t i = 0; i < x.size(); ++i) x.set(i, static_cast<double>(random.in(-9, 9))); // every sum is exact
    Bindings in;
    in.set("X", x.clone().value());
    const auto report = without_fault(sim::run(lowered->program, in));
    for (const auto& [name, count] : report->total.by_text) out.exchanges += name.starts_with("shfl") ? count : 0;
    out.barriers = report->total.barriers;
    const Array& y = *report->outputs.find("Y");
    const FunctionRow& row = f.row();
    for (std::int64_t i = 0; i < shape[0]; ++i) {
        double sum = is_whole(type)
                         ? decode(type, encode_int(type, std::clamp<std::int64_t>(row.neutral_integer, -(1ll << 62), 1ll << 62)))
                         : row.neutral;
        bool first = true;
        for (std::int64_t j = 0; j < shape[1]; ++j) {
            const double term = x.at(i * shape[1] + j), before = sum;
            sum = first ? term : row.apply(sum, term, 0);
            first = false;
            out.wrong += y.at(i * shape[1] + j) == (exclusive ? before : sum) ? 0 : 1;
        }
    }
    return out;
}

} // namespace

TEST_CASE("scans of registers by exchanges are what loops give, for every way to cut lines into lanes and registers")
{
    int cases = 0;
    for (const std::int64_t lanes : {1, 2, 3, 4, 5, 8, 16, 32})
        for (const std::int64_t again : {1, 2, 3})
            for (const std::int64_t next : {1, 2, 3})
                for (const std::int64_t beside : {1, 2, 4})
                    for (const std::int64_t step : {std::int64_t{1}, beside}) {
                        const ScanCase c{again, lanes, step, next, beside};
                        if (lanes * beside > 32 || (step > 1 && lanes == 1)) continue;
                        if (step == 1 && beside > 1 && lanes == 1 && again > 1) continue; // the same as one of `next`
                        const DType type = cases % 3 == 0 ? f32 : i32;
                        const Function f = cases % 2 == 0 ? Function::add : Function::max;
                        for (const bool exclusive : {false, true}) {
                            const ScanRun run = scanned(c.shape(), c.layout(), f, type, exclusive, cases % 4 == 3);
                            INFO(c.text() << name(f) << " " << name(type) << (exclusive ? " exclusive " : " ") << run.detail);
                            CHECK(run.schedule == "shuffle");
                            CHECK(run.wrong == 0);
                            CHECK(run.barriers == 0);
                        }
                        ++cases;
                    }
    CHECK(cases > 200);
}

TEST_CASE("a scan by exchanges takes log2 of the lanes and one more, and one for what goes round again")
{
    // Of both warps, a register each.
    const ScanRun once = scanned({2, 32}, ScanCase{1, 32, 1, 1, 1}.layout(), Function::add, i32, false);
    CHECK(once.detail == "32 lanes a line, 6 exchanges");
    CHECK(once.exchanges == 2 * 6);
    const ScanRun twice = scanned({2, 64}, ScanCase{2, 32, 1, 1, 1}.layout(), Function::add, i32, false);
    CHECK(twice.detail == "32 lanes a line, 7 exchanges");
    const ScanRun chunks = scanned({2, 128}, ScanCase{1, 32, 1, 4, 1}.layout(), Function::add, i32, true);
    CHECK(chunks.detail == "32 lanes a line, 6 exchanges");
    const ScanRun alone = scanned({8, 4}, ScanCase{1, 1, 1, 4, 4}.layout(), Function::add, f64, false);
    CHECK(alone.detail == "1 lane a line, 0 exchanges");
    CHECK(alone.wrong == 0);
}

TEST_CASE("scans by exchanges in every type, of every reduction, are exact where the sums are")
{
    for (const FunctionRow& row : function_rows)
        for (const DType type : {i32, f32, f16, i8}) {
            if (!row.reduces || row.domain == Domain::bits || Function(row) == Function::mul) continue;
            if (type == i8 && Function(row) != Function::add) continue; // the neutral element is not of the type
            const ScanRun run = scanned({4, 8}, ScanCase{1, 4, 2, 2, 2}.layout(), Function(row), type, false);
            INFO(row.name << " " << name(type));
            CHECK(run.schedule == "shuffle");
            CHECK(run.wrong == 0);
        }
}

TEST_CASE("lines that cross warps, are in several lanes or grow in f64 go through shared memory")
{
    const Layout warps{{{2, 1, scan_warp}, {32, 1, scan_lane}}, {}, {}};
    const Layout copies{{{2, 1, scan_warp}, {8, 4, scan_lane}}, {{4, 1, scan_lane}}, {}};
    const Layout long_sums{{{2, 1, scan_warp}, {32, 1, scan_lane}}, {}, {}};
    const Layout turned{{{1, 1, scan_reg}, {4, 1, scan_lane}, {8, 4, scan_lane}}, {}, {}};
    const ScanRun a = scanned({1, 64}, warps, Function::add, i32, true);
    CHECK(a.schedule == "through_shared");
    CHECK(a.wrong == 0);
    CHECK(a.barriers > 0);
    const ScanRun b = scanned({2, 8}, copies, Function::add, i32, false);
    CHECK(b.schedule == "through_shared");
    CHECK(b.wrong == 0);
    const ScanRun c = scanned({2, 32}, long_sums, Function::add, f64, false);
    CHECK(c.schedule == "through_shared");
    CHECK(c.wrong == 0);
    const ScanRun d = scanned({1, 32}, turned, Function::add, i32, true, false, 1);
    CHECK(d.schedule == "through_shared");
    CHECK(d.wrong == 0);
    const auto why = [](const Shape& shape, const Layout& layout, DType type, int of) {
        const auto declined = scanned(shape, layout, Function::add, type, false, false, of, "shuffle").declined;
        REQUIRE(declined.size() == 1);
        return declined[0].substr(declined[0].find("shuffle: ") + 9);
    };
    CHECK(why({1, 64}, warps, i32, 2) == "agent 0 holds element 0 of x and not element 32, which is of the same line");
    CHECK(why({2, 8}, copies, i32, 2) == "lane 0 and lane 1 of agent 0 both hold element 0 of x");
    CHECK(why({2, 32}, long_sums, f64, 2) == "lanes exchange 4 bytes per instruction, but the terms of x accumulate in f64");
    CHECK(why({1, 32}, turned, i32, 1) ==
          "along the scan lane 1 follows lane 28 in x; lanes of all lines must go up by the same step");
}

TEST_CASE("a part of registers whose last round is not whole has one register for each run, or goes through shared memory")
{
    const Layout layout{{{2, 2, scan_reg}, {2, 1, scan_reg}, {32, 1, scan_lane}}, {}, {}};
    for (const std::int64_t lines : {1, 2})
        for (const std::int64_t length : {31, 32, 33, 40, 64}) {
            Kernel k("scan", machines::sm80);
            const auto X = k.input("X", {2, 64}, i32), Y = k.output("Y", {lines, length}, i32);
            const Interval rows(0, lines), part(0, length);
            k.computes(Y, cumsum(slice(slice(X, 0, 0, lines), 1, 0, length), 1));
            one_block(k, 1, [&](Scope cta) {
                const auto x = cta.alloc(Role::registers, {2, 64}, i32, layout, "x");
                cta.copy(x, X).scan(Function::add, x(rows, part), x(rows, part), 1).copy(Y, x(rows, part));
            });
            const Program program = k.program().value();
            const auto lowered = required(lower(program));
            std::string chosen, declined;
            for (const Choice& choice : lowered->choices)
                if (choice.schedule == "shuffle" || choice.schedule == "through_shared") {
                    chosen = choice.schedule;
                    for (const auto& [name, reason] : choice.declined) declined += reason;
                }
            Bindings in;
            Array x = Array::make({2, 64}, i32).value();
            for (std::int64_t i = 0; i < x.size(); ++i) x.set(i, static_cast<double>(i * 37 % 19 - 9));
            in.set("X", std::move(x));
            const auto report = required(sim::run(lowered->program, in));
            INFO(lines << " " << length << " " << chosen << " " << report->fault.text);
            REQUIRE(report->ok());
            CHECK(verify(program, in, report->outputs)->ok());
            const bool uneven = lines == 2 && (length == 33 || length == 40);
            CHECK(chosen == (uneven ? "through_shared" : "shuffle"));
            if (uneven)
                CHECK(declined == "lane 0 and lane " + std::to_string(length - 32) +
                                      " have different numbers of lines of x before the same one");
        }
}
