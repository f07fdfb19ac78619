// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/program/kernel.hpp>
#include <axe/target/machines.hpp>
#include <catch.hpp>
#include <tests/random.hpp>
#include <tests/required.hpp>

using namespace axe;
using enum DType;

namespace {

using laws::Random;

/// The tensor's coordinate of an element of a view, by its equation.
std::vector<std::int64_t> element(const View& v, const Coord& x, const std::vector<std::int64_t>& values)
{
    std::vector<std::int64_t> out;
    for (const Affine& o : v.origin) out.push_back(o(values));
    for (int k = 0; k < v.rank(); ++k)
        if (v.dims[k] >= 0) out[static_cast<std::size_t>(v.dims[k])] += v.steps[k] * x[k];
    return out;
}

/// The same as a list of all elements, row-major, each made from a list before it: what a view of a view has to be.
struct Listed {
    Shape shape;
    std::vector<std::vector<std::int64_t>> elements;

    static Listed whole(const Shape& shape)
    {
        Listed out{shape, {}};
        for (std::int64_t i = 0; i < volume(shape).value(); ++i) {
            const Coord c = coordinate(shape, i);
            out.elements.emplace_back(c.begin(), c.end());
        }
        return out;
    }
    /// Element x of the result is element from(x) of this one.
    template <class From>
    [[nodiscard]] Listed with(const Shape& to, From from) const
    {
        Listed out{to, {}};
        for (std::int64_t i = 0; i < volume(to).value(); ++i) out.elements.push_back(from(coordinate(to, i)));
        return out;
    }
    [[nodiscard]] std::vector<std::int64_t> at(const Coord& c) const
    {
        return elements[static_cast<std::size_t>(linear_index(shape, c).value())];
    }
};

bool same(const View& v, const Listed& listed, const std::vector<std::int64_t>& values)
{
    if (!(v.extents == listed.shape)) return false;
    for (std::int64_t i = 0; i < volume(v.extents).value(); ++i)
        if (element(v, coordinate(v.extents, i), values) != listed.elements[static_cast<std::size_t>(i)]) return false;
    return true;
}

} // namespace

TEST_CASE("a permuted view has its dimensions in another order")
{
    Kernel k("k", machines::sm80);
    const auto a = k.input("a", {2, 3, 4}, f32);
    const Listed naive =
        Listed::whole({2, 3, 4}).with({4, 2, 3}, [](const Coord& x) { return std::vector<std::int64_t>{x[1], x[2], x[0]}; });
    CHECK(same(a.permuted({2, 0, 1}).view(), naive, {}));
    CHECK(a.permuted({2, 0, 1}).permuted({1, 2, 0}).view() == a.view());
    CHECK(a.permuted({0, 1, 2}).view() == a.view());
}

TEST_CASE("a repeated view shows the same elements along the new dimension")
{
    Kernel k("k", machines::sm80);
    const auto a = k.input("a", {2, 3}, f32);
    const Listed whole = Listed::whole({2, 3});
    CHECK(same(a.repeated(0, 5).view(), whole.with({5, 2, 3}, [&](const Coord& x) { return whole.at({x[1], x[2]}); }), {}));
    CHECK(same(a.repeated(1, 5).view(), whole.with({2, 5, 3}, [&](const Coord& x) { return whole.at({x[0], x[2]}); }), {}));
    CHECK(same(a.repeated(2, 5).view(), whole.with({2, 3, 5}, [&](const Coord& x) { return whole.at({x[0], x[1]}); }), {}));
    // A part of the repetitions, one of them, all of them.
    const ViewRef r = a.repeated(1, 5);
    CHECK(r(all, Interval(1, 2), all).shape() == Shape{2, 2, 3});
    CHECK(r(all, 4, all).view() == a.view());
    CHECK(r(all, all, all).view() == r.view());
}

