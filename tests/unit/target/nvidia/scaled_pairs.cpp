// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/random.hpp>
#include <tests/required.hpp>
#include <tests/unit/target/nvidia/tensor_products.hpp>

#include <cmath>
#include <numeric>

/// Products with block scales of pairs of blocks, and with A in tensor memory.
using namespace axe;
using enum DType;

namespace {

const Axis scaled_tlane{"tlane"}, scaled_tcol{"tcol"};

struct ScaledPair {
    DType a = e4m3, b = e4m3, scale = e8m0;
    std::int64_t n = 32, k = 128, block = 32;
    int per_byte = 1, span = 32, blocks = 2; ///< a pair, two pairs, or one block
    bool a_in_tensors = false, twice = false;
    std::int64_t rows = 128; ///< of one block
    bool one_copy = false;   ///< of A in tensor memory, of 64 rows
    enum class Slip { none, no_proxy_fence, no_cluster_barrier, no_wait, no_fence_after, no_scales } slip = Slip::none;

    [[nodiscard]] bool pair() const { return blocks > 1; }
    [[nodiscard]] std::int64_t parts() const { return pair() && rows == 64 ? 2 : 1; }
    [[nodiscard]] std::int64_t scales() const
    {
        const std::int64_t together = parts() == 2 && padded_n() == 128 ? 8 : 4;
        return (k / block + together - 1) / together * together;
    }
    [[nodiscard]] std::int64_t padded_n() const { return (n + 127) / 128 * 128; }
};

/// D = A·Bᵀ (+ A·Bᵀ) with scales: each block has 128 rows, or 64 in two parts, and of a pair half of the columns of B, but the scales of all.
Program scaled_pair_program(const ScaledPair& c)
{
    using Action = Mbarrier::Action;
    using Slip = ScaledPair::Slip;
    const std::int64_t columns = c.pair() ? c.n / 2 : c.n;
    Kernel k("scaled_pair", machines::sm100);
    const auto A = k.input("A", {c.blocks * c.rows, c.k}, c.a), B = k.input("B", {c.n, c.k}, c.b);
    const auto SFA = k.input("SFA", {c.blocks * 128, c.scales()}, c.scale),
               SFB = k.input("SFB", {c.padded_n(), c.scales()}, c.scale);
    const auto D = k.output("D", {c.blocks * c.rows, c.n}, f32);
    const auto body = [&](Scope cta, const Tile& t) {
        const Affine rank = c.pair() ? t.rank : Affine(0);
        const Interval mine(rank * c.rows, c.rows), scaled(rank * 128, 128);
        const auto s =
            cta.alloc(Role::shared, {c.rows, c.k}, c.a, tensor_products::in_patterns(c.rows, c.k, c.span, 1, c.per_byte), "s");
        const auto b =
            cta.alloc(Role::shared, {columns, c.k}, c.b, tensor_products::in_patterns(columns, c.k, c.span, 1, c.per_byte), "b");
        const auto [sa, ta] = tensor_products::alloc_scales(cta, {128, c.scales()}, c.scale, "a");
        const auto [sb, tb] = tensor_products::alloc_scales(cta, {c.padded_n(), c.scales()}, c.scale, "b", c.parts());
        const bool split = c.rows == 64;
        const Layout sums{{{64, 1, scaled_tlane}, {2, 64, scaled_tlane}, {c.n / 2, 1, scaled_tcol}}};
        const auto d = split ? cta.alloc("tmem", {64, c.n}, f32, sums, "d") : cta.alloc("tmem", {128, c.n}, f32, accumulator, "d");
        const std::int64_t part = split ? c.n : std::gcd(c.n, std::int64_t{32}); // that registers have at a time
        const Axis warp{"warp"}, lane{"lane"}, reg{"reg"};
        const Layout held{{{2, 1, warp}, {32, 1, lane}, {2, 2, warp}, {c.n / 2, 1, reg}}};
        const auto r = split ? cta.alloc(Role::registers, {64, c.n}, f32, held, "r")
                             : cta.alloc(Role::registers, {128, part}, f32, accumulator, "r");
        cta.copy(s, A(mine, all)).copy(sa, SFA(scaled, all)).copy(sb, SFB);
        for (int one = 0; one < c.blocks; ++one)
            cta.when(equals(rank, one), [&] { cta.copy(b, B(Interval(one % 2 * columns, columns), all)); });
        std::optional<TensorRef> at;
        if (c.a_in_tensors) {
            Layout rows{{{c.rows, 1, scaled_tlane}, {c.k, 1, scaled_tcol}}};
            if (split && !c.one_copy) rows.replica.push_back({2, 64, scaled_tlane});
            at = cta.alloc("tmem", {c.rows, c.k}, c.a, rows, "at");
        }
        cta.warps(0, 1, [&](Scope w) { w.mbarrier({Action::init, 0, 1, {}}); });
        if (c.slip != Slip::no_proxy_fence) cta.proxy_fence();
        if (c.pair() && c.slip != Slip::no_cluster_barrier)
            cta.cluster_sync();
        else
            cta.sync();
        for (int first = 0; first < c.blocks; first += 2)
            cta.when(equals(rank, first), [&] {
                cta.warps(0, 1, [&](Scope w) {
                    Options how;
                    how.pair = c.pair();
                    how.completes_on = -1;
                    if (at && !c.one_copy) w.copy_async(*at, s, how);
                    w.copy_async(ta, sa, how);
                    if (c.slip != Slip::no_scales) w.copy_async(tb, sb, how);
                    const ViewRef left = at ? ViewRef(*at) : ViewRef(s);
                    const Interval ss(0, c.k / c.block);
                    how.schedule = "tcgen05_scaled";
                    how.async = true;
                    const auto multiply = [&](bool onto) {
                        w.scaled_gemm(d, left, b, ta(Interval(0, c.rows), ss), tb(Interval(0, c.n), ss),
                                      {.accumulate = onto, .transpose_b = true}, how);
                    };
                    if (c.twice) multiply(false);
                    how.async = false;
                    how.completes_on = 0;
                    if (c.pair()) how.multicast = static_cast<std::uint16_t>(3u << first);
                    multiply(c.twice);
                });
            });
        if (c.slip != Slip::no_wait) cta.mbarrier({Action::wait, 0, 0, 0});
        if (c.slip != Slip::no_fence_after) cta.tensor_fence_after();
        for (std::int64_t j = 0; j < c.n; j += part)
            cta.copy_async(r, d(all, Interval(j, part))).wait_tensor_loads().copy(D(mine, Interval(j, part)), r);
        if (c.pair()) cta.cluster_sync();
    };
    if (c.pair())
        k.cta(tiles(Shape{c.blocks}, Shape{1}), {{c.blocks}}, body, 4);
    else
        k.cta(tiles(1, 1), body, 4);
    return trial::written(k);
}

Bindings scaled_pair_inputs(const Program& p, int low, int high)
{
    Bindings in;
    laws::Random r(23);
    for (const ProgramTensor& t : p.tensors) {
        if (t.binding != Binding::input) continue;
        Array x = Array::make(t.shape, t.dtype).value();
        for (std::int64_t i = 0; i < x.size(); ++i) do {
                x.set_bits(i, t.dtype == e8m0 ? static_cast<std::uint64_t>(r.in(127 + low, 127 + high))
                                              : r.next() % (1u << bits(t.dtype)));
            } while (!std::isfinite(x.at(i)));
        in.set(t.name, std::move(x));
    }
    return in;
}

float scaled_pair_sum(const ScaledPair& c, const Bindings& in, std::int64_t i, std::int64_t j)
{
    const Array &A = *in.find("A"), &B = *in.find("B"), &SFA = *in.find("SFA"), &SFB = *in.find("SFB");
    const auto term = [&](std::int64_t l) {
        const long double a =
            static_cast<long double>(A.at(i * c.k + l) * SFA.at((i / c.rows * 128 + i % c.rows) * c.scales() + l / c.block));
        return a * static_cast<long double>(B.at(j * c.k + l) * SFB.at(j * c.scales() + l / c.block));
    };
    const float once = tensor_products::chain(c.k, term);
    return c.twice ? tensor_products::chain(c.k, term, once) : once;
}

void check_scaled_pair(const ScaledPair& c, int low = -4, int high = 4, bool all_orders = true)
{
    INFO(name(c.a) << " x " << name(c.b) << ", n " << c.n << ", k " << c.k << ", " << c.blocks << " blocks, scales of "
                   << name(c.scale) << (c.a_in_tensors ? ", A in tensor memory" : ""));
    const Program p = scaled_pair_program(c);
    const auto lowered = required(lower(p));
    CHECK(print(lowered->program).find(std::string("tcgen05.mma.cta_group::") + (c.pair() ? "2" : "1")) != std::string::npos);
    const Bindings in = scaled_pair_inputs(p, low, high);
    tensor_products::check_in_orders(
        lowered->program, in, c.blocks * c.rows, c.n, [&](std::int64_t i, std::int64_t j) { return scaled_pair_sum(c, in, i, j); },
        all_orders);
}

} // namespace

