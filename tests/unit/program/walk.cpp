// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/program/walk.hpp>
#include <axe/tensor/problem.hpp>

#include <catch.hpp>

#include <type_traits>

using namespace axe;

namespace {

template <class What>
Statement holding(int id, Body body)
{
    What what;
    what.body = std::move(body);
    return {id, std::move(what)};
}

Statement branch(int id, Body then, Body otherwise) { return {id, If{{}, std::move(then), std::move(otherwise)}}; }

/// One statement of each kind, numbered in the order of writing.
Body one_of_each()
{
    return {{0, Alloc{}},
            holding<Grid>(1, {holding<For>(2, {{3, Break{}}}), holding<While>(4, {{5, Continue{}}}),
                              branch(6, {{7, Assign{}}}, {holding<Slice>(8, {{9, Operation{}}}), {10, Instruction{}}}),
                              holding<Each>(11, {{12, Barrier{}}, branch(13, {}, {{14, Commit{}}})})}),
            {15, Wait{}},
            {16, Mbarrier{}}};
}

std::vector<int> ids_of(const Body& body)
{
    std::vector<int> ids;
    for_each_statement(body, [&](const Statement& s) { ids.push_back(s.id); });
    return ids;
}

} // namespace

TEST_CASE("walk: the bodies of a statement are visited in the order of writing, and no deeper")
{
    const auto sizes = [](const Statement& s) {
        std::vector<std::size_t> out;
        for_each_body(s, [&](const Body& body) { out.push_back(body.size()); });
        return out;
    };
    const Body two{{0, Barrier{}}, holding<For>(1, {{2, Barrier{}}, {3, Barrier{}}, {4, Barrier{}}})};
    for (const Statement& s : {holding<For>(0, two), holding<While>(0, two), holding<Let>(0, two), holding<Grid>(0, two),
                               holding<Slice>(0, two), holding<Each>(0, two)})
        CHECK(sizes(s) == std::vector<std::size_t>{2});
    CHECK(sizes(branch(0, {{1, Wait{}}}, two)) == std::vector<std::size_t>{1, 2});
    CHECK(sizes(branch(0, two, {})) == std::vector<std::size_t>{2, 0});
    for (const Statement& s : Body{{0, Alloc{}},
                                   {0, Break{}},
                                   {0, Continue{}},
                                   {0, Assign{}},
                                   {0, Operation{}},
                                   {0, Instruction{}},
                                   {0, Barrier{}},
                                   {0, Commit{}},
                                   {0, Wait{}},
                                   {0, Mbarrier{}},
                                   {0, ProxyFence{}},
                                   {0, Flag{}},
                                   {0, ClusterBarrier{}},
                                   {0, NamedBarrier{}},
                                   {0, CancelLaunch{}},
                                   {0, GridDependency{}},
                                   {0, RegisterCount{}},
                                   {0, TensorColumns{}}})
        CHECK(sizes(s).empty());
    STATIC_REQUIRE(std::variant_size_v<StatementKind::variant> == 25); // all are named above
}

TEST_CASE("walk: a body may be changed where its statement may")
{
    Statement s = branch(0, {{1, Wait{}}}, {});
    for_each_body(s, [](Body& body) { body.push_back({7, Barrier{}}); });
    CHECK(ids_of({s}) == std::vector<int>{0, 1, 7, 7});
    const Statement& same = s;
    for_each_body(same, [](auto& body) { STATIC_REQUIRE(std::is_const_v<std::remove_reference_t<decltype(body)>>); });
}

TEST_CASE("walk: every statement is visited once, each before what it holds")
{
    Body body = one_of_each();
    std::vector<int> expected;
    for (int i = 0; i <= 16; ++i) expected.push_back(i);
    CHECK(ids_of(body) == expected);
    CHECK(ids_of({}).empty());

    for_each_statement(body, [](Statement& s) { s.id += 100; });
    for (int& id : expected) id += 100;
    CHECK(ids_of(body) == expected);
}

TEST_CASE("walk: a statement that is replaced is left for what stands there now")
{
    Body body{holding<For>(0, {{1, Barrier{}}}), {2, Barrier{}}};
    std::vector<int> seen;
    for_each_statement(body, [&](Statement& s) {
        seen.push_back(s.id);
        if (s.id == 0) s = holding<While>(10, {{11, Wait{}}, {12, Commit{}}});
    });
    CHECK(seen == std::vector<int>{0, 11, 12, 2});
}

