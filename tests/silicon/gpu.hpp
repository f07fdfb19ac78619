// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_SILICON_GPU_HPP
#define AXE_TESTS_SILICON_GPU_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// Kernels as PTX text, run by the driver of the machine's GPU. Nothing of CUDA is needed to build: the driver is opened when there is one.
namespace silicon {

using Bytes = std::vector<std::byte>;

/// The 128 bytes of a CUtensorMap.
struct alignas(64) MapBits {
    std::uint64_t words[16]{};
};

struct Launch {
    unsigned threads = 32, shared_bytes = 0;
};

/// The arguments of cuTensorMapEncodeTiled, its enumerators as numbers.
struct TiledArguments {
    int type = 0, rank = 0;
    std::uint64_t address = 0, dims[5]{}, strides[5]{};
    std::uint32_t box[5]{}, element_strides[5]{};
    int interleave = 0, swizzle = 0, promotion = 0, fill = 0;
};

class Gpu {
  public:
    /// The machine's first GPU; null: no driver, or none of compute capability `arch`, of which the caller's test then says "skipped".
    static const Gpu* find(const char* test, int arch = 90);

    /// Runs kernel `kernel` of a module in one block: its parameters are the addresses of the buffers, copied there before and back after,
    /// and, with `make_map`, the tensor map that it makes of the address of the first buffer.
    void run(const std::string& ptx, const char* kernel, const Launch& launch, std::vector<Bytes*> buffers,
             const std::function<MapBits(std::uint64_t)>& make_map = {}) const;

    /// Does the driver take these? The map is written where it does.
    bool encode(const TiledArguments& arguments, MapBits& map) const;

  private:
    Gpu() = default;
};

/// The head of a module; `sm_90a` has the instructions of Hopper alone.
std::string module_head(const char* target);

} // namespace silicon

#endif
