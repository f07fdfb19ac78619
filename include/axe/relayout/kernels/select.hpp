// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_RELAYOUT_KERNELS_SELECT_HPP
#define AXE_RELAYOUT_KERNELS_SELECT_HPP

#include <axe/relayout/kernels/table.hpp>
#include <axe/support/config.hpp>

#if !defined(AXE_KERNELS_COMPILED) || defined(AXE_KERNELS_SOURCE)
#  include <axe/relayout/kernels/avx2.hpp>
#  include <axe/relayout/kernels/avx512.hpp>
#  include <axe/relayout/kernels/neon.hpp>
#endif

/// Which kernels this processor runs. The processor is asked once. The kernels themselves take seconds to compile: where
/// AXE_KERNELS_COMPILED is defined, they are in the source that defines AXE_KERNELS_SOURCE, see <axe/kernels.hpp>.
namespace axe {
inline namespace v0 {
namespace detail {

/// Does this processor have these vectors, and this library kernels for them?
inline bool runs_here(InstructionSet set) noexcept
{
    switch (set) {
    case InstructionSet::portable: return true;
#if AXE_RELAYOUT_X86
    case InstructionSet::sse2: return true;
    case InstructionSet::avx2: return __builtin_cpu_supports("avx2") != 0;
    case InstructionSet::avx512:
        return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
               __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0;
#endif
#if AXE_RELAYOUT_NEON
    case InstructionSet::neon: return true;
#endif
    default: return false;
    }
}

/// The kernels of a set that runs here; of another, the portable ones.
#if defined(AXE_KERNELS_COMPILED) && !defined(AXE_KERNELS_SOURCE)
const RelayoutKernels& kernels_of(InstructionSet set) noexcept;
#else
AXE_KERNELS_INLINE const RelayoutKernels& kernels_of(InstructionSet set) noexcept
{
    if (!runs_here(set)) return portable::kernels;
    switch (set) {
#  if AXE_RELAYOUT_X86
    case InstructionSet::sse2: return sse2::kernels;
    case InstructionSet::avx2: return avx2::kernels;
    case InstructionSet::avx512: return avx512::kernels;
#  endif
#  if AXE_RELAYOUT_NEON
    case InstructionSet::neon: return neon::kernels;
#  endif
    default: return portable::kernels;
    }
}
#endif

/// Those of the widest vectors of this processor.
inline const RelayoutKernels& best_kernels() noexcept
{
    static const RelayoutKernels& best = kernels_of(runs_here(InstructionSet::avx512) ? InstructionSet::avx512
                                                    : runs_here(InstructionSet::avx2) ? InstructionSet::avx2
                                                    : runs_here(InstructionSet::sse2) ? InstructionSet::sse2
                                                                                      : InstructionSet::neon);
    return best;
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
