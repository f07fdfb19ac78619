// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_RIGHT_INVERSE_HPP
#define AXE_LAYOUT_RIGHT_INVERSE_HPP

#include <axe/layout/exact/at_index.hpp>
#include <axe/layout/exact/axis_image.hpp>
#include <axe/layout/exact/floor_form.hpp>
#include <axe/layout/exact/window.hpp>
#include <axe/layout/preimage.hpp>
#include <axe/support/errors.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// The search for the largest right inverse: R is built from the inside, each step an index that holds the next value.
template <class L>
struct RightInverseSearch {
    using Int = typename L::integer;
    static constexpr int candidate_limit = 64; ///< of a large layout; small ones are searched through

    const L& layout; ///< canonical
    Axis axis;
    Int bound; ///< the first value that is not reached: no right inverse is longer
    Int domain;
    std::int64_t steps;   ///< down to 0; one of a large layout, a box of a floor form, takes a microsecond
    bool complete = true; ///< was everything tried?

    Digits<Int> digits, best; ///< innermost first
    Int start = 0, best_start = 0, best_size = 0;

    /// The values of a small layout, and the indices chosen for the values so far: looked up, not solved for.
    static constexpr int table_limit = 1 << 12;
    Int value_of[table_limit];
    Int index_of[table_limit];
    Int holder_of[table_limit]; ///< the least index of each value below the bound, −1 for none; the next one of the same value
    Int next_holder[table_limit];

    constexpr RightInverseSearch(const L& l, const Axis& a, Int first_missing, Int size) noexcept
        : layout(l), axis(a), bound(first_missing), domain(size), steps(size <= table_limit ? 4 * search_limit : search_limit / 4)
    {
    }

    constexpr void keep(Int size) noexcept
    {
        if (size <= best_size) return;
        best_size = size;
        best_start = start;
        best.count = 0;
        for (const auto& it : digits) best.push_back(it);
    }

    /// How many values from 0 on are right when the digits so far are followed by as many steps of `stride` as the bound allows.
    constexpr Int right_values(Int inside, Int stride) noexcept
    {
        if (domain <= table_limit) {
            Int v = inside;
            for (; v < bound; ++v) {
                const Int q = quotient(v, inside), index = index_of[v - q * inside] + q * stride;
                if (index < 0 || index >= domain || value_of[index] != v) break;
            }
            steps -= 1 + v / 64;
            return v;
        }
        // All indices must stay in the domain.
        Int low = start, high = start;
        for (const auto& it : digits) (it.stride < 0 ? low : high) += (it.extent - 1) * it.stride;
        Int most = (bound + inside - 1) / inside;
        if (stride > 0) most = least(most, (domain - 1 - high) / stride + 1);
        if (stride < 0) most = least(most, low / -stride + 1);
        Int extents[most_digits], coefficients[most_digits], weights[most_digits];
        const int count = digits.size() + 1;
        extents[0] = most;
        coefficients[0] = stride;
        Int weight = 1;
        for (int i = 0; i < digits.size(); ++i) {
            extents[count - 1 - i] = digits[i].extent;
            coefficients[count - 1 - i] = digits[i].stride;
            weights[count - 1 - i] = weight;
            weight *= digits[i].extent;
        }
        weights[0] = weight;
        FloorForm<Int> form(extents, count);
        add_coordinate(form, layout.shard.items, layout.shard.size(), axis, 1, start, coefficients);
        form.add(layout.offset[axis]);
        form.add(-1, 0, weights, 1);
        const auto first = form.first_nonzero(steps);
        return first < 0 ? most * inside : static_cast<Int>(first);
    }

    /// Whatever begins with these `inside` values is as long as a multiple of them, and no longer than the bound: is that no gain?
    [[nodiscard]] constexpr bool hopeless(Int inside) const noexcept { return bound / inside * inside <= best_size; }

