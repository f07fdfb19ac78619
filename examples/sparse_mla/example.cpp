// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention of each query to the keys that a list names: rows are gathered by the list, and their first numbers are the values, too.
#include "../common/example.hpp"
#include "../common/online_softmax.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <optional>

namespace examples {
namespace {

using namespace axe;
using enum axe::DType;
using MlaOrder = InlineVector<int, max_rank>;

constexpr std::int64_t mla_columns = 128; ///< of O that the warps of the scores have alone

struct MlaSizes {
    enum class Version { mended, by_group, by_position };
    std::int64_t batch, sq, skv, heads, groups, dim, values, topk, block, most_columns;
    Version version;

    [[nodiscard]] std::int64_t of_group() const { return heads / groups; }
    /// Heads of a block: 64, or the power of two that has a group's, 16 at least.
    [[nodiscard]] std::int64_t rows() const
    {
        return std::min<std::int64_t>(
            64, static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(16, of_group())))));
    }
    /// A warp has the scores of 16 heads, and all columns of their O; of more than 128 the second half is with as many other warps.
    [[nodiscard]] std::int64_t warps_of_scores() const { return rows() / 16; }
    [[nodiscard]] std::int64_t parts_of_columns() const { return part() > mla_columns ? 2 : 1; }
    [[nodiscard]] std::int64_t warps() const { return warps_of_scores() * parts_of_columns(); }
    [[nodiscard]] std::int64_t parts_of_heads() const { return (of_group() + rows() - 1) / rows(); }
    [[nodiscard]] std::int64_t part() const { return std::min(values, most_columns); } ///< columns of O of a block
    [[nodiscard]] std::int64_t parts_of_values() const { return (values + part() - 1) / part(); }
    /// Columns that are gathered at once: registers have room for no more.
    [[nodiscard]] std::int64_t gathered() const
    {
        for (const std::int64_t columns : {64, 48, 32})
            if (dim % columns == 0) return columns;
        return 16;
    }
    [[nodiscard]] double scale() const { return 1 / std::sqrt(static_cast<double>(dim)); }
};

MlaSizes mla_sizes(const Setting& setting)
{
    const std::string& version = setting.word("version");
    using Version = MlaSizes::Version;
    return {setting.number("B"),
            setting.number("SQ"),
            setting.number("SKV"),
            setting.number("H"),
            setting.number("G"),
            setting.number("D"),
            setting.number("V"),
            setting.number("topk"),
            setting.number("block"),
            setting.number("columns"),
            version == "by_group"      ? Version::by_group
            : version == "by_position" ? Version::by_position
                                       : Version::mended};
}

struct MlaTensors {
    TensorRef q, kv, ids, O, lse;
};

/// Of each query and head: softmax over the keys that the list of its group names and that are no holes, −1, behind the query or outside.
void mla_state(Kernel& k, const MlaSizes& z, const MlaTensors& t)
{
    const double low = -std::numeric_limits<double>::infinity();
    const Shape listed{z.batch, z.groups, z.sq, z.topk};
    const Formula id = permute(t.ids, MlaOrder{0, 2, 1, 3});
    const Formula valid = min(min(id >= 0, id < static_cast<int>(z.skv)), id <= reshape(iota({z.sq}, 0), {1, 1, z.sq, 1}));
    const Formula sequence = reshape(iota({z.batch * z.groups}, 0), {z.batch, z.groups, 1, 1}) * static_cast<int>(z.skv);
    const Formula rows = reshape(permute(t.kv, MlaOrder{0, 2, 1, 3}), {z.batch * z.groups * z.skv, z.dim});
    const Formula keys = gather(rows, select(valid, id, 0) + sequence);
    const Formula q = permute(reshape(t.q, {z.batch, z.sq, z.groups, z.of_group(), z.dim}), MlaOrder{0, 2, 1, 3, 4});
    const Formula products = z.scale() * matmul(q, keys, {.transpose_b = true});
    const Formula scores = select(reshape(valid, {z.batch, z.groups, z.sq, 1, z.topk}), products, low);
    const Formula most = maximum_of(scores, 4, true), seen = low < most;
    const Formula sums = matmul(rounded(axe::softmax(scores, 4), bf16), slice(keys, 4, 0, z.values));
    const auto by_query = [&](const Formula& of, std::int64_t columns) {
        return reshape(permute(of, MlaOrder{0, 2, 1, 3, 4}), {z.batch, z.sq, z.heads, columns});
    };
    k.computes(t.O, by_query(cast(select(seen, sums, 0), bf16), z.values));
    const Formula logs = (most + log(sum(exp(scores - most), {4}, keep_dims))) * std::numbers::log2e;
    k.computes(t.lse, reshape(by_query(select(seen, logs, low), 1), {z.batch, z.sq, z.heads}));
}

