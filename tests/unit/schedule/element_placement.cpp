// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/schedule/element_placement.hpp>
#include <tests/targets.hpp>

#include <axe/target/machines.hpp>

#include <catch.hpp>
#include <chrono>
#include <memory>

using namespace axe;

namespace {

constexpr Axis lane{"lane"}, warp{"warp"}, reg{"reg"};

/// A program with one tensor, and two variables: `block` in [0, 4) and the counter of a loop 0, 8, … below 32.
struct One {
    Program program{};
    Operation nothing{};
    View view{};

    One(const char* memory, const Shape& shape, const Swizzled<Layout>& layout, DType type = DType::f16)
    {
        program.machine = machines::sm80;
        program.variables = {{"block", 0, 4}, {"i", 0, 32}};
        program.body.push_back({0, For{Var{1}, 0, 32, 8, {}}});
        ProgramTensor t;
        t.name = "t";
        t.memory = memory;
        t.shape = shape;
        t.dtype = type;
        t.layout = layout;
        program.tensors.push_back(t);
        view.tensor = 0;
        view.extents = shape;
        for (int d = 0; d < shape.size(); ++d) {
            view.origin.emplace_back(0);
            view.dims.push_back(d);
            view.steps.push_back(1);
        }
    }
    [[nodiscard]] Result<ElementPlacement, axe::Problem> operator()() const
    {
        return element_placement(Request(program, target_of(program), nothing, ExecutionScope{true, 0, 4, 1, 32}), view);
    }
};

Swizzled<Layout> plain(const Result<Layout>& l)
{
    Swizzled<Layout> out;
    out.layout = l.value();
    return out;
}

const Axis m{};

} // namespace

TEST_CASE("the values of an expression follow the loops' begins and steps")
{
    Program p;
    p.variables = {{"block", 0, 4}, {"i", 0, 100}, {"j", 0, 100}, {"once", 5, 6}};
    For inner{Var{2}, Affine(Var{1}) + Affine(2), Affine(Var{1}) + Affine(8), 3, {}};
    For outer{Var{1}, 4, 33, 8, {}};
    outer.body.push_back({1, inner});
    Grid grid;
    grid.body.push_back({0, outer});
    p.body.push_back({2, grid});
    const auto check_values = [&](const Affine& a, std::array<std::int64_t, 4> expected) {
        const Values v = values_of(p, a);
        CHECK(std::array{v.first, v.step, v.least, v.greatest} == expected);
    };
    check_values(Affine(7), {7, 0, 7, 7});
    check_values(Var{0} * 64, {0, 64, 0, 192});
    check_values(Var{0} * -64, {0, 64, -192, 0});
    check_values(Var{1}, {4, 8, 4, 28}); // 4, 12, 20, 28
    check_values(Var{2}, {6, 1, 6, 35}); // i + 2 and i + 5: gcd(8, 3)
    check_values(Var{3} * 9, {45, 0, 45, 45});
    check_values(Var{0} * 16 + Var{1} * 2, {8, 16, 8, 104});
}

