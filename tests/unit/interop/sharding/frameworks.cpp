// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/sharding.hpp>
#include <tests/unit/interop/sharding/said.hpp>

using namespace axe;
using namespace axe::sharding;
using namespace axe::literals;

namespace {

const Mesh grid = *make_mesh({{"x", 2}, {"y", 4}, {"z", 2}});

auto jax(std::string_view text, int rank = 3) { return parse_jax(text, grid, rank); }
auto dtensor(std::string_view text) { return parse_dtensor(text); }
auto sbp(std::string_view text) { return parse_sbp(text); }
auto alpa(std::string_view text) { return parse_alpa(text, grid); }

std::string layout_of(const Result<Spec>& spec, const Shape& shape)
{
    if (!spec) return spec.error().message().c_str();
    const auto out = place(*spec, shape);
    return out ? said::text(out->layout) : std::string(out.error().message().c_str());
}
std::string of_words(const Result<Placements>& words, const Mesh& over, const Shape& shape)
{
    return layout_of(words ? to_spec(*words, over, shape.size()) : Result<Spec>(words.error()), shape);
}

} // namespace

TEST_CASE("JAX: read, placed and printed")
{
    CHECK(layout_of(jax("P('x', ('y', 'z'), None)"), {4, 16, 8}) == "(2,2,4,2,2,8):(8@gpuid,16,2@gpuid,1@gpuid,8,1)");
    const auto again = [](std::string_view text) {
        const auto spec = jax(text);
        return spec ? said::text(print_jax(*spec)) : std::string(spec.error().message().c_str());
    };
    CHECK(again("PartitionSpec('x', ('y', 'z'), None)") == "P('x', ('y', 'z'), None)");
    CHECK(again("P()") == "P(None, None, None)");
    CHECK(again("P(\"x\",)") == "P('x', None, None)");
    CHECK(again("P(('x',), ())") == "P('x', None, None)");
    CHECK(again("P(P.UNCONSTRAINED, 'x', UNCONSTRAINED)") == "P(P.UNCONSTRAINED, 'x', P.UNCONSTRAINED)");
    CHECK(again("P(None, PartitionSpec.UNCONSTRAINED, unreduced={'z', 'x'})") ==
          "P(None, P.UNCONSTRAINED, None, unreduced={'x', 'z'})");
    said::refused(jax("P(None, None, None, None)"), errc::rank_mismatch, "the PartitionSpec has 4 entries, the shape 3 dimensions");
    CHECK(said::text(print_jax(*jax("P(unreduced={'x'})", 0))) == "P(unreduced={'x'})");

    const auto misread = [](std::string_view text, errc code, int at, std::string_view sentence) {
        said::misread(jax(text), text, code, at, sentence);
    };
    misread("Q('x')", errc::bad_syntax, 0, "expected P( at character 0");
    misread("P 'x'", errc::bad_syntax, 2, "expected '(' after P at character 2");
    misread("P(x)", errc::bad_syntax, 2, "expected 'axis', ('axis', ...), None or P.UNCONSTRAINED at character 2");
    misread("P('w')", errc::unknown_axis, 2, "the mesh has no axis of the name at character 2");
    misread("P('x', 'x')", errc::bad_argument, 7, "the mesh axis at character 7 is already named");
    misread("P('x', unreduced={'x'})", errc::bad_argument, 18, "the mesh axis at character 18 is already named");
    misread("P(('x' 'y'))", errc::bad_syntax, 7, "expected ',' or ')' after the axis at character 7");
    misread("P('x' 'y')", errc::bad_syntax, 6, "expected ',' or ')' after the entry at character 6");
    misread("P(unreduced={'x'}, 'y')", errc::bad_syntax, 19, "expected ')' after the unreduced axes at character 19");
    misread("P(unreduced{'x'})", errc::bad_syntax, 11, "expected '=' after unreduced at character 11");
    misread("P(unreduced='x')", errc::bad_syntax, 12, "expected '{' before the unreduced axes at character 12");
    misread("P() x", errc::bad_syntax, 4, "expected the end of the text at character 4");
}

