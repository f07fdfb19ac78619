// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_BENCH_SIM_PEERS_HPP
#define AXE_BENCH_SIM_PEERS_HPP

#include <benchmark/benchmark.h>

/// What bench_sim is measured against, in the same run.
namespace bench {

/// f32 n×n×n by OpenCL; built where OpenCL is (AXE_BENCH_OPENCL).
void opencl_gemm(benchmark::State& state, int n);

} // namespace bench

#endif
