// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/catch.hpp>
#include <tests/one_block.hpp>

#include <axe/kernels.hpp>

#include <cmath>
#include <fstream>
#include <iterator>

using namespace axe;
using enum axe::DType;
using Action = Mbarrier::Action;

/// NaN outside, byte masks, prefetches and cache hints: what they leave in memory, element by element, what is counted, and why one is declined.
namespace {

/// Is each instruction of bulk copies one that an assembler takes? Those of tests/data/bulk_forms.ptx are.
void check_bulk_forms(const Program& program)
{
    std::ifstream file(std::string(AXE_TEST_DATA) + "/bulk_forms.ptx");
    const std::string forms((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    for_each_statement(program.body, [&](const Statement& s) {
        const auto* i = std::get_if<Instruction>(&s.what);
        if (i == nullptr || i->opcode.find("bulk") == std::string::npos) return;
        INFO(i->text);
        CHECK(forms.find("    " + i->text.substr(0, i->text.find(' ')) + " ") != std::string::npos);
    });
}
Options counted_bytes()
{
    Options out;
    out.completes_on = 0;
    return out;
}
std::string refusal_of(const Result<Lowered, Problem>& lowered) { return lowered ? "" : lowered.error().text; }
bool has_words(const std::string& text, const std::string& words)
{
    UNSCOPED_INFO(text);
    return text.find(words) != std::string::npos;
}
Array counting_array(const Shape& shape, DType type)
{
    Array a = Array::make(shape, type).value();
    for (std::int64_t i = 0; i < a.size(); ++i) a.set(i, static_cast<double>(i % 100 + 1));
    return a;
}

/// C = what a copy of a tile of A at (row, column) leaves in shared memory.
Program loaded_tile(DType type, std::int64_t row, std::int64_t column, const Options& options)
{
    Kernel k("filled", machines::sm90);
    const auto A = k.input("A", {12, 32}, type), C = k.output("C", {8, 16}, type);
    one_block(k, 1, [&](Scope cta) {
        const auto s = cta.alloc(Role::shared, {8, 16}, type, {}, "s");
        cta.mbarrier({Action::init, 0, 1, {}}).mbarrier({Action::expect_bytes, 0, 8 * 16 * bits(type) / 8, {}});
        cta.copy_async(s, A(Interval(row, 8), Interval(column, 16)).guarded(), options).mbarrier({Action::wait, 0, 0, 0});
        cta.copy(C, s);
    });
    return k.program().value();
}

/// C, of −1, after a store of a tile of 1, 2, … with a byte mask.
Program masked_store(DType type, std::int64_t columns, unsigned mask, const Machine& machine = machines::sm100)
{
    Kernel k("masked", machine);
    const auto A = k.input("A", {4, columns}, type), C = k.inout("C", {4, columns}, type);
    one_block(k, 1, [&](Scope cta) {
        const auto s = cta.alloc(Role::shared, {4, columns}, type, {}, "s");
        Options options;
        options.byte_mask = static_cast<std::uint16_t>(mask);
        cta.copy(s, A).proxy_fence().copy_async(C, s, options).commit().wait();
    });
    return k.program().value();
}

} // namespace

TEST_CASE("bulk copies: what is outside a guarded source arrives as NaN where that is asked for", "[nvidia]")
{
    for (const DType type : {f16, bf16, f32, f64})
        for (const std::int64_t row : {-3, 0, 4, 7})
            for (const std::int64_t column : {-8, 0, 8, 24})
                for (const sim::RunOrder order : {sim::RunOrder::issue, sim::RunOrder::late}) {
                    CAPTURE(name(type), row, column, name(order));
                    Options options = counted_bytes();
                    options.fill_nan = true;
                    const Program program = loaded_tile(type, row, column, options);
                    const auto lowered = lower(program);
                    INFO(refusal_of(lowered));
                    REQUIRE(lowered.has_value());
                    Bindings inputs;
                    const Array a = counting_array({12, 32}, type);
                    inputs.set("A", counting_array({12, 32}, type));
                    sim::RunOptions run;
                    run.order = order;
                    const auto report = sim::run(lowered->program, inputs, run);
                    INFO(report->fault.text);
                    REQUIRE(report->ok());
                    const Array& c = *report->outputs.find("C");
                    for (std::int64_t i = 0; i < c.size(); ++i) {
                        const std::int64_t y = row + i / 16, x = column + i % 16;
                        if (y >= 0 && y < 12 && x >= 0 && x < 32)
                            REQUIRE(c.at(i) == a.at(y * 32 + x));
                        else
                            REQUIRE(std::isnan(c.at(i)));
                    }
                    CHECK(verify(program, inputs, report->outputs)->word() == std::string("consistent"));
                }
}

TEST_CASE("bulk copies: where NaN cannot be outside", "[nvidia]")
{
    Options options = counted_bytes();
    options.fill_nan = true;
    CHECK(has_words(validate(loaded_tile(i32, 0, 0, options)).front().text, "D `s` is of i32; NaN fills floating-point elements"));
    CHECK(has_words(refusal_of(lower(loaded_tile(e4m3, 0, 0, options))),
                    "NaN fills floating-point elements only, got integers of 8 bits"));
    Kernel k("stored", machines::sm90);
    const auto C = k.output("C", {32}, f32);
    k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
        const auto s = cta.alloc(Role::shared, {32}, f32, {}, "s");
        Options fills;
        fills.fill_nan = true;
        cta.fill(s, 1).copy_async(C, s, fills);
    });
    CHECK(has_words(refusal_of(lower(k.program().value())), "only a bulk copy from global memory fills with NaN"));
    Kernel other("other", machines::sm80);
    const auto A = other.input("A", {32}, f32);
    other.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
        const auto s = cta.alloc(Role::shared, {32}, f32, {}, "s");
        Options fills;
        fills.fill_nan = true;
        cta.copy_async(s, A, fills).fill(s, 1, fills);
    });
    CHECK(has_words(refusal_of(lower(other.program().value())), "cp_async does not fill with NaN"));
    CHECK(has_words(validate(other.program().value()).front().text, "only a copy_async fills with NaN"));
}

