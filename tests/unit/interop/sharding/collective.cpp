// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/sharding/collective.hpp>
#include <axe/interop/sharding/dtensor.hpp>
#include <axe/interop/sharding/place_placements.hpp>
#include <tests/unit/interop/sharding/chunks.hpp>
#include <tests/unit/interop/sharding/said.hpp>

using namespace axe;
using namespace axe::sharding;

namespace {

using Int = std::int64_t;
const Mesh four = *make_mesh({{"x", 4}}), square = *make_mesh({{"a", 2}, {"b", 2}});

Result<Resharding, Problem> between(std::string_view from, std::string_view to, const Mesh& mesh, const Shape& shape)
{
    return collective_of(*place(*parse_dtensor(from), mesh, shape), *place(*parse_dtensor(to), mesh, shape), shape);
}

/// `all_gather 48/192`: the kind, and what a device and all receive.
std::string text(std::string_view from, std::string_view to, const Mesh& mesh = four, const Shape& shape = {8, 8})
{
    const auto made = between(from, to, mesh, shape);
    if (!made) return made.error().text;
    return std::string(made->same ? "same" : name(made->collective.kind)) + " " + std::to_string(made->traffic.most) + "/" +
           std::to_string(made->traffic.total);
}

bool holds(const Placements& words, const std::vector<Int>& sizes, const Shape& shape, const Coord& x, Int device)
{
    for (int d = 0; d < shape.size(); ++d) {
        const chunks::List list = chunks::held(words, sizes, shape[d], shape.size(), d, device);
        if (std::find(list.begin(), list.end(), x[d]) == list.end()) return false;
    }
    return true;
}

} // namespace

TEST_CASE("collective_of: kinds and what they move")
{
    CHECK(text("[Shard(0)]", "[Shard(0)]") == "same 0/0");
    CHECK(text("[Replicate()]", "[Shard(1)]") == "local 0/0");
    CHECK(text("[Shard(0)]", "[Replicate()]") == "all_gather 48/192");
    CHECK(text("[Shard(0)]", "[Shard(1)]") == "all_to_all 12/48");
    CHECK(text("[Shard(0), Shard(1)]", "[Shard(1), Shard(0)]", square) == "permute 16/32");
    CHECK(text("[Shard(0), Shard(0)]", "[Shard(0), Replicate()]", square) == "all_gather 16/64");
    CHECK(text("[Partial(sum)]", "[Replicate()]") == "all_reduce 64/256");
    CHECK(text("[Partial(sum)]", "[Shard(0)]") == "reduce_scatter 16/64");
    CHECK(text("[Partial(sum), Shard(0)]", "[Replicate(), Shard(0)]", square) == "all_reduce 32/128");
    CHECK(text("[_StridedShard(0, split_factor=2)]", "[Shard(0)]") == "reshard 16/48");
    // terms that stay terms
    CHECK(text("[Partial(sum)]", "[Partial(sum)]") == "same 0/0");
    CHECK(text("[Partial(sum), Partial(sum)]", "[Replicate(), Partial(sum)]", square) == "all_reduce 64/256");
    CHECK(text("[Partial(sum), Partial(sum)]", "[Partial(sum), Shard(0)]", square) == "reduce_scatter 32/128");
    CHECK(text("[Partial(sum), Shard(0)]", "[Partial(sum), Replicate()]", square) == "all_gather 32/128");
    const auto groups = between("[Partial(max), Shard(0)]", "[Replicate(), Shard(0)]", square, {8, 8});
    REQUIRE(groups);
    CHECK(groups->reduction == Reduction::max);
    CHECK(groups->collective.groups == std::vector<std::vector<Int>>{{0, 2}, {1, 3}});
    // of dimensions that do not divide and are layouts: three devices have two rows each
    CHECK(text("[Shard(0)]", "[Replicate()]", four, {6}) == "reshard 6/18");
    CHECK(text("[Shard(0)]", "[Replicate()]", four, {1}) == "broadcast 1/3");
    // one device has it all, or wants it all
    const Placed one = *place(Spec{*make_mesh(MeshAxes{}, 3)}, {8, 8}), copies = *place(*parse_dtensor("R"), four, {8, 8});
    CHECK(collective_of(one, copies, {8, 8})->collective.kind == CollectiveKind::broadcast);
    CHECK(collective_of(copies, one, {8, 8})->collective.kind == CollectiveKind::local);
    CHECK_FALSE(collective_of(copies, one, {8, 8})->same);
}

