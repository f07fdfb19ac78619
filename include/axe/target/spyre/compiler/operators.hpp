// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_SPYRE_COMPILER_OPERATORS_HPP
#define AXE_TARGET_SPYRE_COMPILER_OPERATORS_HPP

/// Operators on tensors of Spyre, each with the sticks that its operands and result have together: a header a kind of operator.
#include <axe/target/spyre/compiler/operators/matmul.hpp>
#include <axe/target/spyre/compiler/operators/move.hpp>
#include <axe/target/spyre/compiler/operators/pointwise.hpp>
#include <axe/target/spyre/compiler/operators/reduce.hpp>

#endif
