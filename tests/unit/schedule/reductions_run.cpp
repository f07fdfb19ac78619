// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/axe.hpp>
#include <axe/kernels.hpp>

#include <catch.hpp>
#include <string>

using namespace axe;
using namespace axe::literals;

namespace {

Array numbers(const Shape& shape, DType type)
{
    Array out = Array::make(shape, type).value();
    for (std::int64_t i = 0; i < volume(shape).value(); ++i) out.set(coordinate(shape, i), static_cast<double>(i * 5 % 9) / 4 - 1);
    return out;
}

/// Lowers, runs with all checks on 1 and on 3 host threads, and compares with the reference.
void is_right(const Kernel& kernel)
{
    const auto program = kernel.program();
    if (!program) FAIL(program.error().text);
    const auto lowered = lower(*program);
    if (!lowered) FAIL(lowered.error().text);
    Bindings inputs;
    for (const ProgramTensor& t : program->tensors)
        if (t.binding == Binding::input || t.binding == Binding::inout) inputs.set(t.name, numbers(t.shape, t.dtype));
    for (const int threads : {1, 3}) {
        sim::RunOptions options;
        options.threads = threads;
        const auto report = sim::run(lowered->program, inputs, options);
        if (!report) FAIL(report.error().text);
        INFO(report->fault.text);
        REQUIRE_FALSE(report->fault.found());
        const auto checked = verify(*program, inputs, report->outputs);
        if (!checked) FAIL(checked.error().text);
        INFO(checked->text());
        CHECK(checked->ok());
    }
}

Options by(const char* schedule)
{
    Options out;
    out.schedule = schedule;
    return out;
}

} // namespace

TEST_CASE("collectives in a loop run without a race, their temporaries used again and again", "[collective][run]")
{
    for (const std::int64_t n : {2, 3, 4})
        for (const DType type : {DType::f32, DType::f16}) {
            const Machine machine = mesh(machines::sm90, {n}).value();
            const Layout terms = Layout{{{3, n * 10}, {n, 1, "gpuid"}, {n * 10, 1}}, {}, {}}; // 3 turns
            const Layout rows = Layout{{{3, 10}, {n, 1, "gpuid"}, {10, 1}}, {}, {}};
            const Layout copied = Layout{{{3 * n * 10, 1}}, {{n, 1, "gpuid"}}, {}};
            for (const char* schedule : {"ring", "one_shot", "in_network"})
                for (const Layout& to : {rows, copied}) {
                    Kernel k("sums", machine);
                    const auto a = k.input("A", {3, n, n * 10}, type, terms);
                    const auto d = k.output("D", {3, n * 10}, type, to);
                    k.loop(0, 3, 1,
                           [&](const Affine& i) { k.reduce(Function::add, d(i, all), a(i, all, all), {0}, false, by(schedule)); });
                    is_right(k);
                }
            for (const char* schedule : {"ring", "peer", "push"}) {
                Kernel k("gather", machine);
                const auto a = k.input("A", {3, n * 10}, type, rows);
                const auto d = k.output("D", {3, n * 10}, DType::f32, copied);
                k.loop(0, 3, 1, [&](const Affine& i) { k.copy(d(i, all), a(i, all), by(schedule)); });
                is_right(k);
            }
        }
}

TEST_CASE("what is asynchronous is there after commit and wait", "[collective][run]")
{
    const Machine machine = mesh(machines::sm90, {2, 2}, {"row", "col"}).value();
    Kernel k("later", machine);
    const auto a = k.input("A", {8, 6}, DType::f32, "(2,4,2,3):(1@row,3,1@col,1)"_axe);
    const auto d = k.output("D", {8, 6}, DType::f32, "48:1 + [2:1@row,2:1@col]"_axe);
    const auto sums = k.output("S", {6}, DType::f32, "6:1 + [2:1@row,2:1@col]"_axe);
    k.copy_async(d, a);
    Options later = by("one_shot");
    later.async = true;
    k.reduce(Function::max, sums, a, {0}, false, later);
    k.commit();
    k.wait(0);
    is_right(k);
}

