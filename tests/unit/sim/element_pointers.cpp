// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <catch.hpp>
#include <tests/one_block.hpp>
#include <tests/required.hpp>

#include "arrays.hpp"

#include <axe/kernels.hpp>

#include <functional>
#include <map>

using namespace axe;
using enum axe::DType;
using sim::FaultKind;

/// Elements by their indices: loads, stores and atomic operations in shared and global memory, with masks, and asynchronous.

namespace {

struct Pointed {
    Result<Program, Problem> program;
    Result<Lowered, Problem> lowered;
    Pointed(const Kernel& k) : program(k.program()), lowered(program ? lower(*program) : Result<Lowered, Problem>(program.error()))
    {
    }
    [[nodiscard]] std::string problem() const { return lowered ? std::string() : lowered.error().text; }
    [[nodiscard]] sim::Report run(const Bindings& in, sim::Level level = sim::Level::full) const
    {
        INFO(problem());
        REQUIRE(lowered.has_value());
        sim::RunOptions options;
        options.level = level;
        options.counters = level == sim::Level::full;
        return sim::run(lowered->program, in, options).value();
    }
    /// The run, which has no fault, and which verify finds right.
    [[nodiscard]] sim::Report good(const Bindings& in) const
    {
        auto report = without_fault(run(in));
        const auto verified = verify(*program, in, report.outputs);
        INFO((verified ? verified->text() : verified.error().text));
        REQUIRE(verified.has_value());
        CHECK(verified->ok());
        return report;
    }
};

TensorRef pointed_registers(Scope& c, const Shape& shape, const char* name, DType type = i32)
{
    return c.alloc(Role::registers, shape, type, LayoutHint::registers, name);
}

} // namespace

TEST_CASE("pointers: columns of a tile in shared memory, gathered, and all of it", "[pointers]")
{
    // The example of TLE: of an 8×8 in shared memory, columns 1 to 4 of each row.
    Kernel k("columns", machines::sm80);
    const auto A = k.input("A", {8, 8}, i32), D = k.output("D", {8, 4}, i32), E = k.output("E", {8, 8}, i32);
    k.cta(tiles(1, 1), [&](Scope c, const Tile&) {
        const auto s = c.alloc(Role::shared, {8, 8}, i32, conflict_free, "s");
        const auto rows = pointed_registers(c, {8, 4}, "rows"), cols = pointed_registers(c, {8, 4}, "cols");
        const auto v = pointed_registers(c, {8, 4}, "v"), all_of_it = pointed_registers(c, {8, 8}, "all");
        c.store(c.local_ptr(s), A).sync();
        c.iota(rows, 0).iota(cols, 1, 1);
        c.load(v, c.local_ptr(s, {rows, cols})).copy(D, v);
        c.load(all_of_it, c.local_ptr(s)).copy(E, all_of_it);
    });
    Bindings in;
    in.set("A", arrays::counting({8, 8}, i32));
    const auto report = Pointed(k).good(in);
    for (int r = 0; r < 8; ++r) {
        for (int j = 0; j < 4; ++j) CHECK(report.outputs.find("D")->at(Coord{r, j}) == 8 * r + 1 + j);
        for (int j = 0; j < 8; ++j) CHECK(report.outputs.find("E")->at(Coord{r, j}) == 8 * r + j);
    }
}

TEST_CASE("pointers: one element, by scalars, and of a tensor without dimensions", "[pointers]")
{
    Kernel k("scalars", machines::sm80);
    const auto A = k.input("A", {3, 4}, i32), at = k.input("at", {2}, i32), D = k.output("D", {}, i32);
    one_block(k, 1, [&](Scope c) { c.load(D, c.local_ptr(A, {load(at(0)), load(at(1))})); });
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 5; ++j) {
            Bindings in;
            in.set("A", arrays::counting({3, 4}, i32));
            in.set("at", arrays::of({2}, i32, {double(i), double(j)}));
            if (i < 3 && j < 4)
                CHECK(Pointed(k).good(in).outputs.find("D")->at(0) == 4 * i + j);
            else
                CHECK(Pointed(k).run(in).fault.kind == FaultKind::out_of_bounds);
        }
}

