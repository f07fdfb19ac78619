// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_OPCODES_TCGEN05_MMA_HPP
#define AXE_TARGET_NVIDIA_OPCODES_TCGEN05_MMA_HPP

#include <axe/sim/opcodes/tile_product.hpp>
#include <axe/target/nvidia/opcodes/shared_tile.hpp>
#include <axe/target/nvidia/opcodes/tensor_tile.hpp>
#include <axe/target/nvidia/tcgen05/forms.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// `tcgen05_mma` D [M, N], A [M, K], B [K, N] with the parameter accumulate: one agent starts products into tensor memory, D = A·B (+ D),
/// one for each 32 bytes of k; a commit completes them on the mbarrier `completes_on`, if one is given.      [PTX ISA, tcgen05.mma]
///
/// A is in shared memory or in tensor memory, B in shared memory; what is there is read through the asynchronous proxy by descriptors.
/// Sums are one chain, k ascending, in f32, or i32, which wraps; hardware's order is not specified.
class TensorProduct : public Executable {
  public:
    static Prepared prepare(const Preparation& p)
    {
        auto e = std::make_unique<TensorProduct>();
        if (auto problem = check_count(p, 3, 3); !problem.ok()) return problem;
        if (auto problem = e->resolve(p); !problem.ok()) return problem;
        return Prepared(std::unique_ptr<Executable>(std::move(e)));
    }

    bool run(Block& block, int, int agent) const override
    {
        std::int64_t first = first_lane(block, agent, 0);
        if (!is_first_tcgen05_lane(m_, first)) first = 0; // which the rows then are not in
        const auto lane_of = [&](std::int64_t row) { return tcgen05_lane(m_, first, row); };
        const TensorRows* sums = tensor_rows(block, *this, 0, agent, lane_of);
        const TensorRows* left = a_in_tensors_ && sums != nullptr ? tensor_rows(block, *this, 1, agent, lane_of) : nullptr;
        if (sums == nullptr || (a_in_tensors_ && left == nullptr)) return false;
        SharedTile b(block, *this, 2, agent, false, step_);
        if (block.full()) {
            if (!a_in_tensors_ && !SharedTile(block, *this, 1, agent, true, step_).check()) return false;
            if (!b.check()) return false;
            if (a_in_tensors_ &&
                !touch_rows(block, *this, 1, block.tensor_actor(agent, *this, TensorRole::operand), *left, k_, false))
                return false;
            const Actor actor = block.tensor_actor(agent, *this, TensorRole::sum, m_ << 16 | n_);
            if (accumulate_ && !touch_rows(block, *this, 0, actor, *sums, n_, false)) return false;
            if (!touch_rows(block, *this, 0, actor, *sums, n_, true)) return false;
        }
        Workspace& room = block.workspace();
        if (!load_left(block, agent, left, room.left) || !load_right(b, block, room.right)) return false;
        multiply(block, *sums, room.left, room.right);
        count(block);
        return instruction->completes_on < 0 || block.commit_tensors(agent, instruction->completes_on, statement);
    }

  private:
    Result<void, Problem> resolve(const Preparation& p)
    {
        instruction = p.instruction;
        statement = p.statement;
        const Instruction& i = *p.instruction;
        if (i.agents != 1) return p.refuse(detail::starters_text(i.agents));
        if (!is_in_tensor_memory(p.plan(0)))
            return p.refuse(
                detail::worded("{0} is in {1}; its sums are in tensor memory", {p.plan(0).name(), p.plan(0).tensor->memory}));
        a_in_tensors_ = is_in_tensor_memory(p.plan(1));
        for (std::size_t k = 0; k < 3; ++k) {
            if (k > 0 && !(k == 1 && a_in_tensors_) && (p.plan(k).owner != Owner::block || is_partitioned(*p.plan(k).memory)))
                return p.refuse(detail::not_shared_text(p.plan(k).name(), p.plan(k).tensor->memory));
            if (auto problem = check_whole_view(p, k); !problem.ok()) return problem;
        }
        const Shape &d = i.operands[0].view.extents, &a = i.operands[1].view.extents, &b = i.operands[2].view.extents;
        if (d.size() != 2 || a.size() != 2 || b.size() != 2 || a[0] != d[0] || b[1] != d[1] || a[1] != b[0])
            return p.refuse(detail::product_operands_text, errc::size_mismatch);
        m_ = d[0], n_ = d[1], k_ = a[1];
        const DType types[] = {p.plan(0).tensor->dtype, p.plan(1).tensor->dtype, p.plan(2).tensor->dtype};
        if (tcgen05_kind(types[0], types[1], types[2]) == nullptr)
            return p.refuse(detail::no_product_text(types[1], types[2], types[0]));
        integers_ = types[0] == DType::i32;
        step_ = 32 / storage_bytes(types[1]);
        if (k_ % step_ != 0) return p.refuse(detail::worded("K is {0}; it must be a multiple of {1}", {k_, step_}));
        if (!is_tcgen05_tile(m_, n_, integers_, a_in_tensors_))
            return p.refuse(detail::worded("no product has a tile of {0} x {1}", {m_, n_}));
        if (i.parameters.size() != 1 || (i.parameters[0] != 0 && i.parameters[0] != 1))
            return p.refuse("its parameter is accumulate, 0 or 1");
        accumulate_ = i.parameters[0] == 1;
        return {};
    }

    std::int64_t first_lane(Block& block, int agent, std::size_t operand) const
    {
        const View& view = instruction->operands[operand].view;
        const TensorPlan& plan = block.plan(view.tensor);
        const std::vector<std::int64_t> origin = origin_of(view, block.variables(agent));
        return is_inside(plan.tensor->shape, origin.data()) ? plan.address(origin.data()) / plan.pitch : 0;
    }

