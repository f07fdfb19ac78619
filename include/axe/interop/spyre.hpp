// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_SPYRE_HPP
#define AXE_INTEROP_SPYRE_HPP

/// Spyre's format of tensors: layouts in sticks, their text, views of them, and the way to layouts and back.
/// What a compiler's back end does with them is in <axe/target/spyre/compiler.hpp>.
#include <axe/interop/spyre/coordinates.hpp>
#include <axe/interop/spyre/device_view.hpp>
#include <axe/interop/spyre/equal.hpp>
#include <axe/interop/spyre/from_axe.hpp>
#include <axe/interop/spyre/place.hpp>
#include <axe/interop/spyre/rescale.hpp>
#include <axe/interop/spyre/sticks.hpp>
#include <axe/interop/spyre/text.hpp>
#include <axe/interop/spyre/to_axe.hpp>
#include <axe/interop/spyre/view_axe.hpp>

#endif
