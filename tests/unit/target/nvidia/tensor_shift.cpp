// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/sim/memory/tensor_order.hpp>
#include <axe/sim/reference/reference.hpp>
#include <tests/one_block.hpp>
#include <tests/required.hpp>
#include <tests/turns.hpp>
#include <tests/unit/sim/kernels/trial.hpp>

using namespace axe;
using enum DType;
using Act = Mbarrier::Action;

/// Shifts of rows in tensor memory.
namespace {

const Axis shlane{"tlane"}, shcol{"tcol"}, shwarp{"warp"}, shalane{"lane"}, shreg{"reg"};

Layout shifted_layout(std::int64_t rows, std::int64_t columns) { return Layout{{{rows, 1, shlane}, {columns, 1, shcol}}}; }
Layout shifted_registers(std::int64_t columns) { return Layout{{{4, 1, shwarp}, {32, 1, shalane}, {columns, 1, shreg}}}; }

Bindings numbered_rows(std::int64_t rows, std::int64_t columns, DType type)
{
    Bindings out;
    Array a = Array::make({rows, columns}, type).value();
    for (std::int64_t i = 0; i < a.size(); ++i) a.set(i, static_cast<double>(i * 7 % 23 - 11));
    out.set("A", std::move(a));
    return out;
}

/// C is A with the rows of some boxes shifted: 32 of 128 rows from `first` on, `wide` columns from `column` on.
struct ShiftedBox {
    std::int64_t first = 0, column = 0, wide = 8;
};
Program shifted_program(DType type, std::int64_t columns, const std::vector<ShiftedBox>& boxes, bool plain)
{
    Kernel k("shifted", machines::sm100);
    const auto A = k.input("A", {128, columns}, type), C = k.output("C", {128, columns}, type);
    one_block(k, 4, [&](Scope cta) {
        const auto t = cta.alloc("tmem", {128, columns}, type, shifted_layout(128, columns), "t");
        const auto r = cta.alloc(Role::registers, {128, columns}, type, shifted_registers(columns), "r");
        cta.warps(1, 1, [&](Scope w) { w.mbarrier({Act::init, 0, 1, {}}); });
        cta.copy(r, A).copy(t, r).tensor_fence_before().sync();
        const auto all_boxes = [&](Scope s, const Options& options) {
            for (const ShiftedBox& b : boxes) s.shift_rows(t(Interval(b.first, 32), Interval(b.column, b.wide)), options);
        };
        if (plain)
            all_boxes(cta, {});
        else {
            cta.warps(1, 1, [&](Scope w) {
                w.tensor_fence_after();
                all_boxes(w, {.async = true});
                w.mbarrier({Act::commit, 0, 0, {}});
            });
            cta.mbarrier({Act::wait, 0, 0, 0}).tensor_fence_after();
        }
        cta.copy(r, t).copy(C, r);
    });
    return trial::written(k);
}

std::string shift_words(const Program& p)
{
    for (const Problem& problem : validate(p)) return problem.text;
    const auto lowered = lower(p);
    return lowered ? print(lowered->program) : lowered.error().text;
}
void shift_has(const std::string& text, const std::string& part)
{
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
}

} // namespace

TEST_CASE("shifts of rows: each row becomes the one before it, in the lanes of one warp and its columns alone", "[nvidia]")
{
    for (const DType type : {f32, i32, f16, e4m3})
        for (const bool plain : {false, true})
            for (const std::vector<ShiftedBox>& boxes :
                 {std::vector<ShiftedBox>{{0, 0, 8}}, {{96, 8, 16}}, {{32, 0, 24}, {64, 16, 8}, {0, 8, 8}}}) {
                const std::int64_t per = 4 / storage_bytes(type), columns = 24 * per;
                std::vector<ShiftedBox> of = boxes;
                for (ShiftedBox& b : of) b.column *= per, b.wide *= per;
                CAPTURE(name(type), plain, boxes.size());
                const Program p = shifted_program(type, columns, of, plain);
                const Bindings in = numbered_rows(128, columns, type);
                const auto outputs = trial::ran(p, in);
                CHECK(std::string(trial::verified(p, in, outputs, Against::program).word()) == "consistent");
                std::vector<double> wanted;
                for (std::int64_t i = 0; i < 128 * columns; ++i) wanted.push_back(in.find("A")->at(i));
                for (const ShiftedBox& b : of)
                    for (std::int64_t i = 31; i > 0; --i)
                        for (std::int64_t j = b.column; j < b.column + b.wide; ++j)
                            wanted[static_cast<std::size_t>((b.first + i) * columns + j)] =
                                wanted[static_cast<std::size_t>((b.first + i - 1) * columns + j)];
                const Program lowered = lower(p).value().program;
                auto ready = required(sim::prepare(lowered));
                for (const sim::Level level : {sim::Level::full, sim::Level::fast})
                    turns::each([&](sim::RunOptions options) {
                        options.level = level;
                        const auto report = without_fault(ready->run(in, options));
                        const Array& c = *report->outputs.find("C");
                        std::int64_t wrong = 0;
                        for (std::int64_t i = 0; i < c.size(); ++i) wrong += c.at(i) != wanted[static_cast<std::size_t>(i)];
                        CHECK(wrong == 0);
                    });
            }
}

