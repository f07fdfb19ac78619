// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The main job: a network reads handwritten digits, its hidden units distributed to several devices.
#include "../common/example.hpp"

#include <cmath>

namespace examples {
namespace {

using namespace axe;
using enum axe::DType;

constexpr std::int64_t images = 1797, pixels = 64, hidden = 128, classes = 10;
constexpr std::int64_t batch = 256; ///< rows of a step; 1797 is not a multiple of it
constexpr std::int64_t batches = (images + batch - 1) / batch, padded = batches * batch;

/// logits = relu(x·W1 + b1)·W2 + b2. Device d has columns [d·per, (d+1)·per) of W1 and those rows of W2, so what it computes are terms
/// of every logit. A step's terms are added while the next step is multiplied; each device keeps its share of the step's rows.
Result<Program, axe::Problem> digits_program(const Setting& setting)
{
    const std::int64_t devices = setting.devices, per = hidden / devices, share = batch / devices;
    const Iter device{devices, 1, "gpuid"};
    const Layout by_columns{{{pixels, per}, device, {per, 1}}, {}, {}}, by_rows{{device, {per * classes, 1}}, {}, {}};
    const Layout by_steps{{{batches, share * classes}, device, {share * classes, 1}}, {}, {}};
    const Layout by_terms{{{2, batch * classes}, device, {batch * classes, 1}}, {}, {}};

    Kernel k("digits", setting.machine);
    const auto x = k.input("x", {images, pixels}, f16, Layout{{{images * pixels, 1}}, {device}, {}});
    const auto w1 = k.input("w1", {pixels, hidden}, f16, by_columns);
    const auto b1 = k.input("b1", {hidden}, f32, Layout{{device, {per, 1}}, {}, {}});
    const auto w2 = k.input("w2", {hidden, classes}, f16, by_rows);
    const auto b2 = k.input("b2", {classes}, f32, Layout{{{classes, 1}}, {device}, {}});
    const auto logits = k.output("logits", {padded, classes}, f32, by_steps);
    // The batches have more rows than there are images: those are of zeros. The hidden layer is kept in f16.
    const Formula rows = concat({x, cast(broadcast(0, {padded - images, pixels}), f16)}, 0);
    k.computes(logits, matmul(cast(relu(matmul(rows, w1) + b1), f16), w2) + b2);
    const auto sums = k.alloc(Role::global, {padded, classes}, f32, by_steps, "sums");
    const auto terms = k.alloc(Role::global, {2, devices, batch, classes}, f32, by_terms, "terms");

    const Interval mine(k.device() * per, per);
    const auto step = [&](const Affine& first, int half) {
        k.cta(tiles(batch, 64), [&](Scope cta, const Tile& t) {
            const auto xs = cta.alloc(Role::shared, {64, pixels}, f16, conflict_free, "xs");
            const auto w1s = cta.alloc(Role::shared, {pixels, per}, f16, conflict_free, "w1s");
            const auto w2s = cta.alloc(Role::shared, {per, 16}, f16, conflict_free, "w2s");
            const auto h = cta.alloc(Role::shared, {64, per}, f16, conflict_free, "h");
            const auto acc = cta.alloc(Role::accumulator, {64, per}, f32, accumulator, "acc");
            const auto y = cta.alloc(Role::accumulator, {64, 16}, f32, accumulator, "y");
            cta.copy_async(xs, x(Interval(first + t.rows.begin, 64), all));
            cta.copy_async(w1s, w1(all, mine));
            cta.commit();
            cta.copy(w2s, w2(mine, Interval(0, 16))); // 10 columns and 6 of zeros
            cta.wait(0);
            cta.sync();
            cta.fill(acc, 0);
            cta.gemm(acc, xs, w1s);
            cta.binary(Function::add, acc, acc, b1(mine).repeated(0, 64));
            cta.unary(Function::relu, acc, acc);
            cta.copy(h, acc);
            cta.sync();
            cta.fill(y, 0);
            cta.gemm(y, h, w2s);
            cta.copy(terms(half, k.device(), t.rows, Interval(0, 16)), y);
        });
        k.wait(0); // for the sums of the step before, whose terms the next step writes over
        k.sync();
        k.sum(sums(Interval(first, batch), all), terms(half, all, all, all), 0, {.async = true});
        k.commit();
    };
    k.loop(0, batches / 2, 1, [&](const Affine& pair) {
        for (const int half : {0, 1}) step(pair * (2 * batch) + half * batch, half);
    });
    k.wait(0);
    k.cta(tiles(padded / devices, share), [&](Scope cta, const Tile& t) {
        const Interval own(t.index[0] * batch + k.device() * share, share);
        const auto y = cta.alloc(Role::registers, {share, classes}, f32, LayoutHint::registers, "y");
        cta.copy(y, sums(own, all));
        cta.binary(Function::add, y, y, b2(all).repeated(0, share));
        cta.copy(logits(own, all), y);
    });
    return k.program();
}

/// A file of the example's data: the caller's, or the one that comes with it.
Result<Array, axe::Problem> data(const Setting& setting, const char* name, const Shape& shape, DType type)
{
    if (!setting.files.path(name).empty()) return setting.files.read(name, shape, type);
    Files own;
    const std::string folder = data_folder("digits");
    if (folder.empty())
        return Problem(errc::bad_argument, "digits: the images and weights are not installed; install the component axe_examples, "
                                           "or give their folder with --input");
    if (const auto problem = own.add(folder); !problem.ok()) return problem;
    return own.read(name, shape, type);
}

Result<Bindings, axe::Problem> inputs(const Setting& setting, const Program&)
{
    for (const std::string& name : setting.files.names())
        if (name != "digits" && name != "labels" && name != "held_out" && name != "w1" && name != "b1" && name != "w2" &&
            name != "b2")
            return Problem(errc::bad_argument,
                           setting.files.path(name) + ": digits takes digits, labels, held_out, w1, b1, w2 and b2, and no " + name);
    Bindings out;
    auto images_read = data(setting, "digits", {images, pixels}, u8);
    if (!images_read) return images_read.error();
    auto x = Array::make({images, pixels}, f16);
    if (!x) return x.error();
    for (std::int64_t i = 0; i < images * pixels; ++i) x->set(i, images_read->at(i) / 16); // exact
    out.set("x", std::move(*x));
    const auto give = [&](const char* name, const Shape& shape, DType type) -> axe::Result<void, axe::Problem> {
        auto read = data(setting, name, shape, type);
        if (read) out.set(name, std::move(*read));
        return read.error();
    };
    if (const auto p = give("w1", {pixels, hidden}, f16); !p.ok()) return p;
    if (const auto p = give("b1", {hidden}, f32); !p.ok()) return p;
    if (const auto p = give("w2", {hidden, classes}, f16); !p.ok()) return p;
    if (const auto p = give("b2", {classes}, f32); !p.ok()) return p;
    return out;
}

/// The class of each row: its largest logit, the first of equals.
template <class Logit>
std::vector<int> answers(Logit logit)
{
    std::vector<int> out;
    for (std::int64_t i = 0; i < images; ++i) {
        int best = 0;
        for (int j = 1; j < classes; ++j)
            if (logit(i, j) > logit(i, best)) best = j;
        out.push_back(best);
    }
    return out;
}

/// The network by plain loops in f64, on one machine and without a tile. The hidden layer is f16, as in the kernel.
std::vector<int> naive_answers(const Bindings& in)
{
    const auto decoded = [&](const char* name) {
        const Array& a = *in.find(name);
        std::vector<double> out(static_cast<std::size_t>(a.size()));
        for (std::int64_t i = 0; i < a.size(); ++i) out[static_cast<std::size_t>(i)] = a.at(i);
        return out;
    };
    const auto x = decoded("x"), w1 = decoded("w1"), b1 = decoded("b1"), w2 = decoded("w2"), b2 = decoded("b2");
    std::vector<double> y(static_cast<std::size_t>(images * classes));
    const auto at = [](std::int64_t row, std::int64_t column, std::int64_t columns) {
        return static_cast<std::size_t>(row * columns + column);
    };
    for (std::int64_t i = 0; i < images; ++i) {
        for (std::int64_t j = 0; j < classes; ++j) y[at(i, j, classes)] = b2[static_cast<std::size_t>(j)];
        for (std::int64_t u = 0; u < hidden; ++u) {
            double sum = b1[static_cast<std::size_t>(u)];
            for (std::int64_t p = 0; p < pixels; ++p) sum += x[at(i, p, pixels)] * w1[at(p, u, hidden)];
            const double h = decode(f16, encode(f16, sum > 0 ? sum : 0));
            for (std::int64_t j = 0; j < classes; ++j) y[at(i, j, classes)] += h * w2[at(u, j, classes)];
        }
    }
    return answers([&](std::int64_t i, int j) { return y[at(i, j, classes)]; });
}

std::string percent(std::int64_t part, std::int64_t whole)
{
    char text[64];
    std::snprintf(text, sizeof text, "%lld of %lld (%.2f %%)", static_cast<long long>(part), static_cast<long long>(whole),
                  100.0 * static_cast<double>(part) / static_cast<double>(whole));
    return text;
}

Result<Conclusion, axe::Problem> digits_conclusion(const Setting& setting, const Ending& end)
{
    const auto labels = data(setting, "labels", {images}, u8);
    if (!labels) return labels.error();
    const auto held_out = data(setting, "held_out", {360}, i32);
    if (!held_out) return held_out.error();
    const Array& logits = *end.outputs.find("logits");
    const auto read = answers([&](std::int64_t i, int j) { return logits.at(i * classes + j); });
    const auto naive = naive_answers(end.inputs);
    const auto right = [&](const std::vector<int>& answer, std::int64_t i) {
        return answer[static_cast<std::size_t>(i)] == labels->at(i);
    };

    std::int64_t all_right = 0, held_right = 0, naive_held_right = 0, same = 0;
    for (std::int64_t i = 0; i < images; ++i)
        all_right += right(read, i), same += read[static_cast<std::size_t>(i)] == naive[static_cast<std::size_t>(i)];
    for (std::int64_t k = 0; k < held_out->size(); ++k) {
        const auto i = static_cast<std::int64_t>(held_out->at(k));
        if (i < 0 || i >= images)
            return Problem(errc::out_of_domain,
                           "held_out names row " + std::to_string(i) + "; the rows are 0 to " + std::to_string(images - 1));
        held_right += right(read, i), naive_held_right += right(naive, i);
    }
    Conclusion out;
    out.lines.push_back("digits read right: " + percent(held_right, held_out->size()) + " of those held out from training, " +
                        percent(all_right, images) + " of all");
    out.lines.push_back(same == images ? "the same answer as by plain loops for every row"
                                       : "another answer than by plain loops for " + std::to_string(images - same) + " rows");
    out.ok = same == images && held_right == naive_held_right && held_right * 100 > held_out->size() * 96;
    if (held_right * 100 <= held_out->size() * 96) out.lines.push_back("too few: more than 96 % of those held out should be right");
    return out;
}

} // namespace

const Example digits{"digits",     "a network reads 1,797 handwritten digits, its hidden units distributed to several devices",
                     {},           {"sm80", "sm90"},
                     {4, 1, 2, 8}, digits_program,
                     inputs,       digits_conclusion};

} // namespace examples