    /// The values below `inside` are right. Goes on with every index that holds the value `inside`.
    constexpr void extend(Int inside) noexcept
    {
        keep(inside);
        if (hopeless(inside) || steps <= 0 || digits.size() >= L::max_shard) return;
        if (domain <= table_limit) {
            for (Int x = inside < bound ? holder_of[inside] : -1; x >= 0; x = next_holder[x])
                if (!follow(inside, x)) return;
            return;
        }
        const typename L::Shape shape{domain};
        typename L::Point value = layout.offset;
        for (auto& e : value.entries) e.value = 0;
        Int* entry = value.entry(axis);
        if (entry == nullptr) return;
        *entry = inside;
        int tried = 0;
        const Preimages<L> holders(layout, shape, value);
        if (!holders.error().ok()) return;
        for (const auto& coord : holders) {
            if (++tried > candidate_limit) {
                complete = false;
                break;
            }
            steps -= 16; // as much as finding it takes
            if (steps <= 0 || !follow(inside, coord[0])) return;
        }
    }

    /// Goes on with the index that holds the value `inside`; returns whether others are worth a try.
    constexpr bool follow(Int inside, Int index) noexcept
    {
        const Int stride = index - start;
        const Int most = right_values(inside, stride) / inside;
        // The next digit may end wherever the values are right.
        int ends = 0;
        for (Int extent = most; extent >= 2; --extent) {
            if (domain > table_limit && (most - extent > search_limit >> 8 || ends > candidate_limit)) {
                complete = false;
                break;
            }
            if (extent * inside <= best_size && hopeless(extent * inside)) continue;
            ++ends;
            digits.push_back({extent, stride, Axis{}});
            for (Int v = inside; v < extent * inside && domain <= table_limit; ++v)
                index_of[v] = index_of[v % inside] + v / inside * stride;
            extend(extent * inside);
            --digits.count;
            if (hopeless(inside) || steps <= 0) return false;
        }
        return steps > 0;
    }

    /// The iters whose strides run 1, n_1, n_1·n_2, …, if 0 is where they begin: mostly all there is.
    constexpr void try_chain() noexcept
    {
        const auto& shard = layout.shard;
        bool used[L::max_shard]{};
        Int inside = 1, least_value = layout.offset[axis];
        for (bool more = true; more;) {
            more = false;
            Int weight = 1;
            for (int k = shard.size() - 1; k >= 0; --k) {
                const auto& it = shard[k];
                if (!used[k] && magnitude(it.stride) == inside) {
                    used[k] = true;
                    more = true;
                    inside *= it.extent;
                    digits.push_back({it.extent, it.stride < 0 ? Int(-weight) : weight, Axis{}});
                    if (it.stride < 0) {
                        start += (it.extent - 1) * weight;
                        least_value += (it.extent - 1) * it.stride;
                    }
                    break;
                }
                weight *= it.extent;
            }
        }
        if (least_value == 0) keep(inside);
    }

    /// Of a small layout: which value an index has, and which indices a value.
    constexpr void tabulate() noexcept
    {
        if (domain > table_limit) return;
        for (Int v = 0; v < bound; ++v) holder_of[v] = -1;
        for (Int x = domain - 1; x >= 0; --x) {
            const Int v = layout.offset[axis] + static_cast<Int>(coordinate_at(layout.shard.items, layout.shard.size(), axis, x));
            value_of[x] = v;
            if (v < 0 || v >= bound) continue;
            next_holder[x] = holder_of[v];
            holder_of[v] = x;
        }
    }

    /// All that begin at this index, whose value is 0.
    constexpr void search_from(Int origin) noexcept
    {
        start = origin;
        index_of[0] = origin;
        digits.count = 0;
        extend(1);
    }

    constexpr void run() noexcept
    {
        try_chain();
        if (best_size >= bound) return;
        tabulate();
        const typename L::Shape shape{domain};
        const Preimages<L> origins(layout, shape, typename L::Point{});
        int tried = 0;
        for (const auto& coord : origins) {
            if (++tried > candidate_limit && domain > table_limit) {
                complete = false;
                break;
            }
            search_from(coord[0]);
            if (best_size >= bound || steps <= 0) return;
        }
    }

