// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/sharding/boxes.hpp>
#include <axe/interop/sharding/dtensor.hpp>
#include <tests/unit/interop/sharding/chunks.hpp>
#include <tests/unit/interop/sharding/said.hpp>

using namespace axe;
using namespace axe::sharding;

namespace {

Placements placements(std::string_view text) { return parse_dtensor(text).value(); }

/// `0:2 3:4 | 2:3`, the boxes of the devices of a tensor of one dimension.
std::string of_all(std::string_view text, const Mesh& mesh, std::int64_t size, LastChunk last = LastChunk::chunked)
{
    std::string out;
    for (std::int64_t device = 0; device < device_count(mesh); ++device) {
        const auto boxes = boxes_of(placements(text), mesh, {size}, device, last);
        if (!boxes) return boxes.error().message().c_str();
        if (device > 0) out += " |";
        for (const Region& box : *boxes)
            out += (out.empty() ? "" : " ") + std::to_string(box[0].lo) + ":" + std::to_string(box[0].hi);
    }
    return out;
}

const Mesh two = *make_mesh({{"x", 2}}), four = *make_mesh({{"x", 4}}), square = *make_mesh({{"dp", 2}, {"tp", 2}});

} // namespace

TEST_CASE("boxes_of: the tensor of pytorch issue 168134")
{
    // Five elements over _StridedShard(0, split_factor=2) on two ranks: [0, 1, 3] and [2, 4] today, with gaps; [0, 1, 3, 4] and [2, pad]
    // as proposed there.
    CHECK(of_all("[_StridedShard(0, split_factor=2)]", two, 5) == "0:2 3:4 | 2:3 4:5");
    CHECK(of_all("[_StridedShard(0, split_factor=2)]", two, 5, LastChunk::padded) == "0:2 3:5 | 2:3");
}

TEST_CASE("boxes_of: what PyTorch's comments compute")
{
    // nine elements, _StridedShard(dim=0, split_factor=2) over four: the comment of _StridedShard._to_replicate_tensor
    CHECK(of_all("[_StridedShard(0, split_factor=2)]", four, 9) == "0:2 5:6 | 2:4 6:7 | 4:5 7:8 | 8:9");
    // five columns over (DP=2, TP=2) with (Shard(1), Shard(1)): that of compute_local_shape_and_global_offset
    const char* columns[] = {"[0:2, 0:2]", "[0:2, 2:3]", "[0:2, 3:4]", "[0:2, 4:5]"};
    for (std::int64_t device = 0; device < 4; ++device) {
        const auto boxes = boxes_of(placements("[Shard(1), Shard(1)]"), square, {2, 5}, device);
        REQUIRE(boxes);
        REQUIRE(boxes->size() == 1);
        CHECK(std::string(print((*boxes)[0]).c_str()) == columns[device]);
    }
    // [8] over FSDP and TP, and S(0), SS(0, split_factor=2)
    CHECK(of_all("[_StridedShard(0, split_factor=2), Shard(0)]", square, 8) == "0:2 | 4:6 | 2:4 | 6:8");
    CHECK(of_all("[Shard(0), _StridedShard(0, split_factor=2)]", square, 8) == "0:1 2:3 | 1:2 3:4 | 4:5 6:7 | 5:6 7:8");
}

TEST_CASE("boxes_of: from left to right, where range_of puts a strided shard after the next plain one")
{
    const Mesh mesh = *make_mesh({{"dp", 4}, {"tp", 2}});
    const Placements words = placements("[_StridedShard(0, split_factor=2), Shard(0)]");
    const Spec spec = *to_spec(words, mesh, 1);
    CHECK((*boxes_of(words, mesh, {9}, 6))[0] == Region{{8, 9}}); // dp 3 has [8], and tp 0 its first chunk
    CHECK(boxes_of(words, mesh, {9}, 7)->empty());
    CHECK(*range_of(spec, {9}, Rule::dtensor, 6) == Region{{5, 5}});
    CHECK(*range_of(spec, {9}, Rule::dtensor, 7) == Region{{8, 9}});
}