TEST_CASE("scaled pairs: products of two blocks are one chain of exact products, in all orders")
{
    SECTION("sizes")
    {
        for (const std::int64_t n : {16, 48, 160}) check_scaled_pair({.n = n, .k = 64});
        check_scaled_pair({.span = 128, .twice = true});
        check_scaled_pair({.k = 32, .blocks = 4});
    }
    SECTION("types")
    {
        check_scaled_pair({.a = e5m2, .b = e2m1});
        check_scaled_pair({.a = e2m1, .b = e2m1, .per_byte = 2});
        check_scaled_pair({.a = e2m1, .b = e2m1, .scale = ue4m3, .block = 16, .per_byte = 2});
    }
    SECTION("scales far from 1") { check_scaled_pair({.k = 64}, -60, 60); }
}

TEST_CASE("scaled pairs: A in tensor memory, of one block and of two")
{
    for (const int blocks : {1, 2}) {
        check_scaled_pair({.span = 0, .blocks = blocks, .a_in_tensors = true});
        check_scaled_pair({.a = e5m2, .n = 64, .k = 64, .span = 0, .blocks = blocks, .a_in_tensors = true, .twice = true});
    }
}

TEST_CASE("scaled pairs: 128 rows of two blocks, with scales of B in two parts of the lanes")
{
    const auto check = [](const ScaledPair& c) { check_scaled_pair(c, -4, 4, false); };
    SECTION("sizes")
    {
        check_scaled_pair({.n = 128, .k = 32, .rows = 64});
        check({.n = 256, .k = 64, .span = 64, .twice = true, .rows = 64});
        check({.n = 128, .k = 288, .rows = 64}); // of 16 scales two copies
        check({.n = 128, .k = 32, .blocks = 4, .rows = 64});
    }
    SECTION("types")
    {
        check({.a = e5m2, .b = e2m1, .n = 128, .k = 64, .rows = 64});
        check({.a = e2m1, .b = e2m1, .n = 128, .k = 64, .per_byte = 2, .rows = 64});
        check({.a = e2m1, .b = e2m1, .scale = ue4m3, .n = 256, .k = 64, .block = 16, .per_byte = 2, .rows = 64});
    }
    SECTION("A in tensor memory")
    {
        for (const std::int64_t n : {128, 256}) check({.n = n, .k = 64, .span = 0, .a_in_tensors = true, .rows = 64});
    }
    SECTION("scales far from 1") { check_scaled_pair({.n = 128, .k = 32, .rows = 64}, -60, 60, false); }
}

