// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_AXE_HPP
#define AXE_AXE_HPP

/// The layout algebra and its text form: what another compiler includes.

#include <axe/layout/broadcast.hpp>
#include <axe/layout/canonicalize.hpp>
#include <axe/layout/complement.hpp>
#include <axe/layout/compose.hpp>
#include <axe/layout/equal.hpp>
#include <axe/layout/evaluate.hpp>
#include <axe/layout/evaluator.hpp>
#include <axe/layout/group.hpp>
#include <axe/layout/group_many.hpp>
#include <axe/layout/intersect.hpp>
#include <axe/layout/inverse.hpp>
#include <axe/layout/layout.hpp>
#include <axe/layout/left_inverse.hpp>
#include <axe/layout/local.hpp>
#include <axe/layout/max_vector.hpp>
#include <axe/layout/mixed_radix.hpp>
#include <axe/layout/pack.hpp>
#include <axe/layout/permute.hpp>
#include <axe/layout/points.hpp>
#include <axe/layout/preimage.hpp>
#include <axe/layout/project.hpp>
#include <axe/layout/properties.hpp>
#include <axe/layout/rename.hpp>
#include <axe/layout/reshape.hpp>
#include <axe/layout/right_inverse.hpp>
#include <axe/layout/shift.hpp>
#include <axe/layout/slice.hpp>
#include <axe/layout/span.hpp>
#include <axe/layout/static_layout.hpp>
#include <axe/layout/sum.hpp>
#include <axe/layout/swizzle.hpp>
#include <axe/layout/swizzled_operations.hpp>
#include <axe/layout/swizzled_points.hpp>
#include <axe/layout/swizzled_properties.hpp>
#include <axe/layout/swizzled_tile.hpp>
#include <axe/layout/tile.hpp>
#include <axe/layout/unsum.hpp>
#include <axe/layout/untile.hpp>
#include <axe/text/literals.hpp>
#include <axe/text/parse.hpp>
#include <axe/text/pretty.hpp>
#include <axe/text/print.hpp>
#include <axe/version.hpp>

#endif
