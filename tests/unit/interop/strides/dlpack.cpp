// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/strides/dlpack.hpp>
#include <axe/layout/pack.hpp>
#include <axe/text/literals.hpp>
#include <catch.hpp>

using namespace axe::literals;
using axe::errc;

namespace {

// What dlpack.h declares, member for member.
struct Device {
    std::int32_t device_type, device_id;
};
struct DataType {
    std::uint8_t code, bits;
    std::uint16_t lanes;
};
struct Tensor {
    void* data;
    Device device;
    std::int32_t ndim;
    DataType dtype;
    std::int64_t* shape;
    std::int64_t* strides;
    std::uint64_t byte_offset;
};
static_assert(axe::dlpack::Tensor<Tensor>);
static_assert(!axe::dlpack::Tensor<DataType>);

Tensor tensor(int rank, std::int64_t* shape, std::int64_t* strides, std::uint64_t offset = 0, std::uint8_t bits = 32,
              std::uint16_t lanes = 1)
{
    return {nullptr, {1, 0}, rank, {2, bits, lanes}, shape, strides, offset};
}
std::string why(const Tensor& t) { return axe::dlpack::to_axe(t).error().message().c_str(); }

} // namespace

TEST_CASE("a DLTensor is read: strides in elements, offset in bytes, null strides compact", "[interop][strides]")
{
    std::int64_t shape[] = {4, 8}, strides[] = {1, 4}, backwards[] = {-8, 1};
    CHECK(axe::dlpack::to_axe(tensor(2, shape, strides)).value() == "(4,8):(1,4)"_axe);
    CHECK(axe::dlpack::to_axe(tensor(2, shape, nullptr)).value() == "32:1"_axe);
    CHECK(axe::dlpack::to_axe(tensor(2, shape, nullptr, 64)).value() == "32:1 + 16@m"_axe);
    CHECK(axe::dlpack::to_axe(tensor(2, shape, backwards, 96)).value() == "(4,8):(-8,1) + 24@m"_axe);
    CHECK(axe::dlpack::to_axe(tensor(0, nullptr, nullptr, 8)).value() == "():() + 2@m"_axe);
    CHECK(axe::dlpack::to_axe(tensor(2, shape, nullptr, 3, 4)).value() == "32:1 + 6@m"_axe); // halves of bytes
}

TEST_CASE("a vector type is one element of all its lanes", "[interop][strides]")
{
    std::int64_t shape[] = {4, 8};
    const auto v = axe::dlpack::view(tensor(2, shape, nullptr, 32, 32, 4)).value();
    CHECK(v.element_bits == 128);
    CHECK(v.lanes == 4);
    CHECK(v.array.offset == 2);
    // Its scalars are the elements unpacked.
    const auto l = axe::dlpack::to_axe(tensor(2, shape, nullptr, 32, 32, 4)).value();
    CHECK(axe::unpack(l, v.lanes, axe::Axis{}).value() == "128:1 + 8@m"_axe);
}

TEST_CASE("a DLTensor that gives no addresses is refused", "[interop][strides]")
{
    std::int64_t shape[] = {4, 0};
    CHECK(why(tensor(2, shape, nullptr)) == "dimension 1 is empty; a layout has at least one element");
    CHECK(axe::dlpack::view(tensor(2, shape, nullptr)));
    CHECK(why(tensor(1, shape, nullptr, 6)) == "the byte offset 6 is not a whole number of elements of 32 bits");
    CHECK(why(tensor(1, shape, nullptr, 1, 6)) == "the byte offset 1 is not a whole number of elements of 6 bits");
    CHECK(why(tensor(1, shape, nullptr, ~std::uint64_t{0})) == "the byte offset overflows");
    CHECK(why(tensor(1, shape, nullptr, 0, 0)) == "elements of 0 bits in 1 lane; both must be at least 1");
    CHECK(why(tensor(1, shape, nullptr, 0, 8, 0)) == "elements of 8 bits in 0 lanes; both must be at least 1");
    CHECK(why(tensor(-1, shape, nullptr)) == "the tensor has -1 dimensions; there must be at least 0");
    CHECK(why(tensor(17, shape, nullptr)) == "a shape has at most 16 dimensions, this one has 17");
    CHECK(why(tensor(1, nullptr, nullptr)) == "the tensor has 1 dimension, but no shape");
    std::int64_t wide[] = {std::int64_t{1} << 62, 4};
    CHECK(axe::dlpack::to_axe(tensor(2, wide, nullptr)).code() == errc::overflow);
}

TEST_CASE("a DLTensor is filled, strides always written", "[interop][strides]")
{
    std::int64_t shape[2]{}, strides[2]{};
    Tensor t = tensor(0, nullptr, nullptr);
    REQUIRE(axe::dlpack::fill(t, "(4,8):(-8,1) + 24@m"_axe, {4, 8}, shape, strides).ok());
    CHECK(t.ndim == 2);
    CHECK(t.shape == shape);
    CHECK(t.strides == strides);
    CHECK(shape[0] == 4);
    CHECK(strides[0] == -8);
    CHECK(strides[1] == 1);
    CHECK(t.byte_offset == 96);
    CHECK(axe::dlpack::to_axe(t).value() == "(4,8):(-8,1) + 24@m"_axe);

    Tensor nibbles = tensor(0, nullptr, nullptr, 0, 4);
    CHECK(axe::dlpack::fill(nibbles, "8:1 + 6@m"_axe, {8}, shape, strides).ok());
    CHECK(nibbles.byte_offset == 3);
    CHECK(std::string(axe::dlpack::fill(nibbles, "8:1 + 5@m"_axe, {8}, shape, strides).error().message().c_str()) ==
          "the first element is at bit 20, inside a byte; a byte offset cannot express that");
    CHECK(std::string(axe::dlpack::fill(t, "8:1 + -5@m"_axe, {8}, shape, strides).error().message().c_str()) ==
          "the first element is at -5, before the data");
    CHECK(axe::dlpack::fill(t, "(2,4):(1,3)"_axe, {8}, shape, strides).code() == errc::no_layout);
    CHECK(axe::dlpack::fill(t, "8:1 + 1152921504606846976@m"_axe, {8}, shape, strides).code() == errc::overflow);
    t.dtype.bits = 0;
    CHECK(axe::dlpack::fill(t, "8:1"_axe, {8}, shape, strides).code() == errc::bad_argument);
}
