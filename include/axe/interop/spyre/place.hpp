// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_SPYRE_PLACE_HPP
#define AXE_INTEROP_SPYRE_PLACE_HPP

#include <axe/interop/spyre/make.hpp>

namespace axe {
inline namespace v0 {
namespace spyre {
namespace detail {

/// Host dimension d and the next one inside it that moves as one, where they form one dimension; for the innermost, it and the one outside.
constexpr bool merge_dimensions(Tensor& t, int d) noexcept
{
    Strided& h = t.host;
    const auto moves = [&](int e) { return h.shape[e] > 1; };
    int inner = d + 1;
    while (inner < h.shape.size() && !moves(inner)) ++inner;
    if (inner >= h.shape.size()) { // the last one: with the one outside it
        inner = d;
        --d;
        while (d >= 0 && !moves(d)) --d;
        if (d < 0) return false;
    }
    std::int64_t whole = 0;
    if (!axe::detail::mul(h.shape[inner], h.strides[inner], whole) || whole != h.strides[d]) return false;
    const std::int64_t weight = h.shape[inner];
    h.shape[inner] *= h.shape[d]; // fits: so do all elements
    h.shape[d] = 1;
    for (Part& part : t.parts)
        if (part.dim == d) part = {inner, part.weight * weight};
    return true;
}

/// Finds what each device dimension counts, from strides alone.
class Placer {
  public:
    constexpr explicit Placer(Tensor& tensor) noexcept : t_(tensor) {}

    constexpr Status find() noexcept
    {
        for (;;) {
            assign();
            const Status uncovered = cover();
            if (uncovered.ok()) return {};
            if (!merge_dimensions(t_, uncovered.error().position)) return uncovered;
        }
    }

  private:
    /// Each device dimension to the host dimension of the largest stride that divides its own and within which it moves.
    constexpr void assign() noexcept
    {
        t_.digits.clear();
        bool taken[max_rank]{};
        for (int j = 0; j < t_.device.device_size.size(); ++j) {
            const std::int64_t step = t_.device.stride_map[j], size = t_.device.device_size[j];
            Digit digit;
            if (step == 0 && size > 1) digit.dim = Digit::copies;
            for (int d = 0; size > 1 && step >= 0 && d < t_.host.shape.size(); ++d) {
                const std::int64_t stride = t_.host.strides[d], extent = t_.host.shape[d];
                if (extent <= 1 || (stride == 0) != (step == 0)) continue;
                if (step == 0) { // an expanded dimension of the host, one device dimension each, best of the same size
                    if (taken[d] || extent > size || (digit.dim >= 0 && t_.host.shape[digit.dim] >= extent)) continue;
                    digit = {d, 1, Digit::none};
                } else if (step % stride == 0 && step / stride < extent && (digit.dim < 0 || stride > t_.host.strides[digit.dim])) {
                    digit = {d, step / stride, Digit::none};
                }
            }
            if (step == 0 && digit.dim >= 0) taken[digit.dim] = true;
            t_.digits.push_back(digit);
        }
    }

    /// Is every index of every host dimension the sum of its digits? If so, they are put in order; else an error at the dimension.
    constexpr Status cover() noexcept
    {
        bool used[max_rank]{};
        for (int d = 0; d < t_.host.shape.size(); ++d) {
            const std::int64_t extent = t_.host.shape[d];
            if (extent <= 1 || t_.host.strides[d] == 0) continue;
            std::int64_t rest = extent; // indices below it are left to the digits inside `last`
            int last = Digit::none;
            while (rest > 1) {
                int next = Digit::none; // the largest weight, the first of equal ones
                for (int j = 0; j < t_.digits.size(); ++j)
                    if (t_.digits[j].dim == d && (last < 0 || t_.digits[j].weight < t_.digits[last].weight) &&
                        (next < 0 || t_.digits[j].weight > t_.digits[next].weight))
                        next = j;
                if (next < 0)
                    return Error(errc::no_layout, d,
                                 "host dimension {0} has {1} elements, but no device dimension counts the last {2}", d, extent,
                                 rest);
                Digit& digit = t_.digits[next];
                if ((rest - 1) / digit.weight >= t_.device.device_size[next])
                    return Error(errc::no_layout, d, "device dimension {0} of size {1} is too short for {2} steps", next,
                                 t_.device.device_size[next], (rest - 1) / digit.weight + 1);
                digit.outer = last;
                rest = rest < digit.weight ? rest : digit.weight;
                last = next;
                used[next] = true;
            }
        }
        for (int j = 0; j < t_.digits.size(); ++j) // steps that another of the same weight has done
            if (t_.digits[j].dim >= 0 && !used[j] && t_.host.strides[t_.digits[j].dim] != 0) t_.digits[j] = {};
        return {};
    }

    Tensor& t_;
};

} // namespace detail

/// A tensor on an explicit layout: what its device dimensions count is found from strides alone.
///
/// A device dimension counts steps within the host dimension of the largest stride that divides its own; of several that count within
/// one, the larger step first. So every element has one place: host offsets are taken apart greedily, from the largest step on.
/// Where a layout cuts across dimensions that form one dimension (contiguous), they are merged. A device dimension of stride 0 holds copies,
/// or is an expanded dimension of the host; one that no element needs is padding. Of two dimensions with one step the first moves.
///
/// Exists iff every element has a place. `errc::no_layout` with the host dimension that has elements without one; the errors of
/// `check` and of a tensor's sizes and strides. Cost: the dimensions cubed.
constexpr Result<Tensor> place(const Strided& torch, const SpyreLayout& layout) noexcept
{
    if (const Status e = check_host(torch); !e.ok()) return e;
    if (const auto bytes = storage_bytes(layout); !bytes) return bytes.error();
    Result<Tensor> result;
    Tensor& t = *result;
    t.torch = t.host = torch;
    t.device = layout;
    for (int d = 0; d < torch.shape.size(); ++d) t.parts.push_back({d, 1});
    if (element_count(torch).value_or(0) == 0) { // nothing to place
        for (int j = 0; j < layout.device_size.size(); ++j) t.digits.push_back({});
        return result;
    }
    if (const auto sticks = stick_count(layout); *sticks == 0 || layout.device_size.back() == 0)
        return Error(errc::no_layout, -1, "the tensor has elements, but its device layout has no room for them");
    if (const Status e = detail::Placer(t).find(); !e.ok()) return e;
    return result;
}

} // namespace spyre
} // namespace v0
} // namespace axe

#endif