TEST_CASE("shifts of rows: an instruction for each eight columns, and what it counts", "[nvidia]")
{
    const Program p = shifted_program(f16, 48, {{32, 0, 48}}, true);
    const std::string text = shift_words(p);
    shift_has(text, "tcgen05_shift \"tcgen05.shift.cta_group::1.down\" t[32 : +32, 0 : +16]");
    shift_has(text, "tcgen05_shift \"tcgen05.shift.cta_group::1.down\" t[32 : +32, 32 : +16]");
    shift_has(print(p), "shift_rows t[32 : +32, 0 : +48]");
    const Lowered lowered = lower(p).value();
    const auto report = required(sim::run(lowered.program, numbered_rows(128, 48, f16)));
    REQUIRE(report->ok());
    CHECK(report->total.by_text.at("tcgen05.shift.cta_group::1.down") == 3);
    std::string detail;
    for (const Choice& c : lowered.choices)
        if (c.schedule == "tcgen05_shift") detail = c.detail;
    CHECK(detail == "agent 0 starts 3 shifts of 32 rows");
}

TEST_CASE("shifts of rows: the last row need not have a value, the others must", "[nvidia]")
{
    // Rows 0 to 30, or 1 to 31, are written.
    const auto fault = [](std::int64_t lacks) {
        Kernel k("partly", machines::sm100);
        const auto C = k.output("C", {32, 8}, f32);
        one_block(k, 4, [&](Scope cta) {
            const auto a = cta.alloc(Role::shared, {128, 64}, f16, conflict_free, "a"),
                       b = cta.alloc(Role::shared, {8, 64}, f16, conflict_free, "b");
            const auto t = cta.alloc("tmem", {128, 8}, f32, shifted_layout(128, 8), "t");
            const auto r = cta.alloc(Role::registers, {32, 8}, f32, Layout{{{32, 1, shalane}, {8, 1, shreg}}}, "r");
            cta.fill(a, 1).fill(b, 1);
            cta.gemm(t, a, b, {.accumulate = false, .transpose_b = true, .kept_rows = {1u << lacks}});
            cta.shift_rows(t(Interval(0, 32), all));
            cta.warps(0, 1, [&](Scope w) { w.copy(r, t(Interval(0, 32), all)).copy(C, r); });
        });
        const Program p = trial::written(k);
        const auto checked = reference(p, {});
        const auto report = required(sim::run(lower(p).value().program, {}));
        CHECK(checked.has_value() == report->ok());
        return report->fault;
    };
    CHECK(!fault(31).found());
    for (const std::int64_t lacks : {0, 17, 30}) {
        const sim::Fault f = fault(lacks);
        CHECK(f.kind == sim::FaultKind::uninitialized);
        shift_has(f.text, "row, column (" + std::to_string(lacks) + ",0) of the tile of t");
    }
}

