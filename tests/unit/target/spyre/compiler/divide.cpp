// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/spyre/place.hpp>
#include <axe/layout/evaluate.hpp>
#include <axe/target/spyre/compiler/divide.hpp>
#include <catch.hpp>

#include <tests/unit/interop/spyre/said.hpp>

#include <map>
#include <set>
#include <string>
#include <vector>

using namespace axe;
using namespace axe::spyre;

namespace {

Work matmul(std::int64_t m, std::int64_t n, std::int64_t k)
{
    return matmul_work(said::tensor({m, k}), said::tensor({k, n}), said::tensor({m, n}));
}

/// Operators of several forms: products, a batch of them, elementwise with a broadcast, sums over one and two loops.
std::vector<Work> some_work()
{
    std::vector<Work> all;
    for (const std::int64_t m : {1, 6, 33})
        for (const std::int64_t n : {1, 65, 192})
            for (const std::int64_t k : {1, 70, 256}) all.push_back(matmul(m, n, k));
    Work batch;
    batch.loops = {{"b", 3, false}, {"m", 8, false}, {"n", 100, false}, {"k", 128, true}};
    batch.tensors = {
        {said::tensor({3, 8, 128}), {0, 1, 3}}, {said::tensor({3, 128, 100}), {0, 3, 2}}, {said::tensor({3, 8, 100}), {0, 1, 2}}};
    all.push_back(batch);
    Work add;
    add.loops = {{"i", 12, false}, {"j", 200, false}};
    add.tensors = {{said::tensor({12, 200}), {0, 1}}, {said::tensor({1, 200}), {0, 1}}, {said::tensor({12, 200}), {0, 1}}};
    all.push_back(add);
    Work sums;
    sums.loops = {{"i", 4, true}, {"j", 5, false}, {"k", 320, true}};
    sums.tensors = {{said::tensor({4, 5, 320}), {0, 1, 2}}, {said::tensor({5, 1}, said::f16, {0, 1, -1}), {1, -1}}};
    all.push_back(sums);
    return all;
}

/// The bytes between the first and the last stick of a tensor that a core comes to, from its indices in each loop.
std::int64_t span_by_enumeration(const Work& work, const WorkTensor& operand, const Division& division)
{
    std::int64_t first = INT64_MAX, last = 0;
    const auto visit = [&](auto&& self, Coord c, int d) -> void {
        if (d == operand.loops.size()) {
            const auto at = device_offset(operand.tensor.device, device_coordinate(operand.tensor, c).value()) / 64;
            first = std::min(first, at);
            last = std::max(last, at);
            return;
        }
        const int v = operand.loops[d];
        const std::int64_t size = operand.tensor.torch.shape[d];
        const std::int64_t each = v < 0 ? 1 : core_layout(work, division).value().shape[v] / division.splits[v];
        for (const std::int64_t x : std::set<std::int64_t>{0, std::min(each, size) - 1}) {
            c.push_back(x);
            self(self, c, d + 1);
            c.pop_back();
        }
    };
    visit(visit, {}, 0);
    return (last - first + 1) * axe::spyre::stick_bytes;
}

} // namespace

TEST_CASE("core_split: the largest divisor that fits")
{
    for (std::int64_t size = 1; size <= 100; ++size)
        for (std::int64_t cores = 1; cores <= 33; ++cores) {
            std::int64_t best = 1;
            for (std::int64_t s = 1; s <= std::min(size, cores); ++s)
                if (size % s == 0) best = s;
            CHECK(core_split(size, cores) == best);
        }
}

