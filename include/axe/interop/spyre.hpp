// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_SPYRE_HPP
#define AXE_INTEROP_SPYRE_HPP

/// Spyre's tensor layouts: sticks, transfers, views, operators and the division of their work, to layouts and back.
#include <axe/interop/spyre/coordinates.hpp>
#include <axe/interop/spyre/device_view.hpp>
#include <axe/interop/spyre/equal.hpp>
#include <axe/interop/spyre/from_axe.hpp>
#include <axe/interop/spyre/place.hpp>
#include <axe/interop/spyre/rescale.hpp>
#include <axe/interop/spyre/text.hpp>
#include <axe/interop/spyre/to_axe.hpp>
#include <axe/interop/spyre/view_axe.hpp>
#include <axe/target/spyre/compiler/choose.hpp>
#include <axe/target/spyre/compiler/divide.hpp>
#include <axe/target/spyre/compiler/dma_json.hpp>
#include <axe/target/spyre/compiler/kernel_json.hpp>
#include <axe/target/spyre/compiler/restickify.hpp>
#include <axe/target/spyre/compiler/rules.hpp>
#include <axe/target/spyre/compiler/transfer.hpp>

#endif
