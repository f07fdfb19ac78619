// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_EXAMPLES_TOPK_SELECTOR_SELECTOR_HPP
#define AXE_EXAMPLES_TOPK_SELECTOR_SELECTOR_HPP

#include <axe/kernels.hpp>

/// What a block does to select the largest numbers of a row.
namespace examples::selection {

using namespace axe;
using enum axe::DType;

constexpr std::int64_t selector_lanes = 128, selector_items = 512, selector_bins = 2048,
                       selector_most = 2048; ///< places that are given out at a time where all of a row are

struct SelectorSizes {
    std::int64_t b, S, k, list; ///< rows, columns, how many of a row, how many of a bin are ranked
    bool upstream;              ///< as TLE has it: the first step gives out what is above its bin even where it does not end
};

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

} // namespace examples::selection

#endif
