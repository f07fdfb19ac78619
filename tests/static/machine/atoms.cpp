// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atoms as constants: every row is sound, a row may be found and used by the compiler, and a bad row is refused.
#include <axe/layout/equal.hpp>
#include <axe/layout/evaluate.hpp>
#include <axe/target/atoms.hpp>

#include <type_traits>

namespace {

static_assert(std::is_trivially_copyable_v<axe::Atom>);
static_assert(sizeof(axe::Atom) < sizeof(axe::Layout) / 2); // a row is lighter than the layout it stands for

template <int N>
constexpr bool sound(const axe::Atom (&rows)[N])
{
    for (const axe::Atom& atom : rows)
        if (!check(atom).ok()) return false;
    return true;
}
static_assert(sound(axe::atoms::amd_mfma::rows) && sound(axe::atoms::amd_wmma::rows));
static_assert(sound(axe::atoms::nvidia_mma::rows) && sound(axe::atoms::nvidia_ldmatrix::rows));
static_assert(sound(axe::atoms::nvidia_wgmma::rows) && sound(axe::atoms::nvidia_tcgen05::rows));
static_assert(sound(axe::atoms::apple::rows) && sound(axe::atoms::ascend::rows) && sound(axe::atoms::intel::rows));
static_assert(sound(axe::atoms::spyre::rows) && sound(axe::atoms::tpu::rows) && sound(axe::atoms::trainium::rows));

// ---- found by its words ---------------------------------------------------------------------------------------------------------

constexpr axe::Atom accumulator = *axe::atoms::find("mma.sync.m16n8k16.f32.f16.f16.f32", "sm80+", "C");
static_assert(accumulator.shape() == axe::Shape{16, 8});
static_assert(accumulator.evidence == axe::Evidence::executed);
static_assert(*axe::evaluate(accumulator.layout(), {16, 8}, {9, 5}) == axe::Point{{"lane", 6}, {"reg", 3}});

static_assert(axe::equal(axe::atoms::find("v_wmma_f32_16x16x16_f16", "gfx1100", "A")->layout(),
                         *axe::make_layout({{16, 1, "lane"}, {16, 1, "reg"}}, {{2, 16, "lane"}})));
static_assert(!axe::equal(axe::atoms::find("v_wmma_f32_16x16x16_f16", "gfx1100", "A")->layout(),
                          axe::atoms::find("v_wmma_f32_16x16x16_f16", "gfx1200", "A")->layout()));

constexpr axe::Atom tile = *axe::atoms::find("smem_atom.K_SW128.b16", "sm90+", "AB");
static_assert(*axe::evaluate(tile.swizzled(), {8, 64}, {5, 3}) == axe::Point{{"m", 5 * 64 + 5 * 8 + 3}});
static_assert(equal(accumulator.swizzled(), axe::Swizzled<axe::Layout>{{}, {}, 1, accumulator.layout()}));

static_assert(axe::atoms::find("mma.sync.m16n8k16", "sm80+", "C").code() == axe::errc::bad_argument);
static_assert(axe::atoms::find("mma.sync.m16n8k16.f32.f16.f16.f32", "sm80", "C").code() == axe::errc::bad_argument);
static_assert(axe::atoms::find("mma.sync.m16n8k16.f32.f16.f16.f32", "sm80+", "").code() == axe::errc::bad_argument);

// ---- a new row, good and bad ----------------------------------------------------------------------------------------------------

constexpr axe::AtomHead head{"op", "chip", "core", "a document, version 1", axe::Evidence::documents};
static_assert(check(axe::Atom{head, "A", "f16", {4, 2}, {{4, 2}, {2, 1}}}).ok());
static_assert(check(axe::Atom{head, "A", "f16", {2, 2, 2}, {{8, 1, "lane"}}, "", {{2, 8, "lane"}}}).ok());
static_assert(check(axe::Atom{head, "", "f16", {4, 2}, {{4, 2}, {2, 1}}}).code() == axe::errc::bad_argument);
static_assert(check(axe::Atom{{"op", "chip", "core", nullptr, {}}, "A", "f16", {4, 2}, {{4, 2}, {2, 1}}}).code() ==
              axe::errc::bad_argument);
static_assert(check(axe::Atom{head, "A", "f16", {4, 4}, {{4, 2}, {2, 1}}}).code() == axe::errc::size_mismatch);
static_assert(check(axe::Atom{head, "A", "f16", {2, 4}, {{4, 1, "lane"}, {2, 1, "reg"}}}).code() == axe::errc::ok);
static_assert(check(axe::Atom{head, "A", "f16", {2, 3}, {{3, 1, "lane"}, {2, 1, "reg"}}}).code() == axe::errc::not_grouped);
static_assert(check(axe::Atom{head, "A", "f16", {4, -2}, {{4, 2}, {2, 1}}}).code() == axe::errc::bad_extent);
static_assert(check(axe::Atom{head, "A", "f16", {4, 2}, {{-4, 2}, {2, 1}}}).code() == axe::errc::bad_extent);
static_assert(check(axe::Atom{head, "A", "f16", {8, 8}, {{8, 8}, {8, 1}}, "", {}, {1, 4, 3}, 32}).code() ==
              axe::errc::bad_argument);
static_assert(check(axe::Atom{head, "A", "f16", {8, 8}, {{8, 8}, {8, 1}}, "", {}, {3, 4, 2}, 2}).code() == axe::errc::bad_argument);

} // namespace
