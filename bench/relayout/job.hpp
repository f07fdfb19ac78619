// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_BENCH_RELAYOUT_JOB_HPP
#define AXE_BENCH_RELAYOUT_JOB_HPP

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// What a contender is given, free of Axe's headers: the peers are compiled for this very processor, Axe is not.
namespace bench {

/// One loop of the copy, both strides in elements.
struct Loop {
    std::int64_t extent, dst, src;
};

struct Job {
    std::string name;        ///< of the case
    std::vector<Loop> loops; ///< the fewest there can be, in the order of the source: the widest stride first
    int element_bytes;
    int threads;
    void* dst;
    const void* src;

    [[nodiscard]] std::int64_t elements() const
    {
        std::int64_t n = 1;
        for (const Loop& l : loops) n *= l.extent;
        return n;
    }
    [[nodiscard]] std::size_t bytes() const { return static_cast<std::size_t>(elements() * element_bytes); }
};

/// Runs the job once; all that can be prepared has been.
using Run = std::function<void()>;

/// How a contender prepares a job: an empty Run when it has nothing for it.
Run prepare_memcpy(const Job& job);
Run prepare_stream(const Job& job); ///< by streaming stores, where there are any (SSE2)
Run prepare_naive(const Job& job);
Run prepare_onednn(const Job& job);   ///< where oneDNN is (AXE_BENCH_ONEDNN)
Run prepare_eigen(const Job& job);    ///< where Eigen is (AXE_BENCH_EIGEN)
Run prepare_openblas(const Job& job); ///< where OpenBLAS is (AXE_BENCH_OPENBLAS)

/// The release that runs here.
std::string onednn_version();
std::string eigen_version();
std::string openblas_version();

} // namespace bench

#endif
