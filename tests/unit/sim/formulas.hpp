// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_UNIT_SIM_FORMULAS_HPP
#define AXE_TESTS_UNIT_SIM_FORMULAS_HPP

#include <axe/program/kernel.hpp>
#include <axe/sim/reference/specification.hpp>
#include <axe/target/machines.hpp>
#include <tests/unit/sim/arrays.hpp>

/// Formulas on arrays, and what their elements may be.
namespace formulas {

using namespace axe;

/// A kernel that computes nothing, to state formulas in.
struct Given {
    Kernel k{"formula", machines::cpu};
    Bindings in{};

    TensorRef tensor(const char* name, Array array)
    {
        const TensorRef out = k.input(name, array.shape(), array.dtype());
        in.set(name, std::move(array));
        return out;
    }
    TensorRef random(const char* name, const Shape& shape, DType type, laws::Random& from)
    {
        return tensor(name, arrays::random(shape, type, from));
    }
    TensorRef of(const char* name, const Shape& shape, DType type, const std::vector<double>& values)
    {
        return tensor(name, arrays::of(shape, type, values));
    }
    /// What an output of this shape and type may be that is the formula.
    ReferenceTensor made(const Shape& shape, DType type, const Formula& formula, const ReferenceOptions& options = {})
    {
        const std::string name = "D" + std::to_string(outputs++);
        k.computes(k.output(name, shape, type), formula);
        const auto program = k.program();
        if (!program) problem = program.error().text;
        const auto all = specified(program.value(), in, options);
        if (!all) problem = all.error().text;
        return *all.value().find(name);
    }
    int outputs = 0;
    std::string problem{};
};

/// Is the value this one, but for the rounding of f64, and are the bounds around it, and no wider than `width` of its size?
inline bool is_near(const Bounded& b, double value, double width = 0)
{
    if (value != value) return b.nan && b.value != b.value;
    if (std::isinf(value)) return b.value == value && b.allows(value);
    const double size = std::max(std::fabs(value), 1e-300);
    return std::fabs(b.value - value) <= (width == 0 ? 0 : 1e-9 * size + 1e-30) && b.low <= value && value <= b.high && !b.nan &&
           b.high - b.low <= width * size + 1e-40;
}

} // namespace formulas

#endif