namespace {

/// What comes after what, without a wait between, of one agent on the same columns: m a product into sums, o one that reads t, S and s a
/// shift of the one and the other, b a copy to t, w a wait.
std::string after_each_other(const std::string& acts)
{
    Kernel k("ordered", machines::sm100);
    const auto C = k.output("C", {128, 8}, f32);
    one_block(k, 4, [&](Scope cta) {
        const auto a = cta.alloc(Role::shared, {128, 16}, f16, conflict_free, "a"),
                   b = cta.alloc(Role::shared, {16, 16}, f16, conflict_free, "b");
        const auto box = cta.alloc(Role::shared, {128, 16}, f16, conflict_free, "box");
        const auto t = cta.alloc("tmem", {128, 16}, f16, shifted_layout(128, 16), "t");
        const auto d = cta.alloc("tmem", {128, 16}, f32, shifted_layout(128, 16), "d");
        const auto r = cta.alloc(Role::registers, {128, 16}, f16, shifted_registers(16), "r");
        const auto x = cta.alloc(Role::registers, {128, 16}, f32, shifted_registers(16), "x");
        cta.warps(0, 1, [&](Scope w) { w.mbarrier({Act::init, 0, 1, {}}); });
        cta.fill(a, 1).fill(b, 1).fill(box, 1).fill(r, 2).copy(t, r).fill(x, 3).copy(d, x);
        cta.proxy_fence().tensor_fence_before().sync();
        cta.warps(0, 1, [&](Scope w) {
            w.tensor_fence_after();
            const Options on{.async = true};
            for (const char act : acts) switch (act) {
                case 'o': w.gemm(d, t, b, {.transpose_b = true}, on); break;
                case 'm': w.gemm(d, a, b, {.transpose_b = true}, on); break;
                case 's': w.shift_rows(t(Interval(32, 32), all), on); break;
                case 'S': w.shift_rows(d(Interval(32, 32), all), on); break;
                case 'b': w.copy_async(t, box, on); break;
                default: w.wait_products(); break;
                }
            w.mbarrier({Act::commit, 0, 0, {}});
        });
        cta.mbarrier({Act::wait, 0, 0, 0}).tensor_fence_after();
        cta.copy(x, d).copy(C, x(all, Interval(0, 8)));
    });
    const Program p = trial::written(k);
    INFO(shift_words(p));
    const auto lowered = required(lower(p));
    std::string out;
    auto ready = required(sim::prepare(lowered->program));
    for (const sim::RunOrder order : sim::all_run_orders) {
        sim::RunOptions options;
        options.order = order;
        const auto report = required(ready->run({}, options));
        INFO(report->fault.text);
        const std::string kind = sim::name(report->fault.kind);
        CHECK((out.empty() || out == kind));
        out = kind;
    }
    return out;
}

} // namespace

TEST_CASE("shifts of rows: which operations are in order without a wait", "[nvidia]")
{
    CHECK(after_each_other("so") == "none"); // a shift, then a product that reads it
    CHECK(after_each_other("os") == "none"); // a product that reads, then a shift
    CHECK(after_each_other("mS") == "none"); // one that adds to what is shifted
    CHECK(after_each_other("Sm") == "none");
    CHECK(after_each_other("ss") == "race"); // two shifts
    CHECK(after_each_other("sws") == "none");
    CHECK(after_each_other("bs") == "race"); // a copy of 128 rows
    CHECK(after_each_other("sb") == "race");
    CHECK(after_each_other("bws") == "none");
    CHECK(after_each_other("swb") == "none");
    // Between the roles, as they are noted: all that are.
    using sim::TensorOrder, sim::TensorRole;
    const auto in_order = [](TensorRole first, TensorRole second) {
        return TensorOrder::in_order(static_cast<int>(first), static_cast<int>(second));
    };
    const TensorRole roles[] = {TensorRole::load,  TensorRole::store,   TensorRole::copy, TensorRole::rows,
                                TensorRole::shift, TensorRole::operand, TensorRole::sum};
    std::string list;
    for (const TensorRole first : roles)
        for (const TensorRole second : roles)
            if (in_order(first, second))
                list += std::to_string(static_cast<int>(first)) + std::to_string(static_cast<int>(second)) + " ";
    CHECK(list == "36 37 46 47 54 56 57 65 75 77 ");
}

TEST_CASE("shifts of rows: of a pair, in both blocks", "[nvidia]")
{
    Kernel k("pair", machines::sm100);
    const auto A = k.input("A", {256, 8}, f32), C = k.output("C", {256, 8}, f32);
    k.cta(
        tiles(Shape{2}, Shape{1}), {{2}},
        [&](Scope cta, const Tile& tile) {
            const auto t = cta.alloc("tmem", {128, 8}, f32, shifted_layout(128, 8), "t");
            const auto r = cta.alloc(Role::registers, {128, 8}, f32, shifted_registers(8), "r");
            const Interval mine(tile.rank * 128, 128);
            cta.warps(0, 1, [&](Scope w) { w.mbarrier({Act::init, 0, 1, {}}); });
            cta.copy(r, A(mine, all)).copy(t, r).tensor_fence_before().cluster_sync().tensor_fence_after();
            cta.warps(0, 1, [&](Scope w) {
                w.when(equals(tile.rank, 0),
                       [&] { w.shift_rows(t(Interval(64, 32), all), {.completes_on = 0, .multicast = 0b11, .pair = true}); });
            });
            cta.mbarrier({Act::wait, 0, 0, 0}).tensor_fence_after().copy(r, t).copy(C(mine, all), r).cluster_sync();
        },
        4);
    const Program p = trial::written(k);
    shift_has(shift_words(p), "tcgen05.shift.cta_group::2.down");
    const Bindings in = numbered_rows(256, 8, f32);
    const Program lowered = lower(p).value().program;
    turns::each([&](const sim::RunOptions& options) {
        const auto report = without_fault(sim::run(lowered, in, options));
        std::int64_t wrong = 0;
        for (std::int64_t i = 0; i < 256; ++i)
            for (std::int64_t j = 0; j < 8; ++j) {
                const bool moved = i % 128 > 64 && i % 128 < 96;
                wrong += report->outputs.find("C")->at(i * 8 + j) != in.find("A")->at((moved ? i - 1 : i) * 8 + j);
            }
        CHECK(wrong == 0);
    });
}

