// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/kernels.hpp>
#include <axe/text/literals.hpp>

#include <catch.hpp>
#include <tests/one_block.hpp>
#include <tests/required.hpp>

using namespace axe;
using namespace axe::literals;
using enum axe::DType;

/// What is said, and may be forbidden, where an operator gets slower instructions than the machine has for its types.

namespace {

Program product(const Placement& where, DType type, const Options& options = {})
{
    Kernel k("product", machines::sm80);
    one_block(k, 1, [&](Scope cta) {
        const auto a = cta.alloc(Role::shared, {16, 16}, type, {}, "a"), b = cta.alloc(Role::shared, {16, 16}, type, {}, "b");
        const auto acc = cta.alloc(Role::accumulator, {16, 16}, f32, where, "acc");
        cta.fill(a, 1).fill(b, 1).fill(acc, 0).sync();
        cta.gemm(acc, a, b, {}, options);
    });
    return k.program().value();
}
const Choice& of_gemm(const Lowered& lowered) { return lowered.choices.back(); }

/// A row of a user's own that never applies.
Result<Body, axe::Problem> never(Request&) { return axe::Problem(errc::bad_argument, "it never does"); }
bool on_any(const Machine&) { return true; }
bool on_none(const Machine&) { return false; }
bool not_for_f32(const Request& r) { return r.tensor(1).dtype != f32; }

constexpr Schedule rows[] = {
    {Op::gemm, "grand", 90, "anything", "never applies", on_any, never, 7, not_for_f32},
    {Op::gemm, "equal", 80, "anything", "never applies, of the class of fma", on_any, never, 1},
    {Op::gemm, "absent", 70, "a unit", "no machine has it", on_none, never, 9},
};
Target with_rows()
{
    Target out = targets::sm80;
    out.schedules.add(rows);
    return out;
}

const Layout by_lanes = "(16,2,8):(2@lane,1@lane,1@reg)"_axe;

} // namespace

TEST_CASE("an accumulator that no matrix instruction writes: the choice says that fma is slower, and why", "[schedule]")
{
    const auto good = required(lower(product(accumulator, f16)));
    CHECK(of_gemm(*good).schedule == "mma_sync");
    CHECK(of_gemm(*good).faster.empty());
    CHECK(of_gemm(*good).detail.find("slower") == std::string::npos);

    const auto slow = required(lower(product(by_lanes, f16)));
    const Choice& choice = of_gemm(*slow);
    CHECK(choice.schedule == "fma");
    REQUIRE(choice.faster.size() == 1);
    CHECK(choice.faster[0].first == "mma_sync");
    CHECK(choice.faster[0].second.find("acc is not a tiling of the instruction's accumulator") == 0);
    CHECK(choice.detail.find("; slower than mma_sync, which does not apply: acc is not a tiling") != std::string::npos);
}

TEST_CASE("types that the machine has no faster instruction for are not said to be slow", "[schedule]")
{
    const auto plain = required(lower(product(by_lanes, f32, {.only_fastest = true}), targets::sm80, {.only_fastest = true}));
    CHECK(of_gemm(*plain).schedule == "fma");
    CHECK(of_gemm(*plain).declined.size() == 1);
    CHECK(of_gemm(*plain).faster.empty());
}

TEST_CASE("a slower class of instructions can be forbidden, for an operator and for a lowering", "[schedule]")
{
    const std::string words =
        "fma is slower than mma_sync, which does not apply; only_fastest forbids that:\n  mma_sync: acc is not a tiling";
    const auto by_operator = lower(product(by_lanes, f16, {.only_fastest = true}));
    REQUIRE_FALSE(by_operator);
    CHECK(by_operator.error().text.find("product, statement ") == 0);
    CHECK(by_operator.error().text.find(words) != std::string::npos);
    CHECK(by_operator.error().code == errc::bad_argument);
    const auto by_lowering = lower(product(by_lanes, f16), {.only_fastest = true});
    REQUIRE_FALSE(by_lowering);
    CHECK(by_lowering.error().text == by_operator.error().text);
    // A schedule that is asked for by name is meant.
    CHECK(lower(product(by_lanes, f16, {.schedule = "fma"}), {.only_fastest = true}).has_value());
    CHECK(lower(product(accumulator, f16, {.only_fastest = true}), {.only_fastest = true}).has_value());
    CHECK(print(product(accumulator, f16, {.only_fastest = true})).find("; only_fastest") != std::string::npos);
}

TEST_CASE("classes are numbers of rows, a user's own among them", "[schedule]")
{
    const auto names = [](const Choice& c) {
        std::string out;
        for (const auto& [name, why] : c.faster) out += name + " ";
        return out;
    };
    const auto matrix = required(lower(product(accumulator, f16), with_rows()));
    CHECK(of_gemm(*matrix).schedule == "mma_sync");
    CHECK(names(of_gemm(*matrix)) == "grand ");
    CHECK(of_gemm(*matrix).detail.find("slower than grand, which does not apply: it never does") != std::string::npos);
    const auto lanes = required(lower(product(by_lanes, f16), with_rows()));
    CHECK(names(of_gemm(*lanes)) == "grand mma_sync ");
    CHECK(names(of_gemm(lower(product(by_lanes, f32), with_rows()).value())).empty());
}

TEST_CASE("schedules that the machine cannot have are not among the declined, but where nothing else is", "[schedule]")
{
    const auto lanes = required(lower(product(by_lanes, f16), with_rows()));
    for (const auto& [name, why] : of_gemm(*lanes).declined) CHECK(name != "absent");
    CHECK(of_gemm(*lanes).declined.size() == 3);
    const auto forced = lower(product(by_lanes, f16, {.schedule = "absent"}), with_rows());
    REQUIRE_FALSE(forced);
    CHECK(forced.error().text.find("no schedule implements this gemm:\n  absent: sm80 does not have what it needs: a unit") !=
          std::string::npos);
    CHECK(forced.error().text.find("grand") == std::string::npos);
}

TEST_CASE("a long list of schedules that decline ends with how many more there are", "[schedule]")
{
    constexpr auto row = [](const char* name) { return Schedule{Op::gemm, name, 90, "anything", "never applies", on_any, never}; };
    static constexpr Schedule many[] = {row("a"), row("b"), row("c"), row("d"), row("e"), row("f"), row("g"),
                                        row("h"), row("i"), row("j"), row("k"), row("l"), row("m"), row("n")};
    Target target = targets::sm80;
    target.schedules.add(many);
    const auto unknown = lower(product(by_lanes, f16, {.schedule = "s"}), target);
    REQUIRE_FALSE(unknown);
    CHECK(unknown.error().text.find("gemm has no schedule s; its schedules are: a, b, c, d, e, f, g, h, i, j, k, l, and 4 more") !=
          std::string::npos);
}
