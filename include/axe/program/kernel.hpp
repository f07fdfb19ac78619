// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_KERNEL_HPP
#define AXE_PROGRAM_KERNEL_HPP

/// Kernels and scopes, with which programs are written.
#include <axe/program/kernel_impl.hpp>
#include <axe/program/scope.hpp>
#include <axe/program/scope_impl.hpp>

#endif