TEST_CASE("boxes_of: chunks, copies, empty parts")
{
    CHECK(of_all("[Shard(0)]", four, 10) == "0:3 | 3:6 | 6:9 | 9:10");
    CHECK(of_all("[Shard(0)]", four, 2) == "0:1 | 1:2 | |");
    CHECK(of_all("[Shard(-1), Partial(sum)]", square, 3) == "0:2 | 0:2 | 2:3 | 2:3");
    CHECK(of_all("[_StridedShard(0, split_factor=9), Replicate()]", square, 3) == "0:3 | 0:3 | |");
    const auto boxes =
        boxes_of(placements("[_StridedShard(0, split_factor=2), _StridedShard(1, split_factor=2)]"), square, {5, 3}, 1);
    REQUIRE(boxes);
    REQUIRE(boxes->size() == 2);
    CHECK((*boxes)[0] == Region{{0, 2}, {1, 2}});
    CHECK((*boxes)[1] == Region{{3, 4}, {1, 2}});
    const auto held = intervals_of(placements("[_StridedShard(0, split_factor=2), Shard(1)]"), square, {5, 3}, 3);
    REQUIRE(held);
    CHECK((*held)[0] == Intervals{{2, 3}, {4, 5}});
    CHECK((*held)[1] == Intervals{{2, 3}});
    CHECK(boxes_of(placements("R"), two, {}, 1)->size() == 1); // of rank 0: the one element
}

TEST_CASE("boxes_of: far out, and what is refused")
{
    constexpr std::int64_t huge = INT64_MAX;
    CHECK(of_all("[Shard(0)]", two, huge) == "0:4611686018427387904 | 4611686018427387904:9223372036854775807");
    CHECK(boxes_of(placements("[_StridedShard(0, split_factor=9223372036854775807)]"), two, {huge}, 0)->size() == 1);
    CHECK(boxes_of(placements("[_StridedShard(0, split_factor=9223372036854775807)]"), two, {huge}, 1)->empty());
    const Mesh vast = *make_mesh({{"x", std::int64_t{1} << 62}});
    CHECK((*boxes_of(placements("[Shard(0)]"), vast, {huge}, (std::int64_t{1} << 62) - 1))[0] == Region{{huge - 1, huge}});
    said::refused(boxes_of(placements("[_StridedShard(0, split_factor=1152921504606846976)]"), two, {huge}, 0), errc::too_hard,
                  "not decided: dimension 0 is split into more than 1048576 intervals on a device");
    const Placements strided = placements("[_StridedShard(0, split_factor=2048), _StridedShard(1, split_factor=2048)]");
    said::refused(boxes_of(strided, square, {8192, 8192}, 0), errc::too_hard,
                  "not decided: dimension 1 is split into more than 1048576 intervals on a device");
    CHECK(intervals_of(strided, square, {8192, 8192}, 0)->size() == 2);
    said::refused(boxes_of(placements("[Shard(0)]"), two, {5}, 2), errc::out_of_domain,
                  "device 2 is outside the mesh, which has devices [0, 2)");
    said::refused(boxes_of(placements("[Shard(0)]"), square, {5}, 0), errc::rank_mismatch,
                  "1 placements for a mesh of 2 dimensions");
    said::refused(boxes_of(placements("[Shard(1)]"), two, {5}, 0), errc::bad_argument,
                  "placement 0 splits dimension 1; the tensor has 1 dimension");
    Placements zero = placements("[Shard(0)]");
    zero[0].factor = 0;
    said::refused(boxes_of(zero, two, {5}, 0), errc::bad_argument, "placement 0 has a split factor of 0; it must be at least 1");
    CHECK(boxes_of(placements("[Shard(0)]"), two, {0}, 0).code() == errc::bad_extent);
}

TEST_CASE("boxes_of: all placements of small tensors, against lists of elements that are chunked")
{
    int compared = 0;
    for (const auto& sizes : chunks::meshes())
        for (const Placements& words : chunks::all_placements(static_cast<int>(sizes.size()), 1))
            for (std::int64_t n = 1; n <= 24; ++n) {
                const Mesh mesh = chunks::row_major(sizes);
                for (std::int64_t device = 0; device < device_count(mesh); ++device) {
                    const auto boxes = boxes_of(words, mesh, {n}, device);
                    REQUIRE(boxes);
                    std::vector<std::int64_t> held;
                    bool maximal = true;
                    for (const Region& box : *boxes) {
                        maximal = maximal && box[0].lo < box[0].hi && (held.empty() || held.back() + 1 < box[0].lo);
                        for (std::int64_t x = box[0].lo; x < box[0].hi; ++x) held.push_back(x);
                    }
                    if (!maximal || held != chunks::held(words, sizes, n, 1, 0, device)) {
                        INFO(print_dtensor(words).c_str() << ", " << n << " elements, device " << device);
                        FAIL("other elements than by torch.chunk");
                    }
                    ++compared;
                }
            }
    CHECK(compared > 10000);
}
