// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_LINEAR_ENCODINGS_BLOCKED_HPP
#define AXE_INTEROP_LINEAR_ENCODINGS_BLOCKED_HPP

#include <axe/interop/linear/encodings/builder.hpp>

namespace axe {
inline namespace v0 {
namespace linear {

/// A tensor distributed in boxes: each thread has a box of elements, a warp a box of threads, a block a box of warps. `order` names the
/// dimensions, fastest first.
struct BlockedEncoding {
    Shape size_per_thread{}, threads_per_warp{}, warps_per_block{}, order{};
    BlockBases blocks{};
};

namespace detail {

constexpr void check_blocked(EncodingBuilder& b, const BlockedEncoding& e) noexcept
{
    b.check({e.size_per_thread, "sizePerThread has {0} entries, the tensor {1} dimensions",
             "entry {0} of sizePerThread is {1}; it must be a power of two"});
    b.check({e.threads_per_warp, "threadsPerWarp has {0} entries, the tensor {1} dimensions",
             "entry {0} of threadsPerWarp is {1}; it must be a power of two"});
    b.check({e.warps_per_block, "warpsPerCTA has {0} entries, the tensor {1} dimensions",
             "entry {0} of warpsPerCTA is {1}; it must be a power of two"});
    b.check_order(e.order);
}

} // namespace detail

/// L = [sizePerThread]_register × [threadsPerWarp]_lane × [warpsPerCTA]_warp, each box in `order`, repeated over registers
///
/// A box that is larger than the tensor wraps: its upper bits go nowhere. Errors: lists of another length than the tensor's rank, sizes
/// that are not powers of two, an invalid order. Cost: linear in the bits.      [Triton, BlockedEncodingAttr]
constexpr Result<LinearLayout> to_linear_layout(const BlockedEncoding& encoding, const Shape& tensor) noexcept
{
    EncodingBuilder b(tensor, encoding.blocks);
    detail::check_blocked(b, encoding);
    b.identities(EncodingBuilder::registers, encoding.size_per_thread, encoding.order);
    b.identities(EncodingBuilder::lanes, encoding.threads_per_warp, encoding.order);
    b.identities(EncodingBuilder::warps, encoding.warps_per_block, encoding.order);
    return b.distributed(encoding.order);
}

} // namespace linear
} // namespace v0
} // namespace axe

#endif
