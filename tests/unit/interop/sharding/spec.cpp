// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/sharding/spec.hpp>
#include <tests/unit/interop/sharding/said.hpp>

using namespace axe;
using namespace axe::sharding;

namespace {

constexpr Mesh mesh = *make_mesh({{"x", 2}, {"y", 12}});

Spec spec_of(std::initializer_list<Part> parts, std::initializer_list<Dimension> dims)
{
    Spec out;
    out.mesh = mesh;
    out.parts = parts;
    out.dims = dims;
    return out;
}

} // namespace

TEST_CASE("Spec: parts name places of the mesh, each once")
{
    Spec good = spec_of({{1, 2, 3}, {-1, 1, 5}, {0, 1, 2}, {1, 1, 2}}, {{2}, {4}});
    CHECK(check(good).ok());
    CHECK(splits(good, 0).across == 3);
    CHECK(splits(good, 0).within == 5);
    CHECK(splits(good, 1).across == 4);
    good.replicated.push_back({1, 6, 2});
    CHECK(check(good).ok());

    said::refused(check(spec_of({{2, 1, 2}}, {{1}})), errc::bad_argument, "part 0 names mesh axis 2; the mesh has 2 axes");
    said::refused(check(spec_of({{-2, 1, 2}}, {{1}})), errc::bad_argument, "part 0 names mesh axis -2; the mesh has 2 axes");
    said::refused(check(spec_of({{0, 1, 0}}, {{1}})), errc::bad_extent, "part 0 has a size below 1");
    said::refused(check(spec_of({{0, 0, 2}}, {{1}})), errc::bad_extent, "part 0 has a size below 1");
    const char* divides = "part 0: its size and the places before it do not divide the 12 places of the mesh axis";
    said::refused(check(spec_of({{1, 1, 5}}, {{1}})), errc::bad_argument, divides);
    said::refused(check(spec_of({{1, 6, 4}}, {{1}})), errc::bad_argument, divides);
    said::refused(check(spec_of({{1, INT64_MAX, 4}}, {{1}})), errc::bad_argument, divides);
    const char* twice = "parts 0 and 1 name the same places of mesh axis 1";
    said::refused(check(spec_of({{1, 1, 4}, {1, 2, 2}}, {{1}, {2}})), errc::bad_argument, twice);
    said::refused(check(spec_of({{1, 1, 12}, {1, 1, 12}}, {{1}, {2}})), errc::bad_argument, twice);
    // [1, 2, 6] and [3, 2, 2] are not axes of one mesh, though 1·2 ≤ 3
    said::refused(check(spec_of({{1, 1, 2}, {1, 3, 2}}, {{2}})), errc::bad_argument, twice);
    Spec both = spec_of({{0, 1, 2}}, {{1}});
    both.replicated.push_back({0, 1, 2});
    said::refused(check(both), errc::bad_argument, "parts 0 and 1 name the same places of mesh axis 0");
    both.replicated.clear();
    both.unreduced.push_back({{0, 1, 2}, Reduction::sum});
    said::refused(check(both), errc::bad_argument, "parts 0 and 1 name the same places of mesh axis 0");
    both.unreduced[0].part = {-1, 1, 2};
    said::refused(check(both), errc::bad_argument, "part 1 is replicated or unreduced, but names no mesh axis");

    said::refused(check(spec_of({{0, 1, 2}}, {})), errc::bad_argument, "the sharding has 1 part, but its dimensions use 0");
    said::refused(check(spec_of({{0, 1, 2}}, {{2}})), errc::bad_argument,
                  "the parts of dimension 0 are not a range of the sharding's parts");
    said::refused(check(spec_of({{0, 1, 2}}, {{1}, {0}})), errc::bad_argument,
                  "the parts of dimension 1 are not a range of the sharding's parts");
    said::refused(check(spec_of({{-1, 1, INT64_MAX}, {0, 1, 2}}, {{2}})), errc::overflow,
                  "the product of the parts of dimension 0 overflows");
    Spec large = spec_of({}, {});
    large.parts.count = 25;
    said::refused(check(large), errc::capacity, "a sharding has at most 24 parts, this one has 25");
    large = spec_of({}, {});
    large.dims.count = 17;
    said::refused(check(large), errc::capacity, "a sharding has at most 16 dimensions, this one has 17");
    large = spec_of({}, {});
    large.unreduced.count = 9;
    said::refused(check(large), errc::capacity, "a sharding names at most 8 replicated and 8 unreduced axes");
}

TEST_CASE("placement_of: what moves nothing goes, sub-axes that follow each other are one")
{
    Spec spec = spec_of({{1, 1, 2}, {1, 2, 2}, {0, 1, 1}, {-1, 1, 3}, {-1, 1, 2}, {1, 4, 3}, {-1, 1, 2}}, {{5, true, 3}, {7}});
    spec.replicated.push_back({0, 1, 2});
    spec.unreduced = {};
    const Spec plain = placement_of(spec);
    // what stays innermost needs no word; the second dimension keeps its axis
    CHECK(plain.parts == InlineVector<Part, Spec::max_parts>{{1, 1, 4}, {1, 4, 3}});
    CHECK(plain.dims == InlineVector<Dimension, max_rank>{{1}, {2}});
    CHECK(plain.replicated.empty());
    // in reverse they are two
    const Spec reverse = placement_of(spec_of({{1, 2, 2}, {1, 1, 2}}, {{2}}));
    CHECK(reverse.parts.size() == 2);
    // digits that stay are kept where something is inside them
    const Spec strided = placement_of(spec_of({{-1, 1, 3}, {-1, 1, 2}, {0, 1, 2}}, {{3}}));
    CHECK(strided.parts == InlineVector<Part, Spec::max_parts>{{-1, 1, 6}, {0, 1, 2}});

    Spec terms = spec_of({}, {{0}});
    terms.unreduced = {{{1, 4, 3}, Reduction::sum}, {{0, 1, 2}, Reduction::max}, {{1, 1, 4}, Reduction::sum}};
    CHECK(placement_of(terms).unreduced ==
          InlineVector<Unreduced, Spec::max_marks>{{{0, 1, 2}, Reduction::max}, {{1, 1, 12}, Reduction::sum}});
    terms.unreduced[0].reduction = Reduction::min;
    CHECK(placement_of(terms).unreduced.size() == 3);
    CHECK(std::string(name(Reduction::mean)) == "mean");
}
