// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_OPCODES_TCGEN05_SCALED_MMA_HPP
#define AXE_TARGET_NVIDIA_OPCODES_TCGEN05_SCALED_MMA_HPP

#include <axe/sim/opcodes/tile_product.hpp>
#include <axe/target/nvidia/opcodes/tensor_scales.hpp>

#include <cmath>

namespace axe {
inline namespace v0 {
namespace sim {

/// sum + x·2^e in one rounding, for a number x of at most 12 bits between 2^−32 and 2^32, or none, and |e| ≤ 254.
///
/// Beyond 2^222 the sum is infinite and below 2^−244 nothing changes, so that e may stop there; the rest of it is shared by two factors.
inline float add_scaled(float sum, float x, int e)
{
    if (e >= -90 && e <= 90) return sum + std::ldexp(x, e); // exact, and normal
    e = std::clamp(e, -244, 222);
    const int high = std::clamp(e, -149, 127);
    return std::fma(std::ldexp(x, e - high), std::ldexp(1.0f, high), sum);
}

/// `tcgen05_mma_scaled` D [M, N], A [M, K], B [K, N], SFA [M, K/V], SFB [N, K/V] with the parameters accumulate, and 1 where A and B have two
/// elements in a byte: one agent starts products with block scales, one for each k of the kind; a commit completes them on the mbarrier
/// `completes_on`, if one is given.
/// [PTX ISA, tcgen05.mma, Block scaling]
///
///   D[m,n] = (D[m,n] +) Σ_k (A[m,k]·B[k,n])·(SFA[m,k/V]·SFB[n,k/V])
///
/// A is in shared memory or in tensor memory, B in shared memory, both read by descriptors there; scales are in tensor memory. Of a pair
/// each block has its rows of D and A with their scales, half of the columns of B, and the scales of all columns. Each product with its scales is exact; sums are one
/// chain in f32, k ascending. Hardware's order is not specified.
class ScaledTensorProduct : public Executable {
  public:
    static Prepared prepare(const Preparation& p)
    {
        auto e = std::make_unique<ScaledTensorProduct>();
        if (auto problem = check_count(p, 5, 5); !problem.ok()) return problem;
        if (auto problem = e->resolve(p); !problem.ok()) return problem;
        return Prepared(std::unique_ptr<Executable>(std::move(e)));
    }

    bool run(Block& block, int, int agent) const override
    {
        Block* const other = instruction->pair ? block.mate(agent, statement) : nullptr;
        if (instruction->pair && other == nullptr) return false;
        const std::int64_t parts = tcgen05_parts(instruction->pair, m_);
        const TensorRows* sums = tensor_rows(block, *this, 0, agent, parts, tcgen05_pair_lane);
        const TensorRows* left =
            a_in_tensors_ && sums != nullptr ? tensor_rows(block, *this, 1, agent, 1, tcgen05_pair_lane) : nullptr;
        if (sums == nullptr || (a_in_tensors_ && (left == nullptr || !is_at_column(block, *this, 1, *left, per_byte_))))
            return false;
        const ScaleCells *of_a = scale_cells(block, *this, 3, agent, *kind_),
                         *of_b = scale_cells(block, *this, 4, agent, *kind_, scale_parts(instruction->pair, m_));
        if (of_a == nullptr || of_b == nullptr) return false;
        const Places places{sums, left, of_a, of_b};
        for (Block* const in : {&block, other})
            if (in != nullptr && block.full() && !check(block, *in, agent, places)) return false;
        count(block);
        return act_in_tensors(block, *this, agent, [=, this, at = &block] { return multiply_all(*at, other, agent, places); });
    }

  private:
    static constexpr int no_number = 255, bias = 127; ///< of e8m0
    /// Scales that far from 1 leave all products normal numbers.
    static constexpr int modest = 40;

    /// Where operands in tensor memory are, in each block that takes part.
    struct Places {
        const TensorRows *sums, *left; ///< of A, if it is there
        const ScaleCells *of_a, *of_b;
    };

    /// A in shared memory, or B, of one block.
    SharedTile tile(Block& block, Block& in, int agent, std::size_t operand) const
    {
        return SharedTile(block, *this, operand, agent, operand == 1, kind_->k, &in, per_byte_);
    }
    /// Checks and notes what the operation does in one block.
    bool check(Block& block, Block& in, int agent, const Places& places) const
    {
        if ((!a_in_tensors_ && !tile(block, in, agent, 1).check()) || !tile(block, in, agent, 2).check()) return false;
        const Actor reader = block.tensor_actor(agent, *this, TensorRole::operand);
        if (a_in_tensors_)
            for (const std::int64_t copy : block.plan(instruction->operands[1].view.tensor).address.copies)
                if (!touch_rows(block, in, *this, 1, reader, *places.left, false, copy)) return false;
        if (!touch_scales(block, in, *this, 3, reader, *places.of_a, false) ||
            !touch_scales(block, in, *this, 4, reader, *places.of_b, false))
            return false;
        const Actor adder = block.tensor_actor(agent, *this, TensorRole::sum, (m_ << 16 | n_) * blocks_);
        if (&in != &block) in.note_visit(adder, statement);
        return (!accumulate_ || touch_rows(block, in, *this, 0, adder, *places.sums, false)) &&
               touch_rows(block, in, *this, 0, adder, *places.sums, true);
    }

    /// The rows of each block, by all columns of B, of which a block of a pair has half, and by the scales that are in its own tensor memory.
    bool multiply_all(Block& block, Block* other, int agent, const Places& places) const
    {
        Workspace& room = block.workspace();
        room.right.resize(static_cast<std::size_t>(k_ * n_));
        Block* const blocks[2] = {&block, other};
        for (std::int64_t half = 0; half < blocks_; ++half) {
            SharedTile b = tile(block, *blocks[half], agent, 2);
            const std::int64_t first = half * n_ / blocks_;
            if (!load(block, b, 2, [&](std::int64_t j, std::int64_t l) -> float& {
                    return room.right[static_cast<std::size_t>(l * n_ + first + j)];
                }))
                return false;
        }
        const std::vector<float> right = room.right;
        for (std::int64_t half = 0; half < blocks_; ++half) {
            if (half > 0) room.right = right;
            if (!load_left(block, *blocks[half], agent, places.left)) return false;
            multiply_block(block, *blocks[half], places);
        }
        return true;
    }
    bool load_left(Block& block, Block& in, int agent, const TensorRows* rows) const
    {
        std::vector<float>& left = block.workspace().left;
        left.resize(static_cast<std::size_t>(m_ * k_));
        if (rows == nullptr) {
            SharedTile a = tile(block, in, agent, 1);
            return load(block, a, 1,
                        [&](std::int64_t i, std::int64_t l) -> float& { return left[static_cast<std::size_t>(i * k_ + l)]; });
        }
        const DType type = block.plan(instruction->operands[1].view.tensor).tensor->dtype;
        const std::byte* from = data(block, in, 1); // of bytes
        for (std::int64_t i = 0; i < m_; ++i)
            decode(type, from + rows->begin[static_cast<std::size_t>(i)], left.data() + i * k_, static_cast<std::size_t>(k_));
        return true;
    }
    void multiply_block(Block& block, Block& in, const Places& places) const
    {
        Workspace& room = block.workspace();
        const auto left = [&](std::int64_t i, std::int64_t l) -> float& { return room.left[static_cast<std::size_t>(i * k_ + l)]; };
        const auto right = [&](std::int64_t j, std::int64_t l) -> float& {
            return room.right[static_cast<std::size_t>(l * n_ + j)];
        };
        const std::byte *of_a = data(block, in, 3), *of_b = data(block, in, 4);
        const ScaleCells &a_cells = *places.of_a, &b_cells = *places.of_b;
        float* const d = reinterpret_cast<float*>(data(block, in, 0));
        if (scale_type_ != DType::e8m0 || (are_modest(of_a, a_cells, m_) && are_modest(of_b, b_cells, n_))) {
            for (std::int64_t i = 0; i < m_; ++i)
                for (std::int64_t l = 0; l < k_; ++l) left(i, l) *= scale(of_a, a_cells, i, l);
            for (std::int64_t j = 0; j < n_; ++j)
                for (std::int64_t l = 0; l < k_; ++l) right(j, l) *= scale(of_b, b_cells, j, l);
            multiply(*places.sums, d, room.left, room.right);
            return;
        }
        for (std::int64_t i = 0; i < m_; ++i)
            for (std::int64_t j = 0; j < n_; ++j) {
                float& to = d[places.sums->place(i, j)];
                float sum = accumulate_ ? to : 0.0f;
                for (std::int64_t l = 0; l < k_; ++l) {
                    const int x = code(of_a, a_cells, i, l), y = code(of_b, b_cells, j, l);
                    const float product =
                        x == no_number || y == no_number ? std::numeric_limits<float>::quiet_NaN() : left(i, l) * right(j, l);
                    sum = std::isfinite(product) ? add_scaled(sum, product, x + y - 2 * bias) : sum + product;
                }
                to = sum;
            }
    }

    Result<void, Problem> resolve(const Preparation& p)
    {
        if (auto problem = start_in_tensors(p, *this); !problem.ok()) return problem;
        const Instruction& i = *p.instruction;
        if (!is_in_tensor_memory(p.plan(0)))
            return p.refuse("{0} is in {1}; sums of products with scales are in tensor memory",
                            {p.plan(0).name(), p.plan(0).tensor->memory});
        blocks_ = i.pair ? 2 : 1;
        a_in_tensors_ = is_in_tensor_memory(p.plan(1));
        for (std::size_t k = 0; k < 3; ++k) {
            if (k > 0 && !(k == 1 && a_in_tensors_) && (p.plan(k).owner != Owner::block || is_partitioned(*p.plan(k).memory)))
                return p.refuse(detail::not_shared_text(p.plan(k).name(), p.plan(k).tensor->memory));
            if (auto problem = check_whole_view(p, k); !problem.ok()) return problem;
        }
        const auto extents = [&](std::size_t k) -> const Shape& { return i.operands[k].view.extents; };
        const Shape &d = extents(0), &a = extents(1), &b = extents(2), &sfa = extents(3), &sfb = extents(4);
        for (const Shape* shape : {&d, &a, &b, &sfa, &sfb})
            if (shape->size() != 2) return p.refuse(operands_text, errc::size_mismatch);
        m_ = d[0], n_ = d[1], k_ = a[1];
        for (std::size_t k = 3; k < 5; ++k)
            if (auto problem = check_scales(p, k, k == 4 ? scale_parts(i.pair, m_) : 1); !problem.ok()) return problem;
        if (a[0] != m_ || b[0] != k_ || b[1] * blocks_ != n_ || sfa[0] != m_ || sfb[0] != n_ || sfa[1] != sfb[1] ||
            k_ % sfa[1] != 0)
            return p.refuse(operands_text, errc::size_mismatch);
        const auto type = [&](std::size_t k) { return p.plan(k).tensor->dtype; };
        if (i.parameters.empty() || i.parameters.size() > 2 || (i.parameters[0] != 0 && i.parameters[0] != 1) ||
            (i.parameters.size() == 2 && i.parameters[1] != 0 && i.parameters[1] != 1))
            return p.refuse("its parameters say whether it accumulates, 0 or 1, and whether two elements are in a byte");
        accumulate_ = i.parameters[0] == 1;
        per_byte_ = i.parameters.size() == 2 && i.parameters[1] == 1 ? 2 : 1;
        scale_type_ = type(3);
        kind_ = type(0) == DType::f32 ? scaled_kind(type(1), type(2), type(3), type(4), k_ / sfa[1], per_byte_ == 2) : nullptr;
        if (kind_ == nullptr)
            return p.refuse(detail::no_scaled_kind_text(type(1), type(2), type(3), type(4), k_ / sfa[1], k_ / sfb[1]));
        if (k_ % kind_->k != 0) return p.refuse(detail::scaled_depth_text(k_, kind_->k));
        if (const std::int64_t parts = tcgen05_parts(i.pair, m_);
            a_in_tensors_ && p.plan(1).address.copies != tcgen05_operand_copies(m_, parts, p.plan(1).pitch))
            return p.refuse(detail::operand_copies_text(p.plan(1).name(), tcgen05_operand_copies(m_, parts)));
        if (!(i.pair ? is_scaled_pair_tile : is_scaled_tile)(m_ * blocks_, n_, a_in_tensors_))
            return p.refuse("no product with scales has a tile of {0} x {1}", {m_ * blocks_, n_});
        return {};
    }

    std::byte* data(Block& block, Block& in, std::size_t operand) const
    {
        const int tensor = instruction->operands[operand].view.tensor;
        return in.buffer(block.plan(tensor), tensor).data;
    }
    [[nodiscard]] int code(const std::byte* of, const ScaleCells& cells, std::int64_t row, std::int64_t k) const
    {
        return static_cast<int>(of[cells.at(row, k / kind_->block())]);
    }
    [[nodiscard]] float scale(const std::byte* of, const ScaleCells& cells, std::int64_t row, std::int64_t k) const
    {
        return static_cast<float>(decode(scale_type_, static_cast<std::uint64_t>(code(of, cells, row, k))));
    }
    [[nodiscard]] bool are_modest(const std::byte* of, const ScaleCells& cells, std::int64_t rows) const
    {
        for (std::int64_t row = 0; row < rows; ++row)
            for (std::int64_t l = 0; l < k_; l += kind_->block()) {
                const int c = code(of, cells, row, l);
                if (c != no_number && (c < bias - modest || c > bias + modest)) return false;
            }
        return true;
    }

    /// An operand as numbers; at(mn, k) is where one goes.
    template <class At>
    bool load(Block& block, SharedTile& tile, std::size_t operand, At at) const
    {
        const DType type = block.plan(instruction->operands[operand].view.tensor).tensor->dtype;
        return tile.each_piece(
            [&](std::int64_t i, std::int64_t l, bool along_k, std::int64_t, const std::byte* from, std::int64_t n) {
                float piece[32];
                decode(type, from, piece, static_cast<std::size_t>(n));
                for (std::int64_t x = 0; x < n; ++x) at(i + (along_k ? 0 : x), l + (along_k ? x : 0)) = piece[x];
                return true;
            });
    }

    /// All sums by the inner loop of simulated matrix instructions, which takes blocks of 16 x 16, 16 x 8 and 16 x 8.
    void multiply(const TensorRows& sums, float* d, const std::vector<float>& left, const std::vector<float>& right) const
    {
        const auto m = static_cast<std::size_t>(m_), n = static_cast<std::size_t>(n_), k = static_cast<std::size_t>(k_);
        std::vector<float> a(m * k), b(k * n), c(m * n, 0.0f);
        for (std::size_t i = 0; i < m; ++i)
            for (std::size_t l = 0; l < k; ++l)
                a[(i / 16 * (k / 16) + l / 16) * 256 + (l % 16 / 8 * 2 + i % 16 / 8) * 64 + i % 8 * 8 + l % 8] = left[i * k + l];
        for (std::size_t l = 0; l < k; ++l)
            for (std::size_t j = 0; j < n; j += 8)
                std::copy_n(right.data() + l * n + j, 8, b.data() + (l / 16 * (n / 8) + j / 8) * 128 + l % 16 * 8);
        const auto each = [&](const auto& move) {
            for (std::size_t i = 0; i < m; ++i)
                for (std::size_t j = 0; j < n; j += 8)
                    move(d + sums.place(static_cast<std::int64_t>(i), static_cast<std::int64_t>(j)),
                         c.data() + (i / 16 * (n / 8) + j / 8) * 128 + i % 16 * 8);
        };
        if (accumulate_) each([](const float* at, float* sum) { std::copy_n(at, 8, sum); });
        std::vector<int> of_a, of_b;
        std::vector<float*> of_c;
        for (std::size_t i = 0; i < m / 16; ++i)
            for (std::size_t l = 0; l < k / 16; ++l)
                for (std::size_t j = 0; j < n / 8; ++j) {
                    of_a.push_back(static_cast<int>(i * (k / 16) + l));
                    of_b.push_back(static_cast<int>(l * (n / 8) + j));
                    of_c.push_back(c.data() + (i * (n / 8) + j) * 128);
                }
        tile::run({a.data(), b.data(), of_a.data(), of_b.data(), of_c.data(), static_cast<int>(of_a.size())});
        each([](float* at, const float* sum) { std::copy_n(sum, 8, at); });
    }

    void count(Block& block) const
    {
        if (!block.counting()) return;
        Tally& tally = block.tally(*this);
        const std::int64_t issues = k_ / kind_->k;
        tally.issues += issues;
        tally.flops += 2 * m_ * blocks_ * n_ * k_;
        for (int operand = 1; operand < 5; ++operand) {
            // Of a pair each block has rows of A, half of B's columns, and all of their scales.
            const std::int64_t rows = operand % 2 == 1 ? m_ * blocks_ : operand == 2 ? n_ : n_ * blocks_;
            tally.operands[operand].requests += issues;
            tally.operands[operand].bytes += rows * issues * (operand < 3 ? 32 : kind_->scales);
        }
    }

    static constexpr const char* operands_text = "the operands must be D [M, N], A [M, K], B [K, N], scales [M, K/V] and [N, K/V]";
    const ScaledKind* kind_ = nullptr;
    DType scale_type_ = DType::e8m0;
    bool accumulate_ = false, a_in_tensors_ = false;
    int per_byte_ = 1;                      ///< elements of A and B
    std::int64_t m_ = 128, n_ = 8, k_ = 32; ///< m of one block
    std::int64_t blocks_ = 1;
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
