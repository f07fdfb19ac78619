// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_RELAYOUT_IMPL_PLAN_CHECK_HPP
#define AXE_RELAYOUT_IMPL_PLAN_CHECK_HPP

#include <axe/relayout/plan.hpp>
#include <axe/relayout/safety.hpp>

namespace axe {
inline namespace v0 {

AXE_DECL Result<void, Problem> RelayoutPlan::check_buffer(const void* base, std::size_t bytes, bool is_destination) const
{
    using namespace detail;
    if (is_fine(base, bytes, is_destination)) return {};
    const std::string where = std::string(side_name(is_destination)) + ": ";
    if (base == nullptr) return Problem(errc::bad_argument, where + "the buffer is a null pointer");
    const auto width = static_cast<std::uintptr_t>(is_destination ? parts_.widths.to : parts_.widths.from);
    if (const auto past = reinterpret_cast<std::uintptr_t>(base) % width; past != 0)
        return Problem(errc::bad_argument,
                       where + worded("the buffer begins {0} bytes past a multiple of {1}, the size of an element", {past, width}));
    const ByteRange& range = is_destination ? parts_.to : parts_.from;
    const std::int64_t per_byte = parts_.widths.nibbles ? 2 : 1;
    return Problem(errc::out_of_domain, where + worded("the layout covers byte {0} to byte {1}, but the buffer has {2} bytes",
                                                       {floor_div(range.least, per_byte), floor_div(range.most, per_byte), bytes}));
}

AXE_DECL Result<void, Problem> RelayoutPlan::check(const void* to, std::size_t to_bytes, const void* from,
                                                   std::size_t from_bytes) const
{
    using namespace detail;
    if (auto p = check_buffer(to, to_bytes, true); !p.ok()) return p;
    if (auto p = check_buffer(from, from_bytes, false); !p.ok()) return p;
    if (!ranges_overlap(to, from)) return {};

    const std::int64_t apart =
        static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(from) - reinterpret_cast<std::uintptr_t>(to));
    const CommonAddress shared = find_shared_byte(parts_, apart);
    if (!shared.is_decided)
        return Problem(errc::too_hard, "whether the buffers share a byte that is read and written, within the limit");
    if (!shared.found) return {};
    return Problem(errc::bad_argument, "the buffers overlap: byte {0} of the source is byte {1} of the destination",
                   {shared.address - apart, shared.address});
}

} // namespace v0
} // namespace axe

#endif
