// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/target/spyre/compiler/kernel_json.hpp>
#include <catch.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <vector>

using namespace axe;
using namespace axe::spyre;

namespace {

spyre::Tensor tensor(const Shape& sizes) { return make_tensor(contiguous(sizes), DataFormat::sen169_fp16).value(); }

/// C = A·B of these sizes on 32 cores.
spyre::Kernel matmul_kernel(std::int64_t m, std::int64_t n, std::int64_t k)
{
    const Work work = matmul_work(tensor({m, k}), tensor({k, n}), tensor({m, n}));
    return make_kernel("matmul", work, divide(work).value()).value();
}

std::string refused(const Result<spyre::Kernel>& kernel) { return kernel ? "read" : kernel.error().message().c_str(); }

} // namespace

TEST_CASE("kernels: what the back end is told of a product")
{
    const spyre::Kernel kernel = matmul_kernel(8192, 4096, 32768);
    const auto json = nlohmann::json::parse(to_json(kernel));
    CHECK(json.at("op") == "matmul");
    CHECK(json.at("loops").size() == 3);
    CHECK(json.at("loops")[0] == nlohmann::json::parse(R"({"name":"m","size":8192,"is_reduction":false,"split":16})"));
    CHECK(json.at("loops")[2] == nlohmann::json::parse(R"({"name":"k","size":32768,"is_reduction":true,"split":2})"));
    const auto& b = json.at("tensors")[1];
    CHECK(b.at("name") == "in1");
    CHECK(b.at("is_output") == false);
    CHECK(b.at("device_size") == nlohmann::json{64, 32768, 64});
    CHECK(b.at("stride_map") == nlohmann::json{64, 4096, 1});
    CHECK(b.at("device_dtype") == "SEN169_FP16");
    CHECK(b.at("loops") == nlohmann::json{2, 1});
    CHECK(b.at("lx_offset") == -1); // 128 MiB a core: it stays in device memory
    CHECK(json.at("tensors")[2].at("is_output") == true);
}

TEST_CASE("kernels: read back, and the work with them")
{
    for (const std::int64_t m : {1, 7, 64, 100})
        for (const std::int64_t n : {1, 65, 512})
            for (const std::int64_t k : {1, 100, 256}) {
                const Work work = matmul_work(tensor({m, k}), tensor({k, n}), tensor({m, n}));
                const Division division = divide(work).value();
                const spyre::Kernel kernel = make_kernel("matmul", work, division).value();
                const auto again = parse_kernel(to_json(kernel));
                REQUIRE(again.has_value());
                CHECK(*again == kernel);
                CHECK(division_of(*again) == division);
                const auto placed = work_of(*again);
                REQUIRE(placed.has_value());
                CHECK(divide(*placed).value() == division);
                for (int t = 0; t < 3; ++t) CHECK(placed->tensors[t].tensor.device == work.tensors[t].tensor.device);
            }
}

TEST_CASE("kernels: what a core comes to, by enumeration")
{
    for (const std::int64_t m : {1, 6, 128})
        for (const std::int64_t n : {1, 70, 256})
            for (const std::int64_t k : {3, 130}) {
                const Work work = matmul_work(tensor({m, k}), tensor({k, n}), tensor({m, n}));
                const Division division = divide(work).value();
                const auto cores = core_layout(work, division).value();
                for (const WorkTensor& operand : work.tensors) {
                    // the sticks that core 0 comes to in all loops
                    std::vector<bool> met(static_cast<std::size_t>(*stick_count(operand.tensor.device)));
                    std::int64_t extents[3]{};
                    for (int v = 0; v < 3; ++v) extents[v] = std::min(cores.shape[v] / division.splits[v], work.loops[v].size);
                    Coord c{0, 0};
                    for (c[0] = 0; c[0] < extents[operand.loops[0]]; ++c[0])
                        for (c[1] = 0; c[1] < extents[operand.loops[1]]; ++c[1]) {
                            const auto d = device_coordinate(operand.tensor, c).value();
                            met[static_cast<std::size_t>(device_offset(operand.tensor.device, d) / 64)] = true;
                        }
                    CHECK(core_bytes(work, operand, division) ==
                          axe::spyre::stick_bytes * std::count(met.begin(), met.end(), true));
                }
            }
}

TEST_CASE("kernels: parts in the scratchpad are one behind the other, as far as there is room")
{
    const spyre::Kernel small = matmul_kernel(64, 64, 64);
    CHECK(small.loops[0].split == 32);
    // two rows of A and of C, all of B
    CHECK(small.tensors[0].scratchpad_offset == 0);
    CHECK(small.tensors[1].scratchpad_offset == 2 * 128);
    CHECK(small.tensors[2].scratchpad_offset == 2 * 128 + 64 * 128);

    spyre::Kernel bad = small;
    bad.tensors[2].scratchpad_offset = 128;
    CHECK(std::string(work_of(bad).error().message().c_str()) == "tensors 0 and 2 overlap in the scratchpad");
    bad.tensors[2].scratchpad_offset = 100;
    CHECK(std::string(work_of(bad).error().message().c_str()) ==
          "tensor 2 is at byte 100 of the scratchpad, which is not the start of a stick");
    bad.tensors[2].scratchpad_offset = scratchpad_bytes - 128;
    CHECK(std::string(work_of(bad).error().message().c_str()) ==
          "tensor 2, of 256 bytes from 2097024 on, ends outside the scratchpad");
    bad = small;
    bad.loops[0].split = 3;
    CHECK(work_of(bad).code() == errc::bad_argument);
    bad = small;
    bad.tensors[0].layout.device_size[1] = 2;
    CHECK(work_of(bad).code() == errc::no_layout);
    CHECK(make_kernel("a name that has more than 31 letters", work_of(small).value(), division_of(small)).code() == errc::capacity);
}

TEST_CASE("kernels: texts that are none")
{
    const std::string good = to_json(matmul_kernel(64, 64, 64));
    for (std::size_t n = 0; n < good.size(); ++n) CHECK(!parse_kernel(good.substr(0, n)));
    const auto changed = [&](const std::string& from, const std::string& to) {
        std::string text = good;
        text.replace(text.find(from), from.size(), to);
        return refused(parse_kernel(text));
    };
    CHECK(changed("\"m\"", "\"1m\"") == "the string at character 32 is not a name of a loop");
    CHECK(changed("[0,2]", "[0,9]").find("names loop 9, which does not exist") != std::string::npos);
    CHECK(changed("SEN169_FP16", "FP16").find("names no format and no arrangement of the device") != std::string::npos);
    CHECK(changed("\"op\":\"matmul\",", "") ==
          "the object that ends at character " + std::to_string(good.size() - 15) + " lacks its key 0");
    std::string many = R"({"op":"x","tensors":[],"loops":[)";
    for (int i = 0; i < 9; ++i) many += std::string(i == 0 ? "" : ",") + R"({"name":"m","size":1,"is_reduction":false,"split":1})";
    CHECK(refused(parse_kernel(many + "]}")).find("the list has more than 8 objects at character") == 0);
}
