// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <catch.hpp>
#include <tests/one_block.hpp>
#include <tests/required.hpp>

#include "arrays.hpp"

#include <axe/kernels.hpp>

#include <functional>

using namespace axe;
using enum axe::DType;
using sim::FaultKind;

/// Tiles, slices and elements of views in kernels: what they are views of, on all memories, and what is found outside.

namespace {

using WriteTiles = std::function<void(Scope, const TensorRef&, const TensorRef&, const TensorRef&)>;

/// A kernel of one block: A and the numbers `at` go in, D comes out.
Kernel& tile_kernel(Kernel& k, const Shape& a, const Shape& d, const WriteTiles& write, int agents = 1)
{
    const auto A = k.input("A", a, i32), at = k.input("at", {4}, i32), D = k.output("D", d, i32);
    one_block(k, agents, [&](Scope c) { write(c, A, at, D); });
    return k;
}
std::string first_problem(const Kernel& k)
{
    const auto p = k.program();
    if (!p) return p.error().text;
    const auto problems = validate(*p);
    return problems.empty() ? std::string() : problems.front().text;
}
Bindings tile_inputs(const Shape& a, const std::vector<double>& at)
{
    Bindings in;
    in.set("A", arrays::counting(a, i32));
    std::vector<double> four = at;
    four.resize(4, 0);
    in.set("at", arrays::of({4}, i32, four));
    return in;
}
/// What the run gives, which verify takes for right; or the text of its fault.
sim::Report run_tiles(const Kernel& k, const Bindings& in)
{
    const Program p = k.program().value();
    const auto lowered = required(lower(p));
    auto report = sim::run(lowered->program, in).value();
    if (report.ok()) {
        const auto verified = verify(p, in, report.outputs);
        INFO((verified ? verified->text() : verified.error().text));
        REQUIRE(verified.has_value());
        CHECK(verified->ok());
        sim::RunOptions fast;
        fast.level = sim::Level::fast;
        fast.counters = false;
        const auto again = sim::run(lowered->program, in, fast).value();
        REQUIRE(again.ok());
        const Array &d = *report.outputs.find("D"), &other = *again.outputs.find("D");
        for (std::int64_t i = 0; i < d.size(); ++i) CHECK(d.at(i) == other.at(i));
    }
    return report;
}

} // namespace

TEST_CASE("a tile processed and put back, in every memory", "[tiles]")
{
    // The example of TLE: rows 2 and 3, columns 0 and 1 of a 4×4, its negative numbers become 0.
    for (const char* memory : {"gmem", "smem", "reg"}) {
        INFO(memory);
        Kernel k("relu", machines::sm80);
        const auto A = k.input("A", {4, 4}, i32), D = k.output("D", {4, 4}, i32);
        one_block(k, 1, [&](Scope c) {
            const std::string m = memory;
            const auto x = m == "reg"    ? c.alloc(Role::registers, {4, 4}, i32, LayoutHint::registers, "x")
                           : m == "smem" ? c.alloc(Role::shared, {4, 4}, i32, {}, "x")
                                         : D;
            const auto y = c.alloc(Role::registers, {2, 2}, i32, LayoutHint::registers, "y");
            c.copy(x, A).sync();
            c.copy(y, c.extract_tile(x, {2, 2}, {1, 0})).sync();
            c.unary(Function::relu, y, y);
            c.insert_tile(x, y, {1, 0}).sync();
            if (m != "gmem") c.copy(D, x);
        });
        Bindings in;
        Array a = Array::make({4, 4}, i32).value();
        for (int i = 0; i < 16; ++i) a.set(i, -i);
        in.set("A", a.clone().value());
        const auto report = without_fault(run_tiles(k, in));
        for (int i = 0; i < 16; ++i) CHECK(report.outputs.find("D")->at(i) == (i == 8 || i == 9 || i == 12 || i == 13 ? 0 : -i));
    }
}