/// Numbers of a block: 16 heads a warp, as matrix instructions have them; `parts` of the columns are each with as many warps.
struct MlaLayouts {
    Layout tile, of_rows, of_columns;
};
MlaLayouts mla_layouts(std::int64_t warps, std::int64_t columns, std::int64_t parts = 1)
{
    const Axis warp{"warp"}, lane{"lane"}, reg{"reg"};
    const std::int64_t tiles = columns / parts / 8; // of a warp
    MlaLayouts out{{{{warps, 1, warp}, {2, 2, reg}, {8, 4, lane}, {tiles, 4, reg}, {4, 1, lane}, {2, 1, reg}}, {}, {}},
                   {{{warps, 1, warp}, {2, 1, reg}, {8, 4, lane}}, {{4, 1, lane}}, {}},
                   {{{tiles, 2, reg}, {4, 1, lane}, {2, 1, reg}}, {{warps, 1, warp}, {8, 4, lane}}, {}}};
    if (parts > 1) {
        out.tile.shard.insert(3, {parts, warps, warp});
        out.of_rows.replica.push_back({parts, warps, warp});
    }
    return out;
}

/// What the warps of one part of the columns hand to the others: P, by how much sums have shrunk, and what they are divided by.
struct MlaShared {
    TensorRef p, ratio, total;
};