TEST_CASE("JAX: what a PartitionSpec has no word for")
{
    Spec spec = *jax("P('x')", 1);
    spec.parts[0] = {1, 1, 2};
    said::refused(print_jax(spec), errc::no_layout,
                  "dimension 0 is split over 2 places of mesh axis 1: a PartitionSpec names whole axes");
    spec = *jax("P('x')", 1);
    spec.dims[0].open = true;
    const char* open = "dimension 0 is split and open, or has a priority; a PartitionSpec cannot express that";
    said::refused(print_jax(spec), errc::no_layout, open);
    spec.dims[0] = Dimension(1, false, 0);
    said::refused(print_jax(spec), errc::no_layout, open);
    spec = *jax("P('x')", 1);
    spec.replicated.push_back(whole_axis(grid, 1));
    said::refused(print_jax(spec), errc::no_layout, "a PartitionSpec cannot express that an axis must stay replicated");
    CHECK(said::text(print_jax(placement_of(spec))) == "P('x')");
    spec = *jax("P('x', unreduced={'y'})", 1);
    spec.unreduced[0].reduction = Reduction::max;
    said::refused(print_jax(spec), errc::no_layout, "JAX's unreduced axes are sums; these terms have a different reduction");
    spec.unreduced[0] = {{1, 1, 2}, Reduction::sum};
    said::refused(print_jax(spec), errc::no_layout,
                  "dimension -1 is split over 2 places of mesh axis 1: a PartitionSpec names whole axes");
}

TEST_CASE("DTensor: read, placed and printed")
{
    const Mesh two = *make_mesh({{"dp", 2}, {"tp", 2}});
    // The example of _StridedShard: rows of 8×8 on tp first, then on dp, and the other way round.
    CHECK(of_words(dtensor("[Shard(0), Shard(0)]"), two, {8, 8}) == "(2,2,2,8):(2@gpuid,1@gpuid,8,1)");
    CHECK(of_words(dtensor("[_StridedShard(0, split_factor=2), Shard(0)]"), two, {8, 8}) == "(2,2,2,8):(1@gpuid,2@gpuid,8,1)");
    CHECK(of_words(dtensor("[_StridedShard(0, split_factor=2), Replicate()]"), two, {8, 8}) ==
          "(2,2,2,8):(16,2@gpuid,8,1) + [2:1@gpuid]");
    CHECK(of_words(dtensor("(Shard(dim=-1), Partial(sum))"), two, {8, 8}) == "(8,2,4):(4,2@gpuid,1) + [2:1@gpuid]");
    const auto again = [](std::string_view text) {
        const auto words = dtensor(text);
        return words ? std::string(print_dtensor(*words).c_str()) : std::string(words.error().message().c_str());
    };
    CHECK(again("[Shard(0), Replicate(), Partial(sum)]") == "[Shard(0), Replicate(), Partial(sum)]");
    CHECK(again("(S(1), R, P, P(avg),)") == "[Shard(1), Replicate(), Partial(sum), Partial(avg)]");
    CHECK(again("[_S(0, 2), _StridedShard(dim=1, sf=4)]") ==
          "[_StridedShard(0, split_factor=2), _StridedShard(1, split_factor=4)]");
    CHECK(again("[Partial('max'), Partial(reduce_op=\"min\"), _Partial(product), Partial()]") ==
          "[Partial(max), Partial(min), Partial(product), Partial(sum)]");
    CHECK(again("Shard(0)") == "[Shard(0)]");
    CHECK(again("[]") == "[]");

    const auto misread = [](std::string_view text, errc code, int at, std::string_view sentence) {
        said::misread(dtensor(text), text, code, at, sentence);
    };
    misread("[Split(0)]", errc::bad_syntax, 1, "expected Shard, Replicate, Partial or _StridedShard at character 1");
    misread("[Shard 0]", errc::bad_syntax, 7, "expected '(' and a dimension at character 7");
    misread("[Shard(dim 0)]", errc::bad_syntax, 11, "expected '=' after dim at character 11");
    misread("[Shard(x)]", errc::bad_syntax, 7, "expected the number of a dimension at character 7");
    misread("[Shard(16)]", errc::bad_argument, 7, "the dimension at character 7 is 16, more than any tensor has");
    misread("[Shard(0]", errc::bad_syntax, 8, "expected ')' after the dimension at character 8");
    misread("[Replicate(]", errc::bad_syntax, 11, "expected ')' at character 11");
    misread("[Partial(mean)]", errc::bad_syntax, 9, "expected sum, avg, product, max or min at character 9");
    misread("[Partial(reduce_op sum)]", errc::bad_syntax, 19, "expected '=' after reduce_op at character 19");
    misread("[Partial('sum)]", errc::bad_syntax, 13, "expected the quote after the reduction at character 13");
    misread("[Partial(sum]", errc::bad_syntax, 12, "expected ')' after the reduction at character 12");
    misread("[_StridedShard(0)]", errc::bad_syntax, 16, "expected ',' and the split factor at character 16");
    misread("[_StridedShard(0, split_factor 2)]", errc::bad_syntax, 31, "expected '=' after split_factor at character 31");
    misread("[_StridedShard(0, x)]", errc::bad_syntax, 18, "expected the split factor at character 18");
    misread("[_StridedShard(0, 0)]", errc::bad_extent, 18, "the number at character 18 is 0; it must be at least 1");
    misread("[_StridedShard(0, 2]", errc::bad_syntax, 19, "expected ')' after the split factor at character 19");
    misread("[Shard(0) Shard(1)]", errc::bad_syntax, 10, "expected ',' or ']' after the placement at character 10");
    misread("(Shard(0) Shard(1))", errc::bad_syntax, 10, "expected ',' or ')' after the placement at character 10");
}

