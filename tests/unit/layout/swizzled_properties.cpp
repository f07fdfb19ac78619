// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/axe.hpp>
#include <catch.hpp>

#include <random>
#include <string>
#include <vector>

/// Contiguity and vectors of swizzled layouts against their definitions, on all of many small ones.
namespace {

using axe::Layout, axe::Shape;
using Int = std::int64_t;
using Swizzled = axe::Swizzled<Layout>;

Swizzled swizzled(const std::string& text) { return axe::parse_swizzled(text).value(); }

std::vector<Int> values(const Swizzled& s)
{
    std::vector<Int> out;
    for (Int x = 0; x < axe::size(s).value(); ++x) out.push_back((*axe::evaluate(s, x))[axe::Axis{}]);
    return out;
}

/// The longest vector by its definition, of a layout on m of this shape.
Int vector_of(const std::vector<Int>& at, const Shape& shape, int dim)
{
    Int inner = 1, best = 1;
    for (int d = dim + 1; d < shape.size(); ++d) inner *= shape[d];
    const Int n = static_cast<Int>(at.size());
    for (Int v = 2; v <= shape[dim]; ++v) {
        bool right = shape[dim] % v == 0;
        for (Int x = 0; x < n && right; ++x) {
            const Int c = x / inner % shape[dim], start = x - c % v * inner;
            right = at[static_cast<std::size_t>(start)] % v == 0 &&
                    at[static_cast<std::size_t>(x)] == at[static_cast<std::size_t>(start)] + c % v;
        }
        if (right) best = v;
    }
    return best;
}

} // namespace

TEST_CASE("swizzled layouts: contiguity and the longest vector, by their definitions")
{
    std::mt19937 rng(19);
    const auto pick = [&](int n) { return static_cast<int>(rng() % static_cast<unsigned>(n)); };
    int contiguous = 0, vectors = 0, longer = 0;
    for (int round = 0; round < 3000; ++round) {
        Swizzled s;
        Shape shape;
        Int stride = 1;
        const int rank = 1 + pick(2);
        for (int d = 0; d < rank; ++d) {
            const Int extent = Int{1} << (1 + pick(3));
            shape.push_back(extent);
        }
        s.layout.shard.resize(rank);
        for (int d = rank; d-- > 0; stride *= shape[d]) s.layout.shard[d] = {shape[d], pick(5) == 0 ? 1 + pick(9) : stride, {}};
        if (pick(4) == 0) *s.layout.offset.entry(axe::Axis{}) = pick(16);
        s.swizzle = {1 + pick(2), pick(4), 0};
        s.swizzle.shift = (pick(3) == 0 ? -1 : 1) * (s.swizzle.bits + pick(3));
        INFO(axe::print(s).c_str());
        REQUIRE(axe::check(s).ok());
        const auto at = values(s);

        Int fails = -1;
        for (Int x = 1; x < static_cast<Int>(at.size()) && fails < 0; ++x)
            if (at[static_cast<std::size_t>(x)] != at[0] + x) fails = x;
        const auto decision = axe::is_contiguous(s);
        REQUIRE_FALSE(decision.undecided());
        CHECK(decision.yes() == (fails < 0));
        if (fails >= 0) CHECK(decision.witness() == fails);
        contiguous += decision.yes();

        const int dim = pick(rank);
        const auto v = axe::max_vector(s, shape, dim, axe::Axis{});
        if (!v) continue; // a layout that moves nowhere does not have the axis
        CHECK(*v == vector_of(at, shape, dim));
        vectors += *v > 1;
        longer += *v > axe::max_vector(s.layout, shape, dim, axe::Axis{}).value();
    }
    CHECK(contiguous > 200);
    CHECK(vectors > 400);
    CHECK(longer >= 1); // a swizzle may make a vector, too
}

TEST_CASE("swizzled layouts: vectors and contiguity of shared memory")
{
    const auto tile = swizzled("swizzle<3,4,3>@smem/2((8,64):(64@smem,1@smem))");
    CHECK(axe::max_vector(tile, {8, 64}, 1, axe::Axis{"smem"}).value() == 8); // 16 bytes
    CHECK(axe::is_contiguous(tile).witness() == 64);
    CHECK(axe::is_contiguous(swizzled("swizzle<3,4,3>@smem/2((8,64):(64@lane,1@lane))")).yes()); // the swizzled coordinate is 0
    CHECK(axe::is_contiguous(swizzled("swizzle<3,4,3>@smem/2((8,64):(64,1))")).yes());
    CHECK(axe::is_contiguous(swizzled("swizzle<3,3,3>(64:1)")).yes());
    CHECK(axe::is_contiguous(swizzled("swizzle<3,3,3>(1:0)")).yes());
    CHECK(axe::is_contiguous(swizzled("swizzle<3,3,3>(8:1 + [2:1])")).undecided());
    CHECK(axe::is_contiguous(swizzled("swizzle<3,30,3>(4194304:1)")).error().code == axe::errc::too_hard);
    CHECK(axe::is_contiguous(swizzled("swizzle<3,3,3>(4194304:1)")).witness() == 64);
    CHECK(axe::max_vector(tile, {8, 64}, 2, axe::Axis{"smem"}).code() == axe::errc::bad_argument);
    CHECK(axe::max_vector(tile, {8, 64}, 1, axe::Axis{"lane"}).code() == axe::errc::unknown_axis);
    CHECK(axe::max_vector(swizzled("swizzle<3,3,3>(4194304:1)"), {4194304}, 0, axe::Axis{}).code() == axe::errc::too_hard);
    CHECK(axe::max_vector(swizzled("swizzle<3,3,3>(8:1 + [2:8])"), {8}, 0, axe::Axis{}).code() == axe::errc::too_hard);
}
