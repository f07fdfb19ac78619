// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The columns of the k largest numbers of a part of each row, in any order: bins of 11 bits are counted, what is above the bin of the k-th is taken,
// and the bin itself is ranked, or divided by further bits where it is too large for that.
#include "../common/bytes.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <set>

namespace examples {
namespace {

using namespace axe;
using enum axe::DType;

constexpr std::int64_t selector_lanes = 128, selector_items = 512, selector_bins = 2048;

struct SelectorSizes {
    std::int64_t b, S, k, list; ///< rows, columns, how many of a row, how many of a bin are ranked
    bool upstream;              ///< as TLE has it: the first step gives out what is above its bin even where it does not end
};

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

/// What the block of a row does.
class Selector {
  public:
    Selector(Scope cta, const SelectorSizes& z, const ViewRef& x, const ViewRef& ids, const Affine& start, const Affine& end)
        : cta_(cta),
          z_(z),
          x_of_(x),
          ids_(ids),
          start_(start),
          end_(end),
          left_(cta.scalar("left")),
          bin_(cta.scalar("bin")),
          size_(cta.scalar("size")),
          prefix_(cta.scalar("prefix")),
          step_(cta.scalar("step")),
          counts_(shared(selector_bins, "counts")),
          found_bin_(shared(1, "found_bin")),
          found_above_(shared(1, "found_above")),
          found_size_(shared(1, "found_size")),
          given_(shared(1, "given")),
          listed_(shared(1, "listed")),
          list_keys_(shared(z.list, "list_keys")),
          list_columns_(shared(z.list, "list_columns")),
          x_(of_items(f32, "x")),
          key_(of_items(i32, "key")),
          column_(of_items(i32, "column")),
          a_(of_items(i32, "a")),
          c_(of_items(i32, "c")),
          at_(of_items(i32, "at"))
    {
    }

    void run()
    {
        cta_.fill(given_, 0).fill(listed_, 0).fill(list_keys_, 0).fill(list_columns_, 0);
        cta_.assign(left_, static_cast<double>(z_.k)).assign(prefix_, 0).assign(step_, 1);
        count(true);
        find();
        cta_.when(
            Expression(size_) <= static_cast<double>(z_.list), [&] { finish(true); },
            [&] {
                if (z_.upstream) pass(true);
                cta_.loop_while(Expression(step_) <= 3, [&] { by_keys(); });
            });
    }

  private:
    /// The upper 11 bits of the number as f16 have told nothing: 11, 11 and 10 bits of the key, of those that have the bits before.
    void by_keys()
    {
        count(false);
        find();
        cta_.when(
            Expression(size_) <= static_cast<double>(z_.list),
            [&] {
                finish(false);
                cta_.assign(step_, 3);
            },
            [&] {
                pass(false);
                cta_.when(
                    equals(step_, 3), [&] { take_equal(); },
                    [&] { cta_.assign(prefix_, Expression(prefix_) * static_cast<double>(selector_bins) + bin_); });
            });
        cta_.assign(step_, Expression(step_) + 1);
    }
    /// What is above the bin is given out; the bin is left to the next step, or ranked.
    void pass(bool halves)
    {
        take_above(halves, false);
        cta_.assign(left_, Expression(left_) - load(found_above_(0)));
    }
    void finish(bool halves)
    {
        take_above(halves, true);
        cta_.assign(left_, Expression(left_) - load(found_above_(0)));
        rank();
    }

    [[nodiscard]] TensorRef shared(std::int64_t n, const char* name) { return cta_.alloc(Role::shared, {n}, i32, {}, name); }
    [[nodiscard]] TensorRef registers(std::int64_t n, DType type, const char* name)
    {
        const Layout spread{{{n / selector_lanes, 1, "reg"}, {selector_lanes / 32, 1, "warp"}, {32, 1, "lane"}}, {}, {}};
        const Layout same{{{1, 1, "reg"}}, {{selector_lanes / 32, 1, "warp"}, {32, 1, "lane"}}, {}};
        return cta_.alloc(Role::registers, {n}, type, n == 1 ? same : spread, name);
    }
    [[nodiscard]] TensorRef of_items(DType type, const char* name) { return registers(selector_items, type, name); }
    /// A number that all lanes have, as many times as there are items.
    [[nodiscard]] ViewRef constant(double number, std::int64_t times = selector_items)
    {
        const auto out = registers(1, i32, "constant");
        cta_.fill(out, number);
        return out(0).repeated(0, times);
    }
    [[nodiscard]] ViewRef constant(const Affine& number, std::int64_t times = selector_items)
    {
        const auto out = registers(1, i32, "number");
        cta_.iota(out, 0, number);
        return out(0).repeated(0, times);
    }
    [[nodiscard]] ViewRef constant(const ScalarRef& number, std::int64_t most, std::int64_t times = selector_items)
    {
        return constant(cta_.index(number, 0, most, "n"), times);
    }
    void both(const ViewRef& d, const ViewRef& a, const ViewRef& b) { cta_.binary(Function::bit_and, d, a, b); }

