// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_STRIDES_HPP
#define AXE_INTEROP_STRIDES_HPP

/// Arrays as other libraries describe them: strides, blocks and tiles.
#include <axe/interop/strides/blas.hpp>
#include <axe/interop/strides/dlpack.hpp>
#include <axe/interop/strides/mdspan.hpp>
#include <axe/interop/strides/numpy.hpp>
#include <axe/interop/strides/onednn.hpp>
#include <axe/interop/strides/strided.hpp>
#include <axe/interop/strides/xla_find.hpp>

#endif
