// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/machine/atoms_of.hpp>
#include <axe/target/nvidia/tcgen05/forms.hpp>
#include <tests/one_block.hpp>
#include <tests/turns.hpp>
#include <tests/unit/target/nvidia/tensor_products.hpp>

using namespace axe;
using enum DType;

/// Products of pairs of blocks into the tensor memory of both.
namespace {

const Axis pair_tlane{"tlane"}, pair_tcol{"tcol"}, pair_warp{"warp"}, pair_lane{"lane"}, pair_reg{"reg"};

struct PairProduct {
    DType a = f16, b = f16, d = f32;
    std::int64_t m = 256, n = 32, k = 64; ///< m of the pair
    bool a_in_tensors = false, b_mn = false, twice = false;
    int span = 128, blocks = 2;
};

/// The sums in one block: of 256 rows 128 lanes, of 128 rows 64 lanes for each half of the columns.
Layout pair_sums_layout(const PairProduct& c)
{
    if (c.m == 256) return Layout{{{128, 1, pair_tlane}, {c.n, 1, pair_tcol}}};
    return Layout{{{64, 1, pair_tlane}, {2, 64, pair_tlane}, {c.n / 2, 1, pair_tcol}}};
}
Layout pair_registers_layout(const PairProduct& c)
{
    if (c.m == 256) return Layout{{{4, 1, pair_warp}, {32, 1, pair_lane}, {c.n, 1, pair_reg}}};
    return Layout{{{2, 1, pair_warp}, {32, 1, pair_lane}, {2, 2, pair_warp}, {c.n / 2, 1, pair_reg}}};
}

/// D = A·B (+ A·B): pairs of blocks have m rows each after the other, and a half of the columns of B each.
Program pair_program_of(const PairProduct& c)
{
    using Action = Mbarrier::Action;
    const std::int64_t pairs = c.blocks / 2, rows = c.m / 2, columns = c.n / 2;
    const int bytes = storage_bytes(c.a);
    Kernel k("pair", machines::sm100);
    const auto A = k.input("A", {pairs * c.m, c.k}, c.a), D = k.output("D", {pairs * c.m, c.n}, c.d);
    const auto B = k.input("B", c.b_mn ? Shape{c.k, c.n} : Shape{c.n, c.k}, c.b);
    if (!c.twice) k.computes(D, matmul(A, B, {.transpose_b = !c.b_mn}));
    k.cta(
        tiles(Shape{c.blocks}, Shape{1}), {{c.blocks}},
        [&](Scope cta, const Tile& t) {
            const Shape of_b = c.b_mn ? Shape{c.k, columns} : Shape{columns, c.k};
            const Interval mine(t.rank * rows, rows);
            const auto s = cta.alloc(Role::shared, {rows, c.k}, c.a, tensor_products::in_patterns(rows, c.k, c.span, bytes), "s");
            const auto b = cta.alloc(Role::shared, of_b, c.b, tensor_products::in_patterns(of_b[0], of_b[1], c.span, bytes), "b");
            const auto d = cta.alloc("tmem", {rows, c.n}, c.d, pair_sums_layout(c), "d");
            const auto r = cta.alloc(Role::registers, {rows, c.n}, c.d, pair_registers_layout(c), "r");
            cta.copy(s, A(mine, all));
            for (int rank = 0; rank < c.blocks; ++rank)
                cta.when(equals(t.rank, rank), [&] {
                    const Interval half(rank % 2 * columns, columns);
                    cta.copy(b, c.b_mn ? B(all, half) : B(half, all));
                });
            cta.warps(0, 1, [&](Scope w) { w.mbarrier({Action::init, 0, 1, {}}); });
            cta.proxy_fence().cluster_sync();
            std::optional<TensorRef> at;
            if (c.a_in_tensors) {
                Layout where{{{rows, 1, pair_tlane}, {c.k, 1, pair_tcol}}};
                if (rows == 64) where.replica = {{2, 64, pair_tlane}};
                at = cta.alloc("tmem", {rows, c.k}, c.a, where, "at");
            }
            for (int first = 0; first < c.blocks; first += 2)
                cta.when(equals(t.rank, first), [&] {
                    cta.warps(0, 1, [&](Scope w) {
                        Options how;
                        how.pair = true;
                        if (at) w.copy_async(*at, s, {.completes_on = -1, .pair = true});
                        const ViewRef left = at ? ViewRef(*at) : ViewRef(s);
                        how.async = true;
                        if (c.twice) w.gemm(d, left, b, {.accumulate = false, .transpose_b = !c.b_mn}, how);
                        how.async = false;
                        how.completes_on = 0;
                        how.multicast = static_cast<std::uint16_t>(3u << first);
                        w.gemm(d, left, b, {.accumulate = c.twice, .transpose_b = !c.b_mn}, how);
                    });
                });
            cta.mbarrier({Action::wait, 0, 0, 0}).tensor_fence_after();
            cta.copy(r, d).copy(D(mine, all), r).cluster_sync();
        },
        4);
    return trial::written(k);
}

Bindings pair_inputs_of(const Program& p)
{
    laws::Random r(100);
    return arrays::inputs_of(p, [&](const ProgramTensor& t, std::int64_t) { return t.dtype == u8 ? r.in(0, 9) : r.in(-4, 4); });
}

/// Equal to exact products, with checks and without, in all orders.
void check_pair_product(const PairProduct& c)
{
    INFO(name(c.a) << " x " << name(c.b) << " into " << name(c.d) << ", " << c.m << " x " << c.n << " x " << c.k << ", span "
                   << c.span << ", " << c.blocks << " blocks");
    const Program p = pair_program_of(c);
    const auto lowered = lower(p);
    INFO((lowered ? print(lowered->program) : lowered.error().text));
    REQUIRE(lowered);
    CHECK(print(lowered->program).find("tcgen05.mma.cta_group::2") != std::string::npos);
    const Bindings in = pair_inputs_of(p);
    const Array &a = *in.find("A"), &b = *in.find("B");
    tensor_products::check_in_orders(lowered->program, in, c.blocks / 2 * c.m, c.n, [&](std::int64_t i, std::int64_t j) {
        double sum = 0;
        for (std::int64_t l = 0; l < c.k; ++l) sum += a.at(i * c.k + l) * (c.b_mn ? b.at(l * c.n + j) : b.at(j * c.k + l));
        return sum * (c.twice ? 2 : 1);
    });
}

} // namespace

