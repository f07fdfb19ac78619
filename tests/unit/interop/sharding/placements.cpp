// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/sharding/placements.hpp>
#include <axe/layout/points.hpp>
#include <tests/unit/interop/sharding/said.hpp>

#include <array>
#include <set>
#include <vector>

using namespace axe;
using namespace axe::sharding;
using axe::sharding::Placement;

namespace {

using Indices = std::vector<std::int64_t>;

/// What a device has of a tensor of equal extents, dimension by dimension: the placements act in order on what is left, each in
/// `factor` parts of which the device keeps its piece.
std::vector<Indices> kept(const Placements& placements, const Coord& place, const Mesh& mesh, const Shape& shape)
{
    std::vector<Indices> out;
    for (const std::int64_t n : shape) {
        out.emplace_back();
        for (std::int64_t x = 0; x < n; ++x) out.back().push_back(x);
    }
    for (int i = 0; i < placements.size(); ++i) {
        if (placements[i].kind != sharding::Placement::Kind::shard) continue;
        const int dim = placements[i].dim < 0 ? placements[i].dim + shape.size() : placements[i].dim;
        Indices& have = out[static_cast<std::size_t>(dim)];
        Indices pieces;
        const std::int64_t n = mesh.axes[i].size, size = static_cast<std::int64_t>(have.size()) / (placements[i].factor * n);
        for (std::int64_t part = 0; part < placements[i].factor; ++part)
            for (std::int64_t k = 0; k < size; ++k)
                pieces.push_back(have[static_cast<std::size_t>((part * n + place[i]) * size + k)]);
        have = pieces;
    }
    return out;
}

/// Does the layout of the spec give each device these elements, in their order?
bool lies_so(const Spec& spec, const Placements& placements, const Shape& shape)
{
    const auto placed = place(spec, shape);
    if (!placed) return false;
    std::set<std::array<std::int64_t, 3>> got, expected; // element, device, place on it
    for (std::int64_t x = 0; x < *size(placed->layout); ++x)
        for (const Point& p : points(placed->layout, x)) got.insert({x, p[device_axis], p[Axis{"m"}]});
    for (std::int64_t device = 0; device < device_count(spec.mesh); ++device) {
        const auto own = kept(placements, *place_of(spec.mesh, device), spec.mesh, shape);
        std::vector<std::int64_t> elements{0};
        for (std::size_t d = 0; d < own.size(); ++d) {
            std::vector<std::int64_t> next;
            for (const std::int64_t e : elements)
                for (const std::int64_t x : own[d]) next.push_back(e * shape[static_cast<int>(d)] + x);
            elements = next;
        }
        for (std::size_t at = 0; at < elements.size(); ++at) expected.insert({elements[at], device, static_cast<std::int64_t>(at)});
    }
    return got == expected;
}

template <class T>
void refused(const T& result, errc code, int position, std::string_view sentence)
{
    said::refused(result, code, sentence);
    CHECK(result.error().position == position);
}

} // namespace

