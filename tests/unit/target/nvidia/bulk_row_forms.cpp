// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/one_block.hpp>
#include <tests/required.hpp>
#include <tests/unit/sim/kernels/trial.hpp>

#include <fstream>
#include <iterator>

/// Gathers and scatters of four rows: to several blocks, and by indices in registers.
namespace {

using namespace axe;
using namespace axe::literals;
using enum DType;
using Action = Mbarrier::Action;

constexpr std::int64_t gather4_rows = 24, gather4_columns = 64;

std::int64_t gather4_choice(std::int64_t i) { return (7 * i + 5) % gather4_rows; }
double gather4_value(std::int64_t row, std::int64_t column) { return static_cast<double>((row * 5 + column) % 2000); }

Bindings gather4_inputs(std::int64_t indices)
{
    Bindings in;
    Array a = Array::make({gather4_rows, gather4_columns}, f16).value(), index = Array::make({indices}, i32).value();
    for (std::int64_t i = 0; i < a.size(); ++i) a.set(i, gather4_value(i / gather4_columns, i % gather4_columns));
    for (std::int64_t i = 0; i < indices; ++i) index.set(i, static_cast<double>(gather4_choice(i)));
    in.set("A", std::move(a));
    in.set("index", std::move(index));
    return in;
}

enum class SeveralSlip { none, no_wait, no_expect };

/// The block of rank `from` gathers eight rows for the blocks of the mask, each of which writes them to its part of C.
Program gathered_for(int blocks, unsigned mask, int from, SeveralSlip slip = SeveralSlip::none)
{
    Kernel k("for_several", machines::sm100);
    const auto A = k.input("A", {gather4_rows, gather4_columns}, f16), I = k.input("index", {8}, i32);
    const auto C = k.inout("C", {8 * blocks, gather4_columns}, f16);
    k.cta(
        tiles(blocks, 1), {{blocks}, false},
        [&](Scope cta, const Tile& t) {
            const auto s = cta.alloc(Role::shared, {8, gather4_columns}, f16, {}, "s");
            cta.mbarrier({Action::init, 0, 1, {}});
            const auto of_mask = [&](const auto& body) {
                for (int r = 0; r < blocks; ++r)
                    if ((mask >> r & 1) != 0) cta.when(equals(t.rank, r), [&] { body(r); });
            };
            of_mask([&](int r) {
                if (slip != SeveralSlip::no_expect || r == from)
                    cta.mbarrier({Action::expect_bytes, 0, 8 * gather4_columns * 2, {}});
            });
            cta.cluster_sync();
            cta.when(equals(t.rank, from),
                     [&] { cta.gather(s, A, I, {.completes_on = 0, .multicast = static_cast<std::uint16_t>(mask)}); });
            of_mask([&](int r) {
                if (slip != SeveralSlip::no_wait || r == from) cta.mbarrier({Action::wait, 0, 0, 0});
                cta.copy(C(Interval(8 * r, 8), all), s);
            });
            cta.cluster_sync();
        },
        1);
    return trial::written(k);
}

std::string fault_of_rows(const Program& p, const Bindings& in, sim::FaultKind& kind)
{
    const auto lowered = lower(p);
    if (!lowered) return lowered.error().text;
    const auto report = sim::run(lowered->program, in);
    if (!report) return report.error().text;
    kind = report->ok() ? sim::FaultKind::none : report->fault.kind;
    return report->fault.text;
}

/// C[i] = A[index[i]], or C[index[i]] = A[i], by an index in registers.
Program by_registers(std::int64_t rows, const Layout& held, bool gathers, bool writes_index = true)
{
    Kernel k("held", machines::sm100);
    const auto I = k.input("index", {rows}, i32);
    const auto A = k.input("A", {gather4_rows, gather4_columns}, f16);
    const auto C = k.inout("C", {gathers ? rows : gather4_rows, gather4_columns}, f16);
    one_block(k, 1, [&](Scope cta) {
        const auto s = cta.alloc(Role::shared, {rows, gather4_columns}, f16, {}, "s");
        const auto x = cta.alloc(Role::registers, {rows}, i32, held, "x");
        cta.mbarrier({Action::init, 0, 1, {}}).mbarrier({Action::expect_bytes, 0, rows * gather4_columns * 2, {}});
        if (writes_index) cta.copy(x, I);
        if (gathers) {
            cta.gather(s, A, x, {.completes_on = 0}).mbarrier({Action::wait, 0, 0, 0}).copy(C, s);
        } else {
            cta.copy_async(s, A(Interval(0, rows), all), {.completes_on = 0}).mbarrier({Action::wait, 0, 0, 0});
            cta.scatter(C, x, s, {.async = true}).commit().wait();
        }
    });
    return trial::written(k);
}

} // namespace

