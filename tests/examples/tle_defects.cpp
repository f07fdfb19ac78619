// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <tests/examples/workload.hpp>
#include <tests/required.hpp>

/// Defects of TLE's kernels, each in a kernel that is as TLE has it in this respect: found by a check, and not there in the mended one.
/// docs/examples/tle_defects.md has the same in a table.

namespace {

using namespace axe;
using workload::found, workload::mapped, workload::performed;

/// What is said of a run of an example with these values: "right", "wrong", or its fault's kind.
std::string said(const char* name, const char* machine, const workload::Values& values)
{
    const auto done = performed(name, machine, values);
    if (!done.report.ok()) return sim::name(done.report.fault.kind);
    return done.ok() ? "right" : "wrong";
}

/// The largest of a row of f16 and its column, by numbers that have both: the key · 2^16 + `first` − column.
examples::Performance largest_of_row(std::int64_t columns, double first)
{
    Kernel k("largest", machines::sm80);
    const auto X = k.input("X", {columns}, DType::f32), key = k.input("key", {columns}, DType::i32);
    const auto at = k.output("at", {1}, DType::i32);
    k.computes(at, by_function(
                       "argmax",
                       [=](const std::vector<const Array*>& of, std::vector<Estimate>& out) {
                           std::int64_t best = 0;
                           for (std::int64_t j = 1; j < columns; ++j)
                               if (of[0]->at(j) > of[0]->at(best)) best = j;
                           out[0].value = static_cast<double>(best);
                       },
                       {X}, {1}, DType::i32));
    constexpr std::int64_t some = 1024;
    k.cta(tiles(1, 1), [&](Scope c, const Tile&) {
        const auto registers = [&](std::int64_t n, const char* name) {
            const Layout same{{{1, 1, "reg"}}, {{4, 1, "warp"}, {32, 1, "lane"}}, {}};
            const Layout spread{{{n / 128, 1, "reg"}, {4, 1, "warp"}, {32, 1, "lane"}}, {}, {}};
            return c.alloc(Role::registers, {n}, DType::i32, n == 1 ? same : spread, name);
        };
        const auto best = registers(some, "best"), x = registers(some, "x"), column = registers(some, "column"),
                   number = registers(some, "number");
        c.fill(best, -2147483648.0);
        c.loop(0, columns / some, 1, [&](const Affine& i) {
            c.copy(x, key(Interval(i * some, some))).iota(column, 0, i * some).fill(number, first);
            c.binary(Function::sub, column, number, column).fill(number, 16).binary(Function::shift_left, x, x, number);
            c.binary(Function::bit_or, x, x, column).binary(Function::max, best, best, x);
        });
        const auto all_of = registers(1, "all_of"), mask = registers(1, "mask");
        c.reduce(Function::max, all_of(0), best, {0}).fill(mask, 65535).binary(Function::bit_and, all_of, all_of, mask);
        c.fill(mask, first).binary(Function::sub, all_of, mask, all_of).copy(at, all_of);
    });
    examples::Performance out;
    out.program = k.program().value();
    Array numbers = Array::make({columns}, DType::f32).value(), keys = Array::make({columns}, DType::i32).value();
    for (std::int64_t j = 0; j < columns; ++j) {
        numbers.set(j, j == 0 ? 100 : static_cast<double>(j % 7));
        const auto bits = static_cast<std::int64_t>(encode(DType::f16, numbers.at(j)));
        keys.set(j, static_cast<double>(bits)); // of numbers that are not negative
    }
    out.inputs.set("X", std::move(numbers)).set("key", std::move(keys));
    out.lowered = lower(out.program).value();
    out.report = sim::run(out.lowered.program, out.inputs).value();
    if (out.report.ok()) out.verification = verify(out.program, out.inputs, out.report.outputs).value();
    return out;
}

} // namespace

TEST_CASE("sparse_mla: a maximum that is kept in bf16, with powers of the one that is not rounded")
{
    for (const char* heads : {"20", "64"}) {
        const auto whole = performed("sparse_mla", "sm80", {{"H", heads}, {"SQ", "40"}, {"topk", "40"}, {"block", "16"}});
        REQUIRE(whole.ok());
        Program rounded = whole.program;
        int changed = 0;
        for (ProgramTensor& t : rounded.tensors)
            if (t.name == "most") t.dtype = DType::bf16, ++changed;
        REQUIRE(changed == 1);
        const auto lowered = required(lower(rounded));
        const auto report = without_fault(sim::run(lowered->program, whole.inputs).value());
        CHECK_FALSE(verify(whole.program, whole.inputs, report.outputs).value().ok());
    }
}