TEST_CASE("to_spec: placements act in order on what is left, by enumeration")
{
    // Extents that all these placements divide.
    const std::pair<Mesh, std::vector<Shape>> cases[] = {
        {*make_mesh({{"x", 2}, {"y", 3}}), {{72}, {12, 12}}},
        {*make_mesh({{"x", 4}, {"y", 2}}), {{96}, {16, 16}}},
        {*make_mesh({{"x", 2}, {"one", 1}, {"y", 2}}), {{48}}},
        {*make_mesh({{"x", 2}, {"y", 2}}, {Iter(4, -1)}, 3), {{48}, {8, 8}}},
    };
    int made = 0, uneven = 0;
    for (const auto& [mesh, shapes] : cases)
        for (const Shape& shape : shapes) {
            std::vector<sharding::Placement> words{sharding::Placement::replicate(), sharding::Placement::partial()};
            for (int dim = -shape.size(); dim < shape.size(); ++dim)
                for (const std::int64_t factor : {1, 2, 3, 4}) words.push_back(Placement::shard(dim, factor));
            std::vector<Placements> all{{}};
            for (int i = 0; i < mesh.axes.size(); ++i) {
                std::vector<Placements> next;
                for (const Placements& before : all)
                    for (const Placement& word : words)
                        if (shape.size() == 1 || word.factor < 3) {
                            next.push_back(before);
                            next.back().push_back(word);
                        }
                all = next;
            }
            for (const Placements& placements : all) {
                std::string text;
                for (const Placement& p : placements)
                    text += p.kind == Placement::Kind::shard       ? " S" + std::to_string(p.dim) + "/" + std::to_string(p.factor)
                            : p.kind == Placement::Kind::replicate ? " R"
                                                                   : " P";
                INFO(device_count(mesh) << text);
                const auto spec = to_spec(placements, mesh, shape.size());
                if (!spec) {
                    REQUIRE(spec.code() == errc::not_grouped);
                    ++uneven;
                    continue;
                }
                REQUIRE(check(*spec).ok());
                REQUIRE(spec->mesh == mesh);
                int terms = 0;
                for (int i = 0; i < placements.size(); ++i)
                    terms += placements[i].kind == Placement::Kind::partial && mesh.axes[i].size > 1;
                REQUIRE(spec->unreduced.size() == terms);
                REQUIRE(lies_so(*spec, placements, shape));
                ++made;
                // And back: other words perhaps, which place alike.
                const auto words_again = to_placements(*spec);
                REQUIRE(words_again);
                REQUIRE(lies_so(*to_spec(*words_again, mesh, shape.size()), placements, shape));
            }
        }
    CHECK(made > 500);
    CHECK(uneven > 10);
}

TEST_CASE("to_spec: which placements are named")
{
    const Mesh mesh = *make_mesh({{"x", 2}, {"y", 4}});
    const auto both = [&](const Placement& a, const Placement& b, int rank) { return to_spec({a, b}, mesh, rank); };
    const auto r = Placement::replicate();
    refused(to_spec({r}, mesh, 1), errc::rank_mismatch, -1, "1 placements for a mesh of 2 dimensions");
    refused(to_spec({r, r, r}, mesh, 1), errc::rank_mismatch, -1, "3 placements for a mesh of 2 dimensions");
    refused(both(r, Placement::shard(2), 2), errc::bad_argument, 1, "placement 1 splits dimension 2; the tensor has 2 dimensions");
    refused(both(Placement::shard(-3), r, 2), errc::bad_argument, 0,
            "placement 0 splits dimension -3; the tensor has 2 dimensions");
    refused(both(r, Placement::shard(0), 0), errc::bad_argument, 1, "placement 1 splits dimension 0; the tensor has 0 dimensions");
    refused(both(r, Placement::shard(0, 0), 1), errc::bad_argument, 1,
            "placement 1 has a split factor of 0; it must be at least 1");
    refused(both(Placement::shard(1, 3), Placement::shard(1), 2), errc::not_grouped, 1,
            "dimension 1 has 3 parts on a device and needs a step of 4; one must divide the other");
    refused(both(Placement::shard(0, 3), Placement::shard(0, 2), 2), errc::not_grouped, 0,
            "dimension 0 has 3 parts on a device and needs a step of 2; one must divide the other");
    refused(both(r, r, -1), errc::capacity, max_rank, "a shape has at most 16 dimensions, this one has -1");
    refused(both(r, r, 17), errc::capacity, max_rank, "a shape has at most 16 dimensions, this one has 17");
    CHECK(both(r, r, 16)->rank() == 16);
    CHECK(both(r, r, 0)->rank() == 0);
    Mesh broken = mesh;
    broken.axes[1].size = 0;
    refused(to_spec({r, r}, broken, 1), errc::bad_extent, 1, "mesh axis 1 has 0 places; it must have at least 1");
    // Each reduction is kept, and an axis of one place holds no terms.
    for (const Reduction how : {Reduction::sum, Reduction::mean, Reduction::product, Reduction::max, Reduction::min}) {
        const auto spec = to_spec({Placement::partial(how), r}, mesh, 1);
        CHECK(spec->unreduced == decltype(spec->unreduced){Unreduced(whole_axis(mesh, 0), how)});
        CHECK(*to_placements(*spec) == Placements{Placement::partial(how), r});
    }
    CHECK(to_spec({Placement::partial()}, *make_mesh({{"one", 1}}), 1)->unreduced.empty());
}

