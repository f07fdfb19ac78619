// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_EXAMPLES_MOE_LOOPS_HPP
#define AXE_EXAMPLES_MOE_LOOPS_HPP

#include "../common/example.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

/// A layer of experts by plain loops, one token at a time.
namespace examples {

/// What the layer gives for a token: its experts, those with the largest weights first, and the first columns of its row of Y.
struct MoeToken {
    std::vector<std::int64_t> experts{};
    std::vector<double> y{};
};

/// In f64, f16 where the kernel stores it.
inline MoeToken moe_by_loops(const axe::Bindings& in, std::int64_t t, std::int64_t top, std::int64_t columns)
{
    const axe::Array &X = *in.find("X"), &Wg = *in.find("Wg"), &W1 = *in.find("W1"), &W2 = *in.find("W2");
    const std::int64_t width = X.shape()[1], E = Wg.shape()[0], inner = W1.shape()[1] / 2;
    const auto half = [](double x) { return axe::decode(axe::DType::f16, axe::encode(axe::DType::f16, x)); };
    MoeToken out;
    out.y.resize(static_cast<std::size_t>(columns));
    std::vector<double> x, p(static_cast<std::size_t>(E)), h(static_cast<std::size_t>(inner));
    for (std::int64_t c = 0; c < width; ++c) x.push_back(X.at(t * width + c));
    const auto times = [&](const axe::Array& w, std::int64_t row) {
        double sum = 0;
        for (std::int64_t c = 0; c < width; ++c) sum += x[static_cast<std::size_t>(c)] * w.at(row * width + c);
        return sum;
    };
    const auto at = [&](std::int64_t e) -> double& { return p[static_cast<std::size_t>(e)]; };
    double total = 0;
    for (std::int64_t e = 0; e < E; ++e) at(e) = std::exp(times(Wg, e)); // a softmax's divisor is the same for all
    for (std::int64_t slot = 0; slot < top; ++slot) {
        std::int64_t best = -1;
        for (std::int64_t e = 0; e < E; ++e)
            if (std::find(out.experts.begin(), out.experts.end(), e) == out.experts.end() && (best < 0 || at(e) > at(best)))
                best = e;
        out.experts.push_back(best), total += at(best);
    }
    for (const std::int64_t e : out.experts) {
        for (std::int64_t u = 0; u < inner; ++u) {
            const double gate = half(times(W1, e * 2 * inner + u)), up = half(times(W1, e * 2 * inner + inner + u));
            h[static_cast<std::size_t>(u)] = half(gate / (1 + std::exp(-gate)) * up);
        }
        for (std::int64_t j = 0; j < columns; ++j) {
            double z = 0;
            for (std::int64_t u = 0; u < inner; ++u) z += h[static_cast<std::size_t>(u)] * W2.at((e * width + j) * inner + u);
            out.y[static_cast<std::size_t>(j)] += half(z * at(e) / total);
        }
    }
    for (double& y : out.y) y = half(y);
    return out;
}

/// Up to eight tokens, from the first to the last: their experts, and up to 64 columns of Y. A sum in another order rounds other numbers of
/// H and Z by one unit of f16 more or less, 2⁻¹¹; another expert, or a row of another token, makes a difference as large as Y.
inline Conclusion moe_sample(const axe::Bindings& in, const axe::Bindings& outputs)
{
    const axe::Array &ids = *outputs.find("ids"), &Y = *outputs.find("Y");
    const std::int64_t T = Y.shape()[0], width = Y.shape()[1], top = ids.shape()[0], rows = std::min<std::int64_t>(T, 8);
    std::int64_t same = 0;
    double worst = 0;
    for (std::int64_t i = 0; i < rows; ++i) {
        const std::int64_t t = rows == 1 ? 0 : i * (T - 1) / (rows - 1);
        const MoeToken loops = moe_by_loops(in, t, top, std::min<std::int64_t>(width, 64));
        bool alike = true;
        for (std::int64_t slot = 0; slot < top; ++slot)
            alike = alike && static_cast<std::int64_t>(ids.at(slot * T + t)) == loops.experts[static_cast<std::size_t>(slot)];
        same += alike ? 1 : 0;
        double most = 0, difference = 0;
        for (std::size_t j = 0; j < loops.y.size(); ++j) {
            most = std::max(most, std::fabs(loops.y[j]));
            difference = std::max(difference, std::fabs(loops.y[j] - Y.at(t * width + static_cast<std::int64_t>(j))));
        }
        worst = std::max(worst, most > 0 ? difference / most : difference);
    }
    char text[160];
    std::snprintf(
        text, sizeof text,
        "by plain loops: the same experts for %lld of %lld tokens from the first to the last, Y within %.5f of a row's largest",
        static_cast<long long>(same), static_cast<long long>(rows), worst);
    return {{text}, same == rows && worst < 0x1p-7};
}

} // namespace examples

#endif
