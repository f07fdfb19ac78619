// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/catch.hpp>

#include <axe/kernels.hpp>
#include <tests/required.hpp>
#include <tests/turns.hpp>
#include <tests/unit/sim/arrays.hpp>

#include <cmath>

/// Loads, stores and reductions of what all devices have at one place.
namespace {

using namespace axe;
using namespace axe::literals;
using enum axe::DType;
using sim::FaultKind;
using Int = std::int64_t;

Layout network_rows(Int devices, Int elements) { return Layout{{{devices, 1, "gpuid"}, {elements, 1}}, {}, {}}; }
Layout network_copies(Int devices, Int elements) { return Layout{{{elements, 1}}, {{devices, 1, "gpuid"}}, {}}; }
Machine network_machine(Int devices, const char* chip = "sm90")
{
    return mesh(machines::find(chip).value(), Shape{devices}).value();
}

struct NetworkCase {
    Int devices = 2, elements = 256;
    DType type = f32;
    Function function = Function::add;
    const char* chip = "sm90";
    Int guarded = 0; ///< elements that the tensors have, fewer than the tile's; 0: as many
    bool waits = true;
};

/// Each device has its row of A in its copy of X; then the last device combines all copies, and stores what came into all
/// copies of Y; all add their row to all copies of Z. Then each device shows what it has.
Result<Program, Problem> network_kernel(const NetworkCase& s)
{
    const Int W = s.devices, n = s.guarded > 0 ? s.guarded : s.elements;
    Kernel k("network", network_machine(W, s.chip));
    const auto A = k.input("A", {W, n}, s.type, network_rows(W, n));
    const auto Y = k.output("Y", {W, n}, s.type, network_rows(W, n)), Z = k.output("Z", {W, n}, s.type, network_rows(W, n));
    const auto x = k.alloc(Role::global, {n}, s.type, network_copies(W, n), "x"),
               y = k.alloc(Role::global, {n}, s.type, network_copies(W, n), "y"),
               z = k.alloc(Role::global, {n}, s.type, network_copies(W, n), "z");
    const auto flags = k.inout("flags", {W, 2}, i32, network_rows(W, 2));
    const Affine d = k.device();
    k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
        const auto r = cta.alloc(Role::registers, {s.elements}, s.type, LayoutHint::registers, "r"),
                   sum = cta.alloc(Role::registers, {s.elements}, s.type, LayoutHint::registers, "sum");
        const auto box = [&](const ViewRef& v) { return v(Interval(0, s.elements)).guarded(n < s.elements); };
        cta.copy(r, box(A(d, all))).copy(box(x), r).fill(sum, 0).copy(box(z), sum);
        for (Int to = 0; to < W; ++to) cta.signal(flags.remote(to)(to, 0), 1, Signal::add);
        if (s.waits) cta.signal_wait(flags(d, 0), static_cast<double>(W));
        cta.when(equals(Expression(d), static_cast<double>(W - 1)),
                 [&] { cta.load_reduce(s.function, sum, box(x)).store_all(box(y), sum); });
        cta.reduce_all(s.function, box(z), r);
        for (Int to = 0; to < W; ++to) cta.signal(flags.remote(to)(to, 1), 1, Signal::add);
        cta.signal_wait(flags(d, 1), static_cast<double>(W));
        cta.copy(r, box(y)).copy(box(Y(d, all)), r).copy(r, box(z)).copy(box(Z(d, all)), r);
    });
    return k.program();
}

Bindings network_inputs(const NetworkCase& s)
{
    Bindings out;
    const Int n = s.guarded > 0 ? s.guarded : s.elements;
    Array a = Array::make({s.devices, n}, s.type).value();
    for (Int i = 0; i < a.size(); ++i) a.set(i, static_cast<double>((i * 37 + 11) % 41 - (is_float(s.type) ? 20 : 0)));
    out.set("A", std::move(a)).set("flags", Array::make({s.devices, 2}, i32).value());
    return out;
}

double network_function(Function f, double a, double b)
{
    const auto x = static_cast<std::int64_t>(a), y = static_cast<std::int64_t>(b);
    return f == Function::add   ? a + b
           : f == Function::min ? std::min(a, b)
           : f == Function::max ? std::max(a, b)
                                : static_cast<double>(f == Function::bit_and  ? x & y
                                                      : f == Function::bit_or ? x | y
                                                                              : x ^ y);
}

} // namespace