    /// A as numbers, row-major.
    bool load_left(Block& block, int agent, const TensorRows* rows, std::vector<float>& out) const
    {
        out.resize(static_cast<std::size_t>(m_ * k_));
        const TensorPlan& plan = block.plan(instruction->operands[1].view.tensor);
        const DType type = plan.tensor->dtype;
        if (rows != nullptr) {
            const std::byte* data = block.buffer(plan, instruction->operands[1].view.tensor).data;
            for (std::int64_t i = 0; i < m_; ++i)
                decode(type, data + rows->begin[static_cast<std::size_t>(i)] * plan.width, out.data() + i * k_,
                       static_cast<std::size_t>(k_));
            return true;
        }
        SharedTile a(block, *this, 1, agent, true, step_);
        return a.each_piece([&](std::int64_t i, std::int64_t l, bool along_k, std::int64_t, const std::byte* from, std::int64_t n) {
            float piece[16];
            decode(type, from, along_k ? out.data() + i * k_ + l : piece, static_cast<std::size_t>(n));
            for (std::int64_t x = 0; x < n && !along_k; ++x) out[static_cast<std::size_t>((i + x) * k_ + l)] = piece[x];
            return true;
        });
    }
    /// B the same: [K, N].
    bool load_right(SharedTile& b, Block& block, std::vector<float>& out) const
    {
        out.resize(static_cast<std::size_t>(k_ * n_));
        const DType type = block.plan(instruction->operands[2].view.tensor).tensor->dtype;
        return b.each_piece([&](std::int64_t j, std::int64_t l, bool along_k, std::int64_t, const std::byte* from, std::int64_t n) {
            float piece[16];
            decode(type, from, along_k ? piece : out.data() + l * n_ + j, static_cast<std::size_t>(n));
            for (std::int64_t x = 0; x < n && along_k; ++x) out[static_cast<std::size_t>((l + x) * n_ + j)] = piece[x];
            return true;
        });
    }

    /// Sums of eight columns at a time: one chain for each, k ascending.
    template <class Number>
    static void add_row(const float* left, const float* right, std::int64_t n, std::int64_t k, Number* sum)
    {
        for (std::int64_t j = 0; j < n; j += 8) {
            Number part[8];
            for (int x = 0; x < 8; ++x) part[x] = sum[j + x];
            for (std::int64_t l = 0; l < k; ++l) {
                const float a = left[l];
                const float* b = right + l * n + j;
                for (int x = 0; x < 8; ++x) {
                    if constexpr (std::is_same_v<Number, float>)
                        part[x] += a * b[x];
                    else
                        part[x] += static_cast<Number>(static_cast<std::int32_t>(a) * static_cast<std::int32_t>(b[x]));
                }
            }
            for (int x = 0; x < 8; ++x) sum[j + x] = part[x];
        }
    }

    /// All sums by the inner loop of simulated matrix instructions, which takes blocks of 16 x 16, 16 x 8 and 16 x 8.
    void multiply_blocks(std::byte* data, const TensorRows& sums, const std::vector<float>& left,
                         const std::vector<float>& right) const
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
                    move(data + (sums.begin[i] + static_cast<std::int64_t>(j)) * 4,
                         c.data() + (i / 16 * (n / 8) + j / 8) * 128 + i % 16 * 8);
        };
        if (accumulate_) each([](const std::byte* at, float* sum) { std::memcpy(sum, at, 32); });
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
        each([](std::byte* at, const float* sum) { std::memcpy(at, sum, 32); });
    }

    void multiply(Block& block, const TensorRows& sums, const std::vector<float>& left, const std::vector<float>& right) const
    {
        const View& view = instruction->operands[0].view;
        const TensorPlan& plan = block.plan(view.tensor);
        std::byte* data = block.buffer(plan, view.tensor).data;
        if (!integers_ && k_ % 16 == 0) return multiply_blocks(data, sums, left, right);
        std::vector<float> row(static_cast<std::size_t>(n_));
        std::vector<std::uint32_t> whole(static_cast<std::size_t>(integers_ ? n_ : 0)); // i32 wraps
        const auto n = static_cast<std::size_t>(n_);
        for (std::int64_t i = 0; i < m_; ++i) {
            std::byte* at = data + sums.begin[static_cast<std::size_t>(i)] * plan.width;
            const float* a = left.data() + i * k_;
            if (integers_) {
                std::fill(whole.begin(), whole.end(), 0u);
                if (accumulate_) std::memcpy(whole.data(), at, n * 4);
                add_row(a, right.data(), n_, k_, whole.data());
                std::memcpy(at, whole.data(), n * 4);
            } else {
                std::fill(row.begin(), row.end(), 0.0f);
                if (accumulate_) std::memcpy(row.data(), at, n * 4);
                add_row(a, right.data(), n_, k_, row.data());
                std::memcpy(at, row.data(), n * 4);
            }
        }
    }

    void count(Block& block) const
    {
        if (!block.counting()) return;
        Tally& tally = block.tally(*this);
        tally.issues += k_ / step_;
        (integers_ ? tally.integer_ops : tally.flops) += 2 * m_ * n_ * k_;
        for (int operand = 1; operand < 3; ++operand) {
            tally.operands[operand].requests += k_ / step_;
            tally.operands[operand].bytes += (operand == 1 ? m_ : n_) * 32 * (k_ / step_);
        }
    }

    bool accumulate_ = false, integers_ = false, a_in_tensors_ = false;
    std::int64_t m_ = 128, n_ = 8, k_ = 16, step_ = 16;
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