TEST_CASE("tiles by an index that is read, of tensors in memories", "[tiles]")
{
    for (const bool shared : {false, true})
        for (int n = 0; n < 6; ++n) {
            Kernel k("read", machines::sm80);
            tile_kernel(k, {4, 9}, {4, 9}, [&](Scope c, const TensorRef& A, const TensorRef& at, const TensorRef& D) {
                const auto x = shared ? c.alloc(Role::shared, {4, 9}, i32, {}, "x") : D;
                const auto y = c.alloc(Role::registers, {2, 3}, i32, LayoutHint::registers, "y");
                c.copy(x, A).sync();
                c.copy(y, c.extract_tile(x, {2, 3}, load(at(0)))).sync(); // tile n becomes tile (1, 2)
                c.insert_tile(x, y, {load(at(1)), load(at(2))}).sync();
                if (shared) c.copy(D, x);
            });
            const auto report = without_fault(run_tiles(k, tile_inputs({4, 9}, {double(n), 1, 2})));
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 9; ++j) {
                    const bool in = i >= 2 && j >= 6;
                    const int from_i = in ? i - 2 + n / 3 * 2 : i, from_j = in ? j - 6 + n % 3 * 3 : j;
                    CHECK(report.outputs.find("D")->at(Coord{i, j}) == 9 * from_i + from_j);
                }
        }
}

TEST_CASE("tiles by a loop's counter: the number of a tile, and its coordinates", "[tiles]")
{
    Kernel k("looped", machines::sm80);
    tile_kernel(k, {4, 6}, {6, 4}, [&](Scope c, const TensorRef& A, const TensorRef&, const TensorRef& D) {
        c.loop(0, 6, 1, [&](const Affine& n) { c.copy(c.extract_slice(D, {n, 0}, {1, 4}), D(n, all).repeated(0, 1)); });
        c.loop(0, 6, 1, [&](const Affine& n) {
            const auto y = c.alloc(Role::registers, {2, 2}, i32, LayoutHint::registers, "y");
            c.copy(y, c.extract_tile(A, {2, 2}, n));
            c.insert_tile(D, y, n);
        });
    });
    // The first loop reads what nothing has written, which the run finds; without it the tiles go to where their numbers say.
    CHECK(run_tiles(k, tile_inputs({4, 6}, {})).fault.kind != FaultKind::none);
    Kernel good("looped", machines::sm80);
    tile_kernel(good, {4, 6}, {6, 4}, [&](Scope c, const TensorRef& A, const TensorRef&, const TensorRef& D) {
        c.loop(0, 2, 1, [&](const Affine& i) {
            c.loop(0, 3, 1, [&](const Affine& j) { c.insert_tile(D, c.extract_tile(A, {2, 2}, {i, j}), {j, i}); });
        });
    });
    const auto report = run_tiles(good, tile_inputs({4, 6}, {}));
    REQUIRE(report.ok());
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 4; ++j) CHECK(report.outputs.find("D")->at(Coord{i, j}) == 6 * (j / 2 * 2 + i % 2) + i / 2 * 2 + j % 2);
}

TEST_CASE("slices with strides: all offsets, sizes and strides that fit, and no others", "[tiles]")
{
    for (std::int64_t extent = 1; extent <= 5; ++extent)
        for (std::int64_t offset = -1; offset <= 5; ++offset)
            for (std::int64_t size = 0; size <= 4; ++size)
                for (std::int64_t stride = 0; stride <= 3; ++stride) {
                    Kernel k("sliced", machines::sm80);
                    const auto A = k.input("A", {extent, 2}, i32);
                    const ViewRef v = k.extract_slice(A, {static_cast<int>(offset), 1}, {size, 1}, {stride, 1});
                    const bool fits = offset >= 0 && size >= 1 && stride >= 1 && offset + (size - 1) * stride < extent;
                    REQUIRE(k.program().has_value() == fits);
                    if (!fits) continue;
                    for (std::int64_t x = 0; x < size; ++x)
                        CHECK(v.view().origin[0].constant() + v.view().steps[0] * x == offset + stride * x);
                    CHECK(v.view().origin[1] == Affine(1));
                    CHECK(!v.view().guarded);
                }
}