TEST_CASE("to_spec and to_placements: as many parts and terms as a spec has, and one more")
{
    MeshAxes axes;
    Placements placements, terms;
    for (int i = 0; i < 13; ++i) {
        axes.push_back(MeshAxis(numbered_name(i), 2));
        placements.push_back(Placement::shard(0, i < 12 ? std::int64_t{1} << (2 * (12 - i) + 1) : 1));
        terms.push_back(Placement::partial());
    }
    const Mesh mesh = *make_mesh(axes);
    refused(to_spec(placements, mesh, 1), errc::capacity, Spec::max_parts, "the sharding needs more than 24 parts");
    placements.back() = Placement::replicate();
    CHECK(to_spec(placements, mesh, 1)->parts.size() == Spec::max_parts);
    refused(to_spec(terms, mesh, 1), errc::capacity, Spec::max_marks, "a sharding names at most 8 replicated and 8 unreduced axes");
    for (int i = 8; i < 13; ++i) terms[i] = Placement::replicate();
    CHECK(to_spec(terms, mesh, 1)->unreduced.size() == 8);
}

TEST_CASE("to_placements: no placement is a part of an axis, or an axis in several places")
{
    const Mesh mesh = *make_mesh({{"x", 4}, {"y", 4}});
    const auto spec = [&](const InlineVector<Part, Spec::max_parts>& parts, int first_end) {
        Spec out;
        out.mesh = mesh;
        out.parts = parts;
        out.dims = {Dimension(first_end), Dimension(parts.size())};
        return out;
    };
    const auto why = [](int axis) {
        return "mesh axis " + std::to_string(axis) +
               " is used in part or more than once; a placement splits one dimension by the whole axis";
    };
    refused(to_placements(spec({{0, 1, 2}}, 1)), errc::no_layout, 0, why(0));
    refused(to_placements(spec({{0, 1, 2}}, 0)), errc::no_layout, 1, why(0));
    refused(to_placements(spec({{1, 2, 2}}, 0)), errc::no_layout, 1, why(1));
    refused(to_placements(spec({{0, 1, 2}, {0, 2, 2}}, 1)), errc::no_layout, 1, why(0));
    refused(to_placements(spec({{0, 1, 2}, {1, 1, 4}, {0, 2, 2}}, 3)), errc::no_layout, 0, why(0));
    CHECK(*to_placements(spec({{0, 1, 2}, {0, 2, 2}, {1, 1, 4}}, 2)) == Placements{Placement::shard(0), Placement::shard(1)});
    CHECK(*to_placements(spec({{1, 1, 4}, {0, 1, 4}}, 2)) == Placements{Placement::shard(0, 4), Placement::shard(0)});
    CHECK(*to_placements(spec({{-1, 1, 3}, {1, 1, 4}}, 0)) == Placements{Placement::replicate(), Placement::shard(1, 3)});
    Spec terms = spec({}, 0);
    terms.unreduced.push_back(Unreduced({1, 1, 2}, Reduction::sum));
    refused(to_placements(terms), errc::no_layout, -1, why(1));
    Spec broken = spec({{2, 1, 4}}, 0);
    refused(to_placements(broken), errc::bad_argument, 0, "part 0 names mesh axis 2; the mesh has 2 axes");
}
