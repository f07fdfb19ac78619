// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_LINEAR_REARRANGE_HPP
#define AXE_INTEROP_LINEAR_REARRANGE_HPP

#include <axe/interop/linear/errors.hpp>
#include <axe/interop/linear/properties.hpp>

/// The same map with other dimensions: reordered, renamed, cut, joined or left out.
namespace axe {
inline namespace v0 {
namespace linear {
namespace detail {

/// Names of dimensions of one side, each once.
constexpr Status check_names(const Dims& dims, const Names& names) noexcept
{
    if (names.overfull()) return names_capacity(names.size());
    for (int i = 0; i < names.size(); ++i) {
        if (index_of(dims, names[i]) < 0)
            return Error(errc::unknown_axis, i, "name {0} of the list is not a dimension of that side", i);
        for (int k = 0; k < i; ++k)
            if (names[k] == names[i]) return Error(errc::bad_axis, i, "name {0} of the list repeats name {1}", i, k);
    }
    return {};
}

constexpr Status check_all_named(const Dims& dims, const Names& names) noexcept
{
    if (const Status e = check_names(dims, names); !e.ok()) return e;
    if (names.size() != dims.size())
        return Error(errc::rank_mismatch, -1, "{0} names for {1} dimensions", names.size(), dims.size());
    return {};
}

constexpr bool has(const Names& names, const Axis& name) noexcept
{
    for (const Axis& n : names)
        if (n == name) return true;
    return false;
}

/// One dimension in place of all of a side, named as the first; no dimension if the side has none.
constexpr Dims flat(const Dims& dims) noexcept
{
    Dims out;
    if (!dims.empty()) out.push_back({dims[0].name, bits_of(dims)});
    return out;
}

} // namespace detail

/// The input dimensions in another order, the bases with them.
///
/// Every dimension is named once: `errc::unknown_axis`, `errc::bad_axis`, `errc::rank_mismatch`, `errc::capacity` otherwise.
constexpr Result<LinearLayout> transpose_ins(const LinearLayout& layout, const Names& order) noexcept
{
    if (const Status e = check(layout); !e.ok()) return e;
    if (const Status e = detail::check_all_named(layout.in, order); !e.ok()) return e;
    Result<LinearLayout> result;
    result->out = layout.out;
    for (const Axis& name : order) {
        const int i = index_of(layout.in, name), from = first_bit(layout.in, i);
        result->in.push_back(layout.in[i]);
        for (int j = 0; j < layout.in[i].bits; ++j) result->bases.push_back(layout.bases[from + j]);
    }
    return result;
}

/// The output dimensions in another order. Errors: those of `transpose_ins`.
constexpr Result<LinearLayout> transpose_outs(const LinearLayout& layout, const Names& order) noexcept
{
    if (const Status e = check(layout); !e.ok()) return e;
    if (const Status e = detail::check_all_named(layout.out, order); !e.ok()) return e;
    Result<LinearLayout> result;
    result->in = layout.in;
    for (const Axis& name : order) result->out.push_back(layout.out[index_of(layout.out, name)]);
    detail::Fields fields;
    for (int i = 0; i < layout.out.size(); ++i) fields.move(layout.out, i, result->out, index_of(result->out, layout.out[i].name));
    for (const std::uint64_t basis : layout.bases) result->bases.push_back(fields(basis));
    return result;
}

namespace detail {

constexpr Error sides_differ(std::int64_t bits, std::int64_t replaced) noexcept
{
    return Error(errc::size_mismatch, -1, "the dimensions have {0} bits, but the side that they replace has {1}", bits, replaced);
}

} // namespace detail

/// The same words with other input dimensions, first one lowest. `errc::size_mismatch` when the bits are not as many; errors of `check`.
constexpr Result<LinearLayout> reshape_ins(const LinearLayout& layout, const Dims& dims) noexcept
{
    if (const Status e = check(layout); !e.ok()) return e;
    Result<LinearLayout> result(LinearLayout{dims, layout.out, layout.bases});
    if (const Status e = check(*result); !e.ok()) {
        if (e.code() != errc::size_mismatch) return e;
        return detail::sides_differ(bits_of(dims), layout.bases.size());
    }
    return result;
}

/// The same words with other output dimensions. Errors: those of `reshape_ins`.
constexpr Result<LinearLayout> reshape_outs(const LinearLayout& layout, const Dims& dims) noexcept
{
    if (const Status e = check(layout); !e.ok()) return e;
    // The new side is checked beside no input, since the bases may not fit it.
    if (const Status e = check(LinearLayout{{}, dims, {}}); !e.ok()) return e;
    if (bits_of(dims) != bits_of(layout.out)) return detail::sides_differ(bits_of(dims), bits_of(layout.out));
    return LinearLayout{layout.in, dims, layout.bases};
}

/// One input dimension, named as the first one; a layout without any stays as it is.
constexpr Result<LinearLayout> flatten_ins(const LinearLayout& layout) noexcept
{
    if (const Status e = check(layout); !e.ok()) return e;
    return LinearLayout{detail::flat(layout.in), layout.out, layout.bases};
}
/// One output dimension, named as the first one.
constexpr Result<LinearLayout> flatten_outs(const LinearLayout& layout) noexcept
{
    if (const Status e = check(layout); !e.ok()) return e;
    return LinearLayout{layout.in, detail::flat(layout.out), layout.bases};
}

/// Only the named dimensions: the other inputs are 0 and the other outputs forgotten. Their order stays that of the layout.
///
/// `errc::unknown_axis`, `errc::bad_axis`, `errc::capacity` of the names; errors of `check`.
constexpr Result<LinearLayout> sublayout(const LinearLayout& layout, const Names& ins, const Names& outs) noexcept
{
    if (const Status e = check(layout); !e.ok()) return e;
    if (const Status e = detail::check_names(layout.in, ins); !e.ok()) return e;
    if (const Status e = detail::check_names(layout.out, outs); !e.ok()) return e;
    Result<LinearLayout> result;
    for (const Dim& d : layout.out)
        if (detail::has(outs, d.name)) result->out.push_back(d);
    detail::Fields fields;
    for (int k = 0; k < result->out.size(); ++k) fields.move(result->out, k, layout.out, index_of(layout.out, result->out[k].name));
    for (int i = 0, j = 0; i < layout.in.size(); ++i) {
        const bool kept = detail::has(ins, layout.in[i].name);
        if (kept) result->in.push_back(layout.in[i]);
        for (int b = 0; b < layout.in[i].bits; ++b, ++j)
            if (kept) result->bases.push_back(fields.back(layout.bases[j]));
    }
    return result;
}

/// Without dimensions on which the layout is the identity, apart from the others.      [Triton, quotient]
///
/// Exists iff `is_trivial_over` says yes; `errc::no_layout` otherwise. Errors: those of `check` and of the names.
constexpr Result<LinearLayout> quotient(const LinearLayout& layout, const Names& names) noexcept
{
    const Decision trivial = is_trivial_over(layout, names);
    if (trivial.undecided()) return trivial.error();
    if (!trivial)
        return Error(errc::no_layout, -1,
                     "the layout is not a direct sum of the identity on those dimensions and a layout on the others");
    Names ins, outs;
    for (const Dim& d : layout.in)
        if (!detail::has(names, d.name)) ins.push_back(d.name);
    for (const Dim& d : layout.out)
        if (!detail::has(names, d.name)) outs.push_back(d.name);
    return sublayout(layout, ins, outs);
}

/// The inputs of one layout, then those of another, into the same outputs:  C(x, y) = A(x) ^ B(y).
///
/// `errc::size_mismatch` when the output dimensions are not the same, in one order; errors of `check` for the result.
constexpr Result<LinearLayout> concat_ins(const LinearLayout& a, const LinearLayout& b) noexcept
{
    if (const Status e = check(a); !e.ok()) return e;
    if (const Status e = check(b); !e.ok()) return e;
    if (!(a.out == b.out)) return Error(errc::size_mismatch, -1, "the two layouts have different output dimensions");
    Result<LinearLayout> result(a);
    for (const Dim& d : b.in) result->in.push_back(d);
    for (const std::uint64_t basis : b.bases) result->bases.push_back(basis);
    if (const Status e = check(*result); !e.ok()) return e;
    return result;
}

/// The outputs of one layout beside those of another, of the same inputs:  C(x) = (A(x), B(x)).
///
/// `errc::size_mismatch` when the input dimensions are not the same, in one order; errors of `check` for the result.
constexpr Result<LinearLayout> concat_outs(const LinearLayout& a, const LinearLayout& b) noexcept
{
    if (const Status e = check(a); !e.ok()) return e;
    if (const Status e = check(b); !e.ok()) return e;
    if (!(a.in == b.in)) return Error(errc::size_mismatch, -1, "the two layouts have different input dimensions");
    Result<LinearLayout> result(a);
    for (const Dim& d : b.out) result->out.push_back(d);
    // Before the bases are joined, since they may not fit.
    if (const Status e = check(LinearLayout{{}, result->out, {}}); !e.ok()) return e;
    for (int j = 0; j < a.bases.size(); ++j) result->bases[j] |= b.bases[j] << bits_of(a.out);
    return result;
}

namespace detail {

constexpr Error no_input() noexcept { return Error(errc::unknown_axis, -1, "the layout has no input dimension of that name"); }

} // namespace detail

/// An input dimension made larger: the bits above move nothing.      [Triton, resize]
///
/// `errc::unknown_axis` for an unknown name, `errc::size_mismatch` when it has more bits already; `errc::capacity`.
constexpr Result<LinearLayout> resize_in(const LinearLayout& layout, const Axis& name, int bits) noexcept
{
    if (const Status e = check(layout); !e.ok()) return e;
    const int i = index_of(layout.in, name);
    if (i < 0) return detail::no_input();
    const int old = layout.in[i].bits, room = LinearLayout::max_bits - bits_of(layout.in);
    if (bits < old) return Error(errc::size_mismatch, i, "dimension {0} has {1} bits and cannot become {2}", i, old, bits);
    if (bits - old > room)
        return Error(errc::capacity, i, "dimension {0} can grow by at most {1} bits, not by {2}", i, room, bits - old);
    Result<LinearLayout> result(layout);
    result->in[i].bits = bits;
    for (int k = old; k < bits; ++k) result->bases.insert(first_bit(layout.in, i) + k, 0);
    return result;
}

namespace detail {

constexpr Error dimension_not_empty(int dim, std::int64_t bits) noexcept
{
    return Error(errc::size_mismatch, dim, "dimension {0} has {1} bits; only a dimension of 0 bits can be removed", dim, bits);
}

} // namespace detail

/// Without one input dimension of a single value.      [Triton, squeezeIns]
///
/// `errc::unknown_axis`; `errc::size_mismatch` when it has several values.
constexpr Result<LinearLayout> remove_unit_in(const LinearLayout& layout, const Axis& name) noexcept
{
    if (const Status e = check(layout); !e.ok()) return e;
    const int i = index_of(layout.in, name);
    if (i < 0) return detail::no_input();
    if (layout.in[i].bits != 0) return detail::dimension_not_empty(i, layout.in[i].bits);
    Result<LinearLayout> result(layout);
    result->in.erase(i);
    return result;
}

/// Without one output dimension of a single value. Errors: those of `remove_unit_in`.
constexpr Result<LinearLayout> remove_unit_out(const LinearLayout& layout, const Axis& name) noexcept
{
    if (const Status e = check(layout); !e.ok()) return e;
    const int i = index_of(layout.out, name);
    if (i < 0) return Error(errc::unknown_axis, -1, "the layout has no output dimension of that name");
    if (layout.out[i].bits != 0) return detail::dimension_not_empty(i, layout.out[i].bits);
    Result<LinearLayout> result(layout);
    result->out.erase(i);
    return result;
}

} // namespace linear
} // namespace v0
} // namespace axe

#endif
