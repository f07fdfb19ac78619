// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The columns of the k largest numbers of a part of each row, in any order: bins of 11 bits are counted, what is above the bin of the k-th is taken,
// and the bin itself is ranked, or divided by further bits where it is too large for that.
#include "../common/bytes.hpp"
#include "selector.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <set>

namespace examples {
namespace {

using namespace axe;
using enum axe::DType;
using namespace selection;

SelectorSizes selector_sizes(const Setting& setting)
{
    return {setting.number("b"), setting.number("S"), setting.number("k"), setting.number("list"),
            setting.word("version") == "upstream"};
}

/// Larger numbers have larger keys, as signed integers; −0 is less than +0, and all NaN are the largest.
std::int32_t selector_key(double x)
{
    if (x != x) return 0x7fffffff;
    const auto bits = std::bit_cast<std::int32_t>(static_cast<float>(x));
    return bits ^ ((bits >> 31) & 0x7fffffff);
}

/// Of a part of a row that is not longer than k: its columns, then −1; so many places at a time.
void take_all(Scope cta, const SelectorSizes& z, const ViewRef& ids, const Affine& start, const Affine& end)
{
    const std::int64_t wide = std::min(selector_most, (z.k + selector_lanes - 1) / selector_lanes * selector_lanes);
    const Layout spread{{{wide / selector_lanes, 1, "reg"}, {selector_lanes / 32, 1, "warp"}, {32, 1, "lane"}}, {}, {}};
    const Layout same{{{1, 1, "reg"}}, {{selector_lanes / 32, 1, "warp"}, {32, 1, "lane"}}, {}};
    const auto registers = [&](const char* name) { return cta.alloc(Role::registers, {wide}, i32, spread, name); };
    const auto column = registers("column"), is = registers("is"), none = registers("none");
    const auto behind = cta.alloc(Role::registers, {1}, i32, same, "behind");
    const auto take = [&](const Affine& first) {
        cta.iota(column, 0, start + first).iota(behind, 0, end).fill(none, -1);
        cta.binary(Function::less, is, column, behind(0).repeated(0, wide)).select(column, is, column, none);
        cta.copy(ids(Interval(first, wide)).guarded(), column);
    };
    if (z.k <= wide)
        take(0);
    else
        cta.loop(0, z.k, wide, take);
}

/// The row that an id is of has it in its part; which of equal numbers are taken, and in which order, is left to the run.
void selector_state(Kernel& k, const SelectorSizes& z, const TensorRef& x, const TensorRef& starts, const TensorRef& ends,
                    const TensorRef& ids)
{
    const auto state = [=](const std::vector<const Array*>& of, std::vector<Estimate>& out) {
        for (std::int64_t r = 0; r < z.b; ++r)
            for (std::int64_t i = 0; i < z.k; ++i) {
                const double start = of[1]->at(r), end = of[2]->at(r);
                Estimate& e = out[static_cast<std::size_t>(r * z.k + i)];
                if (end - start > static_cast<double>(z.k))
                    e = {(start + end - 1) / 2, (end - 1 - start) / 2, 0};
                else
                    e.value = static_cast<double>(i) < end - start ? start + static_cast<double>(i) : -1;
            }
    };
    k.computes(ids, by_function("selected", state, {x, starts, ends}, {z.b, z.k}, i32));
}

Result<Program, axe::Problem> selector_program(const Setting& setting)
{
    const SelectorSizes z = selector_sizes(setting);
    if (z.k > z.S)
        return Problem(errc::bad_argument,
                       "topk_selector: k is " + std::to_string(z.k) + "; a row has " + std::to_string(z.S) + " columns");
    Kernel k("topk_selector", setting.machine);
    const auto x = k.input("x", {z.b, z.S}, f32), starts = k.input("starts", {z.b}, i32), ends = k.input("ends", {z.b}, i32);
    const auto ids = k.output("ids", {z.b, z.k}, i32);
    selector_state(k, z, x, starts, ends, ids);
    k.cta(tiles(z.b, 1), [&](Scope cta, const Tile& t) {
        const Affine row = t.index[0];
        const Affine start = cta.index(load(starts(row)), 0, z.S + 1, "start"), end = cta.index(load(ends(row)), 0, z.S + 1, "end");
        cta.when(
            Expression(end - start) <= static_cast<double>(z.k), [&] { take_all(cta, z, ids(row, all), start, end); },
            [&] { Selector(cta, z, x(row, all), ids(row, all), start, end).run(); });
    });
    return k.program();
}

/// Numbers between −2 and 2 among which are infinities; all 1; or one 100 and else 1. Rows are whole, or begin and end within.
Result<Bindings, axe::Problem> selector_inputs(const Setting& setting, const Program& program)
{
    const SelectorSizes z = selector_sizes(setting);
    auto in = made_inputs(setting, program);
    if (!in) return in;
    const std::string& data = setting.word("data");
    Array &x = *in->find("x"), &starts = *in->find("starts"), &ends = *in->find("ends");
    const double inf = std::numeric_limits<double>::infinity();
    for (std::int64_t i = 0; i < x.size() && setting.files.path("x").empty(); ++i)
        if (data != "spread")
            x.set(i, data == "peak" && i % z.S == z.S / 3 ? 100 : 1);
        else
            x.set(i, i % 61 == 7 ? inf : i % 61 == 9 ? -inf : x.at(i) + static_cast<double>(i * 37 % 101) / 4096);
    const bool parts = setting.word("rows") == "parts";
    for (std::int64_t r = 0; r < z.b; ++r) {
        if (setting.files.path("starts").empty()) starts.set(r, static_cast<double>(parts ? r * 5 % z.S : 0));
        if (setting.files.path("ends").empty())
            ends.set(r, static_cast<double>(parts ? z.S - r * r * 7 % (z.S - r * 5 % z.S) : z.S));
        if (starts.at(r) < 0 || ends.at(r) < starts.at(r) || ends.at(r) > static_cast<double>(z.S))
            return Problem(errc::out_of_domain, "topk_selector: row " + std::to_string(r) + " is from " +
                                                    std::to_string(starts.at(r)) + " to " + std::to_string(ends.at(r)) +
                                                    ", not a part of " + std::to_string(z.S) + " columns");
    }
    return in;
}

/// The ids of a row are different, and their keys the largest of its part.
Result<Conclusion, axe::Problem> selector_conclusion(const Setting& setting, const Ending& end)
{
    const SelectorSizes z = selector_sizes(setting);
    const Array &x = *end.inputs.find("x"), &starts = *end.inputs.find("starts"), &ends = *end.inputs.find("ends"),
                &ids = *end.outputs.find("ids");
    Conclusion out;
    std::int64_t twice = 0, wrong = 0;
    for (std::int64_t r = 0; r < z.b; ++r) {
        std::vector<std::int32_t> wanted, found;
        for (auto j = static_cast<std::int64_t>(starts.at(r)); j < static_cast<std::int64_t>(ends.at(r)); ++j)
            wanted.push_back(selector_key(x.at(r * z.S + j)));
        std::sort(wanted.rbegin(), wanted.rend());
        wanted.resize(std::min(wanted.size(), static_cast<std::size_t>(z.k)));
        std::set<std::int64_t> different;
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            const auto id = static_cast<std::int64_t>(ids.at(r * z.k + static_cast<std::int64_t>(i)));
            found.push_back(id < 0 || id >= z.S ? 0 : selector_key(x.at(r * z.S + id)));
            if (!different.insert(id).second) ++twice;
        }
        std::sort(found.rbegin(), found.rend());
        wrong += found == wanted ? 0 : 1;
    }
    out.ok = twice == 0 && wrong == 0;
    out.lines.push_back("rows: " + std::to_string(z.b) + "; ids that a row has twice: " + std::to_string(twice) +
                        "; rows whose ids are not of the largest numbers: " + std::to_string(wrong));
    return out;
}

} // namespace

const Example topk_selector{"topk_selector",
                            "the columns of the k largest numbers of a part of each row, in any order",
                            {{"b", "3", "rows", 1 << 12},
                             {"S", "1000", "columns", 1 << 16},
                             {"k", "20", "how many of each row", 1 << 14},
                             {"list", "256", "how many of a bin are ranked", 1 << 11},
                             {"data", "spread", "what rows have", 0, {"spread", "equal", "peak"}},
                             {"rows", "whole", "which part of a row", 0, {"whole", "parts"}},
                             {"version", "mended", "what the first step does where it does not end", 0, {"mended", "upstream"}}},
                            {"sm80", "sm90", "sm100"},
                            {1},
                            selector_program,
                            selector_inputs,
                            selector_conclusion};

} // namespace examples
