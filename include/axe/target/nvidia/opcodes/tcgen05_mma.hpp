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
        Block* const other = instruction->pair ? block.mate(agent, statement) : nullptr;
        if (instruction->pair && other == nullptr) return false;
        Block* const blocks[2] = {&block, other};
        std::int64_t first = first_lane(block, agent, 0);
        if (instruction->pair || !is_first_tcgen05_lane(m_, first)) first = 0; // which the rows then are not in
        const auto lane_of = [&](std::int64_t row, std::int64_t part) {
            return instruction->pair ? tcgen05_pair_lane(row, part) : tcgen05_lane(m_, first, row);
        };
        const TensorRows* sums = tensor_rows(block, *this, 0, agent, tcgen05_parts(instruction->pair, m_), lane_of);
        const TensorRows* left = a_in_tensors_ && sums != nullptr ? tensor_rows(block, *this, 1, agent, 1, lane_of) : nullptr;
        if (sums == nullptr || (a_in_tensors_ && left == nullptr)) return false;
        for (Block* const in : blocks)
            if (in != nullptr && block.full() && !check(block, *in, agent, *sums, left)) return false;
        count(block);
        if (block.leaves_tensors())
            block.leave_in_tensors(agent, false, [=, this, at = &block] {
                Block* const of[2] = {at, other};
                return multiply(of, agent, *sums, left);
            });
        else if (!multiply(blocks, agent, *sums, left))
            return false;
        return instruction->completes_on < 0 ||
               block.commit_tensors(agent, instruction->completes_on, statement, instruction->multicast);
    }

  private:
    /// Brings A and B of both blocks together, and adds their product to the sums.
    bool multiply(Block* const* blocks, int agent, const TensorRows& sums, const TensorRows* left) const
    {
        Block& block = *blocks[0];
        Workspace& room = block.workspace();
        room.left.resize(static_cast<std::size_t>(m_ * count_ * k_));
        room.right.resize(static_cast<std::size_t>(k_ * n_));
        std::byte* data[2] = {};
        for (std::int64_t half = 0; half < count_; ++half) {
            Block& in = *blocks[half];
            SharedTile b(block, *this, 2, agent, false, step_, &in);
            if (!load_left(block, in, agent, left, room.left.data() + half * m_ * k_) ||
                !load_right(b, block, room.right.data() + half * n_ / count_))
                return false;
            const View& view = instruction->operands[0].view;
            data[half] = in.buffer(block.plan(view.tensor), view.tensor).data;
        }
        multiply(Sums{&sums, {data[0], data[1]}, m_}, room.left, room.right);
        return true;
    }
    /// Where sums are, of rows of one block and then of the other.
    struct Sums {
        const TensorRows* rows;
        std::byte* data[2];
        std::int64_t of_block;

        [[nodiscard]] std::byte* at(std::int64_t row, std::int64_t column) const
        {
            return data[row / of_block] + rows->place(row % of_block, column) * 4;
        }
    };

    /// Checks and notes what the operation does in one block.
    bool check(Block& block, Block& in, int agent, const TensorRows& sums, const TensorRows* left) const
    {
        if (!a_in_tensors_ && !SharedTile(block, *this, 1, agent, true, step_, &in).check()) return false;
        if (!SharedTile(block, *this, 2, agent, false, step_, &in).check()) return false;
        if (a_in_tensors_) {
            const Actor actor = block.tensor_actor(agent, *this, TensorRole::operand);
            for (const std::int64_t copy : block.plan(instruction->operands[1].view.tensor).address.copies)
                if (!touch_rows(block, in, *this, 1, actor, *left, false, copy)) return false;
        }
        const Actor actor = block.tensor_actor(agent, *this, TensorRole::sum, (m_ << 16 | n_) * count_);
        if (&in != &block) in.note_visit(actor, statement);
        return (!accumulate_ || touch_rows(block, in, *this, 0, actor, sums, false)) &&
               touch_rows(block, in, *this, 0, actor, sums, true);
    }
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
        count_ = i.pair ? 2 : 1;
        const Shape &d = i.operands[0].view.extents, &a = i.operands[1].view.extents, &b = i.operands[2].view.extents;
        if (d.size() != 2 || a.size() != 2 || b.size() != 2 || a[0] != d[0] || b[1] * count_ != d[1] || a[1] != b[0])
            return p.refuse(detail::product_operands_text, errc::size_mismatch);
        m_ = d[0], n_ = d[1], k_ = a[1];
        const DType types[] = {p.plan(0).tensor->dtype, p.plan(1).tensor->dtype, p.plan(2).tensor->dtype};
        if (tcgen05_kind(types[0], types[1], types[2]) == nullptr)
            return p.refuse(detail::no_product_text(types[1], types[2], types[0]));
        integers_ = types[0] == DType::i32;
        step_ = 32 / storage_bytes(types[1]);
        if (k_ % step_ != 0) return p.refuse(detail::worded("K is {0}; it must be a multiple of {1}", {k_, step_}));
        if (!(i.pair ? is_tcgen05_pair_tile : is_tcgen05_tile)(m_ * count_, n_, integers_, a_in_tensors_))
            return p.refuse(detail::worded("no product has a tile of {0} x {1}", {m_ * count_, n_}));
        const std::vector<std::int64_t> again =
            i.pair && m_ == 64 ? std::vector<std::int64_t>{0, 64 * p.plan(1).pitch} : std::vector<std::int64_t>{0};
        if (a_in_tensors_ && p.plan(1).address.copies != again)
            return p.refuse(detail::operand_copies_text(p.plan(1).name(), again.size()));
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
    bool load_left(Block& block, Block& in, int agent, const TensorRows* rows, float* out) const
    {
        const TensorPlan& plan = block.plan(instruction->operands[1].view.tensor);
        const DType type = plan.tensor->dtype;
        if (rows != nullptr) {
            const std::byte* data = in.buffer(plan, instruction->operands[1].view.tensor).data;
            for (std::int64_t i = 0; i < m_; ++i)
                decode(type, data + rows->begin[static_cast<std::size_t>(i)] * plan.width, out + i * k_,
                       static_cast<std::size_t>(k_));
            return true;
        }
        SharedTile a(block, *this, 1, agent, true, step_, &in);
        return a.each_piece([&](std::int64_t i, std::int64_t l, bool along_k, std::int64_t, const std::byte* from, std::int64_t n) {
            float piece[16];
            decode(type, from, along_k ? out + i * k_ + l : piece, static_cast<std::size_t>(n));
            for (std::int64_t x = 0; x < n && !along_k; ++x) out[(i + x) * k_ + l] = piece[x];
            return true;
        });
    }
    /// B the same: [K, N], of which a block of a pair has half of the columns.
    bool load_right(SharedTile& b, Block& block, float* out) const
    {
        const DType type = block.plan(instruction->operands[2].view.tensor).tensor->dtype;
        return b.each_piece([&](std::int64_t j, std::int64_t l, bool along_k, std::int64_t, const std::byte* from, std::int64_t n) {
            float piece[16];
            decode(type, from, along_k ? piece : out + l * n_ + j, static_cast<std::size_t>(n));
            for (std::int64_t x = 0; x < n && along_k; ++x) out[(l + x) * n_ + j] = piece[x];
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
    void multiply_blocks(const Sums& sums, const std::vector<float>& left, const std::vector<float>& right) const
    {
        const auto m = static_cast<std::size_t>(m_ * count_), n = static_cast<std::size_t>(n_), k = static_cast<std::size_t>(k_);
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
                    move(sums.at(static_cast<std::int64_t>(i), static_cast<std::int64_t>(j)),
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

    void multiply(const Sums& sums, const std::vector<float>& left, const std::vector<float>& right) const
    {
        if (!integers_ && k_ % 16 == 0) return multiply_blocks(sums, left, right);
        if (integers_)
            multiply_rows<std::uint32_t>(sums, left, right); // i32 wraps
        else
            multiply_rows<float>(sums, left, right);
    }
    template <class Number>
    void multiply_rows(const Sums& sums, const std::vector<float>& left, const std::vector<float>& right) const
    {
        std::vector<Number> row(static_cast<std::size_t>(n_));
        for (std::int64_t i = 0; i < m_ * count_; ++i) {
            std::fill(row.begin(), row.end(), Number{0});
            for (std::int64_t j = 0; j < n_ && accumulate_; j += 8) std::memcpy(row.data() + j, sums.at(i, j), 32);
            add_row(left.data() + i * k_, right.data(), n_, k_, row.data());
            for (std::int64_t j = 0; j < n_; j += 8) std::memcpy(sums.at(i, j), row.data() + j, 32);
        }
    }

    void count(Block& block) const
    {
        if (!block.counting()) return;
        Tally& tally = block.tally(*this);
        tally.issues += k_ / step_;
        (integers_ ? tally.integer_ops : tally.flops) += 2 * m_ * count_ * n_ * k_;
        for (int operand = 1; operand < 3; ++operand) {
            tally.operands[operand].requests += k_ / step_;
            tally.operands[operand].bytes += (operand == 1 ? m_ * count_ : n_) * 32 * (k_ / step_);
        }
    }

    bool accumulate_ = false, integers_ = false, a_in_tensors_ = false;
    std::int64_t m_ = 128, n_ = 8, k_ = 16, step_ = 16; ///< m of one block
    std::int64_t count_ = 1;                            ///< blocks
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