TEST_CASE("scaled pairs: scales in two parts, in tensor and in shared memory")
{
    for (const std::int64_t rows : {128, 256})
        for (const std::int64_t scales : {8, 16}) {
            const Shape shape{2, rows, scales};
            const auto there = tensor_scale_layout(shape, 2), shared = shared_scale_layout(shape, 2);
            REQUIRE((there && shared));
            const ScaleCopy box = scale_copy(2, rows);
            REQUIRE(scale_copies(2, 512) == std::vector<std::int64_t>{0, 32 * 512});
            REQUIRE(there->replica[0] == Iter{2, 32, scaled_tlane});
            Layout first_copy = *there;
            first_copy.replica = {};
            std::vector<bool> used(static_cast<std::size_t>(128 * 2 * rows / 64 * scales), false);
            for (std::int64_t which = 0; which < 2; ++which)
                for (std::int64_t row = 0; row < rows; ++row)
                    for (std::int64_t s = 0; s < scales; ++s) {
                        const Point at = evaluate(first_copy, (which * rows + row) * scales + s).value();
                        // Lanes 0 to 63 of D have the first half of the columns, 64 to 127 the second: so do the scales.
                        REQUIRE(at[scaled_tlane] / 64 == row / (rows / 2));
                        REQUIRE(at[scaled_tlane] == scale_lane(row, rows / 2));
                        REQUIRE(at[scaled_tcol] ==
                                which * rows / 64 * scales + s / 4 * (rows / 64 * 4) + scale_byte(row, s % 4, rows / 2));
                        for (const std::int64_t copy : scale_copies(2)) {
                            const auto cell =
                                static_cast<std::size_t>((at[scaled_tlane] + copy) * 2 * rows / 64 * scales + at[scaled_tcol]);
                            REQUIRE_FALSE(used[cell]);
                            used[cell] = true;
                        }
                    }
            // Byte l of row i of a copy comes to the lane and the byte that it has in 64x128b.warpx2::01_23.
            for (std::int64_t first = 0; first < scales; first += box.scales)
                for (std::int64_t i = 0; i < 64; ++i)
                    for (std::int64_t l = 0; l < 16; ++l) {
                        const std::int64_t element = box.row(i, l) * scales + first + box.scale(l);
                        const Point from = evaluate(*shared, element).value(), to = evaluate(first_copy, element).value();
                        REQUIRE(from[Axis{"m"}] == first / box.scales * 1024 + i * 16 + l);
                        REQUIRE(to[scaled_tlane] == i / 32 * 64 + i % 32);
                        REQUIRE(to[scaled_tcol] == first / box.scales * 16 + l);
                    }
        }
    for (const Shape& shape : {Shape{64, 8}, Shape{128, 4}, Shape{192, 8}, Shape{512, 8}, Shape{256, 6}, Shape{256}}) {
        CHECK_FALSE(tensor_scale_layout(shape, 2));
        CHECK_FALSE(shared_scale_layout(shape, 2));
    }
    CHECK(tensor_scale_layout({128, 4}, 2).error().text ==
          "scales of 128 rows, 4 for each, in two parts; they must be of 128 rows, a multiple of 8, or of 256, of 4");
}

