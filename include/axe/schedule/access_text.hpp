// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_ACCESS_TEXT_HPP
#define AXE_SCHEDULE_ACCESS_TEXT_HPP

#include <axe/schedule/element_placement.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// What one lane moves, as PTX writes it: `v4.b32` for 16 bytes, `b16` for 2.
inline std::string width_text(int element_bytes, int bytes)
{
    if (bytes <= 4) return "b" + std::to_string(8 * bytes);
    const int unit = element_bytes == 8 ? 8 : 4;
    return (bytes > unit ? "v" + std::to_string(bytes / unit) + "." : "") + "b" + std::to_string(8 * unit);
}

/// `global` or `shared`, as PTX names the memory that plays the role; another one's own name.
inline std::string space_text(const Memory& memory)
{
    if (memory.roles.has(Role::global)) return "global";
    if (memory.roles.has(Role::shared)) return "shared";
    return memory.name;
}

/// What an access of global memory says to the first-level cache: `.L1::evict_first`.
inline std::string hint_text(const Memory& memory, CacheHint hint)
{
    return hint == CacheHint::none || !memory.roles.has(Role::global) ? std::string() : std::string(".L1::") + name(hint);
}

/// The access of an operand in a memory: `ld.global.v4.b32`.
/// @param other_block in the memory of another block of the cluster: `ld.shared::cluster.v4.b32`
inline std::string access_text(const char* verb, const Memory& memory, const ElementPlacement& placement, int vector,
                               bool other_block = false, CacheHint hint = CacheHint::none)
{
    return std::string(verb) + "." + space_text(memory) + (other_block ? "::cluster" : "") + hint_text(memory, hint) + "." +
           width_text(placement.bytes, placement.bytes * vector);
}

/// How an assembler spells a move, conversion included: "ld.global.b16 + cvt.f32.f16".
inline std::string move_text(const Request& request, const View& d, const ElementPlacement& to, const View& a,
                             const ElementPlacement& from, int vector)
{
    std::string text;
    const CacheHint hint = request.operation().options.cache;
    const auto add = [&](const std::string& part) { text += (text.empty() ? "" : " + ") + part; };
    if (!from.is_private) add(access_text("ld", request.memory(a), from, vector, a.block.has_value(), hint));
    const DType t = request.tensor(d).dtype, f = request.tensor(a).dtype;
    if (t != f) add(std::string("cvt.") + name(t) + "." + name(f));
    if (!to.is_private) add(access_text("st", request.memory(d), to, vector, d.block.has_value(), hint));
    if (text.empty()) add("mov." + width_text(to.bytes, to.bytes));
    return text;
}

} // namespace detail

/// The widest access of a lane in bytes: the machine's, as far as the operator's options allow.
inline int widest_access(const Request& request)
{
    const Limit* limit = find_limit(request.machine(), "ld.bytes");
    const int most = limit == nullptr ? 16 : static_cast<int>(limit->value);
    const int asked = request.operation().options.vector_bytes;
    return asked > 0 ? std::min(asked, most) : most;
}

} // namespace v0
} // namespace axe

#endif