TEST_CASE("pointers: atomic operations by two indices in shared memory, duplicates among them", "[pointers]")
{
    // counts[key[i], other[i]] += 1 for 1024 items on 8×4 counts; what was there before is a permutation for each place.
    for (const bool in_memory : {false, true}) {
        Kernel k("histogram", machines::sm80);
        const auto key = k.input("key", {1024}, i32), other = k.input("other", {1024}, i32);
        const auto C = k.output("C", {8, 4}, i32), before = k.output("before", {1024}, i32);
        k.cta(tiles(1, 1), [&](Scope c, const Tile&) {
            const auto counts = c.alloc(Role::shared, {8, 4}, i32, {}, "counts");
            const auto a = pointed_registers(c, {1024}, "a"), b = pointed_registers(c, {1024}, "b"),
                       one = pointed_registers(c, {1024}, "one"), old = pointed_registers(c, {1024}, "old");
            c.fill(counts, 0).fill(one, 1).copy(a, key).copy(b, other).sync();
            c.atomic(Function::add, in_memory ? c.local_ptr(counts, {key, other}) : c.local_ptr(counts, {a, b}), one, old).sync();
            c.copy(C, counts).copy(before, old);
        });
        const Pointed p(k);
        CHECK_THAT(print(*p.program), Catch::Contains(in_memory ? "atomic_rows counts at key, other = add(counts, one), before old"
                                                                : "atomic_rows counts at a, b = add(counts, one), before old"));
        Bindings in;
        laws::Random random(7);
        std::vector<double> keys, others;
        std::map<std::pair<int, int>, std::vector<int>> places;
        for (int i = 0; i < 1024; ++i) {
            keys.push_back(static_cast<double>(random.in(0, 7)));
            others.push_back(static_cast<double>(random.in(0, 3)));
            places[{int(keys.back()), int(others.back())}].push_back(i);
        }
        in.set("key", arrays::of({1024}, i32, keys));
        in.set("other", arrays::of({1024}, i32, others));
        const auto report = p.good(in);
        for (const auto& [place, items] : places) {
            CHECK(report.outputs.find("C")->at(Coord{place.first, place.second}) == double(items.size()));
            std::vector<double> ranks;
            for (const int i : items) ranks.push_back(report.outputs.find("before")->at(i));
            std::sort(ranks.begin(), ranks.end());
            for (std::size_t n = 0; n < ranks.size(); ++n) CHECK(ranks[n] == double(n));
        }
        keys[9] = 8;
        in.set("key", arrays::of({1024}, i32, keys));
        const auto beyond = p.run(in);
        CHECK(beyond.fault.kind == FaultKind::out_of_bounds);
        CHECK_THAT(beyond.fault.text, Catch::Contains("accesses counts at 8 in dimension 0, where its view has 8 elements; that is "
                                                      "index 9 of the 1024"));
        CHECK_THAT(verify(*p.program, in, report.outputs).error().text,
                   Catch::Contains(std::string("index 9, from ") + (in_memory ? "key" : "a") + ", is 8; dimension 0 of"));
    }
}

TEST_CASE("pointers: matrices of indices, and rows behind them, in atomic operations and exchanges", "[pointers]")
{
    // M[i[x, y], :] = max(…) for x, y of 4×2, rows of 3; and one of the eight gets each place.
    Kernel k("matrices", machines::sm80);
    const auto I = k.input("I", {4, 2}, i32), V = k.input("V", {4, 2, 3}, i32);
    const auto M = k.inout("M", {5, 3}, i32), L = k.inout("L", {5}, i32);
    k.cta(tiles(1, 1), [&](Scope c, const Tile&) {
        const auto i = pointed_registers(c, {4, 2}, "i"), free = pointed_registers(c, {4, 2}, "free"),
                   me = pointed_registers(c, {4, 2}, "me");
        c.atomic_at(Function::max, M, {I}, V);
        c.copy(i, I).fill(free, -1).fill(me, 9);
        c.compare_exchange_at(L, {i}, me, free);
    });
    Bindings in;
    const int rows[] = {0, 3, 3, 1, 0, 3, 1, 1};
    in.set("I", arrays::of({4, 2}, i32, std::vector<double>(rows, rows + 8)));
    in.set("V", arrays::counting({4, 2, 3}, i32));
    in.set("M", arrays::of({5, 3}, i32, std::vector<double>(15, 4)));
    in.set("L", arrays::of({5}, i32, {-1, -1, -1, -1, 7}));
    const auto report = Pointed(k).good(in);
    for (int r = 0; r < 5; ++r) {
        for (int j = 0; j < 3; ++j) {
            double most = 4;
            for (int n = 0; n < 8; ++n)
                if (rows[n] == r) most = std::max(most, double(3 * n + j));
            CHECK(report.outputs.find("M")->at(Coord{r, j}) == most);
        }
        CHECK(report.outputs.find("L")->at(r) == (r == 4 ? 7 : r == 2 ? -1 : 9));
    }
}

