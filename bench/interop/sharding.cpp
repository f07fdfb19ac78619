// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sharding specs of a matrix over 64 devices: text to value and back, and value to layout and back.
#include "harness.hpp"

#include <axe/interop/sharding.hpp>

namespace {

using namespace axe;
using namespace axe::sharding;

const Shape shape{4096, 1024};

int size(std::string_view t) { return static_cast<int>(t.size()); }

[[maybe_unused]] const bool registered = [] {
    using bench::add;
    const Mesh mesh = make_mesh({{"data", 8}, {"model", 4}, {"expert", 2}}).value();

    const auto place_spec = [](const Spec& s) { return place(s, shape); };
    const auto find = [](const Placed& p, const Mesh& m) { return find_spec(p, shape, m); };

    const std::string_view meshes = "<[\"data\"=8, \"model\"=4, \"expert\"=2]>";
    add("convert/mesh/parse", [](std::string_view t) { return parse_mesh(t); }, meshes);
    add("convert/mesh/print", [](const Mesh& m) { return print_mesh(m); }, mesh);

    const std::string_view sdy = "<@mesh, [{\"data\"}, {\"model\":(1)2}], unreduced={\"expert\"}>";
    const Spec spec = parse_sdy(sdy, mesh).value();
    add("convert/gspmd/parse", [](std::string_view t, const Mesh& m) { return parse_sdy(t, m); }, sdy, mesh);
    add("convert/gspmd/print", [](const Spec& s) { return print_sdy(s); }, spec);
    add("convert/gspmd/in", place_spec, spec);
    add("convert/gspmd/out", find, place(spec, shape).value(), mesh);

    const auto hlo = [](const std::string& name, std::string_view text) {
        const HloSharding value = parse_hlo(text).value();
        const Spec as_spec = to_spec(value, shape.size()).value();
        const Placed placed = place(value, shape).value();
        add("convert/" + name + "/parse", [](std::string_view t) { return parse_hlo(t); }, text);
        add("convert/" + name + "/print", [](const HloSharding& h) { return print_hlo(h); }, value);
        add("convert/" + name + "/in", [](const HloSharding& h) { return place(h, shape); }, value);
        add("convert/" + name + "/out", [](const Placed& p) { return find_hlo(p, shape); }, placed);
        add("convert/" + name + "/to_spec", [](const HloSharding& h) { return to_spec(h, shape.size()); }, value);
        add("convert/" + name + "/from_spec", [](const Spec& s) { return to_hlo(s); }, as_spec);
    };
    hlo("hlo_v1", "{devices=[4,2,2]0,1,2,3,8,9,10,11,4,5,6,7,12,13,14,15 last_tile_dim_replicate}");
    hlo("hlo_v2", "{devices=[8,4,2]<=[2,8,4]T(1,2,0) last_tile_dim_replicate}");

    const std::string_view jax = "P(('data', 'expert'), 'model')";
    const Spec from_jax = parse_jax(jax, mesh, 2).value();
    add("convert/jax/parse", [](std::string_view t, const Mesh& m) { return parse_jax(t, m, 2); }, jax, mesh);
    add("convert/jax/print", [](const Spec& s) { return print_jax(s); }, from_jax);
    add("convert/jax/in", place_spec, from_jax);
    add("convert/jax/out", find, place(from_jax, shape).value(), mesh);

    const auto placements = [&](const std::string& name, std::string_view text, auto parse, auto print) {
        const Placements value = parse(text).value();
        const Spec as_spec = to_spec(value, mesh, shape.size()).value();
        add("convert/" + name + "/parse", parse, text);
        add("convert/" + name + "/print", print, value);
        add(
            "convert/" + name + "/to_spec", [](const Placements& p, const Mesh& m) { return to_spec(p, m, shape.size()); }, value,
            mesh);
        add("convert/" + name + "/from_spec", [](const Spec& s) { return to_placements(s); }, as_spec);
        add("convert/" + name + "/in", place_spec, as_spec);
        add("convert/" + name + "/out", find, place(as_spec, shape).value(), mesh);
    };
    placements(
        "dtensor", "[_StridedShard(0, split_factor=4), Shard(0), Partial(sum)]",
        [](std::string_view t) { return parse_dtensor(t); }, [](const Placements& p) { return print_dtensor(p); });
    placements(
        "sbp", "(S(0), S(1), P(sum))", [](std::string_view t) { return parse_sbp(t); },
        [](const Placements& p) { return print_sbp(p); });

    const std::string_view alpa = "S02S1";
    const Spec from_alpa = parse_alpa(alpa, mesh).value();
    add("convert/alpa/parse", [](std::string_view t, const Mesh& m) { return parse_alpa(t, m); }, alpa, mesh);
    add("convert/alpa/print", [](const Spec& s) { return print_alpa(s); }, from_alpa);
    add("convert/alpa/in", place_spec, from_alpa);
    add("convert/alpa/out", find, place(from_alpa, shape).value(), mesh);

    // What does not divide, under the rules that allow it.
    add(
        "sharding/range_of/gspmd", [](const Spec& s, const Shape& n) { return range_of(s, n, Rule::gspmd, 37); }, from_jax,
        Shape{4001, 1023});
    add(
        "sharding/padded/gspmd", [](const Spec& s, const Shape& n) { return padded(s, n, Rule::gspmd); }, from_jax,
        Shape{4001, 1023});
    return true;
}();

} // namespace
