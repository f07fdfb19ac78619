// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/defects/harness.hpp>
#include <tests/defects/phases.hpp>

/// Copies by a tensor map of four rows that an index chooses in the run: tile::gather4, tile::scatter4.
namespace {

using namespace defects;

enum class RowSlip { none, no_wait, no_fence, index_race, outside, twice, no_group, no_source_wait, few_bytes };

/// The row that index i names of so many; of a guarded view one in five is beyond the end, or before the beginning.
double row_of_an_index(std::int64_t i, std::int64_t count, bool guarded)
{
    const std::int64_t row = (7 * i + 3) % count;
    return static_cast<double>(guarded && i % 5 == 4 ? (i % 2 == 0 ? -1 : count) : row);
}

struct RowForm {
    std::int64_t rows = 8, count = 16, columns = 64;
    std::int64_t of = 64, from = 0; ///< columns of the tensor, and the first that is copied
    DType type = f16;
    bool guarded = false, swizzled = false;
};

/// C[i] = A[index[i]] through shared memory, or C[index[i]] = A[i].
Pair rows_copied_by(const RowForm& f, bool gathers, RowSlip slip)
{
    const auto value = [](std::int64_t row, std::int64_t column) { return static_cast<double>((row * 7 + column) % 16); };
    const auto index = [f](std::int64_t i) { return row_of_an_index(i, f.count, f.guarded); };
    Pair p{machines::sm100, {}, {}, {}};
    p.given["index"] = index;
    if (gathers) {
        p.given["A"] = [=](std::int64_t i) { return value(i / f.of, i % f.of); };
        p.wanted["C"] = [=](std::int64_t i) {
            const double row = index(i / f.columns);
            const bool there = row >= 0 && row < static_cast<double>(f.count) && f.from + i % f.columns < f.of;
            return there ? value(static_cast<std::int64_t>(row), f.from + i % f.columns) : 0;
        };
    } else {
        p.given["A"] = [=](std::int64_t i) { return value(i / f.columns, i % f.columns); };
        p.given["C"] = [](std::int64_t) { return -1.0; };
        p.wanted["C"] = [=](std::int64_t at) {
            for (std::int64_t i = 0; i < f.rows; ++i)
                if (index(i) == static_cast<double>(at / f.of) && at % f.of >= f.from && at % f.of - f.from < f.columns)
                    return value(i, at % f.of - f.from);
            return -1.0;
        };
    }
    p.write = [=](Kernel& k, bool defect, Marks& marks) {
        const auto is = [&](RowSlip s) { return defect && s == slip; };
        const auto I = k.input("index", {f.rows}, i32);
        const auto A = gathers ? k.input("A", {f.count, f.of}, f.type) : k.input("A", {f.rows, f.columns}, f.type);
        const auto C = gathers ? k.output("C", {f.rows, f.columns}, f.type) : k.inout("C", {f.count, f.of}, f.type);
        one_block(k, 2, [&](Scope cta) {
            const Placement placed =
                f.swizzled ? Placement(Swizzled<Layout>{{3, 4, 3}, {}, 2, {{{f.rows * f.columns, 1}}, {}, {}}}) : Placement();
            const auto s = cta.alloc(Role::shared, {f.rows, f.columns}, f.type, placed, "s");
            const auto x = cta.alloc(Role::shared, {f.rows}, i32, {}, "x");
            const ViewRef some = (gathers ? A : C)(all, Interval(f.from, f.columns)).guarded(f.guarded && !is(RowSlip::outside));
            const int bytes = static_cast<int>(f.rows * f.columns * bits(f.type) / 8);
            int copied = -1, filled = -1, started = -1;
            cta.warps(1, 1, [&](Scope w) {
                w.mbarrier(init(0, 1));
                filled = next(k);
                if (!gathers) w.copy(s, A);
                if (gathers && slip == RowSlip::no_fence) w.fill(s, 9);
                if (!is(RowSlip::no_fence)) w.proxy_fence();
                w.copy(x, I);
                if (is(RowSlip::twice)) w.fill(x(Interval(0, 2)), 3);
            });
            cta.sync();
            copied = next(k);
            if (is(RowSlip::index_race)) cta.warps(1, 1, [&](Scope w) { copied = next(k), w.copy(x, I); });
            cta.warps(0, 1, [&](Scope w) {
                if (gathers) w.mbarrier(expect(0, is(RowSlip::few_bytes) ? bytes - 16 : bytes));
                started = next(k);
                if (gathers)
                    w.gather(s, some, x, completes_on(0));
                else
                    w.scatter(some, x, s, asynchronous());
                const int after = next(k);
                if (gathers && !is(RowSlip::no_wait)) w.mbarrier(wait_for(0, 0));
                if (!gathers && !is(RowSlip::no_group)) w.commit();
                if (!gathers && !is(RowSlip::no_source_wait) && !is(RowSlip::no_group)) w.wait_sources();
                const int used = next(k);
                if (gathers) w.copy(C, s);
                if (slip == RowSlip::no_source_wait) w.fill(s, 0);
                marks.at = started;
                if (slip == RowSlip::no_fence) marks.other = filled;
                if (slip == RowSlip::no_wait || slip == RowSlip::no_source_wait) marks = {used, started};
                if (slip == RowSlip::few_bytes) marks.at = after;
                if (slip == RowSlip::index_race) marks = {copied, started};
            });
        });
    };
    return p;
}

std::vector<RowForm> row_forms()
{
    std::vector<RowForm> out;
    for (const DType type : {f16, f32, i32, e4m3})
        for (const std::int64_t rows : {4, 8, 12}) {
            RowForm f;
            f.type = type;
            f.rows = rows;
            f.count = 13;
            out.push_back(f);
            f.guarded = true;
            out.push_back(f);
            f.of = 96;
            f.from = 48; // beyond the last column
            out.push_back(f);
            f.guarded = false;
            f.from = 32;
            out.push_back(f);
        }
    RowForm f;
    f.swizzled = true;
    out.push_back(f);
    return out;
}

} // namespace

