// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_ALL_HPP
#define AXE_TARGET_ALL_HPP

/// What is in the targets of the library, a header a family.
#include <axe/target/cpu/targets.hpp>
#include <axe/target/nvidia/targets.hpp>
#include <axe/target/spyre/targets.hpp>
#include <axe/target/trainium/targets.hpp>

#endif