    /// Those that begin at this index alone.
    constexpr void run_from(Int origin) noexcept
    {
        try_chain();
        if (best_start != origin) best_size = 0;
        if (best_size >= bound) return;
        tabulate();
        search_from(origin);
    }
};

/// The one axis on which a canonical layout moves or has an offset; `errc::no_layout` when there are two.
template <class L>
constexpr Result<Axis> only_axis(const L& layout) noexcept
{
    Result<Axis> axis{Axis{}};
    int count = 0;
    for_each_axis(layout, [&](const Axis& a) {
        ++count;
        *axis = a;
    });
    if (count > 1) return Error(errc::no_layout, -1, "the layout moves on {0} axes; one is needed", count);
    return axis;
}

/// The largest right inverse, or the largest that begins at an index, of a layout that has been checked.
template <class L>
constexpr Result<L> find_right_inverse(const L& layout, const typename L::integer* origin) noexcept
{
    L from;
    if (const Status e = canonicalize_into(layout, from); !e.ok()) return e;
    if (from.replica.size() > 0) return one_value_needed();
    const auto axis = only_axis(from);
    if (!axis) return axis.error();
    const auto domain = product(from.shard);
    std::int64_t steps = search_limit;
    auto bound = AxisImage<L>(from, *axis).first_missing(domain, steps);
    if (steps <= 0) bound = domain; // still an upper bound
    if (bound == 0) return Error(errc::no_layout, -1, "no index has the value 0");
    RightInverseSearch<L> search(from, *axis, bound, domain);
    if (origin == nullptr) {
        search.run();
    } else {
        if (const Status e = in_domain(*origin, domain); !e.ok()) return e;
        const auto value = from.offset[*axis] +
                           static_cast<typename L::integer>(coordinate_at(from.shard.items, from.shard.size(), *axis, *origin));
        if (value != 0) return Error(errc::no_layout, -1, "index {0} has the value {1}, not 0", *origin, value);
        search.run_from(*origin);
    }
    if (search.steps <= 0 || (!search.complete && search.best_size < bound))
        return Error(errc::too_hard, -1, "{0} values have a right inverse; whether more do is open", search.best_size);
    Result<L> result;
    for (int i = search.best.size() - 1; i >= 0; --i)
        if (!append(result->shard, search.best[i])) return shard_capacity<L>();
    if (const Status e = add_offset(result->offset, Axis{}, search.best_start); !e.ok()) return e;
    return result;
}

} // namespace detail

/// The largest R with  L(R(i)) = i  for 0 ≤ i < size(R), on `m`.      [CuTe right_inverse, made exact]
///
/// For a single-valued layout on one axis. Exists iff L reaches 0 (`errc::no_layout` otherwise). For an injective L each value has one
/// index, and R is the longest prefix of the inverse table that is a layout; otherwise every choice of indices is searched, and
/// `errc::too_hard` says when it could not be shown that nothing larger exists. Cost: a few searches over carries for each iter of R.
template <AnyLayout L>
constexpr Result<L> right_inverse(const L& layout) noexcept
{
    if (const Status e = check(layout); !e.ok()) return e;
    return detail::find_right_inverse(layout, nullptr);
}

/// The largest such R with  R(0) = origin,  where several indices have the value 0. Exists iff L(origin) = 0: `errc::no_layout` and
/// `errc::out_of_domain` otherwise, and the errors of `right_inverse`. Cost: at most that of `right_inverse`.
template <AnyLayout L>
constexpr Result<L> right_inverse(const L& layout, typename L::integer origin) noexcept
{
    if (const Status e = check(layout); !e.ok()) return e;
    return detail::find_right_inverse(layout, &origin);
}

} // namespace v0
} // namespace axe

#endif
