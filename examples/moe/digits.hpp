// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_EXAMPLES_MOE_DIGITS_HPP
#define AXE_EXAMPLES_MOE_DIGITS_HPP

#include "choice.hpp"

/// A layer of experts that reads handwritten digits: tokens are images, and the first ten columns of what it gives are logits.
namespace examples {

constexpr std::int64_t moe_images = 1797, moe_pixels = 64, moe_classes = 10;

/// A file of the example's data, or of that of `digits`.
inline axe::Result<axe::Array, axe::Problem> moe_data(const char* of, const char* name, const axe::Shape& shape, axe::DType type)
{
    Files files;
    const std::string folder = data_folder(of);
    if (folder.empty())
        return axe::Problem(axe::errc::bad_argument,
                            "moe: the images and weights are not installed; install the component axe_examples");
    if (const auto problem = files.add(folder); !problem.ok()) return problem;
    return files.read(name, shape, type);
}

/// Pixels by 16, and the weights that train.py has found. W2 has a row for each class; the layer's has as many as a token is wide.
inline axe::Result<axe::Bindings, axe::Problem> moe_digits(const Setting& setting)
{
    using enum axe::DType;
    if (setting.files.has_folder() || !setting.files.names().empty())
        return axe::Problem(axe::errc::bad_argument, "moe: with data=digits there are no other inputs");
    const auto pictures = moe_data("digits", "digits", {moe_images, moe_pixels}, u8);
    if (!pictures) return pictures.error();
    auto Wg = moe_data("moe", "wg", {8, moe_pixels}, f16), W1 = moe_data("moe", "w1", {8, 64, moe_pixels}, f16);
    const auto w2 = moe_data("moe", "w2", {8, moe_classes, 32}, f16);
    if (!Wg) return Wg.error();
    if (!W1) return W1.error();
    if (!w2) return w2.error();
    axe::Array X = axe::Array::make({moe_images, moe_pixels}, f16).value(), W2 = axe::Array::make({8, moe_pixels, 32}, f16).value();
    for (std::int64_t i = 0; i < X.size(); ++i) X.set(i, pictures->at(i) / 16); // exact
    for (std::int64_t i = 0; i < w2->size(); ++i)
        W2.set(i / (moe_classes * 32) * moe_pixels * 32 + i % (moe_classes * 32), w2->at(i));
    axe::Bindings out;
    out.set("X", std::move(X)).set("Wg", std::move(*Wg)).set("W1", std::move(*W1)).set("W2", std::move(W2));
    out.set("arrived", axe::Array::make({1}, i32).value());
    return out;
}

/// The layer by plain loops in f64, f16 where the kernel stores it: the class of each image, the first of equals. Counts the slots that have
/// other experts than these.
inline std::vector<int> moe_by_loops(const axe::Bindings& in, const axe::Array& ids, std::int64_t& others)
{
    const axe::Array &X = *in.find("X"), &Wg = *in.find("Wg"), &W1 = *in.find("W1"), &W2 = *in.find("W2");
    const std::int64_t T = X.shape()[0], width = X.shape()[1], E = Wg.shape()[0], inner = W1.shape()[1] / 2, top = ids.shape()[0];
    const auto half = [](double x) { return axe::decode(axe::DType::f16, axe::encode(axe::DType::f16, x)); };
    std::vector<int> out;
    for (std::int64_t t = 0; t < T; ++t) {
        std::vector<double> p(static_cast<std::size_t>(E)), y(moe_classes);
        std::vector<std::int64_t> chosen;
        double sum = 0, total = 0;
        const auto at = [&](std::int64_t e) -> double& { return p[static_cast<std::size_t>(e)]; };
        for (std::int64_t e = 0; e < E; ++e) {
            double logit = 0;
            for (std::int64_t c = 0; c < width; ++c) logit += X.at(t * width + c) * Wg.at(e * width + c);
            sum += at(e) = std::exp(logit);
        }
        for (double& x : p) x /= sum;
        for (std::int64_t slot = 0; slot < top; ++slot) {
            std::int64_t best = -1;
            for (std::int64_t e = 0; e < E; ++e)
                if (std::find(chosen.begin(), chosen.end(), e) == chosen.end() && (best < 0 || at(e) > at(best))) best = e;
            chosen.push_back(best), total += at(best);
            others += static_cast<std::int64_t>(ids.at(slot * T + t)) != best;
        }
        for (const std::int64_t e : chosen) {
            std::vector<double> h;
            for (std::int64_t u = 0; u < inner; ++u) {
                double gate = 0, up = 0;
                for (std::int64_t c = 0; c < width; ++c) {
                    gate += X.at(t * width + c) * W1.at((e * 2 * inner + u) * width + c);
                    up += X.at(t * width + c) * W1.at((e * 2 * inner + inner + u) * width + c);
                }
                gate = half(gate), up = half(up);
                h.push_back(half(gate / (1 + std::exp(-gate)) * up));
            }
            for (std::size_t j = 0; j < y.size(); ++j) {
                double z = 0;
                for (std::int64_t u = 0; u < inner; ++u)
                    z += h[static_cast<std::size_t>(u)] * W2.at((e * width + static_cast<std::int64_t>(j)) * inner + u);
                y[j] += half(z * at(e) / total);
            }
        }
        for (double& x : y) x = half(x);
        out.push_back(static_cast<int>(std::max_element(y.begin(), y.end()) - y.begin()));
    }
    return out;
}

/// How many digits are read right, and whether plain loops give the same experts and answers.
inline axe::Result<Conclusion, axe::Problem> moe_read_digits(const Ending& end)
{
    const auto labels = moe_data("digits", "labels", {moe_images}, axe::DType::u8);
    if (!labels) return labels.error();
    const auto held_out = moe_data("digits", "held_out", {360}, axe::DType::i32);
    if (!held_out) return held_out.error();
    const axe::Array &Y = *end.outputs.find("Y"), &ids = *end.outputs.find("ids");
    std::int64_t others = 0, same = 0, all = 0, held = 0;
    const std::vector<int> loops = moe_by_loops(end.inputs, ids, others);
    std::vector<int> read;
    for (std::int64_t t = 0; t < moe_images; ++t) {
        int best = 0;
        for (int j = 1; j < moe_classes; ++j)
            if (Y.at(t * moe_pixels + j) > Y.at(t * moe_pixels + best)) best = j;
        read.push_back(best);
        same += best == loops[static_cast<std::size_t>(t)], all += best == labels->at(t);
    }
    std::vector<std::int64_t> tokens(static_cast<std::size_t>(end.inputs.find("Wg")->shape()[0]));
    for (std::int64_t i = 0; i < ids.size(); ++i) ++tokens[static_cast<std::size_t>(ids.at(i))];
    for (std::int64_t i = 0; i < held_out->size(); ++i) {
        const auto row = static_cast<std::int64_t>(held_out->at(i));
        held += read[static_cast<std::size_t>(row)] == labels->at(row);
    }
    Conclusion out;
    char text[160];
    std::snprintf(text, sizeof text,
                  "digits read right: %lld of 360 (%.2f %%) of those held out from training, %lld of 1797 (%.2f %%) of all",
                  static_cast<long long>(held), static_cast<double>(held) / 3.6, static_cast<long long>(all),
                  static_cast<double>(all) / 17.97);
    out.lines.emplace_back(text);
    out.lines.push_back("by plain loops: the same answer for " + std::to_string(same) + " of 1797 digits, other experts for " +
                        std::to_string(others) + " of " + std::to_string(ids.size()) + " slots");
    std::string counts = "tokens of each expert:";
    for (const std::int64_t count : tokens) counts += " " + std::to_string(count);
    out.lines.push_back(counts);
    out.ok = same == moe_images && others == 0 && held * 100 > 360 * 96;
    return out;
}

} // namespace examples

#endif