/// A block: some heads of one query, some columns of O.
void mla_block(Scope cta, const MlaSizes& z, const MlaTensors& t, const Tile& tile)
{
    const Affine b = tile.index[0], row = tile.index[1], part = tile.index[3];
    const std::int64_t parts = z.parts_of_heads(), split = z.version == MlaSizes::Version::by_group ? z.groups : parts;
    const Expression of_heads = tile.index[2];
    const Affine group = cta.index(floor_div(of_heads, static_cast<double>(parts)), 0, z.groups, "group");
    const Affine some = cta.index(floor_mod(of_heads, static_cast<double>(split)), 0, split, "heads");
    const Interval heads(group * z.of_group() + some * z.rows(), z.rows()), columns(part * z.part(), z.part());
    const MlaLayouts of_scores = mla_layouts(z.warps_of_scores(), z.block),
                     of_sums = mla_layouts(z.warps_of_scores(), z.part(), z.parts_of_columns());
    const auto shared = [&](std::int64_t rows, const char* name) {
        return cta.alloc(Role::shared, {rows, z.dim}, bf16, conflict_free, name);
    };
    const auto registers = [&](const Shape& shape, DType type, const Layout& layout, const char* name) {
        return cta.alloc(Role::registers, shape, type, layout, name);
    };
    const auto q = shared(z.rows(), "q"), keys = shared(z.block, "keys");
    const auto at = cta.alloc(Role::shared, {z.block}, i32, {}, "at");
    const Shape scores{z.rows(), z.block}, sums{z.rows(), z.part()};
    const auto s = registers(scores, f32, of_scores.tile, "s");
    const auto p = registers(scores, bf16, of_scores.tile, "p");
    const auto o = registers(sums, f32, of_sums.tile, "o");
    const auto of_keys = [&](const char* name) { return registers({z.block}, i32, of_scores.of_columns, name); };
    const auto id = of_keys("id"), is = of_keys("is"), in = of_keys("in"), number = of_keys("number");
    const auto logs = registers({z.rows()}, f32, of_scores.of_rows, "logs"),
               factor = registers({z.rows()}, f32, of_scores.of_rows, "base");
    const OnlineSoftmax softmax(cta, z.rows(), of_scores.of_rows, z.scale());
    // Where other warps have columns of O, too, the first ones compute the scores for all.
    std::optional<MlaShared> handed;
    if (z.parts_of_columns() > 1) {
        const auto of_rows = [&](const char* name) { return cta.alloc(Role::shared, {z.rows()}, f32, {}, name); };
        handed = MlaShared{cta.alloc(Role::shared, scores, bf16, conflict_free, "p_shared"), of_rows("ratio_shared"),
                           of_rows("total_shared")};
    }
    const auto with_scores = [&](const std::function<void(Scope)>& what) {
        if (handed)
            cta.warps(0, static_cast<int>(z.warps_of_scores()), "scores", what);
        else
            what(cta);
    };
    const auto of_all_rows = [&](const ViewRef& from, const char* name) {
        const auto out = registers({z.rows()}, f32, of_sums.of_rows, name);
        cta.copy(out, from);
        return out;
    };
    cta.fill(o, 0).copy(q, t.q(b, row, heads, all).guarded());

    const auto list = [&](Scope w, const Affine& i) {
        const Interval listed(i * z.block, z.block);
        const auto keep = [&](Function f, const ViewRef& x, const ViewRef& y) {
            w.binary(f, in, x, y).binary(Function::bit_and, is, is, in);
        };
        w.copy(id, t.ids(b, row, group, listed).guarded()).iota(in, 0, listed.begin).fill(number, static_cast<double>(z.topk));
        w.binary(Function::less, is, in, number).fill(number, 0);
        keep(Function::less_equal, number, id);
        w.iota(number, 0, row + 1).iota(in, 0).binary(Function::sub, number, number, in);
        keep(Function::less, id, number);
        w.fill(number, static_cast<double>(z.skv));
        keep(Function::less, id, number);
        w.fill(number, -1).select(id, is, id, number).copy(at, id);
    };
    const auto step = [&](const Affine& i) {
        with_scores([&](Scope w) { list(w, i); });
        cta.sync();
        cta.loop(0, z.dim, z.gathered(), [&](const Affine& c) { // a hole is zeros
            const Interval some_columns(c, z.gathered());
            cta.gather(keys(all, some_columns), t.kv(b, all, group, some_columns).guarded(), at);
        });
        cta.sync();
        with_scores([&](Scope w) {
            w.gemm(s, q, keys, {.accumulate = false, .transpose_b = true});
            w.select(s, is.repeated(0, z.rows()), s, softmax.low().repeated(1, z.block));
            softmax.step(w, s);
            if (handed) w.copy(handed->p, s).copy(handed->ratio, softmax.ratio());
        });
        // The product comes before the barrier after the next list, behind which keys are others.
        if (handed) {
            cta.sync();
            cta.binary(Function::mul, o, o, of_all_rows(handed->ratio, "shrunk").repeated(1, z.part()));
            cta.gemm(o, handed->p, keys(all, columns));
        } else {
            softmax.rescale(cta, o);
            cta.copy(p, s).gemm(o, p, keys(all, columns));
        }
    };
    const auto blocks = (z.topk + z.block - 1) / z.block;
    if (z.version == MlaSizes::Version::by_position) {
        const Expression seen =
            floor_div(Expression(row + z.block), static_cast<double>(z.block)); // blocks of positions up to the query
        cta.loop(0, cta.index(min(seen, static_cast<double>(blocks)), 0, blocks + 1, "count"), 1, step);
    } else {
        cta.loop(0, blocks, 1, step);
    }
    if (handed) {
        with_scores([&](Scope w) {
            softmax.find_logarithm(w, logs);
            w.copy(handed->total, softmax.total());
        });
        cta.sync();
        const auto total = of_all_rows(handed->total, "sum"), none = registers({z.rows()}, f32, of_sums.of_rows, "none"),
                   has = registers({z.rows()}, f32, of_sums.of_rows, "has");
        cta.fill(none, 0).binary(Function::less, has, none, total).binary(Function::div, o, o, total.repeated(1, z.part()));
        cta.select(o, has.repeated(1, z.part()), o, none.repeated(1, z.part()));
    } else {
        softmax.finish(cta, o, logs);
    }
    with_scores([&](Scope w) { w.fill(factor, std::numbers::log2e).binary(Function::mul, logs, logs, factor); });
    cta.copy(t.O(b, row, heads, columns).guarded(), o);
    cta.when(equals(part, 0), [&] { with_scores([&](Scope w) { w.copy(t.lse(b, row, heads).guarded(), logs); }); });
}

