// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Items sorted by their experts, the items of each expert from a multiple of a tile on: blocks count, one of them places the experts, all place
// their items. They meet at a flag in global memory, or are a cluster, whose first block has the counts in its shared memory.
#include "../common/bytes.hpp"

#include <algorithm>
#include <bit>

namespace examples {
namespace {

using namespace axe;
using enum axe::DType;

constexpr std::int64_t align_lanes = 128, align_items = 256; ///< lanes of a block; items that it takes at once
constexpr std::int64_t align_nowhere = 2147483647;           ///< where experts begin that there are not

struct AlignSizes {
    std::int64_t n, E, B;
    bool cluster;
    [[nodiscard]] std::int64_t blocks() const { return cluster ? 8 : 4; }
    [[nodiscard]] std::int64_t items() const { return std::max<std::int64_t>(1, n); }
    [[nodiscard]] std::int64_t places() const { return std::max<std::int64_t>(1, n + E * (B - 1)); }
    [[nodiscard]] std::int64_t row_tiles() const { return (places() + B - 1) / B; }
    [[nodiscard]] int shift() const { return std::countr_zero(static_cast<std::uint64_t>(B)); }
    /// Experts, the end, and what there is not, in all lanes.
    [[nodiscard]] std::int64_t wide() const
    {
        return std::max<std::int64_t>(align_lanes, static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(E + 1))));
    }
};

AlignSizes align_sizes(const Setting& setting)
{
    return {setting.number("n"), setting.number("E"), setting.number("B"), setting.word("form") == "cluster"};
}

struct AlignTensors {
    TensorRef ids, arrived, sorted, expert_ids, post;
    TensorRef totals, offsets; ///< in global memory: items of each expert; where each begins
};

/// What one block does.
class Aligner {
  public:
    Aligner(Scope cta, const AlignSizes& z, const AlignTensors& of, const Affine& block)
        : cta_(cta),
          z_(z),
          of_(of),
          block_(block),
          own_(shared("own")),
          first_(shared("first")),
          totals_(z.cluster ? shared("totals") : of.totals),
          each_(registers(z.wide(), "each")),
          before_(registers(z.wide(), "before")),
          x_(registers(align_items, "x")),
          number_(registers(align_items, "number")),
          in_(registers(align_items, "in")),
          some_(registers(align_items, "some"))
    {
    }

    void run()
    {
        clear();
        cta_.sync();
        for_items([&](const Interval&) { cta_.fill(some_, 1).atomic_rows(Function::add, own_.guarded(), x_, some_); });
        meet(true); // totals are 0
        const auto count = registers(z_.wide(), "count");
        cta_.iota(each_, 0).copy(count, own_);
        cta_.atomic_rows(Function::add, z_.cluster ? totals_.of_block(0) : ViewRef(totals_), each_, count, before_);
        meet(); // totals are whole
        cta_.when(equals(block_, 0), [&] { place_experts(); });
        meet(); // experts begin where they do
        take_offsets();
        cta_.sync();
        cta_.when(equals(block_, 0), [&] { cta_.copy(of_.post, first_(Interval(z_.E, 1))); });
        number_tiles();
        for_items([&](const Interval&) { place_items(); });
        if (z_.cluster) cta_.cluster_sync(); // the first block's memory is there as long as others read it
    }

  private:
    [[nodiscard]] TensorRef shared(const char* name) { return cta_.alloc(Role::shared, {z_.wide()}, i32, {}, name); }
    [[nodiscard]] TensorRef registers(std::int64_t n, const char* name)
    {
        const Layout spread{{{n / align_lanes, 1, "reg"}, {align_lanes / 32, 1, "warp"}, {32, 1, "lane"}}, {}, {}};
        return cta_.alloc(Role::registers, {n}, i32, spread, name);
    }

