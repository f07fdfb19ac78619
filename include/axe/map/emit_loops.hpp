// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_EMIT_LOOPS_HPP
#define AXE_MAP_EMIT_LOOPS_HPP

#include <axe/map/codegen/loop_nest.hpp>

#include <string>

namespace axe {
inline namespace v0 {

/// The function that `emit_loops` writes.
struct LoopOptions {
    std::string name = "kernel";
    std::string type = "float";       ///< of the elements
    std::string initial = "0";        ///< what an element of the result begins with, and is where nothing is combined
    std::string combine = "acc + x0"; ///< the next value, from `acc`, the one so far, and x0, x1, …, an element of each operand
    bool peel = true;                 ///< split dimensions, so that most iterations have no guard
};

/// The loops of an operation as a function in C++20 (and CUDA C++), the operands and the result as arrays in row-major order:
///
///   static inline void kernel(const float* a0, const float* a1, float* r)
///
/// First every element of the result is `initial`. Then come the loops: those of the dimensions, within them those of the range
/// variables, in which guards are as far out as possible. With `peel`, dimensions are split where that spares a guard: a loop
/// for the interior without it, loops for the borders with it. An innermost loop of 2, 4, 8 or 16 iterations reads what is side by
/// side before it begins, which a compiler makes one load.
///
/// @returns `errc::overflow` when an address may overflow 64 bits; `errc::bad_argument` for a name that is not an identifier.
/// Cost: that of `simplify` for each part.
AXE_DECL Result<std::string> emit_loops(const LoopNest& nest, const LoopOptions& options = {});

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/map/impl/emit_loops.hpp>
#endif

#endif