TEST_CASE("addresses are where the variables have their first values, and move by the step")
{
    One t("gmem", {64, 64}, plain(make_layout({{64, 64, m}, {64, 1, m}})));
    t.view.extents = {2, 8};
    t.view.origin = {Affine(Var{0}) * 16 + Affine(3), Affine(Var{1})};
    const auto s = t();
    REQUIRE(s);
    CHECK_FALSE(s->is_private);
    CHECK(s->address == std::vector<std::int64_t>{192, 193, 194, 195, 196, 197, 198, 199, 256, 257, 258, 259, 260, 261, 262, 263});
    CHECK(s->step == 8);
    CHECK(s->widest > 1000);
    const std::int32_t row[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    CHECK(s->is_vector(row, 8));
    CHECK_FALSE(s->is_vector(row + 1, 8)); // not aligned, and over the end of a row
    CHECK_FALSE(s->is_vector(row + 1, 2));
    CHECK(s->is_vector(row + 2, 2));
}

TEST_CASE("a tile within a layout's block moves alike, one across blocks does not")
{
    // Columns in blocks of 16, each block of all rows after the other.
    One t("smem", {8, 64}, plain(make_layout({{8, 16, m}, {4, 128, m}, {16, 1, m}})));
    t.view.extents = {8, 16};
    t.view.origin[1] = Affine(Var{0}) * 16;
    auto s = t();
    REQUIRE(s);
    CHECK(s->step == 128);
    CHECK(s->reason.empty());
    t.view.origin[1] = Affine(Var{1}); // 8 columns at a time: half a block
    t.view.extents = {8, 8};
    s = t();
    REQUIRE(s);
    CHECK(s->step == 8);
    CHECK(s->reason.empty());
    t.view.extents = {8, 16};
    s = t();
    REQUIRE(s);
    CHECK(s->widest == 1);
    CHECK(s->reason == "tiles of t cross the blocks of 8 indices of its layout in dimension 1, at places known only at run time");
}

TEST_CASE("a swizzle keeps its runs whole: where the origin moves by its period it is part of the addresses")
{
    const Swizzled<Layout> swizzled{{3, 4, 3}, m, 2, *make_layout({{64, 64, m}, {64, 1, m}})};
    One t("smem", {64, 64}, swizzled);
    auto s = t();
    REQUIRE(s);
    CHECK(s->address[0] == 0);
    CHECK(s->address[64] == 64 + 8); // row 1: its first 16 bytes are the second ones
    CHECK(s->widest > 1000);
    t.view.extents = {8, 64};
    t.view.origin[0] = Affine(Var{1}); // by 8 rows, which is the period
    s = t();
    REQUIRE(s);
    CHECK(s->widest > 1000);
    t.view.origin[0] = Affine(Var{0}); // by rows
    s = t();
    REQUIRE(s);
    CHECK(s->widest == 8);
    const std::int32_t row[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    CHECK(s->is_vector(row, 8));
    CHECK_FALSE(s->is_vector(row, 16));
}

TEST_CASE("a vector is whole where no edge of a guarded tensor cuts it")
{
    One t("gmem", {64, 20}, plain(make_layout({{64, 24, m}, {20, 1, m}})));
    t.view.guarded = true;
    t.view.extents = {2, 8};
    t.view.origin[1] = Affine(Var{1}); // 0, 8, 16, 24: the edge is 4 into a tile
    auto s = t();
    REQUIRE(s);
    const std::int32_t row[] = {0, 1, 2, 3, 4, 5, 6, 7};
    CHECK_FALSE(s->is_whole(row, 8));
    CHECK(s->is_whole(row, 4));
    CHECK(s->is_whole(row + 4, 4));
    CHECK(s->is_vector(row, 4));
    t.view.origin[1] = Affine(Var{1}) + Affine(-4); // below, too: −4, 4, 12, 20
    s = t();
    REQUIRE(s);
    CHECK_FALSE(s->is_whole(row, 8));
    CHECK(s->is_whole(row, 4));
    CHECK_FALSE(s->is_whole(row + 2, 4));
    t.view.origin[1] = Affine(12); // 12 … 19: never over
    s = t();
    REQUIRE(s);
    CHECK(s->is_whole(row, 8));
}

TEST_CASE("owners are all copies, ascending, on whichever axes the layout names them")
{
    One t("reg", {2, 4}, plain(make_layout({{2, 1, lane}, {4, 1, reg}}, {{2, 2, warp}, {2, 16, lane}}, {{warp, 1}})));
    const auto s = t();
    REQUIRE(s);
    CHECK(s->is_private);
    CHECK(s->begin == std::vector<std::int32_t>{0, 4, 8, 12, 16, 20, 24, 28, 32});
    const std::vector<Owner> sixth(s->owner.begin() + 20, s->owner.begin() + 24);
    CHECK((sixth == std::vector<Owner>{{1, 1, 1}, {1, 17, 1}, {3, 1, 1}, {3, 17, 1}}));
    REQUIRE(s->held_by(5, 3, 17) != nullptr);
    CHECK(s->held_by(5, 3, 17)->reg == 1);
    CHECK(s->held_by(5, 0, 1) == nullptr);
    // By threads, and by warpgroups on a machine that has them.
    One threads("reg", {128, 2}, plain(make_layout({{128, 1, Axis{"thread"}}, {2, 1, reg}})));
    const auto by_thread = threads();
    REQUIRE(by_thread);
    CHECK((by_thread->owner[2 * 37 + 1] == Owner{1, 5, 1}));
}

TEST_CASE("what is not an owner within a block, or changes hands at run time, is a problem")
{
    const auto text = [](const One& t) {
        const auto s = t();
        REQUIRE_FALSE(s);
        return s.error().text;
    };
    CHECK(text(One("reg", {64}, plain(make_layout({{64, 1, lane}})))) ==
          "element 32 of the view of t is in agent 0, lane 32; a block has at most 32 agents of 32 lanes");
    CHECK(text(One("reg", {4}, plain(make_layout({{4, -1, warp}})))) ==
          "element 1 of the view of t is in agent -1, lane 0; a block has at most 32 agents of 32 lanes");
    CHECK(text(One("reg", {4}, plain(make_layout({{4, 1, Axis{"cta"}}})))) ==
          "the layout of t puts element 1 of the view at 1@cta; a block has no owners on that axis");
    One moves("reg", {32, 4}, plain(make_layout({{32, 1, lane}, {4, 1, reg}})));
    moves.view.extents = {1, 4};
    moves.view.origin[0] = Affine(Var{0});
    CHECK(text(moves) == "the lanes that hold the view of t change at run time");
    moves.view.extents = {32, 1};
    moves.view.origin = {Affine(0), Affine(Var{0})}; // registers may change
    const auto registers = moves();
    REQUIRE(registers);
    CHECK(registers->step == 1);
}

TEST_CASE("digits across dimensions: exact where the view stands still, element by element where it moves")
{
    // 4 x 6 as digits of 6 and 4, which do not end where rows do.
    One t("gmem", {4, 6}, plain(make_layout({{6, 1, m}, {4, 6, m}})));
    auto s = t();
    REQUIRE(s);
    for (std::int64_t e = 0; e < 24; ++e) CHECK(s->address[static_cast<std::size_t>(e)] == e / 4 + e % 4 * 6);
    t.view.extents = {1, 6};
    t.view.origin[0] = Affine(Var{0});
    s = t();
    REQUIRE(s);
    CHECK(s->widest == 1);
    CHECK(s->reason == "the layout of t has digits that cross its dimensions, and the view starts at run-time places");
}

TEST_CASE("a request that keeps placements answers as one that keeps none")
{
    // 20,000 registers of lane 0 of each agent: too many for lists of 32 agents, few enough for those of the first one.
    One t("reg", {20'000}, plain(make_layout({{20'000, 1, reg}}, {{32, 1, warp}})), DType::f32);
    const auto target = target_of(t.program);
    const Request none(t.program, target, t.nothing, ExecutionScope{true, 0, 32, 1, 32});
    Request keeping = none;
    keeping.keep_placements(std::make_shared<detail::KnownPlacements>());
    const auto check_alike = [&](const Request& asked, const Request& fresh, const View& view, int chosen) {
        for (const int again : {0, 1}) {
            INFO("chosen " << chosen << ", time " << again);
            const auto a = element_placement(asked, view, chosen), b = element_placement(fresh, view, chosen);
            REQUIRE(a.has_value() == b.has_value());
            if (!a) {
                CHECK(a.error().text == b.error().text);
                continue;
            }
            CHECK(a->name == b->name);
            CHECK(a->count == b->count); // lists are long, and not printed
            CHECK((a->address == b->address));
            CHECK((a->begin == b->begin));
            CHECK((a->owner == b->owner));
            CHECK(a->origin.size() == b->origin.size());
        }
    };
    CHECK_FALSE(element_placement(none, t.view));
    CHECK(element_placement(none.started_by_one(), t.view));
    check_alike(keeping, none, t.view, 0);
    check_alike(keeping.started_by_one(), none.started_by_one(), t.view, 0); // another scope, the same view
    check_alike(keeping.started_by_one(), none.started_by_one(), t.view, 1); // the same scope, another question
    check_alike(keeping, none, t.view, 1);
    CHECK(keeping.known_placements()->list.size() == 4);
    View half = t.view;
    half.extents = {10'000};
    check_alike(keeping, none, half, 0);
    CHECK(keeping.known_placements()->list.size() == 5);
    // Two schedules that are asked one after the other give one number to two temporaries.
    for (const std::int64_t extent : {8, 4}) {
        Request attempt = keeping, fresh = none;
        ProgramTensor own = t.program.tensors[0];
        own.name = "own";
        own.shape = {extent};
        own.layout = plain(make_layout({{extent, 1, reg}}));
        const View view = attempt.temporary(own);
        fresh.temporary(own);
        check_alike(attempt, fresh, view, 0);
    }
    CHECK(keeping.known_placements()->list.size() == 5);
}

TEST_CASE("the spots of a tile of 128 x 128 take milliseconds")
{
    One t("reg", {128, 128},
          plain(make_layout(
              {{4, 8, reg}, {2, 1, warp}, {2, 4, reg}, {8, 4, lane}, {8, 32, reg}, {2, 2, warp}, {4, 1, lane}, {2, 1, reg}})));
    const auto before = std::chrono::steady_clock::now();
    const auto s = t();
    const auto took = std::chrono::steady_clock::now() - before;
    REQUIRE(s);
    CHECK(s->owner.size() == 128 * 128);
    CHECK(took < std::chrono::milliseconds(200)); // with sanitizers, on a busy machine
}