    /// Items from `start` on, each with its column, its key and, in `a`, its bin; −1 of what is behind the end or has other bits before.
    void for_items(bool halves, const std::function<void()>& body)
    {
        const Expression chunks = floor_div(Expression(end_ - start_ + (selector_items - 1)), static_cast<double>(selector_items));
        const Affine count = cta_.index(chunks, 0, (z_.S + selector_items - 1) / selector_items + 1, "chunks");
        cta_.loop(0, count, 1, [&](const Affine& i) {
            const Affine first = start_ + i * selector_items;
            const ViewRef sign = constant(31.0), rest = constant(2147483647.0);
            cta_.copy(x_, x_of_(Interval(first, selector_items)).guarded()).iota(column_, 0, first);
            cta_.unary(Function::bit_cast, key_, x_).binary(Function::shift_right, a_, key_, sign);
            both(c_, a_, rest);
            if (halves) {
                bins_of_halves();
                cta_.binary(Function::bit_xor, key_, key_, c_);
            } else {
                cta_.binary(Function::bit_xor, key_, key_, c_).binary(Function::equal, c_, x_, x_).select(key_, c_, key_, rest);
                bins_of_keys(rest);
            }
            cta_.binary(Function::equal, c_, x_, x_).select(key_, c_, key_, rest);
            cta_.binary(Function::less, c_, column_, constant(end_)).select(a_, c_, a_, constant(-1.0));
            body();
        });
    }
    /// The sign of x is in a, all bits of it. f16(x)·2^−112 has the bits of the f16 from bit 13 on, but for ∞.   a = 2047 − the upper 11 bits
    void bins_of_halves()
    {
        const auto half = of_items(f16, "half");
        const auto wide = of_items(f32, "wide"), factor = of_items(f32, "factor");
        const auto bits = of_items(i32, "bits");
        cta_.copy(half, x_).copy(wide, half).fill(factor, 0x1p-112).binary(Function::mul, wide, wide, factor);
        cta_.unary(Function::bit_cast, bits, wide);
        both(bits, bits, constant(2147483647.0));
        cta_.binary(Function::shift_right, bits, bits, constant(13.0)).binary(Function::min, bits, bits, constant(31744.0));
        cta_.binary(Function::bit_or, bits, bits, constant(32768.0)).binary(Function::bit_xor, bits, bits, a_);
        cta_.binary(Function::bit_xor, bits, bits, constant(65535.0));
        both(bits, bits, constant(65535.0));
        cta_.binary(Function::shift_right, bits, bits, constant(5.0));
        cta_.binary(Function::equal, a_, x_, x_).select(a_, a_, bits, constant(0.0)); // NaN is the largest
    }
    /// The bits of the key from the top, those of larger keys being less, where those before are `prefix`.
    void bins_of_keys(const ViewRef& rest)
    {
        const Expression step = step_;
        const auto value = [&](const Expression& number, std::int64_t most) {
            return constant(cta_.index(number, 0, most + 1, "bits"));
        };
        const Expression known = select(equals(step, 1), 0, select(equals(step, 2), 2047, 4194303));
        cta_.binary(Function::bit_xor, a_, key_, rest);
        cta_.binary(Function::shift_right, c_, a_, value(Expression(43) - step * 11, 32));
        both(c_, c_, value(known, 4194303));
        cta_.binary(Function::equal, c_, c_, constant(prefix_, std::int64_t{1} << 22));
        cta_.binary(Function::shift_right, a_, a_, value(max(Expression(32) - step * 11, 0), 21));
        both(a_, a_, value(select(equals(step, 3), 1023, 2047), 2047));
        cta_.select(a_, c_, a_, constant(-1.0));
    }

    void count(bool halves)
    {
        cta_.fill(counts_, 0).sync();
        for_items(halves, [&] { cta_.copy(c_, constant(1.0)).atomic_rows(Function::add, counts_.guarded(), a_, c_); });
        cta_.sync();
    }
    /// The bin that has the last of those that are left: how many are in bins before it, and how many in it.
    void find()
    {
        const auto of_bins = [&](const char* name) { return registers(selector_bins, i32, name); };
        const auto size = of_bins("size"), above = of_bins("above"), end = of_bins("end"), is = of_bins("is");
        const ViewRef left = constant(left_, z_.k + 1, selector_bins);
        cta_.copy(size, counts_).scan(Function::add, above, size, 0, true).binary(Function::add, end, above, size);
        cta_.binary(Function::less, is, above, left).binary(Function::less_equal, end, left, end);
        both(is, is, end);
        cta_.fill(end, -1).select(is, is, constant(0.0, selector_bins), end).iota(end, 0);
        cta_.scatter(found_bin_.guarded(), is, end).scatter(found_above_.guarded(), is, above);
        cta_.scatter(found_size_.guarded(), is, size).sync();
        cta_.assign(bin_, load(found_bin_(0))).assign(size_, load(found_size_(0)));
    }

