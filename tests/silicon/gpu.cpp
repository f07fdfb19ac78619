// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpu.hpp"

#include <tests/catch.hpp>

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>

namespace silicon {
namespace {

using Handle = void*;
using Address = unsigned long long;

/// The functions of libcuda that the tests use, as cuda.h declares them.
struct Driver {
    int (*init)(unsigned) = nullptr;
    int (*device)(int*, int) = nullptr;
    int (*attribute)(int*, int, int) = nullptr;
    int (*retain)(Handle*, int) = nullptr;
    int (*current)(Handle) = nullptr;
    int (*load)(Handle*, const void*, unsigned, int*, void**) = nullptr;
    int (*unload)(Handle) = nullptr;
    int (*function)(Handle*, Handle, const char*) = nullptr;
    int (*set_attribute)(Handle, int, int) = nullptr;
    int (*allocate)(Address*, std::size_t) = nullptr;
    int (*release)(Address) = nullptr;
    int (*upload)(Address, const void*, std::size_t) = nullptr;
    int (*download)(void*, Address, std::size_t) = nullptr;
    int (*launch)(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle, void**, void**) = nullptr;
    int (*synchronize)() = nullptr;
    int (*encode_tiled)(MapBits*, int, std::uint32_t, void*, const std::uint64_t*, const std::uint64_t*, const std::uint32_t*,
                        const std::uint32_t*, int, int, int, int) = nullptr;
    int arch = 0;
};

template <class F>
bool find(Handle library, const char* name, F& function)
{
    function = reinterpret_cast<F>(::dlsym(library, name));
    return function != nullptr;
}

/// The driver with its first device made current, or none.
const Driver* driver()
{
    static Driver d;
    static const bool found = [] {
        const Handle library = ::dlopen("libcuda.so.1", RTLD_NOW);
        if (library == nullptr) return false;
        int device = 0, major = 0, minor = 0;
        Handle context = nullptr;
        const bool all = find(library, "cuInit", d.init) && find(library, "cuDeviceGet", d.device) &&
                         find(library, "cuDeviceGetAttribute", d.attribute) &&
                         find(library, "cuDevicePrimaryCtxRetain", d.retain) && find(library, "cuCtxSetCurrent", d.current) &&
                         find(library, "cuModuleLoadDataEx", d.load) && find(library, "cuModuleUnload", d.unload) &&
                         find(library, "cuModuleGetFunction", d.function) && find(library, "cuFuncSetAttribute", d.set_attribute) &&
                         find(library, "cuMemAlloc_v2", d.allocate) && find(library, "cuMemFree_v2", d.release) &&
                         find(library, "cuMemcpyHtoD_v2", d.upload) && find(library, "cuMemcpyDtoH_v2", d.download) &&
                         find(library, "cuLaunchKernel", d.launch) && find(library, "cuCtxSynchronize", d.synchronize) &&
                         find(library, "cuTensorMapEncodeTiled", d.encode_tiled);
        if (!all || d.init(0) != 0 || d.device(&device, 0) != 0 || d.attribute(&major, 75, device) != 0 ||
            d.attribute(&minor, 76, device) != 0 || d.retain(&context, device) != 0 || d.current(context) != 0)
            return false;
        d.arch = 10 * major + minor;
        return true;
    }();
    return found ? &d : nullptr;
}

} // namespace

const Gpu* Gpu::find(const char* test, int arch)
{
    static const Gpu gpu;
    const Driver* d = driver();
    if (d != nullptr && d->arch == arch) return &gpu;
    if (std::getenv("AXE_PTX_FOLDER") != nullptr) return &gpu; // modules are written, not run
    std::printf("skipped: %s needs a GPU of compute capability %d.%d\n", test, arch / 10, arch % 10);
    return nullptr;
}

void Gpu::run(const std::string& ptx, const char* kernel, const Launch& launch, std::vector<Bytes*> buffers,
              const std::function<MapBits(std::uint64_t)>& make_map) const
{
    if (const char* folder = std::getenv("AXE_PTX_FOLDER"); folder != nullptr) {
        static int number = 0;
        std::ofstream(std::string(folder) + "/" + std::to_string(number++) + "_" + kernel + ".ptx") << ptx;
    }
    const Driver* d = driver();
    if (d == nullptr) return;
    Handle module = nullptr, function = nullptr;
    char log[4096] = "";
    int options[] = {5, 6}; // CU_JIT_ERROR_LOG_BUFFER and its size
    void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
    const int loaded = d->load(&module, ptx.c_str(), 2, options, values);
    INFO(kernel << "\n" << log);
    REQUIRE(loaded == 0);
    REQUIRE(d->function(&function, module, kernel) == 0);
    if (launch.shared_bytes > 48 << 10) REQUIRE(d->set_attribute(function, 8, static_cast<int>(launch.shared_bytes)) == 0);
    std::vector<Address> addresses(buffers.size());
    std::vector<void*> arguments;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        REQUIRE(d->allocate(&addresses[i], buffers[i]->size()) == 0);
        REQUIRE(d->upload(addresses[i], buffers[i]->data(), buffers[i]->size()) == 0);
        arguments.push_back(&addresses[i]);
    }
    MapBits map;
    if (make_map) {
        map = make_map(addresses[0]);
        arguments.push_back(&map);
    }
    REQUIRE(d->launch(function, 1, 1, 1, launch.threads, 1, 1, launch.shared_bytes, nullptr, arguments.data(), nullptr) == 0);
    REQUIRE(d->synchronize() == 0);
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        REQUIRE(d->download(buffers[i]->data(), addresses[i], buffers[i]->size()) == 0);
        d->release(addresses[i]);
    }
    d->unload(module);
}

bool Gpu::encode(const TiledArguments& a, MapBits& map) const
{
    const Driver* d = driver();
    return d != nullptr &&
           d->encode_tiled(&map, a.type, static_cast<std::uint32_t>(a.rank), reinterpret_cast<void*>(a.address), a.dims, a.strides,
                           a.box, a.element_strides, a.interleave, a.swizzle, a.promotion, a.fill) == 0;
}

std::string module_head(const char* target) { return std::string(".version 8.4\n.target ") + target + "\n.address_size 64\n"; }

} // namespace silicon