TEST_CASE("slices of slices, and of views whose dimensions are permuted, picked or repeated", "[tiles]")
{
    Kernel k("composed", machines::sm80);
    tile_kernel(k, {3, 12, 5}, {2, 3, 2}, [&](Scope c, const TensorRef& A, const TensorRef& at, const TensorRef& D) {
        // Rows 2 and 0 … of x[:, 1:12:2], every other again.
        const auto odd = c.extract_slice(A, {0, 1, 0}, {3, 6, 5}, {1, 2, 1}).permuted({1, 0, 2}); // 6×3×5
        const auto part = c.extract_slice(odd, {load(at(0)), 0, 3}, {2, 3, 2}, {3, 1, 1});
        c.copy(D, part);
    });
    for (int first = 0; first < 3; ++first) {
        const auto report = without_fault(run_tiles(k, tile_inputs({3, 12, 5}, {double(first)})));
        for (int i = 0; i < 2; ++i)
            for (int j = 0; j < 3; ++j)
                for (int l = 0; l < 2; ++l)
                    CHECK(report.outputs.find("D")->at(Coord{i, j, l}) == 60 * j + 5 * (1 + 2 * (first + 3 * i)) + 3 + l);
    }
    const auto beyond = run_tiles(k, tile_inputs({3, 12, 5}, {3}));
    CHECK(beyond.fault.kind == FaultKind::out_of_bounds);
    CHECK_THAT(beyond.fault.text, Catch::Contains("index `A_from0` is 3, from element (0) of at; it must be a "
                                                  "whole number from 0 to 2"));
}

TEST_CASE("a slice with strides in registers and in shared memory is what the program says", "[tiles]")
{
    for (const bool in_registers : {false, true}) {
        Kernel k("strided", machines::sm80);
        tile_kernel(k, {8, 12}, {8, 12}, [&](Scope c, const TensorRef& A, const TensorRef&, const TensorRef& D) {
            const auto x = in_registers ? c.alloc(Role::registers, {8, 12}, i32, LayoutHint::registers, "x")
                                        : c.alloc(Role::shared, {8, 12}, i32, {}, "x");
            const auto y = c.alloc(Role::registers, {4, 4}, i32, LayoutHint::registers, "y");
            c.copy(x, A).sync();
            c.copy(y, c.extract_slice(x, {0, 2}, {4, 4}, {2, 3})).sync();
            c.unary(Function::neg, y, y);
            c.insert_slice(x, y, {1, 0}, {2, 3}).sync();
            c.copy(D, x);
        });
        const auto report = without_fault(run_tiles(k, tile_inputs({8, 12}, {})));
        for (int i = 0; i < 8; ++i)
            for (int j = 0; j < 12; ++j) {
                const bool in = i % 2 == 1 && j % 3 == 0;
                CHECK(report.outputs.find("D")->at(Coord{i, j}) == (in ? -(12 * (i - 1) + j + 2) : 12 * i + j));
            }
    }
}

TEST_CASE("an element in an expression, known and computed", "[tiles]")
{
    Kernel k("element", machines::sm80);
    tile_kernel(k, {3, 5}, {5}, [&](Scope c, const TensorRef& A, const TensorRef& at, const TensorRef& D) {
        const Affine row = c.index(floor_div(c.extract_element(A, {1, 2}), 4), 0, 3, "row"); // 7 / 4
        c.copy(D, A(row, all));
        c.when(equals(c.extract_element(A, {load(at(0)), 4}), 14), [&] { c.copy(D(0), A(0, 0)); });
    });
    for (int r = 0; r < 3; ++r) {
        const auto report = run_tiles(k, tile_inputs({3, 5}, {double(r)}));
        REQUIRE(report.ok());
        for (int j = 0; j < 5; ++j) CHECK(report.outputs.find("D")->at(j) == (j == 0 && r == 2 ? 0 : 5 + j));
    }
}

