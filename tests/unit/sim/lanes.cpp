// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/catch.hpp>

#include "arrays.hpp"

#include <axe/kernels.hpp>
#include <axe/text/literals.hpp>
#include <tests/one_block.hpp>
#include <tests/required.hpp>
#include <tests/turns.hpp>

using namespace axe;
using namespace axe::literals;
using enum axe::DType;
using sim::FaultKind;

/// A machine with 64 lanes in a warp.

namespace {

const Machine wide = [] {
    Machine out = machines::sm80;
    out.name = "wide";
    out.scopes[2].count = 16;
    out.scopes[3].count = 64;
    out.splits[0].extent = 64;
    return out;
}();
const Target wide_target = [] {
    Target out = targets::sm80;
    out.machine = wide;
    return out;
}();

/// Element i is held by thread i = 64·warp + lane of two warps; and the same from the last thread to the first.
constexpr Layout by_thread = "(2,64):(1@warp,1@lane)"_axe, reversed = "(2,64):(-1@warp,-1@lane) + 1@warp + 63@lane"_axe;
const Options single{.schedule = {}, .vector_bytes = 4};

using Write = std::function<void(Scope, const TensorRef&, const TensorRef&)>;

/// Two warps, that `write` something of A, 128 numbers, to C.
Program block(const Write& write)
{
    Kernel k("block", wide);
    const auto A = k.input("A", {128}, f32), C = k.output("C", {128}, f32);
    one_block(k, 2, [&](Scope cta) { write(cta, A, C); });
    return *required(k.program());
}

sim::Report run(const Program& program, bool lowers = true)
{
    const auto lowered = lowers ? lower(program, wide_target) : Result<Lowered, axe::Problem>(Lowered{program, {}});
    INFO((lowered ? "" : lowered.error().text));
    REQUIRE(lowered.has_value());
    Bindings in;
    in.set("A", arrays::counting({128}, f32));
    auto report = required(sim::run(lowered->program, wide_target, in));
    sim::RunOptions fast;
    fast.level = sim::Level::fast;
    const auto again = sim::run(lowered->program, wide_target, in, fast);
    if (report->ok()) {
        REQUIRE((again && again->ok()));
        CHECK(again->total == report->total);
        for (std::int64_t i = 0; i < 128; ++i) CHECK(again->outputs.find("C")->at(i) == report->outputs.find("C")->at(i));
    }
    return std::move(*report);
}

std::shared_ptr<const Distribution> taken(int lanes, const std::function<int(int, int)>& element)
{
    auto out = std::make_shared<Distribution>();
    out->agents = 2;
    out->lanes = lanes;
    for (int a = 0; a < 2; ++a)
        for (int l = 0; l < lanes; ++l) out->element.push_back(element(a, l));
    return out;
}
int own(int agent, int lane) { return agent * 64 + lane; }

Instruction simt(const char* opcode, std::vector<Access> operands, Function f = Function::identity)
{
    Instruction out;
    out.opcode = out.text = opcode;
    out.operands = std::move(operands);
    out.agents = 2;
    out.function = f;
    return out;
}

} // namespace

TEST_CASE("64 lanes: the machine is sound", "[sim][lanes]") { CHECK(std::string(check(wide).error().message().c_str()).empty()); }

TEST_CASE("64 lanes: copies, maps and reductions of registers and memory", "[sim][lanes]")
{
    const Program program = block([](Scope cta, const TensorRef& A, const TensorRef& C) {
        const auto s = cta.alloc(Role::shared, {128}, f32, {}, "s"), one = cta.alloc(Role::shared, {1}, f32, {}, "one");
        const auto r = cta.alloc(Role::registers, {128}, f32, by_thread, "r"),
                   q = cta.alloc(Role::registers, {128}, f32, reversed, "q");
        cta.copy(r, A);
        cta.unary(Function::neg, r, r);
        cta.copy(s, r, single).sync();
        cta.copy(q, s).binary(Function::add, q, q, q);
        cta.copy(C, q);
    });
    const sim::Report report = without_fault(run(program));
    for (std::int64_t i = 0; i < 128; ++i) CHECK(report.outputs.find("C")->at(i) == static_cast<double>(-2 * i));
    CHECK(report.total.lanes == report.total.lanes_active);
    CHECK(report.total.lanes == 64 * report.total.instructions);
    // 256 bytes of each warp are two wavefronts, and eight sectors of 32 bytes.
    CHECK(report.total.memories.at("smem").wavefronts == report.total.memories.at("smem").requests * 2);
    CHECK(report.total.memories.at("gmem").sectors == 2 * 128 * 4 / 32);
}

