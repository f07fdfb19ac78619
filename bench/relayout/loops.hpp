// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_BENCH_RELAYOUT_LOOPS_HPP
#define AXE_BENCH_RELAYOUT_LOOPS_HPP

#include "cases.hpp"
#include "job.hpp"

#include <axe/axe.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace bench {

[[noreturn]] inline void refuse(const std::string& what)
{
    std::fprintf(stderr, "bench_relayout: %s\n", what.c_str());
    std::exit(1);
}

inline axe::Layout read_layout(const char* text)
{
    const auto layout = axe::parse_layout(text);
    if (!layout) refuse(std::string(text) + ": " + layout.error().message().c_str());
    return *layout;
}
inline axe::Shape read_shape(const char* text)
{
    const auto shape = axe::parse_shape(text);
    if (!shape) refuse(std::string(text) + ": " + shape.error().message().c_str());
    return *shape;
}

/// The loops of a copy from one layout to another: the extents of both cut where either is cut, neighbors that go on in both
/// merged, the widest stride of the source first. Only for layouts whose extents cut each other evenly, as those of the cases do.
inline std::vector<Loop> loops_of(const Case& c)
{
    const axe::Layout dst = read_layout(c.dst), src = read_layout(c.src);
    std::vector<Loop> loops; // the innermost first
    std::int64_t dst_run = 1, src_run = 1;
    for (int i = dst.shard.size() - 1, k = src.shard.size() - 1; i >= 0 && k >= 0;) {
        const auto &d = dst.shard[i], &s = src.shard[k];
        const std::int64_t d_left = d.extent / dst_run, s_left = s.extent / src_run, n = std::min(d_left, s_left);
        if (d_left % n != 0 || s_left % n != 0) refuse(std::string(c.name) + ": the extents of the layouts do not cut each other");
        loops.push_back({n, d.stride * dst_run, s.stride * src_run});
        dst_run *= n;
        src_run *= n;
        if (dst_run == d.extent) --i, dst_run = 1;
        if (src_run == s.extent) --k, src_run = 1;
    }
    std::stable_sort(loops.begin(), loops.end(), [](const Loop& a, const Loop& b) { return a.src < b.src; });
    std::vector<Loop> merged;
    for (const Loop& l : loops) {
        if (!merged.empty() && l.src == merged.back().src * merged.back().extent &&
            l.dst == merged.back().dst * merged.back().extent)
            merged.back().extent *= l.extent;
        else
            merged.push_back(l);
    }
    std::reverse(merged.begin(), merged.end());
    std::int64_t elements = 1;
    for (const Loop& l : merged) elements *= l.extent;
    const auto volume = axe::volume(read_shape(c.shape));
    if (!volume || *volume != elements) refuse(std::string(c.name) + ": the layouts are not of the shape's size");
    return merged;
}

} // namespace bench

#endif
