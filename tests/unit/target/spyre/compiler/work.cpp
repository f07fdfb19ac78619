// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/spyre/place.hpp>
#include <axe/target/spyre/compiler/work.hpp>
#include <catch.hpp>

#include <tests/unit/interop/spyre/said.hpp>

#include <set>
#include <string>

using namespace axe;
using namespace axe::spyre;

namespace {

std::string refused(const Work& work) { return check(work).error().message().c_str(); }

} // namespace

TEST_CASE("work: a product runs over m, n and k")
{
    const Work work = matmul_work(said::tensor({100, 200}), said::tensor({200, 300}), said::tensor({100, 300}));
    REQUIRE(work.loops.size() == 3);
    CHECK(work.loops[0].name == Axis("m"));
    CHECK((work.loops[0].size == 100 && work.loops[1].size == 300 && work.loops[2].size == 200));
    CHECK((!work.loops[0].is_reduced && !work.loops[1].is_reduced && work.loops[2].is_reduced));
    CHECK(check(work).ok());
    // m is in no tensor's sticks: it counts elements; n and k count sticks of 64
    CHECK(units(work, 0) == 100);
    CHECK(units(work, 1) == 5);
    CHECK(units(work, 2) == 4);
}

TEST_CASE("work: a loop counts the sticks that tensors run through, the larger ones of several")
{
    for (const std::int64_t n : {1, 2, 63, 64, 65, 128, 150})
        for (const bool mixed : {false, true}) {
            Work work;
            work.loops = {{"i", n, false}};
            work.tensors = {{said::tensor({n}), {0}}, {said::tensor({n}, mixed ? said::f32 : said::f16), {0}}};
            std::set<std::int64_t> sticks; // of 64 elements
            for (std::int64_t x = 0; x < n; ++x) sticks.insert(x / 64);
            CHECK(units(work, 0) == (n == 1 ? 1 : static_cast<std::int64_t>(sticks.size())));
        }
    // within sticks in one tensor, not in the other: still sticks
    Work work;
    work.loops = {{"i", 100, false}, {"j", 3, false}};
    work.tensors = {{said::tensor({3, 100}), {1, 0}}, {said::tensor({100, 3}), {0, 1}}};
    CHECK(units(work, 0) == 2);
    CHECK(units(work, 1) == 1);
    // one element a stick: none is run through
    work.tensors = {{said::tensor({100, 3}, said::f16, {0, 1, -1}), {0, 1}}};
    CHECK(units(work, 0) == 100);
    CHECK(units(work, 1) == 3);
}

TEST_CASE("work: a dimension of size 1, or on no loop, is broadcast")
{
    Work work;
    work.loops = {{"i", 8, false}, {"j", 128, false}};
    work.tensors = {{said::tensor({8, 128}), {0, 1}}, {said::tensor({1, 128}), {0, 1}}, {said::tensor({8, 70}), {0, -1}}};
    CHECK(check(work).ok());
    CHECK(units(work, 1) == 2);
}

TEST_CASE("work: what is none")
{
    const Work good = matmul_work(said::tensor({4, 8}), said::tensor({8, 16}), said::tensor({4, 16}));
    Work bad = good;
    bad.loops[1].size = 0;
    CHECK(refused(bad) == "loop 1 runs 0 times; it must run at least once");
    bad = good;
    bad.loops[2].name = bad.loops[0].name;
    CHECK(refused(bad) == "loops 0 and 2 have the same name");
    bad = good;
    bad.tensors[1].loops = {2};
    CHECK(refused(bad) == "tensor 1 has 2 dimensions, but loops are given for 1");
    bad = good;
    bad.tensors[1].loops = {2, 3};
    CHECK(refused(bad) == "tensor 1 runs on loop 3; there are 3 loops");
    bad.tensors[1].loops = {0, 1};
    CHECK(refused(bad) == "a dimension of tensor 1 has 8 elements, its loop runs 4 times");
    bad = good;
    bad.loops.count = max_loops + 1;
    CHECK(refused(bad) == "an operator has at most 8 loops and 8 tensors");
    // sizes that do not meet are found, whoever made the work
    CHECK(check(matmul_work(said::tensor({4, 8}), said::tensor({9, 16}), said::tensor({4, 16}))).code() == errc::size_mismatch);
}