TEST_CASE("what is outside of a grid of tiles: said before the run where it is known, else found by it", "[tiles]")
{
    const auto one_tile = [](const std::function<ViewRef(Scope&, const TensorRef&, const TensorRef&)>& tile) {
        auto k = std::make_unique<Kernel>("outside", machines::sm80);
        tile_kernel(*k, {6, 8}, {3, 2},
                    [&](Scope c, const TensorRef& A, const TensorRef& at, const TensorRef& D) { c.copy(D, tile(c, A, at)); });
        return k;
    };
    const auto contains = [](const std::string& text) { return Catch::Contains(text); };
    for (int i = -1; i <= 2; ++i) {
        const auto k = one_tile([&](Scope& c, const TensorRef& A, const TensorRef&) { return c.extract_tile(A, {3, 2}, {i, 0}); });
        if (i == 0 || i == 1)
            CHECK(first_problem(*k).empty());
        else
            CHECK_THAT(first_problem(*k),
                       contains("tile " + std::to_string(i) + " of A in dimension 0 is outside of its 2 tiles there"));
    }
    for (int n = -1; n <= 8; n += 9) {
        const auto k = one_tile([&](Scope& c, const TensorRef& A, const TensorRef&) { return c.extract_tile(A, {3, 2}, n); });
        CHECK_THAT(first_problem(*k), contains("tile " + std::to_string(n) + " of A is outside of its 8 tiles"));
    }
    CHECK_THAT(
        first_problem(*one_tile([](Scope& c, const TensorRef& A, const TensorRef&) { return c.extract_tile(A, {4, 2}, {0, 0}); })),
        contains("tiles of 4×2 do not divide A, which is 6×8"));
    CHECK_THAT(
        first_problem(*one_tile([](Scope& c, const TensorRef& A, const TensorRef&) { return c.extract_tile(A, {0, 2}, {0, 0}); })),
        contains("tiles of 0×2 do not divide A, which is 6×8"));
    CHECK_THAT(
        first_problem(*one_tile([](Scope& c, const TensorRef& A, const TensorRef&) { return c.extract_tile(A, {3, 2}, {1}); })),
        contains("a tile of A has 1 index; it has 2 dimensions"));

    // A loop that goes one too far: validate, before the run.
    Kernel looped("outside", machines::sm80);
    tile_kernel(looped, {6, 8}, {3, 2}, [&](Scope c, const TensorRef& A, const TensorRef&, const TensorRef& D) {
        c.loop(0, 3, 1, [&](const Affine& i) { c.copy(D, c.extract_tile(A, {3, 2}, {i, 0})); });
    });
    REQUIRE(looped.program().has_value());
    CHECK_THAT(first_problem(looped), contains("A `A` goes up to index 8 of dimension 0, which has 6"));

    // Numbers that the run reads: the coordinates, and the number of the tile.
    const auto by_pair = one_tile(
        [](Scope& c, const TensorRef& A, const TensorRef& at) { return c.extract_tile(A, {3, 2}, {load(at(0)), load(at(1))}); });
    const auto by_number =
        one_tile([](Scope& c, const TensorRef& A, const TensorRef& at) { return c.extract_tile(A, {3, 2}, load(at(2))); });
    for (int i = -1; i <= 2; ++i)
        for (int j = -1; j <= 4; ++j) {
            const auto report = run_tiles(*by_pair, tile_inputs({6, 8}, {double(i), double(j)}));
            REQUIRE(report.ok() == (i >= 0 && i < 2 && j >= 0 && j < 4));
            if (report.ok()) continue;
            CHECK(report.fault.kind == FaultKind::out_of_bounds);
            const bool first = i < 0 || i > 1;
            CHECK_THAT(report.fault.text, contains("index `A_tile" + std::string(first ? "0` is " : "1` is ") +
                                                   std::to_string(first ? i : j) + ", from element (" + (first ? "0" : "1") +
                                                   ") of at; it must be a whole number from 0 to " + (first ? "1" : "3")));
        }
    for (int n = -1; n <= 8; ++n) {
        const auto report = run_tiles(*by_number, tile_inputs({6, 8}, {0, 0, double(n)}));
        REQUIRE(report.ok() == (n >= 0 && n < 8));
        if (!report.ok())
            CHECK_THAT(report.fault.text, contains("index `A_tile` is " + std::to_string(n) + ", from element (2) of at"));
    }
    // An index with a range that is too wide, of a whole tensor: the element that is accessed.
    const auto wide = one_tile([](Scope& c, const TensorRef& A, const TensorRef& at) {
        return c.extract_tile(A, {3, 2}, {c.index(load(at(0)), 0, 9, "i"), 0});
    });
    CHECK(run_tiles(*wide, tile_inputs({6, 8}, {1})).ok());
    const auto beyond = run_tiles(*wide, tile_inputs({6, 8}, {2}));
    CHECK(beyond.fault.kind == FaultKind::out_of_bounds);
    CHECK_THAT(beyond.fault.text, contains("(6,0) of A"));
    // Of a part of a tensor the elements beyond exist, and are found all the same.
    const auto of_part = one_tile([](Scope& c, const TensorRef& A, const TensorRef& at) {
        const auto half = c.extract_slice(A, {0, 0}, {3, 4});
        return c.extract_tile(half, {3, 2}, {0, c.index(load(at(0)), 0, 4, "j")});
    });
    CHECK(run_tiles(*of_part, tile_inputs({6, 8}, {1})).ok());
    CHECK(run_tiles(*of_part, tile_inputs({6, 8}, {2})).fault.kind == FaultKind::out_of_bounds);
}