TEST_CASE("bulk copies: a byte mask says which bytes of each 16 are written", "[nvidia]")
{
    for (const DType type : {e4m3, f16, f32, f64})
        for (const unsigned some : {0x1u, 0x2u, 0x5u, 0x8u, 0xau, 0x7u, 0xfffeu}) {
            const int width = storage_bytes(type);
            unsigned mask = 0; // `some` of the elements of 16 bytes
            for (int e = 0; e < 16 / width; ++e)
                if ((some >> e & 1) != 0) mask |= ((1u << width) - 1) << (e * width);
            if (mask == 0) continue;
            for (const sim::RunOrder order : {sim::RunOrder::issue, sim::RunOrder::late}) {
                CAPTURE(name(type), mask, name(order));
                const Program program = masked_store(type, 32, mask);
                const auto lowered = lower(program);
                INFO(refusal_of(lowered));
                REQUIRE(lowered.has_value());
                check_bulk_forms(lowered->program);
                Bindings inputs;
                Array a = Array::make({4, 32}, type).value(), before = Array::make({4, 32}, type).value();
                for (std::int64_t i = 0; i < a.size(); ++i) a.set(i, static_cast<double>(i % 15 + 1)), before.set(i, -1);
                inputs.set("A", std::move(a));
                inputs.set("C", std::move(before));
                sim::RunOptions run;
                run.order = order;
                const auto report = sim::run(lowered->program, inputs, run);
                INFO(report->fault.text);
                REQUIRE(report->ok());
                const Array& c = *report->outputs.find("C");
                std::int64_t written = 0;
                for (std::int64_t i = 0; i < c.size(); ++i) {
                    const bool in = (mask >> (i * width % 16) & 1) != 0;
                    written += in ? width : 0;
                    REQUIRE(c.at(i) == (in ? static_cast<double>(i % 15 + 1) : -1));
                }
                CHECK(verify(program, inputs, report->outputs)->word() == std::string("consistent"));
                const sim::Counters& count = report->statements.at(4);
                if (mask != 0xffff) CHECK(count.by_text.count("cp.async.bulk.global.shared::cta.bulk_group.cp_mask") == 1);
                CHECK(count.memories.at("gmem").bytes_written == written);
            }
        }
}