TEST_CASE("reductions in a block run without a race, in a loop, and into what is there", "[reduce][run]")
{
    const Layout spread = "(2,2,8,2,4,2):(1@warp,2@reg,4@lane,2@warp,1@lane,1@reg)"_axe; // 32 x 16 over 2 x 2 warps
    const Layout one_warp = "(4,8,2,4,2):(1@warp,4@lane,2@reg,1@lane,1@reg)"_axe;
    struct Case {
        const char* schedule;
        Layout a, d;
    };
    const Case cases[] = {{"in_lane", "(32,16):(1@lane,1@reg)"_axe, "32:1@lane"_axe},
                          {"shuffle", one_warp, "(4,8):(1@warp,4@lane) + [4:1@lane]"_axe},
                          {"through_shared", spread, "(2,2,8):(1@warp,1@reg,4@lane) + [4:1@lane,2:2@warp]"_axe},
                          {"through_shared", spread, "32:1@lane + 3@warp"_axe}};
    for (const Case& c : cases)
        for (const Function f : {Function::add, Function::max, Function::min}) {
            Kernel k("rows", machines::sm90);
            const auto a = k.input("A", {3, 32, 16}, DType::f32);
            const auto d = k.output("D", {3, 32}, DType::f32);
            k.cta(Tiles{Shape{1}, Shape{1}}, [&](Scope cta, const Tile&) {
                const auto acc = cta.alloc("reg", {32, 16}, DType::f32, c.a, "acc");
                const auto rows = cta.alloc("reg", {32}, DType::f32, c.d, "rows");
                cta.fill(rows, 0.5);
                cta.loop(0, 3, 1, [&](const Affine& i) {
                    cta.copy(acc, a(i, all, all));
                    cta.reduce(f, rows, acc, {1}, true, by(c.schedule));
                    cta.copy(d(i, all), rows);
                });
            });
            is_right(k);
        }
}

TEST_CASE("softmax of the rows of an accumulator", "[reduce][run]")
{
    const Layout tile = "(2,2,8,2,4,2):(1@warp,2@reg,4@lane,2@warp,1@lane,1@reg)"_axe;
    const Layout rows = "(2,2,8):(1@warp,1@reg,4@lane) + [4:1@lane,2:2@warp]"_axe;
    Kernel k("softmax", machines::sm80);
    const auto a = k.input("A", {32, 16}, DType::f16);
    const auto d = k.output("D", {32, 16}, DType::f32);
    k.cta(Tiles{Shape{1}, Shape{1}}, [&](Scope cta, const Tile&) {
        const auto acc = cta.alloc("reg", {32, 16}, DType::f32, tile, "acc");
        const auto most = cta.alloc("reg", {32}, DType::f32, rows, "most"), sum = cta.alloc("reg", {32}, DType::f32, rows, "sum");
        cta.copy(acc, a);
        cta.reduce(Function::max, most, acc, {1});
        cta.map(Function::sub, acc, {acc, most.repeated(1, 16)});
        cta.map(Function::exp, acc, {acc});
        cta.reduce(Function::add, sum, acc, {1});
        cta.map(Function::div, acc, {acc, sum.repeated(1, 16)});
        cta.copy(d, acc);
    });
    is_right(k);
}

TEST_CASE("every machine with several devices sums and gathers by what the table chooses", "[collective][run]")
{
    for (const Machine* one : machines::all()) {
        const Machine machine = mesh(*one, {2, 2}, {"row", "col"}).value();
        const Layout terms = "(2,2,4,6):(1@col,1@row,6,1)"_axe, rows = "(2,4,6):(1@row,6,1) + [2:1@col]"_axe;
        Kernel k("chosen", machine);
        const auto a = k.input("A", {2, 8, 6}, DType::f32, terms);
        const auto sum = k.output("S", {8, 6}, DType::f32, rows);
        const auto all_of_it = k.output("D", {8, 6}, DType::f16, "48:1 + [2:1@row,2:1@col]"_axe);
        k.reduce(Function::add, sum, a, {0});
        k.sync();
        k.copy(all_of_it, sum);
        INFO(one->name);
        const auto lowered = lower(k.program().value());
        if (!lowered) FAIL(lowered.error().text);
        REQUIRE(lowered->choices.size() == 2);
        CHECK(lowered->choices[0].schedule == (has_instruction(machine, "multimem") ? "in_network" : "one_shot"));
        CHECK(lowered->choices[1].schedule == "peer");
        CHECK(lowered->choices[1].detail == "all_gather, each device reads the elements that it needs");
        is_right(k);
    }
}