TEST_CASE("multimem: combined loads, stores and reductions on 1, 2, 4 and 8 devices, for each type and function", "[sim][remote]")
{
    struct Of {
        DType type;
        Function function;
    };
    for (const Int devices : {1, 2, 4, 8})
        for (const auto& [type, function] :
             {Of{f32, Function::add}, Of{f16, Function::add}, Of{bf16, Function::add}, Of{f64, Function::add},
              Of{i32, Function::add}, Of{f16, Function::min}, Of{bf16, Function::max}, Of{i32, Function::min},
              Of{i32, Function::max}, Of{i32, Function::bit_and}, Of{i32, Function::bit_or}, Of{i32, Function::bit_xor}})
            for (const Int guarded : {0, 200}) {
                if (devices == 4 && type != f16) continue;
                const NetworkCase s{devices, 256, type, function, devices == 4 ? "sm100" : "sm90", guarded};
                CAPTURE(devices, name(type), name(function), guarded);
                const auto program = network_kernel(s);
                INFO(program.error().text);
                REQUIRE(program);
                for (const Problem& p : validate(*program)) FAIL(p.text);
                const auto lowered = required(lower(*program));
                for (const Problem& p : validate(lowered->program)) FAIL(p.text);
                const Bindings inputs = network_inputs(s);
                const Int n = guarded > 0 ? guarded : s.elements, bytes = n * storage_bytes(type);
                const auto is_right = [&](const sim::RunOptions& options) {
                    const auto report = without_fault(sim::run(lowered->program, inputs, options).value());
                    Int wrong = 0;
                    for (Int i = 0; i < n; ++i) {
                        double sum = inputs.find("A")->at(i), from_zero = network_function(function, 0, sum);
                        for (Int d = 1; d < devices; ++d) {
                            sum = network_function(function, sum, inputs.find("A")->at(d * n + i));
                            from_zero = network_function(function, from_zero, inputs.find("A")->at(d * n + i));
                        }
                        for (Int d = 0; d < devices; ++d)
                            wrong += (report.outputs.find("Y")->at(d * n + i) != sum) +
                                     (report.outputs.find("Z")->at(d * n + i) != from_zero);
                    }
                    CHECK(wrong == 0);
                    // One value for all devices: of the load and the store of one device, and of the reduction of each.
                    CHECK(report.total.link_bytes == (devices == 1 ? 0 : (2 + devices) * bytes));
                    CHECK(report.total.links.empty());
                };
                is_right({});
                if (devices == 2 && guarded == 0 && (type == f16 || type == i32)) turns::each(is_right);
            }
}

TEST_CASE("multimem: instructions have the widest accesses, and counters those of all devices' memories", "[sim][remote]")
{
    const auto text_of = [](const NetworkCase& s) { return print(lower(network_kernel(s).value()).value().program); };
    const auto has = [](const std::string& text, const char* words) {
        INFO(text);
        CHECK(text.find(words) != std::string::npos);
    };
    const std::string halves = text_of({2, 1024, f16});
    has(halves, "multimem.ld_reduce.relaxed.sys.global.add.acc::f32.v4.f16x2");
    has(halves, "multimem.st.relaxed.sys.global.v4.f16x2");
    has(halves, "multimem.red.relaxed.sys.global.add.v4.f16x2");
    has(text_of({2, 1024, f32}), "multimem.ld_reduce.relaxed.sys.global.add.v4.f32");
    has(text_of({2, 1024, i32}), "multimem.ld_reduce.relaxed.sys.global.add.s32");
    has(text_of({2, 1024, i32, Function::bit_xor}), "multimem.red.relaxed.sys.global.xor.b32");
    has(print(network_kernel({2, 1024, f16}).value()), "load_reduce sum = add(x of all devices)");
    has(print(network_kernel({2, 1024, f16}).value()), "reduce_all z of all devices = add(z of all devices, r)");
    for (const Int devices : {1, 2, 8}) {
        const NetworkCase s{devices, 1024, f32};
        const auto report = sim::run(lower(network_kernel(s).value()).value().program, network_inputs(s)).value();
        REQUIRE(report.ok());
        // Read: A and the copies of x; those of z, by each device; y and z. Written: x and z; y of all devices; z, by each device; Y and Z.
        const Int row = 1024 * 4;
        CHECK(report.total.memories.at("gmem").bytes_read == row * (2 * devices + devices * devices + 2 * devices));
        CHECK(report.total.memories.at("gmem").bytes_written == row * (2 * devices + devices + devices * devices + 2 * devices));
    }
}

