// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/catch.hpp>
#include <tests/required.hpp>

#include <axe/kernels.hpp>

#include <fstream>
#include <iterator>

using namespace axe;
using namespace axe::literals;
using enum axe::DType;

/// When a reduction into global memory is a bulk reduction, and what instructions written by hand are told.
namespace {

Program program_of(const Machine& machine, DType type, Function f, std::int64_t columns, const Options& options,
                   bool backwards = false)
{
    Kernel k("reduced", machine);
    const auto S = k.inout("S", {8, columns}, type);
    k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
        const auto s = cta.alloc(Role::shared, {8, columns}, type, {}, "s");
        cta.fill(s, 1).proxy_fence().sync();
        if (backwards)
            cta.atomic(f, s, S, options);
        else
            cta.atomic(f, S, s, options);
        cta.commit().wait_sources();
    });
    return k.program().value();
}
std::string forced(const Program& program)
{
    const auto lowered = lower(program);
    return lowered ? "" : lowered.error().text;
}
bool says(const std::string& text, const std::string& words)
{
    UNSCOPED_INFO(text);
    return text.find(words) != std::string::npos;
}
const Options wanted = [] {
    Options out;
    out.async = true;
    out.schedule = "bulk_reduce";
    return out;
}();

} // namespace

TEST_CASE("bulk reductions: with `async` on sm90, else atomic operations of the lanes", "[nvidia]")
{
    const auto schedule = [](const Machine& machine, bool async) {
        Options options;
        options.async = async;
        const auto lowered = required(lower(program_of(machine, i32, Function::add, 32, options)));
        return lowered->choices.back().schedule;
    };
    CHECK(schedule(machines::sm90, true) == "bulk_reduce");
    CHECK(schedule(machines::sm90, false) == "lanes");
    CHECK(schedule(machines::sm80, true) == "lanes");
}

TEST_CASE("bulk reductions: why one is declined", "[nvidia]")
{
    Options late = wanted;
    late.async = false;
    CHECK(says(forced(program_of(machines::sm90, i32, Function::add, 32, late)), "it is not asynchronous: `async` is not given"));
    CHECK(says(forced(program_of(machines::sm90, i32, Function::identity, 32, wanted)),
               "no bulk reduction of i32 by identity exists"));
    CHECK(says(forced(program_of(machines::sm90, f32, Function::max, 32, wanted)), "no bulk reduction of f32 by max exists"));
    CHECK(says(forced(program_of(machines::sm90, f64, Function::min, 32, wanted)), "no bulk reduction of f64 by min exists"));
    CHECK(says(forced(program_of(machines::sm90, f32, Function::add, 32, wanted, true)),
               "S is in gmem and s in smem; the reduction must be from shared to global memory"));
    CHECK(forced(program_of(machines::sm90, bf16, Function::min, 32, wanted)).empty());
}

TEST_CASE("bulk reductions: how they are spelled is what an assembler takes", "[nvidia]")
{
    std::ifstream file(std::string(AXE_TEST_DATA) + "/bulk_forms.ptx");
    const std::string forms((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    REQUIRE(forms.find("cp.reduce.async.bulk") != std::string::npos);
    const auto text_of = [](const Program& program) {
        const auto lowered = required(lower(program));
        std::string text;
        for_each_statement(lowered->program.body, [&](const Statement& s) {
            const auto* i = std::get_if<Instruction>(&s.what);
            if (i != nullptr && (i->opcode == "bulk_reduce" || i->opcode == "red_async")) text = i->text;
        });
        return text;
    };
    const auto is_form = [&](const std::string& text) {
        INFO(text);
        CHECK(forms.find("    " + text.substr(0, text.find(' ')) + " ") != std::string::npos);
    };
    int found = 0;
    for (const DType type : {i32, f16, bf16, f32, f64})
        for (const Function f : {Function::add, Function::min, Function::max, Function::bit_and, Function::bit_or,
                                 Function::bit_xor, Function::inc, Function::dec}) {
            const bool bits_alone = f.row().domain == Domain::bits;
            if (type != i32 && (bits_alone || (f != Function::add && (type == f32 || type == f64)))) continue;
            ++found;
            for (const bool mapped : {true, false})
                for (const CacheHint hint : {CacheHint::none, CacheHint::evict_first}) {
                    if (hint != CacheHint::none && !(f == Function::add && type == i32)) continue;
                    // A tensor map has no swizzle of global memory.
                    const Swizzled<Layout> swizzled{{1, 4, 3}, {}, storage_bytes(type), {{{512, 1}}, {}, {}}};
                    Kernel k("reduced", machines::sm90);
                    const auto S = k.inout("S", {8, 64}, type, mapped ? Placement() : Placement(swizzled));
                    k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
                        const auto s = cta.alloc(Role::shared, {8, 64}, type, {}, "s");
                        Options options = wanted;
                        options.cache = hint;
                        cta.fill(s, 1).proxy_fence().sync().atomic(f, S, s, options).commit().wait_sources();
                    });
                    is_form(text_of(k.program().value()));
                }
            if (type != i32) continue;
            for (const bool in_registers : {true, false}) {
                Kernel k("given", machines::sm90);
                k.cta(
                    tiles(2, 1), {{2}, false},
                    [&](Scope cta, const Tile& t) {
                        const auto s = cta.alloc(Role::shared, {32}, type, {}, "s"),
                                   d = cta.alloc(Role::shared, {32}, type, {}, "d");
                        const auto r = cta.alloc(Role::registers, {32}, type, "32:1@lane"_axe, "r");
                        Options options;
                        options.async = true;
                        options.completes_on = 0;
                        cta.atomic(f, d.of_block(Affine(1) - t.rank), in_registers ? r : s, options);
                    },
                    1);
                is_form(text_of(k.program().value()));
            }
        }
    CHECK(found == 16);
}