TEST_CASE("64 lanes: a race of the upper lanes is found, and they are named", "[sim][lanes]")
{
    // Lane l of a warp stores element l, and what lane 63 of the other one has stored is lane 0's.
    const Program program = block([](Scope cta, const TensorRef& A, const TensorRef& C) {
        const auto s = cta.alloc(Role::shared, {128}, f32, {}, "s");
        const auto r = cta.alloc(Role::registers, {128}, f32, by_thread, "r");
        cta.call(simt("move", {{r.view(), taken(64, own)}, {A.view(), taken(64, own)}}));
        cta.call(simt("move", {{s.view(), taken(64, own)}, {r.view(), taken(64, own)}}));
        cta.call(simt("move", {{r.view(), taken(64, own)}, {s.view(), taken(64, [](int a, int l) { return a * 64 + (l ^ 1); })}}));
        cta.call(simt("move", {{C.view(), taken(64, own)}, {r.view(), taken(64, own)}}));
    });
    const sim::Report report = run(program, false);
    INFO(report.fault.text);
    CHECK(report.fault.kind == FaultKind::race); // lanes of a warp are not ordered by themselves
    CHECK(report.fault.text.find("lane 0 of agent 0, element (1) of s") != std::string::npos);
    CHECK(report.fault.text.find("by lane 1 of agent 0 in") != std::string::npos);
    const Program upper = block([](Scope cta, const TensorRef& A, const TensorRef& C) {
        const auto s = cta.alloc(Role::shared, {128}, f32, {}, "s");
        const auto r = cta.alloc(Role::registers, {128}, f32, by_thread, "r");
        cta.call(simt("move", {{r.view(), taken(64, own)}, {A.view(), taken(64, own)}}));
        cta.call(simt("move", {{s.view(), taken(64, own)}, {r.view(), taken(64, own)}}));
        cta.call(simt("move",
                      {{r.view(), taken(64, own)}, {s.view(), taken(64, [](int a, int l) { return own(a, l == 30 ? 62 : l); })}}));
        cta.call(simt("move", {{C.view(), taken(64, own)}, {r.view(), taken(64, own)}}));
    });
    const sim::Report found = run(upper, false);
    INFO(found.fault.text);
    CHECK(found.fault.kind == FaultKind::race);
    CHECK(found.fault.text.find("lane 30 of agent 0, element (62) of s") != std::string::npos);
    CHECK(found.fault.text.find("by lane 62 of agent 0 in") != std::string::npos);
}

TEST_CASE("64 lanes: a register that an upper lane has not written", "[sim][lanes]")
{
    for (const int silent : {0, 31, 32, 63}) {
        const Program program = block([silent](Scope cta, const TensorRef& A, const TensorRef& C) {
            const auto r = cta.alloc(Role::registers, {128}, f32, by_thread, "r");
            cta.call(simt("move", {{r.view(), taken(64, [silent](int a, int l) { return a == 1 && l == silent ? -1 : own(a, l); })},
                                   {A.view(), taken(64, own)}}));
            cta.call(simt("move", {{C.view(), taken(64, own)}, {r.view(), taken(64, own)}}));
        });
        const sim::Report report = run(program, false);
        INFO(report.fault.text);
        CHECK(report.fault.kind == FaultKind::uninitialized);
        CHECK(report.fault.text.find("lane " + std::to_string(silent) + " of agent 1, ") != std::string::npos);
    }
}

