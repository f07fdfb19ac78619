// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/target/nvidia/tma/print.hpp>
#include <catch.hpp>

#include <string>

/// The declarations of cuda.h that the calls need, and what they were called with.
namespace cuda_stub {

using cuuint64_t = std::uint64_t;
using cuuint32_t = std::uint32_t;
enum CUresult { CUDA_SUCCESS };
enum CUtensorMapDataType { CU_TENSOR_MAP_DATA_TYPE_UINT8, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 };
enum CUtensorMapInterleave { CU_TENSOR_MAP_INTERLEAVE_NONE };
enum CUtensorMapSwizzle { CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_64B, CU_TENSOR_MAP_SWIZZLE_128B };
enum CUtensorMapL2promotion { CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_256B };
enum CUtensorMapFloatOOBfill { CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA };
struct CUtensorMap {};

struct Call {
    int type = -1, swizzle = -1, promotion = -1, fill = -1;
    void* address = nullptr;
    axe::TmaNumbers dims{}, strides{}, box{}, steps{}, lower{}, upper{};
    std::uint32_t channels = 0, pixels = 0;
};
inline Call last;

inline CUresult cuTensorMapEncodeTiled(CUtensorMap*, CUtensorMapDataType type, cuuint32_t rank, void* address,
                                       const cuuint64_t* dims, const cuuint64_t* strides, const cuuint32_t* box,
                                       const cuuint32_t* steps, CUtensorMapInterleave, CUtensorMapSwizzle swizzle,
                                       CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
    last = {type,
            swizzle,
            promotion,
            fill,
            address,
            axe::TmaNumbers(dims, dims + rank),
            axe::TmaNumbers(strides, strides + rank - 1),
            axe::TmaNumbers(box, box + rank),
            axe::TmaNumbers(steps, steps + rank)};
    return CUDA_SUCCESS;
}
inline CUresult cuTensorMapEncodeIm2col(CUtensorMap*, CUtensorMapDataType type, cuuint32_t rank, void* address,
                                        const cuuint64_t* dims, const cuuint64_t* strides, const int* lower, const int* upper,
                                        cuuint32_t channels, cuuint32_t pixels, const cuuint32_t* steps, CUtensorMapInterleave,
                                        CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
    last = {type,
            swizzle,
            promotion,
            fill,
            address,
            axe::TmaNumbers(dims, dims + rank),
            axe::TmaNumbers(strides, strides + rank - 1),
            {},
            axe::TmaNumbers(steps, steps + rank),
            axe::TmaNumbers(lower, lower + rank - 2),
            axe::TmaNumbers(upper, upper + rank - 2),
            channels,
            pixels};
    return CUDA_SUCCESS;
}

} // namespace cuda_stub

/// A text, and as code what it says.
#define AXE_TEXT_AND_CODE(text_name, ...)                                                                                          \
    const std::string text_name = #__VA_ARGS__;                                                                                    \
    __VA_ARGS__

namespace {

/// Without the difference between line breaks and spaces, as the preprocessor leaves them.
std::string squeezed(const std::string& text)
{
    std::string out;
    for (const char c : text)
        if (c != ' ' && c != '\n') out += c;
    return out;
}

axe::TensorMap matrix()
{
    axe::TensorMap map;
    map.type = axe::TmaType::f16;
    map.dims = {256, 512};
    map.strides = {512};
    map.box = {64, 64};
    map.swizzle = axe::TmaSwizzle::b128;
    map.promotion = axe::TmaPromotion::b256;
    return map;
}

axe::Im2colMap images()
{
    axe::Im2colMap map;
    map.type = axe::TmaType::bf16;
    map.dims = {64, 56, 48, 8};
    map.strides = {128, 128 * 56, 128 * 56 * 48};
    map.lower = {-1, -2};
    map.upper = {-1, 0};
    map.channels = 32;
    map.pixels = 128;
    map.swizzle = axe::TmaSwizzle::b64;
    return map;
}

} // namespace

TEST_CASE("tensor map: its CUDA call compiles as it is printed, and passes what the map says")
{
    using namespace cuda_stub;
    char memory[64]{};
    void* address = memory;
    // clang-format off
    AXE_TEXT_AND_CODE(text,
        CUtensorMap map;
        const cuuint64_t map_dims[2] = {256, 512};
        const cuuint64_t map_strides[1] = {512};
        const cuuint32_t map_box[2] = {64, 64};
        const cuuint32_t map_element_strides[2] = {1, 1};
        const CUresult map_status = cuTensorMapEncodeTiled(
            &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, static_cast<char*>(address) + 32, map_dims, map_strides, map_box, map_element_strides,
            CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
            CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA);
    )
    // clang-format on
    axe::TensorMap m = matrix();
    m.offset = 32;
    m.fill = axe::TmaFill::nan;
    CHECK(squeezed(axe::to_cuda(m).value()) == squeezed(text));
    CHECK(map_status == CUDA_SUCCESS);
    CHECK((last.dims == m.dims && last.strides == m.strides && last.box == m.box && last.steps == axe::TmaNumbers{1, 1}));
    CHECK(last.address == memory + 32);
    CHECK((last.type == CU_TENSOR_MAP_DATA_TYPE_FLOAT16 && last.swizzle == CU_TENSOR_MAP_SWIZZLE_128B));
    CHECK((last.promotion == CU_TENSOR_MAP_L2_PROMOTION_L2_256B && last.fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA));
}