TEST_CASE("bulk copies: bytes that a mask leaves may be others' at the same time", "[nvidia]")
{
    // Two agents write the even and the odd elements; or both the even ones.
    const auto run_of = [](unsigned first, unsigned second) {
        Kernel k("halves", machines::sm100);
        const auto C = k.output("C", {32}, f32);
        one_block(k, 2, [&](Scope cta) {
            const auto s = cta.alloc(Role::shared, {32}, f32, {}, "s");
            cta.fill(s, 3).proxy_fence().sync();
            for (const int agent : {0, 1})
                cta.warps(agent, 1, [&](Scope w) {
                    Options options;
                    options.byte_mask = static_cast<std::uint16_t>(agent == 0 ? first : second);
                    w.copy_async(C, s, options).commit().wait();
                });
        });
        Bindings none;
        return sim::run(lower(k.program().value()).value().program, none).value().fault;
    };
    CHECK(std::string(sim::name(run_of(0x0f0f, 0xf0f0).kind)) == "none");
    CHECK(std::string(sim::name(run_of(0x0f0f, 0x0f00).kind)) == "race");
}

TEST_CASE("bulk copies: why a byte mask is declined", "[nvidia]")
{
    CHECK(has_words(validate(masked_store(f32, 32, 0x3)).front().text, "its byte mask 3 takes elements of 4 bytes apart"));
    CHECK(has_words(validate(masked_store(f32, 32, 0)).front().text, "its byte mask names no byte"));
    CHECK(has_words(refusal_of(lower(masked_store(f32, 32, 0xf, machines::sm90))), "sm90 has no byte masks of bulk copies"));
    Options options = counted_bytes();
    options.byte_mask = 0xff;
    CHECK(has_words(refusal_of(lower(loaded_tile(f32, 0, 0, options))), "only a bulk copy to global memory has a byte mask"));
}

TEST_CASE("prefetches read global memory and change nothing", "[nvidia]")
{
    const auto program_at = [](std::int64_t row, bool guarded, const Options& options) {
        Kernel k("near", machines::sm90);
        const auto A = k.input("A", {12, 32}, f16);
        const auto C = k.output("C", {32}, f32);
        one_block(k, 1, [&](Scope cta) {
            cta.prefetch(A(Interval(row, 8), Interval(0, 32)).guarded(guarded), options);
            cta.prefetch(C).fill(C, 1);
        });
        return k.program().value();
    };
    Bindings inputs;
    inputs.set("A", counting_array({12, 32}, f16));
    const Program program = program_at(2, false, {});
    CHECK(validate(program).empty());
    CHECK(print(program).find("prefetch A[2 : +8, 0 : +32]") != std::string::npos);
    const auto lowered = lower(program);
    INFO(refusal_of(lowered));
    REQUIRE(lowered.has_value());
    check_bulk_forms(lowered->program);
    for (const sim::Level level : {sim::Level::full, sim::Level::fast}) {
        sim::RunOptions options;
        options.level = level;
        options.counters = true;
        const auto report = sim::run(lowered->program, inputs, options);
        INFO(report->fault.text);
        REQUIRE(report->ok());
        CHECK(report->outputs.find("C")->at(5) == 1);
        const sim::Counters& count = report->statements.at(1);
        CHECK(count.by_text.at("cp.async.bulk.prefetch.tensor.2d.L2.global") == 1);
        CHECK(count.memories.at("gmem").bytes_read == 8 * 32 * 2);
        CHECK(count.memories.at("gmem").bytes_written == 0);
        CHECK(count.memories.at("gmem").sectors == 8 * 32 * 2 / 32);
        CHECK(verify(program, inputs, report->outputs)->word() == std::string("consistent"));
    }
    const auto fault_of = [&](const Program& p) { return sim::run(lower(p).value().program, inputs).value().fault; };
    CHECK(std::string(sim::name(fault_of(program_at(5, false, {})).kind)) == "out of bounds");
    CHECK_FALSE(fault_of(program_at(5, true, {})).found());
    Options hint;
    hint.cache = CacheHint::evict_last;
    CHECK(print(lower(program_at(0, false, hint)).value().program)
              .find("cp.async.bulk.prefetch.tensor.2d.L2.global.L2::cache_hint L2::evict_last") != std::string::npos);
    Kernel k("near", machines::sm90);
    k.cta(tiles(1, 1), [&](Scope cta, const Tile&) { cta.prefetch(cta.alloc(Role::shared, {32}, f32, {}, "s")); });
    CHECK(has_words(validate(k.program().value()).front().text, "A `s` is in smem; a prefetch is of global memory"));
    Kernel old("near", machines::sm80);
    const auto X = old.input("X", {32}, f32);
    old.cta(tiles(1, 1), [&](Scope cta, const Tile&) { cta.prefetch(X); });
    CHECK(has_words(refusal_of(lower(old.program().value())), "sm80 does not have what it needs: cp.async.bulk"));
}

