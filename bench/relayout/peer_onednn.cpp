// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// oneDNN's reorder, the primitive made once. Two-byte elements go as bf16: the copy is the same, and its f16 has no fast path.
#include "job.hpp"

#include <dnnl.hpp>

#include <dlfcn.h>

namespace bench {
namespace {

/// Of the OpenMP that oneDNN has loaded, which need not be this compiler's; null where it was built for other threads.
void (*set_threads())(int)
{
    static const auto found = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
    return found;
}

} // namespace

Run prepare_onednn(const Job& job)
{
    using dnnl::memory;
    struct Kept {
        dnnl::engine engine{dnnl::engine::kind::cpu, 0};
        dnnl::stream stream{engine};
        memory src, dst;
        dnnl::reorder reorder;
    };
    memory::dims extents, dst_strides, src_strides;
    for (const Loop& l : job.loops) {
        extents.push_back(l.extent);
        dst_strides.push_back(l.dst);
        src_strides.push_back(l.src);
    }
    const auto type = job.element_bytes == 4 ? memory::data_type::f32 : memory::data_type::bf16;
    if (set_threads() == nullptr) return {};
    set_threads()(job.threads); // also what the primitive is made for
    try {
        Kept kept;
        const memory::desc src(extents, type, src_strides), dst(extents, type, dst_strides);
        kept.src = memory(src, kept.engine, const_cast<void*>(job.src)); // read only, but the interface has one type for both
        kept.dst = memory(dst, kept.engine, job.dst);
        kept.reorder = dnnl::reorder(kept.src, kept.dst);
        return [kept, threads = job.threads]() mutable {
            set_threads()(threads);
            kept.reorder.execute(kept.stream, kept.src, kept.dst);
            kept.stream.wait();
        };
    } catch (const dnnl::error&) {
        return {}; // unimplemented
    }
}

std::string onednn_version()
{
    const dnnl_version_t& v = *dnnl_version();
    return std::to_string(v.major) + '.' + std::to_string(v.minor) + '.' + std::to_string(v.patch);
}

} // namespace bench
