// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many items have each number: every block counts its own in shared memory, then adds what it has counted to the bins of all.
#include "../common/bytes.hpp"

#include <cmath>

namespace examples {
namespace {

using namespace axe;
using enum axe::DType;

constexpr std::int64_t histogram_items = 1024; ///< of a block

/// counts[b] += how many of X are b, for b < bins; other numbers count nowhere.
Result<Program, axe::Problem> histogram_program(const Setting& setting)
{
    const std::int64_t n = setting.number("n"), bins = setting.number("bins");
    Kernel k("histogram", setting.machine);
    const auto X = k.input("X", {n}, i32), counts = k.inout("counts", {bins}, i32);
    const auto state = [=](const std::vector<const Array*>& of, std::vector<Estimate>& out) {
        for (std::int64_t b = 0; b < bins; ++b) out[static_cast<std::size_t>(b)].value = of[1]->at(b);
        for (std::int64_t i = 0; i < n; ++i)
            if (const double b = of[0]->at(i); b >= 0 && b < static_cast<double>(bins)) ++out[static_cast<std::size_t>(b)].value;
    };
    k.computes(counts, by_function("histogram", state, {X, counts}, {bins}, i32));
    k.cta(tiles(n, histogram_items), [&](Scope cta, const Tile& t) {
        const auto of_items = [&](const char* name) {
            return cta.alloc(Role::registers, {histogram_items}, i32, LayoutHint::registers, name);
        };
        const auto x = of_items("x"), at = of_items("at"), in = of_items("in"), number = of_items("number");
        const auto own = cta.alloc(Role::shared, {bins}, i32, {}, "own");
        // What is behind the last item is in no bin.
        cta.fill(own, 0).copy(x, X(t)).iota(at, 0, t.rows.begin).fill(number, static_cast<double>(n));
        cta.binary(Function::less, in, at, number).fill(number, -1).select(x, in, x, number).fill(number, 1).sync();
        cta.atomic_rows(Function::add, own.guarded(), x, number).sync();
        const Interval each(0, (bins + 127) / 128 * 128); // bins, and what there is not of them in the last lanes
        const auto mine = cta.alloc(Role::registers, {each.extent}, i32, LayoutHint::registers, "mine");
        cta.copy(mine, own(each)).atomic(Function::add, counts(each), mine);
    });
    return k.program();
}

/// Numbers of which some are more frequent than others, or one number alone.
Result<Bindings, axe::Problem> histogram_inputs(const Setting& setting, const Program& program)
{
    auto in = made_inputs(setting, program);
    if (!in) return in;
    const auto bins = static_cast<double>(setting.number("bins"));
    Array &x = *in->find("X"), &counts = *in->find("counts");
    for (std::int64_t i = 0; i < x.size() && setting.files.path("X").empty(); ++i) {
        const double part = static_cast<double>(i * 193 % 509) / 509; // its square is more often small
        x.set(i, setting.word("data") == "equal" ? bins - 1 : std::floor(part * part * bins));
    }
    for (std::int64_t b = 0; b < counts.size() && setting.files.path("counts").empty(); ++b) counts.set(b, 0);
    return in;
}

/// Items are read once; of atomic additions each block reads and writes all bins.
Result<Conclusion, axe::Problem> histogram_conclusion(const Setting& setting, const Ending& end)
{
    const std::int64_t n = setting.number("n"), blocks = (n + histogram_items - 1) / histogram_items;
    return global_bytes(end.total, n * 4 + blocks * setting.number("bins") * 4, blocks * setting.number("bins") * 4);
}

} // namespace

const Example histogram{"histogram",
                        "how many items have each number, counted in the shared memory of each block",
                        {{"n", "3000", "items", 1 << 24},
                         {"bins", "256", "numbers that are counted", 1 << 12},
                         {"data", "spread", "which numbers items have", 0, {"spread", "equal"}}},
                        {"sm80", "sm90", "sm100"},
                        {1},
                        histogram_program,
                        histogram_inputs,
                        histogram_conclusion};

} // namespace examples