    /// All blocks come here before any goes on. `in_order`: what other blocks are to see is before a barrier already.
    void meet(bool in_order = false)
    {
        if (z_.cluster) {
            cta_.cluster_sync();
            return;
        }
        if (!in_order) cta_.sync();
        const int wanted = static_cast<int>(++meetings_ * z_.blocks());
        cta_.warps(0, 1, [&](Scope warp) {
            warp.add_to_flag(of_.arrived(Interval(0, 1)), 1).wait_at_least(of_.arrived(Interval(0, 1)), wanted);
        });
        cta_.sync();
    }

    /// Nothing is counted, and no place has an item.
    void clear()
    {
        cta_.fill(own_, 0).fill(each_, 0);
        cta_.when(equals(block_, 0), [&] { cta_.copy(totals_, each_); });
        const std::int64_t chunks = (z_.places() + align_items - 1) / align_items;
        cta_.loop(block_, chunks, z_.blocks(), [&](const Affine& i) {
            cta_.fill(of_.sorted(Interval(i * align_items, align_items)).guarded(), static_cast<double>(z_.n));
        });
    }

    /// Items of this block and their experts, −1 behind the last.
    void for_items(const std::function<void(const Interval&)>& body)
    {
        cta_.loop(block_, (z_.n + align_items - 1) / align_items, z_.blocks(), [&](const Affine& i) {
            const Interval items(i * align_items, align_items);
            cta_.copy(x_, of_.ids(items).guarded()).iota(number_, 0, items.begin).fill(some_, static_cast<double>(z_.n));
            cta_.binary(Function::less, in_, number_, some_).fill(some_, -1).select(x_, in_, x_, some_);
            body(items);
        });
    }

    /// Each expert begins at a multiple of B behind the one before it; the end comes last.
    void place_experts()
    {
        const auto rows = registers(z_.wide(), "rows"), constant = registers(z_.wide(), "constant"),
                   is = registers(z_.wide(), "is");
        cta_.copy(rows, totals_).fill(constant, static_cast<double>(z_.B - 1)).binary(Function::add, rows, rows, constant);
        cta_.fill(constant, static_cast<double>(-z_.B)).binary(Function::bit_and, rows, rows, constant);
        cta_.scan(Function::add, rows, rows, 0, true);
        cta_.fill(constant, static_cast<double>(z_.E)).binary(Function::less_equal, is, each_, constant);
        cta_.fill(constant, static_cast<double>(align_nowhere)).select(rows, is, rows, constant);
        cta_.copy(z_.cluster ? first_ : of_.offsets, rows);
    }

    /// Where experts begin; and where this block's items do, behind those of the blocks that have added theirs before.
    void take_offsets()
    {
        const auto begin = registers(z_.wide(), "begin");
        cta_.copy(begin, z_.cluster ? first_.of_block(0) : ViewRef(of_.offsets));
        if (z_.cluster)
            cta_.when(differs(block_, 0), [&] { cta_.copy(first_, begin); }); // the first block has it, and others read it there
        else
            cta_.copy(first_, begin);
        cta_.binary(Function::add, begin, begin, before_).copy(own_, begin);
    }

    /// The expert of tile j is the last that begins at j·B or before: E, behind the end, becomes 0.
    void number_tiles()
    {
        const auto of = [&](const char* name) { return registers(align_lanes, name); };
        const auto at = of("at"), expert = of("expert"), next = of("next"), start = of("start"), hit = of("hit"),
                   constant = of("constant");
        cta_.loop(block_, (z_.row_tiles() + align_lanes - 1) / align_lanes, z_.blocks(), [&](const Affine& i) {
            const Interval tiles(i * align_lanes, align_lanes);
            cta_.iota(at, 0, tiles.begin).fill(constant, z_.shift()).binary(Function::shift_left, at, at, constant).fill(expert, 0);
            for (std::int64_t step = z_.wide() / 2; step > 0; step /= 2) {
                cta_.fill(constant, static_cast<double>(step)).binary(Function::add, next, expert, constant);
                cta_.gather(start, first_, next).binary(Function::less_equal, hit, start, at).select(expert, hit, next, expert);
            }
            cta_.fill(constant, static_cast<double>(z_.E)).binary(Function::less, hit, expert, constant).fill(constant, 0);
            cta_.select(expert, hit, expert, constant).copy(of_.expert_ids(tiles).guarded(), expert);
        });
    }