TEST_CASE("a picked index is a dimension less")
{
    Kernel k("k", machines::sm80);
    const auto a = k.input("a", {4, 5, 6}, f32);
    const Listed whole = Listed::whole({4, 5, 6});
    CHECK(same(a(3, all, 2).view(), whole.with({5}, [&](const Coord& x) { return whole.at({3, x[0], 2}); }), {}));
    CHECK(same(a(3, 1, 2).view(), whole.with({}, [&](const Coord&) { return whole.at({3, 1, 2}); }), {}));
    k.loop(0, 4, 1, [&](Affine i) {
        const ViewRef row = a(i, all, Interval(2, 3));
        CHECK_FALSE(row.view().guarded);
        for (std::int64_t v = 0; v < 4; ++v)
            CHECK(same(row.view(), whole.with({5, 3}, [&](const Coord& x) { return whole.at({v, x[0], x[1] + 2}); }), {v}));
    });
}

TEST_CASE("a view is guarded exactly where a tile can stand over")
{
    for (const std::int64_t extent : {1, 31, 32, 33, 64, 70, 96})
        for (const std::int64_t tile : {1, 7, 32, 64}) {
            Kernel k("k", machines::sm80);
            const auto a = k.input("a", {extent, 64}, f32);
            const bool over = extent % tile != 0;
            k.loop(tiles(extent, tile), [&](Interval s) { CHECK(a(s, all).view().guarded == over); });
            k.cta(tiles(a, {tile, 64}), [&](Scope, const Tile& t) {
                CHECK(a(t).view().guarded == over);
                CHECK(a(t.rows, Interval(0, 8)).view().guarded == over);
                CHECK_FALSE(a(0, t.cols).view().guarded);
                CHECK(a(t).guarded(false).view().guarded == false);
            });
            // One block before or behind reaches outside at an end.
            k.cta(tiles(a, {tile, 64}), [&](Scope, const Tile& t) {
                CHECK(a(Interval(t.rows.begin - 1, 1), all).view().guarded);
                CHECK(a(Interval(t.rows.begin + 1, tile), all).view().guarded);
            });
            CHECK(a.guarded().view().guarded);
        }
}

TEST_CASE("what a view of a guarded view shows stays guarded")
{
    Kernel k("k", machines::sm80);
    const auto a = k.input("a", {100, 64}, f32);
    k.cta(tiles(a, {32, 64}), [&](Scope, const Tile& t) {
        const ViewRef tile = a(t);
        CHECK(tile(Interval(0, 4), all).view().guarded);
        CHECK(tile.permuted({1, 0}).view().guarded);
        CHECK(tile.repeated(0, 2).view().guarded);
        CHECK(k.program().has_value());
    });
    CHECK(k.program().has_value());
}

