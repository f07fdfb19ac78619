// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TENSOR_IMPL_DISTRIBUTED_HPP
#define AXE_TENSOR_IMPL_DISTRIBUTED_HPP

#include <axe/layout/evaluator.hpp>
#include <axe/tensor/distributed.hpp>

namespace axe {
inline namespace v0 {

AXE_DECL Result<Array, Problem> part_of(const Tensor& whole, const Array& array, std::int64_t device, const Axis& axis)
{
    if (!(array.shape() == whole.shape))
        return Problem(errc::size_mismatch, "tensor {0}: the shapes of the array and the tensor differ", {whole.name});
    if (array.dtype() != whole.dtype)
        return Problem(errc::bad_argument, "tensor {0} is {1}, the array {2}",
                       {whole.name, name(whole.dtype), name(array.dtype())});
    const auto view = local(whole, {{axis, device}});
    if (!view) return view.error();
    auto part = Array::make(view->tensor.shape, whole.dtype);
    if (!part) return part;
    const auto logical = make_evaluator(view->logical);
    if (!logical) return logical.error();
    for (std::int64_t x = 0; x < part->size(); ++x) part->set_bits(x, array.bits_at((*logical)(x)));
    return part;
}

AXE_DECL Result<Array, Problem> assemble(const Tensor& whole, const std::vector<const Array*>& parts, const Axis& axis)
{
    auto out = Array::make(whole.shape, whole.dtype);
    if (!out) return out;
    std::vector<std::int32_t> giver(static_cast<std::size_t>(out->size()), -1);
    const auto place = [&](std::int64_t index) {
        const Coord at = coordinate(whole.shape, index);
        std::string text = "(";
        for (int d = 0; d < at.size(); ++d) text += (d > 0 ? ", " : "") + std::to_string(at[d]);
        return text + ")";
    };
    for (std::size_t d = 0; d < parts.size(); ++d) {
        const std::string device = std::to_string(d);
        const auto view = local(whole, {{axis, static_cast<std::int64_t>(d)}});
        if (!view && view.error().code != errc::no_layout) return view.error();
        if (!view && parts[d] != nullptr)
            return Problem(errc::bad_argument, "tensor {0}: device {1} gives a part, but holds none", {whole.name, device});
        if (!view) continue;
        if (parts[d] == nullptr) return Problem(errc::bad_argument, "tensor {0}: device {1} gives no part", {whole.name, device});
        if (!(parts[d]->shape() == view->tensor.shape))
            return Problem(errc::size_mismatch,
                           "tensor {0}: the part of device {1} has {2} elements in another shape than the layout's {3}",
                           {whole.name, device, parts[d]->size(), *volume(view->tensor.shape)});
        if (parts[d]->dtype() != whole.dtype)
            return Problem(errc::bad_argument, "tensor {0} is {2}, the part of device {1} is {3}",
                           {whole.name, device, name(whole.dtype), name(parts[d]->dtype())});
        const auto logical = make_evaluator(view->logical);
        if (!logical) return logical.error();
        for (std::int64_t x = 0; x < parts[d]->size(); ++x) {
            const std::int64_t i = (*logical)(x);
            auto& first = giver[static_cast<std::size_t>(i)];
            if (first >= 0 && out->bits_at(i) != parts[d]->bits_at(x))
                return Problem(errc::bad_argument, "tensor {0}: element {1} is {2} on device {3} and {4} on device {5}",
                               {whole.name, place(i), std::to_string(out->at(i)), first, std::to_string(parts[d]->at(x)), device});
            if (first < 0) first = static_cast<std::int32_t>(d);
            out->set_bits(i, parts[d]->bits_at(x));
        }
    }
    for (std::int64_t i = 0; i < out->size(); ++i)
        if (giver[static_cast<std::size_t>(i)] < 0)
            return Problem(errc::size_mismatch, "tensor {0}: element {1} is on none of the {2} devices that give a part",
                           {whole.name, place(i), parts.size()});
    return out;
}

} // namespace v0
} // namespace axe

#endif
