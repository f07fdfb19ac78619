// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_EXACT_CANDIDATE_HPP
#define AXE_LAYOUT_EXACT_CANDIDATE_HPP

#include <axe/layout/exact/digits.hpp>

/// A canonical D after an affine walk through its domain, as numbers.
namespace axe {
inline namespace v0 {
namespace detail {

/// An affine walk through a domain:  X(d) = start + Σ_j stride_j·d_j  over digits 0 ≤ d_j < n_j, last fastest.
template <class Int>
struct Walk {
    Int extent[most_digits];
    Int stride[most_digits];
    int count = 0;
    Int start = 0;

    constexpr void push(Int n, Int s) noexcept
    {
        if (n == 1) return;
        extent[count] = n;
        stride[count++] = s;
    }
};

/// D(X(x)) − D(X(0)) for a canonical D and a walk, axis by axis; and a D that may be the same map, built from the inside.
template <class L>
struct WalkedMap {
    using Int = typename L::integer;
    using Wide = wider_t<Int>;
    static constexpr int most_axes = L::max_axes + 1;

    const Digits<Int>& f;
    const Walk<Int>& walk;
    Int size = 1;
    Axis axis[most_axes]; ///< those that move; one at least, if nothing does
    int axes = 0;
    Wide origin[most_axes]{}; ///< D(X(0))
    Digits<Int> found;        ///< innermost first

    constexpr WalkedMap(const Digits<Int>& digits, const Walk<Int>& path) noexcept : f(digits), walk(path)
    {
        for (int k = 0; k < f.count; ++k) {
            int a = 0;
            while (a < axes && !(axis[a] == f.items[k].axis)) ++a;
            axis_of_[k] = f.items[k].stride == 0 ? 0 : a;
            if (a == axes && f.items[k].stride != 0) axis[axes++] = f.items[k].axis;
        }
        if (axes == 0) ++axes;
        for (int j = 0; j < walk.count; ++j) size *= walk.extent[j];
        at(0, origin);
    }

    /// Adds an iter to `found` whose step is the value at `inside`, the size of those there, and which goes on to the end. Returns whether
    /// that step is one: on one axis.
    constexpr bool extend(Int inside) noexcept
    {
        Wide value[most_axes];
        at(inside, value);
        int moved = 0;
        for (int a = 0; a < axes; ++a) {
            if (value[a] == 0) continue;
            if (value[moved] != 0 && moved != a) return false;
            moved = a;
        }
        found_axis_[found.count] = moved;
        auto& it = found.items[found.count++];
        it.extent = size / inside;
        it.axis = value[moved] == 0 ? Axis{} : axis[moved];
        return narrow<Int>(value[moved], it.stride);
    }

    /// Is `found` the map at this index?
    [[nodiscard]] constexpr bool agrees(Int x) const noexcept
    {
        Wide value[most_axes];
        at(x, value);
        for (int i = 0; i < found.count; ++i) {
            const auto& it = found.items[i];
            const Int q = i + 1 == found.count ? 0 : quotient(x, it.extent);
            value[found_axis_[i]] -= Wide(x - q * it.extent) * it.stride;
            x = q;
        }
        for (int a = 0; a < axes; ++a)
            if (value[a] != 0) return false;
        return true;
    }

  private:
    int axis_of_[most_digits];
    int found_axis_[most_digits];

    constexpr void at(Int x, Wide* value) const noexcept
    {
        Int y = walk.start;
        for (int j = walk.count - 1; j >= 0; --j) {
            const Int q = j == 0 ? 0 : quotient(x, walk.extent[j]);
            y += (x - q * walk.extent[j]) * walk.stride[j];
            x = q;
        }
        for (int a = 0; a < axes; ++a) value[a] = -origin[a];
        for (int k = f.count - 1; k >= 0; --k) {
            const auto& it = f.items[k];
            const Int q = k == 0 ? 0 : quotient(y, it.extent);
            value[axis_of_[k]] += Wide(y - q * it.extent) * it.stride;
            y = q;
        }
    }
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
