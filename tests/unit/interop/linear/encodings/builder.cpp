// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/linear/encodings/blocked.hpp>
#include <tests/unit/interop/linear/encodings/encoding.hpp>

using namespace axe;
using namespace axe::linear;
using namespace encodings;

namespace {

constexpr BlockedEncoding good{{1, 4}, {4, 8}, {2, 2}, {1, 0}, {}};
static_assert(to_linear_layout(good, {64, 64}).value().in.size() == 4, "constexpr");

} // namespace

TEST_CASE("encodings refuse lists that do not fit the tensor")
{
    BlockedEncoding e = good;
    e.size_per_thread = {1, 3};
    CHECK(refusal(e, {64, 64}) == "entry 1 of sizePerThread is 3; it must be a power of two");
    e.size_per_thread = {1, 0};
    CHECK(refusal(e, {64, 64}) == "entry 1 of sizePerThread is 0; it must be a power of two");
    e.size_per_thread = {1};
    CHECK(refusal(e, {64, 64}) == "sizePerThread has 1 entry, the tensor 2 dimensions");
    e = good;
    e.threads_per_warp = {4, -8};
    CHECK(refusal(e, {64, 64}) == "entry 1 of threadsPerWarp is -8; it must be a power of two");
    e.threads_per_warp = {};
    CHECK(refusal(e, {64, 64}) == "threadsPerWarp has 0 entries, the tensor 2 dimensions");
    e = good;
    e.warps_per_block = {5, 1};
    CHECK(refusal(e, {64, 64}) == "entry 0 of warpsPerCTA is 5; it must be a power of two");
    e.warps_per_block = {1, 1, 1};
    CHECK(refusal(e, {64, 64}) == "warpsPerCTA has 3 entries, the tensor 2 dimensions");
    e = good;
    e.order = {1};
    CHECK(refusal(e, {64, 64}) == "order has 1 entry, the tensor 2 dimensions");
    e.order = {1, 1};
    CHECK(refusal(e, {64, 64}) == "entry 1 of order is 1; order must name each of the 2 dimensions once");
    e.order = {2, 0};
    CHECK(refusal(e, {64, 64}) == "entry 0 of order is 2; order must name each of the 2 dimensions once");
    e = good;
    CHECK(refusal(e, {64, 48}) == "dimension 1 of the tensor is 48; linear layouts have powers of two");
    CHECK(refusal(e, {0, 64}) == "dimension 0 of the tensor is 0; linear layouts have powers of two");
    CHECK(refusal(e, {}) == "an encoding needs a tensor of 1 to 8 dimensions, got 0");
    e.blocks = {{1}};
    CHECK(refusal(e, {64, 64}) == "the basis of block bit 0 has 1 entry, the tensor 2 dimensions");
    e.blocks = {{0, 3}};
    CHECK(refusal(e, {64, 64}) == "the basis of block bit 0 has the entry 3; it must be a power of two");
    e.blocks = {{0, 1}, {0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}, {8, 0}, {16, 0}, {32, 0}};
    CHECK(refusal(e, {64, 64}) == "the blocks have at most 8 bits");
}

TEST_CASE("block_bases: lists that do not fit")
{
    const auto sentence = [](const auto& result) { return std::string(result.error().message().c_str()); };
    CHECK(sentence(block_bases({1, 2}, {1, 4}, {1, 0})) == "dimension 1 is split into 4 pieces for only 2 blocks");
    CHECK(sentence(block_bases({1, 3}, {1, 1}, {1, 0})) == "entry 1 of CTAsPerCGA is 3; it must be a power of two");
    CHECK(sentence(block_bases({1, 2}, {1}, {1, 0})) == "CTASplitNum has 1 entry, the tensor 2 dimensions");
    CHECK(sentence(block_bases({1, 2}, {1, 3}, {1, 0})) == "entry 1 of CTASplitNum is 3; it must be a power of two");
    CHECK(sentence(block_bases({1, 512}, {1, 1}, {1, 0})) == "the blocks have at most 8 bits");
    CHECK(sentence(block_bases({1, 2}, {1, 1}, {1, 2})) == "entry 1 of order is 2; order must name each of the 2 dimensions once");
}

