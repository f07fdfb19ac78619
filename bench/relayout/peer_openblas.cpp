// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenBLAS' omatcopy: f32 matrices only, and one thread of its own, so that bands of rows are given to as many as there are.
#include "job.hpp"
#include "pool.hpp"

#include <cblas.h>

namespace bench {

Run prepare_openblas(const Job& job)
{
    if (job.element_bytes != 4 || job.loops.size() != 2) return {};
    const Loop rows = job.loops[0], columns = job.loops[1];
    if (columns.src != 1 || rows.dst != 1) return {};
    return [=, &pool = Pool::of(job.threads), dst = static_cast<float*>(job.dst), src = static_cast<const float*>(job.src)] {
        pool.run([&](int i) {
            const std::int64_t begin = part(rows.extent, i, pool.threads()), end = part(rows.extent, i + 1, pool.threads());
            cblas_somatcopy(CblasRowMajor, CblasTrans, static_cast<blasint>(end - begin), static_cast<blasint>(columns.extent),
                            1.0F, src + begin * rows.src, static_cast<blasint>(rows.src), dst + begin,
                            static_cast<blasint>(columns.dst));
        });
    };
}

std::string openblas_version()
{
    const std::string text = openblas_get_config(); // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH …"
    const auto begin = text.find(' ') + 1;
    return text.substr(begin, text.find(' ', begin) - begin) + " (" + openblas_get_corename() + " kernels)";
}

} // namespace bench