TEST_CASE("sparse_mla: a first block of holes only, whose maximum is -inf: NaN")
{
    const auto whole = performed("sparse_mla", "sm80", {{"data", "late"}, {"block", "16"}});
    REQUIRE(whole.ok());
    const auto is_named = [&](const View& v, const char* name) {
        return whole.program.tensors[static_cast<std::size_t>(v.tensor)].name == name;
    };
    Program wrong = whole.program;
    int changed = 0;
    for_each_statement(wrong.body, [&](Statement& s) {
        Operation* o = mapped(s, Function::select);
        if (o == nullptr) return;
        const bool of_most = is_named(o->operands[2], "zero") && is_named(o->operands[3], "next"); // −∞ is not replaced by 0,
        const bool of_sums = is_named(o->operands[0], "o") && is_named(o->operands[3], "zero");    // and NaN not at the end
        if (of_most) o->operands[2] = o->operands[3];
        if (of_sums) o->operands[3] = o->operands[2];
        changed += of_most || of_sums ? 1 : 0;
    });
    REQUIRE(changed == 2);
    const auto report = sim::run(lower(wrong).value().program, whole.inputs).value();
    REQUIRE(report.ok());
    CHECK_FALSE(verify(whole.program, whole.inputs, report.outputs).value().ok());
    CHECK(std::isnan(report.outputs.find("O")->at(0)));
}

TEST_CASE("sparse_mla: heads divided by the number of groups instead of that of their blocks")
{
    CHECK(said("sparse_mla", "sm80", {{"H", "70"}, {"SQ", "1"}}) == "right");
    CHECK(said("sparse_mla", "sm80", {{"H", "70"}, {"SQ", "1"}, {"version", "by_group"}}) == "race");
    CHECK(said("sparse_mla", "sm80", {{"H", "64"}, {"SQ", "1"}, {"version", "by_group"}}) == "right"); // one block a group
}

TEST_CASE("sparse_mla: blocks of the list that are left out by their position, with holes before the keys")
{
    for (const char* data : {"spread", "late"}) {
        CHECK(said("sparse_mla", "sm80", {{"data", data}}) == "right");
        CHECK(said("sparse_mla", "sm80", {{"data", data}, {"version", "by_position"}}) == "wrong");
    }
}

TEST_CASE("moe_align in a cluster: the first block copies onto itself where experts begin, while others read it")
{
    const auto whole = performed("moe_align", "sm90", {{"form", "cluster"}});
    REQUIRE(whole.ok());
    int places = 0;
    CHECK(found(whole, [&](Statement& s) {
              auto* condition = std::get_if<If>(&s.what);
              if (condition == nullptr || condition->condition.kind != Expression::Kind::not_equal) return false;
              condition->condition = Expression(1.0);
              ++places;
              return true;
          }) == "race");
    CHECK(places == 1);
}

TEST_CASE("topk: keys and columns in one number, where the first column is 65536 before the end")
{
    const auto upstream = largest_of_row(65536, 65536), shorter = largest_of_row(32768, 32768),
               mended = largest_of_row(65536, 65535);
    REQUIRE((upstream.report.ok() && shorter.report.ok() && mended.report.ok()));
    CHECK_FALSE(upstream.verification.ok());
    CHECK(upstream.report.outputs.find("at")->at(0) == 65536); // no column of the row
    CHECK(shorter.verification.ok());
    CHECK(mended.verification.ok());
}

TEST_CASE("topk_selector: a first step that gives out what is above its bin, and then begins again")
{
    workload::Values values{{"b", "1"}, {"S", "4096"}, {"k", "4"}, {"list", "2048"}, {"data", "peak"}};
    CHECK(said("topk_selector", "sm80", values) == "right");
    values.push_back({"version", "upstream"});
    const auto done = performed("topk_selector", "sm80", values);
    REQUIRE(done.report.ok());
    CHECK_FALSE(done.ok());
    CHECK(done.conclusion.lines.front() ==
          "rows: 1; ids that a row has twice: 1; rows whose ids are not of the largest numbers: 1");
}
