// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/relayout/kernels/select.hpp>
#include <axe/relayout/threads.hpp>
#include <tests/laws/report.hpp>
#include <tests/relayout_values.hpp>

/// relayout: the result does not depend on into how many parts the work is cut, nor on which threads do them in which order.
TEST_CASE("relayout: one result for every number of tasks, for every set of instructions, and for the pool")
{
    using axe::detail::InstructionSet;
    using laws::Int;
    laws::Report report("relayout in parts");
    laws::Random r(7);
    axe::ThreadPool pool(3);
    for (Int n = 0; n < laws::cases(400); ++n) {
        const Int width = Int{1} << r.in(0, 4);
        const axe::Shape shape = relayouts::random_shape(r, r.one_in(3) ? 60000 : 2000);
        const auto to = relayouts::random_side(r, shape, {true, width});
        const auto from = relayouts::random_side(r, shape, {false, width});
        axe::RelayoutOptions o;
        o.bits = static_cast<int>(8 * width);
        if (r.one_in(2)) o.padding = r.next() & 255U;
        if (r.one_in(2)) o.streaming = axe::RelayoutOptions::Streaming::always;
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
        const auto run = [&](const axe::RelayoutPlan& plan, int tasks, auto&& for_each_task) {
            std::memset(target.data(), 0x5a, to_bytes);
            const axe::Result<void, axe::Problem> p =
                plan.run(target.data(), to_bytes, source.data(), from_bytes, tasks, for_each_task);
            if (!p.ok()) report.wrong(p.error().text.c_str());
            return std::vector<std::byte>(target.data(), target.data() + to_bytes);
        };
        const auto backwards = [](int tasks, const auto& f) {
            for (int t = tasks; t-- > 0;) f(t);
        };
        const std::vector<std::byte> expected = run(*first, 1, backwards);
        const auto compare = [&](const std::vector<std::byte>& got, const std::string& how) {
            if (got != expected)
                report.wrong((how + ": " + axe::print(to.layout.layout).c_str() + " from " + axe::print(from.layout.layout).c_str())
                                 .c_str());
        };
        for (int tasks = 2; tasks <= 7; ++tasks) compare(run(*first, tasks, backwards), std::to_string(tasks) + " tasks");
        for (const int tasks : {2, 3, 7}) compare(run(*first, tasks, pool), std::to_string(tasks) + " tasks of the pool");
        for (const InstructionSet set :
             {InstructionSet::portable, InstructionSet::sse2, InstructionSet::avx2, InstructionSet::avx512, InstructionSet::neon}) {
            if (!axe::detail::runs_here(set)) continue;
            o.instructions = set;
            compare(run(axe::plan_relayout(to, from, shape, o).value(), 2, backwards),
                    "instructions " + std::to_string(static_cast<int>(set)));
        }
    }
    report.finish(false);
}
