// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_SPYRE_FROM_AXE_HPP
#define AXE_INTEROP_SPYRE_FROM_AXE_HPP

#include <axe/interop/spyre/errors.hpp>
#include <axe/interop/spyre/place.hpp>
#include <axe/interop/strides/padded.hpp>
#include <axe/support/errors.hpp>

namespace axe {
inline namespace v0 {
namespace spyre {
namespace detail {

constexpr Error device_capacity() noexcept
{
    return Error(errc::capacity, max_rank, "the layout has more than {0} device dimensions", max_rank);
}

/// Makes a tensor of a layout of addresses.
class AxeReader {
  public:
    constexpr AxeReader(const Padded& placed, const Strided& torch, DataFormat format, const Axis& axis) noexcept
        : placed_(placed), axis_(axis)
    {
        t_.torch = t_.host = torch;
        t_.device.format = format;
        for (int d = 0; d < torch.shape.size(); ++d) t_.parts.push_back({d, 1});
    }

    constexpr Result<Tensor> operator()() noexcept
    {
        if (const Status e = check_arguments(); !e.ok()) return e;
        // Where a dimension has no digits that the device can have, it may have them with the one inside it.
        Shape padded = placed_.shape;
        const Status first = read(padded);
        for (Status e = first; !e.ok(); e = read(padded))
            if (!e.error().is_none() || e.error().position < 0 || !merge(e.error().position, padded)) return first;
        return t_;
    }

  private:
    /// A device dimension to be, of digit `digit` (or copies), `step` elements apart.
    struct DeviceDigit {
        Digit digit;
        std::int64_t extent, step;
    };

    constexpr Status check_arguments() noexcept
    {
        if (const Status e = check_host(t_.torch); !e.ok()) return e;
        const auto per_stick = elements_per_stick(t_.device.format);
        if (!per_stick) return per_stick.error();
        per_stick_ = *per_stick;
        if (const Status e = axe::detail::check_padding(placed_.shape, t_.torch.shape); !e.ok()) return e;
        if (placed_.valid.size() != t_.torch.shape.size())
            return axe::detail::region_rank(placed_.valid.size(), t_.torch.shape.size());
        for (int d = 0; d < placed_.valid.size(); ++d)
            if (placed_.valid[d].lo != 0 || placed_.valid[d].hi != t_.torch.shape[d])
                return Error(errc::bad_argument, d, "the valid interval of dimension {0} must be [0, {1}), as in the tensor", d,
                             t_.torch.shape[d]);
        layout_ = placed_.layout;
        layout_.replica.clear();
        if (const Status e = axe::check(placed_.layout); !e.ok()) return e;
        if (const Status e = axe::detail::check_addresses(layout_, axis_); !e.ok()) return e;
        if (const Status e = axe::detail::check_admission(layout_, placed_.shape); !e.ok()) return e;
        if (layout_.offset[axis_] == 0) return {};
        return Error(errc::no_layout, -1, "the first element is at {0}; a Spyre tensor starts at 0", layout_.offset[axis_]);
    }

    constexpr Status read(const Shape& padded) noexcept
    {
        places_.clear();
        t_.digits.clear();
        t_.device.device_size.clear();
        t_.device.stride_map.clear();
        if (const Status e = read_digits(padded); !e.ok()) return e;
        if (const Status e = add_copies(); !e.ok()) return e;
        return write_device();
    }
    constexpr Status read_digits(const Shape& padded) noexcept
    {
        axe::detail::Digits<std::int64_t> digits;
        int ends[max_rank]{};
        if (const Status e = axe::detail::cut(layout_.shard, padded.items, padded.size(), digits, ends); !e.ok()) return e;
        for (int d = 0, i = 0; d < padded.size(); ++d)
            for (std::int64_t weight = padded[d]; i < ends[d]; ++i) {
                const bool is_outermost = weight == padded[d];
                weight /= digits[i].extent;
                if (const Status e = add_digit(d, digits[i].extent, weight, digits[i].stride, is_outermost); !e.ok()) return e;
            }
        return {};
    }
    /// Dimension d and the next one inside it, or the last two, which is not padded.
    constexpr bool merge(int d, Shape& padded) noexcept
    {
        const Shape& shape = t_.host.shape;
        int inner = d + 1;
        while (inner < shape.size() && shape[inner] == 1 && padded[inner] == 1) ++inner;
        if (inner == shape.size()) {
            inner = d--;
            while (d >= 0 && shape[d] == 1 && padded[d] == 1) --d;
        }
        if (d < 0 || shape[d] == 1 || shape[inner] == 1 || padded[inner] != shape[inner] || !merge_dimensions(t_, d)) return false;
        padded[inner] *= padded[d];
        padded[d] = 1;
        return true;
    }

    constexpr Status add_digit(int d, std::int64_t extent, std::int64_t weight, std::int64_t step, bool is_outermost) noexcept
    {
        if (t_.host.shape[d] <= weight) return {}; // reached by padding alone
        if (step == 0 && t_.host.strides[d] == 0) return {};
        if (step <= 0)
            return Error(errc::no_layout, d, "dimension {0} has stride {1}; distinct elements need distinct, increasing places", d,
                         step);
        if (step % per_stick_ == 0 || (step == 1 && extent <= per_stick_)) return insert({{d, weight, Digit::none}, extent, step});
        if (step != 1)
            return Error(errc::no_layout, d, "dimension {0} has stride {1}; it must be 1 or a multiple of a stick of {2}", d, step,
                         per_stick_);
        if (extent % per_stick_ != 0 && !is_outermost)
            return Error(errc::no_layout, d, "the {1} consecutive elements of dimension {0} are not whole sticks of {2}", d, extent,
                         per_stick_);
        std::int64_t outer = 0;
        if (!axe::detail::mul(weight, per_stick_, outer)) return stick_stride_overflows(d);
        if (t_.host.shape[d] > outer)
            if (const Status e = insert({{d, outer, Digit::none}, (extent - 1) / per_stick_ + 1, per_stick_}); !e.ok()) return e;
        return insert({{d, weight, Digit::none}, per_stick_, 1});
    }

    constexpr Status add_copies() noexcept
    {
        for (const Iter& it : placed_.layout.replica) {
            if (it.extent == 1 || it.stride == 0) continue;
            if (!(it.axis == axis_) || it.stride < 0 || (it.stride != 1 && it.stride % per_stick_ != 0) ||
                (it.stride == 1 && it.extent > per_stick_))
                return Error(errc::no_layout, -1, "copies {0} apart are neither within a stick of {1} nor whole sticks apart",
                             it.stride, per_stick_);
            if (const Status e = insert({{Digit::copies, 1, Digit::none}, it.extent, it.stride}); !e.ok()) return e;
        }
        return {};
    }

    /// The larger step outside.
    constexpr Status insert(const DeviceDigit& place) noexcept
    {
        int at = 0;
        while (at < places_.size() && places_[at].step > place.step) ++at;
        if (places_.insert(at, place)) return {};
        return device_capacity();
    }

    /// Device dimensions outermost first, each so long that the next one outside it begins where it should.
    constexpr Status write_device() noexcept
    {
        std::int64_t end = placed_.elements;
        const bool has_stick = !places_.empty() && places_.back().step == 1;
        for (int i = 0; i < places_.size() - (has_stick ? 1 : 0); ++i) {
            const DeviceDigit& place = places_[i];
            if (const Status e = add(place.digit, place.extent, end, place.step); !e.ok()) return e;
            end = place.step;
        }
        if (end != per_stick_ || t_.digits.empty())
            if (const Status e = add(Digit{}, 1, end, per_stick_); !e.ok()) return e;
        const DeviceDigit stick = has_stick ? places_.back() : DeviceDigit{{}, 1, 1};
        // Copies within a stick are as many as they are; the stick has room for more.
        if (const Status e = add(stick.digit, stick.extent, stick.digit.dim == Digit::copies ? stick.extent : per_stick_, 1);
            !e.ok())
            return e;
        for (int j = 0; j < t_.digits.size(); ++j)
            for (int k = 0; k < t_.digits.size(); ++k) {
                const Digit &digit = t_.digits[j], &other = t_.digits[k];
                if (digit.dim < 0 || other.dim != digit.dim || other.weight <= digit.weight) continue;
                if (digit.outer < 0 || other.weight < t_.digits[digit.outer].weight) t_.digits[j].outer = k;
            }
        return storage_bytes(t_.device).error();
    }

    /// A device dimension from `step` up to `end`; where these are more copies than there are, with one of padding around it.
    constexpr Status add(const Digit& digit, std::int64_t extent, std::int64_t end, std::int64_t step) noexcept
    {
        std::int64_t inner = 0;
        if (digit.dim == Digit::copies && axe::detail::mul(extent, step, inner) && inner != end) {
            if (const Status e = add(Digit{}, 1, end, inner); !e.ok()) return e;
            end = inner;
        }
        if (step < 1 || end % step != 0 || end / step < extent)
            return Error(errc::no_layout, digit.dim < 0 ? -1 : digit.dim,
                         "{0} steps of {1} elements do not fit into the {2} up to the next digit", extent, step, end);
        std::int64_t stride = digit.dim == Digit::copies ? 0 : synthetic;
        if (digit.dim >= 0 && !axe::detail::mul(t_.host.strides[digit.dim], digit.weight, stride))
            return stick_stride_overflows(digit.dim);
        if (!t_.digits.push_back(digit)) return device_capacity();
        t_.device.device_size.push_back(end / step);
        t_.device.stride_map.push_back(stride);
        return {};
    }

    const Padded& placed_;
    Axis axis_;
    std::int64_t per_stick_ = 1;
    Layout layout_{}; ///< without replicas
    Tensor t_{};
    InlineVector<DeviceDigit, max_rank> places_{};
};

} // namespace detail

/// The tensor whose elements are where a layout has them:  same_placement(from_axe(to_axe(t), …), t), the arrangement standard.
///
/// Exists iff the digits of the layout are a row-major device: one runs within a stick, step 1, the others from stick to stick, each
/// step a multiple of the room of those inside it. Room that no digit fills is padding: of the dimension inside it, or of one that
/// counts nothing. Where a digit goes across dimensions of the tensor that form one dimension, they are merged. Replicas are copies.
///
/// `errc::no_layout` (or `errc::not_grouped`) with the dimension and what the device cannot have; `errc::rank_mismatch`,
/// `errc::bad_argument`, `errc::capacity`, `errc::overflow`. Cost: digits squared.
constexpr Result<Tensor> from_axe(const Padded& placed, const Strided& torch, DataFormat format, const Axis& axis = {}) noexcept
{
    return detail::AxeReader(placed, torch, format, axis)();
}

/// From axes of sticks and elements:  address = stick·e + elem.  Errors: also `errc::bad_axis`.
constexpr Result<Tensor> from_axe_sticks(const Padded& placed, const Strided& torch, DataFormat format,
                                         const Axis& stick = {"stick"}, const Axis& elem = {"elem"}) noexcept
{
    const auto per_stick = elements_per_stick(format);
    if (!per_stick) return per_stick.error();
    Padded flat = placed;
    if (const Status e = axe::check(placed.layout); !e.ok()) return e;
    for (Iter* it : {flat.layout.shard.begin(), flat.layout.replica.begin()}) {
        const bool is_shard = it == flat.layout.shard.begin();
        for (const Iter* end = it + (is_shard ? flat.layout.shard.size() : flat.layout.replica.size()); it != end; ++it) {
            if (it->extent == 1 || it->stride == 0) continue;
            if (!(it->axis == stick) && !(it->axis == elem))
                return Error(errc::bad_axis, -1, "the layout moves on an axis that is neither that of sticks nor that of elements");
            if (it->axis == stick && !axe::detail::mul(it->stride, *per_stick, it->stride))
                return detail::sticks_overflow(it->stride);
            it->axis = Axis{};
        }
    }
    if (!flat.layout.offset.empty())
        return Error(errc::no_layout, -1, "the first element is not at 0; a Spyre tensor starts there");
    return from_axe(flat, torch, format);
}

} // namespace spyre
} // namespace v0
} // namespace axe

#endif