TEST_CASE("pairs of blocks: products of all kinds and sizes are exact")
{
    SECTION("sizes")
    {
        for (const std::int64_t m : {128, 256})
            for (const std::int64_t n : {16, 48, 224}) check_pair_product({.m = m, .n = n});
    }
    SECTION("kinds")
    {
        for (const std::int64_t m : {128, 256}) {
            check_pair_product({.a = bf16, .b = bf16, .m = m});
            check_pair_product({.a = tf32, .b = tf32, .m = m, .k = 32});
            check_pair_product({.a = e4m3, .b = e5m2, .m = m, .k = 128});
            check_pair_product({.a = i8, .b = u8, .d = i32, .m = m, .k = 128});
        }
    }
    SECTION("arrangements")
    {
        for (const int span : {0, 32, 64, 128}) check_pair_product({.span = span});
        check_pair_product({.n = 128, .b_mn = true});
        check_pair_product({.m = 128, .n = 256});
        check_pair_product({.m = 128, .n = 128, .b_mn = true});
    }
    SECTION("added to sums, and of two pairs")
    {
        for (const std::int64_t m : {128, 256}) {
            check_pair_product({.m = m, .twice = true});
            check_pair_product({.m = m, .blocks = 4});
        }
    }
    SECTION("A in tensor memory")
    {
        for (const std::int64_t m : {128, 256}) check_pair_product({.m = m, .a_in_tensors = true, .span = 0});
    }
}

TEST_CASE("pairs of blocks: the sizes that a product has")
{
    for (std::int64_t m = 32; m <= 320; m += 32)
        for (std::int64_t n = 0; n <= 288; n += 8)
            for (const bool integers : {false, true})
                for (const bool in_tensors : {false, true}) {
                    const bool is_m = m == 128 || m == 256, in_range = n >= 16 && n <= 256;
                    CHECK(is_tcgen05_pair_tile(m, n, integers, in_tensors) ==
                          (is_m && in_range && n % 16 == 0 && !((integers || in_tensors) && n % 32 != 0)));
                }
}

TEST_CASE("pairs of blocks: sums are where the atoms have them")
{
    int seen = 0;
    for (const Atom* atom : atoms_of(machines::sm100)) {
        const std::string name = atom->name;
        const bool is_a = name.find(".layoutA.") != std::string::npos, is_b = name.find(".layoutB.") != std::string::npos;
        if (!is_a && !is_b) continue;
        ++seen;
        const std::int64_t rows = atom->shape()[0] / 2, columns = atom->shape()[1], parts = tcgen05_parts(true, rows);
        for (std::int64_t i = 0; i < 2 * rows; ++i)
            for (std::int64_t j = 0; j < columns; ++j) {
                const auto point = evaluate(atom->layout(), i * columns + j).value();
                CHECK((point["cta"] == i / rows && point["tlane"] == tcgen05_pair_lane(i % rows, j / (columns / parts)) &&
                       point["tcol"] == j % (columns / parts)));
            }
    }
    CHECK(seen == 2);
}