    /// Each item takes the next place of its expert.
    void place_items()
    {
        const auto place = registers(align_items, "place");
        cta_.fill(some_, 1).atomic_rows(Function::add, own_.guarded(), x_, some_, place);
        cta_.fill(some_, -1).select(place, in_, place, some_).scatter(of_.sorted.guarded(), place, number_);
    }

    Scope cta_;
    const AlignSizes& z_;
    const AlignTensors& of_;
    Affine block_;
    std::int64_t meetings_ = 0;
    TensorRef own_, first_, totals_; ///< items of the block, then their next places; where experts begin; items of all blocks
    TensorRef each_, before_;        ///< the expert's number; its items in blocks before
    TensorRef x_, number_, in_, some_;
};

/// Items of each expert in order, and where it begins.
struct Aligned {
    std::vector<std::vector<std::int64_t>> items;
    std::vector<std::int64_t> first{0};

    Aligned(const Array& ids, const AlignSizes& z) : items(static_cast<std::size_t>(z.E))
    {
        for (std::int64_t i = 0; i < z.n; ++i) items.at(static_cast<std::size_t>(ids.at(i))).push_back(i);
        for (const auto& of : items) first.push_back(first.back() + (static_cast<std::int64_t>(of.size()) + z.B - 1) / z.B * z.B);
    }
};

/// Which item of an expert is at which of its places depends on the order of the run: any of them; `align_conclusion` looks at them as a set.
void align_state(Kernel& k, const AlignSizes& z, const AlignTensors& of)
{
    const auto sorted = [=](const std::vector<const Array*>& given, std::vector<Estimate>& out) {
        const Aligned a(*given[0], z);
        for (Estimate& e : out) e.value = static_cast<double>(z.n);
        for (std::size_t e = 0; e < a.items.size(); ++e)
            for (std::size_t i = 0; i < a.items[e].size(); ++i) {
                const auto least = static_cast<double>(a.items[e].front()), most = static_cast<double>(a.items[e].back());
                out[static_cast<std::size_t>(a.first[e]) + i] = {(least + most) / 2, (most - least) / 2, 0};
            }
    };
    const auto experts = [=](const std::vector<const Array*>& given, std::vector<Estimate>& out) {
        const Aligned a(*given[0], z);
        for (std::size_t e = 0; e < a.items.size(); ++e)
            for (std::int64_t j = a.first[e] / z.B; j < a.first[e + 1] / z.B; ++j)
                out[static_cast<std::size_t>(j)].value = static_cast<double>(e);
    };
    const auto post = [=](const std::vector<const Array*>& given, std::vector<Estimate>& out) {
        out[0].value = static_cast<double>(Aligned(*given[0], z).first.back());
    };
    k.computes(of.sorted, by_function("align_sorted", sorted, {of.ids}, {z.places()}, i32));
    k.computes(of.expert_ids, by_function("align_experts", experts, {of.ids}, {z.row_tiles()}, i32));
    k.computes(of.post, by_function("align_end", post, {of.ids}, {1}, i32));
    if (!z.cluster) k.computes(of.arrived, of.arrived + static_cast<int>(3 * z.blocks()));
}

