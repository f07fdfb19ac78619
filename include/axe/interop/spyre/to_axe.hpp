// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_SPYRE_TO_AXE_HPP
#define AXE_INTEROP_SPYRE_TO_AXE_HPP

#include <axe/interop/spyre/arrangement.hpp>
#include <axe/interop/spyre/chain.hpp>
#include <axe/interop/strides/padded.hpp>
#include <axe/layout/compose.hpp>
#include <axe/support/errors.hpp>

namespace axe {
inline namespace v0 {
namespace spyre {

/// The value where no element is: anything, unless it is known.
struct Fill {
    bool known = false;
    double value = 0;

    friend constexpr bool operator==(const Fill&, const Fill&) = default;
};

/// A tensor on the device as a layout: element c is at layout(c) on `shape`, for c in `valid`; every other element of the device
/// holds `fill`. Copies are replicas.
struct Placed : Padded {
    Fill fill{};

    friend constexpr bool operator==(const Placed&, const Placed&) = default;
};

namespace detail {

/// Writes one tensor's layout, host dimension by host dimension.
class AxeWriter {
  public:
    constexpr AxeWriter(const Tensor& tensor, const Axis& axis, const Fill& fill) noexcept : t_(tensor), axis_(axis)
    {
        out_.fill = fill;
    }

    /// Over PyTorch's dimensions; or over the host's, those merged that form one dimension.
    constexpr Result<Placed> operator()(bool over_torch) noexcept
    {
        if (const Status e = check_tensor(); !e.ok()) return e;
        const Shape& shape = over_torch ? t_.torch.shape : t_.host.shape;
        for (int i = 0; i < shape.size(); ++i) {
            out_.shape.push_back(shape[i]);
            out_.valid.push_back({0, shape[i]});
        }
        for (int i = 0; i < shape.size(); ++i) {
            const int dim = over_torch ? t_.parts[i].dim : i;
            const std::int64_t inner = over_torch ? t_.parts[i].weight : 1; // elements of those merged inside it
            if (shape[i] == 1 || (over_torch && t_.host.shape[dim] != shape[i] * inner)) continue; // not the outermost of them
            if (const Status e = write(i, dim, inner); !e.ok()) return e;
        }
        for (int j = 0; j < t_.digits.size(); ++j)
            if (t_.digits[j].dim == Digit::copies && !out_.layout.replica.push_back({t_.device.device_size[j], strides_[j], axis_}))
                return axe::detail::replica_capacity<Layout>();
        if (const auto v = volume(out_.shape); !v) return v.error();
        if (const Status e = axe::check(out_.layout); !e.ok()) return e;
        if (t_.device.arrangement != Arrangement::standard)
            if (const Status e = rearrange(); !e.ok()) return e;
        return out_;
    }

  private:
    constexpr Status check_tensor() noexcept
    {
        for (int d = 0; d < t_.torch.shape.size(); ++d)
            if (t_.torch.shape[d] == 0) return axe::detail::empty_dimension(d);
        const auto elements = device_elements(t_.device);
        if (!elements) return elements.error();
        out_.elements = *elements;
        strides_ = device_strides(t_.device);
        return {};
    }

    /// Host dimension `dim` as dimension i of the shape and `inner` elements of the next ones.
    constexpr Status write(int i, int dim, std::int64_t inner) noexcept
    {
        const std::int64_t extent = t_.host.shape[dim];
        const Chain all = chain_of(t_, dim, strides_), chain = shortest(all, extent);
        if (chain.empty()) { // expanded, and one place for all
            if (!axe::detail::append(out_.layout.shard, extent, std::int64_t{0}, axis_))
                return axe::detail::shard_capacity<Layout>();
            return {};
        }
        for (int k = 1; k < chain.size(); ++k)
            if (chain[k - 1].weight % chain[k].weight != 0)
                return Error(
                    errc::no_layout, chain[k].at,
                    "device dimension {0} counts steps of {1} within {2}, but {1} does not divide {2}: the map is not a layout",
                    chain[k].at, chain[k].weight, chain[k - 1].weight);
        // There is room for the padding that fills the outermost digit.
        std::int64_t room = 0;
        if (!axe::detail::mul(all[0].weight, t_.device.device_size[all[0].at], room))
            return axe::detail::padded_dimension_overflows(i);
        const std::int64_t step = chain[0].weight;
        const std::int64_t pitch = step / axe::detail::gcd(step, inner), padded = room / inner / pitch * pitch;
        if (padded < out_.shape[i])
            return Error(errc::no_layout, all[0].at, "device dimension {0} counts steps of {1} across dimensions of {2} elements",
                         all[0].at, step, inner)
                .with_hint("merge these dimensions");
        out_.shape[i] = padded;
        std::int64_t above = padded * inner;
        for (const Link& link : chain) {
            if (!axe::detail::append(out_.layout.shard, above / link.weight, link.stride, axis_))
                return axe::detail::shard_capacity<Layout>();
            above = link.weight;
        }
        return {};
    }

    /// The order inside sticks, on top. Copies are along device dimensions that it leaves as they are.
    constexpr Status rearrange() noexcept
    {
        const auto order = shuffle(t_, axis_);
        if (!order) return order.error();
        Layout first = out_.layout;
        first.replica.clear();
        const auto both = compose(*order, first, axis_);
        if (!both) return both.error();
        out_.layout.shard = both->shard;
        return {};
    }

    const Tensor& t_;
    Axis axis_;
    Strides strides_{};
    Placed out_{};
};

} // namespace detail

/// The device as a layout on PyTorch's indices:  layout(c) = the place of element c in device elements, for c in `valid`.
///
/// A stick counts as all the elements it has room for; the arrangement inside sticks is part of the map. The shape is rounded up to
/// what the outermost digit of each dimension has room for; room inside a dimension is a gap in memory. Exists iff digits divide
/// within each dimension (`errc::no_layout` with the device dimension; where the layout cuts across dimensions, `to_axe_merged` may
/// have one, and `over_device` always has). `errc::bad_extent` for an empty tensor, `errc::capacity`, `errc::overflow`, the errors of
/// `check`. Cost: the dimensions squared.
constexpr Result<Placed> to_axe(const Tensor& tensor, const Axis& axis = {}, const Fill& fill = {}) noexcept
{
    return detail::AxeWriter(tensor, axis, fill)(true);
}

/// The same on the indices of `tensor.host`, in which dimensions across which the layout cuts are one.
constexpr Result<Placed> to_axe_merged(const Tensor& tensor, const Axis& axis = {}, const Fill& fill = {}) noexcept
{
    return detail::AxeWriter(tensor, axis, fill)(false);
}

namespace detail {

/// Iters that move within a stick go to `elem`, those that move from stick to stick to `stick`.
template <class Put>
constexpr Status split_iter(const Iter& it, std::int64_t per_stick, const Axis& stick, const Axis& elem, Put put) noexcept
{
    const std::int64_t steps = it.stride == 0 ? it.extent : per_stick / it.stride; // that stay within one stick
    bool room = true;
    if (it.stride % per_stick == 0) {
        room = put(Iter{it.extent, it.stride / per_stick, stick});
    } else if (per_stick % it.stride == 0 && it.extent <= steps) {
        room = put(Iter{it.extent, it.stride, elem});
    } else if (per_stick % it.stride == 0 && it.extent % steps == 0) {
        room = put(Iter{it.extent / steps, 1, stick}) && put(Iter{steps, it.stride, elem});
    } else {
        return Error(errc::no_layout, -1, "{0} elements, {1} apart, end within a stick and continue in the next one", it.extent,
                     it.stride);
    }
    return room ? Error{} : axe::detail::shard_capacity<Layout>();
}

} // namespace detail

/// A layout of addresses as one of sticks and elements:  address = stick·e + elem,  e the elements of a stick.
///
/// `errc::no_layout` where an iter ends within a stick and goes on in the next one; `errc::capacity`. Cost: the iters.
constexpr Result<Placed> to_sticks(const Placed& placed, DataFormat format, const Axis& stick = {"stick"},
                                   const Axis& elem = {"elem"}) noexcept
{
    const auto per_stick = elements_per_stick(format);
    if (!per_stick) return per_stick.error();
    Result<Placed> result(placed);
    Layout& out = result->layout;
    out = {};
    for (const Iter& it : placed.layout.shard)
        if (const Status e = detail::split_iter(it, *per_stick, stick, elem,
                                                [&](const Iter& one) { return axe::detail::append(out.shard, one); });
            !e.ok())
            return e;
    for (const Iter& it : placed.layout.replica)
        if (const Status e =
                detail::split_iter(it, *per_stick, stick, elem, [&](const Iter& one) { return out.replica.push_back(one); });
            !e.ok())
            return e;
    return result;
}

/// The device as a layout on axes `stick` and `elem`.  Errors: those of `to_axe` and `to_sticks`.
constexpr Result<Placed> to_axe_sticks(const Tensor& tensor, const Axis& stick = {"stick"}, const Axis& elem = {"elem"},
                                       const Fill& fill = {}) noexcept
{
    const auto placed = to_axe(tensor, {}, fill);
    return placed ? to_sticks(*placed, tensor.device.format, stick, elem) : placed;
}

} // namespace spyre
} // namespace v0
} // namespace axe

#endif
