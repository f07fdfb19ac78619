// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_SPYRE_RULES_MATMUL_HPP
#define AXE_TARGET_SPYRE_RULES_MATMUL_HPP

#include <axe/target/spyre/rules/stick.hpp>

namespace axe {
inline namespace v0 {
namespace spyre {

/// The sticks of a product and its factors.
struct MatmulSticks {
    Stick a = sparse, b = sparse, result = sparse;

    friend constexpr bool operator==(const MatmulSticks&, const MatmulSticks&) = default;
};

/// C[…, m, n] = Σ_k A[…, m, k]·B[…, k, n]:  stick(A) = k,  stick(B) = stick(C) = n.       [torch-spyre, propagate_layouts.py]
///
/// Each is the last dimension, so an extent of 1 leaves one element a stick.
constexpr MatmulSticks matmul_sticks(const Shape& a, const Shape& b, const Shape& result) noexcept
{
    return {stick_within(a, a.size() - 1), stick_within(b, b.size() - 1), stick_within(result, result.size() - 1)};
}

} // namespace spyre
} // namespace v0
} // namespace axe

#endif