TEST_CASE("multimem: what is not ordered on any one of the devices is a race", "[sim][remote]")
{
    for (const Int devices : {2, 4}) {
        NetworkCase s{devices, 256, f32};
        s.waits = false;
        const Program program = lower(network_kernel(s).value()).value().program;
        turns::each([&](const sim::RunOptions& options) {
            const auto report = sim::run(program, network_inputs(s), options).value();
            INFO(report.fault.text);
            CHECK((report.fault.kind == FaultKind::race || report.fault.kind == FaultKind::uninitialized));
        });
    }
    // One device that has not written its copy.
    Kernel k("lacks", network_machine(4));
    const auto x = k.alloc(Role::global, {128}, f32, network_copies(4, 128), "x");
    const auto C = k.output("C", {4, 128}, f32, network_rows(4, 128));
    const auto flags = k.inout("flags", {4, 1}, i32, network_rows(4, 1));
    k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
        const auto r = cta.alloc(Role::registers, {128}, f32, LayoutHint::registers, "r");
        cta.fill(r, 1).when(Expression(k.device()) < 3, [&] { cta.copy(x, r); });
        for (Int to = 0; to < 4; ++to) cta.signal(flags.remote(to)(to, 0), 1, Signal::add);
        cta.signal_wait(flags(k.device(), 0), 4).load_reduce(Function::add, r, x).copy(C(k.device(), all), r);
    });
    Bindings in;
    in.set("flags", Array::make({4, 1}, i32).value());
    const auto report = sim::run(lower(k.program().value()).value().program, in).value();
    INFO(report.fault.text);
    CHECK(report.fault.kind == FaultKind::uninitialized);
    CHECK(report.fault.text.find(", x (gmem byte 0 on device 3) is read and was never written") != std::string::npos);
}

TEST_CASE("multimem: what machines, types and tensors do not have is told", "[sim][remote]")
{
    const auto text = [](const char* chip, Int devices, const std::function<void(Scope, Kernel&)>& body) {
        Kernel k("no", network_machine(devices, chip));
        k.cta(tiles(1, 1), [&](Scope cta, const Tile&) { body(cta, k); });
        const auto program = k.program();
        if (!program) return program.error().text;
        const auto problems = validate(*program);
        const auto lowered = lower(*program);
        if (!problems.empty()) return problems.front().text;
        return lowered ? std::string() : lowered.error().text;
    };
    const auto has = [](const std::string& found, const char* words) {
        INFO(found);
        CHECK(found.find(words) != std::string::npos);
    };
    const auto load = [](DType type, const Layout& layout, Function f = Function::add) {
        return [=](Scope cta, Kernel& k) {
            const auto x = k.inout("x", {128}, type, layout);
            const auto r = cta.alloc(Role::registers, {128}, type, LayoutHint::registers, "r");
            cta.load_reduce(f, r, x);
        };
    };
    CHECK(text("sm90", 2, load(f32, network_copies(2, 128))).empty());
    has(text("sm80", 2, load(f32, network_copies(2, 128))), "load_reduce");
    has(text("sm90", 2, load(f32, Layout{{{2, 1, "gpuid"}, {64, 1}}, {}, {}})),
        "x has 1 copy of each element on 2 devices; there is to be one on each");
    has(text("sm90", 2, load(f32, network_copies(2, 128), Function::max)), "multimem has no max of f32, the type of x");
    has(text("sm90", 2, load(e4m3, network_copies(2, 128))), "multimem has no add of e4m3, the type of x");
    has(text("sm90", 2, load(f32, network_copies(2, 128), Function::sub)), "sub is not a reduction");
    has(text("sm90", 2, load(f16, Layout{{{128, 2}}, {{2, 1, "gpuid"}}, {}})),
        "an access of the network has 4, 8 or 16 bytes; a lane would have 2");
    has(text("sm90", 2,
             [](Scope cta, Kernel& k) {
                 const auto x = k.inout("x", {128}, f32, network_copies(2, 128));
                 const auto r = cta.alloc(Role::registers, {128}, f16, LayoutHint::registers, "r");
                 cta.load_reduce(Function::add, r, x);
             }),
        "an operation on all devices does not convert");
    has(text("sm90", 2,
             [](Scope cta, Kernel& k) {
                 const auto x = k.inout("x", {128}, f32, network_copies(2, 128));
                 const auto s = cta.alloc(Role::shared, {128}, f32, {}, "s");
                 cta.store_all(x, s);
             }),
        "s is in smem, not in registers");
}
