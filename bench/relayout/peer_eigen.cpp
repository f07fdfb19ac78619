// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Eigen's shuffle of a row-major tensor, by its own pool where there are several threads.
#define EIGEN_USE_THREADS
#include "job.hpp"

#include <unsupported/Eigen/CXX11/Tensor>

#include <algorithm>
#include <memory>
#include <numeric>

namespace bench {
namespace {

template <class T, int Rank>
Run shuffle(const Job& job)
{
    using Out = Eigen::TensorMap<Eigen::Tensor<T, Rank, Eigen::RowMajor, Eigen::Index>>;
    using In = Eigen::TensorMap<Eigen::Tensor<const T, Rank, Eigen::RowMajor, Eigen::Index>>;
    std::array<Eigen::Index, Rank> order{}, in_extents{}, out_extents{};
    std::iota(order.begin(), order.end(), 0);
    const auto loop = [&](Eigen::Index d) -> const Loop& { return job.loops[static_cast<std::size_t>(d)]; };
    std::stable_sort(order.begin(), order.end(), [&](Eigen::Index a, Eigen::Index b) { return loop(a).dst > loop(b).dst; });
    for (std::size_t d = 0; d < Rank; ++d) {
        in_extents[d] = job.loops[d].extent;
        out_extents[d] = loop(order[d]).extent;
    }
    Out out(static_cast<T*>(job.dst), out_extents);
    const In in(static_cast<const T*>(job.src), in_extents);
    if (job.threads == 1) return [=]() mutable { out = in.shuffle(order); };
    struct Threads {
        explicit Threads(int n) : pool(n), device(&pool, n) {}
        Eigen::ThreadPool pool;
        Eigen::ThreadPoolDevice device;
    };
    return [=, threads = std::make_shared<Threads>(job.threads)]() mutable { out.device(threads->device) = in.shuffle(order); };
}

template <class T>
Run of_type(const Job& job)
{
    switch (job.loops.size()) {
    case 2: return shuffle<T, 2>(job);
    case 3: return shuffle<T, 3>(job);
    case 4: return shuffle<T, 4>(job);
    default: return {};
    }
}

} // namespace

Run prepare_eigen(const Job& job) { return job.element_bytes == 4 ? of_type<float>(job) : of_type<Eigen::half>(job); }

std::string eigen_version()
{
    return std::to_string(EIGEN_WORLD_VERSION) + '.' + std::to_string(EIGEN_MAJOR_VERSION) + '.' +
           std::to_string(EIGEN_MINOR_VERSION);
}

} // namespace bench
