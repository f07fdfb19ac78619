// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/linear/encodings/slice.hpp>
#include <tests/unit/interop/linear/encodings/encoding.hpp>

using namespace axe;
using namespace axe::linear;
using namespace encodings;

namespace {

constexpr BlockedEncoding good{{1, 4}, {4, 8}, {2, 2}, {1, 0}, {}};
static_assert(to_linear_layout(good, {64, 64}).value().in.size() == 4, "constexpr");

} // namespace

TEST_CASE("slice: of slices, and refusals")
{
    // Both dimensions of a matrix away, one after the other: nothing is left, everyone has it.
    const BlockedEncoding cube{{2, 1, 1}, {1, 4, 8}, {1, 1, 2}, {2, 1, 0}, {}};
    const SliceEncoding<SliceEncoding<BlockedEncoding>> line{1, {1, cube}};
    const LinearLayout left = to_linear_layout(line, {4}).value();
    CHECK(left.out == Dims{{"dim0", 2}});
    CHECK(images(left, "register") == List{1, 2});
    CHECK(images(left, "lane") == List{0, 0, 0, 0, 0});
    CHECK(refusal(SliceEncoding<BlockedEncoding>{2, good}, {64}) == "a slice of dimension 2 cannot have 1 dimension");
    CHECK(refusal(SliceEncoding<BlockedEncoding>{-1, good}, {64}) == "a slice of dimension -1 cannot have 1 dimension");
    const auto wrong = remove_dim(left, 1);
    CHECK(std::string(wrong.error().message().c_str()) == "dimension 1 cannot be removed from a tensor of 1 dimension");
    CHECK(remove_dim(left, 0).value().out.empty());
}