TEST_CASE("placements: what they act on, and what they cannot say")
{
    said::refused(to_spec(*dtensor("[Shard(0)]"), grid, 2), errc::rank_mismatch, "1 placements for a mesh of 3 dimensions");
    said::refused(to_spec(*dtensor("[Shard(0), Shard(2), R]"), grid, 2), errc::bad_argument,
                  "placement 1 splits dimension 2; the tensor has 2 dimensions");
    said::refused(to_spec(*dtensor("[Shard(0), Shard(-3), R]"), grid, 2), errc::bad_argument,
                  "placement 1 splits dimension -3; the tensor has 2 dimensions");
    said::refused(
        to_spec({sharding::Placement::shard(0, 0), sharding::Placement::replicate(), sharding::Placement::replicate()}, grid, 2),
        errc::bad_argument, "placement 0 has a split factor of 0; it must be at least 1");
    said::refused(to_spec(*dtensor("[_S(0, 3), Shard(0), R]"), grid, 1), errc::not_grouped,
                  "dimension 0 has 3 parts on a device and needs a step of 4; one must divide the other");
    said::refused(to_spec(*dtensor("[R, R, R]"), grid, 17), errc::capacity, "a shape has at most 16 dimensions, this one has 17");
    // a later split that takes the digits in front of a strided one, and some behind it
    CHECK(of_words(dtensor("[_S(0, 2), Shard(0), R]"), grid, {16}) == "(2,2,2,2):(4@gpuid,8@gpuid,2@gpuid,1) + [2:1@gpuid]");
    CHECK(of_words(dtensor("[_S(0, 8), Shard(0), R]"), grid, {32}) == "(4,2,2,2):(2@gpuid,2,8@gpuid,1) + [2:1@gpuid]");
    CHECK(of_words(dtensor("[_S(0, 4), _S(0, 2), R]"), grid, {32}) == "(2,2,2,2,2):(2,4@gpuid,8@gpuid,2@gpuid,1) + [2:1@gpuid]");
    // an axis of one place splits nothing, whatever its factor
    CHECK(of_words(dtensor("[_S(0, 5)]"), *make_mesh({{"one", 1}}), {7}) == "7:1");

    const auto why = [](const Spec& spec) { return std::string(to_placements(spec).error().message().c_str()); };
    const char* part = "mesh axis 1 is used in part or more than once; a placement splits one dimension by the whole axis";
    Spec spec = *jax("P('y')", 2);
    spec.parts[0] = {1, 1, 2};
    CHECK(why(spec) == part);
    spec.parts = {{1, 1, 2}, {1, 2, 2}};
    spec.dims = {Dimension(1), Dimension(2)};
    CHECK(why(spec) == part);
    spec.parts = {{1, 2, 2}, {1, 1, 2}};
    spec.dims = {Dimension(2)};
    CHECK(why(spec) == part);
    spec.parts = {{1, 1, 2}, {2, 1, 2}, {1, 2, 2}};
    spec.dims = {Dimension(3)};
    CHECK(why(spec) == part);
    spec.parts = {{1, 1, 2}, {0, 1, 2}, {1, 2, 2}}; // what comes before it in the grid is taken before
    CHECK(std::string(print_dtensor(*to_placements(spec)).c_str()) == "[_StridedShard(0, split_factor=2), Shard(0), Replicate()]");
    spec.parts = {{1, 1, 2}};
    spec.dims = {Dimension(1)};
    spec.unreduced.push_back({{1, 2, 2}, Reduction::sum});
    CHECK(why(spec) == part);
    spec.parts.clear();
    spec.dims = {Dimension(0)};
    CHECK(why(spec) == part);
}

