// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/mesh/sub_mesh.hpp>
#include <catch.hpp>

#include <vector>

namespace {

using MeshIds = std::vector<std::int64_t>;

MeshIds ids_of_sub_mesh(const axe::Mesh& mesh)
{
    MeshIds out;
    for (std::int64_t i = 0; i < size(mesh); ++i) out.push_back(axe::id_at(mesh, axe::coordinate(mesh.shape, i)).value());
    return out;
}

/// What Python's `range(*slice(lo, hi, step).indices(n))` lists, from its words: absent ends are the whole, negative ones count from the
/// end, and what is beyond is cut off.
MeshIds python_slice(std::int64_t lo, bool has_lo, std::int64_t hi, bool has_hi, std::int64_t step, std::int64_t n)
{
    MeshIds out;
    const auto end = [&](std::int64_t i) { return i < 0 ? i + n : i; };
    if (step > 0) {
        std::int64_t i = has_lo ? end(lo) : 0;
        if (i < 0) i = 0;
        for (; i < n && i < (has_hi ? end(hi) : n); i += step) out.push_back(i);
    } else {
        std::int64_t i = has_lo ? end(lo) : n - 1;
        if (i > n - 1) i = n - 1;
        for (; i >= 0 && (!has_hi || i > end(hi)); i += step) out.push_back(i);
    }
    return out;
}

} // namespace

TEST_CASE("slices of a mesh are those of Python")
{
    const axe::Mesh mesh = axe::device_mesh({{"x", 2}, {"y", 4}, {"z", 3}}).value();
    int empty = 0, some = 0;
    for (std::int64_t lo = -6; lo <= 6; ++lo)
        for (std::int64_t hi = -6; hi <= 6; ++hi)
            for (const std::int64_t step : {-5, -3, -2, -1, 1, 2, 3, 5}) {
                axe::MeshIndex slice = axe::MeshIndex::range(lo, hi, step);
                slice.has_first = lo != 6;
                slice.has_past = hi != 6;
                const MeshIds taken = python_slice(lo, lo != 6, hi, hi != 6, step, 4);
                INFO(lo << ":" << hi << ":" << step);
                const auto sub = axe::sub_mesh(mesh, {1, slice});
                REQUIRE(sub.has_value() == !taken.empty());
                if (!sub) {
                    CHECK(sub.error().code == axe::errc::bad_extent);
                    ++empty;
                    continue;
                }
                MeshIds expected;
                for (const std::int64_t y : taken)
                    for (std::int64_t z = 0; z < 3; ++z) expected.push_back(12 + 3 * y + z);
                CHECK(ids_of_sub_mesh(*sub) == expected);
                CHECK(sub->names == axe::MeshAxes{"y", "z"});
                // again, of the sub-mesh
                const auto again = axe::sub_mesh(*sub, {axe::MeshIndex::every(-1), 1}).value();
                MeshIds back;
                for (auto y = taken.rbegin(); y != taken.rend(); ++y) back.push_back(12 + 3 * *y + 1);
                CHECK(ids_of_sub_mesh(again) == back);
                CHECK(axe::launch_shape(again) == axe::Shape{2, 4, 3});
                ++some;
            }
    CHECK(empty > 500);
    CHECK(some > 300);
    CHECK(axe::sub_mesh(mesh, {axe::MeshIndex::every(INT64_MIN)})->shape == axe::Shape{1, 4, 3});
}
TEST_CASE("indices, ellipses and keys that are too long")
{
    using axe::MeshIndex;
    const axe::Mesh mesh = axe::device_mesh({{"x", 2}, {"y", 4}, {"z", 3}}).value();
    for (std::int64_t i = -6; i <= 6; ++i) {
        const auto sub = axe::sub_mesh(mesh, {MeshIndex::rest(), i});
        REQUIRE(sub.has_value() == (i >= -3 && i < 3));
        if (sub)
            CHECK(ids_of_sub_mesh(*sub)[5] == 15 + (i + 3) % 3);
        else
            CHECK(sub.error().position == 2);
        if (!sub) CHECK(sub.error().code == axe::errc::out_of_domain);
    }
    CHECK(axe::sub_mesh(mesh, {}).value() == mesh);
    CHECK(axe::sub_mesh(mesh, {MeshIndex::rest()}).value() == mesh);
    CHECK(axe::sub_mesh(mesh, {0, MeshIndex::rest(), 2})->names == axe::MeshAxes{"y"});
    CHECK(axe::sub_mesh(mesh, {1, 3, 2, MeshIndex::rest()})->rank() == 0);
    CHECK(axe::id_at(axe::sub_mesh(mesh, {1, 3, 2}).value(), {}).value() == 23);
    CHECK(axe::sub_mesh(mesh, {MeshIndex::rest(), 0, MeshIndex::rest()}).error().code == axe::errc::bad_argument);
    CHECK(axe::sub_mesh(mesh, {0, 0, 0, 0}).error().code == axe::errc::rank_mismatch);
    CHECK(axe::sub_mesh(mesh, {MeshIndex::every(0)}).error().code == axe::errc::bad_argument);
}
TEST_CASE("slices of a mesh that was flattened: the ids that are meant, or an error")
{
    // [0:2, 0:3] of (4, 4), flat: 0 1 2 4 5 6
    const axe::Mesh mesh = axe::device_mesh({{"x", 4}, {"y", 4}}).value();
    const axe::Mesh corner = axe::sub_mesh(mesh, {axe::MeshIndex::range(0, 2), axe::MeshIndex::range(0, 3)}).value();
    const axe::Mesh flat = axe::flatten(corner).value();
    const MeshIds all{0, 1, 2, 4, 5, 6};
    CHECK(ids_of_sub_mesh(flat) == all);
    int made = 0, refused = 0;
    for (std::int64_t lo = 0; lo < 6; ++lo)
        for (std::int64_t hi = lo + 1; hi <= 6; ++hi)
            for (const std::int64_t step : {1, 2, 3}) {
                const auto sub = axe::sub_mesh(flat, {axe::MeshIndex::range(lo, hi, step)});
                if (!sub) {
                    CHECK(sub.error().code == axe::errc::not_grouped);
                    ++refused;
                    continue;
                }
                MeshIds expected;
                for (std::int64_t i = lo; i < hi; i += step) expected.push_back(all[static_cast<std::size_t>(i)]);
                CHECK(ids_of_sub_mesh(*sub) == expected);
                ++made;
            }
    CHECK(made > 40);
    CHECK(refused > 5);
}
