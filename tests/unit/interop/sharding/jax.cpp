// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/sharding/jax.hpp>
#include <axe/interop/sharding/place.hpp>
#include <axe/layout/points.hpp>
#include <tests/unit/interop/sharding/said.hpp>

#include <set>
#include <vector>

using namespace axe;
using namespace axe::sharding;

namespace {

const Mesh cube = *make_mesh({{"x", 2}, {"y", 3}, {"z", 2}});
const std::int64_t sizes[] = {2, 3, 2};
const char* const names[] = {"'x'", "'y'", "'z'"};

/// Ways to put some of three axes, in some order, into two dimensions.
std::vector<std::vector<std::vector<int>>> ways()
{
    std::vector<std::vector<std::vector<int>>> out{{{}, {}}};
    for (std::size_t i = 0; i < out.size(); ++i)
        for (int axis = 0; axis < 3; ++axis)
            for (std::size_t d = 0; d < 2; ++d) {
                auto next = out[i];
                bool is_used = false, is_last = true;
                for (std::size_t k = 0; k < 2; ++k)
                    for (const int a : next[k]) {
                        is_used = is_used || a == axis;
                        is_last = is_last && k <= d;
                    }
                if (is_used || !is_last) continue; // each way once: dimension 0 is filled before dimension 1
                next[d].push_back(axis);
                out.push_back(next);
            }
    return out;
}

std::string text_of(const std::vector<std::vector<int>>& way)
{
    std::string out = "P(";
    for (std::size_t d = 0; d < way.size(); ++d) {
        if (d > 0) out += ", ";
        if (way[d].empty()) out += "None";
        if (way[d].size() > 1) out += "(";
        for (std::size_t i = 0; i < way[d].size(); ++i) out += (i > 0 ? std::string(", ") : std::string()) + names[way[d][i]];
        if (way[d].size() > 1) out += ")";
    }
    return out + ")";
}

} // namespace

TEST_CASE("JAX: every way to split two dimensions over three axes, printed and read, and who holds what by definition")
{
    const auto every_way = ways();
    CHECK(every_way.size() == 1 + 3 * 2 + 6 * 3 + 6 * 4); // none, one, two and three axes, in order, cut in two
    for (const auto& way : every_way) {
        const std::string text = text_of(way);
        INFO(text);
        const auto spec = parse_jax(text, cube, 2);
        REQUIRE(spec);
        CHECK(said::text(print_jax(*spec)) == text);
        const Shape shape{12, 24};
        const auto placed = place(*spec, shape);
        REQUIRE(placed);
        for (std::int64_t x = 0; x < *volume(shape); x += 5) {
            std::set<std::int64_t> got, expected;
            for (const Point& p : points(placed->layout, x)) got.insert(p[device_axis]);
            const Coord c = coordinate(shape, x);
            for (std::int64_t device = 0; device < 12; ++device) {
                const std::int64_t place[] = {device / 6, device / 2 % 3, device % 2};
                bool holds = true;
                for (int d = 0; d < 2; ++d) {
                    std::int64_t block = 0, blocks = 1;
                    for (const int axis : way[static_cast<std::size_t>(d)]) {
                        block = block * sizes[axis] + place[axis];
                        blocks *= sizes[axis];
                    }
                    holds = holds && c[d] / (shape[d] / blocks) == block;
                }
                if (holds) expected.insert(device);
            }
            CHECK(got == expected);
        }
    }
}

TEST_CASE("JAX: short specs leave the last dimensions whole, and what is cut off is not read")
{
    for (int rank = 1; rank <= max_rank; ++rank) {
        const auto spec = parse_jax("P('y')", cube, rank);
        REQUIRE(spec);
        CHECK(spec->rank() == rank);
        CHECK(spec->parts.size() == 1);
        CHECK(parse_jax(print_jax(*spec)->c_str(), cube, rank).value() == *spec);
    }
    said::refused(parse_jax("P('y')", cube, 0), errc::rank_mismatch, "the PartitionSpec has 1 entry, the shape 0 dimensions");
    const std::string text = "PartitionSpec(('x', 'y'), P.UNCONSTRAINED, None, unreduced={'z'})";
    REQUIRE(parse_jax(text, cube, 3));
    for (std::size_t length = 0; length < text.size(); ++length)
        if (parse_jax(text.substr(0, length), cube, 3)) FAIL("read " << text.substr(0, length));
}
