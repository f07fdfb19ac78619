// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_LINEAR_ENCODINGS_SLICE_HPP
#define AXE_INTEROP_LINEAR_ENCODINGS_SLICE_HPP

#include <axe/interop/linear/encodings/dot_operand.hpp>
#include <axe/interop/linear/errors.hpp>

namespace axe {
inline namespace v0 {
namespace linear {

/// What is left of a parent's tensor when dimension `dim` is reduced away: each thread keeps what it had of the others.
template <class Parent>
struct SliceEncoding {
    int dim = 0;
    Parent parent{};
};

/// A layout without one dimension of its output, the dimensions behind it renamed; bits of `register` that went there only are gone,
/// bits of other inputs stay and go nowhere:
///
///   S(x) = L(x) without dim;   register bits with S = 0 removed
///
/// Errors: `errc::bad_argument` when no such dimension exists.      [Triton, SliceEncodingAttr]
constexpr Result<LinearLayout> remove_dim(const LinearLayout& layout, int dim) noexcept
{
    if (const Status e = check(layout); !e.ok()) return e;
    if (dim < 0 || dim >= layout.out.size())
        return Error(errc::bad_argument, -1, "dimension {0} cannot be removed from a tensor of {1} dimensions", dim,
                     layout.out.size());
    const int low = first_bit(layout.out, dim), width = layout.out[dim].bits;
    const std::uint64_t below = (std::uint64_t{1} << low) - 1;
    LinearLayout out;
    for (int d = 0; d < layout.out.size(); ++d)
        if (d != dim) out.out.push_back({tensor_dim(out.out.size()), layout.out[d].bits});
    for (int i = 0, j = 0; i < layout.in.size(); ++i) {
        Dim in = layout.in[i];
        const bool registers = in.name == Axis{"register"};
        for (int bit = 0; bit < layout.in[i].bits; ++bit, ++j) {
            const std::uint64_t word = (layout.bases[j] & below) | (layout.bases[j] >> (low + width) << low);
            if (registers && word == 0)
                --in.bits;
            else
                out.bases.push_back(word);
        }
        out.in.push_back(in);
    }
    return out;
}

/// The parent's layout of the tensor with a dimension of 1 put in, and that dimension removed.
template <class Parent>
constexpr Result<LinearLayout> to_linear_layout(const SliceEncoding<Parent>& encoding, const Shape& tensor) noexcept
{
    if (encoding.dim < 0 || encoding.dim > tensor.size())
        return Error(errc::bad_argument, -1, "a slice of dimension {0} cannot have {1} dimensions", encoding.dim, tensor.size());
    Shape whole = tensor;
    if (!whole.insert(encoding.dim, 1)) return detail::encoding_rank(tensor.size() + 1);
    const auto parent = to_linear_layout(encoding.parent, whole);
    if (!parent) return parent;
    return remove_dim(*parent, encoding.dim);
}

} // namespace linear
} // namespace v0
} // namespace axe

#endif
