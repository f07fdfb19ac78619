// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_EXAMPLES_FLASH_ATTENTION_ATTENTION_HPP
#define AXE_EXAMPLES_FLASH_ATTENTION_ATTENTION_HPP

#include "../common/example.hpp"
#include "../common/online_softmax.hpp"

#include <cmath>
#include <optional>

/// What the forms of attention for different machines share: sizes, where keys and values are, and scores in registers.
namespace examples::attention {

using namespace axe;
using enum axe::DType;
using Int = std::int64_t;

inline constexpr int ring_stages = 2; ///< of keys, and of values

struct AttentionSizes {
    Int batch, sq, sk, heads, kv_heads, dim, block, page;
    KeyMask mask{};
    enum class By : std::uint8_t { warps, warpgroups, tensor_memory } by = By::warps;
    [[nodiscard]] int groups() const { return by == By::warps ? 1 : 2; } ///< of four warps
    [[nodiscard]] Int rows_of_one() const { return by == By::tensor_memory ? 128 : 64; }
    [[nodiscard]] Int rows() const { return rows_of_one() * groups(); }
    [[nodiscard]] Int blocks() const { return (sk + block - 1) / block; }
    // Keys and values in pages, where there are any: each sequence has so many, of twice as many for all together.
    [[nodiscard]] Int pages() const { return (sk + page - 1) / page; }
    [[nodiscard]] Int pool() const { return 2 * batch * pages(); }
    [[nodiscard]] Shape stored() const { return page == 0 ? Shape{batch, sk, kv_heads, dim} : Shape{pool(), page, kv_heads, dim}; }
    [[nodiscard]] double scale() const { return 1 / std::sqrt(static_cast<double>(dim)); }
};

inline AttentionSizes attention_sizes(const Setting& s)
{
    AttentionSizes z{s.number("B"),
                     s.number("Sq"),
                     s.number("Sk"),
                     s.number("Hq"),
                     s.number("Hk"),
                     std::stoll(s.word("D")),
                     std::stoll(s.word("block")),
                     std::stoll(s.word("page"))};
    z.mask = {z.sq, z.sk, s.word("mask") != "none", s.word("mask") == "window" ? s.number("window") : 0};
    const std::string_view machine = s.machine.name;
    z.by = machine == "sm80"   ? AttentionSizes::By::warps
           : machine == "sm90" ? AttentionSizes::By::warpgroups
                               : AttentionSizes::By::tensor_memory;
    return z;
}

/// Copies that bring a block of keys, or of values, from the given key on: pairs of what is written and what is read.
using BlockCopies = std::function<Pipeline::Copies(Scope, const ViewRef&, const Affine&)>;

/// From a tensor of whole sequences, or from its pages, whose numbers the table has. A block is several pages, or a part of one.
inline BlockCopies copies_of(const AttentionSizes& z, const TensorRef& t, const std::optional<TensorRef>& table, const Affine& b,
                             const Affine& kv)
{
    if (!table)
        return [&z, t, b, kv](Scope, const ViewRef& to, const Affine& key) {
            return Pipeline::Copies{{to, t(b, Interval(key, z.block), kv, all)}};
        };
    return [&z, t, table = *table, b, kv](Scope w, const ViewRef& to, const Affine& key) {
        Pipeline::Copies out;
        const Int rows = std::min(z.block, z.page), parts = z.page / rows;
        for (Int first = 0; first < z.block; first += rows) {
            const Expression number = Expression(key + first), page = static_cast<double>(z.page);
            // Behind the last page, where the mask hides all keys, the last one again.
            const Affine entry = w.index(min(floor_div(number, page), static_cast<double>(z.pages() - 1)), 0, z.pages(), "entry");
            const Affine from = w.index(load(table(b, entry)), 0, z.pool(), "page");
            Affine row(0);
            if (parts > 1) row = rows * w.index(floor_div(floor_mod(number, page), static_cast<double>(rows)), 0, parts, "part");
            out.emplace_back(to(Interval(first, rows), all), t(from, Interval(row, rows), kv, all));
        }
        return out;
    };
}

/// Blocks of keys 0 to count − 1, the stages of a round written out.
inline void for_each_block(Scope w, const AttentionSizes& z, const Affine& count,
                           const std::function<void(const Pipeline::Turn&, const Affine&)>& body)
{
    const Affine rounds = w.index(floor_div(Expression(count) + (ring_stages - 1), static_cast<double>(ring_stages)), 0,
                                  (z.blocks() + ring_stages - 1) / ring_stages + 1, "rounds");
    w.loop(0, rounds, 1, [&](const Affine& r) {
        for (int stage = 0; stage < ring_stages; ++stage) {
            const Affine i = r * ring_stages + stage;
            w.when(Expression(i) < Expression(count), [&] { body({stage, Expression(r)}, i); });
        }
    });
}

/// Where four warps have a tile of scores: the lanes and registers of its elements, and of one number a row. Masks are made for `part`
/// columns at a time, with a number a column.
struct ScoreLayouts {
    Int rows, part;
    Layout tile, of_rows, of_part, of_columns;
};

/// Row r of 64: 16 rows a warp, of each warp r mod 8 in lanes 4r to 4r + 3, which have pairs of columns.
inline ScoreLayouts scores_of_matrix_instructions(int group, Int columns)
{
    const Axis warp{"warp"}, lane{"lane"}, reg{"reg"};
    const Layout tile{
        {{4, 1, warp}, {2, 2, reg}, {8, 4, lane}, {columns / 8, 4, reg}, {4, 1, lane}, {2, 1, reg}}, {}, {{warp, 4 * group}}};
    return {64,   columns,
            tile, {{{4, 1, warp}, {2, 1, reg}, {8, 4, lane}}, {{4, 1, lane}}, {{warp, 4 * group}}},
            tile, {{{columns / 8, 2, reg}, {4, 1, lane}, {2, 1, reg}}, {{4, 1, warp}, {8, 4, lane}}, {{warp, 4 * group}}}};
}

/// Each thread has one row of 128, as it comes from tensor memory; masks take few registers.
inline ScoreLayouts scores_of_threads(int group, Int columns)
{
    constexpr Int part = 16;
    const Axis warp{"warp"}, lane{"lane"}, reg{"reg"};
    return {128,
            part,
            {{{4, 1, warp}, {32, 1, lane}, {columns, 1, reg}}, {}, {{warp, 4 * group}}},
            {{{4, 1, warp}, {32, 1, lane}}, {}, {{warp, 4 * group}}},
            {{{4, 1, warp}, {32, 1, lane}, {part, 1, reg}}, {}, {{warp, 4 * group}}},
            {{{part, 1, reg}}, {{4, 1, warp}, {32, 1, lane}}, {{warp, 4 * group}}}};
}

/// What the scores of some queries with a block of keys become, in the registers of four warps, block by block.
struct Scores {
    Scope w;
    const AttentionSizes& z;
    Int rows, part;
    Affine first; ///< the first query
    TensorRef s, p;
    TensorRef allowed, column, from, to; ///< coordinates: of a block's keys; of each query, the first and the last key that it sees
    OnlineSoftmax softmax;