TEST_CASE("rows that an index chooses are gathered four at a time, and what is outside is zeros")
{
    for (const RowForm& f : row_forms()) {
        INFO(f.rows << " rows, columns from " << f.from << " of " << f.of << ", " << name(f.type) << ", guarded " << f.guarded);
        check_sound(rows_copied_by(f, true, RowSlip::none));
    }
}

TEST_CASE("rows are scattered four at a time to where an index says, and what is outside is not written")
{
    for (const RowForm& f : row_forms()) {
        INFO(f.rows << " rows, columns from " << f.from << " of " << f.of << ", " << name(f.type) << ", guarded " << f.guarded);
        check_sound(rows_copied_by(f, false, RowSlip::none));
    }
}

TEST_CASE("a gather or a scatter of rows reads an index that another agent writes")
{
    for (const bool gathers : {true, false})
        check_fault(rows_copied_by({}, gathers, RowSlip::index_race), FaultKind::race, {"of x"});
}

TEST_CASE("gathered rows are read without a wait")
{
    check_fault(rows_copied_by({}, true, RowSlip::no_wait), FaultKind::race,
                {"of s", "written by an asynchronous copy that completes on mbarrier 0"});
}

TEST_CASE("shared memory of rows was written by ordinary accesses, without a proxy fence")
{
    check_fault(rows_copied_by({}, true, RowSlip::no_fence), FaultKind::proxy,
                {"of s", "is written here by an asynchronous operation"});
    check_fault(rows_copied_by({}, false, RowSlip::no_fence), FaultKind::proxy,
                {"of s", "is read here by an asynchronous operation"});
}

TEST_CASE("an index names a row outside of a view that is not guarded")
{
    RowForm f;
    f.guarded = true;
    for (const bool gathers : {true, false})
        check_fault(rows_copied_by(f, gathers, RowSlip::outside), FaultKind::out_of_bounds,
                    {"agent 0 accesses row -1 of", "whose view has 16 rows; that is index 4 of the 8"});
}

TEST_CASE("a scatter writes one row twice")
{
    check_fault(rows_copied_by({}, false, RowSlip::twice), FaultKind::race,
                {"agent 0 writes row 3 of C by the indices 0 and 1; their order is not defined"});
}

TEST_CASE("a scatter of rows is in no group at the end")
{
    check_fault(rows_copied_by({}, false, RowSlip::no_group), FaultKind::async_unfinished, {"agent 0 ends without a wait"});
}