TEST_CASE("scaled pairs: the sizes that a product has")
{
    for (std::int64_t m = 32; m <= 320; m += 32)
        for (std::int64_t n = 0; n <= 288; n += 4)
            for (const bool in_tensors : {false, true}) {
                CHECK(is_scaled_tile(m, n, in_tensors) == (m == 128 && n >= 8 && n <= 256 && n % (in_tensors ? 16 : 8) == 0));
                CHECK(
                    is_scaled_pair_tile(m, n, in_tensors) ==
                    ((m == 256 && n >= 16 && n <= 256 && n % (in_tensors ? 32 : 16) == 0) || (m == 128 && (n == 128 || n == 256))));
            }
}

TEST_CASE("scaled pairs: what does not fit is declined, with the reason")
{
    const auto why = [](const ScaledPair& c) {
        const auto lowered = lower(scaled_pair_program(c));
        return lowered ? std::string("lowered") : lowered.error().text;
    };
    using trial::has;
    has(why({}), "lowered");
    has(why({.n = 272, .k = 32}),
        "256 x 272 is no tile with scales of a pair: 256 rows, a multiple of 16 columns, or 128 rows, 128 or 256 columns");
    has(why({.n = 64, .rows = 64}), "128 x 64 is no tile with scales of a pair");
    has(why({.n = 128, .span = 0, .a_in_tensors = true, .rows = 64, .one_copy = true}),
        "at does not have its rows as often as the product reads them, which is 2 times, 64 lanes apart");
    has(why({.n = 48, .span = 0, .a_in_tensors = true}), "256 x 48 is no tile with scales of a pair");
    has(why({.n = 8, .span = 0, .blocks = 1, .a_in_tensors = true}), "128 x 8 is not made of tiles with scales");
    has(why({.a = e3m2, .span = 0, .blocks = 1, .a_in_tensors = true}), "lowered");
    // It goes on by itself; and the scales of B are those of all columns.
    const auto said = [](bool all_scales) {
        Kernel k("declined", machines::sm100);
        k.cta(
            tiles(Shape{2}, Shape{1}), {{2}},
            [&](Scope cta, const Tile&) {
                const auto d = cta.alloc("tmem", {128, 128}, f32, accumulator, "d");
                const auto a = cta.alloc(Role::shared, {128, 128}, e4m3, tensor_products::in_patterns(128, 128, 32), "a");
                const auto b = cta.alloc(Role::shared, {64, 128}, e4m3, tensor_products::in_patterns(64, 128, 32), "b");
                const auto t = cta.alloc("tmem", {128, 4}, e8m0, tensor_scale_layout({128, 4}).value(), "t");
                Options how;
                how.pair = true;
                cta.warps(0, 1, [&](Scope w) {
                    w.scaled_gemm(d, a, b, t, all_scales ? ViewRef(t) : ViewRef(t(Interval(0, 48), all)),
                                  {.accumulate = false, .transpose_b = true}, how);
                });
            },
            4);
        const auto program = k.program();
        if (!program) return program.error().text;
        const auto lowered = lower(*program);
        return lowered ? std::string("lowered") : lowered.error().text;
    };
    has(said(true), "neither `completes_on` nor `async` is given");
    has(said(false), "each dimension of the scales must divide that of what they scale");
}

