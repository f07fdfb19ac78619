// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_OPCODES_TCGEN05_SUMS_HPP
#define AXE_TARGET_NVIDIA_OPCODES_TCGEN05_SUMS_HPP

#include <axe/target/nvidia/opcodes/half_sum.hpp>
#include <axe/target/nvidia/opcodes/tensor_tile.hpp>

/// Where the sums of `tcgen05.mma` are, which of them a mask of lanes keeps, and how sums of f16 are rounded.
namespace axe {
inline namespace v0 {
namespace sim {

/// Where sums are, of rows of one block and then of the other.
struct TensorSums {
    const TensorRows* rows;
    std::byte* data[2];
    std::int64_t of_block;
    int bytes; ///< of a sum

    [[nodiscard]] std::byte* at(std::int64_t row, std::int64_t column) const
    {
        return data[row / of_block] + rows->place(row % of_block, column) * bytes;
    }
};

/// Rows of D in the lanes that a product leaves as they are, and the others, in each block.      [PTX ISA, disable-output-lane]
struct KeptLanes {
    std::vector<std::size_t> kept[2]{}; ///< places in `TensorRows::begin`
    TensorRows written[2]{};

    void save(const TensorSums& sums, std::vector<std::byte>& out) const
    {
        for_each(sums, [&](std::byte* at, std::size_t n) { out.insert(out.end(), at, at + n); });
    }
    void restore(const TensorSums& sums, const std::vector<std::byte>& from) const
    {
        const std::byte* next = from.data();
        for_each(sums, [&](std::byte* at, std::size_t n) {
            std::memcpy(at, next, n);
            next += n;
        });
    }

  private:
    template <class Do>
    void for_each(const TensorSums& sums, Do act) const
    {
        const auto bytes = static_cast<std::size_t>(sums.rows->span() * sums.bytes);
        for (int block = 0; block < 2; ++block)
            for (const std::size_t i : kept[block]) act(sums.data[block] + sums.rows->begin[i] * sums.bytes, bytes);
    }
};

/// What a mask of lanes, 128 for each block, says of rows: found once for the whole run.
template <class LaneOf>
const KeptLanes& kept_lanes(Block& block, const TensorRows& sums, const Executable& e, const std::vector<std::uint32_t>& lanes,
                            LaneOf lane_of)
{
    auto& found = block.workspace().found[{&e, sums.begin.front()}];
    if (found == nullptr) {
        KeptLanes out;
        for (std::size_t of = 0; of < lanes.size() / 4; ++of) {
            TensorRows& written = out.written[of];
            written = {{}, sums.rows, sums.columns, sums.step, {}};
            for (std::size_t i = 0; i < sums.begin.size(); ++i) {
                const auto n = static_cast<std::int64_t>(i);
                const auto lane = static_cast<std::size_t>(lane_of(n % sums.rows, n / sums.rows));
                if ((lanes[of * 4 + lane / 32] >> lane % 32 & 1) != 0) {
                    out.kept[of].push_back(i);
                    continue;
                }
                written.begin.push_back(sums.begin[i]);
                written.which.push_back(i);
            }
        }
        found = std::make_shared<const KeptLanes>(std::move(out));
    }
    return *static_cast<const KeptLanes*>(found.get());
}

/// Sums of f16: each product of `step` along k, those of one instruction, is exact, and rounded once when it has been added to D.
///
///   D[i,j] = rn(D[i,j] + Σ_l A[i,l]·B[l,j]),   step values of l at a time, ascending
///
/// @param factor of D, where it counts
/// @param term (i, l, j) the product of A[i,l] and B[l,j]; D counts where `adds`, or after the first `step`
template <class Term>
void multiply_halves(const TensorSums& sums, bool adds, double factor, std::int64_t n, std::int64_t k, std::int64_t m,
                     std::int64_t step, Term term)
{
    for (std::int64_t i = 0; i < m; ++i)
        for (std::int64_t j = 0; j < n; ++j) {
            std::uint16_t half = 0;
            if (adds) std::memcpy(&half, sums.at(i, j), 2);
            for (std::int64_t first = 0; first < k; first += step) {
                HalfSum sum;
                sum.add(first == 0 ? decode(DType::f16, half) * factor : decode(DType::f16, half));
                for (std::int64_t l = first; l < first + step; ++l) sum.add(term(i, l, j));
                half = static_cast<std::uint16_t>(sum.bits());
            }
            std::memcpy(sums.at(i, j), &half, 2);
        }
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