    static TensorRef registers(Scope w, const Shape& shape, DType type, const Layout& layout, const char* name)
    {
        return w.alloc(Role::registers, shape, type, layout, name);
    }

    /// @param growth see OnlineSoftmax
    Scores(Scope scope, const AttentionSizes& sizes, const ScoreLayouts& in, const Affine& row, double growth = 0)
        : w(scope),
          z(sizes),
          rows(in.rows),
          part(in.part),
          first(row),
          s(registers(w, {rows, z.block}, f32, in.tile, "s")),
          p(registers(w, {rows, z.block}, f16, in.tile, "p")),
          allowed(registers(w, {rows, part}, f32, in.of_part, "allowed")),
          column(registers(w, {part}, f32, in.of_columns, "column")),
          from(registers(w, {rows}, f32, in.of_rows, "from")),
          to(registers(w, {rows}, f32, in.of_rows, "to")),
          softmax(w, rows, in.of_rows, z.scale(), growth)
    {
        w.fill(from, static_cast<double>(z.sk - 1)).copy(to, from);
        if (!z.mask.causal) return;
        w.iota(to, 0, first + z.mask.shift()).binary(Function::min, to, to, from);
        if (z.mask.window > 0) w.iota(from, 0, first + (z.mask.shift() + 1 - z.mask.window));
    }

    /// Scores that are not to be seen become −∞.
    void hide(const Affine& key)
    {
        w.when(z.mask.cuts(first, rows, key, z.block), [&] {
            for (Int from_key = 0; from_key < z.block; from_key += part) {
                const ViewRef some = part == z.block ? s : s(all, Interval(from_key, part));
                w.iota(column, 0, key + from_key);
                const auto mask = [&](const ViewRef& least, const ViewRef& most) {
                    w.binary(Function::less_equal, allowed, least, most);
                    w.select(some, allowed, some, softmax.low().repeated(1, part));
                };
                mask(column.repeated(0, rows), to.repeated(1, part));
                if (z.mask.window > 0) mask(from.repeated(1, part), column.repeated(0, rows));
            }
        });
    }
    /// The scores of a block of keys become probabilities; those that are not to be seen are none.
    void exponentiate(const Affine& key)
    {
        hide(key);
        softmax.step(w, s);
    }
};

} // namespace examples::attention

#endif
