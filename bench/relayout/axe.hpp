// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_BENCH_RELAYOUT_AXE_HPP
#define AXE_BENCH_RELAYOUT_AXE_HPP

#include "loops.hpp"

#include <memory>

#if __has_include(<axe/relayout/relayout.hpp>) && !defined(AXE_BENCH_PEERS_ALONE)
#  include <axe/relayout/describe.hpp>
#  include <axe/relayout/relayout.hpp>
#  include <axe/relayout/threads.hpp>
#  define AXE_BENCH_RELAYOUT 1
#else
#  define AXE_BENCH_RELAYOUT 0
#endif

/// The one place that knows how Axe's relayout is called.
namespace bench {

/// A plan that is kept, ready to be run; or why there is none.
struct Prepared {
    Run run;
    std::string words;   ///< the plan, in words
    std::string refused; ///< empty when there is a plan
};

#if AXE_BENCH_RELAYOUT

/// A case as the library takes it.
struct Sides {
    axe::RelayoutSide to, from;
    axe::Shape shape;
    axe::RelayoutOptions options{};

    explicit Sides(const Case& c) : to(read_layout(c.dst)), from(read_layout(c.src)), shape(read_shape(c.shape))
    {
        options.bits = 8 * c.element_bytes;
    }
    [[nodiscard]] auto plan() const { return axe::plan_relayout(to, from, shape, options); }
};

inline Prepared prepare_axe(const Sides& sides, const Job& job)
{
    auto made = sides.plan();
    if (!made) return {{}, {}, made.error().text};
    const auto plan = std::make_shared<const axe::RelayoutPlan>(std::move(*made));
    const auto bytes = job.bytes();
    const auto must = [](const axe::Result<void, axe::Problem>& done) {
        if (!done.ok()) refuse(done.error().text);
    };
    std::string words = axe::describe(*plan);
    for (auto at = words.find('\n'); at != words.npos; at = words.find('\n')) words.replace(at, 1, "; ");
    if (job.threads == 1) return {[=, dst = job.dst, src = job.src] { must(plan->run(dst, bytes, src, bytes)); }, words, {}};
    const auto pool = std::make_shared<axe::ThreadPool>(job.threads);
    return {[=, dst = job.dst, src = job.src] { must(plan->run(dst, bytes, src, bytes, pool->threads(), *pool)); }, words, {}};
}

#endif

} // namespace bench

#endif
