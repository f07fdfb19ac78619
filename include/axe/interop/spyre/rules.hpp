// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_SPYRE_RULES_HPP
#define AXE_INTEROP_SPYRE_RULES_HPP

/// What each operator asks of the sticks of its operands: a header an operator.
#include <axe/interop/spyre/rules/matmul.hpp>
#include <axe/interop/spyre/rules/move.hpp>
#include <axe/interop/spyre/rules/pointwise.hpp>
#include <axe/interop/spyre/rules/reduce.hpp>

#endif
