// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many products of different sizes in one kernel. Which rows are of which group is data: the kernel finds its right operand at run time.
#include "../common/example.hpp"

namespace examples {
namespace {

using namespace axe;
using enum axe::DType;

constexpr std::int64_t rows_of_tile = 64, columns_of_tile = 64, depth_of_tile = 32;

std::int64_t in_tiles(std::int64_t rows) { return (rows + rows_of_tile - 1) / rows_of_tile * rows_of_tile; }

/// How many rows each group has.
std::vector<std::int64_t> group_rows(const Setting& setting)
{
    const std::int64_t groups = setting.number("G"), rows = setting.number("m");
    const std::int64_t edges[] = {0, 1, rows_of_tile - 1, rows_of_tile, rows_of_tile + 1};
    std::vector<std::int64_t> out;
    for (std::int64_t g = 0; g < groups; ++g)
        out.push_back(setting.word("rows") == "equal"  ? rows
                      : setting.word("rows") == "last" ? (g == groups - 1 ? groups * rows : 0)
                                                       : edges[g % 5]);
    return out;
}
/// Of all groups, each beginning at a multiple of a tile; at least one tile.
std::int64_t all_rows(const Setting& setting)
{
    std::int64_t sum = 0;
    for (const std::int64_t rows : group_rows(setting)) sum += in_tiles(rows);
    return std::max(sum, rows_of_tile);
}

/// D of one tile = its rows of A times the columns of its group's B, transposed.
template <class LoadA, class LoadB>
void multiply(Scope cta, const ViewRef& d, std::int64_t K, LoadA a_at, LoadB b_at)
{
    const auto a = cta.alloc(Role::shared, {rows_of_tile, depth_of_tile}, f16, conflict_free, "a");
    const auto b = cta.alloc(Role::shared, {columns_of_tile, depth_of_tile}, f16, conflict_free, "b");
    const auto acc = cta.alloc(Role::accumulator, {rows_of_tile, columns_of_tile}, f32, accumulator, "acc");
    cta.fill(acc, 0);
    cta.loop(tiles(K, depth_of_tile), [&](Interval s) {
        cta.copy(a, a_at(s)).copy(b, b_at(s)).sync();
        cta.gemm(acc, a, b, {.transpose_b = true}).sync();
    });
    cta.copy(d, acc);
}

/// The rows of all groups in one matrix, each group's from a multiple of a tile on: `group` says of each row which one it is of, −1 of rows
/// between groups. Tiles go by their first row, so that these come out as rows of the group before them.
void contiguous(Kernel& k, std::int64_t G, std::int64_t M, std::int64_t N, std::int64_t K)
{
    const auto A = k.input("A", {M, K}, f16), B = k.input("B", {G, N, K}, f16), group = k.input("group", {M}, i32);
    const auto D = k.output("D", {M, N}, f32);
    const int tile = static_cast<int>(rows_of_tile), count = static_cast<int>(M);
    const Formula products = reshape(matmul(A, B, {.transpose_b = true}), {G * M, N}); // of each group with each row
    const Formula row = iota({M}, 0), of_row = max(gather(group, row / tile * tile), 0);
    k.computes(D, gather(products, of_row * count + row));
    k.cta(tiles(D, {rows_of_tile, columns_of_tile}), [&](Scope cta, const Tile& t) {
        const Affine g = cta.index(max(load(group(t.rows.begin)), 0), 0, G, "g");
        multiply(cta, D(t), K, [&](Interval s) { return A(t.rows, s); }, [&](Interval s) { return B(g, t.cols, s); });
    });
}

/// The same with the rows at which groups end. A group begins at the first multiple of a tile from the end of the one before on.
void psum(Kernel& k, std::int64_t G, std::int64_t M, std::int64_t N, std::int64_t K)
{
    const auto A = k.input("A", {M, K}, f16), B = k.input("B", {G, N, K}, f16), ends = k.input("ends", {G}, i32);
    const auto D = k.output("D", {M, N}, f32);
    const int tile = static_cast<int>(rows_of_tile);
    // Row r is of the first group whose rows, up to a multiple of a tile, end behind it: of as many groups as end before it.
    const Formula end = (ends + (tile - 1)) / tile * tile;
    const Formula before = sum(reshape(end, {G, 1}) <= reshape(iota({M}, 0), {1, M}), 0);
    const Formula products = reshape(matmul(A, B, {.transpose_b = true}), {G * M, N});
    k.computes(D, gather(products, min(before, static_cast<int>(G - 1)) * static_cast<int>(M) + iota({M}, 0)));
    const auto count = k.scalar("count");
    k.cta(tiles(D, {rows_of_tile, columns_of_tile}), [&](Scope cta, const Tile& t) {
        cta.assign(count, 0);
        cta.loop(0, G, 1, [&](const Affine& i) {
            const Expression last = floor_div(load(ends(i)) + (tile - 1), tile) * tile;
            cta.assign(count, Expression(count) + (last <= t.rows.begin));
        });
        const Affine g = cta.index(min(count, static_cast<int>(G - 1)), 0, G, "g");
        multiply(cta, D(t), K, [&](Interval s) { return A(t.rows, s); }, [&](Interval s) { return B(g, t.cols, s); });
    });
}

/// A matrix of M rows for each group, of which the first `counts[g]` are there. Tiles without such rows are left as they are.
void masked(Kernel& k, std::int64_t G, std::int64_t M, std::int64_t N, std::int64_t K)
{
    const auto A = k.input("A", {G, M, K}, f16), B = k.input("B", {G, N, K}, f16), counts = k.input("counts", {G}, i32);
    const auto D = k.inout("D", {G, M, N}, f32);
    const int tile = static_cast<int>(rows_of_tile);
    const Formula there = reshape((counts + (tile - 1)) / tile * tile, {G, 1, 1});
    k.computes(D, select(iota({G, M, N}, 1) < there, matmul(A, B, {.transpose_b = true}), D));
    // A block goes down the tiles of one group.
    k.cta(tiles({G, N}, {1, columns_of_tile}), [&](Scope cta, const Tile& t) {
        const Affine g = t.index[0];
        const Affine last = cta.index(floor_div(load(counts(g)) + (tile - 1), tile), 0, (M + tile - 1) / tile + 1, "last");
        cta.loop(0, last, 1, [&](const Affine& i) {
            const Interval rows(i * rows_of_tile, rows_of_tile);
            multiply(
                cta, D(g, rows, t.cols), K, [&](Interval s) { return A(g, rows, s); }, [&](Interval s) { return B(g, t.cols, s); });
        });
    });
}

Result<Program, axe::Problem> grouped_gemm_program(const Setting& setting)
{
    const std::int64_t G = setting.number("G"), N = setting.number("N"), K = setting.number("K");
    Kernel k("grouped_gemm", setting.machine);
    if (setting.word("form") == "contiguous") contiguous(k, G, all_rows(setting), N, K);
    if (setting.word("form") == "psum") psum(k, G, all_rows(setting), N, K);
    if (setting.word("form") == "masked") {
        std::int64_t most = 1;
        for (const std::int64_t rows : group_rows(setting)) most = std::max(most, rows);
        masked(k, G, most, N, K);
    }
    return k.program();
}

/// What else there is: which rows are of which group.
Result<Bindings, axe::Problem> grouped_gemm_inputs(const Setting& setting, const Program& program)
{
    auto in = made_inputs(setting, program);
    if (!in) return in;
    const std::vector<std::int64_t> rows = group_rows(setting);
    for (const ProgramTensor& t : program.tensors) {
        if (t.binding == Binding::local || t.dtype != i32 || !setting.files.path(t.name).empty()) continue;
        Array numbers = Array::make(t.shape, i32).value();
        std::int64_t start = 0;
        for (std::int64_t i = 0; t.name == "group" && i < numbers.size(); ++i) numbers.set(i, -1);
        for (std::size_t g = 0; g < rows.size(); ++g) {
            for (std::int64_t i = 0; t.name == "group" && i < rows[g]; ++i) numbers.set(start + i, static_cast<double>(g));
            if (t.name == "ends") numbers.set(static_cast<std::int64_t>(g), static_cast<double>(start + rows[g]));
            if (t.name == "counts") numbers.set(static_cast<std::int64_t>(g), static_cast<double>(rows[g]));
            start += in_tiles(rows[g]);
        }
        in->set(t.name, std::move(numbers));
    }
    return in;
}

} // namespace

const Example grouped_gemm{"grouped_gemm",
                           "products of groups of rows, each with a matrix of its own, found at run time",
                           {{"G", "5", "groups", 64},
                            {"m", "40", "rows of a group where they are equal, or on average", 1 << 12},
                            {"N", "100", "columns of D", 1 << 14},
                            {"K", "72", "columns of A", 1 << 14},
                            {"form", "contiguous", "where the rows are", 0, {"contiguous", "psum", "masked"}},
                            {"rows", "edges", "how many rows a group has", 0, {"edges", "equal", "last"}}},
                           {"sm80", "sm90"},
                           {1},
                           grouped_gemm_program,
                           grouped_gemm_inputs,
                           nullptr};

} // namespace examples
