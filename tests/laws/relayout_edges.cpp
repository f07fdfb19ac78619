// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/relayout/kernels/select.hpp>
#include <tests/laws/report.hpp>
#include <tests/relayout_values.hpp>

/// relayout: transposes whose rows and columns end anywhere within a block, whole ones, tiles and parts alike.
TEST_CASE("relayout: a transpose is right wherever its rows and columns end, for every set of instructions")
{
    using axe::detail::InstructionSet;
    using laws::Int;
    laws::Report report("relayout at edges");
    laws::Random r(11);
    // Sides of few blocks are done at once, in the first cache; one long side makes tiles.
    for (const bool tiles : {false, true})
        for (const Int width : {1, 2, 4, 8, 16}) {
            const Int block = 64 / width, lane = 16 / width;
            // What is left past whole blocks: all that is less than two vectors, and a few more.
            std::vector<Int> ends;
            for (Int e = 1; e <= 2 * block + 1; ++e)
                if (e % block <= 2 * lane || e % block == block - 1 || r.one_in(8)) ends.push_back(e);
            for (const Int rows : ends)
                for (const Int columns : ends) {
                    if (width <= 2 && !r.one_in(width == 1 ? 12 : 4)) continue;
                    const Int m = tiles ? rows + (1 << 14) / width / columns / block * block : rows;
                    for (const InstructionSet set : {InstructionSet::portable, InstructionSet::sse2, InstructionSet::avx2,
                                                     InstructionSet::avx512, InstructionSet::neon}) {
                        if (!axe::detail::runs_here(set)) continue;
                        axe::RelayoutOptions o;
                        o.bits = static_cast<int>(8 * width);
                        o.instructions = set;
                        axe::Layout to, from;
                        to.shard = {{m, 1}, {columns, m}}, from.shard = {{m, columns}, {columns, 1}};
                        const auto plan = axe::plan_relayout(to, from, axe::Shape{m, columns}, o);
                        report.asked(true);
                        if (!plan) {
                            report.wrong(plan.error().text.c_str());
                            continue;
                        }
                        const auto bytes = static_cast<std::size_t>(m * columns * width);
                        const relayouts::GuardedBytes target(bytes), source(bytes);
                        for (std::size_t i = 0; i < bytes; ++i) source.data()[i] = static_cast<std::byte>(i * 167 / 64);
                        std::memset(target.data(), 0x5a, bytes);
                        const auto done = plan->run(target.data(), bytes, source.data(), bytes);
                        if (!done.ok()) report.wrong(done.error().text.c_str());
                        bool equal = true;
                        for (Int i = 0; i < m && equal; ++i)
                            for (Int j = 0; j < columns && equal; ++j)
                                equal = std::memcmp(target.data() + (j * m + i) * width, source.data() + (i * columns + j) * width,
                                                    static_cast<std::size_t>(width)) == 0;
                        if (!equal)
                            report.wrong((std::to_string(m) + " × " + std::to_string(columns) + " of " + std::to_string(width) +
                                          " bytes, instructions " + std::to_string(static_cast<int>(set)))
                                             .c_str());
                    }
                }
        }
    report.finish(false);
}
