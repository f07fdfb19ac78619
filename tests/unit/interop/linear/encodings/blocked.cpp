// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/linear/encodings/blocked.hpp>
#include <tests/unit/interop/linear/encodings/encoding.hpp>

using namespace axe;
using namespace axe::linear;
using namespace encodings;

TEST_CASE("blocked: boxes wrap, blocks come last")
{
    // A box of four columns of a tensor that has two: the second bit of the registers goes nowhere.
    const LinearLayout small = to_linear_layout(BlockedEncoding{{1, 4}, {4, 8}, {2, 2}, {1, 0}, {}}, {1, 2}).value();
    CHECK(images(small, "register") == List{1, 0});
    CHECK(images(small, "lane") == List{0, 0, 0, 0, 0});
    // Four blocks along dimension 1, of which pairs have the same: two pieces.
    const auto blocks = block_bases({1, 4}, {1, 2}, {1, 0});
    REQUIRE(blocks);
    CHECK(*blocks == BlockBases{{0, 1}, {0, 0}});
    const LinearLayout shared = to_linear_layout(BlockedEncoding{{1, 1}, {1, 2}, {1, 1}, {1, 0}, *blocks}, {1, 8}).value();
    CHECK(images(shared, "register") == List{2});
    CHECK(images(shared, "lane") == List{1});
    CHECK(images(shared, "block") == List{4, 0});
    // More pieces than the tensor has: those beyond have the same.
    CHECK(images(to_linear_layout(BlockedEncoding{{1}, {2}, {1}, {0}, {{1}, {2}}}, {2}).value(), "block") == List{1, 0});
    // As large as may be: 2^62 elements.
    CHECK(to_linear_layout(BlockedEncoding{{1}, {32}, {4}, {0}, {}}, {std::int64_t{1} << 62}).value().bases.size() == 62);
    CHECK(refusal(BlockedEncoding{{1, 1}, {32, 1}, {4, 1}, {0, 1}, {}}, {std::int64_t{1} << 62, 2}) ==
          "the tensor has 2^63 elements; a linear layout has at most 2^62");
    CHECK(refusal(BlockedEncoding{{1}, {std::int64_t{1} << 61}, {4}, {0}, {}}, {1}) ==
          "an input of a linear layout has at most 62 bits");
}