TEST_CASE("divide: even, on no more cores than there are, one sum at most: cores do everything once, each as much as the others")
{
    for (const Work& work : some_work())
        for (const std::int64_t cores : {1, 2, 7, 32}) {
            DivideOptions options;
            options.cores = cores;
            const auto division = divide(work, options);
            REQUIRE(division.has_value());
            CHECK(check(work, *division, options).ok());
            CHECK(division->cores() <= cores);
            int sums = 0;
            for (int v = 0; v < work.loops.size(); ++v) {
                CHECK(units(work, v) % division->splits[v] == 0);
                sums += work.loops[v].is_reduced && division->splits[v] > 1;
            }
            CHECK(sums <= 1);

            // by enumeration: in the padded loops each core meets as many points, no two the same
            const auto layout = core_layout(work, *division, options);
            REQUIRE(layout.has_value());
            const std::int64_t points = volume(layout->shape).value();
            CHECK(points == layout->elements);
            if (points > 50'000) continue;
            std::vector<std::int64_t> each(static_cast<std::size_t>(division->cores()));
            std::vector<bool> met(static_cast<std::size_t>(points));
            bool once = true;
            for (std::int64_t x = 0; x < points; ++x) {
                const auto p = evaluate(layout->layout, x).value();
                const std::int64_t core = p[Axis("core")], local = p[Axis("local")];
                auto seen = met[static_cast<std::size_t>(core * (points / division->cores()) + local)];
                once = once && !seen;
                seen = true;
                ++each[static_cast<std::size_t>(core)];
            }
            CHECK(once);
            for (const std::int64_t n : each) CHECK(n == points / division->cores());
            for (int v = 0; v < work.loops.size(); ++v) CHECK(layout->valid[v] == Range{0, work.loops[v].size});
        }
}

TEST_CASE("divide: a core's part of a loop is one run, of whole sticks")
{
    const Work work = matmul(6, 192, 256);
    const auto division = divide(work).value();
    CHECK(division == Division{{6, 3, 1}}); // 192 elements are 3 sticks; no core is left for the sum
    const auto layout = core_layout(work, division).value();
    for (int v = 0; v < 3; ++v) {
        std::map<std::int64_t, std::pair<std::int64_t, std::int64_t>> runs; // of each core: first and last index
        for (std::int64_t x = 0; x < layout.shape[v]; ++x) {
            Coord c{0, 0, 0};
            c[v] = x;
            const std::int64_t core = evaluate(layout.layout, layout.shape, c).value()[Axis("core")];
            const auto [at, is_new] = runs.try_emplace(core, x, x);
            if (!is_new) CHECK(at->second.second == x - 1);
            at->second.second = x;
        }
        CHECK(static_cast<std::int64_t>(runs.size()) == division.splits[v]);
        for (const auto& [core, run] : runs)
            if (v != 0) CHECK(run.first % 64 == 0);
    }
}

TEST_CASE("divide: upstream's example, the cores of a sum side by side")
{
    const Work work = matmul(8192, 4096, 32768);
    const auto division = divide(work).value();
    CHECK(division == Division{{16, 1, 2}});
    const auto layout = core_layout(work, division).value();
    CHECK(evaluate(layout.layout, layout.shape, Coord{0, 0, 16384}).value()[Axis("core")] == 1);
    CHECK(evaluate(layout.layout, layout.shape, Coord{512, 0, 0}).value()[Axis("core")] == 2);
}

TEST_CASE("divide: what a core reaches stays under the limit, as little divided as is enough")
{
    int limited = 0;
    for (const Work& work : some_work())
        for (const std::int64_t span : {128, 1024, 4096, 20'000}) {
            DivideOptions options;
            options.span = span;
            const auto division = divide(work, options);
            if (!division) {
                CHECK(division.error().code == errc::no_layout);
                continue;
            }
            for (const WorkTensor& operand : work.tensors) CHECK(core_span(work, operand, *division) <= span);
            const Division whole = divide(work).value();
            limited += !(*division == whole);
        }
    CHECK(limited > 10);
}

TEST_CASE("divide: the span of a core is no less than what it comes to")
{
    // 65 rows of B are two sticks of A, so that the first of two cores has 64 of them, and not 32
    const Work ragged = matmul(1, 1, 65);
    CHECK(core_extent(ragged, 2, {{1, 1, 2}}) == 64);
    CHECK(core_span(ragged, ragged.tensors[1], {{1, 1, 2}}) == 64 * axe::spyre::stick_bytes);
    // one row for all: its loop does not move it
    Work add;
    add.loops = {{"i", 12, false}, {"j", 200, false}};
    const SpyreLayout row = said::tensor({200}).device;
    add.tensors = {{place(Strided{{1, 200}, {200, 1}, 0}, row).value(), {0, 1}}, {said::tensor({12, 200}), {0, 1}}};
    CHECK(core_span(add, add.tensors[0], {{1, 1}}) == 4 * axe::spyre::stick_bytes);
    // pairs of sticks inside single ones: no more than the two of each
    Work turned;
    turned.loops = {{"i", 256, false}};
    turned.tensors = {{place(contiguous({256}), SpyreLayout{{2, 2, 64}, {64, 128, 1}, said::f16}).value(), {0}}};
    CHECK(core_span(turned, turned.tensors[0], {{1}}) == 4 * axe::spyre::stick_bytes);
    for (const Work& work : some_work()) {
        const auto division = divide(work).value();
        for (const WorkTensor& operand : work.tensors)
            CHECK(core_span(work, operand, division) >= span_by_enumeration(work, operand, division));
    }
}

TEST_CASE("divide: padded sums stay whole where the back end masks on one core only")
{
    DivideOptions options;
    options.divide_padded_sums = false;
    CHECK(divide(matmul(1, 1, 100)).value() == Division{{1, 1, 2}});
    CHECK(divide(matmul(1, 1, 100), options).value() == Division{{1, 1, 1}});
    CHECK(divide(matmul(1, 1, 128), options).value() == Division{{1, 1, 2}});
}

TEST_CASE("divide: what is refused")
{
    const Work work = matmul(6, 128, 256);
    DivideOptions options;
    options.cores = 0;
    CHECK(std::string(divide(work, options).error().message().c_str()) == "the work is for 0 cores; it needs at least 1");
    options.cores = 2;
    options.span = 128;
    CHECK(divide(work, options).error().code == errc::no_layout);

    const auto refused = [&](const Division& d) { return std::string(check(work, d).error().message().c_str()); };
    CHECK(refused({{1, 1}}) == "2 loops are divided, the work has 3");
    CHECK(refused({{4, 1, 1}}) == "6 units of loop 0 are not divided evenly by 4");
    CHECK(refused({{1, 0, 1}}) == "2 units of loop 1 are not divided evenly by 0");
    CHECK(refused({{6, 2, 4}}) == "with loop 2 the work is for more than 32 cores");
    CHECK(refused({{6, 2, 2}}).empty());
    Work sums = work;
    sums.loops[0].is_reduced = true;
    CHECK(std::string(check(sums, Division{{2, 1, 2}}).error().message().c_str()) ==
          "loops 0 and 2 are both reduced; only one can be divided");
}
