// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/linear/encodings/mma.hpp>
#include <tests/unit/interop/linear/encodings/encoding.hpp>

using namespace axe;
using namespace axe::linear;
using namespace encodings;

TEST_CASE("mma refuses what the instructions do not have")
{
    CHECK(refusal(MmaEncoding{4, {4, 1}, {16, 8}, {}}, {64, 64}) == "NVIDIA accumulators have version 2 or 3, got 4");
    CHECK(refusal(MmaEncoding{2, {4, 1}, {16, 8, 16}, {}}, {64, 64}) == "instrShape has 3 entries; version 2 takes 2");
    CHECK(refusal(MmaEncoding{3, {4, 1}, {16, 64}, {}}, {64, 64}) == "instrShape has 2 entries; version 3 takes 3");
    CHECK(refusal(MmaEncoding{3, {4, 1}, {16, 96, 16}, {}}, {64, 64}) == "entry 1 of instrShape is 96; it must be a power of two");
    CHECK(refusal(MmaEncoding{2, {4, 1}, {16, 4}, {}}, {64, 64}) == "a tile of 16 x 4 is not made of 8 x 8 pieces");
    CHECK(refusal(MmaEncoding{2, {4}, {16}, {}}, {64}) == "a matrix has at least 2 dimensions, this tensor 1");
    CHECK(refusal(MmaEncoding{2, {4}, {16, 8}, {}}, {64, 64}) == "warpsPerCTA has 1 entry, the tensor 2 dimensions");
}