TEST_CASE("cache hints are part of the instruction, by which it is counted, and of no effect", "[nvidia]")
{
    const auto program_with = [](const Machine& machine, CacheHint hint, bool bulk) {
        Kernel k("hinted", machine);
        const auto A = k.input("A", {16, 32}, f32), C = k.output("C", {16, 32}, f32);
        one_block(k, 1, [&](Scope cta) {
            const auto s = cta.alloc(Role::shared, {16, 32}, f32, {}, "s");
            Options options;
            options.cache = hint;
            if (bulk) {
                Options load = options;
                load.completes_on = 0;
                cta.mbarrier({Action::init, 0, 1, {}}).mbarrier({Action::expect_bytes, 0, 2048, {}});
                cta.copy_async(s, A, load).mbarrier({Action::wait, 0, 0, 0}).copy_async(C, s, options).commit().wait();
            } else {
                cta.copy_async(s, A, options).commit().wait().sync().copy(C, s, options);
            }
        });
        return k.program().value();
    };
    Bindings inputs;
    inputs.set("A", counting_array({16, 32}, f32));
    const auto counted = [&](const Program& program) {
        const auto lowered = lower(program);
        INFO(refusal_of(lowered));
        REQUIRE(lowered.has_value());
        check_bulk_forms(lowered->program);
        const auto report = sim::run(lowered->program, inputs);
        INFO(report->fault.text);
        REQUIRE(report->ok());
        for (std::int64_t i = 0; i < 512; ++i) REQUIRE(report->outputs.find("C")->at(i) == static_cast<double>(i % 100 + 1));
        return report->total.by_text;
    };
    const auto bulk = counted(program_with(machines::sm90, CacheHint::evict_first, true));
    CHECK(bulk.at("cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint L2::evict_first") == 1);
    CHECK(bulk.at("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group.L2::cache_hint L2::evict_first") == 1);
    const auto lanes = counted(program_with(machines::sm80, CacheHint::evict_last, false));
    CHECK(lanes.at("cp.async.cg.shared.global.L2::cache_hint L2::evict_last 16") == 4);
    CHECK(lanes.at("ld.shared.v4.b32 + st.global.L1::evict_last.v4.b32") == 4);
    CHECK(counted(program_with(machines::sm90, CacheHint::none, true)).size() == 2);
    CHECK(has_words(refusal_of(lower(program_with(machines::sm90, CacheHint::no_allocate, true))),
                    "no_allocate is a hint of loads and stores of lanes; asynchronous copies have evict_first and evict_last"));
    CHECK(has_words(print(program_with(machines::sm90, CacheHint::evict_first, true)), "; cache evict_first"));
    Kernel k("hinted", machines::sm90);
    const auto C = k.output("C", {32}, f32);
    k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
        const auto s = cta.alloc(Role::shared, {32}, f32, {}, "s"), t = cta.alloc(Role::shared, {32}, f32, {}, "t");
        Options options;
        options.cache = CacheHint::evict_last;
        cta.fill(s, 1).copy(t, s, options);
    });
    CHECK(has_words(refusal_of(lower(k.program().value())), "cache hints are of global memory, and no operand is there"));
}
