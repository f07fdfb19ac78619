// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_SPYRE_EQUAL_HPP
#define AXE_INTEROP_SPYRE_EQUAL_HPP

#include <axe/interop/spyre/chain.hpp>
#include <axe/interop/spyre/place.hpp>

namespace axe {
inline namespace v0 {
namespace spyre {
namespace detail {

/// The whole tensor as one chain on the row-major index of its elements, in the shortest form. The tensor has elements.
constexpr Chain flat_chain(const Tensor& t) noexcept
{
    const Strides strides = device_strides(t.device);
    std::int64_t inner = 1;
    for (const std::int64_t n : t.host.shape) inner *= n; // fits: there are as many elements
    const std::int64_t count = inner;
    Chain flat;
    for (int e = 0; e < t.host.shape.size(); ++e) {
        if (t.host.shape[e] == 1) continue;
        inner /= t.host.shape[e];
        const Chain chain = shortest(chain_of(t, e, strides), t.host.shape[e]);
        for (const Link& link : chain) flat.push_back({link.weight * inner, link.stride, link.at});
        if (chain.empty()) flat.push_back({inner, 0, -1}); // expanded, and one place for all
    }
    return shortest(flat, count);
}

/// Where copies are, from the nearest on: dimensions of copies that go on in each other are one.
constexpr InlineVector<Iter, max_rank> copies_of(const Tensor& t) noexcept
{
    const Strides strides = device_strides(t.device);
    InlineVector<Iter, max_rank> copies;
    for (int j = t.digits.size() - 1; j >= 0; --j) {
        if (t.digits[j].dim != Digit::copies) continue;
        const std::int64_t n = t.device.device_size[j];
        if (!copies.empty() && copies.back().extent * copies.back().stride == strides[j])
            copies.back().extent *= n;
        else
            copies.push_back({n, strides[j]});
    }
    return copies;
}

} // namespace detail

/// Is every element at one place in both, with copies at the same places, in tensors of one size?
///
///   sizes, elements of a stick, sticks and arrangement are the same, and  device_offset(a, c) = device_offset(b, c) for every c
///
/// What a layout leaves open does not count: entries of the stride map where the coordinate is always 0, dimensions of size 1, how
/// padding is counted, where elements are on the host. On a no, `witness()` is the least row-major index of an element that is elsewhere, −1
/// where something else differs. Errors: `errc::overflow` for devices whose elements overflow; those of `check`. Cost: the
/// dimensions squared, whatever the sizes.
constexpr Decision same_placement(const Tensor& a, const Tensor& b) noexcept
{
    const auto m = device_elements(a.device), n = device_elements(b.device);
    if (!m) return m.error();
    if (!n) return n.error();
    if (!(a.torch.shape == b.torch.shape) || *m != *n || a.device.arrangement != b.device.arrangement ||
        *elements_per_stick(a.device.format) != *elements_per_stick(b.device.format))
        return Decision(false);
    if (element_count(a.torch).value_or(0) == 0) return Decision(true);
    const detail::Chain x = detail::flat_chain(a), y = detail::flat_chain(b);
    for (int i = x.size() - 1, k = y.size() - 1; i >= 0 || k >= 0; --i, --k) { // from the inside out
        const std::int64_t none = INT64_MAX;
        const std::int64_t v = i < 0 ? none : x[i].weight, w = k < 0 ? none : y[k].weight;
        if (v != w) return Decision(false, v < w ? v : w);
        if (x[i].stride != y[k].stride) return Decision(false, v);
    }
    return detail::copies_of(a) == detail::copies_of(b) ? Decision(true) : Decision(false);
}

/// The same of two layouts for one tensor.  Errors: also those of `place`.
constexpr Decision same_placement(const Strided& torch, const SpyreLayout& a, const SpyreLayout& b) noexcept
{
    const auto x = place(torch, a), y = place(torch, b);
    if (!x) return x.error();
    if (!y) return y.error();
    return same_placement(*x, *y);
}

} // namespace spyre
} // namespace v0
} // namespace axe

#endif