TEST_CASE("shifts of rows: what does not fit is declined, with the reason", "[nvidia]")
{
    const auto words = [](const char* memory, const Layout& in, DType type, const Shape& shape, Options options = {},
                          const Machine& machine = machines::sm100) {
        Kernel k("declined", machine);
        one_block(k, 4, [&](Scope cta) {
            const auto t = cta.alloc(memory, shape, type, in, "t");
            cta.shift_rows(t, options);
        });
        return shift_words(trial::written(k));
    };
    const auto at = [](std::int64_t lane, std::int64_t column) {
        return Layout{{{32, 1, shlane}, {8, 1, shcol}}, {}, {{shlane, lane}, {shcol, column}}};
    };
    shift_has(words("tmem", at(64, 3), f32, {32, 8}), "tcgen05.shift");
    shift_has(words("tmem", at(16, 0), f32, {32, 8}), "(0,0) of t is in lane 16, element 0; a shift has it in lane 0, element 0");
    shift_has(words("tmem", Layout{{{32, 1, shlane}, {16, 1, shcol}}, {}, {{shcol, 1}}}, f16, {32, 16}),
              "agent 0 shifts t from byte 2 of its lanes on; it must be a multiple of 4, a column");
    shift_has(words("tmem", shifted_layout(128, 8), f32, {128, 8}), "128 x 8 of t is not made of 32 rows of 32 bytes");
    shift_has(words("tmem", shifted_layout(32, 4), f32, {32, 4}), "32 x 4 of t is not made of 32 rows of 32 bytes");
    shift_has(words("tmem", Layout{{{32, 1, shlane}, {8, 1, shcol}}, {{4, 32, shlane}}}, f32, {32, 8}),
              "t has several copies of its elements; a shift moves one");
    shift_has(words("smem", Layout{{{32, 8, Axis{"m"}}, {8, 1, Axis{"m"}}}}, f32, {32, 8}),
              "t is in smem; rows are shifted in tensor memory");
    Options pair;
    pair.pair = true;
    shift_has(words("tmem", at(0, 0), f32, {32, 8}, pair), "it is of a pair of blocks; clusters of 0 are not made of pairs");
}

TEST_CASE("shifts of rows: instructions written by hand are held to the same rules", "[nvidia]")
{
    const auto changed = [](const std::function<void(Instruction&)>& change) {
        Program program = lower(shifted_program(f16, 48, {{32, 0, 16}}, true)).value().program;
        for_each_statement(program.body, [&](const Statement& s) {
            auto* i = const_cast<Instruction*>(std::get_if<Instruction>(&s.what));
            if (i != nullptr && i->opcode == "tcgen05_shift") change(*i);
        });
        const auto report = sim::run(program, numbered_rows(128, 48, f16));
        return report ? report->fault.text : report.error().text;
    };
    CHECK(changed([](Instruction&) {}).empty());
    const auto view = [](Instruction& i) -> View& { return i.operands[0].view; };
    shift_has(changed([&](Instruction& i) { view(i).origin[0] = Affine(40); }),
              "in lane 40 and element 0 of tmem; tcgen05_shift has it in lane 32");
    shift_has(changed([&](Instruction& i) { view(i).origin[1] = Affine(1); }),
              "agent 0 shifts t from byte 2 of its lanes on; it must be a multiple of 4, a column");
    shift_has(changed([&](Instruction& i) { view(i).origin[1] = Affine(40); }),
              "agent 0 accesses element (63,55) of t, whose shape is (128,48)");
    shift_has(changed([&](Instruction& i) { view(i).extents[1] = 8; }),
              "it shifts (32,8) elements of 2 bytes; they must be 32 rows of 32 bytes");
    shift_has(changed([&](Instruction& i) { i.agents = 2; }), "2 agents start it; it must be 1");
}