TEST_CASE("what no slice and no tile to insert is", "[tiles]")
{
    const auto problem = [](const std::function<void(Kernel&, const TensorRef&)>& write) {
        Kernel k("wrong", machines::sm80);
        const auto A = k.inout("A", {6, 8}, i32);
        write(k, A);
        return first_problem(k);
    };
    const auto contains = [](const char* text) { return Catch::Contains(text); };
    CHECK_THAT(problem([](Kernel& k, const TensorRef& A) { (void)k.extract_slice(A, {0}, {3, 2}); }),
               contains("a slice of A has 1 offsets, 2 sizes and 2 strides; it has 2 dimensions"));
    CHECK_THAT(problem([](Kernel& k, const TensorRef& A) { (void)k.extract_slice(A, {0, 0}, {3, 2}, {1}); }),
               contains("a slice of A has 2 offsets, 2 sizes and 1 stride; it has 2 dimensions"));
    CHECK_THAT(problem([](Kernel& k, const TensorRef& A) { (void)k.extract_slice(A, {0, 0}, {3, 2}, {1, 0}); }),
               contains("a slice of A has the stride 0; it must be at least 1"));
    CHECK_THAT(problem([](Kernel& k, const TensorRef& A) { (void)k.extract_slice(A, {0, 0}, {3, 0}); }),
               contains("a view of A has 0 indices in dimension 1; it must have at least 1"));
    CHECK_THAT(problem([](Kernel& k, const TensorRef& A) { (void)k.extract_slice(A, {1, 0}, {3, 2}, {3, 1}); }),
               contains("a slice of A goes from 1 to 7 in dimension 0, which has 6 indices"));
    CHECK_THAT(problem([](Kernel& k, const TensorRef& A) {
                   const auto y = k.input("y", {3, 2}, f32);
                   k.insert_tile(A, y, {0, 0});
               }),
               contains("y is of f32 and is inserted into A, which is of i32"));
}

