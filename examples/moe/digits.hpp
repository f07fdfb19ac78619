// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_EXAMPLES_MOE_DIGITS_HPP
#define AXE_EXAMPLES_MOE_DIGITS_HPP

#include "loops.hpp"

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

/// The sizes of the layer that was trained: with data=digits no others may be set.
inline axe::Result<void, axe::Problem> moe_settle(Setting& setting, const std::vector<std::pair<std::string, std::string>>& given)
{
    if (setting.word("data") != "digits") return {};
    for (const auto& [name, value] :
         {std::pair{"T", "1797"}, {"hidden", "64"}, {"inner", "32"}, {"E", "8"}, {"top", "2"}, {"routing", "spread"}}) {
        for (const auto& [key, other] : given)
            if (key == name && other != value)
                return {axe::errc::bad_argument, std::string("moe: with data=digits ") + name + " is " + value + ", not " + other};
        setting.values[name] = value;
    }
    return {};
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

/// How many digits are read right, and whether plain loops give the same experts and answers.
inline axe::Result<Conclusion, axe::Problem> moe_read_digits(const Ending& end)
{
    const auto labels = moe_data("digits", "labels", {moe_images}, axe::DType::u8);
    if (!labels) return labels.error();
    const auto held_out = moe_data("digits", "held_out", {360}, axe::DType::i32);
    if (!held_out) return held_out.error();
    const axe::Array &Y = *end.outputs.find("Y"), &ids = *end.outputs.find("ids");
    std::int64_t others = 0, same = 0, all = 0, held = 0;
    std::vector<int> read;
    for (std::int64_t t = 0; t < moe_images; ++t) {
        const MoeToken loops = moe_by_loops(end.inputs, t, ids.shape()[0], moe_classes);
        for (std::size_t slot = 0; slot < loops.experts.size(); ++slot)
            others += static_cast<std::int64_t>(ids.at(static_cast<std::int64_t>(slot) * moe_images + t)) != loops.experts[slot];
        int best = 0; // the class; the first of equals
        for (int j = 1; j < moe_classes; ++j)
            if (Y.at(t * moe_pixels + j) > Y.at(t * moe_pixels + best)) best = j;
        read.push_back(best);
        same += best == std::max_element(loops.y.begin(), loops.y.end()) - loops.y.begin(), all += best == labels->at(t);
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
