// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/defects/harness.hpp>

/// Engines, partitions and banks of Trainium; instructions that take whole boxes.
namespace {

using namespace defects;

enum class Slip { no_barrier, no_barrier_after_dma, no_wait, bank, start, partitions, not_started, too_wide, no_agent };

enum Engine : int { tensor_engine, vector_engine, scalar_engine, gpsimd_engine };

double left(std::int64_t i) { return double(i % 7) - 3; }
double right(std::int64_t i) { return double(i % 5) - 1; }
double product(std::int64_t i)
{
    double sum = 0;
    for (int q = 0; q < 64; ++q) sum += left(q * 128 + i / 512) * right(q * 512 + i % 512);
    return sum;
}

Instruction box(std::string opcode, const std::vector<ViewRef>& operands, Engine engine, std::vector<std::int64_t> parameters = {})
{
    std::vector<Access> whole;
    for (const ViewRef& v : operands) whole.push_back({v.view(), nullptr});
    Instruction i = instruction(std::move(opcode), std::move(whole), 1, engine);
    i.parameters = std::move(parameters);
    return i;
}

/// C (128×512) = Aᵀ (64×128) · B (64×512) by nc_matmul: operands brought by DMA, the result taken from PSUM by the vector engine.
Pair matmul(Slip slip)
{
    Pair p{machines::trn1, {}, {{"A", left}, {"B", right}}, {{"C", product}}, true};
    p.write = [slip](Kernel& k, bool defect, Marks& marks) {
        const auto is = [&](Slip s) { return defect && s == slip; };
        const auto A = k.input("A", {64, 128}, bf16), B = k.input("B", {64, 512}, bf16), C = k.output("C", {128, 512}, f32);
        one_block(k, 4, [&](Scope core) {
            Layout of_a = "(64,128):(1@P,1@F)"_axe, of_b = "(64,512):(1@P,1@F)"_axe;
            if (is(Slip::start)) of_a = "(64,128):(1@P,1@F) + 16@P"_axe;
            if (is(Slip::partitions)) of_a = "(64,128):(1@P,1@F) + 64@P"_axe;
            if (is(Slip::start)) of_b = "(64,512):(1@P,1@F) + 16@P"_axe;
            const auto a = core.alloc("sbuf", {64, 128}, bf16, of_a, "a"), b = core.alloc("sbuf", {64, 512}, bf16, of_b, "b");
            const auto sums = core.alloc("psum", {128, 512}, f32,
                                         is(Slip::bank) ? "(128,512):(1@P,1@F) + 256@F"_axe : "(128,512):(1@P,1@F)"_axe, "sums");
            const auto c = core.alloc("sbuf", {128, 512}, f32, "(128,512):(1@P,1@F)"_axe, "c");
            const int load = next(k);
            Instruction dma = box("dma", {a, A}, gpsimd_engine);
            if (slip == Slip::no_wait) dma.async = true;
            core.call(dma);
            if (slip == Slip::no_wait && !defect) core.commit().wait(0);
            core.call(box("dma", {b, B}, gpsimd_engine));
            if (!is(Slip::no_barrier_after_dma)) core.sync();
            const int multiply = next(k);
            core.call(box("nc_matmul", {sums, a, b}, tensor_engine, {is(Slip::not_started) ? 1 : 0}));
            if (!is(Slip::no_barrier)) core.sync();
            const int take = next(k);
            core.call(box("engine_map", {c, sums}, is(Slip::no_agent) ? static_cast<Engine>(4) : vector_engine));
            core.sync();
            core.call(box("dma", {C, c}, gpsimd_engine));
            marks.at = slip == Slip::no_barrier || slip == Slip::no_agent ? take : multiply;
            if (slip == Slip::no_wait) marks.other = load;
            if (slip == Slip::no_barrier_after_dma) marks = {load, multiply};
        });
    };
    return p;
}

} // namespace

TEST_CASE("an engine takes what another has not finished")
{
    check_fault(matmul(Slip::no_barrier), FaultKind::race, {"element (0,0) of sums (psum partition 0, element 0)", "of agent 0"});
}

TEST_CASE("an engine multiplies what the DMA has not brought yet")
{
    check_fault(matmul(Slip::no_barrier_after_dma), FaultKind::race, {"of a", "is written here and read by"});
}

TEST_CASE("a DMA that goes on by itself, and is not waited for")
{
    check_fault(matmul(Slip::no_wait), FaultKind::race, {"of a", "an asynchronous copy of agent 3"});
}

TEST_CASE("a product that crosses from one bank of PSUM into the next")
{
    check_fault(matmul(Slip::bank), FaultKind::misaligned, {"sums", "bank"});
}

TEST_CASE("partitions that do not start where they may")
{
    check_fault(matmul(Slip::start), FaultKind::misaligned, {"64 partitions of", "from partition 16"});
}

TEST_CASE("operands on different partitions")
{
    check_fault(matmul(Slip::partitions), FaultKind::wrong_owner, {"partition 0", "partition 64"});
}

TEST_CASE("a sum that goes on from what was never written")
{
    check_fault(matmul(Slip::not_started), FaultKind::uninitialized, {"element (0,0) of sums", "was never written"});
}

TEST_CASE("an engine that the core does not have")
{
    check_refused(matmul(Slip::no_agent), errc::out_of_domain, {"it runs on agents 4 to 4", "the block has 4"});
}

TEST_CASE("a product wider than a bank, and more than PSUM has")
{
    for (const std::int64_t n : {513, 4097}) {
        Pair p{machines::trn1, {}, {}, {}};
        p.write = [n](Kernel& k, bool defect, Marks& marks) {
            const std::int64_t width = defect ? n : 512;
            one_block(k, 4, [&](Scope core) {
                const auto a = core.alloc("sbuf", {64, 128}, bf16, {}, "a"), b = core.alloc("sbuf", {64, width}, bf16, {}, "b");
                const auto sums = core.alloc("psum", {128, width}, f32, {}, "sums");
                core.call(box("engine_fill", {a}, vector_engine)).call(box("engine_fill", {b}, vector_engine)).sync();
                if (n == 513) marks.at = next(k);
                core.call(box("nc_matmul", {sums, a, b}, tensor_engine, {0}));
            });
        };
        if (n == 513)
            check_refused(p, errc::capacity, {"N is 513; at most 512"});
        else
            check_refused(p, errc::capacity, {"sums", "16388", "16384"});
    }
}
