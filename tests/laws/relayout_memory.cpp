// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/relayout/kernels/select.hpp>
#include <tests/laws/report.hpp>
#include <tests/relayout_sides.hpp>

#include <cstring>
#include <numeric>

/// relayout: the bytes that are written do not depend on what the memory is thought to be: caches, pages, stores, instructions.
namespace {

using laws::Int;
using laws::Random;

/// A dense tensor in a random order of its dimensions, some of them padded in memory, of these some to multiples of 512 bytes.
axe::Layout random_order(Random& r, const axe::Shape& shape, Int width)
{
    std::vector<int> order(static_cast<std::size_t>(shape.size()));
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = order.size(); i > 1; --i)
        std::swap(order[i - 1], order[static_cast<std::size_t>(r.in(0, static_cast<Int>(i) - 1))]);
    axe::Layout l;
    for (const Int n : shape) l.shard.push_back({n, 0});
    Int next = 1;
    for (const int d : order) {
        l.shard[d].stride = next;
        next = next * shape[d] + (r.one_in(4) ? r.in(1, 40) : 0);
        if (r.one_in(3)) next = (next + 512 / width - 1) / (512 / width) * (512 / width);
    }
    return l;
}

} // namespace

TEST_CASE("relayout: one result for every memory")
{
    using axe::detail::InstructionSet;
    using Streaming = axe::RelayoutOptions::Streaming;
    laws::Report report("relayout by memory");
    Random r(24);
    for (Int n = 0; n < laws::cases(300); ++n) {
        const Int width = Int{1} << r.in(0, 4);
        axe::Shape shape;
        axe::RelayoutSide to, from;
        if (r.one_in(3)) {
            shape = relayouts::random_shape(r, 20000);
            to = relayouts::random_side(r, shape, {true, width});
            from = relayouts::random_side(r, shape, {false, width});
        } else { // transposes of several tiles
            Int left = 60000;
            for (Int d = r.in(2, 4); d > 0; --d) {
                shape.push_back(r.in(1, d == 1 ? std::min<Int>(left, 700) : 1 + std::min<Int>(left / 4, 200)));
                left /= shape[shape.size() - 1];
            }
            to = random_order(r, shape, width);
            from = random_order(r, shape, width);
        }
        axe::RelayoutOptions o;
        o.bits = static_cast<int>(8 * width);
        const auto first = axe::plan_relayout(to, from, shape, o);
        report.asked(true);
        if (!first) {
            report.wrong(first.error().text.c_str());
            continue;
        }
        const auto to_bytes = static_cast<std::size_t>(first->parts().to.most + 1),
                   from_bytes = static_cast<std::size_t>(first->parts().from.most + 1);
        const relayouts::GuardedBytes target(to_bytes), source(from_bytes);
        for (std::size_t i = 0; i < from_bytes; ++i) source.data()[i] = static_cast<std::byte>(r.next());
        const auto run = [&](const axe::RelayoutPlan& plan, int tasks) {
            std::memset(target.data(), 0x5a, to_bytes);
            const auto done = plan.run(target.data(), to_bytes, source.data(), from_bytes, tasks, [](int parts, const auto& f) {
                for (int t = parts; t-- > 0;) f(t);
            });
            if (!done.ok()) report.wrong(done.error().text.c_str());
            return std::vector<std::byte>(target.data(), target.data() + to_bytes);
        };
        const std::vector<std::byte> expected = run(*first, 1);
        const Int mib = Int{1} << 20;
        for (const InstructionSet set :
             {InstructionSet::portable, InstructionSet::sse2, InstructionSet::avx2, InstructionSet::avx512, InstructionSet::neon})
            for (const Int last : {0, 8, 32, 128, 512})
                for (const Streaming streaming : {Streaming::by_size, Streaming::never, Streaming::always}) {
                    if (!axe::detail::runs_here(set)) continue;
                    o.instructions = set;
                    // A cache of nothing streams everything and prefetches little; few translations make narrow tiles; bursts put
                    // blocks together first.
                    o.caches = axe::CacheSizes{last == 0 ? 0 : mib, last * mib, r.one_in(2) ? 2048 : r.in(1, 256),
                                               r.one_in(2) ? 64 : r.in(1, 64), r.one_in(2) ? 64 : 512};
                    o.streaming = streaming;
                    const axe::RelayoutPlan plan = axe::plan_relayout(to, from, shape, o).value();
                    if (run(plan, static_cast<int>(r.in(1, 3))) == expected) continue;
                    report.wrong(
                        ("caches of " + std::to_string(last) + " MiB, instructions " + std::to_string(static_cast<int>(set)) +
                         ", streaming " + std::to_string(static_cast<int>(streaming)) + ": " +
                         std::string(axe::print(to.layout.layout).c_str()) + " from " + axe::print(from.layout.layout).c_str())
                            .c_str());
                }
    }
    report.finish(false);
}