TEST_CASE("collective_of: what is refused, and far out")
{
    CHECK(text("[Replicate()]", "[Partial(sum)]") ==
          "the target has 4 terms 1 device apart that the source does not have; a collective cannot create terms");
    CHECK(text("[Partial(sum)]", "[Partial(max)]") ==
          "the target has 4 terms 1 device apart that the source does not have; a collective cannot create terms");
    CHECK(text("[Partial(sum), Partial(max)]", "[Replicate(), Replicate()]", square) ==
          "the terms have two reductions, max and sum; reduce by one of them first");
    CHECK(text("[Partial(sum), Partial(max)]", "[Replicate(), Partial(max)]", square) == "all_reduce 64/256");
    const Placed a = *place(*parse_dtensor("R"), four, {8}), b = *place(*parse_dtensor("R"), four, {4});
    CHECK(collective_of(a, b, {8}).error().code == errc::size_mismatch);
    CHECK(collective_of(a, a, {0}).error().code == errc::bad_extent);
    Placed loose = a;
    loose.terms.push_back(Term(3, 1, Reduction::sum));
    CHECK(collective_of(loose, a, {8}).error().code == errc::bad_argument);
    CHECK(text("[Shard(0)]", "[Shard(1)]", four, {Int{1} << 30, Int{1} << 30}) ==
          "all_to_all 216172782113783808/864691128455135232");
    CHECK(text("[Shard(0)]", "[Replicate()]", four, {Int{1} << 31, Int{1} << 31}) ==
          "the number of elements that all devices receive overflows");
}

TEST_CASE("collective_of: all pairs of placements, what is missing by enumeration")
{
    int compared = 0, refused = 0;
    for (const std::vector<Int>& sizes : {std::vector<Int>{2, 2}, {3, 2}}) {
        const Mesh mesh = chunks::row_major(sizes);
        const Shape shape{6, 4};
        for (const Placements& from : chunks::all_placements(2, 1))
            for (const Placements& to : chunks::all_placements(2, 1)) {
                const auto a = place(from, mesh, shape), b = place(to, mesh, shape);
                if (!a || !b) continue;
                INFO(print_dtensor(from).c_str() << " to " << print_dtensor(to).c_str());
                bool makes_terms = false, reduces = false;
                for (int i = 0; i < 2; ++i) {
                    const bool before = from[i].kind == axe::sharding::Placement::Kind::partial,
                               after = to[i].kind == axe::sharding::Placement::Kind::partial;
                    makes_terms = makes_terms || (after && !before);
                    reduces = reduces || (before && !after);
                }
                const auto made = collective_of(*a, *b, shape);
                if (made.has_value() == makes_terms) FAIL("refused, or not");
                if (!made) {
                    ++refused;
                    continue;
                }
                Int most = 0, total = 0;
                for (Int device = 0; device < device_count(mesh); ++device) {
                    Int missing = 0;
                    for (Int x = 0; x < *volume(shape); ++x) {
                        const Coord c = coordinate(shape, x);
                        // A device has one of the terms of what it has: all of them only if none are reduced.
                        missing += holds(to, sizes, shape, c, device) && (reduces || !holds(from, sizes, shape, c, device)) ? 1 : 0;
                    }
                    most = std::max(most, missing);
                    total += missing;
                }
                if (made->traffic.most != most || made->traffic.total != total) FAIL("moves other than what is missing");
                if ((made->collective.kind == CollectiveKind::local) != (total == 0)) FAIL("local, or not");
                if (made->same && total != 0) FAIL("the same, and something is missing");
                ++compared;
            }
    }
    CHECK(compared > 300);
    CHECK(refused > 50);
}
