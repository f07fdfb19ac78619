// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_SCHEDULES_BULK_OPTIONS_HPP
#define AXE_TARGET_NVIDIA_SCHEDULES_BULK_OPTIONS_HPP

#include <axe/schedule/copy/moves.hpp>

/// Options of copies that the second-level cache sees, and of bulk copies. Nothing here is for users.
namespace axe {
inline namespace v0 {
namespace detail {

/// Has the second-level cache the hint?
inline Result<void, Problem> check_level_two(const Request& request)
{
    const CacheHint hint = request.operation().options.cache;
    if (hint != CacheHint::no_allocate) return {};
    return Problem(errc::bad_argument,
                   "{0} is a hint of loads and stores of lanes; asynchronous copies have evict_first and evict_last", {name(hint)});
}

/// An instruction with a policy for the second-level cache, whose priority follows; `end` are the modifiers after it.      [PTX, createpolicy]
inline std::string with_cache_policy(const Request& request, std::string text, const std::string& end = {})
{
    const CacheHint hint = request.operation().options.cache;
    return hint == CacheHint::none ? std::move(text) + end : std::move(text) + ".L2::cache_hint" + end + " L2::" + name(hint);
}

/// The pieces of a copy as elements, without those that the byte mask leaves as they are.
inline Result<std::shared_ptr<const Distribution>, Problem> masked(const Request& request, const Distribution& pieces)
{
    const View& d = request.view(0);
    const std::int64_t width = storage_bytes(request.tensor(d).dtype), row = d.rank() == 0 ? 1 : d.extents[d.rank() - 1];
    const unsigned mask = request.operation().options.byte_mask;
    Distribution out = pieces;
    out.vector = 1;
    out.issues = pieces.issues * pieces.vector;
    out.element.assign(out.at(out.issues, 0, 0), -1);
    for (int i = 0; i < pieces.issues; ++i)
        for (int lane = 0; lane < pieces.lanes; ++lane)
            for (int v = 0; v < pieces.vector; ++v) {
                const std::int32_t e = pieces.element[pieces.at(i, 0, lane, v)];
                if (e < 0) continue;
                const std::int64_t byte = e % row * width % 16;
                if (byte != v * width % 16)
                    return Problem(errc::bad_argument,
                                   "16 bytes of {0} in one piece do not begin at a multiple of 16 bytes of its last dimension",
                                   {request.tensor(d).name});
                if ((mask >> byte & 1) != 0) out.element[out.at(i * pieces.vector + v, 0, lane)] = e;
            }
    return std::make_shared<const Distribution>(std::move(out));
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