TEST_CASE("pointers: loads after stores through shared memory need the barrier between", "[pointers]")
{
    for (const bool waits : {false, true}) {
        Kernel k("stored", machines::sm80);
        const auto A = k.input("A", {128}, i32), D = k.output("D", {128}, i32);
        k.cta(tiles(1, 1), [&](Scope c, const Tile&) {
            const auto s = c.alloc(Role::shared, {128}, i32, {}, "s");
            const auto i = pointed_registers(c, {128}, "i"), j = pointed_registers(c, {128}, "j"),
                       last = pointed_registers(c, {128}, "last"), v = pointed_registers(c, {128}, "v");
            c.iota(i, 0).fill(last, 127).binary(Function::sub, j, last, i);
            c.copy(v, A).store(c.local_ptr(s, {i}), v);
            if (waits) c.sync();
            c.load(v, c.local_ptr(s, {j})).copy(D, v); // backwards
        });
        Bindings in;
        in.set("A", arrays::counting({128}, i32));
        if (!waits) {
            const auto kind = Pointed(k).run(in).fault.kind;
            CHECK((kind == FaultKind::race || kind == FaultKind::uninitialized));
            continue;
        }
        const auto report = Pointed(k).good(in);
        for (int i = 0; i < 128; ++i) CHECK(report.outputs.find("D")->at(i) == 127 - i);
    }
}

TEST_CASE("loads with a mask and a number for the others, as of a tail", "[pointers]")
{
    // n = 100, 64 elements at a time: lanes 36 to 63 of the second tile get the number.
    for (const bool by_index : {false, true}) {
        Kernel k("tail", machines::sm80);
        const auto A = k.input("A", {100}, f32), D = k.output("D", {128}, f32);
        k.cta(tiles(128, 64), [&](Scope c, const Tile& t) {
            const auto at = pointed_registers(c, {64}, "at"), mask = pointed_registers(c, {64}, "mask"),
                       n = pointed_registers(c, {64}, "n");
            const auto x = pointed_registers(c, {64}, "x", f32);
            c.iota(at, 0, t.rows.begin).fill(n, 100).binary(Function::less, mask, at, n);
            if (by_index)
                c.load(x, c.local_ptr(A, {at}), {.where = mask, .otherwise = -7});
            else
                c.load(x, A(t.rows), {.where = mask, .otherwise = -7});
            c.copy(D(t.rows), x);
        });
        Bindings in;
        in.set("A", arrays::counting({100}, f32));
        const auto report = Pointed(k).good(in);
        for (int i = 0; i < 128; ++i) CHECK(report.outputs.find("D")->at(i) == (i < 100 ? i : -7));
    }
}

TEST_CASE("stores with a mask leave the other elements", "[pointers]")
{
    Kernel k("masked", machines::sm80);
    const auto A = k.input("A", {8, 8}, i32), D = k.inout("D", {8, 8}, i32);
    k.cta(tiles(1, 1), [&](Scope c, const Tile&) {
        const auto a = pointed_registers(c, {8, 8}, "a"), row = pointed_registers(c, {8, 8}, "row"),
                   col = pointed_registers(c, {8, 8}, "col");
        c.copy(a, A).iota(row, 0).iota(col, 1).binary(Function::less, row, row, col);
        c.store(D, a, row);
    });
    Bindings in;
    in.set("A", arrays::counting({8, 8}, i32));
    in.set("D", arrays::of({8, 8}, i32, std::vector<double>(64, -1)));
    const auto report = Pointed(k).good(in);
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j) CHECK(report.outputs.find("D")->at(Coord{i, j}) == (i < j ? 8 * i + j : -1));
}

