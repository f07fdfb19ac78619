// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chains of operations, output to input: what a step costs, composed and simplified, when the chain is 10, 20 or 50 operations long.
#include <axe/map/compose.hpp>
#include <axe/map/operations.hpp>
#include <axe/map/simplify.hpp>

#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

/// SplitMix64: the same chains everywhere.
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::int64_t in(std::int64_t low, std::int64_t high)
    {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return low + static_cast<std::int64_t>((z ^ (z >> 31)) % static_cast<std::uint64_t>(high - low + 1));
    }

  private:
    std::uint64_t state_;
};

enum class ChainKind : std::uint8_t {
    layouts, ///< reshape, transpose, reverse: what a layout describes
    slices,  ///< and slices
    all,     ///< and pads with edges, holes and cuts
};

axe::IndexShape random_shape(Random& r, std::int64_t elements)
{
    axe::IndexShape out;
    for (std::int64_t p = 2; elements > 1; ++p) {
        while (elements % p == 0) {
            elements /= p;
            if (out.size() < 3 && (out.empty() || r.in(0, 2) == 0)) out.push_back(1);
            out[static_cast<std::size_t>(r.in(0, static_cast<std::int64_t>(out.size()) - 1))] *= p;
        }
    }
    if (out.empty()) out.push_back(1);
    return out;
}

axe::IndexOperation random_operation(Random& r, const axe::IndexShape& shape, ChainKind kind)
{
    std::int64_t elements = 1;
    for (const std::int64_t n : shape) elements *= n;
    const auto rank = static_cast<std::int64_t>(shape.size());
    const std::int64_t choice = r.in(0, kind == ChainKind::layouts ? 3 : kind == ChainKind::slices ? 4 : 6);
    if (choice == 2) {
        std::vector<std::int64_t> order;
        for (std::int64_t k = 0; k < rank; ++k) order.insert(order.begin() + r.in(0, k), k);
        return axe::op::Transpose{order};
    }
    if (choice == 3) return axe::op::Reverse{{r.in(0, rank - 1)}};
    if (choice == 4 && elements > 2000) {
        axe::op::Slice slice;
        for (const std::int64_t n : shape) {
            slice.starts.push_back(r.in(0, n / 4));
            slice.limits.push_back(n - r.in(0, n / 4));
            slice.strides.push_back(n > 4 && r.in(0, 3) == 0 ? 2 : 1);
        }
        return slice;
    }
    if (choice > 4 && elements < 20'000) {
        axe::op::Pad pad;
        for (const std::int64_t n : shape) pad.padding.push_back({r.in(n > 1 ? -1 : 0, 2), r.in(0, 2), r.in(0, 5) == 0 ? 1 : 0});
        return pad;
    }
    return axe::op::Reshape{random_shape(r, elements)};
}

/// One operation of a chain: from its result to its operand.
struct Step {
    axe::IndexingMap map{};
    std::vector<axe::IndexInterval> indices{}; ///< of its result
};

/// The steps of a chain, the last operation's first.
std::vector<Step> chain(ChainKind kind, int length, std::uint64_t seed)
{
    Random r(seed);
    axe::IndexShape shape = kind == ChainKind::layouts ? axe::IndexShape{16, 32, 16} : axe::IndexShape{24, 20, 18};
    std::vector<Step> steps;
    while (static_cast<int>(steps.size()) < length) {
        const axe::IndexOperation operation = random_operation(r, shape, kind);
        std::vector<axe::IndexShape> operands{shape};
        if (std::holds_alternative<axe::op::Pad>(operation)) operands.push_back({});
        const auto made = axe::maps(operation, operands);
        if (!made) {
            std::fprintf(stderr, "chain: %s\n", made.error().message().c_str());
            std::exit(1);
        }
        shape = made->results[0].shape;
        steps.insert(steps.begin(), Step{made->results[0].from_output[0][0].map, {}});
        for (const std::int64_t n : shape) steps.front().indices.push_back({0, n - 1});
    }
    return steps;
}

constexpr int chains = 16; ///< different ones, one after another

void run(benchmark::State& state, ChainKind kind, int length)
{
    std::vector<std::vector<Step>> all;
    for (std::uint64_t seed = 0; seed < chains; ++seed) all.push_back(chain(kind, length, seed));
    std::int64_t nodes = 0, constraints = 0;
    for (auto _ : state) {
        nodes = constraints = 0;
        for (const auto& steps : all) {
            axe::IndexingMap m = steps[0].map;
            for (std::size_t k = 1; k < steps.size(); ++k) {
                const auto c = axe::compose(m, steps[k].map, steps[k].indices);
                if (!c) {
                    state.SkipWithError(c.error().message().c_str());
                    return;
                }
                m = axe::simplify(*c);
            }
            nodes = std::max<std::int64_t>(nodes, m.pool.size());
            constraints = std::max(constraints, static_cast<std::int64_t>(m.constraints.size()));
            benchmark::DoNotOptimize(m);
        }
    }
    const double steps = static_cast<double>(state.iterations()) * chains * (length - 1);
    state.counters["step"] = benchmark::Counter(steps, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
    state.counters["nodes"] = static_cast<double>(nodes);
    state.counters["constraints"] = static_cast<double>(constraints);
}

[[maybe_unused]] const bool registered = [] {
    const std::pair<const char*, ChainKind> kinds[] = {
        {"layouts", ChainKind::layouts}, {"slices", ChainKind::slices}, {"all", ChainKind::all}};
    for (const auto& [name, kind] : kinds)
        for (const int length : {10, 20, 50})
            benchmark::RegisterBenchmark((std::string("chain/") + name + "/" + std::to_string(length)).c_str(),
                                         [=, kind = kind](benchmark::State& state) { run(state, kind, length); });
    return true;
}();

} // namespace