TEST_CASE("EncodingBuilder: pieces fastest first, what is left is filled, what is beyond wraps, blocks last")
{
    EncodingBuilder b({8, 16}, {{0, 1}});
    CHECK(b.rank() == 2);
    CHECK(b.block_bits(0) == 3);
    CHECK(b.block_bits(1) == 3); // the block has half of dimension 1
    b.identity(EncodingBuilder::registers, 1, 1);
    b.identity(EncodingBuilder::lanes, 1, 1);
    b.zeros(EncodingBuilder::lanes, 2);
    b.identity(EncodingBuilder::warps, 0, 1);
    b.identity(EncodingBuilder::warps, 0, 0); // nothing
    CHECK(b.taken(1) == 2);
    CHECK(b.taken(0) == 1);
    const LinearLayout whole = b.distributed({1, 0}).value();
    CHECK(whole.out == Dims{{"dim0", 3}, {"dim1", 4}});
    CHECK(images(whole, "register") == List{1 << 3, 4 << 3, 2, 4}); // then dimension 1, then 0
    CHECK(images(whole, "lane") == List{2 << 3, 0, 0});
    CHECK(images(whole, "warp") == List{1});
    CHECK(images(whole, "block") == List{8 << 3});

    EncodingBuilder wraps({4, 2}, {});
    wraps.identity(EncodingBuilder::registers, 0, 4); // two bits more than there are
    wraps.twisted(EncodingBuilder::registers, 1, 0, 3);
    CHECK(images(wraps.shared({0, 1}).value(), "offset") == List{1, 2, 0, 0, 3 | 1 << 2});

    EncodingBuilder pieces({8, 8}, {});
    pieces.identities(EncodingBuilder::lanes, {2, 4}, {1, 0});
    pieces.identities_but(1, EncodingBuilder::warps, {2, 2}, {0, 1});
    const LinearLayout l = pieces.distributed({0, 1}).value();
    CHECK(images(l, "lane") == List{1 << 3, 2 << 3, 1});
    CHECK(images(l, "warp") == List{2, 0});
    CHECK(images(l, "register") == List{4, 4 << 3});
}

TEST_CASE("EncodingBuilder: the first mistake stays, and nothing is put after it")
{
    EncodingBuilder wrong({6}, {});
    CHECK(wrong.error().code == errc::bad_extent);
    wrong.fail(Error(errc::capacity, -1, "another"));
    wrong.identity(EncodingBuilder::registers, 0, 3);
    wrong.check({{3}, "count {0} {1}", "entry {0} {1}"});
    CHECK(wrong.taken(0) == 0);
    CHECK(wrong.shared({0}).code() == errc::bad_extent);

    EncodingBuilder b({2}, {});
    b.check_order({1});
    CHECK(std::string(b.error().message().c_str()) == "entry 0 of order is 1; order must name each of the 1 dimension once");
    EncodingBuilder many({2}, {});
    many.zeros(EncodingBuilder::lanes, LinearLayout::max_bits);
    CHECK(many.error().ok());
    many.zeros(EncodingBuilder::lanes, 1);
    CHECK(std::string(many.error().message().c_str()) == "an input of a linear layout has at most 62 bits");
    // Each input has room, but not all together.
    EncodingBuilder sum({2}, {});
    sum.zeros(EncodingBuilder::lanes, 40);
    sum.zeros(EncodingBuilder::warps, 40);
    CHECK(sum.distributed({0}).code() == errc::capacity);
    CHECK(EncodingBuilder({1, 1, 1, 1, 1, 1, 1, 1, 1}, {}).error().code == errc::rank_mismatch);
    static_assert(EncodingBuilder({4, 4}, {}).rank() == 2);
}
