// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_EXAMPLES_MOE_CHOICE_HPP
#define AXE_EXAMPLES_MOE_CHOICE_HPP

#include "routing.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

/// What the kernels of a layer of experts are held against.
namespace examples {

/// The router in f64, with bounds on what f32 may come to.
class MoeChoice {
  public:
    struct Expert {
        double weight = 0, error = 0; ///< relative
        std::int64_t id = 0;
        bool sure = true; ///< may rounding not choose another one?
    };

    MoeChoice(const axe::Array& X, const axe::Array& Wg, std::int64_t top) : E_(Wg.shape()[0]), width_(Wg.shape()[1]), top_(top)
    {
        for (std::int64_t i = 0; i < X.size(); ++i) x_.push_back(X.at(i));
        for (std::int64_t i = 0; i < Wg.size(); ++i) w_.push_back(Wg.at(i));
    }

    [[nodiscard]] std::int64_t tokens() const { return static_cast<std::int64_t>(x_.size()) / width_; }
    /// The experts of a token, in order.
    [[nodiscard]] std::vector<Expert> of(std::int64_t token) const
    {
        std::vector<Logit> logits;
        for (std::int64_t e = 0; e < E_; ++e) logits.push_back(logit(token, e));
        const double most = std::max_element(logits.begin(), logits.end())->value;
        double absolute = 0;
        for (const Logit& l : logits) absolute = std::max(absolute, l.error);
        std::vector<std::int64_t> order(static_cast<std::size_t>(E_));
        std::iota(order.begin(), order.end(), std::int64_t{0});
        const auto at = [&](std::int64_t e) -> const Logit& { return logits[static_cast<std::size_t>(e)]; };
        std::sort(order.begin(), order.end(), [&](auto a, auto b) { return at(b) < at(a) || (!(at(a) < at(b)) && a < b); });
        std::vector<Expert> out;
        double total = 0, error = 0;
        for (std::int64_t i = 0; i < top_; ++i) {
            const std::int64_t e = order[static_cast<std::size_t>(i)];
            Expert chosen{std::exp(at(e).value - most), 0, e, true};
            // Of a difference d the power has an error of 4 units, and d one of each operand's and of a unit, as a factor of log2(e) makes it.
            chosen.error = 2 * absolute + (4 + 4 * (most - at(e).value)) * unit;
            for (std::int64_t j = 0; j < E_; ++j)
                if (j != e && near(at(e), at(j), most) && !decided(token, e, at(e), j, at(j), most)) chosen.sure = false;
            total += chosen.weight;
            error = std::max(error, chosen.error);
            out.push_back(chosen);
        }
        // Both quotients, the sums of the powers of all and of the chosen ones, and what those are of.
        for (Expert& e : out) e.weight /= total, e.error += error + static_cast<double>(E_ + top_ + 8) * unit;
        return out;
    }

  private:
    static constexpr double unit = 0x1p-23;
    struct Logit {
        double value = 0, error = 0; ///< absolute
        friend bool operator<(const Logit& a, const Logit& b) { return a.value < b.value; }
    };

    [[nodiscard]] double term(std::int64_t token, std::int64_t expert, std::int64_t i) const
    {
        return x_[static_cast<std::size_t>(token * width_ + i)] * w_[static_cast<std::size_t>(expert * width_ + i)];
    }
    [[nodiscard]] Logit logit(std::int64_t token, std::int64_t expert) const
    {
        Logit out;
        double sizes = 0;
        for (std::int64_t i = 0; i < width_; ++i) {
            const double t = term(token, expert, i);
            out.value += t, sizes += std::fabs(t);
        }
        out.error = static_cast<double>(width_) * sizes * (unit / 2); // products of f16 are exact in f32
        return out;
    }
    /// Is the sum the same number in each order? All terms are multiples of a power of two, and not more than 2^24 of it.
    [[nodiscard]] bool exact(std::int64_t token, std::int64_t expert) const
    {
        double sizes = 0, finest = 0x1p60;
        for (std::int64_t i = 0; i < width_; ++i) {
            const double t = term(token, expert, i);
            sizes += std::fabs(t);
            while (t != 0 && std::fmod(t, finest) != 0) finest /= 2;
        }
        return sizes <= finest * 0x1p24;
    }
    /// Are two logits that are near exact, and equal or far enough apart?
    [[nodiscard]] bool decided(std::int64_t token, std::int64_t e, const Logit& a, std::int64_t j, const Logit& b,
                               double most) const
    {
        return exact(token, e) && exact(token, j) && (a.value == b.value || !near({a.value, 0}, {b.value, 0}, most));
    }
    /// May the two be equal, or change places, as numbers of the softmax in f32?
    [[nodiscard]] static bool near(const Logit& a, const Logit& b, double most)
    {
        const double distance = most - std::max(a.value, b.value); // beyond 80 both may be 0
        return distance > 80 || std::fabs(a.value - b.value) <= a.error + b.error + (16 + 8 * distance) * unit;
    }

