// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_CLUSTER_TEXT_HPP
#define AXE_PROGRAM_CLUSTER_TEXT_HPP

#include <axe/text/common/words.hpp>

#include <cstdint>
#include <string>

/// Messages about clusters and flags that several places say.
namespace axe {
inline namespace v0 {

inline std::string no_clusters_text() { return detail::worded("it names another block; the grid has no clusters", {}); }
inline std::string several_blocks_text() { return detail::worded("it goes to several blocks; the grid has no clusters", {}); }
inline std::string mask_text(std::int64_t mask, std::int64_t blocks)
{
    return detail::worded("the mask {0} names a block beyond the {1} of the cluster", {mask, blocks});
}
inline std::string flag_memory_text(const std::string& tensor, const std::string& memory)
{
    return detail::worded("{0} is in {1}; a flag is in global memory", {tensor, memory});
}
inline std::string remote_actions_text()
{
    return detail::worded("only arrive, expect_bytes and expect_more are for another block's mbarrier", {});
}
/// A machine whose blocks cannot ask for the work of others.
inline std::string no_requests_text(const std::string& machine)
{
    return detail::worded("{0} has no requests to cancel a launch", {machine});
}
inline std::string several_targets_text() { return detail::worded("only a copy to shared memory goes to several blocks", {}); }

} // namespace v0
} // namespace axe

#endif