// What the kernel's functions make, against lists of elements, for 10,000 seeded views of views under two loops.
TEST_CASE("views of views show what their equation says")
{
    Random r(5);
    Kernel k("k", machines::sm80);
    int steps = 0;
    const Shape shapes[] = {{7}, {4, 6}, {3, 4, 5}, {2, 1, 3, 2}};
    k.loop(0, 3, 1, [&](Affine i) {
        k.loop(0, 3, 2, [&](Affine j) { // 0 and 2
            for (std::int64_t n = 0; n < laws::cases(10000); ++n) {
                const Shape& shape = shapes[r.in(0, 3)];
                ViewRef view = k.input("a", shape, f32);
                const std::vector<std::int64_t> values{r.in(0, 2), 2 * r.in(0, 1)};
                Listed listed = Listed::whole(shape);
                for (std::int64_t step = r.in(1, 5); step > 0; --step) {
                    const int rank = view.view().rank();
                    const std::int64_t what = r.in(0, 3);
                    if (what == 0 && rank > 1) {
                        InlineVector<int, max_rank> order;
                        for (int d = 0; d < rank; ++d) order.insert(static_cast<int>(r.in(0, d)), d);
                        Shape to;
                        for (const int d : order) to.push_back(listed.shape[d]);
                        const Listed before = listed;
                        listed = before.with(to, [&](const Coord& x) {
                            Coord from = x;
                            for (int d = 0; d < rank; ++d) from[order[d]] = x[d];
                            return before.at(from);
                        });
                        view = view.permuted(order);
                    } else if (what == 1 && rank < 5) {
                        const int dim = static_cast<int>(r.in(0, rank));
                        const std::int64_t extent = r.in(1, 3);
                        Shape to = listed.shape;
                        REQUIRE(to.insert(dim, extent));
                        const Listed before = listed;
                        listed = before.with(to, [&](Coord x) {
                            x.erase(dim);
                            return before.at(x);
                        });
                        view = view.repeated(dim, extent);
                    } else {
                        std::vector<Interval> box;
                        std::vector<std::int64_t> begins;
                        Shape to;
                        for (int d = 0; d < rank; ++d) {
                            const std::int64_t have = listed.shape[d], extent = r.in(1, have), slack = have - extent;
                            const std::int64_t ci = slack >= 2 && r.one_in(2) ? 1 : 0,
                                               cj = slack - 2 * ci >= 2 && r.one_in(2) ? 1 : 0;
                            const std::int64_t c = r.in(0, slack - 2 * ci - 2 * cj);
                            const Affine begin = i * ci + j * cj + c;
                            begins.push_back(begin(values));
                            const std::int64_t way = r.in(0, 3);
                            if (way == 0) {
                                box.emplace_back(begin);
                            } else if (way == 1) {
                                box.push_back(all);
                                begins.back() = 0;
                                to.push_back(have);
                            } else {
                                box.emplace_back(begin, extent);
                                to.push_back(extent);
                            }
                        }
                        const Listed before = listed;
                        listed = before.with(to, [&](const Coord& x) {
                            Coord from;
                            for (int d = 0, next = 0; d < rank; ++d)
                                from.push_back(begins[static_cast<std::size_t>(d)] +
                                               (box[static_cast<std::size_t>(d)].picks ? 0 : x[next++]));
                            return before.at(from);
                        });
                        view = view(box);
                    }
                    ++steps;
                }
                REQUIRE(same(view.view(), listed, values));
                REQUIRE_FALSE(view.view().guarded);
            }
        });
    });
    const auto p = required(k.program());
    CHECK(steps > 2 * laws::cases(10000));
}

// The same for boxes that reach outside of the tensor: a mark is there if some value of the variables leads outside, and only then.
TEST_CASE("boxes that may leave the tensor are guarded, and only those")
{
    Random r(6);
    Kernel k("k", machines::sm80);
    int guarded = 0;
    k.loop(0, 3, 1, [&](Affine i) {
        k.loop(0, 5, 2, [&](Affine j) { // 0, 2, 4
            for (std::int64_t n = 0; n < laws::cases(10000); ++n) {
                const Shape shape{r.in(6, 16), r.in(6, 16)};
                std::vector<Interval> box;
                for (int d = 0; d < 2; ++d) box.emplace_back(i * r.in(-1, 2) + j * r.in(0, 1) + r.in(-1, 6), r.in(1, 4));
                const ViewRef view = k.input("a", shape, f32)(box);
                bool over = false;
                for (std::int64_t vi = 0; vi < 3; ++vi)
                    for (std::int64_t vj = 0; vj < 5; vj += 2)
                        for (const Coord& corner : {Coord{0, 0}, Coord{box[0].extent - 1, box[1].extent - 1}}) {
                            const auto at = element(view.view(), corner, {vi, vj});
                            over = over || at[0] < 0 || at[0] >= shape[0] || at[1] < 0 || at[1] >= shape[1];
                        }
                REQUIRE(view.view().guarded == over);
                guarded += over ? 1 : 0;
            }
        });
    });
    CHECK(guarded > laws::cases(1000));
    CHECK(guarded < laws::cases(9000));
}