TEST_CASE("asynchronous loads: what they bring may be read after their completion is observed, and not before", "[pointers]")
{
    // Plain, with a mask, by an index, by both; with all that order it, without the wait, without the barrier, without either.
    for (const bool masked : {false, true})
        for (const bool indexed : {false, true})
            for (int lacks = 0; lacks < 4; ++lacks) {
                INFO((masked ? "masked " : "") << (indexed ? "indexed " : "") << lacks);
                Kernel k("asynchronous", machines::sm80);
                const auto A = k.input("A", {256}, f32), D = k.output("D", {256}, f32);
                k.cta(tiles(D, {128}), [&](Scope c, const Tile& t) {
                    const auto s = c.alloc(Role::shared, {128}, f32, {}, "s");
                    const auto at = pointed_registers(c, {128}, "at"), mask = pointed_registers(c, {128}, "mask"),
                               n = pointed_registers(c, {128}, "n");
                    const auto x = pointed_registers(c, {128}, "x", f32);
                    c.iota(at, 0, t.rows.begin).fill(n, 200).binary(Function::less, mask, at, n);
                    Loading how{.otherwise = 3, .is_async = true};
                    if (masked) how.where = mask;
                    c.load(s, indexed ? c.local_ptr(A, {at}) : ElementPointers(A(t.rows)), how).commit();
                    if (lacks != 1 && lacks != 3) c.wait(0);
                    if (lacks < 2) c.sync();
                    c.copy(D(t.rows), s.permuted({0}));
                    c.wait(0);
                });
                Bindings in;
                in.set("A", arrays::counting({256}, f32));
                const Pointed p(k);
                if (indexed || masked)
                    CHECK_THAT(print(p.lowered->program), Catch::Contains("cp.async.ca.shared.global 4 [index]"));
                if (lacks > 0) {
                    const auto report = p.run(in);
                    INFO(report.fault.text);
                    // Without the barrier alone, a lane that reads what it has itself loaded and waited for has no race.
                    if (lacks != 2 || !report.ok())
                        CHECK((report.fault.kind == FaultKind::race || report.fault.kind == FaultKind::uninitialized));
                    continue;
                }
                const auto report = p.good(in);
                const auto fast = p.run(in, sim::Level::fast);
                for (int i = 0; i < 256; ++i) {
                    CHECK(report.outputs.find("D")->at(i) == (masked && i >= 200 ? 3 : i));
                    CHECK(fast.outputs.find("D")->at(i) == report.outputs.find("D")->at(i));
                }
            }
}

TEST_CASE("asynchronous loads whose source changes, or that nothing waits for, are found", "[pointers]")
{
    for (const bool changes : {false, true}) {
        Kernel k("changed", machines::sm80);
        const auto A = k.inout("A", {128}, f32), D = k.output("D", {128}, f32);
        k.cta(tiles(1, 1), [&](Scope c, const Tile&) {
            const auto s = c.alloc(Role::shared, {128}, f32, {}, "s");
            const auto at = pointed_registers(c, {128}, "at");
            c.iota(at, 0);
            c.load(s, c.local_ptr(A, {at}), {.is_async = true}).commit();
            if (changes) c.fill(A, 0).wait(0);
            c.sync();
            c.fill(D, 1);
        });
        Bindings in;
        in.set("A", arrays::counting({128}, f32));
        const auto kind = Pointed(k).run(in).fault.kind;
        CHECK(kind == (changes ? FaultKind::race : FaultKind::async_unfinished));
    }
}

