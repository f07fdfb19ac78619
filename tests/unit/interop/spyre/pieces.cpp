// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/spyre/pieces.hpp>
#include <axe/interop/spyre/view.hpp>
#include <tests/random.hpp>
#include <tests/unit/interop/spyre/said.hpp>

#include <map>
#include <optional>
#include <vector>

using namespace axe::spyre;
using axe::Coord;
using axe::errc;
using axe::Shape;
using laws::Int;

namespace {

/// Calls f with every index of a shape.
template <class F>
void each(const Shape& shape, F f)
{
    Coord c;
    for (int i = 0; i < shape.size(); ++i) c.push_back(0);
    for (;;) {
        f(c);
        int i = shape.size() - 1;
        for (; i >= 0 && ++c[i] == shape[i]; --i) c[i] = 0;
        if (i < 0) return;
    }
}

/// The address of one index by the digits of its offset; none where a digit leaves its bound, or something is left over.
std::optional<Int> address(const Side& side, const Coord& c)
{
    Int rest = side.start, at = side.address;
    for (int i = 0; i < c.size(); ++i) rest += c[i] * side.steps[i];
    if (rest < 0) return std::nullopt;
    for (const Level& level : side.levels) {
        if (level.bound > 0) {
            if (rest / level.weight >= level.bound) return std::nullopt;
            continue;
        }
        at += rest / level.weight * level.step;
        rest %= level.weight;
    }
    if (side.exact && rest != 0) return std::nullopt;
    return at;
}

Side random_side(laws::Random& r, int rank)
{
    Side side;
    side.start = r.one_in(8) ? r.in(-3, -1) : r.in(0, 20);
    side.address = r.in(0, 5);
    side.exact = !r.one_in(4);
    const Int unit = r.one_in(3) ? r.in(1, 4) : 1; // offsets in multiples of it
    side.start *= unit;
    for (int i = 0; i < rank; ++i) side.steps.push_back(unit * (r.one_in(2) ? Int{1} << r.in(0, 4) : r.in(0, 9)));
    Int weight = unit * (r.one_in(2) ? 64 : r.in(20, 90));
    if (r.one_in(3)) side.levels.push_back({weight, 0, r.in(1, 4)});
    while (weight > unit) {
        side.levels.push_back({weight, r.in(-50, 200), 0});
        weight = unit * (r.one_in(2) ? weight / unit / 4 : r.in(1, weight / unit));
        if (weight < unit) break;
        if (r.one_in(4)) break;
    }
    side.levels.push_back({unit, r.in(1, 9), 0});
    return side;
}

} // namespace

TEST_CASE("Pieces: every index once, at its address on both sides", "[interop][spyre]")
{
    laws::Random r(41);
    int outside = 0, done = 0, several = 0;
    for (int trial = 0; trial < 3000; ++trial) {
        Shape shape;
        for (Int i = r.in(0, 3); i > 0; --i) shape.push_back(r.in(1, 12));
        const Side sides[] = {random_side(r, shape.size()), random_side(r, shape.size())};
        std::map<std::vector<Int>, std::pair<Int, Int>> met;
        int pieces = 0;
        bool once = true;
        const auto see = [&](const Piece& piece) {
            ++pieces;
            Shape counts;
            for (const PieceLoop& loop : piece.loops) counts.push_back(loop.count);
            each(counts, [&](const Coord& k) {
                std::vector<Int> c(piece.first.begin(), piece.first.end());
                Int at[] = {piece.addresses[0], piece.addresses[1]};
                for (int l = 0; l < piece.loops.size(); ++l) {
                    c[static_cast<std::size_t>(piece.loops[l].dim)] += k[l] * piece.loops[l].index_step;
                    for (int s = 0; s < 2; ++s) at[s] += k[l] * piece.address_steps[s][l];
                }
                once = met.emplace(c, std::pair(at[0], at[1])).second && once;
            });
            return true;
        };
        const Cutting got = Pieces(shape, sides[0], sides[1], see)();
        bool inside = true;
        each(shape, [&](const Coord& c) {
            const auto a = address(sides[0], c), b = address(sides[1], c);
            inside = inside && a && b;
            const auto found = met.find({c.begin(), c.end()});
            if (found != met.end()) REQUIRE((a && b && found->second == std::pair(*a, *b)));
            if (got == Cutting::done) REQUIRE(found != met.end());
        });
        REQUIRE(once);
        REQUIRE(got == (inside ? Cutting::done : Cutting::outside));
        outside += got == Cutting::outside;
        done += got == Cutting::done;
        several += pieces > 1;
    }
    CHECK(outside > 300);
    CHECK(done > 300);
    CHECK(several > 100);
}