    std::int64_t E_, width_, top_;
    std::vector<double> x_{}, w_{};
};

/// What the layer is, as formulas: where rounding may choose other experts they hold any number.
inline void moe_specify(axe::Kernel& k, const MoeLayer& n)
{
    using namespace axe;
    using enum DType;
    const std::int64_t T = n.T, E = n.E, top = n.top;
    enum class Of { ids, weights };
    const auto choices = [=](Of what) {
        return [=](const std::vector<const Array*>& operands, std::vector<Estimate>& out) {
            const MoeChoice choice(*operands[0], *operands[1], top);
            for (std::int64_t t = 0; t < T; ++t) {
                const auto chosen = choice.of(t);
                for (std::int64_t slot = 0; slot < top; ++slot) {
                    const MoeChoice::Expert& e = chosen[static_cast<std::size_t>(slot)];
                    Estimate& to = out[static_cast<std::size_t>(slot * T + t)];
                    if (what == Of::ids)
                        to = {static_cast<double>(e.id), e.sure ? 0.0 : static_cast<double>(E), 0};
                    else
                        to = {e.weight, e.sure ? 0.0 : 1.0, e.error};
                }
            }
        };
    };
    const auto firsts = [=](const std::vector<const Array*>& operands, std::vector<Estimate>& out) {
        const MoeChoice choice(*operands[0], *operands[1], top);
        std::vector<std::int64_t> counts(static_cast<std::size_t>(E));
        double unsure = 0;
        for (std::int64_t t = 0; t < T; ++t)
            for (const auto& e : choice.of(t)) ++counts[static_cast<std::size_t>(e.id)], unsure += e.sure ? 0 : 1;
        std::int64_t row = 0;
        for (std::size_t e = 0; e < out.size(); ++e) {
            out[e] = {static_cast<double>(row), unsure * static_cast<double>(moe_tile), 0};
            if (e < counts.size()) row += (counts[e] + moe_tile - 1) / moe_tile * moe_tile;
        }
    };
    const Formula ids = by_function("moe_ids", choices(Of::ids), {n.X, n.Wg}, {top, T}, i32);
    const Formula weights = by_function("moe_weights", choices(Of::weights), {n.X, n.Wg}, {top, T}, f32);
    k.computes(n.ids, ids);
    k.computes(n.weights, weights);
    k.computes(n.first, by_function("moe_first", firsts, {n.X, n.Wg}, {E + 1}, i32));
    k.computes(n.arrived, n.arrived + 3 * moe_routers);

    // Pair p = slot·T + t of a slot and a token: of the products of all experts the one of its own.
    const std::int64_t pairs = top * T;
    const Formula own = reshape(ids, {pairs}), pair = iota({pairs}, 0);
    const Formula of_token = reshape(broadcast(reshape(iota({T}, 0), {1, T}), {top, T}), {pairs});
    const Formula products = reshape(matmul(n.X, n.W1, {.transpose_b = true}), {E * T, 2 * n.inner});
    const Formula both = gather(products, own * static_cast<int>(T) + of_token);
    const Formula gate = cast(rounded(slice(both, 1, 0, n.inner), f16), f32);
    const Formula up = cast(rounded(slice(both, 1, n.inner, n.inner), f16), f32);
    const Formula h = cast(rounded(gate / (exp(-gate) + 1) * up, f16), f32);
    const Formula down = reshape(matmul(h, n.W2, {.transpose_b = true}), {E * pairs, n.hidden});
    const Formula z = gather(down, own * static_cast<int>(pairs) + pair) * reshape(weights, {pairs, 1});
    k.computes(n.Y, rounded(sum(cast(rounded(reshape(z, {top, T, n.hidden}), f16), f32), {0}), f16));
}

} // namespace examples

#endif
