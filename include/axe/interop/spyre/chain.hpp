// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_SPYRE_CHAIN_HPP
#define AXE_INTEROP_SPYRE_CHAIN_HPP

#include <axe/interop/spyre/tensor.hpp>

namespace axe {
inline namespace v0 {
namespace spyre {
namespace detail {

/// One digit of an index: every `weight` of it is `stride` device elements.
struct Link {
    std::int64_t weight, stride;
    int at; ///< the device dimension
};

/// What an index x becomes on the device, weights falling:  f(x) = Σ_k ⌊(x mod w_0 … mod w_{k−1})/w_k⌋·s_k.
using Chain = InlineVector<Link, 2 * max_rank>;

/// The digits of host dimension `dim`, the largest first.
constexpr Chain chain_of(const Tensor& tensor, int dim, const Strides& strides) noexcept
{
    Chain chain;
    for (int j = 0; j < tensor.digits.size(); ++j) {
        const Digit& digit = tensor.digits[j];
        if (digit.dim != dim) continue;
        int k = 0;
        while (k < chain.size() && chain[k].weight > digit.weight) ++k;
        chain.insert(k, {digit.weight, strides[j], j});
    }
    return chain;
}

/// The same map with the fewest links: a link that continues where those inside it end is merged with them.
///
/// With v | w and s_w·v = s_v·w:  ⌊x/w⌋·s_w + ⌊(x mod w)/v⌋·s_v = ⌊x/v⌋·s_v. Addresses of one tensor are row-major, so that no two
/// such chains are one map: the least x with f(x) ≠ f(1)·x is a weight, and so on outwards. Then of `extent` elements alone: a weight
/// beyond them is never reached.
constexpr Chain shortest(const Chain& chain, std::int64_t extent) noexcept
{
    Chain out;
    for (int k = chain.size() - 1; k >= 0; --k) {
        const Link& link = chain[k];
        if (link.weight >= extent) break;
        if (!out.empty()) {
            const Link& inner = out[0];
            std::int64_t a = 0, b = 0;
            if (link.weight % inner.weight == 0 && axe::detail::mul(link.stride, inner.weight, a) &&
                axe::detail::mul(inner.stride, link.weight, b) && a == b)
                continue;
        }
        out.insert(0, link);
    }
    return out;
}

/// f(x).
constexpr std::int64_t value_at(const Chain& chain, std::int64_t x) noexcept
{
    std::int64_t value = 0;
    for (const Link& link : chain) {
        value += x / link.weight * link.stride;
        x %= link.weight;
    }
    return value;
}

} // namespace detail
} // namespace spyre
} // namespace v0
} // namespace axe

#endif