Result<Program, axe::Problem> align_program(const Setting& setting)
{
    const AlignSizes z = align_sizes(setting);
    if (!std::has_single_bit(static_cast<std::uint64_t>(z.B)))
        return Problem(errc::bad_argument, "moe_align: B is " + setting.word("B") + "; it must be a power of two");
    const Limit* most = find_limit(setting.machine, "cluster.ctas");
    if (z.cluster && (most == nullptr || most->value < z.blocks()))
        return Problem(errc::bad_argument,
                       "moe_align: form=cluster needs clusters of 8 blocks; " + std::string(setting.machine.name) + " has none");
    Kernel k("moe_align", setting.machine);
    const auto local = [&](const char* name) { return k.alloc(Role::global, {z.wide()}, i32, {}, name); };
    const AlignTensors of{k.input("ids", {z.items()}, i32),
                          z.cluster ? k.input("arrived", {1}, i32) : k.inout("arrived", {1}, i32),
                          k.output("sorted", {z.places()}, i32),
                          k.output("expert_ids", {z.row_tiles()}, i32),
                          k.output("post", {1}, i32),
                          local("totals"),
                          local("offsets")};
    align_state(k, z, of);
    const auto body = [&](Scope cta, const Tile& t) { Aligner(cta, z, of, t.index[0]).run(); };
    if (z.cluster)
        k.cta(tiles(z.blocks(), 1), Clusters{{z.blocks()}}, body);
    else
        k.cta(tiles(z.blocks(), 1), body);
    return k.program();
}

/// Experts that items have by turns, some more often, or the last one only; no block has met yet.
Result<Bindings, axe::Problem> align_inputs(const Setting& setting, const Program& program)
{
    const AlignSizes z = align_sizes(setting);
    auto in = made_inputs(setting, program);
    if (!in) return in;
    Array& ids = *in->find("ids");
    for (std::int64_t i = 0; i < ids.size() && setting.files.path("ids").empty(); ++i)
        ids.set(i, static_cast<double>(setting.word("routing") == "last" ? z.E - 1 : i * i % 1009 * 7 % z.E));
    for (std::int64_t i = 0; i < z.n; ++i)
        if (ids.at(i) < 0 || ids.at(i) >= static_cast<double>(z.E))
            return Problem(errc::out_of_domain, "moe_align: item " + std::to_string(i) + " has expert " +
                                                    std::to_string(static_cast<std::int64_t>(ids.at(i))) + "; experts are 0 to " +
                                                    std::to_string(z.E - 1));
    if (setting.files.path("arrived").empty()) in->find("arrived")->set(0, 0);
    return in;
}

/// The places of each expert have its items, each once.
Result<Conclusion, axe::Problem> align_conclusion(const Setting& setting, const Ending& end)
{
    const AlignSizes z = align_sizes(setting);
    const Aligned a(*end.inputs.find("ids"), z);
    const Array& sorted = *end.outputs.find("sorted");
    Conclusion out;
    std::int64_t wrong = 0, used = 0;
    for (std::size_t e = 0; e < a.items.size(); ++e) {
        std::vector<std::int64_t> found;
        for (std::size_t i = 0; i < a.items[e].size(); ++i)
            found.push_back(static_cast<std::int64_t>(sorted.at(a.first[e] + static_cast<std::int64_t>(i))));
        std::sort(found.begin(), found.end());
        wrong += found == a.items[e] ? 0 : 1;
        used += found.empty() ? 0 : 1;
    }
    out.ok = wrong == 0;
    out.lines.push_back("experts with items: " + std::to_string(used) + "; whose items are not in their places: " +
                        std::to_string(wrong) + "; tiles: " + std::to_string(a.first.back() / z.B) + " of " + std::to_string(z.B));
    return out;
}

} // namespace

const Example moe_align{"moe_align",
                        "items sorted by their experts, each of which begins at a multiple of a tile",
                        {{"n", "1100", "items", 1 << 20, {}, 0},
                         {"E", "20", "experts", 1 << 10},
                         {"B", "16", "items of a tile, a power of two", 1 << 10},
                         {"form", "atomic", "blocks of a grid, or of a cluster", 0, {"atomic", "cluster"}},
                         {"routing", "spread", "which experts items have", 0, {"spread", "last"}}},
                        {"sm90", "sm100", "sm80"},
                        {1},
                        align_program,
                        align_inputs,
                        align_conclusion};

} // namespace examples
