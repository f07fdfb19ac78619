// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_CUTE_HPP
#define AXE_INTEROP_CUTE_HPP

/// CuTe's layouts: the value, its text, and the counterpart of each of CuTe's operations, exact.
#include <axe/interop/cute/check.hpp>
#include <axe/interop/cute/coalesce.hpp>
#include <axe/interop/cute/common.hpp>
#include <axe/interop/cute/complement.hpp>
#include <axe/interop/cute/composed.hpp>
#include <axe/interop/cute/composed_operations.hpp>
#include <axe/interop/cute/composed_recast.hpp>
#include <axe/interop/cute/composition.hpp>
#include <axe/interop/cute/convert.hpp>
#include <axe/interop/cute/convert_composed.hpp>
#include <axe/interop/cute/coordinate.hpp>
#include <axe/interop/cute/divide.hpp>
#include <axe/interop/cute/domain_distribute.hpp>
#include <axe/interop/cute/inverse.hpp>
#include <axe/interop/cute/layout.hpp>
#include <axe/interop/cute/nullspace.hpp>
#include <axe/interop/cute/product.hpp>
#include <axe/interop/cute/rearrange.hpp>
#include <axe/interop/cute/recast.hpp>
#include <axe/interop/cute/text.hpp>
#include <axe/interop/cute/thread_value.hpp>
#include <axe/interop/cute/tiler_text.hpp>

#endif