TEST_CASE("SBP: read, placed and printed")
{
    const Mesh two = *make_mesh({{"a", 2}, {"b", 2}});
    CHECK(of_words(sbp("(B, S(0))"), two, {4, 4}) == "(2,2,4):(1@gpuid,4,1) + [2:2@gpuid]");
    const auto again = [](std::string_view text) {
        const auto words = sbp(text);
        return words ? said::text(print_sbp(*words)) : std::string(words.error().message().c_str());
    };
    CHECK(again("(S(0), B, P(sum))") == "(S(0), B, P(sum))");
    CHECK(again("[flow.sbp.split(0), oneflow.sbp.broadcast(), sbp.partial_sum]") == "(S(0), B, P(sum))");
    CHECK(again("(split(dim=1), broadcast, partial_sum(), P, P(max), P(min))") == "(S(1), B, P(sum), P(sum), P(max), P(min))");
    CHECK(again("B") == "(B)");
    said::refused(print_sbp({sharding::Placement::shard(0, 2)}), errc::no_layout,
                  "mesh axis 0 splits within 2 parts of later axes; SBP splits in the order of the axes");
    said::refused(print_sbp({sharding::Placement::replicate(), sharding::Placement::partial(Reduction::mean)}), errc::no_layout,
                  "SBP's partial values are reduced by sum, min or max; those of mesh axis 1 are not");
    CHECK(print_sbp({sharding::Placement::partial(Reduction::product)}).code() == errc::no_layout);
    const auto misread = [](std::string_view text, errc code, int at, std::string_view sentence) {
        said::misread(sbp(text), text, code, at, sentence);
    };
    misread("(R)", errc::bad_syntax, 1, "expected S(dim), B or P(sum) at character 1");
    misread("(P(avg))", errc::bad_syntax, 3, "expected sum, max or min at character 3");
    misread("(P(sum)", errc::bad_syntax, 7, "expected ',' or ')' after the placement at character 7");
    misread("(P(sum", errc::bad_syntax, 6, "expected ')' after the reduction at character 6");
    misread("(B(", errc::bad_syntax, 3, "expected ')' at character 3");
    misread("(partial_sum(", errc::bad_syntax, 13, "expected ')' at character 13");
    misread("(S(0", errc::bad_syntax, 4, "expected ')' after the dimension at character 4");
}