    /// What is in bins before the one that was found is given out; what is in it is listed.
    void take_above(bool halves, bool lists)
    {
        for_items(halves, [&] {
            const auto is = of_items(i32, "is"), in = of_items(i32, "in");
            const ViewRef bin = constant(bin_, selector_bins);
            cta_.binary(Function::less, is, a_, bin).binary(Function::less_equal, in, constant(0.0), a_);
            both(is, is, in);
            give(is);
            if (!lists) return;
            cta_.binary(Function::equal, is, a_, bin).copy(c_, constant(-1.0)).select(at_, is, constant(0.0), c_).fill(c_, 1);
            cta_.atomic_rows(Function::add, listed_.guarded(), at_, c_, in).select(in, is, in, constant(-1.0));
            cta_.scatter(list_keys_.guarded(), in, key_).scatter(list_columns_.guarded(), in, column_);
        });
        if (lists) cta_.sync();
    }
    /// The next places are those of these columns; what is behind the last place has none.
    void give(const ViewRef& is)
    {
        cta_.copy(c_, constant(-1.0)).select(at_, is, constant(0.0), c_).fill(c_, 1);
        cta_.atomic_rows(Function::add, given_.guarded(), at_, c_, at_).select(at_, is, at_, constant(-1.0));
        cta_.scatter(ids_.guarded(), at_, column_);
    }
    void take_equal()
    {
        cta_.sync(); // larger ones have their places
        for_items(false, [&] {
            const auto is = of_items(i32, "is");
            cta_.binary(Function::equal, is, a_, constant(bin_, selector_bins));
            give(is);
        });
    }

    /// Those of the list that fewer than `left` of it are before: larger, or equal and listed before.
    void rank()
    {
        const std::int64_t wide = (z_.list + selector_lanes - 1) / selector_lanes * selector_lanes;
        const auto of_list = [&](const char* name) { return registers(wide, i32, name); };
        const auto own = of_list("own"), mine = of_list("mine"), place = of_list("place"), c = of_list("before"),
                   d = of_list("same");
        const ViewRef left = constant(left_, z_.k + 1, wide);
        const Affine size = cta_.index(size_, 0, z_.list + 1, "size");
        const Interval whole(0, wide);
        cta_.copy(own, list_keys_(whole)).iota(mine, 0).fill(place, 0);
        cta_.loop(0, size, 1, [&](const Affine& j) {
            const ViewRef there = list_keys_(j).repeated(0, wide);
            cta_.binary(Function::less, c, own, there).binary(Function::equal, d, own, there);
            cta_.binary(Function::add, place, place, c).binary(Function::less, c, constant(j, wide), mine);
            both(c, c, d);
            cta_.binary(Function::add, place, place, c);
        });
        cta_.binary(Function::less, c, place, left).binary(Function::less, d, mine, constant(size, wide));
        both(c, c, d);
        cta_.binary(Function::add, place, place, constant(static_cast<double>(z_.k), wide))
            .binary(Function::sub, place, place, left);
        cta_.fill(d, -1).select(place, c, place, d).copy(own, list_columns_(whole));
        cta_.scatter(ids_.guarded(), place, own);
    }

    Scope cta_;
    const SelectorSizes& z_;
    ViewRef x_of_, ids_;
    Affine start_, end_;
    ScalarRef left_, bin_, size_, prefix_, step_;
    TensorRef counts_, found_bin_, found_above_, found_size_, given_, listed_, list_keys_, list_columns_;
    TensorRef x_, key_, column_, a_, c_, at_; ///< of each item; a: its bin
};

/// Of a part of a row that is not longer than k: its columns, then −1.
void take_all(Scope cta, const SelectorSizes& z, const ViewRef& ids, const Affine& start, const Affine& end)
{
    const std::int64_t wide = (z.k + selector_lanes - 1) / selector_lanes * selector_lanes;
    const Layout spread{{{wide / selector_lanes, 1, "reg"}, {selector_lanes / 32, 1, "warp"}, {32, 1, "lane"}}, {}, {}};
    const Layout same{{{1, 1, "reg"}}, {{selector_lanes / 32, 1, "warp"}, {32, 1, "lane"}}, {}};
    const auto registers = [&](const char* name) { return cta.alloc(Role::registers, {wide}, i32, spread, name); };
    const auto column = registers("column"), is = registers("is"), none = registers("none");
    const auto behind = cta.alloc(Role::registers, {1}, i32, same, "behind");
    cta.iota(column, 0, start).iota(behind, 0, end).fill(none, -1);
    cta.binary(Function::less, is, column, behind(0).repeated(0, wide)).select(column, is, column, none);
    cta.copy(ids(Interval(0, wide)).guarded(), column);
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
                             {"k", "20", "how many of each row", 1 << 11},
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
