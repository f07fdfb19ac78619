// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/sharding/dtensor.hpp>
#include <axe/interop/sharding/ranges.hpp>
#include <tests/unit/interop/sharding/said.hpp>

#include <string_view>

using namespace axe;
using namespace axe::sharding;

namespace {

/// One dimension split over all axes of a row-major mesh, major first.
Spec split_over(std::initializer_list<std::int64_t> sizes)
{
    Spec out;
    MeshAxes axes;
    for (const std::int64_t n : sizes) axes.push_back(MeshAxis(numbered_name(axes.size()), n));
    out.mesh = *make_mesh(axes);
    for (int i = 0; i < axes.size(); ++i) out.parts.push_back(whole_axis(out.mesh, i));
    out.dims.push_back(Dimension(out.parts.size()));
    return out;
}

/// `[0,3) [3,5) …`, one for each device, or why not.
std::string of_all(const Spec& spec, std::int64_t size, Rule rule)
{
    std::string out;
    for (std::int64_t device = 0; device < device_count(spec.mesh); ++device) {
        const auto range = range_of(spec, {size}, rule, device);
        if (!range) return range.error().message().c_str();
        out += (device > 0 ? " " : "") + std::to_string((*range)[0].lo) + ":" + std::to_string((*range)[0].hi);
    }
    return out;
}

} // namespace

TEST_CASE("range_of: ten elements over four devices, rule by rule")
{
    const Spec flat = split_over({4}), nested = split_over({2, 2});
    CHECK(of_all(flat, 10, Rule::gspmd) == "0:3 3:6 6:9 9:10");
    CHECK(of_all(flat, 10, Rule::dtensor) == "0:3 3:6 6:9 9:10");
    CHECK(of_all(flat, 10, Rule::oneflow) == "0:3 3:6 6:8 8:10");
    CHECK(of_all(flat, 10, Rule::jax) == "JAX does not split dimension 0 of 10 elements over 4 devices: 4 must divide 10");
    CHECK(of_all(flat, 10, Rule::alpa) == "Alpa does not split dimension 0 of 10 elements over 4 devices: 4 must divide 10");
    // chunks of chunks: five and five, then three and two
    CHECK(of_all(nested, 10, Rule::dtensor) == "0:3 3:5 5:8 8:10");
    CHECK(of_all(nested, 10, Rule::gspmd) == "0:3 3:6 6:9 9:10");
    CHECK(of_all(nested, 10, Rule::oneflow) ==
          "OneFlow splits 10 elements over 4 devices only if 4 divides 10, or over a flat hierarchy with no part empty");
    for (const Rule rule : {Rule::gspmd, Rule::dtensor, Rule::jax, Rule::oneflow, Rule::alpa}) {
        CHECK(of_all(flat, 12, rule) == "0:3 3:6 6:9 9:12");
        CHECK(of_all(nested, 12, rule) == "0:3 3:6 6:9 9:12");
    }
}

TEST_CASE("range_of: empty parts")
{
    CHECK(of_all(split_over({4}), 2, Rule::gspmd) == "0:1 1:2 2:2 2:2");
    CHECK(of_all(split_over({4}), 2, Rule::dtensor) == "0:1 1:2 2:2 2:2");
    CHECK(of_all(split_over({6}), 9, Rule::dtensor) == "0:2 2:4 4:6 6:8 8:9 9:9");
    CHECK(of_all(split_over({2, 3}), 1, Rule::dtensor) == "0:1 1:1 1:1 1:1 1:1 1:1");
    CHECK(of_all(split_over({3}), 2, Rule::oneflow) ==
          "OneFlow splits 2 elements over 3 devices only if 3 divides 2, or over a flat hierarchy with no part empty");
}