TEST_CASE("Alpa: read, placed and printed")
{
    CHECK(layout_of(alpa("S0RS21"), {2, 2, 8}) == "(2,2,2,4):(8@gpuid,1,1@gpuid,2@gpuid)");
    CHECK(layout_of(alpa("S01R"), {8, 4}) == "(2,4,4):(8@gpuid,2@gpuid,1) + [2:1@gpuid]");
    CHECK(layout_of(alpa("RS1"), {6, 6}) == "dimension 1 of 6 elements does not divide into 4 parts");
    for (const char* text : {"S0R", "RS1", "S012", "RRR", "", "S2S1S0"}) CHECK(said::text(print_alpa(*alpa(text))) == text);
    const auto misread = [](std::string_view text, errc code, int at, std::string_view sentence) {
        said::misread(alpa(text), text, code, at, sentence);
    };
    misread("S0T", errc::bad_syntax, 2, "expected R, or S and mesh axes, at character 2");
    misread("RS", errc::bad_syntax, 2, "expected the number of a mesh axis at character 2");
    misread("S03", errc::unknown_axis, 2, "character 2 names an axis that the mesh, of 3 axes, does not have");
    misread("S0S10", errc::bad_argument, 4, "the mesh axis at character 4 is already named");
    misread("RRRRRRRRRRRRRRRRR", errc::capacity, 17, "the list at character 17 has more than 16 items");

    Spec spec = *alpa("S1");
    spec.parts[0] = {1, 1, 2};
    said::refused(print_alpa(spec), errc::no_layout, "dimension 0 is split over 2 places of mesh axis 1: Alpa names whole axes");
    spec.parts = {{-1, 1, 2}, {1, 1, 4}};
    spec.dims = {Dimension(2)};
    said::refused(print_alpa(spec), errc::no_layout,
                  "dimension 0 has 2 parts that stay on a device; only DTensor's _StridedShard expresses that");
    spec = *alpa("S1");
    spec.unreduced.push_back({whole_axis(grid, 0), Reduction::sum});
    said::refused(print_alpa(spec), errc::no_layout, "an Alpa spec cannot express terms that are still to be reduced");
    MeshAxes many;
    for (int i = 0; i < 11; ++i) many.push_back(MeshAxis(numbered_name(i), 2));
    spec = Spec{};
    spec.mesh = *make_mesh(many);
    spec.parts = {whole_axis(spec.mesh, 10)};
    spec.dims = {Dimension(1)};
    said::refused(print_alpa(spec), errc::no_layout, "Alpa names mesh axes 0 to 9, got 10");
}

TEST_CASE("sharding: specs of different frameworks are equal when their layouts are")
{
    const Mesh two = *make_mesh({{"x", 2}, {"y", 4}});
    const Shape shape{16, 8};
    const std::string_view partition = "P(None, ('y', 'x'))", words = "[_StridedShard(1, split_factor=4), Shard(1)]";
    const std::string_view assignment = "{devices=[1,8]<=[2,4]T(1,0)}", attribute = R"(<@mesh, [{}, {"y", "x"}]>)",
                           short_form = "RS10";
    const auto reference = place(*parse_jax(partition, two, 2), shape);
    REQUIRE(reference.has_value());
    CHECK(sharding::equal(*reference, *place(*to_spec(*dtensor(words), two, 2), shape)));
    CHECK(sharding::equal(*reference, *place(*parse_hlo(assignment), shape)));
    CHECK(sharding::equal(*reference, *place(*parse_sdy(attribute, two), shape)));
    CHECK(sharding::equal(*reference, *place(*parse_alpa(short_form, two), shape)));
    const auto other = sharding::equal(*reference, *place(*to_spec(*dtensor("[Shard(1), Shard(1)]"), two, 2), shape));
    CHECK_FALSE(other);
    CHECK(other.witness() == 1); // the first column of the second part
}

TEST_CASE("parse_jax: ranks that no shape has")
{
    for (const int rank : {-1, 17, 20})
        said::refused(jax("P('x')", rank), errc::capacity,
                      "a shape has at most 16 dimensions, this one has " + std::to_string(rank));
    CHECK(jax("P('x')", 16)->rank() == 16);
}