TEST_CASE("bulk reductions: inc and dec wrap as unsigned numbers, in global memory and in another block's", "[nvidia]")
{
    // Of each old number and each limit, three blocks together.
    const std::vector<std::int64_t> numbers = {0, 1, 2, 3, 5, 0x7fffffff, -0x7fffffff - 1, -2, -1};
    const auto limits = static_cast<std::int64_t>(numbers.size());
    const auto one = [](bool up, std::int64_t old, std::int64_t last) -> std::int64_t {
        const auto a = static_cast<std::uint32_t>(old), b = static_cast<std::uint32_t>(last);
        const std::uint32_t next = up ? (a >= b ? 0 : a + 1) : a == 0 || a > b ? b : a - 1;
        return static_cast<std::int32_t>(next);
    };
    const std::int64_t columns = 32 * ((limits * limits + 31) / 32);
    const auto old = [&](std::int64_t i) { return numbers[static_cast<std::size_t>(i / limits % limits)]; };
    const auto last = [&](std::int64_t i) { return numbers[static_cast<std::size_t>(i % limits)]; };
    Bindings in;
    Array olds = Array::make({columns}, i32).value(), lasts = Array::make({columns}, i32).value();
    for (std::int64_t i = 0; i < columns; ++i) {
        olds.set(i, static_cast<double>(old(i)));
        lasts.set(i, static_cast<double>(last(i)));
    }
    in.set("S", std::move(olds));
    in.set("last", std::move(lasts));
    for (const bool up : {true, false})
        for (const bool to_peer : {false, true}) {
            Kernel k("wraps", machines::sm90);
            const auto S = k.inout("S", {columns}, i32), limit = k.input("last", {columns}, i32);
            const int blocks = to_peer ? 2 : 3;
            k.cta(
                tiles(blocks, 1), {{to_peer ? 2 : 1}, false},
                [&](Scope cta, const Tile& t) {
                    const auto s = cta.alloc(Role::shared, {columns}, i32, {}, "s");
                    const Function f = up ? Function::inc : Function::dec;
                    cta.copy(s, limit);
                    if (!to_peer) {
                        cta.proxy_fence().sync().atomic(f, S, s, wanted).commit().wait();
                        return;
                    }
                    // Block 1 has its own numbers, and block 0 gives it the limits.
                    const auto d = cta.alloc(Role::shared, {columns}, i32, {}, "d");
                    cta.copy(d, S).mbarrier({Mbarrier::Action::init, 0, 1, {}});
                    cta.mbarrier({Mbarrier::Action::expect_bytes, 0, columns * 4, {}}).proxy_fence().cluster_sync();
                    Options options = wanted;
                    options.completes_on = 0;
                    cta.atomic(f, d.of_block(Affine(1) - t.rank), s, options);
                    cta.mbarrier({Mbarrier::Action::wait, 0, 0, 0});
                    cta.when(equals(t.rank, 0), [&] { cta.copy(S, d); });
                    cta.cluster_sync();
                },
                1);
            const auto lowered = required(lower(k.program().value()));
            for (const sim::RunOrder order : sim::all_run_orders) {
                sim::RunOptions options;
                options.order = order;
                const auto report = required(sim::run(lowered->program, in, options));
                INFO(report->fault.text << " " << up << to_peer);
                REQUIRE(report->ok());
                for (std::int64_t i = 0; i < columns; ++i) {
                    std::int64_t want = old(i);
                    for (int n = 0; n < (to_peer ? 1 : 3); ++n) want = one(up, want, last(i));
                    CHECK(static_cast<std::int64_t>(report->outputs.find("S")->at(i)) == want);
                }
            }
        }
}

TEST_CASE("bulk reductions: instructions written by hand", "[nvidia]")
{
    const auto changed = [](const std::function<void(Instruction&)>& change) {
        Program program = lower(program_of(machines::sm90, f32, Function::add, 32, wanted)).value().program;
        for_each_statement(program.body, [&](const Statement& s) {
            auto* i = const_cast<Instruction*>(std::get_if<Instruction>(&s.what));
            if (i != nullptr && i->opcode == "bulk_reduce") change(*i);
        });
        Bindings inputs;
        inputs.set("S", Array::make({8, 32}, f32).value());
        const auto report = sim::run(program, inputs);
        return report ? report->fault.text : report.error().text;
    };
    CHECK(changed([](Instruction&) {}).empty());
    CHECK(says(changed([](Instruction& i) { i.function = Function::max; }), "no reduction of f32 by max exists"));
    CHECK(says(changed([](Instruction& i) { std::swap(i.operands[0], i.operands[1]); }),
               "the reduction must be from shared to global memory, got gmem to smem"));
    CHECK(says(changed([](Instruction& i) { i.parameters = {0}; }), "its parameter is how many copies it starts, at least 1"));
}