TEST_CASE("range_of: dimensions, copies, orders")
{
    Spec spec = split_over({2, 3});
    spec.dims = {Dimension(0), Dimension(1)};
    spec.parts = {whole_axis(spec.mesh, 1)};
    CHECK(*range_of(spec, {5, 7}, Rule::gspmd, 4) == Region{{0, 5}, {3, 6}});
    CHECK(*range_of(spec, {5, 7}, Rule::gspmd, 1) == Region{{0, 5}, {3, 6}}); // a copy
    spec.mesh = *make_mesh({{"x", 2}, {"y", 3}}, {Iter(2, 1), Iter(3, -2)}, 4);
    CHECK(*range_of(spec, {5, 7}, Rule::gspmd, 4) == Region{{0, 5}, {0, 3}});
    CHECK(*range_of(spec, {5, 7}, Rule::gspmd, 0) == Region{{0, 5}, {6, 7}});
    said::refused(range_of(spec, {5, 7}, Rule::gspmd, 6), errc::out_of_domain,
                  "device 6 is outside the mesh, which has devices [0, 6)");
    said::refused(range_of(spec, {5}, Rule::gspmd, 0), errc::rank_mismatch, "the shape has 1 dimension, the sharding 2");
    CHECK(range_of(spec, {5, 0}, Rule::gspmd, 0).code() == errc::bad_extent);

    Spec reverse = split_over({2, 3});
    reverse.parts = {whole_axis(reverse.mesh, 1), whole_axis(reverse.mesh, 0)};
    CHECK(of_all(reverse, 7, Rule::gspmd) == "0:2 4:6 7:7 2:4 6:7 7:7");
    CHECK(of_all(reverse, 7, Rule::dtensor) == "0:2 3:5 6:7 2:3 5:6 7:7"); // chunks of 3, 3 and 1, halved
    CHECK(of_all(reverse, 6, Rule::dtensor) == "0:1 2:3 4:5 1:2 3:4 5:6");
    Spec part = split_over({4});
    part.parts[0] = {0, 1, 2};
    CHECK(of_all(part, 5, Rule::gspmd) == "0:3 0:3 3:5 3:5");
    CHECK(of_all(part, 5, Rule::dtensor) == "dimension 0 does not divide, and is split over mesh axis 0 in part or out of order");
    Spec strided = split_over({2});
    strided.parts = {{-1, 1, 2}, {0, 1, 2}};
    strided.dims = {Dimension(2)};
    CHECK(of_all(strided, 8, Rule::dtensor) ==
          "dimension 0 has digits that stay on a device and does not divide evenly: the part of a device is not one range");
}

TEST_CASE("range_of: strided shards that do not divide act after the plain one that follows them")
{
    const Mesh square = *make_mesh({{"dp", 2}, {"tp", 2}});
    const auto spec = [](std::string_view text, const Mesh& mesh) { return *to_spec(*parse_dtensor(text), mesh, 1); };
    // FSDP over TP: seven elements are 4 and 3 by tp, then 2 2 and 2 1 by dp.
    CHECK(of_all(spec("[_StridedShard(0, split_factor=2), Shard(0)]", square), 7, Rule::dtensor) == "0:2 4:6 2:4 6:7");
    CHECK(of_all(spec("[_StridedShard(0, split_factor=2), Shard(0)]", square), 1, Rule::dtensor) == "0:1 1:1 1:1 1:1");
    CHECK(of_all(spec("[Shard(0), Shard(0)]", square), 7, Rule::dtensor) == "0:2 2:4 4:6 6:7");
    // No plain one follows: several ranges.
    CHECK(of_all(spec("[Shard(0), _StridedShard(0, split_factor=2)]", square), 7, Rule::dtensor) ==
          "dimension 0 has digits that stay on a device and does not divide evenly: the part of a device is not one range");

    const Mesh cube = *make_mesh({{"a", 2}, {"b", 3}, {"c", 2}});
    CHECK(of_all(spec("[Shard(0), _StridedShard(0, split_factor=2), Shard(0)]", cube), 11, Rule::dtensor) ==
          "0:1 3:4 1:2 4:5 2:3 5:6 6:7 9:10 7:8 10:11 8:9 11:11");
    CHECK(of_all(spec("[_StridedShard(0, split_factor=6), _StridedShard(0, split_factor=2), Shard(0)]", cube), 11, Rule::dtensor) ==
          "0:1 6:7 2:3 8:9 4:5 10:11 1:2 7:8 3:4 9:10 5:6 11:11");
    // By b, then c, then a: the factor is not that of the next plain shard, and PyTorch refuses.
    CHECK(of_all(spec("[_StridedShard(0, split_factor=6), Shard(0), Shard(0)]", cube), 11, Rule::dtensor) ==
          "dimension 0 does not divide, and is split over mesh axis 0 in part or out of order");
    // By b, then a, then c: a plain shard after the strided part.
    CHECK(of_all(spec("[_StridedShard(0, split_factor=3), Shard(0), Shard(0)]", cube), 11, Rule::dtensor) ==
          "dimension 0 does not divide, and is split over mesh axis 2 in part or out of order");
    CHECK(of_all(spec("[_StridedShard(0, split_factor=3), Shard(0), Shard(0)]", cube), 12, Rule::dtensor) !=
          of_all(spec("[Shard(0), Shard(0), Shard(0)]", cube), 12, Rule::dtensor));
    // The padded form is the same function where there is one.
    const Spec strided = spec("[_StridedShard(0, split_factor=2), Shard(0)]", square);
    CHECK(said::text(padded(strided, {7}, Rule::dtensor)->placed.layout) == "(2,2,2):(1@gpuid,2@gpuid,1)");
    CHECK(padded(strided, {5}, Rule::dtensor).code() == errc::no_layout); // 2 1 1 1
}

