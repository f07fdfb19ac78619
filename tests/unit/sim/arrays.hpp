// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_UNIT_SIM_ARRAYS_HPP
#define AXE_TESTS_UNIT_SIM_ARRAYS_HPP

#include <axe/program/program.hpp>
#include <axe/sim/bindings.hpp>
#include <tests/random.hpp>

/// Arrays for runs.
namespace arrays {

using axe::Array;
using axe::Shape;

inline Array of(const Shape& shape, axe::DType type, const std::vector<double>& values)
{
    Array out = Array::make(shape, type).value();
    for (std::int64_t i = 0; i < out.size(); ++i) out.set(i, values[static_cast<std::size_t>(i)]);
    return out;
}
/// 0, 1, 2, …
inline Array counting(const Shape& shape, axe::DType type)
{
    Array out = Array::make(shape, type).value();
    for (std::int64_t i = 0; i < out.size(); ++i) out.set(i, static_cast<double>(i));
    return out;
}
/// Numbers of the type in [−1, 1].
inline Array random(const Shape& shape, axe::DType type, laws::Random& from)
{
    Array out = Array::make(shape, type).value();
    for (std::int64_t i = 0; i < out.size(); ++i) out.set(i, static_cast<double>(from.in(-1'000'000, 1'000'000)) / 1e6);
    return out;
}

/// What a program takes: element i of a tensor is number(tensor, i).
template <class Number>
axe::Bindings inputs_of(const axe::Program& program, Number number)
{
    axe::Bindings out;
    for (const axe::ProgramTensor& t : program.tensors) {
        if (t.binding != axe::Binding::input && t.binding != axe::Binding::inout) continue;
        Array x = Array::make(t.shape, t.dtype).value();
        for (std::int64_t i = 0; i < x.size(); ++i) x.set(i, static_cast<double>(number(t, i)));
        out.set(t.name, std::move(x));
    }
    return out;
}

} // namespace arrays

#endif