Result<Program, axe::Problem> mla_program(const Setting& setting)
{
    const MlaSizes z = mla_sizes(setting);
    const auto refuse = [](const std::string& text) { return Problem(errc::bad_argument, "sparse_mla: " + text); };
    const auto number = [](std::int64_t n) { return std::to_string(n); };
    if (z.heads % z.groups != 0) return refuse("H is " + number(z.heads) + ", not a multiple of G, " + number(z.groups));
    if (z.groups > 1 && z.of_group() % z.rows() != 0)
        return refuse("a group has " + number(z.of_group()) + " heads; of several groups each must have a multiple of " +
                      number(z.rows()));
    if (z.dim % 16 != 0 || z.values % 16 != 0 || z.values > z.dim || z.values % z.part() != 0)
        return refuse("D is " + number(z.dim) + " and V " + number(z.values) + "; both must be multiples of 16, V of " +
                      number(z.most_columns) + " where it is larger, and V at most D");
    Kernel k("sparse_mla", setting.machine);
    const MlaTensors t{k.input("q", {z.batch, z.sq, z.heads, z.dim}, bf16), k.input("kv", {z.batch, z.skv, z.groups, z.dim}, bf16),
                       k.input("ids", {z.batch, z.sq, z.groups, z.topk}, i32),
                       k.output("O", {z.batch, z.sq, z.heads, z.values}, bf16), k.output("lse", {z.batch, z.sq, z.heads}, f32)};
    mla_state(k, z, t);
    k.cta(
        tiles({z.batch, z.sq, z.groups * z.parts_of_heads(), z.parts_of_values()}, {1, 1, 1, 1}),
        [&](Scope cta, const Tile& tile) { mla_block(cta, z, t, tile); }, static_cast<int>(z.warps()));
    return k.program();
}

/// Lists of keys in no order, some behind the query and some −1; or holes before all keys; or holes only; or one key many times.
Result<Bindings, axe::Problem> mla_inputs(const Setting& setting, const Program& program)
{
    const MlaSizes z = mla_sizes(setting);
    auto in = made_inputs(setting, program);
    if (!in) return in;
    const std::string& data = setting.word("data");
    Array& ids = *in->find("ids");
    for (std::int64_t i = 0; i < ids.size() && setting.files.path("ids").empty(); ++i) {
        const std::int64_t place = i % z.topk, row = i / (z.topk * z.groups) % z.sq, seen = std::min(row + 1, z.skv);
        std::int64_t id = place % 7 == 5 ? -1 : (place * 11 + row * 3) % (z.skv + 2);
        if (data == "late") id = place < z.topk - z.topk / 4 ? -1 : place % seen; // the last quarter
        if (data == "empty") id = row % 2 == 0 ? -1 : z.skv;
        if (data == "same") id = row / 2;
        ids.set(i, static_cast<double>(id));
    }
    return in;
}

/// How many of the listed are keys.
Result<Conclusion, axe::Problem> mla_conclusion(const Setting& setting, const Ending& end)
{
    const MlaSizes z = mla_sizes(setting);
    const Array& ids = *end.inputs.find("ids");
    std::int64_t keys = 0;
    for (std::int64_t i = 0; i < ids.size(); ++i) {
        const auto last = static_cast<double>(std::min(z.skv - 1, i / (z.topk * z.groups) % z.sq));
        keys += ids.at(i) >= 0 && ids.at(i) <= last ? 1 : 0;
    }
    Conclusion out;
    out.lines.push_back("keys that queries see: " + std::to_string(keys) + " of " + std::to_string(ids.size()) + " in their lists");
    return out;
}

} // namespace

const Example sparse_mla{"sparse_mla",
                         "attention of each query to the keys that a list names, which are gathered",
                         {{"B", "1", "sequences", 64},
                          {"SQ", "6", "queries", 1 << 12},
                          {"SKV", "40", "keys", 1 << 14},
                          {"H", "20", "heads", 256},
                          {"G", "1", "groups of heads, each with keys of its own", 128},
                          {"D", "48", "numbers of a key, a multiple of 16", 576},
                          {"V", "32", "of which are its value", 512},
                          {"topk", "40", "keys of a list", 1 << 12},
                          {"columns", "128", "of O that a block has", 0, {"128", "256", "512"}},
                          {"block", "32", "keys that are gathered at a time", 0, {"16", "32", "64"}},
                          {"data", "spread", "which keys lists have", 0, {"spread", "late", "empty", "same"}},
                          {"version", "mended", "how blocks and keys are chosen", 0, {"mended", "by_group", "by_position"}}},
                         {"sm80", "sm90", "sm100"},
                         {1},
                         mla_program,
                         mla_inputs,
                         mla_conclusion};

} // namespace examples
