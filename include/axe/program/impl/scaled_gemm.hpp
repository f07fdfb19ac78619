// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_IMPL_SCALED_GEMM_HPP
#define AXE_PROGRAM_IMPL_SCALED_GEMM_HPP

#include <axe/program/operators.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

AXE_DECL Result<void, Problem> check_scaled_gemm(const Program& p, const Operation& o)
{
    if (auto e = need_operands(o, 5); !e.ok()) return e;
    Operation product = o;
    product.operands.resize(3);
    if (auto e = check_gemm(p, product); !e.ok()) return e;
    if (operand_tensor(p, o, 0).dtype != DType::f32)
        return Problem(errc::bad_argument, "{0}; sums of products with scales are of f32", {type_words(p, o, 0)});
    for (int i = 3; i < 5; ++i) {
        const DType type = operand_tensor(p, o, i).dtype;
        if (type != DType::f32 && type != DType::e8m0 && type != DType::ue4m3 && type != DType::e4m3)
            return Problem(errc::bad_argument, "{0}; scales are of f32, e8m0, ue4m3 or e4m3", {type_words(p, o, i)});
        const Shape& scales = operand(o, i).extents;
        Shape of = operand(o, i - 2).extents;
        if (i == 4 && o.options.pair) of[o.transpose_b ? 0 : 1] *= 2; // each block has half of the columns, and the scales of all
        bool boxes = scales.size() == 2;
        for (int d = 0; boxes && d < 2; ++d) boxes = scales[d] >= 1 && of[d] % scales[d] == 0;
        if (!boxes)
            return Problem(errc::size_mismatch, "{0}, {1}; each dimension of the scales must divide that of what they scale",
                           {extent_words(p, o, i), extent_words(p, o, i - 2)});
    }
    return {};
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
