// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_OPCODES_WGMMA_BLOCKS_HPP
#define AXE_TARGET_NVIDIA_OPCODES_WGMMA_BLOCKS_HPP

#include <axe/sim/opcodes/mma.hpp>
#include <axe/target/nvidia/opcodes/half_sum.hpp>
#include <axe/target/nvidia/wgmma/descriptor.hpp>

/// Products of warpgroups: element by element, and in blocks of 8 × 8 for elements of 16 bits; the same sums, k ascending.
namespace axe {
inline namespace v0 {
namespace sim {

/// sum [m, n] += left [m, k] · right [k, n], all row-major
inline void add_products(const std::vector<float>& left, const std::vector<float>& right, std::size_t n, std::size_t k,
                         std::vector<float>& sum)
{
    for (std::size_t i = 0; i < sum.size() / n; ++i)
        for (std::size_t l = 0; l < k; ++l)
            for (std::size_t j = 0; j < n; ++j) sum[i * n + j] += left[i * k + l] * right[l * n + j];
}
/// The same of integers of 8 bits, modulo 2^32.
inline void add_integer_products(const std::vector<float>& left, const std::vector<float>& right, std::size_t n, std::size_t k,
                                 std::vector<std::uint32_t>& sum)
{
    for (std::size_t i = 0; i < sum.size() / n; ++i)
        for (std::size_t l = 0; l < k; ++l)
            for (std::size_t j = 0; j < n; ++j)
                sum[i * n + j] += static_cast<std::uint32_t>(static_cast<std::int32_t>(left[i * k + l] * right[l * n + j]));
}
/// sum [m, n] = rn(sum + left [m, k] · right [k, n]), all row-major: f16, each sum exact and rounded once.
inline void add_half_products(const std::vector<float>& left, const std::vector<float>& right, std::size_t n, std::size_t k,
                              std::vector<std::uint16_t>& sum)
{
    for (std::size_t x = 0; x < sum.size(); ++x) {
        HalfSum exact;
        exact.add(decode(DType::f16, sum[x]));
        for (std::size_t l = 0; l < k; ++l)
            exact.add(static_cast<double>(left[x / n * k + l]) * static_cast<double>(right[l * n + x % n]));
        sum[x] = static_cast<std::uint16_t>(exact.bits());
    }
}

/// Is D of these four warps stored as row-major blocks of 16 × 8, one after the other? Where each begins, of every agent and issue.
inline bool find_wgmma_blocks(const LaneAccess& d, std::vector<std::int64_t>& bases)
{
    if (d.plan->pack != 2 || !d.fixed) return false;
    for (int agent = 0; agent < d.agents; ++agent)
        for (int issue = 0; issue < d.issues; ++issue) {
            const bool here = d.table[d.entry(agent, issue, 0)] > outside;
            const std::int64_t base = here ? made_place(d, agent, issue, 0, 0) : 0;
            bases.push_back(base);
            for (int lane = 0; here && lane < 32; ++lane)
                for (int v = 0; v < d.vector; ++v)
                    if (made_place(d, agent, issue, lane, v) != base + (v / 2 * 32 + lane) * 2 + v % 2) return false;
        }
    return true;
}

/// The `mn` × 16 elements that a descriptor names, as `tile::run` wants them: of A each 16 × 16 in blocks (0,0), (8,0), (0,8), (8,8),
/// row-major; of B each 16 × 8, row-major.
inline void load_wgmma_blocks(const std::byte* data, const SharedDescriptor& d, DType type, std::int64_t mn, bool is_a, float* out)
{
    const bool wide = type == DType::f16 && tile::is_wide();
    for (std::int64_t i = 0; i < mn; i += 8)
        for (std::int64_t l = 0; l < 16; l += 8) {
            std::uint16_t block[64], turned[64];
            for (std::int64_t r = 0; r < 8; ++r) { // pieces of 16 bytes, along k or along mn
                const std::int64_t at = detail::descriptor_offset(d, d.mn_major ? i : i + r, d.mn_major ? l + r : l, 2);
                std::memcpy(block + r * 8, data + detail::xor_span(d.start + at, d.span), 16);
            }
            const bool turn = is_a == d.mn_major;
            if (turn) tile::transpose(block, turned);
            const std::uint16_t* from = turn ? turned : block;
            float* to = out + (is_a ? i / 16 * 256 + l * 16 + i % 16 * 8 : i * 16 + l * 8);
            if (wide)
                tile::widen_f16(from, to, 64);
            else
                decode(type, from, to, 64);
        }
}

/// D = A·B (+ D) of one warpgroup and issue: `c` are the blocks of its four warps, n/8 of 128 each.
inline void multiply_wgmma_blocks(Workspace& room, float* const* c, std::int64_t n, bool accumulate)
{
    const auto columns = static_cast<std::size_t>(n / 8);
    int left[64], right[64]; // of each issue of a warp: n is 256 at most
    float* sums[64];
    for (int warp = 0; warp < 4; ++warp) {
        for (std::size_t j = 0; j < columns; ++j) {
            left[j] = warp;
            right[j] = static_cast<int>(j);
            sums[j] = c[warp] + j * 128;
        }
        if (!accumulate) std::memset(c[warp], 0, columns * 128 * sizeof(float));
        tile::Issues work;
        work.left = room.left.data();
        work.right = room.right.data();
        work.a = left;
        work.b = right;
        work.c = sums;
        work.count = static_cast<int>(columns);
        tile::run(work);
    }
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