TEST_CASE("pairs of blocks: what does not fit is declined, with the reason")
{
    const auto words = [](std::int64_t rows, std::int64_t n, const Options& how, const Layout& sums, DType type = f16) {
        Kernel k("declined", machines::sm100);
        k.cta(
            tiles(Shape{2}, Shape{1}), {{2}},
            [&](Scope cta, const Tile&) {
                const auto d = cta.alloc("tmem", {rows, n}, f32, sums, "d");
                const auto a = cta.alloc(Role::shared, {rows, 64}, type, tensor_products::in_patterns(rows, 64, 128, 2), "a");
                const auto b =
                    cta.alloc(Role::shared, {n / 2, 64}, type,
                              n % 16 == 0 ? Placement(tensor_products::in_patterns(n / 2, 64, 128, 2)) : Placement(), "b");
                cta.warps(0, 1, [&](Scope w) { w.gemm(d, a, b, {.accumulate = false, .transpose_b = true}, how); });
            },
            4);
        return trial::why_not(k);
    };
    using trial::has;
    const auto lanes = [](std::int64_t rows, std::int64_t n) { return Layout{{{rows, 1, pair_tlane}, {n, 1, pair_tcol}}}; };
    Options how;
    how.pair = true;
    has(words(128, 32, how, lanes(128, 32)), "neither `completes_on` nor `async` is given");
    how.async = true;
    has(words(128, 32, how, lanes(128, 32)), "lowered");
    has(words(128, 24, how, lanes(128, 24)), "256 x 24 is not made of tiles of 128 rows");
    has(words(128, 272, how, lanes(128, 272)), "256 x 272 is not made of tiles of 128 rows");
    has(words(64, 32, how, lanes(64, 32)), "(0,16) of d is in lane 0, element 16; a tile of 64 rows has it in lane 64, element 0");
    has(words(64, 32, how, pair_sums_layout({.m = 128, .n = 32})), "lowered");
    how.schedule = "wgmma";
    has(words(128, 32, how, lanes(128, 32)), "wgmma");
    how.schedule = "tcgen05";
    how.pair = false;
    Kernel k("halves", machines::sm100);
    one_block(k, 1, [&](Scope cta) {
        const auto d = cta.alloc("tmem", {128, 32}, f32, lanes(128, 32), "d");
        const auto a = cta.alloc(Role::shared, {128, 64}, f16, tensor_products::in_patterns(128, 64, 128, 2), "a");
        const auto b = cta.alloc(Role::shared, {16, 64}, f16, tensor_products::in_patterns(16, 64, 128, 2), "b");
        Options alone;
        alone.async = alone.pair = true;
        cta.gemm(d, a, b, {.accumulate = false, .transpose_b = true}, alone);
    });
    std::string texts;
    for (const axe::Problem& found : validate(k.program().value())) texts += found.text + "\n";
    has(texts, "it is of a pair of blocks; clusters of 0 are not made of pairs");
}

TEST_CASE("in tensor memory all products and copies of a grid are of pairs of blocks, or none")
{
    using Groups = std::vector<bool>; // which products are of a pair
    const auto problems_of = [](const std::vector<Groups>& grids) {
        Kernel k("groups", machines::sm100);
        for (const Groups& grid : grids)
            k.cta(
                tiles(Shape{2}, Shape{1}), {{2}},
                [&](Scope cta, const Tile&) {
                    const auto a = cta.alloc(Role::shared, {128, 16}, DType::f16, conflict_free, "a");
                    const auto b = cta.alloc(Role::shared, {16, 16}, DType::f16, conflict_free, "b");
                    const auto d = cta.alloc("tmem", {128, 32}, DType::f32, accumulator, "d");
                    const auto r = cta.alloc(Role::registers, {128, 32}, DType::f32, accumulator, "r");
                    cta.copy_async(d, r).copy_async(r, d); // of no group
                    for (const bool pair : grid)
                        cta.gemm(pair ? ViewRef(d) : ViewRef(d(all, Interval(0, 16))), a, b,
                                 {.accumulate = false, .transpose_b = true}, {.async = true, .pair = pair});
                },
                4);
        std::vector<std::string> out;
        for (const Problem& problem : validate(k.program().value())) out.push_back(problem.text);
        return out;
    };
    const auto has = [](const std::vector<std::string>& texts, const std::string& words) {
        return texts.size() == 1 && texts[0].find(words) != std::string::npos;
    };
    CHECK(problems_of({{true, true}}).empty());
    CHECK(problems_of({{false, false}}).empty());
    CHECK(problems_of({{true, true}, {false}, {true}}).empty());
    CHECK(has(problems_of({{true, true, false}}), "it is not of a pair of blocks and statement "));
    CHECK(has(problems_of({{false}, {false, true}}), "it is of a pair of blocks and statement "));
}
