// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TENSOR_IMPL_LOCAL_HPP
#define AXE_TENSOR_IMPL_LOCAL_HPP

#include <axe/layout/group.hpp>
#include <axe/tensor/local.hpp>
#include <axe/text/common/words.hpp>

#include <vector>

namespace axe {
inline namespace v0 {
namespace detail {

/// All that the digits on one axis can come to, one entry a choice of digits.
struct OwnerChoice {
    std::vector<std::int64_t> digits{};
    std::vector<std::int64_t> at{}; ///< on each axis of the owner
};

inline void extend(std::vector<OwnerChoice>& choices, const Iter& it, const Point& owner)
{
    std::vector<OwnerChoice> grown;
    for (const OwnerChoice& c : choices)
        for (std::int64_t x = 0; x < it.extent; ++x) {
            OwnerChoice next = c;
            next.digits.push_back(x);
            for (int a = 0; a < owner.size(); ++a)
                if (owner.entries[a].axis == it.axis) next.at[static_cast<std::size_t>(a)] += x * it.stride;
            grown.push_back(std::move(next));
        }
    choices = std::move(grown);
}

} // namespace detail

AXE_DECL Result<LocalView, Problem> local(const Tensor& whole, const Point& owner)
{
    const auto refuse = [&](errc code, const char* message) { return Problem(code, detail::worded(message, {whole.name})); };
    const auto from = [&](const Error& e) { return Problem(e, "tensor " + whole.name + ": "); };
    const auto grouped = group(whole.layout.layout, whole.shape);
    if (!grouped) return from(grouped.error());
    const auto is_owner = [&](const Axis& axis) {
        for (const auto& e : owner)
            if (e.axis == axis) return true;
        return false;
    };
    std::int64_t owners = 1;
    const auto count = [&](const Iter& it) {
        if (it.extent == 1 || it.stride == 0 || !is_owner(it.axis)) return true;
        owners = owners > (1 << 20) / it.extent ? (1 << 20) + 1 : owners * it.extent;
        return owners <= 1 << 20;
    };
    const auto owns = [&](const Iter& it) { return it.extent > 1 && it.stride != 0 && is_owner(it.axis); };
    bool counted = true;
    for (const auto& it : grouped->layout.shard) counted = counted && count(it);
    for (const auto& it : grouped->layout.replica) counted = counted && count(it);
    if (!counted) return refuse(errc::too_hard, "tensor {0}: it is spread over more than 2^20 owners");

    // The digits of the owner's iters that select this owner.
    std::vector<detail::OwnerChoice> choices(1);
    choices[0].at.assign(static_cast<std::size_t>(owner.size()), 0);
    for (const auto& it : grouped->layout.shard)
        if (owns(it)) detail::extend(choices, it, owner);
    std::size_t shard_digits = choices.front().digits.size();
    for (const auto& it : grouped->layout.replica)
        if (owns(it)) detail::extend(choices, it, owner);
    std::vector<std::int64_t> digits;
    bool found = false;
    for (const detail::OwnerChoice& c : choices) {
        bool here = true;
        for (int a = 0; a < owner.size(); ++a)
            here =
                here && c.at[static_cast<std::size_t>(a)] + grouped->layout.offset[owner.entries[a].axis] == owner.entries[a].value;
        if (!here) continue;
        const std::vector<std::int64_t> mine(c.digits.begin(), c.digits.begin() + static_cast<std::ptrdiff_t>(shard_digits));
        if (found && mine != digits)
            return refuse(errc::no_layout, "tensor {0}: the owner holds several parts, which are not one tensor");
        digits = mine;
        found = true;
    }
    if (!found) return refuse(errc::no_layout, "tensor {0}: the owner holds none of it");

    LocalView out;
    out.tensor = whole;
    out.tensor.shape = {};
    Layout::Axes axes;
    for (const auto& e : owner) axes.push_back(e.axis);
    std::int64_t first = 0, weight = 1;
    std::size_t next = digits.size();
    std::vector<Iter> logical; // innermost first
    for (int d = whole.shape.size() - 1; d >= 0; --d) {
        std::int64_t extent = 1;
        for (int k = grouped->end(d) - 1; k >= grouped->begin(d); --k) {
            const auto& it = grouped->layout.shard[k];
            if (owns(it)) {
                first += digits[--next] * weight;
            } else {
                logical.push_back({it.extent, weight, {}});
                extent *= it.extent;
            }
            weight *= it.extent;
        }
        out.tensor.shape.insert(0, extent);
    }
    for (auto it = logical.rbegin(); it != logical.rend(); ++it)
        if (!out.logical.shard.push_back(*it))
            return refuse(errc::capacity, "tensor {0}: the part of its owner has too many digits");
    if (first != 0) out.logical.offset = Point{{Axis{}, first}};
    const auto part = axe::local(grouped->layout, axes);
    if (!part) return from(part.error());
    out.tensor.layout.layout = *part;
    return out;
}

} // namespace v0
} // namespace axe

#endif
