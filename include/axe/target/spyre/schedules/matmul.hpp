// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_SPYRE_SCHEDULES_MATMUL_HPP
#define AXE_TARGET_SPYRE_SCHEDULES_MATMUL_HPP

#include <axe/schedule/gemm/product.hpp>
#include <axe/target/spyre/rules/matmul.hpp>
#include <axe/target/spyre/schedules/rules.hpp>

namespace axe {
inline namespace v0 {
/// `pt.matmul` for D (+)= A·B in the scratchpad: sticks of A along K, of B and D along N (`spyre::matmul_sticks`).
///
/// `errc::no_layout` with the operand whose sticks run another way, whose remedy is to restickify it; the errors of `matrix_product_of`.
inline Result<Body, Problem> emit_stick_matmul(Request& request)
{
    using namespace detail::sticks;
    if (auto p = check_request(request); !p.ok()) return p;
    const auto product = matrix_product_of(request);
    if (!product) return product.error();
    const View* views[] = {&product->d, &product->a, &product->b};
    static constexpr const char *parts[] = {"D", "A", "B"}, *dims[] = {"N", "K", "N"};
    const auto [a, b, d] = spyre::matmul_sticks(distinct_extents(request, product->a), distinct_extents(request, product->b),
                                                distinct_extents(request, product->d));
    const spyre::Stick sticks[] = {d, a, b};
    for (std::size_t o = 0; o < 3; ++o) {
        const View& v = *views[o];
        if (auto p = check_in_core(request, v, parts[o]); !p.ok()) return p;
        const DType type = request.tensor(v).dtype;
        if (type != DType::dl16 && (o != 0 || type != DType::f32))
            return declined("{0} is {1}; the matrix unit multiplies dl16 and accumulates in dl16 or f32",
                            {operand_name(request, v, parts[o]), name(type)});
        if (stick_dimension(request, v) != sticks[o])
            return declined(detail::hinted("{0} has {1}; the matrix unit needs sticks along {2}, dimension {3}", "restickify it"),
                            {operand_name(request, v, parts[o]), stick_text(stick_dimension(request, v)), dims[o], v.rank() - 1});
    }
    request.decided(detail::worded("{0}x{1}x{2}", {product->m, product->n, product->k}));
    return Body{on_core(request, "stick_matmul", "pt.matmul", {product->d, product->a, product->b},
                        {request.operation().accumulate ? 1 : 0})};
}

} // namespace v0
} // namespace axe

#endif