TEST_CASE("tensor map: a CUDA call of one dimension has an array where it has no strides")
{
    using namespace cuda_stub;
    char memory[64]{};
    void* input = memory;
    // clang-format off
    AXE_TEXT_AND_CODE(text,
        CUtensorMap line;
        const cuuint64_t line_dims[1] = {4096};
        const cuuint64_t line_strides[1] = {0};
        const cuuint32_t line_box[1] = {256};
        const cuuint32_t line_element_strides[1] = {1};
        const CUresult line_status = cuTensorMapEncodeTiled(
            &line, CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, input, line_dims, line_strides, line_box, line_element_strides,
            CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
            CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    )
    // clang-format on
    axe::TensorMap m;
    m.dims = {4096};
    m.box = {256};
    CHECK(squeezed(axe::to_cuda(m, "line", "input").value()) == squeezed(text));
    CHECK((line_status == CUDA_SUCCESS && last.address == memory && last.dims == m.dims && last.strides.empty()));
}

TEST_CASE("im2col map: its CUDA call compiles as it is printed, and passes what the map says")
{
    using namespace cuda_stub;
    char memory[64]{};
    void* address = memory;
    // clang-format off
    AXE_TEXT_AND_CODE(text,
        CUtensorMap map;
        const cuuint64_t map_dims[4] = {64, 56, 48, 8};
        const cuuint64_t map_strides[3] = {128, 7168, 344064};
        const int map_lower[2] = {-1, -2};
        const int map_upper[2] = {-1, 0};
        const cuuint32_t map_element_strides[4] = {1, 2, 2, 1};
        const CUresult map_status = cuTensorMapEncodeIm2col(
            &map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 4, address, map_dims, map_strides, map_lower, map_upper, 32, 128, map_element_strides,
            CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_64B,
            CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    )
    // clang-format on
    axe::Im2colMap m = images();
    m.element_strides = {1, 2, 2, 1};
    CHECK(squeezed(axe::to_cuda(m).value()) == squeezed(text));
    CHECK((map_status == CUDA_SUCCESS && last.dims == m.dims && last.strides == m.strides && last.steps == m.element_strides));
    CHECK((last.lower == axe::TmaNumbers{-1, -2} && last.upper == axe::TmaNumbers{-1, 0} && last.channels == 32 &&
           last.pixels == 128));
}

TEST_CASE("tensor map: the CUDA call has no swizzle of 96 bytes")
{
    axe::TensorMap m = matrix();
    m.swizzle = axe::TmaSwizzle::b96;
    const auto text = axe::to_cuda(m);
    REQUIRE_FALSE(text);
    CHECK(std::string(text.error().message().c_str()) ==
          "the CUDA call has no swizzle of 96 bytes; PTX sets it with tensormap.replace");
    axe::Im2colMap i = images();
    i.swizzle = axe::TmaSwizzle::b96;
    CHECK_FALSE(axe::to_cuda(i));
}

TEST_CASE("tensor map: in one line, without what is as by default")
{
    axe::TensorMap m = matrix();
    CHECK(axe::print(m) == "f16 (256,512):(2,512) box (64,64) swizzle 128B promotion 256B");
    m.promotion = axe::TmaPromotion::none;
    m.element_strides = {1, 2};
    m.fill = axe::TmaFill::nan;
    m.offset = 64;
    CHECK(axe::print(m) == "f16 (256,512):(2,512) box (64,64) every (1,2) swizzle 128B fill nan from byte 64");
    m = {};
    m.type = axe::TmaType::u6_align16;
    m.dims = {128, 4, 2};
    m.strides = {96, 384};
    m.box = {128, 1, 1};
    m.interleave = axe::TmaInterleave::b16;
    CHECK(axe::print(m) == "u6_align16 (128,4,2):(6b,96,384) box (128,1,1) interleave 16B");
    CHECK(axe::print(images()) ==
          "bf16 (64,56,48,8):(2,128,7168,344064) corners (-1,-2) (-1,0) channels 32 pixels 128 swizzle 64B");
}

TEST_CASE("TMA copies: in one line, and as PTX")
{
    using axe::TmaUse;
    axe::TmaIssue issue;
    issue.coords = {64, 0};
    issue.shared = 8192;
    CHECK(axe::print(issue) == "(64,0) at byte 8192");
    CHECK(axe::to_ptx(matrix(), issue) ==
          "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%shared + 8192], "
          "[map, {64, 0}], [%mbarrier];");
    CHECK(axe::to_ptx(matrix(), issue, TmaUse::store) ==
          "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [map, {64, 0}], [%shared + 8192];");
    CHECK(axe::to_ptx(matrix(), issue, TmaUse::reduce, "max") ==
          "cp.reduce.async.bulk.tensor.2d.global.shared::cta.max.tile.bulk_group [map, {64, 0}], [%shared + 8192];");
    issue.shared = 0;
    issue.multicast = 5;
    issue.cta_group = 2;
    CHECK(axe::print(issue) == "(64,0) at byte 0 multicast 5 cta_group 2");
    CHECK(axe::to_ptx(matrix(), issue) == "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes."
                                          "multicast::cluster.cta_group::2 [%shared], "
                                          "[map, {64, 0}], [%mbarrier], 5;");
    issue = {};
    issue.mode = axe::TmaMode::rows4;
    issue.coords = {0, 7, 5, 3, 1};
    CHECK(axe::print(issue) == "four rows (0,7,5,3,1) at byte 0");
    CHECK(axe::to_ptx(matrix(), issue) == "cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::"
                                          "bytes [%shared], [map, {0, 7, 5, 3, 1}], [%mbarrier];");
    CHECK(axe::to_ptx(matrix(), issue, TmaUse::store) ==
          "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [map, {0, 7, 5, 3, 1}], [%shared];");
}
