// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_LINEAR_PRODUCT_HPP
#define AXE_INTEROP_LINEAR_PRODUCT_HPP

#include <axe/interop/linear/echelon.hpp>

namespace axe {
inline namespace v0 {
namespace linear {
namespace detail {

/// The dimensions of two lists in an order that both have, the first list's where there is a choice; sizes multiply.
constexpr Status merge(const Dims& a, const Dims& b, Dims& out) noexcept
{
    for (int i = 0, k = 0; i < a.size() || k < b.size();) {
        Dim next{};
        if (i < a.size() && index_of(b, a[i].name) < 0) {
            next = a[i++];
        } else if (k < b.size() && index_of(a, b[k].name) < 0) {
            next = b[k++];
        } else if (i < a.size() && k < b.size() && a[i].name == b[k].name) {
            next = {a[i].name, a[i].bits + b[k].bits};
            ++i;
            ++k;
        } else {
            return Error(errc::bad_axis, i,
                         "the common dimensions of the two layouts are in different orders, from dimension {0} of the first on", i);
        }
        if (!out.push_back(next))
            return Error(errc::capacity, Dims::capacity, "the product has more than {0} dimensions on a side", Dims::capacity);
    }
    if (bits_of(out) > LinearLayout::max_bits)
        return Error(errc::capacity, -1, "the product has {0} bits on a side; a linear layout has at most {1}", bits_of(out),
                     LinearLayout::max_bits);
    return {};
}

constexpr int bits_at(const Dims& dims, const Axis& name) noexcept
{
    const int i = index_of(dims, name);
    return i < 0 ? 0 : dims[i].bits;
}

/// Where the output fields of a factor are in the product's: above those of the factor inside it.
constexpr Fields place(const Dims& factor, const Dims& product, const Dims& inside) noexcept
{
    Fields fields;
    for (int i = 0; i < factor.size(); ++i)
        fields.move(factor, i, product, index_of(product, factor[i].name), bits_at(inside, factor[i].name));
    return fields;
}

/// What is left of one side when a factor's dimensions are taken out.
constexpr Status take_out(const Dims& whole, const Dims& factor, Dims& rest) noexcept
{
    int last = -1;
    for (int k = 0; k < factor.size(); ++k) {
        const int i = index_of(whole, factor[k].name);
        if (i < 0) return Error(errc::no_layout, k, "the dividend has no dimension {0} of the divisor on that side", k);
        if (i < last) return Error(errc::no_layout, k, "dimension {0} of the divisor is in a different order in the dividend", k);
        if (factor[k].bits > whole[i].bits)
            return Error(errc::no_layout, k, "dimension {0} of the divisor has {1} bits, more than the {2} of the dividend", k,
                         factor[k].bits, whole[i].bits);
        last = i;
    }
    for (const Dim& d : whole) rest.push_back({d.name, d.bits - bits_at(factor, d.name)});
    return {};
}

/// The other factor of a product: `inner_known` tells whether `known` is the inner one.
constexpr Result<LinearLayout> divide(const LinearLayout& whole, const LinearLayout& known, bool inner_known) noexcept
{
    if (const Status e = check(whole); !e.ok()) return e;
    if (const Status e = check(known); !e.ok()) return e;
    Result<LinearLayout> result;
    LinearLayout& rest = *result;
    if (const Status e = take_out(whole.in, known.in, rest.in); !e.ok()) return e;
    if (const Status e = take_out(whole.out, known.out, rest.out); !e.ok()) return e;
    const Fields known_to = place(known.out, whole.out, inner_known ? Dims{} : rest.out);
    const Fields rest_to = place(rest.out, whole.out, inner_known ? known.out : Dims{});
    int j = 0;
    for (int i = 0; i < whole.in.size(); ++i) {
        const int k = index_of(known.in, whole.in[i].name), known_bits = k < 0 ? 0 : known.in[k].bits;
        const int low = inner_known ? 0 : whole.in[i].bits - known_bits; // where the known factor's bits begin
        for (int b = 0; b < whole.in[i].bits; ++b, ++j) {
            const std::uint64_t image = whole.bases[j];
            if (b >= low && b < low + known_bits) {
                if (image != known_to(known.bases[first_bit(known.in, k) + b - low]))
                    return Error(errc::no_layout, j, "the image of input bit {0} of the dividend differs from the divisor's", j);
                continue;
            }
            const std::uint64_t back = rest_to.back(image);
            if (rest_to(back) != image)
                return Error(errc::no_layout, j, "input bit {0} of the dividend moves an output bit of the divisor", j);
            rest.bases.push_back(back);
        }
    }
    return result;
}

} // namespace detail

/// The direct sum, `inner` on the low bits of every dimension and `outer` on the bits above:
///
///   (A·B)(a + size(A)·b) = A(a) + size(A)·B(b),   dimension by dimension      [Triton, operator*]
///
/// A dimension that one of them lacks has size 1 there. `errc::bad_axis` when common dimensions come in two orders,
/// `errc::capacity`, and the errors of `check`. Cost: one step a bit of the input and dimension of the output.
constexpr Result<LinearLayout> product(const LinearLayout& inner, const LinearLayout& outer) noexcept
{
    if (const Status e = check(inner); !e.ok()) return e;
    if (const Status e = check(outer); !e.ok()) return e;
    Result<LinearLayout> result;
    LinearLayout& whole = *result;
    if (const Status e = detail::merge(inner.in, outer.in, whole.in); !e.ok()) return e;
    if (const Status e = detail::merge(inner.out, outer.out, whole.out); !e.ok()) return e;
    const detail::Fields low = detail::place(inner.out, whole.out, {}), high = detail::place(outer.out, whole.out, inner.out);
    for (const Dim& d : whole.in) {
        if (const int i = index_of(inner.in, d.name); i >= 0)
            for (int j = 0; j < inner.in[i].bits; ++j) whole.bases.push_back(low(inner.bases[first_bit(inner.in, i) + j]));
        if (const int i = index_of(outer.in, d.name); i >= 0)
            for (int j = 0; j < outer.in[i].bits; ++j) whole.bases.push_back(high(outer.bases[first_bit(outer.in, i) + j]));
    }
    return result;
}

/// Products in a row: `a * b * c`; the first error stays.
constexpr Result<LinearLayout> operator*(const LinearLayout& inner, const LinearLayout& outer) noexcept
{
    return product(inner, outer);
}
constexpr Result<LinearLayout> operator*(const Result<LinearLayout>& inner, const LinearLayout& outer) noexcept
{
    return inner ? product(*inner, outer) : inner;
}
constexpr Result<LinearLayout> operator*(const LinearLayout& inner, const Result<LinearLayout>& outer) noexcept
{
    return outer ? product(inner, *outer) : outer;
}
constexpr Result<LinearLayout> operator*(const Result<LinearLayout>& inner, const Result<LinearLayout>& outer) noexcept
{
    return inner ? *inner * outer : inner;
}

/// The C with  B·C = A, with A's dimensions.      [Triton, divideLeft]
///
/// Exists iff A is B on the low bits of B's dimensions and keeps the others apart; `errc::no_layout` with the dimension or the input
/// bit otherwise. Errors: those of `check`. Cost: that of `product`.
constexpr Result<LinearLayout> divide_left(const LinearLayout& a, const LinearLayout& b) noexcept
{
    return detail::divide(a, b, true);
}

/// The C with  C·B = A, with A's dimensions.      [Triton, divideRight]
///
/// Exists iff A is B on the high bits of B's dimensions and keeps the others apart; else as `divide_left`.
constexpr Result<LinearLayout> divide_right(const LinearLayout& a, const LinearLayout& b) noexcept
{
    return detail::divide(a, b, false);
}

} // namespace linear
} // namespace v0
} // namespace axe

#endif
