// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_SPYRE_COMPILER_HPP
#define AXE_TARGET_SPYRE_COMPILER_HPP

/// The back end of a compiler for Spyre, on tensors in its format: the choice of sticks, the division of work, transfers and kernels.
#include <axe/target/spyre/compiler/choose.hpp>
#include <axe/target/spyre/compiler/divide.hpp>
#include <axe/target/spyre/compiler/dma_json.hpp>
#include <axe/target/spyre/compiler/kernel_json.hpp>
#include <axe/target/spyre/compiler/operators.hpp>
#include <axe/target/spyre/compiler/restickify.hpp>
#include <axe/target/spyre/compiler/transfer.hpp>

#endif
