// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_SPYRE_COMPILER_RULES_HPP
#define AXE_TARGET_SPYRE_COMPILER_RULES_HPP

/// What each operator asks of the sticks of its operands: a header an operator.
#include <axe/target/spyre/rules/matmul.hpp>
#include <axe/target/spyre/rules/move.hpp>
#include <axe/target/spyre/rules/pointwise.hpp>
#include <axe/target/spyre/rules/reduce.hpp>

#endif