TEST_CASE("64 lanes: a shuffle takes from any of them", "[sim][lanes]")
{
    for (const bool writes_all : {true, false}) {
        const Program program = block([writes_all](Scope cta, const TensorRef& A, const TensorRef& C) {
            const auto r = cta.alloc(Role::registers, {128}, f32, by_thread, "r"),
                       q = cta.alloc(Role::registers, {128}, f32, by_thread, "q");
            cta.call(simt("move", {{r.view(), taken(64, [&](int a, int l) { return l == 60 && !writes_all ? -1 : own(a, l); })},
                                   {A.view(), taken(64, own)}}));
            cta.call(
                simt("shuffle", {{q.view(), taken(64, own)}, {r.view(), taken(64, [](int a, int l) { return own(a, 63 - l); })}}));
            cta.call(simt("move", {{C.view(), taken(64, own)}, {q.view(), taken(64, own)}}));
        });
        const sim::Report report = run(program, false);
        INFO(report.fault.text);
        CHECK(report.fault.kind == (writes_all ? FaultKind::none : FaultKind::uninitialized));
        if (!writes_all) CHECK(report.fault.text.find("which lane 60 did not write") != std::string::npos);
        for (int i = 0; i < 128 && writes_all; ++i)
            CHECK(report.outputs.find("C")->at(i) == static_cast<double>(i / 64 * 64 + 63 - i % 64));
    }
}

TEST_CASE("64 lanes: atomic operations of all of them", "[sim][lanes]")
{
    const Program program = block([](Scope cta, const TensorRef& A, const TensorRef& C) {
        const auto s = cta.alloc(Role::shared, {2}, f32, {}, "s");
        const auto r = cta.alloc(Role::registers, {128}, f32, by_thread, "r");
        const auto first = [](int a, int l) { return l == 0 ? a : -1; };
        cta.call(simt("move", {{r.view(), taken(64, own)}, {A.view(), taken(64, own)}}));
        cta.call(simt("fill", {{s.view(), taken(64, first)}})).sync();
        cta.call(simt("atomic", {{s.view(), taken(64, [](int a, int) { return a; })}, {r.view(), taken(64, own)}}, Function::add));
        cta.sync();
        cta.call(simt("move", {{C.view(), taken(64, own)}, {s.view(), taken(64, [](int a, int) { return a; })}}));
    });
    const sim::Report report = without_fault(run(program, false));
    for (int i = 0; i < 128; ++i) CHECK(report.outputs.find("C")->at(i) == (i < 64 ? 63.0 * 64 / 2 : 63.0 * 64 / 2 + 64 * 64));
}

TEST_CASE("64 lanes: fragments of a matrix instruction of another width are refused", "[sim][lanes]")
{
    Kernel k("narrow", wide);
    const auto C = k.output("C", {16, 8}, f32);
    one_block(k, 1, [&](Scope cta) {
        const auto acc = cta.alloc(Role::registers, {64, 4}, f32, "(64,4):(1@lane,1@reg)"_axe, "acc");
        const auto a = cta.alloc(Role::registers, {64, 8}, f16, "(64,8):(1@lane,1@reg)"_axe, "a");
        const auto b = cta.alloc(Role::registers, {64, 4}, f16, "(64,4):(1@lane,1@reg)"_axe, "b");
        const auto all_of = [](int vector) {
            auto out = std::make_shared<Distribution>();
            out->lanes = 64;
            out->vector = vector;
            for (int e = 0; e < 64 * vector; ++e) out->element.push_back(e);
            return out;
        };
        Instruction mma =
            simt("mma", {{acc.view(), all_of(4)}, {a.view(), all_of(8)}, {b.view(), all_of(4)}, {acc.view(), all_of(4)}});
        mma.text = "mma.sync.m16n8k16.f32.f16.f16.f32";
        mma.agents = 1;
        cta.call(mma);
    });
    const auto report = sim::run(k.program().value(), wide_target, {});
    REQUIRE(!report);
    INFO(report.error().text);
    CHECK(report.error().text.find("operand A of mma.sync.m16n8k16.f32.f16.f16.f32 takes 32 lanes; a warp has 64") !=
          std::string::npos);
}