TEST_CASE("range_of: far out")
{
    constexpr std::int64_t huge = INT64_MAX;
    const Spec spec = split_over({2});
    CHECK(*range_of(spec, {huge}, Rule::gspmd, 1) == Region{{huge / 2 + 1, huge}});
    CHECK(*range_of(spec, {huge}, Rule::dtensor, 1) == Region{{huge / 2 + 1, huge}});
    CHECK(*range_of(spec, {huge}, Rule::oneflow, 1) == Region{{huge / 2 + 1, huge}});
    const Spec many = split_over({std::int64_t{1} << 31, std::int64_t{1} << 31});
    for (const Rule rule : {Rule::gspmd, Rule::dtensor}) {
        CHECK(*range_of(many, {huge}, rule, 0) == Region{{0, 2}});
        CHECK(*range_of(many, {huge}, rule, (std::int64_t{1} << 62) - 1) == Region{{huge - 1, huge}});
    }
    said::refused(padded(spec, {huge}, Rule::gspmd), errc::overflow, "dimension 0, padded, overflows");
}

TEST_CASE("padded: the tensor is the front of a larger one")
{
    const auto text = [](const Spec& spec, std::int64_t size, Rule rule) {
        const auto out = padded(spec, {size}, rule);
        if (!out) return std::string(out.error().message().c_str());
        CHECK(out->valid == Region{{0, size}});
        CHECK(*volume(out->shape) == *axe::size(out->placed.layout));
        return said::text(out->placed.layout);
    };
    CHECK(text(split_over({4}), 10, Rule::gspmd) == "(4,3):(1@gpuid,1)");
    CHECK(text(split_over({4}), 12, Rule::jax) == "(4,3):(1@gpuid,1)");
    CHECK(text(split_over({4}), 11, Rule::oneflow) == "(4,3):(1@gpuid,1)"); // 3 3 3 2
    CHECK(text(split_over({4}), 10, Rule::oneflow) ==
          "dimension 0 of 10 elements is split into 4 parts of different sizes: no padded layout exists");
    CHECK(text(split_over({2, 2}), 10, Rule::dtensor) ==
          "dimension 0 of 10 elements is split into 4 parts of different sizes: no padded layout exists");
    CHECK(text(split_over({2, 2}), 11, Rule::dtensor) == "(2,2,3):(2@gpuid,1@gpuid,1)"); // 3 3 3 2
    CHECK(text(split_over({2, 2}), 2, Rule::dtensor) ==
          "dimension 0 of 2 elements is split into 4 parts of different sizes: no padded layout exists");
    CHECK(text(split_over({2, 2}), 1, Rule::dtensor) == "(2,2):(2@gpuid,1@gpuid)");
    CHECK(text(split_over({4}), 2, Rule::gspmd) == "4:1@gpuid");
    CHECK(padded(split_over({4}), {4, 4}, Rule::gspmd).code() == errc::rank_mismatch);
    CHECK(std::string(name(Rule::oneflow)) == "oneflow");
}

TEST_CASE("range_of: a part of one that stays on a device cuts nothing")
{
    Spec spec = split_over({2});
    spec.parts.insert(0, Part(-1, 1, 1));
    spec.dims[0].end = 2;
    for (const Rule rule : {Rule::gspmd, Rule::dtensor, Rule::oneflow}) CHECK(of_all(spec, 5, rule) == "0:3 3:5");
    CHECK(of_all(spec, 4, Rule::jax) == "0:2 2:4");
}