TEST_CASE("gather4 to several blocks: each of the mask has the rows, whichever block starts the copy", "[nvidia]")
{
    for (const int blocks : {2, 4})
        for (unsigned mask = 1; mask < 1u << blocks; mask += blocks == 2 ? 1 : 3)
            for (const int from : {0, blocks - 1}) {
                CAPTURE(blocks, mask, from);
                Bindings in = gather4_inputs(8);
                in.set("C", Array::make({8 * blocks, gather4_columns}, f16).value());
                const Program p = gathered_for(blocks, mask, from);
                const Bindings out = trial::ran(p, in);
                for (std::int64_t i = 0; i < 8 * blocks * gather4_columns; ++i) {
                    const std::int64_t row = i / gather4_columns;
                    const double want =
                        (mask >> (row / 8) & 1) != 0 ? gather4_value(gather4_choice(row % 8), i % gather4_columns) : 0;
                    REQUIRE(out.find("C")->at(i) == want);
                }
            }
}

TEST_CASE("gather4 to several blocks: read once, written to each, as an assembler takes it", "[nvidia]")
{
    const Program p = lower(gathered_for(4, 0b1101, 2)).value().program;
    Bindings in = gather4_inputs(8);
    in.set("C", Array::make({32, gather4_columns}, f16).value());
    const auto report = required(sim::run(p, in));
    REQUIRE(report->ok());
    int at = -1;
    std::string text;
    for_each_statement(p.body, [&](const Statement& s) {
        if (const auto* i = std::get_if<Instruction>(&s.what); i != nullptr && i->opcode == "bulk_rows") at = s.id, text = i->text;
    });
    const sim::Counters& n = report->statements.at(at);
    CHECK(n.memories.at("gmem").bytes_read == 8 * gather4_columns * 2 + 8 * 4); // and the index
    CHECK(n.memories.at("smem").bytes_written == 3 * 8 * gather4_columns * 2);
    CHECK(n.instructions == 2);
    std::ifstream file(std::string(AXE_TEST_DATA) + "/bulk_forms.ptx");
    const std::string forms((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    INFO(text);
    CHECK(text.find(".multicast::cluster") != std::string::npos);
    CHECK(forms.find("    " + text + " ") != std::string::npos);
}

TEST_CASE("gather4 to several blocks: a wait, bytes and the end that another block lacks", "[nvidia]")
{
    const auto fault = [](SeveralSlip slip, sim::FaultKind& kind) {
        Bindings in = gather4_inputs(8);
        in.set("C", Array::make({16, gather4_columns}, f16).value());
        return fault_of_rows(gathered_for(2, 3, 0, slip), in, kind);
    };
    sim::FaultKind kind = sim::FaultKind::none;
    CHECK(fault(SeveralSlip::none, kind).empty());
    INFO(fault(SeveralSlip::no_wait, kind));
    CHECK(kind == sim::FaultKind::race);
    INFO(fault(SeveralSlip::no_expect, kind));
    CHECK((kind == sim::FaultKind::deadlock || kind == sim::FaultKind::transaction));
    Kernel k("alone", machines::sm100);
    const auto A = k.input("A", {gather4_rows, gather4_columns}, f16), I = k.input("index", {8}, i32);
    k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
        const auto s = cta.alloc(Role::shared, {8, gather4_columns}, f16, {}, "s");
        cta.gather(s, A, I, {.completes_on = 0, .multicast = 3});
    });
    CHECK(validate(k.program().value()).front().text.find("it goes to several blocks; the grid has no clusters") !=
          std::string::npos);
}