TEST_CASE("shared memory is written while a scatter of rows reads it")
{
    check_fault(rows_copied_by({}, false, RowSlip::no_source_wait), FaultKind::race,
                {"of s", "read by an asynchronous copy of agent 0"});
}

TEST_CASE("a phase expects fewer bytes than gathered rows are")
{
    check_fault(rows_copied_by({}, true, RowSlip::few_bytes), FaultKind::deadlock, {"has 16 bytes too many"});
}

TEST_CASE("copies of four rows are counted, each by its instruction")
{
    for (const bool gathers : {true, false}) {
        RowForm f;
        f.swizzled = true;
        f.rows = 12;
        Marks marks;
        const Found found = find(rows_copied_by(f, gathers, RowSlip::none), false, marks);
        INFO(found.text);
        REQUIRE(found.ended());
        const sim::Counters& c = found.statements.at(marks.at);
        CHECK(c.by_text.at(gathers ? "cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes"
                                   : "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group") == 3);
        const sim::MemoryCount &g = c.memories.at("gmem"), &s = c.memories.at("smem");
        const std::int64_t all = 12 * 64 * 2;
        CHECK((gathers ? g.bytes_read : g.bytes_written) == all);
        CHECK(g.sectors == all / 32);
        CHECK((gathers ? s.bytes_written : s.bytes_read) == all + (gathers ? 0 : 12 * 4));
        CHECK((gathers ? s.bytes_read : s.bytes_written) == (gathers ? 12 * 4 : 0));
    }
}

TEST_CASE("why rows are not copied four at a time")
{
    const auto why = [](const Machine& machine, const std::function<void(Scope, const TensorRef&, const TensorRef&)>& write) {
        Kernel k("declined", machine);
        const auto A = k.inout("A", {16, 64}, f16), I = k.input("index", {8}, i32);
        k.cta(tiles(1, 1), [&](Scope cta, const Tile&) { write(cta, A, I); });
        return find(k.program().value(), {}).text;
    };
    const auto tile = [](Scope cta, std::int64_t rows, std::int64_t columns) {
        return cta.alloc(Role::shared, {rows, columns}, f16, {}, "s");
    };
    Options counted_bytes = completes_on(0), scatters = asynchronous();
    counted_bytes.schedule = scatters.schedule = "bulk_rows";
    const auto says = [](const std::string& text, const std::string& words) {
        INFO(text);
        CHECK(text.find(words) != std::string::npos);
    };
    says(
        why(machines::sm100, [&](Scope cta, auto A, auto I) { cta.gather(tile(cta, 6, 64), A, I(Interval(0, 6)), counted_bytes); }),
        "6 rows; copies by a tensor map take four at a time");
    says(why(machines::sm100, [&](Scope cta, auto A, auto I) { cta.gather(tile(cta, 8, 64), A, I, scatters); }),
         "a bulk copy to shared memory completes on an mbarrier");
    says(why(machines::sm100,
             [&](Scope cta, auto A, auto I) {
                 Options late = scatters;
                 late.async = false;
                 cta.scatter(A, I, tile(cta, 8, 64), late);
             }),
         "it is not asynchronous: `async` is not given");
    says(why(machines::sm100,
             [&](Scope cta, auto A, auto I) {
                 const auto held = cta.alloc(Role::registers, {8}, i32, "8:1@lane"_axe, "held");
                 cta.copy(held, I).gather(tile(cta, 8, 64), A, held, counted_bytes);
             }),
         "held is in registers; lane 0 of the agent that starts the copies must hold all of the index");
    says(why(machines::sm100,
             [&](Scope cta, auto A, auto I) {
                 cta.gather(tile(cta, 8, 64), cta.alloc(Role::shared, {16, 64}, f16, {}, "t"), I, counted_bytes);
                 static_cast<void>(A);
             }),
         "rows are copied between global and shared memory, there without a guard");
    says(why(machines::sm100,
             [&](Scope cta, auto A, auto I) { cta.gather(tile(cta, 8, 12), A(all, Interval(0, 12)), I, counted_bytes); }),
         "must be a multiple of 16");
    says(why(machines::sm90, [&](Scope cta, auto A, auto I) { cta.gather(tile(cta, 8, 64), A, I, completes_on(0)); }),
         "lanes does not complete on an mbarrier");
}
