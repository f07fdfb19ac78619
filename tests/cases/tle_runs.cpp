// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/kernels.hpp>
#include <axe/mesh/mesh_text.hpp>
#include <axe/program/mesh_tensors.hpp>
#include <axe/tensor/distributed.hpp>
#include <catch.hpp>

#include <nlohmann/json.hpp>

#include <fstream>
#include <string>

/// Reshards of TLE, data/tle_mesh.jsonl, as programs: the parts of the members go in, checked against the sharding, and the parts that come
/// out are those of the row.
TEST_CASE("TLE: reshards run on devices, part by part")
{
    using nlohmann::json;
    std::ifstream file(AXE_TEST_DATA "/tle_mesh.jsonl");
    REQUIRE(file);
    int rows = 0;
    for (std::string line; std::getline(file, line);) {
        const json row = json::parse(line);
        if (row["kind"] != "reshard") continue;
        INFO(row["mesh"].dump() << row["src"].dump() << " to " << row["dst"].dump());
        std::string axes;
        for (const json& state : row["per_axis"]) // in the order of the mesh
            axes += (axes.empty() ? "" : ",") + state[0].get<std::string>() + "=" + row["mesh"][state[0].get<std::string>()].dump();
        const axe::Mesh mesh = axe::parse_device_mesh(axes).value();
        const auto sharding = [&](const json& state) {
            std::string text = state["split"].dump();
            for (const json& axis : state["partial"]) text += " P(" + axis.get<std::string>() + ")"; // one at most
            return axe::parse_mesh_sharding(text, mesh).value();
        };
        axe::Kernel k("reshard", axe::mesh(axe::machines::sm90, axe::Shape{size(mesh)}).value());
        const auto a = sharded(k, axe::Binding::input, "A", {8, 8}, axe::DType::f32, sharding(row["src"]));
        const auto d = sharded(k, axe::Binding::output, "D", {8, 8}, axe::DType::f32, sharding(row["dst"]));
        axe::reshard(k, d, a);
        const axe::Program program = k.program().value();
        const axe::Tensor &from = axe::tensor_of(program, a.tensor.view()), &to = axe::tensor_of(program, d.tensor.view());

        std::vector<axe::Array> parts;
        for (std::size_t m = 0; m < row["src_local"].size(); ++m) {
            const axe::LocalView local = axe::local(from, {{"gpuid", static_cast<std::int64_t>(m)}}).value();
            parts.push_back(axe::Array::make(local.tensor.shape, axe::DType::f32).value());
            const json& values = row["src_local"][m];
            REQUIRE(axe::volume(local.tensor.shape).value() == static_cast<std::int64_t>(values.size()));
            for (std::size_t i = 0; i < values.size(); ++i) parts.back().set(static_cast<std::int64_t>(i), values[i].get<double>());
        }
        std::vector<const axe::Array*> held;
        for (const axe::Array& part : parts) held.push_back(&part);
        auto whole = axe::assemble(from, held);
        INFO(whole.error().text);
        REQUIRE(whole.has_value());
        axe::Bindings inputs;
        inputs.set("A", std::move(*whole));
        const auto lowered = axe::lower(program);
        REQUIRE(lowered.has_value());
        const auto report = axe::sim::run(lowered->program, inputs);
        REQUIRE(report.has_value());
        INFO(report->fault.text);
        REQUIRE(report->ok());
        for (std::size_t m = 0; m < row["dst_local"].size(); ++m) {
            const axe::Array part = axe::part_of(to, *report->outputs.find("D"), static_cast<std::int64_t>(m)).value();
            const json& values = row["dst_local"][m];
            bool same = axe::volume(part.shape()).value() == static_cast<std::int64_t>(values.size());
            for (std::size_t i = 0; same && i < values.size(); ++i)
                same = part.at(static_cast<std::int64_t>(i)) == values[i].get<double>();
            CHECK(same);
        }
        ++rows;
        if (rows != 1 || parts.size() < 2) continue;
        // A copy that differs is found before the run.
        const axe::Sharding replicated = axe::parse_mesh_sharding("[]", mesh).value();
        axe::Kernel other("copies", k.machine());
        const auto b = sharded(other, axe::Binding::input, "B", {8, 8}, axe::DType::f32, replicated);
        const axe::Program copies = other.program().value();
        CHECK_FALSE(axe::assemble(axe::tensor_of(copies, b.tensor.view()), held).has_value());
    }
    CHECK(rows == 127);
}
