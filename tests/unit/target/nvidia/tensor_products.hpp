// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_UNIT_TARGET_NVIDIA_TENSOR_PRODUCTS_HPP
#define AXE_TESTS_UNIT_TARGET_NVIDIA_TENSOR_PRODUCTS_HPP

#include <axe/target/nvidia/tcgen05/scales.hpp>
#include <tests/required.hpp>
#include <tests/unit/sim/kernels/trial.hpp>

#include <cmath>

/// What tests of products into tensor memory share: how operands are laid out, their scales, and what sums have to be in all orders.
namespace tensor_products {

using namespace axe;

/// A tile of shared memory [rows, cols] of `bytes`-byte elements along cols, in patterns of `span` bytes; two elements in each byte where
/// `per_byte` is 2.
inline Swizzled<Layout> in_patterns(std::int64_t rows, std::int64_t cols, int span, int bytes = 1, int per_byte = 1)
{
    const Axis m{"m"};
    const std::int64_t c = std::max(span, 16) / bytes * per_byte;
    const int digits = span == 128 ? 3 : span == 64 ? 2 : span == 32 ? 1 : 0;
    Layout out{{{rows / 8, 8 * c, m}, {8, c, m}, {cols / c, rows * c, m}, {c, 1, m}}};
    return {digits > 0 ? Swizzle{digits, per_byte == 2 ? 5 : 4, 3} : Swizzle{}, m, bytes, out};
}

/// Scales in shared memory, from where they are copied, and in tensor memory.
struct Scales {
    TensorRef shared, there;
};
inline Scales alloc_scales(Scope cta, const Shape& shape, DType type, const std::string& of, std::int64_t parts = 1)
{
    return {cta.alloc(Role::shared, shape, type, shared_scale_layout(shape, parts).value(), "s" + of),
            cta.alloc("tmem", shape, type, tensor_scale_layout(shape, parts).value(), "t" + of)};
}

/// sum + term(0) + … + term(k − 1), each step rounded once to f32: by numbers of 64 bits of significand, which hold all that is added here.
template <class Term>
float chain(std::int64_t k, Term term, float sum = 0)
{
    for (std::int64_t l = 0; l < k; ++l) sum = static_cast<float>(static_cast<long double>(sum) + term(l));
    return sum;
}

/// Is D what is wanted, with checks and without, in all orders or in that of the program? A NaN is equal to a NaN.
inline void check_in_orders(const Program& lowered, const Bindings& in, const std::vector<double>& wanted, bool all_orders = true)
{
    auto ready = required(sim::prepare(lowered));
    for (const sim::Level level : {sim::Level::full, sim::Level::fast})
        for (const sim::RunOrder order : sim::all_run_orders) {
            if (!all_orders && order != sim::RunOrder::issue) continue;
            sim::RunOptions options;
            options.level = level;
            options.order = order;
            const auto report = required(ready->run(in, options));
            INFO("order " << name(order) << ": " << report->fault.text);
            REQUIRE(report->ok());
            const Array& d = *report->outputs.find("D");
            REQUIRE(d.size() == static_cast<std::int64_t>(wanted.size()));
            std::int64_t wrong = 0;
            for (std::int64_t i = 0; i < d.size(); ++i) {
                const double x = d.at(i), y = wanted[static_cast<std::size_t>(i)];
                wrong += x == y || (std::isnan(x) && std::isnan(y)) ? 0 : 1;
            }
            CHECK(wrong == 0);
        }
}
/// The same where element (i, j) of D [rows, columns] is `wanted(i, j)`.
template <class Wanted>
void check_in_orders(const Program& lowered, const Bindings& in, std::int64_t rows, std::int64_t columns, Wanted wanted,
                     bool all_orders = true)
{
    std::vector<double> all;
    for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < columns; ++j) all.push_back(static_cast<double>(wanted(i, j)));
    check_in_orders(lowered, in, all, all_orders);
}

} // namespace tensor_products

#endif
