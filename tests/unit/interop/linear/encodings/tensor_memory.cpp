// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/linear/encodings/tensor_memory.hpp>
#include <axe/interop/linear/properties.hpp>
#include <tests/unit/interop/linear/encodings/encoding.hpp>

using namespace axe;
using namespace axe::linear;
using namespace encodings;

TEST_CASE("tensor memory: refusals, pieces of 64 rows")
{
    CHECK(refusal(TensorMemoryEncoding{32, 128, 1}, {128, 128}) == "a piece of tensor memory has 64 or 128 rows, got 32");
    CHECK(refusal(TensorMemoryEncoding{128, 96, 1}, {128, 128}) == "columns and their stride must be powers of two, got 96 and 1");
    CHECK(refusal(TensorMemoryEncoding{128, 128, 3}, {128, 128}) ==
          "columns and their stride must be powers of two, got 128 and 3");
    CHECK(refusal(TensorMemoryEncoding{128, 128, 1}, {64, 128}) == "a matrix of 64 rows is smaller than a piece of 128");
    CHECK(refusal(TensorMemoryEncoding{}, {128}) == "tensor memory holds matrices; this tensor has 1 dimension");
    CHECK(refusal(TensorMemoryScalesEncoding{}, {128, 3}) == "dimension 1 of the tensor is 3; linear layouts have powers of two");
    // One piece of 64 rows: half of the 128 are not there. Two beside each other: they are the second.
    CHECK(images(to_linear_layout(TensorMemoryEncoding{64, 2, 1}, {64, 2}).value(), "row") == List{1, 2, 4, 8, 0, 16, 32});
    CHECK(images(to_linear_layout(TensorMemoryEncoding{64, 2, 1}, {64, 4}).value(), "row") == List{1, 2, 4, 8, 2 << 6, 16, 32});
    CHECK(images(to_linear_layout(TensorMemoryEncoding{64, 2, 1}, {64, 4}).value(), "col") == List{1 << 6});
}

TEST_CASE("tensor memory: pieces of 128 rows are rows: strides leave columns out: scales repeat for four warps")
{
    const LinearLayout whole = to_linear_layout(TensorMemoryEncoding{128, 4, 1}, {256, 8}).value();
    CHECK(images(whole, "row") == List{1, 2, 4, 8, 16, 32, 64});
    CHECK(images(whole, "col") == List{1 << 8, 2 << 8, 128, 4 << 8}); // the piece, the next rows, the next columns
    CHECK(is_invertible(whole));
    const LinearLayout spread = to_linear_layout(TensorMemoryEncoding{128, 4, 2}, {128, 4}).value();
    CHECK(images(spread, "col") == List{0, 1 << 7, 2 << 7});
    // A piece that is wider than the matrix.
    CHECK(to_linear_layout(TensorMemoryEncoding{128, 256, 1}, {128, 4}).value() ==
          to_linear_layout(TensorMemoryEncoding{128, 4, 1}, {128, 4}).value());
    // Of pieces of 64 rows, the next 64 rows are in the other half of each 32.
    CHECK(images(to_linear_layout(TensorMemoryEncoding{64, 4, 1}, {128, 4}).value(), "row") == List{1, 2, 4, 8, 64, 16, 32});
    CHECK(is_invertible(to_linear_layout(TensorMemoryEncoding{64, 4, 1}, {256, 16}).value()));
    const LinearLayout scales = to_linear_layout(TensorMemoryScalesEncoding{}, {128, 8}).value();
    CHECK(images(scales, "row") == List{1, 2, 4, 8, 16, 0, 0});
    CHECK(images(scales, "col") == List{1 << 7, 2 << 7, 32, 64, 4 << 7});
    // A matrix smaller than the four columns and 64 rows: what it does not have goes nowhere.
    CHECK(images(to_linear_layout(TensorMemoryScalesEncoding{}, {8, 2}).value(), "row") == List{1, 2, 4, 0, 0, 0, 0});
    CHECK(images(to_linear_layout(TensorMemoryScalesEncoding{}, {8, 2}).value(), "col") == List{1 << 3, 0, 0});
    CHECK(refusal(TensorMemoryEncoding{128, 128, 0}, {128, 128}) ==
          "columns and their stride must be powers of two, got 128 and 0");
    CHECK(refusal(TensorMemoryEncoding{}, {128, 0}) == "dimension 1 of the tensor is 0; linear layouts have powers of two");
    for (const int n : {23, 40, 62}) { // no shift by more than a word has
        const Shape matrix{std::int64_t{1} << 40, std::int64_t{1} << n};
        const std::string sentence = "the tensor has 2^" + std::to_string(40 + n) + " elements; a linear layout has at most 2^62";
        CHECK(refusal(TensorMemoryScalesEncoding{}, matrix) == sentence);
        CHECK(refusal(TensorMemoryEncoding{}, matrix) == sentence);
    }
    CHECK(refusal(TensorMemoryScalesEncoding{}, {std::int64_t{1} << 40, std::int64_t{1} << 22}) ==
          "an input of a linear layout has at most 62 bits");
}
