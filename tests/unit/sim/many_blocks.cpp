// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/catch.hpp>

#include <axe/kernels.hpp>

using namespace axe;

/// Blocks that one thread of the host runs one after the other: each has the whole time of a block.

TEST_CASE("how often an agent synchronizes is counted for each block, at both levels", "[sim][blocks]")
{
    constexpr std::int64_t blocks = 700, rounds = 400; // together more often than an agent may in one block
    Kernel k("rounds", machines::sm90);
    const auto C = k.output("C", {blocks}, DType::f32);
    k.cta(
        tiles(blocks, 1),
        [&](Scope cta, const Tile& t) {
            cta.mbarrier({Mbarrier::Action::init, 0, 1, {}}).sync();
            cta.loop(0, rounds, 1, [&](const Affine& i) {
                cta.mbarrier({Mbarrier::Action::arrive, 0, 0, {}});
                cta.mbarrier({Mbarrier::Action::wait, 0, 0, floor_mod(Expression(i), 2)});
            });
            cta.fill(C(t), 1);
        },
        1);
    const Lowered lowered = lower(k.program().value()).value();
    for (const sim::Level level : {sim::Level::full, sim::Level::fast})
        for (const int threads : {1, 2}) {
            sim::RunOptions options;
            options.level = level;
            options.threads = threads;
            const sim::Report report = sim::run(lowered.program, {}, options).value();
            INFO(report.fault.text);
            CHECK(report.ok());
        }
}