TEST_CASE("tiles of registers by an index that is read: taken and put, also where it moves them from lane to lane", "[tiles]")
{
    // x 8×16 in registers, its tiles by (at[0], at[1]) and by number at[2]: one tile becomes another.
    for (const auto& [agents, tile] : {std::pair{1, Shape{4, 4}}, {2, Shape{4, 8}}, {4, Shape{2, 16}}, {1, Shape{8, 2}}})
        for (const std::int64_t from : {0, 1, 3}) {
            const Shape grid{8 / tile[0], 16 / tile[1]};
            const std::int64_t count = grid[0] * grid[1], to = (from + 2) % count;
            INFO(detail::shape_words(tile) << " of " << agents << ", tile " << from << " to " << to);
            Kernel k("registers", machines::sm80);
            tile_kernel(
                k, {8, 16}, {8, 16},
                [&, t = tile](Scope c, const TensorRef& A, const TensorRef& at, const TensorRef& D) {
                    const auto x = c.alloc(Role::registers, {8, 16}, i32, LayoutHint::registers, "x");
                    const auto y = c.alloc(Role::registers, t, i32, LayoutHint::registers, "y");
                    c.copy(x, A);
                    c.copy(y, c.extract_tile(x, t, {load(at(0)), load(at(1))}));
                    c.unary(Function::neg, y, y);
                    c.insert_tile(x, y, load(at(2)));
                    c.insert_tile(x, c.extract_tile(x, t, load(at(2))), load(at(3)));
                    c.copy(D, x);
                },
                agents);
            const auto report =
                run_tiles(k, tile_inputs({8, 16}, {double(from / grid[1]), double(from % grid[1]), double(to), double(count - 1)}));
            INFO(report.fault.text);
            REQUIRE(report.ok());
            for (int i = 0; i < 8; ++i)
                for (int j = 0; j < 16; ++j) {
                    const std::int64_t number = i / tile[0] * grid[1] + j / tile[1];
                    const std::int64_t row = from / grid[1] * tile[0] + i % tile[0],
                                       column = from % grid[1] * tile[1] + j % tile[1];
                    const double expected = number == to || number == count - 1 ? -double(16 * row + column) : 16 * i + j;
                    CHECK(report.outputs.find("D")->at(Coord{i, j}) == expected);
                }
        }
}

TEST_CASE("a whole tensor of registers is moved for a tile of it only where every run has written all of it", "[tiles]")
{
    enum class Before { all, part, other_branch, loop };
    const auto lowered = [](Before before) {
        Kernel k("written", machines::sm80);
        tile_kernel(k, {8, 16}, {8, 16}, [&](Scope c, const TensorRef& A, const TensorRef& at, const TensorRef& D) {
            const auto x = c.alloc(Role::registers, {8, 16}, i32, LayoutHint::registers, "x");
            const auto y = c.alloc(Role::registers, {4, 4}, i32, LayoutHint::registers, "y");
            const auto put = [&] { c.insert_tile(x, y, {load(at(0)), load(at(1))}); };
            c.copy(y, A(Interval(0, 4), Interval(0, 4)));
            if (before == Before::all) c.copy(x, A);
            if (before == Before::part) c.copy(x(all, Interval(0, 15)), A(all, Interval(0, 15)));
            if (before == Before::loop) c.loop(0, 2, 1, [&](const Affine&) { c.copy(x, A); });
            if (before == Before::other_branch)
                c.when(equals(load(at(0)), 0), [&] { c.copy(x, A); }, put);
            else
                put();
            c.copy(D, x);
        });
        const auto found = lower(k.program().value());
        return found ? std::string() : found.error().text;
    };
    CHECK(lowered(Before::all).empty());
    for (const Before before : {Before::part, Before::other_branch, Before::loop}) {
        INFO(static_cast<int>(before));
        CHECK(lowered(before).find("not all of x is written before this statement in every run") != std::string::npos);
    }
}
