// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_LINEAR_HPP
#define AXE_INTEROP_LINEAR_HPP

/// Triton's linear layouts: the value, its algebra over GF(2), its texts, and the way to layouts and back.
#include <axe/interop/linear/compose.hpp>
#include <axe/interop/linear/conversion.hpp>
#include <axe/interop/linear/convert.hpp>
#include <axe/interop/linear/convert_back.hpp>
#include <axe/interop/linear/encodings/slice.hpp>
#include <axe/interop/linear/encodings/swizzled_shared.hpp>
#include <axe/interop/linear/encodings/tensor_memory.hpp>
#include <axe/interop/linear/invert.hpp>
#include <axe/interop/linear/linear_layout.hpp>
#include <axe/interop/linear/make.hpp>
#include <axe/interop/linear/names.hpp>
#include <axe/interop/linear/product.hpp>
#include <axe/interop/linear/properties.hpp>
#include <axe/interop/linear/read_linear.hpp>
#include <axe/interop/linear/rearrange.hpp>
#include <axe/interop/linear/text.hpp>

#endif
