// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_OPCODES_TCGEN05_MMA_HPP
#define AXE_TARGET_NVIDIA_OPCODES_TCGEN05_MMA_HPP

#include <axe/target/nvidia/opcodes/shared_tile.hpp>
#include <axe/target/nvidia/opcodes/tcgen05_sums.hpp>
#include <axe/target/nvidia/opcodes/wgmma_blocks.hpp>
#include <axe/target/nvidia/tcgen05/zero_columns.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// `tcgen05_mma` D [M, N], A [M, K], B [K, N] with parameters: one agent starts products into tensor memory, D = A·B (+ D), one for each 32
/// bytes of k; a commit completes them on the mbarrier `completes_on`, if one is given.      [PTX ISA, tcgen05.mma]
///
/// The parameters: accumulate, 0, 1, or 2 where `start` says it in the run; then whether A and B are negated; then, or not, n where
/// D·2^−n is added to; then, 32 to a number, the lanes of D that are not written, of both blocks of a pair. Of `tcgen05_mma_ws` after A and B
/// the descriptor of the columns of B that count as zeros (`ZeroColumns`), which are read all the same.
///
/// A is in shared memory or in tensor memory, B in shared memory; what is there is read through the asynchronous proxy by descriptors.
/// `tcgen05_mma_ws` is the same with `.ws`: of one block; D has all 128 lanes, of fewer rows in parts of its columns, and A in tensor memory
/// a copy for each part.
///
/// Sums are one chain, k ascending, in f32, or i32, which wraps, or of f16 as tcgen05_sums.hpp says; hardware's order is not specified.
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
        if (instruction->pair || ws_ || !is_first_tcgen05_lane(m_, first)) first = 0; // which the rows then are not in
        const auto lane_of = [&](std::int64_t row, std::int64_t part) {
            return instruction->pair ? tcgen05_pair_lane(row, part)
                   : ws_             ? tcgen05_ws_lane(m_, row, part)
                                     : tcgen05_lane(m_, first, row);
        };
        const TensorRows* sums = tensor_rows(block, *this, 0, agent, parts_, lane_of, sum_step_);
        const TensorRows* left = a_in_tensors_ && sums != nullptr ? tensor_rows(block, *this, 1, agent, 1, lane_of) : nullptr;
        if (sums == nullptr || (a_in_tensors_ && (left == nullptr || !is_at_column(block, *this, 1, *left)))) return false;
        const bool adds = accumulate_ == 1 || (accumulate_ == 2 && instruction->start(block.variables(agent)) != 0);
        const KeptLanes* kept = lanes_.empty() ? nullptr : &kept_lanes(block, *sums, *this, lanes_, lane_of);
        for (int i = 0; i < 2; ++i)
            if (blocks[i] != nullptr && block.full() &&
                !check(block, *blocks[i], agent, kept == nullptr ? *sums : kept->written[i], left, adds))
                return false;
        count(block);
        return act_in_tensors(block, *this, agent, [=, this, at = &block] {
            Block* const of[2] = {at, other};
            return multiply(of, agent, *sums, left, adds, kept);
        });
    }

  private:
    /// Brings A and B of both blocks together, and adds their product to the sums.
    bool multiply(Block* const* blocks, int agent, const TensorRows& sums, const TensorRows* left, bool adds,
                  const KeptLanes* kept) const
    {
        Block& block = *blocks[0];
        Workspace& room = block.workspace();
        room.left.resize(static_cast<std::size_t>(left_at(0, (k_ + 15) / 16 * 16)));
        room.right.resize(static_cast<std::size_t>(right_at((k_ + 15) / 16 * 16, 0)));
        std::byte* data[2] = {};
        for (std::int64_t half = 0; half < count_; ++half) {
            Block& in = *blocks[half];
            SharedTile b(block, *this, 2, agent, false, step_, &in);
            if (!load_left(block, in, agent, left, half * m_, room.left.data()) ||
                !load_right(b, block, half * n_ / count_, room.right.data()))
                return false;
            const View& view = instruction->operands[0].view;
            data[half] = in.buffer(block.plan(view.tensor), view.tensor).data;
        }
        for (const std::int64_t j : zeros_)
            for (std::int64_t l = 0; l < k_; ++l) room.right[static_cast<std::size_t>(right_at(l, j))] = 0;
        if (negated_)
            for (float& x : room.left) x = -x;
        const TensorSums where{&sums, {data[0], data[1]}, m_, half_sums_ ? 2 : 4};
        std::vector<std::byte> before;
        if (kept != nullptr) kept->save(where, before);
        if (half_sums_)
            multiply_halves(where, adds, std::ldexp(1.0, -scale_), n_, k_, count_ * m_, step_,
                            [&](std::int64_t i, std::int64_t l, std::int64_t j) {
                                return static_cast<double>(room.left[static_cast<std::size_t>(left_at(i, l))]) *
                                       static_cast<double>(room.right[static_cast<std::size_t>(right_at(l, j))]);
                            });
        else
            multiply(where, adds, room);
        if (kept != nullptr) kept->restore(where, before);
        return true;
    }

    /// Checks and notes what the operation does in one block.
    bool check(Block& block, Block& in, int agent, const TensorRows& sums, const TensorRows* left, bool adds) const
    {
        if (!a_in_tensors_ && !SharedTile(block, *this, 1, agent, true, step_, &in).check()) return false;
        if (!SharedTile(block, *this, 2, agent, false, step_, &in).check()) return false;
        if (a_in_tensors_) {
            const Actor actor = block.tensor_actor(agent, *this, TensorRole::operand);
            for (const std::int64_t copy : block.plan(instruction->operands[1].view.tensor).address.copies)
                if (!touch_rows(block, in, *this, 1, actor, *left, false, copy)) return false;
        }
        const Actor actor =
            block.tensor_actor(agent, *this, TensorRole::sum, (m_ << 16 | n_) * count_ + (ws_ ? std::int64_t{1} << 40 : 0));
        if (&in != &block) in.note_visit(actor, statement);
        if (sums.begin.empty()) return true;
        return (!adds || touch_rows(block, in, *this, 0, actor, sums, false)) && touch_rows(block, in, *this, 0, actor, sums, true);
    }
    Result<void, Problem> resolve(const Preparation& p)
    {
        if (auto problem = start_in_tensors(p, *this); !problem.ok()) return problem;
        const Instruction& i = *p.instruction;
        if (!is_in_tensor_memory(p.plan(0)))
            return p.refuse("{0} is in {1}; its sums are in tensor memory", {p.plan(0).name(), p.plan(0).tensor->memory});
        ws_ = i.opcode == std::string_view("tcgen05_mma_ws");
        if (ws_ && i.pair) return p.refuse("products with .ws are of one block");
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
        if (k_ % step_ != 0) return p.refuse("K is {0}; it must be a multiple of {1}", {k_, step_});
        if (!(ws_ ? is_tcgen05_ws_tile(m_, n_)
                  : (i.pair ? is_tcgen05_pair_tile : is_tcgen05_tile)(m_ * count_, n_, integers_, a_in_tensors_)))
            return p.refuse("no product has a tile of {0} x {1}", {m_ * count_, n_});
        parts_ = ws_ ? tcgen05_ws_parts(m_) : tcgen05_parts(i.pair, m_);
        if (a_in_tensors_ && p.plan(1).address.copies != tcgen05_operand_copies(m_, parts_, p.plan(1).pitch))
            return p.refuse(detail::operand_copies_text(p.plan(1).name(), tcgen05_operand_copies(m_, parts_)));
        if (auto problem = take_parameters(p); !problem.ok()) return problem;
        half_sums_ = types[0] == DType::f16;
        sum_step_ = tcgen05_sum_step(types[0]);
        if (!integers_ && !half_sums_ && k_ % 16 == 0) find_issues();
        return {};
    }
    Result<void, Problem> take_parameters(const Preparation& p)
    {
        const std::vector<std::int64_t>& numbers = p.instruction->parameters;
        const std::size_t n = numbers.size();
        const std::size_t masks = 4 * static_cast<std::size_t>(count_), scaled = n == 4 || n == 4 + masks ? 1 : 0;
        if ((n != 1 && n != 3 + scaled && n != 3 + scaled + masks) || numbers[0] < 0 || numbers[0] > 2)
            return p.refuse(
                "its parameters are accumulate, 0 to 2, then which of A and B are negated, scale of D, lanes that are kept");
        accumulate_ = static_cast<int>(numbers[0]);
        if (n == 1) return {};
        if (ws_ && n > 4) return p.refuse("products with .ws neither scale D nor keep lanes");
        if (ws_ && n == 4) {
            const auto zeros = zero_columns_of(static_cast<std::uint64_t>(numbers[3]), parts_);
            if (!zeros) return p.refuse(Problem(zeros.error()).text, zeros.error().code);
            const std::int64_t each = n_ / parts_;
            for (std::int64_t j = 0; j < n_; ++j)
                if (zeros->is_zero(j / each, j % each)) zeros_.push_back(j);
        }
        if (scaled != 0 && !ws_) {
            scale_ = static_cast<int>(numbers[3]);
            if (numbers[3] < 0 || numbers[3] > most_tcgen05_scale)
                return p.refuse(divided_sums_text(numbers[3]), errc::out_of_domain);
            const ProgramTensor &d = *p.plan(0).tensor, &a = *p.plan(1).tensor, &b = *p.plan(2).tensor;
            if (scale_ != 0 && !scales_tcgen05_sums(a.dtype))
                return p.refuse(detail::scaled_sums_text(tcgen05_kind(d.dtype, a.dtype, b.dtype)));
        }
        for (const std::size_t k : {std::size_t{1}, std::size_t{2}})
            if (numbers[k] != 0 && numbers[k] != 1) return p.refuse(detail::not_a_flag_text(numbers[k]));
        if (integers_ && (numbers[1] != 0 || numbers[2] != 0)) return p.refuse(detail::integers_negated_text());
        negated_ = numbers[1] != numbers[2];
        for (std::size_t k = 3 + scaled; k < n; ++k) {
            if (numbers[k] < 0 || numbers[k] > 0xffffffff)
                return p.refuse("32 lanes that are kept are a number of 32 bits, got {0}", {numbers[k]});
            lanes_.push_back(static_cast<std::uint32_t>(numbers[k]));
        }
        return {};
    }

    std::int64_t first_lane(Block& block, int agent, std::size_t operand) const
    {
        const View& view = instruction->operands[operand].view;
        const TensorPlan& plan = block.plan(view.tensor);
        const std::vector<std::int64_t> origin = origin_of(view, block.variables(agent));
        return is_inside(plan.tensor->shape, origin.data()) ? plan.address(origin.data()) / plan.pitch : 0;
    }

    /// Where element (i, l) of A and (l, j) of B are among their numbers: in blocks as `tile::run` takes them, those of 16 of k after another.
    [[nodiscard]] std::int64_t left_at(std::int64_t i, std::int64_t l) const
    {
        return l / 16 * m_ * count_ * 16 + i / 16 * 256 + l % 16 / 8 * 128 + i % 16 * 8 + l % 8;
    }
    [[nodiscard]] std::int64_t right_at(std::int64_t l, std::int64_t j) const
    {
        return l / 16 * n_ * 16 + j / 8 * 128 + l % 16 * 8 + j % 8;
    }

    /// Rows of A as numbers, from row `first` of `out` on.
    bool load_left(Block& block, Block& in, int agent, const TensorRows* rows, std::int64_t first, float* out) const
    {
        const TensorPlan& plan = block.plan(instruction->operands[1].view.tensor);
        const DType type = plan.tensor->dtype;
        if (rows != nullptr) {
            const std::byte* data = in.buffer(plan, instruction->operands[1].view.tensor).data;
            std::vector<float> row(static_cast<std::size_t>(k_));
            for (std::int64_t i = 0; i < m_; ++i) {
                decode(type, data + rows->begin[static_cast<std::size_t>(i)] * plan.width, row.data(), row.size());
                for (std::int64_t l = 0; l < k_; l += 8) std::copy_n(row.data() + l, 8, out + left_at(first + i, l));
            }
            return true;
        }
        SharedTile a(block, *this, 1, agent, true, step_, &in);
        return load(a, plan.width, type, true, [&](std::int64_t i, std::int64_t l) { return out + left_at(first + i, l); });
    }
    /// B the same, of which a block of a pair has half of the columns.
    bool load_right(SharedTile& b, Block& block, std::int64_t first, float* out) const
    {
        const TensorPlan& plan = block.plan(instruction->operands[2].view.tensor);
        return load(b, plan.width, plan.tensor->dtype, false,
                    [&](std::int64_t j, std::int64_t l) { return out + right_at(l, first + j); });
    }
    /// place(i, l): where a number goes, l along k.
    template <class Place>
    static bool load(SharedTile& tile, std::int64_t width, DType type, bool is_a, Place place)
    {
        if (width == 2)
            return tile.each_step([&](std::int64_t step, const SharedDescriptor& d, const std::byte* data) {
                load_wgmma_blocks(data, d, type, tile.mn(), is_a, place(0, step));
                return true;
            });
        return tile.each_piece(
            [&](std::int64_t i, std::int64_t l, bool along_k, std::int64_t, const std::byte* from, std::int64_t n) {
                float piece[16];
                decode(type, from, piece, static_cast<std::size_t>(n));
                for (std::int64_t x = 0; x < n; ++x) *place(along_k ? i : i + x, along_k ? l + x : l) = piece[x];
                return true;
            });
    }

    /// Which blocks of A and B issues multiply: of two blocks of sums one step of k after the other.
    void find_issues()
    {
        for (std::int64_t j = 0; j < n_ / 8; j += 2)
            for (std::int64_t l = 0; l < k_ / 16; ++l)
                for (std::int64_t x = j; x < std::min(j + 2, n_ / 8); ++x) {
                    lefts_.push_back(static_cast<int>(l * (m_ * count_ / 16)));
                    rights_.push_back(static_cast<int>(l * (n_ / 8) + x));
                }
    }
    /// All sums by the inner loop of simulated matrix instructions, where 16 rows of them are equally far apart.
    bool multiply_blocks(const TensorSums& sums, Workspace& room) const
    {
        const std::vector<std::int64_t>& begin = sums.rows->begin;
        const std::int64_t row = begin[1] - begin[0];
        for (std::size_t i = 0; i + 1 < begin.size(); ++i)
            if (i % 16 != 15 && begin[i + 1] - begin[i] != row) return false;
        tile::Issues work;
        work.right = room.right.data();
        work.a = lefts_.data();
        work.b = rights_.data();
        work.count = static_cast<int>(lefts_.size());
        work.row = row;
        room.sums.resize(lefts_.size());
        work.c = room.sums.data();
        for (std::int64_t i = 0; i < m_ * count_; i += 16) {
            for (std::size_t x = 0; x < lefts_.size(); ++x)
                room.sums[x] = reinterpret_cast<float*>(sums.at(i, rights_[x] % (n_ / 8) * 8));
            work.left = room.left.data() + left_at(i, 0);
            tile::run(work);
        }
        return true;
    }

    void multiply(const TensorSums& sums, bool adds, Workspace& room) const
    {
        for (std::int64_t i = 0; i < m_ * count_ && !adds; ++i)
            for (std::int64_t j = 0; j < n_; j += 8) std::memset(sums.at(i, j), 0, 32);
        if (scale_ != 0 && adds) scale_sums(sums);
        if (!lefts_.empty() && multiply_blocks(sums, room)) return;
        if (integers_)
            multiply_rows<std::uint32_t>(sums, room); // i32 wraps
        else
            multiply_rows<float>(sums, room);
    }
    void scale_sums(const TensorSums& sums) const
    {
        const float factor = std::ldexp(1.0f, -scale_);
        for (std::int64_t i = 0; i < m_ * count_; ++i)
            for (std::int64_t j = 0; j < n_; ++j) {
                float sum = 0;
                std::memcpy(&sum, sums.at(i, j), sizeof sum);
                sum *= factor;
                std::memcpy(sums.at(i, j), &sum, sizeof sum);
            }
    }
    /// Sums of eight columns at a time: one chain for each, k ascending.
    template <class Number>
    void multiply_rows(const TensorSums& sums, const Workspace& room) const
    {
        for (std::int64_t i = 0; i < m_ * count_; ++i)
            for (std::int64_t j = 0; j < n_; j += 8) {
                Number part[8];
                std::memcpy(part, sums.at(i, j), sizeof part);
                for (std::int64_t l = 0; l < k_; ++l) {
                    const float a = room.left[static_cast<std::size_t>(left_at(i, l))];
                    const float* b = room.right.data() + right_at(l, j);
                    for (int x = 0; x < 8; ++x) {
                        if constexpr (std::is_same_v<Number, float>)
                            part[x] += a * b[x];
                        else
                            part[x] += static_cast<Number>(static_cast<std::int32_t>(a) * static_cast<std::int32_t>(b[x]));
                    }
                }
                std::memcpy(sums.at(i, j), part, sizeof part);
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

    bool integers_ = false, a_in_tensors_ = false, half_sums_ = false, negated_ = false, ws_ = false;
    int accumulate_ = 0;                                ///< 2: the run says it
    int scale_ = 0;                                     ///< D·2^−scale is added to
    std::int64_t sum_step_ = 1;                         ///< elements from one column of D to the next
    std::vector<std::uint32_t> lanes_{};                ///< of D, that stay as they are
    std::vector<std::int64_t> zeros_{};                 ///< columns of B that count as zeros
    std::int64_t m_ = 128, n_ = 8, k_ = 16, step_ = 16; ///< m of one block
    std::int64_t count_ = 1;                            ///< blocks
    std::int64_t parts_ = 1;                            ///< of D's columns, in lanes
    std::vector<int> lefts_{}, rights_{};               ///< of each issue of 16 rows: its blocks of A and B
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
