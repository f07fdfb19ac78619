// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_SPYRE_PIECES_HPP
#define AXE_INTEROP_SPYRE_PIECES_HPP

#include <axe/interop/spyre/chain.hpp>

/// Two sides of a copy, each digits of a sum of indices, in pieces in which both move evenly.
namespace axe {
inline namespace v0 {
namespace spyre {

/// A digit of an offset; or, with a bound, the promise that what is left counts less than that many weights.
struct Level {
    std::int64_t weight = 1;
    std::int64_t step = 0; ///< of the address, for one of the digit
    std::int64_t bound = 0;
};

/// The addresses of one side:  o = start + Σ c_i·steps_i,  taken apart by the levels from the largest weight on.
struct Side {
    std::int64_t start = 0, address = 0; ///< what is added to the digits' sum
    Coord steps{};
    InlineVector<Level, 3 * max_rank> levels{};
    bool exact = true; ///< is it an error when something is left over in the end?
};

/// `count` values of index `dim`, `index_step` apart, from which each side's offset moves by `steps`.
struct PieceLoop {
    int dim = 0;
    std::int64_t count = 1, index_step = 1;
    std::int64_t steps[2]{};
};

/// A box of indices; with it, once it is even, the address of its first element and the loops' steps on each side.
struct Piece {
    static constexpr int max_loops = 3 * max_rank;

    Coord first{};
    std::int64_t starts[2]{}, addresses[2]{};
    InlineVector<PieceLoop, max_loops> loops{};
    std::int64_t address_steps[2][max_loops]{};
};

enum class Cutting : std::uint8_t { done, stopped, outside };

/// Where a side does not move evenly: a digit of it carries.
struct Carry {
    int loop = -1;
    std::int64_t weight = 0, first = 0, step = 0,
                 others = 0; ///< what is left of the start, of the loop's step, of other loops' footprint
};

/// The addresses and the loops' steps of side s, or the first digit that carries.
constexpr Cutting level_out(const Side& side, int s, Piece& piece, Carry& carry) noexcept
{
    std::int64_t rest = piece.starts[s], steps[Piece::max_loops]{};
    piece.addresses[s] = side.address;
    for (int k = 0; k < piece.loops.size(); ++k) {
        steps[k] = piece.loops[k].steps[s];
        piece.address_steps[s][k] = 0;
    }
    if (rest < 0) return Cutting::outside;
    for (const Level& level : side.levels) {
        const std::int64_t w = level.weight;
        std::int64_t most = level.bound > 0 ? rest : rest % w, widest = 0;
        int loop = -1;
        for (int k = 0; k < piece.loops.size(); ++k) {
            const std::int64_t footprint = (piece.loops[k].count - 1) * (level.bound > 0 ? steps[k] : steps[k] % w);
            most += footprint;
            if (footprint > widest) {
                widest = footprint;
                loop = k;
            }
        }
        if (level.bound > 0) {
            if (most / w >= level.bound) return Cutting::outside;
            continue;
        }
        if (most >= w) {
            carry = {loop, w, rest % w, steps[loop] % w, most - rest % w - widest};
            return Cutting::stopped;
        }
        piece.addresses[s] += rest / w * level.step;
        rest %= w;
        for (int k = 0; k < piece.loops.size(); ++k) {
            piece.address_steps[s][k] += steps[k] / w * level.step;
            steps[k] %= w;
        }
    }
    bool over = rest != 0;
    for (int k = 0; k < piece.loops.size(); ++k) over = over || steps[k] != 0;
    return over && side.exact ? Cutting::outside : Cutting::done;
}

/// Calls f(piece) with pieces that are all indices of the shape, each once; false from it stops.
template <class F>
class Pieces {
  public:
    constexpr Pieces(const Shape& shape, const Side& to, const Side& from, F f) noexcept : sides_{to, from}, f_(f)
    {
        for (int i = 0; i < shape.size(); ++i) {
            whole_.first.push_back(0);
            if (shape[i] > 1) add(whole_, {i, shape[i], 1, {to.steps[i], from.steps[i]}});
        }
        for (int s = 0; s < 2; ++s) whole_.starts[s] = sides_[s].start;
    }
    constexpr Cutting operator()() noexcept { return cut(whole_); }

  private:
    /// Appends a loop, as one with the last where it goes on as that one's inner loop on both sides.
    static constexpr void add(Piece& piece, const PieceLoop& loop) noexcept
    {
        if (!piece.loops.empty()) {
            PieceLoop& last = piece.loops.back();
            bool goes_on = last.dim == loop.dim && last.index_step == loop.count * loop.index_step;
            for (int s = 0; s < 2; ++s) goes_on = goes_on && last.steps[s] == loop.count * loop.steps[s];
            if (goes_on) {
                const std::int64_t count = last.count * loop.count;
                last = loop;
                last.count = count;
                return;
            }
        }
        if (loop.count > 1) piece.loops.push_back(loop);
    }

    /// How many of the loop's values to take off at its begin; 0: blocks of `block` values, which are alike on this side.
    static constexpr std::int64_t place_of_cut(const Carry& c, std::int64_t count, std::int64_t& block) noexcept
    {
        std::int64_t a = c.weight, b = c.step;
        while (b != 0) {
            const std::int64_t r = a % b;
            a = b;
            b = r;
        }
        block = c.weight / a;
        const std::int64_t crossing = (c.weight - c.first + c.step - 1) / c.step; // the first value past the end
        if (a == c.step && c.first >= c.step && crossing < count) return crossing;
        if (count > block) return count / block > 1 ? 0 : block;
        if (crossing < count) return crossing;
        if (c.first + c.others < c.weight) return (c.weight - 1 - c.first - c.others) / c.step + 1;
        return count / 2;
    }

    static constexpr Piece part(const Piece& piece, int loop, std::int64_t from, std::int64_t count) noexcept
    {
        Piece out;
        out.first = piece.first;
        const PieceLoop& cut_loop = piece.loops[loop];
        out.first[cut_loop.dim] += from * cut_loop.index_step;
        for (int s = 0; s < 2; ++s) out.starts[s] = piece.starts[s] + from * cut_loop.steps[s];
        for (int k = 0; k < piece.loops.size(); ++k) {
            PieceLoop l = piece.loops[k];
            if (k == loop) l.count = count;
            if (l.count > 1) out.loops.push_back(l);
        }
        return out;
    }

    constexpr Cutting cut(Piece piece) noexcept
    {
        for (;;) {
            Carry carries[2];
            int s = -1;
            for (int side = 0; side < 2; ++side) {
                const Cutting found = level_out(sides_[side], side, piece, carries[side]);
                if (found == Cutting::outside) return found;
                if (found == Cutting::stopped && (s < 0 || carries[side].weight > carries[s].weight)) s = side;
            }
            if (s < 0) return f_(piece) ? Cutting::done : Cutting::stopped;
            const PieceLoop loop = piece.loops[carries[s].loop];
            std::int64_t block = 0, head = place_of_cut(carries[s], loop.count, block), rest = loop.count - head;
            Piece first;
            if (head == 0) {
                if (piece.loops.full()) return Cutting::stopped;
                first = part(piece, carries[s].loop, 0, loop.count / block * block);
                head = first.loops[carries[s].loop].count;
                rest = loop.count - head;
                first.loops[carries[s].loop] = {
                    loop.dim, loop.count / block, loop.index_step * block, {loop.steps[0] * block, loop.steps[1] * block}};
                PieceLoop inner = loop;
                inner.count = block;
                first.loops.insert(carries[s].loop + 1, inner);
            } else {
                first = part(piece, carries[s].loop, 0, head);
            }
            if (rest == 0) {
                piece = first;
                continue;
            }
            if (const Cutting done = cut(first); done != Cutting::done) return done;
            piece = part(piece, carries[s].loop, head, rest);
        }
    }

    Side sides_[2];
    F f_;
    Piece whole_{};
};

constexpr Status check_cut(Cutting done) noexcept
{
    if (done == Cutting::outside) return Error(errc::out_of_domain, -1, "the view has elements outside its base");
    if (done == Cutting::stopped)
        return Error(errc::capacity, Piece::max_loops, "a piece of the transfer has more than {0} loops", Piece::max_loops);
    return {};
}

/// What a tensor's own indices find on the device: digits of the row-major number of an element of `host`.
constexpr Side side_of(const Tensor& tensor) noexcept
{
    Side side;
    const Strides steps = device_strides(tensor.device);
    std::int64_t numbers[max_rank]{}, number = 1; // fits: so do all elements
    for (int e = tensor.host.shape.size() - 1; e >= 0; --e) {
        numbers[e] = number;
        number *= tensor.host.shape[e];
    }
    for (int i = 0; i < tensor.torch.shape.size(); ++i) side.steps.push_back(tensor.parts[i].weight * numbers[tensor.parts[i].dim]);
    for (int e = 0; e < tensor.host.shape.size(); ++e) {
        const detail::Chain chain = detail::chain_of(tensor, e, steps);
        for (const detail::Link& link : chain) side.levels.push_back({numbers[e] * link.weight, link.stride, 0});
        if (chain.empty()) side.levels.push_back({numbers[e], 0, 0}); // every index finds one element
    }
    return side;
}

/// What the indices of an array find in its memory.
constexpr Side side_of(const Strided& array) noexcept
{
    Side side;
    side.start = array.offset;
    for (const std::int64_t step : array.strides) side.steps.push_back(step);
    side.levels.push_back({1, 1, 0});
    return side;
}

} // namespace spyre
} // namespace v0
} // namespace axe

#endif
