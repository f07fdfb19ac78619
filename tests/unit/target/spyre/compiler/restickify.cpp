// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/target/spyre/compiler/restickify.hpp>
#include <tests/unit/interop/spyre/said.hpp>

#include <vector>

using namespace axe::spyre;
using axe::errc;
using said::f16;
using said::refused;
using said::tensor;

static_assert(with_stick({2, 1, 0}, 1).value() == DimOrder{2, 0, 1});

namespace {
std::vector<std::uint16_t> moved(const Transfer& plan, std::size_t to, std::size_t from)
{
    std::vector<std::uint16_t> before(from), after(to, 0xeeee);
    for (std::size_t i = 0; i < from; ++i) before[i] = static_cast<std::uint16_t>(i);
    REQUIRE(plan.run(after.data(), 2 * to, before.data(), 2 * from).ok());
    return after;
}
} // namespace

TEST_CASE("another dimension goes into sticks", "[interop][spyre]")
{
    const auto rows = tensor({5, 96}), columns = tensor({5, 96}, f16, with_stick({0, 1}, 0).value());
    const auto plan = plan_restickify(columns, rows).value();
    CHECK(plan.elements() == 480);
    const auto after = moved(plan, 96 * 64, 2 * 5 * 64);
    CHECK(after[70 * 64 + 3] == 5 * 64 + 3 * 64 + 6); // row 3, column 70
    CHECK(after[70 * 64 + 5] == 0xeeee);
    refused(with_stick({0, 1, -1}, 0), errc::bad_argument, "the order has no stick dimension to exchange");
    refused(with_stick({0, 1}, 2), errc::bad_argument, "the order does not name dimension 2");
}

TEST_CASE("a view becomes a tensor of its own, and a reshape moves elements", "[interop][spyre]")
{
    const auto x = tensor({4, 100});
    const auto cut = plan_restickify(tensor({4, 64}), slice(view_of(x), 1, 32, 96).value()).value();
    const auto after = moved(cut, 256, 512);
    CHECK(after[64 + 31] == 64 + 63);
    CHECK(after[64 + 32] == 256 + 64);
    const auto column = moved(plan_restickify(tensor({256, 1}), tensor({64, 4})).value(), 256 * 64, 64 * 64);
    CHECK(column[0] == 0);
    const auto line = moved(plan_restickify(tensor({256}), tensor({64, 4})).value(), 256, 64 * 64);
    for (std::size_t i = 0; i < 256; ++i) CHECK(line[i] == i / 4 * 64 + i % 4);
}

TEST_CASE("a view moves to the host and back as it is", "[interop][spyre]")
{
    const View cut = slice(view_of(tensor({4, 100})), 1, 32, 96).value();
    const auto home = moved(plan_to_host(cut, contiguous({4, 64})).value(), 256, 512);
    CHECK(home[64 + 31] == 64 + 63);
    CHECK(home[64 + 32] == 256 + 64);
    const auto device = moved(plan_to_device(cut, contiguous({4, 64})).value(), 512, 256);
    CHECK(device[64 + 31] == 0xeeee);
    CHECK(device[64 + 32] == 64);
    CHECK(device[256 + 64 + 31] == 127);
    CHECK(device[256 + 64 + 32] == 0xeeee);
    CHECK(plan_to_host(cut, contiguous({64, 4})).error().code == errc::size_mismatch);
    const auto expanded = make_tensor({{3, 100}, {0, 1}}, f16).value();
    CHECK(plan_to_device(view_of(expanded), contiguous({3, 100})).error().text ==
          "device dimension 1 holds copies, which a view writes only one of");
    CHECK(plan_to_device(expand(view_of(tensor({1, 8})), {2, 8}).value(), contiguous({2, 8})).error().code == errc::bad_argument);
}

TEST_CASE("a move that cannot be says why", "[interop][spyre]")
{
    CHECK(plan_restickify(tensor({4, 64}), view_of(tensor({4, 65}))).error().code == errc::size_mismatch);
    CHECK(plan_restickify(tensor({4, 64}), tensor({4, 65})).error().text == "260 elements cannot be viewed as 256");
    CHECK(plan_restickify(tensor({4, 64}), tensor({4, 64}, said::f32)).error().text ==
          "the formats of the two layouts differ: a conversion needs the types of both");
    auto shuffled = tensor({4, 64});
    shuffled.device.arrangement = Arrangement::fp32_to_dl16;
    CHECK(plan_restickify(shuffled, tensor({4, 64})).error().text ==
          "elements are rearranged inside sticks, but a nest of loops moves them in order");
    axe::RelayoutOptions options;
    options.from_type = axe::DType::f32;
    options.to_type = axe::DType::i32;
    CHECK(plan_restickify(tensor({4, 64}, DataFormat::ieee_int32), tensor({4, 64}, said::f32), options));
}
