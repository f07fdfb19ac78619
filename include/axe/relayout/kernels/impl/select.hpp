// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_RELAYOUT_KERNELS_IMPL_SELECT_HPP
#define AXE_RELAYOUT_KERNELS_IMPL_SELECT_HPP

#include <axe/relayout/kernels/avx2.hpp>
#include <axe/relayout/kernels/avx512.hpp>
#include <axe/relayout/kernels/neon.hpp>
#include <axe/relayout/kernels/select.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

AXE_DECL const RelayoutKernels& kernels_of(InstructionSet set) noexcept
{
    if (!runs_here(set)) return portable::kernels;
    switch (set) {
#if AXE_RELAYOUT_X86
    case InstructionSet::sse2: return sse2::kernels;
    case InstructionSet::avx2: return avx2::kernels;
    case InstructionSet::avx512: return avx512::kernels;
#endif
#if AXE_RELAYOUT_NEON
    case InstructionSet::neon: return neon::kernels;
#endif
    default: return portable::kernels;
    }
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
