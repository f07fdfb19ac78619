// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_TMA_BULK_COPY_HPP
#define AXE_TARGET_NVIDIA_TMA_BULK_COPY_HPP

#include <axe/support/result.hpp>

namespace axe {
inline namespace v0 {

/// Between which memories a bulk copy goes: from global memory to the cluster's shared memory, back, or to the shared memory of another CTA.
enum class BulkWay : std::uint8_t { to_shared, to_global, to_peer };

/// One `cp.async.bulk`: a run of bytes, without a tensor map.
struct BulkCopy {
    BulkWay way = BulkWay::to_shared;
    std::int64_t from = 0; ///< byte address, or what is known of it
    std::int64_t to = 0;
    std::int64_t bytes = 0;
    std::int64_t room = 0;            ///< the bytes of the source and of the destination, from these addresses on: the lesser
    std::uint16_t multicast = 0;      ///< bit r: to the CTA of rank r of the cluster
    std::uint16_t byte_mask = 0xffff; ///< of each 16 bytes, which are written; of copies to global memory
    bool same_cta = false;            ///< the destination of `to_peer` is the issuer's own
    bool reduces = false;             ///< `cp.reduce.async.bulk`
    bool is_float = false;            ///< of the elements of a reduction
};

/// The most bytes that an mbarrier counts.
inline constexpr std::int64_t mbarrier_most_bytes = (std::int64_t{1} << 20) - 1;

/// May a bulk copy be issued, in a cluster of that many CTAs? Each rule has its own message.      [PTX ISA 9.1, 9.7.9.25.4, 9.7.13.15]
constexpr Status check(const BulkCopy& copy, int cluster = 1) noexcept
{
    if (copy.from % 16 != 0)
        return Error(errc::bad_argument, -1, "a bulk copy reads from byte {0}, which must be a multiple of 16", copy.from);
    if (copy.to % 16 != 0)
        return Error(errc::bad_argument, -1, "a bulk copy writes to byte {0}, which must be a multiple of 16", copy.to);
    if (copy.bytes < 0 || copy.bytes % 16 != 0)
        return Error(errc::bad_argument, -1, "a bulk copy has {0} bytes; it must have a multiple of 16", copy.bytes);
    if (copy.bytes > copy.room)
        return Error(errc::out_of_domain, -1, "a bulk copy has {0} bytes, source and destination {1} from there on", copy.bytes,
                     copy.room);
    if (copy.way != BulkWay::to_global && copy.bytes > mbarrier_most_bytes)
        return Error(errc::overflow, -1, "a bulk copy has {0} bytes, an mbarrier counts up to {1}", copy.bytes,
                     mbarrier_most_bytes);
    if (copy.multicast != 0 && copy.way != BulkWay::to_shared)
        return Error(errc::bad_argument, -1, "only bulk copies from global memory multicast");
    if (copy.multicast >> (cluster < 16 ? cluster : 16) != 0)
        return Error(errc::out_of_domain, -1, "the mask {0} of a bulk copy names a CTA beyond the {1} of the cluster",
                     copy.multicast, cluster);
    if (copy.byte_mask != 0xffff && copy.way != BulkWay::to_global)
        return Error(errc::bad_argument, -1, "only bulk copies to global memory have a byte mask");
    if (copy.reduces && copy.way == BulkWay::to_shared)
        return Error(errc::bad_argument, -1, "bulk copies from global memory do not reduce");
    if (copy.reduces && copy.is_float && copy.way == BulkWay::to_peer)
        return Error(errc::bad_argument, -1, "a bulk reduction in shared memory takes integers, got floating-point elements");
    if (copy.way == BulkWay::to_peer && copy.same_cta)
        return Error(errc::bad_argument, -1, "a bulk copy between shared memories goes to another CTA");
    return {};
}

} // namespace v0
} // namespace axe

#endif
