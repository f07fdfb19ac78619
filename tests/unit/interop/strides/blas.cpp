// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/strides/blas.hpp>
#include <axe/text/literals.hpp>
#include <catch.hpp>

using namespace axe::literals;
using axe::errc;
using axe::blas::Matrix;
using axe::blas::Order;
using axe::blas::Transpose;
using axe::blas::Vector;

namespace {
std::string why(const axe::Layout& l, const axe::Shape& s) { return axe::blas::matrix(l, s).error().message().c_str(); }
} // namespace

TEST_CASE("a gemm operand is told by its transposition and leading dimension", "[interop][strides]")
{
    // 3×5, row after row with a pitch of 8: what column-major BLAS calls the transpose of a 5×3 matrix.
    CHECK(axe::blas::matrix("(3,5):(8,1)"_axe, {3, 5}).value() == Matrix{3, 5, Order::column_major, Transpose::yes, 8, 0});
    CHECK(axe::blas::matrix("(3,5):(8,1)"_axe, {3, 5}, Order::row_major).value() ==
          Matrix{3, 5, Order::row_major, Transpose::no, 8, 0});
    CHECK(axe::blas::matrix("(3,5):(1,3) + 7@m"_axe, {3, 5}).value() == Matrix{3, 5, Order::column_major, Transpose::no, 3, 7});
    CHECK(axe::blas::to_axe(Matrix{3, 5, Order::column_major, Transpose::yes, 8, 0}).value() == "(3,5):(8,1)"_axe);
    CHECK(axe::blas::to_axe(Matrix{3, 5, Order::column_major, Transpose::no, 4, 2}).value() == "(3,5):(1,4) + 2@m"_axe);
    // Vectors as matrices: either way will do, the one without a transposition is taken.
    CHECK(axe::blas::matrix("5:1"_axe, {5, 1}).value() == Matrix{5, 1, Order::column_major, Transpose::no, 5, 0});
    CHECK(axe::blas::matrix("5:3"_axe, {5, 1}).value() == Matrix{5, 1, Order::column_major, Transpose::yes, 3, 0});
    CHECK(axe::blas::matrix("5:3"_axe, {1, 5}).value() == Matrix{1, 5, Order::column_major, Transpose::no, 3, 0});
    CHECK(axe::blas::matrix("1:1"_axe, {1, 1})->ld == 1);
}

TEST_CASE("a layout that is not an operand says why", "[interop][strides]")
{
    CHECK(why("(3,5):(10,2)"_axe, {3, 5}) == "neither stride is 1: they are 10 and 2");
    CHECK(why("(3,5):(4,1)"_axe, {3, 5}) == "the stride 4 of dimension 0 is not a leading dimension; it must be at least 5");
    CHECK(why("(3,5):(0,1)"_axe, {3, 5}) == "the stride 0 of dimension 0 is not a leading dimension; it must be at least 5");
    CHECK(why("(3,5):(1,-3) + 12@m"_axe, {3, 5}) ==
          "the stride -3 of dimension 1 is not a leading dimension; it must be at least 3");
    CHECK(why("(3,5):(1,4294967296)"_axe, {3, 5}) ==
          "the leading dimension 4294967296 exceeds 2147483647, the largest integer of the routine");
    CHECK(axe::blas::matrix("(3,5):(1,4294967296)"_axe, {3, 5}, Order::column_major, INT64_MAX)->ld == 4294967296);
    CHECK(why("(2,2,3,2):(12,2,4,1)"_axe, {4, 6}) == "dimension 0 has 2 strides, 12 the outermost; an array has one per dimension");
    CHECK(axe::blas::matrix("8:1"_axe, {8}).code() == errc::rank_mismatch);
    CHECK(axe::blas::matrix("(3,5):(10,2)"_axe, {3, 5}).error().is_none());
    CHECK(axe::blas::to_axe(Matrix{3, 5, Order::column_major, Transpose::no, 2, 0}).code() == errc::bad_argument);
    CHECK(std::string(axe::blas::to_axe(Matrix{3, 5, Order::row_major, Transpose::no, 4, 0}).error().message().c_str()) ==
          "the leading dimension is 4; it must be at least 5");
    CHECK(axe::blas::to_axe(Matrix{0, 5, Order::column_major, Transpose::no, 1, 0}).code() == errc::bad_extent);
    CHECK(axe::blas::to_axe(Matrix{0, 5, Order::column_major, Transpose::no, 0, 0}).code() == errc::bad_argument);
}

TEST_CASE("a vector is told by its increment and its least address", "[interop][strides]")
{
    CHECK(axe::blas::vector("5:2 + 3@m"_axe, {5}).value() == Vector{5, 2, 3});
    CHECK(axe::blas::vector("5:-2 + 11@m"_axe, {5}).value() == Vector{5, -2, 3});
    CHECK(axe::blas::to_axe(Vector{5, -2, 3}).value() == "5:-2 + 11@m"_axe);
    CHECK(axe::blas::to_axe(Vector{5, 2, 3}).value() == "5:2 + 3@m"_axe);
    CHECK(axe::blas::vector("1:7"_axe, {1}).value() == Vector{1, 1, 0});
    CHECK(axe::blas::vector("5:0"_axe, {5}).code() == errc::no_layout);
    CHECK(axe::blas::vector("(2,3):(1,7)"_axe, {6}).code() == errc::no_layout);
    CHECK(axe::blas::vector("5:4294967296"_axe, {5}).code() == errc::no_layout);
    CHECK(axe::blas::vector("5:-4294967296"_axe, {5}).code() == errc::no_layout);
    CHECK(axe::blas::vector("6:1"_axe, {2, 3}).code() == errc::rank_mismatch);
    CHECK(axe::blas::to_axe(Vector{5, 0, 0}).code() == errc::bad_argument);
    CHECK(axe::blas::to_axe(Vector{0, 1, 0}).code() == errc::bad_extent);
    CHECK(axe::blas::to_axe(Vector{5, INT64_MIN / 2, 0}).code() == errc::overflow);
}
