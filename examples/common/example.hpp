// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_EXAMPLES_EXAMPLE_HPP
#define AXE_EXAMPLES_EXAMPLE_HPP

#include "setting.hpp"

#include <axe/kernels.hpp>

#include <span>

namespace examples {

/// What a run of an example came to, apart from faults and wrong numbers, which every run is checked for.
struct Conclusion {
    std::vector<std::string> lines{};
    bool ok = true; ///< does it hold what the example says?
};

/// What an example may look at when all is done.
struct Ending {
    const axe::Program& program;
    const axe::Lowered& lowered;
    const axe::Bindings& inputs;
    const axe::Bindings& outputs;
    const axe::sim::Counters& total;
    const axe::Verification& verification;
};

/// A kernel worth telling: what it is of, and what it takes. One folder an example, one row in table.cpp.
struct Example {
    const char* name;
    const char* what; ///< in a line
    std::vector<Parameter> parameters;
    std::vector<const char*> machines; ///< on which it runs; the first unless another is asked for
    std::vector<int> devices{1};       ///< how many it may run on; the first unless another is asked for

    axe::Result<axe::Program, axe::Problem> (*build)(const Setting&);
    axe::Result<axe::Bindings, axe::Problem> (*inputs)(const Setting&, const axe::Program&);
    axe::Result<Conclusion, axe::Problem> (*conclude)(const Setting&, const Ending&);
    /// Values that follow from others, with what was set; null: none do.
    axe::Result<void, axe::Problem> (*settle)(Setting&, const std::vector<std::pair<std::string, std::string>>& given) = nullptr;
};

/// All of them, in the order to be read in.
std::span<const Example> table();

/// The example of that name; null when there is none.
const Example* find(std::string_view name);

// The rows. Each is defined in examples/<name>/example.cpp.
extern const Example copy, transpose, gemm, gemm_sm90, gemm_sm100, fp8_gemm, fp8_scaled, mx_gemm, grouped_gemm, moe, softmax,
    flash_attention, rmsnorm, swiglu, rope, cross_entropy, topk, topk_selector, fft, histogram, moe_align, sparse_mla, all_gather,
    reduce_scatter, gemm_reduce_scatter, gemm_all_reduce, all_gather_gemm, cluster_gemm, digits, spyre_linear;

} // namespace examples

#endif