TEST_CASE("Pieces: loops that go on in each other are one, and blocks that are alike are one piece", "[interop][spyre]")
{
    const auto pieces = [](const Shape& shape, const Side& to, const Side& from) {
        std::vector<Piece> out;
        const auto keep = [&](const Piece& piece) {
            out.push_back(piece);
            return true;
        };
        CHECK(Pieces(shape, to, from, keep)() == Cutting::done);
        return out;
    };
    Side rows;
    rows.steps = {128};
    rows.levels.push_back({1, 1, 0});
    // 256 elements, of which every 64 are a stick: three digits on neither side, two on one.
    Side flat, sticks;
    flat.steps = sticks.steps = {1};
    flat.levels.push_back({1, 1, 0});
    sticks.levels.push_back({64, 1000, 0});
    sticks.levels.push_back({1, 1, 0});
    CHECK(pieces({256}, flat, flat).size() == 1);
    CHECK(pieces({256}, flat, flat)[0].loops.size() == 1);
    const auto even = pieces({256}, flat, sticks);
    REQUIRE(even.size() == 1);
    REQUIRE(even[0].loops.size() == 2);
    CHECK(even[0].loops[0].count == 4);
    CHECK(even[0].loops[1].count == 64);
    CHECK(even[0].address_steps[1][0] == 1000);
    CHECK(pieces({250}, flat, sticks).size() == 2); // the last stick is not full
    sticks.start = flat.start = 10;
    CHECK(pieces({200}, flat, sticks).size() == 3); // nor is the first
    // Dimensions of one index are not loops.
    Side two;
    two.steps = {7, 1};
    two.levels.push_back({1, 1, 0});
    CHECK(pieces({1, 5}, two, two)[0].loops.size() == 1);
    CHECK(pieces({}, rows, rows)[0].loops.empty());
}

TEST_CASE("Pieces: the callee stops", "[interop][spyre]")
{
    Side flat, sticks;
    flat.steps = sticks.steps = {1};
    flat.levels.push_back({1, 1, 0});
    sticks.levels.push_back({64, 1000, 0});
    sticks.levels.push_back({1, 1, 0});
    for (int most = 1; most <= 2; ++most) {
        int calls = 0;
        const auto stop = [&](const Piece&) { return ++calls < most; };
        CHECK(Pieces({100}, flat, sticks, stop)() == Cutting::stopped);
        CHECK(calls == most);
    }
}

TEST_CASE("check_cut: what a cutting comes to", "[interop][spyre]")
{
    CHECK(check_cut(Cutting::done).ok());
    said::refused(check_cut(Cutting::outside), errc::out_of_domain, "the view has elements outside its base");
    CHECK(check_cut(Cutting::outside).error().position == -1);
    said::refused(check_cut(Cutting::stopped), errc::capacity, "a piece of the transfer has more than 48 loops");
    CHECK(check_cut(Cutting::stopped).error().position == Piece::max_loops);
}

TEST_CASE("side_of: a tensor's element is at its device coordinate, an array's at its strides", "[interop][spyre]")
{
    for (const auto& t : {said::tensor({4, 100}), said::tensor({100}), said::tensor({3, 5, 70}, said::f32),
                          said::tensor({3, 70, 5}, said::f16, {2, 0, 1}), said::tensor({2, 1, 130}, said::f8)}) {
        const Side side = side_of(t);
        const auto strides = device_strides(t.device);
        each(t.torch.shape, [&](const Coord& c) {
            const auto d = device_coordinate(t, c).value();
            Int expected = 0;
            for (int j = 0; j < d.size(); ++j) expected += d[j] * strides[j];
            REQUIRE(address(side, c) == expected);
        });
    }
    const axe::Strided array{{3, 4}, {7, 2}, 5};
    each(array.shape, [&](const Coord& c) { REQUIRE(address(side_of(array), c) == 5 + 7 * c[0] + 2 * c[1]); });
}
