// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/kernels.hpp>
#include <axe/text/literals.hpp>
#include <catch.hpp>
#include <tests/one_block.hpp>
#include <tests/required.hpp>

using namespace axe;
using namespace axe::literals;
using enum axe::DType;

namespace {

Instruction matmul(const ViewRef& d, const ViewRef& a, const ViewRef& b, std::vector<std::int64_t> parameters = {0})
{
    Instruction out;
    out.opcode = "stick_matmul";
    out.text = "pt.matmul";
    for (const ViewRef& v : {d, a, b}) out.operands.push_back({v.view(), nullptr});
    out.parameters = std::move(parameters);
    return out;
}

/// Filled tensors of dl16 in the scratchpad, and what the body does with them.
struct Core {
    Scope scope;
    TensorRef tensor(const char* name, const Shape& shape, const Layout& layout, DType type = dl16)
    {
        const auto t = scope.alloc("lx", shape, type, layout, name);
        scope.fill(t, 1);
        return t;
    }
};

/// A problem before the run, or its fault.
std::string said(const std::function<void(Core&)>& body, const sim::Level level = sim::Level::full)
{
    Kernel k("sticks", machines::spyre);
    one_block(k, 1, [&](Scope scope) {
        Core core{scope};
        body(core);
    });
    const auto program = k.program();
    if (!program) return program.error().text;
    const auto low = lower(*program);
    if (!low) return low.error().text;
    sim::RunOptions options;
    options.level = level;
    auto ready = sim::prepare(low->program);
    if (!ready) return ready.error().text;
    sim::RunOptions before; // what a run checks is its own
    before.level = level == sim::Level::full ? sim::Level::fast : sim::Level::full;
    REQUIRE(ready->run({}, before));
    const auto report = ready->run({}, options);
    return report ? report->fault.text : report.error().text;
}

bool says(const std::string& text, const std::string& words)
{
    INFO(text);
    return text.find(words) != std::string::npos;
}

// 64 and 128 columns in sticks along the rows' direction, and along the columns'.
const Layout square = "(64,64):(64,1)"_axe, turned = "(64,64):(1,64)"_axe, plain = "(4,128):(128,1)"_axe;

} // namespace

TEST_CASE("sticks: a product takes its factors along K and N", "[sim][spyre]")
{
    CHECK(said([](Core& c) {
              c.scope.call(
                  matmul(c.tensor("d", {64, 64}, square), c.tensor("a", {64, 64}, square), c.tensor("b", {64, 64}, square)));
          }) == "");
    const auto wrong = [](Core& c) {
        c.scope.call(matmul(c.tensor("d", {64, 64}, square), c.tensor("a", {64, 64}, turned), c.tensor("b", {64, 64}, square)));
    };
    CHECK(says(said(wrong), "agent 0 takes the sticks of a along dimension 1 of its view, and stick 64 runs another way"));
    CHECK(said(wrong, sim::Level::fast) == ""); // no checks: the numbers are the same
    // Row-major rows of 128 are sticks along the columns as well; those of 96 are not.
    CHECK(said([](Core& c) {
              c.scope.call(matmul(c.tensor("d", {4, 64}, "(4,64):(64,1)"_axe), c.tensor("a", {4, 128}, plain),
                                  c.tensor("b", {128, 64}, "(128,64):(64,1)"_axe)));
          }) == "");
    CHECK(says(said([](Core& c) {
                   c.scope.call(matmul(c.tensor("d", {4, 64}, "(4,64):(64,1)"_axe), c.tensor("a", {4, 96}, "(4,96):(96,1)"_axe),
                                       c.tensor("b", {96, 64}, "(96,64):(64,1)"_axe)));
               }),
               "runs another way"));
}

TEST_CASE("sticks: what a product refuses before the run", "[sim][spyre]")
{
    const auto with = [](DType d, DType a, std::vector<std::int64_t> parameters, const Layout& b) {
        return said([&](Core& c) {
            const Layout wide = "(64,64):(64,1)"_axe;
            c.scope.call(matmul(c.tensor("d", {64, 64}, wide, d), c.tensor("a", {64, 64}, wide, a),
                                c.tensor("b", size(b).value() == 4096 ? Shape{64, 64} : Shape{32, 64}, b), parameters));
        });
    };
    CHECK(with(f32, dl16, {0}, square) == "");
    CHECK(says(with(f16, dl16, {0}, square), "d is f16; the instruction multiplies dl16 and accumulates in dl16 or f32"));
    CHECK(says(with(dl16, f32, {0}, square), "a is f32; the instruction multiplies dl16 and accumulates in dl16 or f32"));
    CHECK(says(with(dl16, dl16, {}, square), "the parameter must be accumulate, got 0 parameters"));
    CHECK(says(with(dl16, dl16, {2}, square), "parameter accumulate must be 0 or 1, got 2"));
    CHECK(says(with(dl16, dl16, {0}, "(32,64):(64,1)"_axe),
               "the operands have (64,64), (64,64) and (32,64) elements; they must be [M, N], [M, K], [K, N]"));
}

TEST_CASE("sticks: one element a stick is exempt, two are not", "[sim][spyre]")
{
    CHECK(said([](Core& c) { c.tensor("s", {8}, "8:64"_axe); }) == "");
    CHECK(says(said([](Core& c) { c.tensor("s", {8, 2}, "(8,2):(64,1)"_axe); }),
               "agent 0 touches 4 of the 128 bytes of stick 0 of s; it takes whole sticks"));
    // Of f32 a stick has 32.
    CHECK(said([](Core& c) { c.tensor("s", {3, 32}, "(3,32):(32,1)"_axe, f32); }) == "");
    CHECK(says(said([](Core& c) { c.tensor("s", {3, 31}, "(3,31):(32,1)"_axe, f32); }), "touches 124 of the 128 bytes of stick 0"));
    // Other machines have no sticks.
    Kernel k("partitions", machines::trn1);
    k.cta(tiles(1, 1), [&](Scope core, const Tile&) { core.fill(core.alloc("sbuf", {8, 3}, f16, "(8,3):(1@P,1@F)"_axe, "s"), 0); });
    const auto low = required(lower(*k.program()));
    CHECK(sim::run(low->program, {})->ok());
}
