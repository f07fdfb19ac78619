// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of all examples. Another one is a folder with an example.cpp, a name in example.hpp and a line here.
#include "example.hpp"

namespace examples {

std::span<const Example> table()
{
    static const Example rows[] = {copy,
                                   transpose,
                                   gemm,
                                   gemm_sm90,
                                   gemm_sm100,
                                   fp8_gemm,
                                   fp8_scaled,
                                   mx_gemm,
                                   grouped_gemm,
                                   moe,
                                   softmax,
                                   flash_attention,
                                   rmsnorm,
                                   swiglu,
                                   rope,
                                   cross_entropy,
                                   topk,
                                   topk_selector,
                                   fft,
                                   histogram,
                                   moe_align,
                                   sparse_mla,
                                   all_gather,
                                   reduce_scatter,
                                   gemm_reduce_scatter,
                                   gemm_all_reduce,
                                   all_gather_gemm,
                                   cluster_gemm,
                                   digits,
                                   spyre_linear};
    return rows;
}

const Example* find(std::string_view name)
{
    for (const Example& example : table())
        if (name == example.name) return &example;
    return nullptr;
}

} // namespace examples