TEST_CASE("pointers: what does not go together", "[pointers]")
{
    const auto problem = [](const std::function<void(Scope, const TensorRef&, const TensorRef&)>& write) {
        Kernel k("wrong", machines::sm80);
        const auto A = k.input("A", {8, 8}, f16), I = k.input("I", {8}, i32);
        k.cta(tiles(1, 1), [&](Scope c, const Tile&) { write(c, A, I); });
        const auto p = k.program();
        if (!p) return p.error().text;
        const auto problems = validate(*p);
        if (!problems.empty()) return problems.front().text;
        return Pointed(k).problem();
    };
    CHECK_THAT(problem([](Scope c, const TensorRef& A, const TensorRef& I) { (void)c.local_ptr(A, {I}); }),
               Catch::Contains("pointers into A have 1 index; it has 2 dimensions"));
    CHECK_THAT(problem([](Scope c, const TensorRef& A, const TensorRef& I) {
                   const auto d = c.alloc(Role::shared, {8}, f16, {}, "d");
                   c.load(d, c.local_ptr(A, {I, I}), {.is_async = true});
               }),
               Catch::Contains("a lane would copy 2 bytes per instruction; the least is 4: an element has as many"));
    CHECK_THAT(problem([](Scope c, const TensorRef& A, const TensorRef& I) {
                   const auto d = pointed_registers(c, {8}, "d", f16);
                   c.load(d, c.local_ptr(A, {I, I}), {.is_async = true});
               }),
               Catch::Contains("d is in reg; the destination is shared memory"));
    CHECK_THAT(problem([](Scope c, const TensorRef& A, const TensorRef& I) {
                   const auto s = c.alloc(Role::shared, {8, 8, 8}, f16, {}, "s");
                   c.atomic_at(Function::add, s, {I, I}, A);
                   c.atomic_at(Function::add, s, {I, I, I, I}, A);
               }),
               Catch::Contains("D `s` is 8×8×8; it is given 4 indices, one for each of its first dimensions"));
    CHECK_THAT(problem([](Scope c, const TensorRef& A, const TensorRef&) {
                   const auto s = c.alloc(Role::shared, {8, 8}, f16, {}, "s");
                   c.atomic_at(Function::add, s, {}, A);
               }),
               Catch::Contains("it is given no index"));
}

TEST_CASE("pointers to all of a tensor of another block of the cluster: by indices there are none", "[pointers]")
{
    Kernel k("remote", machines::sm90);
    const auto A = k.input("A", {4, 32}, i32), D = k.output("D", {4, 32}, i32);
    k.cta(
        tiles({4, 32}, {1, 32}), Clusters{{2, 1}},
        [&](Scope c, const Tile& t) {
            const auto s = c.alloc(Role::shared, {32}, i32, {}, "s"), counts = c.alloc(Role::shared, {32}, i32, {}, "counts");
            const auto v = pointed_registers(c, {32}, "v"), ten = pointed_registers(c, {32}, "ten");
            c.fill(ten, 10).fill(counts, 0).copy(s, A(t.index[0], all)).cluster_sync();
            const Affine other = Affine(1) - t.rank;
            c.load(v, c.local_ptr(s.of_block(other)));
            c.atomic(Function::add, c.local_ptr(counts.of_block(other)), ten).cluster_sync();
            const auto mine = pointed_registers(c, {32}, "mine");
            c.copy(mine, counts).binary(Function::add, v, v, mine).copy(D(t.index[0], all), v);
        },
        1);
    Bindings in;
    in.set("A", arrays::counting({4, 32}, i32));
    const Pointed p(k);
    const auto report = without_fault(p.run(in));
    for (int r = 0; r < 4; ++r)
        for (int j = 0; j < 32; ++j) CHECK(report.outputs.find("D")->at(Coord{r, j}) == 32 * (r ^ 1) + j + 10);

    Kernel by_index("by_index", machines::sm90);
    const auto X = by_index.input("X", {64}, i32);
    by_index.cta(
        tiles(64, 32), Clusters{{2}},
        [&](Scope c, const Tile& t) {
            const auto s = c.alloc(Role::shared, {32}, i32, {}, "s");
            const auto i = pointed_registers(c, {32}, "i"), v = pointed_registers(c, {32}, "v");
            c.copy(s, X(t.rows)).cluster_sync().iota(i, 0);
            c.load(v, c.local_ptr(s.of_block(Affine(1) - t.rank), {i})).cluster_sync();
        },
        1);
    CHECK_THAT(Pointed(by_index).problem(), Catch::Contains("s is in the memory of another block"));
}
