// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/axe.hpp>
#include <axe/tensor/distributed.hpp>
#include <tests/catch.hpp>

using namespace axe::literals;

namespace {

struct Spread {
    axe::Tensor tensor{};
    axe::Array array{};
    std::vector<axe::Array> parts{};
    std::vector<const axe::Array*> given{};
};

/// An array of the numbers 0, 1, … and the part of each device.
Spread spread(const axe::Shape& shape, const axe::Layout& layout, int devices)
{
    Spread s;
    s.tensor.name = "x";
    s.tensor.shape = shape;
    s.tensor.dtype = axe::DType::i32;
    s.tensor.layout.layout = layout;
    s.array = *axe::Array::make(shape, axe::DType::i32);
    for (std::int64_t i = 0; i < s.array.size(); ++i) s.array.set(i, static_cast<double>(i));
    s.parts.reserve(static_cast<std::size_t>(devices));
    for (int d = 0; d < devices; ++d) {
        auto part = axe::part_of(s.tensor, s.array, d);
        if (part) s.parts.push_back(std::move(*part));
        s.given.push_back(part ? &s.parts.back() : nullptr);
    }
    return s;
}

bool equal_arrays(const axe::Array& a, const axe::Array& b)
{
    return a.shape() == b.shape() && std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size_bytes())) == 0;
}

} // namespace

TEST_CASE("assemble: parts of shards, copies and both make the array again")
{
    const Spread rows = spread({8, 3}, "(4,2,3):(1@gpuid,3,1)"_axe, 4);
    CHECK(rows.parts[2].shape() == axe::Shape{2, 3});
    CHECK(rows.parts[2].at(0) == 12);
    CHECK(equal_arrays(*axe::assemble(rows.tensor, rows.given), rows.array));

    const Spread copies = spread({5}, "5:1 + [3:1@gpuid]"_axe, 3);
    CHECK(equal_arrays(copies.parts[1], copies.array));
    CHECK(equal_arrays(*axe::assemble(copies.tensor, copies.given), copies.array));

    const Spread mesh = spread({6, 4}, "(2,3,4):(2@gpuid,4,1) + [2:1@gpuid]"_axe, 4);
    CHECK(equal_arrays(*axe::assemble(mesh.tensor, mesh.given), mesh.array));

    // Device 0 holds nothing: the tensor begins on device 1.
    const Spread later = spread({4}, "(2,2):(1@gpuid,1) + 1@gpuid"_axe, 3);
    CHECK(later.given[0] == nullptr);
    CHECK(equal_arrays(*axe::assemble(later.tensor, later.given), later.array));
}

TEST_CASE("assemble: what does not fit is named with its device and element")
{
    Spread s = spread({5}, "5:1 + [3:1@gpuid]"_axe, 3);
    const auto says = [&](const char* sentence) {
        const auto whole = axe::assemble(s.tensor, s.given);
        REQUIRE(!whole);
        CHECK(whole.error().text == sentence);
    };
    s.parts[2].set(3, 7);
    says("tensor x: element (3) is 3.000000 on device 0 and 7.000000 on device 2");
    s.given[1] = nullptr;
    says("tensor x: device 1 gives no part");
    const axe::Array other = *axe::Array::make({4}, axe::DType::i32), floats = *axe::Array::make({5}, axe::DType::f32);
    s.given[1] = &other;
    says("tensor x: the part of device 1 has 4 elements in another shape than the layout's 5");
    s.given[1] = &floats;
    says("tensor x is i32, the part of device 1 is f32");

    s = spread({4}, "(2,2):(1@gpuid,1) + 1@gpuid"_axe, 3);
    s.given[0] = &s.parts[0];
    says("tensor x: device 0 gives a part, but holds none");
    s.given = {nullptr, &s.parts[0]};
    says("tensor x: element (2) is on none of the 2 devices that give a part");
}

TEST_CASE("part_of: an array of another shape or type")
{
    const Spread s = spread({4}, "(2,2):(1@gpuid,1)"_axe, 2);
    CHECK(axe::part_of(s.tensor, *axe::Array::make({5}, axe::DType::i32), 0).error().text ==
          "tensor x: the shapes of the array and the tensor differ");
    CHECK(axe::part_of(s.tensor, *axe::Array::make({4}, axe::DType::f32), 0).error().text == "tensor x is i32, the array f32");
    CHECK(axe::part_of(s.tensor, s.array, 2).error().text == "tensor x: the owner holds none of it");
}
