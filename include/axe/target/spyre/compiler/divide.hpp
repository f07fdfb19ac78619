// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_SPYRE_COMPILER_DIVIDE_HPP
#define AXE_TARGET_SPYRE_COMPILER_DIVIDE_HPP

#include <axe/interop/strides/padded.hpp>
#include <axe/target/spyre/compiler/work.hpp>

namespace axe {
inline namespace v0 {
namespace spyre {

/// The largest divisor of `size` that is at most `cores`; both are 1 or more.
constexpr std::int64_t core_split(std::int64_t size, std::int64_t cores) noexcept
{
    std::int64_t n = size < cores ? size : cores;
    while (size % n != 0) --n;
    return n;
}

/// What a division may use.                                             [torch-spyre, work_division_planning.md; SENCORES]
struct DivideOptions {
    std::int64_t cores = 32;
    std::int64_t span = std::int64_t{256} << 20; ///< bytes of a tensor that one core can reach
    /// May a loop be divided that is summed over and padded? The newest back end masks padding only where one core has all of it.
    bool divide_padded_sums = true;
};

/// How often each loop is divided.
struct Division {
    InlineVector<std::int64_t, max_loops> splits{};

    friend constexpr bool operator==(const Division&, const Division&) = default;

    /// The cores that have work: the product of the splits.
    [[nodiscard]] constexpr std::int64_t cores() const noexcept
    {
        std::int64_t n = 1;
        for (const std::int64_t s : splits) n *= s;
        return n;
    }
};

/// How many steps of a loop the core with the most of them has: its part in whole sticks, as far as there are elements.
constexpr std::int64_t core_extent(const Work& work, int loop, const Division& division) noexcept
{
    const std::int64_t size = work.loops[loop].size, stick = detail::stick_of(work, loop);
    const std::int64_t each = units(work, loop) / division.splits[loop];
    if (stick == 0) return each;
    return each <= size / stick ? each * stick : size;
}

/// The bytes of a tensor that one core reaches: from its first stick to its last along the outermost device dimension that moves
/// for it, whole dimensions inside counted.
///
/// The division is one of checked work whose tensors fit the integer.
constexpr std::int64_t core_span(const Work& work, const WorkTensor& operand, const Division& division) noexcept
{
    const Tensor& t = operand.tensor;
    std::int64_t last[max_rank]{}; // index of each host dimension that a core comes to
    for (int d = 0; d < operand.loops.size(); ++d) {
        const int v = operand.loops[d];
        if (v < 0 || t.torch.shape[d] <= 1) continue;
        last[t.parts[d].dim] += (core_extent(work, v, division) - 1) * t.parts[d].weight;
    }
    for (int j = 0; j + 1 < t.device.device_size.size(); ++j) {
        const Digit& digit = t.digits[j];
        if (digit.dim < 0) continue;
        std::int64_t most = last[digit.dim];
        if (digit.outer >= 0 && most >= t.digits[digit.outer].weight) most = t.digits[digit.outer].weight - 1;
        const std::int64_t steps = most / digit.weight + 1;
        if (steps == 1) continue;
        std::int64_t bytes = steps * stick_bytes;
        for (int i = j + 1; i + 1 < t.device.device_size.size(); ++i) bytes *= t.device.device_size[i];
        return bytes;
    }
    return stick_bytes;
}

namespace detail {

/// Divides the work of an operator, in upstream's three passes.
class Divider {
  public:
    constexpr Divider(const Work& work, const DivideOptions& options) noexcept : work_(work), options_(options)
    {
        for (int v = 0; v < work.loops.size(); ++v) {
            out_.splits.push_back(1);
            units_.push_back(units(work, v));
        }
    }

    constexpr Result<Division> divide() noexcept
    {
        for (int t = 0; t < work_.tensors.size(); ++t)
            if (!shorten_span(work_.tensors[t]))
                return Error(errc::no_layout, t,
                             "no division brings the part of tensor {0} that a core accesses below {1} bytes: {2}", t,
                             options_.span, core_span(work_, work_.tensors[t], out_));
        bool summed = false;
        for (int v = 0; v < work_.loops.size(); ++v) summed = summed || (work_.loops[v].is_reduced && out_.splits[v] > 1);
        InlineVector<bool, max_loops> fixed;
        for (const std::int64_t s : out_.splits) fixed.push_back(s > 1);
        while (left() > 1) { // what is written, the most units first
            int next = -1;
            for (int v = 0; v < work_.loops.size(); ++v)
                if (!fixed[v] && !work_.loops[v].is_reduced && (next < 0 || units_[v] > units_[next])) next = v;
            if (next < 0) break;
            fixed[next] = true;
            out_.splits[next] = core_split(units_[next], left());
        }
        int best = -1; // one sum, that which takes the most cores
        for (int v = 0; v < work_.loops.size() && !summed; ++v)
            if (may_sum(v) && (best < 0 || core_split(units_[v], left()) > core_split(units_[best], left()))) best = v;
        if (best >= 0) out_.splits[best] = core_split(units_[best], left());
        return out_;
    }

  private:
    [[nodiscard]] constexpr std::int64_t left() const noexcept { return options_.cores / out_.cores(); }

    [[nodiscard]] constexpr bool may_sum(int v) const noexcept
    {
        const std::int64_t stick = stick_of(work_, v);
        return work_.loops[v].is_reduced && (options_.divide_padded_sums || stick == 0 || work_.loops[v].size % stick == 0);
    }

    /// Is loop v one that may be divided when others are already?
    [[nodiscard]] constexpr bool may_divide(int v) const noexcept
    {
        if (!work_.loops[v].is_reduced) return true;
        for (int u = 0; u < work_.loops.size(); ++u)
            if (u != v && work_.loops[u].is_reduced && out_.splits[u] > 1) return false;
        return may_sum(v);
    }

    /// Divides loops of the outermost dimensions, as little as brings the span under the limit; returns whether that is possible.
    constexpr bool shorten_span(const WorkTensor& operand) noexcept
    {
        const Tensor& t = operand.tensor;
        for (int j = 0; j + 1 < t.device.device_size.size() && core_span(work_, operand, out_) > options_.span; ++j) {
            if (t.digits[j].dim < 0) continue;
            for (int d = operand.loops.size() - 1; d >= 0; --d) {
                const int v = operand.loops[d];
                if (v < 0 || t.parts[d].dim != t.digits[j].dim || t.torch.shape[d] <= 1 || !may_divide(v)) continue;
                const std::int64_t before = out_.splits[v], others = out_.cores() / before;
                std::int64_t best = before;
                for (std::int64_t s = before; s <= units_[v] && others * s <= options_.cores; ++s) {
                    if (units_[v] % s != 0) continue;
                    out_.splits[v] = best = s;
                    if (core_span(work_, operand, out_) <= options_.span) return true;
                }
                out_.splits[v] = best;
            }
        }
        return core_span(work_, operand, out_) <= options_.span;
    }

    const Work& work_;
    const DivideOptions& options_;
    Division out_{};
    InlineVector<std::int64_t, max_loops> units_{};
};

} // namespace detail

/// How the work of an operator is shared between cores.                              [torch-spyre, work_division.py]
///
/// First the loops that must be divided so that a core reaches no more than `span` bytes of a tensor, outermost device dimensions
/// first, as little as is enough; then what is written, the loop of the most units first; then one loop that is summed over, if none
/// is divided yet. A loop counts in sticks where a tensor runs through its sticks with it, and is divided evenly.
///
/// Errors: those of `check`; `errc::bad_argument` for fewer cores than 1; `errc::no_layout` with the tensor that no division brings
/// under the limit. Cost: loops times cores.
constexpr Result<Division> divide(const Work& work, const DivideOptions& options = {}) noexcept
{
    if (const Status e = check(work); !e.ok()) return e;
    if (options.cores < 1) return Error(errc::bad_argument, -1, "the work is for {0} cores; it needs at least 1", options.cores);
    return detail::Divider(work, options).divide();
}

/// Is the division one of this work: even, of one summed loop at most, on no more cores than there are?
///
/// Errors: those of `check`; `errc::rank_mismatch`; `errc::bad_argument` with the loop.
constexpr Status check(const Work& work, const Division& division, const DivideOptions& options = {}) noexcept
{
    if (const Status e = check(work); !e.ok()) return e;
    if (division.splits.size() != work.loops.size())
        return Error(errc::rank_mismatch, -1, "{0} loops are divided, the work has {1}", division.splits.size(), work.loops.size());
    int summed = -1;
    std::int64_t cores = 1;
    for (int v = 0; v < work.loops.size(); ++v) {
        const std::int64_t s = division.splits[v];
        if (s < 1 || units(work, v) % s != 0)
            return Error(errc::bad_argument, v, "{1} units of loop {0} are not divided evenly by {2}", v, units(work, v), s);
        if (s > 1 && work.loops[v].is_reduced) {
            if (summed >= 0)
                return Error(errc::bad_argument, v, "loops {0} and {1} are both reduced; only one can be divided", summed, v);
            summed = v;
        }
        if (!axe::detail::mul(cores, s, cores) || cores > options.cores)
            return Error(errc::bad_argument, v, "with loop {0} the work is for more than {1} cores", v, options.cores);
    }
    return {};
}

namespace detail {

/// The stride of each loop on the axis of the cores: written loops in order, then what is summed, so that the cores of one sum are
/// neighbors.
constexpr InlineVector<std::int64_t, max_loops> core_strides(const Work& work, const Division& division) noexcept
{
    InlineVector<std::int64_t, max_loops> strides;
    for (int v = 0; v < work.loops.size(); ++v) strides.push_back(0);
    std::int64_t step = 1;
    for (const bool reduced : {true, false})
        for (int v = work.loops.size() - 1; v >= 0; --v)
            if (work.loops[v].is_reduced == reduced) {
                strides[v] = step;
                step *= division.splits[v];
            }
    return strides;
}

} // namespace detail

/// Which core does what: a layout of the loops, padded to whole sticks, on the axes `core` and `local`.
///
/// The index of a loop is its core's part, then what is local to a core, row-major. Of two loops the first written one has the
/// farther cores; the cores of one sum are neighbors, as partial sums go from neighbor to neighbor.   [torch-spyre, PSUM]
///
/// Errors: those of `check`; `errc::overflow`. Cost: the loops.
constexpr Result<Padded> core_layout(const Work& work, const Division& division, const DivideOptions& options = {}) noexcept
{
    if (const Status e = check(work, division, options); !e.ok()) return e;
    const auto strides = detail::core_strides(work, division);
    Result<Padded> result;
    Padded& out = *result;
    std::int64_t local[max_loops]{}, extents[max_loops]{};
    for (int v = work.loops.size() - 1; v >= 0; --v) {
        const std::int64_t stick = detail::stick_of(work, v), whole = units(work, v);
        extents[v] = whole / division.splits[v];
        if (stick > 0 && !axe::detail::mul(extents[v], stick, extents[v]))
            return Error(errc::overflow, v, "loop {0} overflows when it is padded", v);
        local[v] = out.elements;
        if (!axe::detail::mul(out.elements, extents[v], out.elements))
            return Error(errc::overflow, v, "the number of elements local to a core overflows at loop {0}", v);
    }
    if (!axe::detail::mul(out.elements, division.cores(), out.elements))
        return Error(errc::overflow, -1, "the padded loops overflow");
    for (int v = 0; v < work.loops.size(); ++v) {
        axe::detail::append(out.layout.shard, division.splits[v], strides[v],
                            Axis("core")); // two iters for each of at most 8 loops
        axe::detail::append(out.layout.shard, extents[v], local[v], Axis("local"));
        out.shape.push_back(extents[v] * division.splits[v]);
        out.valid.push_back({0, work.loops[v].size});
    }
    return result;
}

} // namespace spyre
} // namespace v0
} // namespace axe

#endif