TEST_CASE("scaled pairs: without a barrier, a fence, a wait or a copy of scales a run says where, in all orders")
{
    using Slip = ScaledPair::Slip;
    struct Row {
        Slip slip;
        std::vector<sim::FaultKind> kinds;
    };
    using enum sim::FaultKind;
    for (const Row& row :
         {Row{Slip::no_proxy_fence, {proxy}}, Row{Slip::no_cluster_barrier, {lifetime}}, Row{Slip::no_wait, {race, uninitialized}},
          Row{Slip::no_fence_after, {proxy}}, Row{Slip::no_scales, {uninitialized}}}) {
        const bool split = row.slip == Slip::no_wait || row.slip == Slip::no_scales;
        const Program p = split ? scaled_pair_program({.n = 128, .k = 64, .rows = 64, .slip = row.slip})
                                : scaled_pair_program({.n = 16, .k = 64, .slip = row.slip});
        const auto lowered = required(lower(p));
        const Bindings in = scaled_pair_inputs(p, -1, 1);
        for (const sim::RunOrder order : sim::all_run_orders) {
            sim::RunOptions options;
            options.order = order;
            const auto report = sim::run(lowered->program, in, options);
            INFO(static_cast<int>(row.slip) << (report ? report->fault.text : report.error().text));
            REQUIRE(report);
            CHECK_FALSE(report->ok());
            CHECK(std::find(row.kinds.begin(), row.kinds.end(), report->fault.kind) != row.kinds.end());
        }
    }
}
