// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/required.hpp>
#include <tests/unit/sim/kernels/trial.hpp>

using namespace axe;
using enum DType;

namespace {

/// D[i] = table[index[i]]: rows of a table, eight a block, through shared memory. `shift`: of the block's part of the indices.
Program gather_kernel(std::int64_t rows, std::int64_t N, std::int64_t width, std::int64_t shift = 0)
{
    Kernel k("gather", machines::sm80);
    const auto table = k.input("table", {rows, width}, f16), D = k.output("D", {N, width}, f16);
    const auto index = k.input("index", {N}, i32);
    k.computes(D, gather(table, index));
    k.cta(
        tiles(N, 8),
        [&](Scope cta, const Tile& t) {
            const auto i = cta.alloc(Role::shared, {8}, i32, {}, "i");
            const auto s = cta.alloc(Role::shared, {8, width}, f16, {}, "s");
            cta.copy(i, index(Interval(t.rows.begin + shift, 8)).guarded()).sync();
            cta.gather(s, table, i).sync();
            cta.copy(D(t.rows, all), s);
        },
        2);
    return trial::written(k);
}
/// `row`, where given, is one of the indices.
Bindings inputs(std::int64_t rows, std::int64_t N, std::int64_t width, std::int64_t at = 0, double row = 0)
{
    laws::Random random(35);
    Array table = arrays::random({rows, width}, f16, random), index = Array::make({N}, i32).value();
    for (std::int64_t i = 0; i < N; ++i) index.set(i, static_cast<double>(random.in(0, static_cast<int>(rows) - 1)));
    index.set(at, row);
    return trial::given({{"table", &table}, {"index", &index}});
}

} // namespace

TEST_CASE("a gather of rows of a table is what its specification says")
{
    trial::check_right(gather_kernel(19, 37, 21), inputs(19, 37, 21));
    trial::check_right(gather_kernel(1, 1, 1), inputs(1, 1, 1));
    trial::check_right(gather_kernel(300, 8, 1), inputs(300, 8, 1));
}
TEST_CASE("a gather by the indices of other rows is wrong")
{
    trial::check_wrong(gather_kernel(19, 37, 21, 1), inputs(19, 37, 21));
}
TEST_CASE("a gather by an index outside of the table is a fault that names the index and its element")
{
    for (const double outside : {19.0, -1.0, 2147483647.0}) {
        const auto lowered = required(lower(gather_kernel(19, 37, 21)));
        const auto report = required(sim::run(lowered->program, inputs(19, 37, 21, 29, outside)));
        CHECK(report->fault.kind == sim::FaultKind::out_of_bounds);
        const std::string row = std::to_string(static_cast<std::int64_t>(outside));
        CHECK(report->fault.text == "gather, statement 5, block (3): lane 9 of agent 1 accesses row " + row +
                                        " of table, whose view has 19 rows; that is index 5 of the 8");
        REQUIRE(report->fault.lines.size() == 1);
        INFO(report->fault.lines[0]);
        CHECK(report->fault.lines[0].find("statement 5: gather s = table at i (gather.cpp:") == 0);
    }
}