TEST_CASE("walk: the first result that is true ends the walk and is its result")
{
    const Body body = one_of_each();
    std::vector<int> seen;
    const auto stops_at = [&](int id) {
        seen.clear();
        return for_each_statement(body, [&](const Statement& s) {
            seen.push_back(s.id);
            return s.id == id;
        });
    };
    for (int id = 0; id <= 16; ++id) {
        CHECK(stops_at(id));
        CHECK(seen.size() == static_cast<std::size_t>(id) + 1);
        CHECK(seen.back() == id);
    }
    CHECK(!stops_at(17));
    CHECK(seen.size() == 17);

    const auto* found = for_each_statement(body, [](const Statement& s) { return std::get_if<Operation>(&s.what); });
    REQUIRE(found != nullptr);
    CHECK(found ==
          &std::get<Operation>(for_each_statement(body, [](const Statement& s) { return s.id == 9 ? &s : nullptr; })->what));
    CHECK(for_each_statement(body, [](const Statement&) { return static_cast<const For*>(nullptr); }) == nullptr);

    const Problem problem = for_each_statement(
        body, [](const Statement& s) { return s.id < 9 ? Problem() : Problem(errc::bad_argument, std::to_string(s.id)); });
    CHECK(problem.code == errc::bad_argument);
    CHECK(problem.text == "9");

    int bodies = 0;
    const auto count = [&](const Body& inner) {
        ++bodies;
        return !inner.empty();
    };
    const Statement full = branch(0, {{1, Wait{}}}, {{2, Wait{}}}), empty = branch(0, {}, {}), none{0, Wait{}};
    CHECK(for_each_body(full, count));
    CHECK(bodies == 1);
    CHECK(!for_each_body(empty, count));
    CHECK(bodies == 3);
    CHECK(!for_each_body(none, count));
    CHECK(bodies == 3);
}

TEST_CASE("rewrite: a body becomes what each of its statements is replaced by, in order")
{
    Body body{{0, Wait{}}, {1, Barrier{}}, holding<For>(2, {{3, Barrier{}}}), {4, Commit{}}};
    rewrite(body, [](Statement& s, Body& out) {
        if (std::holds_alternative<Wait>(s.what)) return;
        if (std::holds_alternative<Barrier>(s.what)) out.push_back({10, Commit{}});
        out.push_back(std::move(s));
    });
    CHECK(ids_of(body) == std::vector<int>{10, 1, 2, 3, 4}); // what the loop holds stays as it is

    Body empty;
    rewrite(empty, [](Statement&, Body& out) { out.push_back({0, Wait{}}); });
    CHECK(empty.empty());
}

namespace {

/// All barriers twice, and the loops unrolled once.
axe::Result<void, axe::Problem> doubled(Body& body)
{
    return rewrite(body, [](Statement& s, Body& out) -> axe::Result<void, axe::Problem> {
        if (std::holds_alternative<Mbarrier>(s.what)) return {errc::out_of_domain, "statement " + std::to_string(s.id)};
        if (auto p = for_each_body(s, doubled); !p.ok()) return p;
        if (std::holds_alternative<Barrier>(s.what)) out.push_back(s);
        if (auto* loop = std::get_if<For>(&s.what)) {
            out.insert(out.end(), loop->body.begin(), loop->body.end());
            return {};
        }
        out.push_back(std::move(s));
        return {};
    });
}

} // namespace

TEST_CASE("rewrite: the function decides about the bodies within, and its problem is the result")
{
    Body body{holding<Grid>(0, {{1, Barrier{}}, holding<For>(2, {{3, Wait{}}, holding<For>(4, {{5, Barrier{}}})}), {6, Commit{}}}),
              branch(7, {}, {{8, Barrier{}}})};
    CHECK(doubled(body).ok());
    CHECK(ids_of(body) == std::vector<int>{0, 1, 1, 3, 5, 5, 6, 7, 8, 8});

    Body bad{{0, Wait{}}, branch(1, {}, {holding<Slice>(2, {{3, Mbarrier{}}})}), {4, Mbarrier{}}};
    const axe::Result<void, axe::Problem> problem = doubled(bad);
    CHECK(problem.code() == errc::out_of_domain);
    CHECK(problem.error().text == "statement 3");
}
