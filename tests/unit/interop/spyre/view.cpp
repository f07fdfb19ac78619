// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/spyre/view_axe.hpp>
#include <tests/unit/interop/spyre/said.hpp>

using namespace axe::literals;
using namespace axe::spyre;
using axe::errc;
using axe::Shape;
using axe::Strided;
using said::f16;
using said::refused;
using said::tensor;

namespace {
View x() { return view_of(tensor({4, 100})); }
} // namespace

static_assert(device_coordinate(slice(view_of(make_tensor(contiguous({4, 100}), DataFormat::sen169_fp16).value()), 0, 1, 4).value(),
                                {0, 70})
                  .value() == DeviceCoord{1, 1, 6});

TEST_CASE("operations on views are those of PyTorch", "[interop][spyre]")
{
    CHECK(slice(x(), 1, 10, 90, 3)->torch == Strided{{4, 27}, {100, 3}, 10});
    CHECK(slice(x(), 1, 10, 10)->torch == Strided{{4, 0}, {100, 1}, 0});
    CHECK(select(x(), 0, 2)->torch == Strided{{100}, {1}, 200});
    CHECK(permute(x(), {1, 0})->torch == Strided{{100, 4}, {1, 100}, 0});
    CHECK(expand(select(x(), 1, 3).value(), {5, 4})->torch == Strided{{5, 4}, {0, 100}, 3});
    CHECK(reshape(x(), {2, 2, 100})->torch == Strided{{2, 2, 100}, {200, 100, 1}, 0});
    CHECK(reshape(slice(x(), 0, 0, 0).value(), {5, 0})->torch.shape == Shape{5, 0});
    CHECK(as_strided(x(), {{2, 3}, {1, 100}, 50})->torch == Strided{{2, 3}, {1, 100}, 50});
    CHECK(slice(x(), 0, 1, 4)->base == tensor({4, 100})); // which stays
}

TEST_CASE("an element of a view is the base's at its host offset", "[interop][spyre]")
{
    CHECK(device_coordinate(permute(x(), {1, 0}).value(), {65, 2}).value() == DeviceCoord{1, 2, 1});
    CHECK(device_coordinate(reshape(x(), {400}).value(), {365}).value() == DeviceCoord{1, 3, 1});
    refused(device_coordinate(x(), {4, 0}), errc::out_of_domain, "index 4 of dimension 0 is outside [0, 4)");
    refused(device_coordinate(x(), {4}), errc::rank_mismatch, "the coordinate has 1 index, the tensor 2 dimensions");
    const View beyond{tensor({4, 100}), {{4, 101}, {100, 1}, 0}};
    refused(device_coordinate(beyond, {3, 100}), errc::out_of_domain, "the base has no element at host offset 400");
}

TEST_CASE("a view that cannot be says why", "[interop][spyre]")
{
    refused(slice(x(), 2, 0, 1), errc::bad_argument, "no dimension 2 exists; the view has 2 dimensions");
    refused(slice(x(), 0, 1, 5), errc::out_of_domain, "the slice [1, 5) is not within the 4 elements of its dimension");
    refused(slice(x(), 0, 1, 3, 0), errc::bad_argument, "the step of a slice is 0; it must be at least 1");
    CHECK(select(x(), 0, INT64_MAX).code() == errc::out_of_domain);
    refused(permute(x(), {0, 0}), errc::bad_argument, "entry 1 of the order is 0; it must name each dimension of the view once");
    CHECK(permute(x(), {0}).code() == errc::rank_mismatch);
    refused(expand(x(), {4}), errc::rank_mismatch, "2 dimensions cannot be expanded to 1");
    refused(expand(x(), {5, 100}), errc::bad_extent, "dimension 0 of size 4 cannot be expanded to 5");
    refused(reshape(x(), {401}), errc::size_mismatch, "400 elements cannot be viewed as 401");
    CHECK(reshape(permute(x(), {1, 0}).value(), {400}).code() == errc::no_layout);
    refused(as_strided(x(), {{4, 101}, {100, 1}, 0}), errc::out_of_domain, "the view has elements outside its base");
    refused(as_strided(view_of(make_tensor({{4, 4}, {1, 1}}, f16).value()), {{2}, {1}, 0}), errc::bad_argument,
            "elements of the base share addresses on the host, in dimension 1 of stride 1");
    const View rows = view_of(make_tensor({{4, 60}, {64, 1}}, f16).value()); // with gaps
    CHECK(as_strided(rows, {{4, 60}, {64, 1}, 0}));
    CHECK(as_strided(rows, {{4, 61}, {64, 1}, 0}).code() == errc::out_of_domain);
    CHECK(as_strided(rows, {{4}, {64}, 60}).code() == errc::out_of_domain);
}

TEST_CASE("a view is a layout where digits divide", "[interop][spyre]")
{
    const auto rows = to_axe(slice(x(), 0, 1, 4).value()).value();
    CHECK(rows.layout == "(3,2,64):(64,256,1) + 64@m"_axe);
    CHECK(rows.shape == Shape{3, 128});
    CHECK(rows.valid[1].hi == 100);
    CHECK(rows.elements == 512);
    CHECK(to_axe(select(x(), 1, 0).value())->layout == "4:64"_axe);
    CHECK(to_axe(x())->layout == to_axe(tensor({4, 100}))->layout);
    refused(to_axe(slice(x(), 1, 32, 96).value()), errc::no_layout,
            "dimension 1 crosses the end of a digit, which a layout cannot do");
    refused(to_axe(reshape(x(), {400}).value()), errc::no_layout,
            "dimension 0 has digits of 64 within 100 on the device, but 64 does not divide 100");
    CHECK(to_axe(slice(x(), 0, 0, 0).value()).code() == errc::bad_extent);
}
