// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_LINEAR_COMPOSE_HPP
#define AXE_INTEROP_LINEAR_COMPOSE_HPP

#include <axe/interop/linear/echelon.hpp>

namespace axe {
inline namespace v0 {
namespace linear {

/// One layout after another:  compose(A, B)(x) = B(A(x))      [Triton, A.compose(B)]
///
/// The dimensions of A's output are B's input by name, in any order (`errc::rank_mismatch`, `errc::unknown_axis` otherwise), and none
/// is larger there (`errc::size_mismatch`). Errors of `check` besides. Cost: one step a bit that is set in A's bases.
constexpr Result<LinearLayout> compose(const LinearLayout& first, const LinearLayout& then) noexcept
{
    if (const Status e = check(first); !e.ok()) return e;
    if (const Status e = check(then); !e.ok()) return e;
    detail::Fields fields;
    if (const Status e = detail::match(first.out, then.in, fields); !e.ok()) return e;
    Result<LinearLayout> result;
    result->in = first.in;
    result->out = then.out;
    for (const std::uint64_t basis : first.bases) result->bases.push_back(apply(then, fields(basis)));
    return result;
}

} // namespace linear
} // namespace v0
} // namespace axe

#endif
