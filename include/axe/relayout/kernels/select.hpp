// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_RELAYOUT_KERNELS_SELECT_HPP
#define AXE_RELAYOUT_KERNELS_SELECT_HPP

#include <axe/relayout/kernels/table.hpp>
#include <axe/support/config.hpp>

/// Which kernels this processor runs. The processor is asked once.
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
AXE_DECL const RelayoutKernels& kernels_of(InstructionSet set) noexcept;

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

#if !defined(AXE_COMPILED)
#  include <axe/relayout/kernels/impl/select.hpp>
#endif

#endif
