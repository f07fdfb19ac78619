// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_TRAINIUM_SCHEDULES_CHAIN_HPP
#define AXE_TARGET_TRAINIUM_SCHEDULES_CHAIN_HPP

#include <axe/target/trainium/schedules/nest.hpp>

/// Digits that together are one iter, and how they are cut so that an instruction may take them.
namespace axe {
inline namespace v0 {
namespace detail::trainium {

/// Digits that are on P in each of these operands with strides 1, n_1, n_1·n_2, …: one iter on contiguous partitions, outermost first.
inline std::vector<int> partition_chain(const Nest& nest, const std::vector<int>& operands, int dim)
{
    std::vector<int> chain;
    for (std::int64_t stride = 1;;) {
        int next = -1;
        for (int d = 0; d < nest.count() && next < 0; ++d) {
            if (dim >= 0 && nest.at(d).dim != dim) continue;
            bool fits = std::find(chain.begin(), chain.end(), d) == chain.end();
            for (const int o : operands) fits = fits && nest.p(d, o) == stride;
            if (fits) next = d;
        }
        if (next < 0) return chain;
        chain.insert(chain.begin(), next);
        stride *= nest.at(next).extent;
    }
}

inline std::int64_t extent_of(const Nest& nest, const std::vector<int>& digits)
{
    std::int64_t n = 1;
    for (const int d : digits) n *= nest.at(d).extent;
    return n;
}

/// Makes a chain one dimension of the instruction: its inner digits whole, its outermost one in runs that fit. Where not even one value
/// of the outermost fits, it becomes a loop, and the next one is tried.
template <class Fits>
Result<void, Problem> cut_chain(const Nest& nest, Cut& cut, std::vector<int>& chain, std::int64_t most, const Fits& fits)
{
    while (!chain.empty()) {
        const int outer = chain.front();
        const std::int64_t inner = extent_of(nest, chain) / nest.at(outer).extent;
        for (const int d : chain) take_whole(nest, cut, d);
        const auto runs = cut_runs(nest.at(outer).extent, std::max<std::int64_t>(1, most / inner),
                                   [&](std::int64_t at, std::int64_t n) { return n * inner <= most && fits(outer, at, n, inner); });
        if (runs) {
            cut.runs[static_cast<std::size_t>(outer)] = *runs;
            return {};
        }
        if (chain.size() == 1) return runs.error();
        cut.runs[static_cast<std::size_t>(outer)] = singles(nest).runs[static_cast<std::size_t>(outer)];
        chain.erase(chain.begin());
    }
    return {};
}

/// Cuts a chain of partitions by where accesses of so many may start, in each of these operands.
inline Result<void, Problem> cut_partitions(const Nest& nest, Cut& cut, std::vector<int>& chain, const std::vector<int>& operands,
                                            std::int64_t most)
{
    int refused = operands[0];
    std::int64_t refused_at = 0;
    const auto fits = [&](int outer, std::int64_t at, std::int64_t n) {
        for (const int o : operands)
            for (const std::int64_t s : offsets(nest, cut, o, false, chain)) {
                const std::int64_t start = nest.operand(o).start_p + s + (outer < 0 ? 0 : nest.p(outer, o) * at);
                if (most_partitions(start) >= n) continue;
                refused = o;
                refused_at = start;
                return false;
            }
        return true;
    };
    const Result<void, Problem> fault =
        cut_chain(nest, cut, chain, most,
                  [&](int outer, std::int64_t at, std::int64_t n, std::int64_t inner) { return fits(outer, at, n * inner); });
    if (fault.ok() && (!chain.empty() || fits(-1, 0, 1))) return {};
    return declined("{0} would be accessed from partition {1} on; an access starts at 0, 32, 64 or 96",
                    {nest.operand(refused).name, refused_at});
}

} // namespace detail::trainium
} // namespace v0
} // namespace axe

#endif
