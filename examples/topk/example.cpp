// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The K largest numbers of each row and their columns: the K-th is found four bits at a time, then what is not less is sorted.
#include "../common/bytes.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

namespace examples {
namespace {

using namespace axe;
using enum axe::DType;

constexpr std::int64_t topk_lowest = -2147483648; // of i32: the key of columns that there are not, and the sign bit

/// Larger numbers have larger keys, as signed integers; −0 is less than +0, and all NaN are the largest.
std::int32_t topk_key(float x)
{
    if (x != x) return 0x7fffffff;
    const auto bits = std::bit_cast<std::int32_t>(x);
    return bits ^ ((bits >> 31) & 0x7fffffff);
}

/// What the kernel is held against: a sort by keys, of equal ones the earlier column first.
std::vector<std::int64_t> topk_columns(const Array& x, std::int64_t row, std::int64_t N, std::int64_t K)
{
    std::vector<std::int64_t> out(static_cast<std::size_t>(N));
    std::iota(out.begin(), out.end(), std::int64_t{0});
    const auto key = [&](std::int64_t j) { return topk_key(static_cast<float>(x.at(row * N + j))); };
    std::sort(out.begin(), out.end(), [&](std::int64_t i, std::int64_t j) { return key(i) != key(j) ? key(i) > key(j) : i < j; });
    out.resize(static_cast<std::size_t>(K));
    return out;
}

Result<Program, axe::Problem> topk_program(const Setting& setting)
{
    const std::int64_t M = setting.number("M"), N = setting.number("N"), K = setting.number("K");
    if (K > N) return Problem(errc::bad_argument, "K is " + std::to_string(K) + "; a row has " + std::to_string(N) + " numbers");
    const auto in_lanes = [](std::int64_t n) { return (n + 127) / 128 * 128; };
    const std::int64_t wide = in_lanes(N), listed = in_lanes(K);
    Kernel k("topk", setting.machine);
    const auto X = k.input("X", {M, N}, f32), values = k.output("values", {M, K}, f32), columns = k.output("columns", {M, K}, i32);
    const auto state = [&](bool of_columns) {
        return [=](const std::vector<const Array*>& operands, std::vector<Estimate>& out) {
            for (std::int64_t r = 0; r < M; ++r) {
                const auto chosen = topk_columns(*operands[0], r, N, K);
                for (std::int64_t i = 0; i < K; ++i) {
                    const std::int64_t j = chosen[static_cast<std::size_t>(i)];
                    out[static_cast<std::size_t>(r * K + i)].value =
                        of_columns ? static_cast<double>(j) : operands[0]->at(r * N + j);
                }
            }
        };
    };
    k.computes(values, by_function("topk_values", state(false), {X}, {M, K}, f32));
    k.computes(columns, by_function("topk_columns", state(true), {X}, {M, K}, i32));

    const auto left = k.scalar("left"), prefix = k.scalar("prefix"), bin = k.scalar("bin"), ends = k.scalar("ends");
    k.cta(tiles(M, 1), [&](Scope cta, const Tile& t) {
        const Affine at = t.index[0];
        const auto registers = [&](std::int64_t n, DType type,
                                   const char* name) { // element i in lane i mod 128; of one number, in all
            const Layout spread{{{n / 128, 1, "reg"}, {4, 1, "warp"}, {32, 1, "lane"}}, {}, {}};
            const Layout same{{{1, 1, "reg"}}, {{4, 1, "warp"}, {32, 1, "lane"}}, {}};
            return cta.alloc(Role::registers, {n}, type, n == 1 ? same : spread, name);
        };
        const auto shared = [&](std::int64_t n, DType type, const char* name) {
            return cta.alloc(Role::shared, {n}, type, {}, name);
        };
        const auto constant = [&](double number, const char* name) {
            const auto out = registers(1, i32, name);
            cta.fill(out, number);
            return out(0).repeated(0, wide);
        };
        const auto x = registers(wide, f32, "x");
        const auto key = registers(wide, i32, "key"), column = registers(wide, i32, "column");
        const auto a = registers(wide, i32, "a"), b = registers(wide, i32, "b");
        const auto places = shared(wide, i32, "places"), counts = shared(17, i32, "counts");
        const auto number = registers(1, i32, "number"), other = registers(1, i32, "other"), mask = registers(1, i32, "mask");
        const auto all_of = [&](const TensorRef& of) { return of(0).repeated(0, wide); };
        const auto sign = constant(topk_lowest, "sign"), rest = constant(0x7fffffff, "rest"),
                   thirty_one = constant(31, "thirty_one");
        const auto fifteen = constant(15, "fifteen"), sixteen = constant(16, "sixteen"),
                   end = constant(static_cast<double>(N), "end");
        const auto one = constant(1, "one"), none = constant(-1, "none");

        // Keys: the bits, those of negative numbers turned; NaN is the largest.
        cta.copy(x, X(at, Interval(0, wide))).iota(column, 0);
        cta.unary(Function::bit_cast, key, x).binary(Function::shift_right, a, key, thirty_one);
        cta.binary(Function::bit_and, a, a, rest).binary(Function::bit_xor, key, key, a);
        cta.binary(Function::equal, a, x, x).select(key, a, key, rest);
        cta.binary(Function::less, a, column, end).select(key, a, key, sign);

        // The K-th key, four bits a round: of the keys that begin with `prefix`, how many have which next four, from the largest on.
        cta.assign(left, static_cast<double>(K)).assign(prefix, 0).fill(mask, 0);
        cta.loop(0, 8, 1, [&](const Affine& round) {
            cta.fill(counts, 0);
            cta.iota(number, 0, 28 - 4 * round).iota(other, 0, 32 - 4 * round);
            cta.binary(Function::bit_xor, b, key, sign).binary(Function::shift_right, a, b, all_of(number));
            cta.binary(Function::bit_and, a, a, fifteen);
            cta.binary(Function::shift_right, b, b, all_of(other)).binary(Function::bit_and, b, b, all_of(mask));
            cta.iota(number, 0, cta.index(prefix, 0, std::int64_t{1} << 28, "begin"));
            cta.binary(Function::equal, b, b, all_of(number)).select(a, b, a, sixteen);
            cta.copy(places, a).sync();
            cta.copy(a, one).atomic_rows(Function::add, counts, places, a).sync();
            cta.assign(bin, 0).assign(ends, 0);
            cta.loop(0, 16, 1, [&](const Affine& i) {
                const Expression here = load(counts(15 - i));
                cta.when(equals(ends, 0), [&] {
                    cta.when(
                        Expression(left) <= here, [&] { cta.assign(bin, 15 - i).assign(ends, 1); },
                        [&] { cta.assign(left, Expression(left) - here); });
                });
            });
            cta.assign(prefix, Expression(prefix) * 16 + bin).sync();
            cta.iota(number, 0, 4).binary(Function::shift_left, mask, mask, number).fill(number, 15);
            cta.binary(Function::bit_or, mask, mask, number);
        });

        // What is larger, and as many of those that are equal as are left, the lower columns first; to a list in the order of columns.
        cta.iota(number, 0, cta.index(Expression(prefix) + static_cast<double>(topk_lowest), topk_lowest, -topk_lowest, "kth"));
        cta.iota(other, 0, cta.index(left, 0, N + 1, "equal"));
        cta.binary(Function::equal, a, key, all_of(number)).scan(Function::add, b, a, 0, true);
        cta.binary(Function::less, b, b, all_of(other)).binary(Function::bit_and, a, a, b);
        cta.binary(Function::less, b, all_of(number), key).binary(Function::bit_or, a, a, b);
        cta.scan(Function::add, b, a, 0, true).select(b, a, b, none).copy(places, b); // each lane reads its own
        const auto list_keys = shared(K, i32, "list_keys"), list_columns = shared(K, i32, "list_columns");
        const auto list = shared(K, f32, "list");
        cta.scatter(list_keys.guarded(), places, key).scatter(list_columns.guarded(), places, column);
        cta.scatter(list.guarded(), places, x).sync();

        // Each of the list goes behind those that are larger, or equal and before it.
        const auto own = registers(listed, i32, "own"), mine = registers(listed, i32, "mine"),
                   rank = registers(listed, i32, "rank");
        const auto c = registers(listed, i32, "c"), d = registers(listed, i32, "d"),
                   own_column = registers(listed, i32, "own_column");
        const auto own_value = registers(listed, f32, "own_value");
        const auto to_all = [&](const ViewRef& of) { return of(0).repeated(0, listed); };
        const Interval whole(0, listed);
        cta.copy(own, list_keys(whole)).copy(own_column, list_columns(whole)).copy(own_value, list(whole));
        cta.iota(mine, 0).fill(rank, 0);
        cta.loop(0, K, 1, [&](const Affine& j) {
            const auto there = list_keys(j).repeated(0, listed);
            cta.iota(number, 0, j).binary(Function::less, c, own, there).binary(Function::equal, d, own, there);
            cta.binary(Function::add, rank, rank, c).binary(Function::less, c, to_all(number), mine);
            cta.binary(Function::bit_and, c, c, d).binary(Function::add, rank, rank, c);
        });
        cta.fill(number, static_cast<double>(K)).fill(other, -1).binary(Function::less, c, mine, to_all(number));
        cta.select(rank, c, rank, to_all(other));
        const auto ranks = shared(listed, i32, "ranks");
        cta.copy(ranks, rank); // each lane reads its own
        cta.scatter(values(at, all).guarded(), ranks, own_value).scatter(columns(at, all).guarded(), ranks, own_column);
    });
    return k.program();
}

/// Numbers of which many are equal, and the ends of the type: zeros of both signs, infinities, NaN.
Result<Bindings, axe::Problem> topk_inputs(const Setting& setting, const Program& program)
{
    auto in = made_inputs(setting, program);
    if (!in || !setting.files.path("X").empty()) return in;
    Array x = in->find("X")->clone().value();
    const double inf = std::numeric_limits<double>::infinity();
    const double ends[] = {-0.0, 0, inf, -inf, std::nan("")};
    for (std::int64_t i = 0; i < x.size(); ++i)
        if (i % 29 == 3) x.set(i, ends[static_cast<std::size_t>(i / 29 % 5)]);
    in->set("X", std::move(x));
    return in;
}

/// Each number is read once; K values and columns of each row are written.
Result<Conclusion, axe::Problem> topk_conclusion(const Setting& setting, const Ending& end)
{
    const std::int64_t M = setting.number("M");
    return global_bytes(end.total, M * setting.number("N") * 4, M * setting.number("K") * 8);
}

} // namespace

const Example topk{"topk",
                   "the K largest numbers of each row and their columns, equal ones by column",
                   {{"M", "3", "rows", 1 << 14}, {"N", "301", "columns", 1 << 11}, {"K", "20", "how many of each row", 1 << 10}},
                   {"sm80", "sm90", "sm100"},
                   {1},
                   topk_program,
                   topk_inputs,
                   topk_conclusion};

} // namespace examples