TEST_CASE("gather4 of pairs of blocks: bytes of both complete on the mbarrier of the first", "[nvidia]")
{
    // Each block gathers rows of its own, or one of them for both; the first expects the bytes, waits, and lets the other one go on.
    for (const int blocks : {2, 4})
        for (const bool multicast : {false, true})
            for (const int slip : {0, 1, 2}) { // none; the other block does not wait; fewer bytes are expected
                CAPTURE(blocks, multicast, slip);
                Kernel k("pairs", machines::sm100);
                const auto A = k.input("A", {gather4_rows, gather4_columns}, f16), I = k.input("index", {8 * blocks}, i32);
                const auto C = k.inout("C", {8 * blocks, gather4_columns}, f16);
                k.cta(
                    tiles(blocks, 1), {{blocks}, false},
                    [&](Scope cta, const Tile& t) {
                        const auto s = cta.alloc(Role::shared, {8, gather4_columns}, f16, {}, "s");
                        cta.mbarrier({Action::init, 0, 1, {}});
                        const auto first_of_pair = [&](const auto& body) {
                            for (int r = 0; r < blocks; r += 2) cta.when(equals(t.rank, r), body);
                        };
                        first_of_pair(
                            [&] { cta.mbarrier({Action::expect_bytes, 0, (slip == 2 ? 1 : 2) * 8 * gather4_columns * 2, {}}); });
                        cta.cluster_sync();
                        Options options{.completes_on = 0, .pair = true};
                        if (multicast) {
                            for (int r = 0; r < blocks; r += 2)
                                cta.when(equals(t.rank, r), [&] {
                                    options.multicast = static_cast<std::uint16_t>(3 << r);
                                    cta.gather(s, A, I(Interval(8 * r, 8)), options);
                                });
                        } else {
                            cta.gather(s, A, I(Interval(8 * t.rank, 8)), options);
                        }
                        first_of_pair([&] { cta.mbarrier({Action::wait, 0, 0, 0}); });
                        if (slip != 1) cta.cluster_sync();
                        cta.copy(C(Interval(8 * t.rank, 8), all), s).cluster_sync();
                    },
                    1);
                const Program p = trial::written(k);
                const auto lowered = required(lower(p));
                const std::string form = std::string("cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::") +
                                         (multicast ? "complete_tx::bytes.multicast::cluster" : "complete_tx::bytes") +
                                         ".cta_group::2";
                CHECK(print(lowered->program).find(form) != std::string::npos);
                std::ifstream file(std::string(AXE_TEST_DATA) + "/bulk_forms.ptx");
                const std::string forms((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
                CHECK(forms.find("    " + form + " ") != std::string::npos);
                Bindings in = gather4_inputs(8 * blocks);
                in.set("C", Array::make({8 * blocks, gather4_columns}, f16).value());
                sim::FaultKind kind = sim::FaultKind::none;
                const std::string fault = fault_of_rows(p, in, kind);
                INFO(fault);
                if (slip == 1) CHECK(kind == sim::FaultKind::race);
                if (slip == 2) CHECK((kind == sim::FaultKind::transaction || kind == sim::FaultKind::race));
                if (slip != 0) continue;
                REQUIRE(kind == sim::FaultKind::none);
                const Bindings out = trial::ran(p, in);
                for (std::int64_t i = 0; i < 8 * blocks * gather4_columns; ++i) {
                    const std::int64_t row = i / gather4_columns, from = multicast ? row / 16 * 16 + row % 8 : row;
                    REQUIRE(out.find("C")->at(i) == gather4_value(gather4_choice(from), i % gather4_columns));
                }
            }
    Kernel k("scattered", machines::sm100);
    const auto C = k.inout("C", {gather4_rows, gather4_columns}, f16), I = k.input("index", {8}, i32);
    k.cta(tiles(2, 1), {{2}, false}, [&](Scope cta, const Tile&) {
        const auto s = cta.alloc(Role::shared, {8, gather4_columns}, f16, {}, "s");
        cta.scatter(C, I, s, {.async = true, .pair = true});
    });
    CHECK(validate(k.program().value()).front().text.find("only a copy_async, gather, gemm or shift_rows is of a pair of blocks") !=
          std::string::npos);
}

TEST_CASE("gather4 and scatter4 by an index in registers of the lane that starts them", "[nvidia]")
{
    for (const std::int64_t rows : {4, 8, 12})
        for (const bool gathers : {true, false})
            for (const bool copies : {false, true}) {
                CAPTURE(rows, gathers, copies);
                Layout held;
                held.shard.push_back({rows, 1, Axis{"reg"}});
                if (copies) held.replica.push_back({32, 1, Axis{"lane"}}); // each lane has all
                Bindings in = gather4_inputs(rows);
                in.set("C", Array::make({gathers ? rows : gather4_rows, gather4_columns}, f16).value());
                const Program p = by_registers(rows, held, gathers);
                const auto lowered = required(lower(p));
                CHECK(std::any_of(lowered->choices.begin(), lowered->choices.end(),
                                  [](const Choice& c) { return c.schedule == "bulk_rows"; }));
                const Bindings out = trial::ran(p, in);
                for (std::int64_t i = 0; i < rows; ++i)
                    for (std::int64_t c = 0; c < gather4_columns; ++c)
                        REQUIRE(out.find("C")->at((gathers ? i : gather4_choice(i)) * gather4_columns + c) ==
                                gather4_value(gathers ? gather4_choice(i) : i, c));
            }
    sim::FaultKind kind = sim::FaultKind::none;
    Bindings in = gather4_inputs(8);
    in.set("C", Array::make({8, gather4_columns}, f16).value());
    const std::string fault = fault_of_rows(by_registers(8, "8:1@reg"_axe, true, false), in, kind);
    INFO(fault);
    CHECK(kind == sim::FaultKind::uninitialized);
    CHECK(fault.find("of x") != std::string::npos);
    CHECK(fault_of_rows(by_registers(8, "8:1@lane"_axe, true), in, kind)
              .find("x is in registers; lane 0 of the agent that starts the copies must hold all of the index") !=
          std::string::npos);
}
